//! What provers of halo2's forks give away, on the engine: sums, transforms, the traits of ZAL, whole proofs.

mod account;
#[path = "../../../../tests/it/child.rs"]
mod child;
mod common;
#[cfg(feature = "pasta")]
mod pasta;
#[cfg(feature = "prove")]
mod prove;
mod room;
mod sums;
mod transforms;
mod zal;
