//! Values of all polynomials of a proof at the points that constraints look at, and the test of the verifier's equation.
//!
//! # Mathematical description
//!
//! The points are x times powers of w. With the powers of a point as weights, the value of a polynomial is a combination of its coefficients, so a matrix of polynomials and a matrix of powers have all
//! values as their product. If the constraints hold, their sum by powers of y at x is h(x) (x^n - 1) (Schwartz 1980, Zippel 1979), as the verifier will find.

use ff::Field;
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::matrix::Matrix as Entries;
use zkaccel::program::Builder;
use zkaccel::resident::DeviceMatrix;

use super::key::Key;
use super::residence::Residence;
use crate::constraints::layout::{CIRCUIT, Cell, Layout, Matrix, Scalar, Scalars};
use crate::constraints::{Algebra, Constraints, System};

/// A polynomial of a proof: the index of its matrix, and its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Polynomial {
    pub(super) matrix: usize,
    pub(super) column: usize,
}

/// The matrices of coefficients of a proof: the key's, those of each circuit, and the quotient beside a random polynomial.
pub(super) struct Polynomials<'a> {
    matrices: Vec<Option<&'a DeviceMatrix<Fr>>>,
}

impl<'a> Polynomials<'a> {
    pub(super) fn new(
        key: &'a DeviceMatrix<Fr>,
        circuits: &[super::quotient::Coefficients<'a>],
        last: &'a DeviceMatrix<Fr>,
    ) -> Self {
        let circuits = circuits.iter().flatten().copied();
        Self { matrices: std::iter::once(Some(key)).chain(circuits).chain([Some(last)]).collect() }
    }

    /// The polynomial of a column.
    pub(super) fn of(&self, circuit: usize, cell: Cell) -> Polynomial {
        let column = cell.column;
        let within = CIRCUIT.iter().position(|&matrix| matrix == cell.matrix);
        Polynomial { matrix: within.map_or(0, |within| 1 + CIRCUIT.len() * circuit + within), column }
    }

    /// The quotient.
    pub(super) fn quotient(&self) -> Polynomial {
        Polynomial { matrix: self.matrices.len() - 1, column: 0 }
    }

    /// The random polynomial.
    pub(super) fn random(&self) -> Polynomial {
        Polynomial { matrix: self.matrices.len() - 1, column: 1 }
    }

    /// The coefficients of polynomials of one index.
    pub(super) fn matrix(&self, index: usize) -> Option<&'a DeviceMatrix<Fr>> {
        self.matrices[index]
    }

    /// The number of indices.
    pub(super) fn len(&self) -> usize {
        self.matrices.len()
    }
}

/// Values at points that are x times powers of w, by their rotations.
pub(super) struct Evaluations {
    /// Rotations below n.
    rotations: Vec<usize>,
    /// Their points.
    pub(super) points: Vec<Fr>,
    size: usize,
    values: Vec<Option<Entries<Fr>>>,
}

impl Evaluations {
    /// Evaluates all polynomials at x times w to each of some rotations.
    pub(super) fn new(
        key: &Key,
        residence: &Residence,
        polynomials: &Polynomials<'_>,
        rotations: impl IntoIterator<Item = i32>,
        x: Fr,
    ) -> Result<Self, Error> {
        let size = key.domain.size();
        let mut rotations: Vec<usize> =
            rotations.into_iter().map(|rotation| normalised(rotation, size)).collect();
        rotations.sort_unstable();
        rotations.dedup();
        let points: Vec<Fr> =
            rotations.iter().map(|&rotation| key.domain.rotate(x, rotation as i32)).collect();
        let weights = powers(key, residence, &points)?;
        let values = polynomials
            .matrices
            .iter()
            .map(|matrix| matrix.map(|matrix| residence.engine.combine_rows(&weights, matrix)).transpose());
        let values = values.collect::<Result<_, Error>>()?;
        Ok(Self { rotations, points, size, values })
    }

    /// The index of the point of a rotation.
    pub(super) fn point(&self, rotation: i32) -> usize {
        let rotation = normalised(rotation, self.size);
        self.rotations.binary_search(&rotation).expect("a rotation that was asked for")
    }

    /// The value at a point.
    pub(super) fn at(&self, polynomial: Polynomial, point: usize) -> Fr {
        let values = self.values[polynomial.matrix].as_ref().expect("a polynomial of the proof");
        values.get(point, polynomial.column)
    }
}

fn normalised(rotation: i32, size: usize) -> usize {
    i64::from(rotation).rem_euclid(size as i64) as usize
}

/// The powers of points, a column for each.
fn powers(key: &Key, residence: &Residence, points: &[Fr]) -> Result<DeviceMatrix<Fr>, Error> {
    let row = residence.bring(Entries::from_columns(points.to_vec(), 1, points.len())?)?;
    let mut builder = Builder::new();
    for column in 0..points.len() {
        let node = builder.column(0, column, 0);
        builder.output(node);
    }
    let repeated = residence.engine.run_program(&builder.finish()?, key.domain.rows, &[&row], &[])?;
    Ok(residence.engine.prefix_products(&repeated, &[])?.0)
}

/// Constraints in the values at x.
struct AtPoint<'a> {
    layout: &'a Layout,
    evaluations: &'a Evaluations,
    polynomials: &'a Polynomials<'a>,
    circuit: usize,
    scalars: &'a Scalars,
    x: Fr,
    /// The polynomials that are one in the first row, in the last one that is used, and in those before.
    lagrange: [Fr; 3],
}

impl Algebra for AtPoint<'_> {
    type Value = Fr;

    fn cell(&mut self, cell: Cell) -> Fr {
        let layout = self.layout;
        if cell.matrix == Matrix::Key && cell.rotation == 0 {
            if cell == layout.x() {
                return self.x;
            }
            let named = [layout.first(), layout.last(), layout.active()];
            if let Some(index) = named.iter().position(|&named| named == cell) {
                return self.lagrange[index];
            }
        }
        let point = self.evaluations.point(cell.rotation);
        self.evaluations.at(self.polynomials.of(self.circuit, cell), point)
    }

    fn scalar(&mut self, scalar: Scalar) -> Fr {
        self.scalars.as_slice()[self.layout.index(scalar)]
    }

    fn constant(&mut self, constant: Fr) -> Fr {
        constant
    }

    fn add(&mut self, a: Fr, b: Fr) -> Fr {
        a + b
    }

    fn sub(&mut self, a: Fr, b: Fr) -> Fr {
        a - b
    }

    fn mul(&mut self, a: Fr, b: Fr) -> Fr {
        a * b
    }
}

/// Whether the sum of the constraints of all circuits at x is the quotient's value times x^n - 1.
pub(super) fn satisfied<S: System>(
    key: &Key,
    constraints: &Constraints<'_, S>,
    (polynomials, evaluations): (&Polynomials<'_>, &Evaluations),
    circuits: usize,
    scalars: &Scalars,
    [x, y]: [Fr; 2],
) -> bool {
    let (layout, domain) = (&key.layout, &key.domain);
    let n = domain.size();
    let last = domain.lagrange(n - layout.blinding - 1, x);
    let random: Fr = (n - layout.blinding..n).map(|row| domain.lagrange(row, x)).sum();
    let lagrange = [domain.lagrange(0, x), last, Fr::ONE - last - random];
    let mut sum = Fr::ZERO;
    for circuit in 0..circuits {
        let mut algebra = AtPoint { layout, evaluations, polynomials, circuit, scalars, x, lagrange };
        for constraint in constraints.list() {
            sum = sum * y + constraints.value(&mut algebra, constraint);
        }
    }
    let quotient = evaluations.at(polynomials.quotient(), evaluations.point(0));
    sum == quotient * (x.pow_vartime([n as u64]) - Fr::ONE)
}
