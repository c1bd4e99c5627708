//! Hardware acceleration for zero-knowledge provers.
pub mod backend;
pub mod commit;
pub mod device;
mod engine;
mod error;
pub mod field;
pub mod hash;
mod job;
pub mod matrix;
mod memory;
pub mod merkle;
pub mod ntt;
pub mod progress;
mod spawn;
pub use engine::{Engine, EngineBuilder};
pub use error::Error;
pub use job::Job;
pub use spawn::Scope;
