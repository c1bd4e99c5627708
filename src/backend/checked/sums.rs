//! The tests of sums and of transforms over BN254.
//!
//! A sum is linear in its scalars: with u_i added to some of them it must grow by the sum of u_i P_i over those, which
//! is computed here. And a few of its pairs alone must have the sum that the reference finds. Short sums are simply
//! computed again.

use super::{
    Checked, SAMPLE, combine, random_element, random_indices, random_word, value_of_coefficients,
    value_of_values,
};
use crate::backend::reference::Reference;
use crate::backend::{BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Direction, Domain, Ntt};

impl Checked {
    fn expect_sums(&self, right: bool) -> Result<(), Error> {
        self.expect(right, "the check of a sum")
    }
}

fn view<'a>(scalars: &'a [Fr], points: &'a [G1Affine]) -> (ScalarsView<'a>, BasesView<'a>) {
    (ScalarsView { scalars, kept: None }, BasesView { points, kept: None, first: 0 })
}

/// The sum as the reference finds it.
fn reference(scalars: &[Fr], points: &[G1Affine]) -> Result<G1, Error> {
    let mut sum = [G1::default()];
    let (scalars, bases) = view(scalars, points);
    Reference.msm(scalars, bases, &mut sum)?;
    Ok(sum[0])
}

impl Msm for Checked {
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        self.backend.keep_bases(points, table_bytes)
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        self.backend.keep_scalars(scalars)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        self.backend.msm(scalars, bases, sums)?;
        let (points, width) = (bases.points, bases.points.len());
        let rows = || scalars.scalars.chunks(width.max(1));
        if width <= 2 * SAMPLE {
            for (i, sum) in sums.iter().enumerate() {
                let row = &scalars.scalars[i * width..][..width];
                self.expect_sums(*sum == reference(row, points)?)?;
            }
            return Ok(());
        }
        let sample: Vec<usize> = random_indices(width).collect();
        let sampled: Vec<_> = sample.iter().map(|&i| points[i]).collect();
        let added: Vec<Fr> = sample.iter().map(|_| random_element()).collect();
        let difference = reference(&added, &sampled)?;

        let mut changed = scalars.scalars.to_vec();
        for row in changed.chunks_mut(width) {
            for (&i, added) in sample.iter().zip(&added) {
                row[i] += added;
            }
        }
        let mut others = vec![G1::default(); sums.len()];
        self.backend.msm(ScalarsView { scalars: &changed, kept: None }, bases, &mut others)?;
        self.expect_sums(sums.iter().zip(&others).all(|(sum, other)| *other == sum + difference))?;

        let row = rows().nth((random_word() % sums.len() as u64) as usize).unwrap_or_default();
        let few: Vec<_> = sample.iter().map(|&i| row[i]).collect();
        let (scalars, bases) = view(&few, &sampled);
        let mut sum = [G1::default()];
        self.backend.msm(scalars, bases, &mut sum)?;
        self.expect_sums(sum[0] == reference(&few, &sampled)?)
    }
}

impl Fft for Checked {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        let point = random_element();
        let value = |data: &[Fr], order, is_values| {
            let column = combine(data, 1, Fr::one(), order);
            match is_values {
                true => value_of_values(&fft.domain, &column, point),
                false => Some(value_of_coefficients(&column, point)),
            }
        };
        let (n, inverse) = (fft.domain.size(), fft.direction == Direction::Inverse);
        let before: Vec<_> = values.chunks(n).map(|data| value(data, fft.input_order, inverse)).collect();
        let mut answer = values.to_vec();
        self.backend.fft(fft, &mut answer)?;
        let mut after = answer.chunks(n).map(|data| value(data, fft.output_order, !inverse));
        self.expect(before.iter().all(|before| after.next() == Some(*before)), "the check of a transform")?;
        values.copy_from_slice(&answer);
        Ok(())
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        self.backend.fft_of_padded(domain, coefficients, size, values)?;
        let point = random_element();
        let mut polynomials = coefficients.chunks(size).zip(values.chunks(domain.size()));
        let right = polynomials.all(|(coefficients, values)| {
            value_of_values(domain, values, point) == Some(value_of_coefficients(coefficients, point))
        });
        self.expect(right, "the check of a transform")
    }
}
