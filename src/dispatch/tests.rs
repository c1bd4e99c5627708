//! Devices that fail, that must work at the same time, and that are busy; and the choice between two.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::curve::Curve;
use super::fake::{Fake, Meeting};
use super::{Cost, Dispatcher, Kind, LARGE, Opened, Share, Strategy, Work};
use crate::backend::cpu::Cpu;
use crate::backend::testing::build_heap;
use crate::backend::{Backend, Combinations, Extent, MatrixView, PrefixProducts, Transforms};
use crate::error::Error;
use crate::field::{Goldilocks, powers};
use crate::hash::*;
use crate::lock::lock;
use crate::merkle::Approach;
use crate::meter::PIECES;
use crate::ntt::{Convention, Domain, Lde, Ntt};
use crate::operation::{
    Combine, Combined, Extend, HashRows, Invert, PermuteLookups, Prefix, Transform, Tree, extend_kind,
    rows_kind, transform_kind, tree_kind,
};
use crate::sync::Mutex;

impl Dispatcher {
    /// Curves as if they were measured.
    fn measured(self, kinds: &[Kind], curves: &[Curve]) -> Self {
        for kind in kinds {
            let curves = (0..self.members.len()).map(|i| Some(curves[i % curves.len()].clone()));
            self.curves.pretend(kind, curves.collect());
        }
        self
    }
}

/// A unit of work a nanosecond.
fn line() -> Curve {
    Curve::through(vec![[1.0, 1.0], [1e12, 1e12]])
}

fn kinds<H: Accelerated>() -> Vec<Kind> {
    vec![
        transform_kind::<Goldilocks>(),
        extend_kind::<Goldilocks>(),
        rows_kind::<H>(),
        tree_kind::<H>(),
        #[cfg(feature = "bn254")]
        crate::operation::sum_kind::<crate::bn254::G1Affine>(),
        #[cfg(feature = "bn254")]
        transform_kind::<crate::bn254::Fr>(),
    ]
}

fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().unwrap()
}

fn opened(name: &str, backend: impl Backend + 'static, on_host: bool) -> Opened {
    let (backend, name, machine) = (Box::new(backend), name.to_owned(), vec![name.to_owned()]);
    Opened { backend, name, machine, on_host, threads: Some(pool()) }
}

/// Two devices, `left` and `right`.
fn several(fakes: [Fake; 2], weights: Option<Vec<usize>>) -> Dispatcher {
    let fakes = ["left", "right"].into_iter().zip(fakes);
    let devices = fakes.map(|(name, fake)| opened(name, Fake { name, ..fake }, true));
    let strategy = Strategy::Divide { weights };
    Dispatcher::new(devices.collect(), strategy).measured(&kinds::<Blake3>(), &[line()])
}

fn words(len: usize) -> Vec<Goldilocks> {
    powers(Goldilocks::GENERATOR).take(len).collect()
}

fn domain(log: u32) -> Domain {
    Domain::new(log, Convention::Plonky3).unwrap().coset(Goldilocks::GENERATOR).unwrap()
}

fn ntt(on: &Dispatcher, ntt: Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
    on.run(Transform { ntt, data, width, unchecked: true })
}

fn lde(
    on: &Dispatcher,
    lde: Lde,
    input: &mut [Goldilocks],
    width: usize,
    output: &mut [Goldilocks],
) -> Result<(), Error> {
    on.run(Extend { lde, input, width, output, unchecked: true })
}

/// Builds the tree over leaves that are copied into a heap.
fn tree<H: Accelerated>(on: &Dispatcher, leaves: &[H::Digest], heap: &mut [H::Digest]) -> Result<(), Error> {
    let (inner, copies) = heap.split_at_mut(leaves.len());
    on.run(Tree::<H> { leaves, inner, copies: Some(copies), approach: Approach::Auto })
}

/// Items of a kind of operation that each device has done.
fn items(on: &Dispatcher, operation: &str) -> Vec<u64> {
    on.work().iter().map(|work| work.of(operation).map_or(0, |line| line.items)).collect()
}

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

/// Whichever of two devices fails, the error names it, the input is unchanged, and later operations succeed.
#[test]
fn a_device_that_fails() {
    for broken in [0, 1] {
        let fakes = [Fake::default(), Fake::default()];
        let several = several(fakes.clone(), Some(vec![1, 2]));
        let fails = Fake::failure(["left", "right"][broken]);
        let set = |value| fakes[broken].broken.store(value, Ordering::Relaxed);
        for width in [1, 5] {
            for blocks in [1, 7] {
                let transform = Ntt::forward(domain(4));
                let before = words(16 * width * blocks);
                let mut data = before.clone();
                set(true);
                if width * blocks > 1 {
                    assert_eq!(ntt(&several, transform, &mut data, width), Err(fails.clone()));
                    assert!(data == before, "{width} {blocks}");
                }
                set(false);
                ntt(&several, transform, &mut data, width).unwrap();
                let mut expected = before.clone();
                Cpu::default().ntt(&transform, &mut expected, width).unwrap();
                assert!(data == expected, "{width} {blocks}");
            }
        }
        let extension = Lde::new(Domain::new(4, Convention::Plonky3).unwrap(), domain(6)).unwrap();
        let (mut extended, mut expected) = (words(64 * 3), words(64 * 3));
        set(true);
        for width in [1, 3] {
            let found = lde(&several, extension, &mut words(16 * 3), width, &mut extended);
            assert_eq!(found, Err(fails.clone()));
        }
        set(false);
        for width in [1, 3] {
            lde(&several, extension, &mut words(16 * 3), width, &mut extended).unwrap();
            Cpu::default().lde(&extension, &mut words(16 * 3), width, &mut expected).unwrap();
            assert!(extended == expected, "{width}");
        }
        let (before, mut elements) = (words(99), words(99));
        let mut invert = || several.run(Invert { elements: &mut elements, unchecked: true });
        set(true);
        assert_eq!(invert(), Err(fails.clone()));
        set(false);
        invert().and_then(|()| invert()).unwrap();
        assert!(elements == before);
        combinations_that_fail(&several, &fails, &set);
        prefix_products_that_fail(&several, &fails, &set);
        lookups_that_fail(&several, &fails, &set);
        #[cfg(feature = "bn254")]
        products_that_fail(&several, &fails, &set);
        trees_that_fail(&several, &fails, &set);
    }
}

/// Rows are divided: their combinations are put together, and those of columns side by side.
fn combinations_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let (elements, factors) = (words(40 * 3), words(40 * 2));
    for (row_step, column_step) in [(3, 1), (1, 40)] {
        let matrix = MatrixView { elements: &elements, rows: 40, columns: 3, row_step, column_step };
        for (combined, rows, results) in [(Combined::Columns, 3, 80), (Combined::Rows, 40, 6)] {
            let factors = MatrixView { elements: &factors, rows, columns: 2, row_step: 2, column_step: 1 };
            let (mut found, mut expected) = (words(results), words(results));
            let mut run = || several.run(Combine { combined, matrix, factors, result: &mut found });
            set(true);
            assert_eq!(run(), Err(fails.clone()));
            set(false);
            run().unwrap();
            match combined {
                Combined::Columns => Cpu::default().combine_columns(matrix, factors, &mut expected),
                Combined::Rows => Cpu::default().combine_rows(factors, matrix, &mut expected),
            }
            .unwrap();
            assert!(found == expected);
        }
    }
}

/// Columns one after another are divided; those of a row-major matrix go to one device.
fn prefix_products_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let (input, first) = (words(40 * 6), words(6));
    for width in [1, 6] {
        let (mut found, mut expected) = (words(40 * 6), words(40 * 6));
        let mut run =
            |carry: &mut [_]| several.run(Prefix { input: &input, width, products: &mut found, carry });
        let (mut carry, mut ends) = (first.clone(), first.clone());
        if width == 1 {
            set(true);
            assert_eq!(run(&mut carry.clone()), Err(fails.clone()));
            set(false);
        }
        run(&mut carry).unwrap();
        Cpu::default().prefix_products(&input, width, &mut expected, &mut ends).unwrap();
        assert!(found == expected && carry == ends, "{width}");
    }
}

/// Columns one after another are divided; those of a row-major matrix go to one device. What is missing is named by its number among all lookups.
fn lookups_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let mut elements = words(40).repeat(8);
    let run = |elements: &[Goldilocks], columns: bool, permuted: &mut [Goldilocks]| {
        let (row_step, column_step) = if columns { (1, 40) } else { (8, 1) };
        let matrix = MatrixView { elements, rows: 40, columns: 8, row_step, column_step };
        several.run(PermuteLookups { matrix, used: 39, permuted })
    };
    let mut permuted = elements.clone();
    set(true);
    assert_eq!(run(&elements, true, &mut permuted), Err(fails.clone()));
    set(false);
    run(&elements, true, &mut permuted).unwrap();
    assert!(permuted == elements, "in the order of the tables, which the inputs have");
    elements[6 * 40 + 5] = Goldilocks::new(0);
    assert_eq!(run(&elements, true, &mut permuted), Err(Error::NotInTable { lookup: 3, row: 5 }));
    let by_rows = vec![Goldilocks::new(1); 8 * 40];
    run(&by_rows, false, &mut permuted).unwrap();
    assert!(permuted == by_rows);
}

/// The part that succeeded leaves its elements as they were, too.
#[cfg(feature = "bn254")]
fn products_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    use crate::bn254::Fr;
    use crate::operation::{Factors, Multiply};

    let [a, b] = [3, 5].map(|x| (1..100).map(|i| Fr::from(i * x)).collect::<Vec<_>>());
    let mut products = a.clone();
    let multiply = |a: &mut [Fr]| several.run(Multiply { a, factors: Factors { b: &b, c: None } });
    multiply(&mut products).unwrap();
    let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| *a * *b).collect();
    assert_eq!(products, expected);
    set(true);
    let mut found = a.clone();
    assert_eq!(multiply(&mut found), Err(fails.clone()));
    assert_eq!(found, a);
    set(false);
}

/// Rows are divided by their entries: the first has as many as all others together, so a device with a third of the
/// work does that row, and one with two thirds the others.
#[cfg(feature = "bn254")]
#[test]
fn rows_of_a_sparse_matrix() {
    use crate::bn254::Fr;
    use crate::operation::{KeepSparse, SparseProduct};
    use crate::sparse::SparseMatrix;

    let fakes = [Fake::default(), Fake::default()];
    let several = several(fakes.clone(), Some(vec![1, 2]));
    let rows = std::iter::once(300).chain([2; 150]);
    let rows = rows.map(|len| (0..len).map(|column| (column, Fr::from(column as u64 + 2))));
    let matrix = SparseMatrix::from_rows(300, rows).unwrap();
    let vector = vec![Fr::one(); 300];
    let run = |kept: &[_]| {
        let mut product = vec![Fr::zero(); 151];
        let operation = SparseProduct { matrix: matrix.view(), kept, vector: &vector, product: &mut product };
        several.run(operation).map(|()| product)
    };
    let expected: Vec<_> = std::iter::once(Fr::from(45_450)).chain(vec![Fr::from(5); 150]).collect();
    let kept = several.run(KeepSparse::new(matrix.view())).unwrap();
    assert_eq!(items(&several, "sparse matrix kept"), [300, 300]);
    for kept in [&[][..], &kept] {
        assert_eq!(run(kept).unwrap(), expected);
        fakes[1].broken.store(true, Ordering::Relaxed);
        assert_eq!(run(kept), Err(Fake::failure("right")));
        fakes[1].broken.store(false, Ordering::Relaxed);
    }
    // Each did 300 entries four times, and the second failed twice.
    assert_eq!(items(&several, "sparse product"), [1200, 600]);
}

fn trees_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let leaves: Vec<_> = (0..64u8).map(|i| Blake3::hash(&[i])).collect();
    let empty = vec![<Blake3 as Hasher>::Digest::default(); 128];
    let mut heap = empty.clone();
    set(true);
    assert_eq!(tree::<Blake3>(several, &leaves, &mut heap), Err(fails.clone()));
    let (matrix, mut digests) = (words(64 * 3), empty[..64].to_vec());
    for block in [1, 3] {
        let (matrix, extent) = (&matrix[..], Extent { rows: 64, width: 3, block });
        let hash = HashRows::<Blake3> { matrix, extent, from: 0, digests: &mut digests };
        assert_eq!(several.run(hash), Err(fails.clone()));
    }
    set(false);
    tree::<Blake3>(several, &leaves, &mut heap).unwrap();
    let mut expected = [&empty[64..], &leaves].concat();
    build_heap::<Blake3>(&Cpu::default(), &mut expected, Approach::Auto).unwrap();
    assert!(heap[1..] == expected[1..]);
}

/// A word that is not canonical is named by its index in all data, and the shares that succeeded are undone.
#[test]
fn words_that_are_refused() {
    let several = several([Fake::default(), Fake::default()], Some(vec![1, 1]));
    let mut data = words(16 * 6);
    data[70] = bytemuck::cast(u64::MAX);
    let before: Vec<u64> = bytemuck::cast_slice(&data).to_vec();
    let refused = Err(Error::NotCanonical { index: 70, value: u64::MAX });
    for width in [1, 6] {
        assert_eq!(ntt(&several, Ntt::forward(domain(4)), &mut data, width), refused);
        assert_eq!(bytemuck::cast_slice::<_, u64>(&data), before);
    }
    assert_eq!(several.run(Invert { elements: &mut data, unchecked: true }), refused);
    assert_eq!(bytemuck::cast_slice::<_, u64>(&data), before);
}

/// Both devices are at work at the same time, although the caller's pool has but one thread.
#[test]
fn devices_work_at_the_same_time() {
    let fake = Fake { meeting: Some(Meeting::of(2)), ..Fake::default() };
    let several = several([fake.clone(), fake], Some(vec![1, 1]));
    let mut data = words(64);
    pool().install(|| ntt(&several, Ntt::forward(domain(5)), &mut data, 1)).unwrap();
    assert_eq!(items(&several, "ntt"), [32, 32]);
}

/// Three devices, each with its part, and what they tell: sums, and means of rates of copies, over those that can tell.
#[test]
fn what_several_devices_tell_together() {
    let fakes = [("first", Some(10)), ("second", None), ("third", Some(30))];
    let devices =
        fakes.map(|(name, statistics)| opened(name, Fake { name, statistics, ..Fake::default() }, true));
    let three = Dispatcher::new(devices.into(), Strategy::Divide { weights: Some(vec![1, 1, 2]) });
    let three = three.measured(&kinds::<Blake3>(), &[line()]);
    let (mut data, mut expected) = (words(256), words(256));
    ntt(&three, Ntt::forward(domain(5)), &mut data, 1).unwrap();
    ntt(&Dispatcher::alone(Cpu::default()), Ntt::forward(domain(5)), &mut expected, 1).unwrap();
    assert_eq!((data, items(&three, "ntt")), (expected, vec![64, 64, 128]));

    assert_eq!(three.name(), "first,second,third");
    assert_eq!(three.device_time(), Some(Duration::from_secs(40)));
    assert_eq!(three.replays(), Some(80));
    let rates = three.bandwidths().unwrap().unwrap();
    assert_eq!((rates.copy, rates.upload, rates.download), (60.0, 80.0, 100.0));
    let rates = three.product_rates().unwrap().unwrap();
    assert_eq!((rates.goldilocks, rates.bn254), (240.0, Some(280.0)));
    assert_eq!(three.resident_bytes(), 0);
    let occupied = [three.members[0].occupy(5), three.members[2].occupy(7)];
    assert_eq!(three.resident_bytes(), 12);
    drop(occupied);
    assert!(three.choices().is_none() && three.lock(1).unwrap().is_none());
    // None of them has memory of its own.
    assert!(!three.is_one() && !three.always_keeps_data() && three.device_budget().is_none());

    let none = several([Fake::default(), Fake::default()], None);
    assert!(none.device_time().is_none() && none.replays().is_none());
    assert!(none.bandwidths().unwrap().is_none() && none.product_rates().unwrap().is_none());
    let one = Dispatcher::alone(Fake { statistics: Some(3), ..Fake::default() });
    assert!(one.is_one());
    // A device may have a rate over one field alone.
    assert_eq!(one.product_rates().unwrap().unwrap().bn254, None);
}

/// Parts that devices hold are theirs, with the time that each is expected to take there; no items make one share.
#[test]
fn shares_of_what_devices_hold() {
    let twice = Curve::through(vec![[1.0, 2.0], [1e12, 2e12]]);
    let several = several([Fake::default(), Fake::default()], None);
    let several = several.measured(&[transform_kind::<Goldilocks>()], &[line(), twice]);
    let work = |items| {
        let costs = vec![Cost { kind: transform_kind::<Goldilocks>(), work: [3000.0; 2] }];
        Work { costs, stays: false, items, overhead: 0.0 }
    };
    let shares = several.shares(&work(30), Some(vec![(1, 0..10), (0, 10..30)]), None).unwrap();
    let shares: Vec<_> =
        shares.into_iter().map(|share| (share.member, share.items, share.ns.round())).collect();
    assert_eq!(shares, [(1, 0..10, 2000.0), (0, 10..30, 2000.0)]);
    let shares = several.shares(&work(0), None, Some(&[1, 2])).unwrap();
    assert_eq!(shares, [Share { member: 0, items: 0..0, ns: 0.0 }]);
}

/// Where one device would do all of it, nothing is done.
#[test]
fn only_what_is_divided() {
    let run = |on: &Dispatcher| {
        let (ntt, mut data) = (Ntt::forward(domain(5)), words(64));
        let transform = Transform { ntt, data: &mut data, width: 1, unchecked: true };
        let done = on.divided_only(transform).unwrap();
        (done.is_some(), data != words(64))
    };
    let several = several([Fake::default(), Fake::default()], Some(vec![1, 1]));
    assert_eq!((run(&several), items(&several, "ntt")), ((true, true), vec![32, 32]));
    assert_eq!(run(&Dispatcher::alone(Cpu::default())), (false, false));
}

#[test]
fn what_no_device_has_is_refused() {
    let several = several([Fake::default(), Fake::default()], None);
    let kind = transform_kind::<Goldilocks>();
    several.curves.pretend(&kind, vec![None, None]);
    let refused = Error::Unsupported { operation: kind.name, device: "left,right".into() };
    assert_eq!(ntt(&several, Ntt::forward(domain(4)), &mut words(64), 1), Err(refused));
}

/// Small operations go to the device with the smaller backlog: of three at a time that all wait for each other, two are on one
/// device.
#[test]
fn a_busy_device_is_passed_by() {
    let fake = Fake { meeting: Some(Meeting::of(3)), ..Fake::default() };
    let several = several([fake.clone(), fake], None);
    let run = |log: u32| ntt(&several, Ntt::forward(domain(log)), &mut words(1 << log), 1);
    std::thread::scope(|scope| {
        // The largest first: when it has begun, the others find the device busy.
        let first = scope.spawn(|| run(10));
        let begun = |count: u64| {
            while several.work().iter().map(|work| work.under_way).sum::<u64>() < count {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        begun(1);
        let second = scope.spawn(|| run(4));
        begun(2);
        let account: Vec<_> = several.work().iter().map(|work| work.under_way).collect();
        assert_eq!(account, [1, 1]);
        run(5).unwrap();
        first.join().unwrap().unwrap();
        second.join().unwrap().unwrap();
    });
    assert_eq!(items(&several, "ntt"), [1 << 10, 16 + 32]);
    assert!(several.members.iter().all(|member| member.backlog.load(Ordering::Relaxed) == 0));
}

/// Two devices of which the first is the CPU: 10 ns a unit of work, against 1000 ns for up to 1000 units and a nanosecond for each from
/// there on.
fn auto(prefer_second: bool) -> Dispatcher {
    let devices = vec![opened("cpu", Fake::default(), true), opened("other", Fake::default(), false)];
    let curves = [Curve::through(vec![[1.0, 10.0]]), Curve::through(vec![[1000.0, 1000.0]])];
    Dispatcher::new(devices, Strategy::Choose { prefer_second }).measured(&kinds::<Blake3>(), &curves)
}

/// Sizes on both sides of the crossing of the lines go to different devices, with the same result.
#[test]
fn the_expected_time_decides() {
    let auto = auto(false);
    // Equal between 2^4 and 2^5 points.
    for (log, device) in [(0, "cpu"), (3, "cpu"), (5, "other"), (10, "other")] {
        let transform = Ntt::forward(Domain::new(log, Convention::Winterfell).unwrap());
        let (mut data, mut expected) = (words(1 << log), words(1 << log));
        ntt(&auto, transform, &mut data, 1).unwrap();
        Cpu::default().ntt(&transform, &mut expected, 1).unwrap();
        assert_eq!(data, expected);
        let choices = auto.choices().unwrap();
        let [last] = &choices.last[..] else { panic!("{choices:?}") };
        assert_eq!((last.chosen.0.as_str(), last.amount), (device, 1 << log), "{last}");
        assert!(last.chosen.1 <= last.other.1 && last.chosen.0 != last.other.0, "{last}");
    }
    let choices = auto.choices().unwrap();
    assert_eq!((choices.on_cpu, choices.on_device), (2, 2));
    assert_eq!(items(&auto, "ntt"), [9, 1056]);
}

/// A curve that is a hundred times too high is measured again when an operation shows it, and the new measurement is used.
#[test]
fn a_curve_that_proves_wrong_is_measured_again() {
    let slow = Curve::through(vec![[1.0, 1e9], [1e12, 1e21]]);
    let devices = vec![opened("cpu", Fake::default(), true), opened("other", Fake::default(), true)];
    let auto = Dispatcher::new(devices, Strategy::Choose { prefer_second: false });
    let auto = auto.measured(&[transform_kind::<Goldilocks>()], &[slow]);
    let expected = || {
        ntt(&auto, Ntt::forward(domain(4)), &mut words(16), 1).unwrap();
        auto.choices().unwrap().last[0].chosen.1
    };
    assert!(expected() >= Duration::from_secs(1));
    assert!(expected() < Duration::from_secs(1));
}

/// No times are expected of either, and the second device does everything.
#[test]
fn a_preferred_device_does_it_all() {
    let auto = auto(true);
    ntt(&auto, Ntt::forward(Domain::new(0, Convention::Winterfell).unwrap()), &mut words(1), 1).unwrap();
    assert_eq!(items(&auto, "ntt"), [0, 1]);
    assert_eq!(auto.choices().unwrap().on_device, 1);
}

/// The first OpenCL device twice; none where there is no such device; the conformance tests report that where one is required.
#[cfg(feature = "opencl")]
fn two_of_opencl(weights: Option<Vec<usize>>) -> Option<Dispatcher> {
    use crate::backend::gpu::{Gpu, opencl::OpenCl};
    let devices = [("left", OpenCl::open(0).ok()?), ("right", OpenCl::open(0).ok()?)];
    let devices = devices.map(|(name, device)| opened(name, Gpu::new(device, None), false));
    let several = Dispatcher::new(devices.into(), Strategy::Divide { weights });
    Some(several.measured(&kinds::<Rp64_256>(), &[line()]))
}

/// Devices with memory of their own check words while they copy them: a refused word is named by its index in all data, and
/// inputs are unchanged.
#[cfg(feature = "opencl")]
#[test]
fn words_that_are_refused_on_their_way() {
    let Some(several) = two_of_opencl(Some(vec![1, 2])) else { return };
    let extension = Lde::new(Domain::new(4, Convention::Plonky3).unwrap(), domain(6)).unwrap();
    for width in [1, 6] {
        let (mut input, mut output, mut expected) = (words(96), words(384), words(384));
        let sound = std::mem::replace(&mut input[70], bytemuck::cast(u64::MAX));
        let before: Vec<u64> = bytemuck::cast_slice(&input).to_vec();
        let refused = Err(Error::NotCanonical { index: 70, value: u64::MAX });
        assert_eq!(lde(&several, extension, &mut input, width, &mut output), refused);
        assert_eq!(bytemuck::cast_slice::<_, u64>(&input), before);
        input[70] = sound;
        lde(&several, extension, &mut input, width, &mut output).unwrap();
        Cpu::default().lde(&extension, &mut words(96), width, &mut expected).unwrap();
        assert!(output == expected, "{width}");
    }
    let mut leaves: Vec<u64> = (0..256).collect();
    let mut heap = vec![<Rp64_256 as Hasher>::Digest::default(); 128];
    let mut expected = [&heap[64..], bytemuck::cast_slice(&leaves)].concat();
    leaves[201] = u64::MAX;
    let refused = tree::<Rp64_256>(&several, bytemuck::cast_slice(&leaves), &mut heap);
    assert_eq!(refused, Err(Error::NotCanonical { index: 201, value: u64::MAX }));
    leaves[201] = 201;
    tree::<Rp64_256>(&several, bytemuck::cast_slice(&leaves), &mut heap).unwrap();
    build_heap::<Rp64_256>(&Cpu::default(), &mut expected, Approach::Auto).unwrap();
    assert!(heap[1..] == expected[1..]);
    assert!(items(&several, "merkle tree").iter().all(|&items| items > 0));
}

/// Resident data of equal size go to both devices in turn, even with concurrent callers; results are where their inputs are; and
/// dropped data no longer count.
#[cfg(feature = "opencl")]
#[test]
fn data_that_stay_are_spread() {
    use crate::operation::{Purpose, download, make, upload};
    use crate::work::Activity;
    let Some(several) = two_of_opencl(None) else { return };
    let (words, purpose) = (words(64), Purpose::of::<Goldilocks>(64));
    let count =
        || several.members.iter().map(|member| member.resident.load(Ordering::Relaxed)).collect::<Vec<_>>();
    let calls = |operation: &str| -> Vec<u64> {
        several.work().iter().map(|work| work.of(operation).map_or(0, |line| line.calls)).collect()
    };
    let stored: Vec<_> = std::thread::scope(|scope| {
        let bring = || upload(&several, &words, &purpose).unwrap().expect("a device with memory of its own");
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(bring)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let uploads = calls("upload");
    assert!(uploads.iter().sum::<u64>() == 8 && uploads.iter().all(|&calls| calls > 0), "{uploads:?}");
    assert_eq!(count(), [512 * uploads[0], 512 * uploads[1]]);
    let (ntt, extent) = (Ntt::forward(domain(4)), Extent { rows: 16, width: 4, block: 4 });
    for matrix in &stored {
        let transform =
            make(matrix, Activity::NTT.of(64, 0, 0), 64, |device, matrix| device.ntt(&ntt, matrix, extent));
        let transformed = several.run(transform).unwrap();
        let (mut found, mut expected) = (vec![0; 512], words.clone());
        several.run(download(&transformed, 0, &mut found)).unwrap();
        Cpu::default().ntt(&ntt, &mut expected, 4).unwrap();
        assert!(found == bytemuck::cast_slice::<_, u8>(&expected));
    }
    assert_eq!(calls("ntt"), uploads);
    drop(stored);
    assert_eq!(count(), [0, 0]);
}

/// Where data are to stay, by each strategy, and what is told of the devices' memory.
#[cfg(feature = "opencl")]
#[test]
fn where_data_are_to_stay() {
    use crate::backend::gpu::{Gpu, opencl::OpenCl};
    let gpu = |name, budget| Some(opened(name, Gpu::new(OpenCl::open(0).ok()?, Some(budget)), false));
    let Some(larger) = gpu("larger", 1000) else { return };
    let slow = || Curve::through(vec![[1.0, 10.0], [1e12, 1e13]]);
    let both = |strategy, curves: [Curve; 2]| {
        let devices = vec![opened("cpu", Cpu::default(), true), gpu("gpu", 500).expect("it was opened once")];
        Dispatcher::new(devices, strategy).measured(&kinds::<Blake3>(), &curves)
    };
    let site = |on: &Dispatcher, work: f64, divisible| {
        let costs = [Cost { kind: transform_kind::<Goldilocks>(), work: [work; 2] }];
        on.site(&costs, None, 64, divisible).unwrap().map(|site| site.member.index())
    };
    let choose = |prefer_second| Strategy::Choose { prefer_second };
    let divide = |weights| Strategy::Divide { weights };

    let second = both(choose(true), [line(), slow()]);
    assert_eq!((site(&second, 1e3, false), second.choices().unwrap().on_device), (Some(1), 1));
    assert_eq!((site(&second, 1e3, false), second.choices().unwrap().on_device), (Some(1), 2));
    assert_eq!(site(&both(choose(false), [line(), slow()]), 1e3, false), None);
    let chosen = both(choose(false), [slow(), line()]);
    assert_eq!(site(&chosen, 1e3, false), Some(1));
    assert!(!chosen.divides_what_stays() && !chosen.always_keeps_data());
    assert_eq!([0, 1].map(|i| chosen.members[i].has_memory()), [false, true]);

    let weighted = both(divide(Some(vec![1, 1])), [slow(), line()]);
    assert_eq!([true, false].map(|divisible| site(&weighted, 1e8, divisible)), [None, Some(1)]);
    let divided = both(divide(None), [slow(), line()]);
    for (work, divisible, expected) in
        [(1e3, true, Some(1)), (1e3, false, Some(1)), (1e9, false, Some(1)), (1e9, true, None)]
    {
        // The slower one gets an eleventh, for which it is not worth dividing.
        let curves = [if expected.is_none() { line() } else { slow() }, line()];
        assert_eq!(site(&both(divide(None), curves), work, divisible), expected, "{work} {divisible}");
    }
    assert!(divided.divides_what_stays() && !divided.always_keeps_data());
    assert_eq!(divided.device_budget(), Some(500));

    // What is tested stays nowhere, and nothing stays where no device has memory of its own.
    let tested = divided.testing_answers();
    assert_eq!((site(&tested, 1e3, false), tested.device_budget()), (None, None));
    assert!(!tested.divides_what_stays());
    let without = auto(true);
    assert_eq!((site(&without, 1e3, false), without.choices().unwrap().on_device), (None, 0));
    assert!(!several([Fake::default(), Fake::default()], None).divides_what_stays());

    let devices = vec![larger, gpu("smaller", 500).expect("it was opened once")];
    let two = Dispatcher::new(devices, divide(None)).measured(&kinds::<Blake3>(), &[line()]);
    assert!(two.divides_what_stays() && two.always_keeps_data());
    assert_eq!(two.device_budget(), Some(500));
}

/// Next to a much faster processor a device gets no resident data; next to a much slower one it gets all.
#[cfg(feature = "opencl")]
#[test]
fn data_stay_where_they_are_used_fastest() {
    use crate::backend::gpu::{Gpu, opencl::OpenCl};
    use crate::operation::{Purpose, upload};
    let slow = || Curve::through(vec![[1.0, 1e6], [1e12, 1e18]]);
    for (curves, on_device) in [([line(), slow()], false), ([slow(), line()], true)] {
        let Ok(device) = OpenCl::open(0) else { return };
        let devices =
            vec![opened("cpu", Cpu::default(), true), opened("opencl", Gpu::new(device, None), false)];
        let both = Dispatcher::new(devices, Strategy::Divide { weights: None });
        let both = both.measured(&kinds::<Rp64_256>(), &curves);
        let stored = upload(&both, &words(64), &Purpose::of::<Goldilocks>(64)).unwrap();
        assert_eq!(stored.is_some(), on_device);
    }
}

/// Where the device is the faster one for much work alone, few words that are a part of much work go there.
#[cfg(feature = "opencl")]
#[test]
fn data_of_whole_proofs_stay_together() {
    use crate::backend::gpu::{Gpu, opencl::OpenCl};
    use crate::operation::{Purpose, upload};
    let Ok(device) = OpenCl::open(0) else { return };
    let for_much = Curve::through(vec![[1.0, 1e5], [1e6, 1e5], [1e12, 1e11]]);
    let devices = vec![opened("cpu", Cpu::default(), true), opened("opencl", Gpu::new(device, None), false)];
    let both = Dispatcher::new(devices, Strategy::Divide { weights: None });
    let both = both.measured(&kinds::<crate::hash::Blake3>(), &[line(), for_much]);
    for (purpose, on_device) in
        [(Purpose::of::<Goldilocks>(2), false), (Purpose::proof(2), false), (Purpose::proof(1 << 24), true)]
    {
        assert_eq!(upload(&both, &words(2), &purpose).unwrap().is_some(), on_device);
    }
}

#[cfg(feature = "bn254")]
mod bn254 {
    use std::sync::atomic::Ordering;

    use super::{Dispatcher, Fake, auto, items, several};
    use crate::bn254::{Fr, G1, G1Affine};
    use crate::error::Error;
    use crate::ntt::{Domain, Ntt};
    use crate::operation::{
        Bases, Evaluate, KeptRange, Points, Scalars, Sum, Transform, keep_bases, keep_scalars,
    };

    fn keep(on: &Dispatcher, points: &[G1Affine], table_bytes: u64) -> Result<Vec<KeptRange>, Error> {
        on.run(keep_bases(points, table_bytes))
    }

    /// The sum of a_i (i + 1) G.
    fn expected(scalars: &[Fr], first: usize) -> G1 {
        let sum = scalars.iter().zip(first..).map(|(scalar, i)| scalar * Fr::from(i as u64 + 1)).sum::<Fr>();
        G1::generator() * sum
    }

    /// Ranges of kept bases that lie within a device's, across both and on either side, with scalars kept and not; each
    /// device keeps its own range and no more.
    #[test]
    fn sums_over_ranges_of_kept_bases() {
        let n = 30;
        let several = several([Fake::default(), Fake::default()], Some(vec![1, 2]));
        let points: Vec<_> = (1..=n as u64).map(|i| G1Affine::from(G1::generator() * Fr::from(i))).collect();
        let kept = keep(&several, &points, 1 << 20).unwrap();
        assert_eq!(items(&several, "bases kept"), [10, 20]);
        let scalars: Vec<_> = (0..3 * n as u64).map(|i| Fr::from(i * i + 7)).collect();
        let kept_scalars = several.run(keep_scalars(&scalars[..n])).unwrap();
        for (first, end) in [(0, n), (0, 10), (3, 9), (10, 30), (12, 13), (9, 11), (5, 29), (4, 4)] {
            let bases = Bases { points: &points[first..end], kept: &kept, first };
            for rows in [1, 3] {
                let scalars = &scalars[..rows * (end - first)];
                let sums = several.run(Sum { scalars: Scalars::Host(scalars, &[]), bases, rows }).unwrap();
                for (i, sum) in sums.iter().enumerate() {
                    assert_eq!(*sum, expected(&scalars[i * (end - first)..][..end - first], first));
                }
            }
        }
        // What one device holds it sums alone.
        let before = items(&several, "msm");
        let bases = Bases { points: &points[..10], kept: &kept, first: 0 };
        several.run(Sum { scalars: Scalars::Host(&scalars[..10], &[]), bases, rows: 1 }).unwrap();
        assert_eq!(items(&several, "msm"), [before[0] + 10, before[1]]);
        let bases = Bases { points: &points, kept: &kept, first: 0 };
        let all = || {
            let scalars = Scalars::Host(&scalars[..n], &kept_scalars);
            several.run(Sum { scalars, bases, rows: 1 }).unwrap()
        };
        assert_eq!(all()[0], expected(&scalars[..n], 0));
        // Nothing is copied for that: bases and scalars are where they are needed.
        let moved = |work: &crate::work::DeviceWork| work.of("msm").unwrap().bytes_in;
        let before: Vec<_> = several.work().iter().map(moved).collect();
        all();
        assert_eq!(several.work().iter().map(moved).collect::<Vec<_>>(), before);
    }

    #[test]
    fn sums_and_transforms_on_a_device_that_fails() {
        for (broken, name) in [(0, "left"), (1, "right")] {
            let fakes = [Fake::default(), Fake::default()];
            let several = several(fakes.clone(), Some(vec![1, 1]));
            let fails = Fake::failure(name);
            let points = [G1Affine::generator(); 4];
            let scalars: Vec<_> = (1..=16u64).map(Fr::from).collect();
            let kept = keep(&several, &points, 0).unwrap();
            let set = |value| fakes[broken].broken.store(value, Ordering::Relaxed);
            for kept in [&[][..], &kept] {
                let bases = Bases { points: &points, kept, first: 0 };
                for rows in [1, 4] {
                    let sum = || Sum { scalars: Scalars::Host(&scalars[..4 * rows], &[]), bases, rows };
                    set(true);
                    assert_eq!(several.run(sum()), Err(fails.clone()));
                    set(false);
                    assert_eq!(several.run(sum()).unwrap()[0], G1::generator() * Fr::from(10));
                }
            }
            let ntt = Ntt::forward(Domain::halo2(2).unwrap());
            let run = |data: &mut [Fr]| several.run(Transform { ntt, data, width: 1, unchecked: false });
            let mut values = scalars.clone();
            set(true);
            assert_eq!(run(&mut values), Err(fails.clone()));
            assert_eq!(values, scalars);
            assert_eq!(keep(&several, &points, 0).err(), Some(fails));
            set(false);
            run(&mut values).unwrap();
            assert_eq!(values[4], Fr::from(5 + 6 + 7 + 8));
        }
    }

    /// Sums go to the device that is expected to finish first, wherever their bases are kept; polynomials by the work of their
    /// layers.
    #[test]
    fn who_does_what() {
        let auto = auto(false);
        for (count, device) in [(2u64, "cpu"), (200, "other"), (3, "cpu")] {
            let scalars: Vec<_> = (0..count).map(Fr::from).collect();
            let points = vec![G1Affine::generator(); scalars.len()];
            let kept = keep(&auto, &points, 0).unwrap();
            let bases = Bases { points: &points, kept: &kept, first: 0 };
            let sum = auto.run(Sum { scalars: Scalars::Host(&scalars, &[]), bases, rows: 1 }).unwrap();
            assert_eq!(sum, [G1::generator() * Fr::from(count * (count - 1) / 2)]);
            let choices = auto.choices().unwrap();
            let of_sums = choices.last.iter().find(|choice| choice.operation == "msm").unwrap();
            assert_eq!(of_sums.chosen.0, device);
        }
        // 2 + 3 X at the powers of the 16th root, and 128 times as many.
        for (count, device) in [(1, "cpu"), (128, "other")] {
            let coefficients: Vec<_> = [2, 3].map(Fr::from).into_iter().cycle().take(2 * count).collect();
            let (domain, mut values) = (Domain::halo2(4).unwrap(), vec![Fr::from(0); 16 * count]);
            let (coefficients, values) = (&coefficients[..], &mut values[..]);
            let points = Points { domain, size: 2 };
            auto.run(Evaluate { points, coefficients, width: 1, values: &mut *values }).unwrap();
            assert_eq!([values[0], values[8]], [Fr::from(5), -Fr::from(1)]);
            assert_eq!(auto.choices().unwrap().last.last().unwrap().chosen.0, device);
        }
    }
}
