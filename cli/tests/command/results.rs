//! What each command answers, against known answers.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::help::HASHES;
use crate::support::{Bench, ROOT, npy, words};

const PLONKY3_ROOT: &str = "d3ebb55201cb5799c48aa494c164e6102ecded56ad292545bc568c0c2a17b67e";

/// The transform of 1..8, winterfell convention.
const TRANSFORM: [u64; 8] = [
    36,
    18445613771394122749,
    18445618169507741693,
    1121501793223676,
    18446744069414584317,
    18445622567621360637,
    1125899906842620,
    1130298020461564,
];

#[test]
fn devices() {
    let bench = Bench::new();
    assert!(bench.succeed("devices").starts_with("cpu"));
    let devices = bench.json("devices");
    assert_eq!(devices["devices"][0]["id"], "cpu");
    assert!(devices["devices"][0]["units"].as_u64().unwrap() > 0);
}

#[test]
fn commit_known_answers() {
    let bench = Bench::counting();
    assert!(bench.succeed("commit trace.npy").starts_with(&format!("root        {ROOT}\n")));
    for (options, root) in [
        ("", ROOT),
        ("--convention winterfell --shift 7 --blowup 8 --hash rp64_256", ROOT),
        ("--device reference", ROOT),
        ("--device cpu --threads 3 --memory 1M", ROOT),
        ("--convention plonky3", PLONKY3_ROOT),
        ("--convention plonky3 --device reference", PLONKY3_ROOT),
    ] {
        let report = bench.json(&format!("commit trace.npy {options}"));
        assert_eq!(report["root"], root, "{options}");
        assert_eq!(report["extension_rows"], 128);
    }
    assert_eq!(bench.list("."), ["trace.npy"]);
}

#[test]
fn commit_reports_device_and_stages() {
    let bench = Bench::counting();
    let report = bench.json("commit trace.npy --threads 2 --out a/b");
    assert_eq!((&report["device"]["id"], &report["device"]["threads"]), (&json!("cpu"), &json!(2)));
    assert!(report["device"]["reason"].as_str().unwrap().contains("auto"));
    let stages: Vec<_> = report["stages"].as_array().unwrap().iter().map(|stage| &stage["stage"]).collect();
    assert_eq!(stages, ["reading", "low-degree extension", "hashing rows", "Merkle tree", "writing"]);
    assert_eq!(bench.list("a/b"), ["commitment.json", "extension.npy", "tree.bin"]);
}

#[test]
fn a_header_in_another_style_is_the_same_trace() {
    let bench = Bench::counting();
    let data: Vec<u8> = (0..80_u64).flat_map(u64::to_le_bytes).collect();
    let header = br#"{"shape":(16,5),"fortran_order":False,"descr":"<u8"}      "#;
    let long = u32::try_from(header.len()).unwrap().to_le_bytes();
    bench.write("v2.npy", &[b"\x93NUMPY\x02\0", &long[..], header, &data].concat());
    assert_eq!(bench.json("commit v2.npy")["root"], ROOT);
}

#[test]
fn open_and_verify() {
    for hash in ["rp64_256", "rp64_256_v2021", "blake3", "rpx256", "poseidon2_8", "keccak256", "sha3_256"] {
        let bench = Bench::counting();
        let committed = bench.json(&format!("commit trace.npy --hash {hash} --out store"));
        let root = committed["root"].as_str().unwrap();
        assert_eq!(
            serde_json::from_slice::<Value>(&bench.read("store/commitment.json")).unwrap()["root"],
            root
        );

        let opened = bench.json("open store --rows 77,3 --out proof.json");
        assert_eq!((&opened["rows"], &opened["root"]), (&json!([3, 77]), &json!(root)));
        let proof: Value = serde_json::from_slice(&bench.read("proof.json")).unwrap();
        assert_eq!(proof["format"], "zkaccel-row-opening-1");
        assert_eq!((&proof["rows"], &proof["columns"]), (&json!(128), &json!(5)));
        // The file and stdout are the same proof.
        assert_eq!(bench.succeed("open store --rows 3,77").as_bytes(), bench.read("proof.json"));

        // The rows are those of the extension.
        let (shape, extension) = words(&bench.read("store/extension.npy"));
        assert_eq!(shape, [128, 5]);
        let row: Vec<_> = extension[77 * 5..78 * 5].iter().map(u64::to_string).collect();
        assert_eq!(proof["values"][1], json!(row));

        let text = bench.succeed(&format!("verify proof.json --root {root}"));
        let options = "--expect-hash, --expect-rows, --expect-columns";
        assert!(text.starts_with("verified\n") && text.contains(options), "{text}");
        let pinned = format!(
            "verify proof.json --root {root} --expect-hash {hash} --expect-rows 128 --expect-columns 5"
        );
        assert!(!bench.succeed(&pinned).contains("note"));
        assert_eq!(bench.json(&pinned)["verified"], true);
    }
}

#[test]
fn every_row_opens() {
    let bench = Bench::stored();
    let all: Vec<_> = (0..128).map(|row| row.to_string()).collect();
    for rows in [all.join(","), "0".into(), "127".into(), "64,65".into()] {
        bench.succeed(&format!("open store --rows {rows} --out proof.json"));
        bench.succeed(&format!("verify proof.json --root {ROOT}"));
    }
}

#[test]
fn a_commitment_replaces_an_older_one() {
    let bench = Bench::stored();
    bench.write("store/notes.txt", b"mine");
    let root = bench.json("commit trace.npy --hash blake3 --blowup 4 --out store")["root"].clone();
    assert_eq!(bench.list("store"), ["commitment.json", "extension.npy", "notes.txt", "tree.bin"]);
    assert_eq!(bench.json("open store --rows 63 --out p.json")["root"], root);
}

#[test]
fn merkle_known_answers() {
    let bench = Bench::new();
    bench.write("leaves.npy", &npy("(8, 4)", &(0..32).collect::<Vec<_>>()));
    let root = "b3abd58ac6c6ac48088f16ce56a62fce5b97734e87fd2ea1feb4753644889e88";
    for device in ["auto", "cpu", "reference"] {
        let report = bench.json(&format!("merkle leaves.npy --device {device} --nodes nodes.npy"));
        assert_eq!((&report["root"], &report["leaves"]), (&json!(root), &json!(8)));
        let (shape, nodes) = words(&bench.read("nodes.npy"));
        assert_eq!((shape, &nodes[..4]), (vec![8, 4], &[0; 4][..]));
        let hex: String =
            nodes[4..8].iter().flat_map(|word| word.to_le_bytes()).map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, root);
    }
    // Several devices: what was done is somebody's, once; and each is told of.
    let report = bench.json("merkle leaves.npy --device cpu,reference");
    assert_eq!((&report["root"], &report["device"]["id"]), (&json!(root), &json!("cpu,reference")));
    let work = report["device"]["work"].as_array().unwrap();
    let devices: Vec<_> = work.iter().map(|work| work["device"].as_str().unwrap()).collect();
    assert_eq!(devices, ["cpu", "reference"]);
    let operations = work.iter().flat_map(|work| work["operations"].as_array().unwrap());
    let leaves = operations.map(|line| (line["operation"] == "merkle tree", line["items"].as_u64().unwrap()));
    assert_eq!(leaves.collect::<Vec<_>>(), [(true, 8)]);
    let text = bench.succeed("merkle leaves.npy --device cpu --policy require-cpu");
    let line = "cpu: merkle tree once, 8 leaves, 256 bytes in, 224 out";
    assert!(text.contains(line), "{text}");
    // The 2021 function has its own known root; its first word is this one.
    let report = bench.json("merkle leaves.npy --hash rp64_256_v2021 --nodes nodes.npy");
    let (_, nodes) = words(&bench.read("nodes.npy"));
    assert_eq!(nodes[4], 1809693385655718465);
    assert_eq!(report["hash"], "rp64_256_v2021");
    assert!(bench.succeed("merkle leaves.npy").starts_with(&format!("root        {root}\n")));
}

#[test]
fn a_byte_hash_takes_any_word() {
    let bench = Bench::new();
    bench.write("leaves.npy", &npy("(1, 4)", &[u64::MAX; 4]));
    let report = bench.json("merkle leaves.npy --hash blake3");
    // A tree of one leaf is its own root.
    assert_eq!(report["root"], "f".repeat(64));
}

#[test]
fn ntt_known_answers() {
    let bench = Bench::new();
    let input: Vec<u64> = (1..=8).collect();
    let mut plonky3 = TRANSFORM;
    plonky3.swap(1, 5);
    plonky3.swap(3, 7);
    for (convention, expected) in [("winterfell", TRANSFORM), ("plonky3", plonky3)] {
        for device in ["cpu", "reference"] {
            bench.write("x.npy", &npy("(8, 1)", &input));
            let options = format!("--convention {convention} --device {device}");
            bench.succeed(&format!("ntt x.npy y.npy {options}"));
            assert_eq!(words(&bench.read("y.npy")), (vec![8, 1], expected.to_vec()));
            // In place, and back.
            bench.succeed(&format!("ntt y.npy y.npy --inverse {options}"));
            assert_eq!(words(&bench.read("y.npy")).1, input);
        }
    }
    assert_eq!(bench.list("."), ["x.npy", "y.npy"]);
}

#[test]
fn shifts_in_hexadecimal() {
    let bench = Bench::counting();
    for (decimal, hexadecimal) in
        [("11", "0xb"), ("18446744069414584320", "0xFFFFffff00000000"), ("7", "0x0007")]
    {
        bench.succeed(&format!("ntt trace.npy a.npy --shift {decimal}"));
        let report = bench.json(&format!("ntt trace.npy b.npy --shift {hexadecimal}"));
        assert_eq!((bench.read("a.npy"), &report["shift"]), (bench.read("b.npy"), &json!(decimal)));
        let root = |shift| bench.json(&format!("commit trace.npy --shift {shift}"))["root"].clone();
        assert_eq!(root(decimal), root(hexadecimal));
    }
}

#[test]
fn ntt_on_cosets_and_of_many_columns() {
    let bench = Bench::new();
    let input: Vec<u64> = (0..48).map(|i| i * i + 5).collect();
    bench.write("x.npy", &npy("(16, 3)", &input));
    bench.succeed("ntt x.npy y.npy --shift 11");
    bench.succeed("ntt y.npy z.npy --shift 11 --inverse");
    assert_eq!(words(&bench.read("z.npy")), (vec![16, 3], input));

    // An extension is an inverse transform, zero padding, and a transform on the coset.
    let report = bench.json("ntt x.npy extended.npy --blowup 2");
    assert_eq!((&report["rows"], &report["shift"]), (&json!(32), &json!("7")));
    bench.succeed("ntt x.npy coefficients.npy --inverse");
    let (_, mut padded) = words(&bench.read("coefficients.npy"));
    padded.resize(96, 0);
    bench.write("padded.npy", &npy("(32, 3)", &padded));
    bench.succeed("ntt padded.npy expected.npy --shift 7");
    assert_eq!(bench.read("extended.npy"), bench.read("expected.npy"));
}

#[test]
fn selftest() {
    let bench = Bench::new();
    let report = bench.json("selftest --device cpu --only refused");
    assert_eq!(report["failed"], 0);
    assert!(report["passed"].as_u64().unwrap() > 3);
    assert_eq!(report["cases"][0]["passed"], true);
    assert!(bench.succeed("selftest --only roots").contains("0 failed"));
    bench.fail("selftest --only nonsense", "no case has \"nonsense\" in its name, expected one of ");
}

#[test]
fn benchmarks() {
    let bench = Bench::new();
    let report = bench.json("bench --sizes 3..4 --threads 1");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["schema"], 1);
    assert_eq!(report["devices"][0]["units"], 1);
    let rows = report["measurements"].as_array().unwrap();
    // Trees of every hash, sums of three kinds of scalars, and the thirteen other operations, at two sizes.
    assert_eq!(rows.len(), 2 * (HASHES.len() + 3 + 13));
    for row in rows {
        assert!(row["runs"].as_u64().unwrap() >= 10, "{row}");
        let times = ["min", "lower_quartile", "median", "upper_quartile", "max"];
        let times = times.map(|name| row[format!("{name}_seconds")].as_f64().unwrap());
        assert!(times.is_sorted() && times[0] > 0.0, "{row}");
        assert!(row["rate"].as_f64().unwrap() > 0.0, "{row}");
    }
    let table = bench.succeed("bench ntt --sizes 2,4 --columns 3 --json bench.json");
    assert!(table.contains("2^2 ") && table.contains("2^4 ") && table.contains("elements/s"));
    let file: Value = serde_json::from_slice(&bench.read("bench.json")).unwrap();
    assert_eq!(file["measurements"].as_array().unwrap().len(), 2);
    assert_eq!(file["measurements"][1]["columns"], 3);
    let report = bench.json("bench lde --sizes 4 --columns 2 --blowup 16");
    let row = &report["measurements"][0];
    assert_eq!([&row["operation"], &row["columns"], &row["blowup"]], [&json!("lde"), &json!(2), &json!(16)]);
    let field = |arguments: &str| bench.json(arguments)["measurements"][0]["field"].clone();
    assert_eq!(field("bench fft --sizes 3 --field bls12-381"), "bls12-381-fr");
    assert_eq!(field("bench fft --sizes 3"), Value::Null);
    assert!(bench.succeed("bench commit --sizes 4 --blowup 2").contains("blow-up 2"));
    bench.fail("bench lde --sizes 4 --blowup 3 --json", "the blow-up factor is 3, expected a power of two");
    let over_g2 = bench.json("bench msm --sizes 5 --group g2");
    assert_eq!(over_g2["measurements"][0]["curve"], "bn254-g2");
    let sums = bench.json("bench msm --sizes 5");
    assert!(sums["measurements"][0].get("curve").is_none());
    let kinds: Vec<_> = sums["measurements"].as_array().unwrap().iter().map(|row| &row["scalars"]).collect();
    assert_eq!(kinds, ["uniform", "bytes", "bits"]);
    for kept in ["--tables", "--tables --keep-scalars", "--pinned"] {
        let sums = bench.json(&format!("bench msm --sizes 5 {kept}"));
        assert_eq!(sums["measurements"].as_array().unwrap().len(), 3);
    }
    let merkle = bench.json("bench merkle --hash blake3 --sizes 5");
    assert_eq!(merkle["measurements"].as_array().unwrap().len(), 1);
}

/// On the host there is one way to build a tree, and no time on a device apart; elsewhere every approach has a row with one.
#[test]
fn approaches() {
    let bench = Bench::new();
    let report = bench.json("bench merkle --sizes 3 --approach all");
    assert_eq!(report["measurements"].as_array().unwrap().len(), HASHES.len());
    assert!(report["measurements"][0].get("approach").is_none());
    assert!(report["measurements"][0].get("device_rate").is_none());
    if !std::env::var("ZKACCEL_REQUIRE").is_ok_and(|required| required.contains("opencl:0")) {
        return;
    }
    // One hash of those with approaches and one of the others, since a device compiles for each.
    let each = ["level", "group", "local", "auto"];
    let measured = |hash: &str| {
        let report =
            bench.json(&format!("bench merkle --sizes 6 --approach all --device opencl:0 --hash {hash}"));
        report["measurements"].as_array().unwrap().clone()
    };
    let rows = ["rp64_256", "blake3"].map(measured).concat();
    let approaches: Vec<_> = rows.iter().map(|row| row["approach"].as_str().unwrap_or("none")).collect();
    assert_eq!(approaches, [&each[..], &["none"]].concat());
    for row in rows {
        let [device, whole] =
            ["device_median_seconds", "median_seconds"].map(|name| row[name].as_f64().unwrap());
        assert!(0.0 < device && device <= whole && row["device_rate"].as_f64().unwrap() > 0.0, "{row}");
    }
    let bench = Bench::stored();
    let roots = each.map(|approach| {
        bench.json(&format!("commit trace.npy --device opencl:0 --approach {approach}"))["root"].clone()
    });
    assert!(roots.iter().all(|root| *root == roots[0]) && roots[0].is_string());
}

/// Whatever a device may spend: the same root, and the same store.
#[test]
fn device_memory() {
    let mut devices = vec!["cpu"];
    if std::env::var("ZKACCEL_REQUIRE").is_ok_and(|required| required.contains("opencl:0")) {
        devices.push("opencl:0");
    }
    let bench = Bench::stored();
    let root = bench.json("commit trace.npy")["root"].clone();
    for device in devices {
        for memory in ["16G", "4K", "0"] {
            let options = format!("--device {device} --device-memory {memory}");
            let report = bench.json(&format!("commit trace.npy --out again {options}"));
            assert_eq!(report["root"], root, "{options}");
            for file in ["extension.npy", "tree.bin"] {
                assert!(
                    bench.read(&format!("again/{file}")) == bench.read(&format!("store/{file}")),
                    "{options}"
                );
            }
        }
    }
}

#[test]
fn help_for_every_command() {
    let bench = Bench::new();
    for command in
        ["", "devices", "commit", "open", "verify", "merkle", "ntt", "msm", "fft", "selftest", "bench"]
    {
        assert!(bench.succeed(&format!("{command} --help")).contains("Usage: zkaccel"));
    }
    assert_eq!(bench.succeed("--version"), format!("zkaccel {}\n", env!("CARGO_PKG_VERSION")));
}

/// A reader that goes away is no error and no panic.
#[cfg(unix)]
#[test]
fn broken_pipe() {
    let bench = Bench::stored();
    for arguments in
        ["devices", "commit trace.npy", "open store --rows 1", "--help", "bench ntt --sizes 1,2,3"]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zkaccel"));
        command.args(arguments.split(' ')).current_dir(bench.path("."));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments}");
        assert!(output.stderr.is_empty(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn measurements_say_what_was_moved() {
    let bench = Bench::new();
    for (operation, words) in [
        // 4096 leaves in, 4095 nodes out; 3 columns in and out; and 3 columns in, twice as long out.
        ("merkle --hash blake3", 4 * (2 * 4096 - 1)),
        ("ntt --columns 3", 2 * 3 * 4096),
        ("ntt --columns 3 --pinned", 2 * 3 * 4096),
        ("lde --columns 3 --blowup 2", 3 * 3 * 4096),
        // Scalars in and out; scalars and bases in, one sum out.
        ("fft", 2 * 4 * 4096),
        ("msm", (4 + 8) * 4096 + 12),
        ("msm --pinned", (4 + 8) * 4096 + 12),
        // Three columns in, a digest out; elements in and out; two vectors in, one out; three columns in, one out.
        ("rows --columns 3 --hash blake3", (3 + 4) * 4096),
        ("invert", 2 * 4 * 4096),
        ("multiply", 3 * 4 * 4096),
        ("combine --columns 3", 4 * 4 * 4096),
        ("prefix --columns 3", 2 * 3 * 4 * 4096),
        // Eight columns in, one out; two and two; a vector in and out, and three entries for each row.
        ("program", 9 * 4 * 4096),
        ("lookup", 4 * 4 * 4096),
        ("sparse", (2 * 4 + 3) * 4096),
    ] {
        let report = bench.json(&format!("bench {operation} --sizes 12 --device cpu"));
        let row = &report["measurements"][0];
        let expected = 8.0 * f64::from(words) / row["median_seconds"].as_f64().unwrap() / 1e9;
        let found = row["gigabytes_per_second"].as_f64().unwrap();
        // Seconds are rounded to the nanosecond, bytes a second to the megabyte.
        assert!((found - expected).abs() < 1e-3 * expected + 5e-4, "{operation}: {found}, {expected}");
        let pinned = operation.ends_with("--pinned");
        assert_eq!((&row["bytes"], &row["pinned"]), (&json!(8 * words), &json!(pinned)));
        let ceilings = &report["devices"][0]["ceilings"];
        assert!(ceilings["copy_gigabytes_per_second"].as_f64().unwrap() > 0.1, "{ceilings}");
        assert!(ceilings.get("upload_gigabytes_per_second").is_none(), "the CPU copies to nobody");
    }
    let text = bench.succeed("bench ntt --sizes 4 --device cpu");
    assert!(text.contains("GB/s: the input read once and the output written once"), "{text}");
}
