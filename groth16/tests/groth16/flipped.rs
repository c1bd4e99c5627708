//! A key or a witness with one flipped bit never gives a proof that a verifier would refuse: it is an error, or the bit does not matter.

use std::ops::Range;

use zkaccel::Engine;
use zkaccel_groth16::{Error, Prover, ProverOptions, wtns};

use crate::support::{Circuits, key, over_every_pairing, parse_key, read, verifier, witness};

/// Pseudo-random numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Where the head of a file and each of its sections begin and end.
fn sections(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let next = |before: &Range<usize>| {
        let at = before.end;
        let length = u64::from_le_bytes(bytes.get(at + 4..at + 12)?.try_into().unwrap()) as usize;
        Some(at..at + 12 + length)
    };
    std::iter::successors(Some(0..12), next)
}

/// Flips bits of a file one at a time; `prove` makes a proof or an error of each. Returns how many gave a proof, and how many were refused for what
/// they prove.
fn flip(bytes: &[u8], each: usize, mut prove: impl FnMut(&[u8]) -> Result<(), Error>) -> (usize, usize) {
    let mut random = Random(0x5eed);
    let (mut proofs, mut unsatisfied) = (0, 0);
    for range in sections(bytes) {
        for _ in 0..each {
            let mut bytes = bytes.to_vec();
            bytes[range.start + random.below(range.len())] ^= 1 << random.below(8);
            match prove(&bytes) {
                Ok(()) => proofs += 1,
                Err(Error::Unsatisfied { .. }) => unsatisfied += 1,
                Err(Error::Malformed { .. } | Error::OtherCircuit { .. } | Error::BadKey { .. }) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    }
    (proofs, unsatisfied)
}

over_every_pairing!(one_bit_of_a_key_or_a_witness);

fn one_bit_of_a_key_or_a_witness<P: Circuits>() {
    let engine = Engine::builder().device("cpu".parse().unwrap()).build().unwrap();
    for (circuit, each) in P::CIRCUITS.into_iter().zip([60, 3]) {
        let (verifier, witness) = (verifier::<P>(circuit), witness::<P>(circuit));
        let prove = |key, witness: &[_]| {
            let prover = Prover::new(&engine, key, ProverOptions::default())?;
            let proof = prover.prove(witness)?;
            // By the key that is right, and the public signals of the witness that is right.
            let verified = verifier.verify(&proof, prover.public(witness)?);
            assert_eq!(verified, Ok(()), "a proof that was handed out is true");
            Ok(())
        };
        let (proofs, unsatisfied) =
            flip(&read(circuit, "circuit.zkey"), each, |bytes| prove(parse_key(bytes)?, &witness));
        // Bits of the contributions do not matter; values of coefficients do.
        assert!(
            proofs > each / 2 && (unsatisfied > 0 || each < 10),
            "{circuit}: {proofs} proofs, {unsatisfied} refused"
        );
        let right = key::<P>(circuit);
        let (_, unsatisfied) =
            flip(&read(circuit, "witness.wtns"), each, |bytes| prove(right.clone(), &wtns::parse(bytes)?));
        assert!(unsatisfied > 0 || each < 10);
    }
}
