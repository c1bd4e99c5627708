//! What the benchmarks share: an engine with as many threads as the peers have, and data.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId};
use halo2curves::CurveAffine;
use halo2curves::ff::PrimeField;
use halo2curves::group::Group;
use zkaccel::Engine;
use zkaccel::curve::{Curve, affine};
use zkaccel::field::{Goldilocks, TwoAdicPrime};
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::{AcceleratedField, Domain, Ntt};

/// An engine with the number of threads that `RAYON_NUM_THREADS` gives the peers.
pub fn engine() -> Engine {
    Engine::builder().threads(rayon::current_num_threads()).build().expect("a CPU engine")
}

/// Words that look random: the powers of a generator, from a seed.
pub fn words(len: usize) -> Vec<u64> {
    let mut x = Goldilocks::new(0x1234_5678_9abc_def1);
    std::iter::repeat_with(|| {
        x *= Goldilocks::GENERATOR;
        x.as_u64()
    })
    .take(len)
    .collect()
}

/// The same words as elements of zkaccel.
pub fn elements(len: usize) -> Vec<Goldilocks> {
    words(len).into_iter().map(Goldilocks::new).collect()
}

/// The multiples of a curve's generator.
pub fn bases<C: AcceleratedCurve>(n: usize) -> Vec<C> {
    let generator = C::Projective::generator();
    let points: Vec<_> =
        std::iter::successors(Some(generator), |point| Some(*point + generator)).take(n).collect();
    affine(&points)
}

/// Elements of a prime field, of four words each.
pub fn scalars<F: PrimeField>(n: usize) -> Vec<F> {
    let base = F::from(1 << 32) * F::from(1 << 32);
    let of = |four: &[u64]| four.iter().fold(F::ZERO, |sum, &word| sum * base + F::from(word));
    words(4 * n).chunks(4).map(of).collect()
}

/// Measures a sum, and halo2curves' of the same, under the names that `id` makes of theirs.
pub fn sums<C>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    engine: &Engine,
    id: impl Fn(&str) -> BenchmarkId,
    scalars: &[<C as Curve>::Scalar],
    bases: &[C],
) where
    C: AcceleratedCurve + CurveAffine<ScalarExt = <C as Curve>::Scalar>,
{
    group.bench_function(id("zkaccel"), |b| b.iter(|| engine.msm(black_box(scalars), bases).unwrap()));
    group.bench_function(id("halo2curves msm_best"), |b| {
        b.iter(|| halo2curves::msm::msm_best(black_box(scalars), bases))
    });
}

/// Measures a transform of values, and halo2curves' of the same.
pub fn transforms<F: TwoAdicPrime + AcceleratedField>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    engine: &Engine,
    domain: Domain<F>,
    values: &[F],
) {
    let log_size = domain.log_size();
    group.bench_function(BenchmarkId::new("zkaccel", log_size), |b| {
        b.iter_batched_ref(
            || values.to_vec(),
            |values| engine.ntt(black_box(&Ntt::forward(domain)), values).unwrap(),
            BatchSize::PerIteration,
        )
    });
    group.bench_function(BenchmarkId::new("halo2curves best_fft", log_size), |b| {
        b.iter_batched_ref(
            || values.to_vec(),
            |values| halo2curves::fft::best_fft(values, black_box(domain.root()), log_size),
            BatchSize::PerIteration,
        )
    });
}
