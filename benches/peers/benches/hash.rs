//! Merges and trees: Rescue against winter-crypto, Poseidon2 against Plonky3, hashes of bytes against the published crates.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_goldilocks::{Goldilocks as P3, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12};
use p3_symmetric::Permutation;
use sha3::Digest as _;
use winter_crypto::hashers::Rp64_256 as WinterRescue;
use winter_crypto::{ElementHasher, Hasher as _, MerkleTree};
use winter_math::fields::f64::BaseElement;
use zkaccel::hash::Accelerated;
use zkaccel::hash::{Blake3, Digest, ElementDigest, Hasher, Rp64_256, Rp64_256V2021};
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

/// Trees of 2^12 leaves: merges as they come in numbers; the time of one is that over 4095.
fn nodes(criterion: &mut Criterion) {
    fn tree<H: Accelerated>(group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>) {
        let engine = engine();
        let bytes: Vec<u8> = words(4 << 12).into_iter().flat_map(u64::to_le_bytes).collect();
        let digests = bytes.as_chunks::<32>().0.iter().map(|&bytes| H::Digest::from_bytes(bytes).unwrap());
        let leaves: Vec<_> = digests.collect();
        group.bench_function(H::NAME, |b| {
            b.iter(|| engine.merkle_tree::<H>(black_box(&leaves)).unwrap().root())
        });
    }
    let mut group = criterion.benchmark_group("tree of 2^12 leaves");
    group.sample_size(20);
    macro_rules! every {
        ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
            $(tree::<zkaccel::hash::$hash>(&mut group);)*
        };
    }
    zkaccel::for_every_hash!(every);
}

/// One permutation, or one hash of 64 bytes, of the peers.
fn peers(criterion: &mut Criterion) {
    type Packed = <P3 as Field>::Packing;
    let mut group = criterion.benchmark_group("peer");
    let (eight, twelve) = (default_goldilocks_poseidon2_8(), default_goldilocks_poseidon2_12());
    group.bench_function("p3 poseidon2_8", |b| b.iter(|| eight.permute(black_box([P3::TWO; 8]))));
    group.bench_function("p3 poseidon2_12", |b| b.iter(|| twelve.permute(black_box([P3::TWO; 12]))));
    group.bench_function("p3 poseidon2_8, a vector", |b| {
        b.iter(|| eight.permute(black_box([Packed::TWO; 8])))
    });
    group.bench_function("p3 poseidon2_12, a vector", |b| {
        b.iter(|| twelve.permute(black_box([Packed::TWO; 12])))
    });
    group.bench_function("sha3 keccak256", |b| b.iter(|| sha3::Keccak256::digest(black_box([7; 64]))));
    group.bench_function("sha2 sha256", |b| b.iter(|| sha2::Sha256::digest(black_box([7; 64]))));
}

criterion_group!(benches, merges, trees, nodes, peers);
criterion_main!(benches);
