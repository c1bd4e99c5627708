//! Inverses of many elements: three products an element, and an inversion by a power for each work item (`kernels/invert.cl`).
//!
//! Elements are independent of each other: each is a column of its own (`transforms.rs`). What was inverted is restored by inverting it once
//! more.

use super::Gpu;
use super::device::{Arg, Launch};
#[cfg(feature = "bn254")]
use super::fields;
use super::program::Program;
use super::session::{Region, Session};
use super::transforms::OnColumns;
use crate::backend::cpu::Cpu;
use crate::backend::{AcceleratedField, Extent, Inversion, Memory, ResidentInversion};
use crate::error::Error;
use crate::field::Goldilocks;

/// Work items that keep the largest devices busy: about four groups of 128 on each of 132 multiprocessors. With fewer elements than that times
/// the products of an inversion, items have fewer elements each.
const ITEMS: usize = 1 << 16;

/// A field with kernels for inverses, which every backend inverts.
pub trait DeviceInversion: AcceleratedField {
    /// Its kernels.
    const PROGRAM: &'static Program;
    /// Products of an inversion, and the most elements of a work item: so it costs one product an element where there are many.
    const PRODUCTS: usize;
    /// Words of an element.
    const WORDS: usize = size_of::<Self>() / size_of::<u64>();
}

const KERNELS: &[&str] =
    &[include_str!("../../../kernels/element.h"), include_str!("../../../kernels/invert.cl")];

static GOLDILOCKS: Program = Program { name: "invert_goldilocks", kernels: KERNELS, ..Program::EMPTY };

impl DeviceInversion for Goldilocks {
    const PROGRAM: &'static Program = &GOLDILOCKS;
    const PRODUCTS: usize = 72;
}

#[cfg(feature = "bn254")]
macro_rules! prime_fields {
    ($($field:path, $name:literal;)*) => {
        $(impl DeviceInversion for $field {
            const PROGRAM: &'static Program = {
                static PROGRAM: Program = Program {
                    name: concat!("invert_", $name),
                    constants: fields::scalars::<$field>,
                    kernels: KERNELS,
                    ..Program::EMPTY
                };
                &PROGRAM
            };
            /// For every two bits two squarings, and a product for three digits of four.
            const PRODUCTS: usize = 11 * Self::WORDS * 8;
        })*

        static PRIME_FIELDS: &[&Program] = &[$(<$field>::PROGRAM),*];
    };
}
#[cfg(feature = "bn254")]
crate::for_every_two_adic_field!(prime_fields);
#[cfg(not(feature = "bn254"))]
static PRIME_FIELDS: &[&Program] = &[];

/// The programs of all fields.
pub(super) fn programs() -> impl Iterator<Item = &'static Program> {
    std::iter::once(&GOLDILOCKS).chain(PRIME_FIELDS.iter().copied())
}

/// The inverse of every element, each a column of its own.
#[derive(Clone, Copy)]
struct Inverses;

impl<F: DeviceInversion> OnColumns<F> for Inverses {
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
        let items = count.div_ceil(F::PRODUCTS).max(count.min(ITEMS));
        let args = vec![Arg::Buffer(input, 0), Arg::Buffer(output, 0), Arg::Word(count as u64)];
        // SAFETY: invert reads and writes `count` elements, as many as both regions have, which are not the same.
        let launch = unsafe { Launch::new(F::PROGRAM, "invert", session.limits().grid(items), args) };
        session.launch(&[launch])?;
        Ok(output)
    }
}

impl<F: DeviceInversion> Inversion<F> for Gpu
where
    Cpu: Inversion<F>,
{
    fn invert(&self, elements: &mut [F], unchecked: bool) -> Result<(), Error> {
        let undo = |elements: &mut [F], _| Cpu::default().invert(elements, false);
        self.in_place(Inverses, elements, 1, unchecked, undo)
    }
}

impl<F: DeviceInversion> ResidentInversion<F> for Gpu {
    fn invert(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.on_device::<F>(Inverses, matrix, extent)
    }
}
