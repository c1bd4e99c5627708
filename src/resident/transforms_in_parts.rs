//! Matrices in parts that are brought to several devices or to one, and transforms of their columns.

use super::{Cosets, DeviceMatrix, Location};
use crate::backend::AcceleratedField;
use crate::columns::sealed::Sealed;
use crate::columns::{ColumnsMut, Operand};
use crate::dispatch::Stored;
use crate::engine::Engine;
use crate::error::Error;
use crate::matrix::{Element, Layout, MatrixInput, Shape};
use crate::ntt::{Ntt, Order};
use crate::operation::{bring_together, transform_in_parts, upload_to};

impl Engine {
    /// Copies a matrix to the devices that have memory of their own, in as many equal parts as the largest power of two of them for which the number of rows is a multiple. Rows are in
    /// an order, which says [what a part has](Cosets). With one such device it is whole, as by [`upload`](Self::upload).
    ///
    /// Errors as [`upload`](Self::upload).
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, matrix::Matrix, ntt::{Convention, Domain, Ntt, Order}};
    /// let engine = Engine::new()?;
    /// let matrix = Matrix::from_rows((0..64).map(Goldilocks::new).collect(), 16, 4)?;
    /// let domain = Domain::new(4, Convention::Winterfell)?;
    /// let mut values = engine.upload_in_parts(&matrix, Order::Natural)?;
    /// engine.ntt(&Ntt::forward(domain), &mut values)?;
    /// engine.ntt(&Ntt::inverse(domain), &mut values)?;
    /// assert_eq!(values.download()?, matrix);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn upload_in_parts<'a, E: Element>(
        &self,
        matrix: impl Into<MatrixInput<'a, E>>,
        order: Order,
    ) -> Result<Cosets<E>, Error> {
        let matrix = matrix.into();
        let homes = self.dispatcher().that_keep_data();
        let divides = |&parts: &usize| parts.is_power_of_two() && matrix.shape().rows.is_multiple_of(parts);
        let parts = (2..=homes.len()).rev().find(divides);
        let Some(parts) = parts.filter(|_| self.dispatcher().divides_what_stays()) else {
            return Ok(self.upload(matrix)?.into());
        };
        // An element on each device says where its part of the matrix goes.
        let one = Shape { rows: 1, columns: 1, layout: Layout::RowMajor };
        let words = vec![0; size_of::<E::Base>() / 8 * E::WIDTH];
        let at = self.run(|| upload_to(self.dispatcher(), &homes[..parts], &words))?;
        let at = at.into_iter().map(|stored| DeviceMatrix::<E>::on_device(self, one, stored)).collect();
        Cosets::of(at, order).upload_beside(matrix)
    }
}

impl<E: Element> Cosets<E> {
    /// The data of all parts, if they are on devices.
    fn stored(&self) -> Option<Vec<&Stored>> {
        let stored = self.parts().iter().map(|part| match &part.location {
            Location::Device(stored) => Some(stored),
            Location::Host(_) => None,
        });
        stored.collect()
    }

    /// All of it in one memory, that of another matrix: the matrix itself if it is whole and there, or else a copy, which NVIDIA GPUs of one host make of what is in each other's memory, and others
    /// through the host's.
    ///
    /// [`Error::WrongEngine`] if another engine made that matrix; further errors as [`Engine::upload`].
    pub fn copy_beside<R: Element>(&self, other: &DeviceMatrix<R>) -> Result<DeviceMatrix<E>, Error> {
        let engine = &self.parts()[0].engine;
        engine.check_ours(other)?;
        if let Some(whole) = self.whole().filter(|whole| whole.is_beside(other)) {
            return Ok(whole.clone());
        }
        let (of, order) = (self.parts()[0].extent(), self.order());
        let made = match (self.stored(), &other.location) {
            (Some(parts), Location::Device(there)) => {
                engine.run(|| bring_together(engine.dispatcher(), there, &parts, of, order))
            }
            _ => None,
        };
        match made {
            Some(made) => Ok(DeviceMatrix::on_device(engine, self.shape(), made?)),
            None => engine.kept_beside(other, self.download()?.into()),
        }
    }
}

impl<E: Element> Sealed for &mut Cosets<E> {}

impl<E: Element> Operand for &mut Cosets<E> {
    type Element = E;
}

impl<E: Element<Base: AcceleratedField>> ColumnsMut for &mut Cosets<E> {
    fn ntt_on(self, engine: &Engine, ntt: &Ntt<E::Base>) -> Result<(), Error> {
        let shape = self.shape();
        self.parts().iter().try_for_each(|part| engine.check_ours(part))?;
        engine.check_rows(ntt.domain.size(), shape.rows)?;
        if let Some(whole) = self.whole_mut() {
            return engine.ntt(ntt, whole);
        }
        self.check_order(ntt.input_order)?;
        let extent = self.parts()[0].extent();
        let made = match self.stored() {
            Some(stored) => engine.run(|| transform_in_parts(engine.dispatcher(), *ntt, &stored, extent)),
            None => None,
        };
        *self = match made {
            Some(parts) => {
                let of_part = self.parts()[0].shape();
                let parts = parts?.into_iter().map(|part| DeviceMatrix::on_device(engine, of_part, part));
                Cosets::of(parts.collect(), ntt.output_order)
            }
            None => {
                let mut matrix = self.download()?;
                engine.transform(ntt, matrix.view_mut(), false)?;
                Cosets::of(self.parts().to_vec(), ntt.output_order).upload_beside(matrix)?
            }
        };
        Ok(())
    }

    fn invert_on(self, engine: &Engine) -> Result<(), Error>
    where
        E: AcceleratedField,
    {
        *self = self.made(|_, part| {
            let mut inverses = part.clone();
            engine.invert(&mut inverses)?;
            Ok(inverses)
        })?;
        Ok(())
    }
}
