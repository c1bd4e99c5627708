//! The arena of what an AIR computes while it is recorded: one in a thread, for symbols are no more than indices of its values.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::program::Node;
use zkaccel_proofs::{Builder, Extension};

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// What a symbol stands for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Constant(Element),
    /// A node of the base field, or those of all coordinates.
    Nodes(Vec<Node>),
}

/// Records values, of which equal ones are one.
pub(super) struct Recorder {
    pub(super) builder: Builder,
    extension: Extension,
    values: Vec<Value>,
    known: HashMap<Value, u32>,
    /// The first thing that was done and cannot be recorded.
    refused: Option<&'static str>,
}

/// The index of zero.
pub(super) const ZERO: u32 = 0;
/// The index of one.
pub(super) const ONE: u32 = 1;

impl Recorder {
    pub(super) fn new(extension: Extension) -> Self {
        let mut recorder = Self {
            builder: Builder::new(),
            extension,
            values: Vec::new(),
            known: HashMap::new(),
            refused: None,
        };
        let indices = [Element::ZERO, Element::ONE].map(|value| recorder.index(Value::Constant(value)));
        debug_assert_eq!(indices, [ZERO, ONE]);
        recorder
    }

    /// Lets symbols be computed with, which are indices of this recorder's values.
    pub(super) fn record<T>(self, what: impl FnOnce() -> T) -> Result<(Self, T), String> {
        RECORDER.set(Some(self));
        let done = catch_unwind(AssertUnwindSafe(what));
        let recorder = RECORDER.take().expect("the recorder that was set");
        let done = done.map_err(|panic| {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
            format!("a panic: {}", words.unwrap_or("without words"))
        })?;
        match recorder.refused {
            Some(refused) => Err(refused.into()),
            None => Ok((recorder, done)),
        }
    }

    /// The index of a value.
    pub(super) fn index(&mut self, value: Value) -> u32 {
        let next = self.values.len() as u32;
        *self.known.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }

    pub(super) fn value(&self, index: u32) -> &Value {
        &self.values[index as usize]
    }

    /// The nodes of a value: one, if it is of the base field.
    pub(super) fn nodes(&mut self, index: u32) -> Vec<Node> {
        match self.value(index).clone() {
            Value::Constant(constant) => vec![self.builder.constant(constant)],
            Value::Nodes(nodes) => nodes,
        }
    }

    /// The index of a sum, a difference or a product.
    pub(super) fn operate(&mut self, operation: Operation, x: u32, y: u32) -> u32 {
        if let (Value::Constant(x), Value::Constant(y)) = (self.value(x), self.value(y)) {
            let value = match operation {
                Operation::Add => *x + *y,
                Operation::Sub => *x - *y,
                Operation::Mul => *x * *y,
            };
            return self.index(Value::Constant(value));
        }
        let (mut x, mut y) = (self.nodes(x), self.nodes(y));
        let (builder, extension) = (&mut self.builder, &self.extension);
        let zero = builder.constant(Element::ZERO);
        let degree = x.len().max(y.len());
        let nodes = match operation {
            Operation::Mul if x.len() == 1 => extension.scale(builder, &y, x[0]),
            Operation::Mul if y.len() == 1 => extension.scale(builder, &x, y[0]),
            Operation::Mul => extension.mul(builder, &x, &y),
            Operation::Add | Operation::Sub => {
                x.resize(degree, zero);
                y.resize(degree, zero);
                match operation {
                    Operation::Sub => extension.sub(builder, &x, &y),
                    _ => extension.add(builder, &x, &y),
                }
            }
        };
        let value = match nodes.iter().all(|&node| node == zero) {
            true => Value::Constant(Element::ZERO),
            false => Value::Nodes(nodes),
        };
        self.index(value)
    }

    /// Notes that something was done that has no place in a row program.
    pub(super) fn refuse(&mut self, what: &'static str) {
        self.refused.get_or_insert(what);
    }
}

/// An operation on two values.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Add,
    Sub,
    Mul,
}

/// Asks this thread's recorder.
///
/// # Panics
/// If nothing is recorded in this thread: an AIR may evaluate constraints in threads of its own.
pub(super) fn recorder<T>(ask: impl FnOnce(&mut Recorder) -> T) -> T {
    RECORDER.with_borrow_mut(|recorder| {
        ask(recorder.as_mut().expect("a symbol in the thread that records the constraints"))
    })
}
