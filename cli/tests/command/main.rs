//! The built command: known answers, and everything that can be wrong with its input.

mod bad_npy;
mod bad_options;
mod bad_outputs;
mod bad_proofs;
mod bad_stores;
mod bench_report;
mod bn254;
mod caches;
mod environment;
mod groth16;
mod help;
mod other_curves;
mod results;
mod selftest;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod streams;
mod support;
#[cfg(unix)]
mod terminal;
mod tree;
