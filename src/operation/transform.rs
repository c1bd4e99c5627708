//! A transform in place: whole blocks of a batch are independent, and so are the columns of a block.

use super::columns::{self, Columnwise, Part};
use super::polynomial::{combine, value_of_coefficients, value_of_values};
use super::{cut, first_error, powers, random_element};
use crate::backend::cpu::Cpu;
use crate::backend::{AcceleratedField, Backend, sound};
use crate::checks;
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::meter::Meter;
use crate::ntt::{Direction, Ntt};
use crate::work::Size;

/// Transforms every column of every block of `data` in place; blocks have a row per point and `width` columns.
pub(crate) struct Transform<'a, F> {
    pub(crate) ntt: Ntt<F>,
    pub(crate) data: &'a mut [F],
    pub(crate) width: usize,
    /// Whether the words have not been checked yet: then the first that is not canonical is an error, and the data are unchanged.
    pub(crate) unchecked: bool,
}

/// The kind of a transform.
pub(crate) const fn kind<F: AcceleratedField>() -> Kind {
    Kind { name: F::TRANSFORM.name, variant: F::NAME, sample: sample::<F> }
}

/// Work of a transform of so many words in columns of 2^`layers` points: the CPU's and the device's.
pub(crate) fn transform_work(words: usize, layers: u32) -> [f64; 2] {
    [words as f64 * f64::from(layers.max(1)), words as f64]
}

fn sample<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    let (mut data, ntt) = (powers(F::of_integer(7), 1 << log), Ntt::forward(F::some_domain(log)?));
    timed(|| F::transforms(backend).ntt(&ntt, &mut data, 1), transform_work(1 << log, log))
}

impl<F: AcceleratedField> Transform<'_, F> {
    fn block(&self) -> usize {
        self.ntt.domain.size() * self.width
    }

    fn blocks(&self) -> usize {
        self.data.len() / self.block()
    }
}

impl<F: AcceleratedField> Call for Transform<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        F::TRANSFORM.of(self.data.len(), size_of_val(self.data), size_of_val(self.data))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        self.run_metered(device, &Meter::silent())
    }

    fn run_metered(self, device: &Member, meter: &Meter<'_>) -> Result<(), Error> {
        let Self { ntt, data, width, unchecked } = self;
        if columns::must_be_apart::<F>(width) {
            let mut apart = columns::apart(data, width)?;
            Transform { ntt, data: &mut apart, width: 1, unchecked }.run_metered(device, meter)?;
            columns::together(data, width, &apart);
            return Ok(());
        }
        let transforms = F::transforms(device.backend());
        let check = if unchecked { check_all } else { sound };
        transforms.ntt_checked(&ntt, data, width, &check, meter)
    }
}

/// Checks elements on all threads.
pub(super) fn check_all<F: AcceleratedField>(elements: &[F]) -> Result<(), Error> {
    checks::in_pieces(elements, 8, F::check_all)
}

impl<F: AcceleratedField> Operation for Transform<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        let work = transform_work(self.data.len(), self.ntt.domain.log_size());
        vec![Cost { kind: kind::<F>(), work }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { ntt, data, width, unchecked } = self;
        if unchecked {
            check_all(data)?;
        }
        let (block, weight, point) = (ntt.domain.size() * width, random_element(), random_element());
        let value = |data: &[F], order, is_values| {
            let column = combine(data, width, weight, order);
            match is_values {
                true => value_of_values(&ntt.domain, &column, point),
                false => Some(value_of_coefficients(&column, point)),
            }
        };
        let inverse = ntt.direction == Direction::Inverse;
        let before: Vec<_> = data.chunks(block).map(|data| value(data, ntt.input_order, inverse)).collect();
        let mut answer = data.to_vec();
        untested.run(Transform { ntt, data: &mut answer, width, unchecked: false })?;
        let mut after = answer.chunks(block).map(|data| value(data, ntt.output_order, !inverse));
        let passes = before.iter().all(|before| after.next() == Some(*before));
        untested.expect(passes, "the check of a transform")?;
        data.copy_from_slice(&answer);
        Ok(())
    }
}

impl<F: AcceleratedField> Columnwise<F> for Ntt<F> {
    fn size(&self, elements: usize) -> Size {
        let bytes = elements * size_of::<F>();
        F::TRANSFORM.of(elements, bytes, bytes)
    }

    fn run(self, mut data: Vec<F>, width: usize, unchecked: bool, device: &Member) -> Result<Vec<F>, Error> {
        Transform { ntt: self, data: &mut data, width, unchecked }.run(device)?;
        Ok(data)
    }
}

impl<'a, F: AcceleratedField> Divisible for Transform<'a, F> {
    type Outcome = Vec<F>;
    type Part<'p>
        = Part<'p, F, Ntt<F>, Transform<'p, F>>
    where
        Self: 'p;

    fn items(&self, _: usize) -> usize {
        columns::items(self.blocks(), self.width)
    }

    fn overhead(&self) -> f64 {
        columns::overhead(self.blocks(), 2 * self.data.len())
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Self::Part<'_>>, Error> {
        let (ntt, width, unchecked, size) = (self.ntt, self.width, self.unchecked, self.block());
        if self.blocks() == 1 {
            return Ok(Part::of_columns(ntt, self.data, width, unchecked, shares));
        }
        let parts = cut(self.data, shares.iter().map(|share| share.items.len() * size));
        Ok(parts.map(|data| Part::Blocks(Transform { ntt, data, width, unchecked })).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<Vec<F>, Error>>) -> Result<(), Error> {
        let (in_place, size) = (self.blocks() > 1, self.block());
        let Self { ntt, data, width, .. } = self;
        if in_place && outcomes.iter().any(Result::is_err) {
            // Transformed blocks are inverted, so that the data are restored.
            let cpu = Cpu::default();
            for (share, _) in shares.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok()) {
                let blocks = &mut data[share.items.start * size..share.items.end * size];
                F::transforms(&cpu).ntt(&ntt.undo(), blocks, width)?;
            }
        }
        let taken = first_error(outcomes, || check_all(data))?;
        if !in_place {
            columns::put_all(data, width, shares, &taken);
        }
        Ok(())
    }
}
