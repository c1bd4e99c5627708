//! The conformance suite on every device that is present.
//!
//! `ZKACCEL_REQUIRE` names devices, separated by commas, that must be present: a missing one is a failure.

use zkaccel::backend::cpu::Simd;
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

#[test]
fn every_case_on_every_device() {
    let mut failures = Vec::new();
    for choice in choices() {
        // Vector units are the CPU's; its best level also runs on one thread.
        let setups: Vec<_> = match choice {
            DeviceChoice::Cpu => Simd::available().map(|simd| (simd, 3)).chain([(Simd::best(), 1)]).collect(),
            _ => vec![(Simd::best(), 2)],
        };
        for (simd, threads) in setups {
            let engine = Engine::builder().device(choice).simd(simd).threads(threads).build().unwrap();
            for case in
                conformance::cases().iter().filter(|case| !is_nested(case) || nests(choice, simd, threads))
            {
                if let Err(failure) = (case.run)(&engine) {
                    failures.push(format!("{choice}, {simd}, {threads} threads, {}: {failure}", case.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Cases that run others on an engine of several devices, the device itself, the reference and the CPU.
fn is_nested(case: &conformance::Case) -> bool {
    case.name.starts_with("several devices")
}

/// Whether those are run: once for each sort of device, for what they add does not depend on vector units.
fn nests(choice: DeviceChoice, simd: Simd, threads: usize) -> bool {
    let single = matches!(choice, DeviceChoice::Cpu | DeviceChoice::OpenCl(_) | DeviceChoice::Cuda(_));
    single && simd == Simd::best() && threads > 1
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
