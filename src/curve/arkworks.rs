//! Slices of arkworks' types as those here: what is the same for every curve that both have.
//!
//! Nothing is copied: scalars are the same limbs in the same Montgomery form, and so are affine points, for the curves of arkworks
//! 0.6 keep no flag besides x and y and have the same all-zero identity. (arkworks 0.5 has a flag; its points would have to be copied.) Only the projective form of
//! results differs: arkworks' is Jacobian, x = X/Z^2 and y = Y/Z^3, that here homogeneous, so a result is converted, by three products.
//!
//! All of it is asserted when the crate is compiled.

/// Whether both types have one size, alignment and 1.
macro_rules! same_elements {
    ($theirs:ty, $ours:ty) => {{
        use std::mem::{align_of, size_of, transmute};
        type Words = [u64; size_of::<$ours>() / size_of::<u64>()];
        assert!(size_of::<$theirs>() == size_of::<$ours>() && align_of::<$theirs>() == align_of::<$ours>());
        // SAFETY: as many bytes of integers, by the assertion above; any bits are limbs.
        let (theirs, ours) = unsafe {
            (
                transmute::<$theirs, Words>(<$theirs as ark_ff::Field>::ONE),
                transmute::<$ours, Words>(<$ours as halo2curves::ff::Field>::ONE),
            )
        };
        let mut i = 0;
        while i < ours.len() {
            assert!(theirs[i] == ours[i]);
            i += 1;
        }
    }};
}
pub(crate) use same_elements;

/// `scalars` and `scalars_mut`, between two types of scalars.
macro_rules! scalars {
    ($theirs:ty, $ours:ty) => {
        const _: () = $crate::curve::arkworks::same_elements!($theirs, $ours);

        /// Scalars, in place.
        pub fn scalars(scalars: &[$theirs]) -> &[$ours] {
            // SAFETY: the same layout and Montgomery form, by the assertions above; both are always reduced.
            unsafe { std::slice::from_raw_parts(scalars.as_ptr().cast(), scalars.len()) }
        }

        /// Scalars in place, mutably.
        pub fn scalars_mut(scalars: &mut [$theirs]) -> &mut [$ours] {
            // SAFETY: as `scalars`, and the borrow is handed on.
            unsafe { std::slice::from_raw_parts_mut(scalars.as_mut_ptr().cast(), scalars.len()) }
        }
    };
}
pub(crate) use scalars;

/// Functions of these names between types of points and of sums.
macro_rules! points {
    ($points:ident, $projective:ident: $theirs:ty, $their_sum:ty, $their_base:ty, $ours:ty) => {
        const _: () = {
            use std::mem::{align_of, offset_of, size_of, transmute};
            type Ours = <$ours as $crate::curve::Curve>::Base;
            $crate::curve::arkworks::same_elements!($their_base, Ours);
            assert!(
                size_of::<$theirs>() == size_of::<$ours>() && align_of::<$theirs>() == align_of::<$ours>()
            );
            assert!(offset_of!($theirs, x) == 0 && offset_of!($theirs, y) == size_of::<Ours>());
            type Words = [u64; size_of::<$ours>() / size_of::<u64>()];
            // SAFETY: as many bytes of integers, by the assertions above; any bits are limbs.
            let identity = unsafe { transmute::<$theirs, Words>(<$theirs>::identity()) };
            let mut i = 0;
            while i < identity.len() {
                assert!(identity[i] == 0);
                i += 1;
            }
        };

        /// Affine points, in place.
        pub fn $points(points: &[$theirs]) -> &[$ours] {
            // SAFETY: the same layout and identity, by the assertions above; coordinates are always reduced.
            unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
        }

        /// A result in the Jacobian form of arkworks.
        pub fn $projective(sum: &<$ours as $crate::curve::Curve>::Projective) -> $their_sum {
            type Ours = <$ours as $crate::curve::Curve>::Base;
            type Theirs = $their_base;
            // SAFETY: the same layout and Montgomery form, by the assertions above.
            let of = |x: Ours| unsafe { std::mem::transmute::<Ours, Theirs>(x) };
            let (x, y, z) = (of(sum.x), of(sum.y), of(sum.z));
            match z == <Theirs as ark_ff::AdditiveGroup>::ZERO {
                true => <$their_sum as ark_ff::AdditiveGroup>::ZERO,
                false => <$their_sum>::new_unchecked(x * z, y * z * z, z),
            }
        }
    };
}
pub(crate) use points;
