//! `zkaccel bench`: how fast a device is.

mod bn254;
mod measure;
mod report;
mod workloads;

use std::path::PathBuf;

use clap::ValueEnum;
use zkaccel::Engine;
use zkaccel::merkle::Approach;

use crate::engine::EngineOptions;
use crate::failure::Failure;
use crate::files::{Contents, NewFile, is_standard};
use crate::hashes::HashName;
use crate::output;
use crate::parse::{self, Approaches, Sizes};
use crate::watch::Watch;
use report::{Measurement, Report};
use workloads::Bench;

/// Measure trees, transforms, extensions, commitments and multi-scalar multiplications
///
/// Each size is run once to warm up, and then 10 to 200 times until half a second has passed, or 3 times if one run takes more
/// than 3 seconds. Inputs lie in memory before the measured time begins, and results are dropped after it ends. Rates are those of
/// the median run. GB are 10^9 bytes of what any algorithm must move: the input, read once, and the output, written once; for commit
/// these are the trace, the extension and the tree. Times are those that the caller sees, with all transfers to and from a device.
/// For a device with memory of its own there are also the median time that it worked, by its own clock and without transfers, the rate
/// in that time, and the share of the rate at which the device copies within its memory (bytes read and bytes written, the median of 7
/// copies of 256 MiB, measured at the start).
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to measure [default: all]
    #[arg(value_name = "OPERATION")]
    operation: Option<Operation>,

    /// Binary logarithms of the sizes (leaves, rows of the matrix, rows of the trace, bases, scalars): 12..20 with both ends, or
    /// 12,14,16 [default: 12..20, for lde and commit 12..16, for msm 10..16, for fft 10..18]
    #[arg(long, value_name = "SIZES", value_parser = parse::sizes)]
    sizes: Option<Sizes>,

    #[arg(long, value_name = "HASH", value_parser = parse::one_of::<HashName>(), help = hash_help())]
    hash: Option<HashName>,

    #[arg(long, value_name = "APPROACH", default_value = "auto", value_parser = parse::approaches,
        help = parse::approaches_help())]
    approach: Approaches,

    /// The number of columns of the matrix or trace, or of polynomials for fft [default: 1 for ntt and fft, 16 for lde and commit]
    #[arg(long, value_name = "M", value_parser = columns)]
    columns: Option<usize>,

    /// Rows of the extension for each row, for lde and commit: a power of two of at least 2
    #[arg(long, value_name = "B", default_value = "8", value_parser = parse::number::<u64>)]
    blowup: u64,

    /// Keep the leaves of trees, the matrices of transforms, the matrices and results of lde, and the scalars of fft and msm in page-locked
    /// memory, which a device reads and writes directly; it makes no difference on the CPU
    #[arg(long)]
    pinned: bool,

    /// For msm, keep tables of multiples of the bases
    #[arg(long)]
    tables: bool,

    /// For msm, keep the scalars in the memory of the device
    #[arg(long, conflicts_with = "pinned")]
    keep_scalars: bool,

    /// Print the measurements as one JSON value instead of a table; with FILE, print the table and write the JSON value to the file
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_parser = json_target)]
    json: Option<Option<PathBuf>>,

    #[command(flatten)]
    engine: EngineOptions,
}

/// The help of `--hash`.
fn hash_help() -> String {
    format!(
        "The hash of trees and commitments [default: all for trees, {} for commitments]",
        HashName::ALL[0]
    )
}

/// The operations that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Operation {
    /// A Merkle tree over given leaves
    Merkle,
    /// A forward transform, natural order on both sides
    Ntt,
    /// A low-degree extension onto a coset, column by column, natural order on both sides
    Lde,
    /// A commitment to a trace
    Commit,
    /// A multi-scalar multiplication over BN254, kept bases: uniform scalars, bytes and bits
    Msm,
    /// A forward transform over BN254's scalars, natural order on both sides
    Fft,
}

impl Operation {
    /// The sizes of `--sizes` when it is not given.
    fn default_sizes(self) -> Vec<u32> {
        match self {
            Self::Merkle | Self::Ntt => (12..=20).collect(),
            // An eightfold extension of 2^16 rows has 2^19, and 64 MiB.
            Self::Lde | Self::Commit => (12..=16).collect(),
            Self::Msm => (10..=16).collect(),
            Self::Fft => (10..=18).collect(),
        }
    }
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let watch = Watch::start();
        let engine = self.engine.build(None)?;
        // By default the operations that the device offers are measured; an operation named by the user must be offered.
        if let Some(error) = self.operation.and_then(|operation| bn254::unsupported(operation, &engine)) {
            return Err(error.into());
        }
        let limit = self.engine.input_limit(&engine);
        let file = match &self.json {
            Some(Some(path)) if !is_standard(path) => Some(NewFile::create(path, Contents::Text)?),
            _ => None,
        };
        // `--json -` is `--json`: a table there would spoil the JSON.
        let table = self.json.is_none() || file.is_some();
        let kept = bn254::KeptInputs { tables: self.tables, scalars: self.keep_scalars };
        let bench = Bench { engine: &engine, limit, pinned: self.pinned };
        watch.stage("measuring copies");
        let mut report = Report::new(&engine, self.pinned)?;
        if table {
            watch.aside(|| output::print(&report.heading()))?;
        }
        for &operation in Operation::value_variants() {
            if self.operation.is_some_and(|only| only != operation) {
                continue;
            }
            if let Some(reason) = bn254::unsupported(operation, &engine) {
                report.left_out.push(reason.to_string());
                continue;
            }
            let sizes =
                self.sizes.as_ref().map_or_else(|| operation.default_sizes(), |sizes| sizes.0.clone());
            let mut done = |measurement: Measurement| {
                let line = report.add(measurement).to_string();
                if table { watch.aside(|| output::print(&line)) } else { Ok(()) }
            };
            for log_size in sizes {
                watch.stage(match operation {
                    Operation::Merkle => "measuring Merkle trees",
                    Operation::Ntt => "measuring transforms",
                    Operation::Lde => "measuring extensions",
                    Operation::Commit => "measuring commitments",
                    Operation::Msm => "measuring multi-scalar multiplications",
                    Operation::Fft => "measuring transforms over BN254",
                });
                match operation {
                    Operation::Merkle => {
                        let hashes = self.hash.as_ref().map_or(HashName::ALL, std::slice::from_ref);
                        for &hash in hashes {
                            for approach in self.approaches(&engine, hash) {
                                let work = workloads::Merkle { bench, hash, approach, log_size };
                                done(hash.visit(work)?)?;
                            }
                        }
                    }
                    Operation::Ntt => {
                        let columns = self.columns.unwrap_or(1);
                        done(workloads::ntt(bench, columns, log_size)?)?;
                    }
                    Operation::Lde => {
                        let columns = self.columns.unwrap_or(16);
                        done(workloads::lde(bench, self.blowup, columns, log_size)?)?;
                    }
                    Operation::Msm => {
                        for scalars in bn254::ScalarKind::ALL {
                            done(bn254::msm(bench, scalars, kept, log_size)?)?;
                        }
                    }
                    Operation::Fft => {
                        done(bn254::fft(bench, self.columns.unwrap_or(1), log_size)?)?;
                    }
                    Operation::Commit => {
                        let hash = self.hash.unwrap_or(HashName::ALL[0]);
                        let (columns, blowup) = (self.columns.unwrap_or(16), self.blowup);
                        for approach in self.approaches(&engine, hash) {
                            let shape = (columns, blowup, log_size);
                            let work = workloads::Commit { bench, hash, approach, shape };
                            done(hash.visit(work)?)?;
                        }
                    }
                }
            }
        }
        drop(watch);
        report.close(&engine);
        if let Some(file) = file {
            let text = output::json(&report)?;
            file.fill(|file| writeln!(file, "{text}"))?;
        }
        if table { output::print(&report.notes()) } else { output::print(&output::json(&report)?) }
    }
}

impl Arguments {
    /// The approaches to measure; `None`, once, where there is no choice.
    fn approaches(&self, engine: &Engine, hash: HashName) -> Vec<Option<Approach>> {
        // A device without a clock is the host.
        match engine.device_time().is_some() && hash.has_approaches() {
            true => self.approach.0.iter().copied().map(Some).collect(),
            false => vec![None],
        }
    }
}

fn columns(text: &str) -> Result<usize, String> {
    match parse::number(text)? {
        0 => Err("found 0, expected at least 1".into()),
        columns => Ok(columns),
    }
}

/// The file of `--json FILE`, which must not be an operation that was meant to be measured.
fn json_target(text: &str) -> Result<PathBuf, String> {
    match Operation::from_str(text, false) {
        Ok(_) => Err(format!(
            "found the operation {text:?}, expected a file; write `bench {text} --json`, or ./{text} for a file"
        )),
        Err(_) => Ok(text.into()),
    }
}
