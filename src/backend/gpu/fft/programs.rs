//! The programs of transforms, forward, inverse, and of the twiddles: the same source text serves every field.

use super::super::fields;
use super::super::program::Program;
use super::plan::LOG_TILE;
use crate::backend::BaseField;
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
pub trait DeviceField: MontgomeryField + TwoAdic + BaseField {
    /// Its kernels.
    const PROGRAMS: FieldPrograms;
}

/// The parameters of passes, forward and inverse.
static PARAMETERS: [[(&str, u32); 3]; 2] = [parameters(0), parameters(1)];

const fn parameters(inverse: u32) -> [(&'static str, u32); 3] {
    [("FFT_INVERSE", inverse), ("FFT_TILE", 1 << LOG_TILE), ("FFT_GROUPS", GROUPS)]
}

const fn pass<F: MontgomeryField>(name: &'static str, parameters: &'static [(&'static str, u32)]) -> Program {
    let constants = fields::scalars::<F>;
    Program { name, constants, kernels: PASS, parameters, registers: Some(REGISTERS) }
}

macro_rules! programs {
    ($($field:path, $name:literal;)*) => {
        $(
            impl DeviceField for $field {
                const PROGRAMS: FieldPrograms = {
                    static FORWARD: Program = pass::<$field>(concat!("fft_forward_", $name), &PARAMETERS[0]);
                    static INVERSE: Program = pass::<$field>(concat!("fft_inverse_", $name), &PARAMETERS[1]);
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
