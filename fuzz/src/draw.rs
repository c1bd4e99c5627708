//! What targets draw from the fuzzer's bytes: choices, words at the edges of fields, elements, shapes.
//!
//! Once the bytes are used up every choice is the first one and every word is 0, so that short inputs mean small cases. Large arrays do not take
//! a byte for each entry: they are drawn from a few words, with a generator of pseudo-random ones.

use arbitrary::Unstructured;
use zkaccel::field::MODULUS;
use zkaccel::matrix::{BaseField, Element, Layout, Matrix, Shape};

/// Words around every carry of the arithmetic of Goldilocks, and those that are no elements.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    (1 << 32) - 2,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    (1 << 63) - 1,
    1 << 63,
    MODULUS - (1 << 32),
    MODULUS - 2,
    MODULUS - 1,
    MODULUS,
    MODULUS + 1,
    u64::MAX - 1,
    u64::MAX,
];

/// The fuzzer's bytes.
pub struct Draw<'a>(Unstructured<'a>);

impl<'a> Draw<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(Unstructured::new(data))
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.int_in_range(0..=bound - 1).unwrap_or(0)
    }

    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    pub fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or(0)
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// An edge, a small number, or any word.
    pub fn word(&mut self) -> u64 {
        match self.below(3) {
            0 => self.pick(&EDGES),
            1 => self.byte().into(),
            _ => self.0.arbitrary().unwrap_or(0),
        }
    }

    /// A number near another one, or one that is wrong almost everywhere.
    pub fn near(&mut self, number: usize) -> usize {
        match self.below(6) {
            0 => number.wrapping_add(1),
            1 => number.wrapping_sub(1),
            2 => number.wrapping_mul(2),
            3 => 0,
            4 => self.word() as usize,
            _ => number ^ 1 << self.below(64),
        }
    }

    pub fn layout(&mut self) -> Layout {
        self.pick(&[Layout::RowMajor, Layout::ColumnMajor])
    }

    /// What is left of the bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        self.0.bytes(self.0.len()).unwrap_or_default()
    }

    /// Up to so many of the bytes.
    pub fn bytes(&mut self, most: usize) -> &'a [u8] {
        let len = self.below(most + 1).min(self.0.len());
        self.0.bytes(len).unwrap_or_default()
    }

    /// A generator of words.
    pub fn words(&mut self) -> Words {
        let palette = (0..self.below(5)).map(|_| self.word()).collect();
        Words { state: self.0.arbitrary().unwrap_or(0), palette, share: self.byte() }
    }

    /// Elements of a field, canonical.
    pub fn elements<E: Element>(&mut self, len: usize) -> Vec<E> {
        self.words().elements(len)
    }

    /// One element.
    pub fn element<E: Element>(&mut self) -> E {
        self.elements(1)[0]
    }

    /// A matrix of elements, canonical.
    pub fn matrix<E: Element>(&mut self, shape: Shape) -> Matrix<E> {
        Matrix::new(self.elements(shape.rows * shape.columns), shape).expect("a sound shape")
    }

    /// Replaces bytes, some of them by others that mean something in texts: up to eight changes.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..1 + self.below(8) {
            let at = self.below(bytes.len() + 1);
            let len = self.below(10).min(bytes.len() - at);
            match self.below(7) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = self.byte(),
                2 => drop(bytes.splice(at..at + len, self.bytes(24).iter().copied())),
                3 => drop(bytes.splice(at..at, self.bytes(24).iter().copied())),
                4 => drop(bytes.drain(at..at + len)),
                5 => {
                    let again = bytes[at..at + len].to_vec();
                    let to = self.below(bytes.len() + 1);
                    drop(bytes.splice(to..to, again));
                }
                6 => bytes.truncate(at),
                _ => {}
            }
        }
    }
}

/// Pseudo-random words, and a few chosen ones among them.
pub struct Words {
    state: u64,
    palette: Vec<u64>,
    /// How many of 256 words are of the palette.
    share: u8,
}

impl Words {
    /// The next word: of the palette, or from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let z = z ^ z >> 31;
        match self.palette.is_empty() || z as u8 >= self.share {
            true => z,
            false => self.palette[(z >> 8) as usize % self.palette.len()],
        }
    }

    /// Elements of a field, canonical: a word or words that are no element are reduced by halving the highest.
    pub fn elements<E: Element>(&mut self, len: usize) -> Vec<E> {
        let mut elements = E::zeros(len).expect("memory for small arrays");
        let modulus = <E::Base as BaseField>::MODULUS;
        for element in
            <E::Base as BaseField>::words_mut(E::base_mut(&mut elements)).chunks_exact_mut(modulus.len())
        {
            element.fill_with(|| self.next());
            while !element.iter().rev().lt(modulus.iter().rev()) {
                element[modulus.len() - 1] >>= 1;
            }
        }
        elements
    }
}
