//! PTX as instructions. What is not known is an error that names it.
//!
//! The functions of a program do not call themselves, so each has slots of its own in one frame: parameters, registers and immediate values.
//! A call moves its arguments to the slots of the parameters.

mod function;
mod names;
mod text;

use std::collections::HashMap;
use std::ops::Range;

use super::instruction::{Instruction, Slot};
use super::memory::{Memory, Space};
use function::Function;
use text::{Cursor, integer, items, quoted, separate};

/// The slots that tell an item which it is, by the names of PTX.
pub(crate) const SPECIAL: [(&str, Slot); 5] =
    [("%tid.x", 0), ("%ntid.x", 1), ("%ctaid.x", 2), ("%nctaid.x", 3), ("%tid.z", 4)];

/// A program.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) code: Vec<Instruction>,
    /// The statement of each instruction.
    places: Vec<Range<usize>>,
    text: String,
    /// Slots of vectors.
    pub(crate) lists: Vec<[Slot; 4]>,
    /// What can be launched, by name.
    pub kernels: HashMap<String, Kernel>,
    /// Constant arrays.
    pub(crate) constants: Vec<Memory>,
    /// The bytes of what an item keeps beside its registers, for each function that does so.
    pub(crate) local: Vec<usize>,
    /// What is called, by name.
    functions: HashMap<String, Callee>,
    /// The slots of functions that hold immediate values.
    immediates: Vec<(Slot, u64)>,
    /// The first slot that is not a function's.
    slots: Slot,
    /// Whether a function waits for other items.
    waits: bool,
}

/// A function that kernels call.
#[derive(Clone, Debug)]
struct Callee {
    entry: Slot,
    parameters: Vec<Vec<Slot>>,
    results: Vec<Vec<Slot>>,
}

/// A kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its first instruction.
    pub(crate) entry: Slot,
    /// The slots of its parameters, two for the halves of each.
    pub parameters: Vec<[Slot; 2]>,
    /// Its registers.
    pub(crate) registers: Range<Slot>,
    /// The slots that hold immediate values, its own and those of functions.
    pub(crate) immediates: Vec<(Slot, u64)>,
    /// The bytes of each variable of a group.
    pub(crate) shared: Vec<usize>,
    /// The most items of a group.
    pub largest_group: Option<usize>,
    /// Whether items wait for others.
    pub(crate) waits: bool,
}

/// A list of parameters: the name and the number of bytes of each.
type Parameters<'a> = Vec<(&'a str, usize)>;

impl Program {
    /// The program of a text; the error says what is wrong in which statement.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut program = Self { slots: SPECIAL.len() as Slot, text: text.to_owned(), ..Self::default() };
        let mut arrays = HashMap::new();
        let mut cursor = Cursor::new(text);
        while cursor.more() {
            let start = cursor.at();
            program
                .item(&mut cursor, &mut arrays)
                .map_err(|what| format!("{what}, in {:?}", quoted(&text[start..])))?;
        }
        Ok(program)
    }

    /// The statement of an instruction.
    pub fn statement(&self, at: usize) -> &str {
        self.places.get(at).map_or("", |place| self.text[place.clone()].trim())
    }

    /// A directive, an array or a function.
    fn item<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        arrays: &mut HashMap<&'a str, u64>,
    ) -> Result<(), String> {
        let word = cursor.peek_word();
        match word {
            ".version" | ".target" | ".address_size" => {
                cursor.line();
                Ok(())
            }
            ".const" | ".global" => {
                let constant = word == ".const";
                let (name, data) = array(cursor.until(';')?)?;
                // No kernel reads arrays in global memory, and one that did would name what is not known.
                if constant {
                    let memory = Memory::new(data.len());
                    memory.write(0, &data);
                    self.constants.push(memory);
                    arrays.insert(name, Space::Const.address(self.constants.len() - 1));
                }
                Ok(())
            }
            ".visible" | ".func" => self.function(cursor, arrays),
            _ => Err(format!("unknown directive {word}")),
        }
    }

    fn function<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        arrays: &HashMap<&'a str, u64>,
    ) -> Result<(), String> {
        let head = cursor.until('{')?;
        let (is_kernel, head) = match head.strip_prefix(".visible .entry") {
            Some(rest) => (true, rest.trim()),
            None => (false, head.strip_prefix(".func").ok_or("unknown directive .visible")?.trim()),
        };
        let (results, head) = match head.strip_prefix('(') {
            Some(rest) => rest.split_once(')').ok_or("results without an end")?,
            None => ("", head),
        };
        let (name, rest) = head.split_once('(').ok_or("a function without parameters")?;
        let (parameters, directives) = rest.split_once(')').ok_or("parameters without an end")?;
        let (name, results, parameters) = (name.trim(), declared(results)?, declared(parameters)?);
        let entry = Slot::try_from(self.code.len()).map_err(|_| "too many instructions")?;
        let mut function = Function::new(self, arrays);
        let results = function.names.add_parameters(&results)?;
        let places = function.names.add_parameters(&parameters)?;
        function.body(cursor)?;
        let end = function.end()?;
        if !is_kernel {
            self.slots = end.slots;
            self.waits |= end.waits;
            self.immediates.extend(end.immediates);
            self.functions.insert(name.to_owned(), Callee { entry, parameters: places, results });
            return Ok(());
        }
        let pairs = places.iter().map(|words| words.as_slice().try_into());
        let kernel = Kernel {
            entry,
            parameters: pairs.collect::<Result<_, _>>().map_err(|_| "a parameter that is not of 64 bits")?,
            registers: end.registers,
            immediates: self.immediates.iter().copied().chain(end.immediates).collect(),
            shared: end.shared,
            largest_group: largest_group(directives)?,
            waits: self.waits || end.waits,
        };
        self.kernels.insert(name.to_owned(), kernel);
        Ok(())
    }
}

/// What a kernel demands of groups.
fn largest_group(directives: &str) -> Result<Option<usize>, String> {
    let mut largest = None;
    for line in directives.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.split_once(' ') {
            Some((".maxntid", sizes)) => {
                let sizes = separate(sizes).into_iter().map(integer).collect::<Result<Vec<_>, _>>()?;
                largest = Some(sizes.iter().product::<u64>() as usize);
            }
            // It limits the registers of the compiler.
            Some((".minnctapersm", _)) => {}
            _ => return Err(format!("unknown directive {line}")),
        }
    }
    Ok(largest)
}

/// The parameters of a list.
fn declared(list: &str) -> Result<Parameters<'_>, String> {
    separate(list)
        .into_iter()
        .map(|item| variable(item, ".param").map(|(name, bytes, _)| (name, bytes)))
        .collect()
}

/// The name of a variable in a space, its length in bytes, and that of its elements.
fn variable<'a>(text: &'a str, space: &str) -> Result<(&'a str, usize, usize), String> {
    let mut words = text.split_whitespace();
    if words.next() != Some(space) {
        return Err(format!("no variable in {space}"));
    }
    let mut kind = words.next().ok_or("no type")?;
    if kind == ".align" {
        words.next();
        kind = words.next().ok_or("no type")?;
    }
    let element = match kind {
        ".b8" => 1,
        ".b32" | ".u32" => 4,
        ".b64" | ".u64" => 8,
        _ => return Err(format!("unknown type {kind}")),
    };
    let name = words.next().ok_or("no name")?;
    match name.split_once('[') {
        None => Ok((name, element, element)),
        Some((name, count)) => {
            let count = integer(count.trim_end_matches(']'))? as usize;
            Ok((name, element * count, element))
        }
    }
}

/// The name of an array and what is in it.
fn array(text: &str) -> Result<(&str, Vec<u8>), String> {
    let (head, values) = text.split_once('=').map_or((text, ""), |(head, values)| (head, values.trim()));
    let space = head.split_whitespace().next().unwrap_or_default();
    let (name, bytes, element) = variable(head, space)?;
    let mut data = Vec::with_capacity(bytes);
    for value in items(values) {
        data.extend_from_slice(&integer(value)?.to_le_bytes()[..element]);
    }
    if data.len() > bytes {
        return Err("more values than there is room for".into());
    }
    // What is not said is zero.
    data.resize(bytes, 0);
    Ok((name, data))
}
