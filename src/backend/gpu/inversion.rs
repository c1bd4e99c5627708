//! Inverses of many elements: three products an element, and an inversion by a power for each work item (`kernels/invert.cl`).
//!
//! Elements are independent of each other, so host data that are too many for the device are cut anywhere, and so are those that move much, so
//! that their parts overlap (`pipeline.rs`). Parts are in place; if one fails, the host inverts those that were done once more.

use super::Gpu;
use super::device::{Arg, Device, Launch};
#[cfg(feature = "bn254")]
use super::fields;
use super::pipeline;
use super::program::Program;
use super::session::{Region, Session};
use crate::backend::cpu::Cpu;
use crate::backend::{AcceleratedField, Check, Extent, Inversion, Memory, ResidentInversion, sound};
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

impl<D: Device> Gpu<D> {
    /// The inverses of so many elements of a region, in another.
    fn invert_region<F: DeviceInversion>(
        &self,
        session: &mut Session<'_, D>,
        input: Region,
        count: usize,
    ) -> Result<Region, Error> {
        let output = session.allocate(count * F::WORDS)?;
        assert!(input.words() >= count * F::WORDS);
        let items = count.div_ceil(F::PRODUCTS).max(count.min(ITEMS));
        let args = vec![Arg::Buffer(input, 0), Arg::Buffer(output, 0), Arg::Word(count as u64)];
        // SAFETY: invert reads and writes `count` elements, as many as both regions have, which are not the same.
        let launch = unsafe { Launch::new(F::PROGRAM, "invert", session.limits().grid(items), args) };
        session.launch(&[launch])?;
        Ok(output)
    }

    /// Inverts elements whose inverses are copied over them: everything that can fail has been waited for before the copy begins,
    /// unless the device is lost during it.
    fn invert_at_once<F: DeviceInversion>(
        &self,
        elements: &mut [F],
        check: Check<'_, F>,
    ) -> Result<(), Error> {
        let words = F::words(elements);
        let start = || {
            let mut session = Session::new(self)?;
            let input = session.upload_new(bytemuck::cast_slice(words))?;
            let output = self.invert_region::<F>(&mut session, input, elements.len())?;
            Ok((session, output))
        };
        let (mut session, output) = self.check_and_start(words, |_| check(elements), start)?;
        session.finish()?;
        let words = bytemuck::cast_slice_mut(F::words_mut(elements));
        session.download(output, 0, words).map_err(|error| Error::ResultLost {
            device: self.device.info().id.clone(),
            message: error.to_string(),
        })
    }
}

impl<D: Device, F: DeviceInversion> Inversion<F> for Gpu<D>
where
    Cpu: Inversion<F>,
{
    fn invert(&self, elements: &mut [F], check: Check<'_, F>) -> Result<(), Error> {
        let undo = |elements: &mut [F]| Cpu::default().invert(elements, &sound);
        if let Some(at_once) = self.overlap(elements.len(), 2 * size_of::<F>(), 2 * F::WORDS) {
            let done = pipeline::run_in_place(
                elements.chunks_mut(at_once),
                |part| self.invert_at_once(part, check),
                |part| undo(part),
            );
            match done {
                // The index counts words of all elements, not of a part.
                Err(Error::NotCanonical { .. }) => return check(elements),
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return done,
            }
        }
        let mut done = 0;
        let result = self.divide(elements.len(), 2 * F::WORDS, |part| {
            done = part.start;
            self.invert_at_once(&mut elements[part], check)
        });
        if result.is_err() {
            undo(&mut elements[..done])?;
        }
        match result {
            Err(Error::NotCanonical { .. }) => check(elements),
            result => result,
        }
    }
}

impl<D: Device, F: DeviceInversion> ResidentInversion<F> for Gpu<D> {
    fn invert(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let words = extent.words();
        self.grant(words.saturating_mul(2))?;
        let mut session = Session::new(self)?;
        let input = self.borrow(&mut session, matrix, extent);
        let output = self.invert_region::<F>(&mut session, input, words / F::WORDS)?;
        session.lease(output)
    }
}
