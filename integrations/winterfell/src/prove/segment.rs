//! Columns on the trace's domain that are extended and committed to: a segment of the trace, or the columns of the composition.

use rayon::prelude::*;
use tracing::info_span;
use winter_air::PartitionOptions;
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::matrix::ColMatrix;
use zkaccel::Error;
use zkaccel::field::Goldilocks as Element;
use zkaccel::hash::Digest as _;
use zkaccel::matrix::Matrix;
use zkaccel::resident::{Cosets, DeviceMatrix};

use super::commitment::Commitment;
use super::deep::Columns;
use super::domains::Domains;
use super::extension::to_engine;
use crate::extension::Given;
use crate::hashes::{Accelerated, DigestOf};

/// Elements that a task converts.
const GRAIN: usize = 1 << 14;

/// Columns by their values on the domain of what is out of domain, and the commitment to their extensions. Columns of elements of an extension are those of their coordinates, side by side.
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
        let extension = info_span!("extension").in_scope(|| domains.extend(&values))?.into();
        let values = match domains.opens_coset() {
            true => domains.opened_values(&extension)?,
            false => values,
        };
        Self::of_extension::<E>(domains, values, extension, partitions)
    }

    /// From the extension that several devices made.
    pub(super) fn in_parts<E: FieldElement<BaseField = BaseElement>>(
        domains: &Domains<'_>,
        extension: Cosets<Element>,
        partitions: PartitionOptions,
    ) -> Result<Self, Error> {
        let values = domains.opened_values(&extension)?;
        Self::of_extension::<E>(domains, values, extension, partitions)
    }

    /// From the values on the trace's domain that a device has, in as many parts as another segment if the hash is over field elements: to hash rows with it takes a device far longer than to get
    /// the values from another one.
    pub(super) fn of_values<E: FieldElement<BaseField = BaseElement>>(
        domains: &Domains<'_>,
        other: &Self,
        values: DeviceMatrix<Element>,
        partitions: PartitionOptions,
    ) -> Result<Self, Error> {
        if other.extension().whole().is_some() || !DigestOf::<H>::OF_ELEMENTS {
            return Self::new::<E>(domains, values, partitions);
        }
        let extend = || domains.extend_copies(other.extension(), domains.extension, &values);
        Self::in_parts::<E>(domains, info_span!("extension").in_scope(extend)?, partitions)
    }

    /// From the values on the trace's domain in host memory, where another segment is.
    pub(super) fn beside<E: FieldElement<BaseField = BaseElement>>(
        domains: &Domains<'_>,
        other: &Self,
        values: Matrix<Element>,
        partitions: PartitionOptions,
    ) -> Result<Self, Error> {
        if other.extension().whole().is_some() {
            let values = info_span!("upload").in_scope(|| domains.memory.wide(values))?;
            return Self::new::<E>(domains, values, partitions);
        }
        let extend = || domains.extend_beside(other.extension(), domains.extension, Given::Values, values);
        Self::in_parts::<E>(domains, info_span!("extension").in_scope(extend)?, partitions)
    }

    fn of_extension<E: FieldElement<BaseField = BaseElement>>(
        domains: &Domains<'_>,
        values: DeviceMatrix<Element>,
        extension: Cosets<Element>,
        partitions: PartitionOptions,
    ) -> Result<Self, Error> {
        let (engine, columns) = (domains.memory.engine, values.shape().columns / E::EXTENSION_DEGREE);
        // In columns of elements; winterfell merges a single partition, too, if a hash takes more columns at once than there are.
        let partition = partitions.partition_size::<E>(columns);
        let commitment = info_span!("hashing").in_scope(|| match partition == columns {
            true => Commitment::new(engine, extension),
            false => Commitment::in_partitions(engine, extension, partition * E::EXTENSION_DEGREE),
        })?;
        Ok(Self { values, commitment })
    }

    /// The extension.
    pub(super) fn extension(&self) -> &Cosets<Element> {
        &self.commitment.matrix
    }

    /// The values of columns over the base field.
    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { values: &self.values, extended: false }
    }

    /// The values of columns over the extension.
    pub(super) fn extended_columns(&self) -> Columns<'_> {
        Columns { values: &self.values, extended: true }
    }
}

/// Columns as the engine takes them, one after another.
pub(super) fn words<E: FieldElement<BaseField = BaseElement>>(
    columns: &ColMatrix<E>,
) -> Result<Matrix<Element>, Error> {
    let (rows, degree) = (columns.num_rows(), E::EXTENSION_DEGREE);
    let mut words = vec![Element::default(); rows * columns.num_base_cols()];
    words.par_chunks_mut(rows).enumerate().for_each(|(index, words)| {
        let column = E::slice_as_base_elements(columns.get_column(index / degree));
        words.par_chunks_mut(GRAIN).enumerate().for_each(|(task, words)| {
            let column = column[index % degree..].iter().step_by(degree).skip(task * GRAIN);
            words.iter_mut().zip(column).for_each(|(word, &element)| *word = to_engine(element));
        });
    });
    Matrix::from_columns(words, rows, columns.num_base_cols())
}
