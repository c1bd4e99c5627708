//! Proves the knowledge of messages with zcash's halo2_proofs over Vesta, verifies, and says what the engine had to do with it ([`program`]).

mod circuit;
#[path = "../../example/src/program.rs"]
mod program;

use circuit::{Chain, chain, message, start};
use halo2_proofs::pasta::{EqAffine, Fp};
use halo2_proofs::plonk::{ProvingKey, SingleVerifier, create_proof, keygen_pk, keygen_vk, verify_proof};
use halo2_proofs::poly::commitment::Params;
use halo2_proofs::transcript::{Blake2bRead, Blake2bWrite, Challenge255};
use program::{Amounts, Answer, Program};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Pairs of the sums of a proof of n rows. Commitments have one pair more than rows: to the public values, two columns of advice, the lookup's two permuted columns, two grand
/// products, a random polynomial, three pieces of the quotient, the polynomial of the openings, and a random one beside it. The argument of inner products halves its two lists of n / 2
/// pairs until they are too short to ask for.
fn pairs(n: u64) -> u64 {
    (1 + 2 + 2 + 2 + 1 + 3 + 1 + 1) * (n + 1) + 2 * (n - 8)
}

/// Points of the transforms of a proof of n rows: public values, two columns of advice, two permuted columns and two grand products become coefficients, and then values on the
/// extended domain of 4 n points; the quotient's values there become coefficients.
fn points(n: u64) -> u64 {
    let polynomials = 1 + 2 + 2 + 2;
    (polynomials + 4 * polynomials + 4) * n
}

struct Prover {
    k: u32,
    parameters: Params<EqAffine>,
    key: ProvingKey<EqAffine>,
}

impl Prover {
    fn accepts(&self, end: Fp, proof: &[u8]) -> bool {
        let mut transcript = Blake2bRead::<_, _, Challenge255<_>>::init(proof);
        let verifier = SingleVerifier::new(&self.parameters);
        let public = [start(), end];
        verify_proof(&self.parameters, self.key.get_vk(), verifier, &[&[&public]], &mut transcript).is_ok()
    }
}

/// The hash of a message.
fn end(message: &[u8]) -> Fp {
    chain(message)[message.len()]
}

impl Program for Prover {
    fn new(k: u32) -> Answer<Self> {
        let parameters = Params::new(k);
        let circuit = Chain { k, message: None };
        let key = keygen_pk(&parameters, keygen_vk(&parameters, &circuit)?, &circuit)?;
        Ok(Self { k, parameters, key })
    }

    fn prove(&self, number: u64) -> Answer<Vec<u8>> {
        let message = message(self.k, number);
        let public = [start(), end(&message)];
        let circuit = Chain { k: self.k, message: Some(message) };
        let mut transcript = Blake2bWrite::<_, _, Challenge255<_>>::init(Vec::new());
        let random = StdRng::seed_from_u64(number);
        create_proof(&self.parameters, &self.key, &[circuit], &[&[&public]], random, &mut transcript)?;
        Ok(transcript.finalize())
    }

    fn check(&self, number: u64, proof: &[u8]) -> Answer<()> {
        let end = end(&message(self.k, number));
        match (self.accepts(end, proof), self.accepts(end + Fp::one(), proof)) {
            (true, false) => Ok(()),
            (false, _) => Err(format!("proof {number} is refused").into()),
            (true, true) => Err(format!("proof {number} is accepted for another hash").into()),
        }
    }

    fn work(k: u32) -> Amounts {
        Amounts { pairs: pairs(1 << k), points: points(1 << k), rows: 0 }
    }
}

fn main() -> Answer<()> {
    program::run::<Prover>()
}
