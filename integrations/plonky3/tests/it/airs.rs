//! AIRs, each with a trace.

use std::borrow::Cow;

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_goldilocks::{
    GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_FINAL, GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_INITIAL,
    GOLDILOCKS_POSEIDON2_RC_8_INTERNAL, GenericPoseidon2LinearLayersGoldilocks as Layers,
};
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon2_air::{Poseidon2Air, RoundConstants, generate_trace_rows};

use super::config::Val;

/// Columns a, b with (a, b) -> (b, a + b). Public: the first row, and the last b.
#[derive(Clone)]
pub struct Fibonacci;

impl<F: PrimeCharacteristicRing + Sync> BaseAir<F> for Fibonacci {
    fn width(&self) -> usize {
        2
    }

    fn num_public_values(&self) -> usize {
        3
    }
}

impl<B: AirBuilder> Air<B> for Fibonacci {
    fn eval(&self, builder: &mut B) {
        let main = builder.main();
        let publics = [0, 1, 2].map(|i| builder.public_values()[i]);
        let (local, next) = (main.current_slice(), main.next_slice());
        builder.when_first_row().assert_eq(local[0], publics[0]);
        builder.when_first_row().assert_eq(local[1], publics[1]);
        builder.when_transition().assert_eq(next[0], local[1]);
        builder.when_transition().assert_eq(next[1], local[0] + local[1]);
        builder.when_last_row().assert_eq(local[1], publics[2]);
    }
}

impl Fibonacci {
    pub fn trace(log_rows: u32) -> (RowMajorMatrix<Val>, Vec<Val>) {
        let rows = std::iter::successors(Some([Val::ONE, Val::new(7)]), |&[a, b]| Some([b, a + b]));
        let values: Vec<Val> = rows.take(1 << log_rows).flatten().collect();
        let publics = vec![values[0], values[1], values[values.len() - 1]];
        (RowMajorMatrix::new(values, 2), publics)
    }
}

/// Columns of which each is, in the next row, a polynomial of a degree in some of this row, with coefficients of no pattern; and more constraints that repeat them.
#[derive(Clone)]
pub struct Wide {
    pub columns: usize,
    pub degree: usize,
}

impl Wide {
    fn next<E: PrimeCharacteristicRing + Clone>(&self, local: &[E], column: usize) -> E {
        let at = |i: usize| local[(column * 7 + i * 13 + 5) % self.columns].clone();
        let product =
            (1..self.degree).fold(at(0), |product, i| product * (at(i) - E::from_usize(i + column)));
        -(product - at(3) * E::from_u64(0x9e37_79b9_7f4a_7c15 >> (column % 40))) + E::TWO * at(1)
    }

    pub fn trace(&self, log_rows: u32) -> RowMajorMatrix<Val> {
        let mut values: Vec<Val> = (0..self.columns as u64).map(|i| Val::new(i * i + 3)).collect();
        for row in 1..1 << log_rows {
            let local = values[(row - 1) * self.columns..].to_vec();
            values.extend((0..self.columns).map(|column| self.next(&local, column)));
        }
        RowMajorMatrix::new(values, self.columns)
    }
}

impl<F: PrimeCharacteristicRing + Sync> BaseAir<F> for Wide {
    fn width(&self) -> usize {
        self.columns
    }
}

impl<B: AirBuilder> Air<B> for Wide {
    fn eval(&self, builder: &mut B) {
        let main = builder.main();
        let (local, next) = (main.current_slice(), main.next_slice());
        let local: Vec<B::Expr> = local.iter().map(|&entry| entry.into()).collect();
        for (column, &next) in next.iter().enumerate() {
            let expected = self.next(&local, column);
            builder.when_transition().assert_eq(next, expected.clone());
            builder.when_transition().assert_zero(B::Expr::from(next) - expected);
        }
    }
}

/// A column that counts, one that is the product of the preprocessed columns, of which the second is that of the next row, where `next` says so; nothing is asked of the next row of the trace.
#[derive(Clone)]
pub struct Preprocessed {
    pub log_rows: u32,
    pub next: bool,
}

impl Preprocessed {
    fn columns(&self) -> RowMajorMatrix<Val> {
        let values = (0..2u64 << self.log_rows).map(|i| Val::new(i * i * i + 1));
        RowMajorMatrix::new(values.collect(), 2)
    }

    pub fn trace(&self) -> RowMajorMatrix<Val> {
        let columns = self.columns().values;
        let rows = 1 << self.log_rows;
        let product = |i: usize| {
            let other = if self.next { (i + 1) % rows } else { i };
            columns[2 * i] * columns[2 * other + 1]
        };
        RowMajorMatrix::new((0..rows).map(product).collect(), 1)
    }
}

impl BaseAir<Val> for Preprocessed {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Val>> {
        Some(self.columns())
    }

    fn preprocessed_width(&self) -> usize {
        2
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        if self.next { vec![1] } else { vec![] }
    }
}

impl<B: AirBuilder<F = Val>> Air<B> for Preprocessed {
    fn eval(&self, builder: &mut B) {
        let main = builder.main();
        let columns = builder.preprocessed().clone();
        let (local, next) = (columns.current_slice(), columns.next_slice());
        let other = if self.next { next[1] } else { local[1] };
        let product = local[0] * other;
        builder.assert_eq(main.current_slice()[0], product);
    }
}

/// A sum of periodic columns of periods 2 and 8, the second squared.
#[derive(Clone)]
pub struct Periodic;

impl Periodic {
    fn columns() -> Vec<Vec<Val>> {
        vec![[3, 5].map(Val::new).to_vec(), (0..8u64).map(|i| Val::new(i * i + 1)).collect()]
    }

    pub fn trace(log_rows: u32) -> RowMajorMatrix<Val> {
        let columns = Self::columns();
        let mut sum = Val::ZERO;
        let mut row = |i: usize| {
            let before = sum;
            sum += columns[0][i % 2] + columns[1][i % 8] * columns[1][i % 8];
            before
        };
        RowMajorMatrix::new((0..1 << log_rows).map(&mut row).collect(), 1)
    }
}

impl BaseAir<Val> for Periodic {
    fn width(&self) -> usize {
        1
    }

    fn num_periodic_columns(&self) -> usize {
        2
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<Val>]> {
        Cow::Owned(Self::columns())
    }
}

impl<B: AirBuilder<F = Val>> Air<B> for Periodic {
    fn eval(&self, builder: &mut B) {
        let main = builder.main();
        let [first, second]: [B::Expr; 2] = [0, 1].map(|i| builder.periodic_values()[i].into());
        let (local, next) = (main.current_slice()[0], main.next_slice()[0]);
        builder.when_first_row().assert_zero(local);
        builder.when_transition().assert_eq(next, first + second.clone() * second + local);
    }
}

/// The AIR of such permutations.
pub type Permutation = Poseidon2Air<Val, Layers, 8, 7, 1, 4, 22>;

/// Permutations of Poseidon2 of eight words, one a row: the S-box of degree 7 with one register, 180 columns.
pub fn poseidon2(log_rows: u32) -> (Permutation, RowMajorMatrix<Val>) {
    let constants = RoundConstants::new(
        GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_INITIAL,
        GOLDILOCKS_POSEIDON2_RC_8_INTERNAL,
        GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_FINAL,
    );
    let inputs = (0..1u64 << log_rows).map(|i| std::array::from_fn(|j| Val::new(i * 8 + j as u64)));
    let trace = generate_trace_rows::<Val, Layers, 8, 7, 1, 4, 22>(inputs.collect(), &constants, 1);
    (Poseidon2Air::new(constants), trace)
}
