//! How much of an operation is done: counted where it is done, by any threads, and told while it goes on.

use crate::lock::lock;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// The pieces in which work is told.
pub(crate) const PIECES: usize = 64;

/// The units in which one of several equal parts is counted.
const FINE: usize = 1 << 20;

/// Is told that of so many pieces, so many are done.
pub(crate) type Tell<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Counts some work, in units that take about as long as each other.
pub struct Meter<'a> {
    to: To<'a>,
    /// The units of the work, and what all of them are in the units of `to`.
    total: usize,
    worth: usize,
    done: AtomicUsize,
}

/// Who learns of it.
enum To<'a> {
    Nobody,
    /// A listener, with the pieces that it was told of.
    Listener(Tell<'a>, Mutex<usize>),
    /// The meter of the work that this is, or is a part of.
    Whole(&'a Meter<'a>),
}

impl<'a> Meter<'a> {
    fn new(to: To<'a>, total: usize, worth: usize) -> Self {
        Self { to, total, worth, done: AtomicUsize::new(0) }
    }

    /// A meter that nobody reads.
    pub fn silent() -> Self {
        Self::new(To::Nobody, 0, 0)
    }

    /// A meter that tells how many pieces are done: first none, then ever more.
    pub(crate) fn telling(tell: Tell<'a>) -> Self {
        tell(0, PIECES);
        Self::new(To::Listener(tell, Mutex::new(0)), PIECES, PIECES)
    }

    /// A meter of the same work, in units of which there are `total`.
    pub fn of(&self, total: usize) -> Meter<'_> {
        self.within(self.total, total)
    }

    /// A meter of the same work, in equal parts, each of which has a meter of its own, [`part`](Self::part).
    pub(crate) fn parts(&self, count: usize) -> Meter<'_> {
        self.of(count.saturating_mul(FINE))
    }

    /// A meter of one of the equal [`parts`](Self::parts).
    pub(crate) fn part(&self) -> Meter<'_> {
        self.within(FINE, FINE)
    }

    fn within(&self, worth: usize, total: usize) -> Meter<'_> {
        match self.to {
            To::Nobody => Meter::silent(),
            _ => Meter::new(To::Whole(self), total, worth),
        }
    }

    /// Counts units that are done. It costs little beside some thousands of products.
    pub fn advance(&self, units: usize) {
        if matches!(self.to, To::Nobody) || units == 0 {
            return;
        }
        let before = self.done.fetch_add(units, Ordering::Relaxed);
        debug_assert!(units <= self.total - before, "{units} more than {before} of {} units", self.total);
        // Rounded down, so that what the units are worth adds up, whichever come together.
        let worth =
            |done: usize| (done.min(self.total) as u128 * self.worth as u128 / self.total as u128) as usize;
        let more = worth(before + units) - worth(before);
        match &self.to {
            To::Whole(whole) => whole.advance(more),
            To::Listener(tell, told) => {
                let mut told = lock(told);
                *told += more;
                tell(*told, PIECES);
            }
            To::Nobody => {}
        }
    }

    /// Counts all that is left.
    pub fn end(&self) {
        self.advance(self.total - self.done.load(Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces are told as soon as they are done, in order, whatever the units, and none is told twice.
    #[test]
    fn pieces_are_told_when_they_are_done() {
        let told = Mutex::new(Vec::new());
        let tell = |done, total| lock(&told).push((done, total));
        let taken = || std::mem::take(&mut *lock(&told));
        for (total, step) in [(1, 1), (7, 1), (64, 64), (1000, 3), (usize::MAX / 2, usize::MAX / 99)] {
            let meter = Meter::telling(&tell);
            let (units, mut done, mut expected) = (meter.of(total), 0, vec![(0, PIECES)]);
            while done < total {
                units.advance(step.min(total - done));
                done += step.min(total - done);
                let pieces = (done as u128 * PIECES as u128 / total as u128) as usize;
                expected.push((pieces, PIECES));
                expected.dedup();
                assert_eq!(*lock(&told), expected, "{done} of {total}");
            }
            meter.end();
            assert_eq!(taken(), expected, "{total}");
        }
        let meter = Meter::telling(&tell);
        meter.of(0).end();
        meter.of(2).advance(1);
        assert_eq!(taken(), [(0, PIECES), (PIECES / 2, PIECES)]);
        meter.end();
        assert_eq!(taken(), [(PIECES, PIECES)]);
    }

    /// Parts count as much as each other, whatever their units, and at once.
    #[test]
    fn parts_of_several_threads() {
        let told = Mutex::new(Vec::new());
        let tell = |done, total| lock(&told).push((done, total));
        let meter = Meter::telling(&tell);
        let parts = meter.parts(2);
        parts.part().end();
        assert_eq!(lock(&told).last(), Some(&(PIECES / 2, PIECES)));
        let second = parts.part();
        let thirds = &second.of(3 << 16);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..1 << 12).for_each(|_| thirds.advance(16)));
            }
            scope.spawn(|| Meter::silent().parts(3).part().of(10).end());
        });
        let second_half = PIECES / 2..=PIECES;
        assert_eq!(lock(&told)[1..], second_half.map(|done| (done, PIECES)).collect::<Vec<_>>());
    }
}
