//! Commitments and trees over the ranks of MPI.

use std::ops::Range;
use std::sync::Arc;

use accel::commit::TraceSpec;
use accel::field::Goldilocks;
use accel::hash::{Accelerated, Digest};
use zkaccel_cluster::{Cluster, Commitment, Error, Mpi};

use crate::arguments::{Arguments, Output, copied, product};
use crate::cluster::{Ranks, on_all, zka_cluster};
use crate::elements::convention_of;
use crate::handles::{Handles, Kind};
use crate::merkle::{unknown_hash, zka_digest};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, ZKA_BAD_LOG_SIZE, guard, zka_status};

/// A commitment to a trace, of which this rank has a share.
pub struct zka_cluster_commitment {
    _opaque: (),
}

/// Commits to a trace of `rows` rows and `cols` columns, of which this rank brings its own rows (`zka_cluster_rows`), row by row in `own`.
///
/// Columns are extended from the subgroup of order `rows`, a power of two, to a coset with 2^log_blowup times as many points, and a Merkle tree is made over the rows. `hash` is one of
/// `ZKA_HASH_...`, `convention` is `ZKA_ROOT_WINTERFELL` or `ZKA_ROOT_PLONKY3`, `coset` the shift, not 0. Free the commitment with `zka_cluster_commitment_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_commit(
    cluster: *const zka_cluster,
    out: *mut *mut zka_cluster_commitment,
    hash: u32,
    own: *const u64,
    rows: usize,
    cols: usize,
    log_blowup: u32,
    convention: u32,
    coset: u64,
) -> zka_status {
    let prepare = |arguments: &mut Arguments, ranks: &Ranks| {
        let commit = Functions::of(hash)?.commit;
        let blowup = 1_u64.checked_shl(log_blowup).ok_or_else(|| {
            let text = format!("a blow-up of 2^{log_blowup} was asked for, expected no more than 2^31");
            Failure::new(ZKA_BAD_LOG_SIZE, text)
        })?;
        let spec = TraceSpec { blowup, convention: convention_of(convention)?, shift: bytemuck::cast(coset) };
        let out = arguments.output("out", out, 1)?;
        let count = product("own", ranks.cluster.rows(rows).len(), cols)?;
        let own = arguments.input("own", own.cast::<Goldilocks>(), count)?;
        let own = copied(own.as_slice())?;
        Ok(move |cluster: &Cluster<Mpi>| {
            out.write(&[COMMITMENTS.insert(Arc::new(commit(cluster, &spec, [rows, cols], own)?))]);
            Ok(())
        })
    };
    // SAFETY: the caller's promise.
    unsafe { on_all(cluster, prepare) }
}

/// The root of a commitment, the same on every rank. For one rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_commitment_root(
    commitment: *const zka_cluster_commitment,
    out: *mut zka_digest,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[COMMITMENTS.get(commitment)?.root()]);
        Ok(())
    })
}

/// The cosets of the extension that this rank has: `len` of them from number `first` on, of `count`. Coset k has rows k, k + count, k + 2 count, .... For one rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_commitment_cosets(
    commitment: *const zka_cluster_commitment,
    first: *mut usize,
    len: *mut usize,
    count: *mut usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let first = arguments.output("first", first, 1)?;
        let len = arguments.output("len", len, 1)?;
        let count = arguments.output("count", count, 1)?;
        arguments.check_aliases()?;
        let (cosets, own) = COMMITMENTS.get(commitment)?.cosets();
        first.write(&[own.start]);
        len.write(&[own.len()]);
        count.write(&[cosets]);
        Ok(())
    })
}

/// Copies a coset that this rank has, by its number, to `out`, row by row: `len` words, the columns times the extension's rows divided by the number of cosets. For one rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_commitment_coset(
    commitment: *const zka_cluster_commitment,
    out: *mut u64,
    len: usize,
    number: usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, len)?;
        let commitment = COMMITMENTS.get(commitment)?;
        let (count, own) = commitment.cosets();
        if !own.contains(&number) {
            let (first, end) = (own.start, own.end);
            let text = format!("coset {number}, expected one of this rank: {first} and up to below {end}");
            return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
        }
        let [columns, depth] = commitment.sizes();
        let words = (columns << depth) / count;
        if len != words {
            let text = format!("room for {len} words of a coset, expected {words}");
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        }
        out.write(&commitment.coset(number - own.start)?);
        Ok(())
    })
}

/// Opens row `index` of the extension on every rank: writes its `cols` words and the siblings on the way to the root, the leaf's own first. `path_len` is log2 of the number of rows.
/// `zka_merkle_verify` checks them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_open_row(
    cluster: *const zka_cluster,
    commitment: *const zka_cluster_commitment,
    row: *mut u64,
    cols: usize,
    path: *mut zka_digest,
    path_len: usize,
    index: usize,
) -> zka_status {
    let prepare = |arguments: &mut Arguments, _: &Ranks| {
        let commitment = COMMITMENTS.get(commitment)?;
        let (row, path) = (arguments.output("row", row, cols)?, arguments.output("path", path, path_len)?);
        let [columns, depth] = commitment.sizes();
        if (cols, path_len) != (columns, depth) {
            let text = format!(
                "room for {cols} words of a row and {path_len} digests of a path, expected {columns} and {depth}"
            );
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        }
        Ok(move |cluster: &Cluster<Mpi>| commitment.open(cluster, index, &row, &path))
    };
    // SAFETY: the caller's promise.
    unsafe { on_all(cluster, prepare) }
}

/// Frees this rank's share of a commitment; NULL is nothing to free. For one rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_commitment_free(commitment: *mut zka_cluster_commitment) -> zka_status {
    guard(|| COMMITMENTS.free(commitment))
}

/// The root of the Merkle tree over `count` digests, of which this rank brings its own (`zka_cluster_leaves`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_cluster_merkle_root(
    cluster: *const zka_cluster,
    root: *mut zka_digest,
    hash: u32,
    own: *const zka_digest,
    count: usize,
) -> zka_status {
    let prepare = |arguments: &mut Arguments, ranks: &Ranks| {
        let make = Functions::of(hash)?.root;
        let root = arguments.output("root", root, 1)?;
        let own = arguments.input("own", own.cast(), ranks.cluster.leaves(count)?.len())?;
        Ok(move |cluster: &Cluster<Mpi>| {
            root.write(&[make(cluster, count, own.as_slice())?]);
            Ok(())
        })
    };
    // SAFETY: the caller's promise.
    unsafe { on_all(cluster, prepare) }
}

static COMMITMENTS: Handles<Box<dyn Share>> = Handles::new(Kind::ClusterCommitment);

/// This rank's share of a commitment over any hash.
trait Share: Send + Sync {
    fn root(&self) -> zka_digest;

    /// Words of a row, digests of a path.
    fn sizes(&self) -> [usize; 2];

    /// The number of cosets, and the numbers of this rank's.
    fn cosets(&self) -> (usize, Range<usize>);

    /// A copy of the words of one of this rank's, counted from its first.
    fn coset(&self, index: usize) -> Result<Vec<u64>, Error>;

    /// Opens a row, with all ranks.
    fn open(
        &self,
        cluster: &Cluster<Mpi>,
        index: usize,
        row: &Output<u64>,
        path: &Output<zka_digest>,
    ) -> Result<(), Error>;
}

impl<H: Accelerated> Share for Commitment<H> {
    fn root(&self) -> zka_digest {
        zka_digest { bytes: self.root().to_bytes() }
    }

    fn sizes(&self) -> [usize; 2] {
        let (rows, columns) = self.shape();
        [columns, rows.trailing_zeros() as usize]
    }

    fn cosets(&self) -> (usize, Range<usize>) {
        let (count, own, _) = self.cosets();
        (count, own)
    }

    fn coset(&self, index: usize) -> Result<Vec<u64>, Error> {
        Ok(bytemuck::cast_vec(self.cosets().2[index].download()?.into_vec()))
    }

    fn open(
        &self,
        cluster: &Cluster<Mpi>,
        index: usize,
        row: &Output<u64>,
        path: &Output<zka_digest>,
    ) -> Result<(), Error> {
        let opening = cluster.open_rows(self, &[index])?;
        row.write(bytemuck::cast_slice(&opening.rows[0]));
        let digest = |digest: &H::Digest| zka_digest { bytes: digest.to_bytes() };
        path.write(&opening.opening.siblings.iter().map(digest).collect::<Vec<_>>());
        Ok(())
    }
}

/// What there is for every hash.
struct Functions {
    commit: Committer,
    root: Rooter,
}

type Committer = fn(&Cluster<Mpi>, &TraceSpec, [usize; 2], Vec<Goldilocks>) -> Result<Box<dyn Share>, Error>;
type Rooter = fn(&Cluster<Mpi>, usize, &[[u8; 32]]) -> Result<zka_digest, Error>;

macro_rules! functions {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        impl Functions {
            /// Those of the hash with a number.
            fn of(hash: u32) -> Result<Self, Failure> {
                match hash {
                    $($number => Ok(Self {
                        commit: commit::<accel::hash::$hash>,
                        root: root::<accel::hash::$hash>,
                    }),)*
                    unknown => Err(unknown_hash(unknown)),
                }
            }
        }
    };
}
accel::for_every_hash!(functions);

fn commit<H: Accelerated>(
    cluster: &Cluster<Mpi>,
    spec: &TraceSpec,
    shape: [usize; 2],
    own: Vec<Goldilocks>,
) -> Result<Box<dyn Share>, Error> {
    Ok(Box::new(cluster.commit::<H>(spec, shape, own)?))
}

fn root<H: Accelerated>(cluster: &Cluster<Mpi>, count: usize, own: &[[u8; 32]]) -> Result<zka_digest, Error> {
    // Bytes that are no digests of the hash are the engine's to refuse.
    let own: Vec<H::Digest> = bytemuck::pod_collect_to_vec(own);
    Ok(zka_digest { bytes: cluster.merkle_tree::<H>(count, &own)?.root().to_bytes() })
}
