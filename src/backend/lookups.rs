//! The permutations of lookups.

use std::hash::{BuildHasher, RandomState};

use super::{Extent, MatrixView, Memory};
use crate::error::Error;

/// Permutations of lookups over a field.
pub trait Lookups<F>: Send + Sync {
    /// The permuted columns of lookups: columns 2j and 2j + 1 of a matrix are the input and the table of lookup j, of which the first `used` rows are permuted and the others copied.
    ///
    /// A value of the table *stands* in the first row that has it. Equal inputs become neighbours, in the order in which their values stand in the table; beside the first of them is the
    /// value from the table, and rows of the table that stand beside no input, or are no first of their value, are beside the others in their order. The number of columns is even, `used` is at
    /// most the number of rows and below 2^32 - 1, and `permuted` has the layout of the matrix's elements, and unspecified contents before. [`Error::NotInTable`] names the first lookup with an input that its
    /// table lacks, and the first row with one.
    fn permute_lookups(
        &self,
        matrix: MatrixView<'_, F>,
        used: usize,
        permuted: &mut [F],
    ) -> Result<(), Error>;
}

/// The same of matrices in a device's memory.
pub trait ResidentLookups<F>: Send + Sync {
    /// The permuted columns, in new memory and in the layout of the matrix.
    fn permute_lookups(&self, matrix: &Memory, extent: Extent, used: usize) -> Result<Memory, Error>;
}

/// A function of elements' words whose upper bits rarely agree for different elements, whatever these are: the upper bits of a sum of products with odd random words, of 32 bits of the element each
/// (Dietzfelbinger, STACS 1996). Nothing depends on it but time, so that no one who chooses elements can make many agree.
#[derive(Clone, Debug)]
pub struct Scatter(Vec<u64>);

impl Scatter {
    /// For elements of so many words. The keys of the standard library's hash are random.
    pub fn new(words: usize) -> Self {
        let random = RandomState::new();
        Self((0..2 * words).map(|number| random.hash_one(number) | 1).collect())
    }

    /// The random words: two for each word of an element.
    pub fn factors(&self) -> &[u64] {
        &self.0
    }

    /// The upper `bits` bits, at least one, of the function.
    #[inline(always)]
    pub fn of(&self, words: &[u64], bits: u32) -> usize {
        let terms = words.iter().zip(self.0.as_chunks::<2>().0);
        let sum = terms.fold(0_u64, |sum, (&word, [low, high])| {
            sum.wrapping_add((word & 0xffff_ffff).wrapping_mul(*low))
                .wrapping_add((word >> 32).wrapping_mul(*high))
        });
        (sum >> (64 - bits)) as usize
    }
}
