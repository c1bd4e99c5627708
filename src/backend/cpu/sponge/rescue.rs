//! Rescue Prime and its kin on doubles.

use std::hint::black_box;

use super::element::Element;
use super::linear::{Circulant, Dense, Linear};
use super::{Doubles, OnDoubles, State, add_round_constants, inverse_s_box_layer, s_box_layer};
use crate::hash::rescue_constants::{self, ROUNDS, WIDTH};
use crate::hash::{Rp64_256, Rp64_256V2021, RpJive64_256, Rpo256, Rpx256, rp_jive_constants, rpo_constants};

impl OnDoubles<WIDTH> for Rp64_256 {
    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, WIDTH>) {
        use rescue_constants::{ARK1, ARK2};
        rescue_prime::<Circulant, D, WIDTH>(state, &ARK1, &ARK2);
    }
}

impl OnDoubles<WIDTH> for Rp64_256V2021 {
    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, WIDTH>) {
        use rescue_constants::{ARK1, ARK2};
        rescue_prime::<Dense, D, WIDTH>(state, &ARK1, &ARK2);
    }
}

impl OnDoubles<8> for RpJive64_256 {
    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, 8>) {
        use rp_jive_constants::{ARK1, ARK2};
        rescue_prime::<Circulant, D, 8>(state, &ARK1, &ARK2);
    }
}

impl OnDoubles<WIDTH> for Rpo256 {
    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, WIDTH>) {
        for round in 0..ROUNDS {
            optimized_round::<D>(state, round);
        }
        normalise(state);
    }
}

impl OnDoubles<WIDTH> for Rpx256 {
    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, WIDTH>) {
        for round in (0..6).step_by(2) {
            optimized_round::<D>(state, round);
            add_round_constants(state, &rpo_constants::ARK1[round + 1]);
            // Unrolled, the code of a permutation would exceed the instruction cache.
            let triples = state.as_chunks_mut::<3>().0;
            for triple in &mut triples[..black_box(WIDTH / 3)] {
                *triple = cubic_seventh_power(triple);
            }
        }
        *state = Circulant::times(state);
        add_round_constants(state, &rpo_constants::ARK1[6]);
    }
}

/// S-boxes, then linear layers.
#[inline(always)]
fn rescue_prime<L: Linear<N>, D: Doubles, const N: usize>(
    state: &mut State<D, N>,
    ark1: &[[u64; N]; ROUNDS],
    ark2: &[[u64; N]; ROUNDS],
) {
    for (ark1, ark2) in ark1.iter().zip(ark2) {
        s_box_layer::<D, N>(state);
        *state = L::times(state);
        add_round_constants(state, ark1);
        inverse_s_box_layer::<D, N>(state);
        *state = L::times(state);
        add_round_constants(state, ark2);
    }
}

/// Linear layers, then S-boxes; what the last of them returns is not normalised, and need not be before the next layer.
#[inline(always)]
fn optimized_round<D: Doubles>(state: &mut State<D, WIDTH>, round: usize) {
    *state = Circulant::times(state);
    add_round_constants(state, &rpo_constants::ARK1[round]);
    s_box_layer::<D, WIDTH>(state);
    *state = Circulant::times(state);
    add_round_constants(state, &rpo_constants::ARK2[round]);
    inverse_s_box_layer::<D, WIDTH>(state);
}

#[inline(always)]
fn normalise<D: Doubles, const N: usize>(state: &mut State<D, N>) {
    for word in state {
        *word = word.normalise();
    }
}

/// The 7th power of an element of the cubic extension, as its coefficients; normalised in and out.
///
/// Sizes, in the units of [`element`](super::element): normalised words are at most 1.74, so a product of sums of two is at most 8.1,
/// and what is added up in one coefficient below 40: far from what normalisation can bear.
#[inline(always)]
fn cubic_seventh_power<D: Doubles>(x: &[Element<D>; 3]) -> [Element<D>; 3] {
    let cube = cubic_product(&cubic_square(x), x);
    cubic_product(&cubic_square(&cube), x)
}

#[inline(always)]
fn cubic_square<D: Doubles>([a0, a1, a2]: &[Element<D>; 3]) -> [Element<D>; 3] {
    let (s0, s1, s2) = (a0.square(), a1.square(), a2.square());
    let (p01, p02, p12) = (a0.multiply(*a1), a0.multiply(*a2), a1.multiply(*a2));
    let twice_p12 = p12.plus(p12);
    // x^3 = x + 1 and x^4 = x^2 + x.
    [
        s0.plus(twice_p12).normalise(),
        p01.plus(p01).plus(twice_p12).plus(s2).normalise(),
        p02.plus(p02).plus(s1).plus(s2).normalise(),
    ]
}

/// By Karatsuba's method, as the product of [`Cubic`](crate::field::Cubic) is.
#[inline(always)]
fn cubic_product<D: Doubles>(
    [a0, a1, a2]: &[Element<D>; 3],
    [b0, b1, b2]: &[Element<D>; 3],
) -> [Element<D>; 3] {
    let (p0, p1, p2) = (a0.multiply(*b0), a1.multiply(*b1), a2.multiply(*b2));
    let c1 = a0.plus(*a1).multiply(b0.plus(*b1)).minus(p0.plus(p1));
    let c2 = a0.plus(*a2).multiply(b0.plus(*b2)).minus(p0.plus(p2)).plus(p1);
    let c3 = a1.plus(*a2).multiply(b1.plus(*b2)).minus(p1.plus(p2));
    [p0.plus(c3).normalise(), c1.plus(c3).plus(p2).normalise(), c2.plus(p2).normalise()]
}
