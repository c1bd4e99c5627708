//! Sums over curves in the oracle: by doubling and adding, in halo2curves' own arithmetic.

use halo2curves::ff::PrimeField;
use halo2curves::group::Group;

use super::reference::Reference;
use super::{BasesView, KeepScalars, Memory, Msm, ScalarsView};
use crate::curve::Curve;
use crate::error::Error;
use crate::field::MontgomeryField;

/// s P, from the highest bit of s down.
fn multiple<C: Curve>(scalar: &C::Scalar, base: &C) -> C::Projective {
    let bytes = scalar.to_repr();
    let bits = bytes.as_ref().iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold(
        C::Projective::identity(),
        |sum, bit| if bit == 1 { sum.double() + *base } else { sum.double() },
    )
}

impl<F: MontgomeryField> KeepScalars<F> for Reference {}

impl<C: Curve> Msm<C> for Reference {
    fn keep_bases(&self, _: &[C], _: u64) -> Result<Option<Memory>, Error> {
        Ok(None)
    }

    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
    ) -> Result<(), Error> {
        sums.fill(C::Projective::identity());
        for (sum, row) in sums.iter_mut().zip(scalars.scalars.chunks(bases.points.len().max(1))) {
            for (scalar, base) in row.iter().zip(bases.points) {
                *sum += multiple(scalar, base);
            }
        }
        Ok(())
    }
}
