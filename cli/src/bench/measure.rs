//! Repeated, timed runs.

use std::time::{Duration, Instant};

use zkaccel::{Engine, Error};

/// Only if a run takes longer than this there may be as few runs as [`FEWEST`]; in a tour, which is to end soon, the second.
const LONG: Duration = Duration::from_secs(3);
const LONG_IN_TOURS: Duration = Duration::from_millis(200);

/// The least number of runs, of short and of long work.
const USUAL: usize = 10;
const FEWEST: usize = 3;

/// Short work is run up to this often, until it has taken this long.
const MOST: usize = 200;
pub(super) const ENOUGH: Duration = Duration::from_millis(500);

/// With debug assertions, with which times tell little, it is run for a tenth of it.
const SPENT: Duration = if cfg!(debug_assertions) { Duration::from_millis(50) } else { ENOUGH };

/// The times of the runs, shortest first; at least one.
#[derive(Clone, Debug)]
pub(super) struct Times {
    runs: Vec<Duration>,
    /// The time that the device worked in each run, without transfers, shortest first; empty where the host is the device.
    on_device: Vec<Duration>,
    /// Bytes copied to the device and from it in all runs.
    copied: [u64; 2],
}

/// A run as a device with memory of its own saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceRun {
    /// The median.
    pub(super) time: Duration,
    /// The mean of the bytes that were copied to the device, and from it.
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
}

impl Times {
    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are fewer runs than usual because each is long.
    pub(super) fn are_few(&self) -> bool {
        self.count() < USUAL
    }

    /// The median; for an even number of runs the upper of the two in the middle.
    pub(super) fn median(&self) -> Duration {
        self.runs[self.count() / 2]
    }

    /// The least time, the lower quartile, the median, the upper quartile, and the greatest time.
    pub(super) fn five_numbers(&self) -> [Duration; 5] {
        let last = self.count() - 1;
        [0, last / 4, self.count() / 2, last - last / 4, last].map(|index| self.runs[index])
    }

    /// What the device saw; none where the host is the device, or `auto` chose it.
    pub(super) fn on_device(&self) -> Option<DeviceRun> {
        let time = self.on_device.get(self.on_device.len() / 2).copied().filter(|time| !time.is_zero())?;
        let [bytes_in, bytes_out] = self.copied.map(|bytes| bytes / self.count() as u64);
        Some(DeviceRun { time, bytes_in, bytes_out })
    }
}

/// Times `run` on an engine; `prepare` and dropping the result are not counted.
pub(super) fn measure<S, T>(
    engine: &Engine,
    tour: bool,
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
    let long = if tour { LONG_IN_TOURS } else { LONG };
    let fewest = if warm_up > long { FEWEST } else { USUAL };
    let mut times = Times { runs: Vec::new(), on_device: Vec::new(), copied: [0; 2] };
    let mut spent = Duration::ZERO;
    let before = copied(engine);
    while times.count() < fewest || (times.count() < MOST && spent < SPENT) {
        let (elapsed, on_device) = once()?;
        spent += elapsed;
        times.runs.push(elapsed);
        times.on_device.extend(on_device);
    }
    let after = copied(engine);
    times.copied = [after[0] - before[0], after[1] - before[1]];
    times.runs.sort_unstable();
    times.on_device.sort_unstable();
    Ok(times)
}

/// The bytes that the engine has copied to its devices and from them so far. What the host itself reads and writes is no copy.
fn copied(engine: &Engine) -> [u64; 2] {
    let work = engine.work();
    let devices = work.iter().filter(|work| work.device != "cpu" && work.device != "reference");
    let lines = devices.flat_map(|work| &work.operations);
    lines.fold([0; 2], |[bytes_in, bytes_out], line| [bytes_in + line.bytes_in, bytes_out + line.bytes_out])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_numbers_are_in_order() {
        for count in 1..=12 {
            let runs = (0..count).map(Duration::from_millis).collect();
            let times = Times { runs, on_device: Vec::new(), copied: [0; 2] };
            let numbers = times.five_numbers();
            assert!(numbers.is_sorted(), "{count}: {numbers:?}");
            assert_eq!(numbers[2], times.median());
            assert!(times.on_device().is_none());
        }
    }
}
