//! What the benchmarks share: an engine with as many threads as the peers have, and data.

use zkaccel::Engine;
use zkaccel::field::Goldilocks;

/// An engine with the number of threads that `RAYON_NUM_THREADS` gives the peers.
pub fn engine() -> Engine {
    Engine::builder().threads(rayon::current_num_threads()).build().expect("a CPU engine")
}

/// Words that look random: the powers of a generator, from a seed.
pub fn words(len: usize) -> Vec<u64> {
    let mut x = Goldilocks::new(0x1234_5678_9abc_def1);
    std::iter::repeat_with(|| {
        x *= Goldilocks::GENERATOR;
        x.as_u64()
    })
    .take(len)
    .collect()
}

/// The same words as elements of zkaccel.
pub fn elements(len: usize) -> Vec<Goldilocks> {
    words(len).into_iter().map(Goldilocks::new).collect()
}
