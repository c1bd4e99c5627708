//! Merkle trees by subtrees.
//!
//! A tree is divided into the subtrees below the nodes of some depth. Each device builds a run of adjacent ones, combined into
//! the largest possible subtrees; the few nodes above are hashed on the host.

use std::ops::Range;

use super::{first_error, random_indices};
use crate::backend::{Accelerated, Backend, Levels};
use crate::checks;
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::hash::{Digest, Hasher};
use crate::memory;
use crate::merkle::Approach;
use crate::work::{Activity, Size};

/// Builds the tree over leaves.
pub(crate) struct Tree<'a, H: Hasher> {
    /// The leaves, n of them, a power of two.
    pub(crate) leaves: &'a [H::Digest],
    /// Nodes `1..n` of the heap; node 0 is not written.
    pub(crate) inner: &'a mut [H::Digest],
    /// The target for copies of the leaves. Such leaves have not been checked yet: the first whose words are not canonical is an
    /// error.
    pub(crate) copies: Option<&'a mut [H::Digest]>,
    pub(crate) approach: Approach,
}

/// The kind of building a tree.
pub(crate) const fn kind<H: Accelerated>() -> Kind {
    Kind { name: Activity::TREE.name, variant: H::NAME, sample: sample::<H> }
}

fn sample<H: Accelerated>(backend: &dyn Backend, log: u32) -> Measured {
    let (leaves, mut inner) = (vec![H::Digest::default(); 1 << log], vec![H::Digest::default(); 1 << log]);
    let work = [f64::from(1u32 << log); 2];
    let levels = Levels::Heap(&mut inner);
    timed(|| H::hashing(backend).build_tree(&leaves, levels, Approach::Auto, &mut || Ok(())), work)
}

/// Checks leaves and copies them.
fn check_and_copy<D: Digest>(leaves: &[D], copies: &mut [D]) -> Result<(), Error> {
    check_all(leaves)?;
    memory::copy(leaves, copies);
    Ok(())
}

fn check_all<D: Digest>(leaves: &[D]) -> Result<(), Error> {
    checks::in_pieces(leaves, 8, D::check)
}

fn size_of_tree<D>(leaves: usize) -> Size {
    Activity::TREE.of(leaves, leaves * size_of::<D>(), leaves.saturating_sub(1) * size_of::<D>())
}

impl<H: Accelerated> Call for Tree<'_, H> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        size_of_tree::<H::Digest>(self.leaves.len())
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        let Self { leaves, inner, mut copies, approach } = self;
        let mut beside = || copies.as_mut().map_or(Ok(()), |copies| check_and_copy(leaves, copies));
        H::hashing(device.backend()).build_tree(leaves, Levels::Heap(inner), approach, &mut beside)
    }
}

impl<H: Accelerated> Operation for Tree<'_, H> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<H>(), work: [self.leaves.len() as f64; 2] }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { leaves, inner, copies, approach } = self;
        if let Some(copies) = copies {
            check_and_copy(leaves, copies)?;
        }
        untested.run(Tree::<H> { leaves, inner: &mut *inner, copies: None, approach })?;
        let count = leaves.len();
        let node = |i: usize| if i < count { inner[i] } else { leaves[i - count] };
        let passes = random_indices(count).all(|i| {
            let ancestors = std::iter::successors(Some((count + i) / 2), |node| Some(node / 2));
            let is_right = |i: usize| node(i) == H::merge(&[node(2 * i), node(2 * i + 1)]);
            ancestors.take_while(|&node| node > 0).all(is_right)
        });
        untested.expect(passes, "the check of a tree")
    }
}

/// The depth of the subtrees that are divided among devices: fine enough for shares of a few per cent, with few nodes above.
const DEPTH: u32 = 6;

impl<H: Hasher> Tree<'_, H> {
    /// The depth of the subtrees that are the items. Subtrees have inner nodes.
    fn depth(&self) -> u32 {
        DEPTH.min(self.leaves.len().ilog2().saturating_sub(1))
    }
}

/// A subtree to be built.
struct Subtree<'a, D> {
    leaves: &'a [D],
    copies: Option<&'a mut [D]>,
    /// Its inner nodes by their depth.
    levels: Vec<&'a mut [D]>,
}

/// The part of a tree on one device: adjacent subtrees.
pub(crate) struct Part<'a, H: Hasher> {
    subtrees: Vec<Subtree<'a, H::Digest>>,
    approach: Approach,
}

impl<H: Accelerated> Call for Part<'_, H> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        size_of_tree::<H::Digest>(self.subtrees.iter().map(|subtree| subtree.leaves.len()).sum())
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        self.subtrees.into_iter().try_for_each(|Subtree { leaves, mut copies, levels }| {
            let mut beside = || copies.as_mut().map_or(Ok(()), |copies| check_and_copy(leaves, copies));
            let hashing = H::hashing(device.backend());
            hashing.build_tree(leaves, Levels::Apart(levels), self.approach, &mut beside)
        })
    }
}

impl<'a, H: Accelerated> Divisible for Tree<'a, H> {
    type Outcome = ();
    type Part<'p>
        = Part<'p, H>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        1 << self.depth()
    }

    fn pieces(&self) -> usize {
        1 << self.depth()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Part<'_, H>>, Error> {
        let depth = self.depth();
        let Self { leaves, ref mut inner, ref mut copies, approach } = *self;
        let runs: Vec<_> = shares.iter().map(|share| roots(share.items.clone(), depth)).collect();
        let mut subtrees = subtrees(&runs.concat(), leaves, inner, copies.as_deref_mut()).into_iter();
        let part =
            |run: &Vec<usize>| Part { subtrees: subtrees.by_ref().take(run.len()).collect(), approach };
        Ok(runs.iter().map(part).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
        let depth = self.depth();
        let Self { leaves, inner, .. } = self;
        first_error(outcomes, || check_all(leaves))?;
        // The nodes above the subtrees, from the lowest up.
        let built: Vec<_> = shares.iter().flat_map(|share| roots(share.items.clone(), depth)).collect();
        let is_built = |node: usize| {
            let path = std::iter::successors(Some(node), |node| Some(node / 2));
            path.take_while(|&node| node > 0).any(|node| built.contains(&node))
        };
        for node in (1..1 << depth).rev().filter(|&node| !is_built(node)) {
            inner[node] = H::merge(&[inner[2 * node], inner[2 * node + 1]]);
        }
        Ok(())
    }
}

/// The fewest nodes whose subtrees cover a run of nodes of one depth: their numbers in the heap, from left to right.
fn roots(run: Range<usize>, depth: u32) -> Vec<usize> {
    let mut roots = Vec::new();
    let mut start = run.start;
    while start < run.end {
        // A subtree over 2^height of them begins at a multiple of 2^height.
        let aligned = if start == 0 { depth } else { start.trailing_zeros().min(depth) };
        let height = aligned.min((run.end - start).ilog2());
        roots.push(((1 << depth) + start) >> height);
        start += 1 << height;
    }
    roots
}

/// The subtrees below nodes, from left to right and without gaps, of a tree over leaves whose inner nodes are `1..n` of a slice.
fn subtrees<'a, D>(
    roots: &[usize],
    leaves: &'a [D],
    inner: &'a mut [D],
    copies: Option<&'a mut [D]>,
) -> Vec<Subtree<'a, D>> {
    // The rest of each level, and the number of its first node.
    let levels = Levels::Heap(inner).apart().into_iter().enumerate();
    let mut levels: Vec<(usize, &mut [D])> = levels.map(|(depth, level)| (1 << depth, level)).collect();
    let mut copies = copies;
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
        let own_copies = copies.take().map(|all| {
            let (own, after) = all.split_at_mut(width);
            copies = Some(after);
            own
        });
        let levels = levels[depth as usize..].iter_mut().map(level).collect();
        Subtree { leaves, copies: own_copies, levels }
    };
    roots.iter().map(below).collect()
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
        let (leaves, mut copies): (Vec<usize>, Vec<usize>) = ((8..16).collect(), (8..16).collect());
        let found = subtrees(&[4, 10, 11, 3], &leaves, &mut inner, Some(&mut copies));
        let contents = found.iter().map(|subtree| {
            let levels = subtree.levels.iter().map(|level| level.to_vec()).collect::<Vec<_>>();
            assert_eq!(subtree.copies.as_deref(), Some(subtree.leaves));
            (subtree.leaves.to_vec(), levels)
        });
        assert!(contents.eq([
            (vec![8, 9], vec![vec![4]]),
            (vec![10], vec![]),
            (vec![11], vec![]),
            (vec![12, 13, 14, 15], vec![vec![3], vec![6, 7]]),
        ]));
    }
}
