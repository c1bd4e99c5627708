//! Curves by number: their sums, and the words of their points in the memory of callers.

use std::any::Any;
use std::ops::Range;

use accel::curve::{CoordinateLimbs, affine, limbs_of_points, points};
use accel::field::{elements, elements_of_limbs, limbs_of};
use accel::msm::{AcceleratedCurve, Bases, BasesOptions};
use accel::resident::DeviceMatrix;
use accel::{Engine, Error};
use zkaccel_cluster::{Cluster, Mpi};

use crate::any_matrix::AnyMatrix;
use crate::arguments::copied;
use crate::status::{Failure, ZKA_BAD_ARGUMENT};

/// The group G1 of BN254: coordinates are of `ZKA_BN254_FQ`, scalars of `ZKA_BN254_FR`.
pub const ZKA_BN254_G1: u32 = 1;
/// Grumpkin: coordinates are of `ZKA_BN254_FR`, scalars of `ZKA_BN254_FQ`.
pub const ZKA_GRUMPKIN: u32 = 2;
/// The group G2 of BN254: coordinates are c0 + c1 u with u^2 = -1, c0 before c1, each of `ZKA_BN254_FQ`; scalars of `ZKA_BN254_FR`.
pub const ZKA_BN254_G2: u32 = 3;
/// Pallas: coordinates are of `ZKA_PASTA_FP`, scalars of `ZKA_PASTA_FQ`.
pub const ZKA_PALLAS: u32 = 4;
/// Vesta: coordinates are of `ZKA_PASTA_FQ`, scalars of `ZKA_PASTA_FP`.
pub const ZKA_VESTA: u32 = 5;
/// The group G1 of BLS12-381: coordinates are six words, x 2^384 modulo the prime, the lowest first; scalars of `ZKA_BLS12_381_FR`. There are points on the curve that are not in the group: `ZKA_VALIDATE`
/// refuses them.
pub const ZKA_BLS12_381_G1: u32 = 6;
/// The group G2 of BLS12-381: coordinates are c0 + c1 u with u^2 = -1, c0 before c1, six words each; scalars of `ZKA_BLS12_381_FR`. `ZKA_VALIDATE` looks at the group, too.
pub const ZKA_BLS12_381_G2: u32 = 7;
/// The group G1 of BLS12-377: coordinates are six words, x 2^384 modulo the prime; scalars of `ZKA_BLS12_377_FR`. `ZKA_VALIDATE` looks at the group, too.
pub const ZKA_BLS12_377_G1: u32 = 8;
/// The group G2 of BLS12-377: coordinates are c0 + c1 u with u^2 = -5, c0 before c1, six words each; scalars of `ZKA_BLS12_377_FR`. `ZKA_VALIDATE` looks at the group, too.
pub const ZKA_BLS12_377_G2: u32 = 9;
/// The group G1 of BW6-761: coordinates are twelve words, x 2^768 modulo the prime; scalars are six, x 2^384 modulo r, the prime of BLS12-377's coordinates, and in the memory of the caller, for no matrix is over them. `ZKA_VALIDATE` looks at the group, too.
pub const ZKA_BW6_761_G1: u32 = 10;

/// A curve whose points are words of the caller.
trait Coordinates: AcceleratedCurve {
    /// X, Y, Z of a sum, with x = X/Z and y = Y/Z.
    fn homogeneous(sum: Self::Projective) -> [Self::Base; 3];
}

/// What there is for every curve.
#[derive(Clone, Copy)]
pub(crate) struct Curve {
    /// The name in messages.
    pub(crate) name: &'static str,
    /// The words of a scalar.
    pub(crate) scalar: usize,
    /// The words of an affine point, x and y; the identity is all zero.
    pub(crate) point: usize,
    /// The words of a sum in projective or Jacobian coordinates, X, Y and Z.
    pub(crate) sum: usize,
    /// The sum of scalars times points.
    pub(crate) msm: Multiplier,
    /// Keeps a copy of points.
    pub(crate) keep: Keeper,
    /// The sums of all ranks' sums.
    pub(crate) add_up: Adder,
    /// A sum in affine coordinates.
    pub(crate) affine: Conversion,
    /// A sum in Jacobian coordinates.
    pub(crate) jacobian: Conversion,
}

/// Words of a sum to other words.
pub(crate) type Conversion = fn(&[u64]) -> Result<Vec<u64>, Error>;
type Adder = fn(&Cluster<Mpi>, &[u64]) -> Result<Vec<u64>, zkaccel_cluster::Error>;
type Multiplier = fn(&Engine, &[u64], &[u64]) -> Result<Vec<u64>, Error>;
type Keeper = fn(&Engine, &[u64], BasesOptions) -> Result<Box<dyn AnyBases>, Error>;

impl Curve {
    const fn new<C: Coordinates>() -> Self {
        Self {
            name: C::NAME,
            scalar: size_of::<C::Scalar>() / size_of::<u64>(),
            point: 2 * size_of::<C::Base>() / size_of::<u64>(),
            sum: 3 * size_of::<C::Base>() / size_of::<u64>(),
            msm: msm::<C>,
            keep: keep::<C>,
            add_up: add_up::<C>,
            affine: to_affine::<C>,
            jacobian: to_jacobian::<C>,
        }
    }

    /// That with a number.
    pub(crate) fn of(number: u32) -> Result<Self, Failure> {
        let curve = (number as usize).checked_sub(1).and_then(|index| CURVES.get(index));
        curve.copied().ok_or_else(|| {
            let text = format!("curve {number}, expected one of 1 to {}", CURVES.len());
            Failure::new(ZKA_BAD_ARGUMENT, text)
        })
    }
}

macro_rules! curves {
    ($($affine:path, $name:literal;)*) => {
        $(impl Coordinates for $affine {
            fn homogeneous(sum: Self::Projective) -> [Self::Base; 3] {
                [sum.x, sum.y, sum.z]
            }
        })*

        /// All of them, in the order of their numbers.
        pub(crate) static CURVES: &[Curve] = &[$(Curve::new::<$affine>()),*];
    };
}
accel::for_every_curve!(curves);

/// Bases over any curve that an engine keeps.
pub(crate) trait AnyBases: Send + Sync {
    fn len(&self) -> usize;

    /// The sums of so many rows of scalars, in words, over a range of the bases.
    fn sums(
        &self,
        engine: &Engine,
        scalars: &[u64],
        range: Range<usize>,
        rows: usize,
    ) -> Result<Vec<u64>, Error>;

    /// The same with a matrix whose elements, in the order of memory, are the scalars; `ZKA_BAD_ARGUMENT` if they are of another field.
    fn sums_of(&self, matrix: &dyn AnyMatrix, range: Range<usize>) -> Result<Sums, Failure>;
}

/// Sums that are still to be made.
pub(crate) type Sums = Box<dyn FnOnce(&Engine) -> Result<Vec<u64>, Error> + Send>;

impl<C: Coordinates> AnyBases for Bases<C> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn sums(
        &self,
        engine: &Engine,
        scalars: &[u64],
        range: Range<usize>,
        rows: usize,
    ) -> Result<Vec<u64>, Error> {
        let scalars = elements::<C::Scalar>(bytemuck::cast_slice(scalars), "scalar")?;
        match range.is_empty() {
            // Rows of no scalars cannot be counted.
            true => Ok(words::<C>(&vec![C::Projective::default(); rows])),
            false => Ok(words::<C>(&engine.msm_batch::<C>(scalars, self.range(range)?)?)),
        }
    }

    fn sums_of(&self, matrix: &dyn AnyMatrix, range: Range<usize>) -> Result<Sums, Failure> {
        let matrix: &dyn Any = matrix;
        let Some(scalars) = matrix.downcast_ref::<DeviceMatrix<C::Scalar>>().cloned() else {
            let text = format!("the matrix is over another field than that of the scalars of {}", C::NAME);
            return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
        };
        let bases = self.clone();
        Ok(Box::new(move |engine| Ok(words::<C>(&engine.msm_batch::<C>(&scalars, bases.range(range)?)?))))
    }
}

fn msm<C: Coordinates>(engine: &Engine, scalars: &[u64], bases: &[u64]) -> Result<Vec<u64>, Error> {
    let bases = points::<C>(bytemuck::cast_slice(bases))?;
    let sum = engine.msm::<C>(elements::<C::Scalar>(bytemuck::cast_slice(scalars), "scalar")?, bases)?;
    Ok(words::<C>(&[sum]))
}

fn keep<C: Coordinates>(
    engine: &Engine,
    bases: &[u64],
    options: BasesOptions,
) -> Result<Box<dyn AnyBases>, Error> {
    let points = copied(points::<C>(bytemuck::cast_slice(bases))?)?;
    Ok(Box::new(engine.bases(points, options)?))
}

fn add_up<C: Coordinates>(cluster: &Cluster<Mpi>, own: &[u64]) -> Result<Vec<u64>, zkaccel_cluster::Error> {
    let sums = own.chunks_exact(3 * size_of::<C::Base>() / size_of::<u64>());
    let sums = sums.map(|sum| Ok(C::from_homogeneous(coordinates::<C>(sum)?))).collect::<Result<_, Error>>();
    Ok(words::<C>(&cluster.add_up::<C>(sums.map_err(zkaccel_cluster::Error::from))?))
}

fn to_affine<C: Coordinates>(sum: &[u64]) -> Result<Vec<u64>, Error> {
    let point = affine(&[C::from_homogeneous(coordinates::<C>(sum)?)]);
    Ok(bytemuck::cast_slice(limbs_of_points(&point)).to_vec())
}

fn to_jacobian<C: Coordinates>(sum: &[u64]) -> Result<Vec<u64>, Error> {
    let [x, y, z] = coordinates::<C>(sum)?;
    // The identity.
    let [zero, one, _] = C::homogeneous(C::Projective::default());
    Ok(words_of::<C>(&match z == zero {
        true => [one, one, z],
        // X/Z = (X Z)/Z^2 and Y/Z = (Y Z^2)/Z^3.
        false => [x * z, y * z * z, z],
    }))
}

fn coordinates<C: Coordinates>(sum: &[u64]) -> Result<[C::Base; 3], Error> {
    let limbs: &[CoordinateLimbs<C>] = bytemuck::cast_slice(sum);
    let coordinates = elements_of_limbs::<C::Base>(limbs, "coordinate")?;
    Ok(std::array::from_fn(|i| coordinates[i]))
}

fn words_of<C: Coordinates>(coordinates: &[C::Base]) -> Vec<u64> {
    bytemuck::cast_slice(limbs_of(coordinates)).to_vec()
}

fn words<C: Coordinates>(sums: &[C::Projective]) -> Vec<u64> {
    let coordinates: Vec<_> = sums.iter().flat_map(|&sum| C::homogeneous(sum)).collect();
    words_of::<C>(&coordinates)
}
