//! The arithmetic of computations against halo2curves, at the edges of laziness: values are tried below p and, where that is
//! below 2p, with p added.

use halo2curves::ff::{Field, PrimeField};
use halo2curves::group::{Curve, Group};

use super::layout::coordinate_of_residue;
use super::*;
use crate::curve::{Affine, Xyzz};
use crate::field::montgomery::{add_limbs, is_below, sub_limbs};

/// Integers around every carry of four limbs.
fn integers(p: Limbs) -> Vec<Limbs> {
    let mut integers = vec![[0; 4], [1, 0, 0, 0], [2, 0, 0, 0]];
    for i in 0..4 {
        for limb in [1, u64::MAX, 1 << 63, u64::MAX >> 1, u64::from(u32::MAX)] {
            let mut integer = [0; 4];
            integer[i] = limb;
            integers.push(integer);
            integers.push(std::array::from_fn(|j| if j <= i { u64::MAX } else { integer[j] }));
        }
    }
    for less in [1, 2, 1 << 32, u64::MAX] {
        integers.push(sub_limbs(p, [less, 0, 0, 0]).0);
    }
    let half: Limbs = std::array::from_fn(|i| p[i] >> 1 | p.get(i + 1).unwrap_or(&0) << 63);
    integers.extend([half, add_limbs(half, [1, 0, 0, 0]).0]);
    // Those above p are brought below it, so that all of them are Montgomery forms too.
    integers.iter_mut().for_each(|integer| {
        while !is_below(*integer, p) {
            *integer = sub_limbs(*integer, p).0;
        }
    });
    integers
}

/// Every edge, and the same plus p.
fn residues_of<M: Modulus>() -> Vec<Residue<M>> {
    let limbs = integers(M::P);
    let more: Vec<_> = limbs.iter().map(|&limbs| add_limbs(limbs, M::P).0).collect();
    limbs.into_iter().chain(more).map(Residue::from_montgomery).collect()
}

/// Both fields, by one text.
macro_rules! agrees_with_halo2curves {
    ($name:ident, $modulus:ty, $field:ty, $theirs:expr) => {
        #[test]
        fn $name() {
            type R = Residue<$modulus>;
            let theirs: fn(R) -> $field = $theirs;
            let two_p = add_limbs(<$modulus>::P, <$modulus>::P).0;
            let lazy = |x: R| {
                assert!(is_below(x.lazy_limbs(), two_p), "{x:?} is not below 2p");
                theirs(x)
            };
            let all = residues_of::<$modulus>();
            for &a in &all {
                assert_eq!(lazy(a.square()), theirs(a).square());
                assert_eq!(lazy(a.neg()), -theirs(a));
                assert_eq!(lazy(a.negated_if(true)), -theirs(a));
                assert_eq!(lazy(a.negated_if(false)), theirs(a));
                assert_eq!(a.is_zero(), bool::from(theirs(a).is_zero()));
                let integer = a.to_integer();
                assert!(is_below(integer, <$modulus>::P));
                assert_eq!(theirs(a), <$field>::from_raw(integer));
                assert_eq!(lazy(R::from_integer(integer)), theirs(a));
                assert_eq!(theirs(a.pow(&[5])), theirs(a).pow_vartime([5]));
                for &b in &all {
                    assert_eq!(lazy(a.mul(b)), theirs(a) * theirs(b));
                    assert_eq!(lazy(a.add(b)), theirs(a) + theirs(b));
                    assert_eq!(lazy(a.sub(b)), theirs(a) - theirs(b));
                    // Factors below 4p and below p, in either order.
                    let reduced = R::from_montgomery(b.canonical());
                    for wide in [a.add_unreduced(b), a.sub_unreduced(b)] {
                        assert_eq!(lazy(wide.mul(reduced)), theirs(wide.nearly_reduced()) * theirs(b));
                        assert_eq!(lazy(reduced.mul(wide)), theirs(wide.nearly_reduced()) * theirs(b));
                    }
                    assert_eq!(lazy(a.add_unreduced(b).nearly_reduced()), theirs(a) + theirs(b));
                    assert_eq!(lazy(a.sub_unreduced(b).nearly_reduced()), theirs(a) - theirs(b));
                }
            }
            // Integers up to 2^256 - 1.
            for integer in [[u64::MAX; 4], <$modulus>::P, two_p] {
                assert_eq!(lazy(R::from_integer(integer)), <$field>::from_raw(integer));
            }
            assert_eq!(<$field>::NUM_BITS, 254);
        }
    };
}
agrees_with_halo2curves!(coordinates_agree, CoordinateModulus, Fq, coordinate_of_residue);
agrees_with_halo2curves!(scalars_agree, ScalarModulus, Fr, scalar_of_residue);

#[test]
fn inverses_of_coordinates() {
    for a in residues_of::<CoordinateModulus>() {
        match Coordinate::inverse(a) {
            Some(inverse) => assert_eq!(coordinate_of_residue(a.mul(inverse)), Fq::ONE),
            None => assert!(a.is_zero()),
        }
    }
}

/// Points with their affine form, among them the identity, opposites, and one point in several forms.
fn points() -> Vec<Xyzz<CoordinateResidue>> {
    let generator = G1::generator();
    let affine: Vec<_> = [1, 1, 2, 3, 5, 1000]
        .iter()
        .flat_map(|&k| [generator * Fr::from(k), -(generator * Fr::from(k))])
        .chain([G1::identity()])
        .map(|point| affine_points(&[point.to_affine()])[0])
        .collect();
    let mut points: Vec<Xyzz<_>> = affine.iter().map(|&point| point.into()).collect();
    // Denominators other than 1.
    let double = points[0].double();
    points.extend([double, double.add(&points[0]), double.add_affine(&affine[1]), Xyzz::IDENTITY]);
    points
}

#[test]
fn sums_of_points_agree() {
    let points = points();
    let normal = Xyzz::normalize(&points);
    for (p, p_affine) in points.iter().zip(&normal) {
        let theirs = sum_of_xyzz(*p);
        let affine = [p_affine.x, p_affine.y].map(coordinate_of_residue);
        assert_eq!([theirs.to_affine().x, theirs.to_affine().y], affine);
        assert_eq!(sum_of_xyzz(p.double()), theirs.double());
        for (q, q_affine) in points.iter().zip(&normal) {
            let expected = theirs + sum_of_xyzz(*q);
            assert_eq!(sum_of_xyzz(p.add(q)), expected);
            assert_eq!(sum_of_xyzz(p.add_affine(q_affine)), expected);
            let negative = Affine { x: q_affine.x, y: q_affine.y.negated_if(true) };
            assert_eq!(sum_of_xyzz(p.add_affine(&negative)), theirs - sum_of_xyzz(*q));
        }
    }
    assert_eq!(sum_of_xyzz(Xyzz::IDENTITY), G1::identity());
}

#[test]
fn points_on_the_curve_are_known() {
    let mut points: Vec<_> = (0..5).map(|k| (G1::generator() * Fr::from(k)).to_affine()).collect();
    assert_eq!(check_on_curve(&points), Ok(()));
    points[4].y = points[4].x;
    assert_eq!(check_on_curve(&points), Err(Error::NotOnCurve { index: 4 }));
    // x = 0 has no point, and y = 0 neither.
    points[1] = G1Affine { x: Fq::ZERO, y: Fq::ONE };
    assert_eq!(check_on_curve(&points), Err(Error::NotOnCurve { index: 1 }));
}

#[test]
fn texts_of_scalars() {
    let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    assert_eq!(parse_scalar("0").unwrap(), Fr::from(0));
    assert_eq!(parse_scalar("0xff").unwrap(), Fr::from(255));
    let largest = format!("{}6", &r[..r.len() - 1]);
    assert_eq!(parse_scalar(&largest).unwrap(), -Fr::from(1));
    let hexadecimal = format!("0x{}", hex(ScalarResidue::to_integer(residues(&[-Fr::from(1)])[0])));
    assert_eq!(parse_scalar(&hexadecimal).unwrap(), -Fr::from(1));
    for text in ["", "0x", "-1", "+1", "1e5", "0xg", " 1", r, &"9".repeat(80), &"0".repeat(81), "0x1_0"] {
        assert_eq!(parse_scalar(text), Err(Error::BadScalar { found: text.into() }));
    }
}
