//! The cases of functions over any field or curve, on the account of an engine's work, on single elements, and of proofs.

use std::ptr::{null, null_mut, without_provenance, without_provenance_mut};

use super::case::{Case, FIXTURE, Memory, root};
use crate::combinations::*;
use crate::curves::Curve;
use crate::elements::*;
use crate::engine::*;
use crate::fields::ZKA_GOLDILOCKS;
use crate::future::zka_future;
use crate::groth16::*;
use crate::inversion::*;
use crate::lookups::*;
use crate::matrix::*;
use crate::merkle::zka_tree;
use crate::msm::*;
use crate::options::*;
use crate::pointwise::*;
use crate::prefix::*;
use crate::programs::*;
use crate::sparse::*;
use crate::status::*;
use crate::work::*;

impl Case {
    fn matrix(&self) -> *const zka_matrix {
        without_provenance(self.other_handle)
    }

    /// The scalars that stay, or whatever the first handle is.
    fn scalars(&self) -> *const zka_matrix {
        without_provenance(if self.handle == FIXTURE.engine { FIXTURE.scalars } else { self.handle })
    }

    /// A root of unity in the field of the matrix, in words for any field.
    fn root_words(&self, log: u32) -> [u64; 4] {
        match (self.other_root, self.other_handle == FIXTURE.scalars) {
            (None, true) => {
                let domain = accel::ntt::Domain::<accel::bn254::Fr>::halo2(log.min(28)).unwrap();
                accel::bn254::limbs(&[domain.root()])[0]
            }
            (other, _) => [root(log, other), 0, 0, 0],
        }
    }

    /// Calls functions from number 28 on and frees what they have made.
    pub(super) fn run_on_what_stays(
        &self,
        memory: &mut Memory,
        tree: *mut *mut zka_tree,
        job: *mut zka_future,
    ) -> zka_status {
        let Case { rows, cols, log_n, log_blowup, coset, flags, hash, index, asynchronous, .. } = *self;
        let (engine, matrix, bases) = (self.engine(), self.matrix(), self.bases());
        let entries = rows.checked_mul(cols);
        let words = if hash == ZKA_GOLDILOCKS { 1 } else { 4 };
        let out: *mut u64 = self.pointer(memory, 0, entries);
        let input: *mut u64 = self.pointer(memory, 1, entries.and_then(|n| n.checked_mul(words)));
        let scalars: *mut u64 = self.pointer(memory, 1, rows.checked_mul(4));
        let row_scalars: *mut u64 = self.pointer(memory, 1, entries.and_then(|n| n.checked_mul(4)));
        // Points and sums of the curve with the number, if there is one; kept bases are of curves with sums of twelve words.
        let of_curve = Curve::of(hash).map_or((8, 12), |curve| (curve.point, curve.sum));
        let points: *mut u64 = self.pointer(memory, 1, rows.checked_mul(of_curve.0));
        let sum: *mut u64 = self.pointer(memory, 0, Some(of_curve.1));
        let sums: *mut u64 = self.pointer(memory, 0, cols.checked_mul(12));
        let some_rows = self.pointer(memory, 0, rows.checked_mul(4));
        let indices = self.pointer(memory, 1, Some(rows)).cast();
        let lines = self.pointer(memory, 1, index.checked_mul(39));
        let one: *mut u64 = self.pointer(memory, 0, Some(8));
        let point_in: *mut u64 = self.pointer(memory, 1, Some(of_curve.1));
        // Where proofs and their texts go, and bytes of a key; words less than eight bytes beyond are there.
        let proofs: *mut u64 = self.pointer(memory, 0, cols.checked_mul(32));
        let proof_words = cols.saturating_mul(32);
        let text: *mut u64 = self.pointer(memory, 0, Some(rows / 8));
        let bytes: *mut u64 = self.pointer(memory, 1, Some(cols / 8));
        let prover = without_provenance(self.other_handle);
        let (mut made, mut kept, mut proving, mut recorded) =
            (null_mut(), null_mut(), null_mut(), null_mut());
        let matrix_out: *mut _ = if self.nulls & 4 == 0 { &mut made } else { null_mut() };
        let bases_out: *mut _ = if self.nulls & 4 == 0 { &mut kept } else { null_mut() };
        let prover_out: *mut _ = if self.nulls & 4 == 0 { &mut proving } else { null_mut() };
        let program_out: *mut _ = if self.nulls & 4 == 0 { &mut recorded } else { null_mut() };
        // First values, what a program is recorded from, and what it is run on.
        let first: *mut u64 = self.pointer(memory, 1, entries);
        let nodes: *mut u64 = self.pointer(memory, 1, rows.checked_mul(2));
        let constants: *mut u64 = self.pointer(memory, 1, index.checked_mul(4));
        let outputs: *mut u64 = self.pointer(memory, 1, Some(cols));
        let values: *mut u64 = self.pointer(memory, 1, cols.checked_mul(4));
        let program = without_provenance(self.other_handle);
        let input_matrix: *const zka_matrix =
            without_provenance(if log_blowup == 1 { FIXTURE.matrix } else { FIXTURE.scalars });
        let inputs: *const _ = if self.nulls & 16 == 0 { &input_matrix } else { null() };
        // What a sparse matrix is made of: rows of about as many entries, or whatever is in memory.
        let shared_out: Vec<usize> =
            (0..=rows.min(64)).map(|row| row * index.min(64) / rows.max(1)).collect();
        let starts: *const usize = match rows <= 64 && index <= 64 && !self.misaligned {
            true => shared_out.as_ptr(),
            false => self.pointer(memory, 0, rows.checked_add(1)).cast(),
        };
        let columns: *const u32 = self.pointer(memory, 1, Some(index.div_ceil(2))).cast();
        let entry_values: *const u64 = self.pointer(memory, 1, index.checked_mul(4));
        let sparse = without_provenance(self.other_handle);
        let mut sparse_made = null_mut();
        let sparse_out: *mut _ = if self.nulls & 4 == 0 { &mut sparse_made } else { null_mut() };
        let subtracted = if self.nulls & 16 == 0 { matrix } else { null() };
        let texts = self.proof();
        let [key_text, public_text, proof_text] = [0, 1, 2].map(|number| match self.nulls >> number & 1 {
            0 => texts[number].as_ptr(),
            _ => null(),
        });
        // No more points, or rows of a run, than there is memory for.
        let (log_points, run_rows) = (log_n.min(16), rows.min(1 << 12));
        let [small, large, of_points] =
            [log_n, log_n.saturating_add(log_blowup), log_points].map(|log| self.root_words(log));
        let pointer = |words: &[u64; 4], null_bit: u8| match self.nulls & null_bit {
            0 => words.as_ptr(),
            _ => null(),
        };
        let [small, large, of_points] = [&small, &large, &of_points].map(|root| pointer(root, 16));
        let shift_words = [coset, 0, 0, 0];
        let shift = pointer(&shift_words, 32);
        // SAFETY: pointers are null or valid for the lengths that they were made for; jobs are waited for before these are freed.
        let status = unsafe {
            match (self.function, asynchronous) {
                (28, false) => zka_msm(engine, hash, sum, scalars, points, rows),
                (28, true) => zka_msm_async(engine, hash, sum, scalars, points, rows, job),
                (29, false) => zka_msm_matrix(engine, sums, self.scalars(), bases, index, rows, cols),
                (29, true) => {
                    zka_msm_matrix_async(engine, sums, self.scalars(), bases, index, rows, cols, job)
                }
                (30, false) => zka_matrix_upload(engine, matrix_out, hash, input, rows, cols, flags),
                (30, true) => {
                    zka_matrix_upload_async(engine, matrix_out, hash, input, rows, cols, flags, job)
                }
                (31, false) => zka_matrix_download(engine, out, matrix, rows.wrapping_mul(cols)),
                (31, true) => zka_matrix_download_async(engine, out, matrix, rows.wrapping_mul(cols), job),
                (32, false) => zka_matrix_rows(engine, some_rows, matrix, indices, rows),
                (32, true) => zka_matrix_rows_async(engine, some_rows, matrix, indices, rows, job),
                (33, false) => zka_matrix_ntt(engine, matrix_out, matrix, small, shift, flags),
                (33, true) => zka_matrix_ntt_async(engine, matrix_out, matrix, small, shift, flags, job),
                (34, false) => zka_matrix_lde(engine, matrix_out, matrix, log_blowup, large, shift, flags),
                (34, true) => {
                    zka_matrix_lde_async(engine, matrix_out, matrix, log_blowup, large, shift, flags, job)
                }
                (35, false) => zka_matrix_merkle(engine, tree, matrix, hash),
                (35, true) => zka_matrix_merkle_async(engine, tree, matrix, hash, job),
                (36, _) => {
                    let [rows, cols, field] = [0, 1, 2].map(|i| one.wrapping_add(i));
                    zka_matrix_shape(matrix, field.cast(), rows.cast(), cols.cast(), lines.cast())
                }
                (37, false) => zka_bases_new(engine, bases_out, hash, points, rows, flags),
                (37, true) => zka_bases_new_async(engine, bases_out, hash, points, rows, flags, job),
                (38, _) if ![FIXTURE.matrix, FIXTURE.scalars].contains(&self.handle) => {
                    zka_matrix_free(without_provenance_mut(self.handle))
                }
                (39, false) => zka_msm_bases(engine, sum, scalars, bases, index, rows),
                (39, true) => zka_msm_bases_async(engine, sum, scalars, bases, index, rows, job),
                (40, false) => zka_engine_work(engine, lines.cast(), one.cast(), index),
                (40, true) => zka_engine_choices(engine, lines.cast(), one.cast(), index),
                (41, _) => zka_options_set_device_memory(without_provenance_mut(self.other_handle), coset),
                (42, _) => zka_goldilocks_root_of_unity(one, log_n, flags),
                (43, _) => zka_bn254_fr_root_of_unity(one.cast(), log_n, flags),
                (44, _) => zka_bn254_fr_to_montgomery(some_rows.cast(), rows),
                (45, _) => zka_bn254_fr_from_montgomery(some_rows.cast(), rows),
                (46, _) => zka_bn254_fp_to_montgomery(some_rows.cast(), rows),
                (47, _) => zka_bn254_fp_from_montgomery(some_rows.cast(), rows),
                (48, false) => zka_msm_batch(engine, sums, row_scalars, bases, rows, cols),
                (48, true) => zka_msm_batch_async(engine, sums, row_scalars, bases, rows, cols, job),
                (49, false) => {
                    zka_matrix_evaluate(engine, matrix_out, matrix, log_points, of_points, shift, flags)
                }
                (49, true) => zka_matrix_evaluate_async(
                    engine, matrix_out, matrix, log_points, of_points, shift, flags, job,
                ),
                (50, false) => zka_matrix_interpolate(engine, matrix_out, matrix, index, small, shift),
                (50, true) => {
                    zka_matrix_interpolate_async(engine, matrix_out, matrix, index, small, shift, job)
                }
                (51, _) => zka_point_to_aff(hash, sum, point_in),
                (52, _) => zka_point_to_jac(hash, sum, point_in),
                // No witness, which is seen last.
                (53, false) => {
                    zka_groth16_prove(engine, text.cast(), bytes.cast(), prover, null(), 0, rows, cols)
                }
                (53, true) => {
                    let (text, public) = (text.cast(), bytes.cast());
                    zka_groth16_prove_async(engine, text, public, prover, null(), 0, rows, cols, job)
                }
                (54, false) => {
                    zka_groth16_prove_batch(engine, proofs, prover, row_scalars, rows, cols, proof_words)
                }
                (54, true) => zka_groth16_prove_batch_async(
                    engine,
                    proofs,
                    prover,
                    row_scalars,
                    rows,
                    cols,
                    proof_words,
                    job,
                ),
                (55, _) => {
                    let [signals, public, bytes] = [0, 1, 2].map(|i| one.wrapping_add(i).cast());
                    zka_groth16_prover_shape(prover, signals, public, bytes)
                }
                (56, false) => zka_groth16_prover_new(engine, prover_out, bytes.cast(), cols, flags),
                (56, true) => {
                    zka_groth16_prover_new_async(engine, prover_out, bytes.cast(), cols, flags, job)
                }
                (57, _) if self.handle != FIXTURE.prover => {
                    zka_groth16_prover_free(without_provenance_mut(self.handle))
                }
                (58, _) => {
                    let [proofs, remade, refused] = [0, 1, 2].map(|i| one.wrapping_add(i).cast());
                    zka_groth16_prover_account(prover, proofs, remade, refused)
                }
                (59, false) => {
                    zka_matrix_combine_columns(engine, matrix_out, matrix, row_scalars, rows, cols, flags)
                }
                (59, true) => zka_matrix_combine_columns_async(
                    engine,
                    matrix_out,
                    matrix,
                    row_scalars,
                    rows,
                    cols,
                    flags,
                    job,
                ),
                (60, false) => {
                    zka_matrix_combine_rows(engine, out, self.scalars(), matrix, rows.wrapping_mul(cols))
                }
                (60, true) => {
                    let len = rows.wrapping_mul(cols);
                    zka_matrix_combine_rows_async(engine, out, self.scalars(), matrix, len, job)
                }
                (61, false) => {
                    let len = rows.wrapping_mul(cols);
                    zka_matrix_prefix_products(engine, matrix_out, out, matrix, first, len)
                }
                (61, true) => {
                    let len = rows.wrapping_mul(cols);
                    zka_matrix_prefix_products_async(engine, matrix_out, out, matrix, first, len, job)
                }
                (62, _) => zka_matrix_reshape(engine, matrix_out, matrix, rows, cols),
                (63, _) => {
                    let (nodes, outputs) = (nodes.cast(), outputs.cast());
                    zka_program_new(program_out, hash, nodes, constants, outputs, rows, index, cols)
                }
                (64, false) => zka_program_run(
                    engine, matrix_out, program, inputs, values, index, cols, run_rows, rows, flags,
                ),
                (64, true) => zka_program_run_async(
                    engine, matrix_out, program, inputs, values, index, cols, run_rows, rows, flags, job,
                ),
                (65, _) => {
                    let [inputs, outputs, field] = [0, 1, 2].map(|i| one.wrapping_add(i));
                    zka_program_shape(program, field.cast(), inputs.cast(), outputs.cast(), lines.cast())
                }
                (66, _) if self.handle != FIXTURE.program => {
                    zka_program_free(without_provenance_mut(self.handle))
                }
                (67, false) => zka_matrix_permute_lookups(engine, matrix_out, matrix, rows),
                (67, true) => zka_matrix_permute_lookups_async(engine, matrix_out, matrix, rows, job),
                (68, _) => {
                    let [first, second, words] = [0, 1, 2].map(|i| one.wrapping_add(i));
                    zka_groth16_prover_curves(prover, first.cast(), second.cast(), words.cast())
                }
                (69, false) => {
                    zka_sparse_new(engine, sparse_out, hash, starts, columns, entry_values, rows, cols, index)
                }
                (69, true) => zka_sparse_new_async(
                    engine,
                    sparse_out,
                    hash,
                    starts,
                    columns,
                    entry_values,
                    rows,
                    cols,
                    index,
                    job,
                ),
                (70, _) => {
                    let [field, rows, cols] = [0, 1, 2].map(|i| one.wrapping_add(i));
                    zka_sparse_shape(sparse, field.cast(), rows.cast(), cols.cast(), lines.cast())
                }
                (71, _) if self.handle != FIXTURE.sparse => {
                    zka_sparse_free(without_provenance_mut(self.handle))
                }
                (72, false) => zka_sparse_multiply(engine, matrix_out, sparse, self.scalars()),
                (72, true) => zka_sparse_multiply_async(engine, matrix_out, sparse, self.scalars(), job),
                (73, false) => zka_matrix_multiply(engine, matrix_out, matrix, self.scalars(), subtracted),
                (73, true) => {
                    zka_matrix_multiply_async(engine, matrix_out, matrix, self.scalars(), subtracted, job)
                }
                (74, false) => zka_matrix_invert(engine, matrix_out, matrix),
                (74, true) => zka_matrix_invert_async(engine, matrix_out, matrix, job),
                (75, _) => zka_groth16_verify(key_text, public_text, proof_text),
                (76, _) => zka_groth16_prover_verify(prover, public_text, proof_text),
                _ => ZKA_OK,
            }
        };
        // SAFETY: a future that was just given, or none.
        let status = match unsafe { job.as_ref() } {
            Some(&future) if future.id != 0 => unsafe_wait(engine, job, status),
            _ => status,
        };
        // SAFETY: things that were made here, or null.
        unsafe {
            assert_eq!(zka_matrix_free(made), ZKA_OK);
            assert_eq!(zka_bases_free(kept), ZKA_OK);
            assert_eq!(zka_groth16_prover_free(proving), ZKA_OK);
            assert_eq!(zka_program_free(recorded), ZKA_OK);
            assert_eq!(zka_sparse_free(sparse_made), ZKA_OK);
        }
        status
    }
}

/// Waits for a job, whose future is none then.
fn unsafe_wait(engine: *mut zka_engine, job: *mut zka_future, status: zka_status) -> zka_status {
    assert_eq!(status, ZKA_OK);
    // SAFETY: the future of a variable that lives, and of a job that nobody waited for.
    unsafe { crate::future::zka_wait(engine, std::mem::replace(&mut *job, zka_future { id: 0 })) }
}
