//! The library as its users see it. One program, since each costs a link: what needs a process of its own starts one (`child.rs`).
//!
//! Implementations that others have published are in `tests/oracles`, a member of the workspace in `integrations`.

#[cfg(feature = "bn254")]
mod bn254;
mod child;
mod commit;
mod curves;
mod devices;
mod edges;
mod errors;
mod field;
mod global;
mod hashes;
mod jobs;
mod kernels;
mod large;
mod merkle;
#[cfg(feature = "bn254")]
mod nothing;
mod ntt;
#[cfg(feature = "bn254")]
mod progress;
mod rescue;
mod several;
mod stored_tree;
mod trace;
mod vectors;
