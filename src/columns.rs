//! Matrices as operands: in host memory or on a device, over any field, through the same calls.
//!
//! The result for a matrix in host memory is in host memory; that for a [`DeviceMatrix`](crate::resident::DeviceMatrix) stays on
//! the same device. Slices and vectors are matrices with a polynomial in each column, one after another: as many rows as the
//! operation has points or coefficients.

use crate::backend::{Accelerated, AcceleratedField, BaseField};
use crate::checks;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::extended::ExtendedDomain;
use crate::field::Field;
use crate::matrix::{Element, Layout, Matrix, MatrixInput, MatrixMut, MatrixRef, Shape};
use crate::memory;
use crate::merkle::{MerkleTree, check_leaf_count};
use crate::ntt::{Lde, Ntt};
use crate::operation::{Evaluate, Invert, Points};

/// The field of the transforms of a matrix: that of its entries, or that below them.
pub type Base<M> = <<M as Operand>::Element as Element>::Base;

/// Whatever stands for a matrix.
pub trait Operand: sealed::Sealed {
    /// The type of the entries.
    type Element: Element;
}

/// A matrix that is changed in place: a [`MatrixMut`], or a mutable reference to a [`Matrix`], to a
/// [`DeviceMatrix`](crate::resident::DeviceMatrix), to a slice or to a vector.
pub trait ColumnsMut: Operand<Element: Element<Base: AcceleratedField>> {
    /// [`Engine::ntt`].
    #[doc(hidden)]
    fn ntt_on(self, engine: &Engine, ntt: &Ntt<Base<Self>>) -> Result<(), Error>;

    /// [`Engine::invert`].
    #[doc(hidden)]
    fn invert_on(self, engine: &Engine) -> Result<(), Error>
    where
        Self::Element: AcceleratedField;
}

/// A matrix whose columns operations read: a [`Matrix`], a [`MatrixRef`], a [`MatrixInput`], a slice, a vector, a reference to one, all in
/// host memory; or a [`DeviceMatrix`](crate::resident::DeviceMatrix) or a reference to one.
pub trait Columns: Operand<Element: Element<Base: AcceleratedField>> {
    /// The type of a matrix computed from this one.
    type Matrix: Send;

    /// [`Engine::lde`].
    #[doc(hidden)]
    fn lde_on(self, engine: &Engine, lde: &Lde<Base<Self>>) -> Result<Self::Matrix, Error>;

    /// [`Engine::coeff_to_extended`].
    #[doc(hidden)]
    fn evaluate_on(self, engine: &Engine, domain: &ExtendedDomain<Base<Self>>)
    -> Result<Self::Matrix, Error>;

    /// [`Engine::extended_to_coeff`], for no more coefficients than points.
    #[doc(hidden)]
    fn interpolate_on(
        self,
        engine: &Engine,
        domain: &ExtendedDomain<Base<Self>>,
        coefficients: usize,
    ) -> Result<Self::Matrix, Error>;
}

/// A matrix whose rows are hashed: over Goldilocks or an extension of it, in host memory or on a device.
pub trait Rows: Operand {
    /// The type of a tree over its rows.
    type Tree<H: Accelerated>: Send;

    /// [`Engine::hash_rows`].
    #[doc(hidden)]
    fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error>;

    /// [`Engine::merkle_tree_of_rows`].
    #[doc(hidden)]
    fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<Self::Tree<H>, Error>;
}

pub(crate) mod sealed {
    use super::Operand;
    use crate::error::Error;
    use crate::matrix::{MatrixInput, MatrixMut};

    /// Other types cannot be matrices.
    pub trait Sealed: Sized {}

    /// A form of a matrix in host memory that may be changed.
    pub trait Change: Operand {
        /// The matrix, for an operation on so many rows.
        fn view(&mut self, rows: usize) -> Result<MatrixMut<'_, Self::Element>, Error>;
    }

    /// A form of a matrix in host memory that is read, or consumed.
    pub trait Read: Operand {
        /// Does something with the matrix, for an operation on so many rows.
        fn read<R>(
            self,
            rows: usize,
            then: impl FnOnce(MatrixInput<'_, Self::Element>) -> Result<R, Error>,
        ) -> Result<R, Error>;
    }
}

impl Engine {
    /// Transforms every column of a matrix in place.
    ///
    /// Rows are points: the matrix has as many as the domain, else [`Error::LengthMismatch`]; a slice has one or more polynomials, each
    /// of as many elements. Words must be canonical, else [`Error::NotCanonical`]; a matrix that is refused is unchanged.
    /// Over Goldilocks the transform works between equal orders through a scratch of at most 8 columns, and from one order to
    /// the other it needs none. Over prime fields of curves columns are transformed one after another, so a row-major matrix is copied.
    /// The engine caches tables of roots of unity; on the CPU the most recently used, up to 512 MiB or one table.
    ///
    /// A device that fails leaves the matrix unchanged too, unless it is lost at the very end, while the result is copied back:
    /// then the error is [`Error::ResultLost`].
    ///
    /// For a [`DeviceMatrix`](crate::resident::DeviceMatrix) other clones keep their contents. Further errors are then
    /// [`Error::WrongEngine`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, ntt::{Convention, Domain, Ntt}};
    /// let engine = Engine::new()?;
    /// let domain = Domain::new(3, Convention::Winterfell)?;
    /// let before: Vec<_> = (1..=8).map(Goldilocks::new).collect();
    /// let mut values = before.clone();
    /// engine.ntt(&Ntt::forward(domain), &mut values)?;
    /// assert_eq!(values[0], Goldilocks::new(36));
    /// engine.ntt(&Ntt::inverse(domain), &mut values)?;
    /// assert_eq!(values, before);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn ntt<M: ColumnsMut>(&self, ntt: &Ntt<Base<M>>, matrix: M) -> Result<(), Error> {
        matrix.ntt_on(self, ntt)
    }

    /// Replaces every element of a matrix by its inverse; zeros stay zero.
    ///
    /// All inverses take one inversion, or a few, and three products an element (Montgomery 1987). Entries are elements of a field that has
    /// transforms, not of an extension. The matrix may be a slice of any length, and an empty one stays as it is. Errors as
    /// [`ntt`](Self::ntt): words that are not canonical are refused, and a matrix that is refused is unchanged.
    ///
    /// ```
    /// use zkaccel::{Engine, field::{Field, Goldilocks}};
    /// let mut values = [0, 1, 2, 3].map(Goldilocks::new);
    /// Engine::new()?.invert(&mut values[..])?;
    /// assert_eq!(values[..2], [Goldilocks::ZERO, Goldilocks::ONE]);
    /// assert_eq!(values[3] * Goldilocks::new(3), Goldilocks::ONE);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    ///
    /// ```compile_fail,E0277
    /// use zkaccel::{Engine, field::{Field, Quadratic}};
    /// Engine::new()?.invert(&mut vec![Quadratic::ONE])?;
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn invert<M: ColumnsMut>(&self, matrix: M) -> Result<(), Error>
    where
        M::Element: AcceleratedField,
    {
        matrix.invert_on(self)
    }

    /// Extends every column of a matrix to a larger domain: values on `lde.from()` to values on `lde.to()`.
    ///
    /// An owned matrix in host memory is consumed as scratch; a borrowed one is copied. The result has the layout of the input.
    /// Errors as [`ntt`](Self::ntt), and [`Error::OverBudget`] or [`Error::HostOutOfMemory`] for a result in host memory.
    pub fn lde<M: Columns>(&self, lde: &Lde<Base<M>>, matrix: M) -> Result<M::Matrix, Error> {
        matrix.lde_on(self, lde)
    }

    /// Evaluates the polynomials in the columns of a matrix, a coefficient in each row, on the points of an extended domain. Errors as
    /// [`lde`](Self::lde).
    pub fn coeff_to_extended<M: Columns>(
        &self,
        domain: &ExtendedDomain<Base<M>>,
        coefficients: M,
    ) -> Result<M::Matrix, Error> {
        coefficients.evaluate_on(self, domain)
    }

    /// The first `coefficients` coefficients, the lowest, of polynomials given by their values on an extended domain; the
    /// others are cut off. halo2 keeps (degree - 1) 2^k of them.
    ///
    /// [`Error::LengthMismatch`] for no coefficients and for more than there are points, else errors as [`lde`](Self::lde).
    pub fn extended_to_coeff<M: Columns>(
        &self,
        domain: &ExtendedDomain<Base<M>>,
        values: M,
        coefficients: usize,
    ) -> Result<M::Matrix, Error> {
        let expected = domain.points().size();
        if coefficients == 0 || coefficients > expected {
            let what = "coefficients, at least one and at most the number of points";
            return Err(Error::LengthMismatch { what, expected, found: coefficients });
        }
        values.interpolate_on(self, domain, coefficients)
    }

    /// The digest of every row of a matrix, in host memory. Errors as [`lde`](Self::lde).
    pub fn hash_rows<H: Accelerated, M: Rows>(&self, matrix: M) -> Result<Vec<H::Digest>, Error> {
        matrix.hash_rows_on::<H>(self)
    }

    /// The Merkle tree whose leaves are the digests of a matrix' rows: a [`MerkleTree`], or a
    /// [`DeviceTree`](crate::resident::DeviceTree) that stays with its matrix.
    ///
    /// [`Error::NotPowerOfTwo`] for the number of rows, else errors as [`lde`](Self::lde).
    pub fn merkle_tree_of_rows<H: Accelerated, M: Rows>(&self, matrix: M) -> Result<M::Tree<H>, Error> {
        matrix.tree_on::<H>(self)
    }
}

/// The shape of polynomials of `rows` elements, one after another; [`Error::LengthMismatch`] unless there are one or more.
fn polynomials(rows: usize, found: usize) -> Result<Shape, Error> {
    match found > 0 && found.is_multiple_of(rows) {
        true => Ok(Shape { rows, columns: found / rows, layout: Layout::ColumnMajor }),
        false => {
            let expected = found.div_ceil(rows).max(1).saturating_mul(rows);
            Err(Error::LengthMismatch { what: "elements of whole polynomials", expected, found })
        }
    }
}

/// The forms of matrices in host memory: of slices and vectors the number of rows is the operation's.
macro_rules! in_host_memory {
    ($($matrix:ty: $trait:ident, |$this:pat_param, $rows:pat_param| $view:expr;)*) => {$(
        impl<E: Element> sealed::Sealed for $matrix {}

        impl<E: Element> Operand for $matrix {
            type Element = E;
        }

        in_host_memory!($trait $matrix, $this, $rows, $view);
    )*};
    (Change $matrix:ty, $this:pat_param, $rows:pat_param, $view:expr) => {
        impl<E: Element> sealed::Change for $matrix {
            fn view(&mut self, $rows: usize) -> Result<MatrixMut<'_, E>, Error> {
                let $this = self;
                $view
            }
        }
    };
    (Read $matrix:ty, $this:pat_param, $rows:pat_param, $input:expr) => {
        impl<E: Element> sealed::Read for $matrix {
            fn read<R>(
                self,
                $rows: usize,
                then: impl FnOnce(MatrixInput<'_, E>) -> Result<R, Error>,
            ) -> Result<R, Error> {
                let $this = self;
                then($input)
            }
        }
    };
}
in_host_memory! {
    MatrixMut<'_, E>: Change, |this, _| Ok(this.reborrow());
    &mut Matrix<E>: Change, |this, _| Ok(this.view_mut());
    &mut [E]: Change, |this, rows| { let shape = polynomials(rows, this.len())?; MatrixMut::new(this, shape) };
    &mut Vec<E>: Change, |this, rows| { let shape = polynomials(rows, this.len())?; MatrixMut::new(this, shape) };
    MatrixInput<'_, E>: Read, |this, _| this;
    Matrix<E>: Read, |this, _| this.into();
    &Matrix<E>: Read, |this, _| this.into();
    MatrixRef<'_, E>: Read, |this, _| this.into();
    &[E]: Read, |this, rows| MatrixRef::new(this, polynomials(rows, this.len())?)?.into();
    &Vec<E>: Read, |this, rows| MatrixRef::new(this, polynomials(rows, this.len())?)?.into();
    Vec<E>: Read, |this, rows| { let shape = polynomials(rows, this.len())?; Matrix::new(this, shape)?.into() };
}

impl<M: sealed::Change<Element: Element<Base: AcceleratedField>>> ColumnsMut for M {
    fn ntt_on(mut self, engine: &Engine, ntt: &Ntt<Base<M>>) -> Result<(), Error> {
        let rows = ntt.domain.size();
        let view = self.view(rows)?;
        engine.check_rows(rows, view.shape().rows)?;
        engine.transform(ntt, view, true)
    }

    fn invert_on(mut self, engine: &Engine) -> Result<(), Error>
    where
        M::Element: AcceleratedField,
    {
        match self.view(1) {
            Ok(mut view) => engine.perform(Invert { elements: view.base(), unchecked: true }),
            // Only nothing is not one row or more of one element.
            Err(_) => Ok(()),
        }
    }
}

impl<M: sealed::Read<Element: Element<Base: AcceleratedField>>> Columns for M {
    type Matrix = Matrix<M::Element>;

    fn lde_on(self, engine: &Engine, lde: &Lde<Base<M>>) -> Result<Self::Matrix, Error> {
        self.read(lde.from().size(), |matrix| engine.lde_in_host_memory(lde, matrix))
    }

    fn evaluate_on(self, engine: &Engine, domain: &ExtendedDomain<Base<M>>) -> Result<Self::Matrix, Error> {
        self.read(domain.coefficients(), |matrix| engine.evaluate_in_host_memory(domain, matrix))
    }

    fn interpolate_on(
        self,
        engine: &Engine,
        domain: &ExtendedDomain<Base<M>>,
        coefficients: usize,
    ) -> Result<Self::Matrix, Error> {
        let interpolate =
            |matrix: MatrixInput<'_, _>| engine.interpolate_in_host_memory(domain, matrix, coefficients);
        self.read(domain.points().size(), interpolate)
    }
}

/// Those of which the rows can be hashed.
macro_rules! rows_in_host_memory {
    ($($matrix:ty),*) => {$(
        impl<F: Field> Rows for $matrix {
            type Tree<H: Accelerated> = MerkleTree<H>;

            fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error> {
                let input = MatrixInput::from(self);
                let (view, rows) = (input.view(), input.shape().rows);
                engine.check_elements(view.base())?;
                engine.check_budget(memory_of::<H::Digest>(rows, 1))?;
                let mut digests = memory::zeroed(rows)?;
                engine.hash_rows_into::<H, F>(view, &mut digests)?;
                Ok(digests)
            }

            fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<MerkleTree<H>, Error> {
                let input = MatrixInput::from(self);
                let (view, rows) = (input.view(), input.shape().rows);
                check_leaf_count(rows)?;
                engine.check_elements(view.base())?;
                engine.build_tree::<H>(rows, |leaves| engine.hash_rows_into::<H, F>(view, leaves))
            }
        }
    )*};
}
rows_in_host_memory!(MatrixInput<'_, F>, Matrix<F>, &Matrix<F>, MatrixRef<'_, F>);

impl Engine {
    fn lde_in_host_memory<E: Element<Base: AcceleratedField>>(
        &self,
        lde: &Lde<E::Base>,
        matrix: MatrixInput<'_, E>,
    ) -> Result<Matrix<E>, Error> {
        let shape = matrix.shape();
        self.check_rows(lde.from().size(), shape.rows)?;
        self.check_elements(matrix.view().base())?;
        let copied = matrix.is_borrowed() as u64 * memory_of::<E>(shape.rows, shape.columns);
        self.check_budget(copied.saturating_add(memory_of::<E>(lde.to().size(), shape.columns)))?;
        self.extend(lde, matrix, Vec::new())
    }

    fn evaluate_in_host_memory<E: Element<Base: AcceleratedField>>(
        &self,
        domain: &ExtendedDomain<E::Base>,
        coefficients: MatrixInput<'_, E>,
    ) -> Result<Matrix<E>, Error> {
        let (shape, points) = (coefficients.shape(), domain.points());
        self.check_rows(domain.coefficients(), shape.rows)?;
        let coefficients = coefficients.view().base();
        self.check_elements(coefficients)?;
        let extended = Shape { rows: points.size(), ..shape };
        self.check_budget(
            memory_of::<E>(extended.rows, extended.columns).saturating_add(self.scratch::<E>(points, shape)),
        )?;
        let mut values = E::zeros(extended.rows.saturating_mul(extended.columns))?;
        let points = Points { domain: points, size: shape.rows };
        let (width, base) = (shape.block_width::<E>(), E::base_mut(&mut values));
        self.perform(Evaluate { points, coefficients, width, values: base })?;
        Matrix::new(values, extended)
    }

    fn interpolate_in_host_memory<E: Element<Base: AcceleratedField>>(
        &self,
        domain: &ExtendedDomain<E::Base>,
        values: MatrixInput<'_, E>,
        coefficients: usize,
    ) -> Result<Matrix<E>, Error> {
        let shape = values.shape();
        self.check_rows(domain.points().size(), shape.rows)?;
        if values.is_borrowed() {
            self.check_budget(memory_of::<E>(shape.rows, shape.columns))?;
        }
        let mut matrix = Matrix::new(self.run(|| values.into_vec())?, shape)?;
        self.ntt(&Ntt::inverse(domain.points()), &mut matrix)?;
        Ok(matrix.first_rows(coefficients))
    }

    /// The first word of elements that is not canonical is an error; checked on all threads.
    pub(crate) fn check_elements<B: BaseField>(&self, elements: &[B]) -> Result<(), Error> {
        self.run_on(size_of_val(elements), || checks::elements(elements))
    }

    /// The result of what refuses elements that are not canonical on a device, which does not tell which word it is, and where.
    pub(crate) fn with_place<T, B: BaseField>(
        &self,
        done: Result<T, Error>,
        elements: &[B],
    ) -> Result<T, Error> {
        match done {
            Err(error @ Error::NotCanonical { .. }) => self.check_elements(elements).and(Err(error)),
            done => done,
        }
    }
}
