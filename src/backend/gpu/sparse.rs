//! Products of sparse matrices with vectors over prime fields.
//!
//! Items of a device want equal work, and rows have from no entries to as many as there are columns. So a row is cut into pieces of at most
//! [`PIECE`] entries, an item sums a piece, and neighbours sum pieces of one length, since those are sorted by it. Nearly all rows of a
//! constraint system are one piece, whose sum is an element of the product. Sums of the pieces of a longer row lie side by side, and are
//! cut into pieces in their turn: [levels](Layout::levels), each a launch, until every row is one piece (`kernels/sparse.cl`).
//!
//! A matrix that is kept lies on the device as one list of words: the values that occur, the entries in the order of the pieces, and for each
//! level where pieces begin and where their sums go. One that is not goes in parts, runs of rows as large as the budget allows;
//! the host looks up the vector's elements for the entries of a part, so that no part needs more of the vector than that.

use std::iter::once;

use super::Gpu;
use super::device::{Arg, Launch};
use super::program::{DeviceField, Name, Program};
use super::session::{Region, Session};
use super::transforms::{bytes, bytes_mut};
use crate::backend::{AcceleratedPrime, Entry, Memory, ResidentSparse, Sparse, SparseView};
use crate::error::Error;
use crate::memory;

/// The most entries, or partial sums, of a piece.
const PIECE: usize = 32;

/// The program over a field.
pub(super) const fn program<F: DeviceField>() -> &'static Program {
    const {
        &Program::over::<F>(
            const { &Name::new("sparse", F::SUFFIX) },
            &[include_str!("../../../kernels/sparse.cl")],
        )
    }
}

/// What there is of a matrix in a device's form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Layout {
    rows: usize,
    columns: usize,
    values: usize,
    entries: usize,
    /// The number of pieces of each level; the first are of entries, the others of partial sums.
    levels: Vec<usize>,
    /// The number of partial sums.
    partial: usize,
}

/// Pieces of a row with so many entries, or partial sums.
fn pieces(len: usize) -> usize {
    len.div_ceil(PIECE).max(1)
}

impl Layout {
    /// That of a matrix with the same rows, but so many columns and values.
    fn of<F>(matrix: &SparseView<'_, F>, columns: usize, values: usize) -> Self {
        let (mut levels, mut partial) = (vec![0], 0);
        for ends in matrix.starts.windows(2) {
            let (mut level, mut count) = (0, pieces(ends[1] - ends[0]));
            levels[0] += count;
            while count > 1 {
                partial += count;
                (level, count) = (level + 1, pieces(count));
                levels.resize(levels.len().max(level + 1), 0);
                levels[level] += count;
            }
        }
        let (rows, entries) = (matrix.rows(), matrix.entries_of(0..matrix.rows()).len());
        Self { rows, columns, values, entries, levels, partial }
    }

    /// Where in the list of words each level begins: its starts, one more than pieces, and then its targets.
    fn level(&self, level: usize, element: usize) -> usize {
        let before: usize = self.levels[..level].iter().map(|count| 2 * count + 1).sum();
        self.values * element + self.entries + before
    }

    /// The number of words, of so many an element.
    fn words(&self, element: usize) -> usize {
        self.level(self.levels.len(), element)
    }

    /// The words of all memory of a product.
    fn words_with_vectors(&self, element: usize) -> usize {
        let elements = self.columns.saturating_add(self.rows).saturating_add(self.partial);
        self.words(element).saturating_add(elements.saturating_mul(element))
    }
}

/// A piece: its first entry or partial sum, how many there are, and where the sum goes.
struct Piece {
    start: usize,
    len: usize,
    target: usize,
}

/// Cuts rows, each with its target, its first entry or partial sum and their number, into pieces. Partial sums follow `next`, the
/// first free target; rows of those are returned as well.
fn cut(rows: impl Iterator<Item = Piece>, next: &mut usize) -> (Vec<Piece>, Vec<Piece>) {
    let (mut all, mut longer) = (Vec::new(), Vec::new());
    for Piece { start, len, target } in rows {
        let count = pieces(len);
        let first = *next;
        for number in 0..count {
            let start = start + number * PIECE;
            let target = if count == 1 { target } else { first + number };
            all.push(Piece { start, len: (len - number * PIECE).min(PIECE), target });
        }
        if count > 1 {
            *next += count;
            longer.push(Piece { start: first, len: count, target });
        }
    }
    (all, longer)
}

/// The words of a matrix in a device's form, with entries as they are `made` of numbers in `matrix.entries`.
fn words<F: DeviceField>(
    matrix: &SparseView<'_, F>,
    values: &[F],
    layout: &Layout,
    mut made: impl FnMut(usize) -> Entry,
) -> Result<Vec<u64>, Error> {
    let mut words = memory::zeroed::<u64>(layout.words(F::WORDS))?;
    let (first, mut rest) = words.split_at_mut(values.len() * F::WORDS);
    first.copy_from_slice(F::words(values));
    let row = |(target, ends): (usize, &[usize])| Piece { start: ends[0], len: ends[1] - ends[0], target };
    let mut next = layout.rows;
    let (mut pieces, mut longer) = cut(matrix.starts.windows(2).enumerate().map(row), &mut next);
    // Stable, so that neighbours in the matrix stay neighbours.
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len));
    let mut start = 0;
    for piece in &mut pieces {
        for number in piece.start..piece.start + piece.len {
            let Entry { column, value } = made(number);
            rest[start + number - piece.start] = u64::from(value) << 32 | u64::from(column);
        }
        piece.start = start;
        start += piece.len;
    }
    rest = &mut rest[layout.entries..];
    loop {
        let (starts, after) = rest.split_at_mut(pieces.len() + 1);
        let (targets, after) = after.split_at_mut(pieces.len());
        let end = pieces.last().map_or(0, |piece| piece.start + piece.len);
        let ends = pieces.iter().map(|piece| piece.start).chain(once(end));
        starts.iter_mut().zip(ends).for_each(|(word, start)| *word = start as u64);
        targets.iter_mut().zip(&pieces).for_each(|(word, piece)| *word = piece.target as u64);
        rest = after;
        if longer.is_empty() {
            return Ok(words);
        }
        // Partial sums are counted from the first one on, and lie in the order of their rows.
        let rows = longer.into_iter().map(|row| Piece { start: row.start - layout.rows, ..row });
        (pieces, longer) = cut(rows, &mut next);
    }
}

/// A matrix that stays on a device.
struct StoredSparse {
    words: Memory,
    layout: Layout,
}

/// Starts the product of a matrix in a device's form with a vector, which is in the region that is returned.
fn launch<F: DeviceField>(
    session: &mut Session<'_>,
    layout: &Layout,
    words: Region,
    vector: Region,
) -> Result<Region, Error> {
    let product = session.allocate(layout.rows * F::WORDS)?;
    let partial = session.allocate(layout.partial.max(1) * F::WORDS)?;
    assert!(words.words() >= layout.words(F::WORDS) && vector.words() >= layout.columns * F::WORDS);
    let mut launches = Vec::new();
    for (level, &count) in layout.levels.iter().enumerate() {
        let starts = layout.level(level, F::WORDS);
        let lists = [starts, starts + count + 1].map(|at| Arg::Buffer(words, at as u64));
        let results = [product, partial].map(|region| Arg::Buffer(region, 0));
        let numbers = [layout.rows, count].map(|number| Arg::Word(number as u64));
        let (kernel, args) = match level {
            0 => {
                let entries = Arg::Buffer(words, (layout.values * F::WORDS) as u64);
                let values = Arg::Buffer(words, 0);
                let [product, partial] = results;
                let operands = [entries, values, lists[0], lists[1], Arg::Buffer(vector, 0)];
                ("sum_entries", [&operands[..], &[product, partial], &numbers].concat())
            }
            _ => ("sum_partial", [lists, results, numbers].concat()),
        };
        // SAFETY: the pieces of a level lie within the entries or the partial sums of the levels before, columns and values of entries are
        // those of the vector and of the list, and each target is an element of the product or a partial sum: all as the layout says.
        launches.push(unsafe { Launch::new(program::<F>(), kernel, session.limits().grid(count), args) });
    }
    session.launch(&launches)?;
    Ok(product)
}

impl Gpu {
    /// The product of a matrix that is kept with a vector in host memory.
    fn product_of_kept<F: DeviceField>(
        &self,
        kept: &StoredSparse,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error> {
        let mut session = Session::new(self)?;
        let words = session.borrow(&kept.words);
        let vector = session.upload_new(bytes(vector))?;
        let result = launch::<F>(&mut session, &kept.layout, words, vector)?;
        session.download(result, 0, bytes_mut(product))
    }

    /// The product of a run of rows with the elements of the vector that it names, an element and a value for each entry.
    fn product_of_part<F: DeviceField>(
        &self,
        matrix: SparseView<'_, F>,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error> {
        let entries = matrix.entries_of(0..matrix.rows());
        let mut elements = F::zeros(entries.len().max(1))?;
        let mut values = matrix.values[..2].to_vec();
        let mut own = memory::zeroed::<Entry>(entries.len())?;
        for (i, (entry, own)) in entries.iter().zip(&mut own).enumerate() {
            elements[i] = vector[entry.column as usize];
            *own = Entry { column: i as u32, value: entry.value };
            if entry.value > Entry::MINUS_ONE {
                own.value = values.len() as u32;
                values.push(matrix.values[entry.value as usize]);
            }
        }
        let layout = Layout::of(&matrix, elements.len(), values.len());
        let words = words(&matrix, &values, &layout, |number| own[number - matrix.starts[0]])?;
        let mut session = Session::new(self)?;
        let form = session.upload_new(bytemuck::cast_slice(&words))?;
        let vector = session.upload_new(bytes(&elements))?;
        let result = launch::<F>(&mut session, &layout, form, vector)?;
        session.download(result, 0, bytes_mut(product))
    }

    /// The product in as many parts as memory requires. A row alone is tried whatever it takes.
    fn product_in_parts<F: DeviceField>(
        &self,
        matrix: SparseView<'_, F>,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error> {
        let (rows, entries) = (matrix.rows(), matrix.entries_of(0..matrix.rows()).len());
        let most = Layout::of(&matrix, entries, entries + 2);
        if rows == 1 || self.fits(most.words_with_vectors(F::WORDS)) && entries < u32::MAX as usize {
            match self.product_of_part(matrix, vector, product) {
                Err(Error::DeviceOutOfMemory { .. }) if rows > 1 => {}
                done => return done,
            }
        }
        // By entries and rows, so that a part is half as large.
        let begins = |row: usize| matrix.starts[row] - matrix.starts[0] + row;
        let half = (1..rows - 1).find(|&row| begins(row + 1) > (entries + rows) / 2).unwrap_or(rows - 1);
        let (first, second) = product.split_at_mut(half);
        self.product_in_parts(matrix.range(0..half), vector, first)?;
        self.product_in_parts(matrix.range(half..rows), vector, second)
    }
}

impl<F: AcceleratedPrime> Sparse<F> for Gpu {
    fn keep_sparse(&self, matrix: SparseView<'_, F>) -> Result<Option<Memory>, Error> {
        let layout = Layout::of(&matrix, matrix.columns, matrix.values.len());
        if layout.rows == 0 || !self.fits(layout.words_with_vectors(F::WORDS)) {
            return Ok(None);
        }
        let words = words(&matrix, matrix.values, &layout, |number| matrix.entries[number])?;
        let uploaded = Session::new(self).and_then(|mut session| {
            let region = session.upload_new(bytemuck::cast_slice(&words))?;
            session.lease(region)
        });
        match uploaded {
            Err(Error::DeviceOutOfMemory { .. }) => Ok(None),
            words => Ok(Some(Memory::new(StoredSparse { words: words?, layout }))),
        }
    }

    fn sparse_product(
        &self,
        matrix: SparseView<'_, F>,
        kept: Option<&Memory>,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error> {
        if matrix.rows() == 0 {
            return Ok(());
        }
        if let Some(kept) = kept.and_then(Memory::downcast_ref) {
            match self.product_of_kept(kept, vector, product) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return done,
            }
        }
        self.product_in_parts(matrix, vector, product)
    }
}

impl<F: AcceleratedPrime> ResidentSparse<F> for Gpu {
    fn sparse_product(&self, kept: &Memory, vector: &Memory) -> Result<Memory, Error> {
        let kept: &StoredSparse = kept.downcast_ref().expect("a matrix that this backend kept");
        let mut session = Session::new(self)?;
        let words = session.borrow(&kept.words);
        let vector = session.borrow(vector);
        let product = launch::<F>(&mut session, &kept.layout, words, vector)?;
        session.lease(product)
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Layout, PIECE, SparseView, words};
    use crate::bn254::Fr;

    /// The counts are those of what is made, and every entry and every partial sum belongs to one piece.
    #[test]
    fn pieces_cover_rows_of_any_length() {
        let lengths = [0, 1, 3, PIECE, PIECE + 1, 0, 5 * PIECE, PIECE * PIECE, PIECE * PIECE + 1, 40_000, 2];
        let mut starts = vec![7];
        lengths.iter().for_each(|len| starts.push(starts[starts.len() - 1] + len));
        let entries = vec![Entry { column: 0, value: 0 }; starts[starts.len() - 1]];
        let values = [Fr::one(), -Fr::one(), Fr::from(5)];
        let matrix = SparseView { columns: 1, starts: &starts, entries: &entries, values: &values };
        let layout = Layout::of(&matrix, 1, 3);
        assert_eq!(layout.levels.len(), 4, "{layout:?}");
        // Which of the rows an entry belongs to is its column here, and then that of each sum.
        let row_of = |number: usize| starts.partition_point(|&start| start <= number) - 1;
        let made = |number: usize| Entry { column: row_of(number) as u32, value: 2 };
        let words = words(&matrix, &values, &layout, made).unwrap();
        assert_eq!(words.len(), layout.words(4));
        let mut counts = vec![0; lengths.len()];
        let mut partial = vec![(usize::MAX, 0); layout.partial];
        for (level, &count) in layout.levels.iter().enumerate() {
            let (starts, targets) = words[layout.level(level, 4)..][..2 * count + 1].split_at(count + 1);
            for (ends, &target) in starts.windows(2).zip(targets) {
                let range = ends[0] as usize..ends[1] as usize;
                assert!(range.len() <= PIECE);
                let terms: Vec<(usize, usize)> = match level {
                    0 => words[12..][range].iter().map(|&word| (word as u32 as usize, 1)).collect(),
                    _ => partial[range].to_vec(),
                };
                let sum: usize = terms.iter().map(|(_, count)| count).sum();
                let row = terms.first().map_or(target as usize, |(row, _)| *row);
                assert!(terms.iter().all(|(other, _)| *other == row));
                match (target as usize).checked_sub(lengths.len()) {
                    None => {
                        assert_eq!((target as usize, counts[row]), (row, 0));
                        counts[row] = sum;
                    }
                    Some(slot) => partial[slot] = (row, sum),
                }
            }
        }
        assert_eq!(counts, lengths);
    }
}
