//! What is written is what is read, and what snarkjs writes.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use zkaccel::Engine;
use zkaccel::curve::Curve;
use zkaccel_groth16::r1cs::{self, R1cs};
use zkaccel_groth16::zkey::{self, Zkey};
use zkaccel_groth16::{Bytes, Proof, Prover, ProverOptions, json, wtns};

use crate::support::{Circuits, File, key, over_every_pairing, parse_key, path, read, theirs, witness};

over_every_pairing!(keys, sections_in_any_order_and_others_beside_them, witnesses, texts, pairings);

fn keys<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let bytes = Bytes::open(path(circuit, "circuit.zkey")).unwrap();
        let zkey = Zkey::<P>::parse(&bytes).unwrap();
        let told = AtomicU64::new(0);
        let tell = |bytes| {
            told.fetch_add(bytes, Ordering::Relaxed);
        };
        let key = zkey.proving_key_with(&tell).unwrap();
        assert_eq!(key, zkey.proving_key().unwrap());
        // At least the points, and at most the file.
        let least = key.points() * size_of::<P::G1>();
        let told = told.into_inner();
        assert!((least as u64..bytes.len() as u64).contains(&told), "{circuit}: {told} bytes");
        let kept = Cell::new(0);
        let tell = |points| kept.set(kept.get() + points);
        Prover::new_with(&Engine::new().unwrap(), key.clone(), ProverOptions::default(), &tell).unwrap();
        assert_eq!(kept.get(), key.points() as u64);
        let header = zkey.header();
        assert_eq!(
            [header.signals, header.public_signals, header.domain_size],
            [key.signals() as u32, key.public_signals() as u32, key.domain_size() as u32]
        );
        assert_eq!(header.coefficients as usize, key.matrices.a.entries() + key.matrices.b.entries());
        // What follows from the circuit alone.
        let circuit_file: R1cs<P> = r1cs::parse(&read(circuit, "circuit.r1cs")).unwrap();
        assert_eq!(
            (circuit_file.signals, circuit_file.public_signals),
            (key.signals(), key.public_signals())
        );
        let of_inputs = key.public_signals() + 1;
        assert_eq!(circuit_file.a.entries() + of_inputs, key.matrices.a.entries());
        assert_eq!(circuit_file.b.entries(), key.matrices.b.entries());

        let mut written = Vec::new();
        zkey::write(&key, &mut written).unwrap();
        assert_eq!(parse_key::<P>(&written).unwrap(), key);
        // snarkjs's sections, byte for byte, but for the contributions.
        let (ours, mut theirs) = (File::of(&written), File::of(&bytes));
        assert_eq!(ours.head, theirs.head);
        assert_eq!(ours.sections.len(), 9);
        for (number, contents) in &ours.sections {
            assert!(contents == theirs.section(*number), "{circuit}: section {number}");
        }
    }
}

fn sections_in_any_order_and_others_beside_them<P: Circuits>() {
    let bytes = read(P::CIRCUITS[0], "circuit.zkey");
    let mut file = File::of(&bytes);
    file.sections.reverse();
    file.sections.insert(3, (77, vec![1, 2, 3]));
    file.sections.push((78, Vec::new()));
    assert_eq!(parse_key(&file.bytes()).unwrap(), key::<P>(P::CIRCUITS[0]));
}

fn witnesses<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let bytes = read(circuit, "witness.wtns");
        let mut written = Vec::new();
        wtns::write(&witness::<P>(circuit), &mut written).unwrap();
        assert!(written == bytes, "{circuit}");
    }
}

fn texts<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let (proof, public) = theirs::<P>(circuit);
        // snarkjs ends neither with a newline.
        assert_eq!(json::write_proof(&proof).as_bytes(), read(circuit, "proof.json"));
        assert_eq!(json::write_public(&public).as_bytes(), read(circuit, "public.json"));
        let of_key = key::<P>(circuit).verifying;
        let text = read(circuit, "verification_key.json");
        assert_eq!(json::parse_verifying_key(&text).unwrap(), of_key);
        let written = json::write_verifying_key(&of_key);
        assert_eq!(json::parse_verifying_key(written.as_bytes()).unwrap(), of_key);
        // Every line of ours is one of theirs, whose file has one field more.
        let text = String::from_utf8(text).unwrap();
        assert!(written.lines().all(|line| text.contains(line)));
    }
    let identities =
        Proof::<P> { a: P::G1::default(), b: P::G2::default(), c: <P::G1 as Curve>::generator() };
    assert_eq!(json::parse_proof(json::write_proof(&identities).as_bytes()), Ok(identities));
}

/// Files say which pairing they are of.
fn pairings<P: Circuits>() {
    for circuit in P::CIRCUITS {
        assert_eq!(zkey::pairing_of(&read(circuit, "circuit.zkey")), Ok(P::VALUE));
        assert_eq!(r1cs::pairing_of(&read(circuit, "circuit.r1cs")), Ok(P::VALUE));
        let text = String::from_utf8(read(circuit, "verification_key.json")).unwrap();
        assert_eq!(json::pairing_of_verifying_key(text.as_bytes()), Ok(P::VALUE));
        let other_name = text.replace(P::SNARKJS_NAME, &P::NAME.to_lowercase());
        assert_eq!(json::pairing_of_verifying_key(other_name.as_bytes()), Ok(P::VALUE));
    }
}
