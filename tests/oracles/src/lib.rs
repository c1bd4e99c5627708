//! zkaccel against the implementations of published provers: winterfell, Plonky3 and arkworks.
//!
//! There are only tests here, in a member of the workspace of their own: `cargo test` in the root of the repository compiles none of
//! these provers, `cargo test --workspace` does.

#![cfg(test)]

mod arkworks;
mod inputs;
mod plonky3;
mod winterfell;
