//! Providers: this library as one, arkworks as one, and faulty ones.

mod library;

use std::path::{Path, PathBuf};
use std::process::Command;

use accel::bn254::{Fr, G1, G1Affine};
use accel::field::{Goldilocks, powers};
use accel::hash::{Blake3, Hasher, Rp64_256};
use accel::matrix::Matrix;
use accel::msm::BasesOptions;
use accel::ntt::{Convention, Domain, Ntt};
use accel::{Engine, Error};
use zkaccel_conformance as conformance;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// An engine of a library, its answers checked or not.
fn engine(library: &Path, check: bool) -> Result<Engine, Error> {
    let device = format!("provider:{}", library.display());
    let choice: accel::device::DeviceChoice = device.parse().unwrap();
    assert_eq!(choice.to_string(), device);
    Engine::builder().device(choice).threads(2).check_answers(check).build()
}

fn on_cpu() -> Engine {
    Engine::builder().device("cpu".parse().unwrap()).build().unwrap()
}

/// Pairs whose multiples of the generator are different.
fn pairs(len: usize) -> (Vec<Fr>, Vec<G1Affine>) {
    let scalars: Vec<_> =
        (0..len as u64).map(|i| Fr::from(i * i + 1) * Fr::from(0x1234_5678_9abc_def1)).collect();
    let points = (0..len as u64).map(|i| G1Affine::from(G1::generator() * Fr::from(i % 7)));
    (scalars, points.collect())
}

#[test]
fn this_library_passes_the_suite() {
    let library = library::DIRECTORY.join("libzkaccel.so");
    let engine = engine(&library, true).unwrap();
    assert!(engine.device().id.starts_with("provider:"));
    let has_turn = conformance::turns::has_half(0);
    // How several devices share everything is the same for a provider as for the processor, which the suite's own tests have do it.
    let shared = [
        "several devices, transforms, inverses, combinations, prefix products, lookups, rows, trees and commitments",
        "several devices, sums and transforms over BN254",
    ];
    let cases = conformance::cases();
    assert!(shared.iter().all(|shared| cases.iter().any(|case| case.name == *shared)));
    let runs = |case: &&conformance::Case| !case.repeats_for_another_hash() && !shared.contains(&case.name);
    for case in cases.iter().filter(|case| has_turn && runs(case)) {
        if let Some(error) = case.unsupported(&engine) {
            // A host that is too small for a case.
            if matches!(error, Error::HostOutOfMemory { .. }) {
                continue;
            }
            // Providers have sums over no curve but the first, transforms over no prime field but the first, no inverses, no combinations, no
            // row programs, no prefix products, no lookups, no transforms of points, and no products of vectors or with sparse matrices.
            let is_known = case.repeats_for_another_curve()
                || [
                    "inverses",
                    "combinations",
                    "row programs",
                    "several devices, a matrix in parts",
                    "prefix products",
                    "lookups",
                    "products",
                    "sparse products",
                    "transforms of points",
                ]
                .iter()
                .any(|operation| case.name.starts_with(operation))
                || ["sums of products", "programs"].iter().any(|operation| case.name.ends_with(operation));
            assert!(is_known, "{}: {error}", case.name);
            continue;
        }
        if let Err(failure) = (case.run)(&engine) {
            panic!("{}: {failure}", case.name);
        }
    }

    let cpu = on_cpu();
    let (scalars, points) = pairs(50);
    let expected = cpu.msm(&scalars, &points).unwrap();
    assert_eq!(engine.msm(&scalars, &points).unwrap(), expected);
    let bases = engine.bases(points.clone(), BasesOptions::default()).unwrap();
    assert_eq!(engine.msm(&scalars, &bases).unwrap(), expected);
    let part = engine.msm(&scalars[10..30], bases.range(10..30).unwrap()).unwrap();
    assert_eq!(part, cpu.msm(&scalars[10..30], &points[10..30]).unwrap());
    assert_eq!(engine.msm_batch(&scalars, bases.range(0..10).unwrap()).unwrap().len(), 5);

    let fft = Ntt::forward(Domain::halo2(4).unwrap().coset(Fr::from(3)).unwrap());
    let (mut found, mut expected) = (scalars[..32].to_vec(), scalars[..32].to_vec());
    engine.ntt(&fft, &mut found).unwrap();
    cpu.ntt(&fft, &mut expected).unwrap();
    assert_eq!(found, expected);
    // Bases may be the last that knows of the provider.
    drop(engine);
    drop(bases);
}

#[test]
fn arkworks_as_a_provider() {
    let library = library::DIRECTORY.join("libzkaccel_example_provider.so");
    for check in [false, true] {
        let engine = engine(&library, check).unwrap();
        for len in [0, 1, 2, 16, 17, 300] {
            let (scalars, points) = pairs(len);
            let expected = on_cpu().msm(&scalars, &points).unwrap();
            assert_eq!(engine.msm(&scalars, &points).unwrap(), expected, "{len}");
            // It keeps no bases, so they are given with each sum.
            let bases = engine.bases(points, BasesOptions::default()).unwrap();
            assert_eq!(engine.msm(&scalars, &bases).unwrap(), expected, "{len}");
        }
        // What it does not have.
        let unsupported = |result: Result<(), Error>| match result {
            Err(Error::Unsupported { device, .. }) => assert!(device.starts_with("provider:"), "{device}"),
            other => panic!("{other:?}"),
        };
        let mut scalars = vec![Fr::one(); 8];
        unsupported(engine.ntt(&Ntt::forward(Domain::halo2(3).unwrap()), &mut scalars));
        let mut matrix = Matrix::from_rows(vec![Goldilocks::new(5); 8], 8, 1).unwrap();
        let ntt = Ntt::forward(Domain::new(3, Convention::Plonky3).unwrap());
        unsupported(engine.ntt(&ntt, matrix.view_mut()));
        unsupported(engine.merkle_tree::<Blake3>(&[Blake3::hash(b""); 4]).map(drop));
    }
}

/// Compiles the faulty provider with a fault.
fn faulty(directory: &Path, name: &str, fault: &[&str]) -> PathBuf {
    let library = directory.join(name).with_extension("so");
    let mut command = Command::new("cc");
    command
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .args(fault);
    command.arg(format!("-I{HERE}/include")).arg(Path::new(HERE).join("tests/providers/faulty.c"));
    assert!(command.status().unwrap().success(), "{command:?}");
    library
}

#[test]
fn what_is_no_provider_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("text.so");
    std::fs::write(&text, "no library").unwrap();
    let fault = |name, fault: &[&str]| faulty(directory.path(), name, fault);
    let cases = [
        (PathBuf::from("/nowhere/lib.so"), "/nowhere/lib.so"),
        (text, "text.so"),
        (fault("a", &["-DNO_VERSION"]), "does not export zka_abi_version"),
        (fault("b", &["-DVERSION=0x20000"]), "it has version 0x20000 of the C interface, expected 0x10000"),
        (fault("c", &["-DVERSION=0xffff"]), "it has version 0xffff"),
        (fault("d", &["-DNO_NTT"]), "transforms over Goldilocks and does not export zka_goldilocks_ntt"),
        (fault("e", &["-DNO_ENGINE"]), "it makes no engine: status 10 (the card is not plugged in)"),
        (fault("f", &["-DCAPABILITIES=64"]), "keeps bases and does not export zka_bn254_g1_bases_new"),
    ];
    for (library, expected) in cases {
        match engine(&library, false) {
            Err(Error::DeviceMissing { device, reason, .. }) => {
                assert!(reason.contains(expected), "{reason}, expected {expected}");
                assert_eq!(device, format!("provider:{}", library.display()));
            }
            other => panic!("{other:?}, expected {expected}"),
        }
    }
}

/// What each operation of an engine says; what was given stays as it was.
fn outcomes(engine: &Engine) -> Vec<Result<(), Error>> {
    let words: Vec<_> = powers(Goldilocks::GENERATOR).skip(1).take(32).collect();
    let mut matrix = Matrix::from_rows(words, 32, 1).unwrap();
    let before = matrix.clone();
    let ntt = engine.ntt(&Ntt::forward(Domain::new(5, Convention::Plonky3).unwrap()), matrix.view_mut());
    if ntt.is_err() {
        assert_eq!(matrix, before);
    }
    let (scalars, points) = pairs(40);
    let mut values = scalars[8..].to_vec();
    let fft = engine.ntt(&Ntt::forward(Domain::halo2(5).unwrap()), &mut values);
    if fft.is_err() {
        assert_eq!(values, scalars[8..]);
    }
    let msm = engine.msm(&scalars[1..], &points[1..]).map(drop);
    let tree = engine.merkle_tree::<Blake3>(&[Blake3::hash(b""); 16]).map(drop);
    let rows = engine.hash_rows::<Blake3, _>(before.view()).map(drop);
    vec![ntt, fft, msm, tree, rows]
}

#[test]
fn wrong_answers_fail_the_check() {
    let directory = tempfile::tempdir().unwrap();
    // What looks like an answer is believed, unless checks were asked for.
    let library = faulty(directory.path(), "wrong", &[]);
    assert_eq!(outcomes(&engine(&library, false).unwrap()), vec![Ok(()); 5]);
    for outcome in outcomes(&engine(&library, true).unwrap()) {
        assert!(matches!(outcome, Err(Error::CheckFailed { .. })), "{outcome:?}");
    }
    // What cannot be an answer never is.
    let library = faulty(directory.path(), "words", &["-DNOT_CANONICAL"]);
    for outcome in &outcomes(&engine(&library, false).unwrap())[..3] {
        assert!(matches!(outcome, Err(Error::CheckFailed { .. })), "{outcome:?}");
    }
    // A hash that it does not have.
    let tree = engine(&library, false).unwrap().merkle_tree::<Rp64_256>(&[Rp64_256::hash(b""); 4]);
    assert!(matches!(tree, Err(Error::Unsupported { .. })), "{tree:?}");
}

#[test]
fn statuses_become_errors() {
    let directory = tempfile::tempdir().unwrap();
    for status in [9, 11, 13, -5] {
        let library = faulty(directory.path(), &format!("s{status}"), &[&format!("-DSTATUS=({status})")]);
        for outcome in outcomes(&engine(&library, false).unwrap()) {
            match (status, outcome) {
                (9, Err(Error::Unsupported { .. })) | (11, Err(Error::DeviceOutOfMemory { .. })) => {}
                (13 | -5, Err(Error::DeviceFailed { message, .. })) => {
                    assert_eq!(message, format!("status {status}: the card is not plugged in"));
                }
                (_, other) => panic!("{status}: {other:?}"),
            }
        }
    }
}
