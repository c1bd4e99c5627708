//! Views of memory as elements and points, and the assertions that they rest on.

use std::mem::{align_of, offset_of, size_of, transmute};

use halo2curves::ff::Field;

use super::{CoordinateModulus, CoordinateResidue, Fq, Fr, G1, G1Affine, ScalarModulus, ScalarResidue};
use crate::curve::{Affine, Xyzz};
use crate::error::Error;
use crate::field::montgomery::{Limbs, Modulus, Residue, is_below, sub_limbs};

/// Whether two elements are the same, limb by limb.
const fn same(a: Limbs, b: Limbs) -> bool {
    a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3]
}

const _: () = {
    assert!(size_of::<Fr>() == 32 && align_of::<Fr>() == align_of::<u64>());
    assert!(size_of::<Fq>() == 32 && align_of::<Fq>() == align_of::<u64>());
    assert!(size_of::<G1Affine>() == 64 && align_of::<G1Affine>() == align_of::<u64>());
    assert!(offset_of!(G1Affine, x) == 0 && offset_of!(G1Affine, y) == 32);
    assert!(size_of::<G1>() == 96 && align_of::<G1>() == align_of::<u64>());
    assert!(offset_of!(G1, x) == 0 && offset_of!(G1, y) == 32 && offset_of!(G1, z) == 64);
    assert!(size_of::<ScalarResidue>() == 32 && align_of::<ScalarResidue>() == align_of::<u64>());
    assert!(size_of::<Affine<CoordinateResidue>>() == 64);
    assert!(offset_of!(Affine<CoordinateResidue>, x) == 0 && offset_of!(Affine<CoordinateResidue>, y) == 32);
    // SAFETY: 32 bytes of integers, by the assertions above; any bits are limbs.
    let ones = unsafe { (transmute::<Fr, Limbs>(Fr::ONE), transmute::<Fq, Limbs>(Fq::ONE)) };
    // 2^256 modulo the prime, lowest limb first: Montgomery form, with this R and in this order.
    assert!(
        same(ones.0, ScalarResidue::ONE.lazy_limbs()) && same(ones.1, CoordinateResidue::ONE.lazy_limbs())
    );
};

/// A slice of one type as a slice of another.
///
/// # Safety
/// Both types have the same size, alignment and meaning of bits, and all bits of the one are valid for the other.
unsafe fn cast<T, U>(slice: &[T]) -> &[U] {
    const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()) };
    // SAFETY: same size and alignment; the rest is the caller's promise.
    unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) }
}

/// The limbs of scalars, in Montgomery form, where they stand.
pub fn limbs(scalars: &[Fr]) -> &[Limbs] {
    // SAFETY: the layout asserted above; any bits are limbs.
    unsafe { cast(scalars) }
}

/// The limbs of scalars to write: what is left in them must be below r.
pub(crate) fn limbs_mut(scalars: &mut [Fr]) -> &mut [Limbs] {
    // SAFETY: as `limbs`, and the borrow is handed on.
    unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len()) }
}

/// The limbs of points, x before y, in Montgomery form, where they stand.
pub fn limbs_of_points(points: &[G1Affine]) -> &[[u64; 8]] {
    // SAFETY: the layout asserted above; any bits are limbs.
    unsafe { cast(points) }
}

/// Limbs in Montgomery form as scalars, where they stand.
///
/// [`Error::NotReduced`] with the index of the first that is r or above.
pub fn scalars(limbs: &[Limbs]) -> Result<&[Fr], Error> {
    match limbs.iter().position(|&limbs| !is_below(limbs, ScalarModulus::P)) {
        Some(index) => Err(not_reduced("scalar", index, limbs[index], ScalarModulus::P)),
        // SAFETY: the layout asserted above; all values are below the modulus.
        None => Ok(unsafe { cast(limbs) }),
    }
}

/// Limbs in Montgomery form as scalars to change, where they stand.
///
/// [`Error::NotReduced`] with the index of the first that is r or above.
pub fn scalars_mut(limbs: &mut [Limbs]) -> Result<&mut [Fr], Error> {
    scalars(limbs)?;
    // SAFETY: the layout asserted above; all values are below the modulus, and the borrow is handed on.
    Ok(unsafe { std::slice::from_raw_parts_mut(limbs.as_mut_ptr().cast(), limbs.len()) })
}

/// Limbs in Montgomery form, x before y, as affine points, where they stand. All zero is the identity.
///
/// [`Error::NotReduced`] with the index of the first point with a coordinate of q or above. Whether the points are on
/// the curve is not looked at; [`Engine::bases`](crate::Engine::bases) does where it is asked to.
pub fn points(limbs: &[[u64; 8]]) -> Result<&[G1Affine], Error> {
    for (index, point) in limbs.iter().enumerate() {
        for (what, coordinate) in ["x of point", "y of point"].into_iter().zip(halves(point)) {
            if !is_below(coordinate, CoordinateModulus::P) {
                return Err(not_reduced(what, index, coordinate, CoordinateModulus::P));
            }
        }
    }
    // SAFETY: the layout asserted above; all coordinates are below the modulus.
    Ok(unsafe { cast(limbs) })
}

/// The two coordinates of a point.
pub(super) fn halves(point: &[u64; 8]) -> [Limbs; 2] {
    let (x, y) = point.split_at(4);
    [x, y].map(|half| Limbs::try_from(half).expect("half of eight limbs"))
}

/// The error for limbs that are not below a modulus.
pub(super) fn not_reduced(what: &'static str, index: usize, value: Limbs, modulus: Limbs) -> Error {
    let [value, modulus] = [value, modulus].map(|limbs| format!("0x{}", super::hex(limbs)));
    Error::NotReduced { what, index, value, modulus }
}

/// Scalars to compute with.
pub(crate) fn residues(scalars: &[Fr]) -> &[ScalarResidue] {
    // SAFETY: the layout asserted above; values below r are below 2r.
    unsafe { cast(scalars) }
}

/// Scalars to compute with in place: what is left in them must be below r.
pub(crate) fn residues_mut(scalars: &mut [Fr]) -> &mut [ScalarResidue] {
    // SAFETY: as `residues`, and the borrow is handed on.
    unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len()) }
}

/// Points to compute with; the identity is all zero in both types.
pub(crate) fn affine_points(points: &[G1Affine]) -> &[Affine<CoordinateResidue>] {
    // SAFETY: the layouts asserted above; values below q are below 2q.
    unsafe { cast(points) }
}

/// A residue as a coordinate.
pub(super) fn coordinate_of_residue(residue: CoordinateResidue) -> Fq {
    // SAFETY: the layout asserted above; the canonical form is below the modulus.
    unsafe { transmute::<Limbs, Fq>(residue.canonical()) }
}

/// A coordinate as a residue.
pub(super) fn residue_of_coordinate(coordinate: Fq) -> CoordinateResidue {
    // SAFETY: the layout asserted above.
    Residue::from_montgomery(unsafe { transmute::<Fq, Limbs>(coordinate) })
}

/// A residue as a scalar.
pub(crate) fn scalar_of_residue(residue: ScalarResidue) -> Fr {
    // SAFETY: the layout asserted above; the canonical form is below the modulus.
    unsafe { transmute::<Limbs, Fr>(residue.canonical()) }
}

/// A sum in the projective form of halo2curves: x = X/ZZ and y = Y/ZZZ over the common denominator ZZ ZZZ.
pub(crate) fn sum_of_xyzz(sum: Xyzz<CoordinateResidue>) -> G1 {
    if sum.is_identity() {
        return G1 { x: Fq::ZERO, y: Fq::ONE, z: Fq::ZERO };
    }
    let of = coordinate_of_residue;
    G1 { x: of(sum.x.mul(sum.zzz)), y: of(sum.y.mul(sum.zz)), z: of(sum.zz.mul(sum.zzz)) }
}

/// The integer that is s or -s modulo r and at most r/2, and whether it is -s.
#[inline]
pub(crate) fn fold_canonical(scalar: ScalarResidue) -> (Limbs, bool) {
    let integer = scalar.to_integer();
    let negative = sub_limbs(ScalarModulus::P, integer).0;
    match is_below(negative, integer) {
        true => (negative, true),
        false => (integer, false),
    }
}
