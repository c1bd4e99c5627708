//! Sparse matrices over prime fields, and their products with vectors.
//!
//! # Mathematical description
//!
//! A matrix M takes a vector x to the vector y with y_i = sum over j of M_ij x_j. Of a sparse matrix only some entries are given, by rows, and
//! the others are 0: the constraints of a rank-1 constraint system have a few entries each, nearly all of them 1, -1 or other values that
//! occur often. An index may occur several times in a row; such entries add up.
//!
//! A [`SparseMatrix`] has each value that occurs once, in a list, and an entry is two indices of 32 bits: its column, and its value's index in
//! that list. An engine keeps it ([`Engine::sparse_matrix`]) in the form that suits its device, beside the form here.
//!
//! ```
//! use zkaccel::{Engine, bn254::Fr, sparse::SparseMatrix};
//! let engine = Engine::new()?;
//! // x_0 + x_2, nothing, and 5 x_1.
//! let matrix = SparseMatrix::new(3, &[0, 2, 2, 3], &[0, 2, 1], &[1, 1, 5].map(Fr::from))?;
//! let matrix = engine.sparse_matrix(matrix)?;
//! let product = engine.sparse_product(&matrix, &[2, 3, 4].map(Fr::from)[..])?;
//! assert_eq!(product, [6, 0, 15].map(Fr::from));
//! # Ok::<(), zkaccel::Error>(())
//! ```

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

pub use crate::backend::AcceleratedPrime;
use crate::backend::{Entry, SparseView};
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::MontgomeryField;
use crate::field::prime::limbs;
use crate::job::Job;
use crate::memory;
use crate::operation::{KeepSparse, KeptRange, SparseProduct};

/// A sparse matrix over a prime field, in host memory.
#[derive(Clone, PartialEq, Eq)]
pub struct SparseMatrix<F> {
    columns: usize,
    /// Where the entries of each row begin, and where those of the last one end.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    /// The values that occur: 1, -1, and the others in the order of their first occurrence.
    values: Vec<F>,
}

impl<F: MontgomeryField> SparseMatrix<F> {
    /// A matrix of so many columns by its rows, one after another: the entries of row i are those from number `row_starts[i]` to before
    /// number `row_starts[i + 1]`, so that there is one start more than there are rows, 0 is the first, and the number of entries is the
    /// last. An entry is the index of its column and its value.
    ///
    /// [`Error::LengthMismatch`] unless there are as many values as indices, and for a first or a last start that is another number;
    /// [`Error::UnsortedIndex`] for a start that is below the one before; [`Error::IndexOutOfRange`] for an index past the last column;
    /// [`Error::HostOutOfMemory`].
    pub fn new(columns: usize, row_starts: &[usize], indices: &[u32], values: &[F]) -> Result<Self, Error> {
        let expect = |what, expected, found| match expected == found {
            true => Ok(()),
            false => Err(Error::LengthMismatch { what, expected, found }),
        };
        expect("values of a sparse matrix, one an index", indices.len(), values.len())?;
        let (Some(first), Some(last)) = (row_starts.first(), row_starts.last()) else {
            return Err(Error::LengthMismatch {
                what: "row starts, one more than rows",
                expected: 1,
                found: 0,
            });
        };
        expect("the first row start of a sparse matrix", 0, *first)?;
        if let Some(pair) = row_starts.windows(2).find(|pair| pair[0] > pair[1]) {
            return Err(Error::UnsortedIndex { index: pair[1], after: pair[0] });
        }
        expect("the last row start of a sparse matrix, its number of entries", indices.len(), *last)?;
        if let Some(&index) = indices.iter().find(|&&index| index as usize >= columns) {
            return Err(Error::IndexOutOfRange { index: index as usize, len: columns });
        }
        let mut starts = memory::zeroed(row_starts.len())?;
        starts.copy_from_slice(row_starts);
        let mut entries = memory::zeroed::<Entry>(indices.len())?;
        let mut list = Values::new();
        for ((entry, &column), value) in entries.iter_mut().zip(indices).zip(values) {
            *entry = Entry { column, value: list.index(value)? };
        }
        Ok(Self { columns, starts, entries, values: list.values })
    }

    /// A matrix of so many columns by its rows, each a list of columns' indices with values. Errors as [`new`](Self::new).
    ///
    /// ```
    /// use zkaccel::{bn254::Fr, sparse::SparseMatrix};
    /// let matrix = SparseMatrix::from_rows(3, [vec![(0, Fr::one()), (2, Fr::one())], vec![]])?;
    /// assert_eq!((matrix.rows(), matrix.entries()), (2, 2));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn from_rows<R: IntoIterator<Item = (usize, F)>>(
        columns: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, Error> {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            for (index, value) in row {
                let short = u32::try_from(index).ok().filter(|_| index < columns);
                indices.push(short.ok_or(Error::IndexOutOfRange { index, len: columns })?);
                values.push(value);
            }
            starts.push(indices.len());
        }
        Self::new(columns, &starts, &indices, &values)
    }

    /// A matrix of so many rows and columns by its entries, which are triples of a row's index, a column's index and a value, in any order. Those of
    /// one row keep their order. Errors as [`new`](Self::new), and [`Error::IndexOutOfRange`] for an index past the last row as well.
    ///
    /// ```
    /// use zkaccel::{bn254::Fr, sparse::SparseMatrix};
    /// let [two, three] = [2, 3].map(Fr::from);
    /// let matrix = SparseMatrix::from_entries(2, 3, [(1, 0, two), (0, 2, three)])?;
    /// assert_eq!(matrix, SparseMatrix::from_rows(3, [[(2, three)], [(0, two)]])?);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize, F)>,
    ) -> Result<Self, Error> {
        let mut entries: Vec<_> = entries.into_iter().collect();
        // Files and circuits have them in runs of ascending rows, which the sort detects.
        entries.sort_by_key(|&(row, ..)| row);
        if let Some(&(index, ..)) = entries.last().filter(|&&(row, ..)| row >= rows) {
            return Err(Error::IndexOutOfRange { index, len: rows });
        }
        let mut starts = Vec::with_capacity(rows + 1);
        let mut start = 0;
        for row in 0..rows {
            starts.push(start);
            start += entries[start..].iter().take_while(|&&(of, ..)| of == row).count();
        }
        starts.push(start);
        let short = |&(_, index, _): &(usize, usize, F)| {
            u32::try_from(index).map_err(|_| Error::IndexOutOfRange { index, len: columns })
        };
        let indices: Vec<u32> = entries.iter().map(short).collect::<Result<_, _>>()?;
        let values: Vec<F> = entries.iter().map(|&(.., value)| value).collect();
        Self::new(columns, &starts, &indices, &values)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns: the elements of a vector that it is multiplied with.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries that are given.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// The entries of a row, in the order in which they were given: columns' indices with values; [`Error::IndexOutOfRange`] past the last row.
    pub fn row(&self, row: usize) -> Result<impl Iterator<Item = (usize, F)> + '_, Error> {
        let rows = self.rows();
        let ends = self.starts.get(row..).and_then(|starts| starts.first_chunk());
        let &[start, end] = ends.ok_or(Error::IndexOutOfRange { index: row, len: rows })?;
        let entry = |entry: &Entry| (entry.column as usize, self.values[entry.value as usize]);
        Ok(self.entries[start..end].iter().map(entry))
    }

    /// All of it, as operations take it.
    pub(crate) fn view(&self) -> SparseView<'_, F> {
        let Self { columns, starts, entries, values } = self;
        SparseView { columns: *columns, starts, entries, values }
    }
}

impl<F> fmt::Debug for SparseMatrix<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparseMatrix")
            .field("rows", &(self.starts.len() - 1))
            .field("columns", &self.columns)
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

/// The list of values that occur.
struct Values<F> {
    values: Vec<F>,
    indices: HashMap<[u64; 4], u32>,
}

impl<F: MontgomeryField> Values<F> {
    fn new() -> Self {
        Self { values: vec![F::ONE, -F::ONE], indices: HashMap::new() }
    }

    /// The index of a value, which is added unless it is there.
    fn index(&mut self, value: &F) -> Result<u32, Error> {
        if let Some(index) = self.values[..2].iter().position(|unit| unit == value) {
            return Ok(index as u32);
        }
        let [limbs] = limbs(std::slice::from_ref(value)) else { unreachable!("the limbs of one element") };
        if let Some(&index) = self.indices.get(limbs) {
            return Ok(index);
        }
        let found = self.values.len();
        let index = u32::try_from(found).map_err(|_| {
            let what = "different values of a sparse matrix, at most";
            Error::LengthMismatch { what, expected: u32::MAX as usize + 1, found: found + 1 }
        })?;
        self.values.push(*value);
        self.indices.insert(*limbs, index);
        Ok(index)
    }
}

/// A sparse matrix kept by an engine. Cloning shares it.
#[derive(Clone)]
pub struct DeviceSparseMatrix<F>(Arc<Handle<F>>);

/// A matrix, the forms of its rows that devices keep, and their engine.
struct Handle<F> {
    matrix: SparseMatrix<F>,
    kept: Vec<KeptRange>,
    engine: Engine,
}

impl<F> DeviceSparseMatrix<F> {
    /// The matrix, as the host has it.
    pub fn as_host(&self) -> &SparseMatrix<F> {
        &self.0.matrix
    }

    /// The forms of its rows that devices keep.
    pub(crate) fn kept(&self) -> &[KeptRange] {
        &self.0.kept
    }

    /// [`Error::WrongEngine`] unless this engine keeps it.
    pub(crate) fn check_owner(&self, engine: &Engine) -> Result<(), Error> {
        engine.check_owner("sparse matrix", &self.0.engine)
    }
}

impl<F> fmt::Debug for DeviceSparseMatrix<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeviceSparseMatrix").field(&self.0.matrix).finish()
    }
}

/// A vector that a sparse matrix is multiplied with: a slice, a `Vec`, a [`DeviceMatrix`](crate::resident::DeviceMatrix) of one
/// column, or a reference to one.
pub trait Operand: sealed::Sealed {
    /// The type of its elements.
    type Element: AcceleratedPrime;
    /// The type of the product, which is where the vector is.
    type Product: Send;

    /// [`Engine::sparse_product`].
    #[doc(hidden)]
    fn product_on(
        self,
        engine: &Engine,
        matrix: &DeviceSparseMatrix<Self::Element>,
    ) -> Result<Self::Product, Error>;
}

pub(crate) mod sealed {
    /// Other types cannot be operands.
    pub trait Sealed {}
}

impl Engine {
    /// Keeps a sparse matrix for products on this engine: a device with memory of its own has a copy, if that is within the budget
    /// together with a vector and a product, and several devices have a run of rows each. The matrix stays in host memory as well: a device
    /// without room for a copy is sent the rows in parts, for each product anew.
    ///
    /// [`Error::Unsupported`] where no device has such products, [`Error::DeviceFailed`].
    pub fn sparse_matrix<F: AcceleratedPrime>(
        &self,
        matrix: SparseMatrix<F>,
    ) -> Result<DeviceSparseMatrix<F>, Error> {
        let kept = self.perform(KeepSparse::new(matrix.view()))?;
        Ok(DeviceSparseMatrix(Arc::new(Handle { matrix, kept, engine: self.clone() })))
    }

    /// The product of a sparse matrix with a vector: in host memory of a slice or a `Vec`, and of a
    /// [`DeviceMatrix`](crate::resident::DeviceMatrix) of one column another one on the same device.
    ///
    /// [`Error::LengthMismatch`] unless the vector has as many elements as the matrix has columns, in one column;
    /// [`Error::WrongEngine`] for handles of another engine; [`Error::OverBudget`] and [`Error::HostOutOfMemory`] for the product in host
    /// memory. There may be no rows, where the product is in host memory, and no columns.
    ///
    /// If the device that holds the vector does not keep all rows, because it has no room or other devices keep some, the vector is copied to
    /// host memory and the product back to the device. Further errors for vectors that stay are [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and
    /// [`Error::DeviceFailed`].
    pub fn sparse_product<V: Operand>(
        &self,
        matrix: &DeviceSparseMatrix<V::Element>,
        vector: V,
    ) -> Result<V::Product, Error> {
        matrix.check_owner(self)?;
        vector.product_on(self, matrix)
    }

    /// [`sparse_product`](Self::sparse_product) as a job.
    pub fn sparse_product_async<V: Operand + Send + 'static>(
        &self,
        matrix: &DeviceSparseMatrix<V::Element>,
        vector: V,
    ) -> Job<V::Product> {
        let matrix = matrix.clone();
        self.spawn(move |engine| engine.sparse_product(&matrix, vector))
    }

    /// [`Error::LengthMismatch`] unless a vector has an element for each column of a matrix.
    pub(crate) fn check_vector(&self, expected: usize, found: usize) -> Result<(), Error> {
        match expected == found {
            true => Ok(()),
            false => {
                let what = "elements of the vector, one a column of the sparse matrix";
                Err(Error::LengthMismatch { what, expected, found })
            }
        }
    }
}

impl<F: AcceleratedPrime> sealed::Sealed for &[F] {}

impl<F: AcceleratedPrime> Operand for &[F] {
    type Element = F;
    type Product = Vec<F>;

    fn product_on(self, engine: &Engine, matrix: &DeviceSparseMatrix<F>) -> Result<Vec<F>, Error> {
        let view = matrix.as_host().view();
        engine.check_vector(view.columns, self.len())?;
        engine.check_budget(memory_of::<F>(view.rows(), 1))?;
        let mut product = F::zeros(view.rows())?;
        let kept = matrix.kept();
        engine.perform(SparseProduct { matrix: view, kept, vector: self, product: &mut product })?;
        Ok(product)
    }
}

macro_rules! vectors {
    ($($vector:ty),*) => {$(
        impl<F: AcceleratedPrime> sealed::Sealed for $vector {}

        impl<F: AcceleratedPrime> Operand for $vector {
            type Element = F;
            type Product = Vec<F>;

            fn product_on(self, engine: &Engine, matrix: &DeviceSparseMatrix<F>) -> Result<Vec<F>, Error> {
                self.as_slice().product_on(engine, matrix)
            }
        }
    )*};
}
vectors!(&Vec<F>, Vec<F>);
