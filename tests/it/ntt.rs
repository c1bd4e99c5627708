//! The CPU transforms against the reference, and the reference against direct evaluation. `tests/oracles` compares them with
//! the transforms of winterfell and Plonky3.

use std::sync::LazyLock;

use zkaccel::device::{DeviceChoice, Simd};
use zkaccel::field::{Field, Goldilocks, powers};
use zkaccel::matrix::{Layout, MatrixMut, Shape};
use zkaccel::ntt::{Convention, Direction, Domain, Lde, Ntt, Order, reverse_bits};
use zkaccel::{Engine, Error};

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// Reproducible words (SplitMix64), reduced.
fn random(seed: u64, len: usize) -> Vec<Goldilocks> {
    let word = |i: u64| {
        let mut z = ((seed << 32) | i).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Goldilocks::new(z ^ (z >> 31))
    };
    (0..len as u64).map(word).collect()
}

fn shifts() -> [Goldilocks; 4] {
    [Goldilocks::ONE, Goldilocks::new(7), -Goldilocks::ONE, random(99, 1)[0]]
}

fn words(elements: &[Goldilocks]) -> Vec<u64> {
    elements.iter().map(|x| x.as_u64()).collect()
}

/// Words as memory may hold them before anything is written.
fn poison(len: usize) -> Vec<Goldilocks> {
    vec![bytemuck::cast(u64::MAX); len]
}

/// Compares words, so that a result that is right but not canonical fails too.
#[track_caller]
fn assert_same(found: &[Goldilocks], expected: &[Goldilocks], what: &str) {
    if let Some(i) = (0..expected.len()).find(|&i| found[i].as_u64() != expected[i].as_u64()) {
        panic!("{what}: {} instead of {} at index {i}", found[i], expected[i]);
    }
}

/// A device, on blocks of rows of `width` words.
struct Device(Engine);

/// Blocks of so many rows that a matrix can hold at once: columns one after another, or else one block.
fn shape(rows: usize, width: usize, words: usize) -> Shape {
    match width {
        1 => Shape { rows, columns: words / rows, layout: Layout::ColumnMajor },
        columns => Shape { rows, columns, layout: Layout::RowMajor },
    }
}

impl Device {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        let shape = shape(ntt.domain.size(), width, data.len());
        let mut blocks = data.chunks_exact_mut(shape.rows * shape.columns);
        blocks.try_for_each(|block| self.0.ntt(ntt, MatrixMut::new(block, shape)?))
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        let shape = shape(lde.from().size(), width, input.len());
        let blocks = input.chunks_exact_mut(shape.rows * shape.columns);
        let mut blocks = blocks.zip(output.chunks_exact_mut(lde.to().size() * shape.columns));
        blocks.try_for_each(|(block, output)| self.0.lde_into(lde, MatrixMut::new(block, shape)?, output))
    }
}

/// The CPU with its best instructions.
fn cpu() -> &'static Device {
    cpus().last().expect("every machine has a level")
}

/// The CPU with every level of instructions that this machine has.
fn cpus() -> impl Iterator<Item = &'static Device> {
    static CPUS: LazyLock<Vec<Device>> = LazyLock::new(|| {
        let cpu = |simd| Engine::builder().device(DeviceChoice::Cpu).simd(simd).threads(2).build();
        Simd::available().map(|simd| Device(cpu(simd).unwrap())).collect()
    });
    CPUS.iter()
}

fn reference() -> &'static Device {
    static REFERENCE: LazyLock<Device> =
        LazyLock::new(|| Device(Engine::builder().device(DeviceChoice::Reference).build().unwrap()));
    &REFERENCE
}

fn check(ntt: &Ntt, data: &[Goldilocks], width: usize) {
    let mut expected = data.to_vec();
    reference().ntt(ntt, &mut expected, width).unwrap();
    for cpu in cpus() {
        let mut found = data.to_vec();
        cpu.ntt(ntt, &mut found, width).unwrap();
        assert_same(&found, &expected, &format!("{ntt:?}, width {width}, {:?}", cpu.0.device()));
    }
}

fn check_lde(lde: &Lde, data: &[Goldilocks], width: usize) {
    let mut expected = vec![Goldilocks::ZERO; data.len() * lde.blowup()];
    reference().lde(lde, &mut data.to_vec(), width, &mut expected).unwrap();
    for cpu in cpus() {
        let mut found = poison(expected.len());
        cpu.lde(lde, &mut data.to_vec(), width, &mut found).unwrap();
        assert_same(&found, &expected, &format!("{lde:?}, width {width}, {:?}", cpu.0.device()));
    }
}

fn domain(log_size: u32, convention: Convention, shift: Goldilocks) -> Domain {
    Domain::new(log_size, convention).unwrap().coset(shift).unwrap()
}

/// All four combinations of orders, both directions, both conventions.
fn transforms(log_size: u32, shift: Goldilocks) -> impl Iterator<Item = Ntt> {
    let combination = move |i: usize| {
        let convention = Convention::ALL[i >> 3];
        let ntt =
            Ntt { direction: DIRECTIONS[(i >> 2) & 1], ..Ntt::forward(domain(log_size, convention, shift)) };
        ntt.with_orders(ORDERS[(i >> 1) & 1], ORDERS[i & 1])
    };
    (0..16).map(combination)
}

#[test]
fn reference_is_direct_evaluation() {
    for log_size in 0..=6 {
        for convention in Convention::ALL {
            for shift in shifts() {
                let domain = domain(log_size, convention, shift);
                let coefficients = random(log_size.into(), domain.size());
                let at = |x| coefficients.iter().rev().fold(Goldilocks::ZERO, |value, &a| value * x + a);
                let values: Vec<_> =
                    powers(domain.root()).take(domain.size()).map(|power| at(shift * power)).collect();
                let mut data = coefficients.clone();
                reference().ntt(&Ntt::forward(domain), &mut data, 1).unwrap();
                assert_same(&data, &values, "forward");
                reference().ntt(&Ntt::inverse(domain), &mut data, 1).unwrap();
                assert_same(&data, &coefficients, "inverse");
                reference()
                    .ntt(&Ntt::forward(domain).with_orders(ORDERS[0], ORDERS[1]), &mut data, 1)
                    .unwrap();
                let reversed: Vec<_> =
                    (0..domain.size()).map(|i| values[reverse_bits(i, log_size)]).collect();
                assert_same(&data, &reversed, "forward, bit-reversed");
            }
        }
    }
}

#[test]
fn known_answer() {
    let expected = [
        36,
        18445613771394122749,
        18445618169507741693,
        1121501793223676,
        18446744069414584317,
        18445622567621360637,
        1125899906842620,
        1130298020461564,
    ];
    for (convention, places) in
        [(Convention::Winterfell, [0, 1, 2, 3, 4, 5, 6, 7]), (Convention::Plonky3, [0, 5, 2, 7, 4, 1, 6, 3])]
    {
        let mut data: Vec<_> = (1..=8).map(Goldilocks::new).collect();
        cpu().ntt(&Ntt::forward(Domain::new(3, convention).unwrap()), &mut data, 1).unwrap();
        assert_eq!(words(&data), places.map(|i| expected[i]), "{convention}");
    }
}

#[test]
fn small_sizes_widths_and_blocks() {
    for log_size in 0..=7 {
        for (i, width) in [1, 2, 3, 5, 7, 8, 9, 16, 17].into_iter().enumerate() {
            let shift = shifts()[(i + log_size as usize) % 4];
            for blocks in [1, 2, 5].into_iter().filter(|blocks| (blocks * width) << log_size <= 1 << 12) {
                let data = random(width as u64, (blocks * width) << log_size);
                transforms(log_size, shift).for_each(|ntt| check(&ntt, &data, width));
            }
        }
    }
}

#[test]
fn every_size_up_to_2_13() {
    for log_size in 0..=13 {
        for (shift, width) in shifts().into_iter().zip([1, 3, 9, 16]) {
            let width = if log_size > 10 { width % 8 } else { width };
            if width > 0 {
                let data = random(log_size.into(), width << log_size);
                transforms(log_size, shift).for_each(|ntt| check(&ntt, &data, width));
            }
        }
    }
}

#[test]
fn sizes_of_two_passes() {
    let shift = shifts()[3];
    for (log_size, width, blocks) in [(14, 2, 2), (15, 1, 1), (16, 1, 1), (17, 1, 1), (11, 17, 1), (12, 5, 3)]
    {
        let data = random(5, (blocks * width) << log_size);
        transforms(log_size, shift)
            .step_by(if log_size > 14 { 3 } else { 1 })
            .for_each(|ntt| check(&ntt, &data, width));
    }
}

#[test]
fn a_large_transform_is_two_of_half_the_size() {
    // The reference is slow at such sizes, from which on rows are written past the caches.
    let ntt = Ntt::forward(domain(23, Convention::Winterfell, shifts()[3]));
    let half = Ntt::forward(domain(22, Convention::Winterfell, shifts()[3].square()));
    let data = random(23, 1 << 23);
    let halves = [0, 1].map(|first| {
        let mut half_data: Vec<_> = data.iter().copied().skip(first).step_by(2).collect();
        cpu().ntt(&half, &mut half_data, 1).unwrap();
        half_data
    });
    let point = |i: usize| ntt.domain.shift() * ntt.domain.root().pow(i as u64);
    for orders in [[0, 0], [0, 1], [1, 0], [1, 1]].map(|o| o.map(|i| ORDERS[i])) {
        let place = |i: usize, order| if order == Order::Natural { i } else { reverse_bits(i, 23) };
        let mut found: Vec<_> = (0..1 << 23).map(|i| data[place(i, orders[0])]).collect();
        cpu().ntt(&ntt.with_orders(orders[0], orders[1]), &mut found, 1).unwrap();
        for i in (0..1 << 23).step_by(3911) {
            let expected = halves[0][i % (1 << 22)] + point(i) * halves[1][i % (1 << 22)];
            assert_eq!(found[place(i, orders[1])], expected, "{orders:?} at {i}");
        }
        let back = Ntt { direction: Direction::Inverse, ..ntt }.with_orders(orders[1], orders[0]);
        cpu().ntt(&back, &mut found, 1).unwrap();
        (0..1 << 23).for_each(|i| assert_eq!(found[place(i, orders[0])], data[i]));
    }
}

#[test]
fn edge_values() {
    let edges = [0, Goldilocks::MODULUS - 1, 1, (1 << 32) - 1, 1 << 32, Goldilocks::MODULUS - (1 << 32)];
    for log_size in [3, 8, 9, 11] {
        for (i, &edge) in edges.iter().enumerate() {
            let constant = vec![Goldilocks::new(edge); 8 << log_size];
            let mixed: Vec<_> = random(i as u64, 8 << log_size)
                .iter()
                .map(|x| Goldilocks::new(edges[x.as_u64() as usize % 6]))
                .collect();
            for ntt in transforms(log_size, shifts()[i % 3]) {
                check(&ntt, &constant, 8);
                check(&ntt, &mixed, 8);
                check(&ntt, &mixed, 1);
            }
        }
    }
}

#[test]
fn inverse_undoes_forward() {
    for (log_size, width) in [(0, 1), (5, 3), (10, 8), (13, 5), (18, 1), (18, 20)] {
        let data = random(1, width << log_size);
        for ntt in transforms(log_size, shifts()[3]).filter(|ntt| ntt.direction == Direction::Forward) {
            let mut found = data.clone();
            cpu().ntt(&ntt, &mut found, width).unwrap();
            let back =
                Ntt { direction: Direction::Inverse, ..ntt }.with_orders(ntt.output_order, ntt.input_order);
            cpu().ntt(&back, &mut found, width).unwrap();
            assert_same(&found, &data, &format!("{ntt:?}"));
        }
    }
}

#[test]
fn a_root_of_ones_own() {
    // Neither convention's root, and one whose fourth root of unity is -2^48.
    for exponent in [5, 7, 11] {
        let root = Convention::Winterfell.root_of_unity(10).pow(exponent);
        let ntt = Ntt::forward(Domain::with_root(10, root).unwrap());
        check(&ntt, &random(exponent, 1 << 10), 1);
        let to = Domain::new(13, Convention::Plonky3).unwrap().coset(shifts()[3]).unwrap();
        let lde = Lde::new(ntt.domain.coset(shifts()[1]).unwrap(), to).unwrap();
        check_lde(&lde, &random(exponent, 1 << 10), 1);
    }
}

#[test]
fn extensions() {
    for log_size in 0..=8 {
        for (i, blowup) in [2, 4, 8, 16, 32, 64, 256].into_iter().enumerate() {
            for (j, width) in [1, 2, 3, 5, 8, 9, 16, 17].into_iter().enumerate() {
                if (blowup * width) << log_size > 1 << 15 {
                    continue;
                }
                let convention = Convention::ALL[j % 2];
                let lde =
                    Lde::onto_coset(log_size, blowup as u64, convention, shifts()[(i + j) % 4]).unwrap();
                for blocks in [1, 3] {
                    let data = random(7, (blocks * width) << log_size);
                    ORDERS
                        .into_iter()
                        .for_each(|order| check_lde(&lde.with_output_order(order), &data, width));
                }
            }
        }
    }
}

#[test]
fn larger_extensions() {
    for (log_size, log_blowup, width, blocks) in [
        (9, 2, 3, 2),
        (10, 3, 1, 1),
        (11, 1, 16, 1),
        (12, 2, 5, 1),
        (13, 1, 1, 3),
        (14, 2, 1, 1),
        (5, 10, 1, 1),
    ] {
        let from = domain(log_size, Convention::Plonky3, shifts()[1]);
        let to = domain(log_size + log_blowup, Convention::Plonky3, shifts()[3]);
        let data = random(8, (blocks * width) << log_size);
        for order in ORDERS {
            check_lde(&Lde::new(from, to).unwrap().with_output_order(order), &data, width);
        }
    }
}

#[test]
fn a_large_extension_interpolates() {
    // The values on each coset of the extension, transformed back there, give the coefficients again.
    let (log_size, copies) = (21, 2);
    let from = domain(log_size, Convention::Winterfell, shifts()[1]);
    let to = domain(log_size + 1, Convention::Winterfell, shifts()[3]);
    let data = random(9, 1 << log_size);
    let mut coefficients = data.clone();
    cpu().ntt(&Ntt::inverse(from), &mut coefficients, 1).unwrap();
    for order in ORDERS {
        let mut output = poison(copies << log_size);
        let lde = Lde::new(from, to).unwrap().with_output_order(order);
        cpu().lde(&lde, &mut data.clone(), 1, &mut output).unwrap();
        for copy in 0..copies {
            let mut found: Vec<_> = match order {
                Order::Natural => output.iter().copied().skip(copy).step_by(copies).collect(),
                Order::BitReversed => output[copy << log_size..][..1 << log_size].to_vec(),
            };
            let coset = from.coset(to.shift() * to.root().pow(copy as u64)).unwrap();
            cpu().ntt(&Ntt::inverse(coset).with_orders(order, Order::Natural), &mut found, 1).unwrap();
            assert_same(&found, &coefficients, &format!("{order:?}, coset {copy}"));
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    for (log_size, width, blocks) in [(16, 1, 2), (13, 1, 40), (12, 19, 1), (10, 8, 9), (6, 1, 500)] {
        let data = random(6, (blocks * width) << log_size);
        for i in 0..4 {
            let ntt = Ntt::forward(domain(log_size, Convention::Winterfell, shifts()[1]))
                .with_orders(ORDERS[i / 2], ORDERS[i % 2]);
            let lde = Lde::onto_coset(log_size, 4, Convention::Winterfell, shifts()[1]).unwrap();
            let lde = lde.with_output_order(ORDERS[i % 2]);
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (mut found, mut output) = (data.clone(), poison(4 * data.len()));
                pool.install(|| {
                    cpu().ntt(&ntt, &mut found, width).unwrap();
                    cpu().lde(&lde, &mut data.clone(), width, &mut output).unwrap();
                });
                (found, output)
            };
            let expected = run(1);
            assert!(expected == run(2), "{ntt:?}");
            assert!(expected == run(3), "{ntt:?}");
        }
    }
}
