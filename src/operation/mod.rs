//! The operations. Each is a value that defines its inputs and their location, its result, its cost, the method of a backend that
//! does it, its division into parts, and the random test of an answer.
//!
//! | answer | test | wrong answers that pass |
//! |---|---|---|
//! | transform, extension | `polynomial.rs`: both sides, as one random combination of the columns, at a random point | one in about 2^64 / n |
//! | inverses | a random combination of all products with the elements, less 1 | one in about 2^64 / n |
//! | prefix products | a random combination of all steps from an entry to the next | one in about 2^64 / n |
//! | permutations of lookups | the order, and a product over all inputs less a random element | one in about 2^64 / n |
//! | combinations of columns, of rows | a random combination of the combinations, of every item | one in about 2^64 / d |
//! | products of vectors, also with sparse matrices | a random combination of all elements | one in about 2^64 / n |
//! | transforms of points | a random combination of the answers, which is one of the points | one in about 2^64 |
//! | row programs | rows at random indices, computed again node by node | an error in rows not drawn |
//! | digests of rows | rows at random indices, hashed again | an error in rows not drawn |
//! | tree | every node on the paths from random leaves to the root | an error in nodes off these paths |
//! | sums | a sample summed again, and the same sums with a few scalars changed | an error that affects neither |
//!
//! Only the first seven are proofs. The others detect a backend that is often wrong, not one that is wrong once. A transform costs
//! two more passes over its data and one for the inverses; a sum costs another sum.

mod columns;
mod combine;
mod cosets;
mod each;
mod evaluate;
mod exchange;
mod extend;
mod invert;
#[cfg(feature = "bn254")]
mod keep;
#[cfg(test)]
mod kinds;
mod lookups;
#[cfg(feature = "bn254")]
mod multiply;
#[cfg(feature = "bn254")]
mod points;
mod polynomial;
mod prefix;
mod resident;
mod rows;
mod run;
#[cfg(feature = "bn254")]
mod sparse;
#[cfg(feature = "bn254")]
mod sum;
#[cfg(test)]
mod tests;
mod transform;
mod tree;

use std::hash::{BuildHasher, RandomState};

pub(crate) use columns::apart;
pub(crate) use combine::{Combine, Combined};
pub(crate) use cosets::{
    Built, CosetRows, Digests, ExtendCosets, HashCoset, Held, SpreadTrace, Subtree, in_turn,
};
pub(crate) use each::Each;
pub(crate) use evaluate::{Evaluate, Points};
pub(crate) use exchange::{bring_together, transform_in_parts};
pub(crate) use extend::Extend;
pub(crate) use invert::Invert;
#[cfg(feature = "bn254")]
pub(crate) use keep::{KeptRange, are_scalars, keep_bases, keep_scalars};
pub(crate) use lookups::PermuteLookups;
#[cfg(feature = "bn254")]
pub(crate) use multiply::{Factors, Multiply};
#[cfg(feature = "bn254")]
pub(crate) use points::TransformPoints;
pub(crate) use prefix::Prefix;
pub(crate) use resident::{
    Purpose, download, gather, hash_resident, make, make_of, sums_of_rows, tree_resident, upload,
    upload_beside, upload_digests, upload_to,
};
pub(crate) use rows::HashRows;
pub(crate) use run::Run;
#[cfg(feature = "bn254")]
pub(crate) use sparse::{KeepSparse, SparseProduct, kept_beside};
#[cfg(feature = "bn254")]
pub(crate) use sum::{Bases, Scalars, Sum};
pub(crate) use transform::Transform;
pub(crate) use tree::Tree;

#[cfg(all(test, feature = "bn254"))]
pub(crate) use sum::kind as sum_kind;
#[cfg(test)]
pub(crate) use {
    extend::kind as extend_kind, rows::kind as rows_kind, transform::kind as transform_kind,
    tree::kind as tree_kind,
};

use crate::error::Error;
use crate::field::{TwoAdic, geometric};

/// Rows, leaves and scalars that a test draws.
const SAMPLE: usize = 8;

/// An unpredictable word: the keys of the standard library's hash are random.
fn random_word() -> u64 {
    RandomState::new().hash_one(0)
}

fn random_element<F: TwoAdic>() -> F {
    F::of_integer(random_word())
}

/// Some of the indices below `len`.
fn random_indices(len: usize) -> impl Iterator<Item = usize> {
    let draws = if len == 0 { 0 } else { SAMPLE };
    (0..draws).map(move |_| (random_word() % len as u64) as usize)
}

/// The powers 1, x, x^2, ... , for measurements.
fn powers<F: TwoAdic>(x: F, len: usize) -> Vec<F> {
    geometric(F::ONE, x).take(len).collect()
}

/// Cuts a slice into pieces of these lengths, one after another.
fn cut<T>(data: &mut [T], lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = &mut [T]> {
    let mut rest = data;
    lengths.map(move |len| {
        let (piece, after) = std::mem::take(&mut rest).split_at_mut(len);
        rest = after;
        piece
    })
}

/// The first error of parts; a refused word is named by its index among all of the data, not among a part's.
fn first_error<T>(
    outcomes: Vec<Result<T, Error>>,
    check: impl FnOnce() -> Result<(), Error>,
) -> Result<Vec<T>, Error> {
    let done: Result<Vec<T>, Error> = outcomes.into_iter().collect();
    match done {
        Err(error @ Error::NotCanonical { .. }) => check().and(Err(error)),
        done => done,
    }
}
