//! Devices that the environment names.

use serde_json::Value;

use crate::support::{Bench, ROOT, assert_failure};

const DEVICE: &str = "ZKACCEL_DEVICE";
const AUTO_DEVICE: &str = "ZKACCEL_AUTO_DEVICE";

#[test]
fn the_device_is_that_of_the_option_or_else_of_the_environment() {
    let bench = Bench::counting();
    let device = |name: &str, options: &[&str]| {
        let arguments = [&["commit", "trace.npy", "--json"], options].concat();
        let output = bench.command(&arguments).env(DEVICE, name).output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{name}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["root"], ROOT);
        let of = |key: &str| report["device"][key].as_str().unwrap().to_owned();
        (of("id"), of("reason"))
    };
    assert_eq!(device("reference", &[]), ("reference".into(), "asked for by ZKACCEL_DEVICE".into()));
    assert_eq!(device("cpu", &[]).0, "cpu");
    assert_eq!(device("cpu,reference", &[]).0, "cpu,reference");
    let (id, reason) = device("reference", &["--device", "cpu"]);
    assert_eq!((id.as_str(), reason.as_str()), ("cpu", "asked for"));
    // An option makes the variable as good as absent, whatever it holds; an empty one is absent.
    assert_eq!(device("abacus", &["--device", "cpu"]).0, "cpu");
    assert!(device("", &[]).1.contains("auto"));
    assert!(device("auto", &[]).1.contains("auto"));
    assert!(device("reference", &["--device", "auto"]).1.contains("auto"));
}

#[test]
fn errors_name_the_variable() {
    let bench = Bench::counting();
    bench.write("leaves.npy", &crate::support::npy("(1, 4)", &[1; 4]));
    for (variable, value, options, expected) in [
        (DEVICE, "abacus", "", "unknown device (ZKACCEL_DEVICE) \"abacus\", expected one of auto, cpu"),
        (DEVICE, "opencl:99", "", "device opencl:99 is missing: "),
        (DEVICE, "opencl:99", "", "(ZKACCEL_DEVICE names it); available: cpu"),
        (DEVICE, "cpu,cpu", "", "cpu is listed twice (ZKACCEL_DEVICE names them)"),
        (DEVICE, "cpu", "--policy require-gpu", " (ZKACCEL_DEVICE names it)"),
        (
            AUTO_DEVICE,
            "abacus",
            "",
            "unknown device (ZKACCEL_AUTO_DEVICE) \"abacus\", expected one of auto, cpu",
        ),
        (AUTO_DEVICE, "opencl:99", "", "(ZKACCEL_AUTO_DEVICE names it); available: cpu"),
        (AUTO_DEVICE, "opencl:99", "--policy require-gpu", "(ZKACCEL_AUTO_DEVICE names it); available: cpu"),
    ] {
        for command in ["commit trace.npy", "merkle leaves.npy", "ntt trace.npy out.npy"] {
            let line = format!("{command} {options}");
            let arguments: Vec<_> = line.split_whitespace().collect();
            let output = bench.command(&arguments).env(variable, value).output().unwrap();
            assert_failure(&output, 2, expected, &line);
        }
    }
    // An error about an option does not name a variable.
    let arguments = ["commit", "trace.npy", "--device", "opencl:99"];
    let output = bench.command(&arguments).env(DEVICE, "opencl:99").output().unwrap();
    assert!(!String::from_utf8(output.stderr).unwrap().contains(DEVICE));
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::counting();
    let name = std::ffi::OsStr::from_bytes(b"cpu\xff");
    for variable in [DEVICE, AUTO_DEVICE] {
        let output = bench.command(&["commit", "trace.npy"]).env(variable, name).output().unwrap();
        assert_failure(&output, 2, &format!("unknown device ({variable}) \"cpu\u{fffd}\""), variable);
    }
}
