//! Multi-scalar multiplication over every curve: bases are known multiples of the generator, so that every sum is one multiplication; small ones are
//! compared with the reference as well.

use halo2curves::bls12381;
use halo2curves::bn256;
use halo2curves::ff::Field;
use halo2curves::group::Group;
use halo2curves::grumpkin;
use halo2curves::pasta::{PallasAffine, VestaAffine};
use zkaccel::curve::{limbs_of_points, points};
use zkaccel::matrix::{Element, Matrix};
use zkaccel::msm::BasesOptions;
use zkaccel::{Engine, Error, bls12_377, bw6_761};

use crate::draw::{Draw, Words};
use crate::engines;
use crate::multiples::{Pooled, multiples};

/// Bases of a sum at most; with tables of multiples, which take 250 doublings each.
const LONGEST: usize = 500;
const WITH_TABLES: usize = 40;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(10) {
        0 => over::<bn256::G1Affine>(&mut draw),
        1 => over::<grumpkin::G1Affine>(&mut draw),
        2 => over::<bn256::G2Affine>(&mut draw),
        3 => over::<PallasAffine>(&mut draw),
        4 => over::<VestaAffine>(&mut draw),
        5 => over::<bls12381::G1Affine>(&mut draw),
        6 => over::<bls12381::G2Affine>(&mut draw),
        7 => over::<bls12_377::G1Affine>(&mut draw),
        8 => over::<bls12_377::G2Affine>(&mut draw),
        _ => over::<bw6_761::G1Affine>(&mut draw),
    }
}

/// So many scalars of one shape.
fn scalars<F: Element + Field + From<u64>>(draw: &mut Draw<'_>, len: usize) -> Vec<F> {
    let kind = draw.below(7);
    let mask = u64::MAX >> draw.below(64);
    let mut words = draw.words();
    let narrow = |words: &mut Words| F::from(words.next() & mask);
    match kind {
        0 => words.elements(len),
        1 => (0..len).map(|_| narrow(&mut words)).collect(),
        2 => (0..len).map(|_| -narrow(&mut words)).collect(),
        3 => (0..len)
            .map(|_| if words.next() & 1 == 0 { narrow(&mut words) } else { -narrow(&mut words) })
            .collect(),
        4 => vec![words.elements(1)[0]; len],
        // Few that are not zero.
        5 => {
            let mut scalars = vec![F::ZERO; len];
            (0..len.min(3)).for_each(|_| scalars[words.next() as usize % len] = words.elements(1)[0]);
            scalars
        }
        // Powers of two and their neighbours: carries of digits.
        _ => (0..len)
            .map(|_| {
                let power = F::from(2).pow_vartime([words.next() % 254]);
                [power, -power, power - F::ONE][words.next() as usize % 3]
            })
            .collect(),
    }
}

fn over<C: Pooled>(draw: &mut Draw<'_>)
where
    C::Scalar: From<u64>,
{
    let engine = engines::draw(draw);
    let (form, tables) = (draw.below(6), draw.flag());
    let most = if tables { WITH_TABLES } else { [8, LONGEST][draw.below(2)] };
    let (len, rows) = (draw.below(most + 1), 1 + draw.below(3));
    let (factors, points) = multiples::<C>(draw, len);
    let all: Vec<C::Scalar> = (0..rows).flat_map(|_| scalars(draw, len)).collect();
    let validate = draw.flag();
    if len > 0 && draw.below(24) == 23 {
        return refused(draw, &engine, points, &all);
    }
    let options = BasesOptions { validate, tables };
    let sum = |scalars: &[C::Scalar], factors: &[C::Scalar]| {
        C::Projective::generator() * scalars.iter().zip(factors).map(|(a, b)| *a * b).sum::<C::Scalar>()
    };
    let by_rows: Vec<_> = all.chunks(len.max(1)).map(|row| sum(row, &factors)).collect();
    let what = || format!("{rows} rows of {len}, form {form}, {options:?}, on {}", engine.device().id);
    let sums = (|| -> Result<(Vec<C::Projective>, Vec<C::Projective>), Error> {
        Ok(match form {
            0 => {
                let row = &all[..len];
                let found = engine.msm(row, &points)?;
                if len <= 8 {
                    assert_eq!(engines::reference().msm(row, &points)?, found, "{}", what());
                }
                (vec![found], vec![sum(row, &factors)])
            }
            1 => (engine.msm_batch(&all, &points)?, by_rows),
            2 => (engine.msm_batch(&all, &engine.bases(points, options)?)?, by_rows),
            3 => {
                let kept = engine.bases(points, options)?;
                let (start, end) = (draw.below(len + 1), draw.below(len + 1));
                let range = start.min(end)..start.max(end);
                let (scalars, factors) = (&all[range.clone()], &factors[range.clone()]);
                (vec![engine.msm(scalars, kept.range(range)?)?], vec![sum(scalars, factors)])
            }
            4 if len > 0 => {
                let scalars = engine.upload(Matrix::from_columns(all, len, rows)?)?;
                match draw.flag() {
                    true => (engine.msm_batch(&scalars, &points)?, by_rows),
                    false => (engine.msm_batch(&scalars, &engine.bases(points, options)?)?, by_rows),
                }
            }
            _ => (engine.msm_batch_async(all, &engine.bases(points, options)?).wait()?, by_rows),
        })
    })();
    match sums {
        Ok((found, expected)) => assert_eq!(found, expected, "{}", what()),
        // Scalars that must stay on a device with a small budget.
        Err(Error::OverDeviceBudget { .. }) if form == 4 => {}
        Err(error) => panic!("{}: {error}", what()),
    }
}

/// Lengths that do not fit, and a base that is not on the curve.
fn refused<C: Pooled>(draw: &mut Draw<'_>, engine: &Engine, bases: Vec<C>, all: &[C::Scalar]) {
    let found = draw.below(all.len() + 1);
    let sum = engine.msm(&all[..found], &bases);
    assert_eq!(sum.is_ok(), found == bases.len());
    assert_eq!(sum.err(), engines::reference().msm(&all[..found], &bases).err());
    assert_eq!(engine.msm_batch(&all[..found], &bases).is_ok(), found.is_multiple_of(bases.len()));

    let mut limbs = limbs_of_points(&bases).to_vec();
    let index = draw.below(bases.len());
    bytemuck::cast_slice_mut::<_, u64>(&mut limbs[index][1..])[0] ^= 1 << draw.below(64);
    let Ok(off) = points::<C>(&limbs) else { return };
    // (0, y) for the identity is off the curve too.
    let validate = BasesOptions { validate: true, tables: false };
    assert_eq!(engine.bases(off.to_vec(), validate).err(), Some(Error::NotOnCurve { index }));
}
