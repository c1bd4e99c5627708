//! Prime fields in Montgomery form whose elements are halo2curves' types, or for want of these our own, and their layout in memory.
//!
//! An element is four little-endian 64-bit limbs, lowest first: x 2^256 modulo the prime, below the prime. None of halo2curves'
//! types is `repr(C)`, so that is asserted for each field in the list when the crate is compiled, and a version with another
//! layout does not compile. Slices of limbs become slices of elements without a copy, checked.
//!
//! Primes of more than 255 bits have six limbs, and R = 2^384, or twelve, and R = 2^768. They are those of coordinates of curves: their fields are in a list of their own, [`for_every_wide_prime_field`](crate::for_every_wide_prime_field). One may be that of
//! the scalars of another curve too: then it is in [`for_every_wide_scalar_field`](crate::for_every_wide_scalar_field) as well.
//!
//! The element type itself stands for the prime in the arithmetic of [`montgomery`](super::montgomery): a [`Residue<F>`]
//! is an element of F in computations, a value below 2p, or below p where the prime leaves no room for that.

#[cfg(test)]
mod tests;

use std::mem::{ManuallyDrop, align_of, size_of};

use halo2curves::ff;

use super::TwoAdic;
use super::coordinates::LazyElement;
use super::integer::{Integer, hexadecimal, parse_hexadecimal};
use super::montgomery::{Constants, Limbs, Modulus, Residue};
use crate::error::Error;
use crate::memory;
use crate::ntt::Domain;

/// The one list of prime fields in Montgomery form: calls a macro with type and name for each.
///
/// To add a field, add a line. Names are never reused.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_prime_field {
    ($then:ident) => {
        $then! {
            $crate::bn254::Fr, "bn254-fr";
            $crate::bn254::Fq, "bn254-fq";
            $crate::pasta::Fp, "pasta-fp";
            $crate::pasta::Fq, "pasta-fq";
            $crate::bls12_381::Fr, "bls12-381-fr";
            $crate::bls12_377::Fr, "bls12-377-fr";
        }
    };
}

/// The one list of prime fields of more than four limbs, of which coordinates of curves are: calls a macro with type, name and number of limbs for each.
///
/// To add a field, add a line. Names are never reused.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_wide_prime_field {
    ($then:ident) => {
        $then! {
            $crate::bls12_381::Fq, "bls12-381-fq", 6;
            $crate::bls12_377::Fq, "bls12-377-fq", 6;
            $crate::bw6_761::Fq, "bw6-761-fq", 12;
        }
    };
}

/// Those of the [list of larger fields](for_every_wide_prime_field) of which scalars of curves are too: calls a macro with type and name for each.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_wide_scalar_field {
    ($then:ident) => {
        $then! {
            $crate::bls12_377::Fq, "bls12-377-fq";
        }
    };
}

/// Those of the [list](for_every_prime_field) that have transforms, whose multiplicative group has large subgroups of two-power order.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_two_adic_field {
    ($then:ident) => {
        $then! {
            $crate::bn254::Fr, "bn254-fr";
            $crate::pasta::Fp, "pasta-fp";
            $crate::pasta::Fq, "pasta-fq";
            $crate::bls12_381::Fr, "bls12-381-fr";
            $crate::bls12_377::Fr, "bls12-377-fr";
        }
    };
}

/// A prime field whose elements are in Montgomery form, of any number of limbs. Implemented for the fields of the crate's lists alone.
pub trait CoordinatePrime: Modulus + ff::PrimeField {}

/// A prime field of which scalars of curves are, of any number of limbs. Implemented for the fields of the crate's lists alone.
pub trait ScalarField: CoordinatePrime {
    /// The name used in messages and files, such as `bn254-fr`.
    const NAME: &'static str;
}

/// A prime field whose elements are in Montgomery form, R = 2^256, in four limbs. Implemented for the fields of the crate's list alone.
// Types that have residues in them ask for a `Modulus` alone: with this bound rustdoc 1.95 ends with an internal error, in what finds out whether they are `Send`.
pub trait MontgomeryField: ScalarField + Modulus<Limbs = Limbs> {}

/// Fails to compile unless elements lie in memory as the module says.
const fn assert_layout<F: CoordinatePrime>() {
    assert!(size_of::<F>() == size_of::<F::Limbs>() && align_of::<F>() == align_of::<F::Limbs>());
    assert!(size_of::<Residue<F>>() == size_of::<F>() && align_of::<Residue<F>>() == align_of::<F>());
    let (one, expected) = (F::ONE, Residue::<F>::ONE);
    let mut i = 0;
    while i < F::Limbs::LIMBS {
        // SAFETY: as many words, by the assertions above; any bits are words.
        let [one, expected] =
            unsafe { [*(&raw const one).cast::<u64>().add(i), *(&raw const expected).cast::<u64>().add(i)] };
        assert!(one == expected, "Montgomery form, with this R and the lowest limb first");
        i += 1;
    }
}

macro_rules! moduli {
    ($limbs:ty; $($field:path, $name:literal;)*) => {$(
        impl Modulus for $field {
            type Limbs = $limbs;
            const P: $limbs = parse_hexadecimal(<$field as ff::PrimeField>::MODULUS);
            const CONSTANTS: Constants<$limbs> = Constants::<$limbs>::of(Self::P);
        }

        impl CoordinatePrime for $field {}

        const _: () = assert_layout::<$field>();
    )*};
}

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        moduli!(Limbs; $($field, $name;)*);

        $(
            impl ScalarField for $field {
                const NAME: &'static str = $name;
            }

            impl MontgomeryField for $field {}
        )*
    };
}
crate::for_every_prime_field!(fields);

macro_rules! wide_fields {
    ($($field:path, $name:literal, $limbs:literal;)*) => {
        $(moduli!([u64; $limbs]; $field, $name;);)*
    };
}
crate::for_every_wide_prime_field!(wide_fields);

macro_rules! wide_scalar_fields {
    ($($field:path, $name:literal;)*) => {
        $(impl ScalarField for $field {
            const NAME: &'static str = $name;
        })*
    };
}
crate::for_every_wide_scalar_field!(wide_scalar_fields);

/// A prime field that has transforms, and the roots of unity that provers have in it. Implemented for the fields of the crate's list alone.
pub trait TwoAdicPrime: MontgomeryField + TwoAdic + ff::WithSmallOrderMulGroup<3> {
    /// The generator of the multiplicative group from which the roots of unity of arkworks come: that of `ff`, but over BN254's scalars, where halo2curves has 7 and
    /// arkworks 5.
    fn generator_of_arkworks() -> Self {
        if <Self as ScalarField>::NAME == "bn254-fr" { Self::from(5) } else { Self::MULTIPLICATIVE_GENERATOR }
    }
}

impl<F: TwoAdicPrime> Domain<F> {
    /// The subgroup of order 2^`log_size` with the root of halo2curves; over BN254's scalars it comes from the generator 7 of the field.
    /// [`Error::DomainTooLarge`] above 2^28 there, above 2^32 over the fields of Pasta and the scalars of BLS12-381, and above 2^47 over those of BLS12-377.
    pub fn halo2(log_size: u32) -> Result<Self, Error> {
        Self::of_root(log_size, F::ROOT_OF_UNITY)
    }

    /// The same subgroup with the root of arkworks; over BN254's scalars it comes from the generator 5.
    pub fn arkworks(log_size: u32) -> Result<Self, Error> {
        // (r - 1) / 2^TWO_ADICITY.
        let odd_part = Residue::of(-F::from(1 << F::S).invert().expect("2 is not zero"));
        Self::of_root(log_size, F::generator_of_arkworks().pow_vartime(odd_part.to_integer()))
    }
}

macro_rules! two_adic {
    ($($field:path, $name:literal;)*) => {$(
        impl TwoAdicPrime for $field {}

        impl TwoAdic for $field {
            const TWO_ADICITY: u32 = <Self as ff::PrimeField>::S;
            const ZERO: Self = <Self as ff::Field>::ZERO;
            const ONE: Self = <Self as ff::Field>::ONE;

            fn of_integer(integer: u64) -> Self {
                integer.into()
            }

            fn inverted(self) -> Option<Self> {
                ff::Field::invert(&self).into()
            }

            /// Always `Ok`: limbs become elements by a function that checks them.
            fn check(self) -> Result<(), Error> {
                Ok(())
            }

            fn text(self) -> String {
                format!("{self:?}")
            }
        }
    )*};
}
crate::for_every_two_adic_field!(two_adic);

/// A slice of one type as a slice of another.
///
/// # Safety
/// Both types have the same size, alignment and meaning of bits, and all bits of the one are valid for the other.
pub(crate) unsafe fn cast<T, U>(slice: &[T]) -> &[U] {
    const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()) };
    // SAFETY: same size and alignment; the rest is the caller's promise.
    unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) }
}

/// As [`cast`], to write.
///
/// # Safety
/// As [`cast`], and what is left in the slice is valid for both types.
pub(crate) unsafe fn cast_mut<T, U>(slice: &mut [T]) -> &mut [U] {
    const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()) };
    // SAFETY: same size and alignment, and the borrow is handed on; the rest is the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), slice.len()) }
}

/// The limbs of elements, in Montgomery form, in place.
pub fn limbs<F: CoordinatePrime>(elements: &[F]) -> &[F::Limbs] {
    // SAFETY: the layout that is asserted for every field; any bits are limbs.
    unsafe { cast(elements) }
}

/// The limbs of elements, mutably: the values left in them must be below the prime.
pub(crate) fn limbs_mut<F: CoordinatePrime>(elements: &mut [F]) -> &mut [F::Limbs] {
    // SAFETY: the layout that is asserted for every field.
    unsafe { cast_mut(elements) }
}

/// So many zeros, of pages that are not touched yet, or [`Error::HostOutOfMemory`].
pub(crate) fn zeros<F: CoordinatePrime>(len: usize) -> Result<Vec<F>, Error> {
    const { assert!(size_of::<F>() == size_of::<F::Limbs>() && align_of::<F>() == align_of::<F::Limbs>()) };
    let mut limbs = ManuallyDrop::new(memory::zeroed::<F::Limbs>(len)?);
    let (start, len, capacity) = (limbs.as_mut_ptr(), limbs.len(), limbs.capacity());
    // SAFETY: memory of a vector that is not used again, of entries of the same size and alignment; limbs of 0 are the element 0, by the
    // layout that is asserted for every field.
    Ok(unsafe { Vec::from_raw_parts(start.cast(), len, capacity) })
}

/// Limbs in Montgomery form as elements, in place; [`Error::NotReduced`] with the index of the first that is not below the prime.
/// `what` describes an element in the error.
pub fn elements<'a, F: CoordinatePrime>(limbs: &'a [F::Limbs], what: &'static str) -> Result<&'a [F], Error> {
    match limbs.iter().position(|limbs| !limbs.is_below(F::P)) {
        Some(index) => Err(not_reduced::<F>(what, index, limbs[index])),
        // SAFETY: the layout that is asserted for every field; all values are below the prime.
        None => Ok(unsafe { cast(limbs) }),
    }
}

/// As [`elements`], mutably.
pub fn elements_mut<'a, F: CoordinatePrime>(
    limbs: &'a mut [F::Limbs],
    what: &'static str,
) -> Result<&'a mut [F], Error> {
    elements::<F>(limbs, what)?;
    // SAFETY: as there; elements stay below the prime.
    Ok(unsafe { cast_mut(limbs) })
}

/// The error for limbs that are not below the prime.
pub(crate) fn not_reduced<F: Modulus>(what: &'static str, index: usize, value: F::Limbs) -> Error {
    let [value, modulus] = [value, F::P].map(|limbs| format!("0x{}", hexadecimal(limbs)));
    Error::NotReduced { what, index, value, modulus }
}

/// Elements to compute with.
pub(crate) fn residues<F: CoordinatePrime>(elements: &[F]) -> &[Residue<F>] {
    // SAFETY: the layout that is asserted for every field; values below p are below any bound.
    unsafe { cast(elements) }
}

/// Elements to compute with in place: the values left in them must be below the prime.
pub(crate) fn residues_mut<F: MontgomeryField>(elements: &mut [F]) -> &mut [Residue<F>] {
    // SAFETY: as `residues`; what is left in them is below the prime.
    unsafe { cast_mut(elements) }
}
