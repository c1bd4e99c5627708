//! Help texts list what there is.

use zkaccel::device::DeviceChoice;
use zkaccel::hash::Hasher;
use zkaccel::merkle::Approach;
use zkaccel::ntt::Convention;
use zkaccel::policy::Policy;

use crate::support::Bench;

macro_rules! names {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// The names of all hashes of the library.
        pub(crate) const HASHES: &[&str] = &[$(zkaccel::hash::$hash::NAME),*];
    };
}
zkaccel::for_every_hash!(names);

/// Every help text of a command, on one line.
fn help(command: &str) -> [String; 3] {
    let bench = Bench::new();
    [format!("help {command}"), format!("{command} --help"), format!("{command} -h")]
        .map(|arguments| bench.succeed(&arguments).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a name stands in a text by itself, and not as a part of a longer one.
fn names_it(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

#[test]
fn every_hash() {
    assert!(HASHES.len() >= 10);
    for command in ["commit", "merkle", "verify", "bench"] {
        for text in help(command) {
            for hash in HASHES {
                assert!(names_it(&text, hash), "{command}: {hash} is not in {text:?}");
            }
        }
    }
}

#[test]
fn every_device_convention_policy_and_approach() {
    for command in ["commit", "merkle", "ntt", "msm", "fft", "selftest", "bench"] {
        for text in help(command) {
            let devices = DeviceChoice::NAMES.into_iter().chain(Policy::ALL.map(Policy::name));
            for name in devices.chain(["ZKACCEL_DEVICE"]) {
                assert!(names_it(&text, name), "{command}: {name} is not in {text:?}");
            }
        }
    }
    for text in ["commit", "ntt"].into_iter().flat_map(help) {
        for name in Convention::ALL.map(Convention::name) {
            assert!(names_it(&text, name), "{name} is not in {text:?}");
        }
    }
    for text in ["commit", "merkle", "bench"].into_iter().flat_map(help) {
        for name in Approach::ALL.map(Approach::name) {
            assert!(names_it(&text, name), "{name} is not in {text:?}");
        }
    }
}

/// Where measurements are kept, and how to measure again.
#[test]
fn measurements() {
    let [text, ..] = help("devices");
    for words in ["$XDG_CACHE_HOME/zkaccel", "~/.cache/zkaccel", "--remeasure", ".curve"] {
        assert!(text.contains(words), "{words} is not in {text:?}");
    }
}
