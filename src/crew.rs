//! Work that a thread begins by itself, and in which others join it as they come.
//!
//! To wake a thread takes some tens of microseconds, longer than many operations. So the thread that has something to do does not wait for others
//! to begin: it offers them a part, and where it has done all of it before they come, it withdraws the offer.

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use crate::lend::Task;
use crate::lock::lock;
use crate::sync::{Arc, Condvar, Mutex, PoisonError};

/// How long a thread looks for others to end before it sleeps: about as long as it takes to wake it.
const PATIENCE: Duration = Duration::from_micros(30);

/// Work that is offered.
struct Offer {
    attendance: Mutex<Attendance>,
    left: Condvar,
    work: Closure,
}

/// A closure, without its lifetime.
#[derive(Clone, Copy)]
struct Closure(*const (dyn Fn() + Sync));

// SAFETY: what it points to may be called by any thread, being `Sync`; when it may is the business of `Offer`.
unsafe impl Send for Closure {}
// SAFETY: as above.
unsafe impl Sync for Closure {}

struct Attendance {
    /// Whether others may begin.
    open: bool,
    /// The others that have begun and not ended.
    inside: usize,
    /// What the first of them panicked with.
    panic: Option<Box<dyn Any + Send>>,
}

impl Offer {
    /// Does the work on another thread, unless it was withdrawn.
    fn accept(&self) {
        {
            let mut attendance = lock(&self.attendance);
            if !attendance.open {
                return;
            }
            attendance.inside += 1;
        }
        // SAFETY: `share` returns, and with that the work ends its life, only after it has closed the offer and everybody inside has left, which is below.
        let done = catch_unwind(AssertUnwindSafe(|| unsafe { (*self.work.0)() }));
        let mut attendance = lock(&self.attendance);
        if let Err(panic) = done {
            attendance.panic.get_or_insert(panic);
        }
        attendance.inside -= 1;
        if attendance.inside == 0 {
            self.left.notify_all();
        }
    }

    /// Lets nobody begin any more and waits for those who have; the panic of the first that had one.
    fn withdraw(&self) -> Option<Box<dyn Any + Send>> {
        let start = Instant::now();
        let mut attendance = lock(&self.attendance);
        attendance.open = false;
        while attendance.inside > 0 {
            if start.elapsed() < PATIENCE {
                drop(attendance);
                spin_loop();
                attendance = lock(&self.attendance);
            } else {
                attendance = self.left.wait(attendance).unwrap_or_else(PoisonError::into_inner);
            }
        }
        attendance.panic.take()
    }
}

/// Does work on this thread and on up to `others`, to which `spawn` gives tasks; those that come when this thread is done do nothing. Returns when all who have begun have ended.
///
/// The work is done several times at once: it is to be something like taking piece after piece of a whole, until there is none.
pub(crate) fn share(others: usize, spawn: &dyn Fn(Task), work: &(dyn Fn() + Sync)) {
    if others == 0 {
        return work();
    }
    // SAFETY: only the lifetime changes. `Offer::accept` says why the work is not used after it.
    let lasting = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(work) };
    let attendance = Attendance { open: true, inside: 0, panic: None };
    let offer =
        Arc::new(Offer { attendance: Mutex::new(attendance), left: Condvar::new(), work: Closure(lasting) });
    // Nobody may be inside when this function is left, however it is left: nothing below panics but for what is caught.
    let done = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..others {
            let offer = Arc::clone(&offer);
            spawn(Box::new(move || offer.accept()));
        }
        work();
    }));
    let theirs = offer.withdraw();
    if let Err(panic) = done {
        resume_unwind(panic);
    }
    if let Some(panic) = theirs {
        resume_unwind(panic);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::share;
    use crate::lend::Task;

    fn spawn(task: Task) {
        std::thread::spawn(task);
    }

    /// Every piece is taken once, whether others come or not.
    #[test]
    fn pieces_of_a_whole() {
        let never = |task: Task| drop(task);
        let late = Mutex::new(Vec::new());
        let keep = |task: Task| late.lock().unwrap().push(task);
        for spawn in [&spawn as &dyn Fn(Task), &never, &keep] {
            for others in [0, 1, 5] {
                let (next, taken) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
                share(others, spawn, &|| {
                    loop {
                        let piece = next.fetch_add(1, Ordering::Relaxed);
                        if piece >= 100 {
                            break;
                        }
                        taken.lock().unwrap().push(piece);
                    }
                });
                let mut taken = taken.into_inner().unwrap();
                taken.sort_unstable();
                assert!(taken.into_iter().eq(0..100));
            }
        }
        // Those who come when it is done find nothing, neither what was borrowed.
        assert_eq!(late.lock().unwrap().len(), 6);
        late.into_inner().unwrap().into_iter().for_each(|task| task());
    }

    /// Another thread's panic comes to the caller after all have ended, and the caller's own as well.
    #[test]
    fn panics_arrive_when_all_have_ended() {
        for own in [false, true] {
            let (here, ended) = (std::thread::current().id(), AtomicUsize::new(0));
            let begun = AtomicUsize::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                share(2, &spawn, &|| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    while begun.load(Ordering::SeqCst) < 3 {
                        std::thread::yield_now();
                    }
                    let is_here = std::thread::current().id() == here;
                    if !is_here {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    ended.fetch_add(1, Ordering::SeqCst);
                    assert!(is_here != own, "on purpose");
                });
            }));
            assert!(result.is_err());
            assert_eq!(ended.load(Ordering::SeqCst), 3);
        }
    }
}
