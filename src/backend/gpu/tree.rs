//! Plans of Merkle trees: the kernels for each level.
//!
//! A tree of n leaves is a heap of 2n digests on the device. Launches follow each other in one queue, so that each finds the
//! levels below it finished.

use super::device::{Arg, Launch, Limits};
use super::hash::DeviceHash;
use super::merkle::DIGEST;
use super::session::Region;
use crate::merkle::Approach;

/// Items of the groups that climb, where the device allows as many: the fastest number measured.
const GROUP: usize = 256;

/// Items that share a hash in `merge_tip`.
const TEAM: usize = 16;

/// From so many parents on, a level fills the device with one item per hash; below, the time is the latency of one hash, which
/// sixteen items compute faster than one. Measured on 132 multiprocessors, where half and twice as many are both slower.
const FILLS: usize = 1 << 14;

/// Up to so many parents, `merge_tip` climbs several levels per launch; above, climbing groups cost more than a launch.
const CLIMBS: usize = 1 << 10;

/// Items of a group of teams.
const TEAMS: usize = 128;

/// The grid for so few hashes that a team for each is faster than an item; `None` for more, or where the hash has no teams.
pub(super) fn teams<H: DeviceHash>(limits: Limits, hashes: usize) -> Option<(usize, usize)> {
    (H::TEAM > 1 && hashes < FILLS && limits.has_tip()).then(|| {
        let group = limits.group_of(TEAMS);
        ((hashes * H::TEAM).div_ceil(group), group)
    })
}

/// The launches that make the inner nodes of a heap from its leaves, a power of two.
pub(super) fn plan<H: DeviceHash>(
    approach: Approach,
    limits: Limits,
    heap: Region,
    leaves: usize,
) -> Vec<Launch<Region>> {
    let tree = Tree { limits, heap };
    let approach = match approach {
        Approach::Local | Approach::Group if !H::APPROACHES => Approach::Level,
        approach => approach,
    };
    let mut launches = Vec::new();
    let mut parents = leaves / 2;
    while parents > 0 {
        let (launch, levels) = match approach {
            Approach::Level => tree.level::<H>("merge_level", parents),
            Approach::Local => tree.level::<H>("merge_local", parents),
            // The first level is the widest: none of its items should wait for those that climb.
            Approach::Group if launches.is_empty() => tree.level::<H>("merge_level", parents),
            Approach::Group => tree.group::<H>(parents),
            Approach::Auto if H::APPROACHES && parents < FILLS && limits.has_tip() => tree.tip::<H>(parents),
            Approach::Auto => match teams::<H>(limits, parents) {
                Some(grid) => tree.one::<H>("merge_team", parents, grid),
                None => tree.level::<H>("merge_level", parents),
            },
        };
        launches.push(launch);
        parents >>= levels;
    }
    launches
}

/// A heap, and the device that it is on.
struct Tree {
    limits: Limits,
    heap: Region,
}

/// Launches with the levels that each makes.
impl Tree {
    /// One item for each parent of a level.
    fn level<H: DeviceHash>(&self, kernel: &'static str, parents: usize) -> (Launch<Region>, u32) {
        self.one::<H>(kernel, parents, self.limits.grid(parents))
    }

    /// A level.
    fn one<H: DeviceHash>(
        &self,
        kernel: &'static str,
        parents: usize,
        grid: (usize, usize),
    ) -> (Launch<Region>, u32) {
        self.check(parents);
        let args = vec![Arg::Buffer(self.heap, 0), Arg::Word(parents as u64)];
        // SAFETY: the kernels take (heap, parents) and touch digests parents..4 parents, which are checked; only programs that
        // have merge_local or merge_team are launched with it; the grid has an item or a team for each parent unless items repeat.
        (unsafe { Launch::new(H::PROGRAM, kernel, grid, args) }, 1)
    }

    /// Groups that compute as many parents as they have items, and climb.
    fn group<H: DeviceHash>(&self, parents: usize) -> (Launch<Region>, u32) {
        let group = self.limits.group_of(GROUP);
        self.climb::<H>("merge_group", parents, (parents.div_ceil(group), group), group)
    }

    /// Groups of several items per parent, which climb where the tree is narrow.
    fn tip<H: DeviceHash>(&self, parents: usize) -> (Launch<Region>, u32) {
        let climbs = parents <= CLIMBS;
        let group = self.limits.group_of(if climbs { GROUP } else { GROUP / 2 });
        let teams = group / TEAM;
        let highest = if climbs { teams } else { 1 };
        self.climb::<H>("merge_tip", parents, (parents.div_ceil(teams), group), highest)
    }

    /// A kernel whose groups compute at most `width` parents before they climb.
    fn climb<H: DeviceHash>(
        &self,
        kernel: &'static str,
        parents: usize,
        grid: (usize, usize),
        width: usize,
    ) -> (Launch<Region>, u32) {
        self.check(parents);
        assert!(H::APPROACHES, "a program with kernels that climb");
        let levels = climbed(width).min(climbed(parents));
        let args = vec![Arg::Buffer(self.heap, 0), Arg::Word(parents as u64), Arg::Word(u64::from(levels))];
        // SAFETY: the kernels take (heap, parents, levels) and touch digests up to 4 parents, which are checked. Groups
        // are powers of two within their bounds, and there are enough for every parent. No group climbs past its own
        // nodes, nor past the root.
        let launch = unsafe { Launch::new(H::PROGRAM, kernel, grid, args) };
        (launch, levels)
    }

    fn check(&self, parents: usize) {
        assert!(parents.is_power_of_two(), "whole levels");
        assert!(self.heap.words() >= 4 * parents * DIGEST, "a heap that holds the children");
    }
}

/// The levels from one of `width` nodes, a power of two, to that of one node.
fn climbed(width: usize) -> u32 {
    width.ilog2() + 1
}

impl Limits {
    /// A group of so many items, a power of two, or of as many as the device allows.
    fn group_of(self, items: usize) -> usize {
        1 << items.min(self.largest_group).max(1).ilog2()
    }

    /// Whether several items per hash pay: they do where items run concurrently, not one after another.
    fn has_tip(self) -> bool {
        // Two teams at least, for a team shares a warp of CUDA with another.
        self.items == usize::MAX && self.largest_group >= 2 * TEAM
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Blake3, Poseidon2_12, Rp64_256};

    /// Limits of a device with any number of items.
    fn gpu(largest_group: usize) -> Limits {
        Limits { items: usize::MAX, group: 128, largest_group, buffer: u64::MAX, fast_double: false }
    }

    /// Kernel, parents and levels of every launch.
    fn outline<H: DeviceHash>(
        approach: Approach,
        limits: Limits,
        leaves: usize,
    ) -> Vec<(&'static str, u64, u64)> {
        let launches = plan::<H>(approach, limits, Region::nowhere(2 * DIGEST * leaves), leaves);
        let outlined = launches.iter().map(|launch| match launch.args[..] {
            [_, Arg::Word(parents)] => (launch.kernel, parents, 1),
            [_, Arg::Word(parents), Arg::Word(levels)] => (launch.kernel, parents, levels),
            _ => panic!("{launch:?}"),
        });
        outlined.collect()
    }

    #[test]
    fn every_level_is_made_once() {
        let processor = Limits { items: 1024, group: 16, ..gpu(4096) };
        for limits in [gpu(1024), gpu(256), gpu(48), gpu(32), gpu(16), gpu(1), processor] {
            for (approach, log_leaves) in
                Approach::ALL.iter().flat_map(|&approach| (0..=24).map(move |log| (approach, log)))
            {
                let mut next = 1 << log_leaves >> 1;
                for (kernel, parents, levels) in outline::<Rp64_256>(approach, limits, 1 << log_leaves) {
                    assert!(levels > 0, "{kernel}");
                    assert_eq!(parents, next, "{approach}, {kernel}, 2^{log_leaves} leaves, {limits:?}");
                    next >>= levels;
                }
                assert_eq!(next, 0, "{approach}, 2^{log_leaves} leaves, {limits:?}");
            }
        }
    }

    #[test]
    fn launches_of_groups_that_climb() {
        let launches = |log_leaves: u32, group| {
            outline::<Rp64_256>(Approach::Group, gpu(group), 1 << log_leaves).len() as u32
        };
        assert_eq!(launches(24, 256), 4);
        for log_leaves in 1..=24_u32 {
            for log_group in 0..=8 {
                let expected = 1 + (log_leaves - 1).div_ceil(log_group + 1);
                assert_eq!(launches(log_leaves, 1 << log_group), expected);
            }
        }
    }

    #[test]
    fn the_fastest_plan() {
        let found = outline::<Rp64_256>(Approach::Auto, gpu(1024), 1 << 16);
        let tip = |parents, levels| ("merge_tip", parents, levels);
        let mut expected = vec![("merge_level", 1 << 15, 1), ("merge_level", 1 << 14, 1)];
        expected.extend([tip(1 << 13, 1), tip(1 << 12, 1), tip(1 << 11, 1)]);
        expected.extend([tip(1 << 10, 5), tip(1 << 5, 5), tip(1, 1)]);
        assert_eq!(found, expected);
    }

    #[test]
    fn teams_where_hashes_are_few() {
        let found = outline::<Poseidon2_12>(Approach::Auto, gpu(1024), 1 << 15);
        let expected =
            (0..15).rev().map(|log| (if log < 14 { "merge_team" } else { "merge_level" }, 1 << log, 1));
        assert_eq!(found, expected.collect::<Vec<_>>());
        let levels = outline::<Poseidon2_12>(Approach::Level, gpu(1024), 1 << 15);
        assert!(levels.iter().all(|&(kernel, ..)| kernel == "merge_level"));
        assert_eq!(outline::<Poseidon2_12>(Approach::Group, gpu(1024), 1 << 15), levels);
    }

    #[test]
    fn blake3_has_one_approach() {
        let level = outline::<Blake3>(Approach::Level, gpu(256), 1 << 16);
        assert!(Approach::ALL.iter().all(|&a| outline::<Blake3>(a, gpu(256), 1 << 16) == level));
    }
}

/// The plans of GPUs, on any OpenCL device; processors would choose other plans.
#[cfg(all(test, feature = "opencl"))]
mod on_device {
    use super::super::first_opencl;
    use super::super::session::Session;
    use super::*;
    use crate::backend::cpu::Cpu;
    use crate::backend::gpu::merkle::hash_rows;
    use crate::backend::testing::{build_heap, hash_columns};
    use crate::backend::{Extent, Hashing};
    use crate::field::Goldilocks;
    use crate::hash::{ElementDigest, Poseidon2_8, Poseidon2_12, Rp64_256, Rp64_256V2021};

    /// Those of a GPU, on a device with groups of so many items at most.
    fn of_gpu(limits: Limits, group: usize) -> Limits {
        Limits { items: usize::MAX, largest_group: group.min(limits.largest_group), ..limits }
    }

    fn plans_of_gpus<H: DeviceHash<Digest = ElementDigest>>()
    where
        Cpu: Hashing<H>,
    {
        let Some(gpu) = first_opencl() else { return };
        let limits = gpu.device().limits();
        for (group, largest) in [(256, 13), (64, 9), (32, 7)] {
            let limits = of_gpu(limits, group);
            for log_leaves in 0..=largest {
                let leaves = 1 << log_leaves;
                let words = (0..8 * leaves as u64).map(|word| Goldilocks::new(word * word + 5));
                let words: Vec<_> = words.collect();
                let mut expected: Vec<ElementDigest> = bytemuck::cast_slice(&words).to_vec();
                expected[0] = ElementDigest::default();
                let mut found = expected.clone();
                let host = Cpu::default();
                build_heap::<H>(&host, &mut expected, Approach::Auto).unwrap();
                for approach in [Approach::Auto, Approach::Group] {
                    let mut session = Session::new(&gpu).unwrap();
                    let heap = session.upload_new(bytemuck::cast_slice(&found)).unwrap();
                    session.launch(&plan::<H>(approach, limits, heap, leaves)).unwrap();
                    session.download(heap, 0, bytemuck::cast_slice_mut(&mut found)).unwrap();
                    assert!(found == expected, "{} {approach} 2^{log_leaves}, groups of {group}", H::NAME);
                    found[..leaves].fill(ElementDigest::default());
                }
            }
        }
    }

    #[test]
    fn circulant_and_dense() {
        plans_of_gpus::<Rp64_256>();
        plans_of_gpus::<Rp64_256V2021>();
    }

    /// Rows in one block, in blocks of one column and of several; with as many words as a sponge absorbs at a time, fewer and more.
    fn rows_of_teams<H: DeviceHash<Digest = ElementDigest>>()
    where
        Cpu: Hashing<H>,
    {
        let Some(gpu) = first_opencl() else { return };
        for (rows, width, block) in
            [(1, 1, 1), (3, 4, 4), (65, 8, 1), (33, 13, 13), (70, 20, 1), (7, 24, 3), (40, 36, 12)]
        {
            let limits = of_gpu(gpu.device().limits(), 64);
            let extent = Extent { rows, width, block };
            let words: Vec<_> = (0..extent.words() as u64).map(|i| -Goldilocks::new(i * i + 1)).collect();
            let mut expected = vec![ElementDigest::default(); rows];
            hash_columns::<H>(&Cpu::default(), &words, block, &mut expected).unwrap();
            let mut found = vec![ElementDigest::default(); rows];
            let mut session = Session::new(&gpu).unwrap();
            let matrix = session.upload_new(bytemuck::cast_slice(&words)).unwrap();
            let digests = session.allocate(DIGEST * rows).unwrap();
            let launch = hash_rows::<H>(limits, matrix, extent, (digests, 0));
            assert_eq!(launch.kernel, "hash_rows_team");
            session.launch(&[launch]).unwrap();
            session.download(digests, 0, bytemuck::cast_slice_mut(&mut found)).unwrap();
            assert!(found == expected, "{} {extent:?}", H::NAME);
        }
    }

    #[test]
    fn teams() {
        plans_of_gpus::<Poseidon2_12>();
        plans_of_gpus::<Poseidon2_8>();
        rows_of_teams::<Poseidon2_12>();
        rows_of_teams::<Poseidon2_8>();
    }
}
