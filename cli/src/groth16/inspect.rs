//! `zkaccel groth16 inspect`.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel_groth16::zkey::{Header, Zkey};
use zkaccel_groth16::{G1Affine, ProvingKey, json};

use super::bytes;
use crate::failure::{Context, Failure};
use crate::files::{self, Contents, NewFile};
use crate::output::Format;

/// Tell what is in a proving key, and check all of it
///
/// Every length, every number and every point is looked at, as `prove` does. The contributions to the key's ceremony are not verified; `snarkjs zkey
/// verify` does that.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The key
    #[arg(value_name = "CIRCUIT.zkey")]
    key: PathBuf,

    /// Write the verification key into this file
    #[arg(long, value_name = "FILE.json")]
    verification_key: Option<PathBuf>,

    #[command(flatten)]
    format: Format,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    protocol: &'static str,
    curve: &'static str,
    bytes: usize,
    signals: u32,
    public_signals: u32,
    domain_size: u32,
    coefficients: u32,
    /// Points that are the identity, which add nothing to a proof.
    identities: Identities,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_key: Option<String>,
}

#[derive(Serialize)]
struct Identities {
    a: usize,
    b: usize,
    c: usize,
    h: usize,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let subject = files::input_name(&self.key);
        let output = self.verification_key.as_deref();
        let to_output = output.map(|path| NewFile::create(path, Contents::Text)).transpose()?;
        let bytes = bytes(&self.key, "a key", u64::MAX)?;
        let zkey = Zkey::parse(&bytes).context(&subject)?;
        let key = zkey.proving_key().context(&subject)?;
        if let Some(to_output) = to_output {
            to_output.fill(|file| writeln!(file, "{}", json::write_verifying_key(&key.verifying)))?;
        }
        let Header { signals, public_signals, domain_size, coefficients, .. } = zkey.header();
        let report = Report {
            protocol: "groth16",
            curve: "bn254",
            bytes: bytes.len(),
            signals,
            public_signals,
            domain_size,
            coefficients,
            identities: Identities::of(&key),
            verification_key: output.map(files::output_name),
        };
        self.format.print_beside(output, &report)
    }
}

impl Identities {
    fn of(key: &ProvingKey) -> Self {
        let of = |points: &[G1Affine]| points.iter().filter(|point| **point == G1Affine::default()).count();
        Self { a: of(&key.a), b: of(&key.b_g1), c: of(&key.c), h: of(&key.h) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, signals, public_signals, domain_size, coefficients, identities, .. } = self;
        let Identities { a, b, c, h } = identities;
        writeln!(f, "key         groth16 over bn254, {bytes} bytes, every part checked")?;
        writeln!(f, "signals     {signals}, of which {public_signals} are public")?;
        writeln!(f, "domain      {domain_size} points")?;
        writeln!(f, "matrices    {coefficients} coefficients")?;
        writeln!(f, "identities  {a} points of A, {b} of B, {c} of C, {h} of H")?;
        match &self.verification_key {
            Some(path) => writeln!(f, "written     the verification key, to {path}"),
            None => Ok(()),
        }
    }
}
