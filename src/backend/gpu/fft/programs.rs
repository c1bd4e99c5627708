//! The programs of transforms, forward, inverse, and of the twiddles.

use super::super::program::{DeviceField, Name, Program};
use super::plan::LOG_TILE;

/// The kernels of passes.
const PASS: &[&str] =
    &[include_str!("../../../../kernels/fft_twiddle.h"), include_str!("../../../../kernels/fft_pass.cl")];

/// The largest groups that a multiprocessor's registers allow: 80 registers per work item, without spills.
const GROUPS: u32 = 6;

/// The registers per work item that leave room for so many groups.
const REGISTERS: u32 = (65536 >> (LOG_TILE - 2)) / GROUPS / 8 * 8;

/// The parameters of passes, forward and inverse.
static PARAMETERS: [[(&str, u32); 3]; 2] = [parameters(0), parameters(1)];

const fn parameters(inverse: u32) -> [(&'static str, u32); 3] {
    [("FFT_INVERSE", inverse), ("FFT_TILE", 1 << LOG_TILE), ("FFT_GROUPS", GROUPS)]
}

/// Passes from coefficients to values, or from values to coefficients.
pub(super) const fn pass<F: DeviceField>(inverse: bool) -> &'static Program {
    let [forward, back] = const {
        &[
            Program {
                parameters: &PARAMETERS[0],
                registers: Some(REGISTERS),
                ..Program::over::<F>(const { &Name::new("fft_forward", F::SUFFIX) }, PASS)
            },
            Program {
                parameters: &PARAMETERS[1],
                registers: Some(REGISTERS),
                ..Program::over::<F>(const { &Name::new("fft_inverse", F::SUFFIX) }, PASS)
            },
        ]
    };
    if inverse { back } else { forward }
}

/// Twiddles.
pub(super) const fn tables<F: DeviceField>() -> &'static Program {
    const {
        &Program::over::<F>(
            const { &Name::new("fft_tables", F::SUFFIX) },
            &[include_str!("../../../../kernels/fft_tables.cl")],
        )
    }
}

/// All of them over a field.
pub(in super::super) fn all<F: DeviceField>() -> impl Iterator<Item = &'static Program> {
    [pass::<F>(false), pass::<F>(true), tables::<F>()].into_iter()
}
