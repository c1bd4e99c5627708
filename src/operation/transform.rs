//! A transform in place: whole blocks of a batch are independent, and so are the columns of a block.

use super::columns;
use super::exchange::{self, OnPeers};
use super::polynomial::{combine, value_of_coefficients, value_of_values};
use super::{cut, first_error, powers, random_element};
use crate::backend::cpu::on_host;
use crate::backend::{AcceleratedField, Backend, Extent, Memory, ResidentBackend, in_own_memory};
use crate::checks;
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Peers, Share, Untested, timed,
};
use crate::error::Error;
use crate::memory::{Strided, StridedMut};
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

    /// Whether it is of one column.
    fn is_a_column(&self) -> bool {
        self.data.len() == self.ntt.domain.size()
    }

    /// All columns of the only block.
    fn columns(&self) -> Strided<'_, u64> {
        let pitch = self.width * size_of::<F>() / 8;
        Strided::new(F::words(self.data), pitch, 0..pitch)
    }

    fn run_on(self, backend: &dyn Backend, meter: &Meter<'_>) -> Result<(), Error> {
        let Self { ntt, data, width, unchecked } = self;
        if columns::must_be_apart::<F>(width) {
            let mut apart = columns::apart(data, width)?;
            Transform { ntt, data: &mut apart, width: 1, unchecked }.run_on(backend, meter)?;
            columns::together(data, width, &apart);
            return Ok(());
        }
        F::transforms(backend).ntt_checked(&ntt, data, width, unchecked, meter)
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
        self.run_on(device.backend(), meter)
    }
}

impl<F: AcceleratedField> OnPeers<F> for Ntt<F> {
    fn rows(self) -> [usize; 2] {
        [self.domain.size(); 2]
    }

    fn size(self, elements: usize) -> Size {
        F::TRANSFORM.of(elements, 0, 0)
    }

    fn run(self, memory: &dyn ResidentBackend, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        F::resident_transforms(memory).ntt(&self, matrix, extent)
    }
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
            checks::elements(data)?;
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

/// The part of a transform on one device.
pub(crate) enum Part<'a, F> {
    /// Whole blocks.
    Blocks(Transform<'a, F>),
    /// Columns of the only block, by the words of their elements.
    Columns { ntt: Ntt<F>, columns: StridedMut<'a, u64>, unchecked: bool },
}

impl<F: AcceleratedField> Call for Part<'_, F> {
    type Output = ();

    fn size(&self, device: &Member) -> Size {
        match self {
            Self::Blocks(blocks) => blocks.size(device),
            Self::Columns { columns, .. } => {
                let words = columns.as_columns().rows() * columns.as_columns().width();
                F::TRANSFORM.of(words * 8 / size_of::<F>(), words * 8, words * 8)
            }
        }
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        self.run_metered(device, &Meter::silent())
    }

    fn run_metered(self, device: &Member, meter: &Meter<'_>) -> Result<(), Error> {
        match self {
            Self::Blocks(blocks) => blocks.run_metered(device, meter),
            Self::Columns { ntt, mut columns, unchecked } => {
                let by_itself = F::transforms(device.backend()).ntt_columns(&ntt, columns.reborrow());
                by_itself.unwrap_or_else(|| {
                    in_own_memory::<F>(columns, |data, width| {
                        Transform { ntt, data, width, unchecked }.run_metered(device, meter)
                    })
                })
            }
        }
    }
}

impl<'a, F: AcceleratedField> Divisible for Transform<'a, F> {
    type Outcome = ();
    type Part<'p>
        = Part<'p, F>
    where
        Self: 'p;

    /// One column is divided where the devices do it together, and into equal parts.
    fn items(&self, devices: &[Member]) -> usize {
        match self.is_a_column() && exchange::divides(&self.ntt, devices) {
            true => devices.len(),
            false => columns::items(self.blocks(), self.width),
        }
    }

    fn overhead(&self, devices: &[Member]) -> f64 {
        let by_itself = |device: &Member| F::ROW_MAJOR && device.backend().copies_columns(self.columns());
        let words = 2 * size_of_val(&*self.data) / 8;
        match self.blocks() {
            1 if self.is_a_column() => exchange::overhead(words, devices.len()),
            1 if devices.iter().all(by_itself) => 0.0,
            blocks => columns::overhead::<F>(devices, blocks, words),
        }
    }

    /// Columns that devices copy by themselves overlap both ways, which is better.
    fn exchanged(&mut self, peers: &Peers<'_>) -> Option<Result<(), Error>> {
        let by_itself = |share: &Share| peers.devices[share.member].backend().copies_columns(self.columns());
        let made = match self.is_a_column() {
            true => peers.column(self.ntt, self.data, self.unchecked),
            false if self.blocks() != 1 || peers.shares.iter().all(by_itself) => None,
            false => peers.columns(self.ntt, self.data, self.unchecked),
        };
        Some(made?.and_then(|results| peers.fetch(&results, self.data, true)))
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Self::Part<'_>>, Error> {
        let (ntt, width, unchecked, size) = (self.ntt, self.width, self.unchecked, self.block());
        if self.is_a_column() {
            // Devices that could not do it together after all.
            return Ok(vec![Part::Blocks(Transform { ntt, data: &mut *self.data, width, unchecked })]);
        }
        if self.blocks() == 1 {
            let of_element = size_of::<F>() / 8;
            let all = StridedMut::new(F::words_mut(self.data), width * of_element, 0..width * of_element);
            let columns = all.cut(shares.iter().map(|share| share.items.len() * of_element));
            return Ok(columns.map(|columns| Part::Columns { ntt, columns, unchecked }).collect());
        }
        let parts = cut(self.data, shares.iter().map(|share| share.items.len() * size));
        Ok(parts.map(|data| Part::Blocks(Transform { ntt, data, width, unchecked })).collect())
    }

    fn join(mut self, shares: &[Share], outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
        if outcomes.iter().any(Result::is_err) {
            // What was transformed is inverted, so that the data are restored.
            let (cpu, ntt) = (on_host(), self.ntt.undo());
            let undo = |data: &mut [F], width: usize| {
                Transform { ntt, data, width, unchecked: false }.run_on(&*cpu, &Meter::silent())
            };
            let parts = self.divide(shares, &[])?.into_iter().zip(&outcomes);
            parts.filter(|(_, outcome)| outcome.is_ok()).try_for_each(|(part, _)| match part {
                Part::Blocks(Transform { data, width, .. }) => undo(data, width),
                Part::Columns { columns, .. } => in_own_memory::<F>(columns, undo),
            })?;
        }
        first_error(outcomes, || checks::elements(self.data)).map(drop)
    }
}
