//! The kernels' sources, for the tools that compile them, and what a device is made of, for tests of all that runs on one. Not a part of the interface.

pub use crate::backend::gpu::DeviceHash;
pub use crate::backend::gpu::device::{Arg, Buffer, Device, Launch, Limits, Queue};
pub use crate::backend::gpu::program::{PTX_OPTIONS, Program, programs};
#[cfg(feature = "cuda")]
pub use crate::backend::gpu::ptx::text as ptx_text;
