//! What an element of a field is in an array: one word of Goldilocks, or the last axis of four limbs.

use accel::Error;
use accel::bn254::{Fq, Fr};
use accel::field::{self, Goldilocks, elements, elements_mut};
use accel::matrix::{BaseField, Layout, Shape};

use crate::failure::{Failure, Outcome};
use crate::integers::copied;

/// A field whose elements are words of arrays.
pub(crate) trait Words: BaseField {
    /// Its name.
    const FIELD: &'static str;

    /// Words of an element.
    const LIMBS: usize = size_of::<Self>() / 8;

    /// Words as elements, in place: an error for the first that is not below the modulus, unless the engine looks at them.
    fn elements(words: &[u64]) -> Result<&[Self], Error>;

    /// The same, mutably.
    fn elements_mut(words: &mut [u64]) -> Result<&mut [Self], Error>;
}

impl Words for Goldilocks {
    const FIELD: &'static str = "goldilocks";

    fn elements(words: &[u64]) -> Result<&[Self], Error> {
        Ok(bytemuck::cast_slice(words))
    }

    fn elements_mut(words: &mut [u64]) -> Result<&mut [Self], Error> {
        Ok(bytemuck::cast_slice_mut(words))
    }
}

/// Generic work for a field of a name.
pub(crate) trait FieldVisitor {
    /// Its result.
    type Output;

    /// The work.
    fn visit<F: Words>(self) -> Self::Output;
}

macro_rules! words {
    ($($field:path, $name:literal;)*) => {
        $(impl Words for $field {
            const FIELD: &'static str = $name;

            fn elements(words: &[u64]) -> Result<&[Self], Error> {
                elements(words.as_chunks().0, "element")
            }

            fn elements_mut(words: &mut [u64]) -> Result<&mut [Self], Error> {
                elements_mut(words.as_chunks_mut().0, "element")
            }
        })*
    };
}
accel::for_every_prime_field!(words);
accel::for_every_wide_scalar_field!(words);

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        /// The names of the fields.
        pub(crate) const FIELDS: &[&str] = &[Goldilocks::FIELD, $($name),*];

        /// Does generic work for the field of a name.
        pub(crate) fn visit<V: FieldVisitor>(name: &str, visitor: V) -> Result<V::Output, Error> {
            match name {
                Goldilocks::FIELD => Ok(visitor.visit::<Goldilocks>()),
                $($name => Ok(visitor.visit::<$field>()),)*
                _ => Err(unknown("field", name, FIELDS)),
            }
        }
    };
}
accel::for_every_prime_field!(fields);

/// The error for a name that is not in a list.
pub(crate) fn unknown(what: &'static str, found: &str, expected: &[&str]) -> Error {
    Error::UnknownName { what, found: found.into(), expected: expected.join(", ") }
}

/// How a matrix is an array. Over Goldilocks a matrix is two axes, rows and columns, in C or in Fortran order, or one axis: a column.
/// Over other fields it is three axes in C order, columns (polynomials, rows of scalars), rows and limbs, or two: one column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) shape: Shape,
    /// Whether the one column has no axis.
    pub(crate) flat: bool,
    limbs: usize,
}

impl Form {
    /// The form of an array's dimensions.
    pub(crate) fn of<F: Words>(what: &str, dims: &[usize], fortran: bool) -> Outcome<Self> {
        let (shape, flat) = match (F::LIMBS, dims) {
            (1, &[rows]) => (Shape { rows, columns: 1, layout: Layout::RowMajor }, true),
            (1, &[rows, columns]) => {
                let layout = if fortran { Layout::ColumnMajor } else { Layout::RowMajor };
                (Shape { rows, columns, layout }, false)
            }
            (1, _) => {
                return Err(Failure::Value(format!(
                    "{what}: expected the shape (rows,) or (rows, columns), found {}",
                    text_of(dims)
                )));
            }
            (limbs, &[rows, last]) if last == limbs && !fortran => {
                (Shape { rows, columns: 1, layout: Layout::ColumnMajor }, true)
            }
            (limbs, &[columns, rows, last]) if last == limbs && !fortran => {
                (Shape { rows, columns, layout: Layout::ColumnMajor }, false)
            }
            (limbs, _) => {
                let order = if fortran { " in Fortran order" } else { "" };
                return Err(Failure::Value(format!(
                    "{what}: expected C order and the shape (n, {limbs}) or (columns, n, {limbs}), \
                     the limbs of elements of {}, found {}{order}",
                    F::FIELD,
                    text_of(dims)
                )));
            }
        };
        Ok(Self { shape, flat, limbs: F::LIMBS })
    }

    /// The form of a matrix over F.
    pub(crate) fn new<F: Words>(shape: Shape, flat: bool) -> Self {
        Self { shape, flat, limbs: F::LIMBS }
    }

    /// Words of an element.
    pub(crate) fn limbs(&self) -> usize {
        self.limbs
    }

    /// The same with other rows.
    pub(crate) fn of_rows(self, rows: usize) -> Self {
        Self { shape: Shape { rows, ..self.shape }, ..self }
    }

    /// Dimensions of the array, and whether it is in Fortran order.
    pub(crate) fn dims(&self) -> (Vec<usize>, bool) {
        let Shape { rows, columns, layout } = self.shape;
        match (self.limbs, self.flat) {
            (1, true) => (vec![rows], false),
            (1, false) => (vec![rows, columns], layout == Layout::ColumnMajor),
            (limbs, true) => (vec![rows, limbs], false),
            (limbs, false) => (vec![columns, rows, limbs], false),
        }
    }

    /// Words in all.
    pub(crate) fn words(&self) -> usize {
        self.shape.rows.saturating_mul(self.shape.columns).saturating_mul(self.limbs)
    }
}

/// Conversions from and to Montgomery form, in place.
type Conversion = fn(&mut [[u64; 4]]) -> Result<(), Error>;

/// Those of a field, if its elements are in that form.
fn conversions(field: &str) -> Option<[Conversion; 2]> {
    match field {
        Fr::FIELD => Some([field::to_montgomery::<Fr>, field::from_montgomery::<Fr>]),
        Fq::FIELD => Some([field::to_montgomery::<Fq>, field::from_montgomery::<Fq>]),
        _ => None,
    }
}

/// A copy of integers in Montgomery form; words of a field that is not in that form as they are.
pub(crate) fn montgomery(field: &str, integers: &[u64]) -> Result<Vec<u64>, Error> {
    let mut words = copied(integers)?;
    match conversions(field) {
        Some([to, _]) => to(words.as_chunks_mut().0).map(|()| words),
        None => Ok(words),
    }
}

/// The inverse, in place.
pub(crate) fn from_montgomery(field: &str, words: &mut [u64]) -> Result<(), Error> {
    match conversions(field) {
        Some([_, from]) => from(words.as_chunks_mut().0),
        None => Ok(()),
    }
}

/// Dimensions as Python shows them.
pub(crate) fn text_of(dims: &[usize]) -> String {
    match dims {
        [one] => format!("({one},)"),
        dims => format!("({})", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A vector of elements as one of words, in place.
pub(crate) fn into_words<F: Words>(elements: Vec<F>) -> Vec<u64> {
    const { assert!(align_of::<F>() == align_of::<u64>() && size_of::<F>().is_multiple_of(size_of::<u64>())) };
    let mut elements = std::mem::ManuallyDrop::new(elements);
    let (pointer, len, capacity) = (elements.as_mut_ptr(), elements.len(), elements.capacity());
    // SAFETY: the allocation has the same size and alignment in either type, and elements of a field are initialised words, as
    // `BaseField::words` shows them; the first owner is not dropped.
    unsafe { Vec::from_raw_parts(pointer.cast(), len * F::LIMBS, capacity * F::LIMBS) }
}
