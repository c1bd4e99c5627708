//! Multi-scalar multiplication on all cores.
//!
//! # Mathematical description
//!
//! Pippenger's bucket method (1976; Bernstein, Doumen, Lange and Oosterwijk, Indocrypt 2012): scalars are cut into windows of
//! c bits with signed digits ([`integers`]); the bases with digit d in a window, negated where d is negative, are added into
//! bucket |d| of that window (bucket accumulation, [`buckets`], by batched affine addition, [`affine_batch`]); the sum of d times
//! bucket d, over all d, is the sum of that window (bucket reduction); and windows are put together by doubling c times between them. c
//! balances the number of windows against that of buckets ([`plan`]), for the widths that the scalars have: a column of bits is a
//! single bucket.
//!
//! The reduction of many buckets is the same problem again, with short weights: cut into two digits, it takes two affine sums a
//! bucket where a running sum takes two projective ones.
//!
//! With [`tables`] of multiples by 2^(c S t), window t S + s of every base goes to bucket set s, so that there are fewer sets
//! to be reduced and windows can be larger.

mod affine_batch;
mod buckets;
mod integers;
mod plan;
mod tables;
#[cfg(test)]
mod tests;

use std::marker::PhantomData;

use self::buckets::{Buckets, Entry};
use self::integers::{Integers, NEGATIVE};
use self::plan::{Plan, SHORT, Task};
use self::tables::Tables;
use super::Cpu;
use super::residues::{Coordinates, VectorisedField, on_coordinates};
use crate::backend::{BasesView, KeepScalars, Memory, Msm, ScalarsView};
use crate::curve::{Affine, Coordinate, Curve, Xyzz, affine_points, projective};
use crate::error::Error;
use crate::field::ScalarField;
use crate::field::coordinates::LazyElement;
use crate::field::integer::Integer;
use crate::meter::Meter;
use crate::parallel::{for_each_chunk, for_each_chunk_with, threads};

/// Rows of fewer scalars are spread over the threads as wholes.
const SMALL_ROW: usize = 1 << 12;

impl<F: ScalarField> KeepScalars<F> for Cpu {
    /// Scalars as signed integers.
    fn keep_scalars(&self, scalars: &[F]) -> Result<Option<Memory>, Error> {
        Ok(Some(Memory::new(Integers::new(scalars)?)))
    }
}

impl<C: Curve<Base: VectorisedField>> Msm<C> for Cpu {
    /// Tables of multiples of bases; `None` where they gain nothing.
    fn keep_bases(&self, points: &[C], table_bytes: u64) -> Result<Option<Memory>, Error> {
        let tables = Tables::new(affine_points(points), integers::longest::<C>(), table_bytes)?;
        Ok(tables.map(Memory::new))
    }

    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
        meter: &Meter<'_>,
    ) -> Result<(), Error> {
        let n = bases.points.len();
        if n == 0 {
            sums.fill(projective::<C>(Xyzz::IDENTITY));
            return Ok(());
        }
        let kept = scalars.kept.filter(|_| C::COFACTOR_IS_ONE);
        let kept = kept.and_then(|kept| kept.downcast_ref::<Integers<C::Scalar>>());
        let made = match kept {
            Some(_) => Integers::none(),
            None if C::COFACTOR_IS_ONE => Integers::new(scalars.scalars)?,
            None => Integers::unsigned(scalars.scalars)?,
        };
        let integers = kept.unwrap_or(&made).as_slice();
        let tables = bases.kept.and_then(|kept| kept.downcast_ref::<Tables<Coordinate<C>>>());
        let bases =
            Bases { points: affine_points(bases.points), tables: tables.map(|tables| (tables, bases.first)) };
        let meter = &meter.parts(sums.len());
        // Rows that are divided themselves come one after another, which bounds the memory for buckets.
        let together = if n < SMALL_ROW { 1 } else { sums.len().max(1) };
        on_coordinates!(self.simd, C::Base, coordinates, {
            for_each_chunk(sums, together, |number, sums| {
                let rows = integers[number * together * n..].chunks(n);
                sums.iter_mut().zip(rows).for_each(|(sum, row)| {
                    *sum = projective::<C>(bases.sum(coordinates, row, meter));
                });
            });
        });
        Ok(())
    }
}

/// What one task after another uses: buckets, and those of bucket reductions.
struct Scratch<R: Coordinates>([Buckets<R>; 2]);

impl<R: Coordinates> Scratch<R> {
    fn new() -> Self {
        Self([Buckets::new(), Buckets::new()])
    }
}

/// Bases, and tables of their multiples with the index where the bases begin in them.
struct Bases<'a, T> {
    points: &'a [Affine<T>],
    tables: Option<(&'a Tables<T>, usize)>,
}

impl<T: LazyElement> Bases<'_, T> {
    /// The sum of every integer times its base: a part of the meter.
    fn sum<R: Coordinates<Element = T>, I: Integer>(
        &self,
        _: PhantomData<R>,
        integers: &[I],
        meter: &Meter<'_>,
    ) -> Xyzz<T> {
        let shape = self.tables.map(|(tables, _)| tables.shape);
        let plan = Plan::new(&integers::widths(integers), shape, threads());
        let part = meter.part();
        let meter = &part.of(plan.tasks.iter().map(|task| plan.additions(task)).sum());
        let mut parts = vec![Vec::new(); plan.tasks.len()];
        for_each_chunk_with(&mut parts, 1, Scratch::<R>::new, |scratch, number, part| {
            part[0] = self.run(scratch, &plan, &plan.tasks[number], integers, meter);
        });
        let mut sets = vec![Xyzz::IDENTITY; plan.sets];
        for (task, sums) in plan.tasks.iter().zip(parts) {
            for (set, sum) in sets[task.sets.clone()].iter_mut().zip(sums) {
                *set = set.add(&sum);
            }
        }
        sets.into_iter()
            .rev()
            .fold(Xyzz::IDENTITY, |sum, set| (0..plan.digits.bits).fold(sum, |sum, _| sum.double()).add(&set))
    }

    /// The sums of a task's bucket sets over its bases.
    fn run<R: Coordinates<Element = T>, I: Integer>(
        &self,
        scratch: &mut Scratch<R>,
        plan: &Plan,
        task: &Task,
        integers: &[I],
        meter: &Meter<'_>,
    ) -> Vec<Xyzz<T>> {
        let Plan { digits, sets, .. } = *plan;
        let [buckets, for_reduction] = &mut scratch.0;
        buckets.empty(digits.largest * task.sets.len(), digits.largest);
        // Where bases lie, and how far their next multiples are.
        let (points, before, stride) = match self.tables {
            Some((tables, first)) if plan.tables > 1 => {
                (&tables.points[..], first + task.bases.start, tables.count)
            }
            _ => (&self.points[task.bases.clone()], 0, 0),
        };
        let chunk = plan.chunk(task);
        for (i, integers) in integers[task.bases.clone()].chunks(chunk).enumerate() {
            let first = before + i * chunk;
            for (slot, set) in task.sets.clone().enumerate() {
                for (table, window) in (set..digits.windows as usize).step_by(sets).enumerate() {
                    let (window, before) =
                        (digits.window(window as u32, I::LIMBS), (slot * digits.largest) as u32);
                    let first = first + table * stride;
                    let entries = integers.iter().enumerate().map(|(i, integer)| {
                        let digit = window.digit(integer);
                        let magnitude = digit & !NEGATIVE;
                        let term = (first + i) as u32 | digit & NEGATIVE;
                        Entry { bucket: before + magnitude, term, exists: magnitude > 0 }
                    });
                    buckets.add(entries, points);
                }
            }
            if buckets.has_many_deferred() {
                buckets.finish(points);
            }
            meter.advance(integers.len() * plan.windows(task));
        }
        buckets.finish(points);
        let sums = buckets.sums.chunks(digits.largest).map(|sums| {
            let sum = reduce(for_reduction, sums);
            meter.advance(Plan::REDUCTION * sums.len());
            sum
        });
        sums.collect()
    }
}

/// Bucket reduction: the sum of i + 1 times the point at index i.
fn reduce<R: Coordinates>(buckets: &mut Buckets<R>, points: &[Affine<R::Element>]) -> Xyzz<R::Element> {
    if points.len() <= SHORT {
        return running_sum(points);
    }
    // Weights have two digits of about the same length, each with buckets.
    let low_bits = (usize::BITS - points.len().leading_zeros()).div_ceil(2);
    let (low_count, high_count) = ((1 << low_bits) - 1, points.len() >> low_bits);
    buckets.empty(low_count + high_count, 0);
    let entries = (0..2 * points.len()).map(|i| {
        let (i, is_low) = (i / 2, i % 2 == 0);
        let (before, digit) =
            if is_low { (0, (i + 1) & low_count) } else { (low_count, (i + 1) >> low_bits) };
        let exists = digit > 0 && !points[i].is_identity();
        Entry { bucket: (before + digit) as u32, term: i as u32, exists }
    });
    buckets.add(entries, points);
    buckets.finish(points);
    let (low, high) = buckets.sums.split_at(low_count);
    (0..low_bits).fold(running_sum(high), |sum, _| sum.double()).add(&running_sum(low))
}

/// The same for few points: the sum of all sums of the last points.
fn running_sum<T: LazyElement>(points: &[Affine<T>]) -> Xyzz<T> {
    let both = points.iter().rev().fold((Xyzz::IDENTITY, Xyzz::IDENTITY), |(last, sum), point| {
        let last: Xyzz<_> = last.add_affine(point);
        (last, sum.add(&last))
    });
    both.1
}
