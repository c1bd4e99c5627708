//! Groth16 proofs from the files of circom and snarkjs.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Bench, assert_failure};

/// A bench with the files of a circuit of the library's tests.
fn bench(circuit: &str) -> Bench {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../groth16/tests/data").join(circuit);
    for name in ["circuit.zkey", "witness.wtns", "verification_key.json", "proof.json", "public.json"] {
        bench.write(name, &std::fs::read(folder.join(name)).unwrap());
    }
    bench
}

const PROVE: &str = "groth16 prove circuit.zkey witness.wtns ours.json signals.json";

#[test]
fn proofs() {
    for circuit in ["multiplier", "membership", "multiplier-bls12-381"] {
        let bench = bench(circuit);
        let verify = "groth16 verify verification_key.json public.json proof.json";
        assert!(bench.succeed(verify).starts_with("verified\npublic"));
        for device in ["cpu", "reference"] {
            let report = bench.json(&format!("{PROVE} --device {device}"));
            assert_eq!((&report["verified"], &report["remade"]), (&json!(true), &json!(0)));
            assert_eq!(report["device"]["id"], device);
            let work = report["device"]["work"][0]["operations"].as_array().unwrap();
            for operation in ["msm", "fft"] {
                assert!(
                    work.iter().any(|line| line["operation"] == operation),
                    "{operation} on {device}: {work:?}"
                );
            }
            let verify = bench.json("groth16 verify verification_key.json signals.json ours.json");
            assert_eq!(verify["verified"], true);
            let [found, expected]: [Value; 2] = ["signals.json", "public.json"]
                .map(|name| serde_json::from_slice(&bench.read(name)).unwrap());
            assert_eq!(found, expected);
        }
        let report = bench.succeed(PROVE);
        for words in
            ["ours.json, of witness.wtns", "signals.json", "yes, before they were written", "reading the key"]
        {
            assert!(report.contains(words), "{words} is not in {report}");
        }
        assert!(bench.succeed(&format!("{PROVE} --unchecked")).contains("no, as asked for"));
        assert_eq!(bench.json(&format!("{PROVE} --unchecked"))["verified"], false);
    }
}

#[test]
fn several_proofs_with_one_key_and_streams() {
    let bench = bench("multiplier");
    let report = bench.json(&format!("{PROVE} witness.wtns second.json signals.json"));
    assert_eq!(report["proofs"].as_array().unwrap().len(), 2);
    assert_ne!(bench.read("ours.json"), bench.read("second.json"));
    for proof in ["ours.json", "second.json"] {
        bench.succeed(&format!("groth16 verify verification_key.json signals.json {proof}"));
    }
    let to_stdout = bench.run("groth16 prove circuit.zkey witness.wtns - signals.json");
    assert_eq!(to_stdout.status.code(), Some(0));
    assert!(String::from_utf8(to_stdout.stderr).unwrap().contains("standard output, of witness.wtns"));
    bench.write("printed.json", &to_stdout.stdout);
    let from_stdin = bench
        .command(&["groth16", "verify", "verification_key.json", "signals.json", "-"])
        .stdin(std::fs::File::open(bench.path("printed.json")).unwrap())
        .output()
        .unwrap();
    assert_eq!(from_stdin.status.code(), Some(0));
    let key_from_stdin = bench
        .command(&["groth16", "prove", "-", "witness.wtns", "piped.json", "signals.json"])
        .stdin(std::fs::File::open(bench.path("circuit.zkey")).unwrap())
        .output()
        .unwrap();
    assert_eq!(key_from_stdin.status.code(), Some(0));
    bench.succeed("groth16 verify verification_key.json signals.json piped.json");
    bench.fail(
        "groth16 prove - - a b",
        "the key and the witnesses: 2 of them are - (standard input), expected one",
    );
    bench.fail(
        "groth16 prove circuit.zkey witness.wtns - -",
        "2 of them are - (standard output), expected one",
    );
    bench.fail("groth16 verify - - proof.json", "2 of them are - (standard input), expected one");
}

#[test]
fn false_proofs() {
    let bench = bench("multiplier");
    let verify = "groth16 verify verification_key.json wrong.json proof.json";
    bench.write("wrong.json", br#"["98", "11"]"#);
    let expected = "proof.json: the proof does not verify: the pairing equation does not hold";
    assert_failure(&bench.run(verify), 1, expected, verify);
    let output = bench.run(&format!("{verify} --json"));
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["verified"], &report["reason"]), (&json!(false), &json!(expected)));
}

#[test]
fn what_is_refused() {
    let bench = bench("multiplier");
    let verify = "groth16 verify verification_key.json wrong.json proof.json";
    for (text, expected) in [
        (r#"["99"]"#, "wrong.json: public signals: found 1, expected 2, the number in the verification key"),
        (
            r#"["99", "eleven"]"#,
            "wrong.json: public signals: signal 1: found \"eleven\", expected a decimal number",
        ),
        (r#"["99", "#, "wrong.json: public signals: found EOF"),
    ] {
        bench.write("wrong.json", text.as_bytes());
        bench.fail(verify, expected);
        bench.fail(&format!("{verify} --json"), expected);
    }
    bench.fail("groth16 verify public.json public.json proof.json", "expected an object with vk_alpha_1");
    bench.fail("groth16 verify none.json public.json proof.json", "cannot open none.json");
    bench.fail("groth16 verify . public.json proof.json", "is a folder, expected a verification key");

    let before = bench.list(".");
    bench.fail(
        "groth16 prove witness.wtns witness.wtns a b",
        "zkey: the file's first 4 bytes: found \"wtns\"",
    );
    bench.fail(
        "groth16 prove circuit.zkey circuit.zkey a b",
        "wtns: the file's first 4 bytes: found \"zkey\"",
    );
    bench.fail("groth16 prove circuit.zkey none.wtns a b", "cannot open none.wtns");
    bench.fail("groth16 prove . witness.wtns a b", "is a folder, expected a key");
    bench.fail("groth16 prove circuit.zkey witness.wtns no/a b", "cannot write no/a");
    bench.fail(
        "groth16 prove circuit.zkey witness.wtns a b witness.wtns",
        "found 4 files after the key, expected three",
    );
    let key = bench.read("circuit.zkey");
    bench.write("cut.zkey", &key[..key.len() / 2]);
    bench.fail(
        "groth16 prove cut.zkey witness.wtns a b",
        "cut.zkey: zkey: section 6 of 10 in the file: its data: found",
    );
    bench.fail("groth16 inspect cut.zkey", "cut.zkey: zkey: section 6 of 10 in the file: its data: found");
    // The witness of another circuit, and one that does not satisfy this one.
    bench.write("other.wtns", &self::bench("membership").read("witness.wtns"));
    let expected = "other.wtns: the witness is not one of the key's circuit: signals: found 490, expected 5";
    bench.fail("groth16 prove circuit.zkey other.wtns a b", expected);
    let mut witness = bench.read("witness.wtns");
    *witness.last_mut().unwrap() = 1;
    bench.write("false.wtns", &witness);
    let expected =
        "false.wtns: the proof made on cpu does not verify: expected a witness that satisfies the circuit";
    bench.fail("groth16 prove circuit.zkey false.wtns a b --device cpu", expected);
    let twice = "false.wtns: the proof made on reference and again on the CPU does not verify";
    bench.fail("groth16 prove circuit.zkey false.wtns a b --device reference", twice);
    for name in ["cut.zkey", "other.wtns", "false.wtns"] {
        std::fs::remove_file(bench.path(name)).unwrap();
    }
    assert_eq!(bench.list("."), before, "nothing is written");
}

#[test]
fn keys() {
    let bench = bench("multiplier");
    let report = bench.json("groth16 inspect circuit.zkey --verification-key ours.json");
    let expected = json!({
        "protocol": "groth16", "curve": "bn254", "bytes": 3683, "signals": 5, "public_signals": 2, "domain_size": 8,
        "coefficients": 7, "identities": { "a": 0, "b": 3, "c": 0, "h": 0 }, "verification_key": "ours.json",
    });
    assert_eq!(report, expected);
    bench.succeed("groth16 verify ours.json public.json proof.json");
    let text = bench.succeed("groth16 inspect circuit.zkey");
    assert!(
        text.contains("signals     5, of which 2 are public") && text.contains("every part checked"),
        "{text}"
    );
    let printed = bench.run("groth16 inspect circuit.zkey --verification-key -");
    assert_eq!(printed.stdout, bench.read("ours.json"));
}

/// The key says the curve, and files of another one are refused.
#[test]
fn another_curve() {
    let (bench, other) = (bench("multiplier-bls12-381"), self::bench("multiplier"));
    let report = bench.json("groth16 inspect circuit.zkey --verification-key ours.json");
    assert_eq!((&report["curve"], &report["signals"]), (&json!("bls12-381"), &json!(5)));
    assert!(
        bench.succeed("groth16 inspect circuit.zkey").starts_with("key         groth16 over bls12-381, ")
    );
    bench.succeed("groth16 verify ours.json public.json proof.json");

    let before = bench.list(".");
    for name in ["circuit.zkey", "witness.wtns", "verification_key.json", "proof.json"] {
        bench.write(&format!("other_{name}"), &other.read(name));
    }
    bench.fail(
        "groth16 prove circuit.zkey other_witness.wtns a b",
        "other_witness.wtns: wtns: section 1 (header): r, the modulus: found 21888242871839275222246405745257275088548",
    );
    bench.fail(
        "groth16 prove other_circuit.zkey witness.wtns a b",
        "witness.wtns: wtns: section 1 (header): r, the modulus: found 52435875175126190479447740508185965837690552500",
    );
    let expected = "proof.json: proof: curve: found \"bn128\", expected \"bls12381\", which is BLS12-381";
    bench.fail("groth16 verify verification_key.json public.json other_proof.json", expected);
    let expected = "proof.json: proof: curve: found \"bls12381\", expected \"bn128\", which is BN254";
    bench.fail("groth16 verify other_verification_key.json public.json proof.json", expected);
    let mut key = bench.read("circuit.zkey");
    // The lowest byte of q, behind the head of the file, the section of the protocol, the head of the next section and n8q.
    key[12 + 16 + 12 + 4] ^= 1;
    bench.write("other_curve.zkey", &key);
    let expected = "other_curve.zkey: zkey: section 2 (header): q, the modulus: found 4002409555221667393417789825735904156";
    bench.fail("groth16 prove other_curve.zkey witness.wtns a b", expected);
    bench.fail("groth16 inspect other_curve.zkey", expected);
    assert_eq!(bench.list(".").len(), before.len() + 5, "nothing else is written");
}
