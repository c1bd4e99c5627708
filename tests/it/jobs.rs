//! Jobs: awaited on executors, waited for, dropped, failed, panicked; and engines shared by threads.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use zkaccel::commit::{Commitment, TraceSpec};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{ElementDigest, Rp64_256};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt};
use zkaccel::{Engine, Error, Job};

fn engine(threads: usize) -> Engine {
    Engine::builder().threads(threads).build().unwrap()
}

fn column(log_size: u32) -> Matrix<Goldilocks> {
    Matrix::from_rows((0..1 << log_size).map(Goldilocks::new).collect(), 1 << log_size, 1).unwrap()
}

fn forward(log_size: u32) -> Ntt {
    Ntt::forward(Domain::new(log_size, Convention::Winterfell).unwrap())
}

/// A job that runs until it is told to end.
fn held(engine: &Engine) -> (Job<u32>, mpsc::Sender<()>) {
    let (release, released) = mpsc::channel();
    let job = engine.spawn(move |_| {
        released.recv().ok();
        Ok(7)
    });
    (job, release)
}

#[test]
fn awaited_on_two_executors() {
    let engine = engine(2);
    let mut expected = column(8);
    engine.ntt(&forward(8), expected.view_mut()).unwrap();
    assert_eq!(pollster::block_on(engine.ntt_async(&forward(8), column(8))).unwrap(), expected);
    assert_eq!(futures_executor::block_on(engine.ntt_async(&forward(8), column(8))).unwrap(), expected);
    let both = async {
        let lde = Lde::onto_coset(8, 4, Convention::Plonky3, Goldilocks::GENERATOR).unwrap();
        let (tree, extended) = (
            engine.merkle_tree_async::<Rp64_256>(vec![ElementDigest::default(); 32]),
            engine.lde_async(&lde, column(8)),
        );
        (tree.await.unwrap().leaf_count(), extended.await.unwrap().shape().rows)
    };
    assert_eq!(pollster::block_on(both), (32, 1024));
}

#[test]
fn a_job_wakes_its_waiter() {
    let engine = engine(1);
    let (job, release) = held(&engine);
    let releaser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        release.send(()).unwrap();
    });
    assert_eq!(pollster::block_on(job), Ok(7));
    releaser.join().unwrap();
}

#[test]
fn waited_for() {
    let engine = engine(1);
    let (job, release) = held(&engine);
    assert!(!job.is_done());
    release.send(()).unwrap();
    assert_eq!(job.wait(), Ok(7));
}

#[test]
fn dropping_does_not_block_and_the_operation_ends() {
    let engine = engine(1);
    let (done, ended) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let job = engine.spawn(move |_| {
        released.recv().ok();
        done.send(()).ok();
        Ok(())
    });
    let start = Instant::now();
    drop(job);
    assert!(start.elapsed() < Duration::from_secs(1));
    release.send(()).unwrap();
    ended.recv_timeout(Duration::from_secs(10)).expect("a dropped job still runs");
    engine.ntt(&forward(4), column(4).view_mut()).unwrap();
}

#[test]
fn a_job_outlives_its_engine() {
    let engine = engine(2);
    let (job, release) = held(&engine);
    drop(engine);
    release.send(()).unwrap();
    assert_eq!(job.wait(), Ok(7));
}

#[test]
fn consumed_once() {
    let engine = engine(1);
    let mut job = engine.spawn(|_| Ok(1));
    while !job.is_done() {
        std::thread::yield_now();
    }
    let mut poll = || Pin::new(&mut job).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(poll(), Poll::Ready(Ok(1)));
    assert_eq!(poll(), Poll::Ready(Err(Error::JobConsumed)));
    assert_eq!(job.wait(), Err(Error::JobConsumed));
}

#[test]
fn a_panic_is_an_error() {
    let engine = engine(1);
    let job: Job<()> = engine.spawn(|_| panic!("the reason"));
    assert_eq!(job.wait(), Err(Error::JobPanicked { message: "the reason".into() }));
    assert_eq!(engine.spawn(|_| Ok(3)).wait(), Ok(3), "the engine goes on");
}

#[test]
fn a_failed_job_gives_the_error() {
    let found = engine(1).ntt_async(&forward(5), column(4)).wait();
    assert_eq!(
        found.unwrap_err(),
        Error::LengthMismatch { what: "rows of the matrix", expected: 32, found: 16 }
    );
}

/// With one thread, a job that waits for a job must run it itself.
#[test]
fn jobs_within_jobs() {
    fn nested(engine: &Engine, depth: u32) -> Result<u32, Error> {
        if depth == 0 {
            return Ok(0);
        }
        let (left, right) = (
            engine.spawn(move |engine| nested(engine, depth - 1)),
            engine.spawn(move |engine| nested(engine, depth - 1)),
        );
        Ok(left.wait()? + right.wait()? + 1)
    }
    for threads in [1, 2] {
        assert_eq!(nested(&engine(threads), 6), Ok(63));
    }
}

#[test]
fn a_scope_borrows_and_waits() {
    let engine = engine(2);
    let mut columns: Vec<_> = (0..4).map(|_| column(6)).collect();
    let finished = AtomicUsize::new(0);
    engine.scope(|scope| {
        for column in &mut columns {
            let finished = &finished;
            // Dropped: the scope waits all the same.
            drop(scope.spawn(move |engine| {
                engine.ntt(&forward(6), column.view_mut())?;
                finished.fetch_add(1, Ordering::SeqCst);
                Ok(())
            }));
        }
    });
    assert_eq!(finished.load(Ordering::SeqCst), 4);
    let mut expected = column(6);
    engine.ntt(&forward(6), expected.view_mut()).unwrap();
    assert!(columns.iter().all(|column| *column == expected));
}

#[test]
fn many_callers_of_one_engine() {
    let engine = Arc::new(engine(2));
    let threads: Vec<_> = (0..6u64)
        .map(|seed| {
            let engine = Arc::clone(&engine);
            std::thread::spawn(move || {
                for round in 0..5 {
                    let mut matrix = column(7);
                    matrix.as_mut_slice()[0] = Goldilocks::new(seed * 10 + round);
                    let before = matrix.clone();
                    engine.ntt(&forward(7), matrix.view_mut()).unwrap();
                    assert_ne!(matrix, before);
                    engine.ntt(&Ntt::inverse(forward(7).domain), matrix.view_mut()).unwrap();
                    assert_eq!(matrix, before);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// What `run` gives, within so many seconds: where it hangs, the test fails instead.
fn within<T: Send + 'static>(seconds: u64, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(run()).ok());
    receive.recv_timeout(Duration::from_secs(seconds)).expect("the operation hangs or has panicked")
}

/// The most that were under way at once.
#[derive(Default)]
struct AtOnce {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl AtOnce {
    fn during<T>(&self, operation: impl FnOnce() -> T) -> T {
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        let result = operation();
        self.now.fetch_sub(1, Ordering::SeqCst);
        result
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

fn small_commit(engine: &Engine) -> Result<Commitment<Rp64_256>, Error> {
    engine.commit(&TraceSpec::default(), column(4))
}

/// A thread that waits for the engine runs no other task of its own pool: else each of them would wait on top of another.
#[test]
fn calls_from_another_rayon_pool_do_not_nest() {
    use rayon::prelude::*;
    let engine = engine(2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let expected = small_commit(&engine).unwrap().root();
    let at_once = AtOnce::default();
    pool.install(|| {
        (0..3000).into_par_iter().for_each(|_| {
            let root = at_once.during(|| small_commit(&engine)).unwrap().root();
            assert_eq!(root, expected);
        });
    });
    assert!(at_once.most() <= 2, "{} commits under way on two threads", at_once.most());
}

#[test]
fn jobs_waited_for_in_another_rayon_pool_do_not_nest() {
    use rayon::prelude::*;
    let engine = engine(2);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let at_once = AtOnce::default();
    pool.install(|| {
        (0..3000).into_par_iter().for_each(|_| {
            let job = engine.spawn(|engine| small_commit(engine).map(|commitment| commitment.root()));
            at_once.during(|| job.wait()).unwrap();
        });
    });
    assert!(at_once.most() <= 2, "{} jobs waited for by two threads", at_once.most());
}

/// As many jobs as the engine has threads are under way, and one more that the caller runs while it waits for it.
#[test]
fn jobs_do_not_nest() {
    let engine = engine(2);
    let at_once = Arc::new(AtOnce::default());
    let jobs: Vec<_> = (0..3000)
        .map(|_| {
            let at_once = Arc::clone(&at_once);
            engine.spawn(move |engine| at_once.during(|| small_commit(engine)).map(|found| found.root()))
        })
        .collect();
    let expected = small_commit(&engine).unwrap().root();
    for job in jobs {
        assert_eq!(job.wait().unwrap(), expected);
    }
    assert!(at_once.most() <= 3, "{} jobs under way on two threads", at_once.most());
}

#[test]
fn many_threads_call_at_once() {
    let engine = engine(2);
    let expected = small_commit(&engine).unwrap().root();
    std::thread::scope(|scope| {
        for _ in 0..512 {
            scope.spawn(|| assert_eq!(small_commit(&engine).unwrap().root(), expected));
        }
    });
}

#[test]
fn a_job_awaits_a_job_inside_one() {
    for threads in [1, 2] {
        let found = within(60, move || {
            let engine = engine(threads);
            let job = engine.spawn(|engine| {
                let started: Vec<_> = (0..3).map(|i| engine.spawn(move |_| Ok(i))).collect();
                started.into_iter().map(pollster::block_on).sum::<Result<u32, _>>()
            });
            pollster::block_on(job)
        });
        assert_eq!(found, Ok(3));
    }
}

#[test]
fn a_job_joins_a_thread_that_calls_the_engine() {
    let found = within(60, || {
        let engine = engine(1);
        let job = engine.spawn(|engine| {
            let engine = engine.clone();
            std::thread::spawn(move || small_commit(&engine)).join().unwrap()
        });
        pollster::block_on(job).map(|commitment| commitment.root())
    });
    assert_eq!(found.unwrap(), small_commit(&engine(1)).unwrap().root());
}

/// Nobody can see that the engine's jobs all stand still; a further thread is started when nothing has moved for a while.
#[test]
fn a_job_joins_threads_that_await_jobs() {
    let found = within(60, || {
        let engine = engine(1);
        let job = engine.spawn(|engine| {
            let joined = |depth: u32| {
                let engine = engine.clone();
                let outer = move || {
                    let inner = engine.spawn(move |engine| {
                        let innermost = engine.spawn(move |_| Ok(depth));
                        std::thread::spawn(|| pollster::block_on(innermost)).join().unwrap()
                    });
                    pollster::block_on(inner)
                };
                std::thread::spawn(outer).join().unwrap()
            };
            joined(3)
        });
        pollster::block_on(job)
    });
    assert_eq!(found, Ok(3));
}

#[test]
fn a_scope_inside_a_job() {
    let found = within(60, || {
        let engine = engine(1);
        let job = engine.spawn(|engine| {
            let words = [1_u32, 2, 3];
            let done = AtomicUsize::new(0);
            let sum = engine.scope(|scope| {
                let started: Vec<_> = words.iter().map(|word| scope.spawn(|_| Ok(*word))).collect();
                drop(scope.spawn(|_| Ok(done.fetch_add(1, Ordering::SeqCst))));
                started.into_iter().map(pollster::block_on).sum::<Result<u32, _>>()
            });
            assert_eq!(done.into_inner(), 1);
            sum
        });
        pollster::block_on(job)
    });
    assert_eq!(found, Ok(6));
}

/// The jobs of a scope are done, and their results dropped, before what they borrow is gone, whatever happens to the scope.
#[test]
fn a_scope_that_panics_waits() {
    struct Counts<'a>(&'a AtomicUsize);
    impl Drop for Counts<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let engine = engine(1);
    let dropped = AtomicUsize::new(0);
    let scope = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        engine.scope(|scope| {
            (0..10).for_each(|_| drop(scope.spawn(|_| Ok(Counts(&dropped)))));
            panic!("the reason");
        })
    }));
    assert_eq!(*scope.unwrap_err().downcast::<&str>().unwrap(), "the reason");
    assert_eq!(dropped.into_inner(), 10);
}
