//! Transforms of points of a curve.
//!
//! # Mathematical description
//!
//! For a root of unity w of order n = 2^k modulo the order r of a group of points, points P_0 ... P_(n-1) go to the points A_i = sum over j of w^(i j) P_j, and the inverse takes these back. It is the transform of
//! [`ntt`](crate::ntt) with points in the place of coefficients and values: its domains, shifts, directions and orders are those, over the scalars of the curve. If P_j = a_j G, then A_i = A(w^i) G, for the
//! polynomial A with the coefficients a_j, which nobody needs to know.
//!
//! That is how a powers-of-tau setup becomes one in the basis of Lagrange polynomials, by the inverse transform of G, τ G, τ^2 G, ..., and how products of Toeplitz matrices with points are computed,
//! of which all openings of a polynomial commitment at the points of a subgroup consist (Feist and Khovratovich, ePrint 2023/033).
//!
//! Curves whose scalars have no such roots, of which Grumpkin is one, have no transforms.

pub use crate::backend::points::TransformedCurve;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::job::Job;
use crate::ntt::Ntt;
use crate::operation::TransformPoints;
use crate::progress::Stage;

impl Engine {
    /// Transforms runs of as many points as the domain has, one after another, in place.
    ///
    /// [`Error::LengthMismatch`] unless the number of points is a multiple of that of the domain; there may be none. Points are assumed to be of the group of prime order: results for others are
    /// meaningless. Any may be the identity, equal or opposite. Points that are refused are unchanged, and so are those on a device that fails.
    ///
    /// A transform counts four times the points' memory towards the budget.
    ///
    /// ```
    /// use zkaccel::{Engine, bn254::{Fr, G1, G1Affine}, curve::affine, ntt::{Domain, Ntt}};
    /// let ntt = Ntt::forward(Domain::<Fr>::halo2(1)?);
    /// let mut points: Vec<G1Affine> = affine(&[5, 3].map(|k| G1::generator() * Fr::from(k)));
    /// Engine::new()?.transform_points(&ntt, &mut points)?;
    /// assert_eq!(points, affine(&[8, 2].map(|k| G1::generator() * Fr::from(k))));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn transform_points<C: TransformedCurve>(
        &self,
        ntt: &Ntt<C::Scalar>,
        points: &mut [C],
    ) -> Result<(), Error> {
        let (n, found) = (ntt.domain.size(), points.len());
        if !found.is_multiple_of(n) {
            let expected = found / n * n;
            return Err(Error::LengthMismatch { what: "points in whole runs", expected, found });
        }
        self.check_budget(memory_of::<C>(found, 4))?;
        if found == 0 {
            return Ok(());
        }
        self.perform_telling(Stage::Transform, TransformPoints { ntt: *ntt, points })
    }

    /// [`transform_points`](Self::transform_points) as a job, which returns the points.
    pub fn transform_points_async<C: TransformedCurve>(
        &self,
        ntt: &Ntt<C::Scalar>,
        mut points: Vec<C>,
    ) -> Job<Vec<C>> {
        let ntt = *ntt;
        self.spawn(move |engine| engine.transform_points(&ntt, &mut points).map(|()| points))
    }
}
