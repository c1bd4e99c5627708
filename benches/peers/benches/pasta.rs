//! Multi-scalar multiplication over Pallas, Vesta and Grumpkin, and transforms over a field of Pasta, against halo2curves.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use halo2curves::CurveAffine;
use zkaccel::curve::Curve;
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::Domain;
use zkaccel::{grumpkin, pasta};
use zkaccel_peers::{bases, engine, scalars, transforms};

fn sums_over<C>(criterion: &mut Criterion, title: &str)
where
    C: AcceleratedCurve + CurveAffine<ScalarExt = <C as Curve>::Scalar>,
{
    let mut group = criterion.benchmark_group(title);
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for log_size in [16, 18] {
        let (bases, scalars) = (bases::<C>(1 << log_size), scalars(1 << log_size));
        let id = |who: &str| BenchmarkId::new(who, log_size);
        zkaccel_peers::sums(&mut group, &engine(), id, &scalars, &bases);
    }
}

fn sums(criterion: &mut Criterion) {
    sums_over::<pasta::PallasAffine>(criterion, "msm over Pallas");
    sums_over::<pasta::VestaAffine>(criterion, "msm over Vesta");
    sums_over::<grumpkin::G1Affine>(criterion, "msm over Grumpkin");
}

fn over_scalars(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fft over Pallas' scalars");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    for log_size in [16, 20] {
        let domain = Domain::<pasta::Fq>::halo2(log_size).unwrap();
        transforms(&mut group, &engine(), domain, &scalars(1 << log_size));
    }
}

criterion_group!(benches, sums, over_scalars);
criterion_main!(benches);
