//! The operations of a backend over elliptic curves and over the prime fields of their scalars.

use super::{AcceleratedField, Backend, BaseField, Memory};
use crate::curve::Curve;
use crate::error::Error;
use crate::meter::Meter;
use crate::ntt::Domain;
use crate::work::Activity;

/// The bases of a sum, as passed to a backend.
#[derive(Clone, Copy)]
pub struct BasesView<'a, C> {
    /// The bases.
    pub points: &'a [C],
    /// The result of [`Msm::keep_bases`] for all kept bases, of which `points` are a part.
    pub kept: Option<&'a Memory>,
    /// The index of the first of `points` among the kept bases.
    pub first: usize,
}

/// The scalars of a sum, as passed to a backend.
#[derive(Clone, Copy)]
pub struct ScalarsView<'a, F> {
    /// The scalars, one row after another; none where they are in the device's memory alone.
    pub scalars: &'a [F],
    /// The result of [`KeepScalars::keep_scalars`] for them, or their words in the device's memory.
    pub kept: Option<&'a Memory>,
}

/// Multi-scalar multiplication over a curve.
pub trait Msm<C: Curve>: Send + Sync {
    /// Prepares bases for many sums. Tables of multiples take at most `table_bytes`, 0 for none.
    fn keep_bases(&self, points: &[C], table_bytes: u64) -> Result<Option<Memory>, Error>;

    /// One sum a row: `sums.len()` rows of as many scalars as there are bases. Bases are on the curve, or else sums are
    /// meaningless; there may be none. A backend that knows how much is done counts it.
    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
        meter: &Meter<'_>,
    ) -> Result<(), Error>;
}

/// Scalars that are used in several sums.
pub trait KeepScalars<F>: Send + Sync {
    /// Prepares scalars for many sums: a copy of their words on a device with memory of its own.
    fn keep_scalars(&self, _: &[F]) -> Result<Option<Memory>, Error> {
        Ok(None)
    }
}

/// A curve that every backend sums over: how generic code gets from a backend to its sums over one curve.
pub trait AcceleratedCurve: Curve<Scalar: BaseField> {
    /// The backend's sums over this curve.
    fn sums(backend: &dyn Backend) -> &dyn Msm<Self>;
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
        /// Scalars of every prime field of four limbs.
        pub trait EveryShortScalar: $(KeepScalars<$field> +)* {}

        impl<T> EveryShortScalar for T where T: $(KeepScalars<$field> +)* {}
    };
}
crate::for_every_prime_field!(every_prime_field);

macro_rules! every_wide_scalar_field {
    ($($field:path, $name:literal;)*) => {
        /// Scalars of every field.
        pub trait EveryScalar: EveryShortScalar + $(KeepScalars<$field> +)* {}

        impl<T> EveryScalar for T where T: EveryShortScalar + $(KeepScalars<$field> +)* {}
    };
}
crate::for_every_wide_scalar_field!(every_wide_scalar_field);

macro_rules! every_two_adic_field {
    ($($field:path, $name:literal;)*) => {
        $(impl AcceleratedField for $field {
            const NAME: &'static str = $name;
            const TRANSFORM: Activity = Activity::FFT;
            const EXTENSION: Activity = Activity::FFT;

            fn some_domain(log_size: u32) -> Result<Domain<Self>, Error> {
                Domain::of_root(log_size, <Self as halo2curves::ff::PrimeField>::ROOT_OF_UNITY)
            }
        })*
    };
}
crate::for_every_two_adic_field!(every_two_adic_field);
