//! Sponges: how a permutation of field elements becomes a hash.
//!
//! A state has a rate, whose words absorb the input and whose first four are the digest, and a capacity. Elements go into the
//! rate, as many at a time as it has words, with a permutation after each block and after the last. No element at all means no
//! permutation, and the zero digest. Everything else about a sponge is its [`Mode`]:
//!
//! | hash | state | rate | a block is | the last block's rest | capacity word | a merge is |
//! |---|---|---|---|---|---|---|
//! | `Rp64_256` (winterfell) | 12 | 4..12 | added | unchanged | 0: the number of elements | the hash of eight words |
//! | `Rp64_256V2021` (winterfell, 2021) | 12 | 0..8 | added | unchanged | 11: the number of elements | the hash of eight words |
//! | `RpJive64_256` (winterfell) | 8 | 4..8 | added | becomes 1, 0, 0 | 0: 1 if there is a rest | Jive |
//! | `Rpo256`, `Rpx256` (Miden) | 12 | 0..8 | put in | becomes zeros | 8: the number modulo 8 | the hash of eight words |
//! | `Poseidon2_12` (Plonky3) | 12 | 0..8 | put in | unchanged | none | the hash of eight words |
//! | `Poseidon2_8` (Plonky3) | 8 | 0..4 | put in | unchanged | none | a permutation, truncated |
//!
//! Jive (Bouvier, Briaud, Chaidos, Perrin, Salen, Velichkov, Willems, "New design techniques for efficient arithmetization-oriented
//! hash functions", eprint 2022/840, section 4) permutes both children as one state, adds what was there before, and adds the two
//! halves.
//!
//! Plonky3's sponge (`PaddingFreeSponge`) does not separate lengths: it is meant for rows whose length the verifier knows, and
//! two inputs of different lengths can have the same digest. [`Hasher::hash`] of bytes and [`Hasher::merge_with_int`], which
//! Plonky3 does not have, put the length first, and are of fixed length, for that reason.

use std::marker::PhantomData;
use std::ops::Range;

use super::{ElementDigest, Hasher};
use crate::field::{Field, Goldilocks, MODULUS};

/// Words of a digest.
const DIGEST: usize = 4;

/// The words that a permutation permutes.
pub trait State: Copy + AsRef<[Goldilocks]> + AsMut<[Goldilocks]> {
    /// Their number.
    const WIDTH: usize;

    /// Zeros.
    const ZEROS: Self;
}

impl<const WIDTH: usize> State for [Goldilocks; WIDTH] {
    const WIDTH: usize = WIDTH;

    const ZEROS: Self = [<Goldilocks as Field>::ZERO; WIDTH];
}

/// How a sponge absorbs and merges; the module's table has them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The first word of the rate.
    pub rate_word: usize,
    /// The words of the rate.
    pub rate: usize,
    /// How elements are absorbed into the words of the rate.
    pub absorb: Absorb,
    /// How inputs of different lengths are separated.
    pub padding: Padding,
    /// How two digests become one.
    pub merge: Merge,
}

/// How elements are absorbed into the words of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absorb {
    /// Elements are added to them.
    Add,
    /// Elements replace them.
    Overwrite,
}

/// How inputs of different lengths are separated. The number is the index of an initialised word of the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// It starts with the number of elements. The rest of the last block stays.
    Length(usize),
    /// It starts with that number modulo the rate, and with the rate more where elements are made of bytes. The rest of the
    /// last block becomes zeros.
    Remainder(usize),
    /// It starts with 1 where the last block is not full, and the rest of that becomes 1 and zeros.
    OneAndZeros(usize),
    /// Nothing. The rest of the last block stays.
    None,
}

/// How two digests become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// As the hash of their words.
    Sponge,
    /// By one permutation of a state that they fill, of which the first words are the digest.
    Truncated,
    /// The same, with the state from before added, and its halves.
    Jive,
}

impl Mode {
    /// The words of the rate.
    pub fn rate_words(&self) -> Range<usize> {
        self.rate_word..self.rate_word + self.rate
    }

    /// The words that are the digest.
    pub fn digest_words(&self) -> Range<usize> {
        self.rate_word..self.rate_word + DIGEST
    }

    /// The word of the capacity that is not initialised to zero, and its initial value for so many elements.
    pub fn start(&self, count: usize) -> Option<(usize, u64)> {
        match self.padding {
            Padding::Length(word) => Some((word, count as u64)),
            Padding::Remainder(word) => Some((word, (count % self.rate) as u64)),
            Padding::OneAndZeros(word) => Some((word, u64::from(!count.is_multiple_of(self.rate)))),
            Padding::None => None,
        }
    }

    /// The new value of word `index` of the rest of the last block, counted from the first after the elements; `None` if it is
    /// unchanged.
    pub fn rest(&self, index: usize) -> Option<u64> {
        match self.padding {
            Padding::Length(_) | Padding::None => None,
            Padding::Remainder(_) => Some(0),
            Padding::OneAndZeros(_) => Some(u64::from(index == 0)),
        }
    }
}

/// A permutation of field elements and how it becomes a hash.
pub trait Sponge: Hasher<Digest = ElementDigest> {
    /// The state: 8 or 12 words.
    type State: State;

    /// How it absorbs and merges.
    const MODE: Mode;

    /// Permutes the state in place.
    fn permute(state: &mut Self::State);

    /// The same permutation as its paper writes it, slow and obvious: the oracle of the other.
    fn permute_textbook(state: &mut Self::State);
}

/// The same hash through [`Sponge::permute_textbook`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Textbook<S>(PhantomData<S>);

impl<S: Sponge> Sponge for Textbook<S> {
    type State = S::State;

    const MODE: Mode = S::MODE;

    fn permute(state: &mut S::State) {
        S::permute_textbook(state);
    }

    fn permute_textbook(state: &mut S::State) {
        S::permute_textbook(state);
    }
}

/// Absorbs `count` elements and returns the digest. The capacity starts as the mode says, and with `domain` more.
fn absorb<S: Sponge>(
    count: usize,
    domain: u64,
    mut elements: impl Iterator<Item = Goldilocks>,
) -> ElementDigest {
    let mode = S::MODE;
    let mut state = S::State::ZEROS;
    if let Some((word, start)) = mode.start(count) {
        state.as_mut()[word] = Goldilocks::new(start + domain);
    }
    let mut left = count;
    while left > 0 {
        let rate = &mut state.as_mut()[mode.rate_words()];
        let (block, rest) = rate.split_at_mut(left.min(mode.rate));
        for (word, element) in block.iter_mut().zip(elements.by_ref()) {
            *word = match mode.absorb {
                Absorb::Add => *word + element,
                Absorb::Overwrite => element,
            };
            left -= 1;
        }
        for (index, word) in rest.iter_mut().enumerate() {
            *word = mode.rest(index).map_or(*word, Goldilocks::new);
        }
        S::permute(&mut state);
    }
    digest::<S>(&state)
}

/// The digest in a state.
fn digest<S: Sponge>(state: &S::State) -> ElementDigest {
    ElementDigest(state.as_ref()[S::MODE.digest_words()].try_into().expect("a digest of four words"))
}

pub(super) fn hash_elements<S: Sponge>(elements: &[Goldilocks]) -> ElementDigest {
    absorb::<S>(elements.len(), 0, elements.iter().copied())
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
    match S::MODE.padding {
        Padding::Length(_) | Padding::OneAndZeros(_) => absorb::<S>(count, 0, elements),
        Padding::Remainder(_) => absorb::<S>(count, S::MODE.rate as u64, elements),
        Padding::None => {
            let length = Goldilocks::new(bytes.len() as u64);
            absorb::<S>(count + 1, 0, std::iter::once(length).chain(elements))
        }
    }
}

pub(super) fn merge<S: Sponge>(children: &[ElementDigest; 2]) -> ElementDigest {
    let words: &[Goldilocks] = bytemuck::cast_slice(children);
    match S::MODE.merge {
        Merge::Sponge => hash_elements::<S>(words),
        Merge::Truncated => {
            let mut state = S::State::ZEROS;
            state.as_mut().copy_from_slice(words);
            S::permute(&mut state);
            digest::<S>(&state)
        }
        Merge::Jive => jive::<S>(words),
    }
}

/// The halves of eight words, and of what they become, all added.
fn jive<S: Sponge>(words: &[Goldilocks]) -> ElementDigest {
    let mut state = S::State::ZEROS;
    state.as_mut().copy_from_slice(words);
    S::permute(&mut state);
    let after = state.as_ref();
    ElementDigest(std::array::from_fn(|i| words[i] + words[DIGEST + i] + after[i] + after[DIGEST + i]))
}

/// The seed's four words, then the value: one word below p, else its residue and its quotient by p.
///
/// Jive has no length: there the last word is the number of words. Where lengths are not separated the value is always two words,
/// its lower and its upper half.
pub(super) fn merge_with_int<S: Sponge>(seed: &ElementDigest, value: u64) -> ElementDigest {
    let words = [Goldilocks::new(value), Goldilocks::new(value / MODULUS)];
    let count = if value < MODULUS { 5 } else { 6 };
    if S::MODE.merge == Merge::Jive {
        let mut input = [<Goldilocks as Field>::ZERO; 2 * DIGEST];
        input[..DIGEST].copy_from_slice(&seed.0);
        input[DIGEST..count].copy_from_slice(&words[..count - DIGEST]);
        input[2 * DIGEST - 1] = Goldilocks::new(count as u64);
        return jive::<S>(&input);
    }
    if S::MODE.padding == Padding::None {
        let halves = [value as u32, (value >> 32) as u32].map(Goldilocks::from);
        return absorb::<S>(6, 0, seed.0.into_iter().chain(halves));
    }
    absorb::<S>(count, 0, seed.0.into_iter().chain(words).take(count))
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
