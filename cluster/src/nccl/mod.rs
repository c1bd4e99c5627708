//! Exchanges of words in the memory of NVIDIA GPUs, one for each rank, by NVIDIA's library of collective communication (NCCL).
//!
//! The library finds the way: NVLink, PCI Express or the network. A communicator is made by a [`Transport`], by which ranks agree on its name. Calls return before they are done, and are asked
//! until the deadline; after that, and after any failure, the communicator is aborted, which ends what other ranks' GPUs wait for as well.

mod gpu;
mod library;

use std::time::{Duration, Instant};

use zkaccel::resident::cuda::CudaWords;

use crate::cluster::agree;
use crate::error::Error;
use crate::transport::Transport;
use gpu::Gpu;
use library::{Handle, ID, Id, Library, NON_BLOCKING, WORD};

/// A communicator of all ranks, each with the GPU of its engine.
pub(crate) struct Nccl {
    library: Library,
    version: String,
    /// Null once it was aborted.
    communicator: Handle,
    gpu: Gpu,
    ordinal: u32,
    deadline: Duration,
}

// SAFETY: the library takes calls from any thread whose current GPU is the communicator's, one at a time, and every call makes it so.
unsafe impl Send for Nccl {}

/// Words of this rank's GPU that go to a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) rank: usize,
    pub(crate) address: u64,
    pub(crate) words: usize,
}

impl Nccl {
    /// A communicator of all ranks, of which this one has the GPU `cuda:N`. Collective.
    ///
    /// [`Error::NoNccl`], [`Error::OneGpu`] if two ranks have the same, [`Error::Nccl`], [`Error::Deadline`].
    pub(crate) fn begin(
        transport: &impl Transport,
        ordinal: Result<u32, Error>,
        deadline: Duration,
    ) -> Result<Self, Error> {
        let own = || {
            let ordinal = ordinal?;
            let library = Library::open()?;
            let (version, gpu) = (library.version()?, Gpu::new(ordinal)?);
            let identity = gpu.identity()?;
            let communicator = std::ptr::null_mut();
            Ok((Self { library, version, communicator, gpu, ordinal, deadline }, identity))
        };
        let (mut nccl, identity) = agree(transport, "NCCL", &[], own())?;
        let all = transport.all_gather(identity.to_vec())?;
        for (rank, gpu) in all.iter().enumerate() {
            if let Some(first) = all[..rank].iter().position(|other| other == gpu) {
                return Err(Error::OneGpu { ranks: [first, rank] });
            }
        }
        let (rank, size) = (transport.rank(), transport.size());
        let mut id = Id([0; ID]);
        let named = match rank {
            // SAFETY: the name is written.
            0 => nccl.library.check("ncclGetUniqueId", unsafe { (nccl.library.unique_id)(&mut id) }),
            _ => Ok(()),
        };
        agree(transport, "a communicator of NCCL", &[], named)?;
        let words = transport.broadcast(0, id.0.to_vec(), ID)?;
        id.0.copy_from_slice(&words);
        let begun = nccl.init(id, rank, size);
        agree(transport, "a communicator of NCCL", &[], begun)?;
        Ok(nccl)
    }

    fn init(&mut self, id: Id, rank: usize, size: usize) -> Result<(), Error> {
        self.gpu.current()?;
        let start = Instant::now();
        // SAFETY: the communicator is written; the configuration is one of the library's first with such.
        let code = unsafe {
            (self.library.init)(&mut self.communicator, size as i32, id, rank as i32, &NON_BLOCKING)
        };
        let begun = self.library.check("ncclCommInitRankConfig", code);
        begun.and_then(|()| self.finish("ncclCommInitRankConfig", start)).inspect_err(|_| self.abort())
    }

    /// The version of the library.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// How long an exchange may take.
    pub(crate) fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Makes room for so many words that are to come.
    pub(crate) fn prepare(&mut self, words: usize) -> Result<(), Error> {
        self.gpu.memory(words).map(drop)
    }

    /// Sends runs of words to ranks, and receives runs of so many words from each, in the order in which it sends them to this rank: one rank's after another's, each in turn. They
    /// are there until the next exchange.
    ///
    /// [`Error::Nccl`], [`Error::Deadline`], [`Error::Broken`] after either, and [`Error::Engine`] for the driver's.
    ///
    /// # Safety
    /// All runs to be sent are in the memory of this rank's GPU, are ready, and nobody writes to them meanwhile.
    pub(crate) unsafe fn exchange(
        &mut self,
        send: &[Run],
        receive: &[Vec<usize>],
    ) -> Result<CudaWords, Error> {
        if self.communicator.is_null() {
            return Err(Error::Broken);
        }
        // SAFETY: the caller's promise.
        let done = unsafe { self.try_exchange(send, receive) };
        done.inspect_err(|_| self.abort())
    }

    /// # Safety
    /// As [`exchange`](Self::exchange), and there is a communicator.
    unsafe fn try_exchange(&mut self, send: &[Run], receive: &[Vec<usize>]) -> Result<CudaWords, Error> {
        let start = Instant::now();
        let address = self.gpu.memory(receive.iter().flatten().sum())?;
        self.gpu.current()?;
        let Self { library, communicator, gpu, .. } = &*self;
        let (communicator, stream, mut at) = (*communicator, gpu.stream(), address);
        // SAFETY: the runs are the caller's promise, the memory has room for all that comes, and the rest is of this communicator's GPU.
        unsafe {
            library.check("ncclGroupStart", (library.group_start)())?;
            for &Run { rank, address, words } in send {
                let from = std::ptr::without_provenance(address as usize);
                let code = (library.send)(from, words, WORD, rank as i32, communicator, stream);
                library.check("ncclSend", code)?;
            }
            for (rank, runs) in receive.iter().enumerate() {
                for &words in runs {
                    let to = std::ptr::without_provenance_mut(at as usize);
                    let code = (library.receive)(to, words, WORD, rank as i32, communicator, stream);
                    library.check("ncclRecv", code)?;
                    at += 8 * words as u64;
                }
            }
            library.check("ncclGroupEnd", (library.group_end)())?;
        }
        self.finish("an exchange by NCCL", start)?;
        self.gpu.mark()?;
        self.until("an exchange by NCCL", start, |nccl| {
            nccl.is_done("an exchange by NCCL")?;
            nccl.gpu.has_come()
        })?;
        Ok(CudaWords { address, ordinal: self.ordinal, stream: None })
    }

    /// Whether the library has done what it was asked for; an error if other ranks have aborted it.
    fn is_done(&self, what: &'static str) -> Result<bool, Error> {
        let mut state = 0;
        // SAFETY: there is a communicator, and its state is written.
        let asked = unsafe { (self.library.state)(self.communicator, &mut state) };
        self.library.check("ncclCommGetAsyncError", asked)?;
        self.library.is_done(what, state)
    }

    /// Waits until it has.
    fn finish(&self, what: &'static str, start: Instant) -> Result<(), Error> {
        self.until(what, start, |nccl| nccl.is_done(what))
    }

    fn until(
        &self,
        what: &str,
        start: Instant,
        is_done: impl Fn(&Self) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        while !is_done(self)? {
            let waited = start.elapsed();
            if waited > self.deadline {
                return Err(Error::Deadline { what: what.into(), waited, missing: Vec::new() });
            }
            // Exchanges of devices take less time than it takes to be woken.
            match waited.as_millis() {
                0..100 => std::hint::spin_loop(),
                _ => std::thread::sleep(Duration::from_micros(200)),
            }
        }
        Ok(())
    }

    /// Ends what is under way, also that for which the GPU waits.
    fn abort(&mut self) {
        if !self.communicator.is_null() && self.gpu.current().is_ok() {
            // SAFETY: there is a communicator, and it is not used afterwards.
            unsafe { (self.library.abort)(self.communicator) };
        }
        self.communicator = std::ptr::null_mut();
    }
}

impl Drop for Nccl {
    /// All exchanges have ended. Nothing waits for other ranks, which may have gone.
    fn drop(&mut self) {
        self.abort();
    }
}

impl std::fmt::Debug for Nccl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nccl")
            .field("version", &self.version)
            .field("ordinal", &self.ordinal)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use zkaccel::Engine;
    use zkaccel::field::Goldilocks;
    use zkaccel::matrix::{Layout, Matrix, Shape};

    use super::*;
    use crate::threads::Threads;

    /// On a GPU each, two ranks of this process exchange runs of words; then one does not come, and the other ends at the deadline and refuses what follows.
    #[test]
    #[ignore = "needs two NVIDIA GPUs and NCCL"]
    fn a_rank_that_does_not_come() {
        let deadline = Duration::from_secs(20);
        std::thread::scope(|scope| {
            for (rank, transport) in Threads::ranks(2, deadline).into_iter().enumerate() {
                scope.spawn(move || {
                    let device = format!("cuda:{rank}").parse().unwrap();
                    let engine = Engine::builder().device(device).build().unwrap();
                    let mut nccl = Nccl::begin(&transport, Ok(rank as u32), deadline).unwrap();
                    let other = 1 - rank;
                    for size in [1_usize, 1000, 1 << 22] {
                        let own: Vec<_> =
                            (0..2 * size as u64).map(|i| Goldilocks::new(i << 1 | rank as u64)).collect();
                        let kept = engine.upload(Matrix::from_column(own.clone()).unwrap()).unwrap();
                        let address = kept.cuda().unwrap().address();
                        let run = |to, from: usize| Run {
                            rank: to,
                            address: address + 8 * from as u64,
                            words: size,
                        };
                        // Both halves to the other, the second first, and the first to itself.
                        let send = [run(other, size), run(rank, 0), run(other, 0)];
                        let mut receive = vec![vec![size; 2]; 2];
                        receive[rank] = vec![size];
                        // SAFETY: the runs are within the matrix.
                        let come = unsafe { nccl.exchange(&send, &receive) }.unwrap();
                        let shape = Shape { rows: 3 * size, columns: 1, layout: Layout::RowMajor };
                        // SAFETY: three runs have come.
                        let come = unsafe { engine.upload_from_cuda::<Goldilocks>(come, shape) }.unwrap();
                        let found = come.download().unwrap().into_vec();
                        let theirs =
                            own.iter().map(|word| Goldilocks::new(word.as_u64() ^ 1)).collect::<Vec<_>>();
                        let theirs = [&theirs[size..], &theirs[..size]].concat();
                        let expected = if rank == 0 {
                            [&own[..size], &theirs].concat()
                        } else {
                            [&theirs, &own[..size]].concat()
                        };
                        assert!(found == expected, "{size} words on rank {rank}");
                    }
                    transport.barrier().unwrap();
                    if rank == 0 {
                        nccl.deadline = Duration::from_secs(2);
                        let start = Instant::now();
                        // SAFETY: nothing is sent.
                        let missed = unsafe { nccl.exchange(&[], &[vec![], vec![1 << 20]]) };
                        assert!(matches!(missed, Err(Error::Deadline { .. })), "{missed:?}");
                        assert!(start.elapsed() < Duration::from_secs(10));
                        // SAFETY: as above.
                        assert_eq!(unsafe { nccl.exchange(&[], &[vec![], vec![]]) }, Err(Error::Broken));
                    }
                    transport.barrier().unwrap();
                });
            }
        });
    }
}
