//! Inverses of many elements: three products an element, and an inversion by a power for each work item (`kernels/invert.cl`).
//!
//! Elements are independent of each other: each is a column of its own (`transforms.rs`). What was inverted is restored by inverting it once
//! more.

use super::Gpu;
use super::device::{Arg, Launch};
use super::program::{DeviceField, Name, Program};
use super::session::{Region, Session};
use super::transforms::OnColumns;
use crate::backend::cpu::Cpu;
use crate::backend::{AcceleratedField, Extent, Inversion, Memory, ResidentInversion};
use crate::error::Error;

/// Work items that keep the largest devices busy: about four groups of 128 on each of 132 multiprocessors. With fewer elements than that times
/// the products of an inversion, items have fewer elements each.
const ITEMS: usize = 1 << 16;

const KERNELS: &[&str] =
    &[include_str!("../../../kernels/element.h"), include_str!("../../../kernels/invert.cl")];

/// The program over a field.
pub(super) const fn program<F: DeviceField>() -> &'static Program {
    const { &Program::over::<F>(const { &Name::new("invert", F::SUFFIX) }, KERNELS) }
}

/// Products of an inversion, and the most elements of a work item: so it costs one product an element where there are many. Over prime fields there are for every two bits two squarings, and a
/// product for three digits of four.
const fn products<F: DeviceField>() -> usize {
    if F::WORDS == 1 { 72 } else { 11 * 8 * F::WORDS }
}

/// The inverse of every element, each a column of its own.
#[derive(Clone, Copy)]
struct Inverses;

impl<F: DeviceField> OnColumns<F> for Inverses {
    fn rows(self) -> [usize; 2] {
        [1, 1]
    }

    fn words(self, _: &Gpu, _: bool) -> usize {
        2 * F::WORDS
    }

    fn launch(
        self,
        session: &mut Session<'_>,
        (width, count): (usize, usize),
        input: Region,
        _: bool,
    ) -> Result<Region, Error> {
        let count = width * count;
        let output = session.allocate(count * F::WORDS)?;
        assert!(input.words() >= count * F::WORDS);
        let items = count.div_ceil(products::<F>()).max(count.min(ITEMS));
        let args = vec![Arg::Buffer(input, 0), Arg::Buffer(output, 0), Arg::Word(count as u64)];
        // SAFETY: invert reads and writes `count` elements, as many as both regions have, which are not the same.
        let launch = unsafe { Launch::new(program::<F>(), "invert", session.limits().grid(items), args) };
        session.launch(&[launch])?;
        Ok(output)
    }
}

impl<F: AcceleratedField + DeviceField> Inversion<F> for Gpu
where
    Cpu: Inversion<F>,
{
    fn invert(&self, elements: &mut [F], unchecked: bool) -> Result<(), Error> {
        let undo = |elements: &mut [F], _| Cpu::default().invert(elements, false);
        self.in_place(Inverses, elements, 1, unchecked, undo)
    }
}

impl<F: AcceleratedField + DeviceField> ResidentInversion<F> for Gpu {
    fn invert(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.on_device::<F>(Inverses, matrix, extent)
    }
}
