//! Backends: one object-safe trait per operation, and the backends that implement them all.
//!
//! The engine validates; a backend may assume that lengths fit, sizes are powers of two and words are canonical. Memory safety rests
//! on that, so nothing here can be reached from outside the crate.
//!
//! ```compile_fail,E0603
//! use zkaccel::backend::cpu::Cpu;
//! ```
//!
//! A value of a backend exists only where its hardware does: constructing it is the test. Operations on a device can
//! fail at any time; one that does leaves its inputs unchanged, because results are copied back last. The one exception is a
//! device that is lost while the result of a transform in place is copied back: [`Error::ResultLost`].

mod combinations;
pub mod cpu;
mod element;
mod fields;
pub mod gpu;
mod hashing;
mod lookups;
pub(crate) mod open;
#[cfg(feature = "bn254")]
pub mod points;
mod prefix;
mod programs;
#[cfg(feature = "providers")]
pub mod provider;
pub mod reference;
#[cfg(feature = "bn254")]
mod reference_points;
#[cfg(feature = "bn254")]
mod reference_sums;
mod residence;
#[cfg(feature = "bn254")]
mod sums;
mod transforms;
#[cfg(feature = "bn254")]
mod vectors;
#[cfg(feature = "bn254")]
mod widths;

use std::time::Duration;

#[cfg(feature = "bn254")]
pub use points::PointTransforms;
#[cfg(feature = "bn254")]
pub use sums::{AcceleratedCurve, BasesView, KeepScalars, Msm, ScalarsView};
#[cfg(feature = "bn254")]
pub use vectors::{
    AcceleratedPrime, Entry, Pointwise, ResidentPointwise, ResidentSparse, Sparse, SparseView,
};

pub use combinations::{Combinations, MatrixView, ResidentCombinations};

use crate::device::{Bandwidths, ProductRates};
use crate::error::Error;
use crate::memory::Strided;
use crate::pinned::Locked;
pub(crate) use element::in_own_memory;
pub use element::{BaseField, Element};
pub use fields::{AcceleratedField, EveryField, EveryResidentField, OnBackends};
pub use hashing::{Accelerated, Beside, EveryHash, EveryResidentHash, Hashing, Levels};
pub use lookups::{Lookups, ResidentLookups, Scatter};
pub use prefix::{PrefixProducts, ResidentPrefixProducts};
pub use programs::{Programs, ResidentPrograms};
#[cfg(feature = "cuda")]
pub use residence::Foreign;
pub use residence::{
    ByResidues, Extent, InStages, Memory, Piece, Resident, ResidentBackend, ResidentHashing,
    ResidentInversion, ResidentTransforms,
};
pub use transforms::{Inversion, Transforms};

/// The hardware beneath a backend: statistics of its work, and memory. By default that of the host.
pub trait Hardware {
    /// The time that the device has spent on the operations done so far, transfers not counted, by its own clock; `None`
    /// where the host is the device.
    fn device_time(&self) -> Option<Duration> {
        None
    }

    /// The number of repeated lists of kernel launches that were launched as one; `None` where that never happens.
    fn replays(&self) -> Option<u64> {
        None
    }

    /// The bandwidth of its copies, measured now; `None` where the host is the device.
    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        Ok(None)
    }

    /// The products that it computes in a second, measured now; `None` where it cannot tell.
    fn product_rates(&self) -> Result<Option<ProductRates>, Error> {
        Ok(None)
    }

    /// Gives memory of the device that no work uses, kept for work to come, back to it.
    fn release_memory(&self) {}

    /// So many bytes of page-locked memory, with unspecified contents; `None` where it has no advantage over ordinary memory.
    /// [`Error::HostOutOfMemory`].
    fn lock(&self, _bytes: usize) -> Result<Option<Locked>, Error> {
        Ok(None)
    }

    /// Whether it copies these columns from and to page-locked memory by itself.
    fn copies_columns(&self, _: Strided<'_, u64>) -> bool {
        false
    }

    /// The operations on data in the device's memory; `None` where that is the host's.
    fn resident(&self) -> Option<&dyn ResidentBackend> {
        None
    }
}

/// Everything a device offers.
pub trait Backend: EveryField + EveryHash + Curves + Hardware {}

impl<T: EveryField + EveryHash + Curves + Hardware> Backend for T {}

/// Everything over curves and their fields.
#[cfg(feature = "bn254")]
pub trait Curves:
    sums::EveryCurve + sums::EveryScalar + points::EveryTransformedCurve + vectors::EveryPrimeField
{
}

#[cfg(feature = "bn254")]
impl<T> Curves for T where
    T: sums::EveryCurve + sums::EveryScalar + points::EveryTransformedCurve + vectors::EveryPrimeField
{
}

/// The same in a device's memory.
#[cfg(feature = "bn254")]
pub trait ResidentCurves: vectors::EveryResidentPrimeField {}

#[cfg(feature = "bn254")]
impl<T: vectors::EveryResidentPrimeField> ResidentCurves for T {}

/// Everything over curves: nothing in this build, which is without the feature `bn254`.
#[cfg(not(feature = "bn254"))]
pub trait Curves {}

#[cfg(not(feature = "bn254"))]
impl<T> Curves for T {}

/// The same in a device's memory.
#[cfg(not(feature = "bn254"))]
pub trait ResidentCurves {}

#[cfg(not(feature = "bn254"))]
impl<T> ResidentCurves for T {}

#[cfg(test)]
pub mod testing {
    //! Operations in a form that is convenient for tests.

    use super::{Extent, Hashing, Levels};
    use crate::error::Error;
    use crate::field::Goldilocks;
    use crate::hash::Hasher;
    use crate::merkle::Approach;

    /// Fills the inner nodes `1..n` of a heap of 2n digests.
    pub fn build_heap<H: Hasher>(
        hashing: &dyn Hashing<H>,
        heap: &mut [H::Digest],
        approach: Approach,
    ) -> Result<(), Error> {
        let (inner, leaves) = heap.split_at_mut(heap.len() / 2);
        hashing.build_tree(leaves, Levels::Heap(inner), approach, &mut || Ok(()))
    }

    /// The digests of all rows of a column-major matrix with `degree` words per entry.
    pub fn hash_columns<H: Hasher>(
        hashing: &dyn Hashing<H>,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let rows = digests.len();
        hashing.hash_rows(matrix, Extent { rows, width: matrix.len() / rows, block: degree }, 0, digests)
    }
}
