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
//!
//! The curve of BLS12-381's G1, y^2 = x^3 + 4 over F_q, has r h points too. With the parameter z = -0xd201000000010000 of the family, r = z^4 - z^2 + 1. For a cube root of 1 other than 1, w, the
//! endomorphism phi(x, y) = (w x, y) satisfies phi^2 + phi + 1 = 0, and on G1 it is the product with one of the roots of that polynomial modulo r, which are -z^2 and z^2 - 1: with -z^2 for one of both
//! w. A point is in G1 if and only if phi(P) = -z^2 P (Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves", 2021): the equation holds on
//! G1, and where it does, 0 = phi^2(P) + phi(P) + P = (z^4 - z^2 + 1) P = r P. That is two products with a number of 64 bits, six of which are set.
//!
//! BLS12-377 is of the same family, with z = 0x8508c00000000001 and the curve y^2 = x^3 + 1: its G1 has the same test, whose proof does not ask for more than r = z^4 - z^2 + 1.
//!
//! BLS12-381's G2 is on the curve y^2 = x^3 + 4(1 + u), whose endomorphism psi has the g = (1 + u)^((1 - q)/6) and the trace t = z + 1. On G2 it is the product with q, and that with z, for q = z modulo r. A point is
//! in G2 if and only if psi(P) = z P (Scott, as above): where that holds, 0 = psi^2(P) - t psi(P) + q P = (z^2 - (z + 1) z + q) P = (q - z) P, and q - z = r (z - 1)^2 / 3 has with the number of points
//! of this curve no common divisor but r. In general g = (b/b')^((q - 1)/6), with the b of G1 and the b' of G2.
//! BLS12-377's G2 has the same test: its curve is y^2 = x^3 + 1/u with u^2 = -5, and its (z - 1)^2 / 3 has no common divisor with the number of points but 1.
//!
//! The curve of BW6-761's G1, y^2 = x^3 - 1, has the same endomorphism phi. With the z of BLS12-377, a = (2 z^3 - 2 z^2 - z + 1) / 3 and b = (z^3 - z^2 + z + 2) / 3, a point is in G1 if and only if a P + b phi(P) = 0 for the right one of both w
//! (El Housni and Guillevic, CANS 2020, have the relation for the GLV method): the product of a + b phi with a + b phi^2 is a^2 - a b + b^2, since phi^2 + phi + 1 = 0, and that number is r itself. So what is annihilated by the one is annihilated by
//! r, and on G1, where phi is the product with a root of x^2 + x + 1 modulo r, the one is 0 for one of both roots. Two products with numbers of 190 bits, made at once.

use std::sync::LazyLock;

use super::endomorphism::cube_root_of_one;
use super::{Affine, Coordinate, Curve, Xyzz, affine_points};
use crate::bls12_377;
use crate::bls12_381;
use crate::bn254::{G1Affine, G2Affine};
use crate::bw6_761;
use crate::field::coordinates::LazyElement;
use crate::field::integer::Integer;
use crate::field::montgomery::{Modulus, Residue};
use crate::field::quadratic::{Pair, QuadraticExtension};
use crate::grumpkin;
use crate::pasta::{PallasAffine, VestaAffine};

/// What a curve knows of the group of prime order among its points.
pub trait Subgroup {
    /// Whether the curve has no points but those of the group. Where it has others, a scalar s is the integer from 0 to r - 1 and nothing else in sums, and where it has none, s - r does as well.
    const COFACTOR_IS_ONE: bool = true;

    /// Whether a point, which is on the curve or the identity, is in that group; curves of prime order have no others.
    fn is_in_subgroup(&self) -> bool {
        true
    }
}

impl Subgroup for G1Affine {}
impl Subgroup for grumpkin::G1Affine {}
impl Subgroup for PallasAffine {}
impl Subgroup for VestaAffine {}

/// The parameter of BLS12-381 is -z, that of BLS12-377 is z.
const BLS12_381_Z: u64 = 0xd201_0000_0001_0000;
const BLS12_377_Z: u64 = 0x8508_c000_0000_0001;

macro_rules! bls12_g1 {
    ($curve:ty, $z:expr) => {
        impl Subgroup for $curve {
            const COFACTOR_IS_ONE: bool = false;

            fn is_in_subgroup(&self) -> bool {
                /// The factor of x for which the endomorphism is the product with -z^2 on the group.
                static CUBE_ROOT: LazyLock<Coordinate<$curve>> = LazyLock::new(|| cube_root::<$curve>($z));
                is_in_g1(self, $z, *CUBE_ROOT)
            }
        }
    };
}
bls12_g1!(bls12_381::G1Affine, BLS12_381_Z);
bls12_g1!(bls12_377::G1Affine, BLS12_377_Z);

/// The factors a and b of BW6-761.
const BW6_761_FACTORS: [[u64; 3]; 2] = [
    [0x2c58_4000_0000_0000, 0x5c2d_7510_c000_0000, 0x17f3_622f_ba09_4800],
    [0x58b0_8000_0000_0001, 0x2e16_ba88_6000_0000, 0x0bf9_b117_dd04_a400],
];

impl Subgroup for bw6_761::G1Affine {
    const COFACTOR_IS_ONE: bool = false;

    fn is_in_subgroup(&self) -> bool {
        /// The factor of x for which a P + b phi(P) = 0 on the group.
        static CUBE_ROOT: LazyLock<Coordinate<bw6_761::G1Affine>> = LazyLock::new(|| {
            let of_root = |root| is_annihilated(&bw6_761::G1Affine::generator(), root);
            let root = Coordinate::<bw6_761::G1Affine>::of_prime(cube_root_of_one());
            [root, root.square()].into_iter().find(|&root| of_root(root)).expect("one of both")
        });
        is_annihilated(self, *CUBE_ROOT)
    }
}

/// Whether a P + b phi(P) = 0, for the phi of a cube root of 1: both multiples at once, by doubling and adding.
fn is_annihilated(point: &bw6_761::G1Affine, root: Coordinate<bw6_761::G1Affine>) -> bool {
    let point = affine_points(std::slice::from_ref(point))[0];
    let points = [point, Affine { x: point.x.mul(root), y: point.y }];
    let multiple = (0..192).rev().fold(Xyzz::IDENTITY, |sum, bit| {
        let is_set = |factor: &[u64; 3]| factor[bit / 64] >> (bit % 64) & 1 == 1;
        let terms = BW6_761_FACTORS.iter().zip(&points).filter(|(factor, _)| is_set(factor));
        terms.fold(sum.double(), |sum, (_, point)| sum.add_affine(point))
    });
    multiple.is_identity()
}

/// Whether phi(P) = -z^2 P, for the phi of a cube root of 1.
fn is_in_g1<C: Curve>(point: &C, z: u64, root: Coordinate<C>) -> bool {
    let point = affine_points(std::slice::from_ref(point))[0];
    times_square(&point, z).add_affine(&Affine { x: point.x.mul(root), y: point.y }).is_identity()
}

/// z^2 P.
fn times_square<T: LazyElement>(point: &Affine<T>, z: u64) -> Xyzz<T> {
    let multiple = times(point, z, |sum| sum.double(), |sum| sum.add_affine(point));
    times(&multiple, z, |sum| sum.double(), |sum| sum.add(&multiple))
}

/// The cube root of 1 for which the endomorphism is the product with -z^2 on G1, by the generator: a root or its square.
fn cube_root<C: Curve>(z: u64) -> Coordinate<C> {
    let root = Coordinate::<C>::of_prime(cube_root_of_one());
    let roots = [root, root.square()];
    roots.into_iter().find(|&root| is_in_g1(&C::generator(), z, root)).expect("one of both")
}

/// n P for an n other than 0, by doubling and adding.
fn times<T: LazyElement, P: Copy + Into<Xyzz<T>>>(
    point: &P,
    n: u64,
    double: impl Fn(Xyzz<T>) -> Xyzz<T>,
    add: impl Fn(Xyzz<T>) -> Xyzz<T>,
) -> Xyzz<T> {
    (0..n.ilog2()).rev().fold((*point).into(), |sum, bit| match n >> bit & 1 {
        1 => add(double(sum)),
        _ => double(sum),
    })
}

macro_rules! bls12_g2 {
    ($curve:ty, $b:literal, $z:expr, $is_negative:literal) => {
        impl Subgroup for $curve {
            const COFACTOR_IS_ONE: bool = false;

            fn is_in_subgroup(&self) -> bool {
                static FACTORS: LazyLock<[Coordinate<$curve>; 2]> =
                    LazyLock::new(|| factors($b, <$curve>::b()));
                let point = affine_points(std::slice::from_ref(self))[0];
                let multiple = times(&point, $z, |sum| sum.double(), |sum| sum.add_affine(&point));
                // |z| P and psi(P), or the negative of that.
                let image = psi(point.into(), &FACTORS);
                let image = Xyzz { y: image.y.negated_if(!$is_negative), ..image };
                multiple.add(&image).is_identity()
            }
        }
    };
}
bls12_g2!(bls12_381::G2Affine, 4, BLS12_381_Z, true);
bls12_g2!(bls12_377::G2Affine, 1, BLS12_377_Z, false);

impl Subgroup for G2Affine {
    const COFACTOR_IS_ONE: bool = false;

    fn is_in_subgroup(&self) -> bool {
        let point = affine_points(std::slice::from_ref(self))[0];
        let multiple = times_z(&point);
        let first = psi(multiple, &FACTORS);
        let second = psi(first, &FACTORS);
        let third = psi(second, &FACTORS).double();
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

/// The endomorphism, with g^2 and g^3.
fn psi<F: QuadraticExtension>(point: Xyzz<Pair<F>>, [for_x, for_y]: &[Pair<F>; 2]) -> Xyzz<Pair<F>> {
    let Xyzz { x, y, zz, zzz } = point;
    Xyzz {
        x: x.conjugate().mul(*for_x),
        y: y.conjugate().mul(*for_y),
        zz: zz.conjugate(),
        zzz: zzz.conjugate(),
    }
}

/// Those of BN254.
static FACTORS: LazyLock<[Twisted; 2]> = LazyLock::new(|| factors(3, G2Affine::b()));

/// g^2 and g^3, of the b of G1 and that of G2.
fn factors<F: QuadraticExtension>(b: u64, twisted: F) -> [Pair<F>; 2] {
    let (sixth, rest) = F::Prime::P.quotient(6);
    assert!(rest == 1, "1 modulo 6");
    let by_twisted = Pair::of(twisted).inverse().expect("b is not 0");
    let g = Pair::of_prime(Residue::from_word(b)).mul(by_twisted).pow(sixth.as_ref());
    [g.square(), g.square().mul(g)]
}

#[cfg(test)]
mod tests {
    use halo2curves::group::{Curve as _, Group};

    use super::*;
    use crate::bn254::{Fq, Fr, G2};
    use crate::curve::samples::{some_points, times_order};
    use crate::curve::{affine, projective};
    use crate::field::CoordinateField;
    use crate::field::integer::{add_limbs, mac, quotient, sub_limbs};

    /// Primes that divide h: 21888242871839275222246405745257275088844257914179612981679871602714643921549 = 10069 5864401 1875725156269 h'.
    const PRIMES: [u64; 3] = [10_069, 5_864_401, 1_875_725_156_269];

    fn product<P: Group>(point: P, factor: &[u64]) -> P {
        let bits = factor.iter().rev().flat_map(|limb| (0..64).rev().map(move |bit| limb >> bit & 1));
        bits.fold(P::identity(), |sum, bit| if bit == 1 { sum.double() + point } else { sum.double() })
    }

    #[test]
    fn the_endomorphism_is_the_product_with_q_on_the_group() {
        let point = G2::generator() * Fr::from(77);
        let expected = product(point, &Fq::P);
        let found = psi(affine_points(&[point.to_affine()])[0].into(), &FACTORS);
        assert_eq!(projective::<G2Affine>(found), expected);
        let multiple = times_z(&affine_points(&[point.to_affine()])[0]);
        assert_eq!(projective::<G2Affine>(multiple), point * Fr::from(Z));
    }

    /// Points whose order is a small prime, and sums of these with points of the group, are outside; of a curve with r h points. The number of orders that were found: where the square of a prime divides h, there may
    /// be no point at hand that has the order h / prime times the prime.
    fn points_of_small_order_are_outside<C: Curve, const N: usize>(h: [u64; N], primes: &[u64]) -> usize {
        let mut found = 0;
        for &prime in primes {
            let (cofactor, rest) = quotient(h, prime);
            assert_eq!(rest, 0, "{prime} divides h");
            let small = some_points::<C>().iter().find_map(|point| {
                let small = product(times_order(point), &cofactor);
                (!bool::from(small.is_identity())).then_some(small)
            });
            let Some(small) = small else { continue };
            assert_eq!(product(small, &[prime]), C::Projective::identity());
            let points: Vec<C> = affine(&[small, -small, small + C::Projective::generator()]);
            assert!(points.iter().all(|point| !point.is_in_subgroup()), "{}, order {prime}", C::NAME);
            found += 1;
        }
        found
    }

    /// (z + 1)^2 / 3, or of another sign before the 1.
    fn third_of_square(root: u64) -> [u64; 2] {
        let h = u128::from(root / 3) * u128::from(root);
        assert_eq!(root % 3, 0);
        [h as u64, (h >> 64) as u64]
    }

    #[test]
    fn points_of_small_order() {
        // h = 2 q - r; r h is the number of points.
        let h = sub_limbs(add_limbs(Fq::P, Fq::P).0, <Fr as Modulus>::P).0;
        assert_eq!(points_of_small_order_are_outside::<G2Affine, 4>(h, &PRIMES), PRIMES.len());
        // (z + 1)^2 / 3 = 3 11^2 10177^2 859267^2 52437899^2 with the negative parameter -z.
        let h = third_of_square(BLS12_381_Z + 1);
        let primes = [3, 11, 10_177, 859_267, 52_437_899];
        points_of_small_order_are_outside::<bls12_381::G1Affine, 2>(h, &primes);
        // (z - 1)^2 / 3 = 2^92 3 7^2 13^2 499^2.
        let h = third_of_square(BLS12_377_Z - 1);
        assert!(points_of_small_order_are_outside::<bls12_377::G1Affine, 2>(h, &[2, 3, 7, 13, 499]) > 0);
        // (z^8 - 4 z^7 + 5 z^6 - 4 z^4 + 6 z^3 - 4 z^2 - 4 z + 13) / 9 = 13^2 23^2 2713 11953 262069 h'.
        let h = [
            0xcf1c_38e3_1c72_38e5,
            0x1616_ec6e_786f_0c70,
            0x2153_7e29_3a66_91ae,
            0xa628_f1cb_4d9e_82ef,
            0xa68a_205b_2e5a_7ddf,
            0xcd91_de45_4708_5aba,
            0x091d_5079_2876_a202,
            0x05d5_43a9_5414_e7f1,
        ];
        let primes = [13, 23, 2713, 11_953, 262_069];
        assert!(points_of_small_order_are_outside::<bls12_381::G2Affine, 8>(h, &primes) >= 3);
        // The same polynomial: 85752112189 h'.
        let h = [
            0x0000_0000_0000_0001,
            0x4522_17cc_9000_0000,
            0xa0f3_622f_ba09_4800,
            0xd693_e8c3_6676_bd09,
            0x8c50_5634_fae2_e189,
            0xfbb3_6b00_e1dc_c40c,
            0xddd8_8d99_a6f6_a829,
            0x0026_ba55_8ae9_562a,
        ];
        assert_eq!(points_of_small_order_are_outside::<bls12_377::G2Affine, 8>(h, &[85_752_112_189]), 1);
        // 2^2 127 3841927 36295621 h'.
        let h = [
            0x3de5_8000_0000_007c,
            0x832b_a406_1000_003b,
            0xc61c_5547_5755_1c0c,
            0xc856_a085_3c9d_b94c,
            0x2c77_d5ac_34cb_12ef,
            0xad19_7233_9049_ce76,
        ];
        let primes = [2, 127, 3_841_927, 36_295_621];
        assert!(points_of_small_order_are_outside::<bw6_761::G1Affine, 6>(h, &primes) >= 3);
    }

    /// a^2 - a b + b^2 = r for the factors of BW6-761.
    #[test]
    fn the_norm_of_the_factors_is_the_order() {
        let product = |a: &[u64; 3], b: &[u64; 3]| {
            let mut product = [0; 6];
            for (i, &a) in a.iter().enumerate() {
                let mut carry = 0;
                for (j, &b) in b.iter().enumerate() {
                    (product[i + j], carry) = mac(product[i + j], a, b, carry);
                }
                product[i + 3] = carry;
            }
            product
        };
        let [a, b] = &BW6_761_FACTORS;
        let squares = add_limbs(product(a, a), product(b, b)).0;
        assert_eq!(sub_limbs(squares, product(a, b)), (bw6_761::Fr::P, false));
    }

    /// Of both families' G2: the product with the parameter, and with q.
    fn the_endomorphism_is_the_product_with_the_parameter<C: Curve<Base: QuadraticExtension>>(
        b: u64,
        z: u64,
        is_negative: bool,
    ) {
        let point = C::Projective::generator() * C::Scalar::from(77);
        let found = projective::<C>(psi(affine_points(&[point.to_affine()])[0].into(), &factors(b, C::b())));
        let multiple = product(point, &[z]);
        assert_eq!(found, if is_negative { -multiple } else { multiple });
        assert_eq!(found, product(point, <<C::Base as CoordinateField>::Prime as Modulus>::P.as_ref()));
    }

    #[test]
    fn the_endomorphisms_of_bls12_are_the_products_with_the_parameters_on_the_groups() {
        the_endomorphism_is_the_product_with_the_parameter::<bls12_381::G2Affine>(4, BLS12_381_Z, true);
        the_endomorphism_is_the_product_with_the_parameter::<bls12_377::G2Affine>(1, BLS12_377_Z, false);
    }
}
