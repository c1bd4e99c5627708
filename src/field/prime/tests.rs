//! The arithmetic of computations against halo2curves, at the edges of laziness: values are tried below p and, if the prime is lazy, with p added.

use super::*;
use crate::field::coordinates::LazyElement;
use crate::field::integer::sub_limbs;

/// Integers around every carry of limbs.
fn integers<L: Integer>(p: L) -> Vec<L> {
    let mut integers = vec![L::ZERO, L::of_word(1), L::of_word(2)];
    for i in 0..L::LIMBS {
        for limb in [1, u64::MAX, 1 << 63, u64::MAX >> 1, u64::from(u32::MAX)] {
            let mut integer = L::ZERO;
            integer.as_mut()[i] = limb;
            integers.push(integer);
            integer.as_mut()[..=i].fill(u64::MAX);
            integers.push(integer);
        }
    }
    for less in [1, 2, 1 << 32, u64::MAX] {
        integers.push(p.minus(L::of_word(less)).0);
    }
    let mut half = p;
    for i in 0..L::LIMBS {
        let above = p.as_ref().get(i + 1).unwrap_or(&0);
        half.as_mut()[i] = p.as_ref()[i] >> 1 | above << 63;
    }
    integers.extend([half, half.plus(L::of_word(1)).0]);
    // Bits that would cancel each other.
    for i in 1..L::LIMBS {
        let mut integer = L::ZERO;
        integer.as_mut()[i - 1..=i].fill(1);
        integers.push(integer);
    }
    // Those above p are brought below it, so that all of them are Montgomery forms too.
    integers.iter_mut().for_each(|integer| {
        while !integer.is_below(p) {
            *integer = integer.minus(p).0;
        }
    });
    integers
}

/// Every edge, and the same plus p if that is below the bound.
fn residues_of<M: Modulus>() -> Vec<Residue<M>> {
    let limbs = integers(M::P);
    let more: Vec<_> = limbs.iter().map(|&limbs| limbs.plus(M::P).0).collect();
    let more = more.into_iter().filter(|_| M::LAZY);
    limbs.into_iter().chain(more).map(Residue::from_montgomery).collect()
}

/// The element that an integer stands for, by halo2curves.
fn of_integer<F: CoordinatePrime>(integer: F::Limbs) -> F {
    let shift = F::from(2).pow_vartime([64]);
    integer.as_ref().iter().rev().fold(F::ZERO, |sum, &limb| sum * shift + F::from(limb))
}

/// All limbs of ones.
fn ones<L: Integer>() -> L {
    L::ZERO.minus(L::of_word(1)).0
}

/// The element, of a value below the bound.
fn lazy<F: CoordinatePrime>(x: Residue<F>) -> F {
    assert!(x.lazy_limbs().is_below(Residue::<F>::BOUND), "{x:?} is not below the bound");
    x.element()
}

fn agrees_with_halo2curves<F: CoordinatePrime>() {
    assert_eq!(F::BITS, F::NUM_BITS);
    let theirs = Residue::<F>::element;
    let all = residues_of::<F>();
    for &a in &all {
        assert_eq!(lazy(a.square()), theirs(a).square());
        assert_eq!(lazy(a.neg()), -theirs(a));
        assert_eq!(lazy(a.negated_if(true)), -theirs(a));
        assert_eq!(lazy(a.negated_if(false)), theirs(a));
        assert_eq!(a.is_zero(), bool::from(theirs(a).is_zero()), "{a:?}");
        let integer = a.to_integer();
        assert!(integer.is_below(F::P));
        assert_eq!(theirs(a), of_integer::<F>(integer));
        assert_eq!(lazy(Residue::<F>::from_integer(integer)), theirs(a));
        assert_eq!(theirs(a.pow(&[5])), theirs(a).pow_vartime([5]));
        for &b in &all {
            assert_eq!(lazy(a.mul(b)), theirs(a) * theirs(b));
            assert_eq!(lazy(a.add(b)), theirs(a) + theirs(b));
            assert_eq!(lazy(a.sub(b)), theirs(a) - theirs(b));
        }
    }
    // Any limbs and a factor below p.
    for &factor in all.iter().filter(|a| a.lazy_limbs().is_below(F::P)) {
        let most = Residue::<F>::from_montgomery(ones());
        let by_r = Residue::from_montgomery(F::Limbs::of_word(1));
        assert_eq!(lazy(most.mul(factor)), theirs(Residue::from_integer(ones()).mul(factor).mul(by_r)));
    }
    // Integers up to R - 1.
    for integer in [ones(), F::P, F::P.plus(F::P).0] {
        assert_eq!(lazy(Residue::<F>::from_integer(integer)), of_integer::<F>(integer));
    }
}

/// Sums and differences without reduction, over lazy primes.
fn unreduced_sums_agree<F: MontgomeryField>() {
    let theirs = Residue::<F>::element;
    let all = residues_of::<F>();
    for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))).filter(|_| F::LAZY) {
        // Factors below 4p and below p, in either order.
        let reduced = Residue::<F>::from_montgomery(b.canonical());
        for wide in [a.add_unreduced(b), a.sub_unreduced(b)] {
            assert_eq!(lazy(wide.mul(reduced)), theirs(wide.nearly_reduced()) * theirs(b));
            assert_eq!(lazy(reduced.mul(wide)), theirs(wide.nearly_reduced()) * theirs(b));
        }
        assert_eq!(lazy(a.add_unreduced(b).nearly_reduced()), theirs(a) + theirs(b));
        assert_eq!(lazy(a.sub_unreduced(b).nearly_reduced()), theirs(a) - theirs(b));
    }
}

fn inverses_agree<F: CoordinatePrime>() {
    for a in residues_of::<F>() {
        match a.inverse() {
            Some(inverse) => assert_eq!(a.mul(inverse).element(), F::ONE),
            None => assert!(a.is_zero()),
        }
    }
}

fn limbs_are_elements_in_place<F: MontgomeryField>() {
    let one = Residue::<F>::ONE.canonical();
    let mut all = [[0; 4], one, sub_limbs(F::P, [1, 0, 0, 0]).0];
    let expected = all.map(|limbs| Residue::<F>::from_montgomery(limbs).element());
    assert_eq!(elements::<F>(&all, "scalar"), Ok(&expected[..]));
    let found = elements_mut::<F>(&mut all, "scalar").unwrap();
    assert_eq!(found, expected);
    found[0] = F::ONE;
    assert_eq!((all[0], limbs(&[F::ONE])), (one, &[one][..]));
    let mut some = [F::ZERO; 2];
    limbs_mut(&mut some)[1] = one;
    assert_eq!(some, [F::ZERO, F::ONE]);
    for bad in [F::P, [u64::MAX; 4]] {
        let mut limbs = [one, one, bad];
        for refused in
            [elements::<F>(&limbs.clone(), "scalar").err(), elements_mut::<F>(&mut limbs, "scalar").err()]
        {
            assert!(
                matches!(refused, Some(Error::NotReduced { what: "scalar", index: 2, .. })),
                "{refused:?}"
            );
        }
    }
}

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        #[test]
        fn arithmetic_of_every_field() {
            $(
                agrees_with_halo2curves::<$field>();
                unreduced_sums_agree::<$field>();
            )*
        }

        #[test]
        fn limbs_of_every_field() {
            $(limbs_are_elements_in_place::<$field>();)*
        }

        #[test]
        fn inverses_of_every_field() {
            $(inverses_agree::<$field>();)*
        }
    };
}
crate::for_every_prime_field!(fields);

macro_rules! wide_fields {
    ($($field:path, $name:literal, $limbs:literal;)*) => {
        #[test]
        fn arithmetic_and_inverses_of_more_limbs() {
            $(
                agrees_with_halo2curves::<$field>();
                inverses_agree::<$field>();
            )*
        }
    };
}
crate::for_every_wide_prime_field!(wide_fields);

#[test]
fn moduli_are_read_from_their_digits() {
    assert_eq!(parse_hexadecimal("0x1f"), [0x1f, 0, 0, 0]);
    let digits = format!("0x{}", hexadecimal(<crate::bn254::Fr as Modulus>::P));
    assert_eq!(parse_hexadecimal(&digits), <crate::bn254::Fr as Modulus>::P);
    // The order of BN254's G1, EIP-196.
    let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    let limbs = r.bytes().fold([0_u64; 4], |sum, digit| {
        let mut carry = u64::from(digit - b'0');
        sum.map(|limb| {
            let wide = u128::from(limb) * 10 + u128::from(carry);
            carry = (wide >> 64) as u64;
            wide as u64
        })
    });
    assert_eq!(<crate::bn254::Fr as Modulus>::P, limbs);
}

/// That over BN254's scalars is `TWO_ADIC_ROOT_OF_UNITY` of ark-bn254; over other fields arkworks has the generator of `ff`.
#[test]
fn roots_of_arkworks() {
    use crate::bn254::Fr;
    let root = "19103219067921713944291392827692070036145651957329286315305642004821462161904";
    let root = <Fr as ff::PrimeField>::from_str_vartime(root).unwrap();
    assert_eq!(Domain::<Fr>::arkworks(28).unwrap().root(), root);
    assert_eq!(Domain::<Fr>::arkworks(27).unwrap().root(), root * root);
    fn same<F: TwoAdicPrime>() {
        assert_eq!(Domain::<F>::arkworks(F::S), Domain::halo2(F::S), "{}", F::NAME);
    }
    same::<crate::pasta::Fp>();
    same::<crate::pasta::Fq>();
    same::<crate::bls12_381::Fr>();
    same::<crate::bls12_377::Fr>();
}
