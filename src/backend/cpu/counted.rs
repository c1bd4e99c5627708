//! What operations count of themselves: all that they do, and no more.

use super::Cpu;
use crate::backend::Transforms;
use crate::field::{Field, Goldilocks, powers};
use crate::lock::lock;
use crate::meter::{Meter, PIECES};
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};
use crate::sync::Mutex;

/// An operation that counts itself must come to the end by what it counts, in ascending steps, and the meter refuses more.
fn check(what: &str, run: impl FnOnce(&Meter<'_>)) {
    let told = Mutex::new(Vec::new());
    let tell = |done, _| lock(&told).push(done);
    run(&Meter::telling(&tell));
    let told = lock(&told);
    assert!(told.is_sorted_by(|a, b| a < b), "{what}: {told:?}");
    assert_eq!((told[0], told[told.len() - 1]), (0, PIECES), "{what}");
}

fn elements(count: usize) -> Vec<Goldilocks> {
    powers(Goldilocks::GENERATOR).take(count).collect()
}

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];

#[test]
fn transforms_and_extensions() {
    let cpu = Cpu::default();
    for (log, width, blocks) in
        [(1, 1, 1), (3, 3, 2), (6, 8, 1), (9, 1, 5), (9, 20, 1), (13, 2, 3), (13, 8, 1)]
    {
        let domain = Domain::new(log, Convention::Plonky3).unwrap();
        let count = (width * blocks) << log;
        for from in ORDERS {
            for to in ORDERS {
                check(&format!("2^{log}, {width} x {blocks}, {from:?} to {to:?}"), |meter| {
                    let ntt = Ntt::forward(domain).with_orders(from, to);
                    cpu.ntt_checked(&ntt, &mut elements(count), width, false, meter).unwrap();
                });
            }
            check(&format!("extension of 2^{log}, {width} x {blocks}, to {from:?}"), |meter| {
                let onto = Domain::new(log + 2, Convention::Plonky3).unwrap().coset(Goldilocks::GENERATOR);
                let lde = Lde::new(domain, onto.unwrap()).unwrap().with_output_order(from);
                let (mut input, mut output) = (elements(count), vec![Goldilocks::ZERO; 4 * count]);
                cpu.lde_checked(&lde, &mut input, width, &mut output, false, meter).unwrap();
            });
        }
    }
}

#[cfg(feature = "bn254")]
#[test]
fn transforms_over_prime_fields() {
    use crate::bn254::Fr;

    let cpu = Cpu::default();
    for (log, count) in [(1, 1), (5, 3), (10, 2), (14, 1), (15, 1), (16, 1)] {
        for from in ORDERS {
            for to in ORDERS {
                check(&format!("{count} of 2^{log}, {from:?} to {to:?}"), |meter| {
                    let ntt = Ntt::inverse(Domain::halo2(log).unwrap()).with_orders(from, to);
                    let mut values: Vec<_> = (0..count << log).map(|i: u64| Fr::from(i)).collect();
                    cpu.ntt_checked(&ntt, &mut values, 1, false, meter).unwrap();
                });
            }
        }
    }
}

#[cfg(feature = "bn254")]
#[test]
fn sums() {
    use crate::backend::{BasesView, Msm, ScalarsView};
    use crate::bn254::{Fr, G1, G1Affine};

    for n in [1, 100, 5000] {
        let points = vec![G1Affine::generator(); n];
        for rows in [1, 3] {
            let scalars: Vec<_> = (0..(rows * n) as u64).map(|i| -Fr::from(i)).collect();
            // Tables of many bases take long.
            for table_bytes in [0, u64::MAX].into_iter().take(if n > 100 { 1 } else { 2 }) {
                let kept = Cpu::default().keep_bases(&points, table_bytes).unwrap();
                check(&format!("{rows} rows of {n}, tables of {table_bytes}"), |meter| {
                    let bases = BasesView { points: &points, kept: kept.as_ref(), first: 0 };
                    let scalars = ScalarsView { scalars: &scalars, kept: None };
                    Cpu::default().msm(scalars, bases, &mut vec![G1::default(); rows], meter).unwrap();
                });
            }
        }
    }
}
