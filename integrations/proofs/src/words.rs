//! Words without a pattern, on which records are compared with what they were recorded from.

use zkaccel::field::Goldilocks;

/// Words without a pattern, the same in every run (Steele, Lea and Flood 2014, SplitMix64).
#[derive(Debug, Default)]
pub struct Words(u64);

impl Iterator for Words {
    type Item = Goldilocks;

    fn next(&mut self) -> Option<Goldilocks> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(Goldilocks::new(word ^ (word >> 31)))
    }
}
