//! Asynchronous operations: [`Job`], a future with a blocking `wait`.
//!
//! A job's inputs are moved into it and its result is moved out, once. The first thread to take the operation runs it, either a
//! thread of the engine or one that waits for the job; that thread fills a slot and wakes the waiting one. Dropping the job only
//! gives up the claim to the slot, so it never blocks and never frees memory that a running operation uses.
//!
//! A thread that waits for a job runs that job and no other, so its stack holds only what it has requested; and a job that waits
//! for another needs no further thread.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use crate::error::Error;
use crate::lend::Task;
use crate::lock::lock;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, thread_local};

/// An operation in progress, or one whose result has not been collected yet.
///
/// Await it on any executor, [`wait`](Self::wait) for it, or drop it: then the operation still runs to its end and
/// its result is discarded.
///
/// Jobs run on threads of their own, as many as the engine has for computing, and pass the operations that they call to the
/// computing threads. So a job may block, and may wait for others in any way, even with one thread:
///
/// - [`wait`](Self::wait) runs the job on the waiting thread if no other thread has begun it.
/// - Polling a job inside another one, as by an executor's `block_on`, does the same: such a poll may take as long as
///   the operation.
/// - A job may join a thread that calls the engine, or that waits for jobs. Where threads outside of jobs *await* jobs for which
///   the engine has no thread left, because all jobs that it runs are blocked by those threads, one more thread is started for
///   each second without progress: that works, slowly.
#[derive(Debug)]
#[must_use = "a dropped job's result is lost; wait for it or await it"]
pub struct Job<T> {
    slot: Arc<Slot<T>>,
    start: Arc<Start>,
}

/// The operation of a job, until a thread takes it.
pub(crate) struct Start(Mutex<Option<Task>>);

thread_local! {
    /// Whether this thread is running a job.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

impl Start {
    /// Runs the operation here, unless another thread has taken it; returns whether it did.
    pub(crate) fn run(&self) -> bool {
        struct Leave(bool);
        impl Drop for Leave {
            fn drop(&mut self) {
                INSIDE.with(|inside| inside.set(self.0));
            }
        }
        // Taken in a statement of its own, so that the operation does not run under the lock.
        let task = lock(&self.0).take();
        let Some(task) = task else { return false };
        let _leave = Leave(INSIDE.with(|inside| inside.replace(true)));
        task();
        true
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Start").finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Slot<T> {
    state: Mutex<Progress<T>>,
    filled: Condvar,
}

#[derive(Debug)]
enum Progress<T> {
    Running(Option<Waker>),
    Done(Result<T, Error>),
    Consumed,
}

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, Progress<T>> {
        // No code that can panic runs under the lock, so a poisoned lock still guards a sound state.
        lock(&self.state)
    }

    /// The operation has ended.
    fn fill(&self, result: Result<T, Error>) {
        let before = std::mem::replace(&mut *self.lock(), Progress::Done(result));
        self.filled.notify_all();
        if let Progress::Running(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<T> Progress<T> {
    /// The result, if there is one; it can be taken once.
    fn take(&mut self) -> Option<Result<T, Error>> {
        match std::mem::replace(self, Self::Consumed) {
            Self::Done(result) => Some(result),
            Self::Consumed => Some(Err(Error::JobConsumed)),
            running => {
                *self = running;
                None
            }
        }
    }
}

impl<T: Send> Job<T> {
    /// A job, and the task that runs `operation` and fills the job's slot; `lend` gives it the lifetime that threads ask for. A
    /// panic becomes [`Error::JobPanicked`].
    pub(crate) fn new<'scope>(
        operation: impl FnOnce() -> Result<T, Error> + Send + 'scope,
        lend: impl FnOnce(Box<dyn FnOnce() + Send + 'scope>) -> Task,
    ) -> (Self, Arc<Start>)
    where
        T: 'scope,
    {
        let slot = Arc::new(Slot { state: Mutex::new(Progress::Running(None)), filled: Condvar::new() });
        let filler = Arc::clone(&slot);
        let run = move || {
            let (mut operation, mut result) = (Some(operation), None);
            let caught = caught(&mut || result = operation.take().map(|operation| operation()));
            filler.fill(caught.and_then(|()| result.expect("the operation was run")));
        };
        let start = Arc::new(Start(Mutex::new(Some(lend(Box::new(run))))));
        (Self { slot, start: Arc::clone(&start) }, start)
    }

    /// Whether the result is available, so that [`wait`](Self::wait) would not block.
    pub fn is_done(&self) -> bool {
        !matches!(*self.slot.lock(), Progress::Running(_))
    }

    /// Blocks until the operation is done and returns its result. If no thread has begun it, it is run on this one.
    pub fn wait(self) -> Result<T, Error> {
        self.start.run();
        let mut state = self.slot.lock();
        loop {
            if let Some(result) = state.take() {
                return result;
            }
            state = self.slot.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Future for Job<T> {
    type Output = Result<T, Error>;

    /// A job that is polled again after it was ready returns [`Error::JobConsumed`]. Inside another job, a job that no thread has
    /// begun is run by the poll.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if INSIDE.with(Cell::get) {
            self.start.run();
        }
        let mut state = self.slot.lock();
        match state.take() {
            Some(result) => Poll::Ready(result),
            None => {
                *state = Progress::Running(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

/// Runs an operation; its panic is an error. Not generic, so that it is compiled once.
fn caught(operation: &mut dyn FnMut()) -> Result<(), Error> {
    catch_unwind(AssertUnwindSafe(operation))
        .map_err(|panic| Error::JobPanicked { message: message_of(panic.as_ref()) })
}

/// The message of a panic.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
