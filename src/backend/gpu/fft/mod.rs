//! Transforms over prime fields: a tree of remainders, a few stages of it at a time.
//!
//! ```text
//!  plan.rs      the passes of a transform, with their parameters
//!  twiddles.rs  the tables of twiddles, on the device
//!  programs.rs  their kernels
//!  host.rs      transforms of host data: their parts and transfers
//!  resident.rs  those of data that stay
//! ```

mod host;
mod plan;
pub(super) mod programs;
mod resident;
#[cfg(all(test, feature = "opencl"))]
mod tests;
mod twiddles;

use super::Gpu;
use super::device::{Arg, Device, Launch};
use super::session::{Region, Session};
use super::tables::Table;
use crate::error::Error;
use crate::field::montgomery::LIMBS;
use plan::{Pass, Storage, Transform};
pub use programs::DeviceField;
use twiddles::Twiddles;
pub(super) use twiddles::TwiddlesKey;

/// Words of an element.
pub(super) const SCALAR: usize = LIMBS;

impl<D: Device> Gpu<D> {
    /// Transforms `count` polynomials of one region into another. A `spent` input may be overwritten.
    pub(super) fn fft_region<F: DeviceField>(
        &self,
        session: &mut Session<'_, D>,
        transform: &Transform<F>,
        count: usize,
        input: Region,
        spent: bool,
    ) -> Result<Region, Error> {
        let words = (SCALAR * count) << transform.ntt.domain.log_size();
        let passes = plan::plan(transform, count, self.choice);
        let twiddles = self.table(session, &transform.twiddles())?;
        let output = session.allocate(words)?;
        let scratch = match plan::needs_scratch(&passes) {
            true if spent && plan::scratch_may_be_input(&passes) => input,
            true => session.allocate(words)?,
            false => output,
        };
        let region = |storage| match storage {
            Storage::Input => input,
            Storage::Output => output,
            Storage::Scratch => scratch,
        };
        let launches: Vec<_> = passes
            .iter()
            .map(|pass| {
                launch(session, pass, region(pass.from), region(pass.to), (twiddles, transform.twiddles()))
            })
            .collect();
        session.launch(&launches)?;
        Ok(output)
    }

    /// Words of memory that [`fft_region`](Self::fft_region) takes for each polynomial, the input included.
    pub(super) fn fft_words<F: DeviceField>(&self, transform: &Transform<F>, spent: bool) -> usize {
        let passes = plan::plan(transform, 1, self.choice);
        let scratch = plan::needs_scratch(&passes) && !(spent && plan::scratch_may_be_input(&passes));
        let output = SCALAR << transform.ntt.domain.log_size();
        (SCALAR << transform.log_input) + output * (1 + usize::from(scratch))
    }
}

/// One pass.
fn launch<F: DeviceField, D: Device>(
    session: &Session<'_, D>,
    pass: &Pass,
    from: Region,
    to: Region,
    (table, twiddles): (Region, Twiddles<F>),
) -> Launch<Region> {
    let [read, written] = pass.extent();
    assert!(from.words() >= SCALAR * read && to.words() >= SCALAR * written);
    assert!(table.words() >= twiddles.words() && twiddles.log_size == pass.log_size);
    let program = if pass.inverse { F::PROGRAMS.inverse } else { F::PROGRAMS.forward };
    let mut args: Vec<_> = [from, to, table].map(|region| Arg::Buffer(region, 0)).into();
    let logs = [pass.log_size, pass.log_input, pass.log_tile, pass.log_stride];
    args.push(Arg::Word(pass.total as u64));
    args.extend(logs.map(|log| Arg::Word(log.into())));
    let (kernel, grid) = match pass.log_tile {
        // Columns of one point or two need no group.
        0 | 1 => (["fft_forward_small", "fft_inverse_small"], session.limits().grid(pass.total)),
        log_tile => {
            args.push(Arg::Word(pass.log_columns.into()));
            let groups = pass.total.div_ceil(1 << pass.log_columns);
            (["fft_forward", "fft_inverse"], (groups, 1 << (log_tile + pass.log_columns - 2)))
        }
    };
    args.push(Arg::Word(pass.flags));
    // SAFETY: the kernels have these parameters; they read and write the scalars asserted, and of the table the twiddles of a
    // tree of this size. Where indices are reversed, or other columns read what a column writes, `from` is not `to`.
    unsafe { Launch::new(program, kernel[usize::from(pass.inverse)], grid, args) }
}
