//! Copies from the memory of another GPU of this host.
//!
//! The driver copies between any two contexts of the process: over the link between the GPUs where access to the peer has been enabled, and else
//! through host memory.

use cudarc::driver::sys::{self, CUdeviceptr, CUresult};

use super::Cuda;
use super::handles::{Context, CudaQueue, failure};
use crate::error::Error;

impl Cuda {
    /// Copies bytes from the memory of a peer, of which the buffers are alive, to memory of this device.
    pub(super) fn copy_from_peer(
        &self,
        queue: &mut CudaQueue,
        peer: &Context,
        from: CUdeviceptr,
        to: CUdeviceptr,
        bytes: usize,
    ) -> Result<(), Error> {
        self.reach(peer)?;
        let own = self.context.context;
        self.timed(queue, |stream| {
            // SAFETY: the plan's assertions keep the copy inside both buffers, each of which is of the context named with it.
            let copied = unsafe { sys::cuMemcpyPeerAsync(to, own, from, peer.context, bytes, stream) };
            copied.result().map_err(|error| failure(&self.info.id, "copying from another GPU", error))
        })
    }

    /// Enables access to the memory of a peer where the devices have a link for it. The context of this device is bound.
    fn reach(&self, peer: &Context) -> Result<(), Error> {
        let failed = |error| failure(&self.info.id, "enabling access to another GPU", error);
        let mut can = 0;
        // SAFETY: both devices are the driver's, which writes one integer.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&mut can, self.context.device, peer.device) };
        asked.result().map_err(failed)?;
        if can == 0 {
            return Ok(());
        }
        // SAFETY: the peer's context is retained; flags are reserved.
        match unsafe { sys::cuCtxEnablePeerAccess(peer.context, 0) } {
            // Without access the driver copies through host memory.
            CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED | CUresult::CUDA_ERROR_TOO_MANY_PEERS => Ok(()),
            enabled => enabled.result().map_err(failed),
        }
    }
}
