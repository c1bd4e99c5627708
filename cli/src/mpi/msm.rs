//! `zkaccel mpi msm`: multi-scalar multiplication, of which each rank adds up a part.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::msm::{AcceleratedCurve, BasesOptions};
use zkaccel_cluster::{Cluster, Error, Mpi};

use super::{Options, Ranks, Shown, caller, read};
use crate::curves::{CurveOptions, CurveVisitor};
use crate::failure::{Context, Failure};
use crate::limbs::{self, Form};
use crate::msm::Sum;
use crate::watch::Watch;

/// Multiply points of an elliptic curve, the bases, by scalars, and print the sum
///
/// Prints what `zkaccel msm` prints of the same files.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[arg(long, value_name = "S.npy", help = format!("The scalars, which every rank can open: {}", limbs::scalars_help()))]
    scalars: PathBuf,

    #[arg(long, value_name = "B.npy", help = format!("The bases, which every rank can open: {}", limbs::points_help()))]
    bases: PathBuf,

    #[command(flatten)]
    curve: CurveOptions,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    options: Options,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    sum: Sum,
    pairs: usize,
    #[serde(flatten)]
    ranks: Ranks,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.curve.chosen()?.visit(&self)
    }

    fn sum<C: AcceleratedCurve>(&self, cluster: &Cluster<Mpi>, watch: &Watch) -> Result<(Sum, usize), Error> {
        let own = |rows| Ok(cluster.rows(rows));
        let bases = read(cluster, watch, &self.bases, Some(limbs::point::<C>()), own)?;
        let scalars = read(cluster, watch, &self.scalars, Some(limbs::scalar::<C::Scalar>()), own)?;
        let pairs = bases.rows;
        let made = match scalars.rows == pairs {
            true => self.made::<C>(cluster, &scalars.words, &bases.words),
            false => {
                let found = format!("found {} scalars, expected {pairs}, as many as bases", scalars.rows);
                Err(Failure::new(found))
            }
        };
        let (scalars, bases) = cluster.agree("scalars and bases", &[], made.map_err(caller))?;
        let sum = cluster.msm::<C>(&scalars, &bases)?;
        Ok((Sum::of::<C>(&sum), pairs))
    }

    /// Scalars, and bases that are checked and kept.
    fn made<C: AcceleratedCurve>(
        &self,
        cluster: &Cluster<Mpi>,
        scalars: &[u64],
        bases: &[u64],
    ) -> Result<(Vec<C::Scalar>, zkaccel::msm::Bases<C>), Failure> {
        let scalars = self.form.scalars(scalars).context(self.scalars.display())?;
        let points = self.form.points::<C>(bases).context(self.bases.display())?;
        let options = BasesOptions { validate: true, tables: false };
        let bases = cluster.engine().bases(points, options).context(self.bases.display())?;
        Ok((scalars, bases))
    }
}

impl CurveVisitor for &Arguments {
    type Output = Result<(), Failure>;

    fn visit<C: AcceleratedCurve>(self) -> Self::Output {
        let print = |(sum, pairs), ranks| self.options.format.print(&Report { sum, pairs, ranks });
        let operation = |cluster: &Cluster<Mpi>, watch: &Watch| self.sum::<C>(cluster, watch);
        self.options.run(Shown::Operations, operation, print)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}pairs       {}\n{}", self.sum, self.pairs, self.ranks)
    }
}
