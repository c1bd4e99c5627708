//! Buckets while they are filled, and their reduction.

use std::marker::PhantomData;

use bytemuck::Zeroable;

use super::Point;
use super::launches::Reduction;
use super::plan::{Division, Shape};
use super::programs::DeviceCurve;
use crate::backend::gpu::session::{Region, Session};
use crate::curve::{CoordinateLimbs, Xyzz};
use crate::error::Error;
use crate::field::coordinates::LazyElement;
use crate::parallel::for_each_chunk;

/// The buckets of rows, and the session that adds the last part to them and may still be running.
pub(super) struct Buckets<'a, C> {
    pub(super) session: Session<'a>,
    pub(super) memory: Reduction,
    /// The division of the last part. Those of other parts have the same buckets and pieces.
    pub(super) division: Division,
    pub(super) rows: usize,
    /// Whether they are reduced; otherwise further parts may be added.
    pub(super) reduced: bool,
    pub(super) curve: PhantomData<C>,
}

impl Reduction {
    /// Allocates the memory.
    pub(super) fn new<C: DeviceCurve>(session: &mut Session<'_>, division: Division) -> Result<Self, Error> {
        let [sums, weighted, plain, halfway, result] = Self::words::<C>(division);
        Ok(Self {
            sums: session.allocate(sums)?,
            weighted: session.allocate(weighted)?,
            plain: session.allocate(plain)?,
            halfway: session.allocate(halfway)?,
            result: session.allocate(result)?,
        })
    }

    fn regions(self) -> [Region; 5] {
        let Self { sums, weighted, plain, halfway, result } = self;
        [sums, weighted, plain, halfway, result]
    }
}

impl<'a, C: DeviceCurve> Buckets<'a, C> {
    /// Their digits.
    pub(super) fn shape(&self) -> Shape {
        self.division.shape
    }

    /// Waits for the last part, and moves the buckets to another session.
    pub(super) fn give(self, to: &mut Session<'a>) -> Result<Reduction, Error> {
        let [sums, weighted, plain, halfway, result] = self.session.give(self.memory.regions(), to)?;
        Ok(Reduction { sums, weighted, plain, halfway, result })
    }

    /// Waits for the last part, and frees its memory except for the buckets.
    pub(super) fn alone(self, mut session: Session<'a>) -> Result<Self, Error> {
        let Self { division, rows, reduced, curve, .. } = self;
        let memory = self.give(&mut session)?;
        Ok(Self { session, memory, division, rows, reduced, curve })
    }

    /// Reduces the buckets unless they are reduced, waits, and adds the sums of rows to `totals`.
    pub(super) fn end(mut self, totals: &mut [Point<C>]) -> Result<(), Error> {
        let division = self.division;
        if !self.reduced {
            let limits = self.session.limits();
            self.session.launch(&self.memory.launches::<C>(limits, division))?;
        }
        let row = Reduction::kinds(division) / self.rows;
        let mut limbs = vec![[CoordinateLimbs::<C>::zeroed(); 4]; row * self.rows];
        self.session.download(self.memory.result, 0, bytemuck::cast_slice_mut(&mut limbs))?;
        for_each_chunk(totals, 1, |number, total| {
            let sum = sum_of_sets::<C>(&limbs[number * row..][..row], division);
            total[0] = total[0].add(&sum);
        });
        Ok(())
    }
}

/// The sum of a row from the sums of its bucket sets.
fn sum_of_sets<C: DeviceCurve>(row: &[[CoordinateLimbs<C>; 4]], division: Division) -> Point<C> {
    let doubled = |point, times| (0..times).fold(point, |point: Point<C>, _| point.double());
    let set = |kinds: &[[CoordinateLimbs<C>; 4]]| {
        let bits = kinds[1..].iter().rev();
        let numbers = bits.fold(Xyzz::IDENTITY, |sum, &bit| sum.double().add(&point::<C>(bit)));
        doubled(numbers, division.piece.ilog2()).add(&point::<C>(kinds[0]))
    };
    let sets = row.chunks(division.log_pieces() as usize + 1).rev();
    sets.fold(Xyzz::IDENTITY, |sum, kinds| doubled(sum, division.shape.bits).add(&set(kinds)))
}

/// A point in the form that kernels write.
fn point<C: DeviceCurve>(limbs: [CoordinateLimbs<C>; 4]) -> Point<C> {
    let [x, y, zz, zzz] = limbs.map(LazyElement::of_limbs);
    Xyzz { x, y, zz, zzz }
}
