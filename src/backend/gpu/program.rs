//! Device programs: their sources and names.
//!
//! A program is one translation unit: the dialect, the field, constants that Rust generates, and files of kernels, concatenated.
//! OpenCL compiles that text at run time. For CUDA it was compiled to PTX, which the crate carries, by `tools/make-ptx.sh`;
//! the digest of text and options is recorded beside the PTX, so that a test can tell when it is stale.

use super::foreign::CHECK;
use super::ntt::programs as passes;
use super::{combinations, hash, inversion, lookups, prefix, products, row_program};
use crate::backend::{AcceleratedField, BaseField};
#[cfg(feature = "bn254")]
use crate::field::MontgomeryField;
use crate::field::{Goldilocks, MODULUS};

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

/// A field over which there are kernels: the same source text serves every one.
pub trait DeviceField: BaseField {
    /// Its name in those of programs.
    const SUFFIX: &'static str;
    /// Its constants and arithmetic, as text before that of kernels.
    const TEXT: fn() -> String;
    /// Words of an element.
    const WORDS: usize = size_of::<Self>() / size_of::<u64>();
}

impl DeviceField for Goldilocks {
    const SUFFIX: &'static str = <Self as AcceleratedField>::NAME;
    /// Every program has it.
    const TEXT: fn() -> String = String::new;
}

#[cfg(feature = "bn254")]
impl<F: MontgomeryField + BaseField> DeviceField for F {
    const SUFFIX: &'static str = <F as crate::field::ScalarField>::NAME;
    const TEXT: fn() -> String = super::fields::scalars::<F>;
}

/// A name of two parts, `operation_suffix`, with an underscore between.
#[derive(Clone, Copy)]
pub(super) struct Name {
    letters: [u8; 32],
    len: usize,
}

impl Name {
    pub(super) const fn new(operation: &str, suffix: &str) -> Self {
        let parts = [operation.as_bytes(), b"_", suffix.as_bytes()];
        let (mut name, mut part) = (Self { letters: [0; 32], len: 0 }, 0);
        while part < parts.len() {
            let mut i = 0;
            while i < parts[part].len() {
                name.letters[name.len] = parts[part][i];
                (name.len, i) = (name.len + 1, i + 1);
            }
            part += 1;
        }
        name
    }

    pub(super) const fn text(&'static self) -> &'static str {
        match std::str::from_utf8(self.letters.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => panic!("names are ASCII"),
        }
    }
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
        .chain(lookups::PROGRAMS)
        .chain(products::PROGRAMS.iter().copied())
        .chain(over_accelerated::<Goldilocks>());
    #[cfg(feature = "bn254")]
    let all = all.chain(primes::all());
    all
}

/// The programs over a field with transforms.
fn over_accelerated<F: AcceleratedField + DeviceField>() -> impl Iterator<Item = &'static Program> {
    let one = [inversion::program::<F>(), row_program::kernels::<F>(), prefix::program::<F>()];
    one.into_iter().chain(combinations::programs::<F>())
}

/// The programs over prime fields and curves.
#[cfg(feature = "bn254")]
mod primes {
    use super::super::{fft, msm, pointwise, sparse};
    use super::{Program, over_accelerated};

    macro_rules! prime_fields {
        ($($field:path, $name:literal;)*) => {
            fn of_vectors() -> impl Iterator<Item = &'static Program> {
                [$(pointwise::program::<$field>(), sparse::program::<$field>()),*].into_iter()
            }
        };
    }
    crate::for_every_prime_field!(prime_fields);

    macro_rules! two_adic_fields {
        ($($field:path, $name:literal;)*) => {
            fn of_matrices() -> impl Iterator<Item = &'static Program> {
                std::iter::empty()$(.chain(over_accelerated::<$field>()).chain(fft::programs::all::<$field>()))*
            }
        };
    }
    crate::for_every_two_adic_field!(two_adic_fields);

    macro_rules! curves {
        ($($curve:path, $name:literal;)*) => {
            fn of_points() -> impl Iterator<Item = &'static Program> {
                std::iter::empty()$(.chain(msm::programs::all::<$curve>()))*
            }
        };
    }
    crate::for_every_curve!(curves);

    pub(super) fn all() -> impl Iterator<Item = &'static Program> {
        of_vectors().chain(of_matrices()).chain(of_points())
    }
}

/// Options of NVRTC: the oldest supported architecture, whose PTX drivers translate for every later one; and no warnings about
/// unused functions, because no program uses every function of the headers.
pub const PTX_OPTIONS: [&str; 2] = ["--gpu-architecture=compute_80", "--diag-suppress=177"];

impl Program {
    /// The defaults of most programs.
    pub(super) const EMPTY: Self =
        Self { name: "", constants: String::new, kernels: &[], parameters: &[], registers: None };

    /// A program over a field.
    pub(super) const fn over<F: DeviceField>(name: &'static Name, kernels: &'static [&'static str]) -> Self {
        Self { name: name.text(), constants: F::TEXT, kernels, ..Self::EMPTY }
    }

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
