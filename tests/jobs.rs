//! Jobs: awaited on executors, waited for, dropped, failed, panicked; and engines shared by threads.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

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
