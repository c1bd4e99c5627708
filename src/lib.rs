//! Hardware acceleration for zero-knowledge provers.
pub mod backend;
pub mod error;
pub mod field;
pub mod hash;
pub mod ntt;
pub use error::Error;
