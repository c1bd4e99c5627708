//! Scalars of BN254 that stay on the device.

use crate::backend::Memory;

/// Scalars in device memory as they are in the host's: 32 bytes each, in Montgomery form, below r. This is what
/// [`Msm::keep_scalars`](crate::backend::Msm::keep_scalars) makes, so what [`ScalarsView::kept`](crate::backend::ScalarsView) holds.
pub(super) struct DeviceScalars {
    /// Their memory, never written again; [`Work::borrow`](super::work::Work::borrow) makes a region of it.
    pub(super) memory: Memory,
    /// Their number.
    pub(super) len: usize,
}
