//! The threads on which an engine's jobs run, beside those on which it computes.
//!
//! A job is a caller's code, which may block: on a lock, on another job, on a thread that it joins. On a thread of its own it holds up
//! nothing but itself, and the operations that it calls are handed to the pool like anybody's. There are as many such threads as the
//! engine has for computing, started when they are first needed.
//!
//! All of them may be blocked by what needs a further job, which nobody can see. So where jobs wait although nothing has begun or
//! ended for [`PATIENCE`], one thread more is started, which ends with its job.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::gate::Gate;
use crate::job::Start;
use crate::lock::lock;

/// How long all jobs stand still before one more is begun. Long beside what a job does between its operations: each thread
/// that is started for nothing may be a job more in memory.
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
    /// Threads that serve the queue; those beyond end with their job.
    limit: usize,
}

#[derive(Debug, Default)]
struct Jobs {
    jobs: VecDeque<Arc<Start>>,
    /// How many were taken from the queue or have ended so far.
    moves: u64,
    threads: usize,
    idle: usize,
    /// Whether a thread looks for jobs that stand still.
    watched: bool,
    closed: bool,
}

impl JobThreads {
    /// Room for so many jobs at once, whose operations pass through a gate.
    pub(crate) fn new(limit: usize, gate: Arc<Gate>) -> Self {
        let queue = Queue { state: Mutex::default(), pushed: Condvar::new(), gate, limit };
        Self { queue: Arc::new(queue) }
    }

    /// Runs a job as soon as there is a thread for it. Where the system grants none at all, it is run here.
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
    /// Starts a thread that runs jobs; whether there is one.
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
                // A panic of the operation is its result. Those of a waker, or of a result that nobody wants, end here.
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

    /// Starts a thread that looks for jobs that stand still; whether there is one.
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
                // Nothing stands still while an operation is inside.
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
