//! Prefix products of the columns of a matrix.

use super::{Extent, Memory};
use crate::error::Error;

/// Prefix products over a field.
pub trait PrefixProducts<F>: Send + Sync {
    /// The prefix products of every column of every block: entry i of a column becomes the product of what is carried into the column and of the
    /// entries above i.
    ///
    /// Data come as blocks of rows of `width` elements, as for [`Transforms`](super::Transforms), in one or more rows; `products` has their layout, and unspecified
    /// contents before. There is an element of `carry` for each column, block after block. Afterwards it is multiplied by all of the column, so
    /// that the rows below can follow.
    fn prefix_products(
        &self,
        input: &[F],
        width: usize,
        products: &mut [F],
        carry: &mut [F],
    ) -> Result<(), Error>;
}

/// The same of matrices in a device's memory.
pub trait ResidentPrefixProducts<F>: Send + Sync {
    /// The prefix products, in new memory and in the layout of the matrix.
    fn prefix_products(&self, matrix: &Memory, extent: Extent, carry: &mut [F]) -> Result<Memory, Error>;
}
