//! Calls that were right before one or two of their arguments were changed: a fixed seed, and an end after some seconds.
//!
//! Random arguments mostly fail at the first check. These pass all checks but one or two, and so reach every one.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::case::{BASES, Case, FIXTURE, FUNCTIONS, Fixture, Memory, WORDS, is_possible};
use crate::elements::{ZKA_ROOT_ARKWORKS, ZKA_ROOT_PLONKY3};
use crate::status::*;

/// How long it goes on at most, and how many calls are made.
const TIME: Duration = Duration::from_secs(20);
const CALLS: usize = 40_000;

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number near another, or one of those that are wrong elsewhere.
    fn number(&mut self, before: usize) -> usize {
        match self.below(8) {
            0 => before.wrapping_add(1),
            1 => before.wrapping_sub(1),
            2 => before.wrapping_mul(2),
            3 => before ^ 1 << self.below(64),
            4 => 0,
            5 => usize::MAX - self.below(2),
            6 => isize::MAX as usize,
            _ => self.below(64),
        }
    }
}

/// A call of a function that succeeds; one of two, if it is for several fields or curves.
fn right(function: usize, second: bool) -> Case {
    let Fixture { engine, tree, options, bases, grumpkin, matrix, scalars, prover, program, sparse, .. } =
        *FIXTURE;
    let any_matrix = if second { scalars } else { matrix };
    let any_bases = if second { grumpkin } else { bases };
    let (handle, other_handle, rows, cols, index) = match function {
        // Openings of a tree over 8 leaves; nodes.
        3 | 4 => (tree, 0, 0, 0, 0),
        5 => (tree, 0, 5, 0, 3),
        26 => (tree, 0, 4, 0, 1),
        16 | 41 => (options, options, 0, 0, 0),
        27 => (engine, options, 0, 0, 0),
        // Sums of bases that are kept.
        20 => (engine, bases, BASES - 1, 0, 1),
        21 => (engine, bases, BASES, 2, 0),
        29 => (engine, bases, BASES, 1, 0),
        39 => (engine, any_bases, BASES - 1, 0, 1),
        48 => (engine, any_bases, BASES, 2, 0),
        // The matrices that stay have 8 rows of 4 words.
        35 => (engine, matrix, 8, 4, 1),
        31 | 33..=36 | 49 | 50 => (engine, any_matrix, 8, 4, 1),
        32 => (engine, any_matrix, 3, 4, 1),
        40 => (engine, 0, 0, 0, 2),
        // A row of coefficients for each column; weights and a matrix of one column of scalars each, and the words of a sum.
        59 => (engine, any_matrix, if second { 1 } else { 4 }, 2, 1),
        60 => (engine, scalars, 4, 1, 1),
        // As many words as the columns have; as many entries.
        61 => (engine, any_matrix, 4, 1, 1),
        62 => (engine, any_matrix, if second { 8 } else { 16 }, if second { 1 } else { 2 }, 1),
        64 => (engine, program, 8, 2, 1),
        65 => (engine, program, 0, 0, 8),
        67 => (engine, matrix, 8, 0, 1),
        // Texts with room; two witnesses of five signals.
        53 => (engine, prover, 2048, 2000, 0),
        54 => (engine, prover, 5, 2, 0),
        55 | 58 | 68 => (engine, prover, 0, 0, 0),
        // Rows of one entry and of none; the word 1 is two indices of columns, 1 and 0.
        69 => (engine, 0, 8, 2, 4),
        70 => (engine, sparse, 0, 0, 1),
        72 => (engine, sparse, 0, 0, 0),
        73 => (engine, scalars, 0, 0, 0),
        74 => (engine, any_matrix, 0, 0, 0),
        // Texts that are not changed.
        75 => (engine, 0, 0, 0, 0),
        76 => (engine, prover, 0, 0, 0),
        _ => (engine, bases, 8, 2, 1),
    };
    Case {
        function,
        handle,
        other_handle,
        rows,
        cols,
        log_n: 3,
        log_blowup: 1,
        other_root: None,
        coset: 1,
        // Roots are told by convention.
        flags: match function {
            42 => ZKA_ROOT_PLONKY3,
            43 => ZKA_ROOT_ARKWORKS,
            _ => 0,
        },
        // Sparse matrices are over fields of curves.
        hash: if second || function == 69 { 2 } else { 1 },
        index,
        future: 0,
        nulls: 0,
        overlap: false,
        misaligned: false,
        canonical: true,
        asynchronous: false,
    }
}

fn mutate(case: &mut Case, random: &mut Random) {
    let Fixture { engine, gone, tree, options, bases, grumpkin, matrix, scalars, prover, program, sparse } =
        *FIXTURE;
    let kept = [tree, options, bases, grumpkin, matrix, scalars, prover, program, sparse];
    let handles = [&[engine, gone, 0, 8, usize::MAX][..], &kept].concat();
    match random.below(15) {
        0 => case.handle = handles[random.below(handles.len())],
        1 => case.other_handle = handles[random.below(handles.len())],
        2 => case.rows = random.number(case.rows),
        3 => case.cols = random.number(case.cols),
        4 => case.log_n = random.number(case.log_n as usize) as u32,
        5 => case.log_blowup = random.number(case.log_blowup as usize) as u32,
        6 => case.other_root = Some(random.next()),
        7 => case.coset = random.number(case.coset as usize) as u64,
        8 => case.flags = random.number(case.flags as usize) as u32,
        9 => case.hash = random.number(case.hash as usize) as u32,
        10 => case.index = random.number(case.index),
        11 => case.nulls = 1 << random.below(6),
        12 => case.overlap = true,
        13 => case.misaligned = true,
        _ => case.canonical = false,
    }
}

#[test]
fn calls_that_were_right() {
    let (mut random, start) = (Random(11), Instant::now());
    let (mut calls, mut successes, mut statuses) = (0, 0, BTreeSet::new());
    while calls < CALLS && start.elapsed() < TIME {
        let (function, round) = (calls % FUNCTIONS, calls / FUNCTIONS);
        // The first rounds are of right calls, every second of jobs.
        let mut case = Case { asynchronous: round % 2 == 1, ..right(function, round / 2 % 2 == 1) };
        let changes = if round < 4 { 0 } else { 1 + random.below(2) };
        (0..changes).for_each(|_| mutate(&mut case, &mut random));
        calls += 1;
        let frees = matches!(function, 7 | 8 | 9 | 24 | 38 | 57 | 66 | 71);
        let word = match (case.canonical, function) {
            (false, _) => u64::MAX,
            // Indices of rows.
            (true, 32) => 3,
            (true, _) => 1,
        };
        // Points of curves: the identity is one.
        let word = if matches!(function, 18 | 19 | 23 | 28 | 37) && case.canonical { 0 } else { word };
        let mut memory = Memory { words: vec![word; WORDS] };
        let before = memory.words.clone();
        let status = case.run(&mut memory);
        assert!(is_possible(status), "{status}: {case:?}");
        statuses.insert(status);
        if status == ZKA_OK {
            successes += 1;
        } else if case.leaves_memory_alone() {
            assert!(memory.words == before, "{status}: memory has changed by {case:?}");
        }
        // What cannot succeed with these arguments: a future that is none, a device's name that is NULL, keys and witnesses that are none.
        let never = matches!(function, 6 | 10 | 11 | 12 | 15 | 16 | 53 | 54 | 56) || frees;
        assert!(changes > 0 || never || status == ZKA_OK, "{status}: {case:?}: {}", last_text());
    }
    assert!(successes > calls / 10 && statuses.len() >= 9, "{successes} of {calls}, {statuses:?}");
}
