//! The hash functions that both sides have, and their digests.

use winter_crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256};
use winter_crypto::{Digest as _, ElementHasher};
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{self, ByteDigest, ElementDigest};

/// A hash of winterfell's that zkaccel computes.
pub trait Accelerated: ElementHasher<BaseField = BaseElement, Digest: Send + Sync> + Send + Sync {
    /// The same function there.
    type Engine: zkaccel::hash::Accelerated;

    /// A digest, as the engine has it.
    fn to_engine(digest: &Self::Digest) -> <Self::Engine as hash::Hasher>::Digest;

    /// A digest, as winterfell has it.
    fn from_engine(digest: &<Self::Engine as hash::Hasher>::Digest) -> Self::Digest;
}

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
        })*
    };
}
of_elements!(Rp64_256, RpJive64_256);

impl Accelerated for Blake3_256<BaseElement> {
    type Engine = hash::Blake3;

    fn to_engine(digest: &Self::Digest) -> ByteDigest {
        ByteDigest(digest.as_bytes())
    }

    fn from_engine(digest: &ByteDigest) -> Self::Digest {
        Self::Digest::new(digest.0)
    }
}
