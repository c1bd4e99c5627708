//! The body of one function.

use std::collections::HashMap;
use std::ops::Range;

use super::names::{Name, Names};
use super::text::{Cursor, integer, items, quoted, separate};
use super::{Program, variable};
use crate::instruction::{Instruction, Op, Slot, operation};
use crate::memory::Space;

/// What sets the carry flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Sum,
    Difference,
}

/// A function that is being read.
pub(super) struct Function<'p, 'a> {
    program: &'p mut Program,
    pub names: Names<'p, 'a>,
    shared: Vec<usize>,
    labels: HashMap<&'a str, Slot>,
    branches: Vec<(usize, &'a str)>,
    /// What has set the carry flag since the block began.
    flag: Option<Flag>,
    waits: bool,
}

/// What is to be known of a function that has been read.
pub(super) struct End {
    pub slots: Slot,
    pub registers: Range<Slot>,
    pub immediates: Vec<(Slot, u64)>,
    pub shared: Vec<usize>,
    pub waits: bool,
}

impl<'p, 'a> Function<'p, 'a> {
    pub(super) fn new(program: &'p mut Program, arrays: &'p HashMap<&'a str, u64>) -> Self {
        let names = Names::new(arrays, program.slots);
        Self {
            program,
            names,
            shared: Vec::new(),
            labels: HashMap::new(),
            branches: Vec::new(),
            flag: None,
            waits: false,
        }
    }

    /// Everything to the end of the function.
    pub(super) fn body(&mut self, cursor: &mut Cursor<'a>) -> Result<(), String> {
        loop {
            if !cursor.more() {
                return Err("a function without an end".into());
            }
            let start = cursor.at();
            if cursor.pass('{') {
                self.names.open();
            } else if cursor.pass('}') {
                if !self.names.close() {
                    self.emit(start..start + 1, Op::Return, [0; 5]);
                    return Ok(());
                }
            } else if let Some(label) = cursor.label() {
                let place = Slot::try_from(self.program.code.len()).map_err(|_| "too many instructions")?;
                self.labels.insert(label, place);
                self.flag = None;
            } else {
                let statement = cursor.until(';')?;
                let place = start..start + statement.len();
                self.statement(statement, place).map_err(|what| format!("{what}: {}", quoted(statement)))?;
            }
        }
    }

    /// The function as a whole, its branches resolved.
    pub(super) fn end(self) -> Result<End, String> {
        for (at, label) in self.branches {
            let place = self.labels.get(label).ok_or_else(|| format!("no label {label}"))?;
            self.program.code[at].d = *place;
        }
        // Places in the code are slots too.
        Slot::try_from(self.program.code.len()).map_err(|_| "too many instructions")?;
        Ok(End {
            slots: self.names.end()?,
            registers: self.names.registers,
            immediates: self.names.immediates.into_iter().map(|(value, slot)| (slot, value)).collect(),
            shared: self.shared,
            waits: self.waits,
        })
    }

    fn emit(&mut self, place: Range<usize>, op: Op, [d, a, b, c, e]: [Slot; 5]) {
        self.program.code.push(Instruction { op, d, a, b, c, e });
        self.program.places.push(place);
    }

    fn statement(&mut self, statement: &'a str, place: Range<usize>) -> Result<(), String> {
        if statement.starts_with('.') {
            return self.declaration(statement);
        }
        let Some(guarded) = statement.strip_prefix('@') else {
            return self.instruction(statement, place, None);
        };
        let (guard, rest) = guarded.split_once(char::is_whitespace).ok_or("a guard of nothing")?;
        let (op, guard) = match guard.strip_prefix('!') {
            Some(guard) => (Op::BranchUnless, guard),
            None => (Op::BranchIf, guard),
        };
        let guard = self.names.read(guard)?;
        self.instruction(rest.trim_start(), place, Some((op, guard)))
    }

    fn declaration(&mut self, text: &'a str) -> Result<(), String> {
        match text.split_whitespace().next().unwrap_or_default() {
            // A wish about loops.
            ".pragma" => Ok(()),
            ".reg" => self.names.declare_registers(text),
            space @ (".shared" | ".local" | ".param") => {
                let (name, bytes, _) = variable(text, space)?;
                let (list, space) = match space {
                    ".shared" => (&mut self.shared, Space::Shared),
                    ".local" => (&mut self.program.local, Space::Local),
                    _ => return self.names.add_parameter(name, bytes),
                };
                list.push(bytes);
                self.names.declare(name, Name::Address(space.address(list.len() - 1)));
                Ok(())
            }
            unknown => Err(format!("unknown directive {unknown}")),
        }
    }

    /// The slots of a base and of an offset.
    fn address(&mut self, text: &str) -> Result<(Slot, Slot), String> {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or("no address")?;
        let (base, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        Ok((self.names.read(base.trim())?, self.names.read(offset.trim())?))
    }

    /// The words of a parameter from an offset on.
    fn words(&self, text: &str, count: usize) -> Result<Vec<Slot>, String> {
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or("no address")?;
        let (name, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        let Some(Name::Words(words)) = self.names.named(name) else {
            return Err(format!("no parameter {name}"));
        };
        let offset = integer(offset)? as usize;
        let found = words.get(offset / 4..).and_then(|rest| rest.get(..count));
        match found {
            Some(found) if offset.is_multiple_of(4 * count) => Ok(found.to_vec()),
            _ => Err(format!("{name} has no such word")),
        }
    }

    fn instruction(
        &mut self,
        text: &'a str,
        place: Range<usize>,
        guard: Option<(Op, Slot)>,
    ) -> Result<(), String> {
        let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands = separate(operands);
        if let ("bra" | "bra.uni", [label]) = (opcode, &operands[..]) {
            let (op, guard) = guard.unwrap_or((Op::Branch, 0));
            self.branches.push((self.program.code.len(), label));
            self.flag = None;
            self.emit(place, op, [0, guard, 0, 0, 0]);
            return Ok(());
        }
        if guard.is_some() {
            return Err("a guard of something else than a branch".into());
        }
        self.check_flag(opcode)?;
        match (opcode, &operands[..]) {
            ("mov.b64", [d, list]) if list.starts_with('{') => {
                let halves = items(list);
                let [a, b] = halves[..] else { return Err("expected two halves".into()) };
                let slots = [self.names.written(d)?, self.names.read(a)?, self.names.read(b)?, 0, 0];
                self.emit(place, Op::Pack, slots);
            }
            ("mov.b64", [list, a]) if list.starts_with('{') => {
                let halves = items(list);
                let [d, e] = halves[..] else { return Err("expected two halves".into()) };
                let slots = [self.names.written(d)?, self.names.read(a)?, 0, 0, self.names.written(e)?];
                self.emit(place, Op::Unpack, slots);
            }
            ("mov.b64", [d, name]) if matches!(self.names.named(name), Some(Name::Words(_))) => {
                self.address_parameter(d, name, place)?;
            }
            // The caches of a processor do without.
            ("prefetch.global.L1", [_]) => {}
            ("ret", []) => self.emit(place, Op::Return, [0; 5]),
            ("bar.sync", ["0"]) => self.wait(place, Op::Barrier, [0; 5]),
            ("bar.warp.sync", ["-1"]) => self.wait(place, Op::WarpBarrier, [0; 5]),
            ("vote.sync.any.pred", [d, a, mask]) => {
                let slots = [self.names.written(d)?, self.names.read(a)?, self.names.read(mask)?, 0, 0];
                self.wait(place, Op::Vote, slots);
            }
            ("call.uni", [results @ .., name, arguments]) if results.len() < 2 => {
                let results = results.first().map(|list| items(list)).unwrap_or_default();
                self.call(&place, &results, name, &items(arguments))?;
            }
            _ => self.plain(opcode, &operands, place)?,
        }
        Ok(())
    }

    /// The address of a parameter, which from here on lies in local memory.
    fn address_parameter(&mut self, d: &str, name: &'a str, place: Range<usize>) -> Result<(), String> {
        let Some(words) = self.names.remove_parameter(name) else {
            return Err(format!("{name} is no parameter of the function"));
        };
        self.program.local.push(4 * words.len());
        let address = self.names.immediate(Space::Local.address(self.program.local.len() - 1))?;
        for (number, word) in words.into_iter().enumerate() {
            let offset = self.names.immediate(4 * number as u64)?;
            self.emit(place.clone(), Op::Store32, [word, address, offset, 0, Space::Local as Slot]);
        }
        let d = self.names.written(d)?;
        self.emit(place, Op::Move64, [d, address, 0, 0, 0]);
        Ok(())
    }

    fn wait(&mut self, place: Range<usize>, op: Op, slots: [Slot; 5]) {
        self.waits = true;
        self.emit(place, op, slots);
    }

    /// Instructions that make a value of others, and those that use memory.
    fn plain(&mut self, opcode: &str, operands: &[&str], place: Range<usize>) -> Result<(), String> {
        if let Some((op, reads)) = operation(opcode) {
            let [d, values @ ..] = operands else { return Err("no operands".into()) };
            if values.len() != reads {
                return Err(format!("expected {reads} operands behind the first"));
            }
            let mut slots = [self.names.written(d)?, 0, 0, 0, 0];
            for (slot, value) in slots[1..].iter_mut().zip(values) {
                *slot = self.names.read(value)?;
            }
            self.emit(place, op, slots);
            return Ok(());
        }
        let unknown = || format!("unknown opcode {opcode}");
        let (kind, rest) = opcode.split_once('.').ok_or_else(unknown)?;
        match (kind, rest, operands) {
            ("ld", "param.u32" | "param.b32", [d, from]) => {
                let word = self.words(from, 1)?[0];
                let slots = [self.names.written(d)?, word, 0, 0, 0];
                self.emit(place, Op::Move32, slots);
            }
            ("ld", "param.u64" | "param.b64", [d, from]) => {
                let words = self.words(from, 2)?;
                let slots = [self.names.written(d)?, words[0], words[1], 0, 0];
                self.emit(place, Op::Pack, slots);
            }
            ("st", "param.b32", [to, a]) => {
                let word = self.words(to, 1)?[0];
                let slots = [word, self.names.read(a)?, 0, 0, 0];
                self.emit(place, Op::Move32, slots);
            }
            ("st", "param.b64", [to, a]) => {
                let words = self.words(to, 2)?;
                let slots = [words[0], self.names.read(a)?, 0, 0, words[1]];
                self.emit(place, Op::Unpack, slots);
            }
            ("ld", _, [value, address]) => {
                let (space, lanes, wide) = access(rest).ok_or_else(unknown)?;
                self.access(Op::Load32, value, address, (space, lanes, wide), place)?;
            }
            ("st", _, [address, value]) => {
                let (space, lanes, wide) = access(rest).ok_or_else(unknown)?;
                self.access(Op::Store32, value, address, (space, lanes, wide), place)?;
            }
            ("atom" | "red", _, _) => self.atomic(opcode, operands, place)?,
            _ => return Err(unknown()),
        }
        Ok(())
    }

    fn access(
        &mut self,
        op: Op,
        value: &str,
        address: &str,
        (space, lanes, wide): (Space, usize, bool),
        place: Range<usize>,
    ) -> Result<(), String> {
        let loads = op == Op::Load32;
        let mut one = |name: &str| if loads { self.names.written(name) } else { self.names.read(name) };
        let names = items(value);
        if names.len() != lanes {
            return Err(format!("expected {lanes} values"));
        }
        let value = match lanes {
            1 => one(names[0])?,
            _ => {
                let mut list = [0; 4];
                for (slot, name) in list.iter_mut().zip(names) {
                    *slot = one(name)?;
                }
                self.list(list)?
            }
        };
        let op = match (loads, lanes, wide) {
            (true, 1, false) => Op::Load32,
            (true, 1, true) => Op::Load64,
            (true, ..) => Op::LoadVector,
            (false, 1, false) => Op::Store32,
            (false, 1, true) => Op::Store64,
            (false, ..) => Op::StoreVector,
        };
        let (base, offset) = self.address(address)?;
        // Of vectors, `c` has the number of lanes, and of words in each.
        let shape = (lanes as Slot) << 2 | if wide { 2 } else { 1 };
        self.emit(place, op, [value, base, offset, shape, space as Slot]);
        Ok(())
    }

    fn list(&mut self, list: [Slot; 4]) -> Result<Slot, String> {
        self.program.lists.push(list);
        Slot::try_from(self.program.lists.len() - 1).map_err(|_| "too many vectors".into())
    }

    fn atomic(&mut self, opcode: &str, operands: &[&str], place: Range<usize>) -> Result<(), String> {
        let unknown = || format!("unknown opcode {opcode}");
        let mut parts = opcode.split('.');
        let (Some(kind), Some(space), Some(what), Some(width), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(unknown());
        };
        let space = space_of(space).ok_or_else(unknown)? as Slot;
        let op = match (kind, what, width) {
            ("atom", "add", "u32") => Op::AtomicAdd,
            ("atom", "cas", "b32") => Op::AtomicExchange,
            ("red", "add", "u32") => Op::ReduceAdd,
            ("red", "min", "u32") => Op::ReduceMinimum,
            ("red", "max", "u32") => Op::ReduceMaximum,
            _ => return Err(unknown()),
        };
        let (d, address, c) = match (op, operands) {
            (Op::AtomicAdd, [d, address, value]) => {
                (self.names.written(d)?, address, self.names.read(value)?)
            }
            (Op::AtomicExchange, [d, address, expected, new]) => {
                let list = [self.names.read(expected)?, self.names.read(new)?, 0, 0];
                (self.names.written(d)?, address, self.list(list)?)
            }
            (Op::ReduceAdd | Op::ReduceMinimum | Op::ReduceMaximum, [address, value]) => {
                (0, address, self.names.read(value)?)
            }
            _ => return Err("another number of operands than expected".into()),
        };
        let (base, offset) = self.address(address)?;
        self.emit(place, op, [d, base, offset, c, space]);
        Ok(())
    }

    fn call(
        &mut self,
        place: &Range<usize>,
        results: &[&str],
        name: &str,
        arguments: &[&str],
    ) -> Result<(), String> {
        // Before its end a function is not known, so that none calls itself.
        let callee =
            self.program.functions.get(name).ok_or_else(|| format!("no function {name} before this"))?;
        let callee = callee.clone();
        if (callee.results.len(), callee.parameters.len()) != (results.len(), arguments.len()) {
            return Err(format!("{name} has other parameters"));
        }
        for (argument, parameter) in arguments.iter().zip(&callee.parameters) {
            let words = self.argument(argument, parameter.len())?;
            for (&to, from) in parameter.iter().zip(words) {
                self.emit(place.clone(), Op::Move32, [to, from, 0, 0, 0]);
            }
        }
        self.emit(place.clone(), Op::Call, [callee.entry, 0, 0, 0, 0]);
        // A call does not keep the flag.
        self.flag = None;
        for (result, made) in results.iter().zip(&callee.results) {
            let words = self.argument(result, made.len())?;
            for (to, &from) in words.into_iter().zip(made) {
                self.emit(place.clone(), Op::Move32, [to, from, 0, 0, 0]);
            }
        }
        Ok(())
    }

    /// The words of an argument of the length expected.
    fn argument(&self, name: &str, len: usize) -> Result<Vec<Slot>, String> {
        match self.names.named(name) {
            Some(Name::Words(words)) if words.len() == len => Ok(words.clone()),
            _ => Err(format!("{name} is not what is passed here")),
        }
    }

    /// The carry flag is for chains within a block: an instruction that reads it has one before it that sets it, in the same sense.
    fn check_flag(&mut self, opcode: &str) -> Result<(), String> {
        let kind = opcode.split('.').next().unwrap_or_default();
        let sense = if kind.starts_with("sub") { Flag::Difference } else { Flag::Sum };
        if ["addc", "subc", "madc"].contains(&kind) && self.flag != Some(sense) {
            return Err("the carry flag is read and was not set for that".into());
        }
        if opcode.contains(".cc.") {
            self.flag = Some(sense);
        }
        Ok(())
    }
}

fn space_of(name: &str) -> Option<Space> {
    Some(match name {
        "global" => Space::Global,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "const" => Space::Const,
        _ => return None,
    })
}

/// The space of a load or a store, the number of lanes, and whether they are of 64 bits, by what is behind the first dot of the opcode.
fn access(modifiers: &str) -> Option<(Space, usize, bool)> {
    let (first, rest) = modifiers.split_once('.').unwrap_or((modifiers, ""));
    let (space, rest) = match space_of(first) {
        Some(space) => (space, rest),
        None => (Space::Generic, modifiers),
    };
    // A load through the cache for what no item writes.
    let rest = if space == Space::Global { rest.strip_prefix("nc.").unwrap_or(rest) } else { rest };
    let (lanes, width) = match rest.split_once('.') {
        Some(("v2", width)) => (2, width),
        Some(("v4", width)) => (4, width),
        None => (1, rest),
        Some(_) => return None,
    };
    match width {
        "u32" => Some((space, lanes, false)),
        "u64" if lanes < 4 => Some((space, lanes, true)),
        _ => None,
    }
}
