//! The hash functions that both sides have, and their digests.

use rayon::prelude::*;
use winter_crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256, Sha3_256};
use winter_crypto::{Digest as _, ElementHasher, Hasher as _};
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{self, ByteDigest, ElementDigest};
use zkaccel::matrix::Matrix;
use zkaccel::{Engine, Error};

/// Rows whose digests a task merges.
const ROWS: usize = 1 << 8;

/// A hash of winterfell's that zkaccel computes.
pub trait Accelerated: ElementHasher<BaseField = BaseElement, Digest: Send + Sync> + Send + Sync {
    /// The same function there.
    type Engine: zkaccel::hash::Accelerated;

    /// A digest, as the engine has it.
    fn to_engine(digest: &Self::Digest) -> DigestOf<Self>;

    /// A digest, as winterfell has it.
    fn from_engine(digest: &DigestOf<Self>) -> Self::Digest;

    /// The digest of every row, by [`merge_many`](winter_crypto::Hasher::merge_many) of those of its partitions: a vector for each partition,
    /// with a digest for each row.
    fn merge_partitions(
        engine: &Engine,
        partitions: &[Vec<DigestOf<Self>>],
    ) -> Result<Vec<DigestOf<Self>>, Error>;
}

/// A digest as the engine has it.
pub(crate) type DigestOf<H> = <<H as Accelerated>::Engine as hash::Hasher>::Digest;

macro_rules! of_elements {
    ($($hash:ident),*) => {
        $(impl Accelerated for $hash {
            type Engine = hash::$hash;

            fn to_engine(digest: &Self::Digest) -> ElementDigest {
                let words: [BaseElement; 4] = digest.as_elements().try_into().expect("a digest of four words");
                ElementDigest(words.map(|word| Goldilocks::new(word.as_int())))
            }

            fn from_engine(digest: &ElementDigest) -> Self::Digest {
                Self::Digest::new(digest.0.map(|word| BaseElement::new(word.as_u64())))
            }

            // `merge_many` hashes the words of all digests like those of a row.
            fn merge_partitions(
                engine: &Engine,
                partitions: &[Vec<ElementDigest>],
            ) -> Result<Vec<ElementDigest>, Error> {
                let (rows, width) = (partitions[0].len(), 4 * partitions.len());
                let mut words = vec![Goldilocks::default(); rows * width];
                words.par_chunks_exact_mut(width).with_min_len(ROWS).enumerate().for_each(|(row, words)| {
                    for (words, partition) in words.chunks_exact_mut(4).zip(partitions) {
                        words.copy_from_slice(&partition[row].0);
                    }
                });
                engine.hash_rows::<Self::Engine, _>(Matrix::from_rows(words, rows, width)?.view())
            }
        })*
    };
}
of_elements!(Rp64_256, RpJive64_256);

macro_rules! of_bytes {
    ($($hash:ident, $engine:ident;)*) => {
        $(impl Accelerated for $hash<BaseElement> {
            type Engine = hash::$engine;

            fn to_engine(digest: &Self::Digest) -> ByteDigest {
                ByteDigest(digest.as_bytes())
            }

            fn from_engine(digest: &ByteDigest) -> Self::Digest {
                Self::Digest::new(digest.0)
            }

            // The engine hashes rows of field elements, which digests of bytes are not. The stock hash takes little time.
            fn merge_partitions(_: &Engine, partitions: &[Vec<ByteDigest>]) -> Result<Vec<ByteDigest>, Error> {
                let merge = |row| {
                    let digests: Vec<_> =
                        partitions.iter().map(|partition| Self::from_engine(&partition[row])).collect();
                    Self::to_engine(&Self::merge_many(&digests))
                };
                Ok((0..partitions[0].len()).into_par_iter().with_min_len(ROWS).map(merge).collect())
            }
        })*
    };
}
of_bytes! {
    Blake3_256, Blake3;
    Sha3_256, Sha3_256;
}
