//! Device programs: how their sources are put together, and what they are called.
//!
//! A program is one translation unit: the dialect, the field, constants that Rust writes, and a file of kernels, joined.
//! OpenCL compiles that text at run time. For CUDA it was compiled to PTX, which the crate carries, by `tools/make-ptx.sh`;
//! the digest of text and options is recorded beside the PTX, so that a test can tell when it is stale.

use std::fmt::Write;

use crate::field::MODULUS;
use crate::hash::rescue_constants::{ARK1, ARK2, MDS_2021, MDS_CIRCULANT_ROW, ROUNDS, WIDTH};
use crate::hash::{Rp64_256, Rp64_256V2021, Sponge};

/// A set of kernels that are compiled together.
///
/// A program of a hash has the kernels `merge_level` and `hash_rows`; see `kernels/rescue.cl` for their parameters.
#[derive(Debug)]
pub struct Program {
    /// Its name, unique among programs.
    pub name: &'static str,
    constants: fn() -> String,
    kernels: &'static str,
}

/// Rescue Prime as winterfell has it.
pub static RP64_256: Program = Program {
    name: "rp64_256",
    constants: || rescue::<Rp64_256>(|row, column| MDS_CIRCULANT_ROW[(WIDTH + column - row) % WIDTH]),
    kernels: include_str!("../../../kernels/rescue.cl"),
};

/// Rescue Prime of November 2021.
pub static RP64_256_V2021: Program = Program {
    name: "rp64_256_v2021",
    constants: || rescue::<Rp64_256V2021>(|row, column| MDS_2021[row][column]),
    kernels: include_str!("../../../kernels/rescue.cl"),
};

/// BLAKE3.
pub static BLAKE3: Program =
    Program { name: "blake3", constants: String::new, kernels: include_str!("../../../kernels/blake3.cl") };

/// Transforms.
pub static NTT: Program =
    Program { name: "ntt", constants: String::new, kernels: include_str!("../../../kernels/ntt.cl") };

/// Every program.
pub static PROGRAMS: [&Program; 4] = [&RP64_256, &RP64_256_V2021, &BLAKE3, &NTT];

/// What NVRTC is told: the oldest architecture served, whose PTX drivers translate for every later one; and that no program
/// uses every function of the headers.
pub const PTX_OPTIONS: [&str; 2] = ["--gpu-architecture=compute_80", "--diag-suppress=177"];

impl Program {
    /// The whole source text.
    pub fn source(&self) -> String {
        [
            include_str!("../../../kernels/dialect.h"),
            &format!("#define GL_MODULUS {MODULUS:#x}UL\n"),
            include_str!("../../../kernels/goldilocks.h"),
            &(self.constants)(),
            self.kernels,
        ]
        .join("\n")
    }

    /// The digest of source and options, in hexadecimal: what the embedded PTX was made from.
    pub fn ptx_key(&self) -> String {
        let text = format!("{}\n{}", PTX_OPTIONS.join(" "), self.source());
        ::blake3::hash(text.as_bytes()).to_hex().to_string()
    }
}

/// The constants of a variant of Rescue Prime: `RESCUE_MDS` row by row, `RESCUE_CONSTANTS` half round by half round.
fn rescue<S: Sponge>(mds: fn(usize, usize) -> u64) -> String {
    let matrix: Vec<u64> = (0..WIDTH * WIDTH).map(|i| mds(i / WIDTH, i % WIDTH)).collect();
    let constants: Vec<u64> =
        ARK1.iter().zip(&ARK2).flat_map(|(first, second)| [first, second]).flatten().copied().collect();
    let mut text = String::new();
    let small = matrix.iter().all(|&entry| entry < 1 << 16);
    for (name, value) in [
        ("WIDTH", WIDTH),
        ("ROUNDS", ROUNDS),
        ("RATE_WORD", S::RATE_WORDS.start),
        ("LENGTH_WORD", S::LENGTH_WORD),
        ("DIGEST_WORD", S::DIGEST_WORDS.start),
        ("MDS_SMALL", small as usize),
    ] {
        writeln!(text, "#define RESCUE_{name} {value}").expect("strings take any text");
    }
    text + &array("RESCUE_MDS", &matrix) + &array("RESCUE_CONSTANTS", &constants)
}

/// A constant array of words.
fn array(name: &str, words: &[u64]) -> String {
    let lines =
        words.chunks(WIDTH).map(|line| line.iter().map(|word| format!("{word:#x}UL, ")).collect::<String>());
    let body = lines.map(|line| format!("    {}\n", line.trim_end())).collect::<String>();
    format!("CONSTANT u64 {name}[{}] = {{\n{body}}};\n", words.len())
}
