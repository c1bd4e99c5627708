//! The layers of butterflies, two at a time.
//!
//! A block of m coefficients modulo x^m - z^2 is halved into blocks modulo x^(m/2) - z and x^(m/2) + z: with halves a and b,
//! a + z b and a - z b. Two layers at once take four quarters and the factors of three blocks. The quarters of a block are
//! finished one after another, so that all layers of a block that fits into a core's cache are done there.
//!
//! Values are below 4r between layers forwards and below 2r backwards (see [`montgomery`](crate::field::montgomery));
//! what comes out is below r.

use rayon::prelude::*;

use super::twiddles::Twiddles;
use crate::bn254::ScalarResidue;

/// Blocks up to this size are done in a loop: 32 KiB, a first-level cache.
const LEAF: usize = 1 << 10;

/// Parts of a layer that one thread takes at once, in scalars a quarter.
const PART: usize = 1 << 10;

/// Blocks of at least this size are divided among threads.
const DIVIDED: usize = 1 << 13;

/// The factors of two layers: that of a block, and those of its halves.
#[derive(Clone, Copy)]
struct Factors {
    whole: ScalarResidue,
    halves: [ScalarResidue; 2],
    /// Whether they are those of block 0: 1, and for the halves 1 and i.
    trivial: bool,
}

impl Factors {
    fn of(k: usize, twiddles: &Twiddles) -> Self {
        Self { whole: twiddles.at(k), halves: [twiddles.at(2 * k), twiddles.at(2 * k + 1)], trivial: k == 0 }
    }
}

type Four<'a> = [&'a mut ScalarResidue; 4];

/// Two layers forwards: below 4r in, below 4r out.
#[inline(always)]
fn forward_four([a, b, c, d]: Four<'_>, factors: &Factors) {
    let (p, q) = (a.below_2p(), b.below_2p());
    let (r, s) = (c.mul(factors.whole), d.mul(factors.whole));
    let [e, f] = [p.add_unreduced(r).below_2p(), q.add_unreduced(s).mul(factors.halves[0])];
    let [g, h] = [p.sub_unreduced(r).below_2p(), q.sub_unreduced(s).mul(factors.halves[1])];
    (*a, *b) = (e.add_unreduced(f), e.sub_unreduced(f));
    (*c, *d) = (g.add_unreduced(h), g.sub_unreduced(h));
}

/// The same in block 0, with one product instead of four.
#[inline(always)]
fn forward_four_trivial([a, b, c, d]: Four<'_>, i: ScalarResidue) {
    let [p, q, r, s] = [a.below_2p(), b.below_2p(), c.below_2p(), d.below_2p()];
    let [e, f] = [p.add(r), q.add(s)];
    let [g, h] = [p.sub(r), q.sub_unreduced(s).mul(i)];
    (*a, *b) = (e.add_unreduced(f), e.sub_unreduced(f));
    (*c, *d) = (g.add_unreduced(h), g.sub_unreduced(h));
}

/// Two layers backwards: below 2r in, below 2r out.
#[inline(always)]
fn backward_four([a, b, c, d]: Four<'_>, factors: &Factors) {
    let (e, f) = (a.add(*b), a.sub_unreduced(*b).mul(factors.halves[0]));
    let (g, h) = (c.add(*d), c.sub_unreduced(*d).mul(factors.halves[1]));
    (*a, *b) = (e.add(g), f.add(h));
    (*c, *d) = (e.sub_unreduced(g).mul(factors.whole), f.sub_unreduced(h).mul(factors.whole));
}

/// The same in block 0, with one product instead of four.
#[inline(always)]
fn backward_four_trivial([a, b, c, d]: Four<'_>, i: ScalarResidue) {
    let (e, f) = (a.add(*b), a.sub(*b));
    let (g, h) = (c.add(*d), c.sub_unreduced(*d).mul(i));
    (*a, *b) = (e.add(g), f.add(h));
    (*c, *d) = (e.sub(g), f.sub(h));
}

/// Runs a butterfly over the quarters of a block; large blocks are divided among the threads.
#[inline(always)]
fn quarters(block: &mut [ScalarResidue], butterfly: impl Fn(Four<'_>) + Sync + Send) {
    let quarter = block.len() / 4;
    let (low, high) = block.split_at_mut(2 * quarter);
    let ((a, b), (c, d)) = (low.split_at_mut(quarter), high.split_at_mut(quarter));
    let part = |a: &mut [ScalarResidue],
                b: &mut [ScalarResidue],
                c: &mut [ScalarResidue],
                d: &mut [ScalarResidue]| {
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            butterfly([a, b, c, d]);
        }
    };
    match 4 * quarter >= DIVIDED {
        true => {
            let pairs = a.par_chunks_mut(PART).zip(b.par_chunks_mut(PART));
            let parts = pairs.zip(c.par_chunks_mut(PART)).zip(d.par_chunks_mut(PART));
            parts.for_each(|(((a, b), c), d)| part(a, b, c, d));
        }
        false => part(a, b, c, d),
    }
}

/// One layer on a block of two.
#[inline(always)]
fn two(block: &mut [ScalarResidue], butterfly: impl Fn(&mut ScalarResidue, &mut ScalarResidue)) {
    if let [a, b] = block {
        butterfly(a, b);
    }
}

/// All layers of block k forwards, and reduction.
pub(super) fn forward(block: &mut [ScalarResidue], k: usize, twiddles: &Twiddles) {
    if block.len() > LEAF {
        forward_layers(block, k, twiddles);
        return each_quarter(block, k, |quarter, k| forward(quarter, k, twiddles));
    }
    let (mut size, mut first) = (block.len(), k);
    while size >= 4 {
        for (i, block) in block.chunks_exact_mut(size).enumerate() {
            forward_layers(block, first + i, twiddles);
        }
        (size, first) = (size / 4, 4 * first);
    }
    if size == 2 {
        for (i, block) in block.chunks_exact_mut(2).enumerate() {
            let factor = twiddles.at(first + i);
            two(block, |a, b| {
                let (p, r) = (a.below_2p(), b.mul(factor));
                (*a, *b) = (p.add_unreduced(r), p.sub_unreduced(r));
            });
        }
    }
    for value in block {
        *value = ScalarResidue::from_montgomery(value.below_2p().canonical());
    }
}

#[inline(always)]
fn forward_layers(block: &mut [ScalarResidue], k: usize, twiddles: &Twiddles) {
    let factors = Factors::of(k, twiddles);
    match factors.trivial {
        true => quarters(block, |four| forward_four_trivial(four, factors.halves[1])),
        false => quarters(block, |four| forward_four(four, &factors)),
    }
}

/// All layers of block k backwards, and reduction.
pub(super) fn backward(block: &mut [ScalarResidue], k: usize, twiddles: &Twiddles) {
    backward_unreduced(block, k, twiddles);
    block.par_iter_mut().with_min_len(PART).for_each(|value| {
        *value = ScalarResidue::from_montgomery(value.canonical());
    });
}

fn backward_unreduced(block: &mut [ScalarResidue], k: usize, twiddles: &Twiddles) {
    if block.len() > LEAF {
        each_quarter(block, k, |quarter, k| backward_unreduced(quarter, k, twiddles));
        return backward_layers(block, k, twiddles);
    }
    let log_size = block.len().trailing_zeros();
    // The number of the first block of a size.
    let first = |size: usize| k << (log_size - size.trailing_zeros());
    let mut size = 4;
    if log_size % 2 == 1 {
        for (i, block) in block.chunks_exact_mut(2).enumerate() {
            let factor = twiddles.at(first(2) + i);
            two(block, |a, b| (*a, *b) = (a.add(*b), a.sub_unreduced(*b).mul(factor)));
        }
        size = 8;
    }
    while size <= 1 << log_size {
        for (i, block) in block.chunks_exact_mut(size).enumerate() {
            backward_layers(block, first(size) + i, twiddles);
        }
        size *= 4;
    }
}

#[inline(always)]
fn backward_layers(block: &mut [ScalarResidue], k: usize, twiddles: &Twiddles) {
    let factors = Factors::of(k, twiddles);
    match factors.trivial {
        true => quarters(block, |four| backward_four_trivial(four, factors.halves[1])),
        false => quarters(block, |four| backward_four(four, &factors)),
    }
}

/// Runs `run` on the quarters of block k, with their numbers.
fn each_quarter(
    block: &mut [ScalarResidue],
    k: usize,
    run: impl Fn(&mut [ScalarResidue], usize) + Sync + Send,
) {
    let (len, quarter) = (block.len(), block.len() / 4);
    let run = |(i, quarter): (usize, &mut [ScalarResidue])| run(quarter, 4 * k + i);
    match len >= DIVIDED {
        true => block.par_chunks_mut(quarter).enumerate().for_each(run),
        false => block.chunks_mut(quarter).enumerate().for_each(run),
    }
}
