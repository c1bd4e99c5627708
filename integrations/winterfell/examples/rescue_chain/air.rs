//! A chain of hashes, d_(i+1) = merge(d_i, 0) by Rp64_256, as an algebraic intermediate representation.
//!
//! Twelve registers hold the permutation's state. Of each eight steps, seven are rounds and the eighth starts the next hash: the
//! digest stays in the first half of the rate, all else is as `merge` of it with zero begins. A round raises to the seventh power on
//! either side of its middle: with x the state, y the next, M (x^7) + ark1 = (M^-1 (y - ark2))^7.

use winter_air::{
    Air, AirContext, Assertion, EvaluationFrame, ProofOptions, TraceInfo, TransitionConstraintDegree,
};
use winter_crypto::hashers::Rp64_256;
use winter_math::fields::f64::BaseElement;
use winter_math::{FieldElement, ToElements};
use winter_prover::TraceTable;

/// Steps that a hash takes.
pub const CYCLE: usize = 8;
const WIDTH: usize = 12;
const ROUNDS: usize = CYCLE - 1;
/// Where the digest is, in the state.
const DIGEST: std::ops::Range<usize> = 4..8;

/// Where the chain starts and where it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    pub seed: [BaseElement; 4],
    pub result: [BaseElement; 4],
}

impl ToElements<BaseElement> for Ends {
    fn to_elements(&self) -> Vec<BaseElement> {
        [self.seed, self.result].concat()
    }
}

/// The state with which the merge of a digest with zero begins.
fn start(digest: [BaseElement; 4]) -> [BaseElement; WIDTH] {
    let mut state = [BaseElement::ZERO; WIDTH];
    state[0] = BaseElement::new(8);
    state[DIGEST].copy_from_slice(&digest);
    state
}

/// The trace of so many steps, a power of two and a multiple of eight.
pub fn trace(seed: [BaseElement; 4], steps: usize) -> TraceTable<BaseElement> {
    let mut trace = TraceTable::new(WIDTH, steps);
    let fill = |state: &mut [BaseElement]| state.copy_from_slice(&start(seed));
    trace.fill(fill, |step, state| {
        let state: &mut [BaseElement; WIDTH] = state.try_into().expect("twelve registers");
        match step % CYCLE {
            ROUNDS => *state = start(state[DIGEST].try_into().expect("four words")),
            round => Rp64_256::apply_round(state, round),
        }
    });
    trace
}

/// The ends of a trace.
pub fn ends(trace: &TraceTable<BaseElement>) -> Ends {
    let digest = |step| DIGEST.map(|register| trace.get(register, step)).collect::<Vec<_>>();
    let digest = |step| digest(step).try_into().expect("four words");
    Ends { seed: digest(0), result: digest(trace_steps(trace) - 1) }
}

fn trace_steps(trace: &TraceTable<BaseElement>) -> usize {
    use winter_prover::Trace;
    trace.length()
}

pub struct ChainAir {
    context: AirContext<BaseElement>,
    ends: Ends,
}

impl Air for ChainAir {
    type BaseField = BaseElement;
    type PublicInputs = Ends;

    fn new(info: TraceInfo, ends: Ends, options: ProofOptions) -> Self {
        let degrees = vec![TransitionConstraintDegree::with_cycles(7, vec![CYCLE]); WIDTH];
        Self { context: AirContext::new(info, degrees, 8, options), ends }
    }

    fn context(&self) -> &AirContext<BaseElement> {
        &self.context
    }

    fn evaluate_transition<E: FieldElement<BaseField = BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        periodic: &[E],
        result: &mut [E],
    ) {
        let (x, y) = (frame.current(), frame.next());
        let (round, constants) = (periodic[0], &periodic[1..]);
        let (ark1, ark2) = constants.split_at(WIDTH);
        let powers: Vec<E> = x.iter().map(|&x| seventh_power(x)).collect();
        let before: Vec<E> = y.iter().zip(ark2).map(|(&y, &ark)| y - ark).collect();
        for (i, result) in result.iter_mut().enumerate() {
            let middle = dot(&Rp64_256::MDS[i], &powers) + ark1[i];
            let other_side = seventh_power(dot(&Rp64_256::INV_MDS[i], &before));
            let expected = match i {
                0 => E::from(BaseElement::new(8)),
                _ if DIGEST.contains(&i) => x[i],
                _ => E::ZERO,
            };
            *result = round * (middle - other_side) + (E::ONE - round) * (y[i] - expected);
        }
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        let last = self.trace_length() - 1;
        let (seed, result) = (self.ends.seed, self.ends.result);
        DIGEST
            .zip(seed.into_iter().zip(result))
            .flat_map(|(register, (seed, result))| {
                [Assertion::single(register, 0, seed), Assertion::single(register, last, result)]
            })
            .collect()
    }

    fn get_periodic_column_values(&self) -> Vec<Vec<BaseElement>> {
        let rounds = |value: &dyn Fn(usize) -> BaseElement| {
            (0..CYCLE).map(|step| if step < ROUNDS { value(step) } else { BaseElement::ZERO }).collect()
        };
        let constants = [&Rp64_256::ARK1, &Rp64_256::ARK2]
            .into_iter()
            .flat_map(|ark| (0..WIDTH).map(move |register| rounds(&|round| ark[round][register])));
        std::iter::once(rounds(&|_| BaseElement::ONE)).chain(constants).collect()
    }
}

fn seventh_power<E: FieldElement>(x: E) -> E {
    let square = x.square();
    square.square() * square * x
}

fn dot<E: FieldElement<BaseField = BaseElement>>(row: &[BaseElement; WIDTH], x: &[E]) -> E {
    row.iter().zip(x).fold(E::ZERO, |sum, (&entry, &x)| sum + x.mul_base(entry))
}
