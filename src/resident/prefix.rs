//! Prefix products of matrices that stay on the device.

use super::{DeviceMatrix, Location};
use crate::backend::AcceleratedField;
use crate::engine::Engine;
use crate::error::Error;
use crate::prefix::Scannable;
use crate::work::Activity;

/// A matrix that stays, or a reference to one.
macro_rules! operands {
    ($($matrix:ty),*) => {$(
        impl<F: AcceleratedField> Scannable for $matrix {
            type Matrix = DeviceMatrix<F>;

            fn prefix_products_on(
                self,
                engine: &Engine,
                first: &[F],
            ) -> Result<(DeviceMatrix<F>, Vec<F>), Error> {
                self.scanned(engine, first)
            }
        }
    )*};
}
operands!(&DeviceMatrix<F>, DeviceMatrix<F>);

impl<F: AcceleratedField> DeviceMatrix<F> {
    fn scanned(&self, engine: &Engine, first: &[F]) -> Result<(Self, Vec<F>), Error> {
        engine.check_ours(self)?;
        let mut carry = engine.first_values(self.shape.columns, first)?;
        let stored = match &self.location {
            Location::Host(host) => {
                let (products, all) = engine.scanned(self.host_view(host), carry)?;
                return Ok((Self::on_host(engine, products), all));
            }
            Location::Device(stored) => stored,
        };
        let extent = self.extent();
        let products = self.make(stored, Activity::PREFIX_PRODUCTS, self.shape.rows, |device, matrix| {
            F::resident_prefix_products(device).prefix_products(matrix, extent, &mut carry)
        })?;
        Ok((products, carry))
    }
}
