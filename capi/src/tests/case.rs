//! One call of any function: its arguments, the memory that it may use, and handles that every call may use.
//!
//! The one promise that is kept is the header's: a pointer that is not null is valid for its length. A length that does not
//! fit the memory at hand goes with a null pointer, or is one that no memory has.

use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::LazyLock;

use crate::bn254::*;
use crate::curves::*;
use crate::engine::*;
use crate::fields::*;
use crate::future::*;
use crate::goldilocks::*;
use crate::groth16::*;
use crate::matrix::*;
use crate::merkle::*;
use crate::msm::*;
use crate::options::*;
use crate::programs::*;
use crate::sparse::*;
use crate::status::*;

/// Words of memory that a call may use, in two halves.
pub const WORDS: usize = 1 << 12;

/// Handles that every case may use: an engine, one that was shut down, options, and one of each thing that an engine makes.
pub struct Fixture {
    pub engine: usize,
    pub gone: usize,
    pub tree: usize,
    pub options: usize,
    pub bases: usize,
    /// Bases over Grumpkin.
    pub grumpkin: usize,
    pub matrix: usize,
    /// A matrix over BN254's scalars.
    pub scalars: usize,
    /// A prover with a key of five signals.
    pub prover: usize,
    /// A row program over Goldilocks for one matrix and one value.
    pub program: usize,
    /// A sparse matrix over BN254's scalars with a column for each scalar that stays.
    pub sparse: usize,
}

/// The key of that prover.
const KEY: &[u8] = include_bytes!("../../../groth16/tests/data/multiplier/circuit.zkey");

/// Texts of a proof that is true: its verification key, its public signals and itself.
const PROOF: [&[u8]; 3] = [
    include_bytes!("../../../groth16/tests/data/multiplier/verification_key.json"),
    include_bytes!("../../../groth16/tests/data/multiplier/public.json"),
    include_bytes!("../../../groth16/tests/data/multiplier/proof.json"),
];

/// The generator of G1, (1, 2), in Montgomery form.
const GENERATOR: zka_bn254_g1_aff = zka_bn254_g1_aff {
    x: zka_bn254_fp {
        limbs: [0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f],
    },
    y: zka_bn254_fp {
        limbs: [0xa6ba871b8b1e1b3a, 0x14f1d651eb8e167b, 0xccdd46def0f28c58, 0x1c14ef83340fbe5e],
    },
};

/// That of Grumpkin, (1, the square root of -16).
const OF_GRUMPKIN: [u64; 8] = [
    0xac96341c4ffffffb,
    0x36fc76959f60cd29,
    0x666ea36f7879462e,
    0x0e0a77c19a07df2f,
    0x11b2dff1448c41d8,
    0x23d3446f21c77dc3,
    0xaa7b8cf435dfafbb,
    0x14b34cf69dc25d68,
];

/// How many bases and scalars the fixture has.
pub const BASES: usize = 8;

pub static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let (mut engine, mut gone, mut tree) = (null_mut(), null_mut(), null_mut());
    let (mut options, mut bases, mut grumpkin) = (null_mut(), null_mut(), null_mut());
    let (mut scalars, mut matrix, mut prover) = (null_mut(), null_mut(), null_mut());
    let (mut program, mut sparse) = (null_mut(), null_mut());
    let node = |kind, a, b, offset| zka_node { kind, a, b, offset };
    let nodes = [
        node(ZKA_NODE_COLUMN, 0, 1, 1),
        node(ZKA_NODE_VALUE, 0, 0, 0),
        node(ZKA_NODE_MUL, 0, 1, 0),
        node(ZKA_NODE_CONSTANT, 0, 0, 0),
        node(ZKA_NODE_ADD, 2, 3, 0),
    ];
    let (constants, outputs) = ([7u64], [4u32, 2]);
    let points = [GENERATOR; BASES];
    let leaves = [1u64; 8 * 4];
    // SAFETY: pointers to variables, and arrays of 8 rows of 4 words, which are also 8 scalars, of 8 points, and of what a program is made of.
    unsafe {
        assert_eq!(zka_options_new(&mut options), ZKA_OK);
        assert_eq!(zka_options_set_device(options, c"cpu".as_ptr()), ZKA_OK);
        assert_eq!(zka_engine_new(&mut engine, ZKA_ABI_VERSION, options), ZKA_OK);
        assert_eq!(zka_engine_new(&mut gone, ZKA_ABI_VERSION, options), ZKA_OK);
        assert_eq!(zka_merkle_commit(engine, &mut tree, ZKA_HASH_BLAKE3, leaves.as_ptr(), 8, 4, 0), ZKA_OK);
        assert_eq!(zka_bn254_g1_bases_new(engine, &mut bases, points.as_ptr(), BASES, ZKA_VALIDATE), ZKA_OK);
        let points = [OF_GRUMPKIN; BASES];
        let points = points.as_flattened().as_ptr();
        assert_eq!(zka_bases_new(engine, &mut grumpkin, ZKA_GRUMPKIN, points, BASES, ZKA_VALIDATE), ZKA_OK);
        let words = leaves.as_ptr();
        assert_eq!(zka_matrix_upload(engine, &mut matrix, ZKA_GOLDILOCKS, words, 8, 4, 0), ZKA_OK);
        assert_eq!(zka_matrix_upload(engine, &mut scalars, ZKA_BN254_FR, words, BASES, 1, 0), ZKA_OK);
        assert_eq!(zka_groth16_prover_new(engine, &mut prover, KEY.as_ptr(), KEY.len(), 0), ZKA_OK);
        let (nodes, constants, outputs) = (nodes.as_ptr(), constants.as_ptr(), outputs.as_ptr());
        let recorded = zka_program_new(&mut program, ZKA_GOLDILOCKS, nodes, constants, outputs, 5, 1, 2);
        assert_eq!(recorded, ZKA_OK);
        // Rows of two entries, of none and of one.
        let (starts, indices, values) = ([0usize, 2, 2, 3], [0u32, 7, 3], [1u64; 3 * 4]);
        let (starts, indices, values) = (starts.as_ptr(), indices.as_ptr(), values.as_ptr());
        let kept = zka_sparse_new(engine, &mut sparse, ZKA_BN254_FR, starts, indices, values, 3, BASES, 3);
        assert_eq!(kept, ZKA_OK);
        assert_eq!(zka_engine_shutdown(gone), ZKA_OK);
    }
    Fixture {
        engine: engine.addr(),
        gone: gone.addr(),
        tree: tree.addr(),
        options: options.addr(),
        bases: bases.addr(),
        grumpkin: grumpkin.addr(),
        matrix: matrix.addr(),
        scalars: scalars.addr(),
        prover: prover.addr(),
        program: program.addr(),
        sparse: sparse.addr(),
    }
});

/// The root of order 2^`log` most of the time, or any word.
pub fn root(log: u32, other: Option<u64>) -> u64 {
    other.unwrap_or_else(|| {
        let log = log.min(32);
        accel::ntt::Convention::Winterfell.root_of_unity(log).as_u64()
    })
}

/// The words of `cols` polynomials of 2^`log_n` scalars.
fn points_words(log_n: u32, cols: usize) -> Option<usize> {
    1usize.checked_shl(log_n)?.checked_mul(cols)?.checked_mul(4)
}

/// One call's arguments.
#[derive(Clone, Debug)]
pub struct Case {
    pub function: usize,
    pub handle: usize,
    pub other_handle: usize,
    pub rows: usize,
    pub cols: usize,
    pub log_n: u32,
    pub log_blowup: u32,
    pub other_root: Option<u64>,
    pub coset: u64,
    pub flags: u32,
    /// The number of a hash, a field or a curve.
    pub hash: u32,
    pub index: usize,
    pub future: u64,
    pub nulls: u8,
    pub overlap: bool,
    pub misaligned: bool,
    pub canonical: bool,
    pub asynchronous: bool,
}

pub const FUNCTIONS: usize = 77;

/// Whether a status is one that any arguments may lead to.
pub fn is_possible(status: zka_status) -> bool {
    (ZKA_OK..=ZKA_NOT_VERIFIED).contains(&status) && status != ZKA_INTERNAL
}

/// Memory of a case. The halves are apart; a pointer to either is valid for half of all words.
pub struct Memory {
    pub words: Vec<u64>,
}

impl Case {
    /// Whether an error of the function leaves all memory as it was.
    pub fn leaves_memory_alone(&self) -> bool {
        matches!(self.function, 0..3 | 18..23 | 25 | 28..=39 | 42..)
    }

    /// The start of a half, unless the case says null or the length is one that other memory might have.
    pub fn pointer(&self, memory: &mut Memory, half: usize, words: Option<usize>) -> *mut u64 {
        let possible = words.filter(|&words| words <= isize::MAX as usize / 8);
        let fits = possible.is_none_or(|words| words <= WORDS / 2 - 8);
        if self.nulls >> half & 1 == 1 || !fits {
            return null_mut();
        }
        let half = if self.overlap { 0 } else { half };
        let start = &raw mut memory.words[half * (WORDS / 2)];
        // Still inside the half: eight words are kept free.
        start.wrapping_byte_add(if self.misaligned { 3 } else { 0 })
    }

    pub fn engine(&self) -> *mut zka_engine {
        without_provenance_mut(self.handle)
    }

    fn tree(&self) -> *mut zka_tree {
        without_provenance_mut(self.handle)
    }

    pub fn bases(&self) -> *mut zka_bases {
        without_provenance_mut(self.other_handle)
    }

    /// The texts of a proof that is true, of which the case may change a byte of one; a byte of 0 is the end of the text.
    pub fn proof(&self) -> [CString; 3] {
        std::array::from_fn(|number| {
            let mut bytes = PROOF[number].to_vec();
            if self.rows % 4 == number + 1 {
                let at = self.cols % bytes.len();
                bytes[at] = self.flags as u8;
            }
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            CString::new(&bytes[..end]).expect("a text without a byte of 0")
        })
    }

    fn options(&self) -> *mut zka_options {
        without_provenance_mut(self.handle)
    }

    /// Calls the function and gives its status; jobs are waited for.
    pub fn run(&self, memory: &mut Memory) -> zka_status {
        let Case { rows, cols, log_n, log_blowup, coset, flags, hash, index, .. } = *self;
        let matrix = rows.checked_mul(cols);
        let points = 1usize.checked_shl(log_n).and_then(|n| n.checked_mul(cols));
        let extended = log_n.checked_add(log_blowup).and_then(|log| 1usize.checked_shl(log));
        let extended = extended.and_then(|n| n.checked_mul(cols));
        let (mut future, mut tree, mut valid) = (zka_future { id: 0 }, null_mut(), 0);
        let tree_out: *mut _ = if self.nulls & 4 == 0 { &mut tree } else { null_mut() };
        let job: *mut _ = if self.nulls & 8 == 0 { &mut future } else { null_mut() };
        let given = zka_future { id: self.future };
        let data = self.pointer(memory, 0, points);
        let out = self.pointer(memory, 0, extended);
        let input = self.pointer(memory, 1, points);
        let entries = self.pointer(memory, 1, matrix);
        let row = self.pointer(memory, 1, Some(cols));
        let path = self.pointer(memory, 0, index.checked_mul(4)).cast();
        let any: *mut u64 = self.pointer(memory, 0, Some(128));
        let digests = self.pointer(memory, 0, rows.checked_mul(4)).cast();
        let mut kept = null_mut();
        let bases_out: *mut _ = if self.nulls & 4 == 0 { &mut kept } else { null_mut() };
        let point_out = self.pointer(memory, 0, Some(12)).cast();
        let points_out = self.pointer(memory, 0, cols.checked_mul(12)).cast();
        let scalars = self.pointer(memory, 1, rows.checked_mul(4)).cast();
        let row_scalars = self.pointer(memory, 1, matrix.and_then(|n| n.checked_mul(4))).cast();
        let points = self.pointer(memory, 1, rows.checked_mul(8)).cast();
        let values = self.pointer(memory, 0, points_words(log_n, cols)).cast();
        let root_of_order = accel::ntt::Domain::<accel::bn254::Fr>::halo2(log_n.min(28)).unwrap().root();
        let root_limbs = self.other_root.map_or(accel::bn254::limbs(&[root_of_order])[0], |word| [word; 4]);
        let (root_fr, shift_fr) = (zka_bn254_fr { limbs: root_limbs }, zka_bn254_fr { limbs: [coset; 4] });
        let omega = if self.nulls & 16 == 0 { &raw const root_fr } else { null() };
        let coset_fr = if self.nulls & 32 == 0 { &raw const shift_fr } else { null() };
        // SAFETY: pointers are null or valid for the lengths that they were made for, jobs are waited for below.
        let status = unsafe {
            match (self.function, self.asynchronous) {
                (0, false) => {
                    let omega = root(log_n, self.other_root);
                    zka_goldilocks_ntt(self.engine(), data, log_n, cols, omega, coset, flags)
                }
                (0, true) => {
                    let omega = root(log_n, self.other_root);
                    zka_goldilocks_ntt_async(self.engine(), data, log_n, cols, omega, coset, flags, job)
                }
                (1, asynchronous) => {
                    let omega = root(log_n.saturating_add(log_blowup), self.other_root);
                    let engine = self.engine();
                    match asynchronous {
                        false => zka_goldilocks_lde(
                            engine, out, input, log_n, log_blowup, cols, omega, coset, flags,
                        ),
                        true => zka_goldilocks_lde_async(
                            engine, out, input, log_n, log_blowup, cols, omega, coset, flags, job,
                        ),
                    }
                }
                (2, false) => zka_merkle_commit(self.engine(), tree_out, hash, entries, rows, cols, flags),
                (2, true) => {
                    zka_merkle_commit_async(self.engine(), tree_out, hash, entries, rows, cols, flags, job)
                }
                (3, _) => zka_tree_root(self.tree(), any.cast()),
                (4, _) => zka_tree_leaf_count(self.tree(), any.cast()),
                (5, _) => zka_tree_open(self.tree(), path, index, rows),
                (6, _) => {
                    zka_merkle_verify(&mut valid, hash, row.cast(), rows, cols, row, cols, path, index, flags)
                }
                // Only handles that no other case needs.
                (7, _) if self.handle != FIXTURE.tree => zka_tree_free(self.tree()),
                (8, _) if self.handle != FIXTURE.engine => zka_engine_shutdown(self.engine()),
                (9, _) if self.handle != FIXTURE.options => zka_options_free(self.options()),
                (10, _) => zka_wait(self.engine(), given),
                (11, _) => zka_poll(self.engine(), given, any.cast()),
                (12, _) => zka_detach(self.engine(), given, None, null_mut()),
                (13, _) => zka_engine_device(self.engine(), any.cast()),
                (14, _) => zka_capabilities(any),
                (15, _) => zka_options_set_policy(null_mut(), flags as i32),
                (16, _) => zka_options_set_device(self.options(), null::<c_char>()),
                (17, _) => zka_last_error(any.cast(), index.min(1024)),
                (18, false) => zka_bn254_g1_msm(self.engine(), point_out, scalars, points, rows),
                (18, true) => zka_bn254_g1_msm_async(self.engine(), point_out, scalars, points, rows, job),
                (19, false) => zka_bn254_g1_bases_new(self.engine(), bases_out, points, rows, flags),
                (19, true) => {
                    zka_bn254_g1_bases_new_async(self.engine(), bases_out, points, rows, flags, job)
                }
                (20, false) => {
                    zka_bn254_g1_msm_bases(self.engine(), point_out, scalars, self.bases(), index, rows)
                }
                (20, true) => zka_bn254_g1_msm_bases_async(
                    self.engine(),
                    point_out,
                    scalars,
                    self.bases(),
                    index,
                    rows,
                    job,
                ),
                (21, asynchronous) => {
                    let (engine, bases) = (self.engine(), self.bases());
                    match asynchronous {
                        false => zka_bn254_g1_msm_batch(engine, points_out, row_scalars, bases, rows, cols),
                        true => zka_bn254_g1_msm_batch_async(
                            engine,
                            points_out,
                            row_scalars,
                            bases,
                            rows,
                            cols,
                            job,
                        ),
                    }
                }
                (22, asynchronous) => {
                    let engine = self.engine();
                    match asynchronous {
                        false => zka_bn254_fr_fft(engine, values, log_n, cols, omega, coset_fr, flags),
                        true => {
                            zka_bn254_fr_fft_async(engine, values, log_n, cols, omega, coset_fr, flags, job)
                        }
                    }
                }
                (23, _) => zka_bn254_g1_to_aff(any.cast(), self.pointer(memory, 1, Some(12)).cast()),
                (25, asynchronous) => {
                    let engine = self.engine();
                    match asynchronous {
                        false => zka_hash_rows(engine, digests, hash, entries, rows, cols, flags),
                        true => zka_hash_rows_async(engine, digests, hash, entries, rows, cols, flags, job),
                    }
                }
                (26, _) => zka_tree_nodes(self.tree(), digests, index, rows),
                (27, _) => zka_options_set_check(without_provenance_mut(self.other_handle), flags as i32),
                (24, _) if ![FIXTURE.bases, FIXTURE.grumpkin].contains(&self.handle) => {
                    zka_bases_free(without_provenance_mut(self.handle))
                }
                _ => self.run_on_what_stays(memory, tree_out, job),
            }
        };
        let status = match future.id {
            0 => status,
            _ => {
                assert_eq!(status, ZKA_OK);
                // SAFETY: a number.
                unsafe { zka_wait(self.engine(), future) }
            }
        };
        // SAFETY: a tree that was made here, or null.
        assert_eq!(unsafe { zka_tree_free(tree) }, ZKA_OK);
        // SAFETY: bases that were made here, or null.
        assert_eq!(unsafe { zka_bases_free(kept) }, ZKA_OK);
        status
    }
}
