//! Rescue Prime and its kin: programs, and the constants of their kernels as text: derived here, so that no constant is written
//! twice.
//!
//! - `RESCUE_ARK`, the round constants in the order of the linear layers: ARK1\[0\], ARK2\[0\], ARK1\[1\], and so on; for RPX without
//!   those of its power maps of the extension, which are `RESCUE_ARK_EXTENSION`.
//! - For circulant matrices, whose layer works on words cut into limbs of 24, 24 and 16 bits: `RESCUE_ARK_LIMBS`, the same
//!   constants so cut; the kernels of the split below; and `RESCUE_ROW`, the first row, for code in which each work item computes
//!   one output word.
//! - For the dense matrix (`Rp64_256V2021`): `RESCUE_MDS`, times R = 2^64 modulo p, because the kernels reduce its sums by
//!   Montgomery's method, which divides by R.
//!
//! # The split of the circulant
//!
//! With first row r, the layer is y_i = sum over j of r_(j - i) x_j, indices modulo 12: the cyclic convolution of x with
//! k_n = r_(-n), a product in Z\[z\] / (z^12 - 1). An index modulo 12 is a pair of indices modulo 3 and 4. Along the four,
//! z^4 - 1 = (z - 1) (z + 1) (z^2 + 1): sums, alternating sums, and Gaussian integers with parts x_0 - x_2 and x_1 - x_3.
//! Each is a convolution of length 3. The inverse divides by 4, 4 and 2; here the kernels are divided instead, which
//! leaves integers for this matrix, small enough that 32 bits hold what goes through them.
//!
//! With eight words (`RpJive64_256`), z^8 - 1 = (z^4 + 1) (z^2 + 1) (z^2 - 1), and the inverse divides by 2, 4 and 4.

use super::DeviceHash;
use super::sponge::mode;
use super::text::{array, define};
use crate::backend::gpu::program::Program;
use crate::field::MODULUS;
use crate::hash::rescue_constants::{ARK1, ARK2, MDS_2021, MDS_CIRCULANT_ROW, WIDTH};
use crate::hash::{Rp64_256, Rp64_256V2021, RpJive64_256, Rpo256, Rpx256, rp_jive_constants, rpo_constants};

/// The kernels of all.
const KERNELS: &[&str] = &[
    include_str!("../../../../kernels/montgomery.h"),
    include_str!("../../../../kernels/power_maps.h"),
    include_str!("../../../../kernels/rescue.h"),
    include_str!("../../../../kernels/sponge.cl"),
];

/// The same, and those of every approach to trees.
const KERNELS_OF_APPROACHES: &[&str] = &[
    include_str!("../../../../kernels/montgomery.h"),
    include_str!("../../../../kernels/power_maps.h"),
    include_str!("../../../../kernels/rescue.h"),
    include_str!("../../../../kernels/sponge.cl"),
    include_str!("../../../../kernels/rescue.cl"),
    include_str!("../../../../kernels/team.h"),
    include_str!("../../../../kernels/rescue_tip.cl"),
];

device_hashes! {
    Rp64_256, rp64_256, KERNELS_OF_APPROACHES, true, 1;
    Rp64_256V2021, rp64_256_v2021, KERNELS_OF_APPROACHES, true, 1;
    RpJive64_256, rp_jive64_256, KERNELS, false, 1;
    Rpo256, rpo256, KERNELS, false, 1;
    Rpx256, rpx256, KERNELS, false, 1;
}

fn rp64_256() -> String {
    let mut text = mode::<Rp64_256>() + &circulant(&layers(&ARK1, &ARK2), "PRIME");
    // For code in which each work item computes one output word.
    text += &array("u64", "RESCUE_ARK", layers(&ARK1, &ARK2).as_flattened());
    let row = MDS_CIRCULANT_ROW.iter().enumerate();
    let row: String = row.map(|(index, entry)| format!(" X({index}, {entry})")).collect();
    define(&mut text, "RESCUE_ROW(X)", row.trim());
    text + &split_12()
}

fn rp64_256_v2021() -> String {
    let layers = layers(&ARK1, &ARK2);
    let mut text = mode::<Rp64_256V2021>();
    define(&mut text, "RESCUE_DENSE", 1);
    define(&mut text, "RESCUE_ORDER", "RESCUE_PRIME");
    define(&mut text, "RESCUE_LAYERS", layers.len());
    text += &array("u64", "RESCUE_ARK", layers.as_flattened());
    let scaled = |&entry: &u64| ((u128::from(entry) << 64) % u128::from(MODULUS)) as u64;
    let matrix: Vec<u64> = MDS_2021.iter().flatten().map(scaled).collect();
    text + &array("u64", "RESCUE_MDS", &matrix)
}

fn rp_jive64_256() -> String {
    use rp_jive_constants::{ARK1, ARK2};
    mode::<RpJive64_256>() + &circulant(&layers(&ARK1, &ARK2), "PRIME") + &split_8()
}

fn rpo256() -> String {
    use rpo_constants::{ARK1, ARK2};
    mode::<Rpo256>() + &circulant(&layers(&ARK1, &ARK2), "OPTIMIZED") + &split_12()
}

/// Rounds 1, 3 and 5 have a power map of the extension instead of linear layers, round 6 has the first of its layers only.
fn rpx256() -> String {
    use rpo_constants::{ARK1, ARK2};
    let [linear, extension] = [0, 1].map(|odd| ARK1.iter().skip(odd).step_by(2).copied());
    let (first, second): (Vec<_>, Vec<_>) = (linear.collect(), ARK2.iter().step_by(2).copied().collect());
    let mut layers = layers(&first, &second);
    layers.pop();
    let extension: Vec<_> = extension.collect();
    mode::<Rpx256>()
        + &circulant(&layers, "EXTENDED")
        + &array("u64", "RESCUE_ARK_EXTENSION", extension.as_flattened())
        + &split_12()
}

/// Round constants for a circulant matrix, and the order of layers.
fn circulant<const N: usize>(layers: &[[u64; N]], order: &str) -> String {
    let mut text = String::new();
    define(&mut text, "RESCUE_DENSE", 0);
    define(&mut text, "RESCUE_ORDER", format_args!("RESCUE_{order}"));
    define(&mut text, "RESCUE_LAYERS", layers.len());
    let limbs = |word: &u64| [word & 0xff_ffff, (word >> 24) & 0xff_ffff, word >> 48];
    let limbs: Vec<u64> = layers.as_flattened().iter().flat_map(limbs).collect();
    text + &array("u32", "RESCUE_ARK_LIMBS", &limbs)
}

/// The circulant of twelve words, split.
fn split_12() -> String {
    let mut text = String::new();
    // The kernel on pairs of indices: n is 4 a + 9 b modulo 12 where it is a modulo 3 and b modulo 4.
    let kernel = |a: usize, b: usize| MDS_CIRCULANT_ROW[(2 * WIDTH - (4 * a + 9 * b) % WIDTH) % WIDTH] as i64;
    for a in 0..3 {
        let [k0, k1, k2, k3] = [0, 1, 2, 3].map(|b| kernel(a, b));
        split(&mut text, "SUM", a, k0 + k1 + k2 + k3, 4);
        split(&mut text, "ALT", a, k0 - k1 + k2 - k3, 4);
        split(&mut text, "RE", a, k0 - k2, 2);
        split(&mut text, "IM", a, k1 - k3, 2);
    }
    text
}

/// The circulant of eight words, split.
fn split_8() -> String {
    let mut text = String::new();
    let kernel = |n: usize| rp_jive_constants::MDS_CIRCULANT_ROW[(8 - n) % 8] as i64;
    for n in 0..2 {
        let sum = |place: usize| kernel(place) + kernel(place + 4);
        split(&mut text, "SUM", n, sum(n) + sum(n + 2), 4);
        split(&mut text, "ALT", n, sum(n) - sum(n + 2), 4);
    }
    (0..4).for_each(|n| split(&mut text, "NEG", n, kernel(n) - kernel(n + 4), 2));
    text
}

fn split(text: &mut String, name: &str, index: usize, sum: i64, divisor: i64) {
    assert!(sum % divisor == 0, "the kernels of the circulant are integers");
    define(text, &format!("RESCUE_{name}_{index}"), format_args!("((u32)({}))", sum / divisor));
}

/// The round constants of all layers, layer by layer.
fn layers<const N: usize>(ark1: &[[u64; N]], ark2: &[[u64; N]]) -> Vec<[u64; N]> {
    ark1.iter().zip(ark2).flat_map(|(first, second)| [*first, *second]).collect()
}
