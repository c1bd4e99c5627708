//! The kernels of sums, each with its parameters.

use super::super::device::{Arg, Launch, Limits};
use super::super::session::Region;
use super::plan::{Division, WIDTHS};
use super::programs::DeviceCurve;

/// Items of a group of a sorting kernel, where the device allows as many.
const SORTERS: usize = 256;
/// Terms of a tile at most: MSM_STAGED of the kernels.
const TILE: usize = 1 << 12;
/// Items of a group that adds up points: MSM_ITEMS of the kernels.
const ITEMS: usize = 64;
/// Points that a group adds up.
const ADDED_UP: usize = 1 << 10;
/// Points that share an inversion.
const SHARING: usize = 16;
/// Groups that share slices and long buckets.
const GROUPS: usize = 1 << 10;

fn word(word: usize) -> Arg<Region> {
    Arg::Word(word as u64)
}

fn at(region: Region) -> Arg<Region> {
    Arg::Buffer(region, 0)
}

/// Groups for a kernel that sorts.
fn sorters(limits: Limits, groups: usize) -> (usize, usize) {
    (groups, SORTERS.min(limits.largest_group))
}

/// 32-bit words of a region that fit into `words`.
fn holds(region: Region, halves: usize) -> bool {
    2 * region.words() >= halves
}

/// Clears so many 32-bit words.
pub(super) fn clear<C: DeviceCurve>(limits: Limits, region: Region, halves: usize) -> Launch<Region> {
    assert!(holds(region, halves));
    // SAFETY: msm_clear(words, count).
    unsafe { Launch::new(C::SORT, "msm_clear", limits.grid(halves), vec![at(region), word(halves)]) }
}

/// Converts `count` scalars, from some position in a region on, to integers, and counts their widths.
pub(super) fn integers<C: DeviceCurve>(
    limits: Limits,
    (scalars, from): (Region, usize),
    count: usize,
    integers: Region,
    widths: Region,
) -> Launch<Region> {
    assert!(scalars.words() >= C::SCALAR * (from + count) && integers.words() >= C::SCALAR * count);
    assert!(holds(widths, WIDTHS));
    let args = vec![Arg::Buffer(scalars, from as u64), word(count), at(integers), at(widths)];
    // Counting the widths has a cost per group.
    let (groups, group) = limits.grid(count);
    // SAFETY: msm_integers(scalars, count, integers, widths), of which each item may do several.
    unsafe { Launch::new(C::SORT, "msm_integers", (groups.min(1 << 12), group), args) }
}

/// The input of a sort.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) integers: Region,
    /// Integers, in rows of `width`.
    pub(super) count: usize,
    pub(super) width: usize,
    /// The number of the first base's point, and the distance to its next multiple.
    pub(super) first: usize,
    pub(super) stride: usize,
}

/// The memory of a sort.
#[derive(Clone, Copy)]
pub(super) struct Sort {
    pub(super) partitions: Region,
    pub(super) pairs: Region,
    pub(super) ends: Region,
    pub(super) terms: Region,
}

impl Sort {
    /// Terms bucket by bucket, and where each bucket ends.
    pub(super) fn launches<C: DeviceCurve>(
        self,
        limits: Limits,
        source: Source,
        division: Division,
        points: Region,
    ) -> Vec<Launch<Region>> {
        let (Source { integers, count, width, first, stride }, shape) = (source, division.shape);
        let (partitions, low_bits) = (division.partitions(), division.low_bits as usize);
        assert!(integers.words() >= C::SCALAR * count && count % width == 0);
        assert!(holds(self.partitions, partitions) && holds(self.ends, division.slots()));
        assert!(self.pairs.words() >= division.terms && holds(self.terms, division.terms));
        assert!(partitions <= 1 << super::plan::LOG_SLOTS && low_bits <= super::plan::LOG_SLOTS as usize);
        assert!(count / width * shape.buckets() <= division.slots());
        assert!(division.terms < super::plan::TERMS);
        let points = points.words() / C::AFFINE;
        assert!(points >= first + width + (shape.tables() - 1) * stride && points <= 1 << 31);
        // One integer per item, and at least one item.
        let tile = TILE / shape.windows;
        let tile = if tile > SORTERS { tile / SORTERS * SORTERS } else { tile };
        let mut digits = vec![at(integers), word(count)];
        let rest = [shape.bits as usize, shape.windows, shape.sets, width, first, stride];
        digits.extend(rest.map(word));
        digits.extend([low_bits, partitions, tile].map(word));
        let with =
            |more: &[Region]| [&digits[..], &more.iter().copied().map(at).collect::<Vec<_>>()].concat();
        let tiles = sorters(limits, count.div_ceil(tile));
        let pair_tiles = sorters(limits, division.terms.div_ceil(TILE));
        let one = sorters(limits, 1);
        let pairs = [at(self.pairs), at(self.partitions), word(partitions), word(low_bits), word(TILE)];
        let sort = C::SORT;
        // SAFETY: msm_count_partitions(integers, count, bits, windows, sets, width, first, stride, low_bits, partitions, tile,
        // counts), msm_partition with cursors and pairs for counts, and so on as in the kernels' text. Buckets are below
        // rows x sets x 2^(bits-1), thus partitions below `partitions`; the counts of terms add up to `terms` at most.
        unsafe {
            vec![
                clear::<C>(limits, self.partitions, partitions),
                clear::<C>(limits, self.ends, division.slots()),
                Launch::new(sort, "msm_count_partitions", tiles, with(&[self.partitions])),
                Launch::new(sort, "msm_scan", one, scan(self.partitions, partitions, self.partitions, false)),
                Launch::new(sort, "msm_partition", tiles, with(&[self.partitions, self.pairs])),
                Launch::new(sort, "msm_count_buckets", pair_tiles, [&pairs[..], &[at(self.ends)]].concat()),
                Launch::new(
                    sort,
                    "msm_scan",
                    sorters(limits, partitions),
                    scan(self.ends, 1 << low_bits, self.partitions, true),
                ),
                Launch::new(
                    sort,
                    "msm_scatter",
                    pair_tiles,
                    [&pairs[..], &[at(self.ends), at(self.terms)]].concat(),
                ),
            ]
        }
    }
}

fn scan(counts: Region, length: usize, ends: Region, runs_before: bool) -> Vec<Arg<Region>> {
    vec![at(counts), word(length), at(ends), word(runs_before as usize)]
}

/// The memory of sums.
#[derive(Clone, Copy)]
pub(super) struct Accumulation {
    pub(super) heads: Region,
    pub(super) tails: Region,
    pub(super) tail_buckets: Region,
    pub(super) counts: Region,
    pub(super) longs: Region,
    pub(super) slices: Region,
    pub(super) slice_sums: Region,
}

impl Accumulation {
    /// Adds terms to the sums of buckets, which are new unless they were `begun`.
    pub(super) fn launches<C: DeviceCurve>(
        self,
        limits: Limits,
        sorting: Sort,
        division: Division,
        points: Region,
        (sums, begun): (Region, bool),
    ) -> Vec<Launch<Region>> {
        let Division { run, runs, buckets, .. } = division;
        let (ends, slots, longs) = (sorting.ends, division.slots(), division.longs());
        assert!(sums.words() >= C::XYZZ * slots);
        assert!(self.heads.words() >= C::XYZZ * runs && self.tails.words() >= C::XYZZ * runs);
        assert!(holds(self.tail_buckets, runs) && holds(self.counts, 2) && holds(self.longs, 3 * longs));
        assert!(holds(self.slices, 2 * longs) && self.slice_sums.words() >= C::XYZZ * longs);
        let accumulate = vec![
            at(sorting.terms),
            at(ends),
            word(slots),
            word(run),
            word(runs),
            at(points),
            word(begun as usize),
            at(sums),
            at(self.heads),
            at(self.tails),
            at(self.tail_buckets),
        ];
        let mut join = vec![at(ends), word(run), word(runs)];
        let rest = [sums, self.heads, self.tails, self.tail_buckets, self.counts, self.longs, self.slices];
        join.extend(rest.map(at));
        // On a processor a group is a loop, and more groups than cores only add overhead.
        let groups = GROUPS.min(limits.items);
        let slices =
            vec![at(self.counts), at(self.slices), at(self.heads), word(groups), at(self.slice_sums)];
        let joined = vec![
            at(self.counts),
            at(self.longs),
            at(self.slice_sums),
            at(self.tails),
            at(self.tail_buckets),
            word(groups),
            at(sums),
        ];
        let empty = vec![at(ends), word(buckets), at(sums)];
        let sum = C::SUM;
        // SAFETY: msm_accumulate(terms, ends, buckets, length, runs, points, begun, sums, heads, tails, tail_buckets),
        // msm_join(ends, length, runs, sums, heads, tails, tail_buckets, counts, longs, slices), msm_slices(counts, slices,
        // heads, groups, slice_sums), msm_longs(counts, longs, slice_sums, tails, tail_buckets, groups, sums) and msm_empty(ends,
        // buckets, sums). Terms name existing points, by the sort's assertions. A long bucket has more than 16 runs of its own,
        // so that there are `longs` at most, and slices too.
        unsafe {
            let mut launches = vec![
                clear::<C>(limits, self.counts, 2),
                Launch::new(sum, "msm_accumulate", limits.grid(runs), accumulate),
                Launch::new(sum, "msm_join", limits.grid(runs), join),
                Launch::new(sum, "msm_slices", (groups, ITEMS), slices),
                Launch::new(sum, "msm_longs", (groups, ITEMS), joined),
            ];
            if !begun {
                launches.push(Launch::new(sum, "msm_empty", limits.grid(buckets), empty));
            }
            launches
        }
    }
}

/// The memory of buckets, and of reducing them.
#[derive(Clone, Copy)]
pub(super) struct Reduction {
    pub(super) sums: Region,
    pub(super) weighted: Region,
    pub(super) plain: Region,
    pub(super) halfway: Region,
    /// For each bucket set the sum of its weighted pieces, and of the plain ones those whose number has bit 0, 1, and so on.
    pub(super) result: Region,
}

impl Reduction {
    /// Words of each of the regions.
    pub(super) fn words<C: DeviceCurve>(division: Division) -> [usize; 5] {
        let pieces = division.buckets / division.piece;
        let (kinds, runs) = (Self::kinds(division), Self::runs(division));
        [division.slots(), pieces, pieces, runs * kinds, kinds].map(|points| C::XYZZ * points)
    }

    /// Sums of the result.
    pub(super) fn kinds(division: Division) -> usize {
        (division.buckets >> division.shape.log_set()) * (division.log_pieces() as usize + 1)
    }

    /// Runs in which the pieces of a set are added up.
    fn runs(division: Division) -> usize {
        (1 << division.log_pieces()) / (1 << division.log_pieces()).min(ADDED_UP)
    }

    /// The weighted and the plain sums of pieces of buckets, and the sums of those.
    pub(super) fn launches<C: DeviceCurve>(self, limits: Limits, division: Division) -> Vec<Launch<Region>> {
        let Self { sums, weighted, plain, halfway, result } = self;
        let Division { buckets, piece, .. } = division;
        let (pieces, log_pieces) = (buckets / piece, division.log_pieces());
        let (kinds, runs) = (Self::kinds(division), Self::runs(division));
        assert!(buckets % piece == 0 && piece.is_power_of_two() && kinds * runs < 1 << 31);
        let regions = [sums, weighted, plain, halfway, result];
        assert!(
            regions.iter().zip(Self::words::<C>(division)).all(|(region, words)| region.words() >= words)
        );
        let reduce = vec![at(sums), word(piece), word(pieces), at(weighted), at(plain)];
        let length = (1 << log_pieces) / runs;
        let bits = [at(weighted), at(plain), word(log_pieces as usize), word(length)];
        let bits_to = |to| [&bits[..], &[at(to)]].concat();
        let sum = C::SUM;
        // SAFETY: msm_reduce(sums, size, pieces, weighted, plain), msm_add_bits(weighted, plain, log_pieces, length, sums) and msm_add_up(points,
        // length, sums), these a group for each sum. The regions that they read and write have the sizes that `words` returns.
        unsafe {
            let reduce = Launch::new(sum, "msm_reduce", limits.grid(pieces), reduce);
            match runs {
                1 => vec![reduce, Launch::new(sum, "msm_add_bits", (kinds, ITEMS), bits_to(result))],
                _ => vec![
                    reduce,
                    Launch::new(sum, "msm_add_bits", (kinds * runs, ITEMS), bits_to(halfway)),
                    Launch::new(sum, "msm_add_up", (kinds, ITEMS), vec![at(halfway), word(runs), at(result)]),
                ],
            }
        }
    }
}

/// Multiples by 2^`doublings` of `count` points of a table, from some point on, to others of the table; `space` is for as many
/// points in projective form.
pub(super) fn multiples<C: DeviceCurve>(
    limits: Limits,
    table: Region,
    (from, to): (usize, usize),
    count: usize,
    doublings: usize,
    space: Region,
) -> [Launch<Region>; 2] {
    assert!(table.words() >= C::AFFINE * (from.max(to) + count) && space.words() >= C::XYZZ * count);
    let point = |point: usize| Arg::Buffer(table, (2 * point) as u64);
    let items = count.div_ceil(SHARING);
    let double = vec![point(from), word(doublings), word(count), at(space)];
    let normalize = vec![at(space), word(count), word(items), point(to)];
    let tables = C::TABLES;
    // SAFETY: msm_double(points, doublings, count, multiples) and msm_normalize(points, count, items, affines); elements of their
    // buffers are coordinates, of which a point has two.
    unsafe {
        [
            Launch::new(tables, "msm_double", limits.grid(count), double),
            Launch::new(tables, "msm_normalize", limits.grid(items), normalize),
        ]
    }
}
