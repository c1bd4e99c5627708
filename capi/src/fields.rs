//! Fields by number, and the words of their elements in the memory of callers.

use std::any::Any;

use accel::field::{Goldilocks, elements, elements_mut, from_montgomery, to_montgomery};
use accel::matrix::{BaseField, MatrixRef, Shape};
use accel::ntt::{AcceleratedField, Domain};
use accel::{Engine, Error};

use crate::any_matrix::AnyMatrix;
use crate::combinations::CombinationsOf;
use crate::elements::{convention_of, subgroup};
use crate::lookups::{PermutingOf, permuting};
use crate::pointwise::{ProductOf, product};
use crate::prefix::{ScanningOf, scanning};
use crate::programs::{AnyProgram, Recorder, record, zka_node};
use crate::sparse::{Keeper, keep_over};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_UNSUPPORTED};
use crate::transforms::{TransformOf, transform};

/// Goldilocks: an element is one word, the integer itself, below p = 2^64 - 2^32 + 1.
pub const ZKA_GOLDILOCKS: u32 = 1;
/// The scalars of BN254, which are the coordinates of Grumpkin: an element is four words, x 2^256 modulo r, the lowest first.
pub const ZKA_BN254_FR: u32 = 2;
/// The coordinates of BN254, which are the scalars of Grumpkin: four words, x 2^256 modulo q. It has no transforms.
pub const ZKA_BN254_FQ: u32 = 3;
/// The coordinates of Pallas, which are the scalars of Vesta: four words, x 2^256 modulo the prime.
pub const ZKA_PASTA_FP: u32 = 4;
/// The coordinates of Vesta, which are the scalars of Pallas: four words, likewise.
pub const ZKA_PASTA_FQ: u32 = 5;
/// The scalars of BLS12-381: four words, x 2^256 modulo r.
pub const ZKA_BLS12_381_FR: u32 = 6;
/// The scalars of BLS12-377: four words, x 2^256 modulo r.
pub const ZKA_BLS12_377_FR: u32 = 7;

/// Words of elements that become others, in place.
type Conversion = fn(&mut [u64]) -> Result<(), Error>;

/// A field whose elements are words of the caller.
pub(crate) trait Words: BaseField {
    /// The name in messages.
    const NAME: &'static str;

    /// The number of words of an element.
    const WORDS: usize = size_of::<Self>() / 8;

    /// Words as elements, in place. An error for the first element that is not below the modulus; of Goldilocks the engine looks at them.
    fn elements(words: &[u64]) -> Result<&[Self], Error>;

    /// The same, mutably.
    fn elements_mut(words: &mut [u64]) -> Result<&mut [Self], Error>;

    /// The words of integers become those of elements, and back. An error for the first that is not below the modulus.
    const CONVERSIONS: [Conversion; 2];
}

/// A field with roots of unity of conventions.
pub(crate) trait Rooted: Words {
    /// The subgroup of order 2^`log_n`.
    fn subgroup(log_n: u32, convention: u32) -> Result<Domain<Self>, Failure>;
}

impl Words for Goldilocks {
    const NAME: &'static str = "goldilocks";

    fn elements(words: &[u64]) -> Result<&[Self], Error> {
        Ok(bytemuck::cast_slice(words))
    }

    fn elements_mut(words: &mut [u64]) -> Result<&mut [Self], Error> {
        Ok(bytemuck::cast_slice_mut(words))
    }

    /// Integers below the modulus are elements as they are.
    const CONVERSIONS: [Conversion; 2] = [|words| Self::check_canonical(bytemuck::cast_slice(words)); 2];
}

impl Rooted for Goldilocks {
    fn subgroup(log_n: u32, convention: u32) -> Result<Domain, Failure> {
        Ok(Domain::new(log_n, convention_of(convention)?)?)
    }
}

/// What there is for every field.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// The name in messages.
    pub(crate) name: &'static str,
    /// The number of words of an element.
    pub(crate) words: usize,
    /// Keeps a copy of a matrix.
    pub(crate) upload: Uploader,
    /// Records a row program.
    pub(crate) record: Recorder,
    /// Keeps a sparse matrix; none over Goldilocks.
    pub(crate) keep_sparse: Option<Keeper>,
    /// [`Words::CONVERSIONS`].
    pub(crate) conversions: [Conversion; 2],
    /// The words of a root of unity by its order's logarithm and its convention.
    pub(crate) root: fn(u32, u32) -> Result<Vec<u64>, Failure>,
}

type Uploader = fn(&Engine, &[u64], Shape) -> Result<Box<dyn AnyMatrix>, Error>;

impl Field {
    /// That of a type.
    pub(crate) const fn new<F: Words>() -> Self {
        Self {
            name: F::NAME,
            words: F::WORDS,
            upload: upload::<F>,
            record: record_over::<F>,
            keep_sparse: None,
            conversions: F::CONVERSIONS,
            root: root_over::<F>,
        }
    }

    /// That with a number.
    pub(crate) fn of(number: u32) -> Result<Self, Failure> {
        let field = (number as usize).checked_sub(1).and_then(|index| FIELDS.get(index));
        field.copied().ok_or_else(|| {
            let text = format!("field {number}, expected one of 1 to {}", FIELDS.len());
            Failure::new(ZKA_BAD_ARGUMENT, text)
        })
    }
}

fn upload<F: Words>(engine: &Engine, words: &[u64], shape: Shape) -> Result<Box<dyn AnyMatrix>, Error> {
    Ok(Box::new(engine.upload(MatrixRef::new(F::elements(words)?, shape)?)?))
}

fn record_over<F: Words>(
    nodes: &[zka_node],
    constants: &[u64],
    outputs: &[u32],
) -> Result<Box<dyn AnyProgram>, Failure> {
    (two_adic::<F>("row programs")?.record)(nodes, constants, outputs)
}

fn root_over<F: Words>(log_n: u32, convention: u32) -> Result<Vec<u64>, Failure> {
    (two_adic::<F>("roots of unity")?.root)(log_n, convention)
}

fn root<F: Rooted>(log_n: u32, convention: u32) -> Result<Vec<u64>, Failure> {
    let mut words = vec![0; F::WORDS];
    F::elements_mut(&mut words)?[0] = F::subgroup(log_n, convention)?.root();
    Ok(words)
}

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        $(impl Words for $field {
            const NAME: &'static str = $name;

            fn elements(words: &[u64]) -> Result<&[Self], Error> {
                elements(bytemuck::cast_slice(words), "element")
            }

            fn elements_mut(words: &mut [u64]) -> Result<&mut [Self], Error> {
                elements_mut(bytemuck::cast_slice_mut(words), "element")
            }

            const CONVERSIONS: [Conversion; 2] = [
                |words| to_montgomery::<Self>(words.as_chunks_mut().0),
                |words| from_montgomery::<Self>(words.as_chunks_mut().0),
            ];
        })*

        /// All of them, in the order of their numbers.
        pub(crate) static FIELDS: &[Field] = &[
            Field::new::<Goldilocks>(),
            $(Field { keep_sparse: Some(keep_over::<$field>), ..Field::new::<$field>() }),*
        ];

        /// The products of matrices over a field, if it is one of curves.
        pub(crate) fn product_of<F: Words>() -> Option<ProductOf<F>> {
            let all: &[&dyn Any] = &[$(&(product::<$field> as ProductOf<$field>)),*];
            all.iter().find_map(|of| of.downcast_ref().copied())
        }
    };
}
accel::for_every_prime_field!(fields);

/// What there is for every field with transforms.
#[derive(Clone, Copy)]
pub(crate) struct OfTwoAdic<F> {
    pub(crate) transform: TransformOf<F>,
    pub(crate) combinations: CombinationsOf<F>,
    pub(crate) scanning: ScanningOf<F>,
    pub(crate) permuting: PermutingOf<F>,
    pub(crate) record: Recorder,
    root: fn(u32, u32) -> Result<Vec<u64>, Failure>,
}

impl<F: AcceleratedField + Rooted> OfTwoAdic<F> {
    const NEW: Self = Self {
        transform: transform::<F>,
        combinations: CombinationsOf::NEW,
        scanning: scanning::<F>,
        permuting: permuting::<F>,
        record: record::<F>,
        root: root::<F>,
    };
}

macro_rules! two_adic {
    ($($field:path, $name:literal;)*) => {
        $(impl Rooted for $field {
            fn subgroup(log_n: u32, convention: u32) -> Result<Domain<Self>, Failure> {
                subgroup(log_n, convention)
            }
        })*

        /// What there is for a field, if it has transforms.
        pub(crate) fn if_two_adic<F: Words>() -> Option<OfTwoAdic<F>> {
            let all: &[&dyn Any] = &[&OfTwoAdic::<Goldilocks>::NEW, $(&OfTwoAdic::<$field>::NEW),*];
            all.iter().find_map(|of| of.downcast_ref().copied())
        }
    };
}
accel::for_every_two_adic_field!(two_adic);

/// What there is for a field; `ZKA_UNSUPPORTED` for such operations if it has no transforms.
pub(crate) fn two_adic<F: Words>(operations: &str) -> Result<OfTwoAdic<F>, Failure> {
    if_two_adic::<F>().ok_or_else(|| {
        let text = format!("{operations} over {}, expected a field with transforms", F::NAME);
        Failure::new(ZKA_UNSUPPORTED, text)
    })
}
