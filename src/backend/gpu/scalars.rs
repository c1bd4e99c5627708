//! Elements of prime fields that stay on the device, and their transforms: those of host data without the copies.

use std::marker::PhantomData;

use super::Gpu;
use super::device::Device;
use super::fft::{DeviceField, SCALAR, Transform};
use super::session::Session;
use crate::backend::{KeepScalars, Kept, KeptTransforms, Memory};
use crate::error::Error;
use crate::field::MontgomeryField;
use crate::field::prime::{limbs, limbs_mut};
use crate::ntt::{Domain, Ntt};

/// Scalars in device memory as they are in the host's: in Montgomery form, below the prime. [`KeepScalars::keep_scalars`] makes
/// it, and [`ScalarsView::kept`](crate::backend::ScalarsView) refers to it.
pub(super) struct DeviceScalars<F> {
    /// Their memory, never written again; [`Session::borrow`] makes a region of it.
    pub(super) memory: Memory,
    /// Their number.
    pub(super) len: usize,
    field: PhantomData<F>,
}

/// Scalars that this backend keeps.
fn kept<F: MontgomeryField>(scalars: &Kept) -> &DeviceScalars<F> {
    scalars.downcast_ref().expect("scalars of this field that this backend handed out")
}

impl<D: Device> Gpu<D> {
    /// A copy on the device; `None` for scalars that exceed the budget, and for no scalars.
    pub(super) fn device_scalars<F: MontgomeryField>(
        &self,
        scalars: &[F],
    ) -> Result<Option<DeviceScalars<F>>, Error> {
        if scalars.is_empty() || !self.fits(SCALAR * scalars.len()) {
            return Ok(None);
        }
        let mut session = Session::new(self)?;
        let region = session.upload_new(bytemuck::cast_slice(limbs(scalars)))?;
        Ok(Some(DeviceScalars { memory: session.lease(region)?, len: scalars.len(), field: PhantomData }))
    }

    /// A transform of scalars on the device, into new memory.
    fn transform_kept<F: DeviceField>(
        &self,
        transform: &Transform<F>,
        scalars: &Kept,
    ) -> Result<Kept, Error> {
        let scalars = kept::<F>(scalars);
        let count = scalars.len >> transform.log_input;
        self.grant(self.fft_words(transform, false).saturating_mul(count))?;
        let mut session = Session::new(self)?;
        let input = session.borrow(&scalars.memory);
        let output = self.fft_region(&mut session, transform, count, input, false)?;
        let len = count * transform.ntt.domain.size();
        Ok(Box::new(DeviceScalars::<F> { memory: session.lease(output)?, len, field: PhantomData }))
    }

    /// Copies scalars to host memory, as many as there are.
    fn read_scalars<F: MontgomeryField>(&self, scalars: &Kept, values: &mut [F]) -> Result<(), Error> {
        let scalars = kept::<F>(scalars);
        assert_eq!(scalars.len, values.len(), "as many scalars as there are");
        let mut session = Session::new(self)?;
        let region = session.borrow(&scalars.memory);
        // Kept scalars are below the prime.
        session.download(region, 0, bytemuck::cast_slice_mut(limbs_mut(values)))
    }
}

impl<D: Device, F: MontgomeryField> KeepScalars<F> for Gpu<D> {
    fn keep_scalars(&self, scalars: &[F]) -> Result<Option<Kept>, Error> {
        Ok(self.device_scalars(scalars)?.map(|scalars| Box::new(scalars) as Kept))
    }

    fn read_scalars(&self, scalars: &Kept, values: &mut [F]) -> Result<(), Error> {
        Gpu::read_scalars(self, scalars, values)
    }
}

impl<D: Device, F: DeviceField> KeptTransforms<F> for Gpu<D> {
    fn ntt_kept(&self, ntt: &Ntt<F>, scalars: &Kept) -> Result<Kept, Error> {
        self.transform_kept(&Transform::new(ntt), scalars)
    }

    fn evaluate_kept(&self, domain: &Domain<F>, coefficients: &Kept, size: usize) -> Result<Kept, Error> {
        self.transform_kept(&Transform::padded(domain, size.ilog2()), coefficients)
    }
}
