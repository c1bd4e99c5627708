//! Multi-scalar multiplication over BLS12-381 against blst and halo2curves, and transforms over its scalars against halo2curves.

use std::hint::black_box;
use std::time::Duration;

use blst::MultiPoint;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use halo2curves::ff::PrimeField;
use zkaccel::bls12_381::{Fr, G1Affine, G2Affine};
use zkaccel::curve::limbs_of_points;
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::Domain;
use zkaccel_peers::{bases, engine, scalars};

/// The same words as blst has them: coordinates are in Montgomery form there too.
fn theirs<C: AcceleratedCurve, U>(bases: &[C]) -> &[U] {
    assert_eq!((size_of::<C>(), align_of::<C>()), (size_of::<U>(), align_of::<U>()));
    let limbs = limbs_of_points(bases);
    // SAFETY: both are arrays of words in the same order, x before y, and any words are a value of the structures of C.
    unsafe { std::slice::from_raw_parts(limbs.as_ptr().cast(), bases.len()) }
}

macro_rules! sums {
    ($name:ident, $curve:ty, $title:literal, $theirs:ty, $sizes:expr) => {
        fn $name(criterion: &mut Criterion) {
            let engine = engine();
            let mut group = criterion.benchmark_group($title);
            group.sample_size(10).measurement_time(Duration::from_secs(8));
            for log_size in $sizes {
                let n = 1 << log_size;
                let (bases, scalars) = (bases::<$curve>(n), scalars(n));
                let id = |who: &str| BenchmarkId::new(who, log_size);
                zkaccel_peers::sums(&mut group, &engine, id, &scalars, &bases);
                let bytes: Vec<u8> =
                    scalars.iter().flat_map(|scalar| scalar.to_repr().as_ref().to_vec()).collect();
                let points: &[$theirs] = theirs(&bases);
                group.bench_function(id("blst"), |b| b.iter(|| points.mult(black_box(&bytes), 255)));
            }
        }
    };
}
sums!(sums, G1Affine, "msm over BLS12-381's G1", blst::blst_p1_affine, [12, 16, 20]);
sums!(sums_over_g2, G2Affine, "msm over BLS12-381's G2", blst::blst_p2_affine, [12, 16]);

fn transforms(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("fft over BLS12-381's scalars");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    for log_size in [16, 20] {
        let domain = Domain::<Fr>::halo2(log_size).unwrap();
        let values = scalars(domain.size());
        zkaccel_peers::transforms(&mut group, &engine, domain, &values);
    }
}

criterion_group!(benches, sums, sums_over_g2, transforms);
criterion_main!(benches);
