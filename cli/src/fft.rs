//! `zkaccel fft`: transforms over the scalars of curves.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::Error;
use zkaccel::curve::{hex, integers_of_scalars, parse_scalar};
use zkaccel::field::TwoAdicPrime;
use zkaccel::ntt::{AcceleratedField, Domain, Ntt};

use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::{Context, Failure};
use crate::fields::{FieldOptions, FieldVisitor};
use crate::files::{self, Contents, NewFile};
use crate::limbs::{self, Form};
use crate::npy;
use crate::output::{self, Format};
use crate::watch::{StageTime, Unit, Watch};

/// Transform a polynomial over the scalar field of a curve
///
/// Computes the values of a polynomial on the coset COSET * H of the subgroup H with as many points as there are rows, from its
/// coefficients; --inverse computes the coefficients from the values. Input and output are in natural order and in the same form.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The scalars: a .npy file of '<u8' words, C order, shape (N, 4), four limbs to a scalar, the lowest first; N is a power of two
    #[arg(value_name = "IN.npy")]
    input: PathBuf,

    /// The file for the result; it may be that of the scalars
    #[arg(value_name = "OUT.npy")]
    output: PathBuf,

    #[command(flatten)]
    field: FieldOptions,

    /// Compute coefficients from values, including the factor 1/N
    #[arg(long)]
    inverse: bool,

    /// The shift of the coset: an integer, in decimal or in hexadecimal after 0x, or zeta, halo2's cube root of unity
    #[arg(long, value_name = "S", default_value = "1")]
    coset: String,

    /// The generator of the subgroup: halo2 or arkworks, for the roots of unity of these libraries, or an integer of order N
    #[arg(long, value_name = "ROOT", default_value = "halo2")]
    root: String,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    format: Format,
}

/// The shift of a coset.
fn shift<F: TwoAdicPrime>(text: &str) -> Result<F, Error> {
    match text {
        // The coset of halo2's extended domains.
        "zeta" => Ok(F::ZETA),
        text => parse_scalar(text),
    }
}

/// The subgroup of 2^`log_size` points with the root of unity of that name, or with the integer given.
fn subgroup<F: TwoAdicPrime>(text: &str, log_size: u32) -> Result<Domain<F>, Error> {
    match text {
        "halo2" => Domain::halo2(log_size),
        "arkworks" => Domain::arkworks(log_size),
        text => Domain::with_root(log_size, parse_scalar(text)?),
    }
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    output: String,
    scalars: usize,
    transform: &'static str,
    /// As integers.
    root: String,
    coset: String,
    device: DeviceUsed,
    stages: Vec<StageTime>,
}

impl FieldVisitor for Arguments {
    type Output = Result<(), Failure>;

    fn visit<F: TwoAdicPrime + AcceleratedField>(self) -> Self::Output {
        self.run_over::<F>()
    }
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.field.field.visit(self)
    }

    fn run_over<F: TwoAdicPrime + AcceleratedField>(self) -> Result<(), Failure> {
        let watch = Watch::start();
        let engine = self.engine.build(Some(&watch))?;
        let input = limbs::open(&self.input, limbs::scalar::<F>(), "a scalar")?;
        let subject = input.name.clone();
        let domain = self.domain::<F>(input.rows).context(&subject)?;
        let output = NewFile::create(&self.output, Contents::Binary)?;

        watch.stage_of("reading", Unit::Bytes, 0, input.bytes());
        let words = input.read(self.engine.input_limit(&engine), |bytes| watch.advance(bytes))?;
        let mut scalars = self.form.scalars::<F>(&words).context(&subject)?;
        drop(words);
        watch.stage("transforming");
        let fft = if self.inverse { Ntt::inverse(domain) } else { Ntt::forward(domain) };
        engine.ntt(&fft, &mut scalars).context(&subject)?;
        watch.stage_of("writing", Unit::Bytes, 0, size_of_val(&scalars[..]) as u64);
        self.form.write_scalars(&scalars, |entries| {
            output.fill(|file| {
                npy::write(file, scalars.len(), limbs::scalar::<F>(), entries, |bytes| watch.advance(bytes))
            })
        })?;

        let hex = |scalar: F| integers_of_scalars(&[scalar]).map(|integers| hex(integers[0]));
        let report = Report {
            output: files::output_name(&self.output),
            scalars: scalars.len(),
            transform: if self.inverse { "inverse" } else { "forward" },
            root: hex(domain.root())?,
            coset: hex(domain.shift())?,
            device: DeviceUsed::of(&engine),
            stages: watch.finish(),
        };
        self.format.print_beside(Some(&self.output), &report)
    }

    fn domain<F: TwoAdicPrime>(&self, rows: usize) -> Result<Domain<F>, Error> {
        if !rows.is_power_of_two() {
            return Err(Error::NotPowerOfTwo { what: "rows of the matrix", found: rows });
        }
        let shift = shift(&self.coset)?;
        subgroup(&self.root, rows.trailing_zeros())?.coset(shift)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { output, scalars, transform, root, coset, device, stages } = self;
        writeln!(f, "transform   {transform}")?;
        writeln!(f, "root        {root}")?;
        writeln!(f, "coset       {coset}")?;
        writeln!(f, "result      {scalars} scalars in {output}")?;
        writeln!(f, "device      {device}")?;
        for StageTime { stage, seconds } in stages {
            writeln!(f, "  {stage:<22} {:>12}", output::time(*seconds))?;
        }
        Ok(())
    }
}
