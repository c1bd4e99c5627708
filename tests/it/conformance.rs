//! The conformance suite on every device that is present.
//!
//! `ZKACCEL_REQUIRE` names devices, separated by commas, that must be present: a missing one is a failure.

use std::time::Instant;

use zkaccel::device::Simd;
use zkaccel::device::{DeviceChoice, devices};
use zkaccel::{Engine, conformance};

/// Devices present, devices that the environment asks for, and several of them as one.
fn choices() -> Vec<DeviceChoice> {
    let mut names: Vec<String> = devices().into_iter().map(|device| device.id).collect();
    names.push("reference".into());
    let required = std::env::var("ZKACCEL_REQUIRE").unwrap_or_default();
    for name in required.split(',').filter(|name| !name.is_empty()) {
        assert!(
            names.iter().any(|present| present == name),
            "{name} is required and missing; present: {names:?}"
        );
    }
    let has = |name: &str| names.iter().any(|present| present == name);
    let lists = [(has("opencl:0"), "cpu,opencl:0"), (has("cuda:1"), "cuda")];
    let lists: Vec<_> =
        lists.into_iter().filter(|(present, _)| *present).map(|(_, list)| list.into()).collect();
    names.extend::<Vec<String>>(lists);
    names.iter().map(|name| name.parse().expect("a listed device can be asked for")).collect()
}

/// Two tests, so that a processor is not idle where a device takes its time.
#[test]
fn every_case_on_the_processor() {
    run_all(choices().into_iter().filter(is_processor));
}

#[test]
fn every_case_on_every_device() {
    run_all(choices().into_iter().filter(|choice| !is_processor(choice)));
}

fn is_processor(choice: &DeviceChoice) -> bool {
    matches!(choice, DeviceChoice::Cpu | DeviceChoice::Reference)
}

fn run_all(choices: impl Iterator<Item = DeviceChoice>) {
    let mut failures = Vec::new();
    for choice in choices {
        // Vector units are the CPU's; its best level also runs on one thread.
        let setups: Vec<_> = match choice {
            DeviceChoice::Cpu => Simd::available().map(|simd| (simd, 3)).chain([(Simd::best(), 1)]).collect(),
            _ => vec![(Simd::best(), 2)],
        };
        for (simd, threads) in setups {
            let engine = Engine::builder().device(choice).simd(simd).threads(threads).build().unwrap();
            for case in conformance::cases().iter().filter(|case| runs(case, choice, simd, threads)) {
                let start = Instant::now();
                let result = (case.run)(&engine);
                println!("{choice}, {simd}, {threads} threads, {}: {:.1?}", case.name, start.elapsed());
                if let Err(failure) = result {
                    failures.push(format!("{choice}, {simd}, {threads} threads, {}: {failure}", case.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every case runs once for each sort of device. Not again, with other vector units, other numbers of threads and on several devices,
/// those that run others on several devices in their turn, and what is done with all hashes and curves; of these rows and trees
/// run. With other vector units only what is computed on vectors runs.
fn runs(case: &conformance::Case, choice: DeviceChoice, simd: Simd, threads: usize) -> bool {
    let single = matches!(choice, DeviceChoice::Cpu | DeviceChoice::OpenCl(_) | DeviceChoice::Cuda(_));
    if single && simd == Simd::best() && threads > 1 {
        // Sums and transforms over BN254 shared with OpenCL run on `cpu,opencl:0`.
        let is_opencl = matches!(choice, DeviceChoice::OpenCl(_));
        return !(is_opencl && case.name == "several devices, sums and transforms over BN254");
    }
    let repeats = case.repeats_for_another_hash() || is_of_another_curve(case);
    let on_vectors = ["rows, ", "trees", "commit, ", "ntt", "low-degree extension", "fft", "msm"];
    let has_vectors = on_vectors.iter().any(|operation| case.name.starts_with(operation));
    !case.name.starts_with("several devices") && !repeats && (simd == Simd::best() || has_vectors)
}

/// Whether this is a case of a curve that the first curve has as well.
fn is_of_another_curve(case: &conformance::Case) -> bool {
    let curve = |case: &conformance::Case| case.name.strip_prefix("msm over ")?.split(',').next();
    curve(case).is_some_and(|of| conformance::cases().iter().find_map(curve) != Some(of))
}

/// A suite that cannot fail checks nothing: a case must notice a wrong answer.
#[test]
fn cases_have_names_of_their_own() {
    let mut names: Vec<_> = conformance::cases().iter().map(|case| case.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
