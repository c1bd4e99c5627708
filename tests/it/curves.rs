//! Pallas, Vesta and BLS12-381 against halo2curves' own sums and transforms, roots of unity, and what is refused.

use halo2curves::ff::{Field, PrimeField};
use halo2curves::group::prime::PrimeCurveAffine;
use halo2curves::group::{Curve, Group};
use zkaccel::bls12_381;
use zkaccel::curve::{Subgroup, points};
use zkaccel::device::Simd;
use zkaccel::field::{TwoAdicPrime, elements, limbs};
use zkaccel::msm::BasesOptions;
use zkaccel::ntt::{AcceleratedField, Domain, Ntt, Order};
use zkaccel::pasta::{Fp, Fq, PallasAffine, VestaAffine};
use zkaccel::{Engine, Error};

/// Engines with the portable instructions and with the best of this machine.
fn engines() -> impl Iterator<Item = Engine> {
    [Simd::Portable, Simd::best()]
        .into_iter()
        .map(|simd| Engine::builder().device("cpu".parse().unwrap()).threads(2).simd(simd).build().unwrap())
}

/// Powers of an element without structure.
fn scalars<F: Field>(seed: F, n: usize) -> Vec<F> {
    let ratio = (seed.double() + F::ONE).pow_vartime([77]);
    std::iter::successors(Some(ratio), |power| Some(*power * ratio)).take(n).collect()
}

/// Sums of multiples of the generator in no order, with identities, equal and opposite points among them. A macro, because to generic code the curves' types are those of
/// either library and not of both.
macro_rules! sums_agree {
    ($curve:ty, $scalar:ty) => {
        let generator = <$curve>::generator().to_curve();
        let few: Vec<$curve> =
            scalars(<$scalar>::from(3), 50).iter().map(|k| (generator * k).to_affine()).collect();
        for n in [1, 2, 33, 1000, 5000] {
            let bases: Vec<$curve> = (0..n)
                .map(|i| match i % 17 {
                    3 => <$curve>::default(),
                    5 => -few[i % 50],
                    _ => few[i * 7 % 50],
                })
                .collect();
            let scalars = scalars(<$scalar>::from(n as u64 + 5), n);
            let expected = halo2curves::msm::msm_best(&scalars, &bases);
            for engine in engines() {
                assert_eq!(engine.msm(&scalars, &bases).unwrap(), expected, "{n}");
                let options = BasesOptions { validate: true, tables: true };
                let kept = engine.bases(bases.clone(), options).unwrap();
                assert_eq!(engine.msm(&scalars, &kept).unwrap(), expected, "{n}, tables");
            }
        }
    };
}

#[test]
fn sums_of_halo2curves() {
    sums_agree!(PallasAffine, Fq);
    sums_agree!(VestaAffine, Fp);
    sums_agree!(bls12_381::G1Affine, bls12_381::Fr);
    sums_agree!(bls12_381::G2Affine, bls12_381::Fr);
}

fn transforms_agree<F: TwoAdicPrime + AcceleratedField>() {
    for engine in engines() {
        // Around the sizes at which vectors begin, and tiles become several.
        for log_size in [0, 1, 5, 6, 7, 11, 12, 13, 14, 16] {
            let domain = Domain::<F>::halo2(log_size).unwrap();
            let coefficients = scalars(<F as From<u64>>::from(7), 1 << log_size);
            let mut found = coefficients.clone();
            let mut expected = coefficients.clone();
            engine.ntt(&Ntt::forward(domain), &mut found).unwrap();
            halo2curves::fft::best_fft(&mut expected, domain.root(), log_size);
            assert_eq!(found, expected, "2^{log_size}");
            for (from, to) in [(Order::Natural, Order::Natural), (Order::Natural, Order::BitReversed)] {
                let coset = domain.coset(F::ZETA).unwrap();
                engine.ntt(&Ntt::forward(coset).with_orders(from, to), &mut found).unwrap();
                engine.ntt(&Ntt::inverse(coset).with_orders(to, from), &mut found).unwrap();
                assert_eq!(found, expected, "2^{log_size}, there and back");
            }
        }
    }
}

#[test]
fn transforms_of_halo2curves() {
    transforms_agree::<Fp>();
    transforms_agree::<Fq>();
    transforms_agree::<bls12_381::Fr>();
}

fn roots<F: TwoAdicPrime>() {
    let largest = Domain::<F>::halo2(32).unwrap().root();
    // Both libraries begin with the same generator: 5 of either field of Pasta, 7 of BLS12-381's scalars.
    assert_eq!(Domain::<F>::arkworks(32).unwrap().root(), largest);
    assert_eq!(largest.pow_vartime([1 << 31]), -<F as Field>::ONE);
    assert_eq!(Domain::<F>::halo2(33), Err(Error::DomainTooLarge { log_size: 33, limit: 32 }));
}

#[test]
fn roots_of_both_libraries() {
    roots::<Fp>();
    roots::<Fq>();
    roots::<bls12_381::Fr>();
}

#[test]
fn what_is_refused() {
    let p = [0x992d_30ed_0000_0001, 0x2246_98fc_094c_f91b, 0, 1 << 62];
    let q = [0x8c46_eb21_0000_0001, 0x2246_98fc_0994_a8dd, 0, 1 << 62];
    let largest = |[low, rest @ ..]: [u64; 4]| [[low - 1, rest[0], rest[1], rest[2]]];
    assert_eq!(limbs(elements::<Fp>(&largest(p), "scalar").unwrap()), largest(p));
    assert_eq!(limbs(elements::<Fq>(&largest(q), "scalar").unwrap()), largest(q));
    assert!(matches!(elements::<Fp>(&[p], "scalar"), Err(Error::NotReduced { index: 0, .. })));
    assert!(matches!(elements::<Fq>(&[[0; 4], q], "scalar"), Err(Error::NotReduced { index: 1, .. })));
    // p is below q, so that it is a coordinate of Vesta and none of Pallas.
    let limbs = [[[0; 4], p]];
    assert!(points::<VestaAffine>(&limbs).is_ok());
    let refused = points::<PallasAffine>(&limbs);
    assert!(matches!(refused, Err(Error::NotReduced { what: "y of point", index: 0, .. })));
    let engine = Engine::builder().device("cpu".parse().unwrap()).build().unwrap();
    let options = BasesOptions { validate: true, tables: false };
    let (point, one) = (PallasAffine::generator(), Fp::ONE);
    let off_the_curve = vec![point, PallasAffine { x: point.x, y: point.y + one }];
    assert_eq!(engine.bases(off_the_curve, options).err(), Some(Error::NotOnCurve { index: 1 }));
}

/// The prime of BLS12-381's coordinates, and the x of its generator, 0x17f1d3a7...c6bb.
const BLS12_381_Q: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];
const BLS12_381_X: [u64; 6] = [
    0xfb3a_f00a_db22_c6bb,
    0x6c55_e83f_f97a_1aef,
    0xa14e_3a3f_171b_ac58,
    0xc368_8c4f_9774_b905,
    0x2695_638c_4fa9_ac0f,
    0x17f1_d3a7_3197_d794,
];

#[test]
fn integers_of_six_limbs() {
    use bls12_381::{Fr, G1, G1Affine};
    let [x, y] = zkaccel::curve::coordinates(&G1::from(G1Affine::generator())).unwrap();
    assert_eq!(x, BLS12_381_X);
    let digits = zkaccel::curve::hex(x);
    assert!(digits.starts_with("17f1d3a7") && digits.len() == 96);
    assert_eq!(zkaccel::curve::points_of_integers::<G1Affine>(&[[x, y]]), Ok(vec![G1Affine::generator()]));
    let refused = zkaccel::curve::points_of_integers::<G1Affine>(&[[x, y], [BLS12_381_Q, y]]);
    let Err(Error::NotReduced { what: "x of point", index: 1, value, modulus }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(value, modulus);
    assert!(value.starts_with("0x1a0111ea397fe69a4b1ba7b6434bacd7"), "{value}");
    let r = [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];
    assert!(matches!(elements::<Fr>(&[r], "scalar"), Err(Error::NotReduced { index: 0, .. })));
}

/// Points of the curve of BLS12-381's G1 with small x: of these, the check refuses all that r does not annihilate, and without it sums are those of integers.
#[test]
fn points_outside_of_the_group() {
    use bls12_381::{Fq, Fr, G1, G1Affine};
    let points: Vec<G1Affine> = (1..40_u64)
        .filter_map(|x| {
            let x = Fq::from(x);
            let y: Option<Fq> = (x.square() * x + Fq::from(4)).sqrt().into();
            Some(G1Affine { x, y: y? })
        })
        .collect();
    assert!(points.len() > 10 && points.iter().all(|point| !point.is_in_subgroup()));
    let options = BasesOptions { validate: true, tables: false };
    for engine in engines() {
        let some = [G1Affine::generator(), points[3], points[4]];
        assert_eq!(engine.bases(some.to_vec(), options).err(), Some(Error::NotInSubgroup { index: 1 }));
        // -1 is the integer r - 1, which takes P to -P in the group alone.
        let doubled = |point: G1, bits: &str| {
            bits.bytes().fold(G1::default(), |sum, bit| {
                sum.double() + if bit == b'1' { point } else { G1::default() }
            })
        };
        let r_less_1: String =
            (-Fr::ONE).to_repr().as_ref().iter().rev().map(|byte| format!("{byte:08b}")).collect();
        let expected: G1 = points.iter().map(|&point| doubled(point.into(), &r_less_1)).sum();
        let minus_ones = vec![-Fr::ONE; points.len()];
        assert_ne!(expected, -points.iter().map(|&point| G1::from(point)).sum::<G1>());
        assert_eq!(engine.msm(&minus_ones, &points).unwrap(), expected);
        let kept = engine.bases(points.clone(), BasesOptions { validate: false, tables: true }).unwrap();
        assert_eq!(engine.msm(&minus_ones, &kept).unwrap(), expected);
    }
}
