//! Sums over G1 and transforms of its scalars.

use halo2curves::group::Curve;
use zkaccel::bn254::{Fr, G1, G1Affine};
use zkaccel::msm::BasesOptions;
use zkaccel::ntt::AcceleratedField;

use super::*;

/// The largest sums are smaller: their bases are made one after another.
const LOG_SUM: u32 = 11;

fn pairs(log: u32, words: &mut Words) -> (Vec<Fr>, Vec<G1Affine>) {
    let count = 1 << log.min(LOG_SUM);
    let (first, step) = (G1::generator() * Fr::from(words.next()), G1::generator() * Fr::from(words.next()));
    let points: Vec<_> = std::iter::successors(Some(first), |point| Some(point + step)).take(count).collect();
    let mut bases = vec![G1Affine::default(); count];
    G1::batch_normalize(&points, &mut bases);
    (words.samples(count), bases)
}

fn coordinates(sums: &[G1]) -> Vec<u8> {
    sums.iter().flat_map(|sum| format!("{:?}", sum.to_affine()).into_bytes()).collect()
}

pub(super) fn sum(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let (scalars, bases) = pairs(log, words);
    Ok(coordinates(&[engine.msm(&scalars, &bases)?]))
}

/// Bases and scalars that stay, for two sums.
pub(super) fn kept_sum(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let (scalars, bases) = pairs(log, words);
    let options = BasesOptions { tables: words.next().is_multiple_of(2), ..BasesOptions::default() };
    let bases = engine.bases(bases, options)?;
    let kept = engine.upload(Matrix::from_column(scalars.clone())?)?;
    Ok(coordinates(&[engine.msm(&kept, &bases)?, engine.msm(&scalars, &bases)?]))
}

pub(super) fn transform(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let ntt = Ntt::forward(Fr::some_domain(log)?);
    let mut scalars: Matrix<Fr> = Matrix::from_column(words.samples(1 << log))?;
    engine.ntt(&ntt, scalars.view_mut())?;
    Ok(format!("{:?}", scalars.as_slice()).into_bytes())
}
