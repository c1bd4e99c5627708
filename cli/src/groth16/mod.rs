//! `zkaccel groth16`: proofs from the keys and witnesses of circom and snarkjs.

mod inspect;
mod prove;
mod verify;

use std::io::Read;
use std::path::Path;

use clap::Subcommand;
use zkaccel_groth16::zkey::Zkey;
use zkaccel_groth16::{AnyPairing, Bytes, Pairing, ProvingKey};

use crate::failure::{Context, Failure};
use crate::files::{self, Input};
use crate::output;
use crate::watch::{Unit, Watch};

/// What the command is for.
fn about() -> String {
    let curves: Vec<_> = AnyPairing::ALL.iter().map(|pairing| pairing.name()).collect();
    format!(
        "Make and verify Groth16 proofs over {}, from the files of circom and snarkjs",
        output::enumeration(&curves)
    )
}

/// The arguments of all of them.
#[derive(clap::Args)]
#[command(about = about(), long_about = None)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Prove(prove::Arguments),
    Verify(verify::Arguments),
    Inspect(inspect::Arguments),
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Prove(arguments) => arguments.run(),
            Command::Verify(arguments) => arguments.run(),
            Command::Inspect(arguments) => arguments.run(),
        }
    }
}

/// The bytes of an input of at most `limit` bytes: in place where it is a file. `expected` describes it.
fn bytes(path: &Path, expected: &str, limit: u64) -> Result<Bytes, Failure> {
    match Input::open(path, expected)? {
        Input::Regular(..) => Ok(Bytes::open(path)?),
        Input::Stream(stream) => {
            let mut bytes = Vec::new();
            stream.take(limit.saturating_add(1)).read_to_end(&mut bytes).context(files::input_name(path))?;
            match bytes.len() as u64 <= limit {
                true => Ok(bytes.into()),
                false => {
                    Err(Failure::new(format_args!("found more than {limit} bytes, expected {expected}")))
                        .context(files::input_name(path))
                }
            }
        }
    }
}

/// Reads the whole of a key from its bytes, and shows how far that is.
fn read<P: Pairing>(
    zkey: &Zkey<'_, P>,
    bytes: &[u8],
    watch: &Watch,
) -> Result<ProvingKey<P>, zkaccel_groth16::Error> {
    watch.stage_of("reading the key", Unit::Bytes, 0, bytes.len() as u64);
    zkey.proving_key_with(&|bytes| watch.advance(bytes))
}

/// The most bytes of a text: a verification key with 2^20 public signals has fewer.
const LONGEST_TEXT: u64 = 1 << 28;

/// A value out of a text.
fn parse<T>(
    path: &Path,
    expected: &str,
    parse: impl FnOnce(&[u8]) -> Result<T, zkaccel_groth16::Error>,
) -> Result<T, Failure> {
    parse(&bytes(path, expected, LONGEST_TEXT)?).context(files::input_name(path))
}

/// Refuses standard input, or standard output, where it is meant more than once.
fn at_most_one_standard<'a>(
    what: &str,
    stream: &str,
    paths: impl Iterator<Item = &'a Path>,
) -> Result<(), Failure> {
    match paths.filter(|path| files::is_standard(path)).count() {
        0 | 1 => Ok(()),
        several => Err(Failure::new(format_args!(
            "{what}: {several} of them are - ({stream}), expected one at most"
        ))),
    }
}
