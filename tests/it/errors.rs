//! One test for each variant of the error, through the door by which a caller meets it. `JobConsumed` and `JobPanicked`
//! are in `jobs.rs`, `BadEncoding` and `UnsortedIndex` with the bytes in `merkle.rs`, `NotReduced` and `BadScalar` in `bn254.rs`;
//! `NotOnCurve`, `WrongEngine` and `Unsupported` are cases of the conformance suite.

use zkaccel::commit::TraceSpec;
use zkaccel::device::DeviceChoice;
use zkaccel::device::Simd;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Digest, ElementDigest, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, MatrixRef, Shape};
use zkaccel::ntt::{Convention, Domain, Lde, Ntt, Order};
use zkaccel::{Engine, Error};

fn engine() -> Engine {
    Engine::builder().threads(1).build().unwrap()
}

fn matrix(rows: usize, columns: usize) -> Matrix<Goldilocks> {
    Matrix::from_rows(vec![Goldilocks::new(3); rows * columns], rows, columns).unwrap()
}

fn domain(log_size: u32) -> Domain {
    Domain::new(log_size, Convention::Winterfell).unwrap()
}

/// The message holds what was expected and what was found.
fn says(error: &Error, parts: &[&str]) {
    let text = error.to_string();
    assert!(parts.iter().all(|part| text.contains(part)), "{text:?} lacks one of {parts:?}");
}

#[test]
fn not_canonical() {
    let mut words = vec![1u64; 32];
    words[17] = u64::MAX;
    let shape = Shape { rows: 8, columns: 4, layout: Layout::RowMajor };
    let entries: Vec<Goldilocks> = bytemuck::cast_slice(&words).to_vec();
    let view = MatrixRef::new(&entries, shape).unwrap();
    let expected = Error::NotCanonical { index: 17, value: u64::MAX };
    says(&expected, &["17", "18446744073709551615", "18446744069414584321"]);
    assert_eq!(engine().commit::<Rp64_256>(&TraceSpec::default(), view).unwrap_err(), expected);
    assert_eq!(engine().hash_rows::<Rp64_256, _>(view).unwrap_err(), expected);
    let shift: Goldilocks = bytemuck::cast(u64::MAX);
    assert!(matches!(domain(3).coset(shift), Err(Error::NotCanonical { .. })));
    assert!(matches!(Domain::with_root(3, shift), Err(Error::NotCanonical { .. })));
}

#[test]
fn bad_hex() {
    for text in
        ["", "12", &"g".repeat(64), &"0".repeat(63), &"0".repeat(65), &"é".repeat(32), &" ".repeat(64)]
    {
        let expected = Error::BadHex { found: text.to_string() };
        says(&expected, &["64 hexadecimal"]);
        assert_eq!(text.parse::<ElementDigest>(), Err(expected));
    }
    let text = "0123456789abcdefFEDCBA98765432100123456789abcdef0123456789abcdef";
    assert_eq!(text.parse::<ElementDigest>().unwrap().to_string(), text.to_lowercase());
    assert_eq!(text.parse::<ElementDigest>().unwrap().to_bytes()[..2], [0x01, 0x23]);
}

#[test]
fn unknown_name() {
    for text in [
        "gpu",
        "",
        "provider:",
        "provider",
        "cuda:x",
        "cuda:",
        "cuda:+1",
        "cpu:0",
        "opencl:4294967296",
        "CPU",
    ] {
        let error = text.parse::<DeviceChoice>().unwrap_err();
        assert!(matches!(error, Error::UnknownName { what: "device", .. }));
        says(&error, &["auto, cpu", text]);
    }
    let levels = Simd::ALL.map(Simd::name).join(", ");
    says(&"AVX2".parse::<Simd>().unwrap_err(), &["ZKACCEL_SIMD", &levels, "AVX2"]);
    says(&"plonky2".parse::<Convention>().unwrap_err(), &["winterfell, plonky3", "plonky2"]);
}

#[test]
fn device_missing() {
    // Nothing has a thousand devices; `devices.rs` has processes without any.
    for text in ["cuda:1000", "opencl:1000"] {
        let choice = text.parse::<DeviceChoice>().unwrap();
        assert_eq!(choice.to_string(), text);
        let error = Engine::builder().device(choice).build().unwrap_err();
        assert!(matches!(error, Error::DeviceMissing { .. } | Error::DriverTooOld { .. }), "{error:?}");
        says(&error, &[text]);
        if let Error::DeviceMissing { available, .. } = &error {
            assert!(available.starts_with("cpu"), "{available}");
        }
    }
    // What a library must have to be a provider is in `capi/tests/provider.rs`.
    let error = Engine::builder().device("provider:/nowhere.so".parse().unwrap()).build().unwrap_err();
    assert!(matches!(error, Error::DeviceMissing { .. }), "{error:?}");
    says(&error, &["provider:/nowhere.so", "available: cpu"]);
    assert_eq!("cuda".parse(), Ok(DeviceChoice::AllCuda));
    assert_eq!("opencl:12".parse(), Ok(DeviceChoice::OpenCl(12)));
    // Vector instructions that this machine lacks, if any.
    for simd in Simd::ALL {
        match Engine::builder().simd(simd).threads(1).build() {
            Ok(engine) => assert!(simd.is_available() && engine.device().description.ends_with(simd.name())),
            Err(error) => {
                assert!(matches!(error, Error::DeviceMissing { .. }) && !simd.is_available(), "{error:?}");
                says(&error, &[simd.name(), "cpu with portable"]);
            }
        }
    }
}

/// Their causes are in `backend/gpu/faults.rs`, where a device can be made to fail.
#[test]
fn driver_too_old_and_device_out_of_memory_and_device_failed_and_result_lost() {
    let device = || "cuda:0".to_owned();
    let error = Error::DriverTooOld { device: device(), found: "CUDA 11.8".into(), needed: "CUDA 12.2" };
    says(&error, &["cuda:0", "CUDA 11.8", "CUDA 12.2 or later"]);
    says(&Error::DeviceOutOfMemory { device: device(), requested: 77 }, &["cuda:0", "77 bytes"]);
    let error = Error::DeviceFailed { device: device(), operation: "uploading", message: "lost".into() };
    says(&error, &["cuda:0", "uploading", "lost"]);
    let error = Error::ResultLost { device: device(), message: "gone".into() };
    says(&error, &["cuda:0", "gone", "may be partly written"]);
}

#[test]
fn another_engines_matrix() {
    let (mine, other) = (engine(), engine());
    let foreign = other.upload(matrix(8, 2)).unwrap();
    let expected = Error::WrongEngine { what: "matrix", expected: "cpu".into(), found: "cpu".into() };
    says(&expected, &["the matrix", "another engine", "expected one of this engine, of cpu"]);
    assert_eq!(mine.download(&foreign).unwrap_err(), expected);
    assert_eq!(mine.commit::<Rp64_256>(&TraceSpec::default(), &foreign).unwrap_err(), expected);
    assert_eq!(other.clone().download(&foreign).unwrap(), matrix(8, 2));
}

/// Where a device has memory of its own; `conformance/residence.rs` has the refusals.
#[test]
fn over_device_budget() {
    let error = Error::OverDeviceBudget { required: 320, budget: 300 };
    says(&error, &["320 bytes of device memory", "at most 300"]);
    for device in zkaccel::device::devices().into_iter().filter(|device| device.driver.is_some()) {
        let builder = Engine::builder().device(device.id.parse().unwrap()).threads(1);
        let small = builder.device_memory(300).build().unwrap();
        assert_eq!(small.upload(matrix(20, 2)).unwrap_err(), error, "{}", device.id);
        assert!(small.upload(matrix(18, 2)).is_ok(), "the engine goes on");
    }
}

#[test]
fn domain_too_large() {
    let expected = Err(Error::DomainTooLarge { log_size: 33, limit: 32 });
    assert_eq!(Domain::new(33, Convention::Plonky3), expected);
    assert_eq!(Domain::with_root(33, Goldilocks::new(7)), expected);
    let lde = Lde::onto_coset(31, 4, Convention::Winterfell, Goldilocks::new(7));
    assert_eq!(lde.map(|_| ()), Err(Error::DomainTooLarge { log_size: 33, limit: 32 }));
    let lde = Lde::onto_coset(1, 1 << 63, Convention::Winterfell, Goldilocks::new(7));
    assert_eq!(lde.map(|_| ()), Err(Error::DomainTooLarge { log_size: 64, limit: 32 }));
}

#[test]
fn bad_root() {
    for (log_size, root) in [(0, 0), (0, 2), (1, 1), (3, 7), (5, 0), (32, 7)] {
        let found = Domain::with_root(log_size, Goldilocks::new(root));
        assert_eq!(found, Err(Error::BadRoot { root: root.to_string(), log_size }));
    }
    assert!(Domain::with_root(0, Goldilocks::new(1)).is_ok());
    assert!(Domain::with_root(1, Goldilocks::new(Goldilocks::MODULUS - 1)).is_ok());
}

#[test]
fn bad_shift() {
    assert_eq!(domain(4).coset(Goldilocks::new(0)), Err(Error::BadShift));
    let spec = TraceSpec { shift: Goldilocks::new(0), ..TraceSpec::default() };
    assert_eq!(engine().commit::<Rp64_256>(&spec, matrix(4, 1)).unwrap_err(), Error::BadShift);
}

#[test]
fn bad_blowup() {
    for blowup in [0, 1, 3, 6, u64::MAX] {
        let spec = TraceSpec { blowup, ..TraceSpec::default() };
        let error = engine().commit::<Rp64_256>(&spec, matrix(4, 1)).unwrap_err();
        assert_eq!(error, Error::BadBlowup { found: blowup });
    }
    assert_eq!(Lde::new(domain(4), domain(4)), Err(Error::BadBlowup { found: 1 }));
    assert_eq!(Lde::new(domain(4), domain(2)), Err(Error::BadBlowup { found: 0 }));
}

#[test]
fn bad_shape() {
    for (rows, columns, entries) in
        [(0, 3, 0), (3, 0, 0), (2, 3, 5), (2, 3, 7), (usize::MAX, 2, 4), (1 << 63, 2, 0)]
    {
        let found = Matrix::from_columns(vec![Goldilocks::new(0); entries], rows, columns);
        assert_eq!(found.unwrap_err(), Error::BadShape { rows, columns, entries });
    }
}

#[test]
fn length_mismatch() {
    let expected = Error::LengthMismatch { what: "rows of the matrix", expected: 16, found: 8 };
    let (mut short, engine) = (matrix(8, 2), engine());
    let before = short.clone();
    assert_eq!(engine.ntt(&Ntt::forward(domain(4)), short.view_mut()), Err(expected.clone()));
    assert_eq!(short, before);
    let lde = Lde::onto_coset(4, 2, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    assert_eq!(engine.lde(&lde, &short).unwrap_err(), expected);
    let commitment = engine.commit::<Rp64_256>(&TraceSpec::default(), &short).unwrap();
    let opening = commitment.open(&[1]).unwrap();
    let expected = Error::LengthMismatch { what: "entries of an opened row", expected: 8, found: 2 };
    assert_eq!(opening.verify(&commitment.cap(0).unwrap(), 8), Err(expected));
    let mut extra = opening.clone();
    extra.rows.push(extra.rows[0].clone());
    let expected = Error::LengthMismatch { what: "opened leaves", expected: 1, found: 2 };
    assert_eq!(commitment.verify(&extra), Err(expected));
}

#[test]
fn not_power_of_two() {
    let error = engine().commit::<Rp64_256>(&TraceSpec::default(), matrix(12, 1)).unwrap_err();
    assert_eq!(error, Error::NotPowerOfTwo { what: "rows of the trace", found: 12 });
    let error = engine().merkle_tree_of_rows::<Rp64_256, _>(matrix(5, 2).view()).unwrap_err();
    assert_eq!(error, Error::NotPowerOfTwo { what: "leaves of a Merkle tree", found: 5 });
}

#[test]
fn index_out_of_range_duplicate_and_none() {
    let commitment = engine().commit::<Rp64_256>(&TraceSpec::default(), matrix(2, 3)).unwrap();
    assert_eq!(commitment.open(&[0, 16]).unwrap_err(), Error::IndexOutOfRange { index: 16, len: 16 });
    assert_eq!(commitment.open(&[4, 1, 4]).unwrap_err(), Error::DuplicateIndex { index: 4 });
    assert_eq!(commitment.open(&[]).unwrap_err(), Error::NoIndices);
}

#[test]
fn cap_too_high_and_sibling_count_and_not_verified() {
    let commitment = engine().commit::<Rp64_256>(&TraceSpec::default(), matrix(2, 3)).unwrap();
    assert_eq!(commitment.cap(5).unwrap_err(), Error::CapTooHigh { height: 5, depth: 4 });
    assert_eq!(commitment.open_to_cap(&[1], 5).unwrap_err(), Error::CapTooHigh { height: 5, depth: 4 });
    let short = commitment.open_to_cap(&[1], 1).unwrap();
    assert_eq!(commitment.verify(&short), Err(Error::SiblingCount { expected: 4, found: 3 }));
    let mut wrong = commitment.open(&[1]).unwrap();
    wrong.rows[0][0] = Goldilocks::new(4);
    assert_eq!(commitment.verify(&wrong), Err(Error::NotVerified));
}

#[test]
fn bad_thread_count() {
    for threads in [0, 1 << 40] {
        let error = Engine::builder().threads(threads).build().unwrap_err();
        assert!(matches!(error, Error::BadThreadCount { .. }), "{error:?}");
        says(&error, &[&threads.to_string()]);
    }
}

#[test]
fn over_budget() {
    let engine = Engine::builder().threads(1).memory_budget(100_000).build().unwrap();
    let lde = Lde::onto_coset(10, 8, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    let expected = |required| Error::OverBudget { required, budget: 100_000 };
    // 8192 rows of 8 x 2 bytes, and for a borrowed matrix its copy.
    assert_eq!(engine.lde(&lde, matrix(1024, 2)).unwrap_err(), expected(131_072));
    assert_eq!(engine.lde(&lde, matrix(1024, 2).view()).unwrap_err(), expected(131_072 + 16_384));
    assert!(engine.lde(&lde, matrix(1024, 1)).is_ok());
    let leaves = vec![ElementDigest::default(); 2048];
    assert_eq!(engine.merkle_tree::<Rp64_256>(&leaves).unwrap_err(), expected(131_072));
    assert!(engine.merkle_tree::<Rp64_256>(&leaves[..1024]).is_ok());
    let natural = Ntt::forward(domain(14));
    assert_eq!(engine.ntt(&natural, matrix(1 << 14, 1).view_mut()), Err(expected(131_072)));
    let both_reversed = natural.with_orders(Order::BitReversed, Order::BitReversed);
    assert_eq!(engine.ntt(&both_reversed, matrix(1 << 14, 1).view_mut()), Err(expected(131_072)));
    let reversed = natural.with_orders(Order::Natural, Order::BitReversed);
    assert_eq!(engine.ntt(&reversed, matrix(1 << 14, 1).view_mut()), Ok(()));
    // 8192 rows of 8 bytes, and 64 for each in the tree.
    let spec = TraceSpec::default();
    assert_eq!(engine.commit::<Rp64_256>(&spec, matrix(1024, 1)).unwrap_err(), expected(65_536 + 524_288));
    // 128 rows of 8 x 96 bytes, and the tree or, if that is more, the copy of a borrowed trace.
    let wide = matrix(16, 96);
    assert_eq!(engine.commit::<Rp64_256>(&spec, &wide).unwrap_err(), expected(98_304 + 12_288));
    assert_eq!(engine.commit::<Rp64_256>(&spec, wide).unwrap_err(), expected(98_304 + 8_192));
    assert_eq!(engine.pinned::<u64>(16_384).unwrap_err(), expected(131_072));
    assert_eq!(*engine.pinned::<u64>(3).unwrap(), [0; 3]);
}

#[test]
fn an_extension_into_memory_of_another_size() {
    let lde = Lde::onto_coset(3, 4, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    for found in [0, 63, 65] {
        let mut extended = vec![Goldilocks::new(9); found];
        let expected = Error::LengthMismatch { what: "entries of the extension", expected: 64, found };
        assert_eq!(engine().lde_into(&lde, matrix(8, 2).view_mut(), &mut extended), Err(expected));
        assert!(extended.iter().all(|&word| word == Goldilocks::new(9)));
    }
    let mut extended = vec![Goldilocks::default(); 64];
    engine().lde_into(&lde, matrix(8, 2).view_mut(), &mut extended).unwrap();
    assert_eq!(extended, engine().lde(&lde, matrix(8, 2)).unwrap().into_vec());
}

/// A result of 2^53 bytes: more than any address space has, whatever the budget.
#[test]
fn host_out_of_memory() {
    let engine = Engine::builder().threads(1).memory_budget(u64::MAX).build().unwrap();
    let lde = Lde::onto_coset(0, 1 << 32, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    let wide = matrix(1, 1 << 18);
    assert_eq!(engine.lde(&lde, &wide).unwrap_err(), Error::HostOutOfMemory { bytes: 1 << 53 });
    assert!(engine.merkle_tree::<Rp64_256>(&[ElementDigest::default()]).is_ok(), "the engine goes on");
}
