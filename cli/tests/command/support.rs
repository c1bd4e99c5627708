//! Running the command in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The root of [`Bench::counting`] with all defaults.
pub(crate) const ROOT: &str = "762feef5db869ab155942e70f42b974e32a629a7fef821f058bd66523c6cb727";

pub(crate) const MODULUS: u64 = 0xffff_ffff_0000_0001;

/// A folder to run the command in; it vanishes with the test.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A bench with `trace.npy`: 16 rows, 5 columns, entry (i, j) = 5 i + j.
    pub(crate) fn counting() -> Self {
        let bench = Self::new();
        bench.write("trace.npy", &npy("(16, 5)", &(0..80).collect::<Vec<_>>()));
        bench
    }

    /// A bench with a stored commitment to the counting trace in `store`.
    pub(crate) fn stored() -> Self {
        let bench = Self::counting();
        bench.succeed("commit trace.npy --out store");
        bench
    }

    /// A bench with `proof.json` besides, for rows 3 and 77.
    pub(crate) fn proved() -> Self {
        let bench = Self::stored();
        bench.succeed("open store --rows 3,77 --out proof.json");
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names in a folder, sorted.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        list(&self.path(name))
    }

    /// Runs the command with arguments separated by blanks.
    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.run_list(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_list(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The command, to be run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zkaccel"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        // What the user's environment says of devices and caches is not tested.
        command.env_remove("ZKACCEL_DEVICE").env_remove("ZKACCEL_AUTO_DEVICE");
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command
    }

    /// Runs the command, which must end with status 0 and say nothing on stderr; returns stdout.
    pub(crate) fn succeed(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let stderr = without_compiler(&String::from_utf8(output.stderr).unwrap());
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{arguments}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the command with `--json`, which must succeed; returns the value.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.succeed(&format!("{arguments} --json"))).unwrap()
    }

    /// Runs the command, which must end with status 2 and one line that contains `expected`.
    pub(crate) fn fail(&self, arguments: &str, expected: &str) {
        assert_failure(&self.run(arguments), 2, expected, arguments);
    }
}

/// What was said on stderr, without the line that PoCL's compiler prints there when it compiles a kernel for the first time.
fn without_compiler(stderr: &str) -> String {
    let is_own = |line: &&str| !line.trim_end().ends_with("generated.");
    stderr.split_inclusive('\n').filter(is_own).collect()
}

pub(crate) fn list(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A status, nothing on stdout, and one line on stderr that begins with `error:` and contains `expected`.
pub(crate) fn assert_failure(output: &Output, status: i32, expected: &str, what: &str) {
    let stderr = without_compiler(&String::from_utf8(output.stderr.clone()).unwrap());
    assert_eq!(output.status.code(), Some(status), "{what}: {stderr}");
    assert!(output.stdout.is_empty(), "{what}: {}", String::from_utf8_lossy(&output.stdout));
    assert!(stderr.starts_with("error: ") && stderr.ends_with('\n'), "{what}: {stderr:?}");
    assert_eq!(stderr.lines().count(), 1, "{what}: {stderr:?}");
    assert!(stderr.contains(expected), "{what}: {stderr:?} does not contain {expected:?}");
    assert!(!stderr.contains("panicked"), "{what}: {stderr}");
}

/// Waits until something is so, for at most a minute.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !is_so() {
        assert!(start.elapsed().as_secs() < 60, "waited a minute for this: {what}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// The bytes of a `.npy` file of words.
pub(crate) fn npy(shape: &str, words: &[u64]) -> Vec<u8> {
    npy_with("'<u8'", "False", shape, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
}

/// The bytes of a `.npy` file with any dtype, order, shape and data.
pub(crate) fn npy_with(descr: &str, fortran_order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_of_header(
        &format!("{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {shape}, }}\n"),
        data,
    )
}

/// The bytes of a `.npy` file with any header.
pub(crate) fn npy_of_header(header: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap();
    [b"\x93NUMPY\x01\0", &length.to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// The words of a `.npy` file and its shape, read with another implementation of the format.
pub(crate) fn words(bytes: &[u8]) -> (Vec<u64>, Vec<u64>) {
    let file = npyz::NpyFile::new(bytes).unwrap();
    assert_eq!(file.order(), npyz::Order::C);
    let shape = file.shape().to_vec();
    (shape, file.into_vec().unwrap())
}
