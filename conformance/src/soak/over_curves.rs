//! Sums over two curves, one with coordinates of four limbs and one of six, and transforms of their points.

use zkaccel::bls12_381;
use zkaccel::bn254;
use zkaccel::curve::affine;
use zkaccel::msm::{AcceleratedCurve, BasesOptions};
use zkaccel::points::TransformedCurve;

use super::*;
use crate::sums::multiples;

/// The largest sums are smaller: their bases are made one after another.
const LOG_SUM: u32 = 11;

macro_rules! with_some_curve {
    ($words:expr, $function:ident($($argument:expr),*)) => {
        match $words.next() % 2 {
            0 => $function::<bn254::G1Affine>($($argument),*),
            _ => $function::<bls12_381::G1Affine>($($argument),*),
        }
    };
}

fn pairs<C: AcceleratedCurve<Scalar: Samples>>(log: u32, words: &mut Words) -> (Vec<C::Scalar>, Vec<C>) {
    let count = 1 << log.min(LOG_SUM);
    let (_, bases) = multiples::<C>(words, count);
    (words.samples(count), bases)
}

fn coordinates<C: AcceleratedCurve>(sums: &[C::Projective]) -> Vec<u8> {
    format!("{:?}", affine::<C::Projective>(sums)).into_bytes()
}

pub(super) fn sum(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    fn one<C: AcceleratedCurve<Scalar: Samples>>(
        engine: &Engine,
        log: u32,
        words: &mut Words,
    ) -> Result<Vec<u8>, Error> {
        let (scalars, bases) = pairs::<C>(log, words);
        Ok(coordinates::<C>(&[engine.msm(&scalars, &bases)?]))
    }
    with_some_curve!(words, one(engine, log, words))
}

/// Bases and scalars that stay, for two sums.
pub(super) fn kept_sum(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    fn two<C: AcceleratedCurve<Scalar: Samples>>(
        engine: &Engine,
        log: u32,
        words: &mut Words,
    ) -> Result<Vec<u8>, Error> {
        let (scalars, bases) = pairs::<C>(log, words);
        let options = BasesOptions { tables: words.next().is_multiple_of(2), ..BasesOptions::default() };
        let bases = engine.bases(bases, options)?;
        let kept = engine.upload(Matrix::from_column(scalars.clone())?)?;
        Ok(coordinates::<C>(&[engine.msm(&kept, &bases)?, engine.msm(&scalars, &bases)?]))
    }
    with_some_curve!(words, two(engine, log, words))
}

/// Of the square root of the size: the reference and most devices make a product for each two points.
pub(super) fn transform_of_points(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    fn transform<C: TransformedCurve<Scalar: Samples>>(
        engine: &Engine,
        log: u32,
        words: &mut Words,
    ) -> Result<Vec<u8>, Error> {
        let ntt = some_transform::<C::Scalar>(log, words)?;
        let (_, mut points) = multiples::<C>(words, 1 << log);
        engine.transform_points(&ntt, &mut points)?;
        Ok(format!("{points:?}").into_bytes())
    }
    with_some_curve!(words, transform(engine, log / 2, words))
}
