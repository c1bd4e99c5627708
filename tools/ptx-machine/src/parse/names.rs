//! The names in a function, and the slots that they stand for.

use std::collections::HashMap;
use std::ops::Range;

use super::SPECIAL;
use super::text::{integer, separate};
use crate::instruction::Slot;

/// What a name in a function stands for.
#[derive(Clone, Debug)]
pub(super) enum Name {
    /// A register.
    Register(Slot),
    /// A parameter, by its words.
    Words(Vec<Slot>),
    /// An address.
    Address(u64),
}

/// The names of a function and its slots.
pub(super) struct Names<'p, 'a> {
    /// Constant arrays of the program.
    arrays: &'p HashMap<&'a str, u64>,
    next: u32,
    /// Registers with numbers, by what is before the number: the first slot, and how many there are.
    families: Vec<(&'a str, Slot, u32)>,
    pub registers: Range<Slot>,
    outer: HashMap<&'a str, Name>,
    /// Names of inner scopes, the innermost last, and where each scope begins among them and among its slots.
    inner: Vec<(&'a str, Name)>,
    scopes: Vec<(usize, usize)>,
    /// Slots for inner scopes, of which some are in use.
    scratch: Vec<Slot>,
    in_use: usize,
    pub immediates: HashMap<u64, Slot>,
}

impl<'p, 'a> Names<'p, 'a> {
    /// The names of a function whose first slot is `next`.
    pub(super) fn new(arrays: &'p HashMap<&'a str, u64>, next: Slot) -> Self {
        Self {
            arrays,
            next: next.into(),
            families: Vec::new(),
            registers: 0..0,
            outer: HashMap::new(),
            inner: Vec::new(),
            scopes: Vec::new(),
            scratch: Vec::new(),
            in_use: 0,
            immediates: HashMap::new(),
        }
    }

    /// The first slot that is not of this function.
    pub(super) fn end(&self) -> Result<Slot, String> {
        Slot::try_from(self.next).map_err(|_| "too many registers".into())
    }

    /// Begins a scope.
    pub(super) fn open(&mut self) {
        self.scopes.push((self.inner.len(), self.in_use));
    }

    /// Ends the innermost scope; `false` if there is none.
    pub(super) fn close(&mut self) -> bool {
        let scope = self.scopes.pop();
        if let Some((names, slots)) = scope {
            self.inner.truncate(names);
            self.in_use = slots;
        }
        scope.is_some()
    }

    /// So many slots after each other.
    fn allocate(&mut self, count: u32) -> Result<Slot, String> {
        let first = self.next;
        self.next =
            first.checked_add(count).filter(|&end| end <= 1 << Slot::BITS).ok_or("too many registers")?;
        Slot::try_from(first).map_err(|_| "too many registers".into())
    }

    /// A slot until the scope ends.
    fn allocate_scratch(&mut self) -> Result<Slot, String> {
        if self.in_use == self.scratch.len() {
            let slot = self.allocate(1)?;
            self.scratch.push(slot);
        }
        self.in_use += 1;
        Ok(self.scratch[self.in_use - 1])
    }

    /// Parameters, and the slots of their words.
    pub(super) fn add_parameters(
        &mut self,
        parameters: &[(&'a str, usize)],
    ) -> Result<Vec<Vec<Slot>>, String> {
        let add = |&(name, bytes): &(&'a str, usize)| {
            let words = (0..bytes.div_ceil(4)).map(|_| self.allocate(1)).collect::<Result<Vec<_>, _>>()?;
            self.outer.insert(name, Name::Words(words.clone()));
            Ok(words)
        };
        parameters.iter().map(add).collect()
    }

    /// The words of a parameter of the scope.
    pub(super) fn add_parameter(&mut self, name: &'a str, bytes: usize) -> Result<(), String> {
        let words = (0..bytes.div_ceil(4)).map(|_| self.allocate_scratch()).collect::<Result<_, _>>()?;
        self.declare(name, Name::Words(words));
        Ok(())
    }

    /// Takes a parameter of the function away.
    pub(super) fn remove_parameter(&mut self, name: &str) -> Option<Vec<Slot>> {
        match self.outer.remove(name)? {
            Name::Words(words) => Some(words),
            _ => None,
        }
    }

    pub(super) fn declare(&mut self, name: &'a str, named: Name) {
        match self.scopes.is_empty() {
            true => drop(self.outer.insert(name, named)),
            false => self.inner.push((name, named)),
        }
    }

    pub(super) fn declare_registers(&mut self, text: &'a str) -> Result<(), String> {
        let rest = text[".reg".len()..].trim_start();
        let (kind, names) = rest.split_once(char::is_whitespace).ok_or("registers without names")?;
        if ![".pred", ".b16", ".b32", ".u32", ".b64", ".u64", ".f64"].contains(&kind) {
            return Err(format!("unknown type {kind}"));
        }
        for name in separate(names) {
            match name.split_once('<') {
                Some((family, count)) => {
                    let count = integer(count.trim_end_matches('>'))? as u32;
                    let first = self.allocate(count)?;
                    self.families.push((family, first, count));
                    self.widen(first, count);
                }
                None if self.scopes.is_empty() => {
                    let slot = self.allocate(1)?;
                    self.widen(slot, 1);
                    self.outer.insert(name, Name::Register(slot));
                }
                None => {
                    let slot = self.allocate_scratch()?;
                    self.inner.push((name, Name::Register(slot)));
                }
            }
        }
        Ok(())
    }

    /// Counts slots among the registers, which are those that are declared before anything else has slots.
    fn widen(&mut self, first: Slot, count: u32) {
        if self.registers.is_empty() {
            self.registers = first..first;
        }
        if self.registers.end == first {
            self.registers.end += count as Slot;
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<&Name> {
        let inner = self.inner.iter().rev().find(|(inner, _)| *inner == name);
        inner.map(|(_, named)| named).or_else(|| self.outer.get(name))
    }

    /// The slot of a register that has a number.
    fn numbered(&self, name: &str) -> Option<Slot> {
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u32 = name[family.len()..].parse().ok()?;
        let &(_, first, count) = self.families.iter().find(|(found, ..)| *found == family)?;
        (number < count).then_some(first + number as Slot)
    }

    pub(super) fn immediate(&mut self, value: u64) -> Result<Slot, String> {
        if let Some(&slot) = self.immediates.get(&value) {
            return Ok(slot);
        }
        let slot = self.allocate(1)?;
        self.immediates.insert(value, slot);
        Ok(slot)
    }

    /// A slot that an instruction writes.
    pub(super) fn written(&self, name: &str) -> Result<Slot, String> {
        match self.named(name) {
            Some(&Name::Register(slot)) => Ok(slot),
            Some(_) => Err(format!("{name} is no register")),
            None => self.numbered(name).ok_or_else(|| format!("no register {name}")),
        }
    }

    /// The slot of what an instruction reads: a register, a number, or an address by its name.
    pub(super) fn read(&mut self, text: &str) -> Result<Slot, String> {
        if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            let value = integer(text)?;
            return self.immediate(value);
        }
        if let Some((_, slot)) = SPECIAL.iter().find(|(name, _)| *name == text) {
            return Ok(*slot);
        }
        let address = match self.named(text) {
            Some(&Name::Address(address)) => Some(address),
            None => self.arrays.get(text).copied(),
            _ => None,
        };
        match address {
            Some(address) => self.immediate(address),
            None => self.written(text),
        }
    }
}
