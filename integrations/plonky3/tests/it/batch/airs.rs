//! AIRs of which those of a batch are one type, and AIRs with lookups.

use std::borrow::Cow;
use std::collections::HashMap;

use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::dense::RowMajorMatrix;

use crate::airs::{Fibonacci, Periodic, Permutation, Preprocessed, Wide, poseidon2};
use crate::config::Val;

/// Columns a, b, c, d. Of (a, b) each is looked up among the squares, twice where `twice` says so; c has the entries of d in another order, and so has a group of messages to itself of which one
/// is active in even rows, another in odd ones.
#[derive(Clone)]
pub struct Reads {
    pub twice: bool,
}

impl Reads {
    pub fn trace(&self, log_rows: u32) -> RowMajorMatrix<Val> {
        let rows = 1u64 << log_rows;
        let row = |i: u64| {
            let a = (i * 5 + 3) % rows.min(8);
            [a, a * a, i * 7 % rows, i, i % 2].map(Val::new)
        };
        RowMajorMatrix::new((0..rows).flat_map(row).collect(), 5)
    }
}

impl<F: PrimeCharacteristicRing + Sync> BaseAir<F> for Reads {
    fn width(&self) -> usize {
        5
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl<B: InteractionBuilder> Air<B> for Reads {
    fn eval(&self, builder: &mut B) {
        let main = builder.main();
        let [a, b, c, d, odd]: [B::Expr; 5] = [0, 1, 2, 3, 4].map(|i| main.current_slice()[i].into());
        builder.assert_zero(odd.clone() * (odd.clone() - B::Expr::ONE));
        for _ in 0..1 + self.twice as usize {
            builder.push_interaction("squares", [a.clone(), b.clone()], 1);
        }
        builder.push_local_interaction([
            (vec![c], Count::bounded(B::Expr::ONE, 1)),
            (vec![d.clone()], Count::provided(-B::Expr::ONE)),
        ]);
        let even = B::Expr::ONE - odd.clone();
        let message = |flag, count: i32, field: &B::Expr| (flag, Count::from(count), vec![field.clone()]);
        builder.push_exclusive_interaction(
            "itself",
            [message(odd.clone(), 1, &d), message(even.clone(), 2, &b)],
        );
        builder.push_exclusive_interaction("itself", [message(odd, -1, &d), message(even, -2, &b)]);
    }
}

/// The squares of the row numbers, preprocessed where there are `columns`, and how often each is looked up.
#[derive(Clone)]
pub struct Squares {
    pub log_rows: u32,
    pub columns: bool,
}

impl Squares {
    fn squares(&self) -> Vec<[Val; 2]> {
        (0..1u64 << self.log_rows).map(|i| [i, i * i].map(Val::new)).collect()
    }

    /// For traces of those that look up, each so often.
    pub fn trace(&self, reads: &[(&RowMajorMatrix<Val>, u64)]) -> RowMajorMatrix<Val> {
        let squares = self.squares();
        let mut counts: HashMap<Val, u64> = HashMap::new();
        for (trace, times) in reads {
            trace.row_slices().for_each(|row| *counts.entry(row[0]).or_default() += times);
        }
        let row = |[a, b]: &[Val; 2]| {
            let squares = if self.columns { vec![] } else { vec![*a, *b] };
            [vec![Val::new(counts.get(a).copied().unwrap_or_default())], squares].concat()
        };
        RowMajorMatrix::new(squares.iter().flat_map(row).collect(), if self.columns { 1 } else { 3 })
    }
}

impl BaseAir<Val> for Squares {
    fn width(&self) -> usize {
        if self.columns { 1 } else { 3 }
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Val>> {
        self.columns.then(|| RowMajorMatrix::new(self.squares().concat(), 2))
    }

    fn preprocessed_width(&self) -> usize {
        if self.columns { 2 } else { 0 }
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }
}

impl<B: InteractionBuilder<F = Val>> Air<B> for Squares {
    fn eval(&self, builder: &mut B) {
        let main = builder.main();
        let count: B::Expr = main.current_slice()[0].into();
        let [a, b]: [B::Expr; 2] = match self.columns {
            true => [0, 1].map(|i| builder.preprocessed().current_slice()[i].into()),
            false => [1, 2].map(|i| main.current_slice()[i].into()),
        };
        builder.assert_eq(b.clone(), a.clone() * a.clone());
        builder.push_interaction::<B::Expr>("squares", [a, b], Count::provided(-count));
    }
}

/// The AIR with periodic columns, and a message of one of them.
#[derive(Clone)]
pub struct PeriodicLookup;

impl BaseAir<Val> for PeriodicLookup {
    fn width(&self) -> usize {
        1
    }

    fn num_periodic_columns(&self) -> usize {
        2
    }
}

impl<B: InteractionBuilder<F = Val>> Air<B> for PeriodicLookup {
    fn eval(&self, builder: &mut B) {
        Periodic.eval(builder);
        let periodic: B::Expr = builder.periodic_values()[1].into();
        builder.push_interaction("periodic", [periodic.clone() + periodic], 1);
    }
}

/// Any of the AIRs.
#[derive(Clone)]
pub enum Any {
    Fibonacci(Fibonacci),
    Wide(Wide),
    Preprocessed(Preprocessed),
    Periodic(Periodic),
    Permutation(Box<Permutation>),
    Keccak,
    PeriodicLookup(PeriodicLookup),
    Reads(Reads),
    Squares(Squares),
}

/// An AIR with a trace and public values.
#[derive(Clone)]
pub struct Instance {
    pub air: Any,
    pub trace: RowMajorMatrix<Val>,
    pub public_values: Vec<Val>,
}

impl Instance {
    fn new(air: Any, trace: RowMajorMatrix<Val>) -> Self {
        Self { air, trace, public_values: vec![] }
    }

    pub fn fibonacci(log_rows: u32) -> Self {
        let (trace, public_values) = Fibonacci::trace(log_rows);
        Self { air: Any::Fibonacci(Fibonacci), trace, public_values }
    }

    pub fn wide(columns: usize, degree: usize, log_rows: u32) -> Self {
        let air = Wide { columns, degree };
        let trace = air.trace(log_rows);
        Self::new(Any::Wide(air), trace)
    }

    pub fn preprocessed(log_rows: u32, next: bool) -> Self {
        let air = Preprocessed { log_rows, next };
        let trace = air.trace();
        Self::new(Any::Preprocessed(air), trace)
    }

    pub fn periodic(log_rows: u32) -> Self {
        Self::new(Any::Periodic(Periodic), Periodic::trace(log_rows))
    }

    pub fn periodic_lookup(log_rows: u32) -> Self {
        Self::new(Any::PeriodicLookup(PeriodicLookup), Periodic::trace(log_rows))
    }

    pub fn permutation(log_rows: u32) -> Self {
        let (air, trace) = poseidon2(log_rows);
        Self::new(Any::Permutation(Box::new(air)), trace)
    }

    /// So many permutations, one after another, of 24 rows each.
    pub fn keccak(permutations: u64) -> Self {
        let inputs = (0..permutations).map(|i| std::array::from_fn(|j| i * 0x9e37_79b9 + j as u64));
        Self::new(Any::Keccak, generate_trace_rows(inputs.collect(), 1))
    }

    /// Those who look up squares, of these heights, and the table.
    pub fn squares(log_rows: &[u32], log_table: u32, columns: bool) -> Vec<Self> {
        let reads = log_rows.iter().enumerate().map(|(i, &log_rows)| {
            let air = Reads { twice: i % 2 == 1 };
            let trace = air.trace(log_rows);
            Self::new(Any::Reads(air), trace)
        });
        let mut instances: Vec<_> = reads.collect();
        let traces = instances.iter().enumerate().map(|(i, reads)| (&reads.trace, 1 + i as u64 % 2));
        let table = Squares { log_rows: log_table, columns };
        let trace = table.trace(&traces.collect::<Vec<_>>());
        instances.push(Self::new(Any::Squares(table), trace));
        instances
    }
}

/// The same of whichever it is.
macro_rules! of {
    ($any:expr, $air:ident => $result:expr) => {
        match $any {
            Any::Fibonacci($air) => $result,
            Any::Wide($air) => $result,
            Any::Preprocessed($air) => $result,
            Any::Periodic($air) => $result,
            Any::Permutation(permutation) => {
                let $air = &**permutation;
                $result
            }
            Any::Keccak => {
                let $air = &KeccakAir {};
                $result
            }
            Any::PeriodicLookup($air) => $result,
            Any::Reads($air) => $result,
            Any::Squares($air) => $result,
        }
    };
}

impl BaseAir<Val> for Any {
    fn width(&self) -> usize {
        of!(self, air => BaseAir::<Val>::width(air))
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Val>> {
        of!(self, air => BaseAir::<Val>::preprocessed_trace(air))
    }

    fn preprocessed_width(&self) -> usize {
        of!(self, air => BaseAir::<Val>::preprocessed_width(air))
    }

    fn num_periodic_columns(&self) -> usize {
        of!(self, air => BaseAir::<Val>::num_periodic_columns(air))
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<Val>]> {
        match self {
            Any::Periodic(_) | Any::PeriodicLookup(_) => Cow::Owned(Periodic.periodic_columns().into_owned()),
            _ => Cow::Borrowed(&[]),
        }
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        of!(self, air => BaseAir::<Val>::main_next_row_columns(air))
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        of!(self, air => BaseAir::<Val>::preprocessed_next_row_columns(air))
    }

    fn num_public_values(&self) -> usize {
        of!(self, air => BaseAir::<Val>::num_public_values(air))
    }
}

impl<B: InteractionBuilder<F = Val>> Air<B> for Any {
    fn eval(&self, builder: &mut B) {
        of!(self, air => air.eval(builder))
    }
}
