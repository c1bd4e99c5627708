//! What the dispatcher's own files may not name.

use std::fs;
use std::path::Path;

/// Beginnings of the names of fields, curves, hashes and operations.
const FOREIGN: [&str; 25] = [
    "goldilocks",
    "bn254",
    "bls12",
    "bw6",
    "grumpkin",
    "pallas",
    "vesta",
    "rescue",
    "rp64",
    "poseidon",
    "blake",
    "keccak",
    "sha2",
    "sha3",
    "ntt",
    "fft",
    "lde",
    "msm",
    "transform",
    "merkle",
    "commit",
    "invert",
    "combination",
    "lookup",
    "sparse",
];

/// The lines of production code in which a word begins with one of these, with their numbers.
fn lines_that_name<'a>(text: &'a str, names: &[&str]) -> Vec<(usize, &'a str)> {
    let production = text.split("\n#[cfg(test)]\nmod tests {").next().expect("a first piece");
    let lines = production.lines().enumerate().map(|(index, line)| (index + 1, line));
    let foreign = |line: &str| {
        let line = line.to_lowercase();
        let mut words = line.split(|c: char| !c.is_alphanumeric());
        words.any(|word| names.iter().any(|name| word.starts_with(name)))
    };
    lines.filter(|(_, line)| foreign(line)).collect()
}

#[test]
fn the_dispatcher_names_no_operation_field_curve_or_hash() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dispatch");
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() || path.ends_with("fake.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(lines_that_name(&text, &FOREIGN), [], "{}", path.display());
        read += 1;
    }
    assert!(read >= 9, "only {read} files");
    let text = "let a = Fold;\nuse crate::ntt::Domain;\n#[cfg(test)]\nmod tests {\n    use crate::msm;\n}\n";
    assert_eq!(lines_that_name(text, &FOREIGN), [(2, "use crate::ntt::Domain;")]);
}
