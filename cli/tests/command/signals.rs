//! Signals while the command writes: what is unfinished goes.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

use crate::support::{Bench, list, npy, wait_until};

/// A command whose signals have their default effects, whatever these tests were started with.
fn with_default_signals(mut command: Command) -> Command {
    let reset = || {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: signal(2) may be called between fork and exec, and touches no memory of this process.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the function allocates nothing and takes no lock.
    unsafe { command.pre_exec(reset) };
    command
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

/// A child that waits for the rest of its input, with its temporary files made, and what holds the input open.
fn waiting(bench: &Bench, arguments: &[&str], in_folder: &str) -> (Child, File) {
    assert!(Command::new("mkfifo").arg(bench.path("in")).status().unwrap().success());
    let mut command = with_default_signals(bench.command(arguments));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut writer = File::options().write(true).open(bench.path("in")).unwrap();
    let trace = npy("(16, 4)", &(0..64).collect::<Vec<_>>());
    writer.write_all(&trace[..trace.len() - 8]).unwrap();
    wait_until("a temporary file", || temporary(bench, in_folder) > 0);
    (child, writer)
}

/// How many temporary files a folder holds.
fn temporary(bench: &Bench, folder: &str) -> usize {
    names(bench, folder).len()
}

/// Their names.
fn names(bench: &Bench, folder: &str) -> Vec<String> {
    let path = bench.path(folder);
    let all = if path.is_dir() { list(&path) } else { Vec::new() };
    all.into_iter().filter(|name| name.starts_with(".zkaccel-")).collect()
}

const SIGNALS: [(&str, i32); 3] = [("INT", 2), ("TERM", 15), ("HUP", 1)];

#[test]
fn nothing_is_left_of_a_file() {
    for (name, number) in SIGNALS {
        for arguments in [&["ntt", "in", "out.npy"][..], &["merkle", "in", "--nodes", "out.npy"]] {
            let bench = Bench::new();
            bench.write("out.npy", b"old");
            let (child, _writer) = waiting(&bench, arguments, ".");
            send(&child, name);
            let output = child.wait_with_output().unwrap();
            // What a shell shows as 128 and the number of the signal.
            assert_eq!(output.status.signal(), Some(number), "{name}: {output:?}");
            assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{name}: {output:?}");
            assert_eq!(bench.list("."), ["in", "out.npy"], "{name}");
            assert_eq!(bench.read("out.npy"), b"old");
        }
    }
}

#[test]
fn nothing_is_left_of_a_store() {
    for (name, _) in SIGNALS {
        let bench = Bench::new();
        let (child, _writer) = waiting(&bench, &["commit", "in", "--out", "a/b/store"], "a/b/store");
        wait_until("three temporary files", || temporary(&bench, "a/b/store") == 3);
        send(&child, name);
        child.wait_with_output().unwrap();
        assert_eq!(bench.list("."), ["in"], "{name}");
    }
    // Folders that were there stay.
    let bench = Bench::new();
    fs::create_dir_all(bench.path("a/store")).unwrap();
    let (child, _writer) = waiting(&bench, &["commit", "in", "--out", "a/store"], "a/store");
    send(&child, "TERM");
    child.wait_with_output().unwrap();
    assert_eq!((bench.list("a"), bench.list("a/store").len()), (vec!["store".into()], 0));
}

/// The status is the one that shells and scripts know.
#[test]
fn the_status_in_a_shell() {
    for (name, number) in SIGNALS {
        let bench = Bench::new();
        assert!(Command::new("mkfifo").arg(bench.path("in")).status().unwrap().success());
        let script = "(echo $BASHPID > pid; exec \"$ZKACCEL\" ntt in out.npy); echo $?";
        let mut command = with_default_signals(Command::new("bash"));
        command.args(["-c", script]).env("ZKACCEL", env!("CARGO_BIN_EXE_zkaccel"));
        let child = command.current_dir(bench.path(".")).stdout(Stdio::piped()).spawn().unwrap();
        wait_until("the number of the process", || {
            fs::read(bench.path("pid")).is_ok_and(|pid| pid.ends_with(b"\n"))
        });
        // It has opened the pipe, so the command runs and not the shell that becomes it.
        let _writer = File::options().write(true).open(bench.path("in")).unwrap();
        let pid = String::from_utf8(bench.read("pid")).unwrap();
        assert!(Command::new("kill").args([&format!("-{name}"), pid.trim()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let status = String::from_utf8(output.stdout).unwrap();
        assert_eq!(status.trim().lines().last(), Some((128 + number).to_string().as_str()), "{name}");
    }
}

/// As under `nohup`.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let bench = Bench::new();
    assert!(Command::new("mkfifo").arg(bench.path("in")).status().unwrap().success());
    let mut command = with_default_signals(Command::new("bash"));
    command.args(["-c", "trap '' HUP; exec \"$ZKACCEL\" ntt in out.npy"]);
    command.env("ZKACCEL", env!("CARGO_BIN_EXE_zkaccel")).current_dir(bench.path("."));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut writer = File::options().write(true).open(bench.path("in")).unwrap();
    let trace = npy("(16, 4)", &(0..64).collect::<Vec<_>>());
    writer.write_all(&trace[..200]).unwrap();
    wait_until("a temporary file", || temporary(&bench, ".") == 1);
    send(&child, "HUP");
    writer.write_all(&trace[200..]).unwrap();
    drop(writer);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(bench.list("."), ["in", "out.npy"]);
}

/// A process that is killed cannot clean up; the next one that writes to the folder does, and leaves those alone that live.
#[test]
fn what_was_killed_is_removed_by_the_next() {
    let bench = Bench::counting();
    let (mut killed, _writer) = waiting(&bench, &["ntt", "in", "out.npy"], ".");
    send(&killed, "KILL");
    killed.wait().unwrap();
    let left_behind = names(&bench, ".");
    assert_eq!(left_behind.len(), 1);
    fs::remove_file(bench.path("in")).unwrap();
    let (mut alive, writer) = waiting(&bench, &["ntt", "in", "slow.npy"], ".");
    wait_until("the first one's file is gone", || {
        let names = names(&bench, ".");
        names.len() == 1 && names != left_behind
    });
    bench.succeed("ntt trace.npy other.npy");
    assert_eq!(temporary(&bench, "."), 1, "the file of a process that lives");
    drop(writer);
    assert_eq!(alive.wait().unwrap().code(), Some(2));
    assert_eq!(temporary(&bench, "."), 0);

    // A folder for a commitment too is as good as empty.
    fs::remove_file(bench.path("in")).unwrap();
    let (mut killed, _writer) = waiting(&bench, &["commit", "in", "--out", "store"], "store");
    wait_until("three temporary files", || temporary(&bench, "store") == 3);
    send(&killed, "KILL");
    killed.wait().unwrap();
    bench.succeed("commit trace.npy --out store");
    assert_eq!(bench.list("store"), ["commitment.json", "extension.npy", "tree.bin"]);
}

/// In the midst of writing: the process is stopped when a part of the file is there, and gets the signal then.
#[test]
fn in_the_midst_of_writing() {
    let bench = Bench::new();
    let rows = 1 << 22;
    bench.write("x.npy", &npy(&format!("({rows}, 2)"), &vec![1; 2 * rows]));
    for _ in 0..20 {
        let mut command = with_default_signals(bench.command(&["ntt", "x.npy", "y.npy", "--threads", "1"]));
        let child = command.stdout(Stdio::null()).spawn().unwrap();
        let size = || {
            let entries = fs::read_dir(bench.path(".")).unwrap().flatten();
            let mut temporary =
                entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".zkaccel-"));
            temporary.next().and_then(|entry| Some(entry.metadata().ok()?.len())).unwrap_or(0)
        };
        wait_until("the first bytes", || size() > 0 || bench.path("y.npy").exists());
        send(&child, "STOP");
        let written = size();
        send(&child, "TERM");
        send(&child, "CONT");
        let status = child.wait_with_output().unwrap().status;
        if written > 0 && written < 16 * rows as u64 {
            assert_eq!(status.signal(), Some(15));
            assert_eq!(bench.list("."), ["x.npy"]);
            return;
        }
        // It was faster than this test.
        let _ = fs::remove_file(bench.path("y.npy"));
    }
    panic!("the process was never stopped while it wrote");
}
