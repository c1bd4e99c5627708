//! Evaluations of polynomials on domains that may have more points than there are coefficients.

use super::columns::{self, Columnwise, Part};
use super::exchange::OnPeers;
use super::polynomial::{combine, value_of_coefficients, value_of_values};
use super::{cut, first_error, random_element, transform};
use crate::backend::{AcceleratedField, Extent, Memory, ResidentBackend};
use crate::dispatch::{Call, Cost, Dispatcher, Divisible, Member, Operation, Peers, Share, Untested};
use crate::error::Error;
use crate::ntt::{Domain, Order};
use crate::work::Size;

/// Polynomials of `size` coefficients each and the domain, of at least as many points, on which they are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Points<F> {
    pub(crate) domain: Domain<F>,
    pub(crate) size: usize,
}

/// Evaluates the polynomial in every column of every block: blocks of `size` rows become blocks with a row for each point.
pub(crate) struct Evaluate<'a, F> {
    pub(crate) points: Points<F>,
    pub(crate) coefficients: &'a [F],
    pub(crate) width: usize,
    pub(crate) values: &'a mut [F],
}

impl<F: AcceleratedField> Evaluate<'_, F> {
    fn block(&self) -> usize {
        self.points.size * self.width
    }

    fn blocks(&self) -> usize {
        self.coefficients.len() / self.block()
    }
}

impl<F: AcceleratedField> Call for Evaluate<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        F::TRANSFORM.of(self.values.len(), size_of_val(self.coefficients), size_of_val(self.values))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        let Self { points, coefficients, width, values } = self;
        if columns::must_be_apart::<F>(width) {
            let (coefficients, mut apart) = (columns::apart(coefficients, width)?, F::zeros(values.len())?);
            let (coefficients, width_apart) = (&coefficients[..], 1);
            Evaluate { points, coefficients, width: width_apart, values: &mut apart }.run(device)?;
            columns::together(values, width, &apart);
            return Ok(());
        }
        let (transforms, Points { domain, size }) = (F::transforms(device.backend()), points);
        transforms.evaluate(&domain, Order::Natural, coefficients, (size, width), values)
    }
}

impl<F: AcceleratedField> Operation for Evaluate<'_, F> {
    /// The first layers of padded polynomials are copies.
    fn costs(&self) -> Vec<Cost> {
        let work = transform::transform_work(self.values.len(), self.points.size.ilog2());
        vec![Cost { kind: transform::kind::<F>(), work }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let block = self.block();
        let Self { points, coefficients, width, values } = self;
        untested.run(Evaluate { points, coefficients, width, values: &mut *values })?;
        let (domain, weight, point) = (points.domain, random_element(), random_element());
        let mut blocks = coefficients.chunks(block).zip(values.chunks(domain.size() * width));
        let combined = |data: &[F]| combine(data, width, weight, Order::Natural);
        let passes = blocks.all(|(coefficients, values)| {
            let expected = value_of_coefficients(&combined(coefficients), point);
            value_of_values(&domain, &combined(values), point) == Some(expected)
        });
        untested.expect(passes, "the check of a transform")
    }
}

impl<F: AcceleratedField> Columnwise<F> for Points<F> {
    fn size(&self, elements: usize) -> Size {
        let values = elements / self.size * self.domain.size();
        F::TRANSFORM.of(values, elements * size_of::<F>(), values * size_of::<F>())
    }

    fn run(self, coefficients: Vec<F>, width: usize, _: bool, device: &Member) -> Result<Vec<F>, Error> {
        let mut values = F::zeros(coefficients.len() / self.size * self.domain.size())?;
        Evaluate { points: self, coefficients: &coefficients, width, values: &mut values }.run(device)?;
        Ok(values)
    }
}

impl<F: AcceleratedField> OnPeers<F> for Points<F> {
    fn rows(self) -> [usize; 2] {
        [self.size, self.domain.size()]
    }

    fn size(self, elements: usize) -> Size {
        F::TRANSFORM.of(elements, 0, 0)
    }

    fn run(self, memory: &dyn ResidentBackend, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        F::resident_transforms(memory).evaluate(&self.domain, Order::Natural, matrix, extent)
    }
}

impl<'a, F: AcceleratedField> Divisible for Evaluate<'a, F> {
    type Outcome = Vec<F>;
    type Part<'p>
        = Part<'p, F, Points<F>, Evaluate<'p, F>>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        columns::items(self.blocks(), self.width)
    }

    fn overhead(&self, devices: &[Member]) -> f64 {
        columns::overhead::<F>(
            devices,
            self.blocks(),
            (size_of_val(self.coefficients) + size_of_val(&*self.values)) / 8,
        )
    }

    fn exchanged(&mut self, peers: &Peers<'_>) -> Option<Result<(), Error>> {
        let made = (self.blocks() == 1).then(|| peers.columns(self.points, self.coefficients, false))??;
        Some(made.and_then(|results| peers.fetch(&results, self.values, false)))
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Self::Part<'_>>, Error> {
        let (points, width, size) = (self.points, self.width, self.block());
        if self.blocks() == 1 {
            return Ok(Part::of_columns(points, self.coefficients, width, false, shares));
        }
        let values =
            cut(self.values, shares.iter().map(|share| share.items.len() * points.domain.size() * width));
        let part = |(share, values): (&Share, _)| {
            let coefficients = &self.coefficients[share.items.start * size..share.items.end * size];
            Part::Blocks(Evaluate { points, coefficients, width, values })
        };
        Ok(shares.iter().zip(values).map(part).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<Vec<F>, Error>>) -> Result<(), Error> {
        let by_columns = self.blocks() == 1;
        let taken = first_error(outcomes, || Ok(()))?;
        if by_columns {
            columns::put_all(self.values, self.width, shares, &taken);
        }
        Ok(())
    }
}
