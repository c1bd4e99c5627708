//! Transforms of elements that stay on the device: those of host data without the copies.

use super::super::Gpu;
use super::super::device::Device;
use super::super::session::Session;
use super::plan::Transform;
use super::{DeviceField, SCALAR};
use crate::backend::{Extent, Memory, ResidentTransforms};
use crate::error::Error;
use crate::ntt::{Domain, Ntt, Order};

impl<D: Device> Gpu<D> {
    /// The transforms of the columns of a matrix, which lie one after another.
    fn transform_resident<F: DeviceField>(
        &self,
        transform: &Transform<F>,
        matrix: &Memory,
        extent: Extent,
    ) -> Result<Memory, Error> {
        assert_eq!(extent.block, SCALAR, "columns one after another");
        let count = extent.blocks();
        self.grant(self.fft_words(transform, false).saturating_mul(count))?;
        let mut session = Session::new(self)?;
        let input = self.borrow(&mut session, matrix, extent);
        let output = self.fft_region(&mut session, transform, count, input, false)?;
        session.lease(output)
    }
}

impl<D: Device, F: DeviceField> ResidentTransforms<F> for Gpu<D> {
    fn ntt(&self, ntt: &Ntt<F>, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.transform_resident(&Transform::new(ntt), matrix, extent)
    }

    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &Memory,
        extent: Extent,
    ) -> Result<Memory, Error> {
        let transform = Transform::padded(domain, extent.rows.ilog2(), order);
        self.transform_resident(&transform, coefficients, extent)
    }
}
