//! `zkaccel commit`: a trace, its extension, and the root of the tree over the extension's rows.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Accelerated;
use zkaccel::matrix::Matrix;
use zkaccel::merkle::Approach;
use zkaccel::ntt::Convention;

use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::{Context, Failure};
use crate::files;
use crate::hashes::{HashName, HashVisitor, approach_help};
use crate::npy::{self, NpyFile};
use crate::output::{self, Format};
use crate::parse;
use crate::store::{Description, NewStore};
use crate::watch::{StageTime, Unit, Watch};

/// Commit to an execution trace
///
/// Each row of the trace is a step and each column a register; the number of rows is a power of two. Every column is extended from the
/// subgroup with as many points as there are rows to the coset SHIFT * H, where the subgroup H has BLOWUP times as many points. Every row
/// of the extension is hashed, and a Merkle tree is built over the hashes. Prints the root.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The trace: a .npy file of '<u8' words below p, C order, shape (rows, columns)
    #[arg(value_name = "TRACE.npy")]
    trace: PathBuf,

    /// A folder in which the commitment is kept, so that `zkaccel open` can open its rows: a new one, an empty one, or one that holds an
    /// older commitment, which is replaced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

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
    #[serde(flatten)]
    description: Description,
    device: DeviceUsed,
    stages: Vec<StageTime>,
    seconds: f64,
    /// The folder of `--out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.hash.visit(&self)
    }
}

impl HashVisitor for &Arguments {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        if let Some(folder) = &self.out {
            files::expect_folder("--out", folder)?;
        }
        let watch = Watch::start();
        let engine = self.engine.build(Some(&watch))?.with_approach(self.approach);
        let trace = NpyFile::open(&self.trace)?;
        let (rows, columns, name) = (trace.rows, trace.columns, trace.name.clone());
        let spec = TraceSpec { blowup: self.blowup, convention: self.convention, shift: self.shift };
        // For a trace that cannot be extended nothing is read and no folder is touched.
        let extension_rows = spec.lde(rows).context(&name)?.to().size();
        let store = self.out.as_deref().map(NewStore::create).transpose()?;

        watch.stage_of("reading", Unit::Bytes, 0, trace.bytes());
        let words = trace.read(self.engine.input_limit(&engine), |bytes| watch.advance(bytes))?;
        // The trace is moved, so that its memory is freed before the tree is built.
        let matrix = Matrix::from_rows(bytemuck::cast_vec::<u64, Goldilocks>(words), rows, columns)?;
        let commitment =
            engine.commit::<H>(&spec, matrix).map_err(|error| npy::locate(error, columns)).context(&name)?;

        let description = Description {
            format: Description::FORMAT.into(),
            hash: self.hash,
            convention: self.convention.name().into(),
            shift: self.shift.to_string(),
            blowup: self.blowup,
            trace_rows: rows,
            columns,
            extension_rows,
            root: commitment.root().to_string(),
        };
        if let Some(store) = store {
            store.fill(&description, &commitment, &watch)?;
        }
        let stages = watch.finish();
        let seconds = stages.iter().map(|stage| stage.seconds).sum();
        let out = self.out.as_ref().map(|folder| folder.display().to_string());
        let report = Report { description, device: DeviceUsed::of(&engine), stages, seconds, out };
        self.format.print(&report)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let d = &self.description;
        writeln!(f, "root        {}", d.root)?;
        writeln!(f, "hash        {}", d.hash)?;
        writeln!(f, "trace       {} rows x {} columns", d.trace_rows, d.columns)?;
        let Description { extension_rows, columns, blowup, shift, convention, .. } = d;
        writeln!(
            f,
            "extension   {extension_rows} rows x {columns} columns (blow-up {blowup}, shift {shift}, {convention})"
        )?;
        writeln!(f, "device      {}", self.device)?;
        for StageTime { stage, seconds } in &self.stages {
            writeln!(f, "  {stage:<22} {:>12}", output::time(*seconds))?;
        }
        writeln!(f, "  {:<22} {:>12}", "in all", output::time(self.seconds))?;
        if let Some(folder) = &self.out {
            writeln!(f, "stored in   {folder}")?;
        }
        Ok(())
    }
}
