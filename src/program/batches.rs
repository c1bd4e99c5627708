//! The form of a program for GPUs: batches of instructions, in words.
//!
//! The items of a group run the same code, each on rows of its own, and have places of two kinds: a few near them, in memory of the group, and many far away. What an instruction takes lies near, so that it is decoded
//! in a few steps: in a slot, or in a ring into which the kernel brings, while it runs a batch, what the next one takes from inputs and from slots far away. A batch ends where the next
//! instruction would take more than the ring holds.
//!
//! # Words
//!
//! The code of a piece is a number of parts of [`PART`] words, as many as a group reads together. A part is made of blocks, and ends with a block or with a word of zero. A block is
//!
//! - a head: in its lowest 8 bits the number of entries that are brought for the next batch, and above them the index in the part of the word behind the block;
//! - a word for each of those: in its lowest 8 bits the access, and above them the column; or 255, and above it the slot far away;
//! - instructions.
//!
//! An instruction is a word: from its lowest bit on four bits for the operation, one that says that the accumulator is loaded first, one that the result is kept near, one that a second word follows; and at the bits
//! 16, 32 and 48 offsets in bytes from an item's first place: of the operand, of what is loaded first, and of where the result is kept. The second word tells, by its lowest three bits, that the operand follows as a constant, that it is in a slot
//! far away, whose number is at bit 8, and that the result is kept in one, whose number is at bit 32. Behind these follow the constant, the weights, or the column that is written. In place of an operand, weights and the sums that are written have 8 times the number of
//! coordinates.

use std::collections::HashMap;
use std::ops::Range;

use super::code::{Code, Instruction, Operand, Operation, fast_slots};

/// Words that a group reads together.
pub(crate) const PART: usize = 256;

/// Words of instructions in a block at most, so that parts are filled well.
const BLOCK: usize = PART / 4;

/// What a kernel for a field has near its items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Slots for each row.
    pub(crate) slots: usize,
    /// Entries for each row in the ring.
    pub(crate) ring: usize,
    /// Rows of an item.
    pub(crate) rows: usize,
    /// Items of a group.
    pub(crate) group: usize,
    /// Words of an element.
    pub(crate) words: usize,
}

impl Near {
    /// For the field F.
    pub(crate) const fn of<F>() -> Self {
        let words = size_of::<F>() / size_of::<u64>();
        // Elements of one word take few registers, so that an item has room for two rows, which share the work of decoding.
        let rows = if words == 1 { 2 } else { 1 };
        Self { slots: fast_slots::<F>(), ring: 8 / words, rows, group: 64, words }
    }

    /// Rows of a group.
    pub(crate) const fn rows_of_group(self) -> usize {
        self.rows * self.group
    }

    /// The offset of a place.
    fn offset(self, place: usize) -> u64 {
        (place * self.rows_of_group() * self.words * size_of::<u64>()) as u64
    }
}

/// A program in batches.
#[derive(Clone, Debug)]
pub(crate) struct Batches {
    /// The words, with zero for constants, which each run has for itself.
    words: Vec<u64>,
    /// Where constants lie: the first word of each, and its index.
    constants: Vec<(usize, usize)>,
    /// The words of each piece.
    pub(crate) pieces: Vec<Range<usize>>,
    /// Slots far away.
    pub(crate) far: usize,
}

impl Batches {
    /// The words of pieces, which have the same accesses.
    pub(super) fn new(near: Near, pieces: &[Code]) -> Self {
        let mut all = Self { words: Vec::new(), constants: Vec::new(), pieces: Vec::new(), far: 0 };
        for piece in pieces {
            let begin = all.words.len();
            let batches = Batcher::batches(near, piece);
            all.place(&[], &batches[0].entries);
            for (number, batch) in batches.iter().enumerate() {
                let next = batches.get(number + 1).map_or(&[][..], |next| &next.entries);
                let (last, others) = batch.blocks.split_last().expect("a block");
                others.iter().for_each(|block| all.place(block, &[]));
                all.place(last, next);
            }
            all.fill_part();
            all.pieces.push(begin..all.words.len());
            all.far = all.far.max(piece.slots.saturating_sub(near.slots));
        }
        all
    }

    fn fill_part(&mut self) {
        self.words.resize(self.words.len().next_multiple_of(PART), 0);
    }

    /// Adds a block, in the next part if there is no room for it in this one.
    fn place(&mut self, instructions: &[Word], entries: &[Entry]) {
        let len = 1 + entries.len() + instructions.len();
        if self.words.len() % PART + len > PART {
            self.fill_part();
        }
        let end = self.words.len() % PART + len;
        self.words.push((entries.len() | end << 8) as u64);
        self.words.extend(entries.iter().map(|entry| match *entry {
            Entry::Input { access, column } => (access | column << 8) as u64,
            Entry::Far(slot) => (255 | slot << 8) as u64,
            Entry::Overwritten => unreachable!("a batch is placed when it is complete"),
        }));
        for word in instructions {
            if let Word::Constant(index) = *word {
                self.constants.push((self.words.len(), index));
            }
            self.words.push(if let Word::Is(word) = *word { word } else { 0 });
        }
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The words for a run with these constants, each of as many words as an element has.
    pub(crate) fn words(&self, constants: &[u64], of_element: usize) -> Vec<u64> {
        let mut words = self.words.clone();
        for &(at, index) in &self.constants {
            words[at..][..of_element].copy_from_slice(&constants[index * of_element..][..of_element]);
        }
        words
    }
}

/// A word of an instruction.
#[derive(Clone, Copy, Debug)]
enum Word {
    Is(u64),
    /// The first word of a constant.
    Constant(usize),
    /// A further word of it.
    OfConstant,
}

/// What the kernel brings into a place of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Input {
        access: usize,
        column: usize,
    },
    Far(usize),
    /// From a slot that has another value meanwhile.
    Overwritten,
}

/// Instructions, and what they have in the ring.
#[derive(Debug, Default)]
struct Batch {
    entries: Vec<Entry>,
    blocks: Vec<Vec<Word>>,
}

/// Where an operand is.
enum OperandLocation {
    Near(u64),
    Far(usize),
    Constant(usize),
}

/// Makes batches.
struct Batcher {
    near: Near,
    done: Vec<Batch>,
    /// The batch under way, with entries as instructions find them.
    current: Batch,
    /// Its entries as the kernel brings them.
    brought: Vec<Entry>,
    /// For each slot far away the batch that wrote it last.
    written: HashMap<usize, usize>,
}

impl Batcher {
    fn batches(near: Near, code: &Code) -> Vec<Batch> {
        let mut batcher = Self {
            near,
            done: Vec::new(),
            current: Batch::default(),
            brought: Vec::new(),
            written: HashMap::new(),
        };
        let mut instructions = code.instructions.iter().copied().peekable();
        while let Some(instruction) = instructions.next() {
            let loads = instruction.operation == Operation::Load && instruction.to.is_none();
            let takes =
                |next: &Instruction| !matches!(next.operation, Operation::Load | Operation::WriteSums);
            match instructions.peek().copied().filter(takes) {
                Some(next) if loads && batcher.can_load_first(instruction.operand) => {
                    instructions.next();
                    batcher.add(Some(instruction.operand), next);
                }
                _ => batcher.add(None, instruction),
            }
        }
        batcher.end_batch();
        batcher.done
    }

    fn end_batch(&mut self) {
        let mut batch = std::mem::take(&mut self.current);
        batch.entries = std::mem::take(&mut self.brought);
        if batch.blocks.is_empty() {
            batch.blocks.push(Vec::new());
        }
        self.done.push(batch);
    }

    /// Whether a slot far away has the value that this batch takes when the one before it begins, which is when the kernel asks for it.
    fn is_early(&self, slot: usize) -> bool {
        self.written.get(&slot).is_none_or(|&batch| batch + 1 < self.done.len())
    }

    /// What would lie in the ring for an operand.
    fn entry(&self, operand: Operand) -> Option<Entry> {
        match operand {
            Operand::Entry(access, column) => Some(Entry::Input { access, column }),
            Operand::Slot(slot) if slot >= self.near.slots => Some(Entry::Far(slot - self.near.slots)),
            _ => None,
        }
    }

    /// Whether the ring can have an entry.
    fn can_bring(&self, entry: Entry) -> bool {
        match entry {
            Entry::Far(slot) => self.current.entries.contains(&entry) || self.is_early(slot),
            _ => true,
        }
    }

    /// Whether it lies near, or can.
    fn can_load_first(&self, operand: Operand) -> bool {
        let constant = matches!(operand, Operand::Constant(_));
        !constant && self.entry(operand).is_none_or(|entry| self.can_bring(entry))
    }

    fn location(&self, operand: Operand) -> OperandLocation {
        match (operand, self.entry(operand)) {
            (_, Some(entry)) => {
                match (self.current.entries.iter().position(|&known| known == entry), entry) {
                    (Some(at), _) => OperandLocation::Near(self.near.offset(self.near.slots + at)),
                    (None, Entry::Far(slot)) => OperandLocation::Far(slot),
                    (None, _) => unreachable!("an entry that was brought"),
                }
            }
            (Operand::Slot(slot), None) => OperandLocation::Near(self.near.offset(slot)),
            (Operand::Constant(index), None) => OperandLocation::Constant(index),
            // Double and square have no operand.
            (_, None) => OperandLocation::Near(0),
        }
    }

    /// Adds an instruction, perhaps with an operand that is loaded first.
    fn add(&mut self, first: Option<Operand>, instruction: Instruction) {
        let Instruction { operation, operand, to } = instruction;
        let writes = matches!(operation, Operation::Weigh | Operation::Write | Operation::WriteSums);
        let taken = [first, (!writes).then_some(operand)];
        let wanted = |batcher: &Self| {
            let mut wanted: Vec<Entry> =
                taken.iter().flatten().filter_map(|&operand| batcher.entry(operand)).collect();
            wanted.dedup();
            wanted.retain(|&entry| batcher.can_bring(entry) && !batcher.current.entries.contains(&entry));
            wanted
        };
        let mut new = wanted(self);
        if self.brought.len() + new.len() > self.near.ring {
            self.end_batch();
            new = wanted(self);
        }
        self.current.entries.extend(&new);
        self.brought.extend(&new);

        let (mut word, mut second, mut behind) = (number(operation, operand), 0, Vec::new());
        let constant = |index| {
            (0..self.near.words)
                .map(move |word| if word == 0 { Word::Constant(index) } else { Word::OfConstant })
        };
        if let Some(first) = first {
            let OperandLocation::Near(offset) = self.location(first) else {
                unreachable!("what is loaded first lies near")
            };
            word |= 1 << 4 | offset << 32;
        }
        match (operation, operand) {
            (Operation::Weigh, Operand::Constant(from)) => {
                let coordinates = to.expect("coordinates");
                word |= (8 * coordinates as u64) << 16;
                behind.extend((from..from + coordinates).flat_map(constant));
            }
            (Operation::Write | Operation::WriteSums, Operand::Constant(column)) => {
                word |= (8 * to.unwrap_or(0) as u64) << 16;
                behind.push(Word::Is(column as u64));
            }
            _ => match self.location(operand) {
                OperandLocation::Near(offset) => word |= offset << 16,
                OperandLocation::Far(slot) => second |= 2 | (slot as u64) << 8,
                OperandLocation::Constant(index) => {
                    second |= 1;
                    behind.extend(constant(index));
                }
            },
        }
        if let Some(slot) = to.filter(|_| !writes) {
            match slot.checked_sub(self.near.slots) {
                None => word |= 1 << 5 | self.near.offset(slot) << 48,
                Some(far) => {
                    second |= 4 | (far as u64) << 32;
                    self.written.insert(far, self.done.len());
                    let old = self.current.entries.iter_mut().filter(|entry| **entry == Entry::Far(far));
                    old.for_each(|entry| *entry = Entry::Overwritten);
                }
            }
        }
        if second != 0 {
            word |= 1 << 6;
        }
        let words = std::iter::once(word).chain((second != 0).then_some(second)).map(Word::Is).chain(behind);
        self.add_words(words.collect());
    }

    fn add_words(&mut self, words: Vec<Word>) {
        match self.current.blocks.last_mut().filter(|block| block.len() + words.len() <= BLOCK) {
            Some(block) => block.extend(words),
            None => self.current.blocks.push(words),
        }
    }
}

/// The number of an operation.
fn number(operation: Operation, operand: Operand) -> u64 {
    match (operation, operand) {
        (Operation::Load, _) => 0,
        (Operation::Add, Operand::Accumulator) => 5,
        (Operation::Add, _) => 1,
        (Operation::Sub, _) => 2,
        (Operation::SubFrom, _) => 3,
        (Operation::Mul, Operand::Accumulator) => 6,
        (Operation::Mul, _) => 4,
        (Operation::Weigh, _) => 7,
        (Operation::Write, _) => 8,
        (Operation::WriteSums, _) => 9,
    }
}
