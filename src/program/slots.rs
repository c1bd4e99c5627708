//! Which node is kept in which slot: a linear scan (Poletto and Sarkar, TOPLAS 21, 1999).
//!
//! The first slots are in fast memory. Where all of these are in use, the node among those in them, and the new one, that is needed longest gets a slot in ordinary memory
//! for all of its time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The steps from the one that computes a node to the last that takes it from a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// A slot for every node with an interval; those below `fast` are fast ones. Intervals that share a slot share no step but that which ends one and begins the other.
pub(super) fn assign(intervals: &[Option<Interval>], fast: usize) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..intervals.len()).filter(|&node| intervals[node].is_some()).collect();
    let interval = |node: usize| intervals[node].expect("an interval");
    order.sort_by_key(|&node| interval(node).first);
    let mut slots = vec![None; intervals.len()];
    let (mut active, mut free): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..fast).rev().collect());
    let mut slow = Vec::new();
    for node in order {
        let Interval { first, .. } = interval(node);
        active.retain(|&other| {
            let ended = interval(other).last <= first;
            if ended {
                free.push(slots[other].expect("a slot in use"));
            }
            !ended
        });
        if let Some(slot) = free.pop() {
            slots[node] = Some(slot);
            active.push(node);
            continue;
        }
        let longest = active.iter().copied().max_by_key(|&other| interval(other).last);
        match longest.filter(|&other| interval(other).last > interval(node).last) {
            Some(other) => {
                slots[node] = slots[other].take();
                active.retain(|&active| active != other);
                active.push(node);
                slow.push(other);
            }
            None => slow.push(node),
        }
    }
    assign_slow(slow, interval, fast, &mut slots);
    slots
}

/// The first slot from `fast` on that is free for the whole interval.
fn assign_slow(
    mut nodes: Vec<usize>,
    interval: impl Fn(usize) -> Interval,
    fast: usize,
    slots: &mut [Option<usize>],
) {
    nodes.sort_by_key(|&node| interval(node).first);
    // The slots in use, by the ends of their intervals.
    let (mut ends, mut free, mut next) = (BinaryHeap::new(), Vec::new(), fast);
    for node in nodes {
        let Interval { first, last } = interval(node);
        while let Some(&Reverse((end, slot))) = ends.peek()
            && end <= first
        {
            ends.pop();
            free.push(slot);
        }
        let slot = free.pop().unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        ends.push(Reverse((last, slot)));
        slots[node] = Some(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where one slot is fast, the node that is needed longest gives way, or gets none.
    #[test]
    fn the_node_that_is_needed_longest_is_slow() {
        let interval = |first, last| Some(Interval { first, last });
        assert_eq!(
            assign(&[interval(0, 10), interval(1, 3), interval(4, 5)], 1),
            [Some(1), Some(0), Some(0)]
        );
        assert_eq!(
            assign(&[interval(0, 3), interval(1, 10), interval(3, 5)], 1),
            [Some(0), Some(1), Some(0)]
        );
    }

    /// No two nodes in one slot at a time, and as many slots as are in use at once.
    #[test]
    fn intervals_share_slots_one_after_another() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for fast in [0, 1, 4, 100] {
            let intervals: Vec<_> = (0..300)
                .map(|first| (random(4) > 0).then(|| Interval { first, last: first + 1 + random(40) }))
                .collect();
            let slots = assign(&intervals, fast);
            for (a, first) in intervals.iter().enumerate() {
                assert_eq!(first.is_some(), slots[a].is_some());
                for (b, second) in intervals.iter().enumerate().skip(a + 1) {
                    if let (Some(first), Some(second)) = (first, second)
                        && slots[a] == slots[b]
                    {
                        assert!(first.last <= second.first, "{first:?} and {second:?} in {:?}", slots[a]);
                    }
                }
            }
            let at = |step| {
                let running = |interval: &&Interval| interval.first <= step && step < interval.last;
                intervals.iter().flatten().filter(running).count()
            };
            let most = (0..350).map(at).max().unwrap();
            let used = slots.iter().flatten().max().unwrap() + 1;
            assert!(used <= fast.max(1) + most, "{used} slots for {most} nodes at once");
            if fast == 100 {
                assert_eq!(used, most);
            }
        }
    }
}
