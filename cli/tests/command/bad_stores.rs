//! Stored commitments that were interrupted or damaged.

use std::fs::{self, File};

use serde_json::{Value, json};

use crate::support::Bench;

const OPEN: &str = "open store --rows 3,77 --out proof.json";

/// Opening must fail with this message and leave no proof.
fn refused(bench: &Bench, expected: &str) {
    bench.fail(OPEN, expected);
    assert_eq!(bench.list("."), ["store", "trace.npy"]);
    bench.fail("open store --rows 3,77", expected);
}

/// A store in which one file was changed.
fn damaged(name: &str, change: impl FnOnce(&mut Vec<u8>), expected: &str) {
    let bench = Bench::stored();
    let name = format!("store/{name}");
    let mut bytes = bench.read(&name);
    change(&mut bytes);
    bench.write(&name, &bytes);
    refused(&bench, expected);
}

fn described(change: impl FnOnce(&mut Value), expected: &str) {
    let edit = |bytes: &mut Vec<u8>| {
        let mut description = serde_json::from_slice(bytes).unwrap();
        change(&mut description);
        *bytes = serde_json::to_vec(&description).unwrap();
    };
    damaged("commitment.json", edit, expected);
}

#[test]
fn missing_files() {
    for (name, expected) in [
        ("commitment.json", "store holds no commitment"),
        ("extension.npy", "cannot open store/extension.npy: No such file"),
        ("tree.bin", "cannot open store/tree.bin: No such file"),
    ] {
        let bench = Bench::stored();
        fs::remove_file(bench.path("store").join(name)).unwrap();
        refused(&bench, expected);
    }
    Bench::new().fail("open none --rows 3", "none holds no commitment");
    Bench::counting()
        .fail("open trace.npy --rows 3", "cannot open trace.npy/commitment.json: Not a directory");
}

#[test]
fn truncated_files() {
    for (name, expected) in [
        ("extension.npy", "calls for 5120 bytes of data, found"),
        ("tree.bin", "store/tree.bin: a tree of 128 leaves has 8192 bytes, found"),
        ("commitment.json", "store/commitment.json: is no description of a commitment"),
    ] {
        for cut in [1, 100] {
            damaged(name, |bytes| bytes.truncate(bytes.len().saturating_sub(cut + 1)), expected);
        }
        damaged(name, Vec::clear, if name == "extension.npy" { "found a file of 0 bytes" } else { expected });
    }
    damaged("tree.bin", |bytes| bytes.push(0), "found 8193");
    damaged("extension.npy", |bytes| bytes.push(0), "found 5121");
}

#[test]
fn flipped_bytes() {
    let damage = "the commitment in store is damaged: what was read does not lead to its root";
    // Row 77, the sibling of row 3 (leaf 2), and heap position 3, which every path on the left needs.
    damaged("extension.npy", |bytes| bytes[128 + 77 * 40] ^= 1, damage);
    damaged("tree.bin", |bytes| bytes[32 + 129 * 32 + 1] ^= 1, damage);
    damaged("tree.bin", |bytes| bytes[0] ^= 1, "store/tree.bin: begins with");
    damaged("tree.bin", |bytes| bytes[8] ^= 1, "store/tree.bin: begins with");
    damaged("tree.bin", |bytes| bytes[24] ^= 1, "store/tree.bin: begins with");
    damaged("tree.bin", |bytes| bytes[32 + 129 * 32..][..8].fill(0xff), "store/tree.bin: word 0 is");
    damaged("extension.npy", |bytes| bytes[128 + 77 * 40..][..8].fill(0xff), damage);
    damaged("extension.npy", |bytes| bytes[0] ^= 1, "expected a .npy file");
}

#[test]
fn descriptions() {
    described(|d| d["root"] = json!("0".repeat(64)), "the commitment in store is damaged");
    described(|d| d["root"] = json!("0"), "the commitment in store is damaged");
    described(|d| d["hash"] = json!("blake3"), "store/tree.bin: begins with");
    described(|d| d["hash"] = json!("md5"), "unknown hash \"md5\"");
    described(
        |d| d["columns"] = json!(6),
        "the shape is (128, 5), expected (128, 6) as commitment.json says",
    );
    described(|d| d["columns"] = json!(0), "the shape is (128, 5), expected (128, 0)");
    described(|d| d["extension_rows"] = json!(64), "the extension has 64 rows, expected 128");
    described(|d| d["trace_rows"] = json!(15), "found 15, expected a power of two");
    described(|d| d["trace_rows"] = json!(1_u64 << 63), "a domain of 2^");
    described(|d| d["blowup"] = json!(3), "the blow-up factor is 3");
    described(|d| d["shift"] = json!("0"), "the coset shift is 0");
    described(|d| d["shift"] = json!(7), "is no description of a commitment: invalid type");
    described(|d| d["convention"] = json!("other"), "unknown root-of-unity convention");
    described(|d| d["format"] = json!("zkaccel-commitment-9"), "the format is \"zkaccel-commitment-9\"");
    described(|d| d["extra"] = json!(1), "unknown field `extra`");
    described(|d| drop(d.as_object_mut().unwrap().remove("root")), "missing field `root`");
    // Larger than the files are.
    described(
        |d| {
            d["trace_rows"] = json!(1 << 20);
            d["extension_rows"] = json!(1 << 23);
        },
        "the shape is (128, 5), expected (8388608, 5)",
    );
}

/// Files of two commitments do not mix.
#[test]
fn mixed_stores() {
    let bench = Bench::stored();
    bench.succeed("commit trace.npy --shift 11 --out other");
    for name in ["extension.npy", "tree.bin", "commitment.json"] {
        let kept = bench.read(&format!("store/{name}"));
        bench.write(&format!("store/{name}"), &bench.read(&format!("other/{name}")));
        bench.fail(OPEN, "the commitment in store is damaged");
        bench.write(&format!("store/{name}"), &kept);
    }
    bench.succeed(OPEN);
}

/// Huge files are not read: rows are found by their position.
#[test]
fn a_description_without_end() {
    let bench = Bench::stored();
    File::create(bench.path("store/commitment.json")).unwrap().set_len(1 << 34).unwrap();
    refused(&bench, "store/commitment.json: is no description of a commitment");
}
