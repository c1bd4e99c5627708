//! Where nodes stand: the algorithm of Reingold and Tilford (IEEE Transactions on Software Engineering SE-7, 1981), by contours.
//!
//! The contour of a subtree has the leftmost and the rightmost place on each of its levels. Two subtrees are put side by side as close as
//! their contours allow, and their parent stands between them. So a long path with a sibling on each level takes little more than two
//! columns, and subtrees that end early leave room for their neighbours below.

use std::collections::BTreeMap;

/// The least distance between two nodes of a level, in columns.
const DISTANCE: f64 = 1.0;

/// A subtree that has been laid out, with its root at 0.
struct Subtree {
    /// Places of its nodes by position.
    places: Vec<(usize, f64)>,
    /// The leftmost and rightmost place on each level, its own first.
    contour: Vec<(f64, f64)>,
}

/// The columns of a binary tree's nodes, the leftmost at 0; nodes are those for which `has` is true, and both children of a node are or neither
/// is.
pub(super) fn columns(has: &impl Fn(usize) -> bool) -> BTreeMap<usize, f64> {
    let tree = subtree(1, has);
    let left = tree.contour.iter().map(|level| level.0).fold(0.0, f64::min);
    tree.places.into_iter().map(|(position, place)| (position, place - left)).collect()
}

fn subtree(position: usize, has: &impl Fn(usize) -> bool) -> Subtree {
    if !has(2 * position) {
        return Subtree { places: vec![(position, 0.0)], contour: vec![(0.0, 0.0)] };
    }
    let (left, right) = (subtree(2 * position, has), subtree(2 * position + 1, has));
    let overlap = left.contour.iter().zip(&right.contour).map(|(left, right)| left.1 - right.0);
    let half = (overlap.fold(0.0, f64::max) + DISTANCE) / 2.0;
    let mut contour = vec![(0.0, 0.0)];
    for level in 0..left.contour.len().max(right.contour.len()) {
        let left = left.contour.get(level).map(|&(from, to)| (from - half, to - half));
        let right = right.contour.get(level).map(|&(from, to)| (from + half, to + half));
        let (from, to) = (left.or(right), right.or(left));
        contour.push((from.expect("one of them").0, to.expect("one of them").1));
    }
    let mut places = vec![(position, 0.0)];
    places.extend(left.places.into_iter().map(|(position, place)| (position, place - half)));
    places.extend(right.places.into_iter().map(|(position, place)| (position, place + half)));
    Subtree { places, contour }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of a level keep their distance and their order, parents stand between their children, and the leftmost is at 0.
    fn check(has: impl Fn(usize) -> bool) -> f64 {
        let columns = columns(&has);
        let mut last: Option<(usize, f64)> = None;
        for (&position, &place) in &columns {
            assert!(has(position) || position == 1);
            if let Some((before, left)) = last
                && before.ilog2() == position.ilog2()
            {
                assert!(place - left >= DISTANCE - 1e-9, "{before} at {left}, {position} at {place}");
            }
            last = Some((position, place));
            if let (Some(left), Some(right)) =
                (columns.get(&(2 * position)), columns.get(&(2 * position + 1)))
            {
                assert!((left + right - 2.0 * place).abs() < 1e-9);
            }
        }
        assert_eq!(columns.values().copied().fold(f64::INFINITY, f64::min), 0.0);
        columns.values().copied().fold(0.0, f64::max)
    }

    #[test]
    fn nodes_keep_their_distance() {
        assert_eq!(check(|position| position < 2), 0.0);
        // A complete tree of 16 leaves is as wide as its leaves.
        assert_eq!(check(|position| position < 32), 15.0);
        // One path through 2^30 leaves, alternating or to one side: no wider than half a column a level.
        for leaf in [0x5555_5555_usize | 1 << 30, 1 << 30, (2 << 30) - 1] {
            let width = check(|position| {
                let levels = leaf.ilog2().checked_sub(position.ilog2());
                levels.is_some_and(|levels| position == 1 || leaf >> levels ^ position < 2)
            });
            assert!(width <= 15.5, "{width}");
        }
    }
}
