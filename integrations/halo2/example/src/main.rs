//! Proves the knowledge of messages with halo2-axiom, verifies, and says what the engine had to do with it ([`program`]).

mod circuit;
mod program;

use circuit::{Chain, message};
use halo2_axiom::halo2curves::bn256::{Bn256, Fr, G1Affine};
use halo2_axiom::plonk::{ProvingKey, create_proof, keygen_pk, keygen_vk, verify_proof};
use halo2_axiom::poly::kzg::commitment::{KZGCommitmentScheme, ParamsKZG};
use halo2_axiom::poly::kzg::multiopen::{ProverSHPLONK, VerifierSHPLONK};
use halo2_axiom::poly::kzg::strategy::SingleStrategy;
use halo2_axiom::transcript::{
    Blake2bRead, Blake2bWrite, Challenge255, TranscriptReadBuffer, TranscriptWriterBuffer,
};
use program::{Amounts, Answer, Program};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Pairs of the sums of a proof of n rows: commitments to four columns of advice, the lookup's two permuted columns, two grand products, a
/// random polynomial and three pieces of the quotient, and two openings, of which the second is of degree n - 2.
fn pairs(n: u64) -> u64 {
    (4 + 2 + 2 + 1 + 3 + 2) * n - 1
}

/// Points of the transforms of a proof of n rows: one instance, four columns of advice, two permuted columns and two grand products become
/// coefficients; on each of the four cosets that make the extended domain are values of those, of three fixed columns, of three
/// Lagrange polynomials, of two permutations and of X; and the quotient, of 4 n values, becomes coefficients.
fn points(n: u64) -> u64 {
    let polynomials = 1 + 4 + 2 + 2;
    (polynomials + 4 * (polynomials + 3 + 3 + 2 + 1) + 4) * n
}

/// Rows of the row programs of a proof of n rows: all constraints are one program, which runs on each of the four cosets.
fn rows(n: u64) -> u64 {
    4 * n
}

struct Prover {
    k: u32,
    srs: ParamsKZG<Bn256>,
    key: ProvingKey<G1Affine>,
}

impl Prover {
    fn accepts(&self, end: Fr, proof: &[u8]) -> bool {
        let mut transcript = Blake2bRead::<_, _, Challenge255<_>>::init(proof);
        verify_proof::<KZGCommitmentScheme<Bn256>, VerifierSHPLONK<Bn256>, _, _, _>(
            &self.srs,
            self.key.get_vk(),
            SingleStrategy::new(&self.srs),
            &[&[&[circuit::start(), end]]],
            &mut transcript,
        )
        .is_ok()
    }
}

impl Program for Prover {
    /// A setup whose secret anybody can know: for proofs that convince nobody.
    fn new(k: u32) -> Answer<Self> {
        let srs = ParamsKZG::setup(k, StdRng::seed_from_u64(1));
        let circuit = Chain { k, message: None };
        let key = keygen_pk(&srs, keygen_vk(&srs, &circuit)?, &circuit)?;
        Ok(Self { k, srs, key })
    }

    fn prove(&self, number: u64) -> Answer<Vec<u8>> {
        let message = message(self.k, number);
        let ends = [circuit::start(), circuit::end(&message)];
        let circuit = Chain { k: self.k, message: Some(message) };
        let mut transcript = Blake2bWrite::<_, _, Challenge255<_>>::init(Vec::new());
        create_proof::<KZGCommitmentScheme<Bn256>, ProverSHPLONK<Bn256>, _, _, _, _>(
            &self.srs,
            &self.key,
            &[circuit],
            &[&[&ends[..]]],
            StdRng::seed_from_u64(number),
            &mut transcript,
        )?;
        Ok(transcript.finalize())
    }

    fn check(&self, number: u64, proof: &[u8]) -> Answer<()> {
        let end = circuit::end(&message(self.k, number));
        match (self.accepts(end, proof), self.accepts(end + Fr::one(), proof)) {
            (true, false) => Ok(()),
            (false, _) => Err(format!("proof {number} is refused").into()),
            (true, true) => Err(format!("proof {number} is accepted for another hash").into()),
        }
    }

    fn work(k: u32) -> Amounts {
        let n = 1 << k;
        Amounts { pairs: pairs(n), points: points(n), rows: rows(n) }
    }
}

fn main() -> Answer<()> {
    program::run::<Prover>()
}
