//! Transforms over prime fields: a tree of remainders, a few stages of it at a time.
//!
//! ```text
//!  plan.rs      the passes of a transform, with their parameters
//!  twiddles.rs  the tables of twiddles, on the device
//!  programs.rs  their kernels
//! ```

mod plan;
pub(super) mod programs;
#[cfg(all(test, feature = "opencl"))]
mod tests;
mod twiddles;

use super::Gpu;
use super::device::{Arg, Launch};
use super::session::{Region, Session};
use super::tables::Table;
use super::transforms::OnColumns;
use crate::backend::cpu::Cpu;
use crate::backend::{BaseField, Extent, Memory, ResidentTransforms, Transforms};
use crate::error::Error;
use crate::field::TwoAdicPrime;
use crate::field::montgomery::LIMBS;
use crate::ntt::{Domain, Ntt, Order};
use plan::{Pass, Transform};
use twiddles::Twiddles;
pub(super) use twiddles::TwiddlesKey;

/// Words of an element.
pub(super) const SCALAR: usize = LIMBS;

impl<F: TwoAdicPrime + BaseField> OnColumns<F> for Transform<F> {
    fn rows(self) -> [usize; 2] {
        [1 << self.log_input, self.ntt.domain.size()]
    }

    fn words(self, gpu: &Gpu, spent: bool) -> usize {
        let passes = plan::plan(&self, 1, gpu.choice());
        let scratch = plan::needs_scratch(&passes) && !(spent && plan::scratch_may_be_input(&passes));
        let [input, output] = self.rows().map(|rows| SCALAR * rows);
        input + output * (1 + usize::from(scratch))
    }

    fn launch(
        self,
        session: &mut Session<'_>,
        (width, count): (usize, usize),
        input: Region,
        spent: bool,
    ) -> Result<Region, Error> {
        assert!(width == 1, "columns one after another");
        let words = (SCALAR * count) << self.ntt.domain.log_size();
        let passes = plan::plan(&self, count, session.gpu().choice());
        let twiddles = session.gpu().table(session, &self.twiddles())?;
        let output = session.allocate(words)?;
        let scratch = match plan::needs_scratch(&passes) {
            true if spent && plan::scratch_may_be_input(&passes) => input,
            true => session.allocate(words)?,
            false => output,
        };
        let (regions, twiddles) = ([input, output, scratch], (twiddles, self.twiddles()));
        let launch =
            |pass: &Pass| launch(session, pass, pass.from.of(regions), pass.to.of(regions), twiddles);
        let launches: Vec<_> = passes.iter().map(launch).collect();
        session.launch(&launches)?;
        Ok(output)
    }
}

impl<F: TwoAdicPrime + BaseField> Transforms<F> for Gpu {
    fn ntt(&self, ntt: &Ntt<F>, values: &mut [F], width: usize) -> Result<(), Error> {
        let undo = |values: &mut [F], width| Cpu::default().ntt(&ntt.undo(), values, width);
        self.in_place(Transform::new(ntt), values, width, false, undo)
    }

    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &[F],
        (size, width): (usize, usize),
        values: &mut [F],
    ) -> Result<(), Error> {
        let padded = Transform::padded(domain, size.ilog2(), order);
        self.out_of_place(padded, coefficients, width, values, false)
    }
}

impl<F: TwoAdicPrime + BaseField> ResidentTransforms<F> for Gpu {
    fn ntt(&self, ntt: &Ntt<F>, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.on_device(Transform::new(ntt), matrix, extent)
    }

    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &Memory,
        extent: Extent,
    ) -> Result<Memory, Error> {
        self.on_device(Transform::padded(domain, extent.rows.ilog2(), order), coefficients, extent)
    }
}

/// One pass.
fn launch<F: TwoAdicPrime + BaseField>(
    session: &Session<'_>,
    pass: &Pass,
    from: Region,
    to: Region,
    (table, twiddles): (Region, Twiddles<F>),
) -> Launch<Region> {
    let [read, written] = pass.extent();
    assert!(from.words() >= SCALAR * read && to.words() >= SCALAR * written);
    assert!(table.words() >= twiddles.words() && twiddles.log_size == pass.log_size);
    let program = programs::pass::<F>(pass.inverse);
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
