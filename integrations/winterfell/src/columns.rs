//! Columns of a trace to their polynomials, their extension and its commitment.
//!
//! winterfell keeps elements in Montgomery form, zkaccel as canonical words; elements of an extension field are columns of
//! their coordinates side by side, which is how winterfell hashes their rows, too.

use rayon::prelude::*;
use winter_air::PartitionOptions;
use winter_math::fields::f64::BaseElement;
use winter_math::{FieldElement, StarkField};
use winter_prover::StarkDomain;
use winter_prover::matrix::ColMatrix;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Matrix, MatrixRef, Shape};
use zkaccel::ntt::{Convention, Domain, Lde};
use zkaccel::{Engine, Error};

use crate::extension::{Extended, Given, Plan};
use crate::hashes::Accelerated;
use crate::tree::Tree;

/// Rows that a task converts.
const ROWS: usize = 1 << 10;

/// Polynomials, their values on the extended domain, and the commitment to those.
pub(crate) struct Committed<E: FieldElement, H: Accelerated> {
    pub(crate) polynomials: ColMatrix<E>,
    pub(crate) extension: Extension,
    pub(crate) tree: Tree<H>,
}

/// Values on the extended domain, row after row.
pub(crate) struct Extension {
    values: Vec<BaseElement>,
    width: usize,
}

impl Extension {
    pub(crate) fn new(values: Vec<BaseElement>, width: usize) -> Self {
        Self { values, width }
    }

    /// A row of elements of the field that the columns are over.
    pub(crate) fn row<E: FieldElement<BaseField = BaseElement>>(&self, row: usize) -> &[E] {
        E::slice_from_base_elements(&self.values[row * self.width..][..self.width])
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.width
    }
}

/// Extends columns onto the domain of the proof and commits to the rows.
pub(crate) fn commit<E, H>(
    columns: &ColMatrix<E>,
    given: Given,
    domain: &StarkDomain<BaseElement>,
    partitions: PartitionOptions,
) -> Committed<E, H>
where
    E: FieldElement<BaseField = BaseElement>,
    H: Accelerated,
{
    try_commit(columns, given, domain, partitions).unwrap_or_else(|error| panic!("zkaccel: {error}"))
}

fn try_commit<E, H>(
    columns: &ColMatrix<E>,
    given: Given,
    domain: &StarkDomain<BaseElement>,
    partitions: PartitionOptions,
) -> Result<Committed<E, H>, Error>
where
    E: FieldElement<BaseField = BaseElement>,
    H: Accelerated,
{
    let engine = Engine::global()?;
    let (rows, width) = (columns.num_rows(), columns.num_base_cols());
    let trace = Domain::new(rows.ilog2(), Convention::Winterfell)?;
    let offset = Goldilocks::new(domain.offset().as_int());
    let blowup = domain.trace_to_lde_blowup() as u64;
    let lde = Lde::onto_coset(rows.ilog2(), blowup, Convention::Winterfell, offset)?;
    debug_assert_eq!(
        BaseElement::get_root_of_unity(rows.ilog2()).as_int(),
        trace.root().as_u64(),
        "both sides have the same roots"
    );

    // In columns of elements; winterfell merges a single partition, too, if a hash takes more columns at once than there are.
    let partition = partitions.partition_size::<E>(columns.num_cols());
    let partition = (partition != columns.num_cols()).then_some(partition * E::EXTENSION_DEGREE);
    let plan = Plan { given, trace, lde, partition };
    let Extended { coefficients, values, tree } = plan.run::<H>(&engine, row_major(columns)?)?;
    let polynomials = match coefficients {
        Some(coefficients) => column_vectors(coefficients.view()),
        None => columns.columns().map(<[E]>::to_vec).collect(),
    };
    let values = values.as_slice().par_iter().with_min_len(ROWS);
    let values = values.map(|word| BaseElement::new(word.as_u64())).collect();
    Ok(Committed {
        polynomials: ColMatrix::new(polynomials),
        extension: Extension { values, width },
        tree: Tree::from_engine(&tree),
    })
}

/// The words of columns of elements, row after row.
fn row_major<E: FieldElement<BaseField = BaseElement>>(
    columns: &ColMatrix<E>,
) -> Result<Matrix<Goldilocks>, Error> {
    let (rows, width) = (columns.num_rows(), columns.num_base_cols());
    let mut words = vec![Goldilocks::default(); rows * width];
    words.par_chunks_mut(ROWS * width).enumerate().for_each(|(task, words)| {
        for (c, column) in columns.columns().enumerate() {
            let elements = &column[task * ROWS..][..words.len() / width];
            for (row, element) in words.chunks_exact_mut(width).zip(elements) {
                let coordinates = E::slice_as_base_elements(std::slice::from_ref(element));
                for (word, coordinate) in row[c * E::EXTENSION_DEGREE..].iter_mut().zip(coordinates) {
                    *word = Goldilocks::new(coordinate.as_int());
                }
            }
        }
    });
    Matrix::from_rows(words, rows, width)
}

/// Columns of elements, out of words row after row.
fn column_vectors<E: FieldElement<BaseField = BaseElement>>(
    matrix: MatrixRef<'_, Goldilocks>,
) -> Vec<Vec<E>> {
    let (words, Shape { columns: width, .. }) = (matrix.as_slice(), matrix.shape());
    let columns = (0..width / E::EXTENSION_DEGREE).into_par_iter();
    let column = |column| {
        let first = column * E::EXTENSION_DEGREE;
        let mut coordinates = vec![BaseElement::ZERO; E::EXTENSION_DEGREE];
        let element = |row: &[Goldilocks]| {
            for (coordinate, word) in coordinates.iter_mut().zip(&row[first..]) {
                *coordinate = BaseElement::new(word.as_u64());
            }
            E::slice_from_base_elements(&coordinates)[0]
        };
        words.chunks_exact(width).map(element).collect()
    };
    columns.map(column).collect()
}
