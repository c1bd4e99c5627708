//! What transforms do with values, at the limits of those.

use super::*;

/// What transforms do with values, at the limits of those.
pub(super) struct Transforms<Q, M>(pub(super) PhantomData<(Q, M)>);

impl<Q: Quadwords, M: MontgomeryField> Vectorised<Q> for Transforms<Q, M> {
    #[inline(always)]
    fn run(self) {
        let p = split(M::P).map(i128::from);
        let times = |multiple: i128, near: i128| {
            let mut value = p.map(|limb| limb * multiple);
            value[0] += near;
            carried(value)
        };
        let columns =
            |value: [i128; 5]| Columns(Limits::<Q, M>::vectors(&[value.map(|limb| limb as u64); MAX_WIDTH]));
        let half = Residue::<M>::from_integer(add_limbs(half(M::P), [1, 0, 0, 0]).0);
        let inverse = half.square().square();
        let factors = eight(&values::<M>(), 3).map(|limbs| Residue::<M>::from_montgomery(limbs).canonical());
        let factor = Radix52::<Q, M>::factors(std::array::from_fn(|i| Residue::at(&factors[i])));
        let most = i128::from(Radix52::<Q, M>::MOST);
        for multiple in [-most, 1 - most, -most / 2, -2, -1, 0, 1, 2, most / 2, most - 1, most] {
            for near in [-1, 0, 1] {
                let near = if multiple * near >= most { 0 } else { near };
                let value = times(multiple, near);
                let expected = residue::<M>(value);
                for found in Limits::<Q, M>::lanes(Radix52::<Q, M>::below_2p(columns(value)).0) {
                    assert!(found.iter().all(|&limb| (0..1 << 52).contains(&limb)), "{multiple} {near}");
                    assert!(below(found, times(2, 0)), "{multiple} {near}");
                    assert_eq!(residue::<M>(found).canonical(), expected.canonical());
                }
                let scaled = Limits::<Q, M>::lanes(Radix52::<Q, M>::scaled(columns(value), factor).0);
                for (found, factor) in scaled.into_iter().zip(factors) {
                    let limit = carried(p.map(|limb| limb * 21 / 10));
                    assert!(below(carried(found), limit), "{multiple} {near}");
                    let product = expected.mul(Residue::from_montgomery(factor)).mul(inverse);
                    assert_eq!(residue::<M>(found).canonical(), product.canonical());
                }
            }
        }
        // Products with values below p, as factors that are shifted.
        let all = values::<M>();
        for at in 0..all.len() {
            let elements = eight(&all, at).map(|limbs| Residue::<M>::from_montgomery(limbs).canonical());
            let shifted =
                Radix52::<Q, M>::shifted_factors(std::array::from_fn(|i| Residue::at(&elements[i])));
            for (multiple, near) in [(0, 0), (0, 1), (1, -1), (1, 0), (2, 1), (3, -1)] {
                let value = times(multiple, near);
                let product = Radix52::<Q, M>::product(Radix52::<Q, M>::of_product(columns(value)), shifted);
                // Below 2p, of values below 3p with room for 48 p^2, or else of values below 2p.
                let limit = if most > 30 || multiple < 2 { times(2, 0) } else { times(3, 0) };
                for (found, element) in Limits::<Q, M>::lanes(product.0).into_iter().zip(elements) {
                    assert!(below(carried(found), limit), "{multiple} {near}: {found:x?}");
                    let expected = residue::<M>(value).mul(Residue::from_montgomery(element));
                    assert_eq!(residue::<M>(found).canonical(), expected.canonical());
                }
            }
        }
        // Sums of such products, of none, one, and as many as there may be, the largest ones among them; and these with a value below 2p.
        let largest = [sub_limbs(M::P, [1, 0, 0, 0]).0; MAX_WIDTH];
        for elements in
            [largest, eight(&all, 5).map(|limbs| Residue::<M>::from_montgomery(limbs).canonical())]
        {
            let shifted =
                Radix52::<Q, M>::shifted_factors(std::array::from_fn(|i| Residue::at(&elements[i])));
            let (value, other) = (times(2, -1), times(2, -1));
            let factor = Radix52::<Q, M>::of_product(columns(value));
            for count in [0, 1, SUMMED] {
                let sum = Radix52::<Q, M>::sum_of_products(&vec![factor; count], &vec![shifted; count]);
                let reduced = Radix52::<Q, M>::reduced(Radix52::<Q, M>::plus(sum, columns(other)));
                let [sum, reduced] = [sum, reduced].map(|sum| Limits::<Q, M>::lanes(sum.0));
                for ((sum, reduced), element) in sum.into_iter().zip(reduced).zip(elements) {
                    assert!(below(carried(sum), times(16, 0)), "{count}: {sum:x?}");
                    assert!(below(carried(reduced), times(2, 0)), "{count}: {reduced:x?}");
                    let product = residue::<M>(value).mul(Residue::from_montgomery(element));
                    let expected = (0..count).fold(Residue::ZERO, |sum: Residue<M>, _| sum.add(product));
                    assert_eq!(residue::<M>(sum).canonical(), expected.canonical());
                    let expected = expected.add(residue::<M>(other));
                    assert_eq!(residue::<M>(reduced).canonical(), expected.canonical());
                }
            }
        }
        // Products of values below 2p, of either kind of columns: carried, and of products.
        let below_two = [(0, 0), (0, 1), (1, -1), (1, 0), (1, 1), (2, -1)];
        for (a, b) in below_two.into_iter().flat_map(|a| below_two.map(|b| (a, b))) {
            let [x, y] = [a, b].map(|(multiple, near)| times(multiple, near));
            let product = Radix52::<Q, M>::times(columns(x), columns(y));
            let again = Radix52::<Q, M>::times(product, product);
            let expected = residue::<M>(x).mul(residue::<M>(y));
            for (found, expected) in [(product, expected), (again, expected.mul(expected))] {
                for found in Limits::<Q, M>::lanes(found.0) {
                    assert!(below(carried(found), times(2, 0)), "{a:?} {b:?}: {found:x?}");
                    assert_eq!(residue::<M>(found).canonical(), expected.canonical(), "{a:?} {b:?}");
                }
            }
        }
        for (multiple, near) in [(0, 0), (0, 1), (1, -1), (1, 0), (1, 1), (2, -1)] {
            let value = times(multiple, near);
            for found in Limits::<Q, M>::lanes(Radix52::<Q, M>::canonical(columns(value)).0) {
                assert!(below(found, p), "{multiple} {near}");
                assert_eq!(residue::<M>(found).canonical(), residue::<M>(value).canonical());
            }
        }
    }
}

/// What transforms over lazy primes do with single elements, at the limits of those. Others do nothing that is not tried elsewhere.
pub(super) fn single_elements<M: MontgomeryField>() {
    type Single<M> = Scalar<M>;
    let near = |limbs: Limbs| [sub_limbs(limbs, [1, 0, 0, 0]).0, limbs, add_limbs(limbs, [1, 0, 0, 0]).0];
    if !M::LAZY {
        return;
    }
    let multiples = (0..6).scan([0; 4], |multiple, _| {
        let this = *multiple;
        *multiple = add_limbs(this, M::P).0;
        Some(this)
    });
    let all = multiples.chain((0..32).map(|upper| [0, 0, 0, upper << 59])).flat_map(near);
    let reduced = |limbs: Limbs| Residue::<M>::from_integer(limbs).canonical();
    let two_p = add_limbs(M::P, M::P).0;
    let [small, _, _] = near(add_limbs(M::P, [0, 0, 0, 1 << 59]).0);
    let root = Residue::<M>::from_integer([3, 5, 7, 1 << 60]);
    let rows = Single::<M>::TWIDDLES.limbs(root);
    for limbs in all.chain([[u64::MAX; 4]]) {
        let value = Residue::<M>::from_montgomery(limbs);
        for found in
            [Single::<M>::before_two_layers(value), Single::<M>::below_2p(value)].map(Residue::lazy_limbs)
        {
            assert!(!is_below(small, found), "{limbs:x?}: {found:x?}");
            assert_eq!(reduced(found), reduced(limbs));
        }
        let canonical = Single::<M>::canonical(Single::<M>::below_2p(value)).lazy_limbs();
        assert!(is_below(canonical, M::P), "{limbs:x?}");
        let expected = Residue::<M>::from_integer(limbs).mul(root).canonical();
        assert_eq!(
            reduced(Single::<M>::times_twiddle(value, Single::<M>::twiddle(&rows)).lazy_limbs()),
            expected
        );
    }
    // Anything that wraps changes the residue.
    let integer = Residue::<M>::from_integer;
    let differ = |[sum, difference]: [Residue<M>; 2], [a, b]: [Limbs; 2]| {
        let expected = [integer(a).add(integer(b)), integer(a).sub(integer(b))].map(Residue::canonical);
        assert_eq!([sum, difference].map(|found| reduced(found.lazy_limbs())), expected);
        [sum, difference].map(Residue::lazy_limbs)
    };
    let products = [[0; 4], M::P, near(two_p)[0]];
    for first in products {
        let [small, b] = [small, first].map(Residue::from_montgomery);
        for middle in differ(Single::<M>::butterfly(small, b), [small.lazy_limbs(), first]) {
            for second in products {
                let [a, b] = [middle, second].map(Residue::from_montgomery);
                for end in differ(Single::<M>::butterfly(a, b), [middle, second]) {
                    let times_twiddle = Single::<M>::times_twiddle(
                        Residue::from_montgomery(end),
                        Single::<M>::twiddle(&rows),
                    );
                    assert!(is_below(times_twiddle.lazy_limbs(), two_p));
                }
            }
        }
    }
}
