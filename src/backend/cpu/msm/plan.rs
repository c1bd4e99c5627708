//! How a sum is divided: the size of windows, and the tasks.

use std::ops::Range;

use super::buckets::POINTS;
use super::integers::Digits;
use crate::backend::widths::Widths;

/// What things cost, in products of coordinates. A sum of affine points, its share of an inversion and of sorting included.
const SUM: f64 = 7.0;
/// A bucket beyond its points: its share of the bucket reduction, two sums, and of memory.
const BUCKET: f64 = 3.0 * SUM;
/// A bucket of a short weighted sum, by two projective sums.
const SHORT_BUCKET: f64 = 24.0;
/// A window: doublings and the end of a bucket reduction.
const WINDOW: f64 = 300.0;
/// Buckets that are summed one after another.
pub(super) const SHORT: usize = 64;

/// The largest windows, in bits; 2^21 buckets are 128 MiB.
const MOST_BITS: u32 = 22;

/// Points in small sets that one task takes together.
const TOGETHER: usize = 1 << 14;

/// Points that a task sorts at once. They refer to 1 MiB of bases, or to as many bases as there are buckets.
const CHUNK: usize = 1 << 14;

/// A division into tasks.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) digits: Digits,
    /// Tables of multiples in use: window t S + s belongs to table t and bucket set s, with S sets.
    pub(super) tables: usize,
    pub(super) sets: usize,
    pub(super) tasks: Vec<Task>,
}

/// Bucket sets, and the bases that go into them.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) sets: Range<usize>,
    pub(super) bases: Range<usize>,
}

/// Tables of multiples of bases: table t holds the multiples by 2^(c S t).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableShape {
    pub(super) digits: Digits,
    pub(super) tables: usize,
    pub(super) sets: usize,
}

impl TableShape {
    /// The cheapest tables for sums of `n` scalars of `longest` bits, at most `most` of them, the bases themselves counted; `None` if
    /// none are worth it.
    pub(super) fn new(n: usize, longest: u32, most: usize) -> Option<Self> {
        let shapes = (2..=MOST_BITS).map(|bits| {
            let digits = Digits::signed(bits, longest);
            let sets = (digits.windows as usize).div_ceil(most);
            Self { digits, sets, tables: (digits.windows as usize).div_ceil(sets) }
        });
        let widths = Widths::alike(n, longest as usize);
        let plain = cost(&cheapest(&widths), &widths, None);
        let best = shapes.min_by(|a, b| a.cost(n).total_cmp(&b.cost(n)))?;
        (best.tables > 1 && best.cost(n) < 0.95 * plain).then_some(best)
    }

    /// What a sum of `n` wide scalars costs with these tables.
    pub(super) fn cost(&self, n: usize) -> f64 {
        n as f64 * SUM * f64::from(self.digits.windows) + self.sets as f64 * set_cost(self.digits)
    }
}

/// What a set of buckets costs beyond the points in them.
fn set_cost(digits: Digits) -> f64 {
    WINDOW
        + match digits.largest {
            short @ 0..=SHORT => short as f64 * SHORT_BUCKET,
            many => many as f64 * BUCKET + (many as f64).sqrt() * 4.0 * SHORT_BUCKET,
        }
}

/// What a sum costs.
fn cost(digits: &Digits, widths: &Widths, sets: Option<usize>) -> f64 {
    let digits_in_all: usize =
        (0..digits.windows as usize).map(|window| widths.digits(digits.bits, window)).sum();
    digits_in_all as f64 * SUM + sets.unwrap_or(digits.windows as usize) as f64 * set_cost(*digits)
}

/// The cheapest digits without tables.
fn cheapest(widths: &Widths) -> Digits {
    let width = widths.widest() as u32;
    let signed = (1..=MOST_BITS.min(width + 1)).map(|bits| Digits::signed(bits, width));
    let whole = (width <= 16).then(|| Digits::whole(width));
    let all = signed.chain(whole);
    all.min_by(|a, b| cost(a, widths, None).total_cmp(&cost(b, widths, None))).expect("one bit at least")
}

impl Plan {
    /// The division of a sum of scalars of these widths, among threads.
    pub(super) fn new(widths: &Widths, tables: Option<TableShape>, threads: usize) -> Self {
        let n = widths.count();
        let digits = cheapest(widths);
        // Narrow scalars leave most tables without work, and wide digits would be waste.
        let with_tables = tables.filter(|shape| {
            let wide = cost(&shape.digits, widths, Some(shape.sets));
            wide < cost(&digits, widths, None)
        });
        let (digits, tables, sets) = match with_tables {
            Some(TableShape { digits, tables, sets }) => (digits, tables, sets),
            None => (digits, 1, digits.windows as usize),
        };
        let work: Vec<usize> = (0..sets)
            .map(|set| {
                let windows = (set..digits.windows as usize).step_by(sets);
                windows.map(|window| widths.digits(digits.bits, window)).sum::<usize>() + digits.largest
            })
            .collect();
        let tasks = tasks(n, &work, digits.largest, threads);
        Self { digits, tables, sets, tasks }
    }

    /// Additions of the reduction of a bucket.
    pub(super) const REDUCTION: usize = 2;

    /// The windows whose digits go into the bucket sets of a task.
    pub(super) fn windows(&self, task: &Task) -> usize {
        task.sets.clone().map(|set| (set..self.digits.windows as usize).step_by(self.sets).len()).sum()
    }

    /// About how many additions a task takes, for meters.
    pub(super) fn additions(&self, task: &Task) -> usize {
        task.bases.len() * self.windows(task) + task.sets.len() * self.digits.largest * Self::REDUCTION
    }

    /// Bases that a task takes at once.
    pub(super) fn chunk(&self, task: &Task) -> usize {
        let buckets = task.sets.len() * self.digits.largest;
        // Few points for many buckets would be copied about without being added.
        CHUNK.max(buckets).div_ceil(task.sets.len() * self.tables)
    }
}

/// Tasks of about equal work: several small sets together, large ones in parts where threads would idle otherwise.
fn tasks(n: usize, work: &[usize], buckets: usize, threads: usize) -> Vec<Task> {
    let total: usize = work.iter().sum();
    // With one thread, nothing is divided but to stay in cache.
    let share = if threads > 1 { total.div_ceil(4 * threads) } else { usize::MAX };
    let mut tasks = Vec::new();
    let mut set = 0;
    while set < work.len() {
        let mut end = set + 1;
        let mut sum = work[set];
        while end < work.len() && sum + work[end] <= share.min(TOGETHER) {
            sum += work[end];
            end += 1;
        }
        // Each part has buckets of its own, which must be few beside the points.
        let parts = if sum / 2 > share { (sum / share).clamp(1, (sum / (4 * buckets)).max(1)) } else { 1 };
        let part = n.div_ceil(parts).clamp(1, POINTS);
        tasks.extend(
            (0..n).step_by(part).map(|start| Task { sets: set..end, bases: start..n.min(start + part) }),
        );
        set = end;
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_cover_every_set_and_base_once() {
        for (n, width) in [(1, 253), (33, 253), (1000, 1), (1 << 16, 8), (1 << 20, 253), (1 << 20, 1)] {
            for threads in [1, 2, 3, 64] {
                for tables in [None, TableShape::new(n, 253, 4), TableShape::new(n, 253, 1000)] {
                    let plan = Plan::new(&Widths::alike(n, width), tables, threads);
                    let mut covered = vec![0; plan.sets];
                    for task in &plan.tasks {
                        task.sets.clone().for_each(|set| covered[set] += task.bases.len());
                        assert!(plan.chunk(task) > 0);
                    }
                    assert!(covered.iter().all(|&bases| bases == n), "{n} {width} {threads} {plan:?}");
                    assert!(plan.tables * plan.sets >= plan.digits.windows as usize);
                }
            }
        }
    }

    #[test]
    fn narrow_scalars_have_one_digit() {
        let n = 1 << 16;
        assert_eq!(Plan::new(&Widths::alike(n, 1), None, 2).digits, Digits::whole(1));
        assert_eq!(Plan::new(&Widths::alike(n, 8), None, 2).digits, Digits::whole(8));
        assert_eq!(Plan::new(&Widths::alike(n, 8), TableShape::new(n, 253, 100), 2).tables, 1);
    }
}
