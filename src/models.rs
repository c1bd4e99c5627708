//! Models of the crate's concurrent code: a few threads, in every order that [`explore`] tries.
//!
//! A model is a small program with real code of the crate. It fails by an assertion, or because threads wait for each other
//! for ever.

use std::future::Future;
use std::pin::Pin;
use std::task::Context;

use shuttle::future::block_on;
use shuttle::{Config, MaxSteps, Runner, scheduler};

use crate::crew::share;
use crate::error::Error;
use crate::gate::Gate;
use crate::job::Job;
use crate::job_threads::JobThreads;
use crate::lend::lending;
use crate::lock::lock;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::sync::{Arc, Condvar, Mutex, thread};
use crate::work::{Activity, Ledger, Raised};

/// Orders tried with each scheduler.
const ORDERS: usize = 1000;

/// Runs a model in many orders: uniformly random ones, and those of random priorities that change at three moments, which find
/// whatever takes so few changes of threads with a known probability (Burckhardt and others, "A Randomized Scheduler with
/// Probabilistic Guarantees of Finding Bugs", 2010).
pub(crate) fn explore(model: fn()) {
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    config.max_steps = MaxSteps::FailAfter(100_000);
    Runner::new(scheduler::RandomScheduler::new(ORDERS), config.clone()).run(model);
    Runner::new(scheduler::PctScheduler::new(3, ORDERS), config).run(model);
}

/// Gives way to other threads until a condition holds.
fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

/// An event that threads can wait for.
#[derive(Default)]
struct Event(Mutex<bool>, Condvar);

impl Event {
    fn set(&self) {
        *lock(&self.0) = true;
        self.1.notify_all();
    }

    fn wait(&self) {
        let mut set = lock(&self.0);
        while !*set {
            set = self.1.wait(set).unwrap();
        }
    }
}

/// A job that counts how often it is run, and the memory that it holds.
fn counted() -> (Job<usize>, Arc<crate::job::Start>, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let held = Arc::clone(&runs);
    let (job, start) = Job::new(move || Ok(7 + held.fetch_add(1, Ordering::SeqCst)), |task| task);
    (job, start, runs)
}

#[test]
fn a_job_runs_once_whoever_takes_it() {
    explore(|| {
        let (job, start, runs) = counted();
        let others = [0, 1].map(|_| {
            let start = Arc::clone(&start);
            thread::spawn(move || start.run())
        });
        assert_eq!(job.wait(), Ok(7));
        let ran = others.map(|other| other.join().unwrap());
        assert!(ran != [true, true]);
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_job_that_no_thread_takes_is_run_by_its_waiter() {
    explore(|| {
        let (job, _start, _) = counted();
        let (other, _other_start, _) = counted();
        let waiter = thread::spawn(move || other.wait());
        assert_eq!(job.wait(), Ok(7));
        assert_eq!(waiter.join().unwrap(), Ok(7));
    });
}

/// Outside of jobs, a future that is awaited does not run the operation: it must be woken.
#[test]
fn a_job_that_is_awaited_wakes_its_waiter() {
    explore(|| {
        let (job, start, runs) = counted();
        let other = thread::spawn(move || start.run());
        assert_eq!(block_on(job), Ok(7));
        assert!(other.join().unwrap());
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    });
}

/// The waker of the last poll counts, and the result is there for one poll.
#[test]
fn a_job_that_is_polled_by_two_executors_wakes_the_last() {
    explore(|| {
        let (mut job, start, _) = counted();
        let other = thread::spawn(move || start.run());
        let mut ignored = Context::from_waker(std::task::Waker::noop());
        match Pin::new(&mut job).poll(&mut ignored) {
            std::task::Poll::Ready(result) => {
                assert_eq!(result, Ok(7));
                assert_eq!(block_on(job), Err(Error::JobConsumed));
            }
            std::task::Poll::Pending => assert_eq!(block_on(job), Ok(7)),
        }
        assert!(other.join().unwrap());
    });
}

#[test]
fn a_job_that_is_dropped_frees_what_it_holds() {
    explore(|| {
        let (job, start, held) = counted();
        let other = thread::spawn(move || start.run());
        let dropped = thread::spawn(move || drop(job));
        other.join().unwrap();
        dropped.join().unwrap();
        assert_eq!(Arc::strong_count(&held), 1);
    });
}

/// Threads for jobs, and what is left of them when their owner is gone: nothing.
fn with_threads(limit: usize, body: impl FnOnce(&JobThreads)) {
    let gate = Arc::new(Gate::new(2));
    let threads = JobThreads::new(limit, Arc::clone(&gate));
    body(&threads);
    drop(threads);
    until(|| Arc::strong_count(&gate) == 1);
}

/// Starts a job.
fn push<T: Send + 'static>(
    threads: &JobThreads,
    operation: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Job<T> {
    let (job, start) = Job::new(operation, |task| task);
    threads.push(start);
    job
}

/// Jobs that nobody waits for are run too, and all threads end.
#[test]
fn every_job_is_run_and_every_thread_ends() {
    explore(|| {
        let runs = Arc::new(AtomicUsize::new(0));
        with_threads(2, |threads| {
            for _ in 0..3 {
                let runs = Arc::clone(&runs);
                drop(push(threads, move || Ok(runs.fetch_add(1, Ordering::SeqCst))));
            }
        });
        assert_eq!(runs.load(Ordering::SeqCst), 3);
    });
}

/// With one thread, each job is run by it, or by whoever waits for the job.
#[test]
fn jobs_of_two_callers_share_a_thread() {
    explore(|| {
        with_threads(1, |threads| {
            let started = [1, 2].map(|answer| push(threads, move || Ok(answer)));
            let [first, second] = started;
            let other = thread::spawn(move || block_on(second));
            assert_eq!(block_on(first), Ok(1));
            assert_eq!(other.join().unwrap(), Ok(2));
        });
    });
}

#[test]
fn a_job_waits_for_a_job_with_one_thread() {
    explore(|| {
        let (outer, inner) = {
            let threads = Arc::new(JobThreads::new(1, Arc::new(Gate::new(2))));
            let inner = push(&threads, || Ok(20));
            let outer = push(&threads, move || Ok(1 + inner.wait()?));
            (outer, push(&threads, || Ok(300)))
        };
        assert_eq!(block_on(outer), Ok(21));
        assert_eq!(inner.wait(), Ok(300));
    });
}

/// All threads are blocked by something that needs a further job: one more thread is started.
#[test]
fn a_job_that_is_blocked_by_a_later_one_goes_on() {
    explore(|| {
        with_threads(1, |threads| {
            let event = Arc::new(Event::default());
            let waits = Arc::clone(&event);
            let first = push(threads, move || {
                waits.wait();
                Ok(())
            });
            let second = push(threads, move || {
                event.set();
                Ok(())
            });
            assert_eq!(block_on(first), Ok(()));
            assert_eq!(block_on(second), Ok(()));
        });
    });
}

/// One idle thread is not enough for two jobs, of which the first waits for the second.
#[test]
fn a_job_does_not_wait_for_a_thread_that_another_job_takes() {
    explore(|| {
        with_threads(2, |threads| {
            assert_eq!(block_on(push(threads, || Ok(1))), Ok(1));
            let event = Arc::new(Event::default());
            let waits = Arc::clone(&event);
            let first = push(threads, move || {
                waits.wait();
                Ok(2)
            });
            let second = push(threads, move || {
                event.set();
                Ok(3)
            });
            assert_eq!(block_on(first), Ok(2));
            assert_eq!(block_on(second), Ok(3));
        });
    });
}

#[test]
fn a_gate_admits_no_more_than_its_limit_and_everybody_in_the_end() {
    for model in [|| admit(1), || admit(2)] {
        explore(model);
    }
}

fn admit(limit: usize) {
    let gate = Arc::new(Gate::new(limit));
    let inside = Arc::new(AtomicUsize::new(0));
    let callers = [0, 1, 2].map(|_| {
        let (gate, inside) = (Arc::clone(&gate), Arc::clone(&inside));
        thread::spawn(move || {
            for _ in 0..2 {
                let entered = gate.enter();
                assert!(inside.fetch_add(1, Ordering::SeqCst) < limit);
                assert_eq!(gate.entered_and_left(), None);
                inside.fetch_sub(1, Ordering::SeqCst);
                drop(entered);
            }
        })
    });
    callers.into_iter().for_each(|caller| caller.join().unwrap());
    assert_eq!(gate.entered_and_left(), Some(6));
}

/// Pieces of a whole are taken once each, by whoever comes, and what they borrow lives until all who have come have left.
#[test]
fn work_that_is_shared_is_done_once() {
    explore(|| {
        let alive = Arc::new(AtomicBool::new(true));
        let threads = Mutex::new(Vec::new());
        let pieces = [0, 1, 2].map(|_| AtomicUsize::new(0));
        let next = AtomicUsize::new(0);
        let spawn = |task: crate::lend::Task| lock(&threads).push(thread::spawn(task));
        share(2, &spawn, &|| {
            loop {
                assert!(alive.load(Ordering::SeqCst), "work after its end");
                match pieces.get(next.fetch_add(1, Ordering::SeqCst)) {
                    Some(piece) => _ = piece.fetch_add(1, Ordering::SeqCst),
                    None => break,
                }
            }
        });
        alive.store(false, Ordering::SeqCst);
        assert!(pieces.iter().all(|piece| piece.load(Ordering::SeqCst) == 1));
        threads.into_inner().unwrap().into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// What tasks borrow lives until they have been run or dropped.
#[test]
fn borrowed_data_outlive_what_was_lent() {
    explore(|| {
        let (alive, runs) = (Arc::new(AtomicBool::new(true)), AtomicUsize::new(0));
        let threads: Vec<_> = lending(|lender| {
            let tasks = [true, true, false].map(|run| {
                let (alive, runs) = (Arc::clone(&alive), &runs);
                let task = lender.lend(Box::new(move || {
                    assert!(alive.load(Ordering::SeqCst), "a task that runs after what it borrows");
                    runs.fetch_add(1, Ordering::SeqCst);
                }));
                // The last one is never run.
                (task, run)
            });
            let start = |(task, run): (crate::lend::Task, bool)| {
                thread::spawn(move || if run { task() } else { drop(task) })
            };
            tasks.into_iter().map(start).collect()
        });
        alive.store(false, Ordering::SeqCst);
        assert_eq!(runs.load(Ordering::SeqCst), 2);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn an_account_has_every_operation_and_none_under_way_afterwards() {
    explore(|| {
        let ledger = Arc::new(Ledger::new("a device".into()));
        let callers = [0, 1].map(|caller| {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || {
                ledger.begin(Activity::NTT.of(2, 16, 8)).ended(true);
                let activity = if caller == 0 { Activity::NTT } else { Activity::TREE };
                let under_way = ledger.begin(activity.of(4, 32, 32));
                assert!((1..=2).contains(&ledger.read().under_way));
                under_way.ended(caller != 0);
            })
        });
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        let work = ledger.read();
        let transforms = work.of("ntt").unwrap();
        assert_eq!((work.under_way, work.operations.len()), (0, 2));
        assert_eq!((transforms.calls, transforms.failures, transforms.items), (2, 1, 4));
        assert_eq!((transforms.bytes_in, transforms.bytes_out), (32, 16));
        assert_eq!(work.of("merkle tree").unwrap().items, 4);
    });
}

/// The bytes that stay on a device, by holders that come and go on several threads.
#[test]
fn what_stays_is_counted_until_its_last_holder_is_gone() {
    explore(|| {
        let resident = Arc::new(AtomicU64::new(0));
        let shared = Arc::new(Raised::new(Arc::clone(&resident), 100));
        let holders = [1, 10].map(|bytes| {
            let (resident, shared) = (Arc::clone(&resident), Arc::clone(&shared));
            thread::spawn(move || {
                let own = Raised::new(Arc::clone(&resident), bytes);
                assert!((100 + bytes..=111).contains(&resident.load(Ordering::SeqCst)));
                drop(own);
                assert!(resident.load(Ordering::SeqCst) >= 100);
                drop(shared);
            })
        });
        drop(shared);
        holders.into_iter().for_each(|holder| holder.join().unwrap());
        assert_eq!(resident.load(Ordering::SeqCst), 0);
    });
}
