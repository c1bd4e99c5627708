//! BN254 in the oracle: sums by doubling and adding, in halo2curves' own arithmetic.

use halo2curves::ff::PrimeField;
use halo2curves::group::Group;

use super::reference::Reference;
use super::{BasesView, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;

impl Msm for Reference {
    fn keep_bases(&self, _: &[G1Affine], _: u64) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn keep_scalars(&self, _: &[Fr]) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        sums.fill(G1::identity());
        for (sum, row) in sums.iter_mut().zip(scalars.scalars.chunks(bases.points.len().max(1))) {
            for (scalar, base) in row.iter().zip(bases.points) {
                *sum += multiple(scalar, base);
            }
        }
        Ok(())
    }
}

/// s P, from the highest bit of s down.
fn multiple(scalar: &Fr, base: &G1Affine) -> G1 {
    let bytes = scalar.to_repr();
    let bits = bytes.as_ref().iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold(G1::identity(), |sum, bit| if bit == 1 { sum.double() + base } else { sum.double() })
}
