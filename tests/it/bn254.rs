//! BN254 against halo2curves, known sums, and what is refused; `tests/oracles` compares it with arkworks.

use halo2curves::ff::{Field, PrimeField};
use halo2curves::group::{Curve, Group};
use proptest::prelude::*;
use zkaccel::bn254::{self, Fr, G1, G1Affine};
use zkaccel::device::Simd;
use zkaccel::matrix::Matrix;
use zkaccel::msm::BasesOptions;
use zkaccel::ntt::{Domain, Ntt};
use zkaccel::{Engine, Error};

fn engine(threads: usize) -> Engine {
    Engine::builder().device("cpu".parse().unwrap()).threads(threads).build().unwrap()
}

/// Engines with the portable instructions and with the best of this machine.
fn engines(threads: usize) -> impl Iterator<Item = Engine> {
    [Simd::Portable, Simd::best()].into_iter().map(move |simd| {
        Engine::builder().device("cpu".parse().unwrap()).threads(threads).simd(simd).build().unwrap()
    })
}

/// Pseudo-random words: SplitMix64.
fn words(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

fn scalars(seed: u64, n: usize) -> Vec<Fr> {
    let mut word = words(seed);
    (0..n).map(|_| Fr::from_raw(std::array::from_fn(|_| word()))).collect()
}

/// k G, (k + 1) G, ... and the factors.
fn multiples(first: u64, n: usize) -> (Vec<Fr>, Vec<G1Affine>) {
    let generator = G1Affine::generator();
    let points: Vec<_> =
        std::iter::successors(Some(G1::generator() * Fr::from(first)), |point| Some(point + generator))
            .take(n)
            .collect();
    let mut bases = vec![G1Affine::default(); n];
    G1::batch_normalize(&points, &mut bases);
    ((first..).take(n).map(Fr::from).collect(), bases)
}

#[test]
fn sums_of_halo2curves() {
    for engine in [1, 2, 3].into_iter().flat_map(engines) {
        for n in [1, 33, 1000, 20_000] {
            let (scalars, (_, bases)) = (scalars(n as u64, n), multiples(5, n));
            assert_eq!(
                engine.msm(&scalars, &bases).unwrap(),
                halo2curves::msm::msm_best(&scalars, &bases),
                "{n}"
            );
        }
    }
}

#[test]
fn large_sums_of_known_multiples() {
    let engine = engine(2);
    let n = (1 << 17) + 1;
    let (factors, bases) = multiples(3, n);
    let kept = engine.bases(bases.clone(), BasesOptions { validate: true, tables: false }).unwrap();
    let mut word = words(9);
    let columns: [Vec<Fr>; 4] = [
        scalars(1, n),
        (0..n).map(|_| Fr::from(word() & 1)).collect(),
        (0..n).map(|_| Fr::from(word() & 255)).collect(),
        vec![Fr::from(2).invert().unwrap(); n],
    ];
    for scalars in &columns {
        let factor = scalars.iter().zip(&factors).map(|(a, b)| a * b).sum::<Fr>();
        assert_eq!(engine.msm(scalars, &kept).unwrap(), G1::generator() * factor);
    }
}

#[test]
fn tables_fit_into_the_memory_budget() {
    let (factors, bases) = multiples(3, 1 << 10);
    // From no table at all, over a few, to all.
    for budget in [0, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 30] {
        let engine = Engine::builder().threads(2).memory_budget(budget.max(1 << 16)).build().unwrap();
        let kept = engine.bases(bases.clone(), BasesOptions { validate: false, tables: true }).unwrap();
        let scalars = scalars(budget, 1 << 10);
        let factor = scalars.iter().zip(&factors).map(|(a, b)| a * b).sum::<Fr>();
        assert_eq!(engine.msm(&scalars, &kept).unwrap(), G1::generator() * factor, "{budget}");
        let part = kept.range(100..900).unwrap();
        let factor = scalars[100..900].iter().zip(&factors[100..]).map(|(a, b)| a * b).sum::<Fr>();
        assert_eq!(engine.msm(&scalars[100..900], part).unwrap(), G1::generator() * factor, "{budget}");
    }
}

#[test]
fn transforms_of_halo2curves() {
    for engine in [1, 2].into_iter().flat_map(engines) {
        // Around the sizes at which vectors begin, and tiles become several.
        for log_size in [0, 1, 2, 5, 6, 7, 10, 11, 12, 13, 14, 16, 17] {
            let domain = Domain::<Fr>::halo2(log_size).unwrap();
            let mut found = scalars(7, 1 << log_size);
            let mut expected = found.clone();
            engine.ntt(&Ntt::forward(domain), &mut found).unwrap();
            halo2curves::fft::best_fft(&mut expected, domain.root(), log_size);
            assert_eq!(found, expected, "2^{log_size}");
        }
    }
}

#[test]
fn roots_of_both_libraries() {
    let hex = |x: Fr| x.to_repr().as_ref().iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert!(hex(Domain::<Fr>::halo2(28).unwrap().root()).starts_with("03ddb9f5"));
    assert!(hex(Domain::<Fr>::arkworks(28).unwrap().root()).starts_with("2a3c09f0"));
    assert_eq!(Domain::<Fr>::halo2(29), Err(Error::DomainTooLarge { log_size: 29, limit: 28 }));
    let root = Domain::<Fr>::halo2(5).unwrap().root();
    assert!(matches!(Domain::with_root(4, root), Err(Error::BadRoot { log_size: 4, .. })));
    assert!(matches!(Domain::with_root(6, root), Err(Error::BadRoot { log_size: 6, .. })));
    assert_eq!(Domain::<Fr>::halo2(5).unwrap().coset(Fr::ZERO), Err(Error::BadShift));
}

#[test]
fn limbs_become_elements_where_they_stand() {
    let all = scalars(1, 5);
    let limbs = bn254::limbs(&all);
    assert_eq!(bn254::scalars(limbs).unwrap(), &all);
    assert_eq!(bn254::scalars(limbs).unwrap().as_ptr(), all.as_ptr());
    // The modulus, one more, one less, all ones: only limbs below the modulus are an element.
    let r = [0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029];
    let q = [0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029];
    assert!(bn254::scalars(&[[r[0] - 1, r[1], r[2], r[3]]]).is_ok());
    for bad in [r, [r[0] + 1, r[1], r[2], r[3]], [0, 0, 0, r[3] + 1], [u64::MAX; 4], q] {
        let error = bn254::scalars(&[[1, 0, 0, 0], bad]).unwrap_err();
        assert!(matches!(&error, Error::NotReduced { what: "scalar", index: 1, .. }), "{error}");
        assert!(error.to_string().contains("scalar 1 is 0x"), "{error}");
    }
    let (_, points) = multiples(1, 4);
    let limbs = bn254::limbs_of_points(&points);
    assert_eq!(bn254::points(limbs).unwrap(), &points);
    let mut bad = limbs.to_vec();
    bad[2][4..].copy_from_slice(&q);
    assert!(matches!(bn254::points(&bad), Err(Error::NotReduced { what: "y of point", index: 2, .. })));
    bad[1][..4].copy_from_slice(&q);
    assert!(matches!(bn254::points(&bad), Err(Error::NotReduced { what: "x of point", index: 1, .. })));
    assert!(bool::from(G1::from(bn254::points(&[[0; 8]]).unwrap()[0]).is_identity()));
}

#[test]
fn sums_hold_against_the_memory_budget() {
    let engine = Engine::builder().threads(1).memory_budget(1000).build().unwrap();
    let (_, bases) = multiples(1, 32);
    let scalars = scalars(1, 32);
    let expected = Error::OverBudget { required: 1024, budget: 1000 };
    assert_eq!(engine.msm(&scalars, &bases).unwrap_err(), expected);
    assert_eq!(engine.upload(Matrix::from_column(scalars.clone()).unwrap()).unwrap_err(), expected);
    assert!(engine.msm(&scalars[..31], &bases[..31]).is_ok());
    let mut values = vec![Fr::ONE; 64];
    let domain = Domain::<Fr>::halo2(6).unwrap();
    let found = engine.ntt(&Ntt::forward(domain), &mut values);
    assert_eq!(found, Err(Error::OverBudget { required: 1024, budget: 1000 }));
    assert_eq!(values, vec![Fr::ONE; 64]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Any mixture of widths, signs, identities and repetitions, on any number of threads, with and without tables.
    #[test]
    fn any_sum(
        n in 0_usize..200,
        seed: u64,
        threads in 1_usize..4,
        tables: bool,
        shapes in prop::collection::vec(0_u8..8, 1..6),
    ) {
        let (factors, points) = multiples(seed >> 40, n);
        let mut word = words(seed);
        let (mut scalars, mut bases, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..n {
            let shape = shapes[word() as usize % shapes.len()];
            let scalar = match shape {
                0 => Fr::ZERO,
                1 => Fr::from(word() & 1),
                2 => -Fr::from(word() & 0xff),
                3 => Fr::from(word()) * Fr::from(word()),
                4 => Fr::from(2).pow_vartime([word() % 254]),
                _ => Fr::from_raw(std::array::from_fn(|_| word())),
            };
            let (base, factor) = match shape {
                5 => (G1Affine::default(), Fr::ZERO),
                6 => (-points[0], -factors[0]),
                7 => (points[0], factors[0]),
                _ => (points[i], factors[i]),
            };
            scalars.push(scalar);
            bases.push(base);
            known.push(factor);
        }
        let expected = G1::generator() * scalars.iter().zip(&known).map(|(a, b)| a * b).sum::<Fr>();
        let engine = engine(threads);
        prop_assert_eq!(engine.msm(&scalars, &bases).unwrap(), expected);
        let kept = engine.bases(bases, BasesOptions { validate: true, tables }).unwrap();
        prop_assert_eq!(engine.msm(&scalars, &kept).unwrap(), expected);
    }
}
