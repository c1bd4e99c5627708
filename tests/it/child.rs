//! Tests that run a part of themselves in a process of its own: drivers read their environment once, and a process has one global
//! engine.

use std::path::Path;
use std::process::Command;

/// Runs one test, named with its module, in a process with another environment; it must succeed there. Returns what it printed.
pub(crate) fn elsewhere(test: &str, environment: &[(&str, &Path)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--include-ignored"])
        .env("ZKACCEL_TEST_CHILD", "1")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    text
}

/// Whether this process is one of those.
pub(crate) fn is_child() -> bool {
    std::env::var_os("ZKACCEL_TEST_CHILD").is_some()
}
