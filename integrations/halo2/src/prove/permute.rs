//! The permuted input and table of a lookup, on the host.
//!
//! # Mathematical description
//!
//! Of an input A and a table S of u rows, A' has the rows of A so that equal ones are neighbours, and S' the rows of S so that the first of such neighbours stands beside its like in S'. Groups come in
//! the order in which their values first stand in the table, and the rows of S that are left fill S' in their order: so equal inputs have equal results. What halo2 does depends on the order of a hash
//! map; any order has a valid proof. Each row is looked up once in a table of hashes, in place of a sort: the order of groups is free.

use zkaccel::bn254::{Fr, limbs};

/// Writes the permuted input and table; the first row of the input that is not in the table is an error.
pub(super) fn permute([input, table]: [&[Fr]; 2], [permuted, beside]: [&mut [Fr]; 2]) -> Result<(), usize> {
    let slots = Slots::new(table);
    // How often each row of the table is used; rows that are not the first of their value stay at zero.
    let mut uses = vec![0_u32; table.len()];
    let mut last: Option<(Fr, usize)> = None;
    for (row, &value) in input.iter().enumerate() {
        // Neighbours are often equal, as in rows that are filled up.
        let found = match last {
            Some((known, found)) if known == value => found,
            _ => slots.find(table, &value).ok_or(row)?,
        };
        last = Some((value, found));
        uses[found] += 1;
    }
    let mut left = (0..table.len()).filter(|&row| uses[row] == 0);
    let mut at = 0;
    for (row, &count) in uses.iter().enumerate().filter(|(_, count)| **count > 0) {
        let end = at + count as usize;
        permuted[at..end].fill(table[row]);
        beside[at] = table[row];
        for entry in &mut beside[at + 1..end] {
            *entry = table[left.next().expect("as many rows as uses")];
        }
        at = end;
    }
    Ok(())
}

/// Values by the row where they first stand, found by open addressing.
struct Slots {
    /// One more than the row of the table where a value first stands; zero where there is none.
    slots: Vec<u32>,
    mask: usize,
}

impl Slots {
    fn new(table: &[Fr]) -> Self {
        let size = (2 * table.len()).next_power_of_two();
        let mut slots = Self { slots: vec![0; size], mask: size - 1 };
        let mut last = None;
        for (row, value) in table.iter().enumerate() {
            // A table is filled up with one value.
            if last == Some(value) {
                continue;
            }
            last = Some(value);
            let slot = slots.slot(table, value);
            if slots.slots[slot] == 0 {
                slots.slots[slot] = row as u32 + 1;
            }
        }
        slots
    }

    /// The slot that a value has, or would get.
    fn slot(&self, table: &[Fr], value: &Fr) -> usize {
        let limbs = limbs(std::slice::from_ref(value))[0];
        // An odd factor, and the product's high bits (Knuth, TAOCP 3, section 6.4).
        let mixed = (limbs[0] ^ limbs[1].rotate_left(21) ^ limbs[2].rotate_left(42) ^ limbs[3])
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (mixed >> 32) as usize & self.mask;
        loop {
            match self.slots[slot] {
                0 => return slot,
                row if table[row as usize - 1] == *value => return slot,
                _ => slot = (slot + 1) & self.mask,
            }
        }
    }

    /// The row of the table where a value first stands.
    fn find(&self, table: &[Fr], value: &Fr) -> Option<usize> {
        let row = self.slots[self.slot(table, value)];
        (row as usize).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::Field;

    fn of(values: &[u64]) -> Vec<Fr> {
        values.iter().map(|&value| Fr::from(value)).collect()
    }

    fn sorted(values: &[Fr]) -> Vec<[u64; 4]> {
        let mut sorted = limbs(values).to_vec();
        sorted.sort();
        sorted
    }

    #[test]
    fn both_are_permutations_and_every_row_is_accounted_for() {
        let random = |count: u64, modulus: u64| -> Vec<u64> {
            (0..count).map(|i| (i * i * 2654435761 + i * 7) % modulus).collect()
        };
        let many: Vec<u64> = (0..500).map(|i| i / 3).collect();
        for (input, table) in [
            (vec![], vec![]),
            (vec![3], vec![3]),
            (vec![5, 5, 5, 5], vec![1, 5, 2, 5]),
            (vec![4, 3, 2, 1], vec![1, 2, 3, 4]),
            (random(500, 167), many),
        ] {
            let (input, table) = (of(&input), of(&table));
            let [mut a, mut s] = [(); 2].map(|()| vec![Fr::from(77); input.len()]);
            permute([&input, &table], [&mut a, &mut s]).unwrap();
            assert_eq!(sorted(&a), sorted(&input));
            assert_eq!(sorted(&s), sorted(&table));
            for row in 0..a.len() {
                assert!(a[row] == s[row] || row > 0 && a[row] == a[row - 1], "row {row}");
            }
        }
    }

    #[test]
    fn what_is_not_in_the_table_is_told() {
        let permute = |input: &[Fr], table: &[Fr]| {
            let [mut a, mut s] = [(); 2].map(|()| vec![Fr::ZERO; input.len()]);
            permute([input, table], [&mut a, &mut s])
        };
        assert_eq!(permute(&of(&[1, 2, 9, 9]), &of(&[1, 2, 3, 3])), Err(2));
        assert_eq!(permute(&[-Fr::ONE], &of(&[0])), Err(0));
    }
}
