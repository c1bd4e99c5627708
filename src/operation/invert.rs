//! Inverses in place: elements are independent.

use super::{cut, first_error, powers, random_element};
use crate::backend::cpu::on_host;
use crate::backend::{AcceleratedField, Backend};
use crate::checks;
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::work::{Activity, Size};

/// Replaces every element by its inverse, and leaves zeros.
pub(crate) struct Invert<'a, F> {
    pub(crate) elements: &'a mut [F],
    /// Whether the words have not been checked yet: then the first that is not canonical is an error, and the data are unchanged.
    pub(crate) unchecked: bool,
}

/// The kind of inverses.
pub(super) const fn kind<F: AcceleratedField>() -> Kind {
    Kind { name: Activity::INVERSION.name, variant: F::NAME, sample: sample::<F> }
}

fn sample<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    let mut elements = powers(F::of_integer(7), 1 << log);
    let work = [elements.len() as f64; 2];
    timed(|| F::inversion(backend).invert(&mut elements, false), work)
}

impl<F: AcceleratedField> Call for Invert<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        let bytes = size_of_val(self.elements);
        Activity::INVERSION.of(self.elements.len(), bytes, bytes)
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        F::inversion(device.backend()).invert(self.elements, self.unchecked)
    }
}

impl<F: AcceleratedField> Operation for Invert<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<F>(), work: [self.elements.len() as f64; 2] }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    /// The sum of r^i (x_i y_i - 1), for zeros of r^i y_i, is zero for a random r.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { elements, unchecked } = self;
        if unchecked {
            checks::elements(elements)?;
        }
        let mut answer = elements.to_vec();
        untested.run(Invert { elements: &mut answer, unchecked: false })?;
        let r = random_element();
        let sum = elements
            .iter()
            .zip(&answer)
            .fold(F::ZERO, |sum, (&x, &y)| sum * r + if x == F::ZERO { y } else { x * y - F::ONE });
        untested.expect(sum == F::ZERO, "the check of inverses")?;
        elements.copy_from_slice(&answer);
        Ok(())
    }
}

impl<'a, F: AcceleratedField> Divisible for Invert<'a, F> {
    type Outcome = ();
    type Part<'p>
        = Invert<'p, F>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.elements.len()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Invert<'_, F>>, Error> {
        let (parts, unchecked) =
            (cut(self.elements, shares.iter().map(|share| share.items.len())), self.unchecked);
        Ok(parts.map(|elements| Invert { elements, unchecked }).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
        if outcomes.iter().any(Result::is_err) {
            // What was inverted is inverted once more, so that the data are restored.
            let cpu = on_host();
            for (share, _) in shares.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok()) {
                F::inversion(&*cpu).invert(&mut self.elements[share.items.clone()], false)?;
            }
        }
        first_error(outcomes, || checks::elements(self.elements)).map(|_| ())
    }
}
