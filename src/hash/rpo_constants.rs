//! The round constants of RPO256 and RPX256, as canonical words.
//!
//! They are what the procedure of the Rescue-Prime specification (eprint 2020/1143, section 2) yields with the prefix of RPO (Ashur,
//! Kindi, Meier, Szepieniec, Threadbare, eprint 2022/1577); a test derives them again. The MDS matrix is that of [`Rp64_256`](super::Rp64_256).

use super::rescue_constants::{ROUNDS, WIDTH, derived};

/// Added after the first linear layer of each round, and in RPX before the power map of the cubic extension.
pub const ARK1: [[u64; WIDTH]; ROUNDS] = ROUND_CONSTANTS[0];

/// Added after the second linear layer of each round.
pub const ARK2: [[u64; WIDTH]; ROUNDS] = ROUND_CONSTANTS[1];

const ROUND_CONSTANTS: [[[u64; WIDTH]; ROUNDS]; 2] = derived("RPO(18446744069414584321,12,4,128)");
