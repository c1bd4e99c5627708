//! Scalars that are kept, and their transforms where they are kept.

use std::ops::Range;

use super::sum;
use crate::backend::{Kept, ResidentFft};
use crate::bn254::Fr;
use crate::dispatch::{Call, Cost, Dispatcher, Divisible, Home, Member, Operation, Share, Stored};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};
use crate::work::{Activity, Size};

/// What a device keeps of a range of elements.
pub(crate) struct KeptRange {
    pub(super) member: usize,
    pub(super) range: Range<usize>,
    /// In the backend's own form; `None` where the elements themselves are as good.
    pub(super) kept: Option<Stored<Kept>>,
}

impl KeptRange {
    /// What the device `member` keeps of exactly these elements, if it does.
    pub(super) fn find(kept: &[Self], member: usize, range: Range<usize>) -> Option<&Stored<Kept>> {
        let found = kept.iter().find(|own| own.member == member && own.range == range);
        found.and_then(|own| own.kept.as_ref())
    }

    /// The part of a device that keeps all of so many elements in its own memory, where they can be transformed.
    pub(crate) fn whole<'a>(kept: &'a [Self], dispatcher: &Dispatcher) -> Option<&'a Stored<Kept>> {
        let [own] = kept else { return None };
        own.kept.as_ref().filter(|stored| dispatcher.keeps_scalars(stored.member()))
    }
}

/// The transforms of a device, for those who hold scalars that stay there.
fn transforms(device: &Member) -> &dyn ResidentFft {
    device.backend().resident_fft().expect("scalars stay only on a device with memory of its own")
}

/// Prepares scalars for many sums, by the ranges that as many bases would have.
pub(crate) struct KeepScalars<'a> {
    pub(crate) scalars: &'a [Fr],
    pub(crate) first: usize,
}

impl Call for KeepScalars<'_> {
    type Output = Vec<KeptRange>;

    fn size(&self, _: &Member) -> Size {
        Activity::KEEP_SCALARS.of(self.scalars.len(), size_of_val(self.scalars), 0)
    }

    fn run(self, device: &Member) -> Result<Vec<KeptRange>, Error> {
        let kept = device.backend().keep_scalars(self.scalars)?.map(|kept| device.keep(kept));
        let range = self.first..self.first + self.scalars.len();
        Ok(vec![KeptRange { member: device.index(), range, kept }])
    }
}

impl Operation for KeepScalars<'_> {
    fn costs(&self) -> Vec<Cost> {
        sum::costs(self.scalars.len())
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Vec<KeptRange>, Error> {
        dispatcher.divided(self)
    }

    fn stays(&self) -> bool {
        true
    }
}

impl<'a> Divisible for KeepScalars<'a> {
    type Outcome = Vec<KeptRange>;
    type Part<'p>
        = KeepScalars<'p>
    where
        Self: 'p;

    fn items(&self, _: usize) -> usize {
        self.scalars.len()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<KeepScalars<'_>>, Error> {
        let part = |share: &Share| {
            let (scalars, first) = (&self.scalars[share.items.clone()], self.first + share.items.start);
            KeepScalars { scalars, first }
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

/// The transforms of kept scalars, in new memory.
pub(crate) struct TransformKept<'a> {
    pub(crate) ntt: &'a Ntt<Fr>,
    pub(crate) scalars: &'a Stored<Kept>,
}

impl Call for TransformKept<'_> {
    type Output = Stored<Kept>;

    fn size(&self, device: &Member) -> Size {
        Activity::FFT.of(transforms(device).kept_len(self.scalars.contents()), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored<Kept>, Error> {
        Ok(device.keep(transforms(device).fft_kept(self.ntt, self.scalars.contents())?))
    }
}

impl Operation for TransformKept<'_> {
    fn home(&self) -> Home {
        Home::At(self.scalars.member())
    }
}

/// The values on a domain of kept polynomials of `size` coefficients each, in new memory.
pub(crate) struct EvaluateKept<'a> {
    pub(crate) domain: &'a Domain<Fr>,
    pub(crate) coefficients: &'a Stored<Kept>,
    pub(crate) size: usize,
}

impl Call for EvaluateKept<'_> {
    type Output = Stored<Kept>;

    fn size(&self, device: &Member) -> Size {
        let coefficients = transforms(device).kept_len(self.coefficients.contents());
        Activity::FFT.of(coefficients / self.size * self.domain.size(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored<Kept>, Error> {
        let Self { domain, coefficients, size } = self;
        Ok(device.keep(transforms(device).fft_of_padded_kept(domain, coefficients.contents(), size)?))
    }
}

impl Operation for EvaluateKept<'_> {
    fn home(&self) -> Home {
        Home::At(self.coefficients.member())
    }
}

/// Copies kept scalars to host memory, as many as there are.
pub(crate) struct ReadKept<'a> {
    pub(crate) scalars: &'a Stored<Kept>,
    pub(crate) values: &'a mut [Fr],
}

impl Call for ReadKept<'_> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        Activity::READ_SCALARS.of(self.values.len(), 0, size_of_val(self.values))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        transforms(device).read_kept(self.scalars.contents(), self.values)
    }
}

impl Operation for ReadKept<'_> {
    fn home(&self) -> Home {
        Home::At(self.scalars.member())
    }
}
