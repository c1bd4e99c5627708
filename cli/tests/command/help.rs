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

macro_rules! curves {
    ($($curve:path, $name:literal;)*) => {
        /// The names of all curves of the library, and the limbs of their points.
        const CURVES: &[(&str, usize)] = &[$(($name, size_of::<$curve>() / size_of::<u64>())),*];
    };
}
zkaccel::for_every_curve!(curves);

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        /// The names of all fields of the library that have transforms.
        const FIELDS: &[&str] = &[$($name),*];
    };
}
zkaccel::for_every_two_adic_field!(fields);

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
    for command in ["commit", "merkle", "ntt", "msm", "fft", "selftest", "bench", "groth16 prove"] {
        for text in help(command) {
            let devices =
                DeviceChoice::forms().into_iter().chain(Policy::ALL.map(|policy| policy.name().into()));
            for name in devices.chain([DeviceChoice::VARIABLE.into()]) {
                assert!(names_it(&text, &name), "{command}: {name} is not in {text:?}");
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

#[test]
fn every_curve_and_field() {
    assert!(CURVES.len() >= 10 && FIELDS.len() >= 5);
    let whole = |name: &str| names_it(name, "g1") || names_it(name, "g2");
    let family = |name: &'static str| if whole(name) { name.rsplit_once('-').unwrap().0 } else { name };
    for text in help("").into_iter().chain(help("groth16")) {
        assert!(!text.contains("the curve BN254."), "{text}");
    }
    for text in help("") {
        let (_, curves) = text.split_once(" and the curves ").expect(&text);
        let curves = curves.split_once(" Usage").map_or(curves, |(curves, _)| curves);
        for (name, _) in CURVES {
            assert!(names_it(curves, family(name)), "{name} is not in {curves:?}");
        }
    }
    for text in ["msm", "bench", "mpi msm"].into_iter().flat_map(help) {
        for (name, _) in CURVES {
            assert!(names_it(&text, name), "{name} is not in {text:?}");
        }
        let (_, groups) = text.split_once("The curve of the bases; of ").expect(&text);
        let (groups, _) = groups.split_once(" it is the group g1").unwrap();
        for (name, _) in CURVES {
            assert_eq!(names_it(groups, family(name)), whole(name), "{name}: {groups:?}");
        }
    }
    // The shape of the bases for each.
    for text in ["msm", "mpi msm"].into_iter().flat_map(help) {
        for (name, limbs) in CURVES {
            let (_, shape) = text.split_once(&format!("(N, {limbs}) over ")).expect(&text);
            let curves = shape.split(';').next().unwrap();
            assert!(names_it(curves, name), "{name} is not in {curves:?}");
        }
    }
    for text in ["fft", "bench"].into_iter().flat_map(help) {
        for name in FIELDS {
            assert!(names_it(&text, name), "{name} is not in {text:?}");
        }
    }
    for text in help("groth16") {
        for pairing in zkaccel_groth16::AnyPairing::ALL {
            assert!(names_it(&text, pairing.name()), "{pairing:?}: {text}");
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

/// Every subcommand has its page, and man itself finds no fault with any, where there is one.
#[test]
fn manual() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("man1")).unwrap();
    bench.succeed("manual man1");
    let pages = bench.list("man1");
    for page in [
        "zkaccel.1",
        "zkaccel-groth16-prove.1",
        "zkaccel-commit.1",
        "zkaccel-tree.1",
        "zkaccel-bench.1",
        "zkaccel-selftest.1",
    ] {
        assert!(pages.iter().any(|name| name == page), "{page} is not in {pages:?}");
    }
    let commit = String::from_utf8(bench.read("man1/zkaccel-commit.1")).unwrap();
    for words in [".TH zkaccel-commit 1", "\\-\\-blowup", "\\-\\-quiet", HASHES[0]] {
        assert!(commit.contains(words), "{words} is not in {commit:?}");
    }
    bench.fail("manual none", "cannot write the manual into none");
    bench.fail("manual -", "expected a folder");
}

/// Completions name the subcommands, in the words of each shell; bash runs its own.
#[test]
fn completions() {
    let bench = Bench::new();
    for (shell, words) in
        [("bash", "complete -F _zkaccel"), ("zsh", "#compdef zkaccel"), ("fish", "complete -c zkaccel")]
    {
        let script = bench.succeed(&format!("completions {shell}"));
        assert!(script.contains(words) && script.contains("selftest"), "{shell}: {script}");
        bench.write(shell, script.as_bytes());
    }
    let script = "source ./bash; COMP_WORDS=(zkaccel commit --h) COMP_CWORD=2; _zkaccel zkaccel --h commit; echo ${COMPREPLY[@]}";
    let output = std::process::Command::new("bash")
        .args(["-c", script])
        .current_dir(bench.path("."))
        .output()
        .unwrap();
    let replies = String::from_utf8(output.stdout).unwrap();
    assert!(replies.contains("--hash") && replies.contains("--help"), "{replies:?} {:?}", output.stderr);
}
