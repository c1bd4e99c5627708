//! The arithmetic of computations against halo2curves, at the edges of laziness: values are tried below p and, if the prime is lazy, with p added.

use super::*;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::{add_limbs, half, sub_limbs};

/// Integers around every carry of four limbs.
fn integers(p: Limbs) -> Vec<Limbs> {
    let mut integers = vec![[0; 4], [1, 0, 0, 0], [2, 0, 0, 0]];
    for i in 0..4 {
        for limb in [1, u64::MAX, 1 << 63, u64::MAX >> 1, u64::from(u32::MAX)] {
            let mut integer = [0; 4];
            integer[i] = limb;
            integers.push(integer);
            integers.push(std::array::from_fn(|j| if j <= i { u64::MAX } else { integer[j] }));
        }
    }
    for less in [1, 2, 1 << 32, u64::MAX] {
        integers.push(sub_limbs(p, [less, 0, 0, 0]).0);
    }
    integers.extend([half(p), add_limbs(half(p), [1, 0, 0, 0]).0]);
    // Bits that would cancel each other.
    integers.extend([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]);
    // Those above p are brought below it, so that all of them are Montgomery forms too.
    integers.iter_mut().for_each(|integer| {
        while !is_below(*integer, p) {
            *integer = sub_limbs(*integer, p).0;
        }
    });
    integers
}

/// Every edge, and the same plus p if that is below the bound.
fn residues_of<M: Modulus>() -> Vec<Residue<M>> {
    let limbs = integers(M::P);
    let more: Vec<_> = limbs.iter().map(|&limbs| add_limbs(limbs, M::P).0).collect();
    let more = more.into_iter().filter(|_| M::LAZY);
    limbs.into_iter().chain(more).map(Residue::from_montgomery).collect()
}

/// The element that an integer stands for, by halo2curves.
fn of_integer<F: MontgomeryField>(integer: Limbs) -> F {
    let shift = F::from(2).pow_vartime([64]);
    integer.iter().rev().fold(F::ZERO, |sum, &limb| sum * shift + F::from(limb))
}

fn agrees_with_halo2curves<F: MontgomeryField>() {
    assert_eq!(F::BITS, F::NUM_BITS);
    let theirs = Residue::<F>::element;
    let two_p = add_limbs(F::P, F::P).0;
    let lazy = |x: Residue<F>| {
        assert!(is_below(x.lazy_limbs(), Residue::<F>::BOUND), "{x:?} is not below the bound");
        theirs(x)
    };
    let all = residues_of::<F>();
    for &a in &all {
        assert_eq!(lazy(a.square()), theirs(a).square());
        assert_eq!(lazy(a.neg()), -theirs(a));
        assert_eq!(lazy(a.negated_if(true)), -theirs(a));
        assert_eq!(lazy(a.negated_if(false)), theirs(a));
        assert_eq!(a.is_zero(), bool::from(theirs(a).is_zero()), "{a:?}");
        let integer = a.to_integer();
        assert!(is_below(integer, F::P));
        assert_eq!(theirs(a), of_integer::<F>(integer));
        assert_eq!(lazy(Residue::<F>::from_integer(integer)), theirs(a));
        assert_eq!(theirs(a.pow(&[5])), theirs(a).pow_vartime([5]));
        for &b in &all {
            assert_eq!(lazy(a.mul(b)), theirs(a) * theirs(b));
            assert_eq!(lazy(a.add(b)), theirs(a) + theirs(b));
            assert_eq!(lazy(a.sub(b)), theirs(a) - theirs(b));
            if !F::LAZY {
                continue;
            }
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
    // Any limbs and a factor below p.
    for &factor in all.iter().filter(|a| is_below(a.lazy_limbs(), F::P)) {
        let one = Residue::<F>::from_montgomery([u64::MAX; 4]);
        assert_eq!(
            lazy(one.mul(factor)),
            theirs(
                Residue::from_integer([u64::MAX; 4]).mul(factor).mul(Residue::from_montgomery([1, 0, 0, 0]))
            )
        );
    }
    // Integers up to 2^256 - 1.
    for integer in [[u64::MAX; 4], F::P, two_p] {
        assert_eq!(lazy(Residue::<F>::from_integer(integer)), of_integer::<F>(integer));
    }
}

fn inverses_agree<F: MontgomeryField>() {
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
            $(agrees_with_halo2curves::<$field>();)*
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
