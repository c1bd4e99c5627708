//! zkaccel against the implementations of published provers: winterfell, Plonky3, arkworks and rust-eth-kzg; and the programs of the book.
//!
//! There are only tests here, in a member of the workspace in `integrations`, which compiles these provers for the adaptors: `cargo test` in the root of the repository compiles
//! none of them, `cargo test` in `integrations` does.

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
mod kzg;
#[cfg(test)]
mod plonky3;
#[cfg(test)]
mod winterfell;
