//! The PTX of programs, which the crate carries.

use super::program::Program;

/// The PTX of every program by name, compressed; made, like the list, by `tools/make-ptx.sh`.
static PTX: &[(&str, &[u8])] = include!("../../../kernels/ptx/list.rs");

/// The text of a program.
pub fn text(program: &Program) -> Vec<u8> {
    let embedded = PTX.iter().find(|(name, _)| *name == program.name).expect("every program is embedded");
    miniz_oxide::inflate::decompress_to_vec_zlib(embedded.1).expect("the embedded PTX is whole")
}
