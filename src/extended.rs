//! Polynomials on larger domains.
//!
//! A polynomial of degree below 2^k is evaluated on a coset of a larger subgroup, of order 2^e, from its coefficients; a
//! [low-degree extension](crate::ntt::Lde) begins with values. halo2 takes the coset by zeta, a cube root of unity, so that the
//! powers of the shift repeat after three. [`ExtendedDomain`] is that pair of domains for any field and shift:
//! [`Engine::coeff_to_extended`](crate::Engine::coeff_to_extended) scales, pads with zeros and transforms;
//! [`Engine::extended_to_coeff`](crate::Engine::extended_to_coeff) inverts this and cuts off the coefficients that a bound on the
//! degree makes zero.

use crate::error::Error;
use crate::field::Goldilocks;
#[cfg(feature = "bn254")]
use crate::field::TwoAdicPrime;
use crate::ntt::Domain;

/// Polynomials of 2^k coefficients, and the coset of 2^e points, e at least k, on which they are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtendedDomain<F = Goldilocks> {
    log_coefficients: u32,
    points: Domain<F>,
}

impl<F: Copy> ExtendedDomain<F> {
    /// Polynomials of 2^`log_coefficients` coefficients on the points of a domain.
    ///
    /// [`Error::LengthMismatch`] if there are more coefficients than points.
    pub fn new(log_coefficients: u32, points: Domain<F>) -> Result<Self, Error> {
        match log_coefficients <= points.log_size() {
            true => Ok(Self { log_coefficients, points }),
            false => Err(Error::LengthMismatch {
                what: "binary logarithm of the number of coefficients, at most that of the points",
                expected: points.log_size() as usize,
                found: log_coefficients as usize,
            }),
        }
    }

    /// The number of coefficients.
    pub fn coefficients(&self) -> usize {
        1 << self.log_coefficients
    }

    /// The points.
    pub fn points(&self) -> Domain<F> {
        self.points
    }
}

#[cfg(feature = "bn254")]
impl<F: TwoAdicPrime> ExtendedDomain<F> {
    /// The domains of halo2's `EvaluationDomain` with this `k` and `extended_k`: its root, its coset by zeta.
    ///
    /// [`Error::DomainTooLarge`] above 2^28 points over BN254's scalars, 2^32 over the fields of Pasta and BLS12-381's scalars, or 2^47 over BLS12-377's; [`Error::LengthMismatch`] if `extended_k` is below `k`.
    pub fn halo2(k: u32, extended_k: u32) -> Result<Self, Error> {
        Self::new(k, Domain::halo2(extended_k)?.coset(F::ZETA)?)
    }
}
