//! Repeated, timed runs.

use std::time::{Duration, Instant};

use zkaccel::{Engine, Error};

/// Only if a run takes longer than this there may be as few runs as [`FEWEST`].
const LONG: Duration = Duration::from_secs(3);

/// The least number of runs, of short and of long work.
const USUAL: usize = 10;
const FEWEST: usize = 3;

/// Short work is run up to this often, until it has taken this long.
const MOST: usize = 200;
const ENOUGH: Duration = Duration::from_millis(500);

/// The times of the runs, shortest first; at least one.
#[derive(Clone, Debug)]
pub(super) struct Times {
    runs: Vec<Duration>,
    /// The time that the device worked in each run, without transfers, shortest first; empty where the host is the device.
    on_device: Vec<Duration>,
}

impl Times {
    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are fewer runs than usual because each is long.
    pub(super) fn are_few(&self) -> bool {
        self.count() < USUAL
    }

    pub(super) fn min(&self) -> Duration {
        self.runs[0]
    }

    /// The median; for an even number of runs the upper of the two in the middle.
    pub(super) fn median(&self) -> Duration {
        self.runs[self.count() / 2]
    }

    /// The same of the times on the device; none where `auto` chose the host.
    pub(super) fn median_on_device(&self) -> Option<Duration> {
        self.on_device.get(self.on_device.len() / 2).copied().filter(|time| !time.is_zero())
    }

    pub(super) fn max(&self) -> Duration {
        self.runs[self.count() - 1]
    }
}

/// Times `run` on an engine; `prepare` and dropping the result are not counted.
pub(super) fn measure<S, T>(
    engine: &Engine,
    mut prepare: impl FnMut() -> Result<S, Error>,
    mut run: impl FnMut(S) -> Result<T, Error>,
) -> Result<Times, Error> {
    let mut once = || {
        let prepared = prepare()?;
        let worked = engine.device_time();
        let start = Instant::now();
        let result = run(prepared)?;
        let elapsed = start.elapsed();
        drop(result);
        let on_device = worked.zip(engine.device_time()).map(|(before, after)| after - before);
        Ok::<_, Error>((elapsed, on_device))
    };
    let (warm_up, _) = once()?;
    let fewest = if warm_up > LONG { FEWEST } else { USUAL };
    let mut times = Times { runs: Vec::new(), on_device: Vec::new() };
    let mut spent = Duration::ZERO;
    while times.count() < fewest || (times.count() < MOST && spent < ENOUGH) {
        let (elapsed, on_device) = once()?;
        spent += elapsed;
        times.runs.push(elapsed);
        times.on_device.extend(on_device);
    }
    times.runs.sort_unstable();
    times.on_device.sort_unstable();
    Ok(times)
}
