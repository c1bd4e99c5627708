//! Transforms and commitments beside which a clock runs.

use p3_commit::{BatchOpening, BatchOpeningRef, Mmcs};
use p3_dft::{Layout, TwoAdicSubgroupDft};
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixViewMut};
use p3_matrix::{Dimensions, Matrix};
use zkaccel_clock::Clock;

use super::config::Val;

/// Runs during all transforms and commitments of this process.
pub static CLOCK: Clock = Clock::new();

/// The same, with the clock running.
#[derive(Clone, Debug, Default)]
pub struct Timed<T>(pub T);

impl<D: TwoAdicSubgroupDft<Val>> TwoAdicSubgroupDft<Val> for Timed<D> {
    type Evaluations = D::Evaluations;

    fn dft_batch(&self, matrix: RowMajorMatrix<Val>) -> D::Evaluations {
        let _running = CLOCK.run();
        self.0.dft_batch(matrix)
    }

    fn coset_dft_batch(&self, matrix: RowMajorMatrix<Val>, shift: Val) -> D::Evaluations {
        let _running = CLOCK.run();
        self.0.coset_dft_batch(matrix, shift)
    }

    fn idft_batch(&self, matrix: RowMajorMatrix<Val>) -> RowMajorMatrix<Val> {
        let _running = CLOCK.run();
        self.0.idft_batch(matrix)
    }

    fn coset_idft_batch(&self, matrix: RowMajorMatrix<Val>, shift: Val) -> RowMajorMatrix<Val> {
        let _running = CLOCK.run();
        self.0.coset_idft_batch(matrix, shift)
    }

    fn coset_lde_batch(&self, matrix: RowMajorMatrix<Val>, added_bits: usize, shift: Val) -> D::Evaluations {
        let _running = CLOCK.run();
        self.0.coset_lde_batch(matrix, added_bits, shift)
    }

    fn coset_lde_batch_with_transform<T>(
        &self,
        matrix: RowMajorMatrix<Val>,
        added_bits: usize,
        shift: Val,
        transform: T,
    ) -> D::Evaluations
    where
        T: FnOnce(&mut RowMajorMatrixViewMut<'_, Val>, Layout),
    {
        let _running = CLOCK.run();
        self.0.coset_lde_batch_with_transform(matrix, added_bits, shift, transform)
    }
}

impl<S: Mmcs<Val>> Mmcs<Val> for Timed<S> {
    type ProverData<M> = S::ProverData<M>;
    type Commitment = S::Commitment;
    type Proof = S::Proof;
    type MultiProof = S::MultiProof;
    type Error = S::Error;

    fn commit<M: Matrix<Val>>(&self, inputs: Vec<M>) -> (S::Commitment, S::ProverData<M>) {
        let _running = CLOCK.run();
        self.0.commit(inputs)
    }

    fn open_batch<M: Matrix<Val>>(&self, index: usize, data: &S::ProverData<M>) -> BatchOpening<Val, Self> {
        let (values, proof) = self.0.open_batch(index, data).unpack();
        BatchOpening::new(values, proof)
    }

    fn get_matrices<'a, M: Matrix<Val>>(&self, data: &'a S::ProverData<M>) -> Vec<&'a M> {
        self.0.get_matrices(data)
    }

    fn verify_batch(
        &self,
        commit: &S::Commitment,
        dimensions: &[Dimensions],
        index: usize,
        opening: BatchOpeningRef<'_, Val, Self>,
    ) -> Result<(), S::Error> {
        let (values, proof) = opening.unpack();
        self.0.verify_batch(commit, dimensions, index, BatchOpeningRef::new(values, proof))
    }

    fn open_multi_batch<M: Matrix<Val>>(
        &self,
        indices: &[usize],
        data: &S::ProverData<M>,
    ) -> (Vec<Vec<Vec<Val>>>, S::MultiProof) {
        self.0.open_multi_batch(indices, data)
    }

    fn verify_multi_batch<R: AsRef<[Val]> + PartialEq>(
        &self,
        commit: &S::Commitment,
        dimensions: &[Dimensions],
        indices: &[usize],
        values: &[Vec<R>],
        proof: &S::MultiProof,
    ) -> Result<(), S::Error> {
        self.0.verify_multi_batch(commit, dimensions, indices, values, proof)
    }
}
