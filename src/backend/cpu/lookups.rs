//! Permutations of lookups by a table of hashes.
//!
//! Where values stand in the table of a lookup is found by open addressing: a slot is a row of the table, and where several rows have one value its slot is the first of them, whichever thread
//! came first. How many inputs have each value says where groups of equal inputs begin; no value is compared with a larger one.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use super::Cpu;
use crate::backend::{AcceleratedField, Lookups, MatrixView, Scatter};
use crate::error::Error;
use crate::memory;
use crate::parallel::{for_each_chunk, for_each_number};

/// Rows that a thread takes at a time.
const PIECE: usize = 1 << 11;

impl<F: AcceleratedField> Lookups<F> for Cpu {
    fn permute_lookups(
        &self,
        matrix: MatrixView<'_, F>,
        used: usize,
        permuted: &mut [F],
    ) -> Result<(), Error> {
        let MatrixView { elements, rows, columns, row_step, .. } = matrix;
        for lookup in 0..columns / 2 {
            let [input, table] = [0, 1].map(|side| Column { matrix, column: 2 * lookup + side });
            let groups = Groups::new(input, table, used)?.map_err(|row| Error::NotInTable { lookup, row })?;
            if row_step == 1 {
                let pair = 2 * lookup * rows..2 * (lookup + 1) * rows;
                for (side, column) in permuted[pair.clone()].chunks_exact_mut(rows).enumerate() {
                    for_each_chunk(&mut column[..used], PIECE, |number, piece| {
                        for (value, from) in piece.iter_mut().zip(groups.from(number * PIECE)) {
                            *value = table.get(from[side]);
                        }
                    });
                    memory::copy(&elements[pair.clone()][side * rows..][used..rows], &mut column[used..]);
                }
            } else {
                for_each_chunk(&mut permuted[..used * row_step], PIECE * row_step, |number, piece| {
                    let rows = piece.chunks_exact_mut(row_step);
                    for (row, from) in rows.zip(groups.from(number * PIECE)) {
                        row[2 * lookup..][..2].copy_from_slice(&from.map(|row| table.get(row)));
                    }
                });
            }
        }
        if row_step > 1 {
            memory::copy(&elements[used * row_step..], &mut permuted[used * row_step..]);
        }
        Ok(())
    }
}

/// A column of a matrix.
#[derive(Clone, Copy)]
struct Column<'a, F> {
    matrix: MatrixView<'a, F>,
    column: usize,
}

impl<F: AcceleratedField> Column<'_, F> {
    fn get(&self, row: usize) -> F {
        self.matrix.get(row, self.column)
    }
}

/// Words that all threads change.
fn shared(words: &mut [u32]) -> &[AtomicU32] {
    const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) };
    // SAFETY: an AtomicU32 has the size and the bit validity of a u32, and the alignment as asserted; nobody else has the words while they are borrowed.
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU32]) }
}

/// The rows where values of a table stand, by open addressing.
struct Slots<'a, F> {
    table: Column<'a, F>,
    scatter: Scatter,
    bits: u32,
    /// One more than a row; zero where there is none.
    slots: &'a [AtomicU32],
}

impl<F: AcceleratedField> Slots<'_, F> {
    /// The first slot that a value can have.
    fn slot(&self, value: F) -> usize {
        self.scatter.of(F::words(&[value]), self.bits)
    }

    fn next(&self, slot: usize) -> usize {
        (slot + 1) % self.slots.len()
    }

    fn insert(&self, row: usize, value: F) {
        let (mut slot, own) = (self.slot(value), row as u32 + 1);
        loop {
            let found = match self.slots[slot].load(Relaxed) {
                0 => self.slots[slot].compare_exchange(0, own, Relaxed, Relaxed).err().unwrap_or(0),
                found => found,
            };
            if found == 0 {
                return;
            }
            if self.table.get(found as usize - 1) == value {
                self.slots[slot].fetch_min(own, Relaxed);
                return;
            }
            slot = self.next(slot);
        }
    }

    /// The row where a value stands.
    fn find(&self, value: F) -> Option<usize> {
        let mut slot = self.slot(value);
        loop {
            let row = (self.slots[slot].load(Relaxed) as usize).checked_sub(1)?;
            if self.table.get(row) == value {
                return Some(row);
            }
            slot = self.next(slot);
        }
    }
}

/// Groups of equal inputs of a lookup, in their order.
struct Groups {
    /// Of each the row where its value stands in the table, and its first row among the permuted inputs.
    groups: Vec<[u32; 2]>,
    /// The other rows of the table.
    others: Vec<u32>,
}

impl Groups {
    /// The groups, or the first row with an input that is not in the table.
    fn new<F: AcceleratedField>(
        input: Column<'_, F>,
        table: Column<'_, F>,
        used: usize,
    ) -> Result<Result<Self, usize>, Error> {
        let bits = (2 * used).next_power_of_two().ilog2().max(1);
        let mut slots = memory::zeroed::<u32>(1 << bits)?;
        let mut inputs = memory::zeroed::<u32>(used)?;
        let scatter = Scatter::new(F::MODULUS.len());
        let slots = Slots { table, scatter, bits, slots: shared(&mut slots) };
        // Columns are filled up with one value, so that neighbours are often equal.
        for_each_number(used.div_ceil(PIECE), &|number| {
            let mut last = None;
            for row in number * PIECE..used.min((number + 1) * PIECE) {
                let value = table.get(row);
                if last != Some(value) {
                    slots.insert(row, value);
                }
                last = Some(value);
            }
        });
        let missing = AtomicUsize::new(usize::MAX);
        let counts = shared(&mut inputs);
        for_each_number(used.div_ceil(PIECE), &|number| {
            let (mut last, mut found, mut count) = (None, 0, 0);
            for row in number * PIECE..used.min((number + 1) * PIECE) {
                let value = input.get(row);
                if last != Some(value) {
                    counts[found].fetch_add(std::mem::take(&mut count), Relaxed);
                    match slots.find(value) {
                        Some(row) => found = row,
                        None => {
                            missing.fetch_min(row, Relaxed);
                            return;
                        }
                    }
                    last = Some(value);
                }
                count += 1;
            }
            counts[found].fetch_add(count, Relaxed);
        });
        match missing.into_inner() {
            usize::MAX => Self::of_counts(&inputs).map(Ok),
            row => Ok(Err(row)),
        }
    }

    /// The groups by the number of inputs that have the value of each row of the table.
    fn of_counts(inputs: &[u32]) -> Result<Self, Error> {
        let count = inputs.iter().filter(|&&inputs| inputs > 0).count();
        let mut groups = memory::zeroed::<[u32; 2]>(count)?;
        let mut others = memory::zeroed::<u32>(inputs.len() - count)?;
        let (mut group, mut other, mut first) = (0, 0, 0);
        for (row, &inputs) in inputs.iter().enumerate() {
            if inputs == 0 {
                others[other] = row as u32;
                other += 1;
            } else {
                groups[group] = [row as u32, first];
                group += 1;
                first += inputs;
            }
        }
        Ok(Self { groups, others })
    }

    /// For each row of the permuted columns from one on, the rows of the table with the values of the input and beside it.
    fn from(&self, first: usize) -> impl Iterator<Item = [usize; 2]> + '_ {
        let mut group = self.groups.partition_point(|group| group[1] as usize <= first) - 1;
        (first..).map(move |row| {
            if self.groups.get(group + 1).is_some_and(|next| next[1] as usize == row) {
                group += 1;
            }
            let [stands, begins] = self.groups[group];
            let beside = if row == begins as usize { stands } else { self.others[row - group - 1] };
            [stands as usize, beside as usize]
        })
    }
}
