//! What the tool says to arguments that it cannot use. With this, tests build the tool as well, which `.ci/run` then uses.

use std::process::Command;

fn refused(arguments: &[&str], expected: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_zkaccel-ptx")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("zkaccel-ptx: ") && stderr.contains(expected), "{stderr}");
}

#[test]
fn arguments_that_are_refused() {
    refused(&[], "usage: zkaccel-ptx make");
    refused(&["check"], "usage: zkaccel-ptx make");
    refused(&["make", "/nowhere/libnvrtc.so"], "/nowhere/libnvrtc.so");
}
