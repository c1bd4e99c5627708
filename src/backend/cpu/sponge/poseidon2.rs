//! Poseidon2 on doubles.
//!
//! # Sizes
//!
//! In the units of [`element`](super::element): normalised words are at most 1.74, a 7th power of one at most 20, and the external linear layer
//! makes 28 times that at most, which is normalised. In a partial round the first word is normalised each time; the others only every third,
//! because the internal layer adds at most four times a word and the sum of all: sizes go to about 50, 800 and 12 000, coordinates
//! below 2^45. A product with 1/2^n is made of f^-1 = 1 - f and 2^(32 - n): it makes coordinates below 2^78, still exact since that is a
//! product with a power of two, and is normalised at once. The test of sizes adds this up.

use super::element::Element;
use super::{Doubles, OnDoubles, State, add_round_constants, s_box_layer, splat};
use crate::hash::poseidon2::{Constants, OF_8, OF_12, outer};
use crate::hash::poseidon2_constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS};
use crate::hash::rescue_power_maps::seventh_powers;
use crate::hash::{Poseidon2_8, Poseidon2_12};

/// A normalisation of all words comes after every so many partial rounds.
const NORMALISE_EVERY: usize = 3;

impl OnDoubles<8> for Poseidon2_8 {
    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, 8>) {
        permute::<D, 8>(state, &OF_8);
    }
}

impl OnDoubles<12> for Poseidon2_12 {
    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, 12>) {
        permute::<D, 12>(state, &OF_12);
    }
}

#[inline(always)]
fn permute<D: Doubles, const N: usize>(state: &mut State<D, N>, constants: &Constants<N>) {
    external_linear_layer(state);
    for round in 0..HALF_FULL_ROUNDS {
        add_round_constants(state, &constants.initial[round]);
        s_box_layer::<D, N>(state);
        external_linear_layer(state);
    }
    for word in state.iter_mut() {
        *word = word.normalise();
    }
    for (round, &constant) in constants.partial.iter().enumerate() {
        [state[0]] = seventh_powers(&[state[0].plus(splat(constant)).normalise()]);
        internal_linear_layer(state, &constants.diagonal);
        if round % NORMALISE_EVERY == NORMALISE_EVERY - 1 && round + 1 < PARTIAL_ROUNDS {
            for word in state.iter_mut().skip(1) {
                *word = word.normalise();
            }
        }
    }
    for round in 0..HALF_FULL_ROUNDS {
        add_round_constants(state, &constants.terminal[round]);
        s_box_layer::<D, N>(state);
        external_linear_layer(state);
    }
    for word in state.iter_mut() {
        *word = word.normalise();
    }
}

/// The external linear layer, on each coordinate.
#[inline(always)]
fn external_linear_layer<D: Doubles, const N: usize>(state: &mut State<D, N>) {
    let (mut x0, mut x1) = ([state[0].x0; N], [state[0].x1; N]);
    for i in 0..N {
        (x0[i], x1[i]) = (state[i].x0, state[i].x1);
    }
    outer(&mut x0);
    outer(&mut x1);
    for i in 0..N {
        state[i] = Element { x0: x0[i], x1: x1[i] };
    }
}

/// The internal linear layer.
#[inline(always)]
fn internal_linear_layer<D: Doubles, const N: usize>(state: &mut State<D, N>, diagonal: &[(i32, u32); N]) {
    // Two chains, and the first word last: it is the one that comes late.
    let (mut sum, mut odd) = (state[N - 1], state[N - 2]);
    for i in (1..N - 2).rev() {
        (sum, odd) = (odd, sum.plus(state[i]));
    }
    let sum = sum.plus(odd).plus(state[0]);
    for (word, &(factor, shift)) in state.iter_mut().zip(diagonal) {
        *word = match shift {
            0 => word.times_plus(factor, sum),
            _ => word.divided(factor, shift).plus(sum),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest sizes through the partial rounds, as the module tells them.
    #[test]
    fn sizes_between_normalisations() {
        fn check<const N: usize>(constants: &Constants<N>) {
            let normalised = 1.74;
            let mut sizes = [normalised; N];
            for _ in 0..NORMALISE_EVERY {
                sizes[0] = 20.0;
                let sum: f64 = sizes.iter().sum();
                for (size, &(factor, shift)) in sizes.iter_mut().zip(&constants.diagonal) {
                    let factor = f64::from(factor.abs());
                    // A division leaves a normalised word and what is carried above it.
                    let low = if shift > 0 { 2.0 * normalised } else { 0.0 };
                    *size = *size * factor / f64::from(1 << shift) + low + sum;
                }
            }
            let coordinate = sizes.iter().copied().fold(0.0, f64::max) * 2f64.powi(31) * 2.0 / 3f64.sqrt();
            assert!(coordinate < 2f64.powi(45), "{coordinate}");
            // Twice a coordinate, for the sum of two, by at most 2^31.
            assert!(2.0 * coordinate * 2f64.powi(31) < 2f64.powi(83));
        }
        check(&OF_8);
        check(&OF_12);
    }
}
