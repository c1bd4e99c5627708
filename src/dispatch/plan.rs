//! The division of an operation among several devices, such that all finish at the same time.
//!
//! The cost of an operation on each device is a curve, measured at its first use on a machine (`curve.rs`). In a time T a device
//! with a backlog of b nanoseconds does the amount of work that its curve gives for T - b; the least T in which all devices
//! together do all of the work determines the shares. Equal devices get equal shares; a device whose start-up cost exceeds T gets
//! nothing; and if one device alone finishes nearly as early, it does everything. So small operations go to one device, and to
//! another while that is busy.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::curve::Curve;
use super::curves::Curves;
use super::member::Member;

/// The nanoseconds that it takes to pass a share to another thread and to wait for it.
const HANDING_OVER: f64 = 50e3;

/// The least relative gain over one device alone for which an operation is divided.
const WORTH_IT: f64 = 0.9;

/// The offer of a device for an operation.
pub(super) struct Offer {
    /// The device's index among those of the engine.
    pub(super) member: usize,
    /// The cost of the operation there: kinds of work, with the amount of each in the unit of its curve.
    terms: Vec<(Curves, f64)>,
    /// The device's backlog in nanoseconds.
    pub(super) backlog: f64,
}

impl Offer {
    /// The offer of a device; `None` if it does not offer one of the kinds of work.
    pub(super) fn of(member: &Member, terms: Vec<(Curves, f64)>) -> Option<Self> {
        let offered = terms.iter().all(|(curves, _)| curves[member.index].is_some());
        let backlog = member.backlog.load(Ordering::Relaxed) as f64;
        offered.then_some(Self { member: member.index, terms, backlog })
    }

    /// Takes the device's backlog as it is now.
    pub(super) fn refresh(&mut self, member: &Member) {
        self.backlog = member.backlog.load(Ordering::Relaxed) as f64;
    }

    fn terms(&self) -> impl Iterator<Item = (&Curve, f64)> {
        self.terms.iter().map(|(curves, work)| (curves[self.member].as_ref().expect("it is offered"), *work))
    }

    /// Nanoseconds that a part of the operation takes.
    pub(super) fn time(&self, part: f64) -> f64 {
        self.terms().map(|(curve, work)| curve.at(work * part)).sum()
    }

    /// The time at which the device alone would finish.
    pub(super) fn end(&self) -> f64 {
        self.backlog + self.time(1.0)
    }

    /// The fraction of the work that the device does by a time, when others take part.
    fn part(&self, time: f64) -> f64 {
        let own = (time - self.backlog - HANDING_OVER).max(0.0);
        let mut terms = self.terms();
        match (terms.next(), terms.next()) {
            (Some((curve, work)), None) if work > 0.0 => (curve.within(own) / work).min(1.0),
            (Some(_), Some(_)) => bisect(0.0, 1.0, |part| self.time(part) <= own),
            _ => 0.0,
        }
    }
}

/// The point at which a condition that holds below it and not above it changes.
fn bisect(mut below: f64, mut above: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..50 {
        let middle = (below + above) / 2.0;
        *(if holds(middle) { &mut below } else { &mut above }) = middle;
    }
    above
}

/// A share of an operation's items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Share {
    /// The index of its device among those of the engine.
    pub(crate) member: usize,
    /// The items. Every item is in exactly one share.
    pub(crate) items: Range<usize>,
    /// Their expected nanoseconds.
    pub(super) ns: f64,
}

/// Divides items of equal work. Dividing itself costs `extra` nanoseconds. There is at least one offer, and no share is empty
/// unless there are no items.
pub(super) fn divide(items: usize, offers: &[Offer], extra: f64) -> Vec<Share> {
    let ends: Vec<f64> = offers.iter().map(Offer::end).collect();
    let first = (0..offers.len()).min_by(|&i, &j| ends[i].total_cmp(&ends[j])).expect("an offer");
    let share = |offer: &Offer, range: Range<usize>| {
        let part = if items == 0 { 1.0 } else { range.len() as f64 / items as f64 };
        Share { member: offer.member, ns: offer.time(part), items: range }
    };
    let alone = || vec![share(&offers[first], 0..items)];
    if items < 2 || offers.len() < 2 {
        return alone();
    }
    // The least time in which all of it is done, between nothing and what is enough for one.
    let done = |time| offers.iter().map(|offer| offer.part(time)).sum::<f64>();
    let enough = bisect(0.0, ends[first] + HANDING_OVER, |time| done(time) < 1.0);
    if enough + extra > WORTH_IT * ends[first] {
        return alone();
    }
    let parts: Vec<_> = offers.iter().map(|offer| offer.part(enough)).collect();
    apportion(items, &parts).into_iter().map(|(i, range)| share(&offers[i], range)).collect()
}

/// Runs of items in proportion to weights that are not all zero; weights too small for an item get none.
pub(super) fn apportion(items: usize, weights: &[f64]) -> Vec<(usize, Range<usize>)> {
    let sum: f64 = weights.iter().sum();
    let (mut before, mut start) = (0.0, 0);
    let mut shares = Vec::new();
    for (i, weight) in weights.iter().enumerate() {
        before += weight;
        let is_last = weights[i + 1..].iter().all(|&weight| weight == 0.0);
        let end = if is_last { items } else { (items as f64 * before / sum).round() as usize };
        if end > start {
            shares.push((i, start..end));
            start = end;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Curve, Offer, Share, apportion, divide};

    fn offer(member: usize, curve: &Curve, work: f64, backlog: f64) -> Offer {
        let mut curves = vec![None; member];
        curves.push(Some(curve.clone()));
        Offer { member, terms: vec![(Arc::new(curves), work)], backlog }
    }

    /// A start of 100 us and a nanosecond for each unit of work.
    fn line() -> Curve {
        Curve::through(vec![[1.0, 1e5], [1e5, 2e5], [1e9, 1e9 + 1e5]])
    }

    fn shares(items: usize, work: f64, curves: &[Curve], backlogs: &[f64]) -> Vec<(usize, usize)> {
        let offers = curves.iter().zip(backlogs).enumerate();
        let offers: Vec<_> = offers.map(|(i, (curve, &backlog))| offer(i, curve, work, backlog)).collect();
        let shares = divide(items, &offers, 0.0);
        let mut next = 0;
        for Share { items, ns, .. } in &shares {
            assert!(
                items.start == next && (!items.is_empty() || shares.len() == 1) && *ns > 0.0,
                "{shares:?}"
            );
            next = items.end;
        }
        assert_eq!(next, items);
        shares.iter().map(|share| (share.member, share.items.len())).collect()
    }

    #[test]
    fn equal_devices_get_equal_shares() {
        assert_eq!(shares(64, 1e8, &[line(), line()], &[0.0; 2]), [(0, 32), (1, 32)]);
        assert_eq!(shares(10, 1e8, &[line(), line(), line()], &[0.0; 3]), [(0, 3), (1, 4), (2, 3)]);
        // More devices than items.
        assert_eq!(
            shares(2, 1e8, &[line(), line(), line()], &[0.0; 3]).iter().map(|share| share.1).sum::<usize>(),
            2
        );
    }

    #[test]
    fn little_work_goes_to_the_device_that_is_idle() {
        assert_eq!(shares(64, 1e3, &[line(), line()], &[0.0; 2]), [(0, 64)]);
        assert_eq!(shares(64, 1e3, &[line(), line()], &[1e6, 0.0]), [(1, 64)]);
        assert_eq!(shares(1, 1e8, &[line(), line()], &[1e6, 0.0]), [(1, 1)]);
        assert_eq!(shares(0, 0.0, &[line(), line()], &[1e6, 0.0]), [(1, 0)]);
    }

    #[test]
    fn unequal_devices_end_together() {
        let slow = Curve::through(vec![[1.0, 3.0], [1e9, 3e9]]);
        assert_eq!(shares(100, 1e8, &[line(), slow.clone()], &[0.0; 2]), [(0, 75), (1, 25)]);
        // With a backlog of 0.2 s on the fast one, the slow one does three quarters of the work.
        assert_eq!(shares(100, 1e8, &[line(), slow.clone()], &[2e8, 0.0]), [(0, 25), (1, 75)]);
        // A device that takes longer to start than the other takes for everything gets nothing.
        let late = Curve::through(vec![[1.0, 1e9], [1e9, 1e9 + 1.0]]);
        assert_eq!(shares(100, 1e8, &[line(), late], &[0.0; 2]), [(0, 100)]);
        let hopeless = Curve::through(vec![[1.0, 1e4], [1e9, 1e13]]);
        assert_eq!(shares(100, 1e8, &[hopeless, line()], &[0.0; 2]), [(1, 100)]);
    }

    /// A single item goes to the first of equal devices, whichever would have most of it; so does what is no work.
    #[test]
    fn few_items_and_no_work() {
        assert_eq!(shares(1, 1e8, &[line(), line(), line()], &[0.0; 3]), [(0, 1)]);
        assert_eq!(shares(2, 1e8, &[line(), line()], &[0.0; 2]), [(0, 1), (1, 1)]);
        assert_eq!(shares(64, 0.0, &[line(), line()], &[0.0; 2]), [(0, 64)]);
    }

    /// A twentieth is not worth dividing, a seventh is; each share is expected to take the time of its part.
    #[test]
    fn what_is_gained_and_how_long_shares_take() {
        let slower = |factor| Curve::through(vec![[1.0, factor], [1e9, factor * 1e9]]);
        assert_eq!(shares(100, 1e8, &[line(), slower(19.0)], &[0.0; 2]), [(0, 100)]);
        assert_eq!(shares(100, 1e8, &[line(), slower(6.0)], &[0.0; 2]), [(0, 86), (1, 14)]);
        let offers = [0, 1].map(|member| offer(member, &line(), 1e8, 0.0));
        let times = |offers: &[Offer]| {
            divide(64, offers, 0.0).iter().map(|share| share.ns.round()).collect::<Vec<_>>()
        };
        assert_eq!(times(&offers), [5.01e7; 2]);
        assert_eq!(times(&offers[..1]), [1.001e8]);
    }

    #[test]
    fn dividing_that_costs_as_much_as_it_saves_is_left() {
        let curve = line();
        let offers = [0, 1].map(|member| offer(member, &curve, 1e8, 0.0));
        assert_eq!(divide(64, &offers, 0.0).len(), 2);
        assert_eq!(divide(64, &offers, 5e7).len(), 1);
    }

    /// Work of two kinds takes the sum of both times, and is divided by it.
    #[test]
    fn work_of_several_kinds() {
        let offer = |member, work: [f64; 2]| {
            let terms = work.map(|work| (Arc::new(vec![Some(line()); 2]), work));
            Offer { member, terms: terms.into(), backlog: 0.0 }
        };
        let offers = [offer(0, [1e8, 2e8]), offer(1, [3e8, 6e8])];
        assert!((offers[0].end() - 3.002e8).abs() < 1.0, "{}", offers[0].end());
        let shares: Vec<_> = divide(100, &offers, 0.0).iter().map(|share| share.items.len()).collect();
        assert_eq!(shares, [75, 25]);
    }

    #[test]
    fn every_item_is_in_one_share() {
        for items in [0, 1, 2, 3, 7, 64, 1000] {
            for weights in [&[1.0, 2.0, 3.0][..], &[0.0, 1.0], &[1.0, 0.0, 0.0], &[1e-9, 1.0, 1e-9], &[1.0]] {
                let shares = apportion(items, weights);
                let mut next = 0;
                for (i, range) in &shares {
                    assert!(range.start == next && !range.is_empty() && weights[*i] > 0.0, "{shares:?}");
                    next = range.end;
                }
                assert_eq!(next, items, "{weights:?}");
            }
        }
    }
}
