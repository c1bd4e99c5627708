//! The words for GPUs, which no answer shows to be as few as they can be.

use crate::field::Goldilocks;
use crate::program::{Builder, PART};

/// The blocks of a piece: the entries that each brings, and its instructions.
pub(super) fn blocks(words: &[u64]) -> Vec<(&[u64], &[u64])> {
    let mut blocks = Vec::new();
    for part in words.chunks(PART) {
        let mut at = 0;
        while at < PART && part[at] != 0 {
            let (wanted, end) = (part[at] as usize & 255, part[at] as usize >> 8);
            blocks.push((&part[at + 1..][..wanted], &part[at + 1 + wanted..end]));
            at = end;
        }
    }
    blocks
}

/// The words of a program with all but slots, one by one: what can be loaded first is.
#[test]
fn words_for_gpus() {
    let mut builder = Builder::<Goldilocks>::new();
    let (x, y, three) =
        (builder.column(0, 7, 0), builder.column(1, 2, 0), builder.constant(Goldilocks::new(3)));
    let square = builder.mul(x, x);
    let difference = builder.sub(square, y);
    let sum = builder.add(difference, three);
    builder.output(sum);
    builder.weighted_sum(vec![(sum, 0)], 1);
    let program = builder.finish().unwrap();
    let words = program.batches(1).words(&[3, 1000], 1);
    // Offsets of a place: two rows of 64 items of a word.
    let ring = |entry: u64| (16 + entry) * 1024;
    let expected = [
        2 | 3 << 8,
        7 << 8,
        1 | 2 << 8,
        16 << 8,
        6 | 16 | ring(0) << 32,
        2 | ring(1) << 16,
        1 | 64,
        1,
        3,
        8,
        0,
        7 | 8 << 16,
        1000,
        9 | 8 << 16,
        1,
    ];
    let end = 3 + 1 + 11;
    assert_eq!(words[..3], expected[..3]);
    assert_eq!(words[3], end << 8);
    assert_eq!(words[4..15], expected[4..]);
    assert!(words.len() == PART && words[15..].iter().all(|&word| word == 0));
}

/// The ring is full before a batch ends; blocks have as many instructions as there is room for, and parts as many blocks.
#[test]
fn batches_are_filled() {
    let mut builder = Builder::<Goldilocks>::new();
    let columns: Vec<_> = (0..20).map(|column| builder.column(0, column, 0)).collect();
    let mut sum = columns[0];
    for &column in &columns[1..] {
        sum = builder.add(sum, column);
    }
    builder.output(sum);
    let program = builder.finish().unwrap();
    let brought: Vec<_> =
        blocks(&program.batches(1).words(&[], 1)).iter().map(|(entries, _)| entries.len()).collect();
    assert_eq!(brought, [8, 8, 4, 0]);

    let mut builder = Builder::<Goldilocks>::new();
    let mut product = builder.column(0, 0, 0);
    for index in 0..300 {
        let value = builder.value(index);
        product = builder.mul(product, value);
    }
    builder.output(product);
    let program = builder.finish().unwrap();
    let words = program.batches(1).words(&[0; 300], 1);
    // Three words an instruction, in the first block besides what is loaded: 21 of them, and four blocks of 64 words, or three behind the block that brings the entry.
    let lengths: Vec<_> = blocks(&words).iter().map(|(_, instructions)| instructions.len()).collect();
    assert_eq!(lengths, [&[0][..], &[63; 14], &[3 * 6 + 2]].concat());
    assert_eq!(words.len(), 4 * PART);
}

/// Slots far away that were written before the last batch are brought like entries; others are taken where they lie.
#[test]
fn slots_far_away_are_brought() {
    let mut builder = Builder::<Goldilocks>::new();
    let columns: Vec<_> = (0..60).map(|column| builder.column(0, column, 0)).collect();
    let squares: Vec<_> = columns.iter().map(|&x| builder.mul(x, x)).collect();
    for order in [false, true] {
        let mut sum = columns[0];
        for at in 0..squares.len() {
            let at = if order { squares.len() - 1 - at } else { at };
            sum = builder.sub(squares[at], sum);
        }
        builder.output(sum);
    }
    let program = builder.finish().unwrap();
    let batches = program.batches(1);
    let words = batches.words(&[], 1);
    let far =
        blocks(&words).iter().flat_map(|(entries, _)| *entries).filter(|&&entry| entry & 255 == 255).count();
    assert_eq!(far, batches.far);
    assert!(far >= 40, "{far}");
}
