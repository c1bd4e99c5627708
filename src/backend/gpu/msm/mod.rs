//! Multi-scalar multiplication on a device.
//!
//! # Mathematical description
//!
//! The bucket method, as on the CPU ([`crate::backend::cpu`]): scalars are cut into windows with signed digits; the bases with
//! digit d in a window, negated where d is negative, are summed in bucket |d| of the window (bucket accumulation); buckets are
//! weighted by d and added up (bucket reduction); the windows' sums are combined by doubling. With tables of multiples of the
//! bases all windows share buckets, and there is no doubling.
//!
//! A device needs many equal pieces of work, whatever the scalars are:
//!
//! 1. Scalars become signed integers, and the device counts how many have each bit length. By these counts the host chooses the
//!    windows (`plan.rs`): a column of bits has a single digit.
//! 2. Digits become *terms*, a point's number and a sign, sorted by bucket (`kernels/msm_sort.cl`).
//! 3. The sorted list is cut into runs of equal length, across buckets, and each item sums one run (`kernels/msm_sum.cl`). The
//!    partial sums of a bucket that several runs share are joined, in two steps where there are many, so that no skew of scalars
//!    makes one item work longer than another.
//! 4. Items reduce pieces of bucket sets by running sums, and groups sum the pieces of a set.
//! 5. The host receives a point for each set, and combines them.
//!
//! Rows of a batch are done together, each with buckets of its own, as many as fit. A row whose scalars are still to be copied,
//! or that is too large for the device's memory, is done in parts (`parts.rs`), ranges of bases that go through steps 1 to 3 one
//! after another. An item starts a bucket with the sum that earlier parts left in it, so that another part costs no further
//! addition, and steps 4 and 5 are done once.

mod accumulation;
mod buckets;
mod launches;
mod parts;
mod plan;
pub(super) mod programs;
mod tables;
#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
mod tests;

use std::ops::Range;

use self::parts::{Pace, while_copying};
use self::plan::{LOG_BUCKETS, Shape, TERMS, longest};
use self::tables::DeviceBases;
use super::Gpu;
use crate::backend::widths::Widths;
use crate::backend::{BaseField, BasesView, KeepScalars, Memory, Msm, Resident, ScalarsView};
use crate::curve::{Coordinate, Curve, Xyzz, projective};
use crate::error::Error;
use crate::meter::Meter;

pub use programs::DeviceCurve;

type Point<C> = Xyzz<Coordinate<C>>;

impl Gpu {
    /// One sum a row: as many rows of scalars as there are sums, over the same bases.
    pub(crate) fn sums<C: DeviceCurve>(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
    ) -> Result<(), Error> {
        let (n, rows) = (bases.points.len(), sums.len());
        let input = Input {
            scalars,
            bases,
            kept_scalars: scalars.kept,
            kept_bases: bases.kept.and_then(|kept| kept.downcast_ref()),
        };
        let mut totals = vec![Xyzz::IDENTITY; rows];
        if n > 0 && rows > 0 {
            match self.sum_rows(&input, &mut totals) {
                Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => {
                    for (row, total) in totals.iter_mut().enumerate() {
                        *total = self.sum_within_budget(&input, row)?;
                    }
                }
                done => done?,
            }
        }
        sums.iter_mut().zip(totals).for_each(|(sum, total)| *sum = projective::<C>(total));
        Ok(())
    }

    /// Whole rows, as many at once as the budget has room for; a row alone whose scalars have to be copied in parts, if there is room for those.
    fn sum_rows<C: DeviceCurve>(&self, input: &Input<'_, C>, totals: &mut [Point<C>]) -> Result<(), Error> {
        let (n, units) = (input.bases.points.len(), self.device.info().units);
        let shape = Shape::cheapest(1, &Widths::alike(n, longest::<C>()), input.tables());
        let words = input.words(&[n], shape, units);
        if !self.fits(words) || n.saturating_mul(shape.windows) >= TERMS {
            return Err(Error::OverDeviceBudget { required: 8 * words as u64, budget: self.limit });
        }
        let parts = while_copying(n);
        let lengths: Vec<_> = parts.iter().map(Range::len).collect();
        let overlapping = input.kept_scalars.is_none() && self.fits(input.words(&lengths, shape, units));
        let most = ((1 << LOG_BUCKETS) / shape.buckets()).min(TERMS / (n * shape.windows)).max(1);
        self.divide_at_most(totals.len(), words, most, &mut |rows| {
            let totals = &mut totals[rows.clone()];
            match overlapping && rows.len() == 1 {
                true => self.add_in_parts(input, &rows, &parts, Pace::Overlapping, totals),
                false => {
                    self.add_in_parts(input, &rows, std::slice::from_ref(&(0..n)), Pace::OneByOne, totals)
                }
            }
        })
    }
}

/// What is to be summed.
struct Input<'a, C: Curve> {
    scalars: ScalarsView<'a, C::Scalar>,
    bases: BasesView<'a, C>,
    kept_scalars: Option<&'a Memory>,
    kept_bases: Option<&'a DeviceBases<C>>,
}

impl<C: Curve> Input<'_, C> {
    fn tables(&self) -> Option<Shape> {
        self.kept_bases.and_then(|bases| bases.shape)
    }
}

impl<F: BaseField> KeepScalars<F> for Gpu {
    /// `None` for scalars that exceed the budget, and for no scalars.
    fn keep_scalars(&self, scalars: &[F]) -> Result<Option<Memory>, Error> {
        let words = F::words(scalars);
        if words.is_empty() || !self.fits(words.len()) {
            return Ok(None);
        }
        self.upload(words).map(Some)
    }
}

impl<C: DeviceCurve> Msm<C> for Gpu {
    fn keep_bases(&self, points: &[C], table_bytes: u64) -> Result<Option<Memory>, Error> {
        Ok(self.device_bases(points, table_bytes)?.map(Memory::new))
    }

    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        self.sums(scalars, bases, sums)
    }
}
