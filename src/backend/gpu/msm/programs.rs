//! The programs of sums: the same source text serves every curve.

use crate::backend::gpu::fields;
use crate::backend::gpu::program::{Name, Program};
use crate::curve::Curve;
use crate::field::CoordinateField;
use crate::field::montgomery::Modulus;

/// A curve with kernels.
pub trait DeviceCurve: Curve {
    /// Terms of bucket sums, sorted.
    const SORT: &'static Program = &Program {
        name: const { &Name::new("msm_sort", Self::NAME) }.text(),
        constants: scalars::<Self>,
        kernels: &[
            include_str!("../../../../kernels/atomics.h"),
            include_str!("../../../../kernels/msm_search.h"),
            include_str!("../../../../kernels/msm_sort.cl"),
        ],
        ..Program::EMPTY
    };
    /// Sums of buckets, and weighted sums.
    const SUM: &'static Program = &Program {
        name: const { &Name::new("msm_sum", Self::NAME) }.text(),
        constants: fields::coordinates::<Self::Base>,
        kernels: &[
            include_str!("../../../../kernels/atomics.h"),
            include_str!("../../../../kernels/msm_search.h"),
            include_str!("../../../../kernels/curve.h"),
            include_str!("../../../../kernels/msm_sum.cl"),
        ],
        registers: Self::REGISTERS,
        ..Program::EMPTY
    };
    /// Multiples of bases.
    const TABLES: &'static Program = &Program {
        name: const { &Name::new("msm_tables", Self::NAME) }.text(),
        constants: fields::coordinates::<Self::Base>,
        kernels: &[
            include_str!("../../../../kernels/curve.h"),
            include_str!("../../../../kernels/msm_tables.cl"),
        ],
        ..Program::EMPTY
    };

    /// Items of a multiprocessor that add up runs side by side, those that the launch bounds of `msm_accumulate` leave registers for.
    const ITEMS: usize =
        match (size_of::<Self::Base>() / size_of::<u64>(), <Self::Base as CoordinateField>::Prime::LAZY) {
            (4, true) => 512,
            (4, false) | (6, _) => 384,
            _ => 256,
        };
    /// The most registers of an item of kernels that add points.
    const REGISTERS: Option<u32> = match Self::ITEMS {
        512 => Some(128),
        // Sums of two points of twelve limbs of 32 bits take more.
        384 if size_of::<Self::Base>() <= 32 => Some(168),
        _ => None,
    };

    /// Words of memory of an affine point.
    const AFFINE: usize = size_of::<Self>() / size_of::<u64>();
    /// Words of memory of a point (X, Y, ZZ, ZZZ).
    const XYZZ: usize = 2 * Self::AFFINE;
    /// Words of memory of a scalar or an integer.
    const SCALAR: usize = size_of::<Self::Scalar>() / size_of::<u64>();
}

impl<C: Curve> DeviceCurve for C {}

/// The field of the scalars, and whether they become signed integers.
fn scalars<C: Curve>() -> String {
    let signed = u8::from(C::COFACTOR_IS_ONE);
    format!("#define MSM_SIGNED {signed}\n{}", fields::scalars::<C::Scalar>())
}

/// All of them of a curve.
pub(in crate::backend::gpu) fn all<C: DeviceCurve>() -> impl Iterator<Item = &'static Program> {
    [C::SORT, C::SUM, C::TABLES].into_iter()
}
