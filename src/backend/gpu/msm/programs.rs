//! The programs of sums: the same source text serves every curve.

use crate::backend::gpu::fields;
use crate::backend::gpu::program::Program;
use crate::curve::Curve;
use crate::field::CoordinateField;
use crate::field::montgomery::Modulus;

/// The programs of a curve.
#[derive(Clone, Copy, Debug)]
pub struct CurvePrograms {
    /// Terms of bucket sums, sorted.
    pub(super) sort: &'static Program,
    /// Sums of buckets, and weighted sums.
    pub(super) sum: &'static Program,
    /// Multiples of bases.
    pub(super) tables: &'static Program,
}

/// A curve with kernels.
pub trait DeviceCurve: Curve {
    /// Its kernels.
    const PROGRAMS: CurvePrograms;

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

/// The field of the scalars, and whether they become signed integers.
fn scalars<C: Curve>() -> String {
    let signed = u8::from(C::COFACTOR_IS_ONE);
    format!("#define MSM_SIGNED {signed}\n{}", fields::scalars::<C::Scalar>())
}

macro_rules! programs {
    ($($curve:path, $name:literal;)*) => {
        $(
            impl DeviceCurve for $curve {
                const PROGRAMS: CurvePrograms = {
                    static SORT: Program = Program {
                        name: concat!("msm_sort_", $name),
                        constants: || scalars::<$curve>(),
                        kernels: &[
                            include_str!("../../../../kernels/atomics.h"),
                            include_str!("../../../../kernels/msm_search.h"),
                            include_str!("../../../../kernels/msm_sort.cl"),
                        ],
                        ..Program::EMPTY
                    };
                    static SUM: Program = Program {
                        name: concat!("msm_sum_", $name),
                        constants: fields::coordinates::<<$curve as Curve>::Base>,
                        kernels: &[
                            include_str!("../../../../kernels/atomics.h"),
                            include_str!("../../../../kernels/msm_search.h"),
                            include_str!("../../../../kernels/curve.h"),
                            include_str!("../../../../kernels/msm_sum.cl"),
                        ],
                        registers: <$curve>::REGISTERS,
                        ..Program::EMPTY
                    };
                    static TABLES: Program = Program {
                        name: concat!("msm_tables_", $name),
                        constants: fields::coordinates::<<$curve as Curve>::Base>,
                        kernels: &[
                            include_str!("../../../../kernels/curve.h"),
                            include_str!("../../../../kernels/msm_tables.cl"),
                        ],
                        ..Program::EMPTY
                    };
                    CurvePrograms { sort: &SORT, sum: &SUM, tables: &TABLES }
                };
            }
        )*

        /// The programs of all curves.
        static CURVES: &[CurvePrograms] = &[$(<$curve>::PROGRAMS),*];
    };
}
crate::for_every_curve!(programs);

/// All of them.
pub(in crate::backend::gpu) fn all() -> impl Iterator<Item = &'static Program> {
    CURVES.iter().flat_map(|curve| [curve.sort, curve.sum, curve.tables])
}
