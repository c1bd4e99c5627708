//! Digests of the rows of a matrix: rows are independent.

use super::{cut, powers, random_indices};
use crate::backend::{Accelerated, Backend, Extent};
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Hasher;
use crate::work::{Activity, Size};

/// Hashes as many rows as there are digests, from row `from` on, of a matrix of canonical words.
pub(crate) struct HashRows<'a, H: Hasher> {
    pub(crate) matrix: &'a [Goldilocks],
    pub(crate) extent: Extent,
    pub(crate) from: usize,
    pub(crate) digests: &'a mut [H::Digest],
}

/// The kind of hashing rows.
pub(crate) const fn kind<H: Accelerated>() -> Kind {
    Kind { name: Activity::ROWS.name, variant: H::NAME, sample: sample::<H> }
}

fn sample<H: Accelerated>(backend: &dyn Backend, log: u32) -> Measured {
    let width = 16;
    let rows = (1 << log) / width;
    let (matrix, mut digests) =
        (powers(Goldilocks::GENERATOR, width * rows), vec![H::Digest::default(); rows]);
    let (work, extent) = ([matrix.len() as f64; 2], Extent { rows, width, block: width });
    timed(|| H::hashing(backend).hash_rows(&matrix, extent, 0, &mut digests), work)
}

impl<H: Hasher> HashRows<'_, H> {
    fn words(&self) -> usize {
        self.digests.len() * self.extent.width
    }
}

impl<H: Accelerated> Call for HashRows<'_, H> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        Activity::ROWS.of(self.words(), 8 * self.words(), size_of_val(self.digests))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        H::hashing(device.backend()).hash_rows(self.matrix, self.extent, self.from, self.digests)
    }
}

impl<H: Accelerated> Operation for HashRows<'_, H> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<H>(), work: [self.words() as f64; 2] }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { matrix, extent, from, digests } = self;
        untested.run(HashRows::<H> { matrix, extent, from, digests: &mut *digests })?;
        let row = |i: usize| -> Vec<_> {
            matrix.chunks_exact(extent.block).skip(i).step_by(extent.rows).flatten().copied().collect()
        };
        let passes = random_indices(digests.len()).all(|i| digests[i] == H::hash_elements(&row(from + i)));
        untested.expect(passes, "the check of digests of rows")
    }
}

impl<'a, H: Accelerated> Divisible for HashRows<'a, H> {
    type Outcome = ();
    type Part<'p>
        = HashRows<'p, H>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.digests.len()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<HashRows<'_, H>>, Error> {
        let Self { matrix, extent, from, ref mut digests } = *self;
        let runs = cut(digests, shares.iter().map(|share| share.items.len()));
        let part = |(share, digests): (&Share, _)| HashRows {
            matrix,
            extent,
            from: from + share.items.start,
            digests,
        };
        Ok(shares.iter().zip(runs).map(part).collect())
    }

    fn join(self, _: &[Share], outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
        outcomes.into_iter().collect()
    }
}
