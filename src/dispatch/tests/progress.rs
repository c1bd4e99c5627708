//! What is told of the progress of an operation.

use super::*;

/// Large operations of a host are told in pieces, as they are done, with the same results; small ones and those of other devices in one.
#[test]
fn progress_is_told_in_pieces() {
    let extension = |log| Lde::new(Domain::new(log, Convention::Plonky3).unwrap(), domain(log + 1)).unwrap();
    let told = Mutex::new(Vec::new());
    let tell = |done, total| lock(&told).push((done, total));
    // All pieces, in at least so many steps.
    let check = |pieces: usize, steps: usize, what: String| {
        let told = std::mem::take(&mut *lock(&told));
        assert_eq!([told[0], told[told.len() - 1]], [(0, pieces), (pieces, pieces)], "{what}");
        assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[1].1 == pieces), "{what}: {told:?}");
        assert!(told.len() > steps, "{what}: {told:?}");
    };
    for (on_host, columns, log, steps) in
        [(true, 100, 12, 64), (true, 3, 17, 3), (true, 3, 4, 1), (true, 1, 18, 1), (false, 100, 12, 1)]
    {
        let is_large = |words: usize| on_host && words >= LARGE as usize;
        let pieces = |words| if is_large(words) { PIECES } else { 1 };
        let host = Opened { threads: None, ..opened("host", Fake::default(), on_host) };
        let on = Dispatcher::new(vec![host], Strategy::Alone);
        let lde = extension(log);
        let (mut output, mut expected) = (words(columns << (log + 1)), words(columns << (log + 1)));
        let input = &mut words(columns << log)[..];
        on.telling(Extend { lde, input, width: 1, output: &mut output, unchecked: true }, &tell).unwrap();
        Cpu::default().lde(&lde, &mut words(columns << log), 1, &mut expected).unwrap();
        assert!(output == expected, "{columns} columns of 2^{log}");
        check(pieces((2 * columns) << log), steps, format!("{columns} columns of 2^{log}"));
        for width in [1, columns] {
            let ntt = Ntt::forward(domain(log));
            let (mut data, mut expected) = (words(columns << log), words(columns << log));
            on.telling(Transform { ntt, data: &mut data, width, unchecked: true }, &tell).unwrap();
            Cpu::default().ntt(&ntt, &mut expected, width).unwrap();
            assert!(data == expected, "{columns} columns of 2^{log}, {width} together");
            let steps = if is_large(columns << log) { 3 } else { 1 };
            check(pieces(columns << log), steps, format!("{columns} columns of 2^{log}, {width} together"));
        }
    }
    for (log, pieces) in [(18, 64), (10, 1)] {
        let fake = Fake { name: "host", ..Fake::default() };
        let host = Opened { threads: None, ..opened("host", fake.clone(), true) };
        let on = Dispatcher::new(vec![host], Strategy::Alone);
        let leaf = |i: u32| Blake3::merge(&[ByteDigest([i as u8; 32]), ByteDigest([(i >> 8) as u8; 32])]);
        let leaves: Vec<_> = (0..1 << log).map(leaf).collect();
        let mut heap = vec![ByteDigest::default(); 2 << log];
        let (inner, copies) = heap.split_at_mut(1 << log);
        let tree = Tree::<Blake3> { leaves: &leaves, inner, copies: Some(copies), approach: Approach::Auto };
        on.telling(tree, &tell).unwrap();
        let mut expected = [vec![ByteDigest::default(); 1 << log], leaves.clone()].concat();
        build_heap::<Blake3>(&Cpu::default(), &mut expected, Approach::Auto).unwrap();
        assert!(heap[1..] == expected[1..], "2^{log} leaves");
        check(pieces, pieces, format!("2^{log} leaves"));
        fake.broken.store(true, Ordering::Relaxed);
        let (inner, copies) = heap.split_at_mut(1 << log);
        let tree = Tree::<Blake3> { leaves: &leaves, inner, copies: Some(copies), approach: Approach::Auto };
        assert_eq!(on.telling(tree, &tell), Err(Fake::failure("host")));
        lock(&told).clear();
    }
}
