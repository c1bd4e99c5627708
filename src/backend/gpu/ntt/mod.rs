//! Transforms: passes over the data, as few as there are digits of at most ten bits in the index.
//!
//! ```text
//!  plan.rs      the passes of a transform, with their parameters
//!  tables.rs    twiddle factors and powers of shifts, made on the device
//!  programs.rs  the kernels: one program for each tile, access and number form
//!  residues.rs  transforms of which a device has the coefficients of one residue
//!  stages.rs    the same in two stages, with one exchange between them
//! ```
//!
//! Twiddles between passes, powers of shifts, the factor 1/n and both orders are part of the passes: nothing else touches the
//! data.

mod plan;
pub(super) mod programs;
mod residues;
mod stages;
mod tables;
#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
pub(super) mod tests;

use super::Gpu;
use super::device::{Arg, Launch};
use super::session::{Region, Session};
use super::transforms::OnColumns;
use crate::backend::cpu::Cpu;
use crate::backend::{ByResidues, Extent, InStages, Memory, ResidentTransforms, Transforms};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::memory::StridedMut;
use crate::meter::Meter;
use crate::ntt::{Domain, Lde, Ntt, Order};
pub(super) use plan::{Choice, Storage};
use plan::{Pass, Transform};
pub(super) use programs::Form;
pub(super) use tables::Contents;

impl Transform {
    /// The values on a domain, in an order, of polynomials of 2^`log_rows` coefficients in natural order.
    pub(super) fn padded(domain: &Domain, log_rows: u32, order: Order) -> Self {
        let forward = Ntt::forward(*domain).with_orders(Order::Natural, order);
        Self { log_rows, log_blowup: domain.log_size() - log_rows, ..Self::from(&forward) }
    }
}

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
            exchanged: None,
        }
    }
}

/// The two transforms of an extension: values to coefficients, in an order that the second takes without scratch memory, and
/// coefficients to values.
fn extension(lde: &Lde) -> [Transform; 2] {
    let (from, to) = (lde.from(), lde.to());
    // The first transform either leaves the coefficients in bit-reversed order, in place, or uses the output as its scratch
    // memory.
    let order = match lde.output_order() {
        Order::Natural => Order::BitReversed,
        Order::BitReversed => Order::Natural,
    };
    let inverse = Transform::from(&Ntt::inverse(from).with_orders(Order::Natural, order));
    let forward =
        Transform { input_order: order, ..Transform::padded(&to, from.log_size(), lde.output_order()) };
    [inverse, forward]
}

/// A region from some word on.
type At = (Region, usize);

impl Gpu {
    /// The plan; an error where a block is larger than kernels can address.
    fn passes(&self, transform: &Transform, width: usize, count: usize) -> Result<Vec<Pass>, Error> {
        plan::plan(transform, width, count, self.choice()).ok_or_else(|| Error::DeviceOutOfMemory {
            device: self.device.info().id.clone(),
            requested: (8 * (width * count) as u64) << (transform.log_rows + transform.log_blowup),
        })
    }

    /// The launches of a plan, its tables made.
    fn launches(
        &self,
        session: &mut Session<'_>,
        passes: &[Pass],
        regions: [At; 3],
    ) -> Result<Vec<Launch<Region>>, Error> {
        let mut launches = Vec::with_capacity(passes.len());
        for pass in passes {
            let (from, to) = (pass.from.of(regions), pass.to.of(regions));
            let inner = self.table(session, &Contents::Inner(pass.inner))?;
            let mut table = |powers: Option<_>| match powers {
                Some(powers) => self.table(session, &Contents::Powers(powers)),
                None => Ok(inner),
            };
            let tables = [inner, table(pass.pre)?, table(pass.post)?];
            launches.push(launch(self.form, pass, from, to, tables));
        }
        Ok(launches)
    }
}

/// In another region, and one more where neither order is reversed. The input is left as it is.
impl OnColumns<Goldilocks> for Transform {
    fn rows(self) -> [usize; 2] {
        [1 << self.log_rows, 1 << (self.log_rows + self.log_blowup)]
    }

    fn words(self, _: &Gpu, _: bool) -> usize {
        let [input, output] = self.rows();
        input + 2 * output
    }

    fn launch(
        self,
        session: &mut Session<'_>,
        (width, count): (usize, usize),
        input: Region,
        _: bool,
    ) -> Result<Region, Error> {
        let gpu = session.gpu();
        let passes = gpu.passes(&self, width, count)?;
        let output = session.allocate(input.words() << self.log_blowup)?;
        let scratch = match plan::needs_scratch(&passes) {
            true => session.allocate(output.words())?,
            false => output,
        };
        let regions = [input, output, scratch].map(|region| (region, 0));
        let launches = gpu.launches(session, &passes, regions)?;
        session.launch(&launches)?;
        Ok(output)
    }
}

/// With the coefficients in a region of their own. The input is left as it is.
impl OnColumns<Goldilocks> for Lde {
    fn rows(self) -> [usize; 2] {
        [self.from().size(), self.to().size()]
    }

    fn words(self, _: &Gpu, _: bool) -> usize {
        2 * self.from().size() + self.to().size()
    }

    fn launch(
        self,
        session: &mut Session<'_>,
        (width, count): (usize, usize),
        input: Region,
        _: bool,
    ) -> Result<Region, Error> {
        let (gpu, [inverse, forward]) = (session.gpu(), extension(&self));
        let inverse = gpu.passes(&inverse, width, count)?;
        let forward = gpu.passes(&forward, width, count)?;
        debug_assert!(!plan::needs_scratch(&forward), "orders that differ need no scratch memory");
        let output = session.allocate(input.words() * self.blowup())?;
        let coefficients = session.allocate(input.words())?;
        let [input, coefficients, output] = [input, coefficients, output].map(|region| (region, 0));
        let mut launches = gpu.launches(session, &inverse, [input, coefficients, output])?;
        launches.extend(gpu.launches(session, &forward, [coefficients, output, output])?);
        let (output, _) = output;
        session.launch(&launches)?;
        Ok(output)
    }
}

impl Transforms<Goldilocks> for Gpu {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.ntt_checked(ntt, data, width, false, &Meter::silent())
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        unchecked: bool,
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        let undo = |data: &mut [_], width| Cpu::default().ntt(&ntt.undo(), data, width);
        self.in_place(Transform::from(ntt), data, width, unchecked, undo)
    }

    fn ntt_columns(&self, ntt: &Ntt, columns: StridedMut<'_, u64>) -> Option<Result<(), Error>> {
        let undo = |data: &mut [_], width| Cpu::default().ntt(&ntt.undo(), data, width);
        self.columns_in_place(Transform::from(ntt), columns, undo)
    }

    fn evaluate(
        &self,
        domain: &Domain,
        order: Order,
        coefficients: &[Goldilocks],
        (size, width): (usize, usize),
        values: &mut [Goldilocks],
    ) -> Result<(), Error> {
        let padded = Transform::padded(domain, size.ilog2(), order);
        self.out_of_place(padded, coefficients, width, values, false)
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.lde_checked(lde, input, width, output, false, &Meter::silent())
    }

    fn lde_checked(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
        unchecked: bool,
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        self.out_of_place(*lde, input, width, output, unchecked)
    }
}

impl ResidentTransforms<Goldilocks> for Gpu {
    fn ntt(&self, ntt: &Ntt, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.on_device(Transform::from(ntt), matrix, extent)
    }

    fn evaluate(
        &self,
        domain: &Domain,
        order: Order,
        coefficients: &Memory,
        extent: Extent,
    ) -> Result<Memory, Error> {
        let padded = Transform::padded(domain, extent.rows.ilog2(), order);
        self.on_device(padded, coefficients, extent)
    }

    fn lde(&self, lde: &Lde, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.on_device(*lde, matrix, extent)
    }

    fn by_residues(&self, ntt: &Ntt, extent: Extent, devices: usize) -> Option<Box<dyn ByResidues + '_>> {
        let residues = residues::Residues::new(self, ntt, extent, devices)?;
        Some(Box::new(residues))
    }

    fn in_stages(
        &self,
        ntt: &Ntt,
        extent: Extent,
        devices: usize,
        residues: (usize, usize),
    ) -> Option<Box<dyn InStages + '_>> {
        let stages = stages::Stages::new(self, ntt, extent, devices, residues)?;
        Some(Box::new(stages))
    }
}

/// One pass; tables that it does not need are arbitrary.
fn launch(form: Form, pass: &Pass, from: At, to: At, tables: [Region; 3]) -> Launch<Region> {
    let has = |(region, at): At, words: usize| region.words() >= at + words;
    assert!(has(from, pass.words.read()) && has(to, pass.words.written()));
    let buffers = [from, to].into_iter().chain(tables.map(|table| (table, 0)));
    let mut args: Vec<_> = buffers.map(|(region, at)| Arg::Buffer(region, at as u64)).collect();
    args.extend(pass.words.list().map(Arg::Word));
    let program = programs::pass(form, pass.tile, pass.access);
    // SAFETY: ntt_pass has these parameters; it reads and writes the words asserted, and of tables what the positions of these
    // words need.
    unsafe { Launch::new(program, "ntt_pass", (pass.groups, pass.tile.items()), args) }
}
