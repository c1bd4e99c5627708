//! Transforms.

use p3_dft::TwoAdicSubgroupDft;
use p3_field::PrimeCharacteristicRing;
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix as _;
use p3_matrix::bitrev::{BitReversalPerm, BitReversedMatrixView};
use p3_matrix::dense::RowMajorMatrix;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt, Order};
use zkaccel::{Engine, Error};

use crate::elements::{dense, matrix, to_engine};

/// Transforms and low-degree extensions of all columns of a matrix, by the engine of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dft;

/// The values are kept in bit-reversed order, in which the polynomial commitment asks for them.
type Evaluations = BitReversedMatrixView<RowMajorMatrix<Goldilocks>>;

/// The domain of as many points as the matrix has rows.
fn domain(rows: usize, shift: Goldilocks) -> Result<Domain, Error> {
    assert!(rows.is_power_of_two(), "{rows} rows, expected a power of two");
    Domain::new(rows.ilog2(), Convention::Plonky3)?.coset(to_engine(shift))
}

fn evaluate(input: RowMajorMatrix<Goldilocks>, shift: Goldilocks) -> Result<Evaluations, Error> {
    let ntt = Ntt::forward(domain(input.height(), shift)?).with_orders(Order::Natural, Order::BitReversed);
    let mut values = matrix(input);
    Engine::global()?.ntt(&ntt, values.view_mut())?;
    Ok(BitReversalPerm::new_view(dense(values)))
}

fn interpolate(
    input: RowMajorMatrix<Goldilocks>,
    shift: Goldilocks,
) -> Result<RowMajorMatrix<Goldilocks>, Error> {
    let ntt = Ntt::inverse(domain(input.height(), shift)?);
    let mut values = matrix(input);
    Engine::global()?.ntt(&ntt, values.view_mut())?;
    Ok(dense(values))
}

fn extend(
    input: RowMajorMatrix<Goldilocks>,
    added_bits: usize,
    shift: Goldilocks,
) -> Result<Evaluations, Error> {
    if added_bits == 0 {
        return evaluate(interpolate(input, Goldilocks::ONE)?, shift);
    }
    let from = domain(input.height(), Goldilocks::ONE)?;
    let to = domain(input.height() << added_bits, shift)?;
    let lde = Lde::new(from, to)?.with_output_order(Order::BitReversed);
    let values = Engine::global()?.lde(&lde, matrix(input))?;
    Ok(BitReversalPerm::new_view(dense(values)))
}

fn done<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("zkaccel: {error}"))
}

impl TwoAdicSubgroupDft<Goldilocks> for Dft {
    type Evaluations = Evaluations;

    fn dft_batch(&self, matrix: RowMajorMatrix<Goldilocks>) -> Evaluations {
        done(evaluate(matrix, Goldilocks::ONE))
    }

    fn coset_dft_batch(&self, matrix: RowMajorMatrix<Goldilocks>, shift: Goldilocks) -> Evaluations {
        done(evaluate(matrix, shift))
    }

    fn idft_batch(&self, matrix: RowMajorMatrix<Goldilocks>) -> RowMajorMatrix<Goldilocks> {
        done(interpolate(matrix, Goldilocks::ONE))
    }

    fn coset_idft_batch(
        &self,
        matrix: RowMajorMatrix<Goldilocks>,
        shift: Goldilocks,
    ) -> RowMajorMatrix<Goldilocks> {
        done(interpolate(matrix, shift))
    }

    fn coset_lde_batch(
        &self,
        matrix: RowMajorMatrix<Goldilocks>,
        added_bits: usize,
        shift: Goldilocks,
    ) -> Evaluations {
        done(extend(matrix, added_bits, shift))
    }
}
