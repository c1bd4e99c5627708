//! What is the same in every prover whose proofs are made in the engine's memory: elements of an extension in row programs, and quotients by differences from
//! points out of domain.
//!
//! An element of an extension of Goldilocks is its coordinates. The extension is whatever the published prover has; all that is known of it here is the product of any two elements of its basis.

mod extension;
mod points;
mod words;

pub use extension::Extension;
pub use points::Points;
pub use words::Words;

/// Row programs over the base field.
pub type Builder = zkaccel::program::Builder<zkaccel::field::Goldilocks>;

/// A recorded one.
pub type Program = zkaccel::program::Program<zkaccel::field::Goldilocks>;
