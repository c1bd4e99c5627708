//! What is no proof of a batch, and what is one that does not verify.

use p3_batch_stark::ProverData;
use p3_blake3::Blake3;
use p3_commit::Mmcs;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use zkaccel_plonky3::{BatchProver, ProveError, prove_batch};

use super::airs::{Any, Instance};
use crate::airs::{Fibonacci, Preprocessed};
use crate::config::{Val, stock_mmcs};
use crate::{FRI, Fri};

/// An error's text.
fn text<T>(result: Result<T, ProveError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn wrong_traces_do_not_verify() {
    let (ours, stock) = (FRI.resident(), FRI.stock());
    let right = [
        vec![Instance::fibonacci(5), Instance::preprocessed(3, true), Instance::periodic(4)],
        Instance::squares(&[4], 3, true),
    ]
    .concat();
    let proof = our_proof!(&ours, &right).unwrap();
    verified!(&stock, &right, &proof).unwrap();
    for instance in 0..right.len() {
        // The last column of the AIR that looks up has flags, of which a wrong one is an error.
        let last = right[instance].trace.values.len() - 1 - (instance == 3) as usize;
        for wrong in [1, last] {
            let mut instances = right.clone();
            instances[instance].trace.values[wrong] += Val::ONE;
            let proof = our_proof!(&ours, &instances).unwrap();
            verified!(&stock, &right, &proof).expect_err("a wrong entry");
        }
    }
    let mut others = right.clone();
    others[0].public_values[1] += Val::ONE;
    verified!(&stock, &others, &proof).expect_err("other public values");
}

#[test]
fn shapes() {
    let ours = FRI.resident();
    let instances = [Instance::fibonacci(3), Instance::preprocessed(3, false)];
    let batch = batch!(&instances);
    let data = ProverData::from_instances(&ours, &batch).unwrap();
    let airs = instances.each_ref().map(|instance| &instance.air);
    let prover = BatchProver::new(&ours, &airs, &data.common).unwrap();
    let [fibonacci, preprocessed] = &instances;
    let publics = &fibonacci.public_values[..];

    let found = text(prover.prove(&[&fibonacci.trace], &[publics, &[]]));
    assert_eq!(found, "traces, one for each AIR: expected 2, found 1");
    let found = text(prover.prove(&[&fibonacci.trace, &preprocessed.trace], &[publics]));
    assert_eq!(found, "lists of public values, one for each AIR: expected 2, found 1");
    let found = text(prover.prove(&[&fibonacci.trace, &preprocessed.trace], &[&publics[..2], &[]]));
    assert_eq!(found, "public values: expected 3, found 2");
    let found = text(prover.prove(&[&preprocessed.trace, &fibonacci.trace], &[publics, &[]]));
    assert_eq!(found, "columns of the trace: expected 2, found 1");
    let six = RowMajorMatrix::new(fibonacci.trace.values[..12].to_vec(), 2);
    let found = text(prover.prove(&[&six, &preprocessed.trace], &[publics, &[]]));
    assert_eq!(found, "a trace of 6 rows, expected a power of two");
    let longer = Preprocessed { log_rows: 4, next: false }.trace();
    let found = text(prover.prove(&[&fibonacci.trace, &longer], &[publics, &[]]));
    assert_eq!(found, "rows of the trace, those of the preprocessed columns: expected 8, found 16");

    let none: [&Any; 0] = [];
    let found = text(BatchProver::new(&ours, &none, &data.common));
    assert_eq!(found, "not supported: a batch without instances");
    let found = text(BatchProver::new(&ours, &airs[..1], &data.common));
    assert_eq!(found, "lookups in the common data, those of an AIR each: expected 1, found 2");
}

/// Common data that are not those of the AIRs.
#[test]
fn preprocessed_columns() {
    let ours = FRI.resident();
    let instances = [Instance::fibonacci(3), Instance::preprocessed(3, false)];
    let batch = batch!(&instances);
    let found = text(prove_batch(&ours, &batch, &ProverData::empty(2)));
    assert_eq!(found, "preprocessed columns of an AIR, those of the common data: expected 0, found 2");
    let other = FRI.cap(2).resident();
    let data = ProverData::from_instances(&other, &batch).unwrap();
    let found = text(prove_batch(&ours, &batch, &data));
    assert_eq!(found, "not supported: preprocessed columns whose commitment is not that of the common data");
}

#[test]
fn parameters() {
    let instances = [Instance::fibonacci(6), Instance::fibonacci(1)];
    let prove = |fri: Fri| text(our_proof!(&fri.resident(), &instances));
    assert_eq!(prove(Fri { num_queries: 0, ..FRI }), "FRI's num_queries is 0, expected at least 1");
    assert_eq!(
        prove(Fri { log_final_poly_len: 3, ..FRI }),
        "FRI input log height 2 must exceed terminal log height 4"
    );
    assert_eq!(prove(Fri { log_blowup: 27, ..FRI }), "a domain of 2^33 points, expected at most 2^32");
    assert_eq!(
        prove(FRI.cap(3)),
        "a matrix of 4 rows, expected as many as the cap of its commitment has digests, 8, or more"
    );
}

/// Why a matrix with fewer rows than the cap has digests is an error: the stock scheme accepts any row of it.
#[test]
fn rows_above_the_cap_are_not_bound() {
    let matrices = |first: u64| {
        [(16, 1), (4, first)]
            .map(|(rows, first)| RowMajorMatrix::new_col((first..first + rows).map(Val::new).collect()))
    };
    let dimensions = matrices(0).map(|matrix| matrix.dimensions());
    for (cap_height, is_bound) in [(2, true), (3, false)] {
        let scheme = stock_mmcs(Blake3, cap_height);
        let (cap, data) = scheme.commit(matrices(0).to_vec());
        let (mut values, proof) = scheme.open_multi_batch(&[5, 14], &data);
        scheme.verify_multi_batch(&cap, &dimensions, &[5, 14], &values, &proof).unwrap();
        values[0][1][0] += Val::ONE;
        let verified = scheme.verify_multi_batch(&cap, &dimensions, &[5, 14], &values, &proof);
        assert_eq!(verified.is_err(), is_bound, "a cap of 2^{cap_height} digests");
    }
}

#[test]
fn lookups() {
    let ours = FRI.resident();
    let mut instances = Instance::squares(&[4], 3, true);
    instances[0].trace.values[5 * 6 + 4] = Val::TWO;
    let found = text(our_proof!(&ours, &instances));
    assert_eq!(found, "row 6: flags of a group of messages, expected each to be 0 or 1, and at most one 1");

    let instances = [Instance::periodic_lookup(3)];
    let batch = batch!(&instances);
    let data = ProverData::from_instances(&ours, &batch).unwrap();
    let found = text(prove_batch(&ours, &batch, &data));
    assert_eq!(found, "not supported: lookups that read periodic columns");
}

#[test]
fn zero_knowledge() {
    let ours = crate::hiding::ours(crate::hiding::FRI);
    let airs = [Any::Fibonacci(Fibonacci)];
    let data = ProverData::empty(1);
    let found = text(BatchProver::new(&ours, &[&airs[0]], &data.common));
    assert_eq!(found, "not supported: zero knowledge in a batch");
}
