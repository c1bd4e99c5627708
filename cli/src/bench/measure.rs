//! Repeated, timed runs.

use std::time::{Duration, Instant};

use zkaccel::Error;

/// Runs of which there are at least [`FEWEST`] only when one is longer than this.
const LONG: Duration = Duration::from_secs(3);

/// Runs of work that is not long, and of work that is.
const USUAL: usize = 10;
const FEWEST: usize = 3;

/// Short work is run up to this often, until it has taken this long.
const MOST: usize = 200;
const ENOUGH: Duration = Duration::from_millis(500);

/// The times of the runs, shortest first; at least one.
#[derive(Clone, Debug)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether there are fewer than usual because each is long.
    pub(super) fn are_few(&self) -> bool {
        self.count() < USUAL
    }

    pub(super) fn min(&self) -> Duration {
        self.0[0]
    }

    /// The middle; of an even number the upper of the two in the middle.
    pub(super) fn median(&self) -> Duration {
        self.0[self.count() / 2]
    }

    pub(super) fn max(&self) -> Duration {
        self.0[self.count() - 1]
    }
}

/// Times `run`; what comes before in `prepare` and the end of the result's life are not counted.
pub(super) fn measure<S, T>(
    mut prepare: impl FnMut() -> Result<S, Error>,
    mut run: impl FnMut(S) -> Result<T, Error>,
) -> Result<Times, Error> {
    let mut once = || {
        let prepared = prepare()?;
        let start = Instant::now();
        let result = run(prepared)?;
        let elapsed = start.elapsed();
        drop(result);
        Ok::<_, Error>(elapsed)
    };
    let warm_up = once()?;
    let fewest = if warm_up > LONG { FEWEST } else { USUAL };
    let mut times = Vec::new();
    let mut spent = Duration::ZERO;
    while times.len() < fewest || (times.len() < MOST && spent < ENOUGH) {
        let elapsed = once()?;
        spent += elapsed;
        times.push(elapsed);
    }
    times.sort_unstable();
    Ok(Times(times))
}
