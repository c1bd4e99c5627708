//! `zkaccel merkle`: the tree over given leaves.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::hash::Accelerated;
use zkaccel::merkle::Approach;

use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::{Context, Failure};
use crate::files::{self, Contents, NewFile};
use crate::hashes::{HashName, HashVisitor, approach_help};
use crate::npy::{self, NpyFile};
use crate::output::{self, Format};
use crate::parse;
use crate::watch::{StageTime, Unit, Watch};

/// Words of a digest: the columns of a matrix of digests.
const DIGEST_WORDS: usize = 4;

/// Build a Merkle tree over digests and print its root
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The leaves: a .npy file of '<u8' words, C order, shape (N, 4), a digest a row, N a power of two
    #[arg(value_name = "LEAVES.npy")]
    leaves: PathBuf,

    /// The hash of the tree
    #[arg(long, value_name = "HASH", default_value_t = HashName::ALL[0], value_parser = parse::one_of::<HashName>())]
    hash: HashName,

    /// A .npy file for the inner nodes, of shape (N, 4): row 0 is zero and row 1 is the root; the children of row i are rows 2i
    /// and 2i + 1, where numbers from N on stand for the leaves
    #[arg(long, value_name = "NODES.npy")]
    nodes: Option<PathBuf>,

    #[arg(long, value_name = "APPROACH", default_value_t, value_parser = parse::one_of::<Approach>(),
        help = approach_help("How a GPU builds the tree"))]
    approach: Approach,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    format: Format,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    root: String,
    hash: HashName,
    leaves: usize,
    device: DeviceUsed,
    stages: Vec<StageTime>,
    /// The file of `--nodes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<String>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.hash.visit(&self)
    }
}

impl HashVisitor for &Arguments {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        let watch = Watch::start();
        let engine = self.engine.build(Some(&watch))?.with_approach(self.approach);
        let leaves = NpyFile::open(&self.leaves)?;
        let subject = leaves.name.clone();
        if leaves.columns != DIGEST_WORDS {
            return Err(Failure::new(format_args!(
                "{subject}: found {} columns, expected {DIGEST_WORDS}, the words of a digest",
                leaves.columns
            )));
        }
        let count = leaves.rows;
        let nodes = self.nodes.as_deref().map(|path| NewFile::create(path, Contents::Binary)).transpose()?;

        watch.stage_of("reading", Unit::Bytes, 0, leaves.bytes());
        let words = leaves.read(self.engine.input_limit(&engine), |bytes| watch.advance(bytes))?;
        let tree = engine
            .merkle_tree::<H>(bytemuck::cast_slice(&words))
            .map_err(|error| npy::locate(error, DIGEST_WORDS))
            .context(&subject)?;
        if let Some(nodes) = nodes {
            let entries = bytemuck::cast_slice(tree.nodes());
            watch.stage_of("writing", Unit::Bytes, 0, entries.len() as u64);
            nodes
                .fill(|file| npy::write(file, count, DIGEST_WORDS, entries, |bytes| watch.advance(bytes)))?;
        }
        let report = Report {
            root: tree.root().to_string(),
            hash: self.hash,
            leaves: count,
            device: DeviceUsed::of(&engine),
            stages: watch.finish(),
            nodes: self.nodes.as_deref().map(files::output_name),
        };
        self.format.print_beside(self.nodes.as_deref(), &report)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "root        {}", self.root)?;
        writeln!(f, "hash        {}", self.hash)?;
        writeln!(f, "leaves      {}", self.leaves)?;
        writeln!(f, "device      {}", self.device)?;
        for StageTime { stage, seconds } in &self.stages {
            writeln!(f, "  {stage:<22} {:>12}", output::time(*seconds))?;
        }
        if let Some(path) = &self.nodes {
            writeln!(f, "nodes in    {path}")?;
        }
        Ok(())
    }
}
