//! Sums and transforms over BN254 by a provider: the interface's memory is that of the types here. The interface has no other curves.

use std::ptr::null_mut;
use std::sync::Arc;

use bytemuck::Zeroable;
use halo2curves::ff::Field;

use super::library::{Handle, Provider};
use super::{External, flags};
use crate::backend::{
    BaseField, BasesView, KeepScalars, Memory, Msm, PointTransforms, Pointwise, ScalarsView, Sparse,
    SparseView, Transforms,
};
use crate::curve::{CoordinateLimbs, Curve, limbs_of_points};
use crate::error::Error;
use crate::field::prime::{elements, limbs};
use crate::field::{MontgomeryField, ScalarField, TwoAdic, elements_of_limbs};
use crate::meter::Meter;
use crate::ntt::Ntt;

const SUM: &str = "multi-scalar multiplication";
const TRANSFORM: &str = "a transform over BN254";

/// Bases that the provider keeps.
struct KeptBases {
    provider: Arc<Provider>,
    handle: Handle,
}

// SAFETY: the interface says that bases may be used by any threads at once.
unsafe impl Send for KeptBases {}
// SAFETY: as above.
unsafe impl Sync for KeptBases {}

impl Drop for KeptBases {
    fn drop(&mut self) {
        if let Some(bases) = &self.provider.bases {
            // SAFETY: a handle that the provider has made, used no more.
            unsafe { (bases.free)(self.handle) };
        }
    }
}

impl External {
    /// [`Error::Unsupported`] for a curve other than that of the interface.
    fn expect_curve<C: Curve>(&self) -> Result<(), Error> {
        match C::NAME {
            "bn254-g1" => Ok(()),
            _ => Err(self.provider.unsupported("multi-scalar multiplication over this curve")),
        }
    }

    /// A sum that the provider has written; coordinates are below the modulus and the point is on the curve.
    fn sum<C: Curve>(&self, answer: [CoordinateLimbs<C>; 3]) -> Result<C::Projective, Error> {
        let wrong = |_| self.not_canonical("coordinates below the modulus");
        let coordinates: &[C::Base] = elements_of_limbs(&answer, "coordinate").map_err(wrong)?;
        let coordinates: [C::Base; 3] = coordinates.try_into().expect("three of three");
        let [x, y, z] = coordinates;
        // Y^2 Z = X^3 + b Z^3, and not all zero.
        let is_identity = bool::from(y.is_zero() & z.is_zero());
        match y.square() * z == x.square() * x + C::b() * z.square() * z && !is_identity {
            true => Ok(C::from_homogeneous(coordinates)),
            false => Err(self.not_canonical("that a sum is on the curve")),
        }
    }
}

impl<F: ScalarField> KeepScalars<F> for External {}

impl<C: Curve> Msm<C> for External {
    fn keep_bases(&self, points: &[C], _: u64) -> Result<Option<Memory>, Error> {
        self.expect_curve::<C>()?;
        let Some(bases) = &self.provider.bases else {
            // Then they are given with each sum.
            return if self.provider.msm.is_some() { Ok(None) } else { Err(self.provider.unsupported(SUM)) };
        };
        let mut handle = null_mut();
        let start = limbs_of_points(points).as_ptr().cast();
        // SAFETY: this many points, and a pointer to a variable, by the interface.
        let status = unsafe { (bases.new)(self.provider.engine, &mut handle, start, points.len(), 0) };
        self.provider.check(status, "keeping bases")?;
        self.provider.check_handle(handle, "keeping bases")?;
        Ok(Some(Memory::new(KeptBases { provider: Arc::clone(&self.provider), handle })))
    }

    fn msm(
        &self,
        scalars: ScalarsView<'_, C::Scalar>,
        bases: BasesView<'_, C>,
        sums: &mut [C::Projective],
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        self.expect_curve::<C>()?;
        let (engine, len) = (self.provider.engine, bases.points.len());
        let kept = bases.kept.and_then(|kept| kept.downcast_ref::<KeptBases>());
        let points = limbs_of_points(bases.points).as_ptr().cast();
        let mut answers = Vec::new();
        for row in 0..sums.len() {
            let mut answer = [CoordinateLimbs::<C>::zeroed(); 3];
            let out = answer.as_mut_ptr().cast();
            let row = limbs(&scalars.scalars[row * len..][..len]).as_ptr().cast();
            let status = match (kept, &self.provider.bases, &self.provider.msm) {
                // SAFETY: as many scalars as bases, room for one sum, bases that this provider has made.
                (Some(kept), Some(functions), _) => unsafe {
                    (functions.msm)(engine, out, row, kept.handle, bases.first, len)
                },
                // SAFETY: as many scalars as points, and room for one sum.
                (_, _, Some(functions)) => unsafe { (functions.msm)(engine, out, row, points, len) },
                _ => return Err(self.provider.unsupported(SUM)),
            };
            self.provider.check(status, SUM)?;
            answers.push(self.sum::<C>(answer)?);
        }
        sums.copy_from_slice(&answers);
        Ok(())
    }
}

impl<F: MontgomeryField + TwoAdic + BaseField> Transforms<F> for External {
    fn ntt(&self, fft: &Ntt<F>, values: &mut [F], _: usize) -> Result<(), Error> {
        if <F as ScalarField>::NAME != "bn254-fr" {
            return Err(self.provider.unsupported("a transform over this field"));
        }
        let functions = self.provider.fft.as_ref().ok_or_else(|| self.provider.unsupported(TRANSFORM))?;
        let mut answer = limbs(values).to_vec();
        let (domain, flags) = (fft.domain, flags(fft));
        let (batch, parameters) = (values.len() / domain.size(), [domain.root(), domain.shift()]);
        let [root, shift] = limbs(&parameters) else { unreachable!("two of two") };
        // SAFETY: this many polynomials of this many scalars, and two scalars, by the interface.
        let status = unsafe {
            let (data, log_n) = (answer.as_mut_ptr().cast(), domain.log_size());
            (functions.fft)(self.provider.engine, data, log_n, batch, root.as_ptr(), shift.as_ptr(), flags)
        };
        self.provider.check(status, TRANSFORM)?;
        let answer =
            elements(&answer, "scalar").map_err(|_| self.not_canonical("scalars below the modulus"))?;
        values.copy_from_slice(answer);
        Ok(())
    }
}

/// The interface has none.
impl<C: Curve> PointTransforms<C> for External {
    fn transform_points(&self, _: &Ntt<C::Scalar>, _: &mut [C]) -> Result<(), Error> {
        Err(self.provider.unsupported("transforms of points"))
    }
}

/// The interface has none.
impl<F> Pointwise<F> for External {
    fn multiply(&self, _: &mut [F], _: &[F], _: Option<&[F]>) -> Result<(), Error> {
        Err(self.provider.unsupported("products of vectors"))
    }
}

/// The interface has none.
impl<F> Sparse<F> for External {
    fn sparse_product(
        &self,
        _: SparseView<'_, F>,
        _: Option<&Memory>,
        _: &[F],
        _: &mut [F],
    ) -> Result<(), Error> {
        Err(self.provider.unsupported("products with sparse matrices"))
    }
}
