//! Sums over BN254 on GPUs: not offered yet. Every operation answers [`Error::Unsupported`]; nothing runs elsewhere instead.

use super::{Device, Gpu};
use crate::backend::{BasesView, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;

impl<D: Device> Gpu<D> {
    fn unsupported(&self, operation: &'static str) -> Error {
        Error::Unsupported { operation, device: self.device().info().id.clone() }
    }
}

impl<D: Device> Msm for Gpu<D> {
    fn keep_bases(&self, _: &[G1Affine], _: u64) -> Result<Option<Kept>, Error> {
        Err(self.unsupported("multi-scalar multiplication"))
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        // For transforms too.
        Ok(self.device_scalars(scalars)?.map(|scalars| Box::new(scalars) as Kept))
    }

    fn msm(&self, _: ScalarsView<'_>, _: BasesView<'_>, _: &mut [G1]) -> Result<(), Error> {
        Err(self.unsupported("multi-scalar multiplication"))
    }
}
