//! The kernels' sources, for the tools that compile them and for tests. Not a part of the interface.

pub use crate::backend::gpu::DeviceHash;
pub use crate::backend::gpu::program::{PTX_OPTIONS, Program, programs};
