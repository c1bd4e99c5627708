//! The operators of types that are written here, from functions of two values.

/// `a + b`, `a + &b`, `a += b` and `a += &b`, and the same of other operators, of a type with generic parameters and a type of right-hand sides, each from a function of both values.
macro_rules! operators {
    ($generics:tt $type:ty, $rhs:ty, $bounds:tt $($Op:ident $op:ident $OpAssign:ident $op_assign:ident: $function:expr;)*) => {
        $($crate::field::operators::operator!($generics $type, $rhs, $bounds $Op $op $OpAssign $op_assign: $function);)*
    };
}
pub(crate) use operators;

/// One of them.
macro_rules! operator {
    ([$($generics:tt)*] $type:ty, $rhs:ty, [$($bounds:tt)*] $Op:ident $op:ident $OpAssign:ident $op_assign:ident: $function:expr) => {
        impl<$($generics)*> std::ops::$Op<$rhs> for $type where $($bounds)* {
            type Output = Self;
            #[inline]
            fn $op(self, rhs: $rhs) -> Self {
                $function(self, rhs)
            }
        }

        impl<$($generics)*> std::ops::$Op<&$rhs> for $type where $($bounds)* {
            type Output = Self;
            #[inline]
            fn $op(self, rhs: &$rhs) -> Self {
                $function(self, *rhs)
            }
        }

        impl<$($generics)*> std::ops::$OpAssign<$rhs> for $type where $($bounds)* {
            #[inline]
            fn $op_assign(&mut self, rhs: $rhs) {
                *self = $function(*self, rhs);
            }
        }

        impl<$($generics)*> std::ops::$OpAssign<&$rhs> for $type where $($bounds)* {
            #[inline]
            fn $op_assign(&mut self, rhs: &$rhs) {
                *self = $function(*self, *rhs);
            }
        }
    };
}
pub(crate) use operator;
