//! What a backend offers over BN254.

use super::Kept;
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

/// Bases as a backend gets them.
#[derive(Clone, Copy)]
pub struct BasesView<'a, C = G1Affine> {
    /// The bases.
    pub points: &'a [C],
    /// What [`Msm::keep_bases`] made of all kept bases, of which `points` are a part.
    pub kept: Option<&'a Kept>,
    /// Where among the kept bases `points` begin.
    pub first: usize,
}

/// Scalars as a backend gets them.
#[derive(Clone, Copy)]
pub struct ScalarsView<'a, F = Fr> {
    /// The scalars, one row after another; none where they are in the device's memory alone.
    pub scalars: &'a [F],
    /// What [`Msm::keep_scalars`] or [`ResidentFft`] made of them.
    pub kept: Option<&'a Kept>,
}

/// Multi-scalar multiplication.
pub trait Msm: Send + Sync {
    /// Prepares bases for many sums. Tables of multiples take at most `table_bytes`, 0 for none.
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error>;

    /// Prepares scalars for many sums.
    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error>;

    /// One sum a row: `sums.len()` rows of as many scalars as there are bases. Bases are on the curve, or else sums are
    /// of no meaning; there may be none.
    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error>;
}

/// Transforms over the scalars.
pub trait Fft: Send + Sync {
    /// Transforms in place: one or more polynomials, one after another.
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error>;

    /// The values on a domain, in natural order, of one or more polynomials of `size` coefficients each, a power of two
    /// and at most as many as the domain has points. What `values` held is of no account.
    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error>;
}

/// Transforms of scalars in a device's own memory, as [`Msm::keep_scalars`] put them there. What is kept is never written again.
pub trait ResidentFft: Send + Sync {
    /// The number of scalars.
    fn kept_len(&self, scalars: &Kept) -> usize;

    /// [`Fft::fft`] into new memory.
    fn fft_kept(&self, fft: &Ntt<Fr>, scalars: &Kept) -> Result<Kept, Error>;

    /// [`Fft::fft_of_padded`] into new memory.
    fn fft_of_padded_kept(
        &self,
        domain: &Domain<Fr>,
        coefficients: &Kept,
        size: usize,
    ) -> Result<Kept, Error>;

    /// Copies scalars to host memory, as many as there are.
    fn read_kept(&self, scalars: &Kept, values: &mut [Fr]) -> Result<(), Error>;
}
