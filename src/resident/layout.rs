//! Matrices that stay, in the other layout.

use super::{Cosets, DeviceMatrix, Location};
use crate::error::Error;
use crate::matrix::{Element, Layout, Shape};
use crate::work::Activity;

impl<E: Element> DeviceMatrix<E> {
    /// The same matrix with its columns one after another, in new memory where it is; itself, if they are so. A device with memory of its own reads a column
    /// faster like this, and so runs row programs and combinations over many rows faster.
    ///
    /// [`Error::OverDeviceBudget`] and [`Error::DeviceOutOfMemory`] unless there is room for both, [`Error::OverBudget`] and [`Error::HostOutOfMemory`] in host memory,
    /// [`Error::DeviceFailed`].
    pub fn column_major(&self) -> Result<Self, Error> {
        let Shape { rows, columns, layout } = self.shape;
        let extent = self.extent();
        let apart = match &self.location {
            // A single column lies in memory in the same way.
            _ if layout == Layout::ColumnMajor || columns == 1 => self.clone(),
            Location::Device(stored) => {
                self.make(stored, Activity::TRANSPOSITION, rows, |device, matrix| {
                    device.columns_apart(matrix, extent, extent.width / columns)
                })?
            }
            Location::Host(host) => {
                Self::on_host(&self.engine, self.engine.columns_apart(self.host_view(host))?)
            }
        };
        Ok(Self { shape: Shape { layout: Layout::ColumnMajor, ..self.shape }, ..apart })
    }
}

impl<E: Element> Cosets<E> {
    /// The same with the columns of each part one after another, as [`DeviceMatrix::column_major`].
    pub fn column_major(&self) -> Result<Self, Error> {
        self.made(|_, part| part.column_major())
    }
}
