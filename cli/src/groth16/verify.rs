//! `zkaccel groth16 verify`.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel_groth16::{Pairing, PairingVisitor, Verifier, json};

use super::{LONGEST_TEXT, at_most_one_standard, bytes, parse};
use crate::failure::{Context, Failure};
use crate::files;
use crate::output::Format;

/// Verify a Groth16 proof
///
/// Exit status: 0 when the proof is true; 1 when it is well-formed and false; 2 when a file is malformed: a number at or above its modulus, a point
/// off its curve or outside its group, another number of public signals than the key is for. With --json, a false proof too gives a JSON object.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The verification key, as `snarkjs zkey export verificationkey` writes it
    #[arg(value_name = "VERIFICATION_KEY.json")]
    key: PathBuf,

    /// The public signals
    #[arg(value_name = "PUBLIC.json")]
    public: PathBuf,

    /// The proof
    #[arg(value_name = "PROOF.json")]
    proof: PathBuf,

    #[command(flatten)]
    format: Format,
}

/// What is printed of a well-formed proof; of a false one as JSON only.
#[derive(Serialize)]
struct Report {
    verified: bool,
    /// Why a proof is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    public_signals: usize,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let inputs = [&self.key, &self.public, &self.proof].into_iter().map(PathBuf::as_path);
        at_most_one_standard("the key, the public signals and the proof", "standard input", inputs)?;
        let text = bytes(&self.key, "a verification key", LONGEST_TEXT)?;
        let pairing = json::pairing_of_verifying_key(&text).context(files::input_name(&self.key))?;
        pairing.visit(Verification { arguments: self, key: &text })
    }
}

/// Verifies a proof over the pairing of its key.
struct Verification<'a> {
    arguments: Arguments,
    key: &'a [u8],
}

impl PairingVisitor for Verification<'_> {
    type Output = Result<(), Failure>;

    fn visit<P: Pairing>(self) -> Self::Output {
        let Arguments { key, public, proof, format } = self.arguments;
        let subject = files::input_name(&key);
        let verifier = json::parse_verifying_key::<P>(self.key).and_then(Verifier::new).context(subject)?;
        let signals = parse(&public, "public signals", json::parse_public::<P::Fr>)?;
        let claimed = parse(&proof, "a proof", json::parse_proof)?;
        let report = |reason: Option<String>| Report {
            verified: reason.is_none(),
            reason,
            public_signals: signals.len(),
        };
        match verifier.verify(&claimed, &signals) {
            Ok(()) => format.print(&report(None)),
            Err(error @ zkaccel_groth16::Error::PublicSignals { .. }) => {
                Err(error).context(files::input_name(&public))
            }
            Err(error) => {
                let failure = Err::<(), _>(error).context(files::input_name(&proof)).unwrap_err();
                if format.json && failure.status == Failure::REFUTED {
                    format.print(&report(Some(failure.line())))?;
                }
                Err(failure)
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "verified")?;
        writeln!(f, "public      {} signals", self.public_signals)
    }
}
