//! Digests of rows by runs of rows, and trees by subtrees.
//!
//! A tree falls into the subtrees below the nodes of some depth. Each device builds a run of adjacent ones, put together to
//! the largest subtrees that they make; the few nodes above are hashed on the host.

use std::ops::Range;

use super::{Several, cut};
use crate::backend::cost;
use crate::backend::{Accelerated, Check, Hashing};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::memory;
use crate::merkle::Approach;

/// The depth of the subtrees that are shared out: fine enough for shares of a few hundredths, and few nodes above.
const DEPTH: u32 = 6;

/// The nodes below which the subtrees of a run lie, as few as there can be: numbers as in a heap, from left to right. The run is of
/// nodes of one depth.
fn roots(run: Range<usize>, depth: u32) -> Vec<usize> {
    let mut roots = Vec::new();
    let mut start = run.start;
    while start < run.end {
        // A subtree of 2^height of them begins at a multiple of that.
        let aligned = if start == 0 { depth } else { start.trailing_zeros().min(depth) };
        let height = aligned.min((run.end - start).ilog2());
        roots.push(((1 << depth) + start) >> height);
        start += 1 << height;
    }
    roots
}

/// A subtree to be built.
struct Subtree<'a, D> {
    leaves: &'a [D],
    /// Its inner nodes by their depth.
    levels: Vec<&'a mut [D]>,
}

/// The subtrees below nodes, from left to right, of a tree over leaves whose inner nodes are `1..n` of a slice.
fn subtrees<'a, D>(roots: &[usize], leaves: &'a [D], inner: &'a mut [D]) -> Vec<Subtree<'a, D>> {
    let height = leaves.len().ilog2();
    // What is left of each level, and the number of its first node.
    let starts: Vec<usize> = (0..height).map(|depth| 1 << depth).collect();
    let mut levels: Vec<(usize, &mut [D])> =
        starts.iter().copied().zip(cut(&mut inner[1..], starts.iter().copied())).collect();
    let below = |&root: &usize| {
        let depth = root.ilog2();
        let level = |(first, rest): &mut (usize, &'a mut [D])| {
            let nodes = root << (first.ilog2() - depth)..(root + 1) << (first.ilog2() - depth);
            let (_, rest_from) = std::mem::take(rest).split_at_mut(nodes.start - *first);
            let (own, after) = rest_from.split_at_mut(nodes.len());
            (*first, *rest) = (nodes.end, after);
            own
        };
        let width = leaves.len() >> depth;
        let leaves = &leaves[(root - (1 << depth)) * width..][..width];
        Subtree { leaves, levels: levels[depth as usize..].iter_mut().map(level).collect() }
    };
    roots.iter().map(below).collect()
}

impl Several {
    /// The inner nodes of a tree, by the subtrees of each share.
    fn tree_by_shares<H: Accelerated>(
        &self,
        shares: Vec<super::Share>,
        depth: u32,
        (leaves, inner): (&[H::Digest], &mut [H::Digest]),
        approach: Approach,
    ) -> Result<(), Error> {
        let runs: Vec<_> = shares.iter().map(|share| roots(share.items.clone(), depth)).collect();
        let all = runs.concat();
        let mut subtrees = subtrees(&all, leaves, inner).into_iter();
        let parts: Vec<Vec<_>> = runs.iter().map(|run| subtrees.by_ref().take(run.len()).collect()).collect();
        self.all(shares.into_iter().zip(parts).collect(), |member, _, subtrees: Vec<Subtree<'_, _>>| {
            subtrees.into_iter().try_for_each(|Subtree { leaves, mut levels }| {
                Hashing::<H>::build_levels(member, leaves, &mut levels, approach)
            })
        })?;
        // The nodes above, from the lowest up.
        let is_below = |node: usize| {
            std::iter::successors(Some(node), |node| Some(node / 2))
                .take_while(|&node| node > 0)
                .any(|node| all.contains(&node))
        };
        for node in (1..1 << depth).rev().filter(|&node| !is_below(node)) {
            inner[node] = H::merge(&[inner[2 * node], inner[2 * node + 1]]);
        }
        Ok(())
    }

    /// How a tree is shared out: shares of subtrees of a depth.
    fn shares_of_tree<H: Accelerated>(&self, leaves: usize) -> Result<(Vec<super::Share>, u32), Error> {
        // Subtrees have inner nodes.
        let depth = DEPTH.min(leaves.ilog2().saturating_sub(1));
        let shares = self.share_out(&cost::tree::<H>(), 1 << depth, [leaves as f64; 2], 0.0)?;
        Ok((shares, depth))
    }
}

impl<H: Accelerated> Hashing<H> for Several {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        let shares = self.share_out(&cost::rows::<H>(), digests.len(), [matrix.len() as f64; 2], 0.0)?;
        let lengths: Vec<_> = shares.iter().map(|share| share.items.len()).collect();
        let parts = shares.into_iter().zip(cut(digests, lengths.into_iter())).collect();
        self.all(parts, |member, rows, digests| {
            Hashing::<H>::hash_rows(member, &matrix[rows.start * width..rows.end * width], width, digests)
        })
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let rows = digests.len();
        let mut shares = self.share_out(&cost::rows::<H>(), rows, [matrix.len() as f64; 2], 0.0)?;
        if let [_] = shares[..] {
            return self.all(vec![(shares.remove(0), digests)], |member, _, digests| {
                Hashing::<H>::hash_columns(member, matrix, degree, digests)
            });
        }
        let lengths: Vec<_> = shares.iter().map(|share| share.items.len()).collect();
        let parts = shares.into_iter().zip(cut(digests, lengths.into_iter())).collect();
        self.all(parts, |member, run, digests| {
            Hashing::<H>::hash_columns_from(member, matrix, degree, (rows, run.start), digests)
        })
    }

    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error> {
        let (mut shares, depth) = self.shares_of_tree::<H>(heap.len() / 2)?;
        if let [_] = shares[..] {
            return self.all(vec![(shares.remove(0), heap)], |member, _, heap| {
                Hashing::<H>::build_tree(member, heap, approach)
            });
        }
        let (inner, leaves) = heap.split_at_mut(heap.len() / 2);
        self.tree_by_shares::<H>(shares, depth, (leaves, inner), approach)
    }

    fn build_tree_over(
        &self,
        leaves: &[H::Digest],
        heap: &mut [H::Digest],
        approach: Approach,
        check: Check<'_, H::Digest>,
    ) -> Result<(), Error> {
        let (mut shares, depth) = self.shares_of_tree::<H>(leaves.len())?;
        if let [_] = shares[..] {
            return self.all(vec![(shares.remove(0), heap)], |member, _, heap| {
                Hashing::<H>::build_tree_over(member, leaves, heap, approach, check)
            });
        }
        let at_once = self.leaves_input_alone(&shares);
        let (inner, copies) = heap.split_at_mut(leaves.len());
        let build = || self.tree_by_shares::<H>(shares, depth, (leaves, inner), approach);
        let mut host = || {
            check(leaves)?;
            memory::copy(leaves, copies);
            Ok(())
        };
        match at_once {
            // The devices' threads wait for them; the caller's look at the leaves and copy them.
            true => {
                let (looked, built) = rayon::join(host, build);
                looked.and(built)
            }
            false => host().and_then(|()| build()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{roots, subtrees};

    #[test]
    fn runs_of_subtrees_are_the_fewest_that_make_them() {
        assert_eq!(roots(0..8, 3), [1]);
        assert_eq!(roots(0..4, 3), [2]);
        assert_eq!(roots(4..8, 3), [3]);
        assert_eq!(roots(0..3, 3), [4, 10]);
        assert_eq!(roots(3..8, 3), [11, 3]);
        assert_eq!(roots(1..7, 3), [9, 5, 6, 14]);
        assert_eq!(roots(5..5, 3), [0; 0]);
        assert_eq!(roots(0..1, 0), [1]);
    }

    #[test]
    fn subtrees_have_the_nodes_of_a_heap() {
        // Every node of the heap over 8 leaves holds its number.
        let mut inner: Vec<usize> = (0..8).collect();
        let leaves: Vec<usize> = (8..16).collect();
        let found = subtrees(&[4, 10, 11, 3], &leaves, &mut inner);
        let told = found.iter().map(|subtree| {
            let levels = subtree.levels.iter().map(|level| level.to_vec()).collect::<Vec<_>>();
            (subtree.leaves.to_vec(), levels)
        });
        assert!(told.eq([
            (vec![8, 9], vec![vec![4]]),
            (vec![10], vec![]),
            (vec![11], vec![]),
            (vec![12, 13, 14, 15], vec![vec![3], vec![6, 7]]),
        ]));
    }
}
