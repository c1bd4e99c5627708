//! Rows of a matrix where they lie, in either layout; and the hashes that take several rows side by side.

use std::ops::Range;

use super::Simd;
use crate::backend::Extent;
use crate::field::Goldilocks;
use crate::hash::Hasher;

/// A hash of which the CPU computes several at once.
pub(super) trait SideBySide: Hasher {
    /// The digest of every row, on this thread, with a level's instructions, which must be available.
    fn hash_rows(simd: Simd, rows: Rows<'_>, digests: &mut [Self::Digest]);

    /// The digest of every two neighbours, likewise.
    fn merge_pairs(simd: Simd, children: &[Self::Digest], nodes: &mut [Self::Digest]);
}

/// The digests of rows, to be made in vectors: whole ones, and perhaps one in part.
pub(super) struct HashRows<'a, H: Hasher> {
    pub(super) rows: Rows<'a>,
    pub(super) digests: &'a mut [H::Digest],
}

/// The digests of pairs, likewise.
pub(super) struct MergePairs<'a, H: Hasher> {
    pub(super) children: &'a [H::Digest],
    pub(super) nodes: &'a mut [H::Digest],
}

/// Makes [`SideBySide`] of [`HashRows`] and [`MergePairs`] on a kind of vectors, given how many of so many hashes, with so many lanes, are done
/// in vectors, and the longest rows that are. What is left is hashed one by one.
macro_rules! side_by_side {
    ([$($generics:tt)*] $hash:ty, $kind:ident, $in_vectors:expr, rows of at most $most:expr) => {
        impl<$($generics)*> SideBySide for $hash {
            fn hash_rows(simd: Simd, rows: Rows<'_>, digests: &mut [Self::Digest]) {
                let in_vectors = on_vectors!(
                    simd,
                    $kind as W => {
                        let count = if rows.width() <= $most { $in_vectors(digests.len(), W::WIDTH) } else { 0 };
                        W::enter(HashRows::<Self> { rows, digests: &mut digests[..count] });
                        count
                    },
                    else 0
                );
                rows.from(in_vectors).hash_each::<Self>(&mut digests[in_vectors..]);
            }

            fn merge_pairs(simd: Simd, children: &[Self::Digest], nodes: &mut [Self::Digest]) {
                let in_vectors = on_vectors!(
                    simd,
                    $kind as W => {
                        let count = $in_vectors(nodes.len(), W::WIDTH);
                        let (children, nodes) = (&children[..2 * count], &mut nodes[..count]);
                        W::enter(MergePairs::<Self> { children, nodes });
                        count
                    },
                    else 0
                );
                merge_each::<Self>(&children[2 * in_vectors..], &mut nodes[in_vectors..]);
            }
        }
    };
}
pub(super) use side_by_side;

/// Merges every two neighbours, one pair after the other.
pub(super) fn merge_each<H: Hasher>(children: &[H::Digest], nodes: &mut [H::Digest]) {
    #[cfg(test)]
    super::simd::at_work::one_by_one(nodes.len());
    for (node, pair) in nodes.iter_mut().zip(children.as_chunks().0) {
        *node = H::merge(pair);
    }
}

/// Rows of `width` words: word j of row i lies at `i * step + (j / run) * stride + j % run`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    words: &'a [Goldilocks],
    width: usize,
    step: usize,
    run: usize,
    stride: usize,
}

impl<'a> Rows<'a> {
    /// The rows of a matrix.
    pub(super) fn new(words: &'a [Goldilocks], Extent { rows, width, block }: Extent) -> Self {
        Self { words, width, step: block, run: block, stride: rows * block }
    }

    /// The rows of a row-major matrix.
    pub(super) fn row_major(words: &'a [Goldilocks], width: usize) -> Self {
        Self::new(words, Extent { rows: words.len() / width, width, block: width })
    }

    /// The rows of a column-major matrix with `degree` words an entry and `rows` rows.
    #[cfg(test)]
    pub(super) fn column_major(words: &'a [Goldilocks], degree: usize, rows: usize) -> Self {
        Self::new(words, Extent { rows, width: words.len() / rows, block: degree })
    }

    /// The words of a row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The same rows from the `first` on.
    pub(super) fn from(self, first: usize) -> Self {
        Self { words: &self.words[first * self.step..], ..self }
    }

    /// Some words, at most `N`, of as many rows as `out` has: they go to the head of its arrays.
    #[inline(always)]
    pub(super) fn block<const N: usize>(&self, words: Range<usize>, out: &mut [[Goldilocks; N]]) {
        if self.run == self.width {
            for (i, block) in out.iter_mut().enumerate() {
                let row = &self.words[i * self.step..][words.clone()];
                match row.first_chunk() {
                    // Of known length, and so a few instructions in place.
                    Some(words) => *block = *words,
                    None => block[..row.len()].copy_from_slice(row),
                }
            }
            return;
        }
        for (k, j) in words.enumerate() {
            let column = &self.words[j / self.run * self.stride + j % self.run..];
            for (block, &word) in out.iter_mut().zip(column.iter().step_by(self.step)) {
                block[k] = word;
            }
        }
    }

    /// Hashes as many rows as there are digests, one after the other.
    pub(super) fn hash_each<H: Hasher>(&self, digests: &mut [H::Digest]) {
        #[cfg(test)]
        super::simd::at_work::one_by_one(digests.len());
        if self.run == self.width {
            for (i, digest) in digests.iter_mut().enumerate() {
                *digest = H::hash_elements(&self.words[i * self.step..][..self.width]);
            }
            return;
        }
        // A band of rows, gathered column by column so that every read is of neighbours.
        let mut band = vec![Goldilocks::default(); digests.len() * self.width];
        for first in (0..self.width).step_by(self.run) {
            let column = self.words[first / self.run * self.stride..].chunks_exact(self.step);
            for (row, entry) in band.chunks_exact_mut(self.width).zip(column) {
                row[first..][..self.run].copy_from_slice(entry);
            }
        }
        for (row, digest) in band.chunks_exact(self.width).zip(digests) {
            *digest = H::hash_elements(row);
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    //! Hashes side by side against the textbook's, one at a time.

    use std::ops::RangeInclusive;

    use super::{Rows, SideBySide};
    use crate::backend::cpu::Simd;
    use crate::field::{Goldilocks, MODULUS};
    use crate::hash::Hasher;

    /// Elements at which carries, borrows and splits change, and random ones.
    pub(in crate::backend::cpu) fn elements(count: usize) -> Vec<Goldilocks> {
        let edges = [
            0,
            1,
            7,
            (1 << 32) - 1,
            1 << 32,
            1 << 31,
            1 << 63,
            MODULUS - (1 << 32),
            MODULUS - 2,
            MODULUS - 1,
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            state >> 17
        };
        let element = |_| match next() % 3 {
            0 => Goldilocks::new(next() << 17 ^ next()),
            _ => Goldilocks::new(edges[next() as usize % edges.len()]),
        };
        (0..count).map(element).collect()
    }

    /// A row-major matrix by columns with `degree` words an entry.
    fn by_columns(matrix: &[Goldilocks], width: usize, degree: usize) -> Vec<Goldilocks> {
        let entry = |row: &[Goldilocks], j| row[j..j + degree].to_vec();
        let column = |j| matrix.chunks_exact(width).flat_map(move |row| entry(row, j));
        (0..width).step_by(degree).flat_map(column).collect()
    }

    /// A function that hashes rows, with its name.
    pub(in crate::backend::cpu) type Way<'a, H> =
        (&'a str, &'a dyn Fn(Rows<'_>, &mut [<H as Hasher>::Digest]));

    /// Some numbers of rows of these widths, in both layouts, by functions that hash rows.
    pub(in crate::backend::cpu) fn check_rows_by<H: Hasher>(
        widths: impl Iterator<Item = usize>,
        counts: RangeInclusive<usize>,
        ways: &[Way<'_, H>],
    ) {
        let most = *counts.end();
        for width in widths {
            let matrix = elements(most * width);
            let expected: Vec<_> = matrix.chunks_exact(width).map(H::Textbook::hash_elements).collect();
            for (name, hash) in ways {
                let what = format!("{} with {name}, rows of {width}", H::NAME);
                let hash = |rows: Rows<'_>, count| {
                    let mut digests = vec![H::Digest::default(); count];
                    hash(rows, &mut digests);
                    digests
                };
                for count in counts.clone() {
                    let rows = Rows::row_major(&matrix[..count * width], width);
                    assert_eq!(hash(rows, count), expected[..count], "{what}, {count}");
                }
                let last = Rows::row_major(&matrix, width).from(most - 3);
                assert_eq!(hash(last, 3), expected[most - 3..], "{what}, the last three");
                for degree in [1, 2, 3].into_iter().filter(|degree| width % degree == 0) {
                    let columns = by_columns(&matrix, width, degree);
                    let rows = Rows::column_major(&columns, degree, most);
                    assert_eq!(hash(rows, most), expected, "{what}, by columns, degree {degree}");
                }
            }
        }
    }

    /// The same with every level, and in further ways.
    pub(in crate::backend::cpu) fn check_rows<H: SideBySide>(
        widths: impl Iterator<Item = usize>,
        counts: RangeInclusive<usize>,
        further: &[Way<'_, H>],
    ) {
        let hash = |simd| move |rows: Rows<'_>, digests: &mut [H::Digest]| H::hash_rows(simd, rows, digests);
        let hashes: Vec<_> = Simd::available().map(|simd| (simd.name(), hash(simd))).collect();
        let mut ways: Vec<Way<'_, H>> = hashes.iter().map(|(name, hash)| (*name, hash as _)).collect();
        ways.extend(further);
        check_rows_by::<H>(widths, counts, &ways);
    }

    /// Up to `most` pairs of digests, by a function that merges them.
    pub(in crate::backend::cpu) fn check_merges_by<H: Hasher>(
        what: &str,
        most: usize,
        merge: impl Fn(&[H::Digest], &mut [H::Digest]),
    ) {
        let words = elements(8 * most);
        let digests: Vec<H::Digest> = words.as_chunks::<4>().0.iter().map(|x| bytemuck::cast(*x)).collect();
        let expected: Vec<_> = digests.as_chunks().0.iter().map(H::Textbook::merge).collect();
        for count in 0..=most {
            let mut found = vec![H::Digest::default(); count];
            merge(&digests[..2 * count], &mut found);
            assert_eq!(found, expected[..count], "{} with {what}: {count} pairs", H::NAME);
        }
    }

    /// The same with every level.
    pub(in crate::backend::cpu) fn check_merges<H: SideBySide>(most: usize) {
        for simd in Simd::available() {
            check_merges_by::<H>(simd.name(), most, |pairs, nodes| H::merge_pairs(simd, pairs, nodes));
        }
    }
}
