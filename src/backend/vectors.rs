//! The operations of a backend on vectors over prime fields.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::{Backend, BaseField, Memory, ResidentBackend};
use crate::error::Error;
use crate::field::MontgomeryField;

/// Products of vectors, element by element, over a prime field.
pub trait Pointwise<F>: Send + Sync {
    /// Replaces every element a_i by a_i b_i - c_i; without `c`, by a_i b_i. The vectors have the same length, and there may be no elements.
    fn multiply(&self, a: &mut [F], b: &[F], c: Option<&[F]>) -> Result<(), Error>;
}

/// Products of vectors in a device's memory.
pub trait ResidentPointwise<F>: Send + Sync {
    /// The elements a_i b_i - c_i, or a_i b_i without `c`, in new memory: so many of each, at least one. Operands may be the same memory.
    fn multiply(&self, len: usize, a: &Memory, b: &Memory, c: Option<&Memory>) -> Result<Memory, Error>;
}

/// An entry of a sparse matrix: two indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Entry {
    /// The column.
    pub column: u32,
    /// The value's, among the values of the matrix.
    pub value: u32,
}

impl Entry {
    /// The index of the value 1.
    pub const ONE: u32 = 0;
    /// The index of the value -1.
    pub const MINUS_ONE: u32 = 1;
}

/// A sparse matrix, or a run of its rows, as passed to a backend.
pub struct SparseView<'a, F> {
    /// The number of columns, more than any entry's.
    pub columns: usize,
    /// Where each row's entries begin, ascending, and where those of the last one end.
    pub starts: &'a [usize],
    /// The entries of the whole matrix.
    pub entries: &'a [Entry],
    /// The values, of which the first two are 1 and -1.
    pub values: &'a [F],
}

// Not derived, because that would ask for the same of F.
impl<F> Clone for SparseView<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for SparseView<'_, F> {}

impl<'a, F> SparseView<'a, F> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The entries of a run of rows.
    pub fn entries_of(&self, rows: Range<usize>) -> &'a [Entry] {
        &self.entries[self.starts[rows.start]..self.starts[rows.end]]
    }

    /// A run of its rows.
    pub fn range(&self, rows: Range<usize>) -> Self {
        Self { starts: &self.starts[rows.start..=rows.end], ..*self }
    }
}

/// Products of sparse matrices with vectors over a prime field.
pub trait Sparse<F>: Send + Sync {
    /// Prepares a matrix for many products; `None` where there is no better form than the matrix itself, and no room for it.
    fn keep_sparse(&self, _matrix: SparseView<'_, F>) -> Result<Option<Memory>, Error> {
        Ok(None)
    }

    /// The product of a matrix, which may be kept, with a vector of as many elements as there are columns: an element for each row. The
    /// contents of `product` are unspecified before.
    fn sparse_product(
        &self,
        matrix: SparseView<'_, F>,
        kept: Option<&Memory>,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error>;
}

/// Products of sparse matrices with vectors in a device's memory.
pub trait ResidentSparse<F>: Send + Sync {
    /// The product of a matrix of at least one row that was kept with a vector, in new memory.
    fn sparse_product(&self, kept: &Memory, vector: &Memory) -> Result<Memory, Error>;
}

/// A prime field whose vectors every backend multiplies: how generic code gets from a backend to its operations over one field.
pub trait AcceleratedPrime: MontgomeryField + BaseField {
    /// The backend's products of vectors.
    fn pointwise(backend: &dyn Backend) -> &dyn Pointwise<Self>;

    /// The same in a device's memory.
    fn resident_pointwise(backend: &dyn ResidentBackend) -> &dyn ResidentPointwise<Self>;

    /// The backend's products with sparse matrices.
    fn sparse(backend: &dyn Backend) -> &dyn Sparse<Self>;

    /// The same in a device's memory.
    fn resident_sparse(backend: &dyn ResidentBackend) -> &dyn ResidentSparse<Self>;
}

macro_rules! every_prime_field {
    ($($field:path, $name:literal;)*) => {
        /// Vectors over every prime field.
        pub trait EveryPrimeField: $(Pointwise<$field> + Sparse<$field> +)* {}

        impl<T> EveryPrimeField for T where T: $(Pointwise<$field> + Sparse<$field> +)* {}

        /// The same in a device's memory.
        pub trait EveryResidentPrimeField: $(ResidentPointwise<$field> + ResidentSparse<$field> +)* {}

        impl<T> EveryResidentPrimeField for T where T: $(ResidentPointwise<$field> + ResidentSparse<$field> +)* {}

        $(impl AcceleratedPrime for $field {
            fn pointwise(backend: &dyn Backend) -> &dyn Pointwise<Self> {
                backend
            }

            fn resident_pointwise(backend: &dyn ResidentBackend) -> &dyn ResidentPointwise<Self> {
                backend
            }

            fn sparse(backend: &dyn Backend) -> &dyn Sparse<Self> {
                backend
            }

            fn resident_sparse(backend: &dyn ResidentBackend) -> &dyn ResidentSparse<Self> {
                backend
            }
        })*
    };
}
crate::for_every_prime_field!(every_prime_field);
