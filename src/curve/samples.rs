//! Scalars and bases for tests of sums, over any curve.

use halo2curves::ff::Field;
use halo2curves::group::{Curve as _, Group};

use super::{Coordinate, Curve, FixedBase, limbs_of_points};
use crate::field::ScalarField;
use crate::field::coordinates::LazyElement;
use crate::field::integer::Integer;
use crate::field::montgomery::{Modulus, Residue};

/// A scalar of full width.
pub(crate) fn wide<F: ScalarField>(i: usize) -> F {
    let mut limbs = F::Limbs::ZERO;
    for (limb, word) in limbs.as_mut().iter_mut().zip(1..) {
        *limb = (i as u64 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    Residue::from_integer(limbs).element()
}

/// Scalars at the edges of the field, and around every carry of digits: 0, 1, -1, -2, the halves of r, powers of two and their neighbours.
pub(crate) fn edges<F: ScalarField>() -> Vec<F> {
    let half = F::TWO_INV - F::ONE;
    let mut edges = vec![F::ZERO, F::ONE, -F::ONE, -F::from(2), half, half + F::ONE, half - F::ONE];
    for exponent in [1, 7, 8, 13, 16, 31, 32, 63, 64, 127, 128, 191, 192, 252, 253, 255, 256, 319, 320, 376] {
        let power = F::from(2).pow_vartime([exponent]);
        edges.extend([power, power - F::ONE, -power]);
    }
    edges
}

/// Factors times the generator, as affine points.
pub(crate) fn multiples<C: Curve>(factors: &[C::Scalar]) -> Vec<C> {
    let generator = C::Projective::generator().to_affine();
    FixedBase::new(generator, factors.len()).multiples(factors).unwrap()
}

/// Bases as factors of the generator: different ones, and those that meet equal, opposite or no points in a bucket.
pub(crate) fn bases<F: ScalarField>(n: usize) -> [(&'static str, Vec<F>); 5] {
    let opposite = |i| if i < n / 2 { wide::<F>(3) } else { -wide::<F>(3) };
    let third = |i: usize| if i.is_multiple_of(3) { F::ZERO } else { wide(i) };
    [
        ("different bases", (0..n).map(|i| wide(7 * i + 1)).collect()),
        ("one base", vec![wide(3); n]),
        ("a base, its negative behind it", (0..n).map(opposite).collect()),
        ("every third base an identity", (0..n).map(third).collect()),
        ("identities", vec![F::ZERO; n]),
    ]
}

/// Scalars whose parts are alike, or all different.
pub(crate) fn scalars<F: ScalarField>(n: usize) -> Vec<(&'static str, Vec<F>)> {
    let of = |scalar: &dyn Fn(usize) -> F| (0..n).map(scalar).collect::<Vec<_>>();
    let bit = |i: usize| F::from((((i * i) >> 1) & 1) as u64);
    let edges = edges::<F>();
    vec![
        ("wide", of(&wide)),
        ("edges", of(&|i| edges[i % edges.len()])),
        ("bits", of(&bit)),
        ("bits, then wide", of(&|i| if i < n / 4 { bit(i) } else { wide(i) })),
        ("wide, then bits", of(&|i| if i < n / 4 { wide(i) } else { bit(i) })),
        ("zeros, then wide", of(&|i| if i < n / 2 { F::ZERO } else { wide(i) })),
        ("wide, then zeros", of(&|i| if i < n / 4 { wide(i) } else { F::ZERO })),
        ("one wide among zeros", of(&|i| if i == n / 3 { wide(i) } else { F::ZERO })),
        ("equal", vec![wide(5); n]),
        ("a scalar, its negative behind it", of(&|i| if i < n / 2 { wide(5) } else { -wide::<F>(5) })),
        ("ones", vec![F::ONE; n]),
        ("minus ones", vec![-F::ONE; n]),
        ("zeros", vec![F::ZERO; n]),
    ]
}

/// The sum of scalars times factors of the generator.
pub(crate) fn sum<C: Curve>(scalars: &[C::Scalar], factors: &[C::Scalar]) -> C::Projective {
    let total = scalars.iter().zip(factors).map(|(&scalar, factor)| scalar * factor).sum::<C::Scalar>();
    C::Projective::generator() * total
}

/// r P for the order r of the scalars, by doubling and adding: scalars are reduced by it.
pub(crate) fn times_order<C: Curve>(point: &C) -> C::Projective {
    let r = C::Scalar::P;
    let bits = r.as_ref().iter().rev().flat_map(|limb| (0..64).rev().map(move |bit| limb >> bit & 1));
    bits.fold(
        C::Projective::identity(),
        |sum, bit| if bit == 1 { sum.double() + *point } else { sum.double() },
    )
}

/// Points with an x above that of the generator: of the curve, but of its subgroup only by chance.
pub(crate) fn some_points<C: Curve>() -> Vec<C> {
    let generator = [C::Projective::generator().to_affine()];
    let first = Coordinate::<C>::of_limbs(limbs_of_points(&generator)[0][0]).element();
    let xs = std::iter::successors(Some(first + C::Base::ONE), |x| Some(*x + C::Base::ONE));
    let ys = xs.map(|x| (x, Option::from((x.square() * x + C::b()).sqrt())));
    ys.filter_map(|(x, y): (_, Option<C::Base>)| Some(C::from_affine([x, y?]))).take(20).collect()
}
