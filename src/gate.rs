//! A limit on the operations in an engine's thread pool at once.
//!
//! A thread of the pool that waits for a part of its operation runs other work meanwhile, and that may be a whole operation of
//! another caller. So in the worst case all admitted operations are on the stack of one thread. Therefore their number is
//! limited, and further callers wait outside.

use crate::lock::lock;
use crate::sync::{Condvar, Mutex, PoisonError};

/// Admits a number of operations, and further ones when those have ended.
#[derive(Debug)]
pub(crate) struct Gate {
    inside: Mutex<Inside>,
    left: Condvar,
    limit: usize,
}

#[derive(Debug, Default)]
struct Inside {
    now: usize,
    entered: u64,
}

/// An admitted operation, until this is dropped.
pub(crate) struct Entered<'a> {
    gate: &'a Gate,
    is_alone: bool,
}

impl Gate {
    /// A gate that admits so many at once.
    pub(crate) fn new(limit: usize) -> Self {
        Self { inside: Mutex::default(), left: Condvar::new(), limit }
    }

    /// Enters as soon as there is room.
    pub(crate) fn enter(&self) -> Entered<'_> {
        let mut inside = lock(&self.inside);
        while inside.now >= self.limit {
            inside = self.left.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        inside.now += 1;
        inside.entered += 1;
        Entered { gate: self, is_alone: inside.now == 1 }
    }

    /// The number of operations that have entered so far; `None` while one is inside.
    pub(crate) fn entered_and_left(&self) -> Option<u64> {
        let inside = lock(&self.inside);
        (inside.now == 0).then_some(inside.entered)
    }
}

impl Entered<'_> {
    /// Whether no other operation was inside when this one entered.
    pub(crate) fn is_alone(&self) -> bool {
        self.is_alone
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        lock(&self.gate.inside).now -= 1;
        self.gate.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::Gate;

    #[test]
    fn no_more_enter_than_there_is_room_for() {
        let gate = Gate::new(3);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let _entered = gate.enter();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        assert_eq!(gate.entered_and_left(), None);
                        std::thread::sleep(Duration::from_millis(1));
                        now.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 3);
        assert_eq!(gate.entered_and_left(), Some(60));
    }
}
