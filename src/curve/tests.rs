//! The formulas of points, and their views, against halo2curves, for every curve.

use bytemuck::Zeroable;
use halo2curves::ff::Field;
use halo2curves::group::{Curve as _, Group};

use super::samples::{some_points, times_order};
use super::*;
use crate::error::Error;
use crate::field::coordinates::{LazyElement, coefficients};
use crate::field::integer::Integer;
use crate::field::montgomery::Modulus;
use crate::field::{CoefficientLimbs, elements_of_limbs, limbs_of};

/// Points with their affine form, among them the identity, opposites, and one point in several forms.
fn points<C: Curve>() -> Vec<Xyzz<Coordinate<C>>> {
    let generator = C::Projective::generator();
    let affine: Vec<_> = [1, 1, 2, 3, 5, 1000]
        .iter()
        .flat_map(|&k| [generator * C::Scalar::from(k), -(generator * C::Scalar::from(k))])
        .chain([C::Projective::identity()])
        .map(|point| affine_points(&[point.to_affine()])[0])
        .collect();
    let mut points: Vec<Xyzz<_>> = affine.iter().map(|&point| point.into()).collect();
    // Denominators other than 1.
    let double = points[0].double();
    points.extend([double, double.add(&points[0]), double.add_affine(&affine[1]), Xyzz::IDENTITY]);
    points
}

fn sums_of_points_agree<C: Curve>() {
    let points = points::<C>();
    let normal = Xyzz::normalize(&points);
    for (p, p_affine) in points.iter().zip(&normal) {
        let theirs = projective::<C>(*p);
        let affine = affine_points(&[theirs.to_affine()])[0];
        assert_eq!([affine.x.element(), affine.y.element()], [p_affine.x.element(), p_affine.y.element()]);
        assert_eq!(projective::<C>(p.double()), theirs.double());
        for (q, q_affine) in points.iter().zip(&normal) {
            let expected = theirs + projective::<C>(*q);
            assert_eq!(projective::<C>(p.add(q)), expected);
            assert_eq!(projective::<C>(p.add_affine(q_affine)), expected);
            let negative = Affine { x: q_affine.x, y: q_affine.y.negated_if(true) };
            assert_eq!(projective::<C>(p.add_affine(&negative)), theirs - projective::<C>(*q));
        }
    }
    assert_eq!(projective::<C>(Xyzz::IDENTITY), C::Projective::identity());
}

/// Multiples of the generator satisfy y^2 = x^3 + b: no curve has a linear term.
fn points_on_the_curve_are_known<C: Curve>() {
    let generator = C::Projective::generator();
    let mut points: Vec<C> = (0..5).map(|k| (generator * C::Scalar::from(k)).to_affine()).collect();
    assert_eq!(check_points(&points), Ok(()));
    let [x, _] = limbs_of_points(&points)[4];
    points[4] = super::points::<C>(&[[x, x]]).unwrap()[0];
    assert_eq!(check_points(&points), Err(Error::NotOnCurve { index: 4 }));
    // Of the points with x = 0 a curve has not both of those with y = 1 and y = 2.
    let mut ys = [C::Base::ONE, C::Base::ONE.double()].into_iter();
    let y = ys.find(|y| y.square() != C::b()).expect("one of both");
    points[1] = C::from_affine([C::Base::ZERO, y]);
    assert_eq!(check_points(&points), Err(Error::NotOnCurve { index: 1 }));
}

fn points_of_the_subgroup_are_known<C: Curve>() {
    let mut points = some_points::<C>();
    let outside = points.iter().filter(|point| !bool::from(times_order(*point).is_identity())).count();
    for (index, point) in points.iter().enumerate() {
        let is_inside = bool::from(times_order(point).is_identity());
        assert_eq!(point.is_in_subgroup(), is_inside, "{}: {point:?}", C::NAME);
        let expected = if is_inside { Ok(()) } else { Err(Error::NotInSubgroup { index: 0 }) };
        assert_eq!(check_points(&[*point]), expected, "{}, {index}", C::NAME);
    }
    assert_eq!(outside > 0, !C::COFACTOR_IS_ONE, "{}: {outside} of 20 points are outside", C::NAME);
    // Among points of the group the index is that of the first outside.
    let generator = C::Projective::generator();
    if outside > 0 {
        let alien = points[0];
        points = (0..9).map(|k| (generator * C::Scalar::from(k)).to_affine()).collect();
        assert_eq!(check_points(&points), Ok(()));
        points[7] = alien;
        assert_eq!(check_points(&points), Err(Error::NotInSubgroup { index: 7 }));
    }
}

fn integers_stand_for_scalars<C: Curve>() {
    let one = C::Scalar::ONE;
    let scalars = [C::Scalar::ZERO, one, -one, one.double().invert().unwrap()];
    let integers = integers_of_scalars(&scalars).unwrap();
    let [zero, unit] = [0, 1].map(Integer::of_word);
    assert_eq!(integers[..3], [zero, unit, C::Scalar::P.minus(unit).0]);
    assert_eq!(scalars_of_integers(&integers).as_deref(), Ok(&scalars[..]));
    let refused = scalars_of_integers::<C::Scalar>(&[zero, C::Scalar::P]);
    assert!(matches!(refused, Err(Error::NotReduced { what: "scalar", index: 1, .. })), "{refused:?}");
}

fn integers_stand_for_coordinates<C: Curve>() {
    let generator = C::Projective::generator();
    let points: Vec<C> = (0..3).map(|k| (generator * C::Scalar::from(k)).to_affine()).collect();
    let of_point = |point: &C| coordinates(&C::Projective::from(*point));
    assert_eq!(of_point(&points[0]), None);
    let integers: Vec<_> = points.iter().map(|p| of_point(p).unwrap_or(Zeroable::zeroed())).collect();
    assert_eq!(points_of_integers::<C>(&integers).as_deref(), Ok(&points[..]));
    let [x, y] = limbs_of_points(&points)[2];
    let coordinates = elements_of_limbs::<C::Base>(&[x, y], "coordinate").unwrap().to_vec();
    assert_eq!(limbs_of(&coordinates), [x, y]);
    // Whichever coefficient is the modulus itself, as an integer or as limbs in Montgomery form.
    for (place, what) in ["x of point", "y of point"].into_iter().enumerate() {
        for coefficient in 0..coefficients::<C::Base>(&x).len() {
            let mut bad = integers.clone();
            let coefficients: &mut [CoefficientLimbs<C::Base>] =
                bytemuck::cast_slice_mut(&mut bad[2][place..][..1]);
            coefficients[coefficient] = <C::Base as CoordinateField>::Prime::P;
            let is_named =
                |error| matches!(error, Error::NotReduced { what: found, index: 2, .. } if found == what);
            assert!(points_of_integers::<C>(&bad).is_err_and(is_named), "{what}, {coefficient}");
            assert!(super::points::<C>(&bad).is_err_and(is_named), "{what}, {coefficient}");
            let coordinates = [x, bad[2][place]];
            let refused = elements_of_limbs::<C::Base>(&coordinates, "coordinate");
            assert!(matches!(refused, Err(Error::NotReduced { what: "coordinate", index: 1, .. })));
        }
    }
}

macro_rules! curves {
    ($($curve:path, $name:literal;)*) => {
        #[test]
        fn sums_of_points_of_every_curve() {
            $(sums_of_points_agree::<$curve>();)*
        }

        #[test]
        fn every_curve_knows_its_points() {
            $(points_on_the_curve_are_known::<$curve>();)*
        }

        #[test]
        fn every_curve_knows_its_subgroup() {
            $(points_of_the_subgroup_are_known::<$curve>();)*
        }

        #[test]
        fn integers_of_every_curve() {
            $(
                integers_stand_for_scalars::<$curve>();
                integers_stand_for_coordinates::<$curve>();
            )*
        }
    };
}
crate::for_every_curve!(curves);
