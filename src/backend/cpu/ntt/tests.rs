//! Whole transforms and extensions at every level of vectors, against the reference.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::extension::Extension;
use super::factors::{Progression, Scaling};
use super::lanes::on_lanes;
use super::pass::{Access, Index, Pass};
use super::shared::Target;
use super::tile::Tile;
use crate::backend::Transforms;
use crate::backend::cpu::{Cpu, Simd};
use crate::backend::reference::Reference;
use crate::field::Goldilocks;
use crate::lock::lock;
use crate::meter::{Meter, PIECES};
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};
use crate::sync::Mutex;

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

/// Three blocks that differ, again and again, so that the reference has little to do for many.
fn repeated(three: &[Goldilocks], blocks: usize) -> Vec<Goldilocks> {
    three.chunks(three.len() / 3).cycle().take(blocks).flatten().copied().collect()
}

/// Runs something on two threads.
fn on_two_threads<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(run)
}

/// Several tasks of a pass; groups of blocks on each thread, with scratch memory of its own; and a block that is too large for that. All layers are counted.
#[test]
fn transforms_on_several_threads() {
    let few_points = [(1, 1, 30), (2, 1, 30), (3, 1, 30), (2, 8, 3)];
    let larger = [(5, 150, 4), (6, 1, 500), (13, 1, 33), (13, 9, 1), (10, 3, 4)];
    for (log_size, width, blocks) in few_points.into_iter().chain(larger) {
        let domain = coset(log_size, 7);
        let three = words((3 * width) << log_size);
        let orders = ORDERS.into_iter().flat_map(|from| ORDERS.map(|to| (from, to)));
        for (ntt, (from, to)) in [Ntt::forward(domain), Ntt::inverse(domain)].into_iter().cycle().zip(orders)
        {
            let ntt = ntt.with_orders(from, to);
            let mut expected = three.clone();
            Reference.ntt(&ntt, &mut expected, width).unwrap();
            let (expected, mut found) = (repeated(&expected, blocks), repeated(&three, blocks));
            let told = Mutex::new((0, 0));
            let tell = |done, of| *lock(&told) = (done, of);
            let meter = Meter::telling(&tell);
            let run = || Cpu::default().ntt_checked(&ntt, &mut found, width, false, &meter);
            on_two_threads(run).unwrap();
            assert!(found == expected, "{ntt:?}, {blocks} blocks of {width} columns");
            assert_eq!(*lock(&told), (PIECES, PIECES), "{ntt:?}, {blocks} blocks of {width} columns");
        }
    }
}

#[test]
fn extensions_on_several_threads() {
    for (log_size, log_blowup, width, blocks) in
        [(6, 2, 100, 1), (6, 2, 1, 100), (5, 1, 40, 3), (12, 1, 1, 43), (9, 2, 3, 2), (13, 1, 1, 3)]
    {
        let (from, to) = (coset(log_size, 3), coset(log_size + log_blowup, 7));
        let three = words((3 * width) << log_size);
        for order in ORDERS {
            let lde = Lde::new(from, to).unwrap().with_output_order(order);
            let mut expected = words(three.len() << log_blowup);
            Reference.lde(&lde, &mut three.clone(), width, &mut expected).unwrap();
            let (expected, mut input) = (repeated(&expected, blocks), repeated(&three, blocks));
            let mut found = words(expected.len());
            let told = Mutex::new((0, 0));
            let tell = |done, of| *lock(&told) = (done, of);
            let meter = Meter::telling(&tell);
            let run = || Cpu::default().lde_checked(&lde, &mut input, width, &mut found, false, &meter);
            on_two_threads(run).unwrap();
            assert!(found == expected, "{lde:?}, {blocks} blocks of {width} columns");
            assert_eq!(*lock(&told), (PIECES, PIECES), "{lde:?}, {blocks} blocks of {width} columns");
        }
    }
}

/// Whether something panics with these words.
fn refuses(words: &str, run: impl FnOnce()) -> bool {
    let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return false };
    let message =
        panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    message.is_some_and(|message| message.contains(words))
}

/// A pass whose words are not all within the data, or not each lane's own, is refused before any is touched: safety rests on it.
#[test]
fn passes_beyond_their_data() {
    const WORDS: usize = 3 * 40;
    let (beyond, overlap) = ("a pass beyond its data", "the axes of a pass overlap");
    let root = Convention::Plonky3.root_of_unity(2);
    let meter = Meter::silent();
    let none = Progression { first: Goldilocks::new(1), step: Goldilocks::new(1) };
    let scaling = Scaling { start: none, ratio: none };
    for simd in Simd::available() {
        on_lanes!(simd, L, {
            let tile = Tile::new::<L>(2, root);
            // Three blocks of four rows, each of five times two lanes.
            let access = Access { outer: 40, inner: 2, row: 10, order: Order::Natural };
            let (index, before, after) = (Index::Inner, scaling, scaling);
            let pass = Pass {
                tile: &tile,
                outer: 3,
                inner: 5,
                width: 2,
                read: access,
                write: access,
                index,
                before,
                after,
            };
            let data = words(2 * WORDS);
            let (source, mut target) = (&data[..WORDS], data.clone());
            pass.run::<L>(source, &mut target[..WORDS], &meter);
            assert!(target[..WORDS] != data[..WORDS] && target[WORDS..] == data[WORDS..]);
            assert!(refuses(beyond, || pass.run::<L>(&source[1..], &mut target, &meter)));
            assert!(refuses(beyond, || pass.run::<L>(source, &mut target[1..WORDS], &meter)));
            assert!(refuses(beyond, || pass.run_in_place::<L>(&mut target[1..WORDS], &meter)));
            let shared = Access { inner: 1, ..access };
            let pass = Pass { write: shared, ..pass };
            assert!(refuses(overlap, || pass.run::<L>(source, &mut target, &meter)));
            assert!(refuses("tiles in place own what they read", || {
                pass.run_in_place::<L>(&mut target, &meter);
            }));
            // What is read may be shared.
            let pass = Pass { read: shared, write: access, ..pass };
            pass.run::<L>(source, &mut target, &meter);

            // Each block of four rows of ten lanes goes to two cosets, one after the other.
            let of_blocks = |outer| Access { outer, inner: 0, row: 10, order: Order::Natural };
            let pass = || Pass { inner: 1, width: 10, read: of_blocks(40), write: of_blocks(80), ..pass };
            let factors = [3, 5].map(|shift| vec![Goldilocks::new(shift); 4]);
            let extension = Extension { inverse: pass(), forward: pass(), factors: &factors, step: 40 };
            extension.run::<L>(source, &mut target, &meter);
            assert!(refuses(beyond, || extension.run::<L>(&source[1..], &mut target, &meter)));
            assert!(refuses(beyond, || extension.run::<L>(source, &mut target[1..], &meter)));
            let extension = Extension { step: 39, ..extension };
            assert!(refuses(overlap, || extension.run::<L>(source, &mut target, &meter)));
        });
    }
    assert_eq!(Target::new(&mut words(7)).from(3).len(), 4);
}
