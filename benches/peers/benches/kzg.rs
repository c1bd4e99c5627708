//! Cells of blobs and their proofs (EIP-7594) against rust-eth-kzg and c-kzg, with the setup of Ethereum's ceremony, and transforms of points against halo2curves.
//!
//! Peers have their largest usual tables, of multiples of 8 bits. c-kzg makes proofs on one thread.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};
use zkaccel::bls12_381::{Fr, G1, G1Affine};
use zkaccel::ntt::{Domain, Ntt};
use zkaccel_kzg::serialised::bytes_of_field_elements;
use zkaccel_kzg::{BYTES_PER_BLOB, CellProver, FIELD_ELEMENTS_PER_BLOB, Setup};
use zkaccel_peers::{bases, engine, scalars};

/// Bits of the multiples in the tables of peers.
const TABLES: usize = 8;

fn cells(criterion: &mut Criterion) {
    let setup = TrustedSetup::default();
    let texts = setup.g1_monomial.iter().map(|point| {
        let digits: String = point.to_compressed().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("\"{digits}\"")
    });
    let json = format!("{{\"g1_monomial\": [{}]}}", texts.collect::<Vec<_>>().join(","));
    let ours = CellProver::new(&engine(), &Setup::parse(&json).unwrap()).unwrap();
    let rust = DASContext::new(&setup, UsePrecomp::Yes { width: TABLES });
    let c = c_kzg::ethereum_kzg_settings(TABLES as u64);

    let blob = bytes_of_field_elements(&scalars::<Fr>(FIELD_ELEMENTS_PER_BLOB)).unwrap();
    let of_rust: &[u8; BYTES_PER_BLOB] = blob.as_slice().try_into().unwrap();
    let of_c = c_kzg::Blob::from_bytes(&blob).unwrap();
    let made = ours.cells_and_proofs(&[&blob]).unwrap();
    let (_, proofs) = rust.compute_cells_and_kzg_proofs(of_rust).unwrap();
    assert!(made[0].proofs.iter().zip(&proofs).all(|(ours, theirs)| ours[..] == theirs[..]));

    let mut group = criterion.benchmark_group("cells and proofs of blobs");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for count in [1, 8] {
        let blobs = vec![&blob[..]; count];
        group.bench_function(BenchmarkId::new("zkaccel", count), |b| {
            b.iter(|| ours.cells_and_proofs(black_box(&blobs)).unwrap())
        });
    }
    group.bench_function(BenchmarkId::new("rust-eth-kzg", 1), |b| {
        b.iter(|| rust.compute_cells_and_kzg_proofs(black_box(of_rust)).unwrap())
    });
    group.bench_function(BenchmarkId::new("c-kzg", 1), |b| {
        b.iter(|| c.compute_cells_and_kzg_proofs(black_box(&of_c)).unwrap())
    });
}

fn points(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("transforms of points of BLS12-381's G1");
    group.sample_size(10).measurement_time(Duration::from_secs(6));
    for log_size in [7, 10] {
        let domain = Domain::<Fr>::halo2(log_size).unwrap();
        let points: Vec<G1Affine> = bases(domain.size());
        group.bench_function(BenchmarkId::new("zkaccel", log_size), |b| {
            b.iter_batched_ref(
                || points.clone(),
                |points| engine.transform_points(black_box(&Ntt::forward(domain)), points).unwrap(),
                BatchSize::PerIteration,
            )
        });
        let points: Vec<_> = points.into_iter().map(G1::from).collect();
        group.bench_function(BenchmarkId::new("halo2curves best_fft", log_size), |b| {
            b.iter_batched_ref(
                || points.clone(),
                |points| halo2curves::fft::best_fft(points, black_box(domain.root()), log_size),
                BatchSize::PerIteration,
            )
        });
    }
}

criterion_group!(benches, cells, points);
criterion_main!(benches);
