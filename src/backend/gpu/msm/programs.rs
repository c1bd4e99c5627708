//! The programs of sums.

use crate::backend::gpu::fields;
use crate::backend::gpu::program::Program;

/// All of them.
pub(in crate::backend::gpu) static ALL: [&Program; 3] = [&SORT, &SUM, &TABLES];

/// Entries of bucket sums, sorted.
pub(super) static SORT: Program = Program {
    name: "msm_sort",
    constants: fields::bn254,
    kernels: &[
        include_str!("../../../../kernels/atomics.h"),
        include_str!("../../../../kernels/msm_sort.cl"),
    ],
    ..Program::EMPTY
};

/// Sums of buckets, and weighted sums.
pub(super) static SUM: Program = Program {
    name: "msm_sum",
    constants: fields::bn254,
    kernels: &[
        include_str!("../../../../kernels/atomics.h"),
        include_str!("../../../../kernels/curve.h"),
        include_str!("../../../../kernels/msm_sum.cl"),
    ],
    registers: Some(128),
    ..Program::EMPTY
};

/// Multiples of bases.
pub(super) static TABLES: Program = Program {
    name: "msm_tables",
    constants: fields::bn254,
    kernels: &[
        include_str!("../../../../kernels/curve.h"),
        include_str!("../../../../kernels/msm_tables.cl"),
    ],
    ..Program::EMPTY
};
