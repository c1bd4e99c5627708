//! The extended execution trace.

use winter_air::proof::Queries;
use winter_air::{EvaluationFrame, PartitionOptions, ProofOptions, TraceInfo};
use winter_crypto::VectorCommitment;
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::matrix::ColMatrix;
use winter_prover::{StarkDomain, TracePolyTable};

use crate::columns::{Committed, Extension, commit};
use crate::extension::Given;
use crate::hashes::Accelerated;
use crate::tree::Tree;

/// The segments of a trace on the extended domain, with their commitments.
pub struct TraceLde<E: FieldElement<BaseField = BaseElement>, H: Accelerated> {
    main: Segment<H>,
    auxiliary: Option<Segment<H>>,
    blowup: usize,
    info: TraceInfo,
    partitions: PartitionOptions,
    field: std::marker::PhantomData<E>,
}

struct Segment<H: Accelerated> {
    extension: Extension,
    tree: Tree<H>,
}

impl<H: Accelerated> Segment<H> {
    /// The row at a step and the row of the next step of the trace.
    fn read<E: FieldElement<BaseField = BaseElement>>(
        &self,
        step: usize,
        blowup: usize,
        frame: &mut EvaluationFrame<E>,
    ) {
        let next = (step + blowup) % self.extension.rows();
        frame.current_mut().copy_from_slice(self.extension.row(step));
        frame.next_mut().copy_from_slice(self.extension.row(next));
    }

    fn query<E: FieldElement<BaseField = BaseElement>>(&self, positions: &[usize]) -> Queries {
        queries::<E, H>(&self.extension, &self.tree, positions)
    }
}

/// Rows at some positions, and the proof that they are committed to.
pub(crate) fn queries<E: FieldElement<BaseField = BaseElement>, H: Accelerated>(
    extension: &Extension,
    tree: &Tree<H>,
    positions: &[usize],
) -> Queries {
    let rows = positions.iter().map(|&position| extension.row::<E>(position).to_vec()).collect();
    let (_, proof) = tree.open_many(positions).expect("positions within the domain");
    Queries::new::<H, E, Tree<H>>(proof, rows)
}

impl<E: FieldElement<BaseField = BaseElement>, H: Accelerated> TraceLde<E, H> {
    /// Extends and commits to the main segment: what `Prover::new_trace_lde` returns.
    pub fn new(
        info: &TraceInfo,
        trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self, TracePolyTable<E>) {
        let Committed { polynomials, extension, tree } = commit(trace, Given::Values, domain, partitions);
        let trace = Self {
            main: Segment { extension, tree },
            auxiliary: None,
            blowup: domain.trace_to_lde_blowup(),
            info: info.clone(),
            partitions,
            field: std::marker::PhantomData,
        };
        (trace, TracePolyTable::new(polynomials))
    }

    /// Of segments that were committed to before.
    pub(crate) fn of_segments(
        info: TraceInfo,
        options: &ProofOptions,
        main: (Extension, Tree<H>),
        auxiliary: Option<(Extension, Tree<H>)>,
    ) -> Self {
        let segment = |(extension, tree)| Segment { extension, tree };
        Self {
            main: segment(main),
            auxiliary: auxiliary.map(segment),
            blowup: options.blowup_factor(),
            info,
            partitions: options.partition_options(),
            field: std::marker::PhantomData,
        }
    }
}

impl<E: FieldElement<BaseField = BaseElement>, H: Accelerated> winter_prover::TraceLde<E> for TraceLde<E, H> {
    type HashFn = H;
    type VC = Tree<H>;

    fn get_main_trace_commitment(&self) -> H::Digest {
        self.main.tree.commitment()
    }

    fn set_aux_trace(
        &mut self,
        trace: &ColMatrix<E>,
        domain: &StarkDomain<BaseElement>,
    ) -> (ColMatrix<E>, H::Digest) {
        assert!(
            usize::from(self.auxiliary.is_some()) < self.info.num_aux_segments(),
            "the auxiliary trace has already been added"
        );
        let Committed { polynomials, extension, tree } =
            commit(trace, Given::Values, domain, self.partitions);
        assert_eq!(self.main.extension.rows(), extension.rows(), "rows of the auxiliary segment");
        let commitment = tree.commitment();
        self.auxiliary = Some(Segment { extension, tree });
        (polynomials, commitment)
    }

    fn read_main_trace_frame_into(&self, step: usize, frame: &mut EvaluationFrame<BaseElement>) {
        self.main.read(step, self.blowup, frame);
    }

    fn read_aux_trace_frame_into(&self, step: usize, frame: &mut EvaluationFrame<E>) {
        self.auxiliary.as_ref().expect("an auxiliary segment").read(step, self.blowup, frame);
    }

    fn query(&self, positions: &[usize]) -> Vec<Queries> {
        let main = self.main.query::<BaseElement>(positions);
        let auxiliary = self.auxiliary.iter().map(|segment| segment.query::<E>(positions));
        std::iter::once(main).chain(auxiliary).collect()
    }

    fn trace_len(&self) -> usize {
        self.main.extension.rows()
    }

    fn blowup(&self) -> usize {
        self.blowup
    }

    fn trace_info(&self) -> &TraceInfo {
        &self.info
    }
}
