//! The row program of an AIR: its symbolic constraints, folded by powers of the challenge.
//!
//! Constraint i of k, in the order in which the AIR emits them, is multiplied by alpha^(k - 1 - i).

use std::collections::HashMap;
use std::sync::Arc;

use p3_air::symbolic::{
    AirLayout, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression, get_symbolic_constraints,
};
use p3_air::{Air, SymbolicAirBuilder};
use p3_field::ExtensionField;
use p3_goldilocks::Goldilocks;
use zkaccel::field::Goldilocks as Element;
use zkaccel::program::Node;

use super::columns::{FIRST_ROW, LAST_ROW, TRANSITION};
use super::error::ProveError;
use super::extension::coordinates;
use super::{Builder, Program};
use crate::elements::to_engine;

/// The inputs of the program: the trace, the selectors, then the preprocessed columns and the periodic ones, where the AIR has them.
pub(super) const TRACE: usize = 0;
pub(super) const SELECTORS: usize = 1;
pub(super) const OTHERS: usize = 2;

/// The constraints of an AIR as a row program, of which the outputs are the coordinates of their sum.
pub(super) struct Recorded {
    pub(super) program: Program,
    pub(super) layout: AirLayout,
    /// The number of constraints.
    constraints: usize,
}

impl Recorded {
    pub(super) fn new<EF, A>(air: &A) -> Result<Self, ProveError>
    where
        EF: ExtensionField<Goldilocks>,
        A: Air<SymbolicAirBuilder<Goldilocks>>,
    {
        let layout = AirLayout::from_air::<Goldilocks>(air);
        let constraints: Vec<SymbolicExpression<Goldilocks>> = get_symbolic_constraints(air, layout);
        let (count, degree) = (constraints.len(), EF::DIMENSION);
        let mut recorder = Recorder {
            builder: Builder::new(),
            known: HashMap::new(),
            publics: count * degree,
            periodic: OTHERS + (layout.preprocessed_width > 0) as usize,
        };
        let nodes =
            constraints.iter().map(|constraint| recorder.node(constraint)).collect::<Result<Vec<_>, _>>()?;
        let terms = nodes.into_iter().enumerate().map(|(i, node)| (node, (count - 1 - i) * degree));
        let mut builder = recorder.builder;
        builder.weighted_sum(terms.collect(), degree);
        let program = builder.finish()?;
        if program.inputs().is_empty() {
            return Err(ProveError::Unsupported("an AIR whose constraints read no columns".into()));
        }
        Ok(Self { program, layout, constraints: count })
    }

    /// The values of a run: the powers of the challenge from its zeroth on, and the public values.
    pub(super) fn values<EF>(&self, alpha: EF, public_values: &[Goldilocks]) -> Vec<Element>
    where
        EF: ExtensionField<Goldilocks>,
    {
        let powers = alpha.powers().take(self.constraints).flat_map(coordinates);
        powers.chain(public_values.iter().map(|&value| to_engine(value))).collect()
    }
}

/// Records expressions, each but once.
struct Recorder {
    builder: Builder,
    /// The nodes of expressions that are shared, by their addresses: the constraints live as long as it does.
    known: HashMap<*const SymbolicExpression<Goldilocks>, Node>,
    /// The index of the first public value among the values of a run.
    publics: usize,
    /// The input of the periodic columns.
    periodic: usize,
}

impl Recorder {
    /// The node of an expression, after those of all below it: by a stack of its own, because sums of many terms are deep.
    fn node(&mut self, expression: &SymbolicExpression<Goldilocks>) -> Result<Node, ProveError> {
        let mut pending = vec![expression];
        while let Some(&next) = pending.last() {
            let (x, y) = operands(next);
            let before = pending.len();
            let unknown = |operand: &&Arc<_>| !self.known.contains_key(&Arc::as_ptr(operand));
            pending.extend([x, y].into_iter().flatten().filter(unknown).map(|operand| &**operand));
            if pending.len() == before {
                let node = self.record(next)?;
                self.known.insert(next, node);
                pending.pop();
            }
        }
        Ok(self.known[&(expression as *const _)])
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

/// A row of the window of two.
fn window(offset: usize) -> Result<i32, ProveError> {
    match offset {
        0 | 1 => Ok(offset as i32),
        _ => Err(ProveError::Unsupported(format!(
            "constraints on the row {offset} further on, expected 0 or 1"
        ))),
    }
}

type Operand<'a> = Option<&'a Arc<SymbolicExpression<Goldilocks>>>;

fn operands(expression: &SymbolicExpression<Goldilocks>) -> (Operand<'_>, Operand<'_>) {
    match expression {
        SymbolicExpr::Leaf(_) => (None, None),
        SymbolicExpr::Neg { x, .. } => (Some(x), None),
        SymbolicExpr::Add { x, y, .. } | SymbolicExpr::Sub { x, y, .. } | SymbolicExpr::Mul { x, y, .. } => {
            (Some(x), Some(y))
        }
    }
}
