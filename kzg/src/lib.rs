//! Cells of Ethereum's blobs, and a KZG proof for each, as EIP-7594 (PeerDAS) defines them.
//!
//! A trusted setup is read, an [`Engine`](zkaccel::Engine) keeps what follows from it, and then it serves any number of blobs, of which several at once share work:
//!
//! ```no_run
//! use zkaccel::Engine;
//! use zkaccel_kzg::{CellProver, Setup};
//!
//! let engine = Engine::new()?;
//! let setup = Setup::parse(&std::fs::read_to_string("trusted_setup.json")?)?;
//! let prover = CellProver::new(&engine, &setup)?;
//! let blob = std::fs::read("blob.bin")?;
//! for made in prover.cells_and_proofs(&[&blob])? {
//!     println!("{} cells and {} proofs", made.cells.len(), made.proofs.len());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Mathematical description
//!
//! A blob is 4096 field elements, the values of a polynomial p of degree below 4096 on the subgroup of that order, in bit-reversed order. Its extension is the values on the subgroup of order 8192, in bit-reversed order
//! as well, and a cell is 64 neighbours of these: the values on a coset h {1, v, v^2, ..., v^63}, v being of order 64. With z = h^64, an element of order 128, the polynomial I of degree below 64 with the same values
//! on the coset is the rest of p modulo X^64 - z, and the proof of a cell is the commitment to the quotient, (p(τ) - I(τ)) / (τ^64 - z) times the generator.
//!
//! For all cells at once (after Feist and Khovratovich, ePrint 2023/033): the quotient has the coefficients of p shifted by multiples of 64 and times powers of z, so that all proofs are the values of one
//! polynomial with points as coefficients at the 128 elements z, a transform of points. Those points are products of Toeplitz matrices with the setup, which a cyclic convolution makes: between a transform of points of
//! the setup, made once, and an inverse one, there are 128 sums of 64 products each.
//!
//! Roots of unity come from the generator 7 of the field, as the specification has it. Field elements are 32 bytes, big-endian and below the modulus, and points 48 bytes, compressed ([`serialised`]).

mod error;
mod fk20;
mod polynomials;
pub mod serialised;
mod setup;

pub use error::Error;
pub use fk20::{CellProver, CellsAndProofs};
pub use setup::Setup;

/// The field elements of a blob.
pub const FIELD_ELEMENTS_PER_BLOB: usize = 4096;
/// The bytes of a blob.
pub const BYTES_PER_BLOB: usize = FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT;
/// The bytes of a field element.
pub const BYTES_PER_FIELD_ELEMENT: usize = 32;
/// The field elements of a cell.
pub const FIELD_ELEMENTS_PER_CELL: usize = 64;
/// The bytes of a cell.
pub const BYTES_PER_CELL: usize = FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT;
/// The cells of an extended blob.
pub const CELLS_PER_EXT_BLOB: usize = 2 * FIELD_ELEMENTS_PER_BLOB / FIELD_ELEMENTS_PER_CELL;
/// The bytes of a proof, and of a commitment.
pub const BYTES_PER_PROOF: usize = 48;
