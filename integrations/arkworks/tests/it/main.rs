//! arkworks' Groth16 proofs on the engine beside the stock ones.

mod account;
#[path = "../../../../tests/it/child.rs"]
mod child;
mod circom;
#[path = "../../examples/mimc/circuit.rs"]
mod circuit;
mod errors;
mod many;
mod page;
mod proofs;
mod room;
