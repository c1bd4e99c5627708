//! zkaccel against the implementations of published provers: winterfell, Plonky3 and arkworks; and the programs of the book.
//!
//! There are only tests here, in a member of the workspace of their own: `cargo test` in the root of the repository compiles none of
//! these provers, `cargo test --workspace` does.

#![cfg(any(test, doctest))]

#[cfg(test)]
mod arkworks;
#[cfg(test)]
mod bls12;
#[cfg(doctest)]
mod book;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod plonky3;
#[cfg(test)]
mod winterfell;
