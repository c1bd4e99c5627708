//! Values of Goldilocks that the tests of hashes are given.

use proptest::prelude::*;
use zkaccel::field::{Goldilocks, MODULUS};

/// Words at which carries, borrows and the last reduction change their ways.
pub(crate) const EDGES: [u64; 15] = [
    0,
    1,
    2,
    6,
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
