//! Canonical bytes of trees and openings.
//!
//! Every object is a header of 32 bytes (8 of magic with the format's version, 16 of the hash's name padded with zeros, a
//! little-endian u64 that counts) and a body whose length follows from the header alone:
//!
//! | object | magic | count | body |
//! |---|---|---|---|
//! | [`Opening`] | `zkaOPEN1` | siblings | index as u64, then the siblings |
//! | [`MultiOpening`] | `zkaMULT1` | indices | number of siblings as u64, indices as u64, siblings |
//! | [`MerkleTree`] | `zkaTREE1` | leaves N | heap digests 1 to 2N - 1 |
//!
//! Each object has exactly one encoding: trailing bytes, non-canonical words and indices out of order are refused.
//! No allocation is larger than the input justifies.

use super::{MerkleTree, MultiOpening, Opening, check_leaf_count};
use crate::error::Error;
use crate::hash::{Digest, Hasher};

const HEADER: usize = 32;
const DIGEST: usize = 32;

/// The header of an object.
fn header<H: Hasher>(magic: &[u8; 8], count: usize) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend_from_slice(&name_bytes::<H>());
    bytes.extend_from_slice(&(count as u64).to_le_bytes());
    bytes
}

fn name_bytes<H: Hasher>() -> [u8; 16] {
    let mut name = [0; 16];
    name[..H::NAME.len()].copy_from_slice(H::NAME.as_bytes());
    name
}

/// The rest of an input, and the object that it should be.
struct Reader<'a> {
    what: &'static str,
    rest: &'a [u8],
    total: usize,
}

impl<'a> Reader<'a> {
    /// Reads a header and returns its count.
    fn open<H: Hasher>(what: &'static str, magic: &[u8; 8], bytes: &'a [u8]) -> Result<(Self, usize), Error> {
        let mut reader = Self { what, rest: bytes, total: bytes.len() };
        let found = reader.take(8)?;
        if found != magic {
            return Err(reader.bad(format!("it begins with {}", found.escape_ascii())));
        }
        let name = reader.take(16)?;
        if name != name_bytes::<H>() {
            let found = name.split(|&byte| byte == 0).next().unwrap_or_default();
            return Err(reader.bad(format!("its hash is {}, expected {}", found.escape_ascii(), H::NAME)));
        }
        let count = reader.word()?;
        Ok((reader, count))
    }

    fn bad(&self, found: String) -> Error {
        Error::BadEncoding { what: self.what, found }
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or_else(|| self.bad(format!("it ends after {} bytes", self.total)))?;
        self.rest = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<usize, Error> {
        let bytes = self.take(8)?.try_into().expect("eight bytes");
        let word = u64::from_le_bytes(bytes);
        usize::try_from(word).map_err(|_| self.bad(format!("it holds the number {word}")))
    }

    /// `count` digests, which must be all of the rest, after `first` zero digests.
    fn digests<H: Hasher>(&mut self, first: usize, count: usize) -> Result<Vec<H::Digest>, Error> {
        if count.checked_mul(DIGEST) != Some(self.rest.len()) {
            let found = self.rest.len();
            return Err(self.bad(format!("{found} bytes are left for {count} digests of {DIGEST}")));
        }
        let mut digests = crate::memory::zeroed(first + count)?;
        bytemuck::cast_slice_mut(&mut digests[first..]).copy_from_slice(self.rest);
        H::Digest::check(&digests)?;
        Ok(digests)
    }
}

impl<H: Hasher> Opening<H> {
    /// The canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = header::<H>(b"zkaOPEN1", self.siblings.len());
        bytes.extend_from_slice(&(self.index as u64).to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(&self.siblings));
        bytes
    }

    /// The opening with these canonical bytes; [`Error::BadEncoding`] or [`Error::NotCanonical`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (mut reader, count) = Reader::open::<H>("an opening", b"zkaOPEN1", bytes)?;
        let index = reader.word()?;
        Ok(Self { index, siblings: reader.digests::<H>(0, count)? })
    }
}

impl<H: Hasher> MultiOpening<H> {
    /// The canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = header::<H>(b"zkaMULT1", self.indices.len());
        bytes.extend_from_slice(&(self.siblings.len() as u64).to_le_bytes());
        bytes.extend(self.indices.iter().flat_map(|&index| (index as u64).to_le_bytes()));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.siblings));
        bytes
    }

    /// The opening with these canonical bytes; [`Error::BadEncoding`], [`Error::NotCanonical`], or an error of the list of indices.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (mut reader, count) = Reader::open::<H>("an opening of many leaves", b"zkaMULT1", bytes)?;
        let siblings = reader.word()?;
        if count > reader.rest.len() / 8 {
            return Err(reader.bad(format!("{} bytes are left for {count} indices", reader.rest.len())));
        }
        let indices = (0..count).map(|_| reader.word()).collect::<Result<Vec<_>, _>>()?;
        super::multi_opening::check_ascending(&indices, usize::MAX)?;
        Ok(Self { indices, siblings: reader.digests::<H>(0, siblings)? })
    }
}

impl<H: Hasher> MerkleTree<H> {
    /// The canonical bytes: 32 bytes of header and 32 for each of the 2N - 1 nodes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + (self.heap.len() - 1) * DIGEST);
        self.write_to(&mut bytes).expect("a vector takes all bytes");
        bytes
    }

    /// Writes the canonical bytes, straight from the tree: no second copy is made in memory.
    pub fn write_to(&self, sink: &mut impl std::io::Write) -> std::io::Result<()> {
        sink.write_all(&Self::encoded_header(self.leaf_count()))?;
        sink.write_all(bytemuck::cast_slice(&self.heap[1..]))
    }

    /// The 32 bytes with which the canonical bytes of a tree of `leaf_count` leaves begin.
    pub fn encoded_header(leaf_count: usize) -> [u8; HEADER] {
        header::<H>(b"zkaTREE1", leaf_count).try_into().expect("the length of a header")
    }

    /// The tree with these canonical bytes; [`Error::BadEncoding`], [`Error::NotPowerOfTwo`] or [`Error::NotCanonical`].
    ///
    /// Inner nodes are not recomputed: openings of a tree that has been tampered with do not verify.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (mut reader, leaves) = Reader::open::<H>("a Merkle tree", b"zkaTREE1", bytes)?;
        check_leaf_count(leaves)?;
        Ok(Self { heap: reader.digests::<H>(1, leaves.saturating_mul(2) - 1)? })
    }

    /// The offset of heap position `index` (1 to 2N - 1) in the canonical bytes: the 32 bytes from there are its digest.
    ///
    /// With it an opening can be read from a file without reading the tree.
    pub fn encoded_position(index: usize) -> u64 {
        HEADER as u64 + (index as u64 - 1) * DIGEST as u64
    }
}
