//! Proofs that are malformed (status 2) or false (status 1).

use serde_json::{Value, json};

use crate::support::{Bench, MODULUS, ROOT, assert_failure};

/// Changes the sound proof and verifies it: status and a part of the message.
fn changed(change: impl FnOnce(&mut Value), status: i32, expected: &str) {
    let bench = Bench::proved();
    let mut proof = serde_json::from_slice(&bench.read("proof.json")).unwrap();
    change(&mut proof);
    let text = serde_json::to_vec(&proof).unwrap();
    bench.write("changed.json", &text);
    let output = bench.run(&format!("verify changed.json --root {ROOT}"));
    assert_failure(&output, status, expected, &String::from_utf8(text).unwrap());
}

fn malformed(change: impl FnOnce(&mut Value), expected: &str) {
    changed(change, 2, expected);
}

fn refuted(change: impl FnOnce(&mut Value)) {
    changed(change, 1, "changed.json: the opening does not verify");
}

#[test]
fn false_proofs() {
    refuted(|proof| proof["values"][0][0] = json!("1"));
    refuted(|proof| proof["siblings"][0] = json!("0".repeat(64)));
    refuted(|proof| proof["siblings"].as_array_mut().unwrap().swap(0, 1));
    refuted(|proof| proof["values"].as_array_mut().unwrap().swap(0, 1));
    refuted(|proof| proof["indices"] = json!([2, 77]));
    refuted(|proof| proof["indices"] = json!([3, 76]));
    refuted(|proof| proof["hash"] = json!("rp64_256_v2021"));
    refuted(|proof| proof["hash"] = json!("blake3"));
}

#[test]
fn another_root() {
    let bench = Bench::proved();
    let root = ROOT.replace("762f", "762e");
    let output = bench.run(&format!("verify proof.json --root {root}"));
    assert_failure(&output, 1, "proof.json: the opening does not verify", "another root");
}

/// A false proof is an answer like any other: a JSON object says so, and why.
#[test]
fn false_proofs_as_json() {
    let bench = Bench::proved();
    for (options, reason) in [
        (format!("--root {}", ROOT.replace("762f", "762e")), "the opening does not verify"),
        (format!("--root {ROOT} --expect-rows 64"), "an extension of 128 rows, expected 64"),
        (format!("--root {ROOT} --expect-hash blake3"), "for the hash rp64_256, expected blake3"),
    ] {
        let mut output = bench.run(&format!("verify proof.json --json {options}"));
        let report: Value = serde_json::from_slice(&std::mem::take(&mut output.stdout)).unwrap();
        assert_eq!(report["verified"], false, "{options}");
        assert!(report["reason"].as_str().unwrap().contains(reason), "{report}");
        assert_eq!((&report["rows"], &report["indices"]), (&json!(128), &json!([3, 77])));
        assert_failure(&output, 1, reason, &options);
    }
    // A malformed one has no answer.
    bench.write("text.json", b"no proof");
    bench.fail(&format!("verify text.json --json --root {ROOT}"), "text.json: is no proof");
}

#[test]
fn another_hash_than_the_verifier_knows() {
    let bench = Bench::proved();
    bench.succeed(&format!("verify proof.json --root {ROOT} --expect-hash rp64_256"));
    // The root of a tree over a byte hash need not be one of field elements.
    for root in [ROOT, &"f".repeat(64)] {
        let output = bench.run(&format!("verify proof.json --root {root} --expect-hash blake3"));
        assert_failure(&output, 1, "proof.json: the proof is for the hash rp64_256, expected blake3", root);
    }
    bench.fail(
        &format!("verify proof.json --root {} --expect-hash rp64_256", "f".repeat(64)),
        "--root: word 0",
    );
    bench.fail(
        &format!("verify proof.json --root {ROOT} --expect-hash md5"),
        "--expect-hash: unknown hash \"md5\"",
    );
    let mut proof: Value = serde_json::from_slice(&bench.read("proof.json")).unwrap();
    proof["values"][0][0] = json!("x");
    bench.write("malformed.json", &serde_json::to_vec(&proof).unwrap());
    bench.fail(
        &format!("verify malformed.json --root {ROOT} --expect-hash blake3"),
        "row 3, column 0: found \"x\"",
    );
}

#[test]
fn another_shape_than_the_verifier_knows() {
    let bench = Bench::proved();
    for (options, expected) in [
        ("--expect-rows 64", "the proof is for an extension of 128 rows, expected 64"),
        ("--expect-columns 8", "the proof is for an extension of 5 columns, expected 8"),
        ("--expect-rows 128 --expect-columns 4", "5 columns, expected 4"),
    ] {
        let output = bench.run(&format!("verify proof.json --root {ROOT} {options}"));
        assert_failure(&output, 1, expected, options);
    }
}

/// Of a trace of 8 columns, an inner node's children pass for a row of a smaller extension; a pinned shape refuses.
#[test]
fn an_inner_node_as_a_row_needs_the_shape_pinned() {
    let bench = Bench::proved();
    let tree = bench.read("store/tree.bin");
    // Heap positions 2 and 3 are the children of the root.
    let word = |i: usize| u64::from_le_bytes(tree[32 + 32 + 8 * i..][..8].try_into().unwrap()).to_string();
    let forged = json!({
        "format": "zkaccel-row-opening-1", "hash": "rp64_256", "rows": 1, "columns": 8, "indices": [0],
        "values": [(0..8).map(word).collect::<Vec<_>>()], "siblings": [],
    });
    bench.write("forged.json", &serde_json::to_vec(&forged).unwrap());
    bench.succeed(&format!("verify forged.json --root {ROOT}"));
    for options in ["--expect-rows 128", "--expect-columns 5"] {
        let output = bench.run(&format!("verify forged.json --root {ROOT} {options}"));
        assert_failure(&output, 1, "the proof is for an extension of", options);
    }
}

#[test]
fn not_json() {
    let bench = Bench::proved();
    let whole = bench.read("proof.json");
    let half = &whole[..whole.len() / 2];
    for text in
        [&b""[..], b"no proof", b"\xff\xfe\0", b"[]", b"3", b"null", half, &[&whole[..], b"}"].concat()]
    {
        bench.write("text.json", text);
        bench.fail(&format!("verify text.json --root {ROOT}"), "text.json: is no proof: ");
    }
    bench.write("deep.json", "[".repeat(1 << 20).as_bytes());
    bench.fail(&format!("verify deep.json --root {ROOT}"), "deep.json: is no proof: ");
    bench.fail(&format!("verify none.json --root {ROOT}"), "cannot open none.json: No such file");
}

#[test]
fn too_long() {
    let bench = Bench::new();
    // A hole in the file: it takes no room on the disk.
    std::fs::File::create(bench.path("long.json")).unwrap().set_len((1 << 28) + 1).unwrap();
    bench.fail(&format!("verify long.json --root {ROOT}"), "the file is longer than 268435456 bytes");
}

#[test]
fn fields() {
    for field in ["format", "hash", "rows", "columns", "indices", "values", "siblings"] {
        let remove = |proof: &mut Value| drop(proof.as_object_mut().unwrap().remove(field));
        malformed(remove, &format!("is no proof: missing field `{field}`"));
        malformed(|proof| proof[field] = Value::Null, "is no proof: invalid type: null");
    }
    malformed(|proof| proof["extra"] = json!(1), "is no proof: unknown field `extra`");
    malformed(
        |proof| proof["format"] = json!("zkaccel-row-opening-2"),
        "the format is \"zkaccel-row-opening-2\"",
    );
    malformed(|proof| proof["hash"] = json!("md5"), "unknown hash \"md5\", expected one of rp64_256");
}

#[test]
fn shapes() {
    malformed(|proof| proof["rows"] = json!(0), "found 0, expected a power of two");
    malformed(|proof| proof["rows"] = json!(100), "found 100, expected a power of two");
    malformed(|proof| proof["rows"] = json!(64), "index 77 is out of range, expected less than 64");
    malformed(|proof| proof["rows"] = json!(256), "siblings, expected");
    malformed(|proof| proof["rows"] = json!(1_u64 << 63), "siblings, expected");
    malformed(|proof| proof["rows"] = json!(-1), "is no proof: invalid value");
    malformed(|proof| proof["rows"] = json!(1.5), "is no proof: invalid type");
    malformed(|proof| proof["columns"] = json!(0), "columns: found 0, expected at least 1");
    malformed(|proof| proof["columns"] = json!(6), "entries of an opened row: expected 6, found 5");
}

#[test]
fn no_columns_at_all() {
    malformed(
        |proof| {
            proof["columns"] = json!(0);
            proof["values"] = json!([[], []]);
        },
        "columns: found 0, expected at least 1",
    );
}

#[test]
fn siblings() {
    let siblings = |proof: &mut Value| proof["siblings"].as_array_mut().unwrap().len();
    let bench = Bench::proved();
    let count = siblings(&mut serde_json::from_slice(&bench.read("proof.json")).unwrap());
    let message = |found| format!("the opening holds {found} siblings, expected {count}");
    malformed(|proof| drop(proof["siblings"].as_array_mut().unwrap().pop()), &message(count - 1));
    malformed(
        |proof| proof["siblings"].as_array_mut().unwrap().push(json!("0".repeat(64))),
        &message(count + 1),
    );
    malformed(|proof| proof["siblings"] = json!([]), &message(0));
    for digits in [63, 65, 0, 100_000] {
        let text = "0".repeat(digits);
        malformed(|proof| proof["siblings"][2] = json!(text), "sibling 2: ");
    }
    malformed(|proof| proof["siblings"][1] = json!("\u{1b}[2J\n\n"), "sibling 1: ");
    malformed(
        |proof| proof["siblings"][0] = json!("f".repeat(64)),
        "sibling 0: word 0 is 18446744073709551615",
    );
    malformed(
        |proof| proof["siblings"][0] = json!(3),
        "is no proof: invalid type: integer `3`, expected a string",
    );
}

#[test]
fn values() {
    for value in [MODULUS, MODULUS + 1, u64::MAX] {
        let expected = format!("row 77, column 4: found {value}, expected a field element below {MODULUS}");
        malformed(|proof| proof["values"][1][4] = json!(value.to_string()), &expected);
    }
    for text in ["", "-1", "+1", " 1", "1e3", "0x10", "18446744073709551616"] {
        malformed(|proof| proof["values"][0][1] = json!(text), "row 3, column 1: found ");
    }
    malformed(|proof| proof["values"][0][1] = json!("01"), "expected a decimal number without leading zeros");
    malformed(|proof| proof["values"][0][1] = json!(1), "expected a string");
    malformed(
        |proof| drop(proof["values"].as_array_mut().unwrap().pop()),
        "rows of values: expected 2, found 1",
    );
    malformed(|proof| drop(proof["values"][0].as_array_mut().unwrap().pop()), "expected 5, found 4");
    malformed(|proof| proof["values"] = json!([]), "rows of values: expected 2, found 0");
}

#[test]
fn indices() {
    malformed(
        |proof| proof["indices"] = json!([77, 3]),
        "index 3 stands after 77, expected ascending indices",
    );
    malformed(|proof| proof["indices"] = json!([3, 3]), "index 3 was given twice");
    malformed(
        |proof| proof["indices"] = json!([3, 128]),
        "index 128 is out of range, expected less than 128",
    );
    malformed(|proof| proof["indices"] = json!([3, u64::MAX]), "is out of range, expected less than 128");
    malformed(|proof| proof["indices"] = json!([3]), "rows of values: expected 1, found 2");
    malformed(|proof| proof["indices"] = json!([3, -1]), "is no proof: invalid value");
    malformed(
        |proof| {
            proof["indices"] = json!([]);
            proof["values"] = json!([]);
        },
        "no index was given",
    );
}
