//! One clock for all streams of a device.
//!
//! CUDA reports the time from one event to another in single-precision milliseconds: a distance of seconds is exact to half a
//! microsecond, one of minutes only to several. So an interval is located by its distance from an event of the last few seconds,
//! whose own time is the sum of the distances before it.

use std::ops::Range;

use cudarc::driver::result::{DriverError, event};
use cudarc::driver::sys::CUstream;

use super::handles::Event;
use crate::lock::lock;
use crate::sync::Mutex;

/// How old the event from which intervals are measured may become, in nanoseconds.
const OLDEST: f64 = 2e9;

/// A device's clock.
#[derive(Default)]
pub(super) struct Clock {
    origin: Mutex<Option<Origin>>,
}

/// The event from which intervals are measured, and its time in nanoseconds.
struct Origin {
    event: Event,
    at: f64,
}

impl Origin {
    /// An event that happens now, in an idle stream, at 0.
    fn now(event: Event, idle: CUstream) -> Result<Self, DriverError> {
        event.record(idle)?;
        event.wait()?;
        Ok(Self { event, at: 0.0 })
    }
}

impl Clock {
    /// Starts the clock, if it does not run, by an event in a stream in which nothing has happened. It must be called for every
    /// stream, so that all work comes after the start.
    pub(super) fn start(
        &self,
        idle: CUstream,
        event: impl FnOnce() -> Result<Event, DriverError>,
    ) -> Result<(), DriverError> {
        let mut origin = lock(&self.origin);
        if origin.is_none() {
            *origin = Some(Origin::now(event()?, idle)?);
        }
        Ok(())
    }

    /// The intervals between pairs of events that have happened. `next` makes an event for a new origin, which is recorded in an
    /// idle stream; an interval that began before it has a negative distance.
    pub(super) fn intervals(
        &self,
        pairs: &[(Event, Event)],
        idle: CUstream,
        next: impl FnOnce() -> Result<Event, DriverError>,
    ) -> Result<Vec<Range<u64>>, DriverError> {
        let mut origin = lock(&self.origin);
        let origin = origin.as_mut().expect("started for every stream");
        let mut intervals = Vec::with_capacity(pairs.len());
        let mut latest = 0.0_f64;
        for (start, end) in pairs {
            let (from, length) = (nanoseconds(&origin.event, start)?, nanoseconds(start, end)?);
            latest = latest.max(from + length);
            let from = origin.at + from;
            // Negative by rounding at most; the conversion makes it zero.
            intervals.push(from as u64..(from + length) as u64);
        }
        if latest > OLDEST {
            let mut now = Origin::now(next()?, idle)?;
            now.at = origin.at + nanoseconds(&origin.event, &now.event)?;
            *origin = now;
        }
        Ok(intervals)
    }
}

/// The time from one event to another, negative where that one came first.
fn nanoseconds(start: &Event, end: &Event) -> Result<f64, DriverError> {
    // SAFETY: both events are alive, of one context, and were recorded.
    let milliseconds = unsafe { event::elapsed(start.event, end.event) }?;
    Ok(f64::from(milliseconds) * 1e6)
}
