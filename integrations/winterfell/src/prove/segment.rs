//! Columns on the trace's domain that are extended and committed to: a segment of the trace, or the columns of the composition.

use rayon::prelude::*;
use tracing::info_span;
use winter_air::PartitionOptions;
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::matrix::ColMatrix;
use zkaccel::Error;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::Matrix;
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::Memory;

use super::commitment::Commitment;
use super::deep::Columns;
use super::domains::Domains;
use super::extension::to_engine;
use crate::hashes::Accelerated;

/// Elements that a task converts.
const GRAIN: usize = 1 << 14;

/// Columns on the trace's domain, and the commitment to their extensions. Columns of elements of an extension are those of their coordinates, side by side.
pub(super) struct Segment<H: Accelerated> {
    pub(super) values: DeviceMatrix<Element>,
    pub(super) commitment: Commitment<H>,
}

impl<H: Accelerated> Segment<H> {
    /// From the values on the trace's domain of columns of elements.
    pub(super) fn new<E: FieldElement<BaseField = BaseElement>>(
        domains: &Domains<'_>,
        values: DeviceMatrix<Element>,
        partitions: PartitionOptions,
    ) -> Result<Self, Error> {
        let (engine, columns) = (domains.memory.engine, values.shape().columns / E::EXTENSION_DEGREE);
        let extension = info_span!("extension").in_scope(|| domains.extend(&values))?;
        // In columns of elements; winterfell merges a single partition, too, if a hash takes more columns at once than there are.
        let partition = partitions.partition_size::<E>(columns);
        let commitment = info_span!("hashing").in_scope(|| match partition == columns {
            true => Commitment::new(engine, extension),
            false => Commitment::in_partitions(engine, extension, partition * E::EXTENSION_DEGREE),
        })?;
        Ok(Self { values, commitment })
    }

    /// The extension.
    pub(super) fn extension(&self) -> &DeviceMatrix<Element> {
        &self.commitment.matrix
    }

    /// The values of columns over the extension.
    pub(super) fn extended_columns(&self) -> Columns<'_> {
        Columns { values: &self.values, extended: true }
    }
}

/// Brings columns to the place of wide matrices.
pub(super) fn upload<E: FieldElement<BaseField = BaseElement>>(
    memory: Memory<'_>,
    columns: &ColMatrix<E>,
) -> Result<DeviceMatrix<Element>, Error> {
    let (rows, degree) = (columns.num_rows(), E::EXTENSION_DEGREE);
    let mut words = vec![Element::default(); rows * columns.num_base_cols()];
    words.par_chunks_mut(rows).enumerate().for_each(|(index, words)| {
        let column = E::slice_as_base_elements(columns.get_column(index / degree));
        words.par_chunks_mut(GRAIN).enumerate().for_each(|(task, words)| {
            let column = column[index % degree..].iter().step_by(degree).skip(task * GRAIN);
            words.iter_mut().zip(column).for_each(|(word, &element)| *word = to_engine(element));
        });
    });
    memory.wide(Matrix::from_columns(words, rows, columns.num_base_cols())?)
}
