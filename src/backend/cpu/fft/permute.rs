//! The bit-reversal permutation in place.
//!
//! An index is (high, middle, low) with `TILE` bits on either side. For each middle, the 2^(2 `TILE`) elements with any high
//! and low go to indices with the middle reversed: a tile is read along rows and written along rows, and only the tiles in
//! between are walked across (Carter and Gatlin, FOCS 1998).

use crate::field::MontgomeryField;
use crate::field::montgomery::{Modulus, Residue};
use crate::ntt::reverse_bits as reversed;
use crate::parallel::for_each_number;

/// Bits of a tile's side.
const TILE: u32 = 4;
const SIDE: usize = 1 << TILE;
/// Middles that a thread takes at a time.
const TOGETHER: usize = 16;

/// Elements that several threads read and write, each at indices of its own.
struct Shared<F: Modulus>(*mut Residue<F>);

// SAFETY: plain data; who reads or writes promises that nobody else writes the same elements meanwhile.
unsafe impl<F: Modulus> Send for Shared<F> {}
// SAFETY: as above.
unsafe impl<F: Modulus> Sync for Shared<F> {}

/// A tile: the elements with one middle, by high and low.
type Tile<F> = [[Residue<F>; SIDE]; SIDE];

impl<F: MontgomeryField> Shared<F> {
    /// The elements from an index on.
    fn row(&self, index: usize) -> *mut [Residue<F>; SIDE] {
        self.0.wrapping_add(index).cast()
    }
}

/// Moves the element at every index to the index with the bits reversed.
pub(super) fn reverse_bits<F: MontgomeryField>(values: &mut [Residue<F>]) {
    let log_size = values.len().trailing_zeros();
    if log_size < 2 * TILE {
        for i in 0..values.len() {
            let j = reversed(i, log_size);
            if i < j {
                values.swap(i, j);
            }
        }
        return;
    }
    let middle_bits = log_size - 2 * TILE;
    let memory = Shared(values.as_mut_ptr());
    let exchange = |middle: usize| {
        let other = reversed(middle, middle_bits);
        if middle > other {
            return;
        }
        let index = |high: usize, middle: usize| high << (log_size - TILE) | middle << TILE;
        let mut tiles: [Tile<F>; 2] = [[[Residue::ZERO; SIDE]; SIDE]; 2];
        for (tile, middle) in tiles.iter_mut().zip([middle, other]) {
            for (high, row) in tile.iter_mut().enumerate() {
                // SAFETY: within the 2^log_size values; only the iteration with this pair of middles touches these elements.
                unsafe { *row = memory.row(index(high, middle)).read() };
            }
        }
        for (tile, middle) in tiles.iter().zip([other, middle]) {
            for high in 0..SIDE {
                let row = std::array::from_fn(|low| tile[reversed(low, TILE)][reversed(high, TILE)]);
                // SAFETY: as above; all of both tiles has been read.
                unsafe { memory.row(index(high, middle)).write(row) };
            }
        }
    };
    let middles = 1_usize << middle_bits;
    for_each_number(middles.div_ceil(TOGETHER), &|group| {
        (group * TOGETHER..middles.min((group + 1) * TOGETHER)).for_each(exchange);
    });
}
