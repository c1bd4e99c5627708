//! Operands that do not lie where an operation takes place: they are copied there.

use super::{DeviceMatrix, Location};
use crate::backend::BaseField;
use crate::dispatch::Stored;
use crate::error::Error;
use crate::matrix::{Matrix, MatrixRef};
use crate::ntt::Order;
use crate::operation::{bring_together, upload_beside};

/// A matrix in host memory: where it is, or a copy of one on a device.
pub(super) enum InHostMemory<'a, F> {
    There(MatrixRef<'a, F>),
    Copied(Matrix<F>),
}

impl<F: BaseField> InHostMemory<'_, F> {
    pub(super) fn view(&self) -> MatrixRef<'_, F> {
        match self {
            Self::There(matrix) => *matrix,
            Self::Copied(matrix) => matrix.view(),
        }
    }

    #[cfg(feature = "bn254")]
    pub(super) fn as_slice(&self) -> &[F] {
        self.view().as_slice()
    }
}

impl<F: BaseField> DeviceMatrix<F> {
    pub(super) fn in_host_memory(&self) -> Result<InHostMemory<'_, F>, Error> {
        match &self.location {
            Location::Host(host) => Ok(InHostMemory::There(self.host_view(host))),
            Location::Device(_) => Ok(InHostMemory::Copied(self.download()?)),
        }
    }

    /// The elements on the device that holds other data: where they are, or a copy of those elsewhere.
    pub(super) fn beside(&self, other: &Stored) -> Result<Stored, Error> {
        let engine = &self.engine;
        let copied = match &self.location {
            Location::Device(stored) if stored.member() == other.member() => return Ok(stored.clone()),
            Location::Device(stored) => {
                let of = self.extent();
                engine.run(|| bring_together(engine.dispatcher(), other, &[stored], of, Order::Natural))
            }
            Location::Host(_) => None,
        };
        copied.unwrap_or_else(|| {
            let elements = self.in_host_memory()?;
            engine.perform(upload_beside(other, F::words(elements.view().as_slice())))
        })
    }
}
