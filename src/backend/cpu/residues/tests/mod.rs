//! Every implementation against the four-limb arithmetic and against exact integers.

use std::marker::PhantomData;

use bytemuck::Zeroable;

mod limits;
mod operations;
mod transforms;
mod wide;

use limits::{Limits, PairLimits, below, carried};
use operations::{Chain, Operations};
use transforms::{Transforms, single_elements};
use wide::WideLimits;

use super::limbs_52::{Carried, Columns, split};
use super::pairs_52::{Pairs52, VectorisedPrime};
use super::radix_52::Limbs52;
use super::*;
use crate::backend::cpu::Simd;
use crate::backend::cpu::quadwords::{Portable, Quadwords};
use crate::backend::cpu::simd::{Vectorised, on_vectors};
use crate::field::coordinates::{CoefficientLimbs, CoordinateField, LazyElement};
use crate::field::integer::{Integer, add_limbs, half, is_below, sub_limbs};
use crate::field::montgomery::Modulus;
use crate::field::prime::{CoordinatePrime, cast};
use crate::field::quadratic::QuadraticExtension;
use crate::words::Words;

const MASK: u64 = (1 << 52) - 1;

/// Limbs of 52 bits.
type Five = [u64; 5];

/// The residue of an integer in columns, as a residue with that integer for its Montgomery form.
fn residue<M: MontgomeryField>(columns: [i128; 5]) -> Residue<M> {
    // Products of residues divide by 2^256, so the shift by 52 is a product with 2^(52 + 256).
    let shift = Residue::<M>::from_integer([1 << 52, 0, 0, 0]);
    columns.iter().rev().fold(Residue::ZERO, |sum, &column| {
        let limbs = [column.unsigned_abs() as u64, (column.unsigned_abs() >> 64) as u64, 0, 0];
        sum.mul(shift).add(Residue::from_montgomery(limbs).negated_if(column < 0))
    })
}

/// Values below the bound of elements in memory, 2p or p: edges and random ones.
fn values<M: CoordinatePrime>() -> Vec<M::Limbs> {
    let p = M::P;
    let one = M::Limbs::of_word(1);
    let less = |a: M::Limbs, b| a.minus(b).0;
    let more = |a: M::Limbs, b| a.plus(b).0;
    let (two_p, bound) = (more(p, p), Residue::<M>::BOUND);
    let two = M::Limbs::of_word(2);
    let mut values = vec![M::Limbs::ZERO, one, two, less(p, one), p, more(p, one), less(two_p, one)];
    // Limbs of ones, at either size, wherever that is below the bound.
    let of_four = [1, 12, 51, 52, 53, 63, 64, 65, 103, 104, 105, 128, 156, 192, 208, 209, 253];
    let of_six = [255, 256, 260, 311, 312, 313, 319, 320, 363, 364, 365, 379, 380];
    for bits in of_four.into_iter().chain(of_six).filter(|&bits| bits < M::BITS) {
        let mut power = one;
        (0..bits).for_each(|_| power = more(power, power));
        values.extend([power, less(power, one), less(p, power), more(p, power), less(two_p, power)]);
    }
    let mut words = Words::new(3);
    values.extend((0..60).map(|_| {
        let mut limbs = M::Limbs::ZERO;
        limbs.as_mut().fill_with(|| words.next());
        *limbs.as_mut().last_mut().expect("limbs") %= bound.as_ref().last().expect("limbs") + 1;
        limbs
    }));
    values.retain(|value| value.is_below(bound));
    assert!(values.len() > 100);
    values
}

/// Eight of the values from a place on, with wide steps between them.
fn eight<T: Copy>(values: &[T], at: usize) -> [T; MAX_WIDTH] {
    std::array::from_fn(|lane| values[(at + 37 * lane) % values.len()])
}

/// Elements with these coefficients, at most as many as there are coefficients.
fn elements<T: LazyElement>() -> Vec<T> {
    let coefficients = values::<<T::Field as CoordinateField>::Prime>();
    let (count, degree) = (coefficients.len(), <T::Field as CoordinateField>::DEGREE);
    let mut elements = vec![T::ZERO];
    for i in 0..count {
        let mut limbs = <T::Field as CoordinateField>::Limbs::zeroed();
        let all: &mut [CoefficientLimbs<T::Field>] =
            bytemuck::cast_slice_mut(std::slice::from_mut(&mut limbs));
        // Neighbours, equal ones, and zeros among them.
        for (k, limbs) in all.iter_mut().enumerate() {
            let at = (i + k * [0, 1, 29, 71][i % 4]) % count;
            *limbs = if degree > 1 && i % 7 == k { Integer::ZERO } else { coefficients[at] };
        }
        elements.push(T::of_limbs(limbs));
    }
    elements
}

/// The coefficients of a value as they are.
fn lazy<T: LazyElement>(value: &T) -> &[CoefficientLimbs<T::Field>] {
    // SAFETY: the layout that is asserted for every field: a value is the limbs of its coefficients.
    let limbs: &[<T::Field as CoordinateField>::Limbs] = unsafe { cast(std::slice::from_ref(value)) };
    bytemuck::cast_slice(limbs)
}

fn of<R: Coordinates>(rows: &[R::Element; MAX_WIDTH]) -> R::Sum {
    R::gather(std::array::from_fn(|i| &rows[i]))
}

fn check<R: Coordinates>() {
    R::enter(Operations::<R>(PhantomData));
    R::enter(Chain::<R>(PhantomData));
}

fn check_pairs<F: VectorisedField + QuadraticExtension<Prime: VectorisedPrime>>() {
    check::<Scalar<F>>();
    check::<F::Vectors<Portable>>();
    for simd in Simd::available() {
        on_vectors!(simd, Quadwords as Q => check::<F::Vectors<Q>>(), else ());
    }
}

fn check_limits_of_pairs<F: QuadraticExtension<Prime: MontgomeryField>>() {
    Portable::enter(PairLimits::<Portable, F>(PhantomData));
    for simd in Simd::available() {
        on_vectors!(simd, Quadwords as Q => Q::enter(PairLimits::<Q, F>(PhantomData)), else ());
    }
}

fn check_wide<M: VectorisedField + CoordinatePrime + Modulus<Limbs = [u64; 6]>>() {
    check::<Scalar<M>>();
    check::<M::Vectors<Portable>>();
    Portable::enter(WideLimits::<Portable, M>(PhantomData));
    for simd in Simd::available() {
        on_vectors!(simd, Quadwords as Q => {
            check::<M::Vectors<Q>>();
            Q::enter(WideLimits::<Q, M>(PhantomData));
        }, else ());
    }
}

fn check_limits<Q: Quadwords, F: MontgomeryField>() {
    Q::enter(Limits::<Q, F>(PhantomData));
    Q::enter(Transforms::<Q, F>(PhantomData));
}

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        #[test]
        fn operations_of_every_implementation() {$(
            check::<Scalar<$field>>();
            check::<Radix52<Portable, $field>>();
            for simd in Simd::available() {
                on_vectors!(simd, Quadwords as Q => check::<Radix52<Q, $field>>(), else ());
            }
        )*}

        #[test]
        fn carries_at_their_limits() {$(
            check_limits::<Portable, $field>();
            for simd in Simd::available() {
                on_vectors!(simd, Quadwords as Q => check_limits::<Q, $field>(), else ());
            }
        )*}

        #[test]
        fn transforms_of_single_elements_at_their_limits() {
            $(single_elements::<$field>();)*
        }
    };
}
crate::for_every_prime_field!(fields);

macro_rules! wide_fields {
    ($($field:path, $name:literal, $limbs:tt;)*) => {
        #[test]
        fn operations_on_more_limbs() {
            $(wide_fields!($limbs, $field);)*
        }
    };
    (6, $field:path) => {
        check_wide::<$field>();
    };
    (12, $field:path) => {
        check::<Scalar<$field>>();
    };
}
crate::for_every_wide_prime_field!(wide_fields);

macro_rules! extensions {
    ($($field:path, $prime:path, $u_squared:literal;)*) => {
        #[test]
        fn operations_on_pairs() {
            $(check_pairs::<$field>();)*
        }
    };
}
crate::for_every_quadratic_extension!(extensions);

#[test]
fn pairs_at_their_limits() {
    check_limits_of_pairs::<crate::bn254::Fq2>();
}
