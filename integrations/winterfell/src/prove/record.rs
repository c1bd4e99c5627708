//! The row program of an AIR: its transition constraints, evaluated over symbols and summed by the coefficients of the composition.

use winter_air::{Air, AuxRandElements, EvaluationFrame};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks as Element;
use zkaccel::program::Node;
use zkaccel_proofs::Program;

use super::error::ProveError;
use super::extension::{basis, coordinates, extension};
use super::recorder::{Recorder, Value};
use super::symbol::Symbol;

/// The inputs of the program: the main segment, the periodic columns, and the auxiliary segment by its coordinates.
pub(super) const MAIN: usize = 0;
pub(super) const PERIODIC: usize = 1;
pub(super) const AUXILIARY: usize = 2;

/// The transition constraints as a row program, of which the outputs are the coordinates of their sum.
pub(super) struct Recorded {
    pub(super) program: Program,
    /// The terms of the sum: a constraint, and for one of the extension the coordinate.
    terms: Vec<(usize, usize)>,
}

impl Recorded {
    pub(super) fn new<E, A>(air: &A, periodic_columns: usize) -> Result<Self, ProveError>
    where
        E: FieldElement<BaseField = BaseElement>,
        A: Air<BaseField = BaseElement>,
    {
        let recorder = Recorder::new(extension::<E>());
        let (mut recorder, constraints) = recorder
            .record(|| constraints(air, periodic_columns, E::EXTENSION_DEGREE))
            .map_err(ProveError::Recording)?;
        let mut nodes: Vec<Node> = Vec::new();
        let mut terms = Vec::new();
        for (constraint, symbol) in constraints.into_iter().enumerate() {
            let of_constraint = recorder.nodes(symbol.0);
            terms.extend((0..of_constraint.len()).map(|coordinate| (constraint, coordinate)));
            nodes.extend(of_constraint);
        }
        let degree = E::EXTENSION_DEGREE;
        // The random elements of the auxiliary segment come first among the values.
        let first = air.trace_info().get_num_aux_segment_rand_elements() * degree;
        let weighted = nodes.into_iter().enumerate().map(|(i, node)| (node, first + i * degree));
        let mut builder = recorder.builder;
        builder.weighted_sum(weighted.collect(), degree);
        Ok(Self { program: builder.finish()?, terms })
    }

    /// The values of a run: the random elements of the auxiliary segment, and the weights of the terms.
    pub(super) fn values<E>(&self, random: &[E], coefficients: &[E]) -> Vec<Element>
    where
        E: FieldElement<BaseField = BaseElement>,
    {
        let basis: Vec<E> = basis().collect();
        let weight =
            |&(constraint, coordinate): &(usize, usize)| coefficients[constraint] * basis[coordinate];
        let weights = self.terms.iter().map(weight);
        random.iter().copied().chain(weights).flat_map(coordinates).collect()
    }
}

/// The constraints of both segments, over symbols.
fn constraints<A: Air<BaseField = BaseElement>>(
    air: &A,
    periodic_columns: usize,
    degree: usize,
) -> Vec<Symbol> {
    let (info, context) = (air.trace_info(), air.context());
    let column =
        |matrix, column, offset| leaf(|recorder| vec![recorder.builder.column(matrix, column, offset)]);
    let row = |offset| (0..info.main_trace_width()).map(move |index| column(MAIN, index, offset)).collect();
    let main = EvaluationFrame::from_rows(row(0), row(1));
    let periodic: Vec<Symbol> = (0..periodic_columns).map(|index| column(PERIODIC, index, 0)).collect();
    let mut constraints = vec![Symbol::ZERO; context.num_main_transition_constraints()];
    air.evaluate_transition(&main, &periodic, &mut constraints);
    if info.is_multi_segment() {
        let of_extension = |columns: &dyn Fn(&mut Recorder, usize) -> Node, index: usize| {
            leaf(|recorder| (index * degree..(index + 1) * degree).map(|i| columns(recorder, i)).collect())
        };
        let row = |offset| {
            let column =
                move |recorder: &mut Recorder, index| recorder.builder.column(AUXILIARY, index, offset);
            (0..info.get_aux_segment_width()).map(|index| of_extension(&column, index)).collect()
        };
        let auxiliary = EvaluationFrame::from_rows(row(0), row(1));
        let value = |recorder: &mut Recorder, index| recorder.builder.value(index);
        let random = 0..info.get_num_aux_segment_rand_elements();
        let random = AuxRandElements::new(random.map(|index| of_extension(&value, index)).collect());
        let mut more = vec![Symbol::ZERO; context.num_aux_transition_constraints()];
        air.evaluate_aux_transition(&main, &auxiliary, &periodic, &random, &mut more);
        constraints.extend(more);
    }
    constraints
}

/// A symbol for nodes that are given.
fn leaf(nodes: impl FnOnce(&mut Recorder) -> Vec<Node>) -> Symbol {
    Symbol(super::recorder::recorder(|recorder| {
        let nodes = nodes(recorder);
        recorder.index(Value::Nodes(nodes))
    }))
}
