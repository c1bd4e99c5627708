//! The `zkaccel` command: commitments, openings, trees, transforms, multi-scalar multiplication and Groth16 proofs on files.
//!
//! Matrices are `.npy` files of little-endian unsigned 64-bit words (`<u8`) in C order with shape (rows, columns).
//! Results go to stdout, everything else to stderr. The exit status is 0 when the work is done, 1 when a proof is false or a self-test
//! fails, and 2 for everything else: bad input, a missing device, a file that cannot be written.

// Fuzz targets are compiled without the conformance suite, which uses the rest.
#![cfg_attr(fuzzing, allow(dead_code))]

mod bench;
mod commit;
mod curves;
mod devices;
mod engine;
mod failure;
mod fft;
mod fields;
mod files;
#[cfg(fuzzing)]
pub mod fuzzing;
mod groth16;
mod hashes;
mod limbs;
mod manual;
mod merkle;
mod mpi;
mod msm;
mod npy;
mod ntt;
mod open;
mod output;
mod page;
mod parse;
mod progress;
mod proof;
#[cfg(not(fuzzing))]
mod selftest;
#[cfg(unix)]
mod signals;
mod store;
mod temporary;
mod tree;
mod verify;
mod watch;

use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{Parser, Subcommand};

use failure::Failure;

/// What the command is for.
fn about() -> String {
    format!(
        "Hardware acceleration for zero-knowledge provers, over the Goldilocks field (p = 2^64 - 2^32 + 1) and the curves {}",
        output::enumeration(&curves::without_groups())
    )
}

/// The same, with what all subcommands have in common.
fn long_about() -> String {
    format!("{}.\n\n{COMMON}", about())
}

const COMMON: &str = "\
Matrices are .npy files of dtype '<u8' (little-endian unsigned 64-bit words below p) in C order with shape \
(rows, columns). Digests are 64 hexadecimal digits: 32 bytes, for hashes over the field four little-endian words.

Where a file is expected, - stands for standard input or standard output, and pipes are accepted. Where the result goes to standard \
output, the report on it goes to standard error.

Exit status: 0 when the work is done; 1 when a proof is false or a self-test fails; 2 for bad input, a missing device and any other \
error.";

/// The command line.
#[derive(Parser)]
#[command(name = "zkaccel", version, max_term_width = 110, about = about(), long_about = long_about())]
struct Arguments {
    /// Show no progress on the terminal
    #[arg(long, short, global = true)]
    quiet: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Devices(devices::Arguments),
    Commit(commit::Arguments),
    Open(open::Arguments),
    Verify(verify::Arguments),
    Tree(tree::Arguments),
    Merkle(merkle::Arguments),
    Ntt(ntt::Arguments),
    Msm(msm::Arguments),
    Fft(fft::Arguments),
    Groth16(groth16::Arguments),
    Mpi(mpi::Arguments),
    #[cfg(not(fuzzing))]
    Selftest(selftest::Arguments),
    Bench(bench::Arguments),
    Completions(manual::Completions),
    Manual(manual::Manual),
}

/// The whole command: arguments and streams are those of the process.
pub fn main() -> ExitCode {
    let Arguments { quiet, command } = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return explain(error),
    };
    if quiet {
        watch::be_quiet();
    }
    #[cfg(unix)]
    signals::handle();
    let done = run(command);
    output::print_warnings();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Devices(arguments) => arguments.run(),
        Command::Commit(arguments) => arguments.run(),
        Command::Open(arguments) => arguments.run(),
        Command::Verify(arguments) => arguments.run(),
        Command::Tree(arguments) => arguments.run(),
        Command::Merkle(arguments) => arguments.run(),
        Command::Ntt(arguments) => arguments.run(),
        Command::Msm(arguments) => arguments.run(),
        Command::Fft(arguments) => arguments.run(),
        Command::Groth16(arguments) => arguments.run(),
        Command::Mpi(arguments) => arguments.run(),
        #[cfg(not(fuzzing))]
        Command::Selftest(arguments) => arguments.run(),
        Command::Bench(arguments) => arguments.run(),
        Command::Completions(arguments) => arguments.run(),
        Command::Manual(arguments) => arguments.run(),
    }
}

/// Prints the one line of an error, unless it was printed elsewhere. Stderr may be closed, which is no reason to panic.
fn fail(failure: &Failure) -> ExitCode {
    if failure.is_told() {
        return ExitCode::from(failure.status);
    }
    let _ = writeln!(std::io::stderr(), "error: {}", failure.line());
    ExitCode::from(failure.status)
}

/// Help, a version, or an error in the arguments. A value that does not parse is bad input like any other and gets one line; a
/// misuse of the options themselves gets the usage too.
fn explain(error: clap::Error) -> ExitCode {
    if let (ErrorKind::ValueValidation, Some(source)) = (error.kind(), std::error::Error::source(&error)) {
        let option = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
        let option = option.split(' ').next().unwrap_or_default();
        return fail(&Failure::new(format!("{option}: {source}")));
    }
    let _ = error.print();
    ExitCode::from(error.exit_code() as u8)
}
