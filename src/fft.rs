//! Transforms over BN254's scalars.
//!
//! They are those of [`ntt`](crate::ntt) in another field, described by the same types: [`Domain`], [`Ntt`],
//! [`Order`](crate::ntt::Order). Data are polynomials side by side, each of as many scalars as the domain has points.
//! The root of unity is the caller's ([`Domain::with_root`]), because published libraries disagree on it:
//! [`Domain::halo2`] and [`Domain::arkworks`] are the two in use.
//!
//! # The extended domain of halo2
//!
//! A polynomial of degree below 2^k is evaluated on a coset of a larger subgroup, of order 2^e. halo2 takes the coset by
//! zeta, a cube root of unity, so that the powers of the shift repeat after three. [`ExtendedDomain`] is that pair of
//! domains for any shift: [`Engine::coeff_to_extended`] scales, pads with zeros and transforms;
//! [`Engine::extended_to_coeff`] inverts this and cuts off the coefficients that a bound on the degree makes zero.

use halo2curves::ff::WithSmallOrderMulGroup;

use crate::backend::AcceleratedField;
use crate::bn254::Fr;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::job::Job;
use crate::ntt::{Domain, Ntt};
use crate::operation::{Evaluate, Transform};

/// Polynomials of 2^k coefficients, and the coset of 2^e points, e at least k, on which they are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtendedDomain<F = Fr> {
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

impl ExtendedDomain {
    /// The domains of halo2's `EvaluationDomain` with this `k` and `extended_k`: its root, its coset by zeta.
    ///
    /// [`Error::DomainTooLarge`] above 2^28 points; [`Error::LengthMismatch`] if `extended_k` is below `k`.
    pub fn halo2(k: u32, extended_k: u32) -> Result<Self, Error> {
        Self::new(k, Domain::halo2(extended_k)?.coset(Fr::ZETA)?)
    }
}

impl Engine {
    /// Transforms one or more polynomials in place, each of as many scalars as the domain has points.
    ///
    /// [`Error::LengthMismatch`] unless the length is a multiple of that number. The engine caches tables of roots of unity; on
    /// the CPU the most recently used, up to 512 MiB or one table.
    ///
    /// ```
    /// use zkaccel::{Engine, bn254::Fr, ntt::{Domain, Ntt}};
    /// let engine = Engine::new()?;
    /// let domain = Domain::halo2(3)?;
    /// let before: Vec<_> = (1..=8).map(Fr::from).collect();
    /// let mut values = before.clone();
    /// engine.fft(&Ntt::forward(domain), &mut values)?;
    /// assert_eq!(values[0], Fr::from(36));
    /// engine.fft(&Ntt::inverse(domain), &mut values)?;
    /// assert_eq!(values, before);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn fft<F: AcceleratedField>(&self, fft: &Ntt<F>, values: &mut [F]) -> Result<(), Error> {
        check_polynomials("scalars of whole polynomials", fft.domain.size(), values.len())?;
        self.check_budget(memory_of::<F>(fft.domain.size() / 2, 1))?;
        self.perform(Transform { ntt: *fft, data: values, width: 1, unchecked: false })
    }

    /// Evaluates one or more polynomials, given by their coefficients, on the points of an extended domain.
    ///
    /// [`Error::LengthMismatch`] unless the number of coefficients is a multiple of the domain's.
    pub fn coeff_to_extended<F: AcceleratedField>(
        &self,
        domain: &ExtendedDomain<F>,
        coefficients: &[F],
    ) -> Result<Vec<F>, Error> {
        check_polynomials("coefficients of whole polynomials", domain.coefficients(), coefficients.len())?;
        let polynomials = coefficients.len() / domain.coefficients();
        let points = domain.points.size();
        self.check_budget(memory_of::<F>(points, polynomials).saturating_add(memory_of::<F>(points / 2, 1)))?;
        let mut values = F::zeros(points.saturating_mul(polynomials))?;
        let (size, domain) = (domain.coefficients(), domain.points);
        self.perform(Evaluate { domain, coefficients, size, values: &mut values })?;
        Ok(values)
    }

    /// The first `coefficients` coefficients, the lowest, of polynomials given by their values on an extended domain; the
    /// others are cut off. halo2 keeps (degree - 1) 2^k of them.
    ///
    /// [`Error::LengthMismatch`] unless the number of values is a multiple of that of the points, and if more coefficients are
    /// requested than there are points.
    pub fn extended_to_coeff<F: AcceleratedField>(
        &self,
        domain: &ExtendedDomain<F>,
        mut values: Vec<F>,
        coefficients: usize,
    ) -> Result<Vec<F>, Error> {
        let points = domain.points.size();
        if coefficients > points {
            let what = "coefficients, at most the number of points";
            return Err(Error::LengthMismatch { what, expected: points, found: coefficients });
        }
        self.fft(&Ntt::inverse(domain.points), &mut values)?;
        let polynomials = values.len() / points;
        for i in 1..polynomials {
            values.copy_within(i * points..i * points + coefficients, i * coefficients);
        }
        values.truncate(polynomials * coefficients);
        Ok(values)
    }

    /// [`fft`](Self::fft) as a job, which returns the transformed scalars.
    pub fn fft_async<F: AcceleratedField>(&self, fft: &Ntt<F>, mut values: Vec<F>) -> Job<Vec<F>> {
        let fft = *fft;
        self.spawn(move |engine| engine.fft(&fft, &mut values).map(|()| values))
    }

    /// [`coeff_to_extended`](Self::coeff_to_extended) as a job.
    pub fn coeff_to_extended_async<F: AcceleratedField>(
        &self,
        domain: &ExtendedDomain<F>,
        coefficients: Vec<F>,
    ) -> Job<Vec<F>> {
        let domain = *domain;
        self.spawn(move |engine| engine.coeff_to_extended(&domain, &coefficients))
    }

    /// [`extended_to_coeff`](Self::extended_to_coeff) as a job.
    pub fn extended_to_coeff_async<F: AcceleratedField>(
        &self,
        domain: &ExtendedDomain<F>,
        values: Vec<F>,
        coefficients: usize,
    ) -> Job<Vec<F>> {
        let domain = *domain;
        self.spawn(move |engine| engine.extended_to_coeff(&domain, values, coefficients))
    }
}

/// [`Error::LengthMismatch`] unless there are one or more polynomials of `size` scalars.
pub(crate) fn check_polynomials(what: &'static str, size: usize, found: usize) -> Result<(), Error> {
    match found > 0 && found.is_multiple_of(size) {
        true => Ok(()),
        false => {
            let expected = found.div_ceil(size).max(1).saturating_mul(size);
            Err(Error::LengthMismatch { what, expected, found })
        }
    }
}
