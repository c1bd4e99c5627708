//! Recording a program: nodes, of which equal ones are one, and outputs.

use std::collections::HashMap;

use super::{Code, MAX_COORDINATES, MAX_MATRICES, Program};
use crate::backend::AcceleratedField;
use crate::error::Error;

/// A number of every row, of the builder that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub(super) u32);

impl Node {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a node is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expression {
    /// An entry of an input matrix, `offset` strides further on.
    Column {
        matrix: u32,
        column: u32,
        offset: i32,
    },
    /// One of the program's constants.
    Constant(u32),
    /// One of the values of a run.
    Value(u32),
    Add(Node, Node),
    Sub(Node, Node),
    Mul(Node, Node),
}

/// The next columns of the result.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// A node.
    Node(Node),
    /// For each coordinate d the sum of nodes times the values at their indices + d.
    Weighted { terms: Vec<(Node, usize)>, coordinates: usize },
}

impl Output {
    /// So many columns.
    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::Node(_) => 1,
            Self::Weighted { coordinates, .. } => *coordinates,
        }
    }
}

/// Records a [`Program`].
#[derive(Clone, Debug, Default)]
pub struct Builder<F> {
    nodes: Vec<Expression>,
    known: HashMap<Expression, Node>,
    constants: Vec<F>,
    known_constants: HashMap<F, u32>,
    outputs: Vec<Output>,
}

impl<F: AcceleratedField> Builder<F> {
    /// An empty program.
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            known: HashMap::new(),
            constants: Vec::new(),
            known_constants: HashMap::new(),
            outputs: Vec::new(),
        }
    }

    /// The node of an expression.
    fn node(&mut self, expression: Expression) -> Node {
        let next = Node(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        *self.known.entry(expression).or_insert_with(|| {
            self.nodes.push(expression);
            next
        })
    }

    /// The value of a node that is a constant.
    fn constant_of(&self, node: Node) -> Option<F> {
        match self.nodes[node.index()] {
            Expression::Constant(index) => Some(self.constants[index as usize]),
            _ => None,
        }
    }

    /// The entry in a column of an input matrix, `offset` times the stride of the run further on, or further back if it is negative.
    ///
    /// # Panics
    /// From matrix or column 2^32 on.
    pub fn column(&mut self, matrix: usize, column: usize, offset: i32) -> Node {
        let [matrix, column] =
            [matrix, column].map(|index| u32::try_from(index).expect("an index below 2^32"));
        self.node(Expression::Column { matrix, column, offset })
    }

    /// A constant of the program.
    pub fn constant(&mut self, constant: F) -> Node {
        let next = self.constants.len() as u32;
        let index = *self.known_constants.entry(constant).or_insert(next);
        if index == next {
            self.constants.push(constant);
        }
        self.node(Expression::Constant(index))
    }

    /// One of the values that are given for a run, the same for all rows.
    ///
    /// # Panics
    /// From index 2^32 on.
    pub fn value(&mut self, index: usize) -> Node {
        self.node(Expression::Value(u32::try_from(index).expect("an index below 2^32")))
    }

    /// a + b.
    ///
    /// # Panics
    /// This and the following, if a node is not of this builder and it has no such node.
    pub fn add(&mut self, a: Node, b: Node) -> Node {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(a), Some(b)) => self.constant(a + b),
            (Some(zero), _) if zero == F::ZERO => b,
            (_, Some(zero)) if zero == F::ZERO => a,
            _ => self.node(Expression::Add(a.min(b), a.max(b))),
        }
    }

    /// a - b.
    pub fn sub(&mut self, a: Node, b: Node) -> Node {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(a), Some(b)) => self.constant(a - b),
            (_, Some(zero)) if zero == F::ZERO => a,
            _ if a == b => self.constant(F::ZERO),
            _ => self.node(Expression::Sub(a, b)),
        }
    }

    /// a b.
    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(a), Some(b)) => self.constant(a * b),
            (Some(zero), _) | (_, Some(zero)) if zero == F::ZERO => self.constant(F::ZERO),
            (Some(one), _) if one == F::ONE => b,
            (_, Some(one)) if one == F::ONE => a,
            _ => self.node(Expression::Mul(a.min(b), a.max(b))),
        }
    }

    /// -a.
    pub fn neg(&mut self, a: Node) -> Node {
        let zero = self.constant(F::ZERO);
        self.sub(zero, a)
    }

    /// The next column of the result.
    pub fn output(&mut self, node: Node) {
        assert!(node.index() < self.nodes.len(), "a node of this builder");
        self.outputs.push(Output::Node(node));
    }

    /// The next `coordinates` columns of the result: column d is the sum over all terms of a node times the value at an index + d. At most
    /// [`MAX_COORDINATES`]: those of an element of an extension, which weighs a node of the base field.
    pub fn weighted_sum(&mut self, terms: Vec<(Node, usize)>, coordinates: usize) {
        assert!(terms.iter().all(|(node, _)| node.index() < self.nodes.len()), "nodes of this builder");
        self.outputs.push(Output::Weighted { terms, coordinates });
    }

    /// The program, in the form of devices.
    ///
    /// [`Error::BadProgram`] for one without outputs, or with more of something than devices have room for: input matrices, different pairs of a matrix and an offset, coordinates of a
    /// weighted sum, or nodes that are in use at once.
    pub fn finish(self) -> Result<Program<F>, Error> {
        let bad = |found: String| Err(Error::BadProgram { found });
        let Self { nodes, constants, outputs, .. } = self;
        if outputs.is_empty() {
            return bad("no outputs, expected at least one".into());
        }
        let (mut columns, mut values): (Vec<usize>, usize) = (Vec::new(), 0);
        for node in &nodes {
            match *node {
                Expression::Column { matrix, .. } if matrix as usize >= MAX_MATRICES => {
                    return bad(format!("input matrix {matrix}, expected an index below {MAX_MATRICES}"));
                }
                Expression::Column { matrix, column, .. } => {
                    let len = columns.len().max(matrix as usize + 1);
                    columns.resize(len, 0);
                    let most = &mut columns[matrix as usize];
                    *most = (*most).max(column as usize + 1);
                }
                Expression::Value(index) => values = values.max(index as usize + 1),
                _ => {}
            }
        }
        for output in &outputs {
            let Output::Weighted { terms, coordinates } = output else { continue };
            if !(1..=MAX_COORDINATES).contains(coordinates) {
                return bad(format!(
                    "a weighted sum of {coordinates} coordinates, expected 1 to {MAX_COORDINATES}"
                ));
            }
            values = terms.iter().map(|(_, index)| index + coordinates).fold(values, usize::max);
        }
        let code = Code::new::<F>(&nodes, &outputs, constants.len(), &[])?;
        Ok(Program { nodes, constants, outputs, columns, values, code, batches: Default::default() })
    }
}
