//! Transforms over every prime field that has them, at every level that has vectors for them, against the reference.

use super::*;
use crate::backend::AcceleratedField;
use crate::backend::cpu::simd::vectors_of;
use crate::backend::reference::Reference;
use crate::bn254::Fr;
use crate::meter::PIECES;
use crate::sync::{Arc, Mutex};
use halo2curves::ff::Field;

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];

fn levels() -> impl Iterator<Item = Cpu> {
    let levels = Simd::available().filter(|&simd| vectors_of("Quadwords", simd).0 == simd);
    levels.map(|simd| Cpu::new(simd).unwrap())
}

/// Values that differ, with zeros and the largest among them.
fn values<F: AcceleratedField>(len: usize) -> Vec<F> {
    let value = |i: usize| match i % 7 {
        3 => F::ZERO,
        5 => F::ZERO - F::ONE,
        _ => F::of_integer(0x9e37_79b9_7f4a_7c15) * F::of_integer((i * i) as u64 + 1),
    };
    (0..len).map(value).collect()
}

/// Tiles alone, and layers of columns above them: of single elements from 2^13 on, of vectors from 2^14 on.
fn sizes_orders_and_directions<F: MontgomeryField + AcceleratedField>() {
    for log_size in (0..=10).chain([13, 14]) {
        let subgroup = F::some_domain(log_size).unwrap();
        let polynomials = if log_size < 5 { 3 } else { 1 };
        let before = values::<F>(polynomials << log_size);
        let coset = (log_size < 14).then(|| subgroup.coset(F::of_integer(5)).unwrap());
        for domain in std::iter::once(subgroup).chain(coset) {
            for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
                for (from, to) in ORDERS.into_iter().flat_map(|from| ORDERS.map(|to| (from, to))) {
                    let ntt = ntt.with_orders(from, to);
                    let mut expected = before.clone();
                    Reference.ntt(&ntt, &mut expected, 1).unwrap();
                    for cpu in levels() {
                        let mut found = before.clone();
                        cpu.ntt(&ntt, &mut found, 1).unwrap();
                        assert!(found == expected, "{ntt:?} on {}", cpu.simd);
                    }
                }
            }
        }
    }
}

/// Polynomials of fewer coefficients than the domain has points.
fn padded_polynomials<F: MontgomeryField + AcceleratedField>() {
    for (log_size, log_points) in [(0, 0), (0, 3), (1, 2), (3, 3), (4, 6), (5, 9), (8, 9), (9, 11)] {
        let domain = F::some_domain(log_points).unwrap().coset(F::of_integer(7)).unwrap();
        let (size, points) = (1 << log_size, 1 << log_points);
        let coefficients = values::<F>(2 * size);
        for order in ORDERS {
            let mut expected: Vec<F> = Vec::new();
            for polynomial in coefficients.chunks(size) {
                expected.extend(polynomial);
                expected.resize(expected.len() + points - size, <F as TwoAdic>::ZERO);
            }
            let ntt = Ntt::forward(domain).with_orders(Order::Natural, order);
            Reference.ntt(&ntt, &mut expected, 1).unwrap();
            for cpu in levels() {
                let mut found = vec![<F as TwoAdic>::ONE; 2 * points];
                cpu.evaluate(&domain, order, &coefficients, (size, 1), &mut found).unwrap();
                assert!(found == expected, "{size} of {points}, {order:?} on {}", cpu.simd);
            }
        }
    }
}

/// Layers of columns above layers of columns, of single elements: the numbers of blocks are those of blocks within blocks.
#[test]
fn columns_above_columns() {
    let domain = <Fr as AcceleratedField>::some_domain(15).unwrap();
    let before = values::<Fr>(1 << 15);
    for ntt in [Ntt::forward(domain), Ntt::inverse(domain).with_orders(Order::BitReversed, Order::Natural)] {
        let (mut expected, mut found) = (before.clone(), before.clone());
        Reference.ntt(&ntt, &mut expected, 1).unwrap();
        Cpu::new(Simd::Portable).unwrap().ntt(&ntt, &mut found, 1).unwrap();
        assert!(found == expected, "{ntt:?}");
    }
}

/// A processor keeps tables, and takes the right one of them.
#[test]
fn tables_are_of_their_root_and_size() {
    let domain = |log_size| <Fr as AcceleratedField>::some_domain(log_size).unwrap();
    let domains = [domain(7), domain(6), Domain::with_root(7, domain(7).root().pow_vartime([3])).unwrap()];
    for cpu in levels() {
        for domain in domains.iter().chain(&domains) {
            for ntt in [Ntt::forward(*domain), Ntt::inverse(*domain)] {
                let mut expected = values::<Fr>(domain.size());
                let mut found = expected.clone();
                Reference.ntt(&ntt, &mut expected, 1).unwrap();
                cpu.ntt(&ntt, &mut found, 1).unwrap();
                assert!(found == expected, "{ntt:?} on {}", cpu.simd);
            }
        }
    }
    let cache = TwiddleCache::default();
    let table = |number: usize| cache.get(Residue::of(domains[number].root()), 7, TwiddleForm::WithQuotients);
    let (first, other) = (table(0), table(2));
    assert!(!Arc::ptr_eq(&first, &other));
    assert!(Arc::ptr_eq(&first, &table(0)) && Arc::ptr_eq(&other, &table(2)));
}

/// What is told of a transform is all of it: as many steps as it has layers of elements.
#[test]
fn layers_are_counted() {
    let told = Mutex::new(Vec::new());
    let tell = |done: usize, total: usize| told.lock().unwrap().push((done, total));
    for cpu in levels() {
        for log_size in [6, 10, 13, 14, 15] {
            let domain = <Fr as AcceleratedField>::some_domain(log_size).unwrap();
            for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
                told.lock().unwrap().clear();
                cpu.ntt_checked(&ntt, &mut values::<Fr>(1 << log_size), 1, false, &Meter::telling(&tell))
                    .unwrap();
                let last = told.lock().unwrap().iter().max().copied();
                assert_eq!(last, Some((PIECES, PIECES)), "{ntt:?} on {}", cpu.simd);
            }
        }
    }
}

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        #[test]
        fn transforms_are_those_of_the_reference() {
            $(sizes_orders_and_directions::<$field>();)*
        }

        #[test]
        fn evaluations_are_those_of_the_reference() {
            $(padded_polynomials::<$field>();)*
        }
    };
}
crate::for_every_two_adic_field!(fields);
