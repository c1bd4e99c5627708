//! Limbs of 52 bits on vectors of words, without a prime: columns, carries, sums, small multiples, products, and the form in memory.
//!
//! Limb i of a vector of values is a vector of words. What a word may hold is told by its type: [`Columns`] are sums that have not been carried, of
//! [`Carried`] limbs the lower 52 bits count.

use crate::backend::cpu::quadwords::{BITS, Quadwords};

/// The lower bits of a column.
pub(super) const MASK: u64 = (1 << BITS) - 1;

/// Columns: the value is the sum of column i times 2^(52 i), columns being signed.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(in crate::backend::cpu) struct Columns<Q, const L: usize = 5>(pub(super) [Q; L]);

/// Carried limbs, of which only the lower 52 bits count; the value is below R.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(in crate::backend::cpu) struct Carried<Q, const L: usize = 5>(pub(super) [Q; L]);

/// A block for every index below a number of limbs, each time with a constant of that name: no loops, and no closures, which would be functions without the instructions of Q.
macro_rules! for_each_limb {
    ($i:ident in $to:expr => $block:block) => {
        for_each_limb!($i in $to => $block; 0 1 2 3 4 5 6 7)
    };
    // From the second on.
    ($i:ident in 1, $to:expr => $block:block) => {
        for_each_limb!($i in $to => $block; 1 2 3 4 5 6 7)
    };
    ($i:ident in $to:expr => $block:block; $($index:literal)+) => {$({
        const $i: usize = $index;
        if $i < $to $block
    })+};
}

/// The same of columns of a product.
macro_rules! for_each_column {
    ($i:ident in $to:expr => $block:block) => {
        for_each_limb!($i in $to => $block; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
}

/// An array of words, element by element.
macro_rules! each {
    ($i:ident => $element:expr) => {{
        const { assert!(L <= 8) };
        let mut all = [Q::splat(0); L];
        for_each_limb!($i in L => { all[$i] = $element; });
        all
    }};
}

pub(super) use {each, for_each_column, for_each_limb};

/// The difference of indices, or 0.
pub(super) const fn rest(column: usize, index: usize) -> usize {
    column.saturating_sub(index)
}

/// Limbs of 64 bits in limbs of 52.
pub(super) const fn split<const N: usize, const L: usize>(limbs: [u64; N]) -> [u64; L] {
    let (mut split, mut i) = ([0; L], 0);
    while i < L {
        let (word, shift) = (BITS as usize * i / 64, BITS * i as u32 % 64);
        let above = if shift > 0 && word + 1 < N { limbs[word + 1] << (64 - shift) } else { 0 };
        split[i] = (limbs[word] >> shift | above) & MASK;
        i += 1;
    }
    split
}

/// A small multiple of limbs, below R.
pub(super) const fn times<const L: usize>(limbs: [u64; L], factor: u64) -> [u64; L] {
    let (mut multiple, mut carry, mut i) = ([0; L], 0, 0);
    while i < L {
        let wide = limbs[i] as u128 * factor as u128 + carry;
        multiple[i] = wide as u64 & MASK;
        carry = wide >> BITS;
        i += 1;
    }
    assert!(carry == 0, "a multiple below R");
    multiple
}

/// R - x for x other than 0.
pub(super) const fn complement<const L: usize>(limbs: [u64; L]) -> [u64; L] {
    let (mut negative, mut carry, mut i) = ([0; L], 1, 0);
    while i < L {
        let sum = (MASK - limbs[i]) + carry;
        negative[i] = sum & MASK;
        carry = sum >> BITS;
        i += 1;
    }
    negative
}

#[inline(always)]
pub(super) fn constant<Q: Quadwords, const L: usize>(limbs: [u64; L]) -> [Q; L] {
    each!(I => Q::splat(limbs[I]))
}

/// Adds the product of limbs with one more, whose column is `at`.
#[inline(always)]
pub(super) fn add_row<Q: Quadwords, const L: usize, const W: usize>(
    mut t: [Q; W],
    at: usize,
    a: Q,
    b: [Q; L],
) -> [Q; W] {
    for_each_limb!(I in L => { t[at + I] = t[at + I].add_low(a, b[I]); });
    for_each_limb!(I in L => { t[at + I + 1] = t[at + I + 1].add_high(a, b[I]); });
    t
}

/// Adds a product to columns.
#[inline(always)]
pub(super) fn add_product<Q: Quadwords, const L: usize, const W: usize>(
    mut t: [Q; W],
    a: Carried<Q, L>,
    b: Carried<Q, L>,
) -> [Q; W] {
    for_each_limb!(I in L => { t = add_row(t, I, a.0[I], b.0); });
    t
}

/// The upper bits of a column, which its lower bits leave as the carry.
#[inline(always)]
pub(super) fn carry<Q: Quadwords, const SIGNED: bool>(column: Q) -> Q {
    if SIGNED { column.shr_signed::<BITS>() } else { column.shr::<BITS>() }
}

/// Carries columns of a value of 0 or more, the upper bits of limbs left as they are.
#[inline(always)]
pub(super) fn carried<Q: Quadwords, const L: usize>(mut columns: [Q; L]) -> [Q; L] {
    for_each_limb!(I in 1, L => { columns[I] = columns[I].add(columns[I - 1].shr_signed::<BITS>()); });
    columns
}

#[inline(always)]
pub(super) fn masked<Q: Quadwords, const L: usize>(a: [Q; L]) -> [Q; L] {
    let mask = Q::splat(MASK);
    each!(I => a[I].and(mask))
}

#[inline(always)]
pub(super) fn sum<Q: Quadwords, const L: usize>(a: [Q; L], b: [Q; L]) -> [Q; L] {
    each!(I => a[I].add(b[I]))
}

#[inline(always)]
pub(super) fn minus<Q: Quadwords, const L: usize>(a: [Q; L], b: [Q; L]) -> [Q; L] {
    each!(I => a[I].sub(b[I]))
}

/// A small multiple of columns, by doubling and adding; a constant factor, so that nothing is left of the loop.
#[inline(always)]
pub(super) fn multiple<Q: Quadwords, const W: usize>(columns: [Q; W], factor: u64) -> [Q; W] {
    let (mut multiple, mut bit) = (columns, factor.ilog2());
    while bit > 0 {
        bit -= 1;
        let is_set = factor >> bit & 1 == 1;
        for_each_column!(K in W => {
            multiple[K] = multiple[K].add(multiple[K]);
            if is_set {
                multiple[K] = multiple[K].add(columns[K]);
            }
        });
    }
    multiple
}

/// Of all columns of products.
#[inline(always)]
pub(super) fn plus_columns<Q: Quadwords, const W: usize>(mut a: [Q; W], b: [Q; W]) -> [Q; W] {
    for_each_column!(K in W => { a[K] = a[K].add(b[K]); });
    a
}

#[inline(always)]
pub(super) fn minus_columns<Q: Quadwords, const W: usize>(mut a: [Q; W], b: [Q; W]) -> [Q; W] {
    for_each_column!(K in W => { a[K] = a[K].sub(b[K]); });
    a
}

/// Words of limbs of 64 bits, as limbs of 52.
#[inline(always)]
pub(super) fn split_columns<Q: Quadwords, const N: usize, const L: usize>(words: [Q; N]) -> [Q; L] {
    let mask = Q::splat(MASK);
    each!(I => {
        const WORD: usize = BITS as usize * I / 64;
        const SHIFT: u32 = BITS * I as u32 % 64;
        // Bits of the next word, if 52 do not fit behind the shift.
        const SPILLS: bool = SHIFT + BITS > 64;
        const BACK: u32 = if SPILLS { 64 - SHIFT } else { 0 };
        let low = words[WORD].shr::<SHIFT>();
        match (SPILLS && WORD + 1 < N, I + 1 == L) {
            (true, _) => low.or(words[WORD + 1].shl::<BACK>()).and(mask),
            (false, true) => low,
            (false, false) => low.and(mask),
        }
    })
}

/// The words of limbs without upper bits, for values that have room in them.
#[inline(always)]
pub(super) fn join_columns<Q: Quadwords, const N: usize, const L: usize>(limbs: [Q; L]) -> [Q; N] {
    let mut words = [Q::splat(0); N];
    for_each_limb!(J in N => {
        const FIRST: usize = 64 * J / BITS as usize;
        const SHIFT: u32 = 64 * J as u32 % BITS;
        let mut word = limbs[FIRST].shr::<SHIFT>().or(limbs[FIRST + 1].shl::<{ BITS - SHIFT }>());
        // A third limb, of which the word's highest bits are.
        const THIRD: u32 = 2 * BITS - SHIFT;
        if THIRD < 64 {
            word = word.or(limbs[FIRST + 2].shl::<{ if THIRD < 64 { THIRD } else { 0 } }>());
        }
        words[J] = word;
    });
    words
}
