//! Sums over curves and transforms over prime fields in the oracle: sums by doubling and adding, transforms by halving, in halo2curves'
//! own arithmetic.

use halo2curves::ff::PrimeField;
use halo2curves::group::Group;

use super::reference::{Reference, at, evaluate, interpolate};
use super::{BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::curve::Curve;
use crate::error::Error;
use crate::field::TwoAdic;
use crate::ntt::{Direction, Domain, Ntt};

impl Reference {
    /// One sum a row: as many rows of scalars as there are sums, over the same bases.
    pub(crate) fn sums<C: Curve>(&self, scalars: &[C::Scalar], bases: &[C], sums: &mut [C::Projective]) {
        sums.fill(C::Projective::identity());
        for (sum, row) in sums.iter_mut().zip(scalars.chunks(bases.len().max(1))) {
            for (scalar, base) in row.iter().zip(bases) {
                *sum += multiple(scalar, base);
            }
        }
    }

    /// Transforms in place: one or more polynomials, one after another.
    pub(crate) fn transforms<F: TwoAdic>(&self, ntt: &Ntt<F>, values: &mut [F]) {
        let (n, domain) = (ntt.domain.size(), ntt.domain);
        for values in values.chunks_exact_mut(n) {
            let input: Vec<_> = (0..n).map(|i| values[at(i, n, ntt.input_order)]).collect();
            let output = match ntt.direction {
                Direction::Forward => evaluate(&input, &domain),
                Direction::Inverse => interpolate(&input, &domain),
            };
            for (i, value) in output.into_iter().enumerate() {
                values[at(i, n, ntt.output_order)] = value;
            }
        }
    }

    /// The values on a domain, in natural order, of one or more polynomials of `size` coefficients each.
    pub(crate) fn transforms_of_padded<F: TwoAdic>(
        &self,
        domain: &Domain<F>,
        coefficients: &[F],
        size: usize,
        values: &mut [F],
    ) {
        for (polynomial, values) in
            coefficients.chunks_exact(size).zip(values.chunks_exact_mut(domain.size()))
        {
            let mut padded = polynomial.to_vec();
            padded.resize(domain.size(), F::ZERO);
            values.copy_from_slice(&evaluate(&padded, domain));
        }
    }
}

/// s P, from the highest bit of s down.
fn multiple<C: Curve>(scalar: &C::Scalar, base: &C) -> C::Projective {
    let bytes = scalar.to_repr();
    let bits = bytes.as_ref().iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold(
        C::Projective::identity(),
        |sum, bit| if bit == 1 { sum.double() + *base } else { sum.double() },
    )
}

impl Msm for Reference {
    fn keep_bases(&self, _: &[G1Affine], _: u64) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn keep_scalars(&self, _: &[Fr]) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        self.sums(scalars.scalars, bases.points, sums);
        Ok(())
    }
}

impl Fft for Reference {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        self.transforms(fft, values);
        Ok(())
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        self.transforms_of_padded(domain, coefficients, size, values);
        Ok(())
    }
}
