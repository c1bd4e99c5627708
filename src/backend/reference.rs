//! The oracle: every operation in its shortest and most obvious form. Never optimised.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::{
    AcceleratedField, BaseField, Beside, Combinations, Extent, Hardware, Hashing, Inversion, Levels, Lookups,
    MatrixView, PrefixProducts, Programs, Transforms,
};
#[cfg(feature = "bn254")]
use super::{Memory, Pointwise, Sparse, SparseView};
use crate::checks;
use crate::error::Error;
#[cfg(feature = "bn254")]
use crate::field::MontgomeryField;
use crate::field::{Goldilocks, TwoAdic, geometric};
use crate::hash::Hasher;
use crate::matrix::MatrixRef;
use crate::merkle::Approach;
use crate::ntt::{Direction, Domain, Ntt};
use crate::program::{Expression, Node, Output, Program, ProgramRows};

/// The reference backend: one thread, textbook algorithms.
#[derive(Debug)]
pub struct Reference;

impl Hardware for Reference {}

impl<F: TwoAdic + BaseField> Transforms<F> for Reference {
    fn ntt(&self, ntt: &Ntt<F>, data: &mut [F], width: usize) -> Result<(), Error> {
        let n = ntt.domain.size();
        for block in data.chunks_exact_mut(n * width) {
            for column in 0..width {
                let input: Vec<_> =
                    (0..n).map(|i| block[ntt.input_order.index_of(i, n) * width + column]).collect();
                let output = match ntt.direction {
                    Direction::Forward => evaluate(&input, &ntt.domain),
                    Direction::Inverse => interpolate(&input, &ntt.domain),
                };
                for (i, value) in output.into_iter().enumerate() {
                    block[ntt.output_order.index_of(i, n) * width + column] = value;
                }
            }
        }
        Ok(())
    }
}

/// Values at s w^i from coefficients.
fn evaluate<F: TwoAdic>(coefficients: &[F], domain: &Domain<F>) -> Vec<F> {
    let scaled: Vec<_> =
        coefficients.iter().zip(geometric(F::ONE, domain.shift())).map(|(&a, power)| a * power).collect();
    transform(&scaled, domain.root())
}

/// Coefficients from values at s w^i: the transform by 1/w, divided by n, unscaled by 1/s.
fn interpolate<F: TwoAdic>(values: &[F], domain: &Domain<F>) -> Vec<F> {
    let inverse = |x: F| x.inverted().expect("roots, shifts and sizes are not zero");
    let n = inverse(F::of_integer(values.len() as u64));
    let unscale = geometric(F::ONE, inverse(domain.shift()));
    transform(values, inverse(domain.root()))
        .into_iter()
        .zip(unscale)
        .map(|(a, power)| a * power * n)
        .collect()
}

/// A_i = sum a_j w^(i j): even and odd halves, recursively (Cooley and Tukey, 1965).
fn transform<F: TwoAdic>(a: &[F], root: F) -> Vec<F> {
    if a.len() == 1 {
        return a.to_vec();
    }
    let half =
        |first: usize| transform(&a.iter().copied().skip(first).step_by(2).collect::<Vec<_>>(), root * root);
    let (even, odd) = (half(0), half(1));
    let odd: Vec<_> = odd.iter().zip(geometric(F::ONE, root)).map(|(&o, power)| power * o).collect();
    let pairs = || even.iter().zip(&odd);
    pairs().map(|(&e, &o)| e + o).chain(pairs().map(|(&e, &o)| e - o)).collect()
}

impl<F: TwoAdic + BaseField> Inversion<F> for Reference {
    fn invert(&self, elements: &mut [F], unchecked: bool) -> Result<(), Error> {
        checks::if_unchecked(elements, unchecked)?;
        elements.iter_mut().for_each(|x| *x = x.inverted().unwrap_or(F::ZERO));
        Ok(())
    }
}

impl<F: AcceleratedField> Programs<F> for Reference {
    fn run_program(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[MatrixRef<'_, F>],
        constants: &[F],
        outputs: &mut [F],
    ) -> Result<(), Error> {
        for row in 0..rows.count {
            let outputs_of_row = outputs_in_row(program, rows, row, inputs, constants);
            for (column, output) in outputs_of_row.into_iter().enumerate() {
                outputs[column * rows.count + row] = output;
            }
        }
        Ok(())
    }
}

impl<F: TwoAdic> Combinations<F> for Reference {
    fn combine_columns(
        &self,
        matrix: MatrixView<'_, F>,
        coefficients: MatrixView<'_, F>,
        combined: &mut [F],
    ) -> Result<(), Error> {
        for (number, combination) in combined.iter_mut().enumerate() {
            let (k, i) = (number / matrix.rows, number % matrix.rows);
            let terms = (0..matrix.columns).map(|j| matrix.get(i, j) * coefficients.get(j, k));
            *combination = terms.fold(F::ZERO, |sum, term| sum + term);
        }
        Ok(())
    }

    fn combine_rows(
        &self,
        weights: MatrixView<'_, F>,
        matrix: MatrixView<'_, F>,
        sums: &mut [F],
    ) -> Result<(), Error> {
        for (number, sum) in sums.iter_mut().enumerate() {
            let (j, k) = (number / weights.columns, number % weights.columns);
            let terms = (0..matrix.rows).map(|i| weights.get(i, k) * matrix.get(i, j));
            *sum = terms.fold(F::ZERO, |sum, term| sum + term);
        }
        Ok(())
    }
}

impl<F: TwoAdic> PrefixProducts<F> for Reference {
    fn prefix_products(
        &self,
        input: &[F],
        width: usize,
        products: &mut [F],
        carry: &mut [F],
    ) -> Result<(), Error> {
        let rows = input.len() / carry.len();
        for (i, product) in products.iter_mut().enumerate() {
            let column = &mut carry[i / (rows * width) * width + i % width];
            *product = *column;
            *column = *column * input[i];
        }
        Ok(())
    }
}

impl<F: AcceleratedField> Lookups<F> for Reference {
    fn permute_lookups(
        &self,
        matrix: MatrixView<'_, F>,
        used: usize,
        permuted: &mut [F],
    ) -> Result<(), Error> {
        permuted.copy_from_slice(matrix.elements);
        for lookup in 0..matrix.columns / 2 {
            let entry = |row, side| matrix.get(row, 2 * lookup + side);
            let words = |value: F| F::words(&[value]).to_vec();
            let mut stands = BTreeMap::new();
            for row in 0..used {
                stands.entry(words(entry(row, 1))).or_insert(row);
            }
            let mut inputs = vec![0; used];
            for row in 0..used {
                let found = stands.get(&words(entry(row, 0)));
                inputs[*found.ok_or(Error::NotInTable { lookup, row })?] += 1;
            }
            let mut put = |row: usize, side: usize, value| {
                permuted[row * matrix.row_step + (2 * lookup + side) * matrix.column_step] = value;
            };
            let mut others = (0..used).filter(|&row| inputs[row] == 0);
            let mut to = 0;
            for (row, &count) in inputs.iter().enumerate() {
                for number in 0..count {
                    put(to, 0, entry(row, 1));
                    let beside = if number == 0 { row } else { others.next().expect("as many rows") };
                    put(to, 1, entry(beside, 1));
                    to += 1;
                }
            }
        }
        Ok(())
    }
}

/// The outputs of a program in a row, node by node.
pub(crate) fn outputs_in_row<F: AcceleratedField>(
    program: &Program<F>,
    rows: ProgramRows,
    row: usize,
    inputs: &[MatrixRef<'_, F>],
    constants: &[F],
) -> Vec<F> {
    let (nodes, outputs, own) = program.graph();
    let entry = |matrix: usize, column, offset| {
        inputs[matrix].get(rows.row(row, offset, inputs[matrix].shape().rows), column)
    };
    let mut found: Vec<F> = Vec::new();
    for node in nodes {
        let of = |node: Node| found[node.index()];
        found.push(match *node {
            Expression::Column { matrix, column, offset } => entry(matrix as usize, column as usize, offset),
            Expression::Constant(index) => own[index as usize],
            Expression::Value(index) => constants[own.len() + index as usize],
            Expression::Add(a, b) => of(a) + of(b),
            Expression::Sub(a, b) => of(a) - of(b),
            Expression::Mul(a, b) => of(a) * of(b),
        });
    }
    let weighed = |terms: &[(Node, usize)], d: usize| {
        let products =
            terms.iter().map(|&(node, value)| found[node.index()] * constants[own.len() + value + d]);
        products.fold(F::ZERO, |sum, product| sum + product)
    };
    let columns = |output: &Output| match output {
        Output::Node(node) => vec![found[node.index()]],
        Output::Weighted { terms, coordinates } => (0..*coordinates).map(|d| weighed(terms, d)).collect(),
    };
    outputs.iter().flat_map(columns).collect()
}

#[cfg(feature = "bn254")]
impl<F: MontgomeryField> Pointwise<F> for Reference {
    fn multiply(&self, a: &mut [F], b: &[F], c: Option<&[F]>) -> Result<(), Error> {
        for (i, a) in a.iter_mut().enumerate() {
            *a = *a * b[i] - c.map_or(F::ZERO, |c| c[i]);
        }
        Ok(())
    }
}

#[cfg(feature = "bn254")]
impl<F: MontgomeryField> Sparse<F> for Reference {
    fn sparse_product(
        &self,
        matrix: SparseView<'_, F>,
        _: Option<&Memory>,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error> {
        for (row, element) in product.iter_mut().enumerate() {
            let entries = matrix.entries_of(row..row + 1).iter();
            let terms =
                entries.map(|entry| matrix.values[entry.value as usize] * vector[entry.column as usize]);
            *element = terms.sum();
        }
        Ok(())
    }
}

impl<H: Hasher> Hashing<H> for Reference {
    fn hash_rows(
        &self,
        matrix: &[Goldilocks],
        Extent { rows, block, .. }: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        for (i, digest) in digests.iter_mut().enumerate() {
            let row = matrix.chunks_exact(block).skip(from + i).step_by(rows).flatten();
            *digest = H::Textbook::hash_elements(&row.copied().collect::<Vec<_>>());
        }
        Ok(())
    }

    fn build_tree(
        &self,
        leaves: &[H::Digest],
        levels: Levels<'_, H::Digest>,
        _: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        beside()?;
        let mut children = leaves;
        for level in levels.apart().into_iter().rev() {
            for (node, pair) in level.iter_mut().zip(children.chunks_exact(2)) {
                *node = H::Textbook::merge(&[pair[0], pair[1]]);
            }
            children = level;
        }
        Ok(())
    }
}
