//! What the traits of `ff` ask of the fields that halo2curves does not have: by laws, since the operators are tested beside halo2curves where both have a field.

use super::*;
use crate::bls12_377::{Fq, Fq2, Fr};
use crate::bw6_761;
use crate::words::Words;
use ff::{Field, PrimeField};

/// Words as `rand_core` asks for them.
struct Random(Words);

impl RngCore for Random {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|byte| *byte = self.next_u64() as u8);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

/// 0, 1, -1 and others at random, which are not equal.
fn elements<F: Field>() -> Vec<F> {
    let mut random = Random(Words::new(11));
    let mut elements = vec![F::ZERO, F::ONE, -F::ONE];
    elements.extend((0..8).map(|_| F::random(&mut random)));
    for (i, element) in elements.iter().enumerate() {
        assert!(!elements[..i].contains(element), "{element:?} comes twice");
    }
    elements
}

fn option<T>(value: CtOption<T>) -> Option<T> {
    value.into()
}

fn laws<F: Field + Sum<F> + Product<F> + for<'a> Sum<&'a F> + for<'a> Product<&'a F>>() {
    let elements = elements::<F>();
    let (mut sum, mut product) = (F::ZERO, F::ONE);
    for &a in &elements[1..] {
        (sum, product) = (sum + a, product * a);
        assert_eq!(a.double() - a, a);
        assert_eq!(a.square(), a * a);
        assert_eq!(option(a.invert()).map(|inverse| inverse * a), Some(F::ONE));
        assert_eq!(F::conditional_select(&a, &F::ONE, Choice::from(0)), a);
        assert_eq!(F::conditional_select(&F::ONE, &a, Choice::from(1)), a);
        assert!(bool::from(a.ct_eq(&a)) && !bool::from(a.ct_eq(&a.double())));
    }
    assert_eq!(elements[1..].iter().sum::<F>(), sum);
    assert_eq!(elements[1..].iter().copied().sum::<F>(), sum);
    assert_eq!(elements[1..].iter().product::<F>(), product);
    assert_eq!(elements[1..].iter().copied().product::<F>(), product);
    assert_eq!(option(F::ZERO.invert()), None);
}

/// Roots of squares and none of others; where a quotient is no square, the root of its product with some other element that is none, always the same.
fn roots<F: Field>() {
    let elements = elements::<F>();
    let (mut squares, mut others) = (0, Vec::new());
    for &a in &elements {
        let root = option(a.square().sqrt()).expect("a square");
        assert!(root == a || root == -a, "{root:?} is no root of the square of {a:?}");
        if let Some(root) = option(a.sqrt()) {
            assert_eq!(root.square(), a);
        }
        for &b in &elements[1..] {
            let (is_square, root) = F::sqrt_ratio(&a, &b);
            assert_eq!(bool::from(is_square), bool::from((a * b).sqrt().is_some()), "{a:?} / {b:?}");
            match bool::from(is_square) {
                true => {
                    assert_eq!(root.square() * b, a);
                    squares += 1;
                }
                false => others.push(root.square() * b * option(a.invert()).expect("0 is a square")),
            }
        }
        assert_eq!(F::sqrt_ratio(&a, &F::ZERO).1, F::ZERO);
        assert_eq!(bool::from(F::sqrt_ratio(&a, &F::ZERO).0), bool::from(a.is_zero()));
    }
    // Of an element c without a root, a c has one where a has none.
    assert!(squares > 20 && others.len() > 20, "{squares} squares, {} others", others.len());
    assert!(others.iter().all(|&other| other == others[0] && bool::from(other.sqrt().is_none())));
}

/// Integers, their lowest bit, and their bytes.
fn integers<F: PrimeField>() {
    for word in [0, 1, 2, 3, 1 << 40, u64::MAX] {
        let element = F::from(word);
        assert_eq!(bool::from(element.is_odd()), word % 2 == 1, "{word}");
        let bytes = element.to_repr();
        assert_eq!(bytes.as_ref()[..8], word.to_le_bytes());
        assert_eq!(bytes.as_ref().len(), size_of::<F>());
        let mut same = F::Repr::default();
        same.as_mut().copy_from_slice(bytes.as_ref());
        assert_eq!(option(F::from_repr(same)), Some(element));
    }
    assert!(!bool::from((-F::ONE).is_odd()), "p - 1 is even");
    let mut p = (-F::ONE).to_repr();
    p.as_mut()[0] += 1;
    assert_eq!(option(F::from_repr(p)), None, "p is no integer below p");
}

#[test]
fn prime_fields() {
    laws::<Fr>();
    laws::<Fq>();
    laws::<bw6_761::Fq>();
    roots::<Fr>();
    roots::<Fq>();
    integers::<Fr>();
    integers::<Fq>();
    integers::<bw6_761::Fq>();
}

#[test]
fn a_quadratic_extension() {
    laws::<Fq2>();
    roots::<Fq2>();
    let u = Fq2::new(Fq::ZERO, Fq::ONE);
    assert_eq!(u.square(), Fq2::new(-Fq::from(5), Fq::ZERO));
    assert_eq!(option(Fq2::new(-Fq::from(5), Fq::ZERO).sqrt()).map(|root| root.square()), Some(u.square()));
    // Of the prime field every element has a root, whether it has one there or not.
    for element in elements::<Fq>() {
        let element = Fq2::new(element, Fq::ZERO);
        assert_eq!(option(element.sqrt()).map(|root| root.square()), Some(element));
    }
}
