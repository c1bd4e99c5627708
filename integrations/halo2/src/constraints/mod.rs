//! The constraints of a circuit, written once: they are recorded for the quotient, and evaluated at a point for the test of a proof.
//!
//! # Mathematical description
//!
//! In their order (Zcash's halo2 book, "Proving system"): the gates. Of the permutation, whose columns p_j are divided into sets with a grand product z each: l_0 (1 - z_0), l_last (z^2 - z) of the last set,
//! l_0 (z_i - z_(i-1) in the last row) of every other, and for each set
//!
//! l_active (z(w X) prod_j (p_j + beta sigma_j + gamma) - z(X) prod_j (p_j + beta delta^j X + gamma)).
//!
//! Of each lookup, with input A and table S, their permutations A' and S', and a grand product z: l_0 (1 - z), l_last (z^2 - z),
//! l_active (z(w X) (A' + beta) (S' + gamma) - z(X) (A + beta) (S + gamma)), l_0 (A' - S'), and l_active (A' - S') (A' - A'(X / w)).

//!
//! Gates and lookups are a circuit's, by the types of a crate of halo2: [`System`], which [`constraint_system!`](crate::constraint_system) implements for them.

pub(crate) mod layout;
pub(crate) mod programs;
mod recorded;
mod system;

use zkaccel::bn254::Fr;
use zkaccel::program::{Builder, Node};

pub use layout::{Cell, Layout, Matrix, Scalar};
pub(crate) use recorded::Recorded;
pub use system::System;

/// What constraints are computed in: the nodes of a program, or field elements.
pub trait Algebra {
    /// What is computed.
    type Value: Copy;

    /// An entry of a column.
    fn cell(&mut self, cell: Cell) -> Self::Value;
    /// What is the same in all rows.
    fn scalar(&mut self, scalar: Scalar) -> Self::Value;
    /// A constant of the circuit.
    fn constant(&mut self, constant: Fr) -> Self::Value;
    /// a + b.
    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// a - b.
    fn sub(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// a b.
    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
}

/// Records nodes.
pub(crate) struct Recorder<'a> {
    pub(crate) builder: &'a mut Builder<Fr>,
    pub(crate) layout: &'a Layout,
}

impl Algebra for Recorder<'_> {
    type Value = Node;

    fn cell(&mut self, cell: Cell) -> Node {
        self.builder.column(cell.matrix as usize, cell.column, cell.rotation)
    }

    fn scalar(&mut self, scalar: Scalar) -> Node {
        self.builder.value(self.layout.index(scalar))
    }

    fn constant(&mut self, constant: Fr) -> Node {
        self.builder.constant(constant)
    }

    fn add(&mut self, a: Node, b: Node) -> Node {
        self.builder.add(a, b)
    }

    fn sub(&mut self, a: Node, b: Node) -> Node {
        self.builder.sub(a, b)
    }

    fn mul(&mut self, a: Node, b: Node) -> Node {
        self.builder.mul(a, b)
    }
}

/// One constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraint {
    /// A polynomial of a gate.
    Gate { gate: usize, polynomial: usize },
    /// The first grand product of the permutation begins with one.
    Begin,
    /// The last one ends with zero or one.
    End,
    /// A set goes on where the one before it ended.
    Chain { set: usize },
    /// The rows of a set.
    Set { set: usize },
    /// One of the five of a lookup.
    Lookup { lookup: usize, number: usize },
}

/// The constraints of a circuit.
pub(crate) struct Constraints<'a, S> {
    pub(crate) system: &'a S,
    pub(crate) layout: &'a Layout,
}

impl<S: System> Constraints<'_, S> {
    /// All of them, in their order.
    pub(crate) fn list(&self) -> Vec<Constraint> {
        let gates =
            self.system.gate_lengths().into_iter().enumerate().flat_map(|(gate, len)| {
                (0..len).map(move |polynomial| Constraint::Gate { gate, polynomial })
            });
        let sets = self.layout.sets();
        let ends = (sets > 0).then_some([Constraint::Begin, Constraint::End]).into_iter().flatten();
        let chains = (1..sets).map(|set| Constraint::Chain { set });
        let products = (0..sets).map(|set| Constraint::Set { set });
        let lookups = (0..self.layout.lookups)
            .flat_map(|lookup| (0..5).map(move |number| Constraint::Lookup { lookup, number }));
        gates.chain(ends).chain(chains).chain(products).chain(lookups).collect()
    }

    /// What it is called.
    pub(crate) fn name(&self, constraint: Constraint) -> String {
        match constraint {
            Constraint::Gate { gate, polynomial } => {
                format!("polynomial {polynomial} of the gate `{}`", self.system.gate_name(gate))
            }
            Constraint::Lookup { lookup, .. } => {
                format!("the lookup `{}`", self.system.lookup_name(lookup))
            }
            _ => "the permutation".into(),
        }
    }

    /// What is zero in all rows if the constraint holds.
    pub(crate) fn value<A: Algebra>(&self, algebra: &mut A, constraint: Constraint) -> A::Value {
        let layout = self.layout;
        match constraint {
            Constraint::Gate { gate, polynomial } => self.system.gate_polynomial(algebra, gate, polynomial),
            Constraint::Begin => begin(algebra, layout, layout.set_product(0)),
            Constraint::End => end(algebra, layout, layout.set_product(layout.sets() - 1)),
            Constraint::Chain { set } => {
                let z = algebra.cell(layout.set_product(set));
                let before = algebra.cell(layout.set_product(set - 1).rotated(layout.last_rotation()));
                let difference = algebra.sub(z, before);
                times(algebra, difference, layout.first())
            }
            Constraint::Set { set } => {
                let product = layout.set_product(set);
                let (next, z) = (algebra.cell(product.rotated(1)), algebra.cell(product));
                let (denominator, numerator) = self.set_factors(algebra, set);
                let (left, right) = (algebra.mul(next, denominator), algebra.mul(z, numerator));
                let difference = algebra.sub(left, right);
                times(algebra, difference, layout.active())
            }
            Constraint::Lookup { lookup, number } => self.lookup(algebra, lookup, number),
        }
    }

    fn lookup<A: Algebra>(&self, algebra: &mut A, lookup: usize, number: usize) -> A::Value {
        let layout = self.layout;
        let product = layout.lookup_product(lookup);
        let permuted = layout.permuted_input(lookup);
        match number {
            0 => begin(algebra, layout, product),
            1 => end(algebra, layout, product),
            2 => {
                let (next, z) = (algebra.cell(product.rotated(1)), algebra.cell(product));
                let denominator = self.lookup_denominator(algebra, lookup);
                let [input, table] = self.compressed(algebra, lookup);
                let numerator = shifted_product(algebra, input, table);
                let (left, right) = (algebra.mul(next, denominator), algebra.mul(z, numerator));
                let difference = algebra.sub(left, right);
                times(algebra, difference, layout.active())
            }
            _ => {
                let (input, table) = (algebra.cell(permuted), algebra.cell(layout.permuted_table(lookup)));
                let difference = algebra.sub(input, table);
                if number == 3 {
                    return times(algebra, difference, layout.first());
                }
                let before = algebra.cell(permuted.rotated(-1));
                let step = algebra.sub(input, before);
                let both = algebra.mul(difference, step);
                times(algebra, both, layout.active())
            }
        }
    }

    /// The denominator and the numerator of the quotients whose products are a set's.
    pub(crate) fn set_factors<A: Algebra>(&self, algebra: &mut A, set: usize) -> (A::Value, A::Value) {
        let layout = self.layout;
        let [beta, gamma] = [Scalar::Beta, Scalar::Gamma].map(|scalar| algebra.scalar(scalar));
        let x = algebra.cell(layout.x());
        let mut factors: Option<(A::Value, A::Value)> = None;
        for index in layout.columns_of(set) {
            let column = algebra.cell(layout.permuted[index]);
            let shifted = algebra.add(column, gamma);
            let sigma = algebra.cell(layout.sigma(index));
            let term = algebra.mul(beta, sigma);
            let denominator = algebra.add(shifted, term);
            let factor = algebra.scalar(Scalar::BetaDelta(index));
            let term = algebra.mul(factor, x);
            let numerator = algebra.add(shifted, term);
            factors = Some(match factors {
                None => (denominator, numerator),
                Some((a, b)) => (algebra.mul(a, denominator), algebra.mul(b, numerator)),
            });
        }
        factors.expect("a column or more")
    }

    /// (A' + beta) (S' + gamma).
    pub(crate) fn lookup_denominator<A: Algebra>(&self, algebra: &mut A, lookup: usize) -> A::Value {
        let input = algebra.cell(self.layout.permuted_input(lookup));
        let table = algebra.cell(self.layout.permuted_table(lookup));
        shifted_product(algebra, input, table)
    }

    /// A and S: expressions added up by powers of theta.
    pub(crate) fn compressed<A: Algebra>(&self, algebra: &mut A, lookup: usize) -> [A::Value; 2] {
        self.system.lookup_columns(algebra, lookup).map(|values| {
            let theta = algebra.scalar(Scalar::Theta);
            let sum = values.into_iter().reduce(|sum, value| {
                let product = algebra.mul(sum, theta);
                algebra.add(product, value)
            });
            sum.unwrap_or_else(|| algebra.constant(Fr::zero()))
        })
    }
}

/// (a + beta) (s + gamma).
pub(crate) fn shifted_product<A: Algebra>(algebra: &mut A, a: A::Value, s: A::Value) -> A::Value {
    let [beta, gamma] = [Scalar::Beta, Scalar::Gamma].map(|scalar| algebra.scalar(scalar));
    let (a, s) = (algebra.add(a, beta), algebra.add(s, gamma));
    algebra.mul(a, s)
}

fn times<A: Algebra>(algebra: &mut A, value: A::Value, cell: Cell) -> A::Value {
    let factor = algebra.cell(cell);
    algebra.mul(value, factor)
}

fn begin<A: Algebra>(algebra: &mut A, layout: &Layout, product: Cell) -> A::Value {
    let (one, z) = (algebra.constant(Fr::one()), algebra.cell(product));
    let difference = algebra.sub(one, z);
    times(algebra, difference, layout.first())
}

fn end<A: Algebra>(algebra: &mut A, layout: &Layout, product: Cell) -> A::Value {
    let z = algebra.cell(product);
    let square = algebra.mul(z, z);
    let difference = algebra.sub(square, z);
    times(algebra, difference, layout.last())
}
