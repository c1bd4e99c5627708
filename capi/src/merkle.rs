//! Merkle trees over the rows of a matrix.

use std::sync::Arc;

use accel::field::Goldilocks;
use accel::hash::Accelerated;
use accel::hash::{Digest, Hasher};
use accel::matrix::{MatrixRef, Shape};
use accel::merkle::{Cap, MerkleTree, Opening};
use accel::resident::{DeviceMatrix, DeviceTree};
use accel::{Engine, Error};

use crate::arguments::{Arguments, Output, check_flags, product};
use crate::engine::zka_engine;
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, guard, zka_status};
use crate::transforms::{ZKA_COLUMN_MAJOR, log_rows, shape};

/// Rescue Prime with 256-bit digests, as winterfell has it since 2022.
pub const ZKA_HASH_RP64_256: u32 = 1;
/// Rescue Prime with 256-bit digests, as winterfell had it in 2021.
pub const ZKA_HASH_RP64_256_V2021: u32 = 2;
/// BLAKE3.
pub const ZKA_HASH_BLAKE3: u32 = 3;
/// Rescue Prime with a state of eight words and Jive compression, as winterfell has it.
pub const ZKA_HASH_RP_JIVE64_256: u32 = 4;
/// Rescue Prime Optimized, as Miden has it.
pub const ZKA_HASH_RPO256: u32 = 5;
/// Rescue Prime Extension, as Miden has it.
pub const ZKA_HASH_RPX256: u32 = 6;
/// Poseidon2 with a state of eight words, as Plonky3 has it. Rows must have a length that everybody knows.
pub const ZKA_HASH_POSEIDON2_8: u32 = 7;
/// Poseidon2 with a state of twelve words; else as `ZKA_HASH_POSEIDON2_8`.
pub const ZKA_HASH_POSEIDON2_12: u32 = 8;
/// Keccak-256, with the padding from before SHA-3.
pub const ZKA_HASH_KECCAK256: u32 = 9;
/// SHA-256.
pub const ZKA_HASH_SHA256: u32 = 10;
/// SHA3-256.
pub const ZKA_HASH_SHA3_256: u32 = 11;

/// Each row is a digest of four words and itself the leaf; else the leaf is the row's hash. Rows are of 4 columns then.
pub const ZKA_ROWS_ARE_DIGESTS: u32 = 16;

/// A Merkle tree, its nodes in host memory or on the device of its engine. It may be used by any threads at once.
pub struct zka_tree {
    _opaque: (),
}

/// A digest: 32 bytes, for hashes of field elements (Rescue Prime and its kin, Poseidon2) four little-endian words below p.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct zka_digest {
    /// The bytes, in the order in which they print.
    pub bytes: [u8; 32],
}

const _: () = assert!(size_of::<zka_digest>() == 32 && align_of::<zka_digest>() == 1);

/// Makes the Merkle tree whose leaf i is the hash of row i of a matrix: `rows` is a power of two, words are below p.
///
/// `hash` is one of `ZKA_HASH_...`. Flags: `ZKA_COLUMN_MAJOR`, or `ZKA_ROWS_ARE_DIGESTS`. Free the tree with `zka_tree_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_merkle_commit(
    engine: *mut zka_engine,
    out: *mut *mut zka_tree,
    hash: u32,
    matrix: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, _| commit(arguments, out, hash, matrix, rows, cols, flags)) }
}

/// `zka_merkle_commit`, started: `matrix` and `out` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_merkle_commit_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_tree,
    hash: u32,
    matrix: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, _| commit(arguments, out, hash, matrix, rows, cols, flags)) }
}

/// Writes the digest of every row of a matrix, `rows` digests; `rows` is any number. Flags: `ZKA_COLUMN_MAJOR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_hash_rows(
    engine: *mut zka_engine,
    out: *mut zka_digest,
    hash: u32,
    matrix: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, _| hash_rows(arguments, out, hash, matrix, rows, cols, flags)) }
}

/// `zka_hash_rows`, started: `matrix` and `out` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_hash_rows_async(
    engine: *mut zka_engine,
    out: *mut zka_digest,
    hash: u32,
    matrix: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, _| hash_rows(arguments, out, hash, matrix, rows, cols, flags))
    }
}

/// The root of a tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_tree_root(tree: *const zka_tree, out: *mut zka_digest) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[TREES.get(tree)?.root()]);
        Ok(())
    })
}

/// The number of leaves of a tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_tree_leaf_count(tree: *const zka_tree, out: *mut usize) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[TREES.get(tree)?.leaf_count()]);
        Ok(())
    })
}

/// Copies `len` nodes of a tree from number `first` on: number 1 is the root, the children of i are 2i and 2i + 1, and leaf i of N
/// is number N + i. There is no number 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_tree_nodes(
    tree: *const zka_tree,
    out: *mut zka_digest,
    first: usize,
    len: usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, len)?;
        let tree = TREES.get(tree)?;
        let end = 2 * tree.leaf_count();
        if first == 0 || first.checked_add(len).is_none_or(|last| last > end) {
            let text = format!("{len} nodes from number {first} on, expected numbers from 1 to {}", end - 1);
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        }
        out.write(&tree.nodes(first, len)?);
        Ok(())
    })
}

/// Opens leaf `index`: writes the siblings on the way to the root, the leaf's own first. `path_len` is log2 of the number of leaves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_tree_open(
    tree: *const zka_tree,
    path: *mut zka_digest,
    path_len: usize,
    index: usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let path = unsafe { Arguments::new() }.output("path", path, path_len)?;
        let siblings = TREES.get(tree)?.open(index)?;
        if siblings.len() != path_len {
            let depth = siblings.len();
            let text =
                format!("the path has room for {path_len} digests, expected {depth}, the depth of the tree");
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        }
        path.write(&siblings);
        Ok(())
    })
}

/// Frees a tree; NULL is nothing to free. Its engine may have been shut down before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_tree_free(tree: *mut zka_tree) -> zka_status {
    guard(|| TREES.free(tree))
}

/// Checks that row `index` of the committed matrix, of `rows` rows and `cols` columns, is `row`: `valid` is 1 if so, 0 if not.
///
/// The verifier says how many rows and columns there are, because the root does not; `path_len` is log2 of `rows`. What is
/// malformed is an error. Flags: `ZKA_ROWS_ARE_DIGESTS`. Needs no engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_merkle_verify(
    valid: *mut i32,
    hash: u32,
    root: *const zka_digest,
    rows: usize,
    index: usize,
    row: *const u64,
    cols: usize,
    path: *const zka_digest,
    path_len: usize,
    flags: u32,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let valid = arguments.output("valid", valid, 1)?;
        let root = arguments.input("root", root, 1)?;
        let row = arguments.input("row", row.cast::<Goldilocks>(), cols)?;
        let path = arguments.input("path", path, path_len)?;
        arguments.check_aliases()?;
        valid.write(&[0]);
        check_flags(flags, ZKA_ROWS_ARE_DIGESTS)?;
        let claim =
            Claim { root: root.as_slice()[0], rows, index, row: row.as_slice(), path: path.as_slice() };
        let digests = flags & ZKA_ROWS_ARE_DIGESTS != 0;
        shape(rows, cols, flags)?;
        check_digest_width(cols, digests)?;
        match (Functions::of(hash)?.verify)(&claim, digests) {
            Ok(()) => valid.write(&[1]),
            Err(Error::NotVerified) => {}
            Err(malformed) => return Err(malformed.into()),
        }
        Ok(())
    })
}

pub(crate) static TREES: Handles<Box<dyn Tree>> = Handles::new(Kind::Tree);

/// A tree over whatever hash.
pub(crate) trait Tree: Send + Sync {
    fn root(&self) -> zka_digest;
    fn leaf_count(&self) -> usize;
    fn nodes(&self, first: usize, len: usize) -> Result<Vec<zka_digest>, Error>;
    fn open(&self, index: usize) -> Result<Vec<zka_digest>, Error>;
}

impl<H: Hasher> Tree for MerkleTree<H> {
    fn root(&self) -> zka_digest {
        zka_digest { bytes: self.root().to_bytes() }
    }

    fn leaf_count(&self) -> usize {
        self.leaf_count()
    }

    fn nodes(&self, first: usize, len: usize) -> Result<Vec<zka_digest>, Error> {
        Ok(digests(&self.heap()[first..][..len]))
    }

    fn open(&self, index: usize) -> Result<Vec<zka_digest>, Error> {
        Ok(digests(&self.open(index)?.siblings))
    }
}

/// On the device: what is asked for is brought back.
impl<H: Hasher> Tree for DeviceTree<H> {
    fn root(&self) -> zka_digest {
        zka_digest { bytes: self.root().to_bytes() }
    }

    fn leaf_count(&self) -> usize {
        self.leaf_count()
    }

    fn nodes(&self, first: usize, len: usize) -> Result<Vec<zka_digest>, Error> {
        Ok(digests(&DeviceTree::nodes(self, first..first + len)?))
    }

    fn open(&self, index: usize) -> Result<Vec<zka_digest>, Error> {
        Ok(digests(&self.open(index)?.siblings))
    }
}

fn digests<D: Digest>(digests: &[D]) -> Vec<zka_digest> {
    digests.iter().map(|digest| zka_digest { bytes: digest.to_bytes() }).collect()
}

/// What there is for every hash.
pub(crate) struct Functions {
    tree: Maker,
    /// Of a matrix that stays, a tree that stays.
    pub(crate) resident_tree: ResidentMaker,
    rows: RowHasher,
    verify: Verifier,
}

macro_rules! functions {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        impl Functions {
            /// Those of the hash with a number.
            pub(crate) fn of(hash: u32) -> Result<Self, Failure> {
                match hash {
                    $($number => Ok(Self {
                        tree: tree::<accel::hash::$hash>,
                        resident_tree: resident_tree::<accel::hash::$hash>,
                        rows: rows_of::<accel::hash::$hash>,
                        verify: |claim, digests| claim.verify::<accel::hash::$hash>(digests),
                    }),)*
                    unknown => Err(unknown_hash(unknown)),
                }
            }
        }

        /// The failure for a number that no hash has.
        pub(crate) fn unknown_hash(number: u32) -> Failure {
            let text = format!("hash {number}, expected one of 1 to {}", [$($number),*].len());
            Failure::new(ZKA_BAD_ARGUMENT, text)
        }
    };
}
accel::for_every_hash!(functions);

pub(crate) type ResidentMaker = fn(&Engine, &DeviceMatrix<Goldilocks>) -> Result<Box<dyn Tree>, Error>;

fn resident_tree<H: Accelerated>(
    engine: &Engine,
    matrix: &DeviceMatrix<Goldilocks>,
) -> Result<Box<dyn Tree>, Error> {
    Ok(Box::new(engine.merkle_tree_of_rows::<H, _>(matrix)?))
}

type Maker = fn(&Engine, &[Goldilocks], Shape, bool) -> Result<Box<dyn Tree>, Error>;

fn commit(
    arguments: &mut Arguments,
    out: *mut *mut zka_tree,
    hash: u32,
    matrix: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    check_flags(flags, ZKA_COLUMN_MAJOR | ZKA_ROWS_ARE_DIGESTS)?;
    if flags == ZKA_COLUMN_MAJOR | ZKA_ROWS_ARE_DIGESTS {
        let text = "rows that are digests have their words side by side: one of the two flags must go";
        return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
    }
    let make = Functions::of(hash)?.tree;
    let digests = flags & ZKA_ROWS_ARE_DIGESTS != 0;
    let shape = shape(rows, cols, flags)?;
    check_digest_width(cols, digests)?;
    log_rows(shape)?;
    let out = arguments.output("out", out, 1)?;
    let matrix = arguments.input("matrix", matrix.cast(), product("matrix", rows, cols)?)?;
    Ok(move |engine: &Engine| {
        let tree = make(engine, matrix.as_slice(), shape, digests)?;
        out.write(&[TREES.insert(Arc::new(tree))]);
        Ok(())
    })
}

fn tree<H: Accelerated>(
    engine: &Engine,
    words: &[Goldilocks],
    shape: Shape,
    digests: bool,
) -> Result<Box<dyn Tree>, Error> {
    Ok(Box::new(match digests {
        true => engine.merkle_tree::<H>(digests_of::<H>(words))?,
        false => engine.merkle_tree_of_rows::<H, _>(MatrixRef::new(words, shape)?)?,
    }))
}

type RowHasher = fn(&Engine, MatrixRef<'_, Goldilocks>, &Output<[u8; 32]>) -> Result<(), Error>;

fn hash_rows(
    arguments: &mut Arguments,
    out: *mut zka_digest,
    hash: u32,
    matrix: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    check_flags(flags, ZKA_COLUMN_MAJOR)?;
    let hash = Functions::of(hash)?.rows;
    let shape = shape(rows, cols, flags)?;
    let out = arguments.output("out", out.cast(), rows)?;
    let matrix = arguments.input("matrix", matrix.cast(), product("matrix", rows, cols)?)?;
    Ok(move |engine: &Engine| match rows {
        // A matrix has a row.
        0 => Ok(()),
        _ => Ok(hash(engine, MatrixRef::new(matrix.as_slice(), shape)?, &out)?),
    })
}

fn rows_of<H: Accelerated>(
    engine: &Engine,
    matrix: MatrixRef<'_, Goldilocks>,
    out: &Output<[u8; 32]>,
) -> Result<(), Error> {
    out.write(bytemuck::cast_slice(&engine.hash_rows::<H, _>(matrix)?));
    Ok(())
}

/// What a verifier is to believe.
struct Claim<'a> {
    root: zka_digest,
    rows: usize,
    index: usize,
    row: &'a [Goldilocks],
    path: &'a [zka_digest],
}

type Verifier = fn(&Claim<'_>, bool) -> Result<(), Error>;

impl Claim<'_> {
    fn verify<H: Hasher>(&self, digests: bool) -> Result<(), Error> {
        let leaf = match digests {
            true => digests_of::<H>(self.row)[0],
            false => {
                Goldilocks::check_canonical(self.row)?;
                H::hash_elements(self.row)
            }
        };
        let siblings = self.path.iter().map(|digest| H::Digest::from_bytes(digest.bytes));
        let opening = Opening { index: self.index, siblings: siblings.collect::<Result<_, _>>()? };
        Cap::<H>::from_root(self.rows, H::Digest::from_bytes(self.root.bytes)?)?.verify(&leaf, &opening)
    }
}

/// Words as digests; whether they are digests of the hash is seen by who takes them.
fn digests_of<H: Hasher>(words: &[Goldilocks]) -> &[H::Digest] {
    bytemuck::cast_slice(words)
}

/// `ZKA_BAD_LENGTH` for rows that should be digests and are of another width.
fn check_digest_width(cols: usize, digests: bool) -> Result<(), Failure> {
    match digests && cols != 4 {
        true => Err(Failure::new(ZKA_BAD_LENGTH, format!("digests of {cols} words, expected 4 columns"))),
        false => Ok(()),
    }
}
