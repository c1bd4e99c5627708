//! Device programs: their sources and names.
//!
//! A program is one translation unit: the dialect, the field, constants that Rust generates, and files of kernels, concatenated.
//! OpenCL compiles that text at run time. For CUDA it was compiled to PTX, which the crate carries, by `tools/make-ptx.sh`;
//! the digest of text and options is recorded beside the PTX, so that a test can tell when it is stale.

use super::foreign::CHECK;
use super::ntt::programs as passes;
use super::{combinations, hash, inversion, lookups, prefix, products, row_program};
use crate::field::MODULUS;

/// A set of kernels that are compiled together.
///
/// A program of a hash has the kernels `merge_level` and `hash_rows`, and those of Rescue Prime `merge_local`, `merge_group` and
/// `merge_tip` too; see `kernels/rescue.cl` and `kernels/rescue_tip.cl` for their parameters.
#[derive(Debug)]
pub struct Program {
    /// Its name, unique among programs.
    pub name: &'static str,
    pub(super) constants: fn() -> String,
    pub(super) kernels: &'static [&'static str],
    /// Macros, for several programs made of one text.
    pub(super) parameters: &'static [(&'static str, u32)],
    /// The most registers per work item that an OpenCL compiler should use, where it has such an option; for CUDA the source text
    /// says so.
    pub registers: Option<u32>,
}

/// Tables of transforms.
pub static NTT_TABLES: Program = Program {
    name: "ntt_tables",
    kernels: &[include_str!("../../../kernels/ntt_tables.cl")],
    ..Program::EMPTY
};

/// Programs with a name of their own; hashes have one each besides, and transforms one for each kind of pass.
static PROGRAMS: [&Program; 3] = [&NTT_TABLES, &GATHER, &CHECK];

/// Rows of data that stay on a device.
pub static GATHER: Program =
    Program { name: "gather", kernels: &[include_str!("../../../kernels/gather.cl")], ..Program::EMPTY };

/// Every program.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    let all = hash::PROGRAMS
        .iter()
        .copied()
        .chain(PROGRAMS)
        .chain(passes::all())
        .chain(inversion::programs())
        .chain(row_program::programs())
        .chain(combinations::programs())
        .chain(prefix::programs())
        .chain(lookups::PROGRAMS)
        .chain(products::PROGRAMS.iter().copied());
    #[cfg(feature = "bn254")]
    let all = all
        .chain(super::fft::programs::all())
        .chain(super::msm::programs::all())
        .chain(super::pointwise::programs())
        .chain(super::sparse::programs());
    all
}

/// Options of NVRTC: the oldest supported architecture, whose PTX drivers translate for every later one; and no warnings about
/// unused functions, because no program uses every function of the headers.
pub const PTX_OPTIONS: [&str; 2] = ["--gpu-architecture=compute_80", "--diag-suppress=177"];

impl Program {
    /// The defaults of most programs.
    pub(super) const EMPTY: Self =
        Self { name: "", constants: String::new, kernels: &[], parameters: &[], registers: None };

    /// The whole source text.
    pub fn source(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, value)| format!("#define {name} {value}\n"));
        [
            &parameters.collect::<String>(),
            include_str!("../../../kernels/dialect.h"),
            &format!("#define GL_MODULUS {MODULUS:#x}UL\n"),
            include_str!("../../../kernels/goldilocks.h"),
            &(self.constants)(),
            &self.kernels.join("\n"),
        ]
        .join("\n")
    }

    /// The digest of source and options, in hexadecimal, by which the embedded PTX is known to be current.
    pub fn ptx_key(&self) -> String {
        let text = format!("{}\n{}", PTX_OPTIONS.join(" "), self.source());
        ::blake3::hash(text.as_bytes()).to_hex().to_string()
    }
}
