//! The row program of an AIR: its symbolic constraints, folded by powers of the challenge.
//!
//! Constraint i of k, in the order in which the AIR emits them, is multiplied by alpha^(k - 1 - i). One over the extension, as lookups have, is the sum of its coordinates times the basis
//! elements e: so its coordinates are multiplied by alpha^(k - 1 - i) e.

use std::collections::HashMap;
use std::sync::Arc;

use p3_air::symbolic::{
    AirLayout, BaseEntry, BaseLeaf, ConstraintLayout, ExtEntry, ExtLeaf, SymbolicExpr, SymbolicExpression,
    SymbolicExpressionExt, get_symbolic_constraints,
};
use p3_air::{Air, SymbolicAirBuilder};
use p3_field::ExtensionField;
use p3_goldilocks::Goldilocks;
use zkaccel::field::{Field as _, Goldilocks as Element};
use zkaccel::program::Node;
use zkaccel_proofs::Extension;

use super::columns::{FIRST_ROW, LAST_ROW, TRANSITION};
use super::error::ProveError;
use super::extension::{coordinates, extension};
use super::{Builder, Program};
use crate::elements::to_engine;

/// The inputs of the program: the trace, the selectors, then the preprocessed columns, the periodic ones and those of lookups, where the AIR has them.
pub(super) const TRACE: usize = 0;
pub(super) const SELECTORS: usize = 1;
pub(super) const OTHERS: usize = 2;

/// The constraints of an AIR as a row program, of which the outputs are the coordinates of their sum.
pub(super) struct Recorded {
    pub(super) program: Program,
    /// Of the AIR, and of its lookups.
    pub(super) layout: AirLayout,
    /// The numbers of the constraints over the extension, and that of all.
    extended: Vec<usize>,
    constraints: usize,
}

impl Recorded {
    /// Those of an AIR alone.
    pub(super) fn of_air<EF, A>(air: &A) -> Result<Self, ProveError>
    where
        EF: ExtensionField<Goldilocks>,
        A: Air<SymbolicAirBuilder<Goldilocks>>,
    {
        let layout = AirLayout::from_air::<Goldilocks>(air);
        let constraints = get_symbolic_constraints(air, layout);
        let order =
            ConstraintLayout { base_indices: (0..constraints.len()).collect(), ext_indices: Vec::new() };
        Self::new::<EF>(layout, &constraints, &[], order)
    }

    /// Those over the base field and those over the extension, of which `order` has the numbers.
    pub(super) fn new<EF: ExtensionField<Goldilocks>>(
        layout: AirLayout,
        constraints: &[SymbolicExpression<Goldilocks>],
        extended: &[SymbolicExpressionExt<Goldilocks, EF>],
        order: ConstraintLayout,
    ) -> Result<Self, ProveError> {
        let (count, degree) = (order.total_constraints(), EF::DIMENSION);
        let periodic = OTHERS + (layout.preprocessed_width > 0) as usize;
        let publics = (count + extended.len() * (degree - 1)) * degree;
        let mut recorder = Recorder {
            base: BaseRecorder { builder: Builder::new(), known: HashMap::new(), publics, periodic },
            known: HashMap::new(),
            extension: extension::<EF>(),
            permutation: periodic + (layout.num_periodic_columns > 0) as usize,
            challenges: publics + layout.num_public_values,
            terminals: publics + layout.num_public_values + layout.num_permutation_challenges * degree,
        };
        let mut terms = Vec::new();
        for (constraint, number) in constraints.iter().zip(&order.base_indices) {
            terms.push((recorder.base.node(constraint)?, (count - 1 - number) * degree));
        }
        let zero = recorder.base.builder.constant(Element::ZERO);
        for (i, (constraint, number)) in extended.iter().zip(&order.ext_indices).enumerate() {
            // Of the power times the first basis element, which is one, and behind all powers times the others.
            let others = (1..degree).map(|basis| (count + i * (degree - 1) + basis - 1) * degree);
            let weights = std::iter::once((count - 1 - number) * degree).chain(others);
            let weighted = recorder.node(constraint)?.into_iter().zip(weights);
            terms.extend(weighted.filter(|&(node, _)| node != zero));
        }
        let mut builder = recorder.base.builder;
        builder.weighted_sum(terms, degree);
        let program = builder.finish()?;
        if program.inputs().is_empty() {
            return Err(ProveError::Unsupported("an AIR whose constraints read no columns".into()));
        }
        Ok(Self { program, layout, extended: order.ext_indices, constraints: count })
    }

    /// The values of a run: the powers of the challenge from its zeroth on, those of constraints over the extension times basis elements, the public values, and those of lookups: their
    /// challenges, then the sums of their columns.
    pub(super) fn values<EF>(&self, alpha: EF, public_values: &[Goldilocks], lookups: &[EF]) -> Vec<Element>
    where
        EF: ExtensionField<Goldilocks>,
    {
        let powers: Vec<EF> = alpha.powers().take(self.constraints).collect();
        let basis = |i| EF::ith_basis_element(i).expect("one of the basis");
        let power = |number: &usize| powers[self.constraints - 1 - number];
        let others = self.extended.iter().map(power);
        let others = others.flat_map(|power| (1..EF::DIMENSION).map(move |i| power * basis(i)));
        let mut values: Vec<Element> = powers.iter().copied().chain(others).flat_map(coordinates).collect();
        values.extend(public_values.iter().map(|&value| to_engine(value)));
        values.extend(lookups.iter().copied().flat_map(coordinates));
        values
    }
}

/// The nodes of expressions that are shared, by their addresses: the constraints live as long as these.
type Known<L, N> = HashMap<*const SymbolicExpr<L>, N>;

/// Records an expression after all below it: by a stack of its own, because sums of many terms are deep.
fn record_all<R, L, N: Clone>(
    recorder: &mut R,
    expression: &SymbolicExpr<L>,
    known: impl Fn(&mut R) -> &mut Known<L, N>,
    record: impl Fn(&mut R, &SymbolicExpr<L>) -> Result<N, ProveError>,
) -> Result<N, ProveError> {
    let mut pending = vec![expression];
    while let Some(&next) = pending.last() {
        let (x, y) = operands(next);
        let before = pending.len();
        let unknown = |operand: &&Arc<_>| !known(recorder).contains_key(&Arc::as_ptr(operand));
        pending.extend([x, y].into_iter().flatten().filter(unknown).map(|operand| &**operand));
        if pending.len() == before {
            let node = record(recorder, next)?;
            known(recorder).insert(next, node);
            pending.pop();
        }
    }
    Ok(known(recorder)[&std::ptr::from_ref(expression)].clone())
}

/// Records expressions over the base field, each but once.
struct BaseRecorder {
    builder: Builder,
    known: Known<BaseLeaf<Goldilocks>, Node>,
    /// The index of the first public value among the values of a run.
    publics: usize,
    /// The input of the periodic columns.
    periodic: usize,
}

impl BaseRecorder {
    /// The node of an expression.
    fn node(&mut self, expression: &SymbolicExpression<Goldilocks>) -> Result<Node, ProveError> {
        record_all(self, expression, |recorder| &mut recorder.known, Self::record)
    }

    /// The node of an expression whose operands are recorded.
    fn record(&mut self, expression: &SymbolicExpression<Goldilocks>) -> Result<Node, ProveError> {
        let of = |operand: &Arc<_>| self.known[&Arc::as_ptr(operand)];
        Ok(match expression {
            SymbolicExpr::Leaf(leaf) => self.leaf(leaf)?,
            SymbolicExpr::Add { x, y, .. } => self.builder.add(of(x), of(y)),
            SymbolicExpr::Sub { x, y, .. } => self.builder.sub(of(x), of(y)),
            SymbolicExpr::Mul { x, y, .. } => self.builder.mul(of(x), of(y)),
            SymbolicExpr::Neg { x, .. } => self.builder.neg(of(x)),
        })
    }

    fn leaf(&mut self, leaf: &BaseLeaf<Goldilocks>) -> Result<Node, ProveError> {
        let builder = &mut self.builder;
        Ok(match leaf {
            BaseLeaf::Constant(constant) => builder.constant(to_engine(*constant)),
            BaseLeaf::IsFirstRow => builder.column(SELECTORS, FIRST_ROW, 0),
            BaseLeaf::IsLastRow => builder.column(SELECTORS, LAST_ROW, 0),
            BaseLeaf::IsTransition => builder.column(SELECTORS, TRANSITION, 0),
            BaseLeaf::Variable(variable) => match variable.entry {
                BaseEntry::Main { offset } => builder.column(TRACE, variable.index, window(offset)?),
                BaseEntry::Preprocessed { offset } => builder.column(OTHERS, variable.index, window(offset)?),
                BaseEntry::Periodic => builder.column(self.periodic, variable.index, 0),
                BaseEntry::Public => builder.value(self.publics + variable.index),
            },
        })
    }
}

/// Records expressions over the extension, each as the nodes of its coordinates. One over the base field has zeros for the further ones, with which a builder computes at once.
struct Recorder<EF> {
    base: BaseRecorder,
    known: Known<ExtLeaf<Goldilocks, EF>, Vec<Node>>,
    extension: Extension,
    /// The input of the columns of lookups.
    permutation: usize,
    /// The indices among the values of a run of the lookups' challenges, and of the sums of their columns.
    challenges: usize,
    terminals: usize,
}

impl<EF: ExtensionField<Goldilocks>> Recorder<EF> {
    /// The nodes of an expression.
    fn node(&mut self, expression: &SymbolicExpressionExt<Goldilocks, EF>) -> Result<Vec<Node>, ProveError> {
        record_all(self, expression, |recorder| &mut recorder.known, Self::record)
    }

    /// The nodes of an expression whose operands are recorded.
    fn record(
        &mut self,
        expression: &SymbolicExpressionExt<Goldilocks, EF>,
    ) -> Result<Vec<Node>, ProveError> {
        let of = |operand: &Arc<_>| &self.known[&Arc::as_ptr(operand)];
        let (builder, extension) = (&mut self.base.builder, &self.extension);
        Ok(match expression {
            SymbolicExpr::Leaf(leaf) => self.leaf(leaf)?,
            SymbolicExpr::Add { x, y, .. } => extension.add(builder, of(x), of(y)),
            SymbolicExpr::Sub { x, y, .. } => extension.sub(builder, of(x), of(y)),
            SymbolicExpr::Mul { x, y, .. } => extension.mul(builder, of(x), of(y)),
            SymbolicExpr::Neg { x, .. } => of(x).iter().map(|&node| builder.neg(node)).collect(),
        })
    }

    fn leaf(&mut self, leaf: &ExtLeaf<Goldilocks, EF>) -> Result<Vec<Node>, ProveError> {
        let degree = EF::DIMENSION;
        let builder = &mut self.base.builder;
        Ok(match leaf {
            ExtLeaf::Base(expression) => {
                let node = self.base.node(expression)?;
                let zero = self.base.builder.constant(Element::ZERO);
                std::iter::once(node).chain(std::iter::repeat_n(zero, degree - 1)).collect()
            }
            ExtLeaf::ExtConstant(constant) => {
                coordinates(*constant).into_iter().map(|coordinate| builder.constant(coordinate)).collect()
            }
            ExtLeaf::ExtVariable(variable) => match variable.entry {
                ExtEntry::Permutation { offset } => {
                    let (first, offset) = (variable.index * degree, window(offset)?);
                    let columns = first..first + degree;
                    columns.map(|column| builder.column(self.permutation, column, offset)).collect()
                }
                ExtEntry::Challenge => {
                    self.extension.value(builder, self.challenges + variable.index * degree)
                }
                ExtEntry::PermutationValue => {
                    self.extension.value(builder, self.terminals + variable.index * degree)
                }
            },
        })
    }
}

/// A row of the window of two.
fn window(offset: usize) -> Result<i32, ProveError> {
    match offset {
        0 | 1 => Ok(offset as i32),
        _ => Err(ProveError::Unsupported(format!(
            "constraints on the row {offset} further on, expected 0 or 1"
        ))),
    }
}

pub(super) type Operand<'a, L> = Option<&'a Arc<SymbolicExpr<L>>>;

/// The operands of an expression.
pub(super) fn operands<L>(expression: &SymbolicExpr<L>) -> (Operand<'_, L>, Operand<'_, L>) {
    match expression {
        SymbolicExpr::Leaf(_) => (None, None),
        SymbolicExpr::Neg { x, .. } => (Some(x), None),
        SymbolicExpr::Add { x, y, .. } | SymbolicExpr::Sub { x, y, .. } | SymbolicExpr::Mul { x, y, .. } => {
            (Some(x), Some(y))
        }
    }
}
