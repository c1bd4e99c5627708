//! The prover of batches, step by step.

use p3_air::Air;
use p3_air::symbolic::SymbolicExpressionExt;
use p3_batch_stark::common::GlobalPreprocessed;
use p3_batch_stark::folder::ProverConstraintFolderWithLookups;
use p3_batch_stark::proof::OpenedValuesWithLookups;
use p3_batch_stark::{
    BatchCommitments, BatchOpenedValues, BatchProof, BatchProverTranscript, BatchShape, CommonData,
};
use p3_challenger::{CanObserve, CanSample, FieldChallenger, GrindingChallenger};
use p3_field::{Algebra, ExtensionField};
use p3_goldilocks::Goldilocks;
use p3_lookup::{InteractionSymbolicBuilder, LogUpGadget, check_multiplicity_height_bound};
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleCap;
use p3_uni_stark::{OpenedValues, PreprocessedOpenedValues, StarkGenericConfig};
use tracing::info_span;
use zkaccel::matrix::MatrixInput;
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Claim, Memory, Required};

use super::instance::Instance;
use super::lookups::{self, Permutation};
use crate::elements::{as_it_is, view};
use crate::hashes::Accelerated;
use crate::prove::columns::ColumnCache;
use crate::prove::commitment::{Commitment, Part};
use crate::prove::constraints::{agree, check_terms, log_height};
use crate::prove::error::ProveError;
use crate::prove::extended::{Extensions, Sizes, Spare};
use crate::prove::open::{self, Request};
use crate::prove::quotient;
use crate::prove::residence::{Values, placed};
use crate::prove::scheme::{Scheme, Terms};

/// The AIRs of a batch whose constraints are recorded, with a configuration and with their preprocessed columns, which are in the engine's memory.
pub struct BatchProver<'a, SC: StarkGenericConfig, A, H: Accelerated> {
    engine: Engine,
    config: &'a SC,
    common: &'a CommonData<SC>,
    instances: Vec<Instance<'a, A>>,
    preprocessed: Option<Preprocessed<H>>,
    terms: Terms,
    columns: ColumnCache,
    spare: Spare,
}

/// The preprocessed columns of a batch.
struct Preprocessed<H: Accelerated> {
    /// For each instance that has some the place of its columns, and their sizes.
    places: Vec<Option<(usize, Sizes)>>,
    /// The instances by their places.
    instances: Vec<usize>,
    extensions: Extensions<H>,
    _claim: Claim,
}

/// Traces that agree with the AIRs of a batch.
#[derive(Clone, Copy)]
struct Statement<'a> {
    traces: &'a [&'a RowMajorMatrix<Goldilocks>],
    public_values: &'a [&'a [Goldilocks]],
    sizes: &'a [Sizes],
}

type Transcript<'a, C, EF, H> =
    BatchProverTranscript<'a, C, Goldilocks, EF, MerkleCap<Goldilocks, <H as Accelerated>::Digest>>;

impl<'a, SC, A, S, EF, C> BatchProver<'a, SC, A, S::Inputs>
where
    SC: StarkGenericConfig<Pcs = S, Challenge = EF, Challenger = C>,
    A: Air<InteractionSymbolicBuilder<Goldilocks, EF>>
        + for<'b> Air<ProverConstraintFolderWithLookups<'b, SC>>,
    S: Scheme<EF, C>,
    EF: ExtensionField<Goldilocks>,
    SymbolicExpressionExt<Goldilocks, EF>: Algebra<EF>,
    C: FieldChallenger<Goldilocks>
        + GrindingChallenger<Witness = Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, <S::Inputs as Accelerated>::Digest>>
        + CanObserve<MerkleCap<Goldilocks, <S::Layers as Accelerated>::Digest>>
        + CanSample<EF>,
{
    /// Records the constraints of AIRs and of their lookups, compares them with their own evaluation on random rows, and commits to preprocessed columns.
    ///
    /// `common` is that of the stock `p3_batch_stark::ProverData`, and what verifiers have: the commitment to the preprocessed columns, which is compared, and the lookups.
    /// The engine is that of the process.
    pub fn new(config: &'a SC, airs: &[&'a A], common: &'a CommonData<SC>) -> Result<Self, ProveError> {
        Self::with_engine(&Engine::global()?, config, airs, common)
    }

    /// The same with an engine of its own. That of the process does what the configuration does by itself, as in [`Prover::with_engine`](crate::Prover::with_engine).
    pub fn with_engine(
        engine: &Engine,
        config: &'a SC,
        airs: &[&'a A],
        common: &'a CommonData<SC>,
    ) -> Result<Self, ProveError> {
        if airs.is_empty() {
            return Err(ProveError::Unsupported("a batch without instances".into()));
        }
        agree("lookups in the common data, those of an AIR each", airs.len(), common.lookups.len())?;
        let global = common.preprocessed.as_ref();
        if let Some(global) = global {
            let what = "preprocessed columns in the common data, those of an AIR each, or none";
            agree(what, airs.len(), global.instances.len())?;
        }
        agree("is_zk of a configuration, that of its scheme", S::ZK as usize, config.is_zk())?;
        let terms = config.pcs().terms();
        if terms.masks.is_some() {
            return Err(ProveError::Unsupported("zero knowledge in a batch".into()));
        }
        check_terms(&terms, EF::DIMENSION)?;
        let width =
            |i: usize| global.and_then(|global| global.instances[i].as_ref()).map_or(0, |meta| meta.width);
        let instances = airs.iter().zip(&common.lookups).enumerate().map(|(i, (&air, lookups))| {
            let found = air.preprocessed_trace().map_or(0, |columns| columns.width());
            agree("preprocessed columns of an AIR, those of the common data", width(i), found)?;
            Instance::new(engine, config, air, lookups, width(i))
        });
        let instances = instances.collect::<Result<_, _>>()?;
        let (engine, columns) = (engine.clone(), ColumnCache::default());
        let spare = Spare::default();
        let mut prover =
            Self { engine, config, common, instances, preprocessed: None, terms, columns, spare };
        prover.preprocessed = global.map(|global| prover.preprocess(global)).transpose()?;
        Ok(prover)
    }

    /// Proves traces, one for each AIR, as `p3_batch_stark::prove_batch`. Wrong traces have a proof that does not verify.
    pub fn prove(
        &self,
        traces: &[&RowMajorMatrix<Goldilocks>],
        public_values: &[&[Goldilocks]],
    ) -> Result<BatchProof<SC>, ProveError> {
        let count = self.instances.len();
        agree("traces, one for each AIR", count, traces.len())?;
        agree("lists of public values, one for each AIR", count, public_values.len())?;
        let sizes = (0..count).map(|i| self.agreed(i, traces[i], public_values[i]));
        let sizes = sizes.collect::<Result<Vec<Sizes>, _>>()?;
        self.check_caps(&sizes)?;
        let heights: Vec<usize> = traces.iter().map(|trace| trace.height()).collect();
        check_multiplicity_height_bound(&self.common.lookups, &heights)?;
        let statement = Statement { traces, public_values, sizes: &sizes };
        let widths = self.instances.iter().map(|instance| instance.width(EF::DIMENSION));
        let required = required(sizes.iter().copied().zip(widths), EF::DIMENSION);
        let matrices = traces.iter().map(|trace| view(trace).into()).collect();
        let prove =
            |memory: Memory<'_>, traces: Vec<Values<'_>>| self.prove_agreed(memory, statement, traces);
        Ok(placed(&self.engine, required, matrices, prove)?.0)
    }

    /// The sizes of an instance, if what is given for it agrees with its AIR.
    fn agreed(
        &self,
        index: usize,
        trace: &RowMajorMatrix<Goldilocks>,
        public_values: &[Goldilocks],
    ) -> Result<Sizes, ProveError> {
        let instance = &self.instances[index];
        let sizes = instance.agreed::<EF>(&self.terms, trace, public_values)?;
        if let Some((_, preprocessed)) = self.preprocessed_of(index) {
            let (expected, found) = (1 << preprocessed.log_rows, trace.height());
            agree("rows of the trace, those of the preprocessed columns", expected, found)?;
        }
        let preprocessed = || instance.air.preprocessed_trace();
        lookups::check_flags(instance.lookups, trace, preprocessed, public_values)?;
        Ok(sizes)
    }

    /// Commits to the preprocessed columns.
    fn preprocess(&self, global: &GlobalPreprocessed<SC>) -> Result<Preprocessed<S::Inputs>, ProveError> {
        let (mut places, mut matrices, mut sizes) =
            (vec![None; self.instances.len()], Vec::new(), Vec::new());
        for (place, &index) in global.matrix_to_instance.iter().enumerate() {
            let instance = self.instances.get(index);
            let columns = instance.and_then(|instance| instance.air.preprocessed_trace().zip(Some(instance)));
            let Some((columns, instance)) = columns else {
                let what = format!("preprocessed columns of instance {index}, which has none");
                return Err(ProveError::Unsupported(what));
            };
            let of_columns = instance.sizes::<EF>(&self.terms, log_height(columns.height())?)?;
            places[index] = Some((place, of_columns));
            sizes.push(of_columns);
            matrices.push(MatrixInput::Owned(as_it_is(columns)));
        }
        self.check_caps(&sizes)?;
        let widths = matrices.iter().map(|columns| columns.shape().columns);
        let required = required(sizes.iter().copied().zip(widths), EF::DIMENSION);
        let (extensions, _claim) = placed(&self.engine, required, matrices, |memory, columns| {
            Ok(self.extensions(memory, columns, &sizes, None)?)
        })?;
        if extensions.cap != global.commitment {
            let what = "preprocessed columns whose commitment is not that of the common data";
            return Err(ProveError::Unsupported(what.into()));
        }
        Ok(Preprocessed { places, instances: global.matrix_to_instance.clone(), extensions, _claim })
    }

    /// The place of an instance's preprocessed columns, and their sizes.
    fn preprocessed_of(&self, index: usize) -> Option<(usize, Sizes)> {
        self.preprocessed.as_ref().and_then(|preprocessed| preprocessed.places[index])
    }

    /// An error if there is a matrix with fewer rows than the cap of its commitment has digests: the stock verifier does not compare them with it.
    fn check_caps(&self, sizes: &[Sizes]) -> Result<(), ProveError> {
        let heights = || sizes.iter().map(|sizes| sizes.log_extended());
        let cap_height = heights().max().map_or(0, |tallest| tallest.min(self.terms.cap_height));
        match heights().find(|&height| height < cap_height) {
            Some(height) => Err(ProveError::BelowCap { rows: 1 << height, digests: 1 << cap_height }),
            None => Ok(()),
        }
    }

    /// Proves traces that agree with the AIRs.
    fn prove_agreed(
        &self,
        memory: Memory<'_>,
        statement: Statement<'_>,
        traces: Vec<Values<'_>>,
    ) -> Result<BatchProof<SC>, ProveError> {
        let Statement { public_values, sizes, .. } = statement;
        let main = self.extensions(memory, traces, sizes, Some(&self.spare))?;
        let first = main.first_part();
        let memory = memory.beside(&first);
        let layouts = || self.instances.iter().map(|instance| instance.constraints.recorded.layout);
        let shape = BatchShape {
            trace_widths: layouts().map(|layout| layout.main_width).collect(),
            public_value_counts: layouts().map(|layout| layout.num_public_values).collect(),
            preprocessed_widths: layouts().map(|layout| layout.preprocessed_width).collect(),
            has_preprocessed_commitment: self.preprocessed.is_some(),
            num_lookup_instances: layouts().map(|layout| layout.num_permutation_values).sum(),
            lookup_pow_bits: self.config.lookup_proof_of_work_bits(),
            has_randomization_commitment: S::ZK,
            ood_pow_bits: self.config.ood_proof_of_work_bits(),
        };
        let mut challenger = self.config.initialise_challenger();
        let mut transcript = Transcript::<C, EF, S::Inputs>::new(&mut challenger, shape);
        transcript.instance_bindings(&sizes.iter().map(|sizes| sizes.log_committed()).collect::<Vec<_>>());
        transcript.main_phase(main.cap.clone(), public_values);
        let preprocessed = self.preprocessed.as_ref();
        transcript.preprocessed_phase(preprocessed.map(|columns| columns.extensions.cap.clone()));
        let proof = self.after_traces(memory, statement, main, &mut transcript);
        match proof {
            Ok(_) => transcript.finish(),
            Err(_) => transcript.abort(),
        }
        Ok(proof?)
    }

    /// The proof from the lookups' challenges on.
    fn after_traces(
        &self,
        memory: Memory<'_>,
        statement: Statement<'_>,
        main: Extensions<S::Inputs>,
        transcript: &mut Transcript<'_, C, EF, S::Inputs>,
    ) -> Result<BatchProof<SC>, Error> {
        let Statement { traces, public_values, sizes } = statement;
        let cap_height = self.terms.cap_height;
        let lookups: Vec<_> = self.instances.iter().map(|instance| instance.lookups).collect();
        let (challenges, lookup_pow_witness) = transcript.lookup_phase(&lookups, &LogUpGadget::new());
        let permutation = Permutation::<S::Inputs, EF>::new(
            memory,
            &self.instances,
            traces,
            public_values,
            sizes,
            &challenges,
            cap_height,
        )?;
        let permutation_cap = permutation.extensions.as_ref().map(|columns| columns.cap.clone());
        let terminals: Vec<EF> = permutation.terminals.iter().flatten().map(|terminal| terminal.0).collect();
        let alpha = transcript.permutation_phase(permutation_cap.clone(), &terminals);

        let columns = self.columns.of(memory, sizes)?;
        let mut of_lookups = permutation.extensions.iter().flat_map(|columns| &columns.extended);
        let mut parts = Vec::new();
        for (i, instance) in self.instances.iter().enumerate() {
            let span = info_span!("constraints").entered();
            let preprocessed = self.preprocessed.as_ref().zip(self.preprocessed_of(i));
            let preprocessed = preprocessed.map(|(columns, (place, _))| &columns.extensions.extended[place]);
            let terminal = permutation.terminals[i].iter().map(|terminal| terminal.0);
            let of_run: Vec<EF> = challenges[i].iter().copied().chain(terminal).collect();
            let constraints = &instance.constraints;
            let values = constraints.recorded.values(alpha, public_values[i], &of_run);
            let permutation = of_lookups.by_ref().take(!instance.lookups.is_empty() as usize).next();
            let quotient = constraints.quotient(
                memory,
                &columns[i],
                &main.extended[i],
                preprocessed,
                permutation,
                &values,
            )?;
            drop(span);
            let _span = info_span!("quotient").entered();
            let chunks = quotient::chunks(memory.engine, quotient, sizes[i])?;
            let chunks = quotient::extension(memory.engine, chunks, sizes[i])?;
            let widths = vec![EF::DIMENSION; 1 << sizes[i].log_chunks];
            parts.push(Part::new(memory.engine, chunks, widths, None)?);
        }
        let commit = || Commitment::<S::Inputs>::new(memory.engine, parts, cap_height);
        let chunks = info_span!("quotient").in_scope(commit)?;
        let quotient_chunks = chunks.cap()?;
        transcript.quotient_phase(quotient_chunks.clone(), None);
        let (zeta, ood_pow_witness) = transcript.ood_phase();

        let preprocessed = self.preprocessed.as_ref().map(|columns| Request {
            commitment: &columns.extensions.commitment,
            next: columns
                .instances
                .iter()
                .map(|&i| self.instances[i].constraints.preprocessed_next)
                .collect(),
            codewords: 0,
        });
        let of_lookups = permutation.extensions.as_ref().map(|columns| Request {
            commitment: &columns.commitment,
            next: vec![true; columns.extended.len()],
            codewords: 0,
        });
        let main_next = self.instances.iter().map(|instance| instance.constraints.main_next).collect();
        let requests = [
            Request { commitment: &main.commitment, next: main_next, codewords: 0 },
            Request { commitment: &chunks, next: vec![false; sizes.len()], codewords: 0 },
        ];
        let requests: Vec<_> = requests.into_iter().chain(preprocessed).chain(of_lookups).collect();
        let (opened, openings) = transcript.delegate(|challenger| {
            open::open::<_, S::Layers, _, _>(memory, &self.terms, &columns, zeta, &requests, challenger)
        })?;

        let commitments = BatchCommitments {
            main: main.cap.clone(),
            permutation: permutation_cap,
            quotient_chunks,
            random: None,
        };
        self.spare.keep(main);
        Ok(BatchProof {
            commitments,
            opened_values: BatchOpenedValues { instances: self.opened_values(opened, sizes) },
            opening_proof: S::proof(openings),
            lookup_terminals: permutation.terminals,
            degree_bits: sizes.iter().map(|sizes| sizes.log_committed()).collect(),
            lookup_pow_witness,
            ood_pow_witness,
        })
    }

    /// The opened values of each instance, from those of the commitments.
    fn opened_values(
        &self,
        opened: p3_commit::OpenedValues<EF>,
        sizes: &[Sizes],
    ) -> Vec<OpenedValuesWithLookups<EF>> {
        let mut rounds = opened.into_iter();
        let mut round = || rounds.next().unwrap_or_default();
        let [main, chunks] = [round(), round()];
        let mut preprocessed = if self.preprocessed.is_some() { round() } else { Vec::new() };
        let (mut main, mut chunks, mut permutation) =
            (main.into_iter(), chunks.into_iter(), round().into_iter());
        let mut of_instance = |(i, instance): (usize, &Instance<'_, A>)| {
            let mut at = main.next().expect("a matrix of each instance").into_iter();
            let (trace_local, trace_next) = (at.next().expect("the values at zeta"), at.next());
            let quotient_chunks = chunks.by_ref().take(1 << sizes[i].log_chunks).flatten().collect();
            let preprocessed = self.preprocessed_of(i).map(|(place, _)| {
                let mut at = std::mem::take(&mut preprocessed[place]).into_iter();
                PreprocessedOpenedValues { local: at.next().expect("the values at zeta"), next: at.next() }
            });
            let of_lookups = (!instance.lookups.is_empty()).then(|| permutation.next()).flatten();
            let mut at = of_lookups.unwrap_or_default().into_iter();
            let mut next = || at.next().unwrap_or_default();
            let (permutation_local, permutation_next) = (next(), next());
            let base_opened_values =
                OpenedValues { trace_local, trace_next, preprocessed, quotient_chunks, random: None };
            OpenedValuesWithLookups { base_opened_values, permutation_local, permutation_next }
        };
        self.instances.iter().enumerate().map(&mut of_instance).collect()
    }

    /// Columns of the instances that are committed to.
    fn extensions(
        &self,
        memory: Memory<'_>,
        columns: Vec<Values<'_>>,
        sizes: &[Sizes],
        spare: Option<&Spare>,
    ) -> Result<Extensions<S::Inputs>, Error> {
        let columns = columns.into_iter().zip(sizes.iter().copied());
        Extensions::new(memory, columns, self.terms.cap_height, None, spare)
    }
}

/// The most elements in the device's memory of a batch, of whose instances the sizes and the numbers of wide columns are given.
fn required(instances: impl Iterator<Item = (Sizes, usize)>, degree: usize) -> Required {
    let none = Required { wide: 0, narrow: 0 };
    instances.fold(none, |sum, (sizes, columns)| {
        let Required { wide, narrow } = sizes.required(columns, degree);
        // Matrices of one height are hashed side by side in another; digests of shorter ones are merged with nodes, in two further heaps.
        let side_by_side = (columns as u64).saturating_add(24).saturating_mul(1 << sizes.log_extended());
        Required {
            wide: sum.wide.saturating_add(wide).saturating_add(side_by_side),
            narrow: sum.narrow.saturating_add(narrow),
        }
    })
}
