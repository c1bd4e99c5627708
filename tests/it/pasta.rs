//! Pallas and Vesta against halo2curves' own sums and transforms, roots of unity, and what is refused.

use halo2curves::ff::Field;
use halo2curves::group::Curve;
use halo2curves::group::prime::PrimeCurveAffine;
use zkaccel::curve::points;
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
        for engine in engines() {
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
                assert_eq!(engine.msm(&scalars, &bases).unwrap(), expected, "{n}");
                let options = BasesOptions { validate: true, tables: true };
                let kept = engine.bases(bases, options).unwrap();
                assert_eq!(engine.msm(&scalars, &kept).unwrap(), expected, "{n}, tables");
            }
        }
    };
}

#[test]
fn sums_of_halo2curves() {
    sums_agree!(PallasAffine, Fq);
    sums_agree!(VestaAffine, Fp);
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
}

fn roots<F: TwoAdicPrime>() {
    let largest = Domain::<F>::halo2(32).unwrap().root();
    // Both libraries begin with the generator 5 of either field.
    assert_eq!(Domain::<F>::arkworks(32).unwrap().root(), largest);
    assert_eq!(largest.pow_vartime([1 << 31]), -<F as Field>::ONE);
    assert_eq!(Domain::<F>::halo2(33), Err(Error::DomainTooLarge { log_size: 33, limit: 32 }));
}

#[test]
fn roots_of_both_libraries() {
    roots::<Fp>();
    roots::<Fq>();
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
