//! Permutations of lookups whose columns stay on the device.

use super::{DeviceMatrix, Location};
use crate::backend::AcceleratedField;
use crate::engine::Engine;
use crate::error::Error;
use crate::lookups::{LookupColumns, check_lookups};
use crate::work::Activity;

/// A matrix that stays, or a reference to one.
macro_rules! operands {
    ($($matrix:ty),*) => {$(
        impl<F: AcceleratedField> LookupColumns for $matrix {
            type Matrix = DeviceMatrix<F>;

            fn permute_lookups_on(self, engine: &Engine, rows: usize) -> Result<DeviceMatrix<F>, Error> {
                self.permuted(engine, rows)
            }
        }
    )*};
}
operands!(&DeviceMatrix<F>, DeviceMatrix<F>);

impl<F: AcceleratedField> DeviceMatrix<F> {
    fn permuted(&self, engine: &Engine, used: usize) -> Result<Self, Error> {
        engine.check_ours(self)?;
        check_lookups(self.shape, used)?;
        match &self.location {
            Location::Host(host) => Ok(Self::on_host(engine, engine.permuted(self.host_view(host), used)?)),
            Location::Device(stored) => {
                let extent = self.extent();
                self.make(stored, Activity::LOOKUPS, self.shape.rows, |device, matrix| {
                    F::resident_lookups(device).permute_lookups(matrix, extent, used)
                })
            }
        }
    }
}
