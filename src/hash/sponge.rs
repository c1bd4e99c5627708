//! The sponge of Rescue Prime: how a permutation of field elements becomes a hash.
//!
//! The capacity starts at zero but for one word, which holds the number of elements to be absorbed; that is all
//! the domain separation there is, and it makes zero padding safe. Elements are *added* into the rate, eight at a
//! time, with a permutation after each eight and after the last, and the digest is read from the rate. No element
//! at all means no permutation, and the zero digest.

use std::marker::PhantomData;
use std::ops::Range;

use super::{ElementDigest, Hasher};
use crate::field::{Goldilocks, MODULUS};

/// Elements that one permutation absorbs.
const RATE: usize = 8;

/// A permutation of twelve field elements and the place of rate, capacity and digest in its state.
pub trait Sponge: Hasher<Digest = ElementDigest> {
    /// The eight words that absorb.
    const RATE_WORDS: Range<usize>;

    /// The capacity word that holds the number of elements.
    const LENGTH_WORD: usize;

    /// The four words, within the rate, that are the digest.
    const DIGEST_WORDS: Range<usize>;

    /// Permutes the state in place.
    fn permute(state: &mut [Goldilocks; 12]);

    /// The same permutation as its paper writes it, slow and obvious: the oracle of the other.
    fn permute_textbook(state: &mut [Goldilocks; 12]);
}

/// The same hash through [`Sponge::permute_textbook`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Textbook<S>(PhantomData<S>);

impl<S: Sponge> Sponge for Textbook<S> {
    const RATE_WORDS: Range<usize> = S::RATE_WORDS;
    const LENGTH_WORD: usize = S::LENGTH_WORD;
    const DIGEST_WORDS: Range<usize> = S::DIGEST_WORDS;

    fn permute(state: &mut [Goldilocks; 12]) {
        S::permute_textbook(state);
    }

    fn permute_textbook(state: &mut [Goldilocks; 12]) {
        S::permute_textbook(state);
    }
}

/// Absorbs `count` elements and returns the digest.
fn absorb<S: Sponge>(count: usize, mut elements: impl Iterator<Item = Goldilocks>) -> ElementDigest {
    let mut state = [Goldilocks::default(); 12];
    state[S::LENGTH_WORD] = Goldilocks::new(count as u64);
    for _ in 0..count.div_ceil(RATE) {
        for (word, element) in state[S::RATE_WORDS].iter_mut().zip(elements.by_ref().take(RATE)) {
            *word += element;
        }
        S::permute(&mut state);
    }
    ElementDigest(state[S::DIGEST_WORDS].try_into().expect("a digest of four words"))
}

pub(super) fn hash_elements<S: Sponge>(elements: &[Goldilocks]) -> ElementDigest {
    absorb::<S>(elements.len(), elements.iter().copied())
}

/// Seven bytes an element, little-endian, and a byte of 1 behind the last: trailing zeros count.
pub(super) fn hash<S: Sponge>(bytes: &[u8]) -> ElementDigest {
    let count = bytes.len().div_ceil(7);
    let elements = bytes.chunks(7).enumerate().map(|(i, chunk)| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        if i + 1 == count {
            word[chunk.len()] = 1;
        }
        Goldilocks::new(u64::from_le_bytes(word))
    });
    absorb::<S>(count, elements)
}

pub(super) fn merge<S: Sponge>(children: &[ElementDigest; 2]) -> ElementDigest {
    hash_elements::<S>(bytemuck::cast_slice(children))
}

/// The seed's four words, then the value: one word below p, else its residue and its quotient by p.
pub(super) fn merge_with_int<S: Sponge>(seed: &ElementDigest, value: u64) -> ElementDigest {
    let words = [Goldilocks::new(value), Goldilocks::new(value / MODULUS)];
    let count = if value < MODULUS { 5 } else { 6 };
    absorb::<S>(count, seed.0.into_iter().chain(words).take(count))
}

/// The [`Hasher`] of a sponge.
macro_rules! sponge_hasher {
    ($hash:ident $(<$inner:ident>)?, $name:expr) => {
        impl$(<$inner: $crate::hash::Sponge>)? $crate::hash::Hasher for $hash$(<$inner>)? {
            const NAME: &'static str = $name;
            type Digest = $crate::hash::ElementDigest;
            type Textbook = $crate::hash::Textbook<Self>;

            fn hash_elements(elements: &[$crate::field::Goldilocks]) -> Self::Digest {
                $crate::hash::sponge::hash_elements::<Self>(elements)
            }
            fn hash(bytes: &[u8]) -> Self::Digest {
                $crate::hash::sponge::hash::<Self>(bytes)
            }
            fn merge(children: &[Self::Digest; 2]) -> Self::Digest {
                $crate::hash::sponge::merge::<Self>(children)
            }
            fn merge_many(digests: &[Self::Digest]) -> Self::Digest {
                Self::hash_elements(bytemuck::cast_slice(digests))
            }
            fn merge_with_int(seed: &Self::Digest, value: u64) -> Self::Digest {
                $crate::hash::sponge::merge_with_int::<Self>(seed, value)
            }
        }
    };
}
pub(super) use sponge_hasher;

sponge_hasher!(Textbook<S>, S::NAME);
