//! Which column of which matrix is what.

use ff::{Field, PrimeField};
use halo2_axiom::halo2curves::bn256;
use halo2_axiom::plonk::{Any, Column, ConstraintSystem};
use zkaccel::bn254::Fr;

use super::convert::{ours, theirs};

/// A matrix of columns; also its index among the inputs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matrix {
    /// What a key has: fixed columns, permutations, X, and Lagrange polynomials; of values a mask instead of these.
    Key,
    Advice,
    Instances,
    /// The permuted input and table of each lookup.
    Permuted,
    /// Grand products: of the sets of the permutation, of the lookups.
    Products,
}

/// The matrices of a circuit.
pub(super) const CIRCUIT: [Matrix; 4] =
    [Matrix::Advice, Matrix::Instances, Matrix::Permuted, Matrix::Products];

/// The number of matrices that constraints look at: indices of further inputs of programs begin there.
pub(super) const MATRICES_OF_CONSTRAINTS: usize = 1 + CIRCUIT.len();

/// A column, so many rows further on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) matrix: Matrix,
    pub(super) column: usize,
    pub(super) rotation: i32,
}

impl Cell {
    /// In the same row.
    pub(super) fn new(matrix: Matrix, column: usize) -> Self {
        Self { matrix, column, rotation: 0 }
    }

    /// So many rows further on.
    pub(super) fn rotated(self, rotation: i32) -> Self {
        Self { rotation, ..self }
    }
}

/// What is the same in all rows, by its index among the values of a program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    Beta,
    Gamma,
    Theta,
    /// beta times delta to the power of the index of a column of the permutation.
    BetaDelta(usize),
    /// A challenge of the circuit.
    Challenge(usize),
}

/// A circuit's columns.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) fixed: usize,
    pub(super) permuted: Vec<Column<Any>>,
    pub(super) advice: usize,
    pub(super) instances: usize,
    pub(super) lookups: usize,
    pub(super) challenges: usize,
    /// Columns of the permutation in a grand product.
    pub(super) set: usize,
    /// Random rows of grand products.
    pub(super) blinding: usize,
}

impl Layout {
    /// Of constraints whose degree is one more than that of the quotient of a key.
    pub(super) fn new(system: &ConstraintSystem<bn256::Fr>, quotient_degree: usize) -> Self {
        Self {
            fixed: system.num_fixed_columns(),
            permuted: system.permutation().get_columns(),
            advice: system.num_advice_columns(),
            instances: system.num_instance_columns(),
            lookups: system.lookups().len(),
            challenges: system.num_challenges(),
            set: quotient_degree.saturating_sub(1).max(1),
            blinding: system.blinding_factors(),
        }
    }

    /// A column of the permutation.
    pub(super) fn column(&self, column: &Column<Any>) -> Cell {
        let index = column.index();
        match column.column_type() {
            Any::Advice(_) => Cell::new(Matrix::Advice, index),
            Any::Fixed => Cell::new(Matrix::Key, index),
            Any::Instance => Cell::new(Matrix::Instances, index),
        }
    }

    /// The permutation of a column of the permutation.
    pub(super) fn sigma(&self, index: usize) -> Cell {
        Cell::new(Matrix::Key, self.fixed + index)
    }

    fn beyond(&self, index: usize) -> Cell {
        Cell::new(Matrix::Key, self.fixed + self.permuted.len() + index)
    }

    /// The polynomial X.
    pub(super) fn x(&self) -> Cell {
        self.beyond(0)
    }

    /// Of the values of a key: one in the rows that are not random, zero in these.
    pub(super) fn mask(&self) -> Cell {
        self.beyond(1)
    }

    /// The polynomial that is one in the first row and zero in all others.
    pub(super) fn first(&self) -> Cell {
        self.beyond(1)
    }

    /// That of the last row that is used.
    pub(super) fn last(&self) -> Cell {
        self.beyond(2)
    }

    /// The polynomial that is one in all rows before that one and zero in all others.
    pub(super) fn active(&self) -> Cell {
        self.beyond(3)
    }

    /// Columns of the coefficients of a key.
    pub(super) fn key_columns(&self) -> usize {
        self.beyond(4).column
    }

    /// Sets of columns of the permutation.
    pub(super) fn sets(&self) -> usize {
        self.permuted.len().div_ceil(self.set)
    }

    /// The columns of a set, by their indices.
    pub(super) fn columns_of(&self, set: usize) -> std::ops::Range<usize> {
        set * self.set..self.permuted.len().min((set + 1) * self.set)
    }

    pub(super) fn set_product(&self, set: usize) -> Cell {
        Cell::new(Matrix::Products, set)
    }

    pub(super) fn lookup_product(&self, lookup: usize) -> Cell {
        Cell::new(Matrix::Products, self.sets() + lookup)
    }

    pub(super) fn permuted_input(&self, lookup: usize) -> Cell {
        Cell::new(Matrix::Permuted, 2 * lookup)
    }

    pub(super) fn permuted_table(&self, lookup: usize) -> Cell {
        Cell::new(Matrix::Permuted, 2 * lookup + 1)
    }

    /// The columns of a matrix of a circuit.
    pub(super) fn columns(&self, matrix: Matrix) -> usize {
        match matrix {
            Matrix::Key => self.key_columns(),
            Matrix::Advice => self.advice,
            Matrix::Instances => self.instances,
            Matrix::Permuted => 2 * self.lookups,
            Matrix::Products => self.sets() + self.lookups,
        }
    }

    /// The number of rows further on at which the last row that is used is seen from the first one.
    pub(super) fn last_rotation(&self) -> i32 {
        -(self.blinding as i32 + 1)
    }

    /// The index of a scalar among the values of programs.
    pub(super) fn index(&self, scalar: Scalar) -> usize {
        match scalar {
            Scalar::Beta => 0,
            Scalar::Gamma => 1,
            Scalar::Theta => 2,
            Scalar::BetaDelta(column) => 3 + column,
            Scalar::Challenge(index) => 3 + self.permuted.len() + index,
        }
    }

    /// The number of scalars, behind which weights follow.
    pub(super) fn scalars(&self) -> usize {
        3 + self.permuted.len() + self.challenges
    }
}

/// The scalars of a proof, as far as they are drawn; zeros stand for the others.
#[derive(Clone, Debug)]
pub(super) struct Scalars {
    values: Vec<Fr>,
}

impl Scalars {
    pub(super) fn new(layout: &Layout, challenges: &[bn256::Fr]) -> Self {
        let mut values = vec![Fr::ZERO; layout.scalars() - challenges.len()];
        values.extend(challenges.iter().map(ours));
        Self { values }
    }

    pub(super) fn set_theta(&mut self, layout: &Layout, theta: Fr) {
        self.values[layout.index(Scalar::Theta)] = theta;
    }

    pub(super) fn set_beta_and_gamma(&mut self, layout: &Layout, beta: Fr, gamma: Fr) {
        self.values[layout.index(Scalar::Beta)] = beta;
        self.values[layout.index(Scalar::Gamma)] = gamma;
        let mut power = theirs(beta);
        for column in 0..layout.permuted.len() {
            self.values[layout.index(Scalar::BetaDelta(column))] = ours(&power);
            power *= bn256::Fr::DELTA;
        }
    }

    pub(super) fn as_slice(&self) -> &[Fr] {
        &self.values
    }
}
