//! Integers that are to be cut into digits, by their numbers of bits.
//!
//! A digit of b bits at window w is other than 0, but by chance, in the integers of more than b w bits. Digits are chosen among those of some twenty lengths, each with up to a few hundred
//! windows, and for each window this number is asked for: so it is there for every number of bits, counted once.

/// Of integers, how many have at least each number of bits, from 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::backend) struct Widths(Vec<usize>);

impl Widths {
    /// By how many integers have each number of bits, from 0 on.
    pub(in crate::backend) fn of_counts(counts: impl IntoIterator<Item = usize>) -> Self {
        let mut at_least: Vec<usize> = counts.into_iter().collect();
        for bits in (1..at_least.len()).rev() {
            at_least[bits - 1] += at_least[bits];
        }
        Self(at_least)
    }

    /// So many integers of `width` bits each.
    pub(in crate::backend) fn alike(n: usize, width: usize) -> Self {
        Self(vec![n; width + 1])
    }

    /// Of so many integers, of which these are a sample.
    pub(in crate::backend) fn of_all(&self, n: usize) -> Self {
        let count = self.count().max(1);
        // What is not zero stays so.
        Self(self.0.iter().map(|of_width| (of_width * n).div_ceil(count)).collect())
    }

    /// The number of integers.
    pub(in crate::backend) fn count(&self) -> usize {
        self.at_least(0)
    }

    /// How many have at least so many bits.
    fn at_least(&self, bits: usize) -> usize {
        self.0.get(bits).copied().unwrap_or(0)
    }

    /// The bits of the widest, at least 1.
    pub(in crate::backend) fn widest(&self) -> usize {
        self.0.iter().rposition(|&count| count > 0).unwrap_or(0).max(1)
    }

    /// Whether all are 0.
    pub(in crate::backend) fn are_zero(&self) -> bool {
        self.at_least(1) == 0
    }

    /// Digits of a window other than 0, at most.
    pub(in crate::backend) fn digits(&self, bits: u32, window: usize) -> usize {
        self.at_least((window * bits as usize).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_by_their_bits() {
        let mut counts = [0; 20];
        (counts[0], counts[3], counts[4], counts[17]) = (5, 2, 1, 7);
        let widths = Widths::of_counts(counts);
        assert_eq!((widths.count(), widths.widest(), widths.are_zero()), (15, 17, false));
        let digits = |bits| (0..5).map(|window| widths.digits(bits, window)).collect::<Vec<_>>();
        assert_eq!(digits(1), [10, 10, 10, 10, 8]);
        assert_eq!(digits(4), [10, 8, 7, 7, 7]);
        assert_eq!(digits(9), [10, 7, 0, 0, 0]);

        // However small a sample is, it represents all, and of as many integers it is what it was.
        let few = widths.of_all(4);
        assert_eq!((few.count(), few.widest(), few.digits(4, 1)), (4, 17, 3));
        assert_eq!(widths.of_all(15), widths);
        assert_eq!(widths.of_all(1 << 31).count(), 1 << 31);

        let alike = Widths::alike(9, 12);
        assert_eq!((alike.count(), alike.widest(), alike.digits(6, 2), alike.digits(13, 1)), (9, 12, 9, 0));
        for none in
            [Widths::of_counts([3, 0]), Widths::of_counts([]), Widths::alike(3, 0), Widths::alike(0, 2)]
        {
            assert!(none.are_zero() && none.widest() == 1 && none.digits(1, 0) == 0);
        }
        assert_eq!(Widths::of_counts([]).of_all(7).count(), 0);
    }
}
