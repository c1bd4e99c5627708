//! Backends: one object-safe trait per operation, and the backends that implement them all.
//!
//! The engine validates; a backend may assume that lengths fit, sizes are powers of two and words are canonical.
//! A value of a backend exists only where its hardware does: constructing it is the test. Operations on a device can
//! fail at any time; one that does leaves inputs as they were, for results are copied back last. The one exception is a
//! device that is lost while the result of a transform in place is copied back: [`Error::ResultLost`].

#[cfg(any(feature = "cuda", feature = "opencl"))]
pub mod auto;
#[cfg(feature = "bn254")]
mod bn254;
pub mod checked;
mod cost;
mod counted;
pub mod cpu;
pub mod gpu;
pub(crate) mod open;
#[cfg(feature = "providers")]
pub mod provider;
pub mod reference;
#[cfg(feature = "bn254")]
mod reference_bn254;
mod residence;
pub mod several;

use std::time::Duration;

#[cfg(feature = "bn254")]
pub use bn254::{BasesView, Bn254, Fft, Kept, Msm, ResidentFft, ScalarsView};

use crate::choice::Choices;
use crate::device::Bandwidths;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Digest, Hasher};
use crate::memory;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};
use crate::pinned::Locked;
use crate::work::DeviceWork;
pub use residence::{Extent, Memory, Residence, Resident, ResidentBackend, ResidentHashing};

/// Transforms over Goldilocks.
///
/// Data come as blocks, each a row-major matrix of `width` columns with a row per point: a row-major matrix is one
/// block, a column-major one is a block of width 1 (or of an extension's degree) per column.
pub trait Transforms: Send + Sync {
    /// Transforms every column of every block in place.
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error>;

    /// [`ntt`](Self::ntt) of words that nobody has looked at yet. An error of `check` is returned, and then the data are
    /// unchanged. A device can look while it copies: nothing that it does with words depends on what they are.
    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        check(data)?;
        self.ntt(ntt, data, width)
    }

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

    /// [`lde`](Self::lde) of words that nobody has looked at yet, as [`ntt_checked`](Self::ntt_checked).
    fn lde_checked(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        check(input)?;
        self.lde(lde, input, width, output)
    }
}

/// Says whether words, or digests of words, are canonical: [`Error::NotCanonical`] with the first that is not.
pub type Check<'a, T> = &'a (dyn Fn(&[T]) -> Result<(), Error> + Sync);

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

    /// [`hash_columns`](Self::hash_columns) of only as many rows as there are digests, from row `from` on, of a matrix of `rows` rows.
    fn hash_columns_from(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        (rows, from): (usize, usize),
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        /// Words that are put side by side at a time.
        const PIECE: usize = 1 << 20;
        let width = matrix.len() / rows;
        let at_once = (PIECE / width).clamp(1, digests.len().max(1));
        let mut piece = memory::zeroed(at_once * width)?;
        for (number, digests) in digests.chunks_mut(at_once).enumerate() {
            let (first, len) = ((from + number * at_once) * degree, digests.len() * degree);
            let piece = &mut piece[..digests.len() * width];
            let columns = matrix.chunks_exact(rows * degree);
            columns
                .zip(piece.chunks_exact_mut(len))
                .for_each(|(column, to)| to.copy_from_slice(&column[first..][..len]));
            self.hash_columns(piece, degree, digests)?;
        }
        Ok(())
    }

    /// The inner nodes of a tree over leaves that stand elsewhere, level by level: `levels[d]` gets the 2^d nodes of depth d,
    /// from the root at depth 0 on. There is a level for each but the leaves'.
    fn build_levels(
        &self,
        leaves: &[H::Digest],
        levels: &mut [&mut [H::Digest]],
        approach: Approach,
    ) -> Result<(), Error> {
        levels_of_heap(leaves, levels, |heap| self.build_tree(heap, approach))
    }

    /// Fills the inner nodes `1..n` of a heap of 2n digests whose leaves stand at `n..2n`; index 0 is untouched. The
    /// approach says how, to backends that have a choice.
    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error>;

    /// Whether a commitment to a trace of so many columns should be made in the device's memory, to a backend that has the
    /// choice.
    fn commits_on_device(&self, _lde: &Lde, _columns: usize) -> Result<bool, Error> {
        Ok(true)
    }

    /// The same over leaves that stand elsewhere, n of them, which are copied into the heap, and at which nobody has looked yet. An
    /// error of `check` is returned, and then the heap is of no account.
    fn build_tree_over(
        &self,
        leaves: &[H::Digest],
        heap: &mut [H::Digest],
        approach: Approach,
        check: Check<'_, H::Digest>,
    ) -> Result<(), Error> {
        check(leaves)?;
        memory::copy(leaves, &mut heap[leaves.len()..]);
        self.build_tree(heap, approach)
    }
}

/// The levels of a tree that is built in a heap of its own.
fn levels_of_heap<D: Digest>(
    leaves: &[D],
    levels: &mut [&mut [D]],
    build: impl FnOnce(&mut [D]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut heap = memory::zeroed::<D>(2 * leaves.len())?;
    memory::copy(leaves, &mut heap[leaves.len()..]);
    build(&mut heap)?;
    levels
        .iter_mut()
        .enumerate()
        .for_each(|(depth, level)| memory::copy(&heap[1 << depth..2 << depth], level));
    Ok(())
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

    /// How many lists of kernel launches came again and were launched as one; `None` where that never happens.
    fn replays(&self) -> Option<u64> {
        None
    }

    /// The account of each device; none where nobody counts.
    fn work(&self) -> Vec<DeviceWork> {
        Vec::new()
    }

    /// How fast it copies, measured now; `None` where the host is the device.
    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        Ok(None)
    }
}

/// Host memory as a device likes it.
pub trait HostMemory {
    /// So many bytes of page-locked memory, with unspecified contents; `None` where ordinary memory is as good.
    /// [`Error::HostOutOfMemory`].
    fn lock(&self, _bytes: usize) -> Result<Option<Locked>, Error> {
        Ok(None)
    }
}

/// Everything a device offers.
pub trait Backend: Transforms + EveryHash + Bn254 + Clock + HostMemory + Residence {}

impl<T> Backend for T where T: Transforms + EveryHash + Bn254 + Clock + HostMemory + Residence {}

/// Everything over BN254: nothing in this build, which is without the feature `bn254`.
#[cfg(not(feature = "bn254"))]
pub trait Bn254 {}

#[cfg(not(feature = "bn254"))]
impl<T> Bn254 for T {}

/// A hash that every backend offers: how generic code gets from a backend to its operations on one hash.
pub trait Accelerated: Hasher {
    /// The backend's operations on this hash.
    fn hashing(backend: &dyn Backend) -> &dyn Hashing<Self>;

    /// The same on data in a device's memory.
    fn resident_hashing(backend: &dyn ResidentBackend) -> &dyn ResidentHashing<Self>;
}

macro_rules! every_hash {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// Row hashing and trees over every hash.
        pub trait EveryHash: $(Hashing<crate::hash::$hash> +)* {}

        impl<T> EveryHash for T where T: $(Hashing<crate::hash::$hash> +)* {}

        /// The same in a device's memory.
        pub trait EveryResidentHash: $(ResidentHashing<crate::hash::$hash> +)* {}

        impl<T> EveryResidentHash for T where T: $(ResidentHashing<crate::hash::$hash> +)* {}

        $(impl Accelerated for crate::hash::$hash {
            fn hashing(backend: &dyn Backend) -> &dyn Hashing<Self> {
                backend
            }

            fn resident_hashing(backend: &dyn ResidentBackend) -> &dyn ResidentHashing<Self> {
                backend
            }
        })*
    };
}
crate::for_every_hash!(every_hash);
