//! The threads on which an engine's jobs run, separate from those on which it computes.
//!
//! A job is a caller's code, which may block: on a lock, on another job, on a thread that it joins. On a thread of its own it
//! blocks nothing but itself, and the operations that it calls are passed to the pool like those of any caller. There are as many
//! such threads as the engine has for computing, started when they are first needed.
//!
//! All of them may be blocked by something that needs a further job, which cannot be detected. So when jobs wait although none
//! has begun or ended for [`PATIENCE`], one more thread is started, which ends with its job.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::gate::Gate;
use crate::job::Start;
use crate::lock::lock;
use crate::sync::{Arc, Condvar, Mutex, PoisonError, thread};

/// How long there must be no progress before one more job is begun. Long compared with the time between a job's operations: a
/// thread that is started needlessly may mean one more job in memory.
const PATIENCE: Duration = Duration::from_secs(1);

/// The queue of an engine's jobs. When it is dropped, its threads end as soon as the queue is empty.
#[derive(Debug)]
pub(crate) struct JobThreads {
    queue: Arc<Queue>,
}

#[derive(Debug)]
struct Queue {
    state: Mutex<Jobs>,
    pushed: Condvar,
    gate: Arc<Gate>,
    /// The number of threads that serve the queue; further threads end with their job.
    limit: usize,
}

#[derive(Debug, Default)]
struct Jobs {
    jobs: VecDeque<Arc<Start>>,
    /// The number of jobs taken from the queue plus the number ended so far.
    moves: u64,
    threads: usize,
    idle: usize,
    /// Whether a thread watches for stalled jobs.
    watched: bool,
    closed: bool,
}

impl JobThreads {
    /// Threads for so many jobs at once, whose operations pass through a gate.
    pub(crate) fn new(limit: usize, gate: Arc<Gate>) -> Self {
        let queue = Queue { state: Mutex::default(), pushed: Condvar::new(), gate, limit };
        Self { queue: Arc::new(queue) }
    }

    /// Runs a job as soon as there is a thread for it. If the system grants no thread at all, it is run here.
    pub(crate) fn push(&self, job: Arc<Start>) {
        let mut state = lock(&self.queue.state);
        state.jobs.push_back(Arc::clone(&job));
        if state.jobs.len() <= state.idle {
            self.queue.pushed.notify_one();
        } else if state.threads >= self.queue.limit || !Queue::serve(&self.queue, &mut state) {
            if state.threads == 0 {
                drop(state);
                job.run();
            } else if !state.watched {
                state.watched = Queue::watch(&self.queue);
            }
        }
    }
}

impl Drop for JobThreads {
    fn drop(&mut self) {
        lock(&self.queue.state).closed = true;
        self.queue.pushed.notify_all();
    }
}

impl Queue {
    /// Starts a thread that runs jobs; returns whether it could.
    fn serve(queue: &Arc<Self>, state: &mut Jobs) -> bool {
        let served = Arc::clone(queue);
        let thread = thread::Builder::new().name("zkaccel-job".into()).spawn(move || served.run_jobs());
        state.threads += usize::from(thread.is_ok());
        thread.is_ok()
    }

    fn run_jobs(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                state.moves += 1;
                drop(state);
                // A panic of the operation is its result. Panics of a waker, or of dropping an unused result, end here.
                let ran = catch_unwind(AssertUnwindSafe(|| job.run())).unwrap_or(true);
                state = lock(&self.state);
                state.moves += 1;
                if ran && state.threads > self.limit {
                    break;
                }
            } else if state.closed || state.threads > self.limit {
                break;
            } else {
                state.idle += 1;
                state = self.pushed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
        state.threads -= 1;
    }

    /// Starts a thread that watches for stalled jobs; returns whether it could.
    fn watch(queue: &Arc<Self>) -> bool {
        let watched = Arc::clone(queue);
        let look = move || {
            let mut before = None;
            loop {
                let mut state = lock(&watched.state);
                if state.jobs.is_empty() {
                    state.watched = false;
                    return;
                }
                // Nothing is stalled while an operation is inside the gate.
                let now = watched.gate.entered_and_left().map(|entered| (entered, state.moves));
                if now.is_some() && now == before {
                    Self::serve(&watched, &mut state);
                }
                before = now;
                drop(state);
                thread::sleep(PATIENCE);
            }
        };
        thread::Builder::new().name("zkaccel-watch".into()).spawn(look).is_ok()
    }
}
