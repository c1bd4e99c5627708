//! Transforms: passes over the data, as few as there are digits of at most ten bits in the index.
//!
//! ```text
//!  plan.rs      the passes that make a transform, and what each is given
//!  tables.rs    twiddle factors and powers of shifts, made on the device
//!  programs.rs  the kernels: one program for each tile, way of access and number form
//! ```
//!
//! Factors between passes, powers of shifts and 1/n ride on the passes, and so do both orders: nothing else touches the data.

mod plan;
pub(super) mod programs;
mod tables;
#[cfg(all(test, feature = "opencl"))]
mod tests;

use super::Gpu;
use super::device::{Arg, Device, Launch};
use super::work::{Region, Work};
use crate::error::Error;
use crate::ntt::{Direction, Lde, Ntt, Order};
pub(super) use plan::{Choice, Transform};
use plan::{Pass, Place};
pub(super) use programs::Form;
pub(super) use tables::Contents;

impl From<&Ntt> for Transform {
    fn from(ntt: &Ntt) -> Self {
        Self {
            root: ntt.domain.root(),
            shift: ntt.domain.shift(),
            log_rows: ntt.domain.log_size(),
            log_blowup: 0,
            direction: ntt.direction,
            input_order: ntt.input_order,
            output_order: ntt.output_order,
        }
    }
}

/// The two transforms of an extension: values to coefficients, in an order that the second takes without scratch memory, and
/// coefficients to values.
fn extension(lde: &Lde) -> [Transform; 2] {
    let (from, to) = (lde.from(), lde.to());
    // The first either leaves the coefficients reversed, in place, or has the output for its scratch memory.
    let order = match lde.output_order() {
        Order::Natural => Order::BitReversed,
        Order::BitReversed => Order::Natural,
    };
    let back = Transform::from(&Ntt::inverse(from).with_orders(Order::Natural, order));
    let forth = Transform {
        root: to.root(),
        shift: to.shift(),
        log_rows: from.log_size(),
        log_blowup: to.log_size() - from.log_size(),
        direction: Direction::Forward,
        input_order: order,
        output_order: lde.output_order(),
    };
    [back, forth]
}

/// Words of memory that [`Gpu::ntt_region`] takes for so many words of data, the input included: another such region, and one more
/// where neither order is reversed.
pub(super) fn ntt_words(data: usize) -> usize {
    data.saturating_mul(3)
}

/// Words of memory that [`Gpu::lde_region`] takes, the input included.
pub(super) fn lde_words(input: usize, output: usize) -> usize {
    input.saturating_mul(2).saturating_add(output)
}

impl<D: Device> Gpu<D> {
    /// The transforms of `count` blocks of `width` words a row, in a region of their own. The input is left as it is.
    pub(super) fn ntt_region(
        &self,
        work: &mut Work<'_, D>,
        ntt: &Ntt,
        shape: (usize, usize),
        input: Region,
    ) -> Result<Region, Error> {
        let output = work.allocate(input.words())?;
        self.transform(work, ntt, shape, input, output)?;
        Ok(output)
    }

    /// The extensions of `count` blocks of `width` words a row, in a region of their own. The input is left as it is.
    pub(super) fn lde_region(
        &self,
        work: &mut Work<'_, D>,
        lde: &Lde,
        shape: (usize, usize),
        input: Region,
    ) -> Result<Region, Error> {
        let output = work.allocate(input.words() * lde.blowup())?;
        self.extend(work, lde, shape, input, output)?;
        Ok(output)
    }

    /// The transforms of an input in an output of its size, which may be the input; scratch memory where there must be.
    fn transform(
        &self,
        work: &mut Work<'_, D>,
        ntt: &Ntt,
        (width, count): (usize, usize),
        input: Region,
        output: Region,
    ) -> Result<(), Error> {
        let passes = self.passes(&ntt.into(), width, count)?;
        let scratch = match plan::needs_scratch(&passes) {
            true => work.allocate(input.words())?,
            false => output,
        };
        let launches = self.launches(work, &passes, [input, output, scratch])?;
        work.launch(&launches)
    }

    /// The extensions of an input, by way of the coefficients, in an output the blow-up times as large.
    fn extend(
        &self,
        work: &mut Work<'_, D>,
        lde: &Lde,
        (width, count): (usize, usize),
        input: Region,
        output: Region,
    ) -> Result<(), Error> {
        let [back, forth] = extension(lde);
        let back = self.passes(&back, width, count)?;
        let forth = self.passes(&forth, width, count)?;
        debug_assert!(!plan::needs_scratch(&forth), "orders that differ need no scratch memory");
        let coefficients = work.allocate(input.words())?;
        let mut launches = self.launches(work, &back, [input, coefficients, output])?;
        launches.extend(self.launches(work, &forth, [coefficients, output, output])?);
        work.launch(&launches)
    }

    /// The plan; an error where a block is larger than kernels can address.
    fn passes(&self, transform: &Transform, width: usize, count: usize) -> Result<Vec<Pass>, Error> {
        plan::plan(transform, width, count, self.choice).ok_or_else(|| Error::DeviceOutOfMemory {
            device: self.device.info().id.clone(),
            requested: (8 * (width * count) as u64) << (transform.log_rows + transform.log_blowup),
        })
    }

    /// The launches of a plan, its tables made.
    fn launches(
        &self,
        work: &mut Work<'_, D>,
        passes: &[Pass],
        [input, output, scratch]: [Region; 3],
    ) -> Result<Vec<Launch<Region>>, Error> {
        let region = |place| match place {
            Place::Input => input,
            Place::Output => output,
            Place::Scratch => scratch,
        };
        let mut launches = Vec::with_capacity(passes.len());
        for pass in passes {
            let (from, to) = (region(pass.from), region(pass.to));
            let inner = self.table(work, &Contents::Inner(pass.inner))?;
            let mut table = |powers: Option<_>| match powers {
                Some(powers) => self.table(work, &Contents::Powers(powers)),
                None => Ok(inner),
            };
            let tables = [inner, table(pass.pre)?, table(pass.post)?];
            launches.push(launch(self.form, pass, from, to, tables));
        }
        Ok(launches)
    }
}

/// One pass; tables that it does not need may be any.
fn launch(form: Form, pass: &Pass, from: Region, to: Region, tables: [Region; 3]) -> Launch<Region> {
    assert!(from.words() >= pass.words.read() && to.words() >= pass.words.written());
    let buffers = [from, to].into_iter().chain(tables);
    let mut args: Vec<_> = buffers.map(|region| Arg::Buffer(region, 0)).collect();
    args.extend(pass.words.list().map(Arg::Word));
    let program = programs::pass(form, pass.tile, pass.access);
    // SAFETY: ntt_pass has these parameters; it reads and writes the words asserted, and of tables what their positions are.
    unsafe { Launch::new(program, "ntt_pass", (pass.groups, pass.tile.items()), args) }
}
