//! `zkaccel mpi commit`: a commitment to a trace, by cosets of its extension.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Accelerated;
use zkaccel::ntt::Convention;
use zkaccel_cluster::{Cluster, Error, Mpi};

use super::{Options, Ranks, Shown, read};
use crate::failure::Failure;
use crate::hashes::{HashName, HashVisitor};
use crate::parse;
use crate::watch::Watch;

/// Commit to an execution trace
///
/// Prints the root, which is that of `zkaccel commit`. Each rank reads a part of the rows and makes cosets of the extension; with more ranks than the blow-up they extend columns first, and exchange these too.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The trace: a .npy file of '<u8' words below p, C order, shape (rows, columns), which every rank can open
    #[arg(value_name = "TRACE.npy")]
    trace: PathBuf,

    /// Rows of the extension for each row of the trace: a power of two of at least 2
    #[arg(long, value_name = "B", default_value = "8", value_parser = parse::number::<u64>)]
    blowup: u64,

    /// The hash of rows and of the tree
    #[arg(long, value_name = "HASH", default_value_t = HashName::ALL[0], value_parser = parse::one_of::<HashName>())]
    hash: HashName,

    /// Whose roots of unity generate the subgroups
    #[arg(long, value_name = "CONVENTION", default_value_t, value_parser = parse::one_of::<Convention>())]
    convention: Convention,

    /// The shift of the coset: a field element other than 0, in decimal or in hexadecimal after 0x
    #[arg(long, value_name = "S", default_value = "7", value_parser = parse::shift)]
    shift: Goldilocks,

    #[command(flatten)]
    options: Options,
}

/// What was committed to.
#[derive(Serialize)]
struct Committed {
    root: String,
    hash: HashName,
    trace_rows: usize,
    columns: usize,
    extension_rows: usize,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    committed: Committed,
    #[serde(flatten)]
    ranks: Ranks,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.hash.visit(&self)
    }

    fn commit<H: Accelerated>(&self, cluster: &Cluster<Mpi>, watch: &Watch) -> Result<Committed, Error> {
        let spec = TraceSpec { blowup: self.blowup, convention: self.convention, shift: self.shift };
        let part = read(cluster, watch, &self.trace, None, |rows| Ok(cluster.rows(rows)))?;
        let own = bytemuck::cast_vec::<u64, Goldilocks>(part.words);
        let commitment = cluster.commit::<H>(&spec, [part.rows, part.columns], own)?;
        Ok(Committed {
            root: commitment.root().to_string(),
            hash: self.hash,
            trace_rows: part.rows,
            columns: part.columns,
            extension_rows: commitment.shape().0,
        })
    }
}

impl HashVisitor for &Arguments {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        let print = |committed, ranks| self.options.format.print(&Report { committed, ranks });
        let operation = |cluster: &Cluster<Mpi>, watch: &Watch| self.commit::<H>(cluster, watch);
        self.options.run(Shown::Operations, operation, print)
    }
}

impl fmt::Display for Committed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, hash, trace_rows, columns, extension_rows } = self;
        writeln!(f, "root        {root}")?;
        writeln!(f, "hash        {hash}")?;
        writeln!(f, "trace       {trace_rows} rows x {columns} columns")?;
        writeln!(f, "extension   {extension_rows} rows x {columns} columns")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.committed, self.ranks)
    }
}
