//! The cases of functions on what an engine keeps, on the account of its work, and on single elements.

use std::ptr::{null_mut, without_provenance, without_provenance_mut};

use super::random::{Case, FIXTURE, Memory, root};
use crate::elements::*;
use crate::engine::*;
use crate::future::zka_future;
use crate::merkle::zka_tree;
use crate::options::*;
use crate::resident::*;
use crate::scalars::*;
use crate::status::*;
use crate::work::*;

impl Case {
    fn matrix(&self) -> *const zka_matrix {
        without_provenance(self.other_handle)
    }

    fn scalars(&self) -> *const zka_scalars {
        // Kept scalars with kept bases, or whatever the first handle is.
        without_provenance(if self.handle == FIXTURE.engine { FIXTURE.scalars } else { self.handle })
    }

    /// Calls functions from number 28 on and frees what they have made.
    pub(super) fn run_on_what_stays(
        &self,
        memory: &mut Memory,
        tree: *mut *mut zka_tree,
        job: *mut zka_future,
    ) -> zka_status {
        let Case { rows, cols, log_n, log_blowup, coset, flags, hash, index, asynchronous, .. } = *self;
        let engine = self.engine();
        let out: *mut u64 = self.pointer(memory, 0, rows.checked_mul(cols));
        let input = self.pointer(memory, 1, rows.checked_mul(cols));
        let fr = self.pointer(memory, 1, rows.checked_mul(4)).cast();
        let sums = self.pointer(memory, 0, cols.checked_mul(12)).cast();
        let some_rows = self.pointer(memory, 0, rows.checked_mul(4));
        let indices = self.pointer(memory, 1, Some(rows)).cast();
        let lines = self.pointer(memory, 1, index.checked_mul(39));
        let one: *mut u64 = self.pointer(memory, 0, Some(8));
        let (mut scalars, mut matrix) = (null_mut(), null_mut());
        let scalars_out: *mut _ = if self.nulls & 4 == 0 { &mut scalars } else { null_mut() };
        let matrix_out: *mut _ = if self.nulls & 4 == 0 { &mut matrix } else { null_mut() };
        let small_root = root(log_n, self.other_root);
        let large_root = root(log_n.saturating_add(log_blowup), self.other_root);
        // SAFETY: pointers are null or valid for the lengths that they were made for; jobs are waited for before these are freed.
        let status = unsafe {
            match (self.function, asynchronous) {
                (28, false) => zka_bn254_fr_scalars_new(engine, scalars_out, fr, rows),
                (28, true) => zka_bn254_fr_scalars_new_async(engine, scalars_out, fr, rows, job),
                (29, false) => {
                    zka_bn254_g1_msm_scalars(engine, sums, self.scalars(), self.bases(), index, rows, cols)
                }
                (29, true) => {
                    let (scalars, bases) = (self.scalars(), self.bases());
                    zka_bn254_g1_msm_scalars_async(engine, sums, scalars, bases, index, rows, cols, job)
                }
                (30, false) => zka_matrix_upload(engine, matrix_out, input, rows, cols, flags),
                (30, true) => zka_matrix_upload_async(engine, matrix_out, input, rows, cols, flags, job),
                (31, false) => zka_matrix_download(engine, out, self.matrix(), rows.wrapping_mul(cols)),
                (31, true) => {
                    zka_matrix_download_async(engine, out, self.matrix(), rows.wrapping_mul(cols), job)
                }
                (32, false) => zka_matrix_rows(engine, some_rows, self.matrix(), indices, rows),
                (32, true) => zka_matrix_rows_async(engine, some_rows, self.matrix(), indices, rows, job),
                (33, false) => zka_matrix_ntt(engine, matrix_out, self.matrix(), small_root, coset, flags),
                (33, true) => {
                    zka_matrix_ntt_async(engine, matrix_out, self.matrix(), small_root, coset, flags, job)
                }
                (34, false) => {
                    zka_matrix_lde(engine, matrix_out, self.matrix(), log_blowup, large_root, coset, flags)
                }
                (34, true) => zka_matrix_lde_async(
                    engine,
                    matrix_out,
                    self.matrix(),
                    log_blowup,
                    large_root,
                    coset,
                    flags,
                    job,
                ),
                (35, false) => zka_matrix_merkle(engine, tree, self.matrix(), hash),
                (35, true) => zka_matrix_merkle_async(engine, tree, self.matrix(), hash, job),
                (36, _) => {
                    zka_matrix_shape(self.matrix(), one.cast(), one.wrapping_add(1).cast(), lines.cast())
                }
                (37, _) => zka_scalars_len(self.scalars(), one.cast()),
                (38, _) if self.handle != FIXTURE.matrix => {
                    zka_matrix_free(without_provenance_mut(self.handle))
                }
                (39, _) if self.handle != FIXTURE.scalars => {
                    zka_scalars_free(without_provenance_mut(self.handle))
                }
                (40, false) => zka_engine_work(engine, lines.cast(), one.cast(), index),
                (40, true) => zka_engine_choices(engine, lines.cast(), one.cast(), index),
                (41, _) => zka_options_set_device_memory(without_provenance_mut(self.other_handle), coset),
                (42, _) => zka_goldilocks_root_of_unity(one, log_n, flags),
                (43, _) => zka_bn254_fr_root_of_unity(one.cast(), log_n, flags),
                (44, _) => zka_bn254_fr_to_montgomery(some_rows.cast(), rows),
                (45, _) => zka_bn254_fr_from_montgomery(some_rows.cast(), rows),
                (46, _) => zka_bn254_fp_to_montgomery(some_rows.cast(), rows),
                (47, _) => zka_bn254_fp_from_montgomery(some_rows.cast(), rows),
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
            assert_eq!(zka_scalars_free(scalars), ZKA_OK);
            assert_eq!(zka_matrix_free(matrix), ZKA_OK);
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
