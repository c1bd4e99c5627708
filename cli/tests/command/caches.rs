//! Cost curves that are kept on disk: used, damaged, put elsewhere, forgotten.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::{Bench, npy};

/// A bench with leaves and a folder `caches` for caches.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("leaves.npy", &npy("(8, 4)", &(0..32).collect::<Vec<_>>()));
    fs::create_dir(bench.path("caches")).unwrap();
    bench
}

fn run(bench: &Bench, arguments: &str) -> Output {
    let arguments: Vec<_> = arguments.split(' ').collect();
    let mut command = bench.command(&arguments);
    // Other tests have the processors meanwhile.
    command.env("XDG_CACHE_HOME", bench.path("caches")).env("ZKACCEL_KEEP_CURVES", "1").output().unwrap()
}

/// Runs a command that measures; returns what it says on stderr.
fn measure(bench: &Bench) -> String {
    let output = run(bench, "merkle leaves.npy --device cpu,reference --json");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["root"], "b3abd58ac6c6ac48088f16ce56a62fce5b97734e87fd2ea1feb4753644889e88");
    stderr
}

fn curves(bench: &Bench) -> Vec<String> {
    bench.list("caches/zkaccel").into_iter().filter(|name| name.ends_with(".curve")).collect()
}

#[test]
fn curves_are_kept_and_forgotten() {
    let bench = bench();
    assert_eq!(measure(&bench), "");
    let kept = curves(&bench);
    assert!(!kept.is_empty());
    let contents = |name: &String| bench.read(&format!("caches/zkaccel/{name}"));
    let before: Vec<_> = kept.iter().map(contents).collect();
    assert_eq!(measure(&bench), "");
    assert!(before == kept.iter().map(contents).collect::<Vec<_>>(), "measured again");
    // What is no measurement stays.
    bench.write("caches/zkaccel/kernels.bin", b"kernels");
    let output = run(&bench, "devices --remeasure --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["forgotten"]["cost_curves"], kept.len());
    assert!(Path::new(report["forgotten"]["folder"].as_str().unwrap()) == bench.path("caches/zkaccel"));
    assert_eq!(bench.list("caches/zkaccel"), ["kernels.bin"]);
    let output = run(&bench, "devices --remeasure");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("cpu") && text.contains("removed 0 cost curves from "), "{text}");
    assert_eq!(measure(&bench), "");
    assert_eq!(curves(&bench), kept);
    assert!(run(&bench, "devices --json").stdout.windows(9).all(|window| window != b"forgotten"));
}

/// A damaged curve costs a warning and a measurement.
#[test]
fn damaged_curves() {
    let bench = bench();
    measure(&bench);
    let name = format!("caches/zkaccel/{}", curves(&bench)[0]);
    let whole = bench.read(&name);
    let huge = [&whole[..56], &f64::MAX.to_le_bytes(), &f64::MAX.to_le_bytes(), &whole[72..]].concat();
    let flipped = |at: usize| [&whole[..at], &[whole[at] ^ 0x40], &whole[at + 1..]].concat();
    for damaged in
        [huge, flipped(3), flipped(20), flipped(63), flipped(whole.len() - 1), Vec::new(), vec![0; 64]]
    {
        bench.write(&name, &damaged);
        let stderr = measure(&bench);
        assert!(
            stderr.starts_with("warning: the cache file ") && stderr.contains("it is damaged"),
            "{stderr:?}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert_eq!(measure(&bench), "", "the file is made again");
    }
}

#[cfg(unix)]
#[test]
fn links_and_folders_of_others() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = bench();
    measure(&bench);
    let folder = bench.path("caches/zkaccel");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&folder), 0o700);
    assert!(curves(&bench).iter().all(|name| mode(&folder.join(name)) == 0o600));

    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let stderr = measure(&bench);
    assert!(stderr.contains("is not used: other users can write it, its mode is 0777"), "{stderr}");
    let output = run(&bench, "devices --remeasure");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && stderr.contains("--remeasure: the cache folder"), "{stderr}");

    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    fs::rename(&folder, bench.path("elsewhere")).unwrap();
    symlink(bench.path("elsewhere"), &folder).unwrap();
    let before = bench.list("elsewhere");
    let stderr = measure(&bench);
    assert!(stderr.contains("is not used: it is a symbolic link"), "{stderr}");
    assert_eq!(bench.list("elsewhere"), before);
}
