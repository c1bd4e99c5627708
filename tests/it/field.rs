//! Goldilocks and its extensions against big integers and the laws of fields; `tests/oracles` compares them with winter-math
//! and Plonky3.

use proptest::prelude::*;
use zkaccel::Error;
use zkaccel::field::{Cubic, Field, Goldilocks, MODULUS, Quadratic, batch_inverse, powers};
use zkaccel::ntt::{Convention, Domain};

/// Words around every carry, canonical or not.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    u32::MAX as u64 - 1,
    u32::MAX as u64,
    1 << 32,
    (1 << 32) + 1,
    (1 << 63) - 1,
    1 << 63,
    MODULUS - (1 << 32),
    MODULUS - 2,
    MODULUS - 1,
    MODULUS,
    MODULUS + 1,
    u64::MAX - 1,
    u64::MAX,
];

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![prop::sample::select(EDGES.to_vec()), any::<u64>()]
}

fn element() -> impl Strategy<Value = Goldilocks> {
    word().prop_map(Goldilocks::new)
}

fn residue(x: u128) -> u64 {
    (x % MODULUS as u128) as u64
}

/// Base-field operators on two words, against 128-bit remainders.
fn check_operators(a: u64, b: u64) {
    let (x, y) = (Goldilocks::new(a), Goldilocks::new(b));
    let (a, b, p) = (a as u128 % MODULUS as u128, b as u128 % MODULUS as u128, MODULUS as u128);
    for (found, expected) in [
        (x, a),
        (x + y, a + b),
        (x - y, a + p - b),
        (x * y, a * b),
        (-x, p - a),
        (x.square(), a * a),
        (Goldilocks::from_u128(a << 64 | b), a << 64 | b),
    ] {
        assert_eq!(found.as_u64(), residue(expected), "of {a} and {b}");
    }
}

#[test]
fn operators_on_edges() {
    for a in EDGES {
        for b in EDGES {
            check_operators(a, b);
            let product = a as u128 * b as u128;
            assert_eq!(Goldilocks::from_u128(product).as_u64(), residue(product), "{a} times {b}");
            let raw = (a as u128) << 64 | b as u128;
            assert_eq!(Goldilocks::from_u128(raw).as_u64(), residue(raw), "{raw}");
        }
    }
}

#[test]
fn canonical_words() {
    for word in EDGES {
        let found = Goldilocks::try_from(word).map(Goldilocks::as_u64);
        let expected =
            if word < MODULUS { Ok(word) } else { Err(Error::NotCanonical { index: 0, value: word }) };
        assert_eq!(found, expected);
        let cast: Goldilocks = bytemuck::cast(word);
        assert_eq!(cast.is_canonical(), word < MODULUS);
    }
    for (len, bad) in [(1, 0), (1024, 1023), (1025, 1024), (5000, 3000)] {
        let mut words = vec![MODULUS - 1; len];
        assert_eq!(Goldilocks::check_canonical(bytemuck::cast_slice(&words)), Ok(()));
        for value in [MODULUS, u64::MAX] {
            words[bad] = value;
            words[len - 1] = value;
            let expected = Error::NotCanonical { index: bad, value };
            assert_eq!(Goldilocks::check_canonical(bytemuck::cast_slice(&words)), Err(expected));
        }
    }
    assert_eq!(Goldilocks::from(u32::MAX).as_u64(), u64::from(u32::MAX));
}

#[test]
fn roots_of_unity() {
    // The 64th roots are the powers of two that the two conventions are known for.
    assert_eq!(Convention::Winterfell.root_of_unity(6), Goldilocks::new(1 << 3));
    assert_eq!(Convention::Plonky3.root_of_unity(6), Goldilocks::new(1 << 39));
    assert_eq!(Convention::Plonky3.two_adic_root(), Goldilocks::GENERATOR.pow((MODULUS - 1) >> 32));
    for log_size in 0..=32 {
        for convention in Convention::ALL {
            let root = convention.root_of_unity(log_size);
            assert_eq!(Domain::with_root(log_size, root), Domain::new(log_size, convention));
            for wrong in [log_size + 1, log_size.wrapping_sub(1)].into_iter().filter(|&log| log <= 32) {
                let expected = Error::BadRoot { root: root.to_string(), log_size: wrong };
                assert_eq!(Domain::with_root(wrong, root), Err(expected));
            }
        }
    }
    // 7 generates the whole group: no power (p - 1) / q is 1 for a prime q dividing p - 1 = 2^32 3 5 17 257 65537.
    for q in [2, 3, 5, 17, 257, 65537] {
        assert_ne!(Goldilocks::GENERATOR.pow((MODULUS - 1) / q), Goldilocks::ONE);
    }
}

/// What holds in every field.
fn check_field<F: Field>(a: F, b: F, c: F) {
    assert_eq!(a + b, b + a);
    assert_eq!(a * b, b * a);
    assert_eq!((a * b) * c, a * (b * c));
    assert_eq!(a * (b + c), a * b + a * c);
    assert_eq!(a - b, a + -b);
    assert_eq!(a + F::ZERO, a);
    assert_eq!(a * F::ONE, a);
    assert_eq!(F::from_base(Goldilocks::new(3)) * a, a + a + a);
    assert_eq!(a.square(), a * a);
    assert_eq!(a.pow(0), F::ONE);
    assert_eq!(a.pow(5), a * a * a * a * a);
    assert_eq!(powers(a).nth(4), Some(a.pow(4)));
    match a.inverse() {
        Some(inverse) => assert_eq!((a * inverse, b / a), (F::ONE, b * inverse)),
        None => assert_eq!(a, F::ZERO),
    }
    let mut batch = [a, F::ZERO, b, c, a];
    batch_inverse(&mut batch);
    let one_by_one = [a, F::ZERO, b, c, a].map(|x| x.inverse().unwrap_or(F::ZERO));
    assert_eq!(batch, one_by_one);
}

proptest! {
    #[test]
    fn operators(a in word(), b in word()) {
        check_operators(a, b);
    }

    #[test]
    fn field_laws(words in prop::array::uniform9(element())) {
        let w = words;
        check_field(w[0], w[1], w[2]);
        check_field(Quadratic([w[0], w[1]]), Quadratic([w[2], w[3]]), Quadratic([w[4], w[5]]));
        check_field(Cubic([w[0], w[1], w[2]]), Cubic([w[3], w[4], w[5]]), Cubic([w[6], w[7], w[8]]));
    }

    /// Products of polynomials by the schoolbook, and the remainders that the irreducible polynomials leave.
    #[test]
    fn extensions_equal_schoolbook_products(w in prop::array::uniform6(element())) {
        // x^2 = x - 2.
        let (low, middle, high) = (w[0] * w[2], w[0] * w[3] + w[1] * w[2], w[1] * w[3]);
        let expected = Quadratic([low - high - high, middle + high]);
        prop_assert_eq!(Quadratic([w[0], w[1]]) * Quadratic([w[2], w[3]]), expected);
        // x^3 = x + 1, x^4 = x^2 + x.
        let mut c = [Goldilocks::ZERO; 5];
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            c[i + j] += w[i] * w[3 + j];
        }
        let expected = Cubic([c[0] + c[3], c[1] + c[3] + c[4], c[2] + c[4]]);
        let (x, y) = (Cubic([w[0], w[1], w[2]]), Cubic([w[3], w[4], w[5]]));
        prop_assert_eq!(x * y, expected);
    }
}
