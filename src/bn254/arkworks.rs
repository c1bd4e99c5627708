//! Slices of arkworks' BN254 types, version 0.6, as those of halo2curves, and results in the other direction.
//!
//! Nothing is copied: scalars are the same limbs in the same Montgomery form, and so are affine points, for `ark-bn254`
//! 0.6 keeps no flag besides x and y and has the same all-zero identity. (arkworks 0.5 has a flag; its points are 72
//! bytes and would have to be copied.) Only the projective form of results differs: arkworks' is Jacobian, x = X/Z^2 and
//! y = Y/Z^3, that of halo2curves homogeneous, so a result is converted, by three products.
//!
//! All of it is asserted when the crate is compiled.

use std::mem::{align_of, offset_of, size_of, transmute};

use ark_ff::{AdditiveGroup, Field};

use super::{Fq, Fr, G1, G1Affine};
use crate::field::montgomery::Limbs;

const _: () = {
    assert!(size_of::<ark_bn254::Fr>() == size_of::<Fr>() && align_of::<ark_bn254::Fr>() == align_of::<Fr>());
    assert!(size_of::<ark_bn254::Fq>() == size_of::<Fq>() && align_of::<ark_bn254::Fq>() == align_of::<Fq>());
    assert!(size_of::<ark_bn254::G1Affine>() == size_of::<G1Affine>());
    assert!(align_of::<ark_bn254::G1Affine>() == align_of::<G1Affine>());
    assert!(offset_of!(ark_bn254::G1Affine, x) == 0 && offset_of!(ark_bn254::G1Affine, y) == 32);
    assert!(offset_of!(ark_bn254::Fr, 0) == 0 && offset_of!(ark_bn254::Fq, 0) == 0);
    // SAFETY: 64 and 32 bytes of integers, by the assertions above; any bits are limbs.
    let (identity, one, theirs) = unsafe {
        (
            transmute::<ark_bn254::G1Affine, [Limbs; 2]>(ark_bn254::G1Affine::identity()),
            transmute::<ark_bn254::Fr, Limbs>(<ark_bn254::Fr as Field>::ONE),
            transmute::<Fr, Limbs>(<Fr as halo2curves::ff::Field>::ONE),
        )
    };
    let mut i = 0;
    while i < 4 {
        assert!(identity[0][i] == 0 && identity[1][i] == 0 && one[i] == theirs[i]);
        i += 1;
    }
};

/// Scalars, in place.
pub fn scalars(scalars: &[ark_bn254::Fr]) -> &[Fr] {
    // SAFETY: the same layout and Montgomery form, by the assertions above; both are always reduced.
    unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), scalars.len()) }
}

/// Scalars in place, mutably.
pub fn scalars_mut(scalars: &mut [ark_bn254::Fr]) -> &mut [Fr] {
    // SAFETY: as `scalars`, and the borrow is handed on.
    unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len()) }
}

/// Affine points, in place.
pub fn points(points: &[ark_bn254::G1Affine]) -> &[G1Affine] {
    // SAFETY: the same layout and identity, by the assertions above; coordinates are always reduced.
    unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
}

/// A result in the Jacobian form of arkworks.
pub fn projective(sum: &G1) -> ark_bn254::G1Projective {
    // SAFETY: the same layout and Montgomery form, by the assertions above.
    let of = |x: Fq| unsafe { transmute::<Fq, ark_bn254::Fq>(x) };
    let (x, y, z) = (of(sum.x), of(sum.y), of(sum.z));
    match z == ark_bn254::Fq::ZERO {
        true => ark_bn254::G1Projective::ZERO,
        false => ark_bn254::G1Projective::new_unchecked(x * z, y * z * z, z),
    }
}
