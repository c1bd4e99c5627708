//! The constants of RpJive64_256, as canonical words.
//!
//! The round constants are what the procedure of the Rescue-Prime specification (Szepieniec, Ashur, Dhooghe, eprint 2020/1143,
//! section 2) yields; a test derives them again.

use super::rescue_constants::derived;

pub use super::rescue_constants::ROUNDS;

/// Words of the state.
pub const WIDTH: usize = 8;

/// The first row of the MDS matrix; each row is the one above it, rotated right by one.
pub const MDS_CIRCULANT_ROW: [u64; WIDTH] = [23, 8, 13, 10, 7, 6, 21, 8];

/// Added after the first linear layer of each round.
pub const ARK1: [[u64; WIDTH]; ROUNDS] = ROUND_CONSTANTS[0];

/// Added after the second linear layer of each round.
pub const ARK2: [[u64; WIDTH]; ROUNDS] = ROUND_CONSTANTS[1];

const ROUND_CONSTANTS: [[[u64; WIDTH]; ROUNDS]; 2] = derived("Rescue-XLIX(18446744069414584321,8,4,128)");
