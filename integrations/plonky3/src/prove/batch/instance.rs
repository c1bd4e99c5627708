//! One AIR of a batch, with its lookups.

use p3_air::Air;
use p3_air::symbolic::{AirLayout, SymbolicExpressionExt};
use p3_batch_stark::folder::ProverConstraintFolderWithLookups;
use p3_batch_stark::prover::quotient_values;
use p3_batch_stark::symbolic::{
    get_constraint_layout, get_log_num_quotient_chunks, get_symbolic_constraints,
};
use p3_field::{Algebra, ExtensionField};
use p3_goldilocks::Goldilocks;
use p3_lookup::{InteractionSymbolicBuilder, LogUpGadget, Lookup, LookupProtocol};
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::StarkGenericConfig;
use zkaccel::Engine;

use super::lookups;
use crate::prove::constraints::{Constraints, agree, log_height};
use crate::prove::error::ProveError;
use crate::prove::extended::Sizes;
use crate::prove::record::Recorded;
use crate::prove::scheme::{Scheme, Terms};

/// An AIR, its lookups, and the recorded constraints of both.
pub(super) struct Instance<'a, A> {
    pub(super) air: &'a A,
    pub(super) lookups: &'a [Lookup<Goldilocks>],
    pub(super) constraints: Constraints,
    /// The AIR's alone.
    layout: AirLayout,
    /// The number of chunks of the quotient, if it is the same for all traces.
    log_chunks: Option<usize>,
}

impl<'a, A> Instance<'a, A> {
    /// Records the constraints, and compares them with those that the AIR and its lookups evaluate on random rows.
    pub(super) fn new<SC, S, EF, C>(
        engine: &Engine,
        config: &SC,
        air: &'a A,
        lookups: &'a [Lookup<Goldilocks>],
        preprocessed_width: usize,
    ) -> Result<Self, ProveError>
    where
        SC: StarkGenericConfig<Pcs = S, Challenge = EF, Challenger = C>,
        A: Air<InteractionSymbolicBuilder<Goldilocks, EF>>
            + for<'b> Air<ProverConstraintFolderWithLookups<'b, SC>>,
        S: Scheme<EF, C>,
        EF: ExtensionField<Goldilocks>,
        SymbolicExpressionExt<Goldilocks, EF>: Algebra<EF>,
    {
        lookups::check_entries(lookups)?;
        let layout = AirLayout { preprocessed_width, ..AirLayout::from_air::<Goldilocks>(air) };
        let gadget = LogUpGadget::new();
        let record = || {
            let (base, extended) = get_symbolic_constraints::<_, EF, _, _>(air, layout, lookups, &gadget);
            let order = get_constraint_layout::<_, EF, _, _>(air, layout, lookups, &gadget);
            let has_lookups = !lookups.is_empty() as usize;
            let layout = AirLayout {
                // A column for each lookup, and that of their running sum.
                permutation_width: lookups.len() + has_lookups,
                num_permutation_challenges: lookups.len() * gadget.num_challenges(),
                num_permutation_values: has_lookups,
                ..layout
            };
            Recorded::new(layout, &base, &extended, order)
        };
        let constraints = Constraints::new(air, record)?;
        let mut instance = Self { air, lookups, constraints, layout, log_chunks: None };
        if !instance.constraints.has_periodic_columns() {
            instance.log_chunks = Some(instance.log_chunks::<EF>(0));
        }
        let log_chunks = |log_rows| instance.log_chunks::<EF>(log_rows);
        instance.constraints.check(engine, log_chunks, |rows| {
            quotient_values::<SC, A, RowMajorMatrix<Goldilocks>, _>(
                config.pcs(),
                air,
                &rows.public_values,
                layout,
                rows.domain,
                rows.coset,
                &rows.trace,
                rows.permutation.as_ref(),
                lookups,
                &rows.terminals,
                &gadget,
                &rows.challenges,
                rows.preprocessed.as_ref(),
                rows.alpha,
            )
        })?;
        Ok(instance)
    }

    /// The logarithm of the number of chunks of the quotient, for a trace of 2^`log_rows` rows.
    fn log_chunks<EF>(&self, log_rows: usize) -> usize
    where
        EF: ExtensionField<Goldilocks>,
        A: Air<InteractionSymbolicBuilder<Goldilocks, EF>>,
        SymbolicExpressionExt<Goldilocks, EF>: Algebra<EF>,
    {
        let (rows, gadget) = (1 << log_rows, LogUpGadget::new());
        self.log_chunks.unwrap_or_else(|| {
            get_log_num_quotient_chunks::<_, EF, _, _>(self.air, self.layout, rows, self.lookups, 0, &gadget)
        })
    }

    /// The sizes of a proof for a trace of 2^`log_rows` rows.
    pub(super) fn sizes<EF>(&self, terms: &Terms, log_rows: usize) -> Result<Sizes, ProveError>
    where
        EF: ExtensionField<Goldilocks>,
        A: Air<InteractionSymbolicBuilder<Goldilocks, EF>>,
        SymbolicExpressionExt<Goldilocks, EF>: Algebra<EF>,
    {
        self.constraints.sizes(terms, EF::DIMENSION, log_rows, || self.log_chunks::<EF>(log_rows))
    }

    /// The sizes of a proof for a trace, if it and public values have the AIR's shape.
    pub(super) fn agreed<EF>(
        &self,
        terms: &Terms,
        trace: &RowMajorMatrix<Goldilocks>,
        public_values: &[Goldilocks],
    ) -> Result<Sizes, ProveError>
    where
        EF: ExtensionField<Goldilocks>,
        A: Air<InteractionSymbolicBuilder<Goldilocks, EF>>,
        SymbolicExpressionExt<Goldilocks, EF>: Algebra<EF>,
    {
        agree("columns of the trace", self.layout.main_width, trace.width())?;
        agree("public values", self.layout.num_public_values, public_values.len())?;
        self.sizes::<EF>(terms, log_height(trace.height())?)
    }

    /// The columns of the trace and of lookups, over the base field.
    pub(super) fn width(&self, degree: usize) -> usize {
        self.layout.main_width + self.constraints.recorded.layout.permutation_width * degree
    }
}
