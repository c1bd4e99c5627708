//! Backends: one object-safe trait per operation, and the backends that implement them all.
//!
//! The engine validates; a backend may assume that lengths fit, sizes are powers of two and words are canonical.
//! A value of a backend exists only where its hardware does: constructing it is the test. Operations on a device can
//! fail at any time; one that does leaves inputs as they were, for results are copied back last.

#[cfg(any(feature = "cuda", feature = "opencl"))]
pub mod auto;
#[cfg(feature = "bn254")]
mod bn254;
pub mod checked;
pub mod cpu;
pub mod gpu;
pub(crate) mod open;
#[cfg(feature = "providers")]
pub mod provider;
pub mod reference;
#[cfg(feature = "bn254")]
mod reference_bn254;

use std::time::Duration;

use crate::choice::Choices;
#[cfg(feature = "bn254")]
pub use bn254::{BasesView, Bn254, Fft, Kept, Msm, ScalarsView};

use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Blake3, Hasher, Rp64_256, Rp64_256V2021};
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};

/// Transforms over Goldilocks.
///
/// Data come as blocks, each a row-major matrix of `width` columns with a row per point: a row-major matrix is one
/// block, a column-major one is a block of width 1 (or of an extension's degree) per column.
pub trait Transforms: Send + Sync {
    /// Transforms every column of every block in place.
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error>;

    /// Extends every column of every block of `input` into `output`, which is the blow-up times as long.
    ///
    /// What `output` held is of no account; what `input` holds afterwards is unspecified.
    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error>;
}

/// Row hashing and Merkle trees over one hash.
pub trait Hashing<H: Hasher>: Send + Sync {
    /// The digest of every row of a row-major matrix of `width` columns.
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error>;

    /// The digest of every row of a column-major matrix with as many rows as `digests` and `degree` words an entry.
    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error>;

    /// Fills the inner nodes `1..n` of a heap of 2n digests whose leaves stand at `n..2n`; index 0 is untouched. The
    /// approach says how, to backends that have a choice.
    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error>;
}

/// What a backend tells of its work.
pub trait Clock {
    /// The time that the device has spent on the operations done so far, transfers not counted, by its own clock; `None`
    /// where the host is the device.
    fn device_time(&self) -> Option<Duration> {
        None
    }

    /// Which of its devices did what; `None` where there is no choice.
    fn choices(&self) -> Option<Choices> {
        None
    }
}

/// Everything a device offers.
pub trait Backend:
    Transforms + Hashing<Rp64_256> + Hashing<Rp64_256V2021> + Hashing<Blake3> + Bn254 + Clock
{
}

impl<T> Backend for T where
    T: Transforms + Hashing<Rp64_256> + Hashing<Rp64_256V2021> + Hashing<Blake3> + Bn254 + Clock
{
}

/// Everything over BN254: nothing in this build, which is without the feature `bn254`.
#[cfg(not(feature = "bn254"))]
pub trait Bn254 {}

#[cfg(not(feature = "bn254"))]
impl<T> Bn254 for T {}

/// A hash that every backend offers: how generic code gets from a backend to its operations on one hash.
pub trait Accelerated: Hasher {
    /// The backend's operations on this hash.
    fn hashing(backend: &dyn Backend) -> &dyn Hashing<Self>;
}

macro_rules! accelerated {
    ($($hash:ty),*) => {
        $(impl Accelerated for $hash {
            fn hashing(backend: &dyn Backend) -> &dyn Hashing<Self> {
                backend
            }
        })*
    };
}
accelerated!(Rp64_256, Rp64_256V2021, Blake3);
