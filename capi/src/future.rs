//! Operations run now, or as jobs behind futures.
//!
//! A future is a number: that of its engine in the upper 24 bits, a ticket that the engine gives out once in the lower
//! 40. So a second wait finds a ticket that is spent, never another operation; and what is no future of this engine
//! is seen from the number alone.

use std::collections::HashMap;
use std::ffi::c_void;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use accel::{Engine, Job};

use crate::arguments::Arguments;
use crate::engine::{Running, SharedEngine, find, was_made, zka_engine};
use crate::status::{
    Failure, ZKA_FUTURE_CONSUMED, ZKA_FUTURE_UNKNOWN, ZKA_INTERNAL, ZKA_OK, ZKA_WRONG_ENGINE, guard,
    zka_status,
};

/// An operation under way. It is a number: copy it, keep it, hand it on; `id` 0 is none. It is waited for or detached once.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct zka_future {
    /// 0, or the number of the operation.
    pub id: u64,
}

const _: () = assert!(size_of::<zka_future>() == 8);

/// Waits until an operation is done and gives its status. Exactly once: the future is void then, whatever the status.
///
/// What the operation has written may be read after it, and the memory that it was given is the caller's again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_wait(engine: *mut zka_engine, future: zka_future) -> zka_status {
    guard(|| {
        let shared = find(engine)?;
        let job = shared.futures.take(shared.number, future)?;
        job.wait()?
    })
}

/// Tells whether a wait would return at once: `ready` is 1 or 0. The future stays valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_poll(
    engine: *mut zka_engine,
    future: zka_future,
    ready: *mut i32,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let ready = unsafe { Arguments::new() }.output("ready", ready, 1)?;
        let shared = find(engine)?;
        let done = shared.futures.is_done(shared.number, future)?;
        ready.write(&[done as i32]);
        Ok(())
    })
}

/// Gives up a future: instead of a wait, `done` is called once with `context` and the operation's status.
///
/// It is called on a thread of the engine, or on this one before `zka_detach` returns, and must return in the ordinary way. It may
/// call any function but the shutdown of its engine. The text of an error is that of `zka_last_error` during the call. `done`
/// may be NULL; then the memory of the operation is the caller's again after the shutdown of the engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_detach(
    engine: *mut zka_engine,
    future: zka_future,
    done: Option<unsafe extern "C" fn(*mut c_void, i32)>,
    context: *mut c_void,
) -> zka_status {
    guard(|| {
        let shared = find(engine)?;
        let running = Running::on(&shared)?;
        let job = shared.futures.take(shared.number, future)?;
        if let Some(done) = done {
            let waiting = Waiting { job, running, callback: Callback { done, context } };
            Arc::new(Detached { waiting: Mutex::new(Some(waiting)) }).advance();
        }
        Ok(())
    })
}

/// An operation with its arguments checked: it runs and writes what it has made.
pub(crate) trait Call: FnOnce(&Engine) -> Outcome + Send + 'static {}

impl<F: FnOnce(&Engine) -> Outcome + Send + 'static> Call for F {}

/// How an operation ends.
pub(crate) type Outcome = Result<(), Failure>;

/// Checks the arguments of an operation and runs it on the calling thread and those of the engine.
///
/// # Safety
/// What `prepare` adds to the arguments must be null or valid for its length during the call.
pub(crate) unsafe fn now<C: Call>(
    engine: *mut zka_engine,
    prepare: impl FnOnce(&mut Arguments, &SharedEngine) -> Result<C, Failure>,
) -> zka_status {
    guard(|| {
        let shared = find(engine)?;
        let _running = Running::on(&shared)?;
        // SAFETY: the caller's.
        let mut arguments = unsafe { Arguments::new() };
        let call = prepare(&mut arguments, &shared)?;
        arguments.check_aliases()?;
        call(&shared.engine)
    })
}

/// Checks the arguments of an operation and starts it.
///
/// # Safety
/// What `prepare` adds to the arguments must be null or valid for its length until the operation is done.
pub(crate) unsafe fn later<C: Call>(
    engine: *mut zka_engine,
    future: *mut zka_future,
    prepare: impl FnOnce(&mut Arguments, &SharedEngine) -> Result<C, Failure>,
) -> zka_status {
    guard(|| {
        let shared = find(engine)?;
        let running = Running::on(&shared)?;
        // SAFETY: the caller's.
        let mut arguments = unsafe { Arguments::new() };
        let future = arguments.output("future", future, 1)?;
        let call = prepare(&mut arguments, &shared)?;
        arguments.check_aliases()?;
        let start = || {
            shared.engine.spawn(move |engine| {
                let _running = running;
                Ok(call(engine))
            })
        };
        future.write(&[shared.futures.issue(shared.number, start)?]);
        Ok(())
    })
}

/// The jobs of an engine that nobody waited for yet, by ticket.
#[derive(Default)]
pub(crate) struct Futures {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    issued: u64,
    jobs: HashMap<u64, Job<Outcome>>,
}

const TICKET_BITS: u32 = 40;
const LAST_TICKET: u64 = (1 << TICKET_BITS) - 1;

impl Futures {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a job and gives it a ticket.
    fn issue(&self, engine: u64, start: impl FnOnce() -> Job<Outcome>) -> Result<zka_future, Failure> {
        let mut table = self.lock();
        if table.issued == LAST_TICKET {
            return Err(Failure::new(
                ZKA_INTERNAL,
                "the engine has started more operations than can be numbered",
            ));
        }
        table.issued += 1;
        let ticket = table.issued;
        table.jobs.insert(ticket, start());
        Ok(zka_future { id: engine << TICKET_BITS | ticket })
    }

    fn take(&self, engine: u64, future: zka_future) -> Result<Job<Outcome>, Failure> {
        let mut table = self.lock();
        let ticket = table.ticket(engine, future)?;
        table.jobs.remove(&ticket).ok_or_else(|| consumed(future))
    }

    fn is_done(&self, engine: u64, future: zka_future) -> Result<bool, Failure> {
        let table = self.lock();
        let ticket = table.ticket(engine, future)?;
        table.jobs.get(&ticket).map(Job::is_done).ok_or_else(|| consumed(future))
    }

    /// Forgets all jobs.
    pub(crate) fn clear(&self) {
        self.lock().jobs.clear();
    }
}

impl Table {
    /// The ticket of a future that this engine has given out.
    fn ticket(&self, engine: u64, future: zka_future) -> Result<u64, Failure> {
        let (found, ticket) = (future.id >> TICKET_BITS, future.id & LAST_TICKET);
        if found == engine && (1..=self.issued).contains(&ticket) {
            return Ok(ticket);
        }
        let id = future.id;
        Err(match found != engine && was_made(found) && ticket > 0 {
            true => Failure::new(ZKA_WRONG_ENGINE, format!("future {id:#x} belongs to another engine")),
            false => Failure::new(ZKA_FUTURE_UNKNOWN, format!("no operation has the future {id:#x}")),
        })
    }
}

fn consumed(future: zka_future) -> Failure {
    let text = format!("future {:#x} was waited for or detached before", future.id);
    Failure::new(ZKA_FUTURE_CONSUMED, text)
}

/// A job whose end is told to a callback: it polls the job when the job wakes it.
struct Detached {
    waiting: Mutex<Option<Waiting>>,
}

struct Waiting {
    job: Job<Outcome>,
    /// A shutdown waits for the callback too.
    running: Running,
    callback: Callback,
}

struct Callback {
    done: unsafe extern "C" fn(*mut c_void, i32),
    context: *mut c_void,
}

// SAFETY: the caller's promise: the callback may be called on any thread.
unsafe impl Send for Callback {}

impl Detached {
    fn advance(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut waited) = waiting.take() else { return };
        match Pin::new(&mut waited.job).poll(&mut Context::from_waker(&waker)) {
            Poll::Pending => *waiting = Some(waited),
            Poll::Ready(result) => {
                drop(waiting);
                let Waiting { running, callback, .. } = waited;
                let outcome = result.unwrap_or_else(|error| Err(error.into()));
                let status = outcome.map_or_else(Failure::record, |()| ZKA_OK);
                // SAFETY: the caller's promise: the function takes its context and returns.
                running.call_back(|| unsafe { (callback.done)(callback.context, status) });
            }
        }
    }
}

impl Wake for Detached {
    fn wake(self: Arc<Self>) {
        self.advance();
    }
}
