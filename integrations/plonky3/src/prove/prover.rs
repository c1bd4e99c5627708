//! The prover: `p3_uni_stark::prove_with_preprocessed`, step by step, with the same transcript.

use p3_challenger::{CanObserve, CanSample, FieldChallenger, GrindingChallenger};
use p3_field::{ExtensionField, PrimeCharacteristicRing};
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleCap;
use p3_uni_stark::{
    Commitments, OpenedValues, PreprocessedOpenedValues, PreprocessedVerifierKey, Proof, QuotientAir,
    StarkGenericConfig, StarkProverTranscript, StarkShape, get_log_num_quotient_chunks, quotient_values,
};
use tracing::info_span;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::{MatrixInput, MatrixRef, Shape};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Claim, Memory, Placement};

use super::columns::ColumnCache;
use super::commitment::{Commitment, Part};
use super::constraints::{Constraints, agree, check_terms, log_height};
use super::error::ProveError;
use super::extended::{Extensions, Sizes, Spare};
use super::masks::{self, Masks};
use super::open::{self, Request};
use super::record::Recorded;
use super::residence::{Values, placed};
use super::scheme::{Scheme, Terms};
use super::{masked, quotient};
use crate::elements::as_it_is;
use crate::hashes::Accelerated;

/// An AIR whose constraints are recorded, with a configuration. After a proof it keeps six columns in the engine's memory that proofs of equal size need, points and selectors, and in host memory that of the extension, for the next one.
pub struct Prover<'a, SC, A> {
    engine: Engine,
    config: &'a SC,
    air: &'a A,
    constraints: Constraints,
    /// The number of chunks of the quotient, if it is the same for all traces.
    log_chunks: Option<usize>,
    terms: Terms,
    columns: ColumnCache,
    spare: Spare,
}

/// The preprocessed columns of an AIR, extended and committed to in the engine's memory.
pub struct Preprocessed<H: Accelerated> {
    sizes: Sizes,
    extensions: Extensions<H>,
    _claim: Claim,
}

impl<'a, SC, A, S, EF, C> Prover<'a, SC, A>
where
    SC: StarkGenericConfig<Pcs = S, Challenge = EF, Challenger = C>,
    A: QuotientAir<SC>,
    S: Scheme<EF, C>,
    EF: ExtensionField<Goldilocks>,
    C: FieldChallenger<Goldilocks>
        + GrindingChallenger<Witness = Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, <S::Inputs as Accelerated>::Digest>>
        + CanObserve<MerkleCap<Goldilocks, <S::Layers as Accelerated>::Digest>>
        + CanSample<EF>,
{
    /// Records the constraints of an AIR, and compares them with the AIR's own evaluation on random rows.
    ///
    /// The engine is that of the process.
    pub fn new(config: &'a SC, air: &'a A) -> Result<Self, ProveError> {
        Self::with_engine(&Engine::global()?, config, air)
    }

    /// The same with an engine of its own. That of the process does what the configuration does by itself: it is asked for the caps' heights, and the AIR's periodic columns on
    /// random rows.
    pub fn with_engine(engine: &Engine, config: &'a SC, air: &'a A) -> Result<Self, ProveError> {
        agree("is_zk of a configuration, that of its scheme", S::ZK as usize, config.is_zk())?;
        let terms = config.pcs().terms();
        check_terms(&terms, EF::DIMENSION)?;
        let mut prover = Self {
            engine: engine.clone(),
            config,
            air,
            constraints: Constraints::new(air, || Recorded::of_air::<EF, A>(air))?,
            log_chunks: None,
            terms,
            columns: ColumnCache::default(),
            spare: Spare::default(),
        };
        if !prover.constraints.has_periodic_columns() {
            prover.log_chunks = Some(prover.log_chunks(0));
        }
        prover.check()?;
        Ok(prover)
    }

    /// Proves a trace, as `p3_uni_stark::prove`. A wrong trace has a proof that does not verify.
    pub fn prove(
        &self,
        trace: RowMajorMatrix<Goldilocks>,
        public_values: &[Goldilocks],
    ) -> Result<Proof<SC>, ProveError> {
        self.prove_of(trace, public_values, None)
    }

    /// The same with the AIR's preprocessed columns, as `p3_uni_stark::prove_with_preprocessed`.
    pub fn prove_with_preprocessed(
        &self,
        trace: RowMajorMatrix<Goldilocks>,
        public_values: &[Goldilocks],
        preprocessed: &Preprocessed<S::Inputs>,
    ) -> Result<Proof<SC>, ProveError> {
        self.prove_of(trace, public_values, Some(preprocessed))
    }

    /// The same for a trace that is in the memory of the prover's engine already: made there, or uploaded from memory that is page-locked. Where the device's budget has no room for the proof, it is
    /// copied to the host; so is a trace that is to be hidden, between whose rows come others.
    pub fn prove_resident(
        &self,
        trace: DeviceMatrix<Element>,
        public_values: &[Goldilocks],
        preprocessed: Option<&Preprocessed<S::Inputs>>,
    ) -> Result<Proof<SC>, ProveError> {
        let Shape { rows, columns, .. } = trace.shape();
        let sizes = self.agreed((rows, columns), public_values, preprocessed)?;
        let (engine, placement) = (&self.engine, Placement::Device);
        if let Some(masks) = &self.terms.masks {
            let hidden = hidden(masks, &masks::rows_of(engine.download(&trace)?.view()));
            drop(trace);
            return self.prove_placed(sizes, hidden, public_values, preprocessed);
        }
        let required = sizes.required(columns, EF::DIMENSION);
        let claim = Claim::of(engine, required.bytes(placement));
        if engine.device_budget().is_none() || claim.is_some() && trace.as_host().is_none() {
            let memory = Memory::new(engine, placement, required.elements());
            return self.prove_agreed(memory, sizes, trace.into(), public_values, preprocessed);
        }
        drop(claim);
        let values = engine.download(&trace)?;
        drop(trace);
        self.prove_placed(sizes, values.into(), public_values, preprocessed)
    }

    /// The same for a trace that the caller keeps. From [page-locked memory](Engine::pinned) a device copies it without the host's threads, and each of several devices its part.
    pub fn prove_borrowed(
        &self,
        trace: MatrixRef<'_, Element>,
        public_values: &[Goldilocks],
        preprocessed: Option<&Preprocessed<S::Inputs>>,
    ) -> Result<Proof<SC>, ProveError> {
        let Shape { rows, columns, .. } = trace.shape();
        let sizes = self.agreed((rows, columns), public_values, preprocessed)?;
        let trace = match &self.terms.masks {
            Some(masks) => hidden(masks, &masks::rows_of(trace)),
            None => trace.into(),
        };
        self.prove_placed(sizes, trace, public_values, preprocessed)
    }

    /// Commits to the preprocessed columns of the AIR, for traces of 2^`log_rows` rows; what verifiers need is equal to that of
    /// `p3_uni_stark::setup_preprocessed`. `None` for an AIR without such columns.
    #[allow(clippy::type_complexity, reason = "two types side by side")]
    pub fn preprocess(
        &self,
        log_rows: usize,
    ) -> Result<Option<(Preprocessed<S::Inputs>, PreprocessedVerifierKey<SC>)>, ProveError> {
        let Some(columns) = self.air.preprocessed_trace().filter(|columns| columns.width() > 0) else {
            return Ok(None);
        };
        let sizes = self.sizes(log_rows)?;
        agree("rows of the preprocessed columns", 1 << log_rows, columns.height())?;
        let width = self.constraints.recorded.layout.preprocessed_width;
        agree("preprocessed columns", width, columns.width())?;
        // They are known to all, so there are zeros between their rows where a trace has random ones.
        let columns = match sizes.hiding {
            Some(_) => RowMajorMatrix::new(columns.with_zero_cols(width).values, width),
            None => columns,
        };
        let (extensions, _claim) = self.placed(sizes, as_it_is(columns).into(), |memory, columns| {
            Ok(self.extensions(memory, columns, sizes, None)?)
        })?;
        let commitment = extensions.cap.clone();
        let key = PreprocessedVerifierKey { width, degree_bits: sizes.log_committed(), commitment };
        Ok(Some((Preprocessed { sizes, extensions, _claim }, key)))
    }

    /// Proves a trace in the caller's memory.
    fn prove_of(
        &self,
        trace: RowMajorMatrix<Goldilocks>,
        public_values: &[Goldilocks],
        preprocessed: Option<&Preprocessed<S::Inputs>>,
    ) -> Result<Proof<SC>, ProveError> {
        let sizes = self.agreed((trace.height(), trace.width()), public_values, preprocessed)?;
        let trace = match &self.terms.masks {
            Some(masks) => hidden(masks, &trace),
            None => as_it_is(trace).into(),
        };
        self.prove_placed(sizes, trace, public_values, preprocessed)
    }

    /// Proves a trace that agrees with the AIR, where there is room for it.
    fn prove_placed(
        &self,
        sizes: Sizes,
        trace: MatrixInput<'_, Element>,
        public_values: &[Goldilocks],
        preprocessed: Option<&Preprocessed<S::Inputs>>,
    ) -> Result<Proof<SC>, ProveError> {
        let prove = |memory: Memory<'_>, trace: Values<'_>| {
            self.prove_agreed(memory, sizes, trace, public_values, preprocessed)
        };
        Ok(self.placed(sizes, trace, prove)?.0)
    }

    /// Does something with columns in a place for which there is room.
    fn placed<R>(
        &self,
        sizes: Sizes,
        columns: MatrixInput<'_, Element>,
        run: impl Fn(Memory<'_>, Values<'_>) -> Result<R, ProveError>,
    ) -> Result<(R, Claim), ProveError> {
        let required = sizes.required(columns.shape().columns, EF::DIMENSION);
        placed(&self.engine, required, vec![columns], |memory, mut columns| {
            run(memory, columns.swap_remove(0))
        })
    }

    /// The sizes of a proof, if what is given for it agrees with the AIR.
    fn agreed(
        &self,
        (rows, columns): (usize, usize),
        public_values: &[Goldilocks],
        preprocessed: Option<&Preprocessed<S::Inputs>>,
    ) -> Result<Sizes, ProveError> {
        let layout = self.constraints.recorded.layout;
        let log_rows = log_height(rows)?;
        agree("columns of the trace", layout.main_width, columns)?;
        agree("public values", layout.num_public_values, public_values.len())?;
        let sizes = self.sizes(log_rows)?;
        match preprocessed {
            None if layout.preprocessed_width > 0 => {
                let what = "preprocessed columns without their commitment, which Prover::preprocess makes";
                return Err(ProveError::Unsupported(what.into()));
            }
            None => {}
            Some(Preprocessed { sizes: theirs, extensions, .. }) => {
                agree("rows of the trace, those of the preprocessed columns", 1 << theirs.log_rows, rows)?;
                let width = extensions.commitment.parts[0].widths[0];
                agree("preprocessed columns", layout.preprocessed_width, width)?;
                if *theirs != sizes {
                    let what = "preprocessed columns of a prover with another AIR or configuration";
                    return Err(ProveError::Unsupported(what.into()));
                }
            }
        }
        Ok(sizes)
    }

    /// Proves a trace that agrees with the AIR.
    fn prove_agreed(
        &self,
        memory: Memory<'_>,
        sizes: Sizes,
        trace: Values<'_>,
        public_values: &[Goldilocks],
        preprocessed: Option<&Preprocessed<S::Inputs>>,
    ) -> Result<Proof<SC>, ProveError> {
        let (layout, Sizes { log_rows, log_chunks, .. }) = (self.constraints.recorded.layout, sizes);
        let trace = self.extensions(memory, trace, sizes, Some(&self.spare))?;
        let first = trace.first_part();
        let memory = memory.beside(&first);
        let mut challenger = self.config.initialise_challenger();
        let shape = StarkShape::new::<Goldilocks, A>(
            self.air,
            layout.preprocessed_width,
            sizes.log_committed(),
            log_rows,
            1 << log_chunks,
            S::ZK,
            self.config.ood_proof_of_work_bits(),
        );
        let mut transcript = StarkProverTranscript::<C, Goldilocks, EF>::new(&mut challenger, shape);
        let alpha = transcript.constraint_phase(
            trace.cap.clone(),
            preprocessed.map(|columns| columns.extensions.cap.clone()),
            public_values,
        );
        let proof =
            self.after_trace(memory, sizes, trace, public_values, preprocessed, alpha, &mut transcript);
        match proof {
            Ok(_) => transcript.finish(),
            Err(_) => transcript.abort(),
        }
        Ok(proof?)
    }

    /// The proof from the first challenge on.
    #[allow(clippy::too_many_arguments, reason = "what the rest of a proof is made of")]
    fn after_trace(
        &self,
        memory: Memory<'_>,
        sizes: Sizes,
        trace: Extensions<S::Inputs>,
        public_values: &[Goldilocks],
        preprocessed: Option<&Preprocessed<S::Inputs>>,
        alpha: EF,
        transcript: &mut StarkProverTranscript<'_, C, Goldilocks, EF>,
    ) -> Result<Proof<SC>, Error> {
        let (engine, terms) = (memory.engine, &self.terms);
        let (masks, salts) = (terms.masks.as_ref(), terms.masks.as_ref().map(|masks| &masks.inputs));
        let codewords = masks.map_or(0, |masks| masks.codewords);
        let preprocessed = preprocessed.map(|columns| &columns.extensions);
        let columns = self.columns.of(memory, &[sizes])?;

        let span = info_span!("constraints").entered();
        let values = self.constraints.recorded.values(alpha, public_values, &[]);
        let extended = preprocessed.map(|columns| &columns.extended[0]);
        let quotient =
            self.constraints.quotient(memory, &columns[0], &trace.extended[0], extended, None, &values)?;
        drop(span);
        let span = info_span!("quotient").entered();
        let chunks = quotient::chunks(engine, quotient, sizes)?;
        let chunks = match masks {
            Some(masks) => masked::chunks(memory, chunks, sizes, masks)?,
            None => quotient::extension(engine, chunks, sizes)?,
        };
        let widths = vec![EF::DIMENSION + codewords; 1 << sizes.log_chunks];
        let chunks = Part::new(engine, chunks, widths, salts)?;
        let chunks = Commitment::<S::Inputs>::new(engine, vec![chunks], terms.cap_height)?;
        let quotient_chunks = chunks.cap()?;
        let random = masks.map(|masks| self.random_polynomial(memory, sizes, masks)).transpose()?;
        drop(span);
        let random_cap = random.as_ref().map(|random| random.cap.clone());
        let commitments = Commitments { trace: trace.cap.clone(), quotient_chunks, random: random_cap };

        let (zeta, witness) =
            transcript.ood_phase(commitments.quotient_chunks.clone(), commitments.random.clone());
        let Constraints { main_next, preprocessed_next, .. } = self.constraints;
        let request = |commitment, next, codewords| Request { commitment, next: vec![next], codewords };
        let random = random.as_ref().map(|random| request(&random.commitment, false, codewords));
        let requests = random
            .into_iter()
            .chain([request(&trace.commitment, main_next, codewords), request(&chunks, false, codewords)]);
        let preprocessed = preprocessed.map(|columns| request(&columns.commitment, preprocessed_next, 0));
        let requests: Vec<_> = requests.chain(preprocessed).collect();
        let (opened, openings) = transcript.delegate(|challenger| {
            open::open::<_, S::Layers, _, _>(memory, terms, &columns, zeta, &requests, challenger)
        })?;

        self.spare.keep(trace);

        let mut rounds = opened.into_iter();
        let mut round = || rounds.next().into_iter().flatten();
        let random = masks.and_then(|_| round().flatten().next());
        let mut trace = round().flatten();
        let (trace_local, trace_next) = (trace.next().expect("the values at zeta"), trace.next());
        let quotient_chunks = round().flatten().collect();
        let mut columns = round().flatten();
        let preprocessed =
            columns.next().map(|local| PreprocessedOpenedValues { local, next: columns.next() });
        let opened_values = OpenedValues { trace_local, trace_next, preprocessed, quotient_chunks, random };
        let (opening_proof, ood_pow_witness) = (S::proof(openings), witness.unwrap_or(Goldilocks::ZERO));
        let degree_bits = sizes.log_committed();
        Ok(Proof { commitments, opened_values, opening_proof, degree_bits, ood_pow_witness })
    }

    /// Columns that are committed to.
    fn extensions(
        &self,
        memory: Memory<'_>,
        columns: Values<'_>,
        sizes: Sizes,
        spare: Option<&Spare>,
    ) -> Result<Extensions<S::Inputs>, Error> {
        let Terms { cap_height, masks, .. } = &self.terms;
        let salts = masks.as_ref().map(|masks| &masks.inputs);
        Extensions::new(memory, [(columns, sizes)], *cap_height, salts, spare)
    }

    /// The random polynomial that is opened beside the others.
    fn random_polynomial(
        &self,
        memory: Memory<'_>,
        sizes: Sizes,
        masks: &Masks,
    ) -> Result<Extensions<S::Inputs>, Error> {
        let values = masks.polynomial(1 << sizes.log_committed(), EF::DIMENSION);
        // It takes no part in the quotient.
        self.extensions(memory, memory.narrow(values)?.into(), Sizes { log_chunks: 0, ..sizes }, None)
    }

    /// The sizes of a proof; an error for those that do not fit.
    fn sizes(&self, log_rows: usize) -> Result<Sizes, ProveError> {
        let log_chunks = || self.log_chunks.unwrap_or_else(|| self.log_chunks(log_rows));
        self.constraints.sizes(&self.terms, EF::DIMENSION, log_rows, log_chunks)
    }

    /// The logarithm of the number of chunks of the quotient, for a trace of 2^`log_rows` rows.
    fn log_chunks(&self, log_rows: usize) -> usize {
        let (layout, is_zk) = (self.constraints.recorded.layout, self.terms.masks.is_some() as usize);
        get_log_num_quotient_chunks::<Goldilocks, A>(self.air, layout, 1 << log_rows, is_zk) + is_zk
    }

    /// The recorded constraints are those of the AIR.
    fn check(&self) -> Result<(), ProveError> {
        let log_chunks = |log_rows| self.log_chunks.unwrap_or_else(|| self.log_chunks(log_rows));
        self.constraints.check(&self.engine, log_chunks, |rows| {
            quotient_values::<SC, A, RowMajorMatrix<Goldilocks>>(
                self.config.pcs(),
                self.air,
                &rows.public_values,
                self.constraints.recorded.layout,
                rows.domain,
                rows.coset,
                &rows.trace,
                rows.preprocessed.as_ref(),
                rows.alpha,
            )
        })
    }
}

/// A trace with what hides it.
fn hidden(masks: &Masks, trace: &RowMajorMatrix<Goldilocks>) -> MatrixInput<'static, Element> {
    as_it_is(info_span!("random numbers").in_scope(|| masks.hide(trace))).into()
}
