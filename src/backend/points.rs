//! The operations of a backend on points of curves whose scalars have transforms.

use super::{AcceleratedCurve, AcceleratedField, Backend};
use crate::curve::Curve;
use crate::error::Error;
use crate::field::{TwoAdic, geometric};
use crate::ntt::{Direction, Domain, Ntt};

/// Transforms of points of a curve.
pub trait PointTransforms<C: Curve>: Send + Sync {
    /// Transforms runs of as many points as the domain has, in place: each takes the place of coefficients or values in the sums of an [`Ntt`] over the scalars.
    ///
    /// Points are of the group of prime order, or else results are meaningless; there may be none.
    fn transform_points(&self, ntt: &Ntt<C::Scalar>, points: &mut [C]) -> Result<(), Error>;
}

/// A transform in its steps: scale the inputs, sum them with the powers of the root, scale the outputs.
pub struct Steps<F> {
    /// The root of which powers are taken.
    pub root: F,
    /// The factors of inputs, unless all are 1.
    pub before: Option<Vec<F>>,
    /// The factors of outputs, unless all are 1.
    pub after: Option<Vec<F>>,
}

impl<F: TwoAdic> Steps<F> {
    /// Those of a transform.
    pub fn of(ntt: &Ntt<F>) -> Self {
        let Ntt { domain, direction, .. } = ntt;
        let inverse = |x: F| x.inverted().expect("roots, shifts and sizes are not zero");
        match direction {
            Direction::Forward => {
                let scales = domain.shift() != F::ONE;
                let before = scales.then(|| geometric(F::ONE, domain.shift()).take(domain.size()).collect());
                Self { root: domain.root(), before, after: None }
            }
            Direction::Inverse => {
                let by_size = inverse(F::of_integer(domain.size() as u64));
                let scales = by_size != F::ONE || domain.shift() != F::ONE;
                let after =
                    scales.then(|| geometric(by_size, inverse(domain.shift())).take(domain.size()).collect());
                Self { root: inverse(domain.root()), before: None, after }
            }
        }
    }
}

/// A curve whose points every backend transforms: how generic code gets from a backend to its transforms of points.
pub trait TransformedCurve: AcceleratedCurve<Scalar: AcceleratedField> {
    /// The backend's transforms of points of this curve.
    fn point_transforms(backend: &dyn Backend) -> &dyn PointTransforms<Self>;

    /// A subgroup of the scalars to measure and to test with.
    fn some_domain(log_size: u32) -> Result<Domain<Self::Scalar>, Error> {
        Self::Scalar::some_domain(log_size)
    }
}

macro_rules! every_two_adic_curve {
    ($($affine:path, $name:literal;)*) => {
        /// Transforms of points of every curve that has them.
        pub trait EveryTransformedCurve: $(PointTransforms<$affine> +)* {}

        impl<T> EveryTransformedCurve for T where T: $(PointTransforms<$affine> +)* {}

        $(impl TransformedCurve for $affine {
            fn point_transforms(backend: &dyn Backend) -> &dyn PointTransforms<Self> {
                backend
            }
        })*
    };
}
crate::for_every_two_adic_curve!(every_two_adic_curve);
