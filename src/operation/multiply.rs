//! Products of vectors, element by element.

use super::random_word;
use crate::backend::{AcceleratedPrime, Backend};
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::memory;
use crate::work::{Activity, Size};

/// Replaces every element a_i by a_i b_i - c_i, or by a_i b_i. The vectors have the same length.
pub(crate) struct Multiply<'a, F> {
    pub(crate) a: &'a mut [F],
    pub(crate) factors: Factors<'a, F>,
}

/// What the elements are multiplied with, and what is subtracted.
#[derive(Clone, Copy)]
pub(crate) struct Factors<'a, F> {
    pub(crate) b: &'a [F],
    pub(crate) c: Option<&'a [F]>,
}

/// The kind of products of vectors.
pub(super) const fn kind<F: AcceleratedPrime>() -> Kind {
    Kind { name: Activity::POINTWISE.name, variant: F::NAME, sample: sample::<F> }
}

fn sample<F: AcceleratedPrime>(backend: &dyn Backend, log: u32) -> Measured {
    let powers = |x: u64| {
        let x = F::from(x);
        let powers = std::iter::successors(Some(F::ONE), move |&power| Some(power * x));
        powers.take(1 << log).collect::<Vec<_>>()
    };
    let (mut a, b, c) = (powers(7), powers(5), powers(3));
    let work = [a.len() as f64; 2];
    timed(|| F::pointwise(backend).multiply(&mut a, &b, Some(&c)), work)
}

fn size<F>(len: usize, subtracts: bool) -> Size {
    let bytes = len * size_of::<F>();
    Activity::POINTWISE.of(len, (2 + usize::from(subtracts)) * bytes, bytes)
}

impl<F: AcceleratedPrime> Call for Multiply<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        size::<F>(self.a.len(), self.factors.c.is_some())
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        F::pointwise(device.backend()).multiply(self.a, self.factors.b, self.factors.c)
    }
}

impl<F: AcceleratedPrime> Operation for Multiply<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<F>(), work: [self.a.len() as f64; 2] }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    /// The sum of r^i (a_i b_i - c_i - y_i), for the answers y_i, is zero for a random r.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { a, factors } = self;
        let mut answer = copy(a)?;
        untested.run(Multiply { a: &mut answer, factors })?;
        let r = F::from(random_word());
        let sum = a.iter().zip(&answer).enumerate().fold(F::ZERO, |sum, (i, (&a, &y))| {
            sum * r + a * factors.b[i] - factors.c.map_or(F::ZERO, |c| c[i]) - y
        });
        untested.expect(sum == F::ZERO, "the check of products")?;
        a.copy_from_slice(&answer);
        Ok(())
    }
}

/// A copy of elements, or [`Error::HostOutOfMemory`].
fn copy<F: AcceleratedPrime>(elements: &[F]) -> Result<Vec<F>, Error> {
    let mut copy = F::zeros(elements.len())?;
    memory::copy(elements, &mut copy);
    Ok(copy)
}

/// The products of a range, in memory of their own: products cannot be undone, so the elements stay until all parts have succeeded.
pub(crate) struct Part<'a, F> {
    a: &'a [F],
    factors: Factors<'a, F>,
}

impl<F: AcceleratedPrime> Call for Part<'_, F> {
    type Output = Vec<F>;

    fn size(&self, _: &Member) -> Size {
        size::<F>(self.a.len(), self.factors.c.is_some())
    }

    fn run(self, device: &Member) -> Result<Vec<F>, Error> {
        let mut products = copy(self.a)?;
        Multiply { a: &mut products, factors: self.factors }.run(device)?;
        Ok(products)
    }
}

impl<'a, F: AcceleratedPrime> Divisible for Multiply<'a, F> {
    type Outcome = Vec<F>;
    type Part<'p>
        = Part<'p, F>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.a.len()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Part<'_, F>>, Error> {
        let Factors { b, c } = self.factors;
        let part = |share: &Share| {
            let items = share.items.clone();
            let factors = Factors { b: &b[items.clone()], c: c.map(|c| &c[items.clone()]) };
            Part { a: &self.a[items], factors }
        };
        Ok(shares.iter().map(part).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<Vec<F>, Error>>) -> Result<(), Error> {
        let products = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
        for (share, products) in shares.iter().zip(products) {
            memory::copy(&products, &mut self.a[share.items.clone()]);
        }
        Ok(())
    }
}
