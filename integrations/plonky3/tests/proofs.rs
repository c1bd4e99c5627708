//! Transforms, commitments and proofs are those of the stock configuration, and its verifier accepts them.

#[path = "../examples/keccak/config.rs"]
mod config;

use config::{Accelerated, CAP_HEIGHT, Val, accelerated, stock, stock_mmcs};
use p3_blake3::Blake3;
use p3_commit::Mmcs;
use p3_dft::{Radix2Dit, TwoAdicSubgroupDft};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_keccak::Keccak256Hash;
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_uni_stark::{Proof, prove, verify};

/// Words from all over, those that are not canonical among them.
fn values(seed: u64, len: usize) -> Vec<Val> {
    let word = |i: u64| match i % 5 {
        0 => u64::MAX - i,
        _ => (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    };
    (0..len as u64).map(|i| Val::new(word(i))).collect()
}

fn matrix(seed: u64, log_rows: u32, columns: usize) -> RowMajorMatrix<Val> {
    RowMajorMatrix::new(values(seed, columns << log_rows), columns)
}

#[test]
fn transforms() {
    let (ours, stock) = (zkaccel_plonky3::Dft, Radix2Dit::<Val>::default());
    for (log_rows, columns) in [(0, 1), (1, 3), (4, 1), (5, 7), (10, 2), (13, 3)] {
        let input = matrix(1, log_rows, columns);
        for shift in [Val::ONE, Val::GENERATOR, Val::new(5)] {
            let found = ours.coset_dft_batch(input.clone(), shift).to_row_major_matrix();
            assert_eq!(found, stock.coset_dft_batch(input.clone(), shift).to_row_major_matrix());
            assert_eq!(ours.coset_idft_batch(found, shift), input);
            for added_bits in 0..4 {
                let found = ours.coset_lde_batch(input.clone(), added_bits, shift);
                let expected = stock.coset_lde_batch(input.clone(), added_bits, shift);
                assert_eq!(
                    found.bit_reverse_rows().to_row_major_matrix(),
                    expected.bit_reverse_rows().to_row_major_matrix(),
                    "2^{log_rows} x {columns}, {added_bits} bits more"
                );
            }
        }
        assert_eq!(
            ours.dft_batch(input.clone()).to_row_major_matrix(),
            stock.dft_batch(input.clone()).to_row_major_matrix()
        );
        assert_eq!(ours.idft_batch(input.clone()), stock.idft_batch(input));
    }
}

fn same_commitments<H: zkaccel_plonky3::Accelerated>(hash: H) {
    let shapes: [&[(u32, usize)]; 7] = [
        &[(0, 1)],
        &[(1, 5)],
        &[(3, 2)],
        &[(10, 9)],
        &[(6, 3), (6, 4)],
        &[(3, 2), (7, 3), (5, 1), (7, 1), (3, 4)],
        &[(8, 1), (0, 3), (1, 2)],
    ];
    for shape in shapes {
        let inputs: Vec<_> = shape.iter().map(|&(log_rows, columns)| matrix(3, log_rows, columns)).collect();
        let dimensions: Vec<Dimensions> = inputs.iter().map(|matrix| matrix.dimensions()).collect();
        let rows = dimensions.iter().map(|dimensions| dimensions.height).max().unwrap();
        for cap_height in [0, 1, CAP_HEIGHT] {
            let ours = zkaccel_plonky3::Mmcs::new(hash.clone(), cap_height);
            let stock = stock_mmcs(hash.clone(), cap_height);
            let (commitment, data) = ours.commit(inputs.clone());
            let (expected, stock_data) = stock.commit(inputs.clone());
            assert_eq!(commitment, expected, "{shape:?}");
            for index in [0, rows / 3, rows - 1] {
                let opening = ours.open_batch(index, &data);
                let (values, proof) = stock.open_batch(index, &stock_data).unpack();
                assert_eq!((&opening.opened_values, &opening.opening_proof), (&values, &proof));
                ours.verify_batch(&commitment, &dimensions, index, (&opening).into()).unwrap();
                if rows > 1 {
                    let other = (index + 1) % rows;
                    ours.verify_batch(&commitment, &dimensions, other, (&opening).into())
                        .expect_err("another row");
                }
            }
            let indices = [rows - 1, 0, rows / 2, rows / 3, rows / 3];
            let (values, proof) = ours.open_multi_batch(&indices, &data);
            let (stock_values, stock_proof) = stock.open_multi_batch(&indices, &stock_data);
            assert_eq!((&values, &proof.sibling_hashes), (&stock_values, &stock_proof.sibling_hashes));
            ours.verify_multi_batch(&commitment, &dimensions, &indices, &values, &proof).unwrap();
        }
    }
}

#[test]
fn commitments() {
    same_commitments(Blake3);
}

#[test]
fn commitments_by_keccak() {
    same_commitments(Keccak256Hash);
}

fn trace(log_rows: u32, seed: u64) -> RowMajorMatrix<Val> {
    let inputs =
        (0..(1 << log_rows) / 24).map(|i| std::array::from_fn(|j| seed + i * 31 + j as u64)).collect();
    generate_trace_rows(inputs, 1)
}

fn proof(log_rows: u32, seed: u64) -> Proof<Accelerated> {
    prove(&accelerated(), &KeccakAir {}, trace(log_rows, seed), &[]).unwrap()
}

#[test]
fn the_proof_is_that_of_the_stock_prover() {
    let bytes = postcard::to_allocvec(&proof(9, 1)).unwrap();
    let expected = prove(&stock(), &KeccakAir {}, trace(9, 1), &[]).unwrap();
    assert!(bytes == postcard::to_allocvec(&expected).unwrap(), "the proofs differ");
    verify(&stock(), &KeccakAir {}, &postcard::from_bytes(&bytes).unwrap(), &[]).unwrap();
}

#[test]
fn proofs_at_the_same_time() {
    std::thread::scope(|scope| {
        for seed in 0..3 {
            scope.spawn(move || {
                let bytes = postcard::to_allocvec(&proof(6, seed)).unwrap();
                verify(&stock(), &KeccakAir {}, &postcard::from_bytes(&bytes).unwrap(), &[]).unwrap();
            });
        }
    });
}
