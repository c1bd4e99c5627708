//! BN254 on GPUs: not offered yet. Every operation answers [`Error::Unsupported`]; nothing runs elsewhere instead.

use super::{Device, Gpu};
use crate::backend::Fft;
use crate::bn254::Fr;
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

impl<D: Device> Gpu<D> {
    fn unsupported(&self, operation: &'static str) -> Error {
        Error::Unsupported { operation, device: self.device().info().id.clone() }
    }
}

impl<D: Device> Fft for Gpu<D> {
    fn fft(&self, _: &Ntt<Fr>, _: &mut [Fr]) -> Result<(), Error> {
        Err(self.unsupported("a transform over BN254"))
    }

    fn fft_of_padded(&self, _: &Domain<Fr>, _: &[Fr], _: usize, _: &mut [Fr]) -> Result<(), Error> {
        Err(self.unsupported("a transform over BN254"))
    }
}
