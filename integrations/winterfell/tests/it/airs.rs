//! Small AIRs that have everything that an AIR can have.

use winter_air::{
    Air, AirContext, Assertion, AuxRandElements, EvaluationFrame, ProofOptions, TraceInfo,
    TransitionConstraintDegree,
};
use winter_math::fields::f64::BaseElement;
use winter_math::{ExtensionOf, FieldElement};

use super::table::{Provable, Table};

fn int(value: usize) -> BaseElement {
    BaseElement::new(value as u64)
}

/// x' = x^3 + 42, from 3 to the last value, by evaluations that cannot all be recorded.
pub struct Work {
    context: AirContext<BaseElement>,
    last: BaseElement,
}

/// How an AIR evaluates its constraint.
#[derive(Clone, Copy, Debug)]
pub enum Evaluation {
    Plain,
    /// It compares values.
    Compares,
    /// It divides by values.
    Divides,
    /// It looks at coordinates.
    Looks,
    /// It is another over types of elements that it does not know.
    Changes,
    Panics,
}

impl Work {
    pub fn trace(rows: usize) -> Table {
        Self::evaluated_by(Evaluation::Plain, rows)
    }

    pub fn evaluated_by(evaluation: Evaluation, rows: usize) -> Table {
        let next = |x: &BaseElement| Some(x.cube() + int(42));
        let trace = Table::new(vec![std::iter::successors(Some(int(3)), next).take(rows).collect()], 0, 0);
        Table { info: TraceInfo::with_meta(1, rows, vec![evaluation as u8]), ..trace }
    }
}

impl Provable for Work {
    fn public_inputs(trace: &Table) -> BaseElement {
        *trace.columns[0].last().unwrap()
    }
}

impl Air for Work {
    type BaseField = BaseElement;
    type PublicInputs = BaseElement;

    fn new(info: TraceInfo, last: BaseElement, options: ProofOptions) -> Self {
        Self { context: AirContext::new(info, vec![TransitionConstraintDegree::new(3)], 2, options), last }
    }

    fn context(&self) -> &AirContext<BaseElement> {
        &self.context
    }

    fn evaluate_transition<E: FieldElement<BaseField = BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        _: &[E],
        result: &mut [E],
    ) {
        let (x, y) = (frame.current()[0], frame.next()[0]);
        result[0] = y - (x.exp(3u32.into()) + E::from(42u32));
        let is = |evaluation: Evaluation| self.trace_info().meta().first() == Some(&(evaluation as u8));
        if is(Evaluation::Compares) && x == E::ZERO {
            result[0] = y - E::from(42u32);
        }
        if is(Evaluation::Divides) {
            result[0] = result[0] * (x + E::ONE) / (x + E::ONE);
        }
        if is(Evaluation::Looks) {
            result[0] += E::from(x.base_element(0) - x.base_element(0));
        }
        if is(Evaluation::Changes) && std::any::type_name::<E>().ends_with("Symbol") {
            result[0] += x;
        }
        if is(Evaluation::Panics) && std::any::type_name::<E>().ends_with("Symbol") {
            panic!("a type of elements that is not known");
        }
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        let last = self.trace_length() - 1;
        vec![Assertion::single(0, 0, int(3)), Assertion::single(0, last, self.last)]
    }
}

/// A counter c, a column that repeats a period k, and f' = f^2 j + c with j of another period; constraints do not hold on the last steps. Assertions of all kinds.
pub struct Mixed {
    context: AirContext<BaseElement>,
}

const K: [usize; 4] = [9, 8, 7, 5];
const J: [usize; 8] = [1, 0, 3, 0, 2, 1, 5, 1];
/// Steps on which constraints need not hold.
const EXEMPT: usize = 33;

impl Mixed {
    pub fn trace(rows: usize) -> Table {
        // What is exempt is anything.
        let exempt = |row| (row > rows - EXEMPT && row % 2 == 1) as usize;
        let mut last = vec![int(0)];
        for row in 1..rows {
            let f = last[row - 1];
            last.push(f.square() * int(J[(row - 1) % 8]) + int(row - 1 + exempt(row)));
        }
        let counter = (0..rows).map(int).collect();
        let periodic = (0..rows).map(|row| int(K[(row + 3) % 4] + exempt(row))).collect();
        Table::new(vec![counter, periodic, last], 0, 0)
    }
}

impl Provable for Mixed {
    fn public_inputs(_: &Table) {}
}

impl Air for Mixed {
    type BaseField = BaseElement;
    type PublicInputs = ();

    fn new(info: TraceInfo, (): (), options: ProofOptions) -> Self {
        let degrees = [(1, vec![]), (1, vec![]), (2, vec![8])];
        let degrees = degrees.map(|(degree, cycles)| match cycles.is_empty() {
            true => TransitionConstraintDegree::new(degree),
            false => TransitionConstraintDegree::with_cycles(degree, cycles),
        });
        let context = AirContext::new(info, degrees.to_vec(), 6, options);
        Self { context: context.set_num_transition_exemptions(EXEMPT) }
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
        // A quotient of constants, and what needs not be computed.
        let one = E::from(6u8) / E::from(BaseElement::new(6)) + (x[0] + E::ZERO - x[0]);
        result[0] = y[0] - x[0] - one;
        result[1] = y[1] - periodic[0];
        result[2] = -(x[2].square() * periodic[1] + x[0] - y[2]);
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        let rows = self.trace_length();
        let counted = |first: usize, stride: usize| {
            Assertion::sequence(
                0,
                first,
                stride,
                (0..rows / stride).map(|i| int(first + i * stride)).collect(),
            )
        };
        vec![
            Assertion::single(0, 2, int(2)),
            Assertion::single(2, 0, int(0)),
            Assertion::periodic(1, 2, 4, int(K[1])),
            Assertion::periodic(1, 0, 8, int(K[3])),
            counted(0, 16),
            counted(1, 2),
        ]
    }

    fn get_periodic_column_values(&self) -> Vec<Vec<BaseElement>> {
        vec![K.map(int).to_vec(), J.map(int).to_vec()]
    }
}

/// Columns a and b are permutations of each other. With random r and s the auxiliary columns are the running product of (a + r) / (b + r), s a + 1 / r as a sum, and r times the row's number. With a trace of meta data it compares values.
pub struct Permutation {
    context: AirContext<BaseElement>,
}

impl Permutation {
    pub fn trace(rows: usize) -> Table {
        let a: Vec<_> = (0..rows).map(|row| int(row * row + 5)).collect();
        let b = (0..rows).map(|row| if row == rows - 1 { a[row] } else { a[rows - 2 - row] }).collect();
        Table::new(vec![a, b], 3, 2)
    }
}

impl Provable for Permutation {
    fn public_inputs(_: &Table) {}

    fn auxiliary<E: FieldElement<BaseField = BaseElement>>(trace: &Table, random: &[E]) -> Vec<Vec<E>> {
        let rows = trace.info.length();
        let (mut product, mut sum, mut count) = (vec![E::ONE], vec![random[1]], vec![E::ZERO]);
        for row in 0..rows - 1 {
            let [a, b] = [0, 1].map(|column| E::from(trace.columns[column][row]));
            product.push(product[row] * (a + random[0]) / (b + random[0]));
            sum.push(sum[row] + random[1].mul_base(trace.columns[0][row]));
            count.push(count[row] + random[0]);
        }
        vec![product, sum, count]
    }
}

impl Air for Permutation {
    type BaseField = BaseElement;
    type PublicInputs = ();

    fn new(info: TraceInfo, (): (), options: ProofOptions) -> Self {
        let main = vec![TransitionConstraintDegree::with_cycles(2, vec![2])];
        let auxiliary = [2, 1, 1].map(TransitionConstraintDegree::new).to_vec();
        Self { context: AirContext::new_multi_segment(info, main, auxiliary, 1, 5, options) }
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
        // From each square plus 5 to the next: with x = i^2 + 5 and d = y - x = 2 i + 1, d^2 = 4 (x - 5) + 2 d - 1.
        let (x, y) = (frame.current()[0], frame.next()[0]);
        if self.trace_info().meta() == [1] && x == y {
            return;
        }
        let d = y - x;
        let constraint = d.square() - (x - E::from(5u16)).double().double() - d.double() + E::ONE;
        result[0] = (periodic[0] + E::ONE) * constraint;
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        vec![Assertion::single(0, 0, int(5))]
    }

    fn evaluate_aux_transition<F, E>(
        &self,
        main: &EvaluationFrame<F>,
        auxiliary: &EvaluationFrame<E>,
        periodic: &[F],
        random: &AuxRandElements<E>,
        result: &mut [E],
    ) where
        F: FieldElement<BaseField = BaseElement>,
        E: FieldElement<BaseField = BaseElement> + ExtensionOf<F>,
    {
        let (x, y, random) = (auxiliary.current(), auxiliary.next(), random.rand_elements());
        let [a, b] = [0, 1].map(|column| main.current()[column]);
        result[0] = y[0] * (random[0] + b.into()) - x[0] * (random[0] + a.into());
        result[1] = y[1] - x[1] - random[1].mul_base(a);
        // With a sum of the other field's elements, which vanishes.
        let nothing = E::from(a + b) - E::from(b) - E::from(a);
        result[2] = y[2] - x[2] - random[0] * E::from(periodic[0] + F::ONE - periodic[0]) + nothing;
    }

    fn get_aux_assertions<E: FieldElement<BaseField = BaseElement>>(
        &self,
        random: &AuxRandElements<E>,
    ) -> Vec<Assertion<E>> {
        let (rows, random) = (self.trace_length(), random.rand_elements());
        let counted = |first: usize, stride: usize| {
            let values = (0..rows / stride).map(|i| random[0].mul_base(int(first + i * stride)));
            Assertion::sequence(2, first, stride, values.collect())
        };
        vec![
            Assertion::single(0, 0, E::ONE),
            Assertion::single(0, rows - 1, E::ONE),
            Assertion::single(1, 0, random[1]),
            counted(2, 4),
            counted(1, 8),
        ]
    }

    fn get_periodic_column_values(&self) -> Vec<Vec<BaseElement>> {
        vec![vec![BaseElement::ZERO, BaseElement::ONE]]
    }
}

/// Any number of columns, in each of which x' = x^2 + its number.
pub struct Wide {
    context: AirContext<BaseElement>,
}

impl Wide {
    pub fn trace(rows: usize, columns: usize) -> Table {
        let column = |number| {
            let next = move |x: &BaseElement| Some(x.square() + int(number));
            std::iter::successors(Some(int(3)), next).take(rows).collect()
        };
        Table::new((0..columns).map(column).collect(), 0, 0)
    }
}

impl Provable for Wide {
    fn public_inputs(_: &Table) {}
}

impl Air for Wide {
    type BaseField = BaseElement;
    type PublicInputs = ();

    fn new(info: TraceInfo, (): (), options: ProofOptions) -> Self {
        let degrees = vec![TransitionConstraintDegree::new(2); info.main_trace_width()];
        let assertions = info.main_trace_width();
        Self { context: AirContext::new(info, degrees, assertions, options) }
    }

    fn context(&self) -> &AirContext<BaseElement> {
        &self.context
    }

    fn evaluate_transition<E: FieldElement<BaseField = BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        _: &[E],
        result: &mut [E],
    ) {
        let rows = frame.current().iter().zip(frame.next());
        for (number, (result, (x, y))) in result.iter_mut().zip(rows).enumerate() {
            *result = *y - x.square() - E::from(number as u32);
        }
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        (0..self.trace_info().main_trace_width()).map(|column| Assertion::single(column, 0, int(3))).collect()
    }
}
