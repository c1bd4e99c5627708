//! The formulas of points, and their views, against halo2curves, for every curve.

use halo2curves::CurveAffine;
use halo2curves::ff::Field;
use halo2curves::group::{Curve as _, Group};

use super::*;
use crate::error::Error;
use crate::field::montgomery::Residue;

/// Points with their affine form, among them the identity, opposites, and one point in several forms.
fn points<C: Curve>() -> Vec<Xyzz<Residue<C::Base>>> {
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

fn points_on_the_curve_are_known<C: Curve>() {
    let generator = C::Projective::generator();
    let mut points: Vec<C> = (0..5).map(|k| (generator * C::Scalar::from(k)).to_affine()).collect();
    assert_eq!(check_on_curve(&points), Ok(()));
    let [x, _] = limbs_of_points(&points)[4];
    points[4] = super::points::<C>(&[[x, x]]).unwrap()[0];
    assert_eq!(check_on_curve(&points), Err(Error::NotOnCurve { index: 4 }));
    // Of the points with x = 0 no curve has the one with y = 1.
    points[1] = super::points::<C>(&[[[0; 4], Residue::<C::Base>::ONE.canonical()]]).unwrap()[0];
    assert_eq!(check_on_curve(&points), Err(Error::NotOnCurve { index: 1 }));
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
        fn every_curve_has_no_linear_term() {
            $(assert_eq!(<$curve as CurveAffine>::a(), <$curve as Curve>::Base::ZERO, $name);)*
        }
    };
}
crate::for_every_curve!(curves);
