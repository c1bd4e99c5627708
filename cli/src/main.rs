//! The `zkaccel` command, which is a library so that fuzz targets can call it.

use std::process::ExitCode;

fn main() -> ExitCode {
    zkaccel_cli::main()
}
