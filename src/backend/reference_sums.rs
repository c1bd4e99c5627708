//! Sums over curves in the oracle: by doubling and adding, in halo2curves' own arithmetic. With s_ij bit j of scalar i the sum is
//! sum_j 2^j sum_i s_ij P_i, evaluated from the highest bit down.

use halo2curves::ff::PrimeField;
use halo2curves::group::Group;

use super::reference::Reference;
use super::{BasesView, KeepScalars, Memory, Msm, ScalarsView};
use crate::curve::Curve;
use crate::error::Error;
use crate::field::ScalarField;
use crate::meter::Meter;

impl<F: ScalarField> KeepScalars<F> for Reference {}

impl<C: Curve> Msm<C> for Reference {
    fn keep_bases(&self, _: &[C], _: u64) -> Result<Option<Memory>, Error> {
        Ok(None)
    }

    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        sums.fill(C::Projective::identity());
        for (sum, row) in sums.iter_mut().zip(scalars.scalars.chunks(bases.points.len().max(1))) {
            let integers: Vec<_> = row.iter().map(PrimeField::to_repr).collect();
            for bit in (0..C::Scalar::NUM_BITS as usize).rev() {
                *sum = sum.double();
                for (integer, base) in integers.iter().zip(bases.points) {
                    if integer.as_ref()[bit / 8] >> (bit % 8) & 1 == 1 {
                        *sum += *base;
                    }
                }
            }
        }
        Ok(())
    }
}
