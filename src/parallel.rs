//! Work shared out among the threads of the pool on which it is called, or of the pool that the calling thread leads.
//!
//! rayon's iterators are compiled anew for every closure, some ninety functions each time, and this crate has closures by the
//! hundred, because they are generic over fields, hashes, curves and vectors. So all work goes through the few functions here, which rayon is
//! compiled for once: they take closures by reference. What a call through a pointer costs, pieces of work make up for: they take microseconds.

use std::cell::Cell;
use std::ops::Range;
use std::ptr::NonNull;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::crew::share;
use crate::lend::Task;
use crate::lock::lock;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that one thread reads or copies in some microseconds: others would begin no earlier.
pub(crate) const FEW: usize = 64 << 10;

/// Who does work that is shared out.
#[derive(Clone, Copy)]
enum Mode {
    /// The threads of the pool that this thread is of.
    Pool,
    /// This thread.
    Alone,
    /// This thread, and those of a pool that come in time.
    Leading(NonNull<ThreadPool>),
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Pool) };
}

/// Does something in another mode.
fn in_mode<R>(mode: Mode, work: impl FnOnce() -> R) -> R {
    struct Before(Mode);
    impl Drop for Before {
        fn drop(&mut self) {
            MODE.set(self.0);
        }
    }
    let _before = Before(MODE.replace(mode));
    work()
}

/// Does something by this thread alone: what would be shared out among others it does itself.
pub(crate) fn alone<R>(work: impl FnOnce() -> R) -> R {
    in_mode(Mode::Alone, work)
}

/// Does something by this thread, which is not of the pool: what is shared out it begins at once, and threads of the pool come to help, all but one of them.
pub(crate) fn lead<R>(pool: &ThreadPool, work: impl FnOnce() -> R) -> R {
    in_mode(Mode::Leading(NonNull::from(pool)), work)
}

/// Whether this thread does something alone or as a leader.
pub(crate) fn is_at_work() -> bool {
    !matches!(MODE.get(), Mode::Pool)
}

/// Who does what is shared out now.
enum Crew<'a> {
    Pool,
    Alone,
    Leading(&'a ThreadPool),
}

/// Does something with those who do what is shared out now.
fn with_crew<R>(work: impl FnOnce(Crew<'_>) -> R) -> R {
    work(match MODE.get() {
        Mode::Pool => Crew::Pool,
        Mode::Alone => Crew::Alone,
        // SAFETY: `lead` borrows the pool for as long as this thread is in that mode.
        Mode::Leading(pool) => match unsafe { pool.as_ref() } {
            pool if pool.current_num_threads() == 1 => Crew::Alone,
            pool => Crew::Leading(pool),
        },
    })
}

/// The number of threads that work is shared out among.
pub(crate) fn threads() -> usize {
    with_crew(|crew| match crew {
        Crew::Pool => rayon::current_num_threads(),
        Crew::Alone => 1,
        Crew::Leading(pool) => pool.current_num_threads(),
    })
}

/// Does work for every number below `count`.
pub(crate) fn for_each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    with_crew(|crew| match crew {
        Crew::Pool => (0..count).into_par_iter().for_each(work),
        Crew::Alone => (0..count).for_each(work),
        Crew::Leading(pool) => for_each_number_leading(pool, count, &|| Box::new(work)),
    })
}

/// Does the same work so many times, each on a thread of its own if there are as many.
pub(crate) fn repeat(count: usize, work: &(dyn Fn() + Sync)) {
    with_crew(|crew| match crew {
        Crew::Pool => rayon::scope(|scope| (0..count).for_each(|_| scope.spawn(|_| work()))),
        Crew::Alone => (0..count).for_each(|_| work()),
        Crew::Leading(pool) => for_each_number_leading(pool, count, &|| Box::new(|_| work())),
    })
}

/// Does the same work on this thread and on up to `others` that come before it has ended. This thread does nothing else, not even while it waits for those who came: work that waits for a device would keep it for as long.
pub(crate) fn together(others: usize, work: &(dyn Fn() + Sync)) {
    let share = |threads: usize, spawn: &dyn Fn(Task)| share(others.min(threads - 1), spawn, work);
    with_crew(|crew| match crew {
        Crew::Pool => share(rayon::current_num_threads(), &|task| rayon::spawn(task)),
        Crew::Alone => work(),
        Crew::Leading(pool) => share(pool.current_num_threads(), &|task| pool.spawn(task)),
    });
}

/// Does work on every chunk of `len` items, the last of which may be shorter, and tells it the number of the chunk.
///
/// # Panics
/// If `len` is 0.
pub(crate) fn for_each_chunk<T: Send>(items: &mut [T], len: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let chunks = Chunks::new(items, len);
    // SAFETY: each number is passed once.
    for_each_number(chunks.count(), &|number| work(number, unsafe { chunks.get(number) }));
}

/// The same with something that is made now and then, such as memory for scratch, and that pieces of work after one another share.
pub(crate) fn for_each_chunk_with<T: Send, S>(
    items: &mut [T],
    len: usize,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    let (chunks, work) = (&Chunks::new(items, len), &work);
    let worker = || -> Worker<'_> {
        let mut made = make();
        // SAFETY: each number is passed once.
        Box::new(move |number| work(&mut made, number, unsafe { chunks.get(number) }))
    };
    for_each_number_by(chunks.count(), &worker);
}

/// What does work for one number after another.
type Worker<'a> = Box<dyn FnMut(usize) + 'a>;

fn for_each_number_by<'a>(count: usize, worker: &(dyn Fn() -> Worker<'a> + Sync)) {
    with_crew(|crew| match crew {
        Crew::Pool => (0..count).into_par_iter().for_each_init(worker, |worker, number| worker(number)),
        Crew::Alone => (0..count).for_each(worker()),
        Crew::Leading(pool) => for_each_number_leading(pool, count, worker),
    })
}

/// The same by this thread and others of a pool. Each takes runs of numbers, which become shorter towards the end.
fn for_each_number_leading<'a>(pool: &ThreadPool, count: usize, worker: &(dyn Fn() -> Worker<'a> + Sync)) {
    let threads = pool.current_num_threads().min(count);
    let next = AtomicUsize::new(0);
    let take = || -> Option<Range<usize>> {
        let run = |from: usize| from + (count - from).div_ceil(2 * threads);
        let taken = |from: usize| (from < count).then(|| run(from));
        let from = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).ok()?;
        Some(from..run(from))
    };
    let spawn = |task: Task| pool.spawn(task);
    share(threads.saturating_sub(1), &spawn, &|| {
        let Some(first) = take() else { return };
        let mut worker = worker();
        first.for_each(&mut worker);
        while let Some(run) = take() {
            run.for_each(&mut worker);
        }
    });
}

/// Does two things, at the same time if another thread is free.
pub(crate) fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut first, mut second, mut a, mut b) = (Some(first), Some(second), None, None);
    join_both(&mut || a = first.take().map(|first| first()), &mut || {
        b = second.take().map(|second| second())
    });
    (a.expect("the first was done"), b.expect("the second was done"))
}

fn join_both(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    with_crew(|crew| match crew {
        Crew::Pool => _ = rayon::join(first, second),
        Crew::Alone => {
            first();
            second();
        }
        Crew::Leading(pool) => {
            let both: [Mutex<&mut (dyn FnMut() + Send)>; 2] = [Mutex::new(first), Mutex::new(second)];
            for_each_number_leading(pool, 2, &|| Box::new(|number| lock(&both[number])()));
        }
    })
}

/// Items in chunks, for any threads.
pub(crate) struct Chunks<T> {
    items: *mut T,
    all: usize,
    len: usize,
}

// SAFETY: a chunk is with one thread at a time, as `get` demands, and its items may go to other threads.
unsafe impl<T: Send> Sync for Chunks<T> {}

impl<T> Chunks<T> {
    pub(crate) fn new(items: &mut [T], len: usize) -> Self {
        assert_ne!(len, 0, "chunks of at least one item");
        Self { items: items.as_mut_ptr(), all: items.len(), len }
    }

    pub(crate) fn count(&self) -> usize {
        self.all.div_ceil(self.len)
    }

    /// A chunk.
    ///
    /// # Safety
    /// The items are borrowed for the whole time, and no number comes twice.
    #[allow(clippy::mut_from_ref, reason = "chunks are disjoint")]
    pub(crate) unsafe fn get(&self, number: usize) -> &mut [T] {
        assert!(number < self.count(), "chunk {number} of {}", self.count());
        let first = number * self.len;
        // SAFETY: within the items, since the number is below the count; chunks of different numbers are disjoint.
        unsafe { std::slice::from_raw_parts_mut(self.items.add(first), self.len.min(self.all - first)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_once() {
        for len in [1, 2, 3, 7, 100] {
            for all in [0, 1, 2, 6, 7, 8, 99, 100, 101, 1000] {
                let mut items = vec![usize::MAX; all];
                for_each_chunk(&mut items, len, |number, chunk| {
                    chunk.iter_mut().enumerate().for_each(|(i, item)| *item = number * len + i);
                });
                assert!(items.iter().copied().eq(0..all), "{all} in chunks of {len}");
                let make = Vec::new;
                for_each_chunk_with(&mut items, len, make, |before: &mut Vec<usize>, number, chunk| {
                    assert!(!before.contains(&number), "{number} again");
                    before.push(number);
                    chunk.iter_mut().for_each(|item| *item += number);
                });
                assert!(items.iter().copied().eq((0..all).map(|i| i + i / len)), "{all} in chunks of {len}");
            }
        }
    }

    #[test]
    fn both_and_many() {
        assert_eq!(join(|| 1, || "two"), (1, "two"));
        let done = std::sync::atomic::AtomicUsize::new(0);
        repeat(5, &|| _ = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        assert_eq!(done.into_inner(), 5);
    }

    #[test]
    fn alone_means_on_this_thread() {
        let here = std::thread::current().id();
        let check = || assert_eq!(std::thread::current().id(), here);
        alone(|| {
            for_each_chunk(&mut [0; 100], 1, |_, _| check());
            for_each_chunk_with(&mut [0; 100], 1, check, |(), _, _| check());
            repeat(9, &check);
            assert_eq!((join(check, check), threads()), (((), ()), 1));
            let panicked = std::panic::catch_unwind(|| alone(|| panic!("inside")));
            assert!(panicked.is_err() && is_at_work());
        });
        assert!(!is_at_work());
    }

    /// A thread that is of no pool does all of it, alone or with the others.
    #[test]
    fn a_leader_and_its_pool() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            lead(&pool, || {
                assert_eq!(super::threads(), threads);
                every_chunk_once();
                both_and_many();
                // Work inside of work, on either side.
                let done = AtomicUsize::new(0);
                for_each_number(7, &|_| {
                    join(
                        || for_each_number(10, &|_| _ = done.fetch_add(1, Ordering::Relaxed)),
                        || repeat(3, &|| _ = done.fetch_add(1, Ordering::Relaxed)),
                    );
                });
                assert_eq!(done.into_inner(), 7 * 13);
                for number in [0, 2, 7] {
                    let chunks = || for_each_chunk(&mut [0; 8], 1, |at, _| assert_ne!(at, number, "one"));
                    assert!(std::panic::catch_unwind(chunks).is_err());
                }
                for_each_number(0, &|_| panic!("nothing to do"));
            });
            assert!(!is_at_work());
        }
    }

    /// Everything is done by this thread and by no more others than were asked for: in a pool, alone, and as a leader.
    #[test]
    fn work_that_is_done_together() {
        let check = |others: usize| {
            let (left, inside, most) = (AtomicUsize::new(1000), AtomicUsize::new(0), AtomicUsize::new(0));
            together(others, &|| {
                most.fetch_max(1 + inside.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                let take = |left: usize| left.checked_sub(1);
                while left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok() {}
                inside.fetch_sub(1, Ordering::SeqCst);
            });
            assert_eq!((left.into_inner(), inside.into_inner()), (0, 0));
            assert!((1..=1 + others).contains(&most.into_inner()));
        };
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for others in [0, 1, 9] {
                pool.install(|| check(others));
                lead(&pool, || check(others));
                alone(|| check(others));
            }
        }
    }

    /// Others do come: two pieces that wait for each other end.
    #[test]
    fn a_leader_is_helped() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let begun = AtomicUsize::new(0);
        let meet = || {
            begun.fetch_add(1, Ordering::SeqCst);
            while begun.load(Ordering::SeqCst) < 2 {
                std::thread::yield_now();
            }
        };
        lead(&pool, || join(meet, meet));
    }

    #[test]
    #[should_panic(expected = "at least one item")]
    fn chunks_of_nothing() {
        for_each_chunk(&mut [1], 0, |_, _| ());
    }

    /// As rayon has it: what was begun ends, and the panic comes to the caller.
    #[test]
    #[should_panic(expected = "the third")]
    fn a_panic_arrives() {
        for_each_chunk(&mut [0; 8], 1, |number, _| assert_ne!(number, 2, "the third"));
    }
}
