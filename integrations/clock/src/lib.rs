//! What share of a program's time passes in some functions, whichever code does their work.
//!
//! Each function that zkaccel could do holds a [`Running`] while it runs, stock or not. The clock runs while there is one or more of
//! them, so calls side by side and calls within calls count once: it is time on the wall.

mod phases;

pub use phases::Phases;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time for which the threads of this process have had a processor: what other programs on the machine change least. `None` where the system does not tell; Linux does. A thread that has ended
/// counts no more.
pub fn processor_time() -> Option<Duration> {
    let mut sum = 0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        // A thread may end meanwhile.
        let Ok(text) = std::fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
        sum += text.split_ascii_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(sum))
}

/// A clock that runs while somebody lets it.
#[derive(Debug)]
pub struct Clock(Mutex<ClockState>);

#[derive(Debug)]
struct ClockState {
    holders: usize,
    since: Option<Instant>,
    before: Duration,
}

/// Lets the clock run until it is dropped.
#[must_use]
#[derive(Debug)]
pub struct Running<'a>(&'a Clock);

impl Clock {
    /// A clock that stands, at zero.
    #[expect(clippy::new_without_default, reason = "it is made for statics")]
    pub const fn new() -> Self {
        Self(Mutex::new(ClockState { holders: 0, since: None, before: Duration::ZERO }))
    }

    /// Nothing that can panic runs under the lock.
    fn state(&self) -> MutexGuard<'_, ClockState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the clock, or lets it run on.
    pub fn run(&self) -> Running<'_> {
        let mut state = self.state();
        state.holders += 1;
        state.since.get_or_insert_with(Instant::now);
        Running(self)
    }

    /// The time for which the clock has run.
    pub fn time(&self) -> Duration {
        let state = self.state();
        state.before + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Proves with both, in turns: once each to warm up, then nine times, or at least three times within three seconds. Tells the shortest
    /// times, which other work on the machine disturbs least, and returns the last proofs.
    pub fn compare<S, A>(
        &self,
        mut stock: impl FnMut() -> S,
        mut accelerated: impl FnMut() -> A,
    ) -> (S, A, Comparison) {
        // Tables, kernels and thresholds of the first run are the process's, not the proof's.
        drop((stock(), accelerated()));
        let start = Instant::now();
        let (mut all_theirs, mut all_ours) = (Vec::new(), Vec::new());
        loop {
            let (theirs, times) = self.measure(&mut stock);
            all_theirs.push(times);
            let (ours, times) = self.measure(&mut accelerated);
            all_ours.push(times);
            let rounds = all_ours.len();
            if rounds == 9 || rounds >= 3 && start.elapsed() >= Duration::from_secs(3) {
                let comparison = Comparison { stock: shortest(all_theirs), accelerated: shortest(all_ours) };
                return (theirs, ours, comparison);
            }
        }
    }

    /// Does something, and tells how long it took.
    pub fn measure<T>(&self, what: impl FnOnce() -> T) -> (T, Times) {
        let (before, start) = (self.time(), Instant::now());
        let done = what();
        (done, Times { whole: start.elapsed(), share: self.time() - before })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.holders -= 1;
        if state.holders == 0
            && let Some(since) = state.since.take()
        {
            state.before += since.elapsed();
        }
    }
}

/// The time of a proof, and for how much of it the clock ran.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// All of it.
    pub whole: Duration,
    /// The part.
    pub share: Duration,
}

/// The shortest whole, and what was measured with it.
fn shortest(times: Vec<Times>) -> Times {
    times.into_iter().min_by_key(|times| times.whole).expect("one round or more")
}

/// Which vector and carry instructions this program was compiled for, and which the processor has besides. Stock provers choose theirs
/// when they are compiled, by `RUSTFLAGS=-Ctarget-cpu=native`; zkaccel chooses at run time.
pub fn compiled_for() -> String {
    #[cfg(target_arch = "x86_64")]
    let features = {
        macro_rules! features {
            ($($name:tt),*) => { [$(($name, cfg!(target_feature = $name), is_x86_feature_detected!($name))),*] };
        }
        features!("avx2", "avx512f", "avx512dq", "bmi2", "adx")
    };
    // Whatever matters to the provers is part of the other targets.
    #[cfg(not(target_arch = "x86_64"))]
    let features: [(&str, bool, bool); 0] = [];
    describe(&features)
}

/// The same in words, of features by name, whether they were compiled for and whether the processor has them.
fn describe(features: &[(&str, bool, bool)]) -> String {
    let names = |wanted: fn(&(&str, bool, bool)) -> bool| {
        let names: Vec<&str> =
            features.iter().filter(|feature| wanted(feature)).map(|feature| feature.0).collect();
        names.join(", ")
    };
    let (compiled, missing) =
        (names(|&(_, compiled, _)| compiled), names(|&(_, compiled, has)| has && !compiled));
    let compiled = if compiled.is_empty() { "the target's least processor" } else { &compiled };
    match missing.is_empty() {
        true => format!("compiled for {compiled}"),
        false => format!(
            "compiled for {compiled}, but not for {missing}, which this processor has: \
             the stock prover is slower than with RUSTFLAGS=-Ctarget-cpu=native"
        ),
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [whole, share] = [self.whole, self.share].map(|time| time.as_secs_f64() * 1e3);
        write!(f, "{whole:.0} ms, of it {share:.0} ms ({:.0} %)", 100.0 * share / whole)
    }
}

/// A stock proof beside an accelerated one.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// What the published prover took.
    pub stock: Times,
    /// What the accelerated one took.
    pub accelerated: Times,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stock, accelerated } = self;
        let times =
            |part: fn(&Times) -> Duration| part(stock).as_secs_f64() / part(accelerated).as_secs_f64();
        let (whole, share) = (times(|times| times.whole), times(|times| times.share));
        write!(
            f,
            "stock {stock}; accelerated {accelerated}; {whole:.2} times as fast, that part {share:.1} times"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Comparison, Times, describe, shortest};
    use std::time::{Duration, Instant};

    #[test]
    fn the_clock_runs_while_it_is_held() {
        let clock = Clock::new();
        let pause = Duration::from_millis(20);
        let sleep = || std::thread::sleep(pause);
        let start = Instant::now();
        let outer = clock.run();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let _inner = clock.run();
                    sleep();
                });
            }
        });
        assert!(clock.time() >= pause, "it can be read while it runs");
        drop(outer);
        let (held, passed) = (clock.time(), start.elapsed());
        assert!(held >= pause && held <= passed, "{held:?} of {passed:?}");
        sleep();
        assert_eq!(clock.time(), held, "it stands while nobody holds it");
        let ((), times) = clock.measure(|| {
            drop(clock.run());
            sleep();
        });
        assert!(times.whole >= pause && times.share < pause, "{times:?}");
    }

    #[test]
    fn proofs_in_turns() {
        let clock = Clock::new();
        let pause = Duration::from_millis(2);
        let (mut stock, mut accelerated) = (0, 0);
        let ours = || {
            let _running = clock.run();
            std::thread::sleep(pause);
            accelerated += 1;
            accelerated
        };
        let theirs = || {
            stock += 1;
            stock
        };
        let (theirs, ours, comparison) = clock.compare(theirs, ours);
        assert_eq!((theirs, ours), (10, 10));
        assert_eq!(comparison.stock.share, Duration::ZERO);
        assert!(
            comparison.accelerated.share >= pause
                && comparison.accelerated.share <= comparison.accelerated.whole
        );
    }

    #[test]
    fn the_shortest_time_and_its_share() {
        let times = [(30, 1), (10, 5), (20, 2)].map(|(whole, share)| times(whole, share));
        let Times { whole, share } = shortest(times.to_vec());
        assert_eq!((whole.as_millis(), share.as_millis()), (10, 5));
    }

    #[test]
    fn what_was_compiled_for_in_words() {
        let features = [("a", true, true), ("b", false, true), ("c", false, true), ("d", false, false)];
        assert_eq!(
            describe(&features),
            "compiled for a, but not for b, c, which this processor has: \
             the stock prover is slower than with RUSTFLAGS=-Ctarget-cpu=native"
        );
        assert_eq!(describe(&features[..1]), "compiled for a");
        assert_eq!(describe(&features[3..]), "compiled for the target's least processor");
    }

    fn times(whole: u64, share: u64) -> Times {
        Times { whole: Duration::from_millis(whole), share: Duration::from_millis(share) }
    }

    #[test]
    fn a_comparison_in_words() {
        let comparison = Comparison { stock: times(1000, 800), accelerated: times(250, 40) };
        assert_eq!(
            comparison.to_string(),
            "stock 1000 ms, of it 800 ms (80 %); accelerated 250 ms, of it 40 ms (16 %); 4.00 times as fast, that part 20.0 times"
        );
    }
}
