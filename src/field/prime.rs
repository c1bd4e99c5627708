//! Prime fields in Montgomery form whose elements are halo2curves' types, and their layout in memory.
//!
//! An element is four little-endian 64-bit limbs, lowest first: x 2^256 modulo the prime, below the prime. None of halo2curves'
//! types is `repr(C)`, so that is asserted for each field in the list when the crate is compiled, and a version with another
//! layout does not compile. Slices of limbs become slices of elements without a copy, checked.
//!
//! The element type itself stands for the prime in the arithmetic of [`montgomery`](super::montgomery): a [`Residue<F>`]
//! is an element of F in computations, a value below 2p, or below p where the prime leaves no room for that.

#[cfg(test)]
mod tests;

use std::mem::{ManuallyDrop, align_of, size_of};

use halo2curves::ff;

use super::TwoAdic;
use super::coordinates::LazyElement;
use super::montgomery::{Limbs, Modulus, Residue, is_below, parse_hexadecimal};
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
        }
    };
}

/// A prime field whose elements are in Montgomery form, R = 2^256, in four limbs. Implemented for the fields of the crate's list alone.
pub trait MontgomeryField: Modulus + ff::PrimeField {
    /// The name used in messages and files, such as `bn254-fr`.
    const NAME: &'static str;
}

/// Fails to compile unless elements lie in memory as the module says.
const fn assert_layout<F: MontgomeryField>() {
    assert!(size_of::<F>() == size_of::<Limbs>() && align_of::<F>() == align_of::<Limbs>());
    assert!(size_of::<Residue<F>>() == size_of::<Limbs>() && align_of::<Residue<F>>() == align_of::<Limbs>());
    let one = F::ONE;
    // SAFETY: as many bytes of integers, by the assertion above; any bits are limbs.
    let one = unsafe { *(&raw const one).cast::<Limbs>() };
    let expected = Residue::<F>::ONE.lazy_limbs();
    let mut i = 0;
    while i < one.len() {
        assert!(one[i] == expected[i], "Montgomery form, with this R and the lowest limb first");
        i += 1;
    }
}

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {$(
        impl Modulus for $field {
            const P: Limbs = parse_hexadecimal(<$field as ff::PrimeField>::MODULUS);
        }

        impl MontgomeryField for $field {
            const NAME: &'static str = $name;
        }

        const _: () = assert_layout::<$field>();
    )*};
}
crate::for_every_prime_field!(fields);

/// A prime field that has transforms, and the roots of unity that provers have in it. Implemented for the fields of the crate's list alone.
pub trait TwoAdicPrime: MontgomeryField + TwoAdic + ff::WithSmallOrderMulGroup<3> {
    /// The generator of the multiplicative group from which the roots of unity of arkworks come: that of halo2curves, but over BN254's scalars, where halo2curves has 7 and
    /// arkworks 5.
    fn generator_of_arkworks() -> Self {
        if <Self as MontgomeryField>::NAME == "bn254-fr" {
            Self::from(5)
        } else {
            Self::MULTIPLICATIVE_GENERATOR
        }
    }
}

impl<F: TwoAdicPrime> Domain<F> {
    /// The subgroup of order 2^`log_size` with the root of halo2curves; over BN254's scalars it comes from the generator 7 of the field.
    /// [`Error::DomainTooLarge`] above 2^28 there, and above 2^32 over the fields of Pasta.
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
pub fn limbs<F: MontgomeryField>(elements: &[F]) -> &[Limbs] {
    // SAFETY: the layout that is asserted for every field; any bits are limbs.
    unsafe { cast(elements) }
}

/// The limbs of elements, mutably: the values left in them must be below the prime.
pub(crate) fn limbs_mut<F: MontgomeryField>(elements: &mut [F]) -> &mut [Limbs] {
    // SAFETY: the layout that is asserted for every field.
    unsafe { cast_mut(elements) }
}

/// So many zeros, of pages that are not touched yet, or [`Error::HostOutOfMemory`].
pub(crate) fn zeros<F: MontgomeryField>(len: usize) -> Result<Vec<F>, Error> {
    const { assert!(size_of::<F>() == size_of::<Limbs>() && align_of::<F>() == align_of::<Limbs>()) };
    let mut limbs = ManuallyDrop::new(memory::zeroed::<Limbs>(len)?);
    let (start, len, capacity) = (limbs.as_mut_ptr(), limbs.len(), limbs.capacity());
    // SAFETY: memory of a vector that is not used again, of entries of the same size and alignment; limbs of 0 are the element 0, by the
    // layout that is asserted for every field.
    Ok(unsafe { Vec::from_raw_parts(start.cast(), len, capacity) })
}

/// Limbs in Montgomery form as elements, in place; [`Error::NotReduced`] with the index of the first that is not below the prime.
/// `what` describes an element in the error.
pub fn elements<'a, F: MontgomeryField>(limbs: &'a [Limbs], what: &'static str) -> Result<&'a [F], Error> {
    match limbs.iter().position(|&limbs| !is_below(limbs, F::P)) {
        Some(index) => Err(not_reduced::<F>(what, index, limbs[index])),
        // SAFETY: the layout that is asserted for every field; all values are below the prime.
        None => Ok(unsafe { cast(limbs) }),
    }
}

/// As [`elements`], mutably.
pub fn elements_mut<'a, F: MontgomeryField>(
    limbs: &'a mut [Limbs],
    what: &'static str,
) -> Result<&'a mut [F], Error> {
    elements::<F>(limbs, what)?;
    // SAFETY: as there; elements stay below the prime.
    Ok(unsafe { cast_mut(limbs) })
}

/// The error for limbs that are not below the prime.
pub(crate) fn not_reduced<F: Modulus>(what: &'static str, index: usize, value: Limbs) -> Error {
    let [value, modulus] = [value, F::P].map(|limbs| format!("0x{}", hexadecimal(limbs)));
    Error::NotReduced { what, index, value, modulus }
}

/// All the hexadecimal digits of an integer, highest first.
pub(crate) fn hexadecimal(integer: Limbs) -> String {
    integer.iter().rev().map(|limb| format!("{limb:016x}")).collect()
}

/// Elements to compute with.
pub(crate) fn residues<F: MontgomeryField>(elements: &[F]) -> &[Residue<F>] {
    // SAFETY: the layout that is asserted for every field; values below p are below any bound.
    unsafe { cast(elements) }
}

/// Elements to compute with in place: the values left in them must be below the prime.
pub(crate) fn residues_mut<F: MontgomeryField>(elements: &mut [F]) -> &mut [Residue<F>] {
    // SAFETY: as `residues`; what is left in them is below the prime.
    unsafe { cast_mut(elements) }
}
