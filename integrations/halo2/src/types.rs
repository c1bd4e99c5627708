//! A fork's types as those of zkaccel.
//!
//! zkaccel has the elements of curves from halo2curves 0.10, a fork of halo2 from another version or another crate. To the compiler these are
//! different types. Their memory is the same: four limbs, lowest first, in Montgomery form with R = 2^256; x before y, all zero for the
//! identity. [`bn254!`](crate::bn254) asserts when it is compiled what can be asserted then: sizes, alignments, where coordinates lie,
//! and the limbs of one, by which a number form is known.
//!
//! Sums go back as affine points with Z = 1, which means the same in homogeneous and in Jacobian coordinates, so that nothing rests on which a fork
//! has; the identity is (0, 1, 0).

use std::any::TypeId;
use std::mem::{align_of, size_of, transmute_copy};

use ff::Field;
use zkaccel::bn254::{Fq, Fr, G1Affine};
use zkaccel::curve::{Curve, affine, limbs_of_points};
use zkaccel::field::{MontgomeryField, limbs_of};

use crate::sums::Summed;

/// The types of a curve in a version or fork of halo2curves.
///
/// # Safety
/// The types have the memory that the documentation of [`zkaccel::curve`] shows for the library's curve, with coordinates of four limbs in any projective form in which Z = 1 is an affine
/// point and (0, 1, 0) the identity; and any reduced limbs are elements.
pub unsafe trait CurveTypes: 'static {
    /// The curve as the library has it.
    type Own: Summed;
    /// Scalars.
    type Scalar: Copy + Send + Sync + 'static;
    /// Affine points.
    type Affine: Copy + Send + Sync + 'static;
    /// Points in a projective form.
    type Projective: Copy + Send + Sync + 'static;
}

/// The types of BN254's G1. [`bn254!`](crate::bn254) makes one that has them.
pub trait Bn254: CurveTypes<Own = G1Affine> {}

impl<C: CurveTypes<Own = G1Affine>> Bn254 for C {}

/// The library's scalars of a fork's curve.
pub(crate) type Own<C> = <<C as CurveTypes>::Own as Curve>::Scalar;

/// Makes a type that says which types are BN254 in a crate: `bn254!(pub Zkaccel = crate::bn256);`
///
/// The module must have `Fr`, `Fq`, `G1Affine` with fields `x` and `y`, and `G1` with `x`, `y` and `z`, whose memory is that of halo2curves
/// 0.10; others do not compile.
#[macro_export]
macro_rules! bn254 {
    ($visibility:vis $name:ident = $($module:ident)::+) => {
        /// BN254 as this crate has it, for zkaccel.
        #[derive(Clone, Copy, Debug)]
        $visibility struct $name;

        $crate::bn254_for!($name = $($module)::+);
    };
}

/// Implements [`CurveTypes`] for a type.
#[doc(hidden)]
#[macro_export]
macro_rules! bn254_for {
    ($name:ident = $($module:ident)::+) => {
        #[allow(unsafe_code)]
        const _: () = {
            use ::core::mem::{align_of, offset_of, size_of};
            use $crate::{ff::Field, types::{COORDINATE_ONE, SCALAR_ONE, limbs_are}};
            use $($module)::+ as bn256;

            assert!(size_of::<bn256::Fr>() == 32 && align_of::<bn256::Fr>() == 8);
            assert!(size_of::<bn256::Fq>() == 32 && align_of::<bn256::Fq>() == 8);
            assert!(size_of::<bn256::G1Affine>() == 64 && align_of::<bn256::G1Affine>() == 8);
            assert!(offset_of!(bn256::G1Affine, x) == 0 && offset_of!(bn256::G1Affine, y) == 32);
            assert!(size_of::<bn256::G1>() == 96 && align_of::<bn256::G1>() == 8);
            assert!(offset_of!(bn256::G1, x) == 0 && offset_of!(bn256::G1, y) == 32);
            assert!(offset_of!(bn256::G1, z) == 64);
            // SAFETY: 32 bytes at the alignment of limbs, by the assertions above.
            unsafe {
                assert!(limbs_are(&<bn256::Fr as Field>::ONE, SCALAR_ONE));
                assert!(limbs_are(&<bn256::Fq as Field>::ONE, COORDINATE_ONE));
            }

            // SAFETY: the assertions above.
            unsafe impl $crate::CurveTypes for $name {
                type Own = $crate::zkaccel::bn254::G1Affine;
                type Scalar = bn256::Fr;
                type Affine = bn256::G1Affine;
                type Projective = bn256::G1;
            }
        };
    };
}

/// The limbs of an element.
pub type Limbs = [u64; 4];

// The library asserts the layout of its own types.
const _: () = assert!(align_of::<u64>() == 8);

/// The limbs of a field's 1.
pub const fn one<F: MontgomeryField>() -> Limbs {
    const { assert!(size_of::<F>() == size_of::<Limbs>()) };
    // SAFETY: 32 bytes of integers, as the library asserts of every field; any bits are limbs.
    unsafe { transmute_copy::<F, Limbs>(&F::ONE) }
}

/// The limbs of the scalar 1 of BN254.
pub const SCALAR_ONE: Limbs = one::<Fr>();

/// The limbs of the coordinate 1 of BN254.
pub const COORDINATE_ONE: Limbs = one::<Fq>();

/// Whether an element has these limbs.
///
/// # Safety
/// The element is 32 bytes without padding, at the alignment of limbs.
pub const unsafe fn limbs_are<T>(element: &T, limbs: Limbs) -> bool {
    // SAFETY: the caller's promise; any bits are limbs.
    let found = unsafe { *std::ptr::from_ref(element).cast::<Limbs>() };
    found[0] == limbs[0] && found[1] == limbs[1] && found[2] == limbs[2] && found[3] == limbs[3]
}

/// Whether two types are one.
fn same<T: 'static, U: 'static>() -> bool {
    TypeId::of::<T>() == TypeId::of::<U>()
}

/// The caller's scalars where they stand; `None` unless they are the curve's.
pub(crate) fn scalars<C: CurveTypes, T: 'static>(scalars: &[T]) -> Option<&[Own<C>]> {
    // SAFETY: one type, whose memory is that of the library's scalars by the promise of `CurveTypes`; elements are always reduced.
    same::<T, C::Scalar>()
        .then(|| unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), scalars.len()) })
}

/// The same to change.
pub(crate) fn scalars_mut<C: CurveTypes, T: 'static>(scalars: &mut [T]) -> Option<&mut [Own<C>]> {
    let (first, len) = (scalars.as_mut_ptr().cast(), scalars.len());
    // SAFETY: as above, and the borrow is handed on.
    same::<T, C::Scalar>().then(|| unsafe { std::slice::from_raw_parts_mut(first, len) })
}

/// One scalar.
pub(crate) fn scalar<C: CurveTypes, T: 'static>(scalar: &T) -> Option<Own<C>> {
    scalars::<C, T>(std::slice::from_ref(scalar)).map(|scalars| scalars[0])
}

/// A scalar of a fork's as the library's.
pub fn own_scalar<C: Bn254>(scalar: &C::Scalar) -> Fr {
    scalars::<C, C::Scalar>(std::slice::from_ref(scalar)).expect("the fork's scalars")[0]
}

/// The caller's points where they stand; `None` unless they are the curve's.
pub(crate) fn points<C: CurveTypes, T: 'static>(points: &[T]) -> Option<&[C::Own]> {
    // SAFETY: as `scalars`.
    same::<T, C::Affine>()
        .then(|| unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) })
}

/// Whether the caller wants sums in the curve's projective form.
pub(crate) fn takes_sums<C: CurveTypes, T: 'static>() -> bool {
    same::<T, C::Projective>()
}

/// A sum in the caller's projective form, which [`takes_sums`] must have told.
pub(crate) fn sum<C: CurveTypes, T: 'static>(sum: &<C::Own as Curve>::Projective) -> T {
    const { assert!(size_of::<<C::Own as Curve>::Base>() == size_of::<Limbs>()) };
    assert!(takes_sums::<C, T>() && size_of::<T>() == size_of::<[Limbs; 3]>());
    let point = affine(std::slice::from_ref(sum))[0];
    let one = [<<C::Own as Curve>::Base as Field>::ONE];
    let identity = point == C::Own::default();
    let [x, y] = limbs_of_points(std::slice::from_ref(&point))[0];
    let one = limbs_of(&one)[0];
    // SAFETY: four limbs of integers each, by the assertion above.
    let [x, y, one]: [Limbs; 3] = unsafe { [transmute_copy(&x), transmute_copy(&y), transmute_copy(&one)] };
    let coordinates: [Limbs; 3] = match identity {
        true => [[0; 4], one, [0; 4]],
        false => [x, y, one],
    };
    // SAFETY: one type, x, y and z one after another by the promise of `CurveTypes`; coordinates are reduced.
    unsafe { transmute_copy::<[Limbs; 3], T>(&coordinates) }
}

/// A scalar as the caller's.
#[cfg(feature = "prove")]
pub(crate) fn scalar_of<C: Bn254>(scalar: &Fr) -> C::Scalar {
    // SAFETY: 32 bytes each, by the promise of `CurveTypes`; the library's elements are always reduced.
    unsafe { transmute_copy::<Fr, C::Scalar>(scalar) }
}
