//! Whole transforms and extensions at every level of vectors, against the reference.

use crate::backend::Transforms;
use crate::backend::cpu::{Cpu, Simd};
use crate::backend::reference::Reference;
use crate::field::Goldilocks;
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];

/// Words at both ends, and words in between.
fn words(len: usize) -> Vec<Goldilocks> {
    let word = |i: u64| match i % 5 {
        2 => Goldilocks::new(Goldilocks::MODULUS - 1),
        _ => Goldilocks::new(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 3)),
    };
    (0..len as u64).map(word).collect()
}

fn coset(log_size: u32, shift: u64) -> Domain {
    Domain::new(log_size, Convention::Plonky3).unwrap().coset(Goldilocks::new(shift)).unwrap()
}

/// Whole tiles, parts of them, and several passes; one column, some, and as many as fill vectors.
#[test]
fn transforms_are_those_of_the_reference() {
    let sizes = (0..9).flat_map(|log_size| [1, 3, 8, 17].map(|width| (log_size, width)));
    for (log_size, width) in sizes.chain([(11, 1), (12, 2), (13, 1)]) {
        let before = words(width << log_size);
        for shift in [1, 7] {
            let domain = coset(log_size, shift);
            for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
                for (from, to) in ORDERS.into_iter().flat_map(|from| ORDERS.map(|to| (from, to))) {
                    let ntt = ntt.with_orders(from, to);
                    let mut expected = before.clone();
                    Reference.ntt(&ntt, &mut expected, width).unwrap();
                    for simd in Simd::available() {
                        let mut found = before.clone();
                        Cpu::new(simd).unwrap().ntt(&ntt, &mut found, width).unwrap();
                        assert!(found == expected, "{ntt:?}, {width} columns on {simd}");
                    }
                }
            }
        }
    }
}

#[test]
fn extensions_are_those_of_the_reference() {
    for (log_size, log_blowup, width) in [(0, 1, 1), (1, 2, 3), (4, 3, 8), (6, 1, 5), (8, 3, 1), (9, 2, 3)] {
        let (from, to) = (coset(log_size, 3), coset(log_size + log_blowup, 7));
        let before = words((2 * width) << log_size);
        for order in ORDERS {
            let lde = Lde::new(from, to).unwrap().with_output_order(order);
            let mut expected = words(before.len() << log_blowup);
            Reference.lde(&lde, &mut before.clone(), width, &mut expected).unwrap();
            for simd in Simd::available() {
                let mut found = words(before.len() << log_blowup);
                Cpu::new(simd).unwrap().lde(&lde, &mut before.clone(), width, &mut found).unwrap();
                assert!(found == expected, "{lde:?}, {width} columns on {simd}");
            }
        }
    }
}
