//! Files that are not what they should be are errors that name the place, what was found, and what was expected.

use halo2curves::ff::PrimeField;
use zkaccel::curve::{Curve, limbs_of_points};
use zkaccel_groth16::zkey::{self, Zkey};
use zkaccel_groth16::{AnyProver, Bls12_381, Bn254, Error, Proof, ProverOptions, Verifier, json, r1cs, wtns};

use crate::support::{Circuits, File, engine, over_every_pairing, parse_key, read, theirs, verifier};

over_every_pairing!(
    files_that_are_cut_anywhere,
    sections_that_are_cut_or_missing_or_twice,
    lengths_that_lie,
    files_of_something_else,
    numbers_that_disagree,
    points_that_are_none,
    coefficients_that_are_out_of_range,
    signals_that_are_too_large,
    factors_and_signals_of_circuits,
    texts_that_are_none,
    points_of_proofs_and_keys_outside_their_groups,
);

/// A reader of a whole file.
type Reader = fn(&[u8]) -> Result<(), Error>;

fn readers<P: Circuits>() -> [(&'static str, Reader); 3] {
    [
        ("circuit.zkey", |bytes| parse_key::<P>(bytes).map(drop)),
        ("witness.wtns", |bytes| wtns::parse::<P::Fr>(bytes).map(drop)),
        ("circuit.r1cs", |bytes| r1cs::parse::<P>(bytes).map(drop)),
    ]
}

/// Bytes of points over G1 and over G2.
fn point_bytes<P: Circuits>() -> [usize; 2] {
    [size_of::<P::G1>(), size_of::<P::G2>()]
}

/// Where the numbers of a key's header are: of signals, of public ones, of points of the domain; and where its first point is. Before are the sizes of two fields, and their moduli.
fn header<P: Circuits>() -> [usize; 4] {
    let signals = 8 + size_of::<P::G1>() / 2 + size_of::<P::Fr>();
    [signals, signals + 4, signals + 8, signals + 12]
}

/// What a reader says of a file that it refuses.
fn refusal(reader: Reader, bytes: &[u8]) -> String {
    match reader(bytes) {
        Err(error @ Error::Malformed { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// What the reader of keys says of a changed one.
fn refusal_of_key<P: Circuits>(change: impl FnOnce(&mut File)) -> String {
    let mut file = File::of(&read(P::CIRCUITS[0], "circuit.zkey"));
    change(&mut file);
    refusal(readers::<P>()[0].1, &file.bytes())
}

fn refusal_of_witness<P: Circuits>(change: impl FnOnce(&mut File)) -> String {
    let mut file = File::of(&read(P::CIRCUITS[0], "witness.wtns"));
    change(&mut file);
    refusal(readers::<P>()[1].1, &file.bytes())
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{text:?} does not contain {part:?}");
    }
}

fn files_that_are_cut_anywhere<P: Circuits>() {
    for (name, reader) in readers::<P>() {
        let bytes = read(P::CIRCUITS[0], name);
        for length in 0..bytes.len() {
            let error = refusal(reader, &bytes[..length]);
            assert!(error.contains("expected") && error.len() < 400, "{error}");
        }
        assert_eq!(reader(&bytes), Ok(()));
        let longer = refusal(reader, &[&bytes[..], &[0]].concat());
        assert_has(&longer, &["after the last of", "found 1 bytes more, expected none"]);
    }
}

fn sections_that_are_cut_or_missing_or_twice<P: Circuits>() {
    for (name, reader) in readers::<P>() {
        let whole = File::of(&read(P::CIRCUITS[0], name));
        for index in 0..whole.sections.len() {
            let number = whole.sections[index].0;
            if number > 9 || (name == "circuit.r1cs" && number > 2) {
                continue;
            }
            let place = format!("section {number} (");
            let changed = |change: &dyn Fn(&mut File)| {
                let mut file = File::of(&read(P::CIRCUITS[0], name));
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

fn lengths_that_lie<P: Circuits>() {
    for (name, reader) in readers::<P>() {
        let bytes = read(P::CIRCUITS[0], name);
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
    let [signals, public, domain, _] = header::<P>();
    for (number, at, section) in [
        (2, signals, "section 5"),
        (2, public, "section 2"),
        (2, domain, "section 2"),
        (4, 0, "coefficients"),
    ] {
        let error = refusal_of_key::<P>(|file| file.section(number)[at..at + 4].copy_from_slice(&[0xff; 4]));
        assert_has(&error, &[section, "expected"]);
    }
    let error = refusal_of_witness::<P>(|file| file.section(1)[36..40].copy_from_slice(&[0xff; 4]));
    assert_has(&error, &["wtns: section 2 (signals): found 160 bytes, expected 137438953440 bytes"]);
}

fn files_of_something_else<P: Circuits>() {
    let key = read(P::CIRCUITS[0], "circuit.zkey");
    assert_has(
        &refusal(readers::<P>()[1].1, &key),
        &["wtns: the file's first 4 bytes: found \"zkey\", expected \"wtns\""],
    );
    assert_has(&refusal(readers::<P>()[0].1, b"PK\x03\x04 and more of it"), &["expected \"zkey\""]);
    assert_has(&refusal_of_key::<P>(|file| file.head[4] = 9), &["zkey: the version: found 9, expected 1"]);
    let plonk = refusal_of_key::<P>(|file| file.section(1)[0] = 2);
    assert_has(&plonk, &["section 1 (protocol)", "found 2, expected 1, Groth16"]);
    // Other curves have coordinates of other sizes, and other primes.
    let (bytes, other) = (size_of::<P::G1>() / 2, 64);
    let n8 = refusal_of_key::<P>(|file| file.section(2)[0] = other);
    let of = format!("found {other}, expected {bytes}, of {}", P::NAME);
    assert_has(&n8, &["section 2 (header): n8q, the bytes of an element: ", &of]);
    let q = refusal_of_key::<P>(|file| file.section(2)[4] ^= 1);
    let expected = format!("expected {}, of {}", P::Q, P::NAME);
    assert_has(&q, &["section 2 (header): q, the modulus: found ", &P::Q[..10], &expected]);
    let r = refusal_of_key::<P>(|file| file.section(2)[8 + bytes] ^= 1);
    let expected = format!("expected {}, of {}", P::R, P::NAME);
    assert_has(&r, &["section 2 (header): r, the modulus: found ", &expected]);
    let r = refusal_of_witness::<P>(|file| file.section(1)[4] ^= 1);
    assert_has(&r, &["wtns: section 1 (header): r, the modulus: found ", &expected]);
}

/// Files of different curves, and of curves that there are none of.
#[test]
fn files_of_another_curve() {
    fn refused<P: Circuits, Q: Circuits>() {
        for (name, reader) in readers::<P>() {
            let expected = format!("of {}", P::NAME);
            assert_has(&refusal(reader, &read(Q::CIRCUITS[0], name)), &["section", "expected", &expected]);
        }
        let prover =
            AnyProver::new(engine(), &read(P::CIRCUITS[0], "circuit.zkey"), ProverOptions::default())
                .unwrap();
        let other = |name| read(Q::CIRCUITS[0], name);
        let error = prover.prove(zkaccel_groth16::Witness::File(&other("witness.wtns"))).unwrap_err();
        assert_has(&error.to_string(), &[&format!("r, the modulus: found {}, expected {}", Q::R, P::R)]);
        let error = prover.verify(&read(P::CIRCUITS[0], "public.json"), &other("proof.json")).unwrap_err();
        let expected = format!(
            "proof: curve: found {:?}, expected {:?}, which is {}",
            Q::SNARKJS_NAME,
            P::SNARKJS_NAME,
            P::NAME
        );
        assert_eq!(error.to_string(), expected);
    }
    refused::<Bn254, Bls12_381>();
    refused::<Bls12_381, Bn254>();

    let mut file = File::of(&read("multiplier", "circuit.zkey"));
    file.section(2)[4] ^= 1;
    let error = zkey::pairing_of(&file.bytes()).unwrap_err().to_string();
    let expected = format!("expected {}, of BN254, or {}, of BLS12-381", Bn254::Q, Bls12_381::Q);
    assert_has(&error, &["section 2 (header): q, the modulus: found 2188", &expected]);
    file.section(2)[0] = 96;
    let error = zkey::pairing_of(&file.bytes()).unwrap_err().to_string();
    assert_has(
        &error,
        &["n8q, the bytes of an element: found 96, expected 32, of BN254, or 48, of BLS12-381"],
    );
    let key = String::from_utf8(read("multiplier", "verification_key.json")).unwrap();
    let error = json::pairing_of_verifying_key(key.replace("bn128", "bls12377").as_bytes()).unwrap_err();
    let expected = "expected \"bn128\", which is BN254, or \"bls12381\", which is BLS12-381";
    assert_has(&error.to_string(), &["verification key: curve: found \"bls12377\"", expected]);
    // rapidsnark names no curve.
    let without = key.replace(" \"curve\": \"bn128\",\n", "");
    assert!(without.len() < key.len());
    assert_eq!(json::pairing_of_verifying_key(without.as_bytes()).map(|pairing| pairing.name()), Ok("BN254"));
}

fn numbers_that_disagree<P: Circuits>() {
    let set = |at: usize, number: u32| {
        move |file: &mut File| {
            file.section(2)[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
    };
    // Five signals, two of them public, on a domain of eight points.
    let ([signals, public, domain, _], [bytes, _]) = (header::<P>(), point_bytes::<P>());
    let lengths = |found: usize, expected: usize| {
        format!("found {} bytes, expected {} bytes", found * bytes, expected * bytes)
    };
    let refusal = |at, number| refusal_of_key::<P>(set(at, number));
    assert_has(&refusal(signals, 6), &[&format!("section 5 (A over G1): {}", lengths(5, 6))]);
    assert_has(&refusal(public, 1), &[&format!("section 3 (IC): {}", lengths(3, 2))]);
    assert_has(&refusal(public, 5), &["nPublic", "found 5, expected less than 5"]);
    assert_has(&refusal(domain, 4), &[&format!("section 9 (H over G1): {}", lengths(8, 4))]);
    let largest = <P::Fr as PrimeField>::S;
    // The next power of two, if it is a number of the format.
    let above = 1_u32.checked_shl(largest + 1);
    for size in [0, 1, 7, u32::MAX].into_iter().chain(above) {
        let expected = format!("expected a power of two from 2 to 2^{largest}");
        assert_has(&refusal(domain, size), &["domainSize", &expected]);
    }
}

fn points_that_are_none<P: Circuits>() {
    let [first, second] = point_bytes::<P>();
    for (number, name) in
        [(3, "IC"), (5, "A over G1"), (6, "B over G1"), (7, "B over G2"), (8, "C over G1"), (9, "H")]
    {
        let of_g2 = number == 7;
        let bytes = if of_g2 { second } else { first };
        // The second point of each, of which in B some are the identity.
        let off = refusal_of_key::<P>(|file| file.section(number)[bytes] ^= 1);
        let record =
            format!("point 1 of {}: found a point that is not on the curve", if of_g2 { "G2" } else { "G1" });
        assert_has(&off, &[&format!("zkey: section {number} ({name}"), &record]);
        let large = refusal_of_key::<P>(|file| file.section(number)[bytes..2 * bytes].fill(0xff));
        // 2^256 - 1 and 2^384 - 1.
        let found = if size_of::<P::G1>() == 64 { "115792089237316195" } else { "39402006196394479" };
        assert_has(&large, &["point 1", &format!("found {found}"), "expected coordinates below q"]);
    }
    let [.., points] = header::<P>();
    let error = refusal_of_key::<P>(|file| file.section(2)[points] ^= 1);
    assert_has(&error, &["section 2 (header): alpha over G1: found a point that is not on the curve"]);
    let (outside_first, outside_second) = P::outside();
    let outside_second = bytes_of(&outside_second);
    let at = points + 2 * first;
    let error = refusal_of_key::<P>(|file| file.section(2)[at..at + second].copy_from_slice(&outside_second));
    assert_has(&error, &["beta over G2: found a point of the curve outside the subgroup of order r"]);
    let error =
        refusal_of_key::<P>(|file| file.section(7)[2 * second..3 * second].copy_from_slice(&outside_second));
    assert_has(
        &error,
        &["section 7 (B over G2): point 2 of G2: found a point of the curve outside the subgroup"],
    );
    // Among many they are tested together.
    let many = |number: u32, at: usize, point: &[u8]| {
        let mut file = File::of(&read(P::CIRCUITS[1], "circuit.zkey"));
        file.section(number)[at * point.len()..][..point.len()].copy_from_slice(point);
        refusal(readers::<P>()[0].1, &file.bytes())
    };
    assert_has(&many(7, 99, &outside_second), &["point 99 of G2", "outside the subgroup"]);
    if let Some(outside) = outside_first {
        let outside = bytes_of(&outside);
        assert_has(
            &many(9, 98, &outside),
            &["section 9 (H over G1): point 98 of G1", "outside the subgroup"],
        );
        let error =
            refusal_of_key::<P>(|file| file.section(2)[points..points + first].copy_from_slice(&outside));
        assert_has(&error, &["alpha over G1: found a point of the curve outside the subgroup of order r"]);
    }
}

/// A point as files have it.
fn bytes_of<C: Curve>(point: &C) -> Vec<u8> {
    bytemuck::cast_slice(limbs_of_points(std::slice::from_ref(point))).to_vec()
}

fn coefficients_that_are_out_of_range<P: Circuits>() {
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
        assert_has(&refusal_of_key::<P>(set(offset, bytes)), &[place, message]);
    }
}

fn signals_that_are_too_large<P: Circuits>() {
    let r = -P::Fr::from(1);
    let mut largest = Vec::new();
    wtns::write(&[r], &mut largest).unwrap();
    assert_eq!(wtns::parse(&largest), Ok(vec![r]));
    let mut file = File::of(&read(P::CIRCUITS[0], "witness.wtns"));
    file.section(2)[3 * 32..4 * 32].copy_from_slice(&largest[largest.len() - 32..]);
    file.section(2)[3 * 32] += 1;
    let error = refusal(readers::<P>()[1].1, &file.bytes());
    let number = P::R;
    assert_has(
        &error,
        &[&format!("wtns: section 2 (signals): signal 3: found {number}, expected less than r = {number}")],
    );
}

fn factors_and_signals_of_circuits<P: Circuits>() {
    let bytes = read(P::CIRCUITS[0], "circuit.r1cs");
    let refusal = |at: usize, with: &[u8]| {
        let mut file = File::of(&bytes);
        file.section(2)[at..at + with.len()].copy_from_slice(with);
        refusal(readers::<P>()[2].1, &file.bytes())
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

fn texts_that_are_none<P: Circuits>() {
    let proof = String::from_utf8(read(P::CIRCUITS[0], "proof.json")).unwrap();
    let refusal = |text: String| json::parse_proof::<P>(text.as_bytes()).unwrap_err().to_string();
    assert_has(
        &refusal(proof.replace("groth16", "plonk")),
        &["proof: protocol: found \"plonk\", expected \"groth16\""],
    );
    assert_has(
        &refusal(proof.replace(P::SNARKJS_NAME, "secp256k1")),
        &[&format!(
            "proof: curve: found \"secp256k1\", expected {:?}, which is {}",
            P::SNARKJS_NAME,
            P::NAME
        )],
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
        ("-1", &format!("proof: pi_a: x: found \"-1\", expected a decimal number below {}", P::Q)),
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
    let without = proof.replace(&format!(",\n \"curve\": {:?}", P::SNARKJS_NAME), "");
    assert!(without.len() < proof.len());
    assert_eq!(json::parse_proof(without.as_bytes()), Ok(theirs::<P>(P::CIRCUITS[0]).0));
    let other_name = proof.replace(P::SNARKJS_NAME, &P::NAME.to_lowercase());
    assert_eq!(json::parse_proof(other_name.as_bytes()), Ok(theirs::<P>(P::CIRCUITS[0]).0));

    let refusal = |text: &str| json::parse_public::<P::Fr>(text.as_bytes()).unwrap_err().to_string();
    assert_has(
        &refusal("[\"1\", \"x\"]"),
        &["public signals: signal 1: found \"x\", expected a decimal number"],
    );
    assert_has(&refusal("[1]"), &["public signals: found invalid type"]);
    let r = P::R;
    assert_has(
        &refusal(&format!("[\"{r}\"]")),
        &[&format!("found \"{r}\", expected a decimal number below {r}")],
    );

    let key = String::from_utf8(read(P::CIRCUITS[0], "verification_key.json")).unwrap();
    let refusal = |text: String| json::parse_verifying_key::<P>(text.as_bytes()).unwrap_err().to_string();
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

fn points_of_proofs_and_keys_outside_their_groups<P: Circuits>() {
    let (outside_first, outside) = P::outside();
    let mut file = File::of(&read(P::CIRCUITS[0], "circuit.zkey"));
    let point = bytes_of(&outside);
    file.section(7)[..point.len()].copy_from_slice(&point);
    assert!(Zkey::<P>::parse(&file.bytes()).is_ok(), "the header alone is right");
    let verifier = verifier::<P>(P::CIRCUITS[0]);
    let (right, public) = theirs::<P>(P::CIRCUITS[0]);
    let refusals = |proof: Proof<P>| {
        let text = json::write_proof(&proof);
        [verifier.verify(&proof, &public), json::parse_proof::<P>(text.as_bytes()).map(drop)]
            .map(|outcome| outcome.unwrap_err().to_string())
    };
    let [verified, read] = refusals(Proof { b: outside, ..right });
    assert_has(&verified, &["the proof: B: found a point of the curve outside the subgroup"]);
    assert_has(&read, &["proof: pi_b", "outside the subgroup"]);
    if let Some(outside) = outside_first {
        let [verified, read] = refusals(Proof { a: outside, ..right });
        assert_has(&verified, &["the proof: A: found a point of the curve outside the subgroup"]);
        assert_has(&read, &["proof: pi_a", "outside the subgroup"]);
        let [verified, read] = refusals(Proof { c: outside, ..right });
        assert_has(&verified, &["the proof: C: found a point of the curve outside the subgroup"]);
        assert_has(&read, &["proof: pi_c", "outside the subgroup"]);
        let mut key = verifier.key().clone();
        key.ic[1] = outside;
        let error = Verifier::new(key).unwrap_err().to_string();
        assert_has(&error, &["the verification key: point 1 of IC", "outside"]);
    }
    let off = P::off_curve();
    let [verified, read] = refusals(Proof { a: off, ..right });
    assert_has(&verified, &["the proof: A: found a point that is not on the curve"]);
    assert_has(&read, &["proof: pi_a", "not on the curve"]);
    let mut key = verifier.key().clone();
    key.delta_g2 = outside;
    let error = Verifier::new(key.clone()).unwrap_err().to_string();
    assert_has(&error, &["the verification key: delta", "outside"]);
    key.ic.clear();
    assert_has(&Verifier::new(key).unwrap_err().to_string(), &["points of IC: found 0, expected 1"]);
}
