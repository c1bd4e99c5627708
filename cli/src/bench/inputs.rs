//! Inputs of measurements: the same in every run, and for every number of ranks.

use std::ops::Range;

use zkaccel::curve::affine;
use zkaccel::field::{Goldilocks, ScalarField};
use zkaccel::msm::AcceleratedCurve;

/// Fills memory with pseudo-random elements, those from a number on: Steele, Lea and Flood's SplitMix64 (OOPSLA 2014) from seed 0.
pub(crate) fn fill(words: &mut [Goldilocks], first: usize) {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = STEP.wrapping_mul(first as u64);
    for word in words {
        state = state.wrapping_add(STEP);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *word = Goldilocks::new(z ^ (z >> 31));
    }
}

/// Some of these elements.
pub(crate) fn words(numbers: Range<usize>) -> Vec<Goldilocks> {
    let mut words = vec![Goldilocks::default(); numbers.len()];
    fill(&mut words, numbers.start);
    words
}

/// The words of an element.
pub(crate) const fn words_of<F: ScalarField>() -> usize {
    size_of::<F>() / size_of::<u64>()
}

/// Practically uniform elements, each of as many words as it has.
pub(crate) fn uniform<F: ScalarField>(words: &[Goldilocks]) -> Vec<F> {
    let base = F::from(1 << 32) * F::from(1 << 32);
    let of = |words: &[Goldilocks]| {
        let digits = words.iter().rev().map(|word| F::from(word.as_u64()));
        digits.reduce(|sum, digit| sum * base + digit).expect("a digit or more")
    };
    words.chunks_exact(words_of::<F>()).map(of).collect()
}

/// Multiples of the generator, G times 1, 2, 3, ... .
pub(crate) fn bases<C: AcceleratedCurve>(count: usize) -> Vec<C> {
    let generator = C::generator();
    let mut bases = Vec::with_capacity(count);
    let mut next = C::Projective::from(generator);
    // In pieces: projective points are larger, and one inversion serves a piece.
    while bases.len() < count {
        let piece = (count - bases.len()).min(1 << 12);
        let points: Vec<_> =
            std::iter::successors(Some(next), |point| Some(*point + generator)).take(piece + 1).collect();
        next = points[piece];
        bases.extend(affine(&points[..piece]));
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_the_whole() {
        let all = words(0..100);
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!([words(0..37), words(37..100)].concat(), all);
    }
}
