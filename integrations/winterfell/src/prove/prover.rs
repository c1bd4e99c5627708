//! The prover: `Prover::generate_proof`, step by step, with the same coin.

use tracing::info_span;
use winter_air::proof::{Proof, QuotientOodFrame, TraceOodFrame};
use winter_air::{Air, FieldExtension};
use winter_crypto::{BatchMerkleProof, VectorCommitment};
use winter_math::fields::f64::BaseElement;
use winter_math::fields::{CubeExtension, QuadExtension};
use winter_math::{FieldElement, StarkField, ToElements};
use winter_prover::{Prover, Trace};
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::Matrix;
use zkaccel::resident::Cosets;
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Memory, placed};

use super::channel::Channel;
use super::check::check;
use super::deep::Points;
use super::domains::{Domains, extension};
use super::error::ProveError;
use super::fri::{Layers, Schedule};
use super::memory::required;
use super::record::Recorded;
use super::segment::{Segment, words};
use super::{constraints, periodic, quotient, stock};
use crate::hashes::Accelerated;

/// Makes proofs in an engine's memory.
#[derive(Clone, Debug)]
pub struct Resident {
    engine: Engine,
    stock_evaluator: bool,
}

/// A proof, and how its constraints were evaluated.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The proof.
    pub proof: Proof,
    /// How its constraints were evaluated.
    pub constraints: Constraints,
}

/// How constraints were evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Constraints {
    /// By the engine, in its memory.
    Recorded,
    /// By the prover's own evaluator, in host memory, because they cannot be recorded.
    Stock {
        /// Why not.
        reason: String,
    },
}

impl Resident {
    /// By the engine of the process.
    pub fn new() -> Result<Self, Error> {
        Ok(Self::with_engine(&Engine::global()?))
    }

    /// By an engine of its own.
    pub fn with_engine(engine: &Engine) -> Self {
        Self { engine: engine.clone(), stock_evaluator: false }
    }

    /// Constraints that cannot be recorded, or whose record is found to be wrong, are left to the prover's own evaluator: the extensions of the trace are then copied to the host. The
    /// result tells. Otherwise such an AIR is an error.
    pub fn or_stock_evaluator(self) -> Self {
        Self { stock_evaluator: true, ..self }
    }

    /// Proves a trace, as `Prover::prove`. A wrong trace has a proof that does not verify.
    pub fn prove<P>(&self, prover: &P, trace: P::Trace) -> Result<Proved, ProveError>
    where
        P: Prover<BaseField = BaseElement>,
        P::HashFn: Accelerated,
        P::VC: VectorCommitment<P::HashFn, MultiProof = BatchMerkleProof<P::HashFn>>,
    {
        match prover.options().field_extension() {
            FieldExtension::None => self.generate::<BaseElement, P>(prover, trace),
            FieldExtension::Quadratic => self.generate::<QuadExtension<BaseElement>, P>(prover, trace),
            FieldExtension::Cubic => self.generate::<CubeExtension<BaseElement>, P>(prover, trace),
        }
    }

    fn generate<E, P>(&self, prover: &P, trace: P::Trace) -> Result<Proved, ProveError>
    where
        E: FieldElement<BaseField = BaseElement>,
        P: Prover<BaseField = BaseElement>,
        P::HashFn: Accelerated,
    {
        let engine = &self.engine;
        let public_inputs = prover.get_pub_inputs(&trace);
        let public_elements = public_inputs.to_elements();
        let air = P::Air::new(trace.info().clone(), public_inputs, prover.options().clone());
        let schedule = agreed(&air, &trace)?;
        let periodic_columns = air.get_periodic_column_values();
        periodic::check(&periodic_columns, air.trace_length())?;
        let recorded = info_span!("recording").in_scope(|| {
            let recorded = Recorded::new::<E, _>(&air, periodic_columns.len())?;
            check::<E, _>(engine, &air, &recorded, periodic_columns.len())?;
            Ok(recorded)
        });
        let recorded = match recorded {
            Err(error @ (ProveError::Recording(_) | ProveError::Recorded { .. })) if self.stock_evaluator => {
                Err(error.to_string())
            }
            recorded => Ok(recorded?),
        };

        let required = required::<E, _>(&air, &periodic_columns);
        let statement = Statement { prover, air, public_elements, periodic_columns, schedule, recorded };
        let mut trace = Some(trace);
        let (proved, _claim) = placed(engine, required, ProveError::of_engine, |memory| {
            statement.prove::<E>(memory, &mut trace)
        })?;
        Ok(proved)
    }
}

/// What is proved, of a trace that agrees with it.
struct Statement<'a, P: Prover> {
    prover: &'a P,
    air: P::Air,
    public_elements: Vec<BaseElement>,
    periodic_columns: Vec<Vec<BaseElement>>,
    schedule: Schedule,
    /// The constraints, or why they cannot be recorded.
    recorded: Result<Recorded, String>,
}

impl<P> Statement<'_, P>
where
    P: Prover<BaseField = BaseElement>,
    P::HashFn: Accelerated,
{
    /// The proof with all matrices in their places. The last place uses the trace up.
    fn prove<E: FieldElement<BaseField = BaseElement>>(
        &self,
        memory: Memory<'_>,
        trace: &mut Option<P::Trace>,
    ) -> Result<Proved, ProveError> {
        let Self { prover, air, schedule, .. } = self;
        let mut channel = Channel::<P::Air, P::RandomCoin>::new(air, self.public_elements.clone());
        let columns = trace.as_ref().expect("the trace until the last place");
        let values = info_span!("upload").in_scope(|| words(columns.main_segment()))?;
        let in_parts = extended_in_parts(memory, air, &values)?;
        // Of several devices, one has all matrices but those in parts: the one that has the first parts.
        let part = in_parts.as_ref().map(|extension| extension.parts()[0].clone());
        let memory = part.as_ref().map_or(memory, |part| memory.beside(part));
        let domains = Domains::new(memory, air, in_parts.is_some())?;
        let first = domains.roots.clone();
        let memory = memory.beside(&first);
        let domains = Domains { memory, ..domains };
        let partitions = prover.options().partition_options();
        let main = match in_parts {
            Some(extension) => {
                // To give back the memory of a large trace takes as long as to copy it.
                rayon::spawn(move || drop(values));
                Segment::<P::HashFn>::in_parts::<BaseElement>(&domains, extension, partitions)?
            }
            None => {
                let values = info_span!("upload").in_scope(|| memory.wide(values))?;
                Segment::<P::HashFn>::new::<BaseElement>(&domains, values, partitions)?
            }
        };
        channel.commit(main.commitment.root());
        let mut random = None;
        let mut auxiliary = None;
        if air.trace_info().is_multi_segment() {
            let elements = air.get_aux_rand_elements::<E, _>(&mut channel.coin)?;
            let built = info_span!("auxiliary").in_scope(|| prover.build_aux_trace(columns, &elements));
            agree("rows of the auxiliary segment", air.trace_length(), built.num_rows())?;
            let width = air.trace_info().get_aux_segment_width();
            agree("columns of the auxiliary segment", width, built.num_cols())?;
            let values = info_span!("upload").in_scope(|| words(&built))?;
            let segment = Segment::<P::HashFn>::beside::<E>(&domains, &main, values, partitions)?;
            channel.commit(segment.commitment.root());
            random = Some(elements);
            auxiliary = Some(segment);
        }
        if memory.is_last() {
            *trace = None;
        }

        let coefficients = channel.composition_coefficients::<E>()?;
        let span = info_span!("constraints").entered();
        let (composition, constraints) = match &self.recorded {
            Ok(recorded) => {
                let trace = constraints::Trace::new(&domains, &main, auxiliary.as_ref())?;
                let (columns, random) = (&self.periodic_columns, random.as_ref());
                let composition =
                    trace.composition(&domains, air, recorded, columns, random, &coefficients)?;
                (composition, Constraints::Recorded)
            }
            Err(reason) => {
                let composition =
                    stock::evaluate(memory, *prover, air, &main, auxiliary.as_ref(), random, coefficients)?;
                (composition, Constraints::Stock { reason: reason.clone() })
            }
        };
        drop(span);

        let count = air.context().num_constraint_composition_columns();
        let values =
            info_span!("composition").in_scope(|| quotient::columns(&domains, composition, count))?;
        let composition = Segment::<P::HashFn>::of_values::<E>(&domains, &main, values, partitions)?;
        channel.commit(composition.commitment.root());

        let span = info_span!("openings").entered();
        let segments: Vec<_> = [main.columns()]
            .into_iter()
            .chain(auxiliary.iter().chain([&composition]).map(Segment::extended_columns))
            .collect();
        let z: E = channel.draw()?;
        let points = Points::new(&domains, [z, z.mul_base(air.trace_domain_generator())])?;
        let rows = points.evaluate(&segments)?;
        let width = air.trace_info().width();
        let [(current, composed), (next, composed_next)] =
            rows.each_ref().map(|row| (row[..width].to_vec(), row[width..].to_vec()));
        channel.send_frames(
            &TraceOodFrame::new(current, next, air.trace_info().main_trace_width()),
            &QuotientOodFrame::new(composed, composed_next),
        );
        let coefficients = channel.deep_coefficients::<E>()?;
        let coefficients = [coefficients.trace, coefficients.constraints].concat();
        let polynomial = points.combine(&segments, &rows, &coefficients)?;
        drop((points, segments));
        drop(span);

        let layers = info_span!("fri").in_scope(|| {
            Layers::<E, P::HashFn>::fold(&domains, *schedule, polynomial, |root, is_last| {
                channel.commit(root);
                if is_last { Ok(E::ZERO) } else { Ok(channel.draw()?) }
            })
        })?;
        info_span!("grinding").in_scope(|| channel.grind());
        let positions = channel.positions()?;
        let _span = info_span!("queries").entered();
        // A device takes longest to answer, so all are asked for at once.
        let of_main = || main.commitment.queries::<BaseElement>(&positions);
        let of_segment = |segment: &Segment<P::HashFn>| segment.commitment.queries::<E>(&positions);
        let ((main, auxiliary), (constraint_queries, fri)) = rayon::join(
            || rayon::join(of_main, || auxiliary.as_ref().map(of_segment).transpose()),
            || rayon::join(|| of_segment(&composition), || layers.open(&positions)),
        );
        let trace_queries = [main?].into_iter().chain(auxiliary?).collect();
        Ok(Proved {
            proof: channel.proof(positions.len(), trace_queries, constraint_queries?, fri?),
            constraints,
        })
    }
}

/// The extension of the main segment by several devices together, if that is expected to end earlier than by one.
fn extended_in_parts<A: Air<BaseField = BaseElement>>(
    memory: Memory<'_>,
    air: &A,
    values: &Matrix<Element>,
) -> Result<Option<Cosets<Element>>, Error> {
    match memory.keeps_parts() {
        true => {
            info_span!("extension").in_scope(|| memory.engine.lde_divided(&extension(air)?, values.view()))
        }
        false => Ok(None),
    }
}

/// The foldings of FRI, if the trace and the options agree with the AIR, and this prover can do it.
fn agreed<A, T>(air: &A, trace: &T) -> Result<Schedule, ProveError>
where
    A: Air<BaseField = BaseElement>,
    T: Trace<BaseField = BaseElement>,
{
    let (info, main) = (air.trace_info(), trace.main_segment());
    agree("rows of the trace", info.length(), main.num_rows())?;
    agree("columns of the trace", info.main_trace_width(), main.num_cols())?;
    let (log_size, limit) = (air.lde_domain_size().ilog2(), BaseElement::TWO_ADICITY);
    if log_size > limit {
        return Err(ProveError::Unsupported(format!(
            "a domain of 2^{log_size} points, expected at most 2^{limit}"
        )));
    }
    let columns = air.context().num_constraint_composition_columns();
    if columns > air.ce_blowup_factor() {
        return Err(ProveError::Unsupported(format!(
            "a composition of {columns} columns, of constraints on {} times as many points as rows",
            air.ce_blowup_factor()
        )));
    }
    Schedule::new(air.options(), air.trace_length())
}

fn agree(what: &'static str, expected: usize, found: usize) -> Result<(), ProveError> {
    match expected == found {
        true => Ok(()),
        false => Err(ProveError::Mismatch { what, expected, found }),
    }
}
