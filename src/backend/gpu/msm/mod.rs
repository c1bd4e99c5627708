//! Multi-scalar multiplication on a device.
//!
//! # Mathematical description
//!
//! The bucket method, as on the CPU ([`crate::backend::cpu`]): scalars are cut into signed digits; the bases with digit d at
//! one place, negated where d is negative, are summed in bucket |d| of the place; buckets are weighed by d and added up; places
//! are put together by doubling. With tables of multiples of the bases all places share buckets, and there is
//! no doubling.
//!
//! What a device wants is many like pieces of work, whatever the scalars are:
//!
//! 1. Scalars become signed integers, and the host is told how many have each number of bits. It chooses the digits (`plan.rs`): a column
//!    of bits has one digit.
//! 2. Digits become *entries*, a point's number and a sign, sorted by bucket (`kernels/msm_sort.cl`).
//! 3. The sorted list is cut into runs of equal length, whatever buckets they are in, and an item adds up a run
//!    (`kernels/msm_sum.cl`). Buckets that several runs share are joined, in two steps where they are long: so no skew of scalars makes
//!    one item work longer than another.
//! 4. Items weigh pieces of buckets by running sums, and groups add up the pieces of a set.
//! 5. The host has a point for each set, and puts them together.
//!
//! Rows of a batch are done in one go, each with buckets of its own, as many as fit. A row that is too large for the device's memory is
//! cut into ranges of bases, whose sums the host adds.

mod launches;
mod pass;
mod plan;
pub(super) mod programs;
mod tables;

use self::launches::{AFFINE, SCALAR};
use self::plan::{Division, ENTRIES, LOG_BUCKETS, Shape};
use self::tables::DeviceBases;
use super::Gpu;
use super::device::Device;
use super::scalars::DeviceScalars;
use crate::backend::{BasesView, Kept, Msm, ScalarsView};
use crate::bn254::{CoordinateResidue, Fr, G1, G1Affine, sum_of_xyzz};
use crate::curve::Xyzz;
use crate::error::Error;

type Point = Xyzz<CoordinateResidue>;

/// Bases that are cut no further.
const BLOCK: usize = 1 << 10;
/// Blocks of a part: with 32 places, which no part so large has, its entries could be counted.
const MOST_BLOCKS: usize = ENTRIES / (32 * BLOCK) - 1;

/// Bases whose sum is cut in two, so that the second part is copied to the device while it is at work on the first.
const WORTH_TWO: usize = 1 << 18;
/// The first part is one of so many: copying it overlaps with nothing, and its sum takes as long as copying the rest.
const FIRST_PART: usize = 6;

impl<D: Device> Msm for Gpu<D> {
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        Ok(self.device_bases(points, table_bytes)?.map(|bases| Box::new(bases) as Kept))
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        Ok(self.device_scalars(scalars)?.map(|scalars| Box::new(scalars) as Kept))
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        let (n, rows) = (bases.points.len(), sums.len());
        let input = Input {
            scalars,
            bases,
            kept_scalars: scalars.kept.and_then(|kept| kept.downcast_ref()),
            kept_bases: bases.kept.and_then(|kept| kept.downcast_ref()),
        };
        let mut totals = vec![Xyzz::IDENTITY; rows];
        if n > 0 && rows > 0 {
            let shape = input.wide_shape();
            let words = input.words(n, shape, self.device.info().units);
            let whole = match self.fits(words) && n.saturating_mul(shape.places) < ENTRIES {
                true => {
                    let most =
                        ((1 << LOG_BUCKETS) / shape.buckets()).min(ENTRIES / (n * shape.places)).max(1);
                    self.divide_at_most(rows, words, most, |rows| {
                        let totals = &mut totals[rows.clone()];
                        match rows.len() == 1 && n >= WORTH_TWO && input.kept_scalars.is_none() {
                            true => self.add_in_two(&input, rows, totals),
                            false => self.add_rows(&input, rows, 0..n, totals),
                        }
                    })
                }
                false => Err(Error::OverDeviceBudget { required: 8 * words as u64, budget: self.limit }),
            };
            match whole {
                Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => {
                    totals.fill(Xyzz::IDENTITY);
                    for (row, total) in totals.iter_mut().enumerate() {
                        let total = std::slice::from_mut(total);
                        let count = n.div_ceil(BLOCK);
                        self.divide_at_most(count, words.div_ceil(count), MOST_BLOCKS, |blocks| {
                            let range = blocks.start * BLOCK..n.min(blocks.end * BLOCK);
                            self.add_rows(&input, row..row + 1, range, total)
                        })?;
                    }
                }
                done => done?,
            }
        }
        sums.iter_mut().zip(totals).for_each(|(sum, total)| *sum = sum_of_xyzz(total));
        Ok(())
    }
}

/// What is to be summed.
struct Input<'a> {
    scalars: ScalarsView<'a>,
    bases: BasesView<'a>,
    kept_scalars: Option<&'a DeviceScalars>,
    kept_bases: Option<&'a DeviceBases>,
}

impl Input<'_> {
    fn tables(&self) -> Option<Shape> {
        self.kept_bases.and_then(|bases| bases.shape)
    }

    /// The shape for a row of wide scalars.
    fn wide_shape(&self) -> Shape {
        Shape::cheapest(1, &plan::widest(self.bases.points.len()), self.tables())
    }

    /// Words of device memory for a row of `n` wide scalars on a device of so many units.
    fn words(&self, n: usize, shape: Shape, units: usize) -> usize {
        let division = Division::new(shape, 1, n * shape.places, units);
        let bases = if self.kept_bases.is_none() { AFFINE * n } else { 0 };
        division.words() + 2 * SCALAR * n + bases
    }
}
