//! What is done with matrices and trees, and asked of them.

use std::ptr::{null_mut, without_provenance_mut};

use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{Convention, Direction, Domain, Ntt, Order};
use zkaccel_capi::fields::*;
use zkaccel_capi::future::zka_future;
use zkaccel_capi::goldilocks::*;
use zkaccel_capi::matrix::*;
use zkaccel_capi::merkle::*;
use zkaccel_capi::status::*;
use zkaccel_capi::transforms::*;

use super::{Makes, Model, words};
use crate::draw::Draw;
use crate::engines;

impl Model {
    pub(super) fn upload(&mut self, draw: &mut Draw<'_>) {
        let engine = self.engine(draw, None);
        let matrix = Self::matrix(draw);
        let Shape { rows, columns, layout } = matrix.shape();
        let flags = if layout == Layout::ColumnMajor { ZKA_COLUMN_MAJOR } else { 0 };
        let (mut out, mut future) = (Box::new(null_mut()), zka_future { id: 0 });
        let (expected, input) = (self.expected::<()>(engine, None), words(&matrix).as_ptr());
        let later = draw.flag();
        // SAFETY: memory for the matrix; that of a job is kept with it.
        let status = unsafe {
            match later {
                false => {
                    zka_matrix_upload(self.at(engine), &mut *out, ZKA_GOLDILOCKS, input, rows, columns, flags)
                }
                true => {
                    let (engine, future) = (self.at(engine), &mut future);
                    zka_matrix_upload_async(
                        engine,
                        &mut *out,
                        ZKA_GOLDILOCKS,
                        input,
                        rows,
                        columns,
                        flags,
                        future,
                    )
                }
            }
        };
        assert_eq!(status, expected);
        match later {
            true => self.wait_later(engine, status, future, Makes::Matrix(out, matrix)),
            false if status == ZKA_OK => self.add_matrix(engine, *out, matrix),
            false => assert!(out.is_null()),
        }
    }

    pub(super) fn download(&mut self, draw: &mut Draw<'_>) {
        if self.matrices.is_empty() {
            return;
        }
        let thing = self.matrices[draw.below(self.matrices.len())].clone();
        let engine = self.engine(draw, Some(thing.engine));
        let expected = self.expected(engine, Some(&thing));
        let right = words(&thing.value).len();
        let len = if draw.below(6) == 5 { draw.near(right).min(2 * right + 1) } else { right };
        let mut out = vec![0xa5a5_a5a5_a5a5_a5a5_u64; len];
        // SAFETY: memory of that length.
        let status = unsafe {
            zka_matrix_download(self.at(engine), out.as_mut_ptr(), without_provenance_mut(thing.handle), len)
        };
        match (expected, len == right) {
            (ZKA_OK, false) => assert_eq!(status, ZKA_BAD_LENGTH),
            (expected, true) => assert_eq!(status, expected),
            (_, false) => assert_ne!(status, ZKA_OK),
        }
        if status == ZKA_OK {
            assert_eq!(out, words(&thing.value));
        } else {
            assert!(out.iter().all(|&word| word == 0xa5a5_a5a5_a5a5_a5a5), "{status}: nothing is written");
        }
    }

    /// A transform that fits so many rows, in both interfaces.
    pub(super) fn ntt(draw: &mut Draw<'_>, rows: usize) -> (Ntt, u32) {
        let orders = [draw.flag(), draw.flag()];
        let inverse = draw.flag();
        let domain = Domain::new(rows.ilog2(), draw.pick(&Convention::ALL)).expect("a small one");
        let shift: Goldilocks = draw.element();
        let order = |bit_reversed| if bit_reversed { Order::BitReversed } else { Order::Natural };
        let ntt = Ntt {
            domain: domain.coset(shift).unwrap_or(domain),
            direction: if inverse { Direction::Inverse } else { Direction::Forward },
            input_order: order(orders[0]),
            output_order: order(orders[1]),
        };
        let flags = [(inverse, ZKA_INVERSE), (orders[0], ZKA_IN_BITREV), (orders[1], ZKA_OUT_BITREV)];
        (ntt, flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum())
    }

    pub(super) fn transformed(ntt: &Ntt, matrix: &Matrix<Goldilocks>) -> Matrix<Goldilocks> {
        let mut values = matrix.clone();
        engines::reference().ntt(ntt, &mut values).expect("a sound matrix");
        values
    }

    pub(super) fn transform_matrix(&mut self, draw: &mut Draw<'_>) {
        if self.matrices.is_empty() {
            return;
        }
        let thing = self.matrices[draw.below(self.matrices.len())].clone();
        let engine = self.engine(draw, Some(thing.engine));
        let expected = self.expected(engine, Some(&thing));
        let (ntt, flags) = Self::ntt(draw, thing.value.shape().rows);
        let (omega, coset) = (ntt.domain.root().as_u64(), ntt.domain.shift().as_u64());
        let (mut out, mut future) = (Box::new(null_mut()), zka_future { id: 0 });
        let (input, later) = (without_provenance_mut(thing.handle), draw.flag());
        // SAFETY: pointers to words; the result's is kept with the job.
        let status = unsafe {
            match later {
                false => zka_matrix_ntt(self.at(engine), &mut *out, input, &omega, &coset, flags),
                true => zka_matrix_ntt_async(
                    self.at(engine),
                    &mut *out,
                    input,
                    &omega,
                    &coset,
                    flags,
                    &mut future,
                ),
            }
        };
        assert_eq!(status, expected);
        if status == ZKA_OK {
            let value = Self::transformed(&ntt, &thing.value);
            match later {
                true => self.wait_later(engine, status, future, Makes::Matrix(out, value)),
                false => self.add_matrix(engine, *out, value),
            }
        }
    }

    pub(super) fn transform_words(&mut self, draw: &mut Draw<'_>) {
        let engine = self.engine(draw, None);
        let expected = self.expected::<()>(engine, None);
        let matrix = Self::matrix(draw);
        let shape = matrix.shape();
        let (ntt, flags) = Self::ntt(draw, shape.rows);
        let flags = flags | if shape.layout == Layout::ColumnMajor { ZKA_COLUMN_MAJOR } else { 0 };
        let mut data: Box<[u64]> = words(&matrix).into();
        let mut after = Ok(words(&Self::transformed(&ntt, &matrix)).to_vec());
        if draw.below(8) == 7 {
            data[draw.below(data.len())] = u64::MAX;
            after = Err(ZKA_NOT_CANONICAL);
        }
        let before = data.to_vec();
        let (log_n, cols) = (shape.rows.ilog2(), shape.columns);
        let (omega, coset) = (ntt.domain.root().as_u64(), ntt.domain.shift().as_u64());
        let (mut future, later) = (zka_future { id: 0 }, draw.flag());
        let (at, start) = (self.at(engine), data.as_mut_ptr());
        // SAFETY: memory for the matrix; that of a job is kept with it.
        let status = unsafe {
            match later {
                false => zka_goldilocks_ntt(at, start, log_n, cols, omega, coset, flags),
                true => zka_goldilocks_ntt_async(at, start, log_n, cols, omega, coset, flags, &mut future),
            }
        };
        match (expected, later) {
            (ZKA_OK, true) => {
                assert_eq!(status, ZKA_OK);
                self.wait_later(engine, status, future, Makes::Words(data, after));
            }
            (ZKA_OK, false) => {
                assert_eq!(status, after.as_ref().err().copied().unwrap_or(ZKA_OK));
                assert_eq!(&data[..], after.as_ref().unwrap_or(&before));
            }
            _ => {
                assert_eq!(status, expected);
                assert_eq!(&data[..], &before);
            }
        }
    }

    pub(super) fn tree(&mut self, draw: &mut Draw<'_>) {
        if self.matrices.is_empty() {
            return;
        }
        let thing = self.matrices[draw.below(self.matrices.len())].clone();
        let engine = self.engine(draw, Some(thing.engine));
        let expected = self.expected(engine, Some(&thing));
        let (mut out, mut future) = (Box::new(null_mut()), zka_future { id: 0 });
        let (input, later) = (without_provenance_mut(thing.handle), draw.flag());
        // SAFETY: the result's pointer is kept with the job.
        let status = unsafe {
            match later {
                false => zka_matrix_merkle(self.at(engine), &mut *out, input, ZKA_HASH_BLAKE3),
                true => {
                    zka_matrix_merkle_async(self.at(engine), &mut *out, input, ZKA_HASH_BLAKE3, &mut future)
                }
            }
        };
        assert_eq!(status, expected);
        if status == ZKA_OK {
            let value = engines::reference().merkle_tree_of_rows(&thing.value).expect("a sound matrix");
            match later {
                true => self.wait_later(engine, status, future, Makes::Tree(out, value)),
                false => self.add_tree(engine, *out, value),
            }
        }
    }

    /// Trees may be asked whatever became of their engines.
    pub(super) fn ask_tree(&mut self, draw: &mut Draw<'_>) {
        if self.trees.is_empty() {
            return;
        }
        let thing = &self.trees[draw.below(self.trees.len())];
        let tree = without_provenance_mut(thing.handle);
        let expected = if thing.freed { ZKA_BAD_ARGUMENT } else { ZKA_OK };
        let leaves = thing.value.leaf_count();
        let index = if draw.below(4) == 3 { draw.near(leaves) } else { draw.below(leaves) };
        let depth = leaves.ilog2() as usize;
        let (mut root, mut path) =
            (zka_digest { bytes: [0xa5; 32] }, vec![zka_digest { bytes: [0xa5; 32] }; depth]);
        // SAFETY: a digest, and as many as are said.
        let statuses =
            unsafe { [zka_tree_root(tree, &mut root), zka_tree_open(tree, path.as_mut_ptr(), depth, index)] };
        assert_eq!(statuses[0], expected);
        if thing.freed {
            return assert_eq!(statuses[1], expected);
        }
        let bytes = |digest: &zkaccel::hash::ByteDigest| digest.0;
        assert_eq!(root.bytes, bytes(&thing.value.root()));
        match thing.value.open(index) {
            Ok(opening) => {
                assert_eq!(statuses[1], ZKA_OK);
                let expected: Vec<_> = opening.siblings.iter().map(bytes).collect();
                assert_eq!(path.iter().map(|digest| digest.bytes).collect::<Vec<_>>(), expected);
            }
            Err(_) => assert_eq!(statuses[1], ZKA_BAD_ARGUMENT),
        }
    }

    pub(super) fn ask_matrix(&mut self, draw: &mut Draw<'_>) {
        if self.matrices.is_empty() {
            return;
        }
        let thing = &self.matrices[draw.below(self.matrices.len())];
        let (mut field, mut rows, mut cols, mut flags) = (7, 7, 7, 7);
        let handle = without_provenance_mut(thing.handle);
        // SAFETY: pointers to variables.
        let status = unsafe { zka_matrix_shape(handle, &mut field, &mut rows, &mut cols, &mut flags) };
        let shape = thing.value.shape();
        let layout = if shape.layout == Layout::ColumnMajor { ZKA_COLUMN_MAJOR } else { 0 };
        match thing.freed {
            true => assert_eq!(status, ZKA_BAD_ARGUMENT),
            false => assert_eq!(
                (status, field, rows, cols, flags),
                (ZKA_OK, ZKA_GOLDILOCKS, shape.rows, shape.columns, layout)
            ),
        }
    }
}
