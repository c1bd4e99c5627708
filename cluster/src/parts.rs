//! Which part of the data is whose.

use std::ops::Range;

/// Contiguous parts of so many items for so many ranks, of which the sizes differ by at most one.
pub fn parts(items: usize, ranks: usize) -> Vec<Range<usize>> {
    let bound = |rank: usize| (items as u128 * rank as u128 / ranks as u128) as usize;
    (0..ranks).map(|rank| bound(rank)..bound(rank + 1)).collect()
}

/// The rank whose part has an item.
pub(crate) fn owner(parts: &[Range<usize>], item: usize) -> usize {
    parts.partition_point(|part| part.end <= item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_one_owner() {
        for (items, ranks) in [(0, 1), (1, 3), (7, 3), (8, 3), (64, 64), (5, 8)] {
            let parts = parts(items, ranks);
            assert_eq!(parts.len(), ranks);
            assert_eq!(parts[0].start, 0);
            assert_eq!(parts[ranks - 1].end, items);
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
            for item in 0..items {
                assert!(parts[owner(&parts, item)].contains(&item), "{item} of {items} for {ranks}");
            }
            let sizes: Vec<_> = parts.iter().map(Range::len).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
    }
}
