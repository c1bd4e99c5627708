//! Digests: 32 bytes, either four field elements or plain bytes.

use std::fmt;
use std::str::FromStr;

use bytemuck::{Pod, Zeroable};

use crate::error::Error;
use crate::field::Goldilocks;

/// A 32-byte digest. The all-zero value is the default and stands at the unused index 0 of a tree.
///
/// It prints as, and parses from, 64 hexadecimal digits: the bytes in memory order, which for an
/// [`ElementDigest`] are its four words, each little-endian.
pub trait Digest:
    Pod
    + Default
    + Eq
    + std::hash::Hash
    + fmt::Debug
    + fmt::Display
    + FromStr<Err = Error>
    + Send
    + Sync
    + 'static
{
    /// The 32 bytes in memory order.
    fn to_bytes(self) -> [u8; 32] {
        bytemuck::cast(self)
    }

    /// The digest with these bytes, or [`Error::NotCanonical`] where the hash has no such digest.
    fn from_bytes(bytes: [u8; 32]) -> Result<Self, Error> {
        let digest: Self = bytemuck::cast(bytes);
        Self::check(std::slice::from_ref(&digest)).map(|()| digest)
    }

    /// Whether its words are elements of Goldilocks' field; otherwise any words are a digest.
    const OF_ELEMENTS: bool;

    /// Checks digests that were cast from raw memory; the error's index counts words of eight bytes.
    fn check(digests: &[Self]) -> Result<(), Error> {
        match Self::OF_ELEMENTS {
            true => Goldilocks::check_canonical(bytemuck::cast_slice(digests)),
            false => Ok(()),
        }
    }
}

/// A digest of four field elements.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct ElementDigest(pub [Goldilocks; 4]);

/// A digest of 32 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct ByteDigest(pub [u8; 32]);

impl Digest for ElementDigest {
    const OF_ELEMENTS: bool = true;
}

impl Digest for ByteDigest {
    const OF_ELEMENTS: bool = false;
}

/// 32 bytes from 64 hexadecimal digits.
fn parse_hex(text: &str) -> Option<[u8; 32]> {
    let digits: &[u8; 64] = text.as_bytes().try_into().ok()?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let [upper, lower] = [pair[0], pair[1]].map(|digit| (digit as char).to_digit(16));
        *byte = (upper? << 4 | lower?) as u8;
    }
    Some(bytes)
}

macro_rules! hexadecimal {
    ($digest:ty) => {
        impl fmt::Display for $digest {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.to_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
        impl fmt::Debug for $digest {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
        impl FromStr for $digest {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self, Error> {
                let bytes = parse_hex(text).ok_or_else(|| Error::BadHex { found: text.into() })?;
                Self::from_bytes(bytes)
            }
        }
    };
}
hexadecimal!(ElementDigest);
hexadecimal!(ByteDigest);
