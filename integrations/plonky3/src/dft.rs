//! Transforms.

use p3_dft::TwoAdicSubgroupDft;
use p3_field::PrimeCharacteristicRing;
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix as _;
use p3_matrix::bitrev::{BitReversalPerm, BitReversedMatrixView};
use p3_matrix::dense::RowMajorMatrix;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt, Order};
use zkaccel::{Engine, Error};

use crate::done;
use crate::elements::{dense, matrix, to_engine};
use crate::hashes::{Accelerated, DigestOf};

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

/// Values in bit-reversed order.
fn evaluate(
    engine: &Engine,
    input: RowMajorMatrix<Goldilocks>,
    shift: Goldilocks,
) -> Result<RowMajorMatrix<Goldilocks>, Error> {
    let ntt = Ntt::forward(domain(input.height(), shift)?).with_orders(Order::Natural, Order::BitReversed);
    let mut values = matrix(input);
    engine.ntt(&ntt, values.view_mut())?;
    Ok(dense(values))
}

fn interpolate(
    engine: &Engine,
    input: RowMajorMatrix<Goldilocks>,
    shift: Goldilocks,
) -> Result<RowMajorMatrix<Goldilocks>, Error> {
    let ntt = Ntt::inverse(domain(input.height(), shift)?);
    let mut values = matrix(input);
    engine.ntt(&ntt, values.view_mut())?;
    Ok(dense(values))
}

/// From values on a subgroup to values on a coset of a larger one, in bit-reversed order.
fn lde(rows: usize, added_bits: usize, shift: Goldilocks) -> Result<Lde, Error> {
    let (from, to) = (domain(rows, Goldilocks::ONE)?, domain(rows << added_bits, shift)?);
    Ok(Lde::new(from, to)?.with_output_order(Order::BitReversed))
}

/// The same in bit-reversed order, for an extension by no bits, too.
pub(crate) fn extend(
    engine: &Engine,
    input: RowMajorMatrix<Goldilocks>,
    added_bits: usize,
    shift: Goldilocks,
) -> Result<RowMajorMatrix<Goldilocks>, Error> {
    if added_bits == 0 {
        return evaluate(engine, interpolate(engine, input, Goldilocks::ONE)?, shift);
    }
    let lde = lde(input.height(), added_bits, shift)?;
    Ok(dense(engine.lde(&lde, matrix(input))?))
}

/// A matrix, and the digests of its rows where they are known.
type Hashed<H> = (RowMajorMatrix<Goldilocks>, Option<Vec<DigestOf<H>>>);

/// The rows of an extension in bit-reversed order; and their digests, where they are wanted and a device with memory of its own, and
/// with room for it, has the extension at hand.
pub(crate) fn extend_and_hash<H: Accelerated>(
    input: RowMajorMatrix<Goldilocks>,
    added_bits: usize,
    shift: Goldilocks,
    wanted: bool,
) -> Result<Hashed<H>, Error> {
    let engine = Engine::global()?;
    if !wanted || added_bits == 0 || engine.device().driver.is_none() {
        return Ok((extend(&engine, input, added_bits, shift)?, None));
    }
    let lde = lde(input.height(), added_bits, shift)?;
    let input = matrix(input);
    let on_device = || {
        let extended = engine.lde(&lde, &engine.upload(&input)?)?;
        let digests = engine.hash_rows::<H::Engine, _>(&extended)?;
        Ok((dense(engine.download(&extended)?), Some(digests)))
    };
    match on_device() {
        // In parts, then.
        Err(Error::OverDeviceBudget { .. } | Error::DeviceOutOfMemory { .. }) => {
            Ok((dense(engine.lde(&lde, input)?), None))
        }
        result => result,
    }
}

/// What the engine of the process makes; its error is a panic.
fn by_engine(
    make: impl FnOnce(&Engine) -> Result<RowMajorMatrix<Goldilocks>, Error>,
) -> RowMajorMatrix<Goldilocks> {
    done(Engine::global().and_then(|engine| make(&engine)))
}

impl TwoAdicSubgroupDft<Goldilocks> for Dft {
    type Evaluations = Evaluations;

    fn dft_batch(&self, matrix: RowMajorMatrix<Goldilocks>) -> Evaluations {
        self.coset_dft_batch(matrix, Goldilocks::ONE)
    }

    fn coset_dft_batch(&self, matrix: RowMajorMatrix<Goldilocks>, shift: Goldilocks) -> Evaluations {
        BitReversalPerm::new_view(by_engine(|engine| evaluate(engine, matrix, shift)))
    }

    fn idft_batch(&self, matrix: RowMajorMatrix<Goldilocks>) -> RowMajorMatrix<Goldilocks> {
        self.coset_idft_batch(matrix, Goldilocks::ONE)
    }

    fn coset_idft_batch(
        &self,
        matrix: RowMajorMatrix<Goldilocks>,
        shift: Goldilocks,
    ) -> RowMajorMatrix<Goldilocks> {
        by_engine(|engine| interpolate(engine, matrix, shift))
    }

    fn coset_lde_batch(
        &self,
        matrix: RowMajorMatrix<Goldilocks>,
        added_bits: usize,
        shift: Goldilocks,
    ) -> Evaluations {
        BitReversalPerm::new_view(by_engine(|engine| extend(engine, matrix, added_bits, shift)))
    }
}
