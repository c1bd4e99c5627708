//! Progress on a terminal: bars with the time left, and nothing with `--quiet`.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::ptr;
use std::time::Duration;

use crate::streams::fifo;
use crate::support::Bench;

/// Both ends of a new terminal, ours and the command's.
fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (-1, -1);
    // SAFETY: two descriptors are written where they are asked for, and nothing else is read or written.
    let result =
        unsafe { libc::openpty(&mut ours, &mut theirs, ptr::null_mut(), ptr::null_mut(), ptr::null_mut()) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
    // Or the command would have our end as well, and the terminal no end.
    // SAFETY: the descriptor is open.
    assert_eq!(unsafe { libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC) }, 0);
    // SAFETY: both are open, and nobody else's.
    unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) }
}

/// What a command that succeeds shows on a terminal, which is its stderr, while it is fed.
fn shown(bench: &Bench, arguments: &str, feed: impl FnOnce()) -> String {
    let (mut ours, theirs) = terminal();
    let mut command = bench.command(&arguments.split_whitespace().collect::<Vec<_>>());
    command.env("TERM", "xterm").stdout(Stdio::null()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // Its end of the terminal is the child's alone.
    drop(command);
    let reader = std::thread::spawn(move || {
        let (mut text, mut piece) = (Vec::new(), [0; 4096]);
        // The end is an error on Linux.
        while let Ok(count @ 1..) = ours.read(&mut piece) {
            text.extend(&piece[..count]);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    feed();
    let status = child.wait().unwrap();
    let text = reader.join().unwrap();
    assert!(status.success(), "{arguments}: {text}");
    text
}

/// Has a file arrive through the pipe `in` in two halves, so slowly that a terminal sees progress.
fn slowly(bench: &Bench, bytes: &[u8]) {
    let mut writer = File::options().write(true).open(bench.path("in")).unwrap();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    writer.write_all(first).unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    writer.write_all(second).unwrap();
}

#[track_caller]
fn assert_shown(text: &str, expected: &[&str]) {
    for words in expected {
        assert!(text.contains(words), "{words} is not in {text:?}");
    }
}

#[test]
fn a_matrix_that_arrives_slowly() {
    let bench = Bench::counting();
    fifo(&bench, "in");
    let trace = bench.read("trace.npy");
    let text = shown(&bench, "ntt in out.npy", || slowly(&bench, &trace));
    assert_shown(&text, &["reading", " %", "/s", " left"]);
    assert_eq!(shown(&bench, "--quiet ntt in out.npy", || slowly(&bench, &trace)), "");
}

#[test]
fn a_key_that_arrives_slowly() {
    let bench = Bench::new();
    fifo(&bench, "in");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../groth16/tests/data/multiplier");
    let key = fs::read(data.join("circuit.zkey")).unwrap();
    bench.write("witness.wtns", &fs::read(data.join("witness.wtns")).unwrap());
    for command in ["groth16 inspect in", "groth16 prove in witness.wtns proof.json public.json"] {
        assert_shown(&shown(&bench, command, || slowly(&bench, &key)), &["reading the key"]);
        assert_eq!(shown(&bench, &format!("{command} -q"), || slowly(&bench, &key)), "", "{command}");
    }
}

#[test]
fn random_operations() {
    let bench = Bench::new();
    let command = "selftest --for 3s --device cpu --threads 2";
    assert_shown(&shown(&bench, command, || ()), &["random operations", " %", " left"]);
    assert_eq!(shown(&bench, &format!("{command} -q"), || ()), "");
}
