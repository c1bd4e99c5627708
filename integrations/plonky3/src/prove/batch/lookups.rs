//! The columns of lookups: for each a column of fractions, and the running sum of all of an AIR. They are made on the host, by Plonky3.

use p3_air::BaseAir;
use p3_field::ExtensionField;
use p3_goldilocks::Goldilocks;
use p3_lookup::{LogUpGadget, LookupProtocol, LookupTerminal};
use p3_matrix::dense::RowMajorMatrix;
use tracing::info_span;
use zkaccel::Error;
use zkaccel_proofs::Memory;

use super::instance::Instance;
use crate::elements::matrix;
use crate::hashes::Accelerated;
use crate::prove::extended::{Extensions, Sizes};

/// The columns of the lookups of a batch.
pub(super) struct Permutation<H: Accelerated, EF> {
    /// Those of the AIRs that have some; none if no AIR has.
    pub(super) extensions: Option<Extensions<H>>,
    /// For each instance the sum of its column of sums.
    pub(super) terminals: Vec<Option<LookupTerminal<EF>>>,
}

impl<H: Accelerated, EF: ExtensionField<Goldilocks>> Permutation<H, EF> {
    /// From the challenges of each instance.
    pub(super) fn new<A: BaseAir<Goldilocks>>(
        memory: Memory<'_>,
        instances: &[Instance<'_, A>],
        traces: &[&RowMajorMatrix<Goldilocks>],
        public_values: &[&[Goldilocks]],
        sizes: &[Sizes],
        challenges: &[Vec<EF>],
        cap_height: usize,
    ) -> Result<Self, Error> {
        let (mut columns, mut terminals) = (Vec::new(), Vec::new());
        for (i, instance) in instances.iter().enumerate() {
            if instance.lookups.is_empty() {
                terminals.push(None);
                continue;
            }
            let generate = || {
                LogUpGadget::new().generate_permutation(
                    traces[i],
                    &instance.air.preprocessed_trace(),
                    public_values[i],
                    instance.lookups,
                    &challenges[i],
                )
            };
            let (values, terminal) = info_span!("lookups").in_scope(generate);
            terminals.push(terminal);
            let upload = || memory.wide(matrix(values.flatten_to_base()));
            columns.push((info_span!("upload").in_scope(upload)?, sizes[i]));
        }
        if columns.is_empty() {
            return Ok(Self { extensions: None, terminals });
        }
        let extensions = Extensions::new(memory.engine, columns, cap_height, None)?;
        Ok(Self { extensions: Some(extensions), terminals })
    }
}
