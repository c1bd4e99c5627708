//! The pairings that proofs are made over.
//!
//! # Mathematical description
//!
//! A pairing e: G1 x G2 -> Gt is bilinear, and the three groups have the same prime order r. G1 lies on a curve over the field of q elements, G2 on a
//! twist of it over a quadratic extension c0 + c1 u. The scalars, integers modulo r, have roots of unity of order 2^S.
//!
//! Tools do not agree on which root of unity generates the subgroups. It is the power of some element by (r - 1) / 2^S: snarkjs (ffjavascript) takes
//! the least integer that is not a square modulo r, arkworks a generator of the multiplicative group of its own choice, by which it also shifts cosets.
//! Over BN254 both are 5, over BLS12-381 they are 5 and 7. A key is on the one or on the other, so the root is that of the key's
//! [`Reduction`](crate::Reduction), whatever the library beneath has for its own.
//!
//! Each of G1 and G2 is the subgroup of order r of the points of its curve. The smallest prime that divides the cofactor, the number of points over r,
//! decides how points out of files are tested together.
//!
//! Everything else follows from types of the library: how many words coordinates have, and their Montgomery form, which is the same in memory and
//! in files.

use std::fmt::Debug;
use std::hash::Hash;

use halo2curves::CurveAffine;
use halo2curves::ff::{Field, FromUniformBytes};
use halo2curves::pairing::MultiMillerLoop;
use halo2curves::{bls12381, bn256};
use zkaccel::curve::Curve;
use zkaccel::field::{CoordinateField, Modulus};
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::AcceleratedField;
use zkaccel::sparse::AcceleratedPrime;

use crate::numbers::modulus;

/// A pairing. Implemented for those of the crate's list alone.
pub trait Pairing: Copy + Debug + Eq + Hash + Send + Sync + sealed::Sealed + 'static {
    /// The scalars.
    type Fr: ScalarField<Pairing = Self>;

    /// Points over G1.
    type G1: SourceGroup + AcceleratedCurve<Scalar = Self::Fr>;

    /// Points over G2.
    type G2: SourceGroup + AcceleratedCurve<Scalar = Self::Fr>;

    /// The pairing as halo2curves has it: its Miller loop and final exponentiation.
    type Engine: MultiMillerLoop<
            Fr = Self::Fr,
            G1 = First<Self>,
            G1Affine = Self::G1,
            G2 = Second<Self>,
            G2Affine = Self::G2,
            G2Prepared = Self::G2,
            Result: Field,
        >;

    /// The pairing as a value.
    const VALUE: AnyPairing;

    /// The name of the curve in messages, such as `BN254`.
    const NAME: &'static str;

    /// The name of the curve in files of snarkjs, such as `bn128`.
    const SNARKJS_NAME: &'static str;

    /// The integer whose power is the root of unity of snarkjs.
    const SNARKJS_GENERATOR: u64;

    /// The integer whose power is the root of unity of arkworks, and by which it shifts cosets.
    const ARKWORKS_GENERATOR: u64;
}

/// The scalars of a pairing. Implemented for those of the pairings in the crate's list alone.
pub trait ScalarField: AcceleratedField + AcceleratedPrime + FromUniformBytes<64> + sealed::Sealed {
    /// The pairing.
    type Pairing: Pairing<Fr = Self>;
}

/// One of the groups G1 and G2 of a pairing, by the type of its affine points. Implemented for those of the pairings in the crate's list alone.
pub trait SourceGroup:
    AcceleratedCurve<Scalar: ScalarField>
    + CurveAffine<ScalarExt = <Self as Curve>::Scalar, CurveExt = <Self as Curve>::Projective>
    + sealed::Sealed
{
    /// The name of the group in messages: `G1` or `G2`.
    const GROUP: &'static str;

    /// The modulus q of the coefficients of coordinates, the lowest word first.
    const Q: &'static [u64];

    /// The bits of the factors of random sums that test whether many points are in the group: so many that 2^bits is at most the smallest prime
    /// divisor of the cofactor, and 16 at most. `None` for a curve of prime order, all of whose points are in the group.
    const FACTOR_BITS: Option<u32>;
}

/// Work that is generic over the pairing; [`AnyPairing::visit`] runs it for a pairing that is a value.
pub trait PairingVisitor {
    /// The type of the work's result, the same for every pairing.
    type Output;

    /// The work.
    fn visit<P: Pairing>(self) -> Self::Output;
}

/// Points over G1 in projective form.
pub(crate) type First<P> = <<P as Pairing>::G1 as Curve>::Projective;

/// The prime field that the coordinates of points are elements of, or of a quadratic extension of it.
type CoordinatePrime<C> = <<C as Curve>::Base as CoordinateField>::Prime;

/// Points over G2 in projective form.
pub(crate) type Second<P> = <<P as Pairing>::G2 as Curve>::Projective;

mod sealed {
    /// Seals the traits: other crates cannot implement them.
    pub trait Sealed {}
}

/// Makes a type for each pairing of the list, and the implementations of the traits.
macro_rules! pairings {
    ($(
        $(#[$docs:meta])*
        $pairing:ident {
            engine: $engine:ty,
            scalars: $scalar:ty,
            groups: $first:ty, $second:ty,
            names: $name:literal, $snarkjs_name:literal,
            generators: $snarkjs_generator:literal, $arkworks_generator:literal,
            factor_bits: $first_bits:expr, $second_bits:expr,
        }
    )*) => {
        /// A pairing of the list as a value, where a file says which it is. [`visit`](Self::visit) leads to code that is generic over it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AnyPairing {
            $(
                $(#[$docs])*
                $pairing,
            )*
        }

        impl AnyPairing {
            /// All pairings, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$pairing),*];

            /// Runs generic work for this pairing.
            pub fn visit<V: PairingVisitor>(self, visitor: V) -> V::Output {
                match self {
                    $(Self::$pairing => visitor.visit::<$pairing>(),)*
                }
            }

            /// The name of the curve in messages, such as `BN254`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$pairing => $pairing::NAME,)*
                }
            }

            /// The name of the curve in files of snarkjs, such as `bn128`.
            pub fn snarkjs_name(self) -> &'static str {
                match self {
                    $(Self::$pairing => $pairing::SNARKJS_NAME,)*
                }
            }

            /// The names that the library has for the curves of G1 and G2, such as `bn254-g1`.
            pub fn curves(self) -> [&'static str; 2] {
                match self {
                    $(Self::$pairing => [<$first as Curve>::NAME, <$second as Curve>::NAME],)*
                }
            }

            /// The modulus of the coefficients of coordinates.
            pub(crate) fn q(self) -> &'static [u64] {
                match self {
                    $(Self::$pairing => <$first>::Q,)*
                }
            }

            /// The modulus of the scalars.
            pub(crate) fn r(self) -> &'static [u64] {
                match self {
                    $(Self::$pairing => modulus::<$scalar>(),)*
                }
            }
        }

        $(
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $pairing;

        impl sealed::Sealed for $pairing {}
        impl sealed::Sealed for $scalar {}
        impl sealed::Sealed for $first {}
        impl sealed::Sealed for $second {}

        impl Pairing for $pairing {
            type Fr = $scalar;
            type G1 = $first;
            type G2 = $second;
            type Engine = $engine;
            const VALUE: AnyPairing = AnyPairing::$pairing;
            const NAME: &'static str = $name;
            const SNARKJS_NAME: &'static str = $snarkjs_name;
            const SNARKJS_GENERATOR: u64 = $snarkjs_generator;
            const ARKWORKS_GENERATOR: u64 = $arkworks_generator;
        }

        impl ScalarField for $scalar {
            type Pairing = $pairing;
        }

        impl SourceGroup for $first {
            const GROUP: &'static str = "G1";
            const Q: &'static [u64] = &<CoordinatePrime<Self> as Modulus>::P;
            const FACTOR_BITS: Option<u32> = $first_bits;
        }

        impl SourceGroup for $second {
            const GROUP: &'static str = "G2";
            const Q: &'static [u64] = &<CoordinatePrime<Self> as Modulus>::P;
            const FACTOR_BITS: Option<u32> = $second_bits;
        }

        const _: () = assert!(matches!(<$first>::FACTOR_BITS, None | Some(1..=16)));
        const _: () = assert!(matches!(<$second>::FACTOR_BITS, None | Some(1..=16)));
        )*
    };
}

// The one list of pairings. To add one whose curves the library has, add an entry.
pairings! {
    /// The pairing of BN254 (also bn256, alt_bn128), for which circom and snarkjs make circuits and keys unless another is asked for.
    ///
    /// G1 is all of its curve. The twist of G2 has the cofactor 2q - r, whose prime divisors are 10069, 5864401, 1875725156269 and one of 177 bits.
    Bn254 {
        engine: bn256::Bn256,
        scalars: bn256::Fr,
        groups: bn256::G1Affine, bn256::G2Affine,
        names: "BN254", "bn128",
        generators: 5, 5,
        factor_bits: None, Some(13),
    }

    /// The pairing of BLS12-381, for which circom makes circuits with `--prime bls12381`, and snarkjs the keys of a ceremony over `bls12-381`.
    ///
    /// Neither group is all of its curve: the smallest prime divisors of the cofactors are 3 for G1 and 13 for G2.
    Bls12_381 {
        engine: bls12381::Bls12381,
        scalars: bls12381::Fr,
        groups: bls12381::G1Affine, bls12381::G2Affine,
        names: "BLS12-381", "bls12381",
        generators: 5, 7,
        factor_bits: Some(1), Some(3),
    }
}
