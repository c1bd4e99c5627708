//! Vectors over prime fields, and their products element by element.
//!
//! A vector is a slice, a `Vec`, or a [`DeviceMatrix`] of any number of columns, of which every element counts. The vectors of an
//! operation are of one type, and the result takes the place of the first.
//!
//! With transforms that stay on the device, and products of a matrix with a vector (`sparse`), this is what the quotient of
//! a constraint system asks for: the inverse transform of values on a subgroup, a forward one whose domain has a
//! [shift](crate::ntt::Domain::coset), and a b - c there.
//!
//! [`DeviceMatrix`]: crate::resident::DeviceMatrix

pub use crate::backend::AcceleratedPrime;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::job::Job;
use crate::operation::{Factors, Multiply};

/// A vector over a prime field.
pub trait Vector: sealed::Sealed {
    /// [`Engine::multiply_subtract`], where there is a `c`.
    #[doc(hidden)]
    fn multiply_on(&mut self, engine: &Engine, b: &Self, c: Option<&Self>) -> Result<(), Error>;
}

pub(crate) mod sealed {
    /// Other types cannot be vectors.
    pub trait Sealed {}
}

impl Engine {
    /// Replaces every element of a vector by its product with the element of another vector at the same index.
    ///
    /// [`Error::LengthMismatch`] unless both have the same length; there may be no elements. A vector that is refused is unchanged, and so is one
    /// on a device that fails, but for [`Error::ResultLost`]. Products that a device makes in parts take as much host memory again.
    ///
    /// Each [`DeviceMatrix`](crate::resident::DeviceMatrix) must have the same numbers of rows and columns. The product is made where the first
    /// is, and its other clones keep their contents; operands that lie elsewhere, as they may with several devices, are copied there
    /// through host memory. Further errors are then [`Error::WrongEngine`], [`Error::OverDeviceBudget`],
    /// [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    ///
    /// ```
    /// use zkaccel::{Engine, bn254::Fr};
    /// let mut products = [2, 3].map(Fr::from);
    /// Engine::new()?.multiply(&mut products[..], &[5, 7].map(Fr::from))?;
    /// assert_eq!(products, [10, 21].map(Fr::from));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn multiply<V: Vector + ?Sized>(&self, a: &mut V, b: &V) -> Result<(), Error> {
        a.multiply_on(self, b, None)
    }

    /// Replaces every element a_i of a vector by a_i b_i - c_i. Otherwise as [`multiply`](Self::multiply).
    ///
    /// ```
    /// use zkaccel::{Engine, bn254::Fr};
    /// let [mut a, b, c] = [[2, 3], [5, 7], [1, 21]].map(|vector| vector.map(Fr::from).to_vec());
    /// Engine::new()?.multiply_subtract(&mut a, &b, &c)?;
    /// assert_eq!(a, [9, 0].map(Fr::from));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn multiply_subtract<V: Vector + ?Sized>(&self, a: &mut V, b: &V, c: &V) -> Result<(), Error> {
        a.multiply_on(self, b, Some(c))
    }

    /// [`multiply`](Self::multiply) as a job, which returns the products.
    pub fn multiply_async<V: Vector + Send + 'static>(&self, mut a: V, b: V) -> Job<V> {
        self.spawn(move |engine| engine.multiply(&mut a, &b).map(|()| a))
    }

    /// [`multiply_subtract`](Self::multiply_subtract) as a job, which returns the differences.
    pub fn multiply_subtract_async<V: Vector + Send + 'static>(&self, mut a: V, b: V, c: V) -> Job<V> {
        self.spawn(move |engine| engine.multiply_subtract(&mut a, &b, &c).map(|()| a))
    }
}

/// [`Error::LengthMismatch`] unless all vectors have as many elements as the first.
pub(crate) fn check_lengths(expected: usize, mut others: impl Iterator<Item = usize>) -> Result<(), Error> {
    match others.find(|&found| found != expected) {
        Some(found) => Err(Error::LengthMismatch { what: "elements of a vector", expected, found }),
        None => Ok(()),
    }
}

impl<F: AcceleratedPrime> sealed::Sealed for [F] {}

impl<F: AcceleratedPrime> Vector for [F] {
    fn multiply_on(&mut self, engine: &Engine, b: &Self, c: Option<&Self>) -> Result<(), Error> {
        check_lengths(self.len(), [Some(b), c].into_iter().flatten().map(<[F]>::len))?;
        // Devices that work in parts, and several devices, hold the products beside the elements until all have succeeded.
        if !engine.dispatcher().is_one() || engine.device_budget().is_some() {
            engine.check_budget(memory_of::<F>(self.len(), 1))?;
        }
        engine.perform(Multiply { a: self, factors: Factors { b, c } })
    }
}

impl<F: AcceleratedPrime> sealed::Sealed for Vec<F> {}

impl<F: AcceleratedPrime> Vector for Vec<F> {
    fn multiply_on(&mut self, engine: &Engine, b: &Self, c: Option<&Self>) -> Result<(), Error> {
        self.as_mut_slice().multiply_on(engine, b, c.map(Vec::as_slice))
    }
}
