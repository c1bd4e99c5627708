//! Poseidon2 on doubles.
//!
//! # States side by side
//!
//! In a partial round one word goes through an S-box, whose operations wait for each other, and the other words wait for that. So several vectors of states go through
//! these rounds together: the S-boxes of all of them, then their linear layers.
//!
//! # Sizes
//!
//! In the units of [`element`](super::element): normalised words are at most 1.74, a 7th power of one at most 20, and the external linear layer
//! makes 28 times that at most, which is normalised. In a partial round the first word is normalised each time; the others only every fourth,
//! because the internal layer adds at most four times a word and the sum of all: sizes go to about 50, 800, 12 000 and 180 000, coordinates
//! below 2^50. The test of sizes adds this up.

use super::element::Element;
use super::{Doubles, OnDoubles, State, add_round_constants, s_box_layer, splat};
use crate::hash::poseidon2::{Constants, OF_8, OF_12, outer};
use crate::hash::poseidon2_constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS};
use crate::hash::rescue_power_maps::seventh_powers;
use crate::hash::{Poseidon2_8, Poseidon2_12};

/// A normalisation of all words comes after every so many partial rounds.
const NORMALISE_EVERY: usize = 4;

/// Vectors of states that go through the rounds together.
const TOGETHER: usize = 4;

impl OnDoubles<8> for Poseidon2_8 {
    const TOGETHER: usize = TOGETHER;

    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, 8>) {
        permute(std::array::from_mut(state), &OF_8);
    }

    #[inline(always)]
    fn permute_states<D: Doubles>(states: &mut [State<D, 8>]) {
        permute_all(states, &OF_8);
    }
}

impl OnDoubles<12> for Poseidon2_12 {
    const TOGETHER: usize = TOGETHER;

    #[inline(always)]
    fn permute_doubles<D: Doubles>(state: &mut State<D, 12>) {
        permute(std::array::from_mut(state), &OF_12);
    }

    #[inline(always)]
    fn permute_states<D: Doubles>(states: &mut [State<D, 12>]) {
        permute_all(states, &OF_12);
    }
}

#[inline(always)]
fn permute_all<D: Doubles, const N: usize>(states: &mut [State<D, N>], constants: &Constants<N>) {
    let (together, rest) = states.as_chunks_mut::<TOGETHER>();
    for states in together {
        permute(states, constants);
    }
    for state in rest {
        permute(std::array::from_mut(state), constants);
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see below")]
fn permute<D: Doubles, const N: usize, const M: usize>(
    states: &mut [State<D, N>; M],
    constants: &Constants<N>,
) {
    for state in states.iter_mut() {
        external_linear_layer(state);
        full_rounds(state, &constants.initial);
    }
    for (round, &constant) in constants.partial.iter().enumerate() {
        // By indices: an iterator over an array of vectors moves them through memory, in pieces that are stored otherwise than they are loaded, which took a fifth of all time.
        let mut first = [states[0][0]; M];
        for i in 0..M {
            first[i] = states[i][0].plus(splat(constant)).normalise();
        }
        first = seventh_powers(&first);
        for i in 0..M {
            let state = &mut states[i];
            state[0] = first[i];
            internal_linear_layer(state, &constants.diagonal);
            if round % NORMALISE_EVERY == NORMALISE_EVERY - 1 && round + 1 < PARTIAL_ROUNDS {
                normalise(&mut state[1..]);
            }
        }
    }
    for state in states {
        full_rounds(state, &constants.terminal);
    }
}

/// Full rounds, normalised in the end.
#[inline(always)]
fn full_rounds<D: Doubles, const N: usize>(
    state: &mut State<D, N>,
    constants: &[[u64; N]; HALF_FULL_ROUNDS],
) {
    for constants in constants {
        add_round_constants(state, constants);
        match N {
            // What does not fit into registers costs less than to wait for half as many S-boxes.
            8 => *state = seventh_powers(state),
            _ => s_box_layer::<D, N>(state),
        }
        external_linear_layer(state);
    }
    normalise(state);
}

#[inline(always)]
fn normalise<D: Doubles>(words: &mut [Element<D>]) {
    for word in words {
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
            _ => word.divided_plus(factor, shift, sum),
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
            let coordinate = |size: f64| size * 2f64.powi(31) * 2.0 / 3f64.sqrt();
            for _ in 0..NORMALISE_EVERY {
                sizes[0] = 20.0;
                let sum: f64 = sizes.iter().sum();
                for (size, &(factor, shift)) in sizes.iter_mut().zip(&constants.diagonal) {
                    let factor = f64::from(factor.abs());
                    // A division leaves a normalised word beside what is carried; the sum of both coordinates is rounded to an integer after it.
                    assert!(shift == 0 || 2.0 * coordinate(*size) < 2f64.powi(51));
                    let low = if shift > 0 { factor * normalised } else { 0.0 };
                    *size = *size * factor / f64::from(1 << shift) + low + sum;
                }
            }
            // What normalisation bears.
            assert!(sizes.iter().all(|&size| coordinate(size) < 2f64.powi(52)), "{sizes:?}");
        }
        check(&OF_8);
        check(&OF_12);
    }
}
