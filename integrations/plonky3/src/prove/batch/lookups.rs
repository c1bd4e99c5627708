//! The columns of lookups: for each a column of fractions, and the running sum of all of an AIR. They are made on the host, by Plonky3, which panics where it cannot; so that is found before.

use std::collections::HashSet;

use p3_air::BaseAir;
use p3_air::symbolic::{BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};
use p3_field::{ExtensionField, PrimeCharacteristicRing};
use p3_goldilocks::Goldilocks;
use p3_lookup::traits::LookupTraceBuilder;
use p3_lookup::{LogUpGadget, Lookup, LookupProtocol, LookupTerminal};
use p3_matrix::Matrix as _;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView};
use p3_matrix::stack::VerticalPair;
use rayon::prelude::*;
use tracing::info_span;
use zkaccel::Error;
use zkaccel_proofs::Memory;

use super::instance::Instance;
use crate::elements::matrix;
use crate::hashes::Accelerated;
use crate::prove::error::ProveError;
use crate::prove::extended::{Extensions, Sizes};
use crate::prove::record::operands;
use crate::prove::residence::Values;

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
            columns.push((Values::of(memory, matrix(values.flatten_to_base()))?, sizes[i]));
        }
        if columns.is_empty() {
            return Ok(Self { extensions: None, terminals });
        }
        let extensions = Extensions::new(memory, columns, cap_height, None, None)?;
        Ok(Self { extensions: Some(extensions), terminals })
    }
}

/// An error if lookups read what Plonky3 does not give them: periodic columns.
pub(super) fn check_entries(lookups: &[Lookup<Goldilocks>]) -> Result<(), ProveError> {
    let elements = lookups.iter().flat_map(|lookup| lookup.elements.iter().flatten());
    let others =
        lookups.iter().flat_map(|lookup| lookup.multiplicities.iter().chain(lookup.flags.iter().flatten()));
    let mut pending: Vec<&SymbolicExpression<Goldilocks>> = elements.chain(others).collect();
    let mut seen = HashSet::new();
    while let Some(expression) = pending.pop() {
        if !seen.insert(std::ptr::from_ref(expression)) {
            continue;
        }
        if let SymbolicExpr::Leaf(BaseLeaf::Variable(variable)) = expression
            && variable.entry == BaseEntry::Periodic
        {
            return Err(ProveError::Unsupported("lookups that read periodic columns".into()));
        }
        let (x, y) = operands(expression);
        pending.extend([x, y].into_iter().flatten().map(|operand| &**operand));
    }
    Ok(())
}

/// An error if in some row several messages of a group are active of which one may be.
pub(super) fn check_flags(
    lookups: &[Lookup<Goldilocks>],
    trace: &RowMajorMatrix<Goldilocks>,
    preprocessed: impl FnOnce() -> Option<RowMajorMatrix<Goldilocks>>,
    public_values: &[Goldilocks],
) -> Result<(), ProveError> {
    let groups: Vec<_> = lookups.iter().filter_map(|lookup| lookup.flags.as_ref()).collect();
    if groups.is_empty() {
        return Ok(());
    }
    let rows = trace.height();
    let preprocessed = preprocessed().unwrap_or_else(|| RowMajorMatrix::new(Vec::new(), 0));
    let is_wrong = |&row: &usize| {
        let pair = |matrix: &RowMajorMatrix<Goldilocks>| {
            let width = matrix.width;
            [row, (row + 1) % rows].map(|row| matrix.values[row * width..(row + 1) * width].to_vec())
        };
        let ([local, next], [preprocessed, preprocessed_next]) = (pair(trace), pair(&preprocessed));
        let view = RowMajorMatrixView::new_row;
        let builder = LookupTraceBuilder::<Goldilocks, Goldilocks>::new(
            VerticalPair::new(view(&local), view(&next)),
            VerticalPair::new(view(&preprocessed), view(&preprocessed_next)),
            public_values,
            &[],
            rows,
            row,
        );
        groups.iter().any(|flags| {
            let flags = || flags.iter().map(|flag| flag.resolve(&builder));
            let is_bit = |value: Goldilocks| value == Goldilocks::ZERO || value == Goldilocks::ONE;
            !flags().all(is_bit) || !is_bit(flags().sum())
        })
    };
    match (0..rows).into_par_iter().find_first(is_wrong) {
        Some(row) => Err(ProveError::Flags { row }),
        None => Ok(()),
    }
}
