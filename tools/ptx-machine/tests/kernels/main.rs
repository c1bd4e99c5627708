//! Every kernel that the library carries for NVIDIA's GPUs, on the interpreter, by the conformance suite.

#[path = "../../../../src/backend/gpu/emulated/device.rs"]
mod device;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use zkaccel::device::{DeviceInfo, DeviceKind};
use zkaccel::kernels::{Arg, Buffer, Device, Launch, Limits, Program, Queue, programs, ptx_text};
use zkaccel::pinned::Locked;
use zkaccel::{Engine, Error};
use zkaccel_conformance::turns::has_turn;
use zkaccel_conformance::{Case, HASHES, cases, small};
use zkaccel_ptx_machine as machine;

use device::{Emulated, Launched};

/// Parts of the names of cases that are left out, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("beyond 2^", "gigabytes of memory"),
    ("several devices", "it is about other devices, in their turn"),
    ("budget", "it opens the device by its name, which this one has not"),
    ("refused", "it opens the device by its name, which this one has not"),
    ("large", "minutes"),
    ("forward and back", "minutes, for sizes at which the same kernels run"),
    ("jobs and threads", "minutes, for what other devices do as well"),
    ("again and again", "as long, for the same reason"),
    ("opened and verified", "as long, for the same reason"),
    ("more data than staging memory", "as long, and there is no such memory here"),
];

/// Hashes of bytes, for which every case runs. Of the others, which take many times as long, the smaller forms do.
const QUICK: [&str; 4] = ["blake3", "keccak256", "sha256", "sha3_256"];

/// Cases of prime fields and curves that take as long as all others together: what they do with larger sizes is done by the smaller forms and by other cases.
const LONG: &[&str] = &[
    "inverses over ",
    "every order and coset",
    "low-degree extensions",
    "sizes and layouts",
    "shapes and layouts",
    "combinations over bn254-fr, edge values",
    "repetitions and edge values",
    "zeros and edge values",
    "kept bases and scalars, batches",
    "identities, repeated and opposite bases",
    "edge scalars",
    "sizes around powers of two",
    "inputs that are missing",
    "sums of many terms in few rows",
    "rows and offsets",
];

/// What runs for every prime field. The rest is that of the first.
const FOR_EACH: &[&str] =
    &["that stay", "row programs", "sparse products", "products over ", "row-major matrices"];

/// Parts of the names of programs, kernels of these that run nowhere here, and why.
const NOT_LAUNCHED: &[(&str, &str, &str)] = &[
    (
        "msm_sum_",
        "msm_add_up",
        "a sum has to have tens of thousands of terms; msm_slices, msm_longs and msm_add_bits add up the same way",
    ),
    ("ntt_", "ntt_pass", LIBRARY),
    ("gather", "put_columns", LIBRARY),
    ("gather", "take_columns", LIBRARY),
    ("products_", "powers", LIBRARY),
    ("bn254-fr", "sum_pieces", PIECES),
    ("pasta-f", "sum_pieces", PIECES),
    ("bls12-381-fr", "sum_pieces", PIECES),
    ("bls12-377-fr", "sum_pieces", PIECES),
];

const LIBRARY: &str = "tests of the library launch it on the interpreter: tiles that no size of the suite needs, what devices exchange, and rates";

const PIECES: &str = "programs of several pieces take long over prime fields; it runs over Goldilocks";

/// Whether a case runs here.
fn runs(case: &Case) -> bool {
    let is_in = |parts: &[&str]| parts.iter().any(|part| case.name.contains(part));
    let of_goldilocks = case.name.contains("goldilocks") || !case.name.contains(" over ");
    let is_slow = |name: &&str| case.name.ends_with(&format!(", {name}")) && !QUICK.contains(name);
    !LEFT_OUT.iter().any(|(part, _)| case.name.contains(part))
        && !HASHES.iter().any(is_slow)
        && (of_goldilocks || !is_in(LONG))
        && (!case.repeats_for_another_curve() || is_in(FOR_EACH) && !case.name.starts_with("msm"))
}

fn engine(device: Emulated) -> Engine {
    Engine::builder().threads(1).build_on_device(Arc::new(device)).unwrap()
}

/// The text of a program.
fn text(program: &Program) -> String {
    String::from_utf8(ptx_text(program)).unwrap()
}

/// Every kernel of every program, by the names of both.
fn kernels() -> BTreeSet<(&'static str, String)> {
    let of = |program: &'static Program| {
        let read = machine::Program::parse(&text(program));
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", program.name));
        read.kernels.into_keys().map(|kernel| (program.name, kernel)).collect::<Vec<_>>()
    };
    programs().flat_map(of).collect()
}

#[test]
fn every_program_is_read() {
    let kernels = kernels();
    for program in programs() {
        assert!(kernels.iter().any(|(name, _)| *name == program.name), "{} has no kernel", program.name);
    }
}

/// What is done with kernels.
type NamedRun<'a> = (String, Box<dyn Fn() -> Result<(), String> + Send + Sync + 'a>);

/// All work, and what is launched by it.
fn work(launched: &Launched) -> Vec<NamedRun<'_>> {
    let of = |fast_double: bool| {
        move |case: Case| -> NamedRun<'_> {
            // An engine of its own: some cases count what it has done.
            let run = move || (case.run)(&engine(Emulated::new(fast_double).with_record(launched)));
            (case.name.to_string() + if fast_double { "" } else { ", plain" }, Box::new(run))
        }
    };
    let mut work: Vec<_> = small::cases().into_iter().map(of(true)).collect();
    work.extend(cases().into_iter().filter(runs).map(of(true)));
    let transforms = |case: &Case| runs(case) && case.name.starts_with("transforms over goldilocks");
    work.extend(cases().into_iter().filter(transforms).map(of(false)));
    work
}

/// This takes minutes, in one of the turns.
#[test]
fn every_kernel_agrees_with_the_reference() {
    if !has_turn(4) {
        return;
    }
    let launched = Launched::default();
    let (work, next, failures) = (work(&launched), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let run = || {
        while let Some((name, run)) = work.get(next.fetch_add(1, Relaxed)) {
            let start = Instant::now();
            if let Err(failure) = run() {
                failures.lock().unwrap().push(format!("{name}: {failure}"));
            }
            println!("{:9.3} s {name}", start.elapsed().as_secs_f64());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            std::thread::Builder::new().stack_size(32 << 20).spawn_scoped(scope, run).unwrap();
        }
    });
    let failures = failures.lock().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let launched = launched.lock().unwrap();
    let idle = |(program, kernel): &(&str, String)| {
        !launched.iter().any(|(of, launched)| of == program && launched == kernel)
    };
    let is_of = |(program, kernel): &(&str, String), (part, excused, _): &(&str, &str, &str)| {
        program.contains(part) && kernel == excused
    };
    let excused = |launch: &(&str, String)| NOT_LAUNCHED.iter().any(|excuse| is_of(launch, excuse));
    let (excused, missing): (Vec<_>, Vec<_>) = kernels().into_iter().filter(idle).partition(excused);
    assert!(missing.is_empty(), "not launched: {missing:?}");
    // An excuse that nobody needs is wrong.
    for excuse in NOT_LAUNCHED {
        let needed = excused.iter().any(|idle| is_of(idle, excuse));
        assert!(needed, "{} of {} was launched: {}", excuse.1, excuse.0, excuse.2);
    }
}

/// A suite that cannot fail checks nothing: of a product in which one instruction takes the other half of a product of words, in one place after another.
#[test]
fn a_changed_instruction_is_seen() {
    let program = programs().find(|program| program.name == "pointwise_bn254-fr").unwrap();
    let case = cases().into_iter().find(|case| case.name == "products over bn254-fr, edge values");
    let (text, case) = (text(program), case.expect("the suite has the case"));
    // Where the other kernel of the program begins.
    let end = text.find(".entry multiply_subtract(").unwrap();
    let places: Vec<_> = text[..end].match_indices("madc.hi.cc.u32").map(|(at, _)| at).collect();
    assert!(places.len() > 100);
    assert_eq!((case.run)(&engine(Emulated::new(true).with_text(program, &text))), Ok(()));
    for at in places.into_iter().step_by(12) {
        let mut changed = text.clone();
        changed.replace_range(at..at + "madc.hi".len(), "madc.lo");
        let result = (case.run)(&engine(Emulated::new(true).with_text(program, &changed)));
        assert!(result.is_err(), "nobody has seen the change at {at}");
    }
}
