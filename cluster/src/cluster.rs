//! The ranks' engines and the way between them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zkaccel::Engine;
use zkaccel::device::DeviceChoice;

use crate::error::Error;
use crate::mpi::{Mpi, Survivors};
use crate::nccl::Nccl;
use crate::transport::Transport;

/// This rank's engine, and the way to the others. All its functions are collective.
#[derive(Debug)]
pub struct Cluster<T> {
    transport: T,
    engine: Engine,
    /// The way between the memories of GPUs, where there is one.
    pub(crate) nccl: Mutex<Option<Nccl>>,
}

/// Nothing that is done under these locks leaves half of a change behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Transport> Cluster<T> {
    /// A cluster whose ranks have made their engines; each of them may have other devices.
    pub fn new(transport: T, engine: Engine) -> Self {
        Self { transport, engine, nccl: Mutex::default() }
    }

    /// The same, if every rank has made its engine; errors as [`agree`](Self::agree).
    pub fn started(transport: T, engine: Result<Engine, Error>) -> Result<Self, Error> {
        let engine = agree(&transport, "an engine", &[], engine)?;
        Ok(Self::new(transport, engine))
    }

    /// Has ranks exchange what their GPUs keep by NVIDIA's library of collective communication, from GPU to GPU, from now on; otherwise it goes through host memory and the transport. Each rank has an
    /// engine on one GPU of its own. The library is opened here: `libnccl.so.2`, or what the environment variable `ZKACCEL_NCCL` names, from version 2.14 on. An exchange that takes longer than the
    /// deadline ends. Returns the library's version.
    ///
    /// [`Error::NoNccl`], [`Error::NoGpu`], [`Error::OneGpu`] if two ranks have the same, [`Error::Nccl`], and [`Error::Peer`] for those of others.
    pub fn use_nccl(&self, deadline: Duration) -> Result<String, Error> {
        let nccl = Nccl::begin(&self.transport, self.ordinal(), deadline)?;
        let version = nccl.version().to_string();
        *lock(&self.nccl) = Some(nccl);
        Ok(version)
    }

    /// The number of the GPU that the engine has.
    fn ordinal(&self) -> Result<u32, Error> {
        match self.engine.choice() {
            DeviceChoice::Cuda(ordinal) => Ok(ordinal),
            other => Err(Error::NoGpu { device: other.to_string() }),
        }
    }

    /// The way between ranks.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// This rank's engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// This rank's result, if every rank has one, and all of them have the same parameters.
    ///
    /// The rank's own error, or [`Error::Peer`] for that of the first other rank that has one, or [`Error::Disagree`].
    pub fn agree<R>(&self, what: &str, parameters: &[u64], result: Result<R, Error>) -> Result<R, Error> {
        agree(&self.transport, what, parameters, result)
    }
}

impl Cluster<Mpi> {
    /// Does a collective operation, and again by the ranks that are left where some have died. They have new numbers then, from 0 on in the same order: each time the operation
    /// finds its part of the inputs anew, and what it did before counts for nothing. Collective; errors are those of the operation.
    ///
    /// Ranks go on if the library and the launcher let them: Open MPI from 5.0 on, with `mpirun --with-ft ulfm`. Otherwise the operation is done once.
    pub fn surviving<R>(&mut self, operation: impl Fn(&Self) -> Result<R, Error>) -> Result<R, Error> {
        loop {
            let result = operation(self);
            match self.shrink() {
                Ok(true) => {}
                Ok(false) => return result,
                Err(error) => return result.and(Err(error)),
            }
        }
    }

    /// Shrinks the cluster to the ranks that are left where some have died, and tells whether the collective operations since the last time are to be done again because of that: what
    /// [`surviving`](Self::surviving) asks after its operation, for callers that cannot give theirs as a closure. Collective over the ranks that are left, which have new numbers then; no
    /// other call is under way.
    ///
    /// The failure of an exchange, if there was one and the ranks cannot go on.
    pub fn shrink(&self) -> Result<bool, Error> {
        match self.transport.shrink()? {
            Survivors::Done => Ok(false),
            Survivors::Shrunk { .. } => {
                // The communicator has ranks that died.
                let before = lock(&self.nccl).take();
                if let Some(deadline) = before.map(|nccl| nccl.deadline()) {
                    self.use_nccl(deadline)?;
                }
                Ok(true)
            }
            Survivors::Failed => Err(Error::Broken),
        }
    }
}

pub(crate) fn agree<R>(
    transport: &impl Transport,
    what: &str,
    parameters: &[u64],
    result: Result<R, Error>,
) -> Result<R, Error> {
    // One short message to each rank if all is well, which is what an operation waits for most often.
    let bytes = what.bytes().chain(parameters.iter().flat_map(|word| word.to_le_bytes()));
    let own = [result.is_err().into(), hash(bytes)];
    let all = transport.all_gather_of(own.to_vec())?;
    if all.iter().any(|words| words[0] != 0) {
        let text = result.as_ref().err().map_or(String::new(), Error::to_string);
        let texts = transport.all_gather(text.bytes().map(u64::from).collect())?;
        result?;
        let rank = all.iter().position(|words| words[0] != 0).expect("a rank with an error");
        let bytes: Vec<u8> = texts[rank].iter().map(|&byte| byte as u8).collect();
        return Err(Error::Peer { rank, message: String::from_utf8_lossy(&bytes).into() });
    }
    match all.iter().position(|other| *other != own) {
        Some(rank) => Err(Error::Disagree { what: what.into(), rank, this: transport.rank() }),
        None => result,
    }
}

/// A hash of bytes, by which ranks compare what they have (Fowler, Noll and Vo's, of 64 bits).
pub(crate) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
