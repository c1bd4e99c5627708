//! Sums and products of single points, by formulas that hold for all of them.

use super::jacobian::{Form, Jacobian};
use crate::curve::Xyzz;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::Limbs;

/// A point as one computes with it: (X, Y, Z^2, Z^3).
fn single<T: LazyElement>(point: &Jacobian<T>, form: &Form<T>) -> Xyzz<T> {
    if point.is_identity() {
        return Xyzz::IDENTITY;
    }
    let [x, y, z] = [point.x, point.y, point.z].map(|coordinate| coordinate.mul(form.back));
    let zz = z.square();
    Xyzz { x, y, zz, zzz: zz.mul(z) }
}

/// The same as it stands beside vectors: over the square of Z.
fn beside<T: LazyElement>(point: Xyzz<T>, form: &Form<T>) -> Jacobian<T> {
    if point.is_identity() {
        return Jacobian::IDENTITY;
    }
    let Xyzz { x, y, zz, zzz } = point;
    let [x, y, z] = [x.mul(zz), y.mul(zzz), zz].map(|coordinate| coordinate.mul(form.into));
    Jacobian { x, y, z }
}

/// a + b and a - b.
pub(super) fn butterfly<T: LazyElement>(
    a: &Jacobian<T>,
    b: &Jacobian<T>,
    form: &Form<T>,
) -> [Jacobian<T>; 2] {
    match (a.is_identity(), b.is_identity()) {
        (_, true) => [*a; 2],
        (true, false) => [*b, b.negative()],
        (false, false) => {
            let a = single(a, form);
            [*b, b.negative()].map(|b| beside(a.add(&single(&b, form)), form))
        }
    }
}

/// k P, by doubling and adding.
pub(super) fn multiply<T: LazyElement>(point: &Jacobian<T>, k: Limbs, form: &Form<T>) -> Jacobian<T> {
    if point.is_identity() {
        return *point;
    }
    let point = single(point, form);
    let bits = (0..256).rev().map(|at: usize| k[at / 64] >> (at % 64) & 1);
    let product = bits.fold(Xyzz::IDENTITY, |sum: Xyzz<T>, bit| match bit {
        0 => sum.double(),
        _ => sum.double().add(&point),
    });
    beside(product, form)
}
