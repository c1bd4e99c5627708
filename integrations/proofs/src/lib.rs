//! What is the same in every prover whose proofs are made in the engine's memory: where its matrices are, elements of an extension in row programs, and quotients by differences from
//! points out of domain.
//!
//! An element of an extension of Goldilocks is its coordinates. The extension is whatever the published prover has; all that is known of it here is the product of any two elements of its basis.

mod apart;
mod claim;
mod extension;
#[doc(hidden)]
pub mod faults;
mod memory;
mod points;
mod words;

pub use apart::run_apart;
pub use claim::Claim;
pub use extension::Extension;
pub use memory::{Memory, Placement, Required, placed};
pub use points::Points;
pub use words::Words;

/// Row programs over the base field.
pub type Builder = zkaccel::program::Builder<zkaccel::field::Goldilocks>;

/// A recorded one.
pub type Program = zkaccel::program::Program<zkaccel::field::Goldilocks>;

#[cfg(test)]
mod tests {
    use zkaccel::Engine;

    /// An engine of the device that the tests are for, which may take so many bytes of its memory.
    pub(crate) fn engine(budget: u64) -> Engine {
        let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
        Engine::builder().device(device.parse().unwrap()).device_memory(budget).build().unwrap()
    }
}
