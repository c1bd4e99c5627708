//! BN254: on the CPU, for no device offers it yet and so there is nothing to weigh.

use super::Auto;
use crate::backend::{BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

impl Msm for Auto {
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        self.host.keep_bases(points, table_bytes)
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        self.host.keep_scalars(scalars)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        self.host.msm(scalars, bases, sums)
    }
}

impl Fft for Auto {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        self.host.fft(fft, values)
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        self.host.fft_of_padded(domain, coefficients, size, values)
    }
}
