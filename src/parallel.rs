//! Work shared out among the threads of the pool on which it is called.
//!
//! rayon's iterators are compiled anew for every closure, some ninety functions each time, and this crate has closures by the
//! hundred, because they are generic over fields, hashes, curves and vectors. So all work goes through the few functions here, which rayon is
//! compiled for once: they take closures by reference. What a call through a pointer costs, pieces of work make up for: they take microseconds.

use std::cell::Cell;

use rayon::prelude::*;

/// Bytes that one thread reads or copies in some microseconds: others would begin no earlier.
pub(crate) const FEW: usize = 64 << 10;

thread_local! {
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Does something by this thread alone: what would be shared out among others it does itself.
pub(crate) fn alone<R>(work: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _before = Before(ALONE.replace(true));
    work()
}

/// Whether this thread does something alone.
pub(crate) fn is_alone() -> bool {
    ALONE.get()
}

/// The number of threads that work is shared out among.
pub(crate) fn threads() -> usize {
    if is_alone() { 1 } else { rayon::current_num_threads() }
}

/// Does work for every number below `count`.
pub(crate) fn for_each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    match is_alone() {
        true => (0..count).for_each(work),
        false => (0..count).into_par_iter().for_each(work),
    }
}

/// Does the same work so many times, each on a thread of its own if there are as many.
pub(crate) fn repeat(count: usize, work: &(dyn Fn() + Sync)) {
    match is_alone() {
        true => (0..count).for_each(|_| work()),
        false => rayon::scope(|scope| (0..count).for_each(|_| scope.spawn(|_| work()))),
    }
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
    match is_alone() {
        true => (0..count).for_each(worker()),
        false => (0..count).into_par_iter().for_each_init(worker, |worker, number| worker(number)),
    }
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
    match is_alone() {
        true => {
            first();
            second();
        }
        false => _ = rayon::join(first, second),
    }
}

/// Items in chunks, for any threads.
struct Chunks<T> {
    items: *mut T,
    all: usize,
    len: usize,
}

// SAFETY: a chunk is with one thread at a time, as `get` demands, and its items may go to other threads.
unsafe impl<T: Send> Sync for Chunks<T> {}

impl<T> Chunks<T> {
    fn new(items: &mut [T], len: usize) -> Self {
        assert_ne!(len, 0, "chunks of at least one item");
        Self { items: items.as_mut_ptr(), all: items.len(), len }
    }

    fn count(&self) -> usize {
        self.all.div_ceil(self.len)
    }

    /// A chunk.
    ///
    /// # Safety
    /// The items are borrowed for the whole time, and no number comes twice.
    #[allow(clippy::mut_from_ref, reason = "chunks are disjoint")]
    unsafe fn get(&self, number: usize) -> &mut [T] {
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
            assert!(panicked.is_err() && is_alone());
        });
        assert!(!is_alone());
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
