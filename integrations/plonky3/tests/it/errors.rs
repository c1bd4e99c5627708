//! What is no proof, and what is one that does not verify.

use std::sync::atomic::{AtomicUsize, Ordering};

use p3_air::{Air, AirBuilder, BaseAir, BoundaryEnd, BoundaryPublic, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::verify;
use zkaccel_plonky3::{ProveError, Prover, prove};

use super::airs::{Fibonacci, Periodic, Preprocessed};
use super::config::Val;
use super::{FRI, Fri, bytes};

/// An error's text.
fn text<T>(result: Result<T, ProveError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn wrong_traces_do_not_verify() {
    let (ours, stock) = (FRI.resident(), FRI.stock());
    let (right, public_values) = Fibonacci::trace(5);
    for wrong in [0, 9, right.values.len() - 1] {
        let mut trace = right.clone();
        trace.values[wrong] += Val::ONE;
        let proof = bytes(&prove(&ours, &Fibonacci, trace, &public_values).unwrap());
        let read = postcard::from_bytes(&proof).unwrap();
        verify(&stock, &Fibonacci, &read, &public_values).expect_err("a wrong entry");
    }
    let proof = bytes(&prove(&ours, &Fibonacci, right, &public_values).unwrap());
    let others = [Val::ONE; 3];
    verify(&stock, &Fibonacci, &postcard::from_bytes(&proof).unwrap(), &others)
        .expect_err("other public values");
}

#[test]
fn shapes() {
    let ours = FRI.resident();
    let (trace, public_values) = Fibonacci::trace(3);
    let found = text(prove(&ours, &Fibonacci, trace.clone(), &public_values[..2]));
    assert_eq!(found, "public values: expected 3, found 2");
    let found = text(prove(&ours, &Fibonacci, RowMajorMatrix::new(trace.values.clone(), 4), &public_values));
    assert_eq!(found, "columns of the trace: expected 2, found 4");
    let found =
        text(prove(&ours, &Fibonacci, RowMajorMatrix::new(trace.values[..12].to_vec(), 2), &public_values));
    assert_eq!(found, "a trace of 6 rows, expected a power of two");
    let found = text(prove(&ours, &Periodic, Periodic::trace(2), &[]));
    assert_eq!(found, "periodic column 1 has length 8, which does not divide the trace height 4");
}

#[test]
fn preprocessed_columns() {
    let ours = FRI.resident();
    let air = Preprocessed { log_rows: 3, next: false };
    let found = text(prove(&ours, &air, air.trace(), &[]));
    assert_eq!(
        found,
        "not supported: preprocessed columns without their commitment, which Prover::preprocess makes"
    );
    let prover = Prover::new(&ours, &air).unwrap();
    let found = text(prover.preprocess(4));
    assert_eq!(found, "rows of the preprocessed columns: expected 16, found 8");
    let (columns, _) = prover.preprocess(3).unwrap().unwrap();
    let shorter = Preprocessed { log_rows: 2, next: false };
    let found = text(prover.prove_with_preprocessed(shorter.trace(), &[], &columns));
    assert_eq!(found, "rows of the trace, those of the preprocessed columns: expected 8, found 4");
}

#[test]
fn parameters() {
    let (trace, public_values) = Fibonacci::trace(3);
    let prove = |fri: Fri| text(prove(&fri.resident(), &Fibonacci, trace.clone(), &public_values));
    assert_eq!(prove(Fri { num_queries: 0, ..FRI }), "FRI's num_queries is 0, expected at least 1");
    assert_eq!(prove(Fri { max_log_arity: 0, ..FRI }), "FRI's max_log_arity is 0, expected at least 1");
    assert_eq!(prove(Fri { log_blowup: 0, ..FRI }), "FRI's log_blowup is 0, expected at least 1");
    assert_eq!(
        prove(Fri { log_final_poly_len: 3, ..FRI }),
        "FRI input log height 4 must exceed terminal log height 4"
    );
    assert_eq!(prove(Fri { log_blowup: 30, ..FRI }), "a domain of 2^33 points, expected at most 2^32");
}

/// Constraints that are others each time they are evaluated, of a cell that is listed as public where `boundary` says so.
struct Fickle {
    evaluations: AtomicUsize,
    boundary: Vec<BoundaryPublic>,
}

impl<F: PrimeCharacteristicRing + Sync> BaseAir<F> for Fickle {
    fn width(&self) -> usize {
        1
    }

    fn num_public_values(&self) -> usize {
        self.boundary.len()
    }

    fn public_boundary_io(&self) -> &[BoundaryPublic] {
        &self.boundary
    }
}

impl<B: AirBuilder> Air<B> for Fickle {
    fn eval(&self, builder: &mut B) {
        let evaluations = self.evaluations.fetch_add(1, Ordering::Relaxed);
        let entry = builder.main().current_slice()[0];
        builder.assert_zero(entry * B::Expr::from_usize(evaluations + 1));
    }
}

#[test]
fn constraints_that_are_not_those_recorded() {
    let air = Fickle { evaluations: AtomicUsize::new(0), boundary: vec![] };
    let found = text(Prover::new(&FRI.resident(), &air));
    assert_eq!(
        found,
        "row 0: the recorded constraints and those that the AIR evaluates differ, expected equal quotients"
    );
}

/// No constraints.
struct Nothing;

impl<F: PrimeCharacteristicRing + Sync> BaseAir<F> for Nothing {
    fn width(&self) -> usize {
        1
    }
}

impl<B: AirBuilder> Air<B> for Nothing {
    fn eval(&self, _: &mut B) {}
}

#[test]
fn no_constraints() {
    let found = text(Prover::new(&FRI.resident(), &Nothing));
    assert_eq!(found, "not supported: an AIR whose constraints read no columns");
}

#[test]
fn boundary_io() {
    let boundary = vec![BoundaryPublic::new(0, BoundaryEnd::First, 0)];
    let air = Fickle { evaluations: AtomicUsize::new(0), boundary };
    assert_eq!(text(Prover::new(&FRI.resident(), &air)), "not supported: public values by boundary IO");
}
