//! `zkaccel mpi`: operations over the processes that an MPI launcher has started, each with its own part of the file.

mod bench;
mod commit;
mod merkle;
mod msm;
mod ntt;

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Subcommand;
use serde::Serialize;
use zkaccel::Engine;
use zkaccel_cluster::{Cluster, Error, Local, Mpi, Transport};

use crate::engine::EngineOptions;
use crate::failure::{Context, Failure};
use crate::npy::NpyFile;
use crate::output::{self, Format};
use crate::parse;
use crate::watch::{Unit, Watch};

/// Work over the processes that an MPI launcher has started
///
/// For instance `mpirun -n 4 zkaccel mpi commit trace.npy`. Each process, a rank, reads its own part of the file, which all of them have to reach, and has an engine of its own. Unless it is said
/// otherwise, the ranks of a host take its NVIDIA GPUs in turn or, without any, share its processors. The first rank prints the result. MPI's library is looked for when the command
/// starts: that with the standard binary interface of MPI 5 (libmpi_abi.so), or Open MPI 4 or 5; the environment variable ZKACCEL_MPI names another. It has to be the launcher's.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Subcommand)]
enum Operation {
    Commit(commit::Arguments),
    Merkle(merkle::Arguments),
    Ntt(ntt::Arguments),
    Msm(msm::Arguments),
    Bench(bench::Arguments),
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.operation {
            Operation::Commit(arguments) => arguments.run(),
            Operation::Merkle(arguments) => arguments.run(),
            Operation::Ntt(arguments) => arguments.run(),
            Operation::Msm(arguments) => arguments.run(),
            Operation::Bench(arguments) => arguments.run(),
        }
    }
}

/// What all operations over ranks have in common.
#[derive(clap::Args)]
struct Options {
    /// Seconds after which ranks that do not come are given up, and all ranks end with an error
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse::number::<u64>)]
    deadline: u64,

    /// Exchange what GPUs keep from GPU to GPU, by NVIDIA's library of collective communication (NCCL), and not through host memory: each rank has one GPU of its own. The library is looked
    /// for as libnccl.so.2; the environment variable ZKACCEL_NCCL names another
    #[arg(long)]
    nccl: bool,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    format: Format,
}

/// Whose progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// That of every operation of the first rank's engine.
    Operations,
    /// That of the command, which has many of them.
    Command,
}

/// Where the work was done, and for how long.
#[derive(Serialize)]
struct Ranks {
    ranks: usize,
    /// Those of the first rank's host.
    local: usize,
    mpi: String,
    /// The version of NCCL, if GPUs exchange by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    nccl: Option<String>,
    /// The first rank's device.
    device: String,
    seconds: f64,
}

impl Options {
    /// Runs an operation on all ranks, again on those that are left where some have died, and prints what the first rank makes of its result. The first
    /// rank shows its progress.
    fn run<R>(
        &self,
        shown: Shown,
        operation: impl Fn(&Cluster<Mpi>, &Watch) -> Result<R, Error>,
        report: impl FnOnce(R, Ranks) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let transport = Mpi::world(Duration::from_secs(self.deadline)).map_err(Failure::new)?;
        let local = match Local::of(&transport) {
            Ok(local) => local,
            Err(error) => return ended(&transport, error),
        };
        if local.is_bound() && self.engine.has_threads_of_rank() && transport.rank() == 0 {
            let Local { threads, size, processors, .. } = local;
            let all = processors.unwrap_or_default();
            eprintln!(
                "note: the launcher binds each of {size} ranks to {threads} of {all} processors of this host; with Open MPI, mpirun --bind-to none does not"
            );
        }
        let watch = if transport.rank() == 0 { Watch::start() } else { Watch::hidden() };
        let listening = (shown == Shown::Operations).then_some(&watch);
        watch.stage("meeting the other ranks");
        let mut cluster = match Cluster::started(transport, self.engine(local, listening)) {
            Ok(cluster) => cluster,
            Err(error) => return Err(told(error)),
        };
        let nccl = self.nccl.then(|| cluster.use_nccl(Duration::from_secs(self.deadline)));
        let nccl = match nccl.transpose() {
            Ok(nccl) => nccl,
            Err(error) => return ended(cluster.transport(), error),
        };
        let start = Instant::now();
        let all = cluster.transport().size();
        let on_those_left = |cluster: &Cluster<Mpi>| {
            let (rank, left) = (cluster.transport().rank(), cluster.transport().size());
            if left < all && rank == 0 {
                watch.aside(|| eprintln!("note: {left} of {all} ranks are left, and begin again"));
            }
            operation(cluster, &watch)
        };
        let result = match cluster.surviving(on_those_left) {
            Ok(result) => result,
            Err(error) => return ended(cluster.transport(), error),
        };
        drop(watch);
        if cluster.transport().rank() > 0 {
            return Ok(());
        }
        let ranks = Ranks {
            ranks: cluster.transport().size(),
            local: local.size,
            mpi: cluster.transport().library().into(),
            nccl,
            device: cluster.engine().device().id.clone(),
            seconds: output::seconds(start.elapsed()),
        };
        report(result, ranks)
    }

    fn engine(&self, local: Local, watch: Option<&Watch>) -> Result<Engine, Error> {
        self.engine.of_rank(local).build(watch).map_err(caller)
    }
}

/// A rank's own failure, which the others are told.
fn caller(failure: Failure) -> Error {
    Error::Caller { message: failure.line() }
}

/// An error that all ranks know: the one that has it prints it.
fn told(error: Error) -> Failure {
    match error {
        Error::Peer { .. } => Failure::told_elsewhere(),
        own => Failure::new(own),
    }
}

/// Ends with an error; where others cannot know of it, they are ended too.
fn ended(transport: &Mpi, error: Error) -> Result<(), Failure> {
    if !error.is_agreed() {
        transport.abort(&error.to_string());
    }
    Err(told(error))
}

/// The matrix of a file, of which a rank reads some rows.
struct Part {
    rows: usize,
    columns: usize,
    words: Vec<u64>,
}

/// Reads a rank's rows of a file, of which all ranks find the same shape.
fn read(
    cluster: &Cluster<Mpi>,
    watch: &Watch,
    path: &Path,
    columns: Option<usize>,
    own: impl FnOnce(usize) -> Result<Range<usize>, Error>,
) -> Result<Part, Error> {
    let file =
        NpyFile::open(path).and_then(|file| match columns.filter(|&expected| expected != file.columns) {
            None => Ok(file),
            Some(expected) => Err(Failure::new(format_args!(
                "{}: found {} columns, expected {expected}",
                file.name, file.columns
            ))),
        });
    let shape = file.as_ref().map_or(vec![], |file| vec![file.rows as u64, file.columns as u64]);
    let mut file = cluster.agree("a file", &shape, file.map_err(caller))?;
    let (rows, columns) = (file.rows, file.columns);
    let own = cluster.agree("a part of a file", &[], own(rows))?;
    let name = file.name.clone();
    let bytes = own.len().saturating_mul(columns).saturating_mul(size_of::<u64>());
    watch.stage_of("reading", Unit::Bytes, 0, bytes as u64);
    let words = file.read_rows(own, |bytes| watch.advance(bytes)).context(name).map_err(caller);
    let words = cluster.agree("reading", &[], words)?;
    Ok(Part { rows, columns, words })
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ranks, local, mpi, nccl, device, seconds } = self;
        let nccl = nccl.iter().map(|version| format!(", NCCL {version}")).collect::<String>();
        writeln!(f, "ranks       {ranks}, of which {local} on this host ({mpi}{nccl})")?;
        writeln!(f, "device      {device}, of the first rank")?;
        writeln!(f, "  {:<22} {:>12}", "in all", output::time(*seconds))
    }
}
