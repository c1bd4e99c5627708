//! Row programs in host memory, with the interface of the engine's.

use std::collections::HashMap;

use zkaccel::field::{Field, Goldilocks};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Order, reverse_bits};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Expression {
    Column { matrix: usize, column: usize, offset: i32 },
    Constant(Goldilocks),
    Value(usize),
    Add(Node, Node),
    Sub(Node, Node),
    Mul(Node, Node),
}

#[derive(Clone, Debug)]
enum Output {
    Node(Node),
    Weighted(Vec<(Node, usize)>, usize),
}

#[derive(Clone, Debug, Default)]
pub struct Builder {
    nodes: Vec<Expression>,
    known: HashMap<Expression, Node>,
    outputs: Vec<Output>,
}

#[derive(Clone, Debug)]
pub struct Program(Builder, Vec<usize>);

#[derive(Clone, Copy, Debug)]
pub struct ProgramRows {
    pub count: usize,
    pub stride: usize,
    pub order: Order,
}

impl Builder {
    pub fn new() -> Self {
        Self::default()
    }
    fn node(&mut self, e: Expression) -> Node {
        let next = Node(self.nodes.len() as u32);
        *self.known.entry(e).or_insert_with(|| {
            self.nodes.push(e);
            next
        })
    }
    fn constant_of(&self, node: Node) -> Option<Goldilocks> {
        match self.nodes[node.0 as usize] {
            Expression::Constant(c) => Some(c),
            _ => None,
        }
    }
    pub fn column(&mut self, matrix: usize, column: usize, offset: i32) -> Node {
        self.node(Expression::Column { matrix, column, offset })
    }
    pub fn constant(&mut self, c: Goldilocks) -> Node {
        self.node(Expression::Constant(c))
    }
    pub fn value(&mut self, i: usize) -> Node {
        self.node(Expression::Value(i))
    }
    pub fn add(&mut self, a: Node, b: Node) -> Node {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(a), Some(b)) => self.constant(a + b),
            (Some(z), _) if z == Goldilocks::ZERO => b,
            (_, Some(z)) if z == Goldilocks::ZERO => a,
            _ => self.node(Expression::Add(a.min(b), a.max(b))),
        }
    }
    pub fn sub(&mut self, a: Node, b: Node) -> Node {
        self.node(Expression::Sub(a, b))
    }
    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(a), Some(b)) => self.constant(a * b),
            (Some(z), _) | (_, Some(z)) if z == Goldilocks::ZERO => self.constant(Goldilocks::ZERO),
            (Some(z), _) if z == Goldilocks::ONE => b,
            (_, Some(z)) if z == Goldilocks::ONE => a,
            _ => self.node(Expression::Mul(a.min(b), a.max(b))),
        }
    }
    pub fn neg(&mut self, a: Node) -> Node {
        let zero = self.constant(Goldilocks::ZERO);
        self.sub(zero, a)
    }
    pub fn output(&mut self, node: Node) {
        self.outputs.push(Output::Node(node));
    }
    pub fn weighted_sum(&mut self, terms: Vec<(Node, usize)>, coordinates: usize) {
        self.outputs.push(Output::Weighted(terms, coordinates));
    }
    pub fn finish(self) -> Result<Program, Error> {
        let mut inputs = Vec::new();
        for node in &self.nodes {
            if let &Expression::Column { matrix, column, .. } = node {
                inputs.resize(inputs.len().max(matrix + 1), 0);
                inputs[matrix] = inputs[matrix].max(column + 1);
            }
        }
        Ok(Program(self, inputs))
    }
}

impl Program {
    pub fn inputs(&self) -> &[usize] {
        &self.1
    }
}

pub trait RunProgram {
    fn run_program(
        &self,
        program: &Program,
        rows: ProgramRows,
        inputs: &[&DeviceMatrix<Goldilocks>],
        values: &[Goldilocks],
    ) -> Result<DeviceMatrix<Goldilocks>, Error>;
    fn combine_columns(
        &self,
        matrix: &DeviceMatrix<Goldilocks>,
        coefficients: &Matrix<Goldilocks>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error>;
    fn combine_rows(
        &self,
        weights: &DeviceMatrix<Goldilocks>,
        matrix: &DeviceMatrix<Goldilocks>,
    ) -> Result<Matrix<Goldilocks>, Error>;
}

pub fn reshaped(
    m: &DeviceMatrix<Goldilocks>,
    rows: usize,
    columns: usize,
) -> Result<DeviceMatrix<Goldilocks>, Error> {
    let engine = Engine::global()?;
    engine.upload(Matrix::from_rows(engine.download(m)?.into_vec(), rows, columns)?)
}

impl RunProgram for Engine {
    fn run_program(
        &self,
        program: &Program,
        rows: ProgramRows,
        inputs: &[&DeviceMatrix<Goldilocks>],
        values: &[Goldilocks],
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        assert_eq!(program.1.len(), inputs.len());
        let inputs: Vec<_> = inputs.iter().map(|m| self.download(m)).collect::<Result<_, _>>()?;
        let mut out = Vec::new();
        let mut width = 0;
        for row in 0..rows.count {
            let mut at = Vec::with_capacity(program.0.nodes.len());
            for node in &program.0.nodes {
                let g = |n: Node, at: &Vec<Goldilocks>| at[n.0 as usize];
                let v = match *node {
                    Expression::Column { matrix, column, offset } => {
                        let h = inputs[matrix].shape().rows;
                        let p = |i: usize, n: usize| match rows.order {
                            Order::Natural => i,
                            Order::BitReversed => reverse_bits(i, n.trailing_zeros()),
                        };
                        let i = (p(row, rows.count) as isize + offset as isize * rows.stride as isize)
                            as usize
                            & (rows.count - 1);
                        let i = if h < rows.count { i & (h - 1) } else { i * (h / rows.count) };
                        inputs[matrix].get(p(i, h), column)
                    }
                    Expression::Constant(c) => c,
                    Expression::Value(i) => values[i],
                    Expression::Add(a, b) => g(a, &at) + g(b, &at),
                    Expression::Sub(a, b) => g(a, &at) - g(b, &at),
                    Expression::Mul(a, b) => g(a, &at) * g(b, &at),
                };
                at.push(v);
            }
            let before = out.len();
            for output in &program.0.outputs {
                match output {
                    Output::Node(n) => out.push(at[n.0 as usize]),
                    Output::Weighted(terms, d) => {
                        for d in 0..*d {
                            out.push(terms.iter().map(|&(n, i)| at[n.0 as usize] * values[i + d]).sum());
                        }
                    }
                }
            }
            width = out.len() - before;
        }
        let columns =
            (0..width).flat_map(|c| (0..rows.count).map(move |r| (r, c))).map(|(r, c)| out[r * width + c]);
        self.upload(Matrix::from_columns(columns.collect(), rows.count, width)?)
    }

    fn combine_columns(
        &self,
        matrix: &DeviceMatrix<Goldilocks>,
        coefficients: &Matrix<Goldilocks>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        let matrix = self.download(matrix)?;
        let (n, d) = (matrix.shape().rows, coefficients.shape().columns);
        let rows: Vec<_> = (0..n).map(|i| matrix.row(i)).collect();
        let out = (0..d).flat_map(|d| {
            let rows = &rows;
            (0..n).map(move |i| rows[i].iter().enumerate().map(|(j, &x)| x * coefficients.get(j, d)).sum())
        });
        self.upload(Matrix::from_columns(out.collect(), n, d)?)
    }

    fn combine_rows(
        &self,
        weights: &DeviceMatrix<Goldilocks>,
        matrix: &DeviceMatrix<Goldilocks>,
    ) -> Result<Matrix<Goldilocks>, Error> {
        let (weights, matrix) = (self.download(weights)?, self.download(matrix)?);
        let (m, d, w) = (weights.shape().rows, weights.shape().columns, matrix.shape().columns);
        let mut sums = vec![Goldilocks::ZERO; d * w];
        for i in 0..m {
            let row = matrix.row(i);
            for k in 0..d {
                let weight = weights.get(i, k);
                for j in 0..w {
                    sums[k * w + j] += weight * row[j];
                }
            }
        }
        Matrix::from_rows(sums, d, w)
    }
}
