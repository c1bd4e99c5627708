//! What share of a program's time passes in some functions, whichever code does their work.
//!
//! The measured copies of a prover's crates hold a [`Timed`] through each function that zkaccel could do, stock or not. The clock runs
//! while there is one or more of them, so calls side by side and calls within calls count once: it is time on the wall.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::lock;

struct Clock {
    holders: usize,
    since: Option<Instant>,
    before: Duration,
}

static CLOCK: Mutex<Clock> = Mutex::new(Clock { holders: 0, since: None, before: Duration::ZERO });

/// Lets the clock run until it is dropped.
#[must_use]
#[derive(Debug)]
pub struct Timed(());

/// Starts the clock, or lets it run on.
pub fn timed() -> Timed {
    let mut clock = lock(&CLOCK);
    clock.holders += 1;
    clock.since.get_or_insert_with(Instant::now);
    Timed(())
}

/// The time for which the clock has run.
pub fn time_in() -> Duration {
    let clock = lock(&CLOCK);
    clock.before + clock.since.map_or(Duration::ZERO, |since| since.elapsed())
}

impl Drop for Timed {
    fn drop(&mut self) {
        let mut clock = lock(&CLOCK);
        clock.holders -= 1;
        if clock.holders == 0
            && let Some(since) = clock.since.take()
        {
            clock.before += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{time_in, timed};
    use std::time::{Duration, Instant};

    /// The clock is the process's, so this is one test.
    #[test]
    fn the_clock_runs_while_it_is_held() {
        let pause = Duration::from_millis(20);
        let sleep = || std::thread::sleep(pause);
        let start = Instant::now();
        let outer = timed();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let _inner = timed();
                    sleep();
                });
            }
        });
        assert!(time_in() >= pause, "it can be read while it runs");
        drop(outer);
        let (held, passed) = (time_in(), start.elapsed());
        assert!(held >= pause && held <= passed, "{held:?} of {passed:?}");
        sleep();
        assert_eq!(time_in(), held, "it stands while nobody holds it");
        drop(timed());
        assert!(time_in() < held + pause);
    }
}
