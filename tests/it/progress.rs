//! What listeners are told of long operations.

use std::sync::{Arc, Mutex};

use zkaccel::Engine;
use zkaccel::commit::TraceSpec;
use zkaccel::device::DeviceChoice;
use zkaccel::field::{Goldilocks, powers};
use zkaccel::hash::Blake3;
use zkaccel::matrix::{Layout, Matrix};
use zkaccel::ntt::{Convention, Domain, Lde, Ntt};
use zkaccel::progress::{Progress, Stage};

/// An engine on two threads of the processor, and what it has told since it was asked last.
fn listened() -> (Engine, impl Fn() -> Vec<Progress>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let engine = Engine::builder()
        .device(DeviceChoice::Cpu)
        .threads(2)
        .on_progress(move |progress| listener.lock().unwrap().push(progress))
        .build()
        .unwrap();
    (engine, move || std::mem::take(&mut *told.lock().unwrap()))
}

/// Each stage is told from its start to its end, in more than a few steps, none of which is more than a tenth.
fn check(told: &[Progress], stages: &[Stage], what: &str) {
    let mut told = told;
    for &stage in stages {
        let len = told.iter().take_while(|progress| progress.stage == stage).count();
        let (own, rest) = told.split_at(len);
        let total = own[0].total;
        let done: Vec<_> = own.iter().map(|progress| progress.done).collect();
        assert!(own.iter().all(|progress| progress.total == total), "{what}: {own:?}");
        assert_eq!((done[0], done[len - 1]), (0, total), "{what}: {own:?}");
        assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{what}: {own:?}");
        assert!(done.windows(2).all(|pair| 10 * (pair[1] - pair[0]) <= total), "{what}: {own:?}");
        told = rest;
    }
    assert_eq!(told, [], "{what}");
}

/// A matrix of words that are all different.
fn matrix(log_rows: u32, columns: usize, layout: Layout) -> Matrix<Goldilocks> {
    let words: Vec<_> = powers(Goldilocks::GENERATOR).take(columns << log_rows).collect();
    match layout {
        Layout::RowMajor => Matrix::from_rows(words, 1 << log_rows, columns).unwrap(),
        Layout::ColumnMajor => Matrix::from_columns(words, 1 << log_rows, columns).unwrap(),
    }
}

#[test]
fn commitments_tell_their_progress() {
    let (engine, told) = listened();
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        let (spec, trace) = (TraceSpec::default(), matrix(15, 5, layout));
        let commitment = engine.commit::<Blake3>(&spec, &trace).unwrap();
        check(&told(), &[Stage::Extension, Stage::Rows, Stage::Tree], &format!("{layout:?}"));
        assert_eq!(commitment.root(), Engine::new().unwrap().commit::<Blake3>(&spec, trace).unwrap().root());
    }
}

#[test]
fn transforms_and_extensions_tell_their_progress() {
    let (engine, told) = listened();
    let domain = Domain::new(16, Convention::Plonky3).unwrap();
    let lde = Lde::onto_coset(14, 4, Convention::Plonky3, Goldilocks::GENERATOR).unwrap();
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        for columns in [4, 12] {
            let what = format!("{columns} columns, {layout:?}");
            let mut values = matrix(14, columns, layout);
            let mut extended = vec![Goldilocks::default(); (4 * columns) << 14];
            engine.lde_into(&lde, values.view_mut(), &mut extended).unwrap();
            check(&told(), &[Stage::Extension], &what);
            let mut values = matrix(16, columns, layout);
            for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
                engine.ntt(&ntt, &mut values).unwrap();
                check(&told(), &[Stage::Transform], &what);
            }
        }
    }
}

#[cfg(feature = "bn254")]
#[test]
fn operations_over_curves_tell_their_progress() {
    use zkaccel::bn254::{Fr, G1Affine};
    use zkaccel::msm::BasesOptions;

    let (engine, told) = listened();
    let mut scalars: Vec<_> = (1..=1 << 18).map(|i| -Fr::from(i)).collect();
    let points = vec![G1Affine::generator(); 1 << 18];
    let bases = engine.bases(points, BasesOptions { validate: true, tables: false }).unwrap();
    check(&told(), &[Stage::Points], "bases");
    let sum = engine.msm(&scalars, &bases).unwrap();
    check(&told(), &[Stage::Sum], "a sum");
    assert_eq!(sum, G1Affine::generator() * scalars.iter().sum::<Fr>());
    let domain = Domain::halo2(18).unwrap();
    for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
        engine.ntt(&ntt, &mut scalars).unwrap();
        check(&told(), &[Stage::Transform], &format!("{ntt:?}"));
    }
    assert!(scalars.into_iter().eq((1..=1 << 18).map(|i| -Fr::from(i))));
}
