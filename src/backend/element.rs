//! Entries of matrices: elements of a base field side by side in memory.
//!
//! An element of an extension of Goldilocks is its coefficients, so a matrix over the extension is a matrix over Goldilocks with as many
//! times the columns; an element of a prime field is itself.

use std::fmt::Debug;

#[cfg(feature = "bn254")]
use super::{Backend, KeepScalars};
use crate::error::Error;
#[cfg(feature = "bn254")]
use crate::field::montgomery::Modulus;
#[cfg(feature = "bn254")]
use crate::field::prime::{limbs, limbs_mut, zeros};
use crate::field::{Field, Goldilocks, MODULUS};
use crate::memory::{self, StridedMut};

/// A type of entries of matrices: Goldilocks, its extensions, and the prime fields of curves.
pub trait Element: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The field whose elements lie side by side in an entry.
    type Base: BaseField;
    /// How many.
    const WIDTH: usize;

    /// The elements of the base field, in place.
    fn base(entries: &[Self]) -> &[Self::Base];

    /// The same, mutably.
    fn base_mut(entries: &mut [Self]) -> &mut [Self::Base];

    /// So many zeros, or [`Error::HostOutOfMemory`].
    fn zeros(len: usize) -> Result<Vec<Self>, Error>;
}

/// A field whose elements are words of 64 bits, as devices store them.
pub trait BaseField: Element<Base = Self> {
    /// Whether columns are transformed where they lie in row-major blocks. Else they have to lie one after another.
    const ROW_MAJOR: bool;

    /// The words of the modulus, the lowest first: as many as an element has.
    const MODULUS: &'static [u64];

    /// Whether elements of this type are always below the modulus, so that nothing has to be checked.
    const CANONICAL: bool;

    /// The words of elements.
    fn words(elements: &[Self]) -> &[u64];

    /// The same, mutably. What is left in them must be elements.
    fn words_mut(elements: &mut [Self]) -> &mut [u64];

    /// An error for the first element whose memory is not a valid element.
    fn check_all(elements: &[Self]) -> Result<(), Error>;

    /// The backend's preparation of elements as scalars of sums; `None` for a field whose elements are no curve's scalars.
    #[cfg(feature = "bn254")]
    fn keeping(backend: &dyn Backend) -> Option<&dyn KeepScalars<Self>>;
}

/// Changes columns, given by their words, in memory of their own, side by side; they stay as they are where that fails.
pub(crate) fn in_own_memory<F: BaseField>(
    columns: StridedMut<'_, u64>,
    change: impl FnOnce(&mut [F], usize) -> Result<(), Error>,
) -> Result<(), Error> {
    let (rows, width) = (columns.as_columns().rows(), columns.as_columns().width() * 8 / size_of::<F>());
    let mut taken = F::zeros(rows * width)?;
    columns.as_columns().take(F::words_mut(&mut taken));
    change(&mut taken, width)?;
    columns.put(F::words(&taken));
    Ok(())
}

impl BaseField for Goldilocks {
    const ROW_MAJOR: bool = true;
    const CANONICAL: bool = false;
    const MODULUS: &'static [u64] = &[MODULUS];

    fn words(elements: &[Self]) -> &[u64] {
        bytemuck::cast_slice(elements)
    }

    fn words_mut(elements: &mut [Self]) -> &mut [u64] {
        bytemuck::cast_slice_mut(elements)
    }

    fn check_all(elements: &[Self]) -> Result<(), Error> {
        Self::check_canonical(elements)
    }

    #[cfg(feature = "bn254")]
    fn keeping(_: &dyn Backend) -> Option<&dyn KeepScalars<Self>> {
        None
    }
}

impl<F: Field> Element for F {
    type Base = Goldilocks;
    const WIDTH: usize = F::DEGREE;

    fn base(entries: &[Self]) -> &[Goldilocks] {
        bytemuck::cast_slice(entries)
    }

    fn base_mut(entries: &mut [Self]) -> &mut [Goldilocks] {
        bytemuck::cast_slice_mut(entries)
    }

    fn zeros(len: usize) -> Result<Vec<Self>, Error> {
        memory::zeroed(len)
    }
}

#[cfg(feature = "bn254")]
macro_rules! prime_fields {
    ($($field:path, $name:literal;)*) => {$(
        impl Element for $field {
            type Base = Self;
            const WIDTH: usize = 1;

            fn base(entries: &[Self]) -> &[Self] {
                entries
            }

            fn base_mut(entries: &mut [Self]) -> &mut [Self] {
                entries
            }

            fn zeros(len: usize) -> Result<Vec<Self>, Error> {
                zeros(len)
            }
        }

        impl BaseField for $field {
            const ROW_MAJOR: bool = false;
            const CANONICAL: bool = true;
            const MODULUS: &'static [u64] = &<Self as Modulus>::P;

            fn words(elements: &[Self]) -> &[u64] {
                bytemuck::cast_slice(limbs(elements))
            }

            fn words_mut(elements: &mut [Self]) -> &mut [u64] {
                bytemuck::cast_slice_mut(limbs_mut(elements))
            }

            /// Always `Ok`: limbs become elements by a function that checks them.
            fn check_all(_: &[Self]) -> Result<(), Error> {
                Ok(())
            }

            fn keeping(backend: &dyn Backend) -> Option<&dyn KeepScalars<Self>> {
                Some(backend)
            }
        }
    )*};
}
#[cfg(feature = "bn254")]
crate::for_every_prime_field!(prime_fields);
#[cfg(feature = "bn254")]
crate::for_every_wide_scalar_field!(prime_fields);
