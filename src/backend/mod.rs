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
pub mod gpu;
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
#[cfg(feature = "bn254")]
mod vectors;

use std::time::Duration;

#[cfg(feature = "bn254")]
pub use points::{PointTransforms, TransformedCurve};
#[cfg(feature = "bn254")]
pub use sums::{AcceleratedCurve, BasesView, KeepScalars, Msm, ScalarsView};
#[cfg(feature = "bn254")]
pub use vectors::{
    AcceleratedPrime, Entry, Pointwise, ResidentPointwise, ResidentSparse, Sparse, SparseView,
};

pub use combinations::{Combinations, MatrixView, ResidentCombinations};

use crate::device::{Bandwidths, ProductRates};
use crate::error::Error;
use crate::field::{Goldilocks, TwoAdic};
use crate::hash::Hasher;
use crate::merkle::Approach;
use crate::meter::Meter;
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};
use crate::pinned::Locked;
use crate::work::Activity;
pub use element::{BaseField, Element};
pub use lookups::{Lookups, ResidentLookups, Scatter};
pub use prefix::{PrefixProducts, ResidentPrefixProducts};
pub use programs::{Programs, ResidentPrograms};
#[cfg(feature = "cuda")]
pub use residence::Foreign;
pub use residence::{
    Extent, Memory, Piece, Resident, ResidentBackend, ResidentHashing, ResidentInversion, ResidentTransforms,
};

/// Transforms over a field.
///
/// Data come as blocks, each a row-major matrix of `width` columns with a row per point: a row-major matrix is one
/// block, a column-major one is a block of width 1 (or of an extension's degree) per column. Over fields that are not
/// [`ROW_MAJOR`](BaseField::ROW_MAJOR) the width is always 1.
pub trait Transforms<F: TwoAdic>: Send + Sync {
    /// Transforms every column of every block in place.
    fn ntt(&self, ntt: &Ntt<F>, data: &mut [F], width: usize) -> Result<(), Error>;

    /// [`ntt`](Self::ntt) of unchecked words. An error of `check` is returned, and then the data are unchanged. A device can check
    /// them while it copies: its control flow does not depend on the words. A backend that knows how much is done counts it.
    fn ntt_checked(
        &self,
        ntt: &Ntt<F>,
        data: &mut [F],
        width: usize,
        check: Check<'_, F>,
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        check(data)?;
        self.ntt(ntt, data, width)
    }

    /// Evaluates polynomials of `size` coefficients each, a power of two and at most as many as the domain has points: columns of
    /// blocks of `size` rows go to columns of blocks with a row per point. The contents of `values` are unspecified before.
    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &[F],
        (size, width): (usize, usize),
        values: &mut [F],
    ) -> Result<(), Error> {
        evaluate_padded(self, domain, order, coefficients, (size, width), values)
    }

    /// Extends every column of every block of `input` into `output`, which is the blow-up times as long.
    ///
    /// The contents of `output` are unspecified before, those of `input` afterwards.
    fn lde(&self, lde: &Lde<F>, input: &mut [F], width: usize, output: &mut [F]) -> Result<(), Error> {
        self.ntt(&Ntt::inverse(lde.from()), input, width)?;
        self.evaluate(&lde.to(), lde.output_order(), input, (lde.from().size(), width), output)
    }

    /// [`lde`](Self::lde) of unchecked words, as [`ntt_checked`](Self::ntt_checked).
    fn lde_checked(
        &self,
        lde: &Lde<F>,
        input: &mut [F],
        width: usize,
        output: &mut [F],
        check: Check<'_, F>,
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        check(input)?;
        self.lde(lde, input, width, output)
    }
}

/// [`Transforms::evaluate`] by a transform of polynomials that are padded with zeros.
fn evaluate_padded<F: TwoAdic>(
    transforms: &(impl Transforms<F> + ?Sized),
    domain: &Domain<F>,
    order: Order,
    coefficients: &[F],
    (size, width): (usize, usize),
    values: &mut [F],
) -> Result<(), Error> {
    values.fill(F::ZERO);
    let padded = values.chunks_exact_mut(domain.size() * width);
    for (coefficients, padded) in coefficients.chunks_exact(size * width).zip(padded) {
        padded[..coefficients.len()].copy_from_slice(coefficients);
    }
    let ntt = Ntt::forward(*domain).with_orders(Order::Natural, order);
    transforms.ntt(&ntt, values, width)
}

/// Inverses over a field.
pub trait Inversion<F>: Send + Sync {
    /// Replaces every element by its inverse, and leaves zeros as they are; there may be no elements. They are unchecked: an error of
    /// `check` is returned, and then the data are unchanged. It is its own inverse, by which plans undo it.
    fn invert(&self, elements: &mut [F], check: Check<'_, F>) -> Result<(), Error>;
}

/// Says whether words are canonical: [`Error::NotCanonical`] with the first that is not.
pub type Check<'a, T> = &'a (dyn Fn(&[T]) -> Result<(), Error> + Sync);

/// The [`Check`] of words that were checked before.
pub fn sound<T>(_: &[T]) -> Result<(), Error> {
    Ok(())
}

/// Work of the host that may go on while a device computes. It may be called more than once.
pub type Beside<'a> = &'a mut (dyn FnMut() -> Result<(), Error> + Send);

/// The inner nodes of a tree of n leaves by their levels: level d has the 2^d nodes of depth d, from the root at depth 0 on. There is
/// a level for each depth but the leaves'.
pub enum Levels<'a, D> {
    /// The nodes `1..n` of a heap, level after level; node 0 is unused.
    Heap(&'a mut [D]),
    /// Each level in a slice of its own.
    Apart(Vec<&'a mut [D]>),
}

impl<'a, D> Levels<'a, D> {
    /// Each level in a slice of its own.
    pub fn apart(self) -> Vec<&'a mut [D]> {
        match self {
            Self::Apart(levels) => levels,
            Self::Heap(heap) => {
                let (mut rest, mut levels) = (&mut heap[1..], Vec::new());
                while !rest.is_empty() {
                    let (level, after) = rest.split_at_mut(1 << levels.len());
                    levels.push(level);
                    rest = after;
                }
                levels
            }
        }
    }
}

/// Row hashing and Merkle trees over one hash.
pub trait Hashing<H: Hasher>: Send + Sync {
    /// The digests of as many rows as there are digests, from row `from` on, of a matrix.
    fn hash_rows(
        &self,
        matrix: &[Goldilocks],
        extent: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error>;

    /// The inner nodes of a tree over leaves, whose number is a power of two. The approach matters only to backends that have
    /// several. An error of `beside` is returned, and then the nodes are unspecified.
    fn build_tree(
        &self,
        leaves: &[H::Digest],
        levels: Levels<'_, H::Digest>,
        approach: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error>;
}

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

    /// So many bytes of page-locked memory, with unspecified contents; `None` where it has no advantage over ordinary memory.
    /// [`Error::HostOutOfMemory`].
    fn lock(&self, _bytes: usize) -> Result<Option<Locked>, Error> {
        Ok(None)
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

/// A field over which every backend transforms and inverts.
pub trait AcceleratedField: OnBackends + BaseField {
    /// The field's name where kinds of operations are listed.
    const NAME: &'static str;
    /// The name of transforms over the field in accounts.
    const TRANSFORM: Activity;
    /// The name of low-degree extensions over the field in accounts.
    const EXTENSION: Activity;

    /// A subgroup to measure and to test with.
    fn some_domain(log_size: u32) -> Result<Domain<Self>, Error>;
}

impl AcceleratedField for Goldilocks {
    const NAME: &'static str = "goldilocks";
    const TRANSFORM: Activity = Activity::NTT;
    const EXTENSION: Activity = Activity::LDE;

    fn some_domain(log_size: u32) -> Result<Domain<Self>, Error> {
        Domain::new(log_size, Convention::Winterfell)
    }
}

/// How generic code gets from a backend to its operations over one field.
pub trait OnBackends: TwoAdic {
    /// The backend's transforms over this field.
    fn transforms(backend: &dyn Backend) -> &dyn Transforms<Self>;

    /// The same on data in a device's memory.
    fn resident_transforms(backend: &dyn ResidentBackend) -> &dyn ResidentTransforms<Self>;

    /// The backend's inverses over this field.
    fn inversion(backend: &dyn Backend) -> &dyn Inversion<Self>;

    /// The same of data in a device's memory.
    fn resident_inversion(backend: &dyn ResidentBackend) -> &dyn ResidentInversion<Self>;

    /// The backend's row programs over this field.
    fn programs(backend: &dyn Backend) -> &dyn Programs<Self>;

    /// The same on data in a device's memory.
    fn resident_programs(backend: &dyn ResidentBackend) -> &dyn ResidentPrograms<Self>;

    /// The backend's combinations of columns and of rows over this field.
    fn combinations(backend: &dyn Backend) -> &dyn Combinations<Self>;

    /// The same of matrices in a device's memory.
    fn resident_combinations(backend: &dyn ResidentBackend) -> &dyn ResidentCombinations<Self>;

    /// The backend's prefix products over this field.
    fn prefix_products(backend: &dyn Backend) -> &dyn PrefixProducts<Self>;

    /// The same of matrices in a device's memory.
    fn resident_prefix_products(backend: &dyn ResidentBackend) -> &dyn ResidentPrefixProducts<Self>;

    /// The backend's permutations of lookups over this field.
    fn lookups(backend: &dyn Backend) -> &dyn Lookups<Self>;

    /// The same of matrices in a device's memory.
    fn resident_lookups(backend: &dyn ResidentBackend) -> &dyn ResidentLookups<Self>;
}

macro_rules! every_field {
    ($($field:path;)*) => {
        /// What every field has.
        pub trait EveryField:
            $(
                Transforms<$field>
                + Inversion<$field>
                + Programs<$field>
                + Combinations<$field>
                + PrefixProducts<$field>
                + Lookups<$field> +
            )*
        {
        }

        impl<T> EveryField for T where
            T: $(
                Transforms<$field>
                + Inversion<$field>
                + Programs<$field>
                + Combinations<$field>
                + PrefixProducts<$field>
                + Lookups<$field> +
            )*
        {
        }

        /// The same in a device's memory.
        pub trait EveryResidentField:
            $(
                ResidentTransforms<$field>
                + ResidentInversion<$field>
                + ResidentPrograms<$field>
                + ResidentCombinations<$field>
                + ResidentPrefixProducts<$field>
                + ResidentLookups<$field> +
            )*
        {
        }

        impl<T> EveryResidentField for T where
            T: $(
                ResidentTransforms<$field>
                + ResidentInversion<$field>
                + ResidentPrograms<$field>
                + ResidentCombinations<$field>
                + ResidentPrefixProducts<$field>
                + ResidentLookups<$field> +
            )*
        {
        }

        $(impl OnBackends for $field {
            fn transforms(backend: &dyn Backend) -> &dyn Transforms<Self> {
                backend
            }

            fn resident_transforms(backend: &dyn ResidentBackend) -> &dyn ResidentTransforms<Self> {
                backend
            }

            fn inversion(backend: &dyn Backend) -> &dyn Inversion<Self> {
                backend
            }

            fn resident_inversion(backend: &dyn ResidentBackend) -> &dyn ResidentInversion<Self> {
                backend
            }

            fn programs(backend: &dyn Backend) -> &dyn Programs<Self> {
                backend
            }

            fn resident_programs(backend: &dyn ResidentBackend) -> &dyn ResidentPrograms<Self> {
                backend
            }

            fn combinations(backend: &dyn Backend) -> &dyn Combinations<Self> {
                backend
            }

            fn resident_combinations(backend: &dyn ResidentBackend) -> &dyn ResidentCombinations<Self> {
                backend
            }

            fn prefix_products(backend: &dyn Backend) -> &dyn PrefixProducts<Self> {
                backend
            }

            fn resident_prefix_products(backend: &dyn ResidentBackend) -> &dyn ResidentPrefixProducts<Self> {
                backend
            }

            fn lookups(backend: &dyn Backend) -> &dyn Lookups<Self> {
                backend
            }

            fn resident_lookups(backend: &dyn ResidentBackend) -> &dyn ResidentLookups<Self> {
                backend
            }
        })*
    };
}
#[cfg(feature = "bn254")]
macro_rules! goldilocks_and_prime_fields {
    ($($field:path, $name:literal;)*) => {
        every_field!(Goldilocks; $($field;)*);
    };
}
#[cfg(feature = "bn254")]
crate::for_every_two_adic_field!(goldilocks_and_prime_fields);
#[cfg(not(feature = "bn254"))]
every_field!(Goldilocks;);

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
