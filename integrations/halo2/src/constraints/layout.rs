//! Which column of which matrix is what.

use ff::Field;
use zkaccel::bn254::Fr;

/// A matrix of columns; also its index among the inputs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// What a key has: fixed columns, permutations, X, and Lagrange polynomials; of values a mask instead of these.
    Key,
    /// Columns of advice.
    Advice,
    /// Columns of public values.
    Instances,
    /// The permuted input and table of each lookup.
    Permuted,
    /// Grand products: of the sets of the permutation, of the lookups.
    Products,
}

/// The matrices of a circuit.
pub(crate) const CIRCUIT: [Matrix; 4] =
    [Matrix::Advice, Matrix::Instances, Matrix::Permuted, Matrix::Products];

/// The number of matrices that constraints look at: indices of further inputs of programs begin there.
pub(crate) const MATRICES_OF_CONSTRAINTS: usize = 1 + CIRCUIT.len();

/// A column, so many rows further on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The matrix of the column.
    pub matrix: Matrix,
    /// Its index there.
    pub column: usize,
    /// The number of rows.
    pub rotation: i32,
}

impl Cell {
    /// In the same row.
    pub fn new(matrix: Matrix, column: usize) -> Self {
        Self { matrix, column, rotation: 0 }
    }

    /// So many rows further on.
    pub fn rotated(self, rotation: i32) -> Self {
        Self { rotation, ..self }
    }
}

/// What is the same in all rows, by its index among the values of a program.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// The challenge of the factors of grand products.
    Beta,
    /// The challenge that is added to them.
    Gamma,
    /// The challenge of the sums of a lookup's expressions.
    Theta,
    /// beta times delta to the power of the index of a column of the permutation.
    BetaDelta(usize),
    /// A challenge of the circuit.
    Challenge(usize),
}

/// A circuit's columns.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Fixed columns.
    pub fixed: usize,
    /// The columns of the permutation.
    pub permuted: Vec<Cell>,
    /// Columns of advice.
    pub advice: usize,
    /// Columns of public values.
    pub instances: usize,
    /// Lookups.
    pub lookups: usize,
    /// Challenges of the circuit.
    pub challenges: usize,
    /// Columns of the permutation in a grand product.
    pub set: usize,
    /// Random rows of grand products.
    pub blinding: usize,
    /// The quotient of the labels of one row in columns of the permutation that are neighbours.
    pub delta: Fr,
}

impl Layout {
    /// The permutation of a column of the permutation.
    pub(crate) fn sigma(&self, index: usize) -> Cell {
        Cell::new(Matrix::Key, self.fixed + index)
    }

    fn beyond(&self, index: usize) -> Cell {
        Cell::new(Matrix::Key, self.fixed + self.permuted.len() + index)
    }

    /// The polynomial X.
    pub(crate) fn x(&self) -> Cell {
        self.beyond(0)
    }

    /// Of the values of a key: one in the rows that are not random, zero in these.
    #[cfg(feature = "prove")]
    pub(crate) fn mask(&self) -> Cell {
        self.beyond(1)
    }

    /// The polynomial that is one in the first row and zero in all others.
    pub(crate) fn first(&self) -> Cell {
        self.beyond(1)
    }

    /// That of the last row that is used.
    pub(crate) fn last(&self) -> Cell {
        self.beyond(2)
    }

    /// The polynomial that is one in all rows before that one and zero in all others.
    pub(crate) fn active(&self) -> Cell {
        self.beyond(3)
    }

    /// Columns of the coefficients of a key.
    #[cfg(feature = "prove")]
    pub(crate) fn key_columns(&self) -> usize {
        self.beyond(4).column
    }

    /// Sets of columns of the permutation.
    pub(crate) fn sets(&self) -> usize {
        self.permuted.len().div_ceil(self.set)
    }

    /// The columns of a set, by their indices.
    pub(crate) fn columns_of(&self, set: usize) -> std::ops::Range<usize> {
        set * self.set..self.permuted.len().min((set + 1) * self.set)
    }

    pub(crate) fn set_product(&self, set: usize) -> Cell {
        Cell::new(Matrix::Products, set)
    }

    pub(crate) fn lookup_product(&self, lookup: usize) -> Cell {
        Cell::new(Matrix::Products, self.sets() + lookup)
    }

    pub(crate) fn permuted_input(&self, lookup: usize) -> Cell {
        Cell::new(Matrix::Permuted, 2 * lookup)
    }

    pub(crate) fn permuted_table(&self, lookup: usize) -> Cell {
        Cell::new(Matrix::Permuted, 2 * lookup + 1)
    }

    /// The columns of a matrix of a circuit.
    #[cfg(feature = "prove")]
    pub(crate) fn columns(&self, matrix: Matrix) -> usize {
        match matrix {
            Matrix::Key => self.key_columns(),
            Matrix::Advice => self.advice,
            Matrix::Instances => self.instances,
            Matrix::Permuted => 2 * self.lookups,
            Matrix::Products => self.sets() + self.lookups,
        }
    }

    /// The number of rows further on at which the last row that is used is seen from the first one.
    pub(crate) fn last_rotation(&self) -> i32 {
        -(self.blinding as i32 + 1)
    }

    /// The index of a scalar among the values of programs.
    pub(crate) fn index(&self, scalar: Scalar) -> usize {
        match scalar {
            Scalar::Beta => 0,
            Scalar::Gamma => 1,
            Scalar::Theta => 2,
            Scalar::BetaDelta(column) => 3 + column,
            Scalar::Challenge(index) => 3 + self.permuted.len() + index,
        }
    }

    /// The number of scalars, behind which weights follow.
    pub(crate) fn scalars(&self) -> usize {
        3 + self.permuted.len() + self.challenges
    }
}

/// The scalars of a proof, as far as they are drawn; zeros stand for the others.
#[derive(Clone, Debug)]
pub(crate) struct Scalars {
    values: Vec<Fr>,
}

impl Scalars {
    pub(crate) fn new(layout: &Layout, challenges: &[Fr]) -> Self {
        let mut values = vec![Fr::ZERO; layout.scalars() - challenges.len()];
        values.extend(challenges);
        Self { values }
    }

    pub(crate) fn set_theta(&mut self, layout: &Layout, theta: Fr) {
        self.values[layout.index(Scalar::Theta)] = theta;
    }

    pub(crate) fn set_beta_and_gamma(&mut self, layout: &Layout, beta: Fr, gamma: Fr) {
        self.values[layout.index(Scalar::Beta)] = beta;
        self.values[layout.index(Scalar::Gamma)] = gamma;
        let mut power = beta;
        for column in 0..layout.permuted.len() {
            self.values[layout.index(Scalar::BetaDelta(column))] = power;
            power *= layout.delta;
        }
    }

    pub(crate) fn as_slice(&self) -> &[Fr] {
        &self.values
    }
}
