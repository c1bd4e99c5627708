//! Multi-scalar multiplication: one sum is divided into sums over ranges of its bases, of which each device keeps its own, so
//! that none must hold all; a batch over bases that are not kept is divided by rows.

use std::any::TypeId;
use std::ops::Range;

use halo2curves::ff::Field;
use halo2curves::group::{Curve as _, Group};

use super::keep::KeptRange;
use super::{SAMPLE, random_indices, random_word};
use crate::backend::reference::Reference;
use crate::backend::{AcceleratedCurve, Backend, BasesView, Memory, Msm, ScalarsView};
use crate::curve::Curve;
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Home, Kind, Measured, Member, Operation, Share, Stored, Untested,
    timed,
};
use crate::error::Error;
use crate::memory;
use crate::meter::Meter;
use crate::work::{Activity, Size};

/// Bases of a sum.
#[derive(Clone, Copy)]
pub(crate) struct Bases<'a, C> {
    pub(crate) points: &'a [C],
    /// The kept ranges of all bases, of which `points` are a part; empty for bases that are not kept.
    pub(crate) kept: &'a [KeptRange],
    /// The index of the first of `points` among the kept bases.
    pub(crate) first: usize,
}

/// Scalars of sums, row after row.
#[derive(Clone, Copy)]
pub(crate) enum Scalars<'a, F> {
    /// In host memory, with the ranges that devices keep.
    Host(&'a [F], &'a [KeptRange]),
    /// In a device's memory alone: so many of them.
    Device(&'a Stored, usize),
}

impl<F> Scalars<'_, F> {
    fn len(&self) -> usize {
        match self {
            Self::Host(scalars, _) => scalars.len(),
            Self::Device(_, len) => *len,
        }
    }

    fn host(&self) -> &[F] {
        match self {
            Self::Host(scalars, _) => scalars,
            Self::Device(..) => &[],
        }
    }
}

/// One sum a row: `rows` rows of as many scalars as there are bases.
pub(crate) struct Sum<'a, C: Curve> {
    pub(crate) scalars: Scalars<'a, C::Scalar>,
    pub(crate) bases: Bases<'a, C>,
    pub(crate) rows: usize,
}

/// The kind of a sum.
pub(crate) const fn kind<C: AcceleratedCurve>() -> Kind {
    Kind { name: Activity::MSM.name, variant: C::NAME, sample: sample::<C> }
}

/// The cost of sums of so many pairs.
pub(super) fn costs<C: AcceleratedCurve>(pairs: usize) -> Vec<Cost> {
    vec![Cost { kind: kind::<C>(), work: [pairs as f64; 2] }]
}

macro_rules! costs_by_scalars {
    ($($affine:path, $name:literal;)*) => {
        /// The cost of sums of so many scalars, over the first curve in the list with these scalars.
        pub(super) fn costs_of_scalars<F: 'static>(pairs: usize) -> Vec<Cost> {
            $(if TypeId::of::<F>() == TypeId::of::<<$affine as Curve>::Scalar>() {
                return costs::<$affine>(pairs);
            })*
            Vec::new()
        }
    };
}
crate::for_every_curve!(costs_by_scalars);

/// The number of bases in a sample; larger samples repeat them.
const POINTS: usize = 1 << 10;

fn sample<C: AcceleratedCurve>(backend: &dyn Backend, log: u32) -> Measured {
    let generator = C::Projective::generator();
    let few = POINTS.min(1 << log);
    let multiples: Vec<_> =
        std::iter::successors(Some(generator), |point| Some(*point + generator)).take(few).collect();
    let mut bases = vec![C::default(); few];
    C::Projective::batch_normalize(&multiples, &mut bases);
    let points: Vec<_> = bases.iter().cycle().take(1 << log).copied().collect();
    let ratio = -C::Scalar::from(3);
    let scalars: Vec<_> =
        std::iter::successors(Some(C::Scalar::ONE), |power| Some(*power * ratio)).take(1 << log).collect();
    let mut sum = [C::Projective::identity()];
    let scalars = ScalarsView { scalars: &scalars, kept: None };
    let bases = BasesView { points: &points, kept: None, first: 0 };
    timed(|| C::sums(backend).msm(scalars, bases, &mut sum, &Meter::silent()), [f64::from(1u32 << log); 2])
}

/// The sum over some of the bases of some of the rows, as one device computes it.
pub(crate) struct Part<'a, C: Curve> {
    sum: Sum<'a, C>,
    /// The range of bases.
    bases: Range<usize>,
    /// The range of rows.
    rows: Range<usize>,
}

impl<'a, C: Curve> Sum<'a, C> {
    /// The whole operation.
    fn whole(self) -> Part<'a, C> {
        Part { bases: 0..self.bases.points.len(), rows: 0..self.rows, sum: self }
    }
}

impl<'a, C: Curve> Part<'a, C> {
    /// The bases that the device keeps, with the index of the first one used.
    fn kept_bases(&self, device: &Member) -> Option<(&'a Memory, usize)> {
        let first = self.sum.bases.first;
        let range = first + self.bases.start..first + self.bases.end;
        let covers = |own: &&KeptRange| {
            own.member == device.index() && own.range.start <= range.start && range.end <= own.range.end
        };
        let own = self.sum.bases.kept.iter().find(covers)?;
        Some((own.kept.as_ref()?.contents(), range.start - own.range.start))
    }

    /// The scalars that the device keeps: their ranges are those of the bases where both are whole and of one length.
    fn kept_scalars(&self, device: &Member) -> Option<&'a Memory> {
        match self.sum.scalars {
            Scalars::Device(stored, _) => Some(stored.contents()),
            Scalars::Host(_, kept) if self.sum.rows == 1 => {
                KeptRange::find(kept, device.index(), self.bases.clone()).map(Stored::contents)
            }
            Scalars::Host(scalars, kept) if self.bases.len() * self.rows.len() == scalars.len() => {
                KeptRange::find(kept, device.index(), 0..scalars.len()).map(Stored::contents)
            }
            Scalars::Host(..) => None,
        }
    }
}

impl<C: AcceleratedCurve> Call for Part<'_, C> {
    /// The rows and their sums.
    type Output = (Range<usize>, Vec<C::Projective>);

    fn size(&self, device: &Member) -> Size {
        let (pairs, sums) = (self.bases.len() * self.rows.len(), self.rows.len());
        let moved = |bytes: usize, kept: bool| if kept { 0 } else { bytes };
        let bytes_in = moved(pairs * size_of::<C::Scalar>(), self.kept_scalars(device).is_some())
            + moved(self.bases.len() * size_of::<C>(), self.kept_bases(device).is_some());
        Activity::MSM.of(pairs, bytes_in, sums * size_of::<C::Projective>())
    }

    fn run(self, device: &Member) -> Result<Self::Output, Error> {
        self.run_metered(device, &Meter::silent())
    }

    fn run_metered(self, device: &Member, meter: &Meter<'_>) -> Result<Self::Output, Error> {
        let width = self.sum.bases.points.len();
        let mut sums = vec![C::Projective::identity(); self.rows.len()];
        let all = self.sum.scalars.host();
        let mut pieces = Vec::new();
        let scalars = match (&self.sum.scalars, self.bases.len() == width) {
            (Scalars::Device(..), _) => all,
            (_, true) => &all[self.rows.start * width..self.rows.end * width],
            (_, false) if self.rows.len() == 1 => &all[self.rows.start * width..][self.bases.clone()],
            // The pieces of the rows, contiguous.
            _ => {
                pieces = memory::filled(self.rows.len() * self.bases.len(), C::Scalar::ZERO)?;
                let rows = all[self.rows.start * width..self.rows.end * width].chunks_exact(width);
                for (row, piece) in rows.zip(pieces.chunks_exact_mut(self.bases.len().max(1))) {
                    piece.copy_from_slice(&row[self.bases.clone()]);
                }
                &pieces[..]
            }
        };
        let scalars = ScalarsView { scalars, kept: self.kept_scalars(device) };
        let (kept, first) = self.kept_bases(device).unzip();
        let points = &self.sum.bases.points[self.bases.clone()];
        let bases = BasesView { points, kept, first: first.unwrap_or(0) };
        C::sums(device.backend()).msm(scalars, bases, &mut sums, meter)?;
        drop(pieces);
        Ok((self.rows, sums))
    }
}

impl<C: AcceleratedCurve> Call for Sum<'_, C> {
    type Output = Vec<C::Projective>;

    fn size(&self, device: &Member) -> Size {
        let &Self { scalars, bases, rows } = self;
        Sum { scalars, bases, rows }.whole().size(device)
    }

    fn run(self, device: &Member) -> Result<Vec<C::Projective>, Error> {
        self.run_metered(device, &Meter::silent())
    }

    fn run_metered(self, device: &Member, meter: &Meter<'_>) -> Result<Vec<C::Projective>, Error> {
        self.whole().run_metered(device, meter).map(|(_, sums)| sums)
    }
}

impl<C: AcceleratedCurve> Operation for Sum<'_, C> {
    fn costs(&self) -> Vec<Cost> {
        costs::<C>(self.scalars.len())
    }

    fn home(&self) -> Home {
        if let Scalars::Device(stored, _) = self.scalars {
            return Home::At(stored.member());
        }
        let Bases { points, kept, first } = self.bases;
        let all = first..first + points.len();
        let parts = kept.iter().filter_map(|own| {
            let (start, end) = (own.range.start.max(all.start), own.range.end.min(all.end));
            (start < end).then(|| (own.member, start - first..end - first))
        });
        Home::Parts(parts.collect())
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Vec<C::Projective>, Error> {
        dispatcher.divided(self)
    }

    fn tested(self, untested: &Untested<'_>) -> Result<Vec<C::Projective>, Error> {
        const TEST: &str = "the check of a sum";
        let Self { scalars, bases, rows } = self;
        let sums = untested.run(Self { scalars, bases, rows })?;
        let (points, scalars, width) = (bases.points, scalars.host(), bases.points.len());
        if rows == 0 || width <= 2 * SAMPLE {
            for (i, sum) in sums.iter().enumerate() {
                let row = &scalars[i * width..][..width];
                untested.expect(*sum == reference(row, points)?, TEST)?;
            }
            return Ok(sums);
        }
        // A sum is linear in its scalars: adding u_i to some of them must add the sum of u_i P_i over those.
        let sample: Vec<usize> = random_indices(width).collect();
        let sampled: Vec<_> = sample.iter().map(|&i| points[i]).collect();
        let added: Vec<C::Scalar> = sample.iter().map(|_| C::Scalar::from(random_word())).collect();
        let difference = reference(&added, &sampled)?;
        let mut changed = scalars.to_vec();
        for row in changed.chunks_mut(width) {
            for (&i, added) in sample.iter().zip(&added) {
                row[i] += *added;
            }
        }
        let others = untested.run(Sum { scalars: Scalars::Host(&changed, &[]), bases, rows })?;
        let grown = sums.iter().zip(&others).all(|(sum, other)| *other == *sum + difference);
        untested.expect(grown, TEST)?;
        // And the sum over a few of its pairs alone must be that of the reference.
        let row = scalars.chunks(width).nth((random_word() % rows as u64) as usize).unwrap_or_default();
        let few: Vec<_> = sample.iter().map(|&i| row[i]).collect();
        let once = Bases { points: &sampled, kept: &[], first: 0 };
        let sum = untested.run(Sum { scalars: Scalars::Host(&few, &[]), bases: once, rows: 1 })?;
        untested.expect(sum == [reference(&few, &sampled)?], TEST)?;
        Ok(sums)
    }
}

/// The sum as the reference computes it.
fn reference<C: Curve>(scalars: &[C::Scalar], points: &[C]) -> Result<C::Projective, Error> {
    let mut sum = [C::Projective::identity()];
    let bases = BasesView { points, kept: None, first: 0 };
    Msm::<C>::msm(&Reference, ScalarsView { scalars, kept: None }, bases, &mut sum, &Meter::silent())?;
    Ok(sum[0])
}

impl<C: Curve> Sum<'_, C> {
    /// Whether a batch is divided by its rows.
    fn by_rows(&self, devices: usize) -> bool {
        self.bases.kept.is_empty() && self.rows >= devices
    }
}

impl<'a, C: AcceleratedCurve> Divisible for Sum<'a, C> {
    type Outcome = (Range<usize>, Vec<C::Projective>);
    type Part<'p>
        = Part<'p, C>
    where
        Self: 'p;

    fn items(&self, devices: &[Member]) -> usize {
        if self.by_rows(devices.len()) { self.rows } else { self.bases.points.len() }
    }

    fn divide(&mut self, shares: &[Share], devices: &[Member]) -> Result<Vec<Part<'_, C>>, Error> {
        let &mut Self { scalars, bases, rows } = self;
        let (by_rows, width) = (self.by_rows(devices.len()), bases.points.len());
        let part = |share: &Share| {
            let (sum, items) = (Sum { scalars, bases, rows }, share.items.clone());
            match by_rows {
                true => Part { sum, bases: 0..width, rows: items },
                false => Part { sum, bases: items, rows: 0..rows },
            }
        };
        Ok(shares.iter().map(part).collect())
    }

    fn join(
        self,
        _: &[Share],
        outcomes: Vec<Result<Self::Outcome, Error>>,
    ) -> Result<Vec<C::Projective>, Error> {
        let mut sums = vec![C::Projective::identity(); self.rows];
        for (rows, part) in outcomes.into_iter().collect::<Result<Vec<_>, _>>()? {
            sums[rows].iter_mut().zip(part).for_each(|(sum, term)| *sum += term);
        }
        Ok(sums)
    }
}
