//! Multi-scalar multiplication and transforms over BN254, against halo2curves (with its assembly) and arkworks.

use std::hint::black_box;
use std::time::Duration;

use ark_ec::VariableBaseMSM;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use zkaccel::bn254::{Fr, G1Affine, G2Affine};
use zkaccel::curve::limbs_of_points;
use zkaccel::ntt::Domain;
use zkaccel_peers::{bases, engine, scalars, words};

/// The same limbs as arkworks has them.
fn theirs<T: Clone, U>(elements: &[T]) -> &[U] {
    assert_eq!((size_of::<T>(), align_of::<T>()), (size_of::<U>(), align_of::<U>()));
    // SAFETY: the layouts that zkaccel's feature `arkworks` asserts, the other way; both hold reduced limbs.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), elements.len()) }
}

fn sums(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("msm");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for log_size in [16, 18, 20] {
        let n = 1 << log_size;
        let bases = bases::<G1Affine>(n);
        let bits = words(n).into_iter().map(|word| Fr::from(word & 1)).collect();
        let bytes = words(n).into_iter().map(|word| Fr::from(word & 0xff)).collect();
        for (kind, scalars) in [("uniform", scalars(n)), ("bytes", bytes), ("bits", bits)] {
            let id = |who: &str| BenchmarkId::new(format!("{who}, {kind}"), log_size);
            zkaccel_peers::sums(&mut group, &engine, id, &scalars, &bases);
            let (scalars, bases) =
                (theirs::<_, ark_bn254::Fr>(&scalars), theirs::<_, ark_bn254::G1Affine>(&bases));
            group.bench_function(id("ark-ec msm_unchecked"), |b| {
                b.iter(|| ark_bn254::G1Projective::msm_unchecked(bases, black_box(scalars)))
            });
        }
    }
}

fn sums_over_g2(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("msm over G2");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for log_size in [12, 16, 18] {
        let n = 1 << log_size;
        let (bases, scalars) = (bases::<G2Affine>(n), scalars(n));
        let id = |who: &str| BenchmarkId::new(who, log_size);
        zkaccel_peers::sums(&mut group, &engine, id, &scalars, &bases);
        let scalars: &[ark_bn254::Fr] = theirs(&scalars);
        let coordinate = |limbs: &[[u64; 4]; 2]| {
            let [c0, c1] = theirs::<_, ark_bn254::Fq>(limbs) else { unreachable!("two of two") };
            ark_bn254::Fq2::new(*c0, *c1)
        };
        let bases: Vec<_> = limbs_of_points(&bases)
            .iter()
            .map(|[x, y]| ark_bn254::G2Affine::new_unchecked(coordinate(x), coordinate(y)))
            .collect();
        group.bench_function(BenchmarkId::new("ark-ec msm_unchecked", log_size), |b| {
            b.iter(|| ark_bn254::G2Projective::msm_unchecked(&bases, black_box(scalars)))
        });
    }
}

fn transforms(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("fft");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    for log_size in [16, 18, 20, 22] {
        let domain = Domain::<Fr>::halo2(log_size).unwrap();
        let values = scalars(domain.size());
        zkaccel_peers::transforms(&mut group, &engine, domain, &values);
        let ark = Radix2EvaluationDomain::<ark_bn254::Fr>::new(domain.size()).unwrap();
        let input: &[ark_bn254::Fr] = theirs(&values);
        group.bench_function(BenchmarkId::new("ark-poly Radix2EvaluationDomain", log_size), |b| {
            b.iter_batched_ref(
                || input.to_vec(),
                |values| ark.fft_in_place(black_box(values)),
                BatchSize::PerIteration,
            )
        });
    }
}

criterion_group!(benches, sums, sums_over_g2, transforms);
criterion_main!(benches);
