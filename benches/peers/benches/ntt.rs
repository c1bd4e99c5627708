//! Transforms and low-degree extensions, against winter-math and p3-dft. Every contender transforms in place; copies of the
//! input are made outside the measured time.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use p3_dft::{Radix2DFTSmallBatch, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::Field;
use p3_goldilocks::Goldilocks as P3;
use p3_matrix::dense::RowMajorMatrix;
use winter_math::fft;
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt};
use zkaccel_peers::{elements, engine, words};

fn p3_words(len: usize) -> Vec<P3> {
    words(len).into_iter().map(P3::new).collect()
}

fn transforms(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("ntt");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    for log_size in [16, 20, 22, 24] {
        let size = 1 << log_size;
        let ntt = Ntt::forward(Domain::new(log_size, Convention::Winterfell).unwrap());
        let ours = Matrix::from_rows(elements(size), size, 1).unwrap();
        group.bench_function(BenchmarkId::new("zkaccel", log_size), |b| {
            b.iter_batched_ref(
                || ours.clone(),
                |matrix| engine.ntt(black_box(&ntt), matrix.view_mut()).unwrap(),
                BatchSize::PerIteration,
            )
        });
        let winter: Vec<_> = words(size).into_iter().map(BaseElement::new).collect();
        let twiddles = fft::get_twiddles::<BaseElement>(size);
        group.bench_function(BenchmarkId::new("winter-math", log_size), |b| {
            b.iter_batched_ref(
                || winter.clone(),
                |column| fft::evaluate_poly(column, black_box(&twiddles)),
                BatchSize::PerIteration,
            )
        });
        let (p3, dft) = (p3_words(size), Radix2DFTSmallBatch::<P3>::default());
        group.bench_function(BenchmarkId::new("p3-dft Radix2DFTSmallBatch", log_size), |b| {
            b.iter_batched(|| p3.clone(), |column| dft.dft(black_box(column)), BatchSize::PerIteration)
        });
    }
}

fn extensions(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("lde");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    let (log_size, columns) = (18, 16);
    let (rows, len) = (1 << log_size, columns << log_size);
    let lde = Lde::onto_coset(log_size, 2, Convention::Plonky3, Goldilocks::GENERATOR).unwrap();
    let ours = Matrix::from_rows(elements(len), rows, columns).unwrap();
    group.bench_function("zkaccel 2^18 x 16, blow-up 2", |b| {
        b.iter_batched(
            || ours.clone(),
            |matrix| engine.lde(black_box(&lde), matrix).unwrap(),
            BatchSize::PerIteration,
        )
    });
    let p3 = RowMajorMatrix::new(p3_words(len), columns);
    let small = Radix2DFTSmallBatch::<P3>::default();
    group.bench_function("p3-dft Radix2DFTSmallBatch 2^18 x 16, blow-up 2", |b| {
        b.iter_batched(
            || p3.clone(),
            |matrix| small.coset_lde_batch(black_box(matrix), 1, P3::GENERATOR),
            BatchSize::PerIteration,
        )
    });
    let parallel = Radix2DitParallel::<P3>::default();
    group.bench_function("p3-dft Radix2DitParallel 2^18 x 16, blow-up 2", |b| {
        b.iter_batched(
            || p3.clone(),
            |matrix| parallel.coset_lde_batch(black_box(matrix), 1, P3::GENERATOR),
            BatchSize::PerIteration,
        )
    });
}

criterion_group!(benches, transforms, extensions);
criterion_main!(benches);
