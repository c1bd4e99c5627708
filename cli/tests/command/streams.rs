//! Pipes, and `-` for standard input and output.

use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{Bench, ROOT, assert_failure, npy, words};

/// Runs the command with bytes on its standard input.
fn feed(bench: &Bench, arguments: &str, input: &[u8]) -> Output {
    let arguments: Vec<_> = arguments.split(' ').collect();
    let mut command = bench.command(&arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // The command may have enough before the end.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

/// Runs a line of bash, in which `zkaccel` is the command; returns its stdout.
fn bash(bench: &Bench, line: &str) -> Vec<u8> {
    let mut command = Command::new("bash");
    let line = format!("set -euo pipefail; zkaccel() {{ \"$ZKACCEL\" \"$@\"; }}; {line}");
    command.args(["-c", &line]).env("ZKACCEL", env!("CARGO_BIN_EXE_zkaccel")).current_dir(bench.path("."));
    let output = command.env_remove("ZKACCEL_DEVICE").output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A pipe with a name.
pub(crate) fn fifo(bench: &Bench, name: &str) {
    assert!(Command::new("mkfifo").arg(bench.path(name)).status().unwrap().success());
}

#[test]
fn a_matrix_from_standard_input_to_standard_output() {
    let bench = Bench::counting();
    bench.succeed("ntt trace.npy expected.npy");
    let expected = bench.read("expected.npy");
    let before = bench.list(".");
    let output = feed(&bench, "ntt - -", &bench.read("trace.npy"));
    assert_eq!((output.status.code(), output.stdout == expected), (Some(0), true));
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(report.contains("16 rows x 5 columns in standard output"), "{report}");
    let output = bench.run("ntt trace.npy - --json");
    assert!(output.stdout == expected);
    let report: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(report["output"], "standard output");
    // Several in a row, and there is no file called `-`.
    let there_and_back = bash(&bench, "zkaccel ntt - - < trace.npy | zkaccel ntt --inverse - -");
    assert_eq!(words(&there_and_back), words(&bench.read("trace.npy")));
    assert_eq!(bench.list("."), before);
    // That is how a file of this name is called.
    bench.succeed("ntt trace.npy ./-");
    assert!(bench.read("-") == expected);
}

#[test]
fn every_command_reads_standard_input() {
    let bench = Bench::proved();
    let trace = bench.read("trace.npy");
    let output = feed(&bench, "commit - --out again", &trace);
    assert!(output.stdout.starts_with(format!("root        {ROOT}\n").as_bytes()), "{output:?}");
    assert_eq!(bench.list("again"), ["commitment.json", "extension.npy", "tree.bin"]);
    let output = feed(&bench, &format!("verify - --root {ROOT}"), &bench.read("proof.json"));
    assert!(output.stdout.starts_with(b"verified\n"), "{output:?}");
    let output = feed(&bench, &format!("verify - --root {ROOT}"), b"no proof");
    assert_failure(&output, 2, "standard input: is no proof: ", "no proof");

    let leaves = npy("(8, 4)", &(0..32).collect::<Vec<_>>());
    let output = feed(&bench, "merkle - --nodes -", &leaves);
    let (shape, nodes) = words(&output.stdout);
    assert_eq!((shape, nodes[..4] == [0; 4]), (vec![8, 4], true));
    bench.write("leaves.npy", &leaves);
    bench.succeed("merkle leaves.npy --nodes nodes.npy");
    assert!(output.stdout == bench.read("nodes.npy"));

    let scalars = npy("(2, 4)", &[1, 0, 0, 0, 2, 0, 0, 0]);
    bench.write("scalars.npy", &scalars);
    bench.succeed("fft scalars.npy values.npy --canonical");
    let output = feed(&bench, "fft - - --canonical", &scalars);
    assert!(output.stdout == bench.read("values.npy"));
    // The generator (1, 2).
    bench.write("bases.npy", &npy("(2, 8)", &[1, 0, 0, 0, 2, 0, 0, 0].repeat(2)));
    let expected = bench.json("msm --scalars scalars.npy --bases bases.npy --canonical")["x"].clone();
    let output = feed(&bench, "msm --scalars - --bases bases.npy --canonical --json", &scalars);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(expected.is_string() && report["x"] == expected);
    let twice = "--scalars and --bases: both are - (standard input)";
    bench.fail("msm --scalars - --bases - --canonical", twice);
}

#[test]
fn a_proof_and_measurements_to_standard_output() {
    let bench = Bench::proved();
    let output = bench.run("open store --rows 3,77 --out -");
    assert!(output.stdout == bench.read("proof.json"));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("opened 2 rows in standard output"));
    let report: Value = serde_json::from_str(&bench.succeed("bench ntt --sizes 2 --json -")).unwrap();
    assert_eq!(report["measurements"].as_array().unwrap().len(), 1);
}

#[test]
fn a_commitment_is_a_folder() {
    let bench = Bench::stored();
    let before = bench.list(".");
    bench.fail("commit trace.npy --out -", "--out: found - (standard input or output), expected a folder");
    bench.fail("open - --rows 3", "DIR: found - (standard input or output), expected a folder");
    assert_eq!(bench.list("."), before);
}

#[test]
fn pipes_with_names_and_without() {
    let bench = Bench::counting();
    bench.succeed("ntt trace.npy expected.npy");
    let expected = bench.read("expected.npy");
    fifo(&bench, "in");
    fifo(&bench, "out");
    let stdout = bash(&bench, "cat trace.npy > in & zkaccel ntt in out > report & cat out; wait");
    assert!(stdout == expected);
    assert!(bench.read("report").starts_with(b"transform   forward"));
    assert!(bash(&bench, "zkaccel ntt <(cat trace.npy) >(cat) > report | cat") == expected);
    let root = bash(&bench, "zkaccel commit <(cat trace.npy) | head -n 1");
    assert_eq!(String::from_utf8(root).unwrap(), format!("root        {ROOT}\n"));
    // The pipes are still pipes.
    use std::os::unix::fs::FileTypeExt;
    assert!(["in", "out"].iter().all(|name| fs::metadata(bench.path(name)).unwrap().file_type().is_fifo()));
}

#[test]
fn streams_that_are_no_matrix() {
    let bench = Bench::new();
    let whole = npy("(8, 4)", &(0..32).collect::<Vec<_>>());
    let data = whole.len() - 256;
    let claims = |rows: u64, columns: u64| npy(&format!("({rows}, {columns})"), &[]);
    for (input, expected) in [
        (vec![], "standard input: found a file of 0 bytes, expected a .npy file".to_owned()),
        (whole[..11].to_vec(), "found a file of 11 bytes, expected a .npy file".into()),
        (whole[..40].to_vec(), "the file ends within its header, after 40 bytes".into()),
        (whole[..data].to_vec(), "the shape (8, 4) calls for 256 bytes of data, found 0".into()),
        (whole[..data + 255].to_vec(), "calls for 256 bytes of data, found 255".into()),
        ([&whole[..], b"x"].concat(), "calls for 256 bytes of data, found more".into()),
        (b"PK\x03\x04 is an archive".to_vec(), "the file begins with PK".into()),
        (claims(1 << 28, 4), "needs 8589934592 bytes of host memory, expected at most 1048576".into()),
        (claims(1 << 13, 4), "calls for 262144 bytes of data, found 0".into()),
        (claims(1 << 62, 4), "has more entries than any file".into()),
    ] {
        for command in ["commit - --out made", "ntt - out.npy", "merkle - --nodes nodes.npy"] {
            let output = feed(&bench, &format!("{command} --memory 1M"), &input);
            assert_failure(&output, 2, &expected, command);
            assert!(bench.list(".").is_empty(), "{command}");
        }
    }
    let output = bench.run("ntt - out.npy");
    assert_failure(&output, 2, "standard input: found a file of 0 bytes", "the null device");
}

/// A reader that has enough is no error.
#[test]
fn a_reader_that_goes_away() {
    let bench = Bench::new();
    bench.write("in.npy", &npy("(65536, 2)", &vec![7; 1 << 17]));
    let output = bash(&bench, "zkaccel ntt in.npy - 2> report | head -c 6");
    assert_eq!(output, b"\x93NUMPY");
    assert!(bench.read("report").starts_with(b"transform   forward"));
}

/// Nothing but results and errors is written where nobody looks on: the matrix arrives so slowly that a terminal would see progress.
#[test]
fn no_progress_in_a_pipe() {
    let bench = Bench::counting();
    fifo(&bench, "in");
    let child =
        bench.command(&["ntt", "in", "out.npy"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut writer = File::options().write(true).open(bench.path("in")).unwrap();
    let trace = bench.read("trace.npy");
    for piece in trace.chunks(trace.len() / 3 + 1) {
        writer.write_all(piece).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(600));
    }
    drop(writer);
    let output = child.unwrap().wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(output.stdout.starts_with(b"transform   forward"));
}
