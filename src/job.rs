//! Asynchronous operations: [`Job`], a future with a blocking `wait`.
//!
//! A job's inputs are moved into it and its result is moved out, once. The thread that runs the operation fills a
//! slot and wakes whoever waits; dropping the job only gives up the claim to the slot, so it never blocks and never
//! takes memory from under a running operation.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::error::Error;
use crate::lock::lock;

/// An operation under way, or done and not yet collected.
///
/// Await it on any executor, [`wait`](Self::wait) for it, or drop it: then the operation still runs to its end and
/// its result is discarded.
#[derive(Debug)]
#[must_use = "a dropped job's result is lost; wait for it or await it"]
pub struct Job<T> {
    slot: Arc<Slot<T>>,
}

#[derive(Debug)]
struct Slot<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
}

#[derive(Debug)]
enum State<T> {
    Running(Option<Waker>),
    Done(Result<T, Error>),
    Consumed,
}

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // No code that can panic runs under the lock, so a poisoned lock still guards a sound state.
        lock(&self.state)
    }
}

impl<T> State<T> {
    /// The result, if it is there; it can be taken once.
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
    /// A job, and the closure that runs `operation` and fills the job's slot. A panic becomes [`Error::JobPanicked`].
    pub(crate) fn new(operation: impl FnOnce() -> Result<T, Error> + Send) -> (Self, impl FnOnce() + Send) {
        let slot = Arc::new(Slot { state: Mutex::new(State::Running(None)), filled: Condvar::new() });
        let filler = Arc::clone(&slot);
        let run = move || {
            let result = catch_unwind(AssertUnwindSafe(operation))
                .unwrap_or_else(|panic| Err(Error::JobPanicked { message: message_of(panic.as_ref()) }));
            let before = std::mem::replace(&mut *filler.lock(), State::Done(result));
            filler.filled.notify_all();
            if let State::Running(Some(waker)) = before {
                waker.wake();
            }
        };
        (Self { slot }, run)
    }

    /// Whether the result is there, so that [`wait`](Self::wait) would not block.
    pub fn is_done(&self) -> bool {
        !matches!(*self.slot.lock(), State::Running(_))
    }

    /// Blocks until the operation is done and returns its result.
    ///
    /// On a thread of a rayon pool it runs other work of that pool meanwhile, so that a job waited for inside
    /// another job cannot starve.
    pub fn wait(self) -> Result<T, Error> {
        let mut state = self.slot.lock();
        loop {
            if let Some(result) = state.take() {
                return result;
            }
            if rayon::current_thread_index().is_none() {
                state = self.slot.filled.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
                continue;
            }
            drop(state);
            let idle = rayon::yield_now() != Some(rayon::Yield::Executed);
            state = self.slot.lock();
            if idle && matches!(*state, State::Running(_)) {
                let pause = Duration::from_micros(100);
                let woken = self.slot.filled.wait_timeout(state, pause);
                state = woken.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
            }
        }
    }
}

impl<T> Future for Job<T> {
    type Output = Result<T, Error>;

    /// Polled again after it was ready, a job answers [`Error::JobConsumed`].
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.slot.lock();
        match state.take() {
            Some(result) => Poll::Ready(result),
            None => {
                *state = State::Running(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

/// What a panic said.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
