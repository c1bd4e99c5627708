//! Devices with memory of their own: the words that they refuse, and the data that stay there.

use super::*;
use std::sync::Arc;

use crate::backend::gpu::{Gpu, opencl::OpenCl};
use crate::operation::{Purpose, download, make, upload};
use crate::work::Activity;

/// The first OpenCL device twice; none where there is no such device; the conformance tests report that where one is required.
fn two_of_opencl(weights: Option<Vec<usize>>) -> Option<Dispatcher> {
    let devices = [("left", OpenCl::open(0).ok()?), ("right", OpenCl::open(0).ok()?)];
    let devices = devices.map(|(name, device)| opened(name, Gpu::new(Arc::new(device), None), false));
    let several = Dispatcher::new(devices.into(), Strategy::Divide { weights });
    Some(several.measured(&kinds::<Rp64_256>(), &[line()]))
}

/// Devices with memory of their own check words while they copy them: a refused word is named by its index in all data, and
/// inputs are unchanged.
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
#[test]
fn data_that_stay_are_spread() {
    let Some(several) = two_of_opencl(None) else { return };
    let (words, purpose) = (words(64), Purpose::of::<Goldilocks>(64));
    let count =
        || several.members.iter().map(|member| member.resident.load(Ordering::Relaxed)).collect::<Vec<_>>();
    let calls = |operation: &str| -> Vec<u64> {
        several.work().iter().map(|work| work.of(operation).map_or(0, |line| line.calls)).collect()
    };
    let stored: Vec<_> = std::thread::scope(|scope| {
        let bring =
            || upload(&several, &words, false, &purpose).unwrap().expect("a device with memory of its own");
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
#[test]
fn where_data_are_to_stay() {
    let gpu =
        |name, budget| Some(opened(name, Gpu::new(Arc::new(OpenCl::open(0).ok()?), Some(budget)), false));
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
#[test]
fn data_stay_where_they_are_used_fastest() {
    let slow = || Curve::through(vec![[1.0, 1e6], [1e12, 1e18]]);
    for (curves, on_device) in [([line(), slow()], false), ([slow(), line()], true)] {
        let Ok(device) = OpenCl::open(0) else { return };
        let devices = vec![
            opened("cpu", Cpu::default(), true),
            opened("opencl", Gpu::new(Arc::new(device), None), false),
        ];
        let both = Dispatcher::new(devices, Strategy::Divide { weights: None });
        let both = both.measured(&kinds::<Rp64_256>(), &curves);
        let stored = upload(&both, &words(64), false, &Purpose::of::<Goldilocks>(64)).unwrap();
        assert_eq!(stored.is_some(), on_device);
    }
}

/// Where the device is the faster one for much work alone, few words that are a part of much work go there.
#[test]
fn data_of_whole_proofs_stay_together() {
    let Ok(device) = OpenCl::open(0) else { return };
    let for_much = Curve::through(vec![[1.0, 1e5], [1e6, 1e5], [1e12, 1e11]]);
    let devices =
        vec![opened("cpu", Cpu::default(), true), opened("opencl", Gpu::new(Arc::new(device), None), false)];
    let both = Dispatcher::new(devices, Strategy::Divide { weights: None });
    let both = both.measured(&kinds::<crate::hash::Blake3>(), &[line(), for_much]);
    for (purpose, on_device) in
        [(Purpose::of::<Goldilocks>(2), false), (Purpose::proof(2), false), (Purpose::proof(1 << 24), true)]
    {
        assert_eq!(upload(&both, &words(2), false, &purpose).unwrap().is_some(), on_device);
    }
}
