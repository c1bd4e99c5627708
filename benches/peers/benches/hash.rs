//! Rescue merges and trees, against winter-crypto.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use winter_crypto::hashers::Rp64_256 as WinterRescue;
use winter_crypto::{ElementHasher, Hasher as _, MerkleTree};
use winter_math::fields::f64::BaseElement;
use zkaccel::hash::{Blake3, ElementDigest, Hasher, Rp64_256, Rp64_256V2021};
use zkaccel_peers::{elements, engine, words};

fn merges(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("merge");
    let ours: [ElementDigest; 2] = bytemuck_cast(&elements(8));
    let winter = words(8).into_iter().map(BaseElement::new).collect::<Vec<_>>();
    let digest = |words: &[BaseElement]| WinterRescue::hash_elements(words);
    let theirs = [digest(&winter[..4]), digest(&winter[4..])];
    group.bench_function("zkaccel rp64_256", |b| b.iter(|| Rp64_256::merge(black_box(&ours))));
    group.bench_function("zkaccel rp64_256_v2021", |b| b.iter(|| Rp64_256V2021::merge(black_box(&ours))));
    group.bench_function("winter-crypto Rp64_256", |b| b.iter(|| WinterRescue::merge(black_box(&theirs))));
    let bytes = [Blake3::hash(b"left"), Blake3::hash(b"right")];
    group.bench_function("zkaccel blake3", |b| b.iter(|| Blake3::merge(black_box(&bytes))));
}

fn bytemuck_cast(words: &[zkaccel::field::Goldilocks]) -> [ElementDigest; 2] {
    [ElementDigest(words[..4].try_into().unwrap()), ElementDigest(words[4..].try_into().unwrap())]
}

fn trees(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("tree");
    group.sample_size(10).measurement_time(Duration::from_secs(12));
    for log_leaves in [14, 18] {
        let words = words(4 << log_leaves);
        let four = |i: usize| -> [u64; 4] { words[4 * i..4 * i + 4].try_into().unwrap() };
        let leaves: Vec<_> = (0..1 << log_leaves)
            .map(|i| ElementDigest(four(i).map(zkaccel::field::Goldilocks::new)))
            .collect();
        group.bench_function(BenchmarkId::new("zkaccel rp64_256", log_leaves), |b| {
            b.iter(|| engine.merkle_tree::<Rp64_256>(black_box(&leaves)).unwrap().root())
        });
        let theirs: Vec<_> = (0..1 << log_leaves)
            .map(|i| <WinterRescue as winter_crypto::Hasher>::Digest::new(four(i).map(BaseElement::new)))
            .collect();
        group.bench_function(BenchmarkId::new("winter-crypto Rp64_256", log_leaves), |b| {
            b.iter(|| *MerkleTree::<WinterRescue>::new(black_box(theirs.clone())).unwrap().root())
        });
    }
}

criterion_group!(benches, merges, trees);
criterion_main!(benches);
