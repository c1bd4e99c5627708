//! A queue of proofs, for services: bounded, with proofs that are given up when nobody waits for them any more.
//!
//! A proof that was accepted runs as a job of the engine. It counts towards the limit until it is done or given up, so the limit bounds the memory that
//! proofs take, whether they wait or are under way.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use zkaccel::Job;

use crate::Error;
use crate::pairing::{Bn254, Pairing};
use crate::prover::{Blinding, Proof, Prover};

/// A proof that was submitted. Await it on any executor, [`wait`](Self::wait) for it, or drop it: then it is given up, at once if it has not begun and
/// otherwise before its next step.
#[must_use = "a dropped proof is given up"]
pub struct Pending<P: Pairing = Bn254> {
    job: Job<Result<Proof<P>, Error>>,
    /// Dropped with the proof, or once it is done.
    _claim: Claim,
}

/// Whether somebody still waits for a proof.
#[derive(Clone, Default)]
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// A proof that is wanted to its end.
    pub(crate) fn to_the_end() -> Self {
        Self::default()
    }

    /// [`Error::Cancelled`] once nobody waits.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Dropping it gives the proof up.
struct Claim(Wanted);

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// The number of proofs that are accepted and not yet done, and its limit.
pub(crate) struct Queue {
    limit: usize,
    accepted: Mutex<usize>,
    freed: Condvar,
}

/// Of one accepted proof; dropping it makes room.
struct Admission(Arc<Queue>);

impl Queue {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit: limit.max(1), accepted: Mutex::new(0), freed: Condvar::new() })
    }

    // No code that can panic runs under the lock.
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room.
    fn enter(self: &Arc<Self>) -> Admission {
        let mut accepted = self.lock();
        while *accepted >= self.limit {
            accepted = self.freed.wait(accepted).unwrap_or_else(PoisonError::into_inner);
        }
        *accepted += 1;
        Admission(Arc::clone(self))
    }

    /// `None` if there is no room.
    fn try_enter(self: &Arc<Self>) -> Option<Admission> {
        let mut accepted = self.lock();
        (*accepted < self.limit).then(|| {
            *accepted += 1;
            Admission(Arc::clone(self))
        })
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.freed.notify_one();
    }
}

impl<P: Pairing> Prover<P> {
    /// Submits a witness to the queue of this prover and its clones; blocks while the queue is full ([`ProverOptions::queue`](crate::ProverOptions::queue)).
    /// Errors as [`prove`](Self::prove), from the pending proof.
    pub fn submit(&self, witness: Vec<P::Fr>) -> Pending<P> {
        self.start(self.queue().enter(), witness)
    }

    /// Submits a witness unless the queue is full; then it is given back.
    pub fn try_submit(&self, witness: Vec<P::Fr>) -> Result<Pending<P>, Vec<P::Fr>> {
        match self.queue().try_enter() {
            Some(admission) => Ok(self.start(admission, witness)),
            None => Err(witness),
        }
    }

    /// The number of proofs that are submitted and not yet done.
    pub fn pending(&self) -> usize {
        *self.queue().lock()
    }

    fn start(&self, admission: Admission, witness: Vec<P::Fr>) -> Pending<P> {
        let (prover, wanted) = (self.clone(), Wanted::default());
        let claim = Claim(wanted.clone());
        let job = self.engine().spawn(move |_| {
            let made =
                Blinding::random().and_then(|blinding| prover.prove_wanted(&witness, &blinding, &wanted));
            // Room is made when the memory is free, and before the result is seen.
            drop(witness);
            drop(admission);
            Ok(made)
        });
        Pending { job, _claim: claim }
    }
}

impl<P: Pairing> Pending<P> {
    /// Whether the proof is done, so that [`wait`](Self::wait) would not block.
    pub fn is_done(&self) -> bool {
        self.job.is_done()
    }

    /// Blocks until the proof is done. If no thread has begun it, it is made on this one.
    pub fn wait(self) -> Result<Proof<P>, Error> {
        let Self { job, _claim } = self;
        job.wait()?
    }
}

impl<P: Pairing> Future for Pending<P> {
    type Output = Result<Proof<P>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.job).poll(context).map(|result| result?)
    }
}

impl<P: Pairing> fmt::Debug for Pending<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("is_done", &self.is_done()).finish_non_exhaustive()
    }
}
