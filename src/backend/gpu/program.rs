//! Device programs: how their sources are put together, and what they are called.
//!
//! A program is one translation unit: the dialect, the field, constants that Rust writes, and files of kernels, joined.
//! OpenCL compiles that text at run time. For CUDA it was compiled to PTX, which the crate carries, by `tools/make-ptx.sh`;
//! the digest of text and options is recorded beside the PTX, so that a test can tell when it is stale.

use super::hash;
use super::ntt::programs as passes;
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
    /// Macros, for programs that are made of one text in several ways.
    pub(super) parameters: &'static [(&'static str, u32)],
    /// Registers of a work item that an OpenCL compiler should use at most, where it can be told; CUDA is told in the text.
    pub registers: Option<u32>,
}

/// Tables of transforms.
pub static NTT_TABLES: Program = Program {
    name: "ntt_tables",
    kernels: &[include_str!("../../../kernels/ntt_tables.cl")],
    ..Program::EMPTY
};

/// Programs with a name of their own; hashes have one each besides, and transforms one for each kind of pass.
static PROGRAMS: [&Program; 2] = [&NTT_TABLES, &GATHER];

/// Rows of data that stay on a device.
pub static GATHER: Program =
    Program { name: "gather", kernels: &[include_str!("../../../kernels/gather.cl")], ..Program::EMPTY };

/// Every program.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    let all = hash::PROGRAMS.iter().copied().chain(PROGRAMS).chain(passes::all());
    #[cfg(feature = "bn254")]
    let all = all.chain(super::fft::programs::all()).chain(super::msm::programs::all());
    all
}

/// What NVRTC is told: the oldest architecture served, whose PTX drivers translate for every later one; and that no program
/// uses every function of the headers.
pub const PTX_OPTIONS: [&str; 2] = ["--gpu-architecture=compute_80", "--diag-suppress=177"];

impl Program {
    /// What most programs have none of.
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

    /// The digest of source and options, in hexadecimal: what the embedded PTX was made from.
    pub fn ptx_key(&self) -> String {
        let text = format!("{}\n{}", PTX_OPTIONS.join(" "), self.source());
        ::blake3::hash(text.as_bytes()).to_hex().to_string()
    }
}
