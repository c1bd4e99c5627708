//! Transforms of points of every curve that has them: points are known multiples of the generator, so that every result is one multiplication; small
//! transforms are compared with the reference as well.

use halo2curves::group::Group;
use zkaccel::curve::affine;
use zkaccel::ntt::{Direction, Ntt, Order};
use zkaccel::points::TransformedCurve;
use zkaccel::{Engine, Error, bls12_377, bls12_381, bn254, pasta};

use crate::domains::{Roots, domain};
use crate::draw::Draw;
use crate::engines;
use crate::multiples::{Pooled, multiples};

/// The binary logarithm of the points of a run at most, and of such as the reference transforms, by a multiplication for each two points.
const LOG_LARGEST: usize = 5;
const LOG_SMALL: u32 = 2;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(8) {
        0 => over::<bn254::G1Affine>(&mut draw),
        1 => over::<bn254::G2Affine>(&mut draw),
        2 => over::<pasta::PallasAffine>(&mut draw),
        3 => over::<pasta::VestaAffine>(&mut draw),
        4 => over::<bls12_381::G1Affine>(&mut draw),
        5 => over::<bls12_381::G2Affine>(&mut draw),
        6 => over::<bls12_377::G1Affine>(&mut draw),
        _ => over::<bls12_377::G2Affine>(&mut draw),
    }
}

fn over<C: Pooled + TransformedCurve<Scalar: Roots>>(draw: &mut Draw<'_>) {
    let engine = engines::draw(draw);
    let log_size = draw.below(LOG_LARGEST + 1) as u32;
    let ntt = Ntt {
        domain: domain(draw, log_size),
        direction: draw.pick(&[Direction::Forward, Direction::Inverse]),
        input_order: draw.pick(&[Order::Natural, Order::BitReversed]),
        output_order: draw.pick(&[Order::Natural, Order::BitReversed]),
    };
    let len = match draw.below(16) {
        15 => draw.below(3 << log_size),
        _ => draw.below(4) << log_size,
    };
    let as_job = draw.flag();
    let (mut factors, points) = multiples::<C>(draw, len);
    let what = format!("{len} points, {ntt:?}, on {}", engine.device().id);
    let found = transformed(&engine, &ntt, &points, as_job);
    if log_size <= LOG_SMALL || !len.is_multiple_of(ntt.domain.size()) {
        assert_eq!(found, transformed(engines::reference(), &ntt, &points, as_job), "{what}");
    }
    match found {
        Ok(found) => {
            let reference = engines::reference();
            let runs = factors.chunks_exact_mut(ntt.domain.size());
            runs.for_each(|run| reference.ntt(&ntt, run).expect("elements that are canonical"));
            let expected: Vec<_> = factors.iter().map(|factor| C::Projective::generator() * factor).collect();
            assert_eq!(found, affine::<C::Projective>(&expected), "{what}");
        }
        Err(error) => {
            assert!(matches!(error, Error::LengthMismatch { found, .. } if found == len), "{what}: {error}");
            assert!(!len.is_multiple_of(ntt.domain.size()), "{what}: {error}");
        }
    }
}

/// The transform of copies of points, which are unchanged where it is refused.
fn transformed<C: TransformedCurve>(
    engine: &Engine,
    ntt: &Ntt<C::Scalar>,
    points: &[C],
    as_job: bool,
) -> Result<Vec<C>, Error> {
    let mut results = points.to_vec();
    if as_job {
        return engine.transform_points_async(ntt, results).wait();
    }
    let done = engine.transform_points(ntt, &mut results);
    assert!(done.is_ok() || results == points, "what is refused is unchanged");
    done.map(|()| results)
}
