//! The operations of a backend over elliptic curves and over the prime fields of their scalars.

use super::{AcceleratedField, Backend, Kept, Transforms};
use crate::curve::Curve;
use crate::error::Error;
use crate::field::{MontgomeryField, TwoAdic};
use crate::memory;
use crate::ntt::{Domain, Ntt};
use crate::work::Activity;

/// The bases of a sum, as passed to a backend.
#[derive(Clone, Copy)]
pub struct BasesView<'a, C> {
    /// The bases.
    pub points: &'a [C],
    /// The result of [`Msm::keep_bases`] for all kept bases, of which `points` are a part.
    pub kept: Option<&'a Kept>,
    /// The index of the first of `points` among the kept bases.
    pub first: usize,
}

/// The scalars of a sum, as passed to a backend.
#[derive(Clone, Copy)]
pub struct ScalarsView<'a, F> {
    /// The scalars, one row after another; none where they are in the device's memory alone.
    pub scalars: &'a [F],
    /// The result of [`KeepScalars::keep_scalars`] or [`KeptTransforms`] for them.
    pub kept: Option<&'a Kept>,
}

/// Multi-scalar multiplication over a curve.
pub trait Msm<C: Curve>: Send + Sync {
    /// Prepares bases for many sums. Tables of multiples take at most `table_bytes`, 0 for none.
    fn keep_bases(&self, points: &[C], table_bytes: u64) -> Result<Option<Kept>, Error>;

    /// One sum a row: `sums.len()` rows of as many scalars as there are bases. Bases are on the curve, or else sums are
    /// meaningless; there may be none.
    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
    ) -> Result<(), Error>;
}

/// Scalars that are used in several sums.
pub trait KeepScalars<F: MontgomeryField>: Send + Sync {
    /// Prepares scalars for many sums.
    fn keep_scalars(&self, _: &[F]) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    /// Copies kept scalars to host memory, as many as there are. Only for scalars in a device's memory alone.
    fn read_scalars(&self, _: &Kept, _: &mut [F]) -> Result<(), Error> {
        unreachable!("scalars are in a device's memory alone only where it has such memory")
    }
}

/// Transforms of scalars in a device's own memory, as [`KeepScalars::keep_scalars`] put them there. Kept scalars are never
/// written again.
pub trait KeptTransforms<F: TwoAdic>: Send + Sync {
    /// The transforms of polynomials one after another, in new memory.
    fn ntt_kept(&self, ntt: &Ntt<F>, scalars: &Kept) -> Result<Kept, Error>;

    /// The values on a domain, in natural order, of polynomials of `size` coefficients each, in new memory.
    fn evaluate_kept(&self, domain: &Domain<F>, coefficients: &Kept, size: usize) -> Result<Kept, Error>;
}

/// A curve that every backend sums over: how generic code gets from a backend to its sums over one curve.
pub trait AcceleratedCurve: Curve<Scalar: AcceleratedScalar> {
    /// The backend's sums over this curve.
    fn sums(backend: &dyn Backend) -> &dyn Msm<Self>;
}

/// A prime field whose elements every backend keeps as scalars.
pub trait AcceleratedScalar: MontgomeryField {
    /// The backend's scalars of this field.
    fn keeping(backend: &dyn Backend) -> &dyn KeepScalars<Self>;
}

macro_rules! every_curve {
    ($($affine:path, $name:literal;)*) => {
        /// Sums over every curve.
        pub trait EveryCurve: $(Msm<$affine> +)* {}

        impl<T> EveryCurve for T where T: $(Msm<$affine> +)* {}

        $(
            impl AcceleratedCurve for $affine {
                fn sums(backend: &dyn Backend) -> &dyn Msm<Self> {
                    backend
                }
            }
        )*
    };
}
crate::for_every_curve!(every_curve);

macro_rules! every_prime_field {
    ($($field:path, $name:literal;)*) => {
        /// Scalars of every prime field.
        pub trait EveryScalar: $(KeepScalars<$field> +)* {}

        impl<T> EveryScalar for T where T: $(KeepScalars<$field> +)* {}

        $(impl AcceleratedScalar for $field {
            fn keeping(backend: &dyn Backend) -> &dyn KeepScalars<Self> {
                backend
            }
        })*
    };
}
crate::for_every_prime_field!(every_prime_field);

macro_rules! every_two_adic_field {
    ($($field:path, $name:literal;)*) => {
        /// Transforms over every two-adic prime field in Montgomery form.
        pub trait EveryTwoAdicField: $(Transforms<$field> +)* {}

        impl<T> EveryTwoAdicField for T where T: $(Transforms<$field> +)* {}

        $(impl AcceleratedField for $field {
            const NAME: &'static str = $name;
            const TRANSFORM: Activity = Activity::FFT;
            const EXTENSION: Activity = Activity::FFT;

            fn transforms(backend: &dyn Backend) -> &dyn Transforms<Self> {
                backend
            }

            /// Always `Ok`: limbs become elements by a function that checks them.
            fn check_all(_: &[Self]) -> Result<(), Error> {
                Ok(())
            }

            fn zeros(len: usize) -> Result<Vec<Self>, Error> {
                memory::filled(len, <Self as TwoAdic>::ZERO)
            }

            fn some_domain(log_size: u32) -> Result<Domain<Self>, Error> {
                Domain::of_root(log_size, <Self as halo2curves::ff::PrimeField>::ROOT_OF_UNITY)
            }
        })*
    };
}
crate::for_every_two_adic_field!(every_two_adic_field);

/// [`Error::Unsupported`] unless columns lie one after another, as transforms over these fields require.
pub fn expect_columns_apart(width: usize, device: &str) -> Result<(), Error> {
    match width {
        1 => Ok(()),
        _ => Err(Error::Unsupported {
            operation: "transforms of row-major matrices over this field",
            device: device.to_owned(),
        }),
    }
}
