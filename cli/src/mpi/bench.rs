//! `zkaccel mpi bench`: times of operations over ranks.

use std::fmt;
use std::time::{Duration, Instant};

use serde::Serialize;
use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Accelerated;
use zkaccel::matrix::Matrix;
use zkaccel::msm::{AcceleratedCurve, BasesOptions};
use zkaccel::ntt::{Convention, Domain};
use zkaccel_cluster::{Cluster, Error, Mpi, Transport};

use super::{Options, Ranks, Shown};
use crate::bench::inputs;
use crate::curves::{CurveOptions, CurveVisitor};
use crate::failure::Failure;
use crate::hashes::{HashName, HashVisitor};
use crate::output;
use crate::parse::{self, Sizes};
use crate::watch::{Unit, Watch};

/// Measure operations over all ranks
///
/// Each size is run once to warm up and then as often as --runs says. A run begins when all ranks are ready for it and ends when all have their parts of the result. Inputs are the same for any number of
/// ranks; each rank makes its own part of them before the time begins, and bases are kept.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// What to measure
    #[arg(value_name = "OPERATION")]
    operation: Operation,

    /// Binary logarithms of the sizes (rows of the trace, leaves, points of the transform, pairs): 12..16 with both ends, or 12,14,16
    #[arg(long, value_name = "SIZES", default_value = "12..16", value_parser = parse::sizes)]
    sizes: Sizes,

    /// Timed runs of each size
    #[arg(long, value_name = "RUNS", default_value = "5", value_parser = parse::positive)]
    runs: usize,

    /// The hash of rows and trees
    #[arg(long, value_name = "HASH", default_value_t = HashName::ALL[0], value_parser = parse::one_of::<HashName>())]
    hash: HashName,

    /// Columns of the trace
    #[arg(long, value_name = "COLUMNS", default_value = "16", value_parser = parse::positive)]
    columns: usize,

    /// Rows of the extension for each row of the trace
    #[arg(long, value_name = "B", default_value = "8", value_parser = parse::number::<u64>)]
    blowup: u64,

    /// Keep the coefficients and values of transforms on the ranks' devices
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    curve: CurveOptions,

    #[command(flatten)]
    options: Options,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Operation {
    /// Commitments to traces
    Commit,
    /// Trees over leaves
    Merkle,
    /// Transforms of one column
    Ntt,
    /// Multi-scalar multiplications
    Msm,
}

/// The runs of one size.
#[derive(Serialize)]
struct Measured {
    log_size: u32,
    runs: usize,
    seconds_shortest: f64,
    seconds_median: f64,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    operation: &'static str,
    /// The hash, or the curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    measured: Vec<Measured>,
    #[serde(flatten)]
    ranks: Ranks,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.operation {
            Operation::Commit => self.hash.visit(Commit(&self)),
            Operation::Merkle => self.hash.visit(Merkle(&self)),
            Operation::Ntt => self.each("ntt", None, |cluster, watch, log_size| {
                let domain = Domain::new(log_size, Convention::default())?;
                let own: Vec<Goldilocks> = inputs::words(cluster.rows(domain.size()));
                if self.keep {
                    let own = Matrix::from_column(own).and_then(|own| cluster.engine().upload(own));
                    let own = cluster.agree("coefficients", &[], own.map_err(Error::from))?;
                    return self.times(cluster, watch, || own.clone(), |own| cluster.ntt(&domain, own));
                }
                self.times(cluster, watch, || own.clone(), |own| cluster.ntt(&domain, own))
            }),
            Operation::Msm => self.curve.chosen()?.visit(Msm(&self)),
        }
    }

    /// Measures all sizes, and prints them.
    fn each(
        &self,
        operation: &'static str,
        of: Option<&'static str>,
        measure: impl Fn(&Cluster<Mpi>, &Watch, u32) -> Result<Vec<Duration>, Error>,
    ) -> Result<(), Failure> {
        let all = |cluster: &Cluster<Mpi>, watch: &Watch| {
            let sizes = &self.sizes.0;
            let runs = sizes.len() as u64 * (self.runs as u64 + 1);
            watch.stage_of("measuring", Unit::Things("runs"), 0, runs);
            let measured = sizes.iter().map(|&log_size| {
                watch.describe(format!("{operation}, 2^{log_size}"));
                Ok(Measured::of(log_size, measure(cluster, watch, log_size)?))
            });
            measured.collect()
        };
        let print = |measured, ranks| self.options.format.print(&Report { operation, of, measured, ranks });
        self.options.run(Shown::Command, all, print)
    }

    /// The times of runs with an input each, which is made before the time begins, after one that is not counted.
    fn times<I, R>(
        &self,
        cluster: &Cluster<Mpi>,
        watch: &Watch,
        input: impl Fn() -> I,
        run: impl Fn(I) -> Result<R, Error>,
    ) -> Result<Vec<Duration>, Error> {
        let once = |_| {
            let input = input();
            cluster.transport().barrier()?;
            let start = Instant::now();
            let result = run(input)?;
            cluster.transport().barrier()?;
            let elapsed = start.elapsed();
            drop(result);
            watch.advance(1);
            Ok(elapsed)
        };
        let times: Vec<_> = (0..=self.runs).map(once).collect::<Result<_, Error>>()?;
        Ok(times[1..].to_vec())
    }
}

/// Commitments.
struct Commit<'a>(&'a Arguments);

impl HashVisitor for Commit<'_> {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        let arguments = self.0;
        let (columns, blowup) = (arguments.columns, arguments.blowup);
        arguments.each("commit", Some(H::NAME), |cluster, watch, log_size| {
            let rows = 1 << log_size;
            let own = cluster.rows(rows);
            let own = inputs::words(own.start * columns..own.end * columns);
            let spec = TraceSpec { blowup, ..TraceSpec::default() };
            let commit = |own| cluster.commit::<H>(&spec, [rows, columns], own);
            arguments.times(cluster, watch, || own.clone(), commit)
        })
    }
}

/// Trees.
struct Merkle<'a>(&'a Arguments);

impl HashVisitor for Merkle<'_> {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        self.0.each("merkle", Some(H::NAME), |cluster, watch, log_size| {
            let leaves = 1 << log_size;
            let words = size_of::<H::Digest>() / size_of::<Goldilocks>();
            // Fewer leaves than subtrees are an error of every rank.
            let own = cluster.leaves(leaves)?;
            let own = inputs::words(own.start * words..own.end * words);
            let tree = |()| cluster.merkle_tree::<H>(leaves, bytemuck::cast_slice(&own));
            self.0.times(cluster, watch, || (), tree)
        })
    }
}

/// Sums.
struct Msm<'a>(&'a Arguments);

impl CurveVisitor for Msm<'_> {
    type Output = Result<(), Failure>;

    fn visit<C: AcceleratedCurve>(self) -> Result<(), Failure> {
        self.0.each("msm", Some(C::NAME), |cluster, watch, log_size| {
            let own = cluster.rows(1 << log_size);
            let each = inputs::words_of::<C::Scalar>();
            let scalars = inputs::uniform::<C::Scalar>(&inputs::words(each * own.start..each * own.end));
            // Multiples of the generator, as many as there are pairs here.
            let bases = cluster.engine().bases(inputs::bases::<C>(own.len()), BasesOptions::default());
            let bases = cluster.agree("bases", &[], bases.map_err(Error::from))?;
            self.0.times(cluster, watch, || (), |()| cluster.msm::<C>(&scalars, &bases))
        })
    }
}

impl Measured {
    fn of(log_size: u32, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let [shortest, median] = [times[0], times[times.len() / 2]].map(output::seconds);
        Self { log_size, runs: times.len(), seconds_shortest: shortest, seconds_median: median }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ranks)?;
        writeln!(
            f,
            "\n{:<10} {:<16} {:>5} {:>5} {:>13} {:>13}",
            "operation", "of", "size", "runs", "shortest", "median"
        )?;
        for Measured { log_size, runs, seconds_shortest, seconds_median } in &self.measured {
            let (of, size) = (self.of.unwrap_or("goldilocks"), format!("2^{log_size}"));
            let [shortest, median] = [*seconds_shortest, *seconds_median].map(output::time);
            writeln!(f, "{:<10} {of:<16} {size:>5} {runs:>5} {shortest:>13} {median:>13}", self.operation)?;
        }
        Ok(())
    }
}
