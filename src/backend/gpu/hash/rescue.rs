//! The constants of the kernels of Rescue Prime, as text: derived here, so that no constant stands twice.
//!
//! - `RESCUE_ARK`, the round constants in the order of the 14 layers: ARK1\[0\], ARK2\[0\], ARK1\[1\], and so on.
//! - For the circulant matrix (`Rp64_256`), whose layer works on words cut into limbs of 24, 24 and 16 bits:
//!   `RESCUE_ARK_LIMBS`, the same constants so cut; the kernels of the split below; and `RESCUE_ROW`, its first row, for code
//!   that makes one output word an item.
//! - For the dense matrix (`Rp64_256V2021`): `RESCUE_MDS`, times R = 2^64 modulo p, because the kernels reduce its sums by
//!   Montgomery's method, which divides by R.
//!
//! # The split of the circulant
//!
//! With first row r, the layer is y_i = sum over j of r_(j - i) x_j, indices modulo 12: the cyclic convolution of x with
//! k_n = r_(-n), a product in Z\[z\] / (z^12 - 1). An index modulo 12 is a pair of indices modulo 3 and 4. Along the four,
//! z^4 - 1 = (z - 1) (z + 1) (z^2 + 1): sums, alternating sums, and Gaussian integers with parts x_0 - x_2 and x_1 - x_3.
//! Each is a convolution of length 3. Coming back divides by 4, 4 and 2; here the kernels are divided instead, which
//! leaves integers for this matrix, small enough that 32 bits hold what goes through them.

use std::fmt::{Display, Write};

use super::DeviceHash;
use crate::backend::gpu::program::Program;
use crate::field::MODULUS;
use crate::hash::rescue_constants::{ARK1, ARK2, MDS_2021, MDS_CIRCULANT_ROW, ROUNDS, WIDTH};
use crate::hash::{Rp64_256, Rp64_256V2021, Sponge};

/// The kernels of Rescue Prime, for either variant.
const KERNELS: &[&str] = &[
    include_str!("../../../../kernels/montgomery.h"),
    include_str!("../../../../kernels/rescue.h"),
    include_str!("../../../../kernels/rescue.cl"),
    include_str!("../../../../kernels/rescue_tip.cl"),
];

static RP64_256: Program =
    Program { name: "rp64_256", constants: circulant::<Rp64_256>, kernels: KERNELS, ..Program::EMPTY };

static RP64_256_V2021: Program =
    Program { name: "rp64_256_v2021", constants: dense::<Rp64_256V2021>, kernels: KERNELS, ..Program::EMPTY };

impl DeviceHash for Rp64_256 {
    const PROGRAM: &'static Program = &RP64_256;
    const APPROACHES: bool = true;
}

impl DeviceHash for Rp64_256V2021 {
    const PROGRAM: &'static Program = &RP64_256_V2021;
    const APPROACHES: bool = true;
}

/// The constants of the variant with the circulant matrix.
fn circulant<S: Sponge>() -> String {
    let limbs = |word: &u64| [word & 0xff_ffff, (word >> 24) & 0xff_ffff, word >> 48];
    let limbs: Vec<u64> = layers().iter().flat_map(limbs).collect();
    let mut text = shared::<S>(false) + &array("u32", "RESCUE_ARK_LIMBS", &limbs);
    let row = MDS_CIRCULANT_ROW.iter().enumerate();
    let row: String = row.map(|(index, entry)| format!(" X({index}, {entry})")).collect();
    define(&mut text, "ROW(X)", row.trim());
    // The kernel on pairs of indices: n is 4 a + 9 b modulo 12 where it is a modulo 3 and b modulo 4.
    let kernel = |a: usize, b: usize| MDS_CIRCULANT_ROW[(2 * WIDTH - (4 * a + 9 * b) % WIDTH) % WIDTH] as i64;
    for a in 0..3 {
        let [k0, k1, k2, k3] = [0, 1, 2, 3].map(|b| kernel(a, b));
        for (name, sum, divisor) in [
            ("SUM", k0 + k1 + k2 + k3, 4),
            ("ALT", k0 - k1 + k2 - k3, 4),
            ("RE", k0 - k2, 2),
            ("IM", k1 - k3, 2),
        ] {
            assert!(sum % divisor == 0, "the kernels of the circulant are integers");
            define(&mut text, &format!("{name}_{a}"), format_args!("((u32)({}))", sum / divisor));
        }
    }
    text
}

/// The constants of the variant with the dense matrix.
fn dense<S: Sponge>() -> String {
    let scaled = |&entry: &u64| ((u128::from(entry) << 64) % u128::from(MODULUS)) as u64;
    let matrix: Vec<u64> = MDS_2021.iter().flatten().map(scaled).collect();
    shared::<S>(true) + &array("u64", "RESCUE_MDS", &matrix)
}

/// What both variants have.
fn shared<S: Sponge>(dense: bool) -> String {
    let mut text = String::new();
    for (name, value) in [
        ("DENSE", dense as usize),
        ("LAYERS", 2 * ROUNDS),
        ("RATE_WORD", S::RATE_WORDS.start),
        ("LENGTH_WORD", S::LENGTH_WORD),
        ("DIGEST_WORD", S::DIGEST_WORDS.start),
    ] {
        define(&mut text, name, value);
    }
    text + &array("u64", "RESCUE_ARK", &layers())
}

/// The round constants of all layers, layer by layer.
fn layers() -> Vec<u64> {
    ARK1.iter().zip(&ARK2).flat_map(|(first, second)| [first, second]).flatten().copied().collect()
}

fn define(text: &mut String, name: &str, value: impl Display) {
    writeln!(text, "#define RESCUE_{name} {value}").expect("strings take any text");
}

/// A constant array.
fn array(kind: &str, name: &str, values: &[u64]) -> String {
    let suffix = if kind == "u32" { "U" } else { "UL" };
    let line = |line: &[u64]| line.iter().map(|value| format!("{value:#x}{suffix}, ")).collect::<String>();
    let lines = values.chunks(WIDTH).map(line);
    let body = lines.map(|line| format!("    {}\n", line.trim_end())).collect::<String>();
    format!("CONSTANT {kind} {name}[{}] = {{\n{body}}};\n", values.len())
}
