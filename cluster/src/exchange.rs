//! Exchanges of what ranks keep: matrices and digests, in host memory or on devices.
//!
//! Runs of words go to other ranks, and what comes is one after another by ranks. Where all ranks have their runs on NVIDIA GPUs and [NCCL](crate::nccl) between them, words go from GPU to GPU; otherwise
//! through host memory and the transport.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;

use zkaccel::Engine;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Hasher};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::resident::cuda::{CudaView, CudaWords, Lendable};
use zkaccel::resident::{DeviceDigests, DeviceMatrix};

use crate::cluster::{Cluster, lock};
use crate::error::Error;
use crate::nccl::{Nccl, Run};
use crate::transport::Transport;

/// Words that stay.
pub(crate) trait ResidentWords {
    /// The words in host memory: where they are, or a copy.
    fn on_host(&self) -> Result<Cow<'_, [u64]>, zkaccel::Error>;

    /// The address of the first on a GPU, and what keeps it there.
    fn on_gpu(&self) -> Option<Lent>;

    /// A copy that an engine keeps in host memory.
    fn in_host_memory(&self, engine: &Engine) -> Result<Self, zkaccel::Error>
    where
        Self: Sized;
}

/// An address on a GPU, and what keeps the words there.
type Lent = (u64, Box<dyn Any>);

fn lent<T: Lendable + 'static>(view: CudaView<T>) -> Lent {
    (view.address(), Box::new(view))
}

impl ResidentWords for DeviceMatrix<Goldilocks> {
    fn on_host(&self) -> Result<Cow<'_, [u64]>, zkaccel::Error> {
        match self.as_host() {
            Some(matrix) => Ok(Cow::Borrowed(bytemuck::cast_slice(matrix.as_slice()))),
            None => Ok(Cow::Owned(bytemuck::cast_vec(self.download()?.into_vec()))),
        }
    }

    fn on_gpu(&self) -> Option<Lent> {
        self.cuda().map(lent)
    }

    fn in_host_memory(&self, engine: &Engine) -> Result<Self, zkaccel::Error> {
        engine.keep_in_host_memory(self.download()?)
    }
}

impl<H: Hasher> ResidentWords for DeviceDigests<H> {
    fn on_host(&self) -> Result<Cow<'_, [u64]>, zkaccel::Error> {
        match self.as_host() {
            Some(digests) => Ok(Cow::Borrowed(bytemuck::cast_slice(digests))),
            None => {
                let mut words = vec![0; size_of::<H::Digest>() / 8 * self.len()];
                self.read_into(0, bytemuck::cast_slice_mut(&mut words))?;
                Ok(Cow::Owned(words))
            }
        }
    }

    fn on_gpu(&self) -> Option<Lent> {
        self.cuda().map(lent)
    }

    fn in_host_memory(&self, engine: &Engine) -> Result<Self, zkaccel::Error> {
        engine.keep_digests_in_host_memory(self.read(0..self.len())?)
    }
}

/// Words that have come.
pub(crate) enum Come {
    Host(Vec<u64>),
    /// In memory of the communicator, of which they are copied at once.
    Gpu(CudaWords),
}

/// How a rank's runs are before an exchange, as it tells the others.
const ON_HOST: u64 = 0;
const ON_GPU: u64 = 1;
const FAILED: u64 = 2;

/// What a rank sends: of the i-th thing that it keeps a range of words.
pub(crate) type Sent = Vec<(usize, Range<usize>)>;

impl<T: Transport> Cluster<T> {
    /// Sends to each rank what is meant for it, receives runs of so many words from each, and makes something of them. Collective; an error in that is one on all ranks.
    pub(crate) fn exchange_kept<R>(
        &self,
        own: &[&dyn ResidentWords],
        send: &[Sent],
        receive: &[Vec<usize>],
        make: impl FnOnce(&Engine, Come) -> Result<R, zkaccel::Error>,
    ) -> Result<R, Error> {
        // What has come to a GPU is in the communicator's memory until the next exchange.
        let mut nccl = lock(&self.nccl);
        let on_gpu = match &mut *nccl {
            Some(nccl) => self.between_gpus(nccl, own, send, receive)?,
            None => None,
        };
        let come = match on_gpu {
            Some(words) => Come::Gpu(words),
            None => Come::Host(self.through_hosts(own, send, receive)?),
        };
        let made = make(self.engine(), come);
        self.agree("what was exchanged", &[], made.map_err(Error::from))
    }

    /// The exchange from GPU to GPU; `None` if the runs of some rank are not on its GPU.
    fn between_gpus(
        &self,
        nccl: &mut Nccl,
        own: &[&dyn ResidentWords],
        send: &[Sent],
        receive: &[Vec<usize>],
    ) -> Result<Option<CudaWords>, Error> {
        let views: Option<Vec<_>> = own.iter().map(|kept| kept.on_gpu()).collect();
        let prepared = nccl.prepare(receive.iter().flatten().sum());
        let state = match (&views, &prepared) {
            (_, Err(_)) => FAILED,
            (Some(_), Ok(())) => ON_GPU,
            (None, Ok(())) => ON_HOST,
        };
        let states = self.transport().all_gather_of(vec![state])?;
        if states.iter().any(|state| *state == [FAILED]) {
            self.agree("memory for an exchange", &[], prepared)?;
        }
        let Some(views) = views.filter(|_| states.iter().all(|state| *state == [ON_GPU])) else {
            return Ok(None);
        };
        let run = |rank, &(kept, ref words): &(usize, Range<usize>)| {
            let address = views[kept].0 + 8 * words.start as u64;
            Run { rank, address, words: words.len() }
        };
        let runs = send.iter().enumerate();
        let runs = runs.flat_map(|(rank, sent)| sent.iter().map(move |sent| run(rank, sent)));
        // SAFETY: the runs are ranges of what is kept, which stays as it is until the views are dropped, and is ready.
        unsafe { nccl.exchange(&runs.collect::<Vec<_>>(), receive) }.map(Some)
    }

    /// The exchange of words of the hosts' memory.
    fn through_hosts(
        &self,
        own: &[&dyn ResidentWords],
        send: &[Sent],
        receive: &[Vec<usize>],
    ) -> Result<Vec<u64>, Error> {
        let hosts = own.iter().map(|kept| kept.on_host()).collect::<Result<Vec<_>, _>>();
        let hosts = self.agree("what is exchanged", &[], hosts.map_err(Error::from))?;
        let rank = self.transport().rank();
        let append = |sent: &Sent, words: &mut Vec<u64>| {
            words.reserve_exact(sent.iter().map(|(_, range)| range.len()).sum());
            sent.iter().for_each(|(kept, range)| words.extend_from_slice(&hosts[*kept][range.clone()]));
        };
        // Its own words a rank copies once, to their place.
        let mut messages = vec![Vec::new(); send.len()];
        let mut counts: Vec<usize> = receive.iter().map(|runs| runs.iter().sum()).collect();
        let mut words = Vec::with_capacity(counts.iter().sum());
        counts[rank] = 0;
        for (to, message) in messages.iter_mut().enumerate().filter(|(to, _)| *to != rank) {
            append(&send[to], message);
        }
        let come = self.transport().exchange(messages, &counts)?;
        for (from, message) in come.into_iter().enumerate() {
            match from == rank {
                true => append(&send[rank], &mut words),
                false => words.extend_from_slice(&message),
            }
        }
        Ok(words)
    }
}

/// A row-major matrix of words that have come.
pub(crate) fn matrix(
    rows: usize,
    columns: usize,
) -> impl FnOnce(&Engine, Come) -> Result<DeviceMatrix<Goldilocks>, zkaccel::Error> {
    move |engine, come| match come {
        Come::Host(words) => {
            engine.upload_if_it_fits(Matrix::from_rows(bytemuck::cast_vec(words), rows, columns)?)
        }
        Come::Gpu(words) => {
            let shape = Shape { rows, columns, layout: Layout::RowMajor };
            // SAFETY: so many words have come, are ready, and stay until the next exchange.
            unsafe { engine.upload_from_cuda(words, shape) }
        }
    }
}

/// Digests that have come.
pub(crate) fn digests<H: Accelerated>(
    count: usize,
) -> impl FnOnce(&Engine, Come) -> Result<DeviceDigests<H>, zkaccel::Error> {
    move |engine, come| match come {
        Come::Host(words) => engine.upload_digests_if_they_fit(bytemuck::cast_slice::<_, H::Digest>(&words)),
        // SAFETY: as above.
        Come::Gpu(words) => unsafe { engine.upload_digests_from_cuda(words, count) },
    }
}

/// Does something with what is kept on a device, or with a copy in host memory if the device has no room for that.
pub(crate) fn with_room<K: ResidentWords, R>(
    engine: &Engine,
    kept: &K,
    run: impl Fn(&K) -> Result<R, zkaccel::Error>,
) -> Result<R, zkaccel::Error> {
    match run(kept) {
        Err(error) if error.is_of_device_memory() => run(&kept.in_host_memory(engine)?),
        done => done,
    }
}
