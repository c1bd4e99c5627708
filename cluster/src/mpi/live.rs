//! What a process has begun with MPI and not ended. A process that exits meanwhile ends the others: launchers differ in whether they notice, and what they say of it.

use std::ffi::c_int;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use super::Job;

/// The number of something that has begun.
pub(super) type Key = u64;

struct Live {
    next: Key,
    begun: Vec<(Key, usize, Sender<Job>)>,
}

static LIVE: Mutex<Live> = Mutex::new(Live { next: 0, begun: Vec::new() });

fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" {
    /// atexit(3), of the C library that `std` links.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

/// Notes that a rank has begun, with the way to the thread that calls MPI.
pub(super) fn enter(rank: usize, jobs: Sender<Job>) -> Key {
    static REGISTERED: Once = Once::new();
    // Where there is no room for a function more, the launcher has to notice.
    REGISTERED.call_once(|| {
        let _ = atexit(end_others);
    });
    let mut live = live();
    let key = live.next;
    live.next += 1;
    live.begun.push((key, rank, jobs));
    key
}

/// Notes that a rank has another number.
pub(super) fn renumber(key: Key, rank: usize) {
    live().begun.iter_mut().filter(|(other, ..)| *other == key).for_each(|begun| begun.1 = rank);
}

/// Notes that it ends.
pub(super) fn leave(key: Key) {
    live().begun.retain(|(other, ..)| *other != key);
}

/// Notes that the process ends all others, and may exit.
pub(super) fn leave_all() {
    live().begun.clear();
}

/// The thread that calls MPI runs until the process has ended.
extern "C" fn end_others() {
    let begun = std::mem::take(&mut live().begun);
    for (_, rank, jobs) in begun {
        abort(rank, "the process exits before the others are done", &jobs, Duration::from_secs(1));
    }
}

/// Says why, has the thread end all processes, and waits so long for it.
pub(super) fn abort(rank: usize, reason: &str, jobs: &Sender<Job>, patience: Duration) {
    eprintln!("rank {rank}: {reason}");
    // It does not return where it succeeds.
    let _ = jobs.send(Job::Abort);
    std::thread::sleep(patience);
}
