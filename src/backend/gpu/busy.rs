//! How long a device was busy: the measure of a union of intervals.
//!
//! Queues run concurrently, so the sum of their times counts a moment once for each queue that was active in it. The union counts
//! it once. Intervals are added when their queue has been waited for, in any order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// The number of intervals that are kept to detect overlaps. Beyond that the earliest are merged into the total: only a queue
/// that was not waited for during thousands of others' intervals could still overlap them.
const REMEMBERED: usize = 4096;

/// The time during which a device was busy.
#[derive(Debug, Default)]
pub(super) struct Busy {
    /// Disjoint intervals, from beginning to end, in nanoseconds of the device's clock.
    intervals: BTreeMap<u64, u64>,
    /// The length of these intervals and of all that were merged into the total.
    nanoseconds: u64,
}

impl Busy {
    /// Adds an interval, of which only the part that no other interval covers counts.
    pub(super) fn add(&mut self, interval: Range<u64>) {
        let Range { mut start, mut end } = interval;
        if start >= end {
            return;
        }
        // Intervals that touch the new one become part of it. Disjoint intervals end in the order in which they begin.
        while let Some((&from, &to)) = self.intervals.range(..=end).next_back()
            && to >= start
        {
            self.intervals.remove(&from);
            self.nanoseconds -= to - from;
            (start, end) = (start.min(from), end.max(to));
        }
        self.intervals.insert(start, end);
        self.nanoseconds += end - start;
        if self.intervals.len() > REMEMBERED {
            self.intervals.pop_first();
        }
    }

    /// The length of the union.
    pub(super) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::{Busy, REMEMBERED};

    fn union(intervals: &[(u64, u64)]) -> u64 {
        let mut busy = Busy::default();
        intervals.iter().for_each(|&(start, end)| busy.add(start..end));
        busy.nanoseconds
    }

    /// Every set of intervals in any order, against the number of unit steps that they cover.
    #[test]
    fn as_many_as_a_count_of_moments() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let intervals: Vec<_> = (0..random(12))
                .map(|_| {
                    let start = random(60);
                    (start, start + random(20))
                })
                .collect();
            let covered = |at: &u64| intervals.iter().any(|(start, end)| (start..end).contains(&at));
            assert_eq!(union(&intervals), (0..80).filter(covered).count() as u64, "{intervals:?}");
        }
    }

    #[test]
    fn merged_intervals_still_count() {
        let count = 2 * REMEMBERED as u64;
        let intervals: Vec<_> = (0..count).map(|i| (10 * i, 10 * i + 4)).collect();
        assert_eq!(union(&intervals), 4 * count);
        // Intervals that are still kept are not counted again.
        let last = intervals[intervals.len() - 1];
        assert_eq!(union(&[&intervals[..], &[last]].concat()), 4 * count);
    }
}
