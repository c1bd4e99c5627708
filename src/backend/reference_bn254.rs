//! BN254 in the oracle: sums by doubling and adding, transforms by halving, in halo2curves' own arithmetic.

use halo2curves::ff::{Field, PrimeField};
use halo2curves::group::Group;

use super::reference::{Reference, at, evaluate, interpolate};
use super::{BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Direction, Domain, Ntt};

impl Msm for Reference {
    fn keep_bases(&self, _: &[G1Affine], _: u64) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn keep_scalars(&self, _: &[Fr]) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        sums.fill(G1::identity());
        for (sum, row) in sums.iter_mut().zip(scalars.scalars.chunks(bases.points.len().max(1))) {
            for (scalar, base) in row.iter().zip(bases.points) {
                *sum += multiple(scalar, base);
            }
        }
        Ok(())
    }
}

/// s P, from the highest bit of s down.
fn multiple(scalar: &Fr, base: &G1Affine) -> G1 {
    let bytes = scalar.to_repr();
    let bits = bytes.as_ref().iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    bits.fold(G1::identity(), |sum, bit| if bit == 1 { sum.double() + base } else { sum.double() })
}

impl Fft for Reference {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        let (n, domain) = (fft.domain.size(), fft.domain);
        for values in values.chunks_exact_mut(n) {
            let input: Vec<_> = (0..n).map(|i| values[at(i, n, fft.input_order)]).collect();
            let output = match fft.direction {
                Direction::Forward => evaluate(&input, &domain),
                Direction::Inverse => interpolate(&input, &domain),
            };
            for (i, value) in output.into_iter().enumerate() {
                values[at(i, n, fft.output_order)] = value;
            }
        }
        Ok(())
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        for (polynomial, values) in
            coefficients.chunks_exact(size).zip(values.chunks_exact_mut(domain.size()))
        {
            let mut padded = polynomial.to_vec();
            padded.resize(domain.size(), Fr::ZERO);
            values.copy_from_slice(&evaluate(&padded, domain));
        }
        Ok(())
    }
}
