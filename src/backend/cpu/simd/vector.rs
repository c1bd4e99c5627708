//! Vector types, by tables of their operations.

/// Makes the type of a level's vectors, whose elements are those of an array, and implements traits for it.
///
/// In the table of a trait an operation is `name(a, b) = expression`: a and b are vectors, in the expression those of the hardware, and
/// so is its value where no other type is named, as in `name(a, b) -> u8 = expression`. Arguments of other types stand behind a semicolon,
/// or alone where no argument is a vector. The expression is compiled for the features that the head names, of whose intrinsics most are
/// safe to call there. What a table cannot express stands in braces `with` it.
macro_rules! vector {
    (
        $(#[$doc:meta])*
        $vector:ident($hardware:ty) of [$element:ty; $width:literal], $features:tt;
        $(impl $trait:ident {
            $(
                $name:ident $(<$number:ident: $type:ty>)? ($($arguments:tt)*) $(-> $result:ty)? = $value:expr;
            )*
        } $(with { $($rest:tt)* })?)+
    ) => {
        $(#[$doc])*
        ///
        /// Values are made only where [`Vectors::enter`](crate::backend::cpu::simd::Vectors::enter) may be called.
        #[derive(Clone, Copy)]
        pub(in crate::backend::cpu) struct $vector($hardware);

        const _: () = assert!(size_of::<$vector>() == size_of::<[$element; $width]>());
        const _: () = assert!($width <= super::MAX_WIDTH);

        impl $crate::backend::cpu::simd::Vectors for $vector {
            type Level = $crate::backend::cpu::simd::level::$vector;
            const WIDTH: usize = $width;
        }

        // SAFETY: of the size of the elements, as asserted, and made of numbers alone, as they are.
        unsafe impl $crate::backend::cpu::simd::Elements for $vector {
            type Element = $element;
        }

        $(impl $trait for $vector {
            $($($rest)*)?
            $($crate::backend::cpu::simd::operation! {
                $features $hardware, $name [$(const $number: $type)?] [$($number)?] ($($arguments)*)
                [$(-> $result)?] $value
            })*
        })+
    };
}
pub(in crate::backend::cpu) use vector;

/// A method of a vector, or an associated function, of an entry of a table of [`vector`].
macro_rules! operation {
    ($features:tt $hardware:ty, $name:ident $generics:tt $numbers:tt $arguments:tt [] $value:expr) => {
        $crate::backend::cpu::simd::operation! {
            $features $hardware, $name $generics $numbers $arguments [-> Self, $hardware, Self] $value
        }
    };
    ($features:tt $hardware:ty, $name:ident $generics:tt $numbers:tt $arguments:tt [-> $type:ty] $value:expr) => {
        $crate::backend::cpu::simd::operation! {
            $features $hardware, $name $generics $numbers $arguments [-> $type, $type,] $value
        }
    };
    (
        [$($features:tt)?] $hardware:ty, $name:ident [$($generics:tt)*] [$($number:ident)?]
        ($first:ident $(, $vector:ident)* $(; $($argument:ident: $type:ty),+)?)
        [-> $result:ty, $inner:ty, $($wrap:ident)?] $value:expr
    ) => {
        #[inline(always)]
        #[allow(unused_unsafe)]
        fn $name<$($generics)*>(self $(, $vector: Self)* $($(, $argument: $type)+)?) -> $result {
            #[inline]
            $(#[target_feature(enable = $features)])?
            fn operation<$($generics)*>(
                $first: $hardware $(, $vector: $hardware)* $($(, $argument: $type)+)?
            ) -> $inner {
                $value
            }
            // SAFETY: vectors are entered only where the processor has their instructions: see `Vectors::enter`.
            $($wrap)?(unsafe { operation$(::<$number>)?(self.0 $(, $vector.0)* $($(, $argument)+)?) })
        }
    };
    (
        [$($features:tt)?] $hardware:ty, $name:ident [] [] ($($argument:ident: $type:ty),*)
        [-> $result:ty, $inner:ty, $($wrap:ident)?] $value:expr
    ) => {
        #[inline(always)]
        #[allow(unused_unsafe)]
        fn $name($($argument: $type),*) -> $result {
            #[inline]
            $(#[target_feature(enable = $features)])?
            fn operation($($argument: $type),*) -> $inner {
                $value
            }
            // SAFETY: as above.
            $($wrap)?(unsafe { operation($($argument),*) })
        }
    };
}
pub(in crate::backend::cpu) use operation;
