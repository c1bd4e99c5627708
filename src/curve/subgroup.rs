//! Whether a point of a curve is in the group of prime order.
//!
//! # Mathematical description
//!
//! The curve of BN254's G2, y^2 = x^3 + 3/(9 + u) over F_q(u) with u^2 = -1, has r h points, h = 2q - r, of which those of order r form G2.
//! It is a twist of the curve of G1, and has the endomorphism psi(x, y) = (g^2 x', g^3 y') with the conjugates x', y' and g =
//! (9 + u)^((q - 1)/6), which satisfies psi^2 - t psi + q = 0 with the trace t = 6 z^2 + 1, z = 4965661367192848881 being the parameter of the family. On
//! G2 it is the product with q, which gives the short relation
//!
//! (z + 1) P + psi(z P) + psi^2(z P) = psi^3(2 z P)
//!
//! (Dai, Lin, Zhao and Zhou, IEEE Trans. Inf. Theory 69, 2023). No other point satisfies it: modulo psi^2 - t psi + q the relation is an element
//! a + b psi whose norm a^2 + a b t + b^2 q annihilates P too, and that norm has with r h no common divisor but r. A test derives
//! this. So a point is tested by one product with a number of 63 bits.

use std::sync::LazyLock;

use super::{Affine, Coordinate, Curve, Xyzz, affine_points};
use crate::bn254::{Fq, G1Affine, G2Affine};
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::{Limbs, Modulus, Residue};
use crate::field::quadratic::Pair;
use crate::grumpkin;
use crate::pasta::{PallasAffine, VestaAffine};

/// What a curve knows of the group of prime order among its points.
pub trait Subgroup {
    /// Whether a point, which is on the curve or the identity, is in that group; curves of prime order have no others.
    fn is_in_subgroup(&self) -> bool {
        true
    }
}

impl Subgroup for G1Affine {}
impl Subgroup for grumpkin::G1Affine {}
impl Subgroup for PallasAffine {}
impl Subgroup for VestaAffine {}

impl Subgroup for G2Affine {
    fn is_in_subgroup(&self) -> bool {
        let point = affine_points(std::slice::from_ref(self))[0];
        let multiple = times_z(&point);
        let first = psi(multiple);
        let second = psi(first);
        let third = psi(second).double();
        let negative = Xyzz { y: third.y.negated_if(true), ..third };
        multiple.add_affine(&point).add(&first).add(&second).add(&negative).is_identity()
    }
}

/// The parameter z of BN254.
const Z: u64 = 4_965_661_367_192_848_881;

type Twisted = Coordinate<G2Affine>;

/// z P, by the digits -1, 0 and 1 of z, no two neighbours of which are other than 0.
fn times_z(point: &Affine<Twisted>) -> Xyzz<Twisted> {
    // Bit i of 3 z and of z differ where digit i - 1 is not 0; it has the sign of the bit of 3 z.
    let triple = 3 * u128::from(Z);
    let (plus, minus) = (triple & !u128::from(Z), u128::from(Z) & !triple);
    let negative = point.negated_if(true);
    (1..u128::BITS - triple.leading_zeros()).rev().fold(Xyzz::IDENTITY, |sum, bit| {
        let twice = sum.double();
        match (plus >> bit & 1, minus >> bit & 1) {
            (1, _) => twice.add_affine(point),
            (_, 1) => twice.add_affine(&negative),
            _ => twice,
        }
    })
}

/// The endomorphism.
fn psi(point: Xyzz<Twisted>) -> Xyzz<Twisted> {
    let [for_x, for_y] = *FACTORS;
    let Xyzz { x, y, zz, zzz } = point;
    Xyzz {
        x: x.conjugate().mul(for_x),
        y: y.conjugate().mul(for_y),
        zz: zz.conjugate(),
        zzz: zzz.conjugate(),
    }
}

/// g^2 and g^3.
static FACTORS: LazyLock<[Twisted; 2]> = LazyLock::new(|| {
    let three = Pair::of_prime(Residue::from_word(3));
    let by_b = Twisted::of(G2Affine::b()).inverse().expect("b is not 0");
    let g = three.mul(by_b).pow(&sixth(Fq::P));
    [g.square(), g.square().mul(g)]
});

/// (n - 1)/6 for an n that is 1 modulo 6.
fn sixth(n: Limbs) -> Limbs {
    let mut quotient = n;
    let mut rest = 0;
    for limb in quotient.iter_mut().rev() {
        let wide = rest << 64 | u128::from(*limb);
        (*limb, rest) = ((wide / 6) as u64, wide % 6);
    }
    assert!(rest == 1, "1 modulo 6");
    quotient
}

#[cfg(test)]
mod tests {
    use halo2curves::group::{Curve as _, Group};

    use super::*;
    use crate::bn254::{Fr, G2};
    use crate::curve::tests::{some_points, times_order};
    use crate::curve::{affine, projective};
    use crate::field::montgomery::{add_limbs, sub_limbs};

    /// Primes that divide h: 21888242871839275222246405745257275088844257914179612981679871602714643921549 = 10069 5864401 1875725156269 h'.
    const PRIMES: [u64; 3] = [10_069, 5_864_401, 1_875_725_156_269];

    fn product(point: G2, factor: &[u64]) -> G2 {
        let bits = factor.iter().rev().flat_map(|limb| (0..64).rev().map(move |bit| limb >> bit & 1));
        bits.fold(G2::identity(), |sum, bit| if bit == 1 { sum.double() + point } else { sum.double() })
    }

    /// n/d, which has no rest.
    fn quotient(n: Limbs, d: u64) -> Limbs {
        let (mut quotient, mut rest) = (n, 0);
        for limb in quotient.iter_mut().rev() {
            let wide = rest << 64 | u128::from(*limb);
            (*limb, rest) = ((wide / u128::from(d)) as u64, wide % u128::from(d));
        }
        assert_eq!(rest, 0, "{d} divides h");
        quotient
    }

    #[test]
    fn the_endomorphism_is_the_product_with_q_on_the_group() {
        let point = G2::generator() * Fr::from(77);
        let expected = product(point, &Fq::P);
        let found = psi(affine_points(&[point.to_affine()])[0].into());
        assert_eq!(projective::<G2Affine>(found), expected);
        let multiple = times_z(&affine_points(&[point.to_affine()])[0]);
        assert_eq!(projective::<G2Affine>(multiple), point * Fr::from(Z));
    }

    /// Points whose order is a small prime, and sums of these with points of the group.
    #[test]
    fn points_of_small_order_are_outside() {
        // h = 2 q - r; r h is the number of points.
        let h = sub_limbs(add_limbs(Fq::P, Fq::P).0, <Fr as Modulus>::P).0;
        for prime in PRIMES {
            let small = some_points::<G2Affine>().iter().find_map(|point| {
                let small = product(times_order(point), &quotient(h, prime));
                (!bool::from(small.is_identity())).then_some(small)
            });
            let small = small.expect("a point whose order the prime divides");
            assert_eq!(product(small, &[prime]), G2::identity());
            let points: Vec<G2Affine> = affine(&[small, -small, small + G2::generator()]);
            assert!(points.iter().all(|point| !point.is_in_subgroup()), "order {prime}");
        }
    }
}
