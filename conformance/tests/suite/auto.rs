//! The device `auto`, by cases of the suite, in processes with other environments.

use std::path::Path;

use zkaccel::device::DeviceChoice;
use zkaccel::{Engine, Error};
use zkaccel_conformance::turns::has_half;
use zkaccel_conformance::{Case, cases};

use crate::child::{elsewhere, is_child};
use crate::is_required;

/// Set where a few cases will do.
const SHORT: &str = "ZKACCEL_TEST_SHORT";

/// A case of the conformance suite for each operation.
const WEIGHED: [&str; 14] = [
    "rows, rp64_256",
    "trees, blake3",
    "commit, rp64_256",
    "transforms over goldilocks, batches",
    "transforms over goldilocks, low-degree extensions",
    "transforms over bn254-fr, forward and back",
    "inverses over goldilocks, sizes",
    "row programs over goldilocks, rows and offsets",
    "combinations over goldilocks, shapes and layouts",
    "prefix products over goldilocks, sizes and layouts",
    "lookups over goldilocks, sizes and layouts",
    "msm over bn254-g1, sizes around powers of two",
    "products over bn254-fr, sizes",
    "sparse products over bn254-fr, sizes",
];

#[test]
#[ignore = "runs in a process of its own"]
fn child_that_chooses() {
    if !is_child() {
        return;
    }
    if let Err(error) = Engine::builder().device(DeviceChoice::OpenCl(0)).build() {
        assert!(matches!(error, Error::DeviceMissing { .. }), "{error:?}");
        return;
    }
    let engine = Engine::builder().threads(2).build().unwrap();
    assert_eq!(engine.device().id, "auto");
    assert!(engine.device().description.contains("opencl:0"), "{}", engine.device().description);
    assert!(engine.device().reason.contains("auto"), "{}", engine.device().reason);
    let short = std::env::var_os(SHORT).is_some();
    // Both devices run all of them on their own: here a case for each operation that is weighed, and those of data that stay.
    let wanted = |case: &Case| match short {
        true => case.name == "transforms over goldilocks, batches" || case.name.starts_with("rows, rp64_256"),
        false => WEIGHED.contains(&case.name) || case.name.starts_with("on the device"),
    };
    let cases: Vec<_> = cases().into_iter().filter(wanted).collect();
    let is_there = |name: &&str| cases.iter().any(|case| case.name == *name);
    assert!(short || WEIGHED.iter().all(is_there), "names of cases that there are");
    for case in cases {
        (case.run)(&engine).unwrap_or_else(|failure| panic!("{}: {failure}", case.name));
    }
    let choices = engine.choices().unwrap();
    assert!(choices.on_cpu > 0, "a transform of one point starts faster on the CPU");
    let mut operations: Vec<_> = choices.last.iter().map(|choice| choice.operation).collect();
    operations.sort_unstable();
    let expected: &[_] = match short {
        true => &["ntt", "row hashing"],
        false => &[
            "combination of columns",
            "combination of rows",
            "commitment",
            "fft",
            "inversion",
            "lde",
            "merkle tree",
            "msm",
            "ntt",
            "permutation of lookups",
            "pointwise product",
            "prefix products",
            "row hashing",
            "row program",
            "sparse product",
        ],
    };
    assert_eq!(operations, expected);
    for choice in &choices.last {
        assert!(choice.chosen.1 <= choice.other.1, "{choice}");
    }
}

/// `auto` with a device to weigh: right answers whichever is chosen, the costs measured once and then read. Each process compiles the
/// kernels of what it measures: where the device has to be present.
#[test]
fn auto_weighs_the_device_that_the_environment_names() {
    if !is_required("opencl:0") || !has_half(0) {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let environment = [("XDG_CACHE_HOME", root.path()), ("ZKACCEL_AUTO_DEVICE", Path::new("opencl:0"))];
    elsewhere("auto::child_that_chooses", &environment);
    elsewhere("auto::child_that_chooses", &[&environment[..], &[(SHORT, Path::new("1"))]].concat());
}
