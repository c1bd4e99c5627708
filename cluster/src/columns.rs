//! Cosets of an extension by the columns of the trace, for more ranks than the blow-up.
//!
//! # Mathematical description
//!
//! The trace of n rows and c columns is distributed by rows. P ranks exchange it so that each has all rows of some c / P columns, extends these to the N points of the larger domain, and exchange again: of the C
//! cosets k, k + C, k + 2 C, ... of rows each rank gets all columns of its own. A rank sends (n + N) c / P words of which it keeps every P-th, and no product is done twice. By cosets from all coefficients
//! it would have to receive n c words, which is more for P above the blow-up, and to interpolate every column.

use std::ops::Range;

use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::Lde;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::parts::parts;
use crate::transport::Transport;

impl<T: Transport> Cluster<T> {
    /// This rank's cosets of `count`, as `shares` tells, of the extension of a trace of which it brings [its own rows](Self::rows).
    pub(crate) fn cosets_by_columns(
        &self,
        lde: &Lde,
        own: &[Goldilocks],
        columns: usize,
        count: usize,
        shares: &[Range<usize>],
    ) -> Result<Vec<Matrix<Goldilocks>>, Error> {
        let (size, rank) = (self.transport().size(), self.transport().rank());
        let (widths, mine) = (parts(columns, size), &shares[rank]);
        let (width, length) = (widths[rank].len(), lde.to().size() / count);

        let strip = |strip: &Range<usize>| {
            let rows = own.chunks_exact(columns).flat_map(|row| &row[strip.clone()]);
            rows.map(|entry| entry.as_u64()).collect()
        };
        let counts: Vec<_> = parts(lde.from().size(), size).iter().map(|rows| rows.len() * width).collect();
        let received = self.transport().exchange(widths.iter().map(strip).collect(), &counts)?.concat();
        let extended = self.extend(lde, bytemuck::cast_vec(received), width);
        let extended = self.agree("an extension of columns", &[], extended)?;

        let of_rank = |share: &Range<usize>| {
            let row = |coset: usize, t: usize| &extended[(t * count + coset) * width..][..width];
            let rows = share.clone().flat_map(|coset| (0..length).flat_map(move |t| row(coset, t)));
            rows.map(|entry| entry.as_u64()).collect()
        };
        let counts: Vec<_> = widths.iter().map(|theirs| mine.len() * length * theirs.len()).collect();
        let send = shares.iter().map(of_rank).collect();
        drop(extended);
        let strips = self.transport().exchange(send, &counts)?;

        let coset = |number: usize| {
            let mut values = vec![Goldilocks::default(); length * columns];
            for (theirs, strip) in widths.iter().zip(&strips).filter(|(theirs, _)| !theirs.is_empty()) {
                let rows = strip[number * length * theirs.len()..].chunks_exact(theirs.len());
                for (row, strip) in values.chunks_exact_mut(columns).zip(rows) {
                    row[theirs.clone()].copy_from_slice(bytemuck::cast_slice(strip));
                }
            }
            Ok(Matrix::from_rows(values, length, columns)?)
        };
        (0..mine.len()).map(coset).collect()
    }

    /// The extension of so many columns, row by row; there may be none.
    fn extend(&self, lde: &Lde, columns: Vec<Goldilocks>, width: usize) -> Result<Vec<Goldilocks>, Error> {
        if width == 0 {
            return Ok(columns);
        }
        let columns = Matrix::from_rows(columns, lde.from().size(), width)?;
        Ok(self.engine().lde(lde, &columns)?.into_vec())
    }
}
