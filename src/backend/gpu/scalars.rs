//! Scalars of BN254 that stay on the device, and their transforms: those of host data without the copies.

use super::Gpu;
use super::device::Device;
use super::fft::{SCALAR, Transform};
use super::work::Work;
use crate::backend::{Kept, Memory, ResidentFft};
use crate::bn254::{Fr, limbs, limbs_mut};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

/// Scalars in device memory as they are in the host's: 32 bytes each, in Montgomery form, below r. This is what
/// [`Msm::keep_scalars`](crate::backend::Msm::keep_scalars) makes, so what [`ScalarsView::kept`](crate::backend::ScalarsView) holds.
pub(super) struct DeviceScalars {
    /// Their memory, never written again; [`Work::borrow`] makes a region of it.
    pub(super) memory: Memory,
    /// Their number.
    pub(super) len: usize,
}

/// Scalars that this backend keeps.
fn kept(scalars: &Kept) -> &DeviceScalars {
    scalars.downcast_ref().expect("scalars that this backend handed out")
}

impl<D: Device> Gpu<D> {
    /// A copy on the device; `None` of scalars that exceed the budget, and of none.
    pub(super) fn device_scalars(&self, scalars: &[Fr]) -> Result<Option<DeviceScalars>, Error> {
        if scalars.is_empty() || !self.fits(SCALAR * scalars.len()) {
            return Ok(None);
        }
        let mut work = Work::new(self)?;
        let region = work.upload_new(bytemuck::cast_slice(limbs(scalars)))?;
        Ok(Some(DeviceScalars { memory: work.lease(region)?, len: scalars.len() }))
    }

    fn transform_kept(&self, transform: &Transform, scalars: &Kept) -> Result<Kept, Error> {
        let scalars = kept(scalars);
        let count = scalars.len >> transform.log_input;
        self.grant(self.fft_words(transform, false).saturating_mul(count))?;
        let mut work = Work::new(self)?;
        let input = work.borrow(&scalars.memory);
        let output = self.fft_region(&mut work, transform, count, input, false)?;
        let len = count * transform.ntt.domain.size();
        Ok(Box::new(DeviceScalars { memory: work.lease(output)?, len }))
    }
}

impl<D: Device> ResidentFft for Gpu<D> {
    fn kept_len(&self, scalars: &Kept) -> usize {
        kept(scalars).len
    }

    fn fft_kept(&self, fft: &Ntt<Fr>, scalars: &Kept) -> Result<Kept, Error> {
        self.transform_kept(&Transform::new(fft), scalars)
    }

    fn fft_of_padded_kept(
        &self,
        domain: &Domain<Fr>,
        coefficients: &Kept,
        size: usize,
    ) -> Result<Kept, Error> {
        self.transform_kept(&Transform::padded(domain, size.ilog2()), coefficients)
    }

    fn read_kept(&self, scalars: &Kept, values: &mut [Fr]) -> Result<(), Error> {
        let scalars = kept(scalars);
        assert_eq!(scalars.len, values.len(), "as many scalars as there are");
        let mut work = Work::new(self)?;
        let region = work.borrow(&scalars.memory);
        // What is kept is below r.
        work.download(region, 0, bytemuck::cast_slice_mut(limbs_mut(values)))
    }
}
