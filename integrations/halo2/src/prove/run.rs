//! What the steps of a proof share: the key and the residence of its matrices, commitments, and what is said to the transcript.

use halo2_axiom::halo2curves::bn256::{self, Bn256, G1Affine};
use halo2_axiom::poly::commitment::ParamsProver;
use halo2_axiom::poly::kzg::commitment::ParamsKZG;
use halo2_axiom::transcript::{EncodedChallenge, TranscriptWrite};
use zkaccel::Error;
use zkaccel::bn254::{Fr, G1};
use zkaccel::resident::DeviceMatrix;

use super::convert::{ours, sum};
use super::error::ProveError;
use super::key::Key;
use super::residence::Residence;

/// What the steps of a proof share.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) key: &'a Key,
    pub(super) residence: &'a Residence,
    pub(super) params: &'a ParamsKZG<Bn256>,
}

impl Run<'_> {
    /// Commitments to polynomials by their coefficients.
    pub(super) fn commit(&self, coefficients: &DeviceMatrix<Fr>) -> Result<Vec<G1>, Error> {
        self.residence.engine.msm_batch(coefficients, self.key.bases(self.params.get_g()))
    }
}

/// Writes commitments.
pub(super) fn write_points<E, T>(transcript: &mut T, points: &[G1]) -> Result<(), ProveError>
where
    E: EncodedChallenge<G1Affine>,
    T: TranscriptWrite<G1Affine, E>,
{
    for point in points {
        transcript.write_point(G1Affine::from(sum(point)))?;
    }
    Ok(())
}

/// A challenge.
pub(super) fn squeeze<E, T>(transcript: &mut T) -> Fr
where
    E: EncodedChallenge<G1Affine>,
    T: TranscriptWrite<G1Affine, E>,
{
    let challenge: bn256::Fr = *transcript.squeeze_challenge_scalar::<()>();
    ours(&challenge)
}
