//! Memory, and the addresses of it.
//!
//! Each piece of memory has a range of addresses of its own, 2^40 long, so that an access beside it is seen: buffers of a launch, variables of a
//! group, those of an item, and arrays of a program. Its kind is in the uppermost bits.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::instruction::{Fault, Slot};

/// Fresh memory is full of this.
pub(crate) const POISON: u8 = 0xa5;

/// A word of it.
const POISONED: u32 = u32::from_ne_bytes([POISON; 4]);

/// The logarithm of the length of a range.
const RANGE: u32 = 40;

/// The logarithm of the number of ranges of a kind.
const KIND: u32 = 16;

/// Memory of a buffer or of a variable. Its words are atomic because several threads may launch kernels on one buffer.
#[derive(Debug)]
pub struct Memory {
    words: Box<[AtomicU32]>,
    /// Who has written each word, and when.
    stamps: Box<[AtomicU64]>,
    bytes: usize,
}

/// The stamp of what no launch has written.
const NOBODY: u64 = 0;

/// The bits of the number of an item, below a moment.
const ITEM: u32 = 10;

/// Who accesses memory, and when. Moments are counted by one clock; a new one begins whenever a warp goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// When the launch began, the group, and its stretch between two barriers; and now.
    pub launch: u64,
    pub group: u64,
    pub stretch: u64,
    pub now: u64,
    /// The number of the item in its group.
    pub item: usize,
    /// Whether races are let pass.
    pub lenient: bool,
}

/// The first moment of a clock.
pub const FIRST: u64 = 1;

impl Moment {
    /// What is written now.
    fn stamp(&self) -> u64 {
        self.now << ITEM | self.item as u64
    }

    /// Whether nothing orders this access and the writing of a word: they are of one launch, and of different groups, or of different items of a group without
    /// a barrier between, which may be that of their warp.
    #[inline(always)]
    fn races_with(&self, stamp: u64) -> bool {
        let (then, item) = (stamp >> ITEM, (stamp & ((1 << ITEM) - 1)) as usize);
        then >= self.launch && !self.lenient && {
            let same_warp = item / WARP == self.item / WARP;
            let together = item != self.item && (!same_warp || then == self.now);
            then < self.group || then >= self.stretch && together
        }
    }
}

/// The items of a warp.
pub(crate) const WARP: usize = 32;

/// Words of an access.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    memory: &'a Memory,
    first: usize,
    moment: &'a Moment,
}

impl Words<'_> {
    /// Loads a word.
    #[inline(always)]
    pub(crate) fn load(&self, number: usize) -> Result<u64, Fault> {
        self.check(number)?;
        Ok(u64::from(self.memory.words[self.first + number].load(Relaxed)))
    }

    /// Stores a word. That another item has stored the same is no race.
    #[inline(always)]
    pub(crate) fn store(&self, number: usize, value: u32) -> Result<(), Fault> {
        let (word, stamp) =
            (&self.memory.words[self.first + number], &self.memory.stamps[self.first + number]);
        if self.moment.races_with(stamp.load(Relaxed)) && word.load(Relaxed) != value {
            return Err(Fault::Race);
        }
        word.store(value, Relaxed);
        stamp.store(self.moment.stamp(), Relaxed);
        Ok(())
    }

    /// A word for an atomic operation, with which others of its kind do not race.
    pub(crate) fn atomic(&self) -> Result<&AtomicU32, Fault> {
        self.check(0)?;
        Ok(&self.memory.words[self.first])
    }

    #[inline(always)]
    fn check(&self, number: usize) -> Result<(), Fault> {
        match self.moment.races_with(self.memory.stamps[self.first + number].load(Relaxed)) {
            true => Err(Fault::Race),
            false => Ok(()),
        }
    }
}

impl Memory {
    /// Memory without contents.
    pub fn new(bytes: usize) -> Self {
        let count = bytes.div_ceil(4);
        let stamps = (0..count).map(|_| AtomicU64::new(NOBODY)).collect();
        Self { words: (0..count).map(|_| AtomicU32::new(POISONED)).collect(), stamps, bytes }
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets what is in it.
    pub fn poison(&self) {
        self.words.iter().for_each(|word| word.store(POISONED, Relaxed));
        self.stamps.iter().for_each(|stamp| stamp.store(NOBODY, Relaxed));
    }

    /// Whether so many bytes from `at` on are inside.
    fn holds(&self, at: usize, bytes: usize) -> bool {
        at.checked_add(bytes).is_some_and(|end| end <= self.bytes)
    }

    /// Replaces bytes from `at` on; `false` if they are not inside.
    pub fn write(&self, at: usize, data: &[u8]) -> bool {
        let inside = self.holds(at, data.len());
        if inside {
            for (word, within, part) in pieces(at, data.len()) {
                let mut bytes = self.words[word].load(Relaxed).to_le_bytes();
                bytes[within].copy_from_slice(&data[part]);
                self.words[word].store(u32::from_le_bytes(bytes), Relaxed);
                self.stamps[word].store(NOBODY, Relaxed);
            }
        }
        inside
    }

    /// Copies bytes from `at` on; `false` if they are not inside.
    pub fn read(&self, at: usize, data: &mut [u8]) -> bool {
        let inside = self.holds(at, data.len());
        if inside {
            for (word, within, part) in pieces(at, data.len()) {
                data[part].copy_from_slice(&self.words[word].load(Relaxed).to_le_bytes()[within]);
            }
        }
        inside
    }
}

/// The words that so many bytes from `at` on touch: the number of each, which of its bytes are meant, and which of all they are.
fn pieces(at: usize, bytes: usize) -> impl Iterator<Item = (usize, Range<usize>, Range<usize>)> {
    (at / 4..(at + bytes).div_ceil(4)).map(move |word| {
        let (first, end) = (at.max(4 * word), (at + bytes).min(4 * word + 4));
        (word, first - 4 * word..end - 4 * word, first - at..end - at)
    })
}

/// The kind of memory that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A buffer.
    Global,
    /// A variable of the group.
    Shared,
    /// What an item keeps beside its registers.
    Local,
    /// A constant array of the program.
    Const,
    /// Any of them: the address tells.
    Generic,
}

impl Space {
    const ALL: [Self; 5] = [Self::Global, Self::Shared, Self::Local, Self::Const, Self::Generic];

    /// From the slot of an instruction that holds its number.
    #[inline(always)]
    pub fn from_slot(slot: Slot) -> Self {
        Self::ALL[usize::from(slot) % Self::ALL.len()]
    }

    /// The address of its piece with this number.
    pub fn address(self, number: usize) -> u64 {
        // The first range of all is nothing's, so that small numbers are no addresses.
        (((self as u64) << KIND) | (number as u64 + 1)) << RANGE
    }
}

/// What an item can reach.
pub(crate) struct Reach<'a> {
    /// The pieces of the first four spaces.
    pub pieces: [&'a [&'a Memory]; 4],
}

impl Reach<'_> {
    /// Forgets what is in the pieces of a space.
    pub(crate) fn poison(&self, space: Space) {
        self.pieces[space as usize].iter().for_each(|memory| memory.poison());
    }

    /// The words of an access, which is aligned and inside.
    #[inline(always)]
    pub(crate) fn words<'a>(
        &'a self,
        moment: &'a Moment,
        (space, address): (Space, u64),
        bytes: usize,
    ) -> Result<Words<'a>, Fault> {
        let kind = (address >> (RANGE + KIND)) as usize;
        let number = (address >> RANGE & ((1 << KIND) - 1)) as usize;
        let at = (address & ((1 << RANGE) - 1)) as usize;
        let found = self.pieces.get(kind).and_then(|pieces| pieces.get(number.wrapping_sub(1)));
        match found {
            Some(memory)
                if (space == Space::Generic || space as usize == kind)
                    && at.is_multiple_of(bytes)
                    && at + bytes <= memory.bytes =>
            {
                Ok(Words { memory, first: at / 4, moment })
            }
            _ => Err(Self::fault(space, address, bytes, found.map(|memory| memory.bytes))),
        }
    }

    /// Why there is no such access.
    #[cold]
    fn fault(space: Space, address: u64, bytes: usize, length: Option<usize>) -> Fault {
        let (number, at) = ((address >> RANGE & ((1 << KIND) - 1)), address & ((1 << RANGE) - 1));
        let kind = Space::ALL.get((address >> (RANGE + KIND)) as usize);
        Fault::Access(match (length, kind) {
            (Some(length), Some(kind)) => {
                format!(
                    "an access to {bytes} bytes at {at} of piece {number} of {kind:?} memory, which has {length} bytes, as {space:?}"
                )
            }
            _ => {
                format!("an access to {bytes} bytes at {address:#x}, where there is no memory, as {space:?}")
            }
        })
    }
}
