//! Sums over curves in the oracle: by doubling and adding, in halo2curves' own arithmetic.

use halo2curves::ff::PrimeField;
use halo2curves::group::Group;

use super::reference::Reference;
use super::{BasesView, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::curve::Curve;
use crate::error::Error;

impl Reference {
    /// One sum a row: as many rows of scalars as there are sums, over the same bases.
    pub(crate) fn sums<C: Curve>(&self, scalars: &[C::Scalar], bases: &[C], sums: &mut [C::Projective]) {
        sums.fill(C::Projective::identity());
        for (sum, row) in sums.iter_mut().zip(scalars.chunks(bases.len().max(1))) {
            for (scalar, base) in row.iter().zip(bases) {
                *sum += multiple(scalar, base);
            }
        }
    }
}

/// s P, from the highest bit of s down.
fn multiple<C: Curve>(scalar: &C::Scalar, base: &C) -> C::Projective {
    let bytes = scalar.to_repr();
    let bits = bytes.as_ref().iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold(
        C::Projective::identity(),
        |sum, bit| if bit == 1 { sum.double() + *base } else { sum.double() },
    )
}

impl Msm for Reference {
    fn keep_bases(&self, _: &[G1Affine], _: u64) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn keep_scalars(&self, _: &[Fr]) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        self.sums(scalars.scalars, bases.points, sums);
        Ok(())
    }
}
