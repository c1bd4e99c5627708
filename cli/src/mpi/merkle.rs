//! `zkaccel mpi merkle`: the tree over given leaves.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::hash::Accelerated;
use zkaccel_cluster::{Cluster, Error, Mpi};

use super::{Options, Ranks, Shown, read};
use crate::failure::Failure;
use crate::hashes::{HashName, HashVisitor};
use crate::parse;
use crate::watch::Watch;

/// Build a Merkle tree over digests and print its root
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The leaves: a .npy file of '<u8' words, C order, shape (N, 4), a digest a row, N a power of two, which every rank can open
    #[arg(value_name = "LEAVES.npy")]
    leaves: PathBuf,

    /// The hash of the tree
    #[arg(long, value_name = "HASH", default_value_t = HashName::ALL[0], value_parser = parse::one_of::<HashName>())]
    hash: HashName,

    #[command(flatten)]
    options: Options,
}

/// The tree.
#[derive(Serialize)]
struct Built {
    root: String,
    hash: HashName,
    leaves: usize,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    built: Built,
    #[serde(flatten)]
    ranks: Ranks,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.hash.visit(&self)
    }

    fn build<H: Accelerated>(&self, cluster: &Cluster<Mpi>, watch: &Watch) -> Result<Built, Error> {
        let words = size_of::<H::Digest>() / size_of::<u64>();
        let part = read(cluster, watch, &self.leaves, Some(words), |rows| cluster.leaves(rows))?;
        let tree = cluster.merkle_tree::<H>(part.rows, bytemuck::cast_slice(&part.words))?;
        Ok(Built { root: tree.root().to_string(), hash: self.hash, leaves: part.rows })
    }
}

impl HashVisitor for &Arguments {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        let print = |built, ranks| self.options.format.print(&Report { built, ranks });
        let operation = |cluster: &Cluster<Mpi>, watch: &Watch| self.build::<H>(cluster, watch);
        self.options.run(Shown::Operations, operation, print)
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "root        {}", self.root)?;
        writeln!(f, "hash        {}", self.hash)?;
        writeln!(f, "leaves      {}", self.leaves)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.built, self.ranks)
    }
}
