//! The conformance suite on every device that is present.
//!
//! `ZKACCEL_REQUIRE` names devices, separated by commas, that must be present: a missing one is a failure. The reference runs only
//! where it is named there, since most cases compare it with itself then.
//!
//! `ZKACCEL_TURN` is the number of a run of which six in a row do everything: of what runs over further curves and over prime fields, on several devices with an OpenCL device among them, and on the processor in
//! another way, each of the six has a part, and of what several devices do as one, `auto`, and other levels of vectors every second one. Without it, all of it runs where devices are required, and elsewhere what the last has.

mod auto;
#[path = "../../../tests/it/child.rs"]
mod child;
mod soak;

use std::sync::Mutex;
use std::time::Instant;

use zkaccel::device::{DeviceChoice, Simd, devices};
use zkaccel::{Engine, Error};
use zkaccel_conformance::turns::{TURNS, has_half, has_turn, turn};
use zkaccel_conformance::{CLASSES, Case, cases};

/// The devices that must be present.
fn required() -> Vec<String> {
    let names = std::env::var("ZKACCEL_REQUIRE").unwrap_or_default();
    names.split(',').filter(|name| !name.is_empty()).map(String::from).collect()
}

/// Whether a device must be present: then it does everything. Otherwise it is spared what compiles a program anew for each hash or curve.
fn is_required(device: &str) -> bool {
    required().iter().any(|name| name == device)
}

/// Devices present, devices that the environment asks for, and several of them as one.
fn choices() -> Vec<DeviceChoice> {
    let mut names: Vec<String> = devices().into_iter().map(|device| device.id).collect();
    if is_required("reference") {
        names.push("reference".into());
    }
    for name in required() {
        assert!(names.contains(&name), "{name} is required and missing; present: {names:?}");
    }
    // The pair takes the cases' kernels once more, in other sizes: where the device has to be present.
    let pair = is_required("opencl:0");
    let lists = [(pair, "cpu,opencl:0"), (names.iter().any(|name| name == "cuda:1"), "cuda")];
    let lists: Vec<_> =
        lists.into_iter().filter(|(present, _)| *present).map(|(_, list)| list.into()).collect();
    names.extend::<Vec<String>>(lists);
    names.iter().map(|name| name.parse().expect("a listed device can be asked for")).collect()
}

/// What is done by a processor, in several tests and two cases at a time, so that none of its cores is idle. The calling threads have enough of a stack to begin operations themselves.
/// Of further curves and fields not what is of divisions, nor, unless the processor is required, what takes long, and transforms of points.
#[test]
fn every_case_on_the_processor() {
    let all = is_required("cpu");
    let in_turn = in_turn(turn());
    let runs = move |case: &Case| {
        let takes_long = is_long(case) || case.name.starts_with("transforms of points");
        let spared = case.repeats_for_another_curve() && (is_of_division(case) || !all && takes_long);
        !is_of_several_devices(case) && !spared && in_turn(case)
    };
    run_two_at_a_time(DeviceChoice::Cpu, 3, runs);
}

/// What runs on the processor in another way than [`every_case_on_the_processor`] takes: cases that stand for others and do not take long, and unless the processor is required over one field and hash.
fn runs_once_more(case: &Case) -> bool {
    stands_for_others(case) && !is_long(case) && (is_required("cpu") || !is_of_another_hash_or_field(case))
}

/// Here its stack is that of any thread, and without optimisation operations are handed over.
#[test]
fn cases_that_are_handed_over() {
    if !has_turn(0) {
        return;
    }
    run_all(DeviceChoice::Cpu, Simd::best(), 3, runs_once_more);
}

#[test]
fn every_case_of_several_devices_on_the_processor() {
    run_all(DeviceChoice::Cpu, Simd::best(), 3, is_of_several_devices);
}

#[test]
fn cases_on_one_thread() {
    if !has_turn(1) {
        return;
    }
    run_all(DeviceChoice::Cpu, Simd::best(), 1, runs_once_more);
}

/// What is computed on vectors. Sums and transforms over prime fields have them at the best level, if anywhere, and with less of a
/// processor are those of the portable level; `backend::cpu` tests them with every level.
#[test]
fn cases_with_every_level_of_vectors() {
    if !has_half(1) {
        return;
    }
    for simd in Simd::available().filter(|&simd| simd != Simd::best()) {
        run_all(DeviceChoice::Cpu, simd, 3, |case| {
            let names = [
                "rows, ",
                "trees",
                "commit, ",
                "transforms",
                "msm",
                "inverses",
                "row programs",
                "combinations",
                "products",
                "sparse products",
            ];
            let is_named = names.iter().any(|name| case.name.starts_with(name));
            let of_prime_fields =
                ["msm", "over bn254", "products"].iter().any(|name| case.name.contains(name));
            let runs = stands_for_others(case)
                && (is_required("cpu") || !is_long(case) && !is_of_another_hash(case));
            runs && is_named && (!of_prime_fields || simd == Simd::Portable)
        });
    }
}

#[test]
fn every_case_on_every_device() {
    for choice in choices() {
        match choice {
            // Sums and transforms over BN254 shared with OpenCL run on `cpu,opencl:0`. What differs by a hash or a curve is compiled
            // for it anew, and so is what several devices share, which takes minutes in all: a device that has to be present does everything.
            DeviceChoice::OpenCl(_) => {
                let all = is_required(&choice.to_string());
                let in_turn = in_turn(turn());
                run_two_at_a_time(choice, 2, move |case| {
                    case.name != "several devices, sums and transforms over BN254"
                        && !(case.repeats_for_another_curve() && is_of_division(case))
                        // On a device these are sums, which run over every curve.
                        && (!case.name.starts_with("transforms of points") || stands_for_others(case))
                        && (all || stands_for_others(case) && !is_of_another_hash(case) && !is_long(case))
                        && in_turn(case)
                });
            }
            DeviceChoice::Cuda(_) => run_all(choice, Simd::best(), 2, |_| true),
            // Tests of their own, beside these.
            _ => {}
        }
    }
}

#[test]
fn cases_on_the_reference() {
    if !has_turn(2) {
        return;
    }
    choices()
        .into_iter()
        .filter(|&choice| choice == DeviceChoice::Reference)
        // What the others compare with it compares it with itself here: of each sort little is enough, and what is refused and counted is the same for all.
        .for_each(|choice| {
            run_all(choice, Simd::best(), 2, |case| {
                runs_once_more(case) && !is_of_another_hash_or_field(case)
            })
        });
}

#[test]
fn cases_on_several_devices_as_one() {
    use DeviceChoice::{AllCuda, AllOpenCl, Several};
    if !has_half(0) {
        return;
    }
    choices()
        .into_iter()
        .filter(|choice| matches!(choice, Several(_) | AllCuda | AllOpenCl))
        // Where the processor's cores are one of them, rows and trees run with one hash.
        .for_each(|choice| {
            let all = choice == AllCuda;
            run_all(choice, Simd::best(), 2, |case| {
                stands_for_others(case) && (all || !is_of_another_hash(case))
            });
        });
}

/// Cases until one fails, of the device of the environment: those in whose names one of the texts of `ZKACCEL_CASES` is, which semicolons separate. Mutants of
/// modules that only the suite tests run with these (`tools/mutants.py`).
#[test]
#[ignore = "runs what the environment names"]
fn cases_of_the_environment() {
    let names = std::env::var("ZKACCEL_CASES").expect("ZKACCEL_CASES names cases");
    let is_named = |case: &Case| names.split(';').any(|name| case.name.contains(name));
    let engine = Engine::builder().device_from_environment().unwrap().threads(2).build().unwrap();
    let mut cases = cases();
    cases.retain(is_named);
    assert!(!cases.is_empty(), "no case has {names} in its name");
    for case in cases {
        let start = Instant::now();
        (case.run)(&engine).unwrap_or_else(|failure| panic!("{}: {failure}", case.name));
        println!("{}: {:.1?}", case.name, start.elapsed());
    }
}

fn run_all(choice: DeviceChoice, simd: Simd, threads: usize, runs: impl Fn(&Case) -> bool) {
    let cases = Mutex::new(cases().into_iter().filter(runs));
    let failures = run_next(&cases, choice, simd, threads);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Two cases at a time, each on an engine of its own: while a program is compiled for one, or the reference computes what the other is compared with, the other runs.
fn run_two_at_a_time(choice: DeviceChoice, threads: usize, runs: impl Fn(&Case) -> bool + Send) {
    let cases = Mutex::new(cases().into_iter().filter(runs));
    let run = || run_next(&cases, choice, Simd::best(), threads);
    let failures = std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().stack_size(32 << 20).spawn_scoped(scope, run).unwrap();
        [0, 1].map(spawn).map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    assert!(failures.iter().all(Vec::is_empty), "{}", failures.concat().join("\n"));
}

/// Takes cases until there are none, and says which have failed.
fn run_next(
    cases: &Mutex<impl Iterator<Item = Case>>,
    choice: DeviceChoice,
    simd: Simd,
    threads: usize,
) -> Vec<String> {
    /// Of cases that take gigabytes one runs at a time.
    static LARGE: Mutex<()> = Mutex::new(());
    let engine = Engine::builder().device(choice).simd(simd).threads(threads).build().unwrap();
    let mut failures = Vec::new();
    let next = || cases.lock().expect("none panics while it takes a case").next();
    while let Some(case) = next() {
        let _large = case.name.starts_with("beyond ").then(|| LARGE.lock());
        // What a device does not do is a failure, but not a host that is too small for a case.
        if let Some(error @ Error::HostOutOfMemory { .. }) = case.unsupported(&engine) {
            println!("{choice}, {}: skipped, {error}", case.name);
            continue;
        }
        let start = Instant::now();
        let result = (case.run)(&engine);
        println!("{choice}, {simd}, {threads} threads, {}: {:.1?}", case.name, start.elapsed());
        if let Err(failure) = result {
            failures.push(format!("{choice}, {simd}, {threads} threads, {}: {failure}", case.name));
        }
    }
    failures
}

/// Whether a case runs again where all of them have run once on a device of the sort: not one that runs others on several devices in
/// its turn, and of what is done with all hashes and curves, that of one; but rows and trees with all hashes.
fn stands_for_others(case: &Case) -> bool {
    !is_of_several_devices(case) && !case.repeats_for_another_hash() && !case.repeats_for_another_curve()
}

/// Whether a case runs others on several devices in its turn.
fn is_of_several_devices(case: &Case) -> bool {
    case.name.starts_with("several devices")
}

/// Whether a case runs in a turn, if there is one. Those over one curve or field have the same turn, so that a device compiles for a third of these, and each that runs others on several devices has a turn by itself.
fn in_turn(turn: Option<usize>) -> impl Fn(&Case) -> bool + Send {
    let mut groups = Vec::new();
    for group in cases().iter().filter_map(group) {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    move |case| {
        let place = groups.iter().position(|of| Some(*of) == group(case));
        turn.zip(place).is_none_or(|(turn, place)| place % TURNS == turn % TURNS)
    }
}

/// What a case is over, if it is a further curve or a prime field, since Goldilocks has the same cases, or the case itself, if it runs others on several devices.
fn group(case: &Case) -> Option<&'static str> {
    if is_of_several_devices(case) {
        return Some(case.name);
    }
    let over = case.name.split_once(" over ")?.1.split(',').next()?;
    (case.repeats_for_another_curve() || over == "bn254-fr").then_some(over)
}

/// What all runs of a device have is in each turn, and everything else in one of as many as there are.
#[test]
fn every_case_has_its_turn() {
    let turns: Vec<_> = (7..7 + TURNS).map(|number| in_turn(Some(number))).collect();
    let (mut once, mut always) = (0, 0);
    for case in cases() {
        let count = turns.iter().filter(|has| has(&case)).count();
        match group(&case) {
            Some(_) => once += 1,
            None => always += 1,
        }
        assert_eq!(count, group(&case).map_or(TURNS, |_| 1), "{}", case.name);
        assert!(in_turn(None)(&case), "{}", case.name);
    }
    assert!(once > 0 && always > 0);
}

/// Whether this is a case of rows or trees with another hash than the first.
fn is_of_another_hash(case: &Case) -> bool {
    let hash = |case: &Case| {
        let name = ["rows, ", "trees, "].iter().find_map(|operation| case.name.strip_prefix(operation))?;
        Some(name.split(',').next().unwrap_or(name))
    };
    hash(case).is_some_and(|of| cases().iter().find_map(hash) != Some(of))
}

/// The same, or a case of what runs over Goldilocks as well.
fn is_of_another_hash_or_field(case: &Case) -> bool {
    is_of_another_hash(case) || case.name.contains("over bn254-fr")
}

/// Whether a case is about parts and shapes of what is done, which do not depend on the field or the curve: on a processor, as itself and in place of a GPU, these run over one of them.
/// Vector code and kernels of every curve run in other cases, in tests of the library and in the interpreter of PTX; through CUDA, and by `zkaccel selftest` on any device, all cases run.
fn is_of_division(case: &Case) -> bool {
    let ends = [
        "within any device budget",
        "within any budget",
        "kept bases and scalars, batches",
        "layouts",
        "large",
    ];
    ends_in(case, &ends)
}

/// Whether a case needs many programs, those of the most sizes or of further fields, which an OpenCL device compiles first, or takes long. A device that
/// need not be present is spared these too.
fn is_long(case: &Case) -> bool {
    let ends = [
        "every order and coset",
        "forward and back",
        "extended domains",
        "extension fields",
        "large",
        "batches",
        "row-major matrices",
        "known roots",
        "1 to 8",
        "within any device budget",
    ];
    case.name.starts_with("beyond") || ends_in(case, &ends)
}

/// Whether a case's name ends in one of these.
fn ends_in(case: &Case, ends: &[&str]) -> bool {
    ends.iter().any(|end| case.name.ends_with(end))
}

/// A suite that cannot fail checks nothing: a case must notice a wrong answer.
#[test]
fn cases_have_names_of_their_own() {
    let mut names: Vec<_> = cases().iter().map(|case| case.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn every_case_has_a_class_and_every_pattern_a_case() {
    let cases = cases();
    for case in &cases {
        assert!(CLASSES.iter().any(|class| class.has(case)), "{:?} belongs to no class", case.name);
    }
    for class in CLASSES {
        assert!(!class.cases().is_empty(), "{}", class.id);
        for pattern in class.patterns {
            // Those over curves are not in every build.
            let any = cases.iter().any(|case| case.name.contains(pattern));
            assert!(any || cfg!(not(feature = "bn254")), "{}: no case has {pattern:?} in its name", class.id);
        }
    }
    let mut ids: Vec<_> = CLASSES.iter().map(|class| class.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CLASSES.len());
}
