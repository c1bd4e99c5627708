//! Every implementation against the four-limb arithmetic and against exact integers.

use std::marker::PhantomData;

use bytemuck::Zeroable;

use super::pairs_52::{Pairs52, VectorisedPrime};
use super::radix_52::{Carried, Columns, Limbs52, split};
use super::*;
use crate::backend::cpu::Simd;
use crate::backend::cpu::quadwords::{Portable, Quadwords};
use crate::backend::cpu::simd::{Vectorised, on_vectors};
use crate::field::coordinates::{CoefficientLimbs, CoordinateField, LazyElement};
use crate::field::integer::{Integer, add_limbs, half, is_below, sub_limbs};
use crate::field::montgomery::Modulus;
use crate::field::prime::{CoordinatePrime, cast};
use crate::field::quadratic::QuadraticExtension;

const MASK: u64 = (1 << 52) - 1;

/// Limbs of 52 bits.
type Five = [u64; 5];

/// Pseudo-random words: SplitMix64.
fn words(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

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
    let mut word = words(3);
    values.extend((0..60).map(|_| {
        let mut limbs = M::Limbs::ZERO;
        limbs.as_mut().fill_with(&mut word);
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

/// The operations on values below the bound.
struct Operations<R>(PhantomData<R>);

impl<R: Coordinates> Vectorised<R> for Operations<R> {
    #[inline(always)]
    fn run(self) {
        let values = elements::<R::Element>();
        let p = <<R::Element as LazyElement>::Field as CoordinateField>::Prime::P;
        let bound = Residue::<<<R::Element as LazyElement>::Field as CoordinateField>::Prime>::BOUND;
        // What a product lacks of the four-limb arithmetic's.
        let half = R::Element::of_prime(Residue::from_word(2)).inverse().expect("2 is not zero");
        let scale = half.pow(&[2 * u64::from(R::SHIFT)]);
        let shift = R::Element::of_prime(Residue::from_word(1 << R::SHIFT));
        let expect = |what: &str, found: [R::Element; MAX_WIDTH], expected: &dyn Fn(usize) -> R::Element| {
            for (lane, found) in found.iter().enumerate().take(R::WIDTH) {
                assert!(
                    lazy(found).iter().all(|limbs| limbs.is_below(bound)),
                    "{what}: {found:x?} is not below the bound"
                );
                let expected = expected(lane).canonical_limbs();
                assert_eq!(found.canonical_limbs(), expected, "{what}, lane {lane}");
            }
        };
        for i in 0..values.len() {
            for j in 0..values.len() {
                let (a, b, c) = (eight(&values, i), eight(&values, j), eight(&values, i + 3 * j));
                let (x, y, z) = (of::<R>(&a), of::<R>(&b), of::<R>(&c));
                assert!(R::rows(x)[..R::WIDTH].iter().zip(&a).all(|(found, a)| lazy(found) == lazy(a)));
                let [f, g] = [&a, &b].map(|rows| R::factors(std::array::from_fn(|i| &rows[i])));
                let product = R::product(f, g);
                expect("product", R::rows_of_factors(R::of_product(product)), &|i| a[i].mul(b[i]).mul(scale));
                expect("square", R::rows_of_factors(R::of_product(R::square(f))), &|i| {
                    a[i].square().mul(scale)
                });
                expect("difference", R::rows_of_factors(R::difference(x, y)), &|i| a[i].sub(b[i]));
                expect("shifted difference", R::rows_of_factors(R::shifted_difference(x, y)), &|i| {
                    a[i].sub(b[i]).mul(shift)
                });
                let reduced = R::reduced(R::minus(R::minus(product, y), z));
                expect("product minus two", R::rows(reduced), &|i| {
                    a[i].mul(b[i]).mul(scale).sub(b[i]).sub(c[i])
                });
                let once = R::reduced(R::minus(R::square(R::difference(x, y)), z));
                expect("square minus one", R::rows(once), &|i| a[i].sub(b[i]).square().mul(scale).sub(c[i]));
                let lanes = 0b1101_0010_u8.rotate_left((i + j) as u32);
                let negated = R::negated_where(x, lanes);
                let difference = R::rows_of_factors(R::difference(y, negated));
                expect("negated", difference, &|i| b[i].sub(a[i].negated_if(lanes >> i & 1 == 1)));
                let (equal, zero) = (R::may_be_equal(x, y), R::may_be_zero(x));
                for lane in 0..R::WIDTH {
                    let (a, b) = (&a[lane], &b[lane]);
                    assert!(equal >> lane & 1 == 1 || !a.sub(*b).is_zero(), "{a:x?} {b:x?}");
                    // The edges share their lowest bits; random values do not.
                    let near = lazy(a).iter().zip(lazy(b)).all(|(a, b)| {
                        let [a, b, p] = [a.as_ref()[0], b.as_ref()[0], p.as_ref()[0]];
                        let lows = [0, p, p.wrapping_neg()];
                        lows.iter().any(|&low| a.wrapping_sub(b).wrapping_sub(low) & MASK == 0)
                    });
                    assert!(near || equal >> lane & 1 == 0, "{a:x?} {b:x?}");
                    assert!(zero >> lane & 1 == 1 || !a.has_no_bits());
                    assert!(
                        zero >> lane & 1 == 0 || lazy(a).iter().all(|limbs| limbs.as_ref()[0] & MASK == 0)
                    );
                }
            }
        }
        expect("splat", R::rows_of_factors(R::splat(R::Element::ONE)), &|_| R::Element::ONE);
    }
}

/// A long chain in which each result is an operand of the next steps.
struct Chain<R>(PhantomData<R>);

impl<R: Coordinates> Vectorised<R> for Chain<R> {
    #[inline(always)]
    fn run(self) {
        let values = elements::<R::Element>();
        let fours = R::Element::of_prime(Residue::from_word(1 << (2 * R::SHIFT)));
        let [mut a, mut b] = [eight(&values, 7), eight(&values, 60)];
        let [mut x, mut y] = [of::<R>(&a), of::<R>(&b)];
        for step in 0..20_000 {
            let d = R::difference(x, y);
            let p = R::of_product(R::product(d, R::shifted_difference(y, x)));
            let next = R::reduced(R::minus(R::minus(R::product(p, d), x), y));
            (x, y) = (y, next);
            for lane in 0..R::WIDTH {
                let [ra, rb] = [a[lane], b[lane]];
                let d = ra.sub(rb);
                // Times 2^SHIFT and twice divided by 2^(2 SHIFT), so that the powers of 2 are on the other side.
                let shift = R::Element::of_prime(Residue::from_word(1 << R::SHIFT));
                let product = d.mul(rb.sub(ra)).mul(shift).mul(d);
                let found = R::rows(next)[lane];
                let known = found.add(ra).add(rb).mul(fours).mul(fours);
                assert_eq!(known.canonical_limbs(), product.canonical_limbs(), "step {step}, lane {lane}");
                (a[lane], b[lane]) = (b[lane], found);
            }
        }
    }
}

/// Products of any limbs, and reduction of any columns, against exact integers.
struct Limits<Q, M>(PhantomData<(Q, M)>);

impl<Q: Quadwords, M: MontgomeryField> Limits<Q, M> {
    fn vector(words: [u64; MAX_WIDTH]) -> Q {
        let rows = words.map(|word| [word; 4]);
        Q::columns(std::array::from_fn(|i| &rows[i]))[0]
    }

    /// Five limbs of every lane.
    fn vectors(lanes: &[Five; MAX_WIDTH]) -> [Q; 5] {
        std::array::from_fn(|limb| Self::vector(lanes.map(|limbs| limbs[limb])))
    }

    fn lanes(vectors: [Q; 5]) -> Vec<[i128; 5]> {
        let rows = vectors.map(|vector| Q::rows([vector; 4]));
        (0..Q::WIDTH).map(|lane| rows.map(|rows| i128::from(rows[lane][0] as i64))).collect()
    }
}

/// An integer in columns as limbs, the highest with what is left over.
fn carried(columns: [i128; 5]) -> [i128; 5] {
    let mut limbs = columns;
    for i in 0..4 {
        limbs[i + 1] += limbs[i] >> 52;
        limbs[i] &= i128::from(MASK);
    }
    limbs
}

/// Whether a < b, for limbs that are carried.
fn below(a: [i128; 5], b: [i128; 5]) -> bool {
    a.iter().rev().cmp(b.iter().rev()).is_lt()
}

impl<Q: Quadwords, M: MontgomeryField> Vectorised<Q> for Limits<Q, M> {
    #[inline(always)]
    fn run(self) {
        let mut word = words(5);
        // Limbs of ones, of zeros, single bits at the ends, and limbs that make the reduction's multiples all ones.
        let mut edges: Vec<Five> = vec![[MASK; 5], [0; 5], [1, 0, 0, 0, 0], [0, 0, 0, 0, MASK]];
        edges
            .extend((0..32_u32).map(|set| std::array::from_fn(|i| if set >> i & 1 == 1 { MASK } else { 0 })));
        edges
            .extend((0..32_u32).map(|set| std::array::from_fn(|i| if set >> i & 1 == 1 { MASK } else { 1 })));
        edges.extend((0..5).flat_map(|i| {
            [0, 1, 26, 51].map(|bit| std::array::from_fn(|j| if i == j { 1 << bit } else { 0 }))
        }));
        edges.extend((0..40).map(|_| std::array::from_fn(|_| word() & MASK)));
        let p = split(M::P).map(i128::from);
        // Products divide by 2^4 more than those of four limbs.
        let half = Residue::<M>::from_integer(add_limbs(half(M::P), [1, 0, 0, 0]).0);
        let inverse = half.square().square();
        for i in 0..edges.len() {
            for j in 0..edges.len() {
                let lane = |at: usize| std::array::from_fn(|lane| edges[(at + 29 * lane) % edges.len()]);
                let (a, b): ([Five; MAX_WIDTH], [Five; MAX_WIDTH]) = (lane(i), lane(j));
                // Bits above the lower 52 do not count in factors.
                let dirty = a.map(|limbs| limbs.map(|limb| limb | (word() << 52)));
                let x = Carried(Self::vectors(&dirty));
                let y = Carried(Self::vectors(&b));
                let product = Self::lanes(Radix52::<Q, M>::product(x, y).0);
                let square = Self::lanes(Radix52::<Q, M>::square(x).0);
                for lane in 0..Q::WIDTH {
                    let [ra, rb] = [a[lane], b[lane]].map(|limbs| residue::<M>(limbs.map(i128::from)));
                    for (found, factor, limbs) in [(product[lane], rb, b[lane]), (square[lane], ra, a[lane])]
                    {
                        assert!(found.iter().all(|&column| (0..1 << 57).contains(&column)));
                        // Residues are products' Montgomery forms: a b / 2^256, and 2^-4 of that.
                        assert_eq!(
                            residue::<M>(found).canonical(),
                            ra.mul(factor).mul(inverse).canonical(),
                            "{:x?} {limbs:x?}",
                            a[lane]
                        );
                        // Below a b / R + 8p/7, that is, with a and b below 2^260, below min(a, b) + 2p.
                        let least = if below(a[lane].map(i128::from), limbs.map(i128::from)) {
                            a[lane]
                        } else {
                            limbs
                        };
                        let bound: [i128; 5] = std::array::from_fn(|i| i128::from(least[i]) + 2 * p[i]);
                        assert!(below(carried(found), carried(bound)), "{:x?} {limbs:x?}", a[lane]);
                    }
                }
            }
        }
        // Differences of values at their limits: product below 3p, subtrahends below 2p, columns of any form.
        let limits = [[0, 0, 0], [3, 0, 0], [0, 2, 2], [3, 2, 2], [0, 2, 0], [1, 1, 0], [1, 1, 1], [2, 2, 0]];
        for limit in limits {
            for near in [-1, 0, 1] {
                let times = |multiple: i128| {
                    let mut value = p.map(|limb| limb * multiple);
                    value[0] += if multiple > 0 { near.min(0) } else { near.max(0) };
                    carried(value)
                };
                let [a, b, c] = limit.map(times);
                // The product's columns overlap, as real ones do.
                let mut overlapping = a;
                for i in 0..4 {
                    let moved = (a[i + 1] & 0xf).min(a[i + 1]);
                    (overlapping[i], overlapping[i + 1]) =
                        (overlapping[i] + (moved << 52), overlapping[i + 1] - moved);
                }
                let columns =
                    |limbs: [i128; 5]| Columns(Self::vectors(&[limbs.map(|limb| limb as u64); MAX_WIDTH]));
                let difference = Radix52::<Q, M>::minus(
                    Radix52::<Q, M>::minus(columns(overlapping), columns(b)),
                    columns(c),
                );
                let found = Self::lanes(Radix52::<Q, M>::reduced(difference).0);
                let expected: [i128; 5] = std::array::from_fn(|i| a[i] - b[i] - c[i]);
                for found in found {
                    assert!(found.iter().all(|&limb| (0..1 << 52).contains(&limb)), "{limit:?} {near}");
                    assert!(below(found, carried(p.map(|limb| 2 * limb))), "{limit:?} {near}: {found:x?}");
                    assert_eq!(residue::<M>(found).canonical(), residue::<M>(expected).canonical());
                }
            }
        }
    }
}

/// Products of pairs at the limits of their coefficients, which are multiples of p.
struct PairLimits<Q, F>(PhantomData<(Q, F)>);

impl<Q: Quadwords, F: QuadraticExtension<Prime: MontgomeryField>> Vectorised<Q> for PairLimits<Q, F> {
    #[inline(always)]
    fn run(self) {
        let p = split(F::Prime::P).map(i128::from);
        // One less where a multiple is the limit.
        let times = |multiple: i128| {
            let mut value = p.map(|limb| limb * multiple);
            value[0] -= i128::from(multiple > 0);
            carried(value)
        };
        let factor = |coefficients: [i128; 2]| {
            let limbs = coefficients.map(|multiple| times(multiple).map(|limb| limb as u64));
            limbs.map(|limbs| Carried(Limits::<Q, F::Prime>::vectors(&[limbs; MAX_WIDTH])))
        };
        let expect = |what: &str, found: [Columns<Q>; 2]| {
            for coefficient in found {
                for found in Limits::<Q, F::Prime>::lanes(coefficient.0) {
                    assert!(carried(found)[4] >= 0 && below(carried(found), times(3)), "{what}: {found:x?}");
                }
            }
        };
        let corners = |most: i128| [[0, 0], [0, most], [most, 0], [most, most]];
        // Products below 3p and differences below 4p; a slope and a shifted difference.
        for (a, b) in [(3, 4), (4, 4), (3, 16), (4, 16)] {
            for [x, y] in corners(a).into_iter().flat_map(|x| corners(b).map(|y| [x, y])) {
                expect(
                    &format!("{x:?} times {y:?}"),
                    Pairs52::<Q, F, 4, 5, 10>::product(factor(x), factor(y)),
                );
            }
        }
        for x in corners(4) {
            expect(&format!("the square of {x:?}"), Pairs52::<Q, F, 4, 5, 10>::square(factor(x)));
        }
    }
}

/// What transforms do with values, at the limits of those.
struct Transforms<Q, M>(PhantomData<(Q, M)>);

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
fn single_elements<M: MontgomeryField>() {
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

/// Of eight limbs: products of factors at their limits, and reduction of any columns, against the arithmetic of six limbs.
struct WideLimits<Q, M>(PhantomData<(Q, M)>);

impl<Q: Quadwords, M: VectorisedField + CoordinatePrime + Modulus<Limbs = [u64; 6]>> Vectorised<Q>
    for WideLimits<Q, M>
{
    #[inline(always)]
    fn run(self) {
        type Wide<Q, M> = Limbs52<Q, M, 6, 8, 16>;
        let p: [i128; 8] = split::<6, 8>(M::P).map(i128::from);
        let carry = |mut limbs: [i128; 8]| {
            for i in 0..7 {
                limbs[i + 1] += limbs[i] >> 52;
                limbs[i] &= i128::from(MASK);
            }
            limbs
        };
        // A multiple of p, or a little more or less.
        let times = |multiple: i128, near: i128| {
            let mut value = p.map(|limb| limb * multiple);
            value[0] += near;
            carry(value)
        };
        let vector = |word: i128| Q::splat(word as u64);
        let vectors = |limbs: [i128; 8]| limbs.map(vector);
        let lanes = |vectors: [Q; 8]| vectors.map(|vector| i128::from(Q::rows([vector; 4])[0][0] as i64));
        let below = |a: [i128; 8], b: [i128; 8]| carry(a).iter().rev().cmp(carry(b).iter().rev()).is_lt();
        // The residue whose Montgomery form is the integer.
        let shift = Residue::<M>::from_word(1 << 52);
        let residue = |limbs: [i128; 8]| {
            limbs.iter().rev().fold(Residue::<M>::ZERO, |sum, &limb| {
                let magnitude = limb.unsigned_abs();
                let integer = [magnitude as u64, (magnitude >> 64) as u64, 0, 0, 0, 0];
                sum.mul(shift).add(Residue::from_montgomery(integer).negated_if(limb < 0))
            })
        };
        let by_shift = Residue::<M>::from_word(1 << 32).inverse().expect("2 is not zero");
        let limits = [(0, 0), (0, 1), (1, -1), (1, 0), (1, 1), (2, -1), (3, -1), (4, -1), (1 << 18, -1)];
        for (x, y) in limits.into_iter().flat_map(|x| limits.map(|y| (times(x.0, x.1), times(y.0, y.1)))) {
            let [a, b] = [x, y].map(|limbs| Carried(vectors(limbs.map(|limb| limb | 0x5a5 << 52))));
            let product = lanes(Wide::<Q, M>::product(a, b).0);
            assert!(product.iter().all(|column| (0..1 << 57).contains(column)), "{x:x?} {y:x?}");
            // With two shifted differences, which nothing multiplies, below 3p.
            let shifted = !below(x, times(5, 0)) && !below(y, times(5, 0));
            assert!(below(product, times(if shifted { 3 } else { 2 }, 0)), "{x:x?} {y:x?}");
            let expected = residue(x).mul(residue(y)).mul(by_shift);
            assert_eq!(residue(product).canonical(), expected.canonical(), "{x:x?} {y:x?}");
            let square = lanes(Wide::<Q, M>::square(a).0);
            assert_eq!(residue(square).canonical(), residue(x).square().mul(by_shift).canonical(), "{x:x?}");
        }
        // Limbs of ones and zeros, as factors: below R.
        let mut word = words(9);
        for set in 0..1_u32 << 8 {
            let limbs = std::array::from_fn(|i| if set >> i & 1 == 1 { i128::from(MASK) } else { 0 });
            let other = std::array::from_fn(|_| i128::from(word() & MASK));
            for other in [limbs, other] {
                let product =
                    lanes(Wide::<Q, M>::product(Carried(vectors(limbs)), Carried(vectors(other))).0);
                let expected = residue(limbs).mul(residue(other)).mul(by_shift);
                assert_eq!(residue(product).canonical(), expected.canonical(), "{limbs:x?} {other:x?}");
            }
        }
        // What is reduced: from p on to 2^10 p, around every multiple, and columns that overlap; what is larger, twice.
        for multiple in (1..40).chain([100, 255, 256, 1000, 1023, 4095, 8191, 1 << 18]) {
            for near in [-1, 0, 1, 1 << 50] {
                let near = if multiple == 1 { near.max(0) } else { near };
                let value = times(multiple, near);
                let mut overlapping = value;
                for i in 0..7 {
                    let moved = (value[i + 1] & 0xf).min(value[i + 1]);
                    (overlapping[i], overlapping[i + 1]) =
                        (overlapping[i] + (moved << 52), overlapping[i + 1] - moved);
                }
                for columns in [value, overlapping] {
                    let mut found = lanes(Wide::<Q, M>::less(vectors(columns)));
                    if multiple > 1 << 10 {
                        found = lanes(Wide::<Q, M>::less(vectors(std::array::from_fn(|i| found[i] + p[i]))));
                    }
                    assert!(found.iter().all(|limb| (0..1 << 52).contains(limb)), "{multiple} {near}");
                    assert!(below(found, times(2, 0)), "{multiple} {near}: {found:x?}");
                    assert_eq!(residue(found).canonical(), residue(value).canonical(), "{multiple} {near}");
                }
            }
        }
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
