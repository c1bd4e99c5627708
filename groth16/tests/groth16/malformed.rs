//! Files that are not what they should be are errors that name the place, what was found, and what was expected.

use halo2curves::CurveAffine;
use halo2curves::bn256::Fq2;
use halo2curves::ff::Field;
use zkaccel_groth16::zkey::Zkey;
use zkaccel_groth16::{Bn254, Error, Fr, G2Affine, Verifier, json, r1cs, wtns};

use crate::support::{File, parse_key, read, theirs, verifier};

/// A reader of a whole file.
type Reader = fn(&[u8]) -> Result<(), Error>;

const READERS: [(&str, Reader); 3] = [
    ("circuit.zkey", |bytes| parse_key(bytes).map(drop)),
    ("witness.wtns", |bytes| wtns::parse::<Fr>(bytes).map(drop)),
    ("circuit.r1cs", |bytes| r1cs::parse::<Bn254>(bytes).map(drop)),
];

/// What a reader says of a file that it refuses.
fn refusal(reader: Reader, bytes: &[u8]) -> String {
    match reader(bytes) {
        Err(error @ Error::Malformed { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// What the reader of keys says of a changed one.
fn refusal_of_key(change: impl FnOnce(&mut File)) -> String {
    let mut file = File::of(&read("multiplier", "circuit.zkey"));
    change(&mut file);
    refusal(READERS[0].1, &file.bytes())
}

fn refusal_of_witness(change: impl FnOnce(&mut File)) -> String {
    let mut file = File::of(&read("multiplier", "witness.wtns"));
    change(&mut file);
    refusal(READERS[1].1, &file.bytes())
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
}

#[test]
fn files_that_are_cut_anywhere() {
    for (name, reader) in READERS {
        let bytes = read("multiplier", name);
        for length in 0..bytes.len() {
            let error = refusal(reader, &bytes[..length]);
            assert!(error.contains("expected") && error.len() < 400, "{error}");
        }
        assert_eq!(reader(&bytes), Ok(()));
        let longer = refusal(reader, &[&bytes[..], &[0]].concat());
        assert_has(&longer, &["after the last of", "found 1 bytes more, expected none"]);
    }
}

#[test]
fn sections_that_are_cut_or_missing_or_twice() {
    for (name, reader) in READERS {
        let whole = File::of(&read("multiplier", name));
        for index in 0..whole.sections.len() {
            let number = whole.sections[index].0;
            if number > 9 || (name == "circuit.r1cs" && number > 2) {
                continue;
            }
            let place = format!("section {number} (");
            let changed = |change: &dyn Fn(&mut File)| {
                let mut file = File::of(&read("multiplier", name));
                change(&mut file);
                refusal(reader, &file.bytes())
            };
            for length in 0..whole.sections[index].1.len() {
                assert_has(&changed(&|file| file.sections[index].1.truncate(length)), &[&place]);
            }
            assert_has(&changed(&|file| file.sections[index].1.push(0)), &[&place]);
            let missing = changed(&|file| drop(file.sections.remove(index)));
            assert_has(&missing, &[&place, "found no such section, expected one"]);
            let twice = changed(&|file| file.sections.push(file.sections[index].clone()));
            assert_has(&twice, &[&place, "found the section twice, expected it once"]);
        }
    }
}

#[test]
fn lengths_that_lie() {
    for (name, reader) in READERS {
        let bytes = read("multiplier", name);
        for (at, width) in [(8, 4), (16, 8)] {
            for lie in [u64::MAX, u64::MAX >> 1, 1 << 40, 0xffff_ffff] {
                let mut bytes = bytes.clone();
                bytes[at..at + width].copy_from_slice(&lie.to_le_bytes()[..width]);
                let error = refusal(reader, &bytes);
                assert!(error.contains("section") && error.contains("expected"), "{error}");
            }
        }
    }
    // Counts without data behind them.
    for (number, at, section) in
        [(2, 72, "section 5"), (2, 76, "section 2"), (2, 80, "section 2"), (4, 0, "coefficients")]
    {
        let error = refusal_of_key(|file| file.section(number)[at..at + 4].copy_from_slice(&[0xff; 4]));
        assert_has(&error, &[section, "expected"]);
    }
    let error = refusal_of_witness(|file| file.section(1)[36..40].copy_from_slice(&[0xff; 4]));
    assert_has(&error, &["wtns: section 2 (signals): found 160 bytes, expected 137438953440 bytes"]);
}

#[test]
fn files_of_something_else() {
    let key = read("multiplier", "circuit.zkey");
    assert_has(
        &refusal(READERS[1].1, &key),
        &["wtns: the file's first 4 bytes: found \"zkey\", expected \"wtns\""],
    );
    assert_has(&refusal(READERS[0].1, b"PK\x03\x04 and more of it"), &["expected \"zkey\""]);
    assert_has(&refusal_of_key(|file| file.head[4] = 9), &["zkey: the version: found 9, expected 1"]);
    let plonk = refusal_of_key(|file| file.section(1)[0] = 2);
    assert_has(&plonk, &["section 1 (protocol)", "found 2, expected 1, Groth16"]);
    // BLS12-381 has coordinates of 48 bytes; other curves other primes.
    let n8 = refusal_of_key(|file| file.section(2)[0] = 48);
    assert_has(&n8, &["section 2 (header): n8q, the bytes of an element: found 48, expected 32, of BN254"]);
    let q = refusal_of_key(|file| file.section(2)[4] ^= 1);
    assert_has(&q, &["section 2 (header): q, the modulus: found 218882428718392752", "226208583, of BN254"]);
    let r = refusal_of_key(|file| file.section(2)[40] ^= 1);
    assert_has(
        &r,
        &["section 2 (header): r, the modulus", "expected 2188824287183927522224640574525727508854836440041"],
    );
    let r = refusal_of_witness(|file| file.section(1)[4] ^= 1);
    assert_has(&r, &["wtns: section 1 (header)", "the modulus", "of BN254"]);
}

#[test]
fn numbers_that_disagree() {
    let set = |at: usize, number: u32| {
        move |file: &mut File| {
            file.section(2)[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
    };
    // Five signals, two of them public, on a domain of eight points.
    let (signals, public, domain) = (72, 76, 80);
    assert_has(
        &refusal_of_key(set(signals, 6)),
        &["section 5 (A over G1): found 320 bytes, expected 384 bytes"],
    );
    assert_has(&refusal_of_key(set(public, 1)), &["section 3 (IC): found 192 bytes, expected 128 bytes"]);
    assert_has(&refusal_of_key(set(public, 5)), &["nPublic", "found 5, expected less than 5"]);
    assert_has(&refusal_of_key(set(domain, 4)), &["section 9 (H over G1): found 512 bytes, expected 256"]);
    for size in [0, 1, 7, 1 << 29, u32::MAX] {
        assert_has(
            &refusal_of_key(set(domain, size)),
            &["domainSize", "expected a power of two from 2 to 2^28"],
        );
    }
}

#[test]
fn points_that_are_none() {
    for (number, name) in
        [(3, "IC"), (5, "A over G1"), (6, "B over G1"), (7, "B over G2"), (8, "C over G1"), (9, "H")]
    {
        let of_g2 = number == 7;
        let bytes = if of_g2 { 128 } else { 64 };
        // The second point of each, of which in B some are the identity.
        let off = refusal_of_key(|file| file.section(number)[bytes] ^= 1);
        let record =
            format!("point 1 of {}: found a point that is not on the curve", if of_g2 { "G2" } else { "G1" });
        assert_has(&off, &[&format!("zkey: section {number} ({name}"), &record]);
        let large = refusal_of_key(|file| file.section(number)[bytes..2 * bytes].fill(0xff));
        assert_has(
            &large,
            &[
                "point 1",
                "found 115792089237316195423570985008687907853269984665640",
                "expected coordinates below q",
            ],
        );
    }
    let header = refusal_of_key(|file| file.section(2)[84] ^= 1);
    assert_has(&header, &["section 2 (header): alpha over G1: found a point that is not on the curve"]);
    let header =
        refusal_of_key(|file| file.section(2)[84 + 128..84 + 256].copy_from_slice(&outside_the_subgroup()));
    assert_has(&header, &["beta over G2: found a point of the curve outside the subgroup of order r"]);
    let outside = refusal_of_key(|file| file.section(7)[256..384].copy_from_slice(&outside_the_subgroup()));
    assert_has(
        &outside,
        &["section 7 (B over G2): point 2 of G2: found a point of the curve outside the subgroup"],
    );
    // Among many they are tested together.
    let mut file = File::of(&read("membership", "circuit.zkey"));
    file.section(7)[333 * 128..334 * 128].copy_from_slice(&outside_the_subgroup());
    assert_has(&refusal(READERS[0].1, &file.bytes()), &["point 333 of G2", "outside the subgroup"]);
}

/// A point of the twist outside the subgroup: that with the first abscissa i + u that has one.
fn point_outside() -> G2Affine {
    let mut points = (1..).filter_map(|i: u64| {
        let x = Fq2::new(i.into(), 1.into());
        let y: Option<Fq2> = (x.square() * x + G2Affine::b()).sqrt().into();
        y.map(|y| G2Affine { x, y })
    });
    points.next().unwrap()
}

/// The same as files have it.
fn outside_the_subgroup() -> [u8; 128] {
    let G2Affine { x, y } = point_outside();
    let coordinates = [*x.c0(), *x.c1(), *y.c0(), *y.c1()];
    let limbs = zkaccel::field::limbs(&coordinates).as_flattened().iter();
    limbs.flat_map(|limb| limb.to_le_bytes()).collect::<Vec<_>>().try_into().unwrap()
}

#[test]
fn coefficients_that_are_out_of_range() {
    // The third of them: matrix, constraint, signal, value.
    let at = 4 + 2 * 44;
    let set = |offset: usize, bytes: &'static [u8]| {
        move |file: &mut File| {
            file.section(4)[at + offset..][..bytes.len()].copy_from_slice(bytes);
        }
    };
    let place = "section 4 (coefficients): ";
    for (offset, bytes, message) in [
        (0, &[2, 0, 0, 0][..], "matrix of coefficient 2: found 2, expected less than 2"),
        (4, &[8, 0, 0, 0], "constraint of coefficient 2: found 8, expected less than 8"),
        (8, &[5, 0, 0, 0], "signal of coefficient 2: found 5, expected less than 5"),
        (8, &[0xff; 4], "signal of coefficient 2: found 4294967295, expected less than 5"),
        (
            12,
            &[0xff; 32],
            "value of coefficient 2: found 11579208923731619542357098500868790785326998466564056403945758",
        ),
    ] {
        assert_has(&refusal_of_key(set(offset, bytes)), &[place, message]);
    }
}

#[test]
fn signals_that_are_too_large() {
    let r = zkaccel_groth16::Fr::from(0) - zkaccel_groth16::Fr::from(1);
    let mut largest = Vec::new();
    wtns::write(&[r], &mut largest).unwrap();
    assert_eq!(wtns::parse(&largest), Ok(vec![r]));
    let mut file = File::of(&read("multiplier", "witness.wtns"));
    file.section(2)[3 * 32..4 * 32].copy_from_slice(&largest[largest.len() - 32..]);
    file.section(2)[3 * 32] += 1;
    let error = refusal(READERS[1].1, &file.bytes());
    let number = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    assert_has(
        &error,
        &[&format!("wtns: section 2 (signals): signal 3: found {number}, expected less than r = {number}")],
    );
}

#[test]
fn factors_and_signals_of_circuits() {
    let bytes = read("multiplier", "circuit.r1cs");
    let refusal = |at: usize, with: &[u8]| {
        let mut file = File::of(&bytes);
        file.section(2)[at..at + with.len()].copy_from_slice(with);
        refusal(READERS[2].1, &file.bytes())
    };
    // A combination of one term: its number of terms, its signal, its factor.
    assert_has(
        &refusal(4, &[5, 0, 0, 0]),
        &["section 2 (constraints): constraint 0: a signal of A: found 5, expected less than 5"],
    );
    assert_has(
        &refusal(8, &[0xff; 32]),
        &["constraint 0: a factor of A: found 11579", "expected less than r"],
    );
    assert_has(&refusal(0, &[0xff; 4]), &["section 2 (constraints)", "expected"]);
}

#[test]
fn texts_that_are_none() {
    let proof = String::from_utf8(read("multiplier", "proof.json")).unwrap();
    let refusal = |text: String| json::parse_proof::<Bn254>(text.as_bytes()).unwrap_err().to_string();
    assert_has(
        &refusal(proof.replace("groth16", "plonk")),
        &["proof: protocol: found \"plonk\", expected \"groth16\""],
    );
    assert_has(
        &refusal(proof.replace("bn128", "bls12381")),
        &["proof: curve: found \"bls12381\", expected \"bn128\""],
    );
    assert_has(&refusal(proof.replace("pi_a", "pi_d")), &["proof: found missing field `pi_a`"]);
    assert_has(&refusal(proof[..100].into()), &["proof: found EOF"]);
    assert_has(
        &refusal(proof.replacen("\"1\"", "\"2\"", 1)),
        &["proof: pi_a: z: found another number, expected 1, or"],
    );
    let first = json_first_number(&proof);
    for (with, message) in [
        ("12", "proof: pi_a: the point: found a point that is not on the curve"),
        ("-1", "proof: pi_a: x: found \"-1\", expected a decimal number below 2188"),
        ("0x1", "found \"0x1\", expected a decimal number"),
        (&"9".repeat(1_000_000), "expected a decimal number"),
    ] {
        let error = refusal(proof.replace(&first, with));
        assert_has(&error, &[message]);
        assert!(error.len() < 400);
    }
    // (0, 0), which is the identity elsewhere.
    let zeros = r#"["0", "0", "1"]"#;
    let with_zeros = format!(
        r#"{{"pi_a": {zeros}, "pi_b": [["0","0"],["0","0"],["1","0"]], "pi_c": {zeros}, "protocol": "groth16"}}"#
    );
    assert_has(&refusal(with_zeros), &["proof: pi_a: the point: found a point that is not on the curve"]);
    // rapidsnark names no curve.
    let without = proof.replace(",\n \"curve\": \"bn128\"", "");
    assert_eq!(json::parse_proof(without.as_bytes()), Ok(theirs("multiplier").0));
    let other_name = proof.replace("bn128", "bn254");
    assert_eq!(json::parse_proof(other_name.as_bytes()), Ok(theirs("multiplier").0));

    let refusal = |text: &str| json::parse_public::<Fr>(text.as_bytes()).unwrap_err().to_string();
    assert_has(
        &refusal("[\"1\", \"x\"]"),
        &["public signals: signal 1: found \"x\", expected a decimal number"],
    );
    assert_has(&refusal("[1]"), &["public signals: found invalid type"]);
    let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    assert_has(
        &refusal(&format!("[\"{r}\"]")),
        &[&format!("found \"{r}\", expected a decimal number below {r}")],
    );

    let key = String::from_utf8(read("multiplier", "verification_key.json")).unwrap();
    let refusal = |text: String| json::parse_verifying_key::<Bn254>(text.as_bytes()).unwrap_err().to_string();
    let wrong = key.replace("\"nPublic\": 2", "\"nPublic\": 3");
    assert_has(&refusal(wrong), &["verification key: IC: found 3 points, expected 4 points"]);
    let wrong = key.replace("\"nPublic\": 2", "\"nPublic\": 18446744073709551615");
    assert_has(&refusal(wrong), &["verification key: IC: found 3 points"]);
    assert_has(
        &refusal(key.replace(&json_first_number(&key), "5")),
        &["vk_alpha_1: the point", "not on the curve"],
    );
}

/// The first number of more than 60 digits.
fn json_first_number(text: &str) -> String {
    text.split('"').find(|part| part.len() > 60).unwrap().into()
}

#[test]
fn points_of_proofs_and_keys_outside_their_groups() {
    let outside = outside_the_subgroup();
    let mut file = File::of(&read("multiplier", "circuit.zkey"));
    file.section(7)[..128].copy_from_slice(&outside);
    assert!(Zkey::<Bn254>::parse(&file.bytes()).is_ok(), "the header alone is right");
    let outside = point_outside();
    let (mut proof, public) = theirs("multiplier");
    proof.b = outside;
    let error = verifier("multiplier").verify(&proof, &public).unwrap_err().to_string();
    assert_has(&error, &["the proof: B: found a point of the curve outside the subgroup"]);
    let text = json::write_proof(&proof);
    assert_has(
        &json::parse_proof::<Bn254>(text.as_bytes()).unwrap_err().to_string(),
        &["proof: pi_b", "outside the subgroup"],
    );
    let (mut proof, _) = theirs("multiplier");
    proof.a.x = 77.into();
    let error = verifier("multiplier").verify(&proof, &public).unwrap_err().to_string();
    assert_has(&error, &["the proof: A: found a point that is not on the curve"]);
    let mut key = verifier("multiplier").key().clone();
    key.delta_g2 = outside;
    assert_has(
        &Verifier::new(key.clone()).unwrap_err().to_string(),
        &["the verification key: delta", "outside"],
    );
    key.ic.clear();
    assert_has(&Verifier::new(key).unwrap_err().to_string(), &["points of IC: found 0, expected 1"]);
}
