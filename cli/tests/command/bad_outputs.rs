//! Results that cannot be written: nothing acceptable is left behind.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Output};

use crate::support::{Bench, assert_failure, npy};

/// Runs the command where no file may grow beyond some blocks: as on a full disk, writing fails half way.
fn run_on_a_full_disk(bench: &Bench, arguments: &str) -> Output {
    // Without the trap the signal would end the process instead of failing the write.
    let script = r#"trap '' XFSZ; ulimit -f 2; exec "$0" "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_zkaccel")]).args(arguments.split(' '));
    command.current_dir(bench.path(".")).output().unwrap()
}

#[test]
fn a_folder_under_a_file() {
    let bench = Bench::proved();
    let before = bench.list(".");
    bench.write("leaves.npy", &npy("(1, 4)", &[1; 4]));
    for (arguments, expected) in [
        (
            "commit trace.npy --out trace.npy/store",
            "cannot store a commitment in trace.npy/store: Not a directory",
        ),
        ("commit trace.npy --out trace.npy", "cannot store a commitment in trace.npy: File exists"),
        ("open store --rows 1 --out trace.npy/p.json", "cannot write trace.npy/p.json: Not a directory"),
        ("ntt trace.npy trace.npy/out.npy", "cannot write trace.npy/out.npy: Not a directory"),
        ("merkle leaves.npy --nodes trace.npy/n.npy", "cannot write trace.npy/n.npy: Not a directory"),
        ("bench ntt --sizes 1 --json trace.npy/b.json", "cannot write trace.npy/b.json: Not a directory"),
        ("ntt trace.npy none/out.npy", "cannot write none/out.npy: No such file"),
        ("open store --rows 1 --out store", "cannot write store: is a folder"),
        ("ntt trace.npy store", "cannot write store: is a folder"),
    ] {
        bench.fail(arguments, expected);
    }
    fs::remove_file(bench.path("leaves.npy")).unwrap();
    assert_eq!(bench.list("."), before);
}

/// What the command has not made stays as it is.
#[test]
fn a_folder_of_something_else() {
    let bench = Bench::stored();
    fs::create_dir(bench.path("mine")).unwrap();
    let refused = |expected: &str| {
        let before: Vec<_> =
            bench.list("mine").into_iter().map(|name| bench.read(&format!("mine/{name}"))).collect();
        bench.fail("commit trace.npy --out mine", expected);
        bench.fail("commit trace.npy --hash blake3 --out mine/", expected);
        let after: Vec<_> =
            bench.list("mine").into_iter().map(|name| bench.read(&format!("mine/{name}"))).collect();
        assert!(before == after, "{expected}");
    };
    for name in ["notes.txt", "extension.npy", "tree.bin", ".hidden", ".zkaccel-notes"] {
        bench.write(&format!("mine/{name}"), b"mine");
        refused(&format!("it holds {name:?} and no commitment, expected a new folder"));
        fs::remove_file(bench.path("mine").join(name)).unwrap();
    }
    for text in ["", "{}", "{\"format\": \"zkaccel-commitment-9\"}", "my commitments"] {
        bench.write("mine/commitment.json", text.as_bytes());
        refused("it holds something else than a commitment, expected a new folder");
    }
    // Nothing that is not understood: another version, and a link to nowhere.
    let description = String::from_utf8(bench.read("store/commitment.json")).unwrap();
    bench.write("mine/commitment.json", description.replace("commitment-1", "commitment-2").as_bytes());
    refused("the format is \"zkaccel-commitment-2\"");
    fs::remove_file(bench.path("mine/commitment.json")).unwrap();
    // An empty folder is fine, and so is one that holds a commitment.
    bench.succeed("commit trace.npy --out mine");
    bench.succeed("commit trace.npy --out mine");
    assert_eq!(bench.list("mine"), ["commitment.json", "extension.npy", "tree.bin"]);
}

#[test]
fn a_full_disk() {
    let bench = Bench::stored();
    bench.write("leaves.npy", &npy("(256, 4)", &[1; 1024]));
    bench.write("wide.npy", &npy("(64, 4)", &[1; 256]));
    bench.write("old.json", b"old");
    bench.write("old.npy", b"old");
    let before = bench.list(".");
    let rows: Vec<_> = (0..128).map(|row| row.to_string()).collect();
    for (arguments, expected) in [
        (
            "commit trace.npy --out new/folder".to_owned(),
            "cannot store a commitment in new/folder: File too large",
        ),
        ("ntt wide.npy old.npy".into(), "cannot write"),
        ("ntt wide.npy new.npy".into(), "cannot write new.npy: File too large"),
        ("merkle leaves.npy --nodes new.npy".into(), "cannot write new.npy: File too large"),
        (
            format!("open store --rows {} --out new.json", rows.join(",")),
            "cannot write new.json: File too large",
        ),
        (format!("open store --rows {} --out old.json", rows.join(",")), "File too large"),
    ] {
        assert_failure(&run_on_a_full_disk(&bench, &arguments), 2, expected, &arguments);
        assert_eq!(bench.list("."), before, "{arguments}");
    }
    assert_eq!((bench.read("old.json"), bench.read("old.npy")), (b"old".to_vec(), b"old".to_vec()));
    // The old commitment is whole still.
    let output = run_on_a_full_disk(&bench, "commit trace.npy --hash blake3 --out store");
    assert_failure(&output, 2, "File too large", "over an old commitment");
    assert_eq!(bench.list("store"), ["commitment.json", "extension.npy", "tree.bin"]);
    bench.succeed("open store --rows 1 --out new.json");
}

#[test]
fn a_result_that_fails_to_compute_leaves_no_folder() {
    let bench = Bench::counting();
    bench.fail("commit trace.npy --out a/b/c --memory 4K", "the memory budget");
    assert_eq!(bench.list("."), ["trace.npy"]);
    // A folder that was there stays, with what it holds.
    fs::create_dir(bench.path("a")).unwrap();
    bench.write("a/note", b"mine");
    bench.fail("commit trace.npy --out a/b/c --memory 4K", "the memory budget");
    assert_eq!(bench.list("a"), ["note"]);
}

#[cfg(target_os = "linux")]
#[test]
fn streams_that_are_full() {
    let bench = Bench::stored();
    let full = "No space left on device";
    bench.fail("open store --rows 1 --out /dev/full", full);
    bench.fail("ntt trace.npy /dev/full", full);
    for arguments in ["devices", "commit trace.npy", "open store --rows 1", "selftest --json --only leaf"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zkaccel"));
        command.args(arguments.split(' ')).current_dir(bench.path("."));
        command.stdout(fs::File::options().write(true).open("/dev/full").unwrap());
        assert_failure(&command.output().unwrap(), 2, &format!("cannot write to stdout: {full}"), arguments);
    }
}

/// A device is written to, not replaced by a file.
#[test]
fn the_null_device_stays() {
    use std::os::unix::fs::FileTypeExt;
    let is_device = || fs::metadata("/dev/null").unwrap().file_type().is_char_device();
    assert!(is_device(), "this machine's /dev/null is no device");
    let bench = Bench::stored();
    bench.succeed("open store --rows 1 --out /dev/null");
    assert!(is_device());
}

#[test]
fn a_link_stays_a_link() {
    let bench = Bench::stored();
    bench.write("target.json", b"old");
    std::os::unix::fs::symlink("target.json", bench.path("link.json")).unwrap();
    bench.succeed("open store --rows 1 --out link.json");
    assert!(fs::symlink_metadata(bench.path("link.json")).unwrap().is_symlink());
    assert!(bench.read("target.json").starts_with(b"{"));
}
