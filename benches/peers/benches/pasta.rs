//! Multi-scalar multiplication over Pallas, Vesta and Grumpkin, and transforms over a field of Pasta, against halo2curves.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use zkaccel::ntt::Domain;
use zkaccel::{grumpkin, pasta};
use zkaccel_peers::{bases, engine, scalars, transforms};

macro_rules! sums {
    ($name:ident, $curve:ty, $title:literal) => {
        fn $name(criterion: &mut Criterion) {
            let engine = engine();
            let mut group = criterion.benchmark_group($title);
            group.sample_size(10).measurement_time(Duration::from_secs(8));
            for log_size in [16, 18] {
                let (bases, scalars) = (bases::<$curve>(1 << log_size), scalars(1 << log_size));
                group.bench_function(BenchmarkId::new("zkaccel", log_size), |b| {
                    b.iter(|| engine.msm(black_box(&scalars), &bases).unwrap())
                });
                group.bench_function(BenchmarkId::new("halo2curves msm_best", log_size), |b| {
                    b.iter(|| halo2curves::msm::msm_best(black_box(&scalars), &bases))
                });
            }
        }
    };
}
sums!(over_pallas, pasta::PallasAffine, "msm over Pallas");
sums!(over_vesta, pasta::VestaAffine, "msm over Vesta");
sums!(over_grumpkin, grumpkin::G1Affine, "msm over Grumpkin");

fn over_scalars(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fft over Pallas' scalars");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    for log_size in [16, 20] {
        let domain = Domain::<pasta::Fq>::halo2(log_size).unwrap();
        transforms(&mut group, &engine(), domain, &scalars(1 << log_size));
    }
}

criterion_group!(benches, over_pallas, over_vesta, over_grumpkin, over_scalars);
criterion_main!(benches);
