//! Low-degree extensions, out of place.

use super::columns::{self, Columnwise, Part};
use super::exchange::OnPeers;
use super::polynomial::{combine, value_of_values};
use super::{cut, first_error, powers, random_element, transform};
use crate::backend::{AcceleratedField, Backend, Extent, Memory, ResidentBackend};
use crate::checks;
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Peers, Share, Untested, timed,
};
use crate::error::Error;
use crate::meter::Meter;
use crate::ntt::{Lde, Order};
use crate::work::Size;

/// Extends every column of every block of `input`, which is consumed as scratch, into `output`.
pub(crate) struct Extend<'a, F> {
    pub(crate) lde: Lde<F>,
    pub(crate) input: &'a mut [F],
    pub(crate) width: usize,
    pub(crate) output: &'a mut [F],
    /// Whether the words have not been checked yet: then the first that is not canonical is an error.
    pub(crate) unchecked: bool,
}

/// The kind of an extension: a transform's, where an extension counts as one.
pub(crate) fn kind<F: AcceleratedField>() -> Kind {
    match F::EXTENSION.name == F::TRANSFORM.name {
        true => transform::kind::<F>(),
        false => Kind { name: F::EXTENSION.name, variant: F::NAME, sample: sample::<F> },
    }
}

/// Four columns, extended eightfold.
fn sample<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    let log_rows = log.saturating_sub(5).max(1);
    let (mut input, mut output) = (powers(F::of_integer(7), 4 << log_rows), F::zeros(32 << log_rows)?);
    let to = F::some_domain(log_rows + 3)?.coset(F::of_integer(7))?;
    let lde = Lde::new(F::some_domain(log_rows)?, to)?;
    let work = transform::transform_work(output.len(), log_rows);
    timed(|| F::transforms(backend).lde(&lde, &mut input, 4, &mut output), work)
}

impl<F: AcceleratedField> Extend<'_, F> {
    fn block(&self) -> usize {
        self.lde.from().size() * self.width
    }

    fn blocks(&self) -> usize {
        self.input.len() / self.block()
    }
}

impl<F: AcceleratedField> Call for Extend<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        F::EXTENSION.of(self.output.len(), size_of_val(self.input), size_of_val(self.output))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        self.run_metered(device, &Meter::silent())
    }

    fn run_metered(self, device: &Member, meter: &Meter<'_>) -> Result<(), Error> {
        let Self { lde, input, width, output, unchecked } = self;
        if columns::must_be_apart::<F>(width) {
            let (mut apart, mut extended) = (columns::apart(input, width)?, F::zeros(output.len())?);
            let (input, output_apart) = (&mut apart[..], &mut extended[..]);
            Extend { lde, input, width: 1, output: output_apart, unchecked }.run_metered(device, meter)?;
            columns::together(output, width, &extended);
            return Ok(());
        }
        let transforms = F::transforms(device.backend());
        transforms.lde_checked(&lde, input, width, output, unchecked, meter)
    }
}

impl<F: AcceleratedField> Operation for Extend<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        let work = transform::transform_work(self.output.len(), self.lde.from().log_size());
        vec![Cost { kind: kind::<F>(), work }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { lde, input, width, output, unchecked } = self;
        if unchecked {
            checks::elements(input)?;
        }
        let (weight, point) = (random_element(), random_element());
        let value =
            |domain, data: &[F], order| value_of_values(domain, &combine(data, width, weight, order), point);
        let (from, to) = (lde.from(), lde.to());
        let blocks = input.chunks(from.size() * width);
        let before: Vec<_> = blocks.map(|data| value(&from, data, Order::Natural)).collect();
        untested.run(Extend { lde, input, width, output: &mut *output, unchecked: false })?;
        let mut after = output.chunks(to.size() * width).map(|data| value(&to, data, lde.output_order()));
        let passes = before.iter().all(|before| after.next() == Some(*before));
        untested.expect(passes, "the check of an extension")
    }
}

impl<F: AcceleratedField> Columnwise<F> for Lde<F> {
    fn size(&self, elements: usize) -> Size {
        let (bytes, blowup) = (elements * size_of::<F>(), self.blowup());
        F::EXTENSION.of(elements * blowup, bytes, bytes * blowup)
    }

    fn run(self, mut input: Vec<F>, width: usize, unchecked: bool, device: &Member) -> Result<Vec<F>, Error> {
        let mut output = F::zeros(input.len() * self.blowup())?;
        Extend { lde: self, input: &mut input, width, output: &mut output, unchecked }.run(device)?;
        Ok(output)
    }
}

impl<F: AcceleratedField> OnPeers<F> for Lde<F> {
    fn rows(self) -> [usize; 2] {
        [self.from().size(), self.to().size()]
    }

    fn size(self, elements: usize) -> Size {
        F::EXTENSION.of(elements, 0, 0)
    }

    fn run(self, memory: &dyn ResidentBackend, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        F::resident_transforms(memory).lde(&self, matrix, extent)
    }
}

impl<'a, F: AcceleratedField> Divisible for Extend<'a, F> {
    type Outcome = Vec<F>;
    type Part<'p>
        = Part<'p, F, Lde<F>, Extend<'p, F>>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        columns::items(self.blocks(), self.width)
    }

    fn overhead(&self, devices: &[Member]) -> f64 {
        columns::overhead::<F>(
            devices,
            self.blocks(),
            (size_of_val(&*self.input) + size_of_val(&*self.output)) / 8,
        )
    }

    fn exchanged(&mut self, peers: &Peers<'_>) -> Option<Result<(), Error>> {
        let made = (self.blocks() == 1).then(|| peers.columns(self.lde, self.input, self.unchecked))??;
        Some(made.and_then(|results| peers.fetch(&results, self.output, false)))
    }

    fn pieces(&self) -> usize {
        self.blocks()
    }

    fn divide(&mut self, shares: &[Share], devices: &[Member]) -> Result<Vec<Self::Part<'_>>, Error> {
        let (lde, width, size) = (self.lde, self.width, self.block());
        if self.blocks() == 1 {
            return Ok(Part::of_columns(lde, self.input, width, self.unchecked, shares));
        }
        // A device with memory of its own does not change its input, so a refused word can still be named. For others the words
        // are checked first.
        let keep_input = |share: &Share| devices[share.member].has_memory();
        if self.unchecked && !shares.iter().all(keep_input) {
            checks::elements(self.input)?;
            self.unchecked = false;
        }
        let unchecked = self.unchecked;
        let lengths = || shares.iter().map(|share| share.items.len() * size);
        let outputs = cut(self.output, lengths().map(|len| len * lde.blowup()));
        let parts = cut(self.input, lengths()).zip(outputs);
        Ok(parts
            .map(|(input, output)| Part::Blocks(Extend { lde, input, width, output, unchecked }))
            .collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<Vec<F>, Error>>) -> Result<(), Error> {
        let in_place = self.blocks() > 1;
        let Self { input, output, width, .. } = self;
        let taken = first_error(outcomes, || checks::elements(input))?;
        if !in_place {
            columns::put_all(output, width, shares, &taken);
        }
        Ok(())
    }
}
