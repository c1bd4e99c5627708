//! Transforms, commitments and proofs are those of the stock configuration, and its verifier accepts them.

use p3_blake3::Blake3;
use p3_commit::{BatchOpeningRef, Mmcs, Pcs};
use p3_dft::{Radix2Dit, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_fri::TwoAdicFriPcs;
use p3_goldilocks::{Poseidon2Goldilocks, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12};
use p3_keccak::Keccak256Hash;
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_poseidon2::ExternalLayerConstants;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use p3_uni_stark::{Proof, prove, verify};

use crate::config::{
    Accelerated, ByteChallenger, CAP_HEIGHT, Challenge, StockPoseidon2, Val, accelerated,
    accelerated_of_elements, parameters, stock, stock_mmcs, stock_of_elements, stock_poseidon2,
};

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

/// Two schemes agree: commitments and openings as bytes, which the stock one reads and accepts.
fn same_commitments<O: Mmcs<Val>, S: Mmcs<Val>>(ours: impl Fn(usize) -> O, stock: impl Fn(usize) -> S) {
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
            let (ours, stock) = (ours(cap_height), stock(cap_height));
            let (commitment, data) = ours.commit(inputs.clone());
            let (expected, stock_data) = stock.commit(inputs.clone());
            assert_eq!(bytes(&commitment), bytes(&expected), "{shape:?}");
            for index in [0, rows / 3, rows - 1] {
                let (values, proof) = ours.open_batch(index, &data).unpack();
                let (stock_values, stock_proof) = stock.open_batch(index, &stock_data).unpack();
                assert_eq!((&values, bytes(&proof)), (&stock_values, bytes(&stock_proof)));
                let opening = BatchOpeningRef::new(&values, &proof);
                ours.verify_batch(&commitment, &dimensions, index, opening.clone()).unwrap();
                if rows > 1 {
                    let other = (index + 1) % rows;
                    ours.verify_batch(&commitment, &dimensions, other, opening).expect_err("another row");
                }
            }
            let indices = [rows - 1, 0, rows / 2, rows / 3, rows / 3];
            let (values, proof) = ours.open_multi_batch(&indices, &data);
            let (stock_values, stock_proof) = stock.open_multi_batch(&indices, &stock_data);
            assert_eq!((&values, bytes(&proof)), (&stock_values, bytes(&stock_proof)));
            ours.verify_multi_batch(&commitment, &dimensions, &indices, &values, &proof).unwrap();
        }
    }
}

fn bytes(value: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap()
}

#[test]
fn commitments_by_blake3() {
    same_commitments(|cap| zkaccel_plonky3::Mmcs::new(Blake3, cap), |cap| stock_mmcs(Blake3, cap));
}

#[test]
fn commitments_by_keccak() {
    let hash = Keccak256Hash;
    same_commitments(|cap| zkaccel_plonky3::Mmcs::new(hash, cap), |cap| stock_mmcs(hash, cap));
}

#[test]
fn commitments_by_poseidon2() {
    let hash = default_goldilocks_poseidon2_8();
    same_commitments(
        |cap| zkaccel_plonky3::Mmcs::new(hash.clone(), cap),
        |cap| stock_poseidon2(hash.clone(), cap),
    );
    let hash = default_goldilocks_poseidon2_12();
    let stock = |cap| -> StockPoseidon2<12, 8> {
        MerkleTreeMmcs::new(
            PaddingFreeSponge::new(hash.clone()),
            TruncatedPermutation::new(hash.clone()),
            cap,
        )
    };
    same_commitments(|cap| zkaccel_plonky3::Mmcs::new(hash.clone(), cap), stock);
}

/// Matrices alone with their height, and others, through the whole scheme.
#[test]
fn commitments_of_the_whole_scheme() {
    let mmcs = zkaccel_plonky3::Mmcs::new(Blake3, CAP_HEIGHT);
    let ours = zkaccel_plonky3::FriPcs::new(mmcs.clone(), parameters(mmcs));
    let mmcs = stock_mmcs(Blake3, CAP_HEIGHT);
    let stock = TwoAdicFriPcs::new(Radix2DitParallel::default(), mmcs.clone(), parameters(mmcs));
    let shapes: [&[(u32, usize)]; 4] =
        [&[(0, 3)], &[(9, 70)], &[(5, 2), (8, 3), (5, 4), (3, 1)], &[(2, 1), (7, 9)]];
    for shape in shapes {
        let evaluations = |log_rows: u32, columns| {
            let domain = TwoAdicMultiplicativeCoset::new(Val::new(5), log_rows as usize).unwrap();
            (domain, matrix(7, log_rows, columns))
        };
        let inputs = || shape.iter().map(|&(log_rows, columns)| evaluations(log_rows, columns));
        let (commitment, data) = Pcs::<Challenge, ByteChallenger>::commit(&ours, inputs()).unwrap();
        let (expected, stock_data) = Pcs::<Challenge, ByteChallenger>::commit(&stock, inputs()).unwrap();
        assert_eq!(commitment, expected, "{shape:?}");
        let mmcs = (zkaccel_plonky3::Mmcs::new(Blake3, 0), stock_mmcs(Blake3, 0));
        assert_eq!(mmcs.0.get_matrices(&data), mmcs.1.get_matrices(&stock_data), "{shape:?}");
    }
}

#[test]
#[should_panic(expected = "Poseidon2 with constants of its own, expected default_goldilocks_poseidon2_8")]
fn poseidon2_with_other_constants() {
    let constants = ExternalLayerConstants::new(vec![[Val::ONE; 8]; 4], vec![[Val::TWO; 8]; 4]);
    zkaccel_plonky3::Mmcs::new(Poseidon2Goldilocks::<8>::new(constants, vec![Val::ONE; 22]), 0);
}

fn trace(log_rows: u32, seed: u64) -> RowMajorMatrix<Val> {
    let inputs =
        (0..(1 << log_rows) / 24).map(|i| std::array::from_fn(|j| seed + i * 31 + j as u64)).collect();
    generate_trace_rows(inputs, 1)
}

fn proof(log_rows: u32, seed: u64) -> Proof<Accelerated<Blake3>> {
    prove(&accelerated(Blake3), &KeccakAir {}, trace(log_rows, seed), &[]).unwrap()
}

#[test]
fn the_proof_is_that_of_the_stock_prover() {
    let bytes = postcard::to_allocvec(&proof(9, 1)).unwrap();
    let expected = prove(&stock(Blake3), &KeccakAir {}, trace(9, 1), &[]).unwrap();
    assert!(bytes == postcard::to_allocvec(&expected).unwrap(), "the proofs differ");
    verify(&stock(Blake3), &KeccakAir {}, &postcard::from_bytes(&bytes).unwrap(), &[]).unwrap();
}

#[test]
fn the_proof_is_that_of_the_stock_prover_with_poseidon2() {
    let (accelerated, stock) = (accelerated_of_elements(), stock_of_elements());
    let bytes = bytes(&prove(&accelerated, &KeccakAir {}, trace(6, 1), &[]).unwrap());
    let expected = prove(&stock, &KeccakAir {}, trace(6, 1), &[]).unwrap();
    assert!(bytes == postcard::to_allocvec(&expected).unwrap(), "the proofs differ");
    verify(&stock, &KeccakAir {}, &postcard::from_bytes(&bytes).unwrap(), &[]).unwrap();
}

#[test]
fn proofs_at_the_same_time() {
    std::thread::scope(|scope| {
        for seed in 0..3 {
            scope.spawn(move || {
                let bytes = postcard::to_allocvec(&proof(6, seed)).unwrap();
                verify(&stock(Blake3), &KeccakAir {}, &postcard::from_bytes(&bytes).unwrap(), &[]).unwrap();
            });
        }
    });
}
