//! Several devices, policies, and the account of what each device did, as a user of the crate sees them.

use zkaccel::commit::TraceSpec;
use zkaccel::device::{DeviceChoice, DeviceKind, devices, free_memory};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Blake3, Hasher, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{Convention, Domain, Ntt};
use zkaccel::policy::Policy;
use zkaccel::work::DeviceWork;
use zkaccel::{Engine, Error};

fn engine(device: &str) -> Engine {
    Engine::builder().device(device.parse().unwrap()).threads(2).build().unwrap()
}

/// Whether PoCL is here; where it must be, the conformance tests say that it is not.
fn has_opencl() -> bool {
    devices().iter().any(|device| device.id == "opencl:0")
}

fn trace() -> Matrix<Goldilocks> {
    Matrix::from_rows((0..64).map(Goldilocks::new).collect(), 16, 4).unwrap()
}

/// What a device has done of an operation: calls, size, bytes in and out.
fn line(work: &DeviceWork, operation: &str) -> (u64, u64, u64, u64) {
    work.of(operation).map_or((0, 0, 0, 0), |line| (line.calls, line.items, line.bytes_in, line.bytes_out))
}

#[test]
fn devices_and_policies_that_contradict_each_other() {
    let build =
        |policy, device: &str| Engine::builder().policy(policy).device(device.parse().unwrap()).build();
    for policy in [Policy::RequireGpu, Policy::PreferGpu] {
        for device in ["cpu", "reference", "cpu,reference"] {
            match build(policy, device) {
                Err(Error::PolicyContradicted { policy: found, device: named, .. }) => {
                    assert_eq!((found, device.starts_with(&named)), (policy, true));
                }
                other => panic!("{policy} {device}: {other:?}"),
            }
        }
    }
    for policy in [Policy::RequireCpu, Policy::PreferCpu] {
        for device in ["cpu", "reference", "cpu,reference"] {
            assert_eq!(build(policy, device).unwrap().device().id, device);
        }
        let engine = build(policy, "auto").unwrap();
        assert_eq!(engine.device().id, "cpu");
        assert!(engine.choices().is_none(), "there was no choice");
    }
    // A processor that OpenCL drives is a processor.
    for device in devices().into_iter().filter(|device| device.id.starts_with("opencl")) {
        let is_cpu = device.kind == DeviceKind::Cpu;
        assert_eq!(build(Policy::RequireCpu, &device.id).is_ok(), is_cpu, "{device:?}");
        assert_eq!(
            build(Policy::PreferGpu, &device.id).is_ok(),
            device.kind == DeviceKind::Gpu,
            "{device:?}"
        );
    }
    assert!(matches!(build(Policy::RequireCpu, "opencl:99"), Err(Error::DeviceMissing { .. })));
    let instead = build(Policy::PreferCpu, "opencl:99").unwrap();
    assert_eq!(instead.device().id, "cpu");
    assert!(instead.device().reason.contains("opencl:99 was preferred"), "{}", instead.device().reason);
}

#[test]
fn lists_that_cannot_be_used() {
    let refused = |devices: &[DeviceChoice]| Engine::builder().devices(devices).build().err();
    let bad = |devices: &str, reason: &str| {
        Some(Error::BadDevices { devices: devices.into(), reason: reason.into() })
    };
    use DeviceChoice::{Auto, Cpu, Reference};
    assert_eq!(refused(&[]), bad("", "there is no device in the list"));
    assert_eq!(refused(&[Cpu, Reference, Cpu]), bad("cpu,reference,cpu", "cpu is listed twice"));
    assert_eq!(refused(&[Cpu, Auto]), bad("cpu,auto", "auto chooses by itself and stands alone"));
    assert_eq!(Engine::builder().devices(&[Cpu]).build().unwrap().device().id, "cpu");
    let several = Engine::builder().devices(&[Cpu, Reference]).build().unwrap();
    assert_eq!(several.device().id, "cpu,reference");
}

/// On the host nothing moves, but what was worked on is known.
#[test]
fn the_account_of_one_device() {
    let engine = engine("cpu");
    assert_eq!(engine.work().len(), 1);
    assert_eq!((engine.work()[0].device.as_str(), engine.work()[0].operations.len()), ("cpu", 0));
    engine.commit::<Rp64_256>(&TraceSpec::default(), trace()).unwrap();
    let work = &engine.work()[0];
    // 16 rows of 4 words, extended eightfold; 128 rows; 128 leaves.
    assert_eq!(line(work, "lde"), (1, 512, 512, 4096));
    assert_eq!(line(work, "row hashing"), (1, 512, 4096, 4096));
    assert_eq!(line(work, "merkle tree"), (1, 128, 4096, 32 * 127));
    assert_eq!((work.operations.len(), work.under_way), (3, 0));
    // A refusal is no call of the device's, or one that failed.
    let mut matrix = trace();
    matrix.as_mut_slice()[7] = bytemuck::cast(u64::MAX);
    let ntt = Ntt::forward(Domain::new(4, Convention::Winterfell).unwrap());
    engine.ntt(&ntt, matrix.view_mut()).unwrap_err();
    assert_eq!(line(&engine.work()[0], "ntt").0, 0);
}

/// What stays on a device does not move: the trace goes up, and the root comes back.
#[test]
fn the_account_of_a_device_with_memory() {
    if !has_opencl() {
        return;
    }
    let engine = engine("opencl:0");
    let commitment = engine.commit::<Blake3>(&TraceSpec::default(), trace()).unwrap();
    let work = &engine.work()[0];
    assert_eq!(work.device, "opencl:0");
    assert_eq!(line(work, "upload"), (1, 64, 512, 0));
    assert_eq!(line(work, "lde"), (1, 512, 0, 0));
    assert_eq!(line(work, "row hashing"), (1, 512, 0, 0));
    assert_eq!(line(work, "merkle tree"), (1, 128, 0, 32));
    commitment.open(&[3]).unwrap();
    // A row of 4 words, and 7 siblings.
    assert_eq!(line(&engine.work()[0], "rows read"), (2, 8, 64, 32 + 7 * 32));
}

/// Of several devices with memory of their own the one with less on it takes the next data.
#[test]
fn data_that_stay_are_on_one_of_several_devices() {
    if !has_opencl() {
        return;
    }
    let engine = engine("cpu,opencl:0");
    let cpu = self::engine("cpu");
    let trace = trace();
    let (found, expected) = [&engine, &cpu]
        .map(|engine| engine.commit::<Blake3>(&TraceSpec::default(), &trace).unwrap().root())
        .into();
    assert_eq!(found, expected);
    // On one of them, or divided: every leaf once.
    let leaves: u64 = engine.work().iter().map(|work| line(work, "merkle tree").1).sum();
    assert_eq!(leaves, 8 * trace.shape().rows as u64);
    let values = engine.upload(&trace).unwrap();
    assert_eq!(engine.download(&values).unwrap(), trace);
}

/// Work of any size is somebody's, once; large work is of several where that pays.
#[test]
fn the_account_of_several_devices() {
    let engine = engine("cpu,reference");
    let ntt = Ntt::forward(Domain::new(3, Convention::Plonky3).unwrap());
    for columns in [1, 2, 100] {
        let shape = Shape { rows: 8, columns, layout: Layout::ColumnMajor };
        let mut matrix = Matrix::new((0..8 * columns as u64).map(Goldilocks::new).collect(), shape).unwrap();
        engine.ntt(&ntt, matrix.view_mut()).unwrap();
    }
    let leaves: Vec<_> = (0..16u8).map(|i| Blake3::hash(&[i])).collect();
    engine.merkle_tree::<Blake3>(&leaves).unwrap();
    let done = |operation: &str| engine.work().iter().map(|work| line(work, operation).1).sum::<u64>();
    assert_eq!(done("ntt"), 8 * 103);
    assert_eq!(done("merkle tree"), 16);
    assert_eq!(engine.device().id, "cpu,reference");
}

#[test]
fn free_memory_is_part_of_the_memory() {
    let memory = devices()[0].memory;
    assert!(free_memory(DeviceChoice::Cpu).zip(memory).is_none_or(|(free, all)| free > 0 && free <= all));
    assert_eq!(free_memory(DeviceChoice::Reference), None);
}
