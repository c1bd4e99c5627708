//! Bases and scalars in host memory, with what devices keep of them for sums.

use std::ops::Range;

use super::sum;
use crate::backend::{AcceleratedCurve, Backend, BaseField, Memory};
use crate::dispatch::{Call, Cost, Dispatcher, Divisible, Member, Operation, Share, Stored};
use crate::error::Error;
use crate::work::{Activity, Size};

/// A range of elements as a device keeps it.
pub(crate) struct KeptRange {
    pub(super) member: usize,
    pub(super) range: Range<usize>,
    /// The backend's own form; `None` where it has no better form than the elements themselves.
    pub(super) kept: Option<Stored>,
}

impl KeptRange {
    /// The form in which the device `member` keeps exactly these elements, if it does.
    pub(super) fn find(kept: &[Self], member: usize, range: Range<usize>) -> Option<&Stored> {
        let found = kept.iter().find(|own| own.member == member && own.range == range);
        found.and_then(|own| own.kept.as_ref())
    }
}

/// The method by which a backend keeps elements, with tables of at most so many bytes.
type KeepOn<T> = fn(&dyn Backend, &[T], u64) -> Result<Option<Memory>, Error>;

/// Prepares elements for many sums, by ranges, of which each device keeps its own. Bases and scalars are divided alike, so
/// equally many of both have the same ranges.
pub(crate) struct Keep<'a, T> {
    elements: &'a [T],
    /// The index of the first of these among all elements.
    first: usize,
    /// Bytes that tables of multiples may take.
    table_bytes: u64,
    activity: Activity,
    /// The cost of sums over so many elements.
    costs: fn(usize) -> Vec<Cost>,
    keep: KeepOn<T>,
}

/// Keeps bases. Tables of multiples take at most `table_bytes`, divided in proportion to the ranges.
pub(crate) fn keep_bases<C: AcceleratedCurve>(elements: &[C], table_bytes: u64) -> Keep<'_, C> {
    Keep {
        elements,
        first: 0,
        table_bytes,
        activity: Activity::KEEP_BASES,
        costs: sum::costs::<C>,
        keep: |backend, points, bytes| C::sums(backend).keep_bases(points, bytes),
    }
}

/// Whether elements are the scalars of a curve.
pub(crate) fn are_scalars<F: BaseField>() -> bool {
    !sum::costs_of_scalars::<F>(0).is_empty()
}

/// Keeps scalars for sums over a curve.
pub(crate) fn keep_scalars<F: BaseField>(elements: &[F]) -> Keep<'_, F> {
    Keep {
        elements,
        first: 0,
        table_bytes: 0,
        activity: Activity::KEEP_SCALARS,
        costs: sum::costs_of_scalars::<F>,
        keep: |backend, scalars, _| {
            F::keeping(backend).map_or(Ok(None), |keeping| keeping.keep_scalars(scalars))
        },
    }
}

impl<T: Sync> Call for Keep<'_, T> {
    type Output = Vec<KeptRange>;

    fn size(&self, _: &Member) -> Size {
        self.activity.of(self.elements.len(), size_of_val(self.elements), 0)
    }

    fn run(self, device: &Member) -> Result<Vec<KeptRange>, Error> {
        let kept = (self.keep)(device.backend(), self.elements, self.table_bytes)?;
        let range = self.first..self.first + self.elements.len();
        let kept = kept.map(|kept| device.store(kept, device.occupy(0)));
        Ok(vec![KeptRange { member: device.index(), range, kept }])
    }
}

impl<T: Sync> Operation for Keep<'_, T> {
    fn costs(&self) -> Vec<Cost> {
        (self.costs)(self.elements.len())
    }

    fn stays(&self) -> bool {
        true
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Vec<KeptRange>, Error> {
        dispatcher.divided(self)
    }
}

impl<'a, T: Sync> Divisible for Keep<'a, T> {
    type Outcome = Vec<KeptRange>;
    type Part<'p>
        = Keep<'p, T>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.elements.len()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Keep<'_, T>>, Error> {
        let all = self.elements.len().max(1) as u128;
        let part = |share: &Share| Keep {
            elements: &self.elements[share.items.clone()],
            first: self.first + share.items.start,
            table_bytes: (u128::from(self.table_bytes) * share.items.len() as u128 / all) as u64,
            ..*self
        };
        Ok(shares.iter().map(part).collect())
    }

    fn join(
        self,
        _: &[Share],
        outcomes: Vec<Result<Vec<KeptRange>, Error>>,
    ) -> Result<Vec<KeptRange>, Error> {
        let ranges: Vec<Vec<_>> = outcomes.into_iter().collect::<Result<_, _>>()?;
        Ok(ranges.into_iter().flatten().collect())
    }
}
