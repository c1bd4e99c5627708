//! Products of vectors over prime fields, element by element (`kernels/pointwise.cl`).

use std::ops::Range;

use super::Gpu;
use super::device::{Arg, Launch};
use super::pipeline;
use super::program::{DeviceField, Name, Program};
use super::session::{Region, Session};
use super::transforms::{bytes, bytes_mut};
use crate::backend::{AcceleratedPrime, Memory, Pointwise, ResidentPointwise};
use crate::error::Error;
use crate::memory;

/// The program over a field.
pub(super) const fn program<F: DeviceField>() -> &'static Program {
    const {
        &Program::over::<F>(
            const { &Name::new("pointwise", F::SUFFIX) },
            &[include_str!("../../../kernels/pointwise.cl")],
        )
    }
}

/// Vectors in host memory, of one length: a, b, and perhaps c.
#[derive(Clone, Copy)]
struct Operands<'a, F> {
    a: &'a [F],
    b: &'a [F],
    c: Option<&'a [F]>,
}

impl<'a, F> Operands<'a, F> {
    fn range(self, range: Range<usize>) -> Self {
        let [a, b] = [self.a, self.b].map(|vector| &vector[range.clone()]);
        Self { a, b, c: self.c.map(|c| &c[range]) }
    }
}

/// The launch for `len` elements of each region; the result may take the place of an operand.
fn launch<F: DeviceField>(
    session: &mut Session<'_>,
    len: usize,
    operands: &[Region],
    to: Region,
) -> Result<(), Error> {
    assert!(operands.iter().chain([&to]).all(|region| region.words() >= len * F::WORDS));
    let kernel = match operands.len() {
        2 => "multiply",
        _ => "multiply_subtract",
    };
    let mut args: Vec<_> = operands.iter().chain([&to]).map(|&region| Arg::Buffer(region, 0)).collect();
    args.push(Arg::Word(len as u64));
    // SAFETY: multiply has two operands and multiply_subtract three; they read and write `len` elements, as many as all regions have.
    let launch = unsafe { Launch::new(program::<F>(), kernel, session.limits().grid(len), args) };
    session.launch(&[launch])
}

impl Gpu {
    /// Uploads vectors and starts their product, which is in the region that is returned.
    fn start_product<F: DeviceField>(
        &self,
        operands: Operands<'_, F>,
    ) -> Result<(Session<'_>, Region), Error> {
        let mut session = Session::new(self)?;
        let vectors = [Some(operands.a), Some(operands.b), operands.c];
        let regions = vectors.into_iter().flatten().map(|vector| session.upload_new(bytes(vector)));
        let regions = regions.collect::<Result<Vec<_>, _>>()?;
        launch::<F>(&mut session, operands.a.len(), &regions, regions[0])?;
        Ok((session, regions[0]))
    }

    /// Products in memory of their own, in as many parts as memory requires or as overlap.
    fn products_in_parts<F: DeviceField>(
        &self,
        operands: Operands<'_, F>,
        at_once: Option<usize>,
        words: usize,
    ) -> Result<Vec<F>, Error> {
        let len = operands.a.len();
        let mut products = F::zeros(len)?;
        let part = |range: Range<usize>, products: &mut [F]| {
            let (mut session, product) = self.start_product(operands.range(range))?;
            session.download(product, 0, bytes_mut(products))
        };
        if let Some(count) = at_once {
            let parts = products.chunks_mut(count).enumerate();
            let each = |(number, products): (usize, &mut [F])| {
                let start = number * count;
                part(start..start + products.len(), products)
            };
            match pipeline::run(parts, each) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return done.map(|()| products),
            }
        }
        self.divide(len, words, |range| part(range.clone(), &mut products[range]))?;
        Ok(products)
    }
}

impl<F: AcceleratedPrime> Pointwise<F> for Gpu {
    /// What was multiplied cannot be restored, so only a product at once is copied over its factor.
    fn multiply(&self, a: &mut [F], b: &[F], c: Option<&[F]>) -> Result<(), Error> {
        if a.is_empty() {
            return Ok(());
        }
        let (len, vectors) = (a.len(), 2 + usize::from(c.is_some()));
        let words = vectors * F::WORDS;
        let at_once = self.overlap(len, (vectors + 1) * size_of::<F>(), words);
        if at_once.is_none() && self.fits(len.saturating_mul(words)) {
            match self.start_product(Operands { a: &*a, b, c }) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                Err(error) => return Err(error),
                Ok((mut session, product)) => {
                    session.finish()?;
                    return session.download(product, 0, bytes_mut(a)).map_err(|error| self.lost(&error));
                }
            }
        }
        let products = self.products_in_parts(Operands { a: &*a, b, c }, at_once, words)?;
        memory::copy(F::words(&products), F::words_mut(a));
        Ok(())
    }
}

impl<F: AcceleratedPrime> ResidentPointwise<F> for Gpu {
    fn multiply(&self, len: usize, a: &Memory, b: &Memory, c: Option<&Memory>) -> Result<Memory, Error> {
        let operands = [Some(a), Some(b), c];
        let vectors = operands.iter().flatten().count() + 1;
        self.grant((vectors * F::WORDS).saturating_mul(len))?;
        let mut session = Session::new(self)?;
        let regions: Vec<_> = operands.into_iter().flatten().map(|memory| session.borrow(memory)).collect();
        let to = session.allocate(len * F::WORDS)?;
        launch::<F>(&mut session, len, &regions, to)?;
        session.lease(to)
    }
}
