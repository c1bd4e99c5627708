//! How sums are divided: the size of windows, and what memory the division takes.
//!
//! Costs are counted in field multiplications, which dominate. A digit is a term of some bucket, one mixed addition; a bucket
//! costs two full additions in the reduction. Longer digits are fewer, and have more buckets.

use super::programs::DeviceCurve;
use crate::backend::widths::Widths;
use crate::curve::Curve;
use crate::field::montgomery::Modulus;

/// The bits of the largest integers that represent scalars, without the sign: r/2 has one bit less than r. On a curve with points outside of the group they are those of r.
pub(super) const fn longest<C: Curve>() -> usize {
    (<C::Scalar as Modulus>::BITS - C::COFACTOR_IS_ONE as u32) as usize
}

/// The number of possible bit lengths of six limbs, 0 among them: MSM_WIDTHS of the kernels, or more where scalars have four.
pub(super) const WIDTHS: usize = 64 * 6;

/// The buckets that a sort has room for: [`SLOTS`] partitions of as many buckets each.
pub(super) const LOG_BUCKETS: u32 = 2 * LOG_SLOTS;
/// Partitions of a sort at most, or buckets of a partition: MSM_SLOTS of the kernels.
pub(super) const LOG_SLOTS: u32 = 11;
/// The most bits of a digit.
const LONGEST_DIGIT: u32 = 22;
/// A bound on the terms of a sort, so that their numbers and those of points are below 2^31.
pub(super) const TERMS: usize = 1 << 31;

/// The cost of a term: a mixed addition, and its share of sorting.
const TERM: f64 = 10.0 + 1.0;
/// The extra cost of sorting beyond this many buckets, where a tile has only one or two terms of a partition.
const WIDE_SORT: f64 = 1.0;
const WIDE: usize = 1 << 20;
/// The cost of a bucket: two full additions, and its share of summing pieces, clearing and scanning.
const BUCKET: f64 = 28.0 + 14.0;
/// The cost of a bucket set, for combining its sum.
const SET: f64 = 2000.0;

/// Windows of so many bits, with their bucket sets and tables: window t S + s belongs to table t and
/// set s, with S sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) bits: u32,
    pub(super) windows: usize,
    pub(super) sets: usize,
}

impl Shape {
    /// Windows of integers of `width` bits, a bucket set each.
    fn plain(bits: u32, width: usize) -> Self {
        // One bit more than the integer's, for the sign of its last digit.
        let windows = (width + 1).div_ceil(bits as usize);
        Self { bits, windows, sets: windows }
    }

    /// The tables that are used.
    pub(super) fn tables(self) -> usize {
        self.windows.div_ceil(self.sets)
    }

    /// log2 of the buckets of a set.
    pub(super) fn log_set(self) -> u32 {
        self.bits - 1
    }

    /// Buckets of a row.
    pub(super) fn buckets(self) -> usize {
        self.sets << self.log_set()
    }

    /// Digits other than 0, at most.
    pub(super) fn terms(self, widths: &Widths) -> usize {
        (0..self.windows).map(|window| widths.digits(self.bits, window)).sum()
    }

    fn cost(self, rows: usize, widths: &Widths) -> f64 {
        let buckets = BUCKET * self.buckets() as f64 + SET * self.sets as f64;
        self.cost_of_terms(rows, widths) + rows as f64 * buckets
    }

    /// The cost without reduction, where buckets are reduced anyway.
    fn cost_of_terms(self, rows: usize, widths: &Widths) -> f64 {
        let term = if rows * self.buckets() > WIDE { TERM + WIDE_SORT } else { TERM };
        term * self.terms(widths) as f64
    }

    /// Whether the digits of both can be accumulated in the same buckets.
    pub(super) fn shares_buckets(self, other: Self) -> bool {
        (self.bits, self.sets) == (other.bits, other.sets)
    }

    /// Whether a sort has room for the buckets of so many rows.
    fn has_room(self, rows: usize) -> bool {
        rows.saturating_mul(self.buckets()) <= 1 << LOG_BUCKETS
    }

    /// The cheapest shape for `rows` rows of integers with these widths; at most one candidate uses tables.
    pub(super) fn cheapest(rows: usize, widths: &Widths, tables: Option<Self>) -> Self {
        let width = widths.widest();
        let plain = (1..=LONGEST_DIGIT.min(width as u32 + 1)).map(|bits| Self::plain(bits, width));
        let with_tables =
            tables.map(|shape| Self { windows: Self::plain(shape.bits, width).windows, ..shape });
        // Fewer windows than sets leave sets empty.
        let with_tables = with_tables.map(|shape| Self { sets: shape.sets.min(shape.windows), ..shape });
        let all = plain.chain(with_tables).filter(|shape| shape.has_room(rows));
        let cost = |shape: &Self| shape.cost(rows, widths);
        // Digits of a single bit have the fewest buckets, and rows are divided so that those have room.
        all.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(Self::plain(1, width))
    }

    /// The cheapest shape for a row of integers that are summed after others: a new one, or that of those `before`, whose buckets
    /// cost nothing more.
    pub(super) fn after(before: Self, widths: &Widths, tables: Option<Self>) -> Self {
        let own = Self::cheapest(1, widths, tables);
        let shared = Self { windows: Self::plain(before.bits, widths.widest()).windows, ..before };
        // Without tables there is a set for each window.
        let possible =
            shared.windows <= shared.sets || tables.is_some_and(|shape| shape.shares_buckets(before));
        match possible && shared.cost_of_terms(1, widths) <= own.cost(1, widths) {
            true => shared,
            false => own,
        }
    }

    /// The cheapest tables for sums of `n` scalars of `width` bits, at most `most` of them, the bases themselves counted; `None` if
    /// none are worth it.
    pub(super) fn of_tables(n: usize, width: usize, most: usize) -> Option<Self> {
        let widths = Widths::alike(n, width);
        let shapes = (2..=LONGEST_DIGIT).map(|bits| {
            let plain = Self::plain(bits, width);
            Self { sets: plain.windows.div_ceil(most.max(1)), ..plain }
        });
        let cost = |shape: &Self| shape.cost(1, &widths);
        let best = shapes.filter(|shape| shape.has_room(1)).min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        let plain = Self::cheapest(1, &widths, None);
        (best.tables() > 1 && cost(&best) < 0.95 * cost(&plain)).then_some(best)
    }
}

/// Runs of terms, and pieces of buckets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    /// The digits.
    pub(super) shape: Shape,
    /// Terms at most.
    pub(super) terms: usize,
    /// Buckets of all rows; the lower bits of a bucket's number that are left to the second step of the sort.
    pub(super) buckets: usize,
    pub(super) low_bits: u32,
    /// Terms of a run, and the number of runs.
    pub(super) run: usize,
    pub(super) runs: usize,
    /// Buckets of a piece.
    pub(super) piece: usize,
}

/// Pieces that fill a large device.
const PIECES: usize = 1 << 15;

/// Terms of a run, on a device that adds up so many runs side by side. A run costs two or three sums for joining; at the end a quarter of the
/// device stands still for the time of a run: 2.3 E / K + K items / 4 is least at K = 3 sqrt(E / items).
fn run_length(terms: usize, items: usize) -> usize {
    (3 * (terms / items).isqrt()).clamp(8, 128)
}

impl Division {
    /// The division of the terms of `rows` rows for a device of so many units.
    pub(super) fn new<C: DeviceCurve>(shape: Shape, rows: usize, terms: usize, units: usize) -> Self {
        let buckets = rows * shape.buckets();
        let run = run_length(terms, C::ITEMS * units.max(1));
        let log = buckets.next_power_of_two().ilog2();
        let piece = (buckets / PIECES).next_power_of_two().clamp(1, 32).min(1 << shape.log_set());
        let (low_bits, runs) = (log.div_ceil(2), terms.div_ceil(run));
        Self { shape, terms, buckets, low_bits, run, runs, piece }
    }

    /// The number of partitions; the last may be only partly used.
    pub(super) fn partitions(self) -> usize {
        self.buckets.div_ceil(1 << self.low_bits)
    }

    /// The number of buckets that the partitions have room for.
    pub(super) fn slots(self) -> usize {
        self.partitions() << self.low_bits
    }

    /// The most buckets with too many heads for one item; and their slices.
    pub(super) fn longs(self) -> usize {
        self.runs / SHORT + 1
    }

    /// log2 of the pieces of a set.
    pub(super) fn log_pieces(self) -> u32 {
        self.shape.log_set() - self.piece.ilog2()
    }

    /// Words of device memory for terms and their runs.
    pub(super) fn term_words<C: DeviceCurve>(self) -> usize {
        2 * self.terms + C::XYZZ * (2 * self.runs + self.longs()) + self.slots()
    }

    /// Words of device memory for buckets, and for reducing them.
    pub(super) fn bucket_words<C: DeviceCurve>(self) -> usize {
        C::XYZZ * (self.slots() + 4 * self.buckets / self.piece)
    }
}

/// Heads that one item adds up: MSM_SHORT of the kernels.
const SHORT: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of the widest integers.
    const WIDEST: usize = longest::<crate::bn254::G1Affine>();

    fn of_tables(n: usize, most: usize) -> Option<Shape> {
        Shape::of_tables(n, WIDEST, most)
    }

    fn widest(n: usize) -> Widths {
        Widths::alike(n, WIDEST)
    }

    #[test]
    fn digits_are_as_wide_as_their_number_is_worth() {
        let windows =
            |log: u32| of_tables(1 << log, 1000).map(|shape| (shape.bits, shape.windows, shape.sets));
        // Measured: 3.4 ms at 2^20 and 21.5 at 2^23, where 22 bits take 23.1.
        assert_eq!(windows(20).map(|(_, windows, sets)| (windows <= 14, sets)), Some((true, 1)));
        assert_eq!(windows(23), Some((20, 13, 1)));
        // A column of bits is one digit, with tables or without.
        let bits = Widths::alike(1 << 20, 1);
        for tables in [None, of_tables(1 << 20, 1000)] {
            let shape = Shape::cheapest(1, &bits, tables);
            assert_eq!((shape.windows, shape.tables()), (1, 1));
            assert_eq!(shape.terms(&bits), 1 << 20);
        }
    }

    #[test]
    fn every_digit_has_a_set_and_a_bucket_with_room() {
        for most in [1, 2, 3, 5, 1000] {
            for log in [0, 4, 10, 16, 20, 24] {
                let Some(tables) = of_tables(1 << log, most) else { continue };
                assert!(tables.tables() <= most && tables.tables() * tables.sets >= tables.windows);
                for width in 1..=WIDEST {
                    let shape = Shape::cheapest(1, &Widths::alike(1 << log, width), Some(tables));
                    assert!(shape.windows * shape.bits as usize > width && shape.has_room(1));
                    assert!(shape.tables() <= most && shape.sets <= shape.windows);
                }
            }
        }
        for rows in [1, 7, 300, 5000] {
            assert!(Shape::cheapest(rows, &widest(40), None).has_room(rows));
        }
    }

    #[test]
    fn parts_share_buckets_where_that_is_cheaper() {
        let (few, many): (usize, usize) = (1 << 18, 1 << 20);
        let of_width = |width, count| Widths::alike(count, width);
        for tables in [None, of_tables(many, 1000)] {
            let wide = Shape::cheapest(1, &widest(many), tables);
            // The same widths again; and narrower ones, for which new buckets would only cost more.
            assert_eq!(Shape::after(wide, &widest(few), tables), wide);
            let narrow = Shape::after(wide, &of_width(60, 1 << 12), tables);
            assert!(narrow.shares_buckets(wide) && narrow.windows * narrow.bits as usize > 60);
            // Wide ones after bits: digits of a bit are too many, or have no sets to go to.
            let bits = Shape::cheapest(1, &of_width(1, few), tables);
            assert_eq!(Shape::after(bits, &widest(many), tables), wide);
            for width in 1..=WIDEST {
                let shape = Shape::after(wide, &of_width(width, 1 << 10), tables);
                assert!(shape.windows * shape.bits as usize > width);
                assert!(shape.windows <= shape.sets || tables.is_some_and(|of| of.shares_buckets(shape)));
            }
        }
    }

    #[test]
    fn slots_hold_all_buckets_and_runs_all_entries() {
        for (bits, windows, rows) in
            [(1, 254, 1), (2, 1, 1), (5, 51, 100), (13, 20, 3), (20, 13, 1), (22, 12, 1)]
        {
            let shape = Shape { bits, windows, sets: windows };
            for terms in [1, 100, 1 << 20, 1 << 30] {
                if !shape.has_room(rows) {
                    continue;
                }
                let division = Division::new::<crate::bn254::G1Affine>(shape, rows, terms, 132);
                assert!(division.slots() >= rows * shape.buckets());
                assert!(division.partitions() <= 1 << LOG_SLOTS && division.low_bits <= LOG_SLOTS);
                assert!(division.run * division.runs >= terms);
                assert_eq!((1 << shape.log_set()) % division.piece, 0);
            }
        }
    }
}
