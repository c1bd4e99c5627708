//! `zkaccel groth16 inspect`.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel_groth16::zkey::{self, Header, Zkey};
use zkaccel_groth16::{Pairing, PairingVisitor, ProvingKey, json};

use super::{bytes, read};
use crate::failure::{Context, Failure};
use crate::files::{self, Contents, NewFile};
use crate::output::Format;
use crate::watch::Watch;

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
    curve: String,
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
        let output = self.verification_key.as_deref();
        let to_output = output.map(|path| NewFile::create(path, Contents::Text)).transpose()?;
        let watch = Watch::start();
        watch.stage("reading the key");
        let bytes = bytes(&self.key, "a key", u64::MAX)?;
        let inspection = Inspection { key: &bytes, watch: &watch };
        let inspected = zkey::pairing_of(&bytes).and_then(|pairing| pairing.visit(inspection));
        drop(watch);
        let (report, verifying) = inspected.context(files::input_name(&self.key))?;
        if let Some(to_output) = to_output {
            to_output.fill(|file| writeln!(file, "{verifying}"))?;
        }
        let report = Report { verification_key: output.map(files::output_name), ..report };
        self.format.print_beside(output, &report)
    }
}

/// Reads a key of any pairing: what is in it, and its verification key.
struct Inspection<'a> {
    key: &'a [u8],
    watch: &'a Watch,
}

impl PairingVisitor for Inspection<'_> {
    type Output = Result<(Report, String), zkaccel_groth16::Error>;

    fn visit<P: Pairing>(self) -> Self::Output {
        let zkey = Zkey::<P>::parse(self.key)?;
        let key = read(&zkey, self.key, self.watch)?;
        let Header { signals, public_signals, domain_size, coefficients, .. } = zkey.header();
        let report = Report {
            protocol: "groth16",
            curve: P::NAME.to_lowercase(),
            bytes: self.key.len(),
            signals,
            public_signals,
            domain_size,
            coefficients,
            identities: Identities::of(&key),
            verification_key: None,
        };
        Ok((report, json::write_verifying_key(&key.verifying)))
    }
}

impl Identities {
    fn of<P: Pairing>(key: &ProvingKey<P>) -> Self {
        let of = |points: &[P::G1]| points.iter().filter(|point| **point == P::G1::default()).count();
        Self { a: of(&key.a), b: of(&key.b_g1), c: of(&key.c), h: of(&key.h) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { curve, bytes, signals, public_signals, domain_size, coefficients, identities, .. } = self;
        let Identities { a, b, c, h } = identities;
        writeln!(f, "key         groth16 over {curve}, {bytes} bytes, every part checked")?;
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
