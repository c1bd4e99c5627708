//! Tasks with borrowed data, for threads that outlive the data.
//!
//! A thread that waits for such tasks blocks and runs nothing else meanwhile. Rayon's own `install` and `scope` make a waiting
//! thread of another rayon pool run further tasks of its pool; each of those may wait in turn, so that operations accumulate on
//! one stack without limit.

use std::marker::PhantomData;

use crate::lock::lock;
use crate::sync::{Arc, Condvar, Mutex, PoisonError};

/// A task that any thread may run.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// Lends tasks that borrow what outlives `'scope`; see [`lending`].
#[derive(Debug)]
pub(crate) struct Lender<'scope> {
    out: Arc<Out>,
    /// Invariant: a lender of one scope must not be usable as that of a shorter one.
    scope: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

/// The number of lent tasks.
#[derive(Debug, Default)]
struct Out {
    count: Mutex<usize>,
    returned: Condvar,
}

/// One lent task, until this is dropped.
struct Lent(Arc<Out>);

impl Drop for Lent {
    fn drop(&mut self) {
        let mut count = lock(&self.0.count);
        *count -= 1;
        if *count == 0 {
            self.0.returned.notify_all();
        }
    }
}

/// A task and its share of the count. The fields are dropped in this order, the share also if dropping the task panics.
struct Counted {
    task: Task,
    _lent: Lent,
}

impl Counted {
    fn run(self) {
        let Self { task, _lent } = self;
        // Consumed by the call: everything that it holds is dropped when it returns or unwinds, and the share of the count after
        // it.
        task();
    }
}

/// Returns when `body` has returned and every task lent meanwhile has been run or dropped; likewise if `body` panics.
pub(crate) fn lending<'scope, R>(body: impl FnOnce(&Lender<'scope>) -> R) -> R {
    struct Wait<'a>(&'a Out);
    impl Drop for Wait<'_> {
        fn drop(&mut self) {
            let mut count = lock(&self.0.count);
            while *count > 0 {
                count = self.0.returned.wait(count).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
    let lender = Lender { out: Arc::default(), scope: PhantomData };
    let _wait = Wait(&lender.out);
    body(&lender)
}

impl<'scope> Lender<'scope> {
    /// The task, for a thread of any lifetime.
    pub(crate) fn lend(&self, task: Box<dyn FnOnce() + Send + 'scope>) -> Task {
        *lock(&self.out.count) += 1;
        let lent = Lent(Arc::clone(&self.out));
        // SAFETY: only the lifetime changes. A lender exists within `lending` alone, which does not return before the task has
        // been consumed or dropped, and `'scope`, a parameter of `lending`, outlives that call. If the task is never dropped,
        // `lending` never returns.
        let task = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + 'scope>, Task>(task) };
        let counted = Counted { task, _lent: lent };
        Box::new(move || counted.run())
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::time::Duration;

    use super::lending;

    #[test]
    fn tasks_end_before_what_they_borrow() {
        for panics in [false, true] {
            let words = Mutex::new(Vec::new());
            let result = catch_unwind(AssertUnwindSafe(|| {
                lending(|lender| {
                    for i in 0..4 {
                        let words = &words;
                        let task = lender.lend(Box::new(move || {
                            std::thread::sleep(Duration::from_millis(10));
                            words.lock().unwrap().push(i);
                        }));
                        std::thread::spawn(task);
                    }
                    // A task that is never run.
                    drop(lender.lend(Box::new(|| words.lock().unwrap().push(4))));
                    assert!(!panics);
                })
            }));
            assert_eq!(result.is_err(), panics);
            let mut words = words.into_inner().unwrap();
            words.sort_unstable();
            assert_eq!(words, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn a_task_that_panics_is_done() {
        let thread = lending(|lender| std::thread::spawn(lender.lend(Box::new(|| panic!("on purpose")))));
        assert!(thread.join().is_err());
    }
}
