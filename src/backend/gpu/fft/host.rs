//! Transforms of scalars in host memory. Polynomials are transformed independently of each other, so a batch that is too large
//! for the device is cut into parts, and so is one that moves much, so that its parts overlap (`pipeline.rs`). In-place parts are
//! then written before others are known to succeed; if one fails, the host inverts those.

use super::super::Gpu;
use super::super::device::Device;
use super::super::pipeline;
use super::super::session::Session;
use super::DeviceField;
use super::plan::Transform;
use crate::backend::Transforms;
use crate::backend::cpu::Cpu;
use crate::error::Error;
use crate::field::TwoAdic;
use crate::field::prime::{limbs, limbs_mut};
use crate::memory;
use crate::ntt::{Domain, Ntt, Order};

impl<D: Device> Gpu<D> {
    /// Transforms whose results are copied over their inputs: everything that can fail has been waited for before the copy
    /// begins, unless the device is lost during it.
    fn fft_at_once<F: DeviceField>(&self, transform: &Transform<F>, values: &mut [F]) -> Result<(), Error> {
        let mut session = Session::new(self)?;
        let input = session.upload_new(bytemuck::cast_slice(limbs(values)))?;
        let count = values.len() / transform.ntt.domain.size();
        let output = self.fft_region(&mut session, transform, count, input, true)?;
        session.finish()?;
        // The kernels leave values below r.
        session.download(output, 0, bytemuck::cast_slice_mut(limbs_mut(values))).map_err(|error| {
            Error::ResultLost { device: self.device.info().id.clone(), message: error.to_string() }
        })
    }

    /// Transforms out of place, in as many parts as memory requires, one after another.
    fn fft_in_parts<F: DeviceField>(
        &self,
        transform: &Transform<F>,
        input: &[F],
        output: &mut [F],
    ) -> Result<(), Error> {
        let (from, to) = (1 << transform.log_input, transform.ntt.domain.size());
        self.divide(input.len() / from, self.fft_words(transform, true), |part| {
            let (input, output) =
                (&input[part.start * from..part.end * from], &mut output[part.start * to..part.end * to]);
            let mut session = Session::new(self)?;
            let region = session.upload_new(bytemuck::cast_slice(limbs(input)))?;
            let region = self.fft_region(&mut session, transform, part.len(), region, true)?;
            session.download(region, 0, bytemuck::cast_slice_mut(limbs_mut(output)))
        })
    }

    /// Transforms in place: one or more polynomials, one after another.
    pub(crate) fn fft_in_place<F: DeviceField>(&self, fft: &Ntt<F>, values: &mut [F]) -> Result<(), Error> {
        let transform = Transform::new(fft);
        let n = fft.domain.size();
        let (count, words) = (values.len() / n, self.fft_words(&transform, true));
        if let Some(at_once) = self.overlap(count, 2 * size_of::<F>() * n, words) {
            let done = pipeline::run_in_place(
                values.chunks_mut(at_once * n),
                |part| self.fft_at_once(&transform, part),
                |part| Cpu::default().ntt(&fft.undo(), part, 1),
            );
            match done {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return done,
            }
        }
        if count == 1 || self.fits(words.saturating_mul(count)) {
            match self.fft_at_once(&transform, values) {
                Err(Error::DeviceOutOfMemory { .. }) if count > 1 => {}
                result => return result,
            }
        }
        // The first part must not be written before the last is known to succeed.
        let mut results = memory::filled(values.len(), <F as TwoAdic>::ZERO)?;
        self.fft_in_parts(&transform, values, &mut results)?;
        memory::copy(&results, values);
        Ok(())
    }
}

impl<D: Device, F: DeviceField> Transforms<F> for Gpu<D> {
    fn ntt(&self, ntt: &Ntt<F>, values: &mut [F], _: usize) -> Result<(), Error> {
        self.fft_in_place(ntt, values)
    }

    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &[F],
        (size, _): (usize, usize),
        values: &mut [F],
    ) -> Result<(), Error> {
        let transform = Transform::padded(domain, size.ilog2(), order);
        let (n, count) = (domain.size(), coefficients.len() / size);
        match self.overlap(count, size_of::<F>() * (size + n), self.fft_words(&transform, true)) {
            Some(at_once) => {
                let parts = coefficients.chunks(at_once * size).zip(values.chunks_mut(at_once * n));
                pipeline::run(parts, |(input, output)| self.fft_in_parts(&transform, input, output))
            }
            None => self.fft_in_parts(&transform, coefficients, values),
        }
    }
}
