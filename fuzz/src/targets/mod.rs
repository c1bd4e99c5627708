//! The targets, each in a file of its own.

mod caches;
mod calls;
mod canonical;
mod columns;
mod commitments;
mod groth16;
mod handles;
mod hashes;
mod inversions;
mod kzg;
mod lookups;
mod npy;
mod openings;
mod points;
mod programs;
mod proofs;
mod reports;
mod stores;
mod sums;
mod transforms;
mod vectors;

/// What can be fuzzed.
pub struct Target {
    /// Its name in `FUZZ_TARGET`, and that of its file here.
    pub name: &'static str,
    /// Longer inputs are not tried.
    pub max_len: usize,
    /// Sound inputs, from which the fuzzer starts.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Panics where something is wrong.
    pub run: fn(&[u8]),
}

/// Every target: first what reads untrusted bytes, then operations, then the C interface.
pub const TARGETS: &[Target] = &[
    Target { name: "npy", max_len: 512, seeds: npy::seeds, run: npy::run },
    Target { name: "canonical", max_len: 512, seeds: canonical::seeds, run: canonical::run },
    Target { name: "openings", max_len: 512, seeds: openings::seeds, run: openings::run },
    Target { name: "proofs", max_len: 2048, seeds: proofs::seeds, run: proofs::run },
    Target { name: "stores", max_len: 128, seeds: drawn, run: stores::run },
    Target { name: "reports", max_len: 512, seeds: drawn, run: reports::run },
    Target { name: "caches", max_len: 512, seeds: caches::seeds, run: caches::run },
    Target { name: "groth16", max_len: 8192, seeds: groth16::seeds, run: groth16::run },
    Target { name: "kzg", max_len: 512, seeds: kzg::seeds, run: kzg::run },
    Target { name: "transforms", max_len: 128, seeds: drawn, run: transforms::run },
    Target { name: "inversions", max_len: 128, seeds: drawn, run: inversions::run },
    Target { name: "hashes", max_len: 256, seeds: drawn, run: hashes::run },
    Target { name: "commitments", max_len: 128, seeds: drawn, run: commitments::run },
    Target { name: "sums", max_len: 128, seeds: drawn, run: sums::run },
    Target { name: "points", max_len: 128, seeds: drawn, run: points::run },
    Target { name: "vectors", max_len: 128, seeds: drawn, run: vectors::run },
    Target { name: "columns", max_len: 128, seeds: drawn, run: columns::run },
    Target { name: "lookups", max_len: 128, seeds: drawn, run: lookups::run },
    Target { name: "programs", max_len: 256, seeds: drawn, run: programs::run },
    Target { name: "calls", max_len: 128, seeds: drawn, run: calls::run },
    Target { name: "handles", max_len: 512, seeds: drawn, run: handles::run },
];

/// For targets that draw everything: a few different bytes.
fn drawn() -> Vec<Vec<u8>> {
    (0..8)
        .map(|byte: u8| {
            (0..64).map(|i: u8| byte.wrapping_mul(37).wrapping_add(i.wrapping_mul(byte))).collect()
        })
        .collect()
}
