//! The recorded constraints beside those that the AIR evaluates: they have to agree on random rows.

use winter_air::{Air, AuxRandElements, EvaluationFrame};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel::Engine;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::Order;
use zkaccel::program::ProgramRows;
use zkaccel_proofs::Words;

use super::error::ProveError;
use super::extension::{element, to_engine};
use super::record::Recorded;

/// The number of random rows.
const ROWS: usize = 8;

/// Compares the sums of constraints on random rows.
pub(super) fn check<E, A>(
    engine: &Engine,
    air: &A,
    recorded: &Recorded,
    periodic_columns: usize,
) -> Result<(), ProveError>
where
    E: FieldElement<BaseField = BaseElement>,
    A: Air<BaseField = BaseElement>,
{
    let (info, context) = (air.trace_info(), air.context());
    let mut words = Words::default();
    let words = &mut words;
    let main: Vec<Vec<BaseElement>> = rows(words, info.main_trace_width());
    let periodic: Vec<Vec<BaseElement>> = rows(words, periodic_columns);
    let auxiliary: Vec<Vec<E>> = rows(words, info.get_aux_segment_width());
    let random: Vec<E> = take(words, info.get_num_aux_segment_rand_elements());
    let coefficients: Vec<E> = take(words, context.num_transition_constraints());

    let inputs = [matrix(&main)?, matrix(&periodic)?, matrix(&auxiliary)?];
    let inputs: Vec<_> = inputs.iter().take(recorded.program.inputs().len()).collect();
    let all = ProgramRows { count: ROWS, stride: 1, order: Order::Natural };
    let values = recorded.values(&random, &coefficients);
    let found = engine.run_program(&recorded.program, all, &inputs, &values)?;

    let random = AuxRandElements::new(random);
    for row in 0..ROWS {
        let next = (row + 1) % ROWS;
        let frame = EvaluationFrame::from_rows(main[row].clone(), main[next].clone());
        let mut of_main = vec![BaseElement::ZERO; context.num_main_transition_constraints()];
        air.evaluate_transition(&frame, &periodic[row], &mut of_main);
        let mut of_auxiliary = vec![E::ZERO; context.num_aux_transition_constraints()];
        if info.is_multi_segment() {
            let auxiliary = EvaluationFrame::from_rows(auxiliary[row].clone(), auxiliary[next].clone());
            air.evaluate_aux_transition(&frame, &auxiliary, &periodic[row], &random, &mut of_auxiliary);
        }
        let constraints = of_main.into_iter().map(E::from).chain(of_auxiliary);
        let expected =
            constraints.zip(&coefficients).fold(E::ZERO, |sum, (value, &weight)| sum + value * weight);
        if element::<E>(found.row(row)) != expected {
            return Err(ProveError::Recorded { row });
        }
    }
    Ok(())
}

/// Rows of elements as the engine has them; a column of zeros where there are none.
fn matrix<E: FieldElement<BaseField = BaseElement>>(
    rows: &[Vec<E>],
) -> Result<Matrix<zkaccel::field::Goldilocks>, zkaccel::Error> {
    let words = rows.iter().flat_map(|row| E::slice_as_base_elements(row)).map(|&word| to_engine(word));
    let words: Vec<_> = words.collect();
    match words.len() / rows.len() {
        0 => Matrix::from_column(vec![Default::default(); rows.len()]),
        columns => Matrix::from_rows(words, rows.len(), columns),
    }
}

fn take<E: FieldElement<BaseField = BaseElement>>(words: &mut Words, count: usize) -> Vec<E> {
    (0..count).map(|_| element(words.take(E::EXTENSION_DEGREE))).collect()
}

fn rows<E: FieldElement<BaseField = BaseElement>>(words: &mut Words, columns: usize) -> Vec<Vec<E>> {
    (0..ROWS).map(|_| take(words, columns)).collect()
}
