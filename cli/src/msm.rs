//! `zkaccel msm`: multi-scalar multiplication.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::curve::{Curve, coordinates, hex};
use zkaccel::field::{CoordinateField, coefficients};
use zkaccel::msm::{AcceleratedCurve, BasesOptions};

use crate::curves::{CurveOptions, CurveVisitor};
use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::{Context, Failure};
use crate::files;
use crate::limbs::{self, Form};
use crate::output::{self, Format};
use crate::watch::{StageTime, Unit, Watch};

/// Multiply points of an elliptic curve, the bases, by scalars, and print the sum
///
/// Prints the affine coordinates x and y of the sum as hexadecimal integers, or `identity`; over a group g2 a coordinate c0 + c1 u is two integers, c0 first.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "S.npy", help = format!("The scalars: {}", limbs::scalars_help()))]
    scalars: PathBuf,

    #[arg(long, value_name = "B.npy", help = format!("The bases: {}", limbs::points_help()))]
    bases: PathBuf,

    #[command(flatten)]
    curve: CurveOptions,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    format: Format,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    sum: Sum,
    pairs: usize,
    device: DeviceUsed,
    stages: Vec<StageTime>,
}

/// A sum as it is printed.
#[derive(Serialize)]
pub(crate) struct Sum {
    identity: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<Coordinate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<Coordinate>,
}

impl Sum {
    pub(crate) fn of<C: Curve>(sum: &C::Projective) -> Self {
        let [x, y] = match coordinates(sum) {
            Some(coordinates) => coordinates.map(|limbs| Some(Coordinate::of::<C::Base>(&limbs))),
            None => [None, None],
        };
        Self { identity: x.is_none(), x, y }
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.x, &self.y) {
            (Some(x), Some(y)) => writeln!(f, "x           {x}\ny           {y}"),
            _ => writeln!(f, "identity"),
        }
    }
}

/// A coordinate: a hexadecimal integer or, over a quadratic extension, one for each coefficient, c0 before c1.
#[derive(Serialize)]
#[serde(untagged)]
enum Coordinate {
    Integer(String),
    Coefficients(Vec<String>),
}

impl Coordinate {
    fn of<F: CoordinateField>(integers: &F::Limbs) -> Self {
        match coefficients::<F>(integers) {
            [integer] => Self::Integer(hex(integer)),
            coefficients => Self::Coefficients(coefficients.iter().map(hex).collect()),
        }
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => f.write_str(integer),
            Self::Coefficients(coefficients) => f.write_str(&coefficients.join("  ")),
        }
    }
}

impl CurveVisitor for Arguments {
    type Output = Result<(), Failure>;

    fn visit<C: AcceleratedCurve>(self) -> Self::Output {
        self.run_over::<C>()
    }
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.curve.chosen()?.visit(self)
    }

    fn run_over<C: AcceleratedCurve>(self) -> Result<(), Failure> {
        if files::is_standard(&self.scalars) && files::is_standard(&self.bases) {
            return Err(Failure::new(
                "--scalars and --bases: both are - (standard input), expected one of them to be a file or a pipe",
            ));
        }
        let watch = Watch::start();
        let engine = self.engine.build(Some(&watch))?;
        let scalars = limbs::open(&self.scalars, limbs::scalar::<C::Scalar>(), "a scalar")?;
        let bases = limbs::open(&self.bases, limbs::point::<C>(), "a point")?;
        let (scalars_name, bases_name) = (scalars.name.clone(), bases.name.clone());
        let (pairs, found) = (bases.rows, scalars.rows);
        if found != pairs {
            return Err(Failure::new(format_args!(
                "{scalars_name}: found {found} scalars, expected {pairs}, as many as there are bases in {bases_name}"
            )));
        }
        watch.stage_of("reading", Unit::Bytes, 0, scalars.bytes().saturating_add(bases.bytes()));
        let limit = self.engine.input_limit(&engine);
        let tell = |bytes| watch.advance(bytes);
        let scalars = self.form.scalars(&scalars.read(limit, tell)?).context(&scalars_name)?;
        let points = self.form.points::<C>(&bases.read(limit, tell)?).context(&bases_name)?;
        watch.stage("checking the bases");
        let options = BasesOptions { validate: true, tables: false };
        let bases = engine.bases(points, options).context(&bases_name)?;
        watch.stage("multiplying");
        let sum = engine.msm::<C>(&scalars, &bases)?;
        self.format.print(&Report {
            sum: Sum::of::<C>(&sum),
            pairs,
            device: DeviceUsed::of(&engine),
            stages: watch.finish(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sum)?;
        writeln!(f, "pairs       {}", self.pairs)?;
        writeln!(f, "device      {}", self.device)?;
        for StageTime { stage, seconds } in &self.stages {
            writeln!(f, "  {stage:<22} {:>12}", output::time(*seconds))?;
        }
        Ok(())
    }
}
