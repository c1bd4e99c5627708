//! `zkaccel ntt`: number theoretic transforms and low-degree extensions of the columns of a matrix.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::commit::TraceSpec;
use zkaccel::field::{Field, Goldilocks};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Ntt};
use zkaccel::{Engine, Error};

use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::{Context, Failure};
use crate::files::{self, Contents, NewFile};
use crate::npy::{self, NpyFile};
use crate::output::{self, Format};
use crate::parse;
use crate::watch::{StageTime, Unit, Watch};

/// Transform every column of a matrix
///
/// Without --blowup, each column holds the coefficients of a polynomial, and the result its values on the coset SHIFT * H of the
/// subgroup H with as many points as there are rows; --inverse computes the coefficients from the values. With --blowup, each column
/// holds values on the subgroup, and the result the values of the same polynomial on a coset of a subgroup with BLOWUP times as many
/// points (low-degree extension). Input and output are in natural order.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The matrix: a .npy file of '<u8' words below p, C order, shape (rows, columns), a power of two of rows
    #[arg(value_name = "IN.npy")]
    input: PathBuf,

    /// The file for the result; it may be that of the matrix
    #[arg(value_name = "OUT.npy")]
    output: PathBuf,

    /// Compute coefficients from values, including the factor 1/rows
    #[arg(long, conflicts_with = "blowup")]
    inverse: bool,

    /// The shift of the coset: a field element other than 0, in decimal or in hexadecimal after 0x [default: 1, or 7 with --blowup]
    #[arg(long, value_name = "S", value_parser = parse::shift)]
    shift: Option<Goldilocks>,

    /// Extend the columns by this factor: a power of two of at least 2
    #[arg(long, value_name = "B", value_parser = parse::number::<u64>)]
    blowup: Option<u64>,

    /// Whose roots of unity generate the subgroups
    #[arg(long, value_name = "CONVENTION", default_value_t, value_parser = parse::one_of::<Convention>())]
    convention: Convention,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    format: Format,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    output: String,
    rows: usize,
    columns: usize,
    transform: &'static str,
    convention: &'static str,
    shift: String,
    device: DeviceUsed,
    stages: Vec<StageTime>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let watch = Watch::start();
        let engine = self.engine.build(Some(&watch))?;
        let input = NpyFile::open(&self.input)?;
        let columns = input.columns;
        let subject = input.name.clone();
        let transform = self.transform(input.rows).context(&subject)?;
        let output = NewFile::create(&self.output, Contents::Binary)?;

        watch.stage_of("reading", Unit::Bytes, 0, input.bytes());
        let rows = input.rows;
        let words = input.read(self.engine.input_limit(&engine), |bytes| watch.advance(bytes))?;
        let words = bytemuck::cast_vec(words);
        let matrix = Matrix::from_rows(words, rows, columns)?;
        watch.stage("transforming");
        let matrix =
            transform(&engine, matrix).map_err(|error| npy::locate(error, columns)).context(&subject)?;
        let (shape, entries) = (matrix.shape(), bytemuck::cast_slice(matrix.as_slice()));
        watch.stage_of("writing", Unit::Bytes, 0, size_of_val(entries) as u64);
        output.fill(|file| {
            npy::write(file, shape.rows, shape.columns, entries, |bytes| watch.advance(bytes))
        })?;

        let report = Report {
            output: files::output_name(&self.output),
            rows: shape.rows,
            columns,
            transform: match (self.blowup, self.inverse) {
                (Some(_), _) => "low-degree extension",
                (None, true) => "inverse",
                (None, false) => "forward",
            },
            convention: self.convention.name(),
            shift: self.shift().to_string(),
            device: DeviceUsed::of(&engine),
            stages: watch.finish(),
        };
        self.format.print_beside(Some(&self.output), &report)
    }

    fn shift(&self) -> Goldilocks {
        let default = if self.blowup.is_some() { Goldilocks::GENERATOR } else { Goldilocks::ONE };
        self.shift.unwrap_or(default)
    }

    /// The operation on a matrix with this many rows.
    fn transform(&self, rows: usize) -> Result<Transform, Error> {
        let shift = self.shift();
        if let Some(blowup) = self.blowup {
            let lde = TraceSpec { blowup, convention: self.convention, shift }.lde(rows)?;
            return Ok(Box::new(move |engine, matrix| engine.lde(&lde, matrix)));
        }
        if !rows.is_power_of_two() {
            return Err(Error::NotPowerOfTwo { what: "rows of the matrix", found: rows });
        }
        let domain = Domain::new(rows.trailing_zeros(), self.convention)?.coset(shift)?;
        let ntt = if self.inverse { Ntt::inverse(domain) } else { Ntt::forward(domain) };
        Ok(Box::new(move |engine, mut matrix| engine.ntt(&ntt, matrix.view_mut()).map(|()| matrix)))
    }
}

/// A transform of a matrix into another.
type Transform = Box<dyn FnOnce(&Engine, Matrix<Goldilocks>) -> Result<Matrix<Goldilocks>, Error>>;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { output, rows, columns, transform, convention, shift, device, stages } = self;
        writeln!(f, "transform   {transform} (shift {shift}, {convention})")?;
        writeln!(f, "result      {rows} rows x {columns} columns in {output}")?;
        writeln!(f, "device      {device}")?;
        for StageTime { stage, seconds } in stages {
            writeln!(f, "  {stage:<22} {:>12}", output::time(*seconds))?;
        }
        Ok(())
    }
}
