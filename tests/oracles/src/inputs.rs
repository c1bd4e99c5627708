//! What all of them are given.

use proptest::prelude::*;
use zkaccel::Engine;
use zkaccel::device::DeviceChoice;
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::ElementDigest;

/// Words at which carries, borrows and the last reduction change their ways.
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    7,
    (1 << 32) - 2,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    (1 << 63) - 1,
    1 << 63,
    MODULUS - (1 << 32),
    MODULUS - 7,
    MODULUS - 2,
    MODULUS - 1,
];

pub(crate) fn element() -> impl Strategy<Value = Goldilocks> {
    prop_oneof![any::<u64>(), proptest::sample::select(EDGES.to_vec())].prop_map(Goldilocks::new)
}

pub(crate) fn digest() -> impl Strategy<Value = ElementDigest> {
    prop::array::uniform4(element()).prop_map(ElementDigest)
}

/// Pseudo-random words: SplitMix64.
pub(crate) fn words(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

pub(crate) fn random(seed: u64, len: usize) -> Vec<Goldilocks> {
    let mut word = words(seed);
    (0..len).map(|_| Goldilocks::new(word())).collect()
}

/// The CPU with its best instructions.
pub(crate) fn cpu() -> Engine {
    Engine::builder().device(DeviceChoice::Cpu).threads(2).build().unwrap()
}

/// Compares words, so that a result that is right but not canonical fails too.
#[track_caller]
pub(crate) fn assert_same(found: &[Goldilocks], expected: &[Goldilocks], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    if let Some(i) = (0..expected.len()).find(|&i| found[i].as_u64() != expected[i].as_u64()) {
        panic!("{what}: {} instead of {} at index {i}", found[i], expected[i]);
    }
}
