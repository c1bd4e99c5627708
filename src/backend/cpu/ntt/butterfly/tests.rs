//! Butterflies at the limits of their values, with every implementation.

use super::super::lanes::on_lanes;
use super::*;
use crate::backend::cpu::{
    Simd,
    simd::{Vectorised, Vectors},
};
use crate::field::Field;

/// Words whose halves are extreme, as unsigned integers and as signed ones.
fn words() -> Vec<u64> {
    let halves = [0, 1, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff];
    halves.into_iter().flat_map(|high: u64| halves.map(|low| high << 32 | low)).collect()
}

/// The residue of l + 2^48 h.
fn residue(l: i64, h: i64) -> Goldilocks {
    let [l, h] = [l, h].map(|x| {
        let magnitude = Goldilocks::new(x.unsigned_abs());
        if x < 0 { -magnitude } else { magnitude }
    });
    l + h * Goldilocks::new(1 << 48)
}

fn halves<L: Lanes>(pair: Pair<L>) -> Vec<[i64; 2]> {
    let (mut l, mut h) = (vec![0; L::WIDTH], vec![0; L::WIDTH]);
    pair.l.store(&mut l);
    pair.h.store(&mut h);
    l.into_iter().zip(h).map(|(l, h)| [l as i64, h as i64]).collect()
}

fn residues<L: Lanes>(pair: Pair<L>) -> Vec<Goldilocks> {
    halves(pair).into_iter().map(|[l, h]| residue(l, h)).collect()
}

#[test]
fn factors_stand_for_what_they_should() {
    let shift = Goldilocks::new(1 << 32);
    for w in words().into_iter().map(Goldilocks::new) {
        let [w0, w1, v0, v1] = twiddle(w).map(|half| residue(half as i64, 0));
        assert_eq!((w0 + w1 * shift, v0 + v1 * shift), (w, w * shift), "{w}");
    }
    assert_eq!(residues(Pair::<super::super::lanes::Portable>::zero(1 << 24)), [Goldilocks::ZERO]);
}

/// Products and shifts at the ends of their ranges.
struct Extremes;

impl<L: Lanes> Vectorised<L> for Extremes {
    #[inline(always)]
    fn run(self) {
        let shift = Goldilocks::new(1 << 32);
        // Halves of both signs' greatest magnitude at once are of the one word that layers never make: 0, offset.
        for a in words().into_iter().filter(|&a| a != OFFSET) {
            let value = residue(a as i32 as i64, 0) + residue(a as i64 >> 32, 0) * shift;
            for w in words().into_iter().map(Goldilocks::new) {
                let product = Pair::<L>::of_product(L::splat(a), &twiddle(w));
                assert!(halves(product).iter().flatten().all(|x| x.unsigned_abs() < 1 << 49), "{a} {w}");
                assert_eq!(residues(product), vec![value * w; L::WIDTH], "{a} {w}");
            }
        }
        for l in [0, 1, (1 << 48) - 1, (1 << 53) - 1] {
            for h in [0, 1, (1 << 48) - 1, (1 << 53) - 1] {
                for exponent in (0..144).step_by(12) {
                    let shifted = Pair::<L>::splat(l, h).shifted(exponent);
                    let expected = residue(l as i64, h as i64) * Goldilocks::new(2).pow(exponent as u64);
                    assert_eq!(residues(shifted), vec![expected; L::WIDTH], "{l} {h} 2^{exponent}");
                }
            }
        }
        for l in [1 << 55, (1 << 57) - 1] {
            for h in [1 << 55, (1 << 55) + 0xffff, (1 << 57) - 1, (1 << 57) - (1 << 16)] {
                let mut found = vec![0; L::WIDTH];
                Pair::<L>::splat(l, h).word().store(&mut found);
                let expected = residue(l as i64, h as i64);
                assert!(found.iter().all(|&x| x != 0 && Goldilocks::new(x) == expected), "{l} {h}");
            }
        }
    }
}

#[test]
fn extremes_stay_within_bounds() {
    for simd in Simd::available() {
        on_lanes!(simd, L, L::enter(Extremes));
    }
}

/// All rows of butterflies at extremes, so that sums are as large as possible.
struct Runs<'a, const FIRST: bool>(&'a mut [TileRow], &'a [[Twiddle; 15]]);

impl<L: Lanes, const FIRST: bool> Vectorised<L> for Runs<'_, FIRST> {
    #[inline(always)]
    fn run(self) {
        let outputs = std::array::from_fn(|m| m as u8);
        Layer::<4, FIRST, true>::run::<L>(self.0, 1, self.1, &outputs);
    }
}

#[test]
fn butterflies_of_extremes() {
    let root = Goldilocks::new(1 << 12);
    let shift = Goldilocks::new(1 << 32);
    let words = words();
    for case in 0..512_u64 {
        // Pairs of extremes against each other in every pattern of signs, then mixtures.
        let pick = |i: usize| match case {
            0..256 => [words[case as usize % 64], words[63 - case as usize / 4]][i.count_ones() as usize % 2],
            _ => {
                words
                    [((case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(4 * i as u32) % 64) as usize]
            }
        };
        let input: [u64; 16] = std::array::from_fn(|i| if pick(i) == OFFSET { 1 } else { pick(i) });
        let twiddles: [Goldilocks; 15] = std::array::from_fn(|i| Goldilocks::new(pick(i + 16)));
        for first in [true, false] {
            let value = |j: usize| match (first, j) {
                (true, _) => Goldilocks::new(input[j]),
                (false, _) => {
                    let word = residue(input[j] as i32 as i64, 0) + residue(input[j] as i64 >> 32, 0) * shift;
                    if j == 0 { word } else { word * twiddles[j - 1] }
                }
            };
            let expected: Vec<_> = (0..16_u64)
                .map(|m| (0..16).fold(Goldilocks::ZERO, |sum, j| sum + value(j) * root.pow(m * j as u64)))
                .collect();
            for simd in Simd::available() {
                let mut rows = [TileRow::default(); 16];
                for (j, &word) in input.iter().enumerate() {
                    rows[crate::ntt::reverse_bits(j, 4)] = TileRow([word; LANES]);
                }
                let twiddles = [twiddles.map(twiddle)];
                match first {
                    true => on_lanes!(simd, L, L::enter(Runs::<true>(&mut rows, &twiddles))),
                    false => on_lanes!(simd, L, L::enter(Runs::<false>(&mut rows, &twiddles))),
                }
                for (row, expected) in rows.iter().zip(&expected) {
                    assert!(row.0.iter().all(|&x| Goldilocks::new(x) == *expected), "{case}, {simd}");
                }
            }
        }
    }
}
