//! The programs of transforms, forward, inverse, and of the twiddles: the same source text serves every field.

use super::super::fields;
use super::super::program::Program;
use super::plan::LOG_TILE;
use crate::field::{MontgomeryField, TwoAdic};

/// The kernels of passes.
const PASS: &[&str] =
    &[include_str!("../../../../kernels/fft_twiddle.h"), include_str!("../../../../kernels/fft_pass.cl")];

/// The largest groups that a multiprocessor's registers allow: 80 registers per work item, without spills.
const GROUPS: u32 = 6;

/// The registers per work item that leave room for so many groups.
const REGISTERS: u32 = (65536 >> (LOG_TILE - 2)) / GROUPS / 8 * 8;

/// The programs of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldPrograms {
    /// Passes from coefficients to values.
    pub(super) forward: &'static Program,
    /// Passes from values to coefficients.
    pub(super) inverse: &'static Program,
    /// Twiddles.
    pub(super) tables: &'static Program,
}

/// A field with kernels for transforms.
pub trait DeviceField: MontgomeryField + TwoAdic {
    /// Its kernels.
    const PROGRAMS: FieldPrograms;
}

macro_rules! programs {
    ($($field:path, $name:literal;)*) => {
        $(
            impl DeviceField for $field {
                const PROGRAMS: FieldPrograms = {
                    static FORWARD: Program = Program {
                        name: concat!("fft_forward_", $name),
                        constants: fields::scalars::<$field>,
                        kernels: PASS,
                        parameters: &[
                            ("FFT_INVERSE", 0),
                            ("FFT_TILE", 1 << LOG_TILE),
                            ("FFT_GROUPS", GROUPS),
                        ],
                        registers: Some(REGISTERS),
                    };
                    static INVERSE: Program = Program {
                        name: concat!("fft_inverse_", $name),
                        constants: fields::scalars::<$field>,
                        kernels: PASS,
                        parameters: &[
                            ("FFT_INVERSE", 1),
                            ("FFT_TILE", 1 << LOG_TILE),
                            ("FFT_GROUPS", GROUPS),
                        ],
                        registers: Some(REGISTERS),
                    };
                    static TABLES: Program = Program {
                        name: concat!("fft_tables_", $name),
                        constants: fields::scalars::<$field>,
                        kernels: &[include_str!("../../../../kernels/fft_tables.cl")],
                        ..Program::EMPTY
                    };
                    FieldPrograms { forward: &FORWARD, inverse: &INVERSE, tables: &TABLES }
                };
            }
        )*

        /// The programs of all fields.
        static FIELDS: &[FieldPrograms] = &[$(<$field>::PROGRAMS),*];
    };
}
crate::for_every_two_adic_field!(programs);

/// All of them.
pub(in super::super) fn all() -> impl Iterator<Item = &'static Program> {
    FIELDS.iter().flat_map(|field| [field.forward, field.inverse, field.tables])
}
