//! What is no proof, what is one that does not verify, and AIRs that cannot be recorded.

use winter_air::TraceInfo;
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel_winterfell::{Constraints, ProveError, Resident, prove};

use super::Blake3;
use super::airs::{Evaluation, Mixed, Permutation, Work};
use super::table::{OPTIONS, Options, Provable, Stock, Table, check, stock};

/// The error of a proof that is asked for, in words.
fn text<A: Provable>(trace: Table, options: Options) -> String {
    let resident = Resident::new().unwrap();
    let error: ProveError = resident.prove(&Stock::<A, Blake3>::new(options.into()), trace).unwrap_err();
    error.to_string()
}

fn does_not_verify<A: Provable>(right: &Table, wrong: Table) {
    let proof = prove(&Stock::<A, Blake3>::new(OPTIONS.into()), wrong).unwrap();
    check::<A, Blake3>(proof, right, OPTIONS).expect_err("a wrong entry");
}

#[test]
fn wrong_traces_do_not_verify() {
    let trace = Work::trace(32);
    for row in [0, 17, 31] {
        does_not_verify::<Work>(&trace, trace.with(0, row, BaseElement::ONE));
    }
    // A value of each assertion, of a transition, and of the auxiliary segment.
    let trace = Mixed::trace(256);
    for (column, row) in [(0, 2), (0, 16), (0, 255), (1, 2), (1, 8), (2, 0), (2, 60)] {
        does_not_verify::<Mixed>(&trace, trace.with(column, row, BaseElement::new(77)));
    }
    let trace = Permutation::trace(32);
    does_not_verify::<Permutation>(&trace, trace.with(1, 3, BaseElement::new(77)));
    let proof = prove(&Stock::<Work, Blake3>::new(OPTIONS.into()), Work::trace(16)).unwrap();
    let other = Work::trace(16).with(0, 15, BaseElement::ONE);
    check::<Work, Blake3>(proof, &other, OPTIONS).expect_err("other public inputs");
}

#[test]
fn what_is_not_supported() {
    let options = Options { folding: 16, remainder: 0, ..OPTIONS };
    assert_eq!(
        text::<Work>(Work::trace(8), options),
        "not supported: FRI with foldings by 16 of 8 rows to a remainder of degree 0 or less, which leaves less than one coefficient"
    );
    let mut trace = Work::trace(8);
    trace.info = TraceInfo::new(1, 16);
    assert_eq!(text::<Work>(trace, OPTIONS), "rows of the trace: expected 16, found 8");
    let mut trace = Work::trace(8);
    trace.info = TraceInfo::new(2, 8);
    assert_eq!(text::<Work>(trace, OPTIONS), "columns of the trace: expected 2, found 1");
}

#[test]
fn what_cannot_be_recorded() {
    let words = |what| format!("the AIR's constraints cannot be recorded: {what}");
    let differ =
        "row 0: the recorded constraints and those that the AIR evaluates differ, expected equal sums";
    for (evaluation, expected) in [
        (Evaluation::Compares, words("values are compared")),
        (Evaluation::Divides, words("a value is inverted that depends on the row")),
        (Evaluation::Looks, words("the coordinates of values are read")),
        (Evaluation::Changes, differ.into()),
        (Evaluation::Panics, words("a panic: a type of elements that is not known")),
    ] {
        let trace = Work::evaluated_by(evaluation, 16);
        assert_eq!(text::<Work>(trace.clone(), OPTIONS), expected);
        let options = Options { partitions: 2, ..OPTIONS };
        let prover = Stock::<Work, Blake3>::new(options.into());
        let proved = Resident::new().unwrap().or_stock_evaluator().prove(&prover, trace.clone()).unwrap();
        assert_eq!(proved.constraints, Constraints::Stock { reason: expected });
        assert!(
            proved.proof.to_bytes() == stock(&prover, &trace).to_bytes(),
            "the proofs differ: {evaluation:?}"
        );
        check::<Work, Blake3>(proved.proof, &trace, options).unwrap();
    }
}

/// The auxiliary segment, too.
#[test]
fn segments_for_the_stock_evaluator() {
    let trace = Permutation::trace(16);
    let prover = Stock::<Permutation, Blake3>::new(OPTIONS.into());
    let expected = prove(&prover, trace.clone()).unwrap();
    let other = Table { info: TraceInfo::new_multi_segment(2, 3, 2, 16, vec![1]), ..trace.clone() };
    let proved = Resident::new().unwrap().or_stock_evaluator().prove(&prover, other.clone()).unwrap();
    assert!(matches!(proved.constraints, Constraints::Stock { .. }));
    assert!(proved.proof.to_bytes() != expected.to_bytes());
    check::<Permutation, Blake3>(proved.proof, &other, OPTIONS).unwrap();
}

/// What can be recorded is, though it might be left to the stock evaluator.
#[test]
fn the_stock_evaluator_is_not_asked_for_more() {
    let prover = Stock::<Work, Blake3>::new(OPTIONS.into());
    let resident = Resident::new().unwrap().or_stock_evaluator();
    let proved = resident.prove(&prover, Work::trace(8)).unwrap();
    assert_eq!(proved.constraints, Constraints::Recorded);
}

/// In `prove`, winterfell's interface has no place for errors.
#[test]
#[should_panic(expected = "zkaccel: rows of the trace: expected 16, found 8")]
fn errors_are_panics() {
    let mut trace = Work::trace(8);
    trace.info = TraceInfo::new(1, 16);
    let _ = prove(&Stock::<Work, Blake3>::new(OPTIONS.into()), trace);
}
