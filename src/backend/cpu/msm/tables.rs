//! Multiples of bases, computed once.

use super::buckets::POINTS;
use super::plan::TableShape;
use crate::curve::{Affine, Xyzz};
use crate::error::Error;
use crate::field::coordinates::LazyElement;
use crate::memory;
use crate::parallel::for_each_chunk;

/// Points whose inversions are shared when multiples are brought to affine form.
const TOGETHER: usize = 256;

/// All bases, then their multiples by 2^(c S), then by 2^(2 c S), and so on.
pub(super) struct Tables<T> {
    pub(super) shape: TableShape,
    /// The number of bases.
    pub(super) count: usize,
    pub(super) points: Vec<Affine<T>>,
}

impl<T: LazyElement> Tables<T> {
    /// The best tables of at most `bytes` for integers of up to `longest` bits; `None` where nothing is gained.
    pub(super) fn new(bases: &[Affine<T>], longest: u32, bytes: u64) -> Result<Option<Self>, Error> {
        let count = bases.len();
        let each = (count as u64).saturating_mul(size_of::<Affine<T>>() as u64).max(1);
        let most = usize::try_from(bytes / each).unwrap_or(usize::MAX).min(POINTS / count.max(1));
        if most < 2 {
            return Ok(None);
        }
        let Some(shape) = TableShape::new(count, longest, most) else {
            return Ok(None);
        };
        let mut points = memory::filled(count * shape.tables, Affine::IDENTITY)?;
        let (first, rest) = points.split_at_mut(count);
        first.copy_from_slice(bases);
        // Pieces of every table, so that a piece of one is made of the same piece of the one before.
        let mut pieces: Vec<Vec<&mut [Affine<T>]>> = Vec::new();
        for table in rest.chunks_mut(count) {
            for (i, piece) in table.chunks_mut(TOGETHER).enumerate() {
                match pieces.get_mut(i) {
                    Some(tables) => tables.push(piece),
                    None => pieces.push(vec![piece]),
                }
            }
        }
        let doublings = shape.sets as u32 * shape.digits.bits;
        for_each_chunk(&mut pieces, 1, |number, pieces| {
            let bases = bases[number * TOGETHER..].iter().take(TOGETHER);
            let mut points: Vec<Xyzz<_>> = bases.map(|&base| base.into()).collect();
            for table in &mut pieces[0] {
                for point in &mut points {
                    *point = (0..doublings).fold(*point, |point, _| point.double());
                }
                table.copy_from_slice(&Xyzz::normalize(&points));
            }
        });
        Ok(Some(Self { shape, count, points }))
    }
}
