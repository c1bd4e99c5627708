//! Passes on OpenCL and on the interpreter of PTX against the reference: both number forms, plans of one to four passes, every tile.

#[cfg(feature = "opencl")]
use super::super::first_opencl;
use super::super::transforms::on_poison;
use super::plan::LOG_FIRST;
use super::{Choice, Form, Gpu, Transform};
use crate::backend::reference::Reference;
use crate::backend::{Extent, InStages, Resident, Transforms};
use crate::field::{Field, Goldilocks, MODULUS};
use crate::ntt::{Convention, Direction, Domain, Lde, Ntt, Order};
use crate::words;

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];
const FORMS: [Form; 2] = [Form::Plain, Form::Double];
const SHIFTS: [u64; 3] = [1, 7, 14293326489335486720];

/// Words around the carries of both forms.
const EDGES: [u64; 8] =
    [0, 1, MODULUS - 1, MODULUS - (1 << 32), (1 << 32) - 1, 1 << 32, (1 << 48) - 1, MODULUS - (1 << 48)];

/// Reproducible words; an edge one time in four.
struct Words(words::Words);

impl Words {
    fn next(&mut self) -> u64 {
        self.0.next()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }

    fn data(&mut self, len: usize) -> Vec<Goldilocks> {
        let mut word = || if self.next().is_multiple_of(4) { self.pick(&EDGES) } else { self.next() };
        (0..len).map(|_| Goldilocks::new(word())).collect()
    }

    fn domain(&mut self, log_size: u32) -> Domain {
        let domain = Domain::new(log_size, self.pick(&Convention::ALL)).unwrap();
        // Odd powers of the root are the other generators.
        let root = domain.root().pow(2 * (self.next() % 8) + 1);
        let shift = Goldilocks::new(self.pick(&SHIFTS));
        Domain::with_root(log_size, root).unwrap().coset(shift).unwrap()
    }
}

impl Gpu {
    fn choose(&mut self, form: Form, digits: &'static [u32], narrow: bool) {
        self.form = form;
        self.choice = Choice { digits: Some(digits), narrow: Some(narrow) };
    }
}

/// Words, so that one that is not canonical fails too.
fn words(elements: &[Goldilocks]) -> &[u64] {
    bytemuck::cast_slice(elements)
}

fn check(gpu: &Gpu, ntt: &Ntt, width: usize, data: &[Goldilocks]) {
    let mut expected = data.to_vec();
    Reference.ntt(ntt, &mut expected, width).unwrap();
    let mut found = on_poison(gpu, Transform::from(ntt), width, data, false);
    assert!(words(&found) == words(&expected), "{ntt:?}, width {width}, {:?} {:?}", gpu.form, gpu.choice);
    found.copy_from_slice(data);
    gpu.ntt(ntt, &mut found, width).unwrap();
    assert!(found == expected, "in place: {ntt:?}, width {width}, {:?} {:?}", gpu.form, gpu.choice);
}

fn check_lde(gpu: &Gpu, lde: &Lde, width: usize, data: &[Goldilocks]) {
    let mut expected = vec![Goldilocks::ZERO; data.len() * lde.blowup()];
    Reference.lde(lde, &mut data.to_vec(), width, &mut expected).unwrap();
    let found = on_poison(gpu, *lde, width, data, false);
    assert!(words(&found) == words(&expected), "{lde:?}, width {width}, {:?} {:?}", gpu.form, gpu.choice);
}

/// Polynomials with more points than coefficients.
fn check_padded(gpu: &Gpu, domain: &Domain, log_rows: u32, order: Order, data: &[Goldilocks]) {
    let width = data.len() >> log_rows;
    let mut expected = vec![Goldilocks::ZERO; width << domain.log_size()];
    Reference.evaluate(domain, order, data, (1 << log_rows, width), &mut expected).unwrap();
    let found = on_poison(gpu, Transform::padded(domain, log_rows, order), width, data, false);
    assert!(found == expected, "{domain:?} of 2^{log_rows}, width {width}, {order:?}, {:?}", gpu.choice);
}

/// Every direction and pair of orders with a plan, and extensions; widths, batches, roots and shifts at random.
fn sweep(gpu: &Gpu, log_size: u32, blowups: &[u32], words: &mut Words) {
    for (number, orders) in ORDERS.iter().flat_map(|&i| ORDERS.map(|o| (i, o))).enumerate() {
        for direction in [Direction::Forward, Direction::Inverse] {
            for width in [1, words.pick(&[2, 3, 5, 8])] {
                let ntt = Ntt { direction, ..Ntt::forward(words.domain(log_size)) };
                let count = words.pick(&[1, 2, 3]);
                let data = words.data((width * count) << log_size);
                check(gpu, &ntt.with_orders(orders.0, orders.1), width, &data);
            }
        }
        if let Some(&blowup) = blowups.get(number % 2) {
            let lde = Lde::new(words.domain(log_size), words.domain(log_size + blowup)).unwrap();
            let (width, count) = (words.pick(&[1, 1, 3]), words.pick(&[1, 2]));
            let data = words.data((width * count) << log_size);
            check_lde(gpu, &lde.with_output_order(orders.1), width, &data);
            check_padded(gpu, &lde.to(), log_size, orders.1, &data[..width << log_size]);
        }
    }
}

fn plans(gpu: &mut Gpu) {
    let mut words = Words(words::Words::new(1));
    let plans: [&'static [u32]; 9] =
        [&[1], &[3], &[1, 3], &[3, 1, 2], &[2, 2, 2, 1], &[4, 3, 2], &[5, 4], &[7, 1], &[1, 7]];
    for digits in plans {
        for form in FORMS {
            gpu.choose(form, digits, false);
            sweep(gpu, digits.iter().sum(), &[1, 2], &mut words);
        }
    }
}

/// Columns of 2^i points at index i.
const SINGLE: [&[u32]; 11] = [&[0], &[1], &[2], &[3], &[4], &[5], &[6], &[7], &[8], &[9], &[10]];

/// The number forms with which a tile, narrow or not, is tested.
type Forms = fn(usize, bool) -> &'static [Form];

/// On OpenCL, both forms of some tiles; the others are tested with the plain form alone, because a processor takes seconds to
/// compile a tile. The code that differs between tiles does not depend on the form.
#[cfg(feature = "opencl")]
fn some(digit: usize, narrow: bool) -> &'static [Form] {
    match (digit, narrow) {
        (2 | 4 | 8, false) | (9, true) => &FORMS,
        _ => &FORMS[..1],
    }
}

fn tiles_in_one_pass(gpu: &mut Gpu, forms: Forms) {
    let mut words = Words(words::Words::new(2));
    for narrow in [false, true] {
        for digit in if narrow { 5..10 } else { 0..11 } {
            for &form in forms(digit, narrow) {
                gpu.choose(form, SINGLE[digit], narrow);
                sweep(gpu, digit as u32, if digit < 9 { &[1, 3] } else { &[1] }, &mut words);
            }
        }
    }
}

fn tiles_between_others(gpu: &mut Gpu, forms: Forms) {
    let mut words = Words(words::Words::new(3));
    let plans: [&'static [u32]; 6] =
        [&[1, 5, 1], &[1, 6, 1], &[1, 7, 1], &[1, 8, 1], &[1, 9, 1], &[1, 10, 1]];
    for (digits, digit) in plans.into_iter().zip(5..) {
        for &form in forms(digit, false) {
            gpu.choose(form, digits, false);
            let log_size = digits.iter().sum();
            for orders in [(ORDERS[0], ORDERS[0]), (ORDERS[1], ORDERS[0])] {
                let ntt = Ntt::forward(words.domain(log_size)).with_orders(orders.0, orders.1);
                for width in [1, 2] {
                    let data = words.data(width << log_size);
                    check(gpu, &ntt, width, &data);
                }
            }
        }
    }
}

fn edges(gpu: &mut Gpu) {
    let mut words = Words(words::Words::new(4));
    for form in FORMS {
        gpu.choose(form, &[4, 3], false);
        for edge in EDGES {
            let ntt = Ntt::forward(words.domain(7));
            check(gpu, &ntt, 1, &[Goldilocks::new(edge); 128]);
        }
    }
}

/// Transforms by residues are those of `gpu::faults::peers`, if there are any; here, for how many runs there are.
fn by_residues(gpu: &Gpu) {
    let are_possible = |log: u32, width: usize, runs: usize| {
        let ntt = Ntt::forward(Domain::new(log, Convention::Winterfell).unwrap());
        let extent = Extent { rows: 1 << log, width, block: width };
        super::residues::Residues::new(gpu, &ntt, extent, runs).is_some()
    };
    for (runs, possible) in [(2, true), (4, true), (16, true), (32, false)] {
        assert_eq!(are_possible(10, 3, runs), possible, "{runs} runs");
    }
    // Rows that are too far apart.
    assert!(are_possible(24, 63, 2) && !are_possible(24, 64, 2));
}

/// The parts of several devices in stages, on one.
fn in_stages(gpu: &mut Gpu) {
    let mut words = Words(words::Words::new(5));
    for (digits, devices, width, form) in [
        (&[4, 3][..], 2, 1, Form::Double),
        (&[3, 4], 8, 3, Form::Plain),
        (&[1, 3, 3], 2, 2, Form::Plain),
        (&[2, 3], 4, 1, Form::Double),
        (&[2, 3], 16, 1, Form::Plain),
        (&[2, 5], 16, 1, Form::Double),
    ] {
        gpu.choose(form, digits, false);
        let log_size = LOG_FIRST + digits.iter().sum::<u32>();
        for (direction, output) in [
            (Direction::Forward, ORDERS[0]),
            (Direction::Forward, ORDERS[1]),
            (Direction::Inverse, ORDERS[0]),
            (Direction::Inverse, ORDERS[1]),
        ] {
            let domain = words.domain(log_size).coset(Goldilocks::new(7)).unwrap();
            let ntt = Ntt { direction, ..Ntt::forward(domain) }.with_orders(ORDERS[0], output);
            let what = format!("{ntt:?}, width {width}, on {devices} devices, {:?}", gpu.choice);
            let data = words.data(width << log_size);
            let of = Extent { rows: (1 << log_size) / devices, width, block: width };
            let stages = |at: usize| {
                let residues = (at, output.index_of(at, devices));
                super::stages::Stages::new(gpu, &ntt, of, devices, residues)
            };
            if digits[1..].iter().sum::<u32>() <= devices.ilog2() {
                assert!(stages(0).is_none(), "{what}: columns of fewer points than devices");
                continue;
            }
            let begin = |at: usize| {
                let rows = data.chunks(width).skip(at).step_by(devices).collect::<Vec<_>>().concat();
                let part = Resident::upload(gpu, bytemuck::cast_slice(&rows)).unwrap();
                stages(at).unwrap().begun(&part).unwrap()
            };
            let begun: Vec<_> = (0..devices).map(begin).collect();
            let mut expected = data.clone();
            Reference.ntt(&ntt, &mut expected, width).unwrap();
            for at in 0..devices {
                let made = stages(at).unwrap().ended(&begun.iter().collect::<Vec<_>>()).unwrap();
                let mut found = vec![Goldilocks::new(MODULUS - 3); of.words()];
                Resident::download(gpu, &made, 0, bytemuck::cast_slice_mut(&mut found)).unwrap();
                let expected = match output {
                    Order::Natural => {
                        expected.chunks(width).skip(at).step_by(devices).collect::<Vec<_>>().concat()
                    }
                    Order::BitReversed => expected[at * of.words()..][..of.words()].to_vec(),
                };
                assert!(self::words(&found) == self::words(&expected), "{what}: part {at}");
            }
        }
    }
    // Not what is in bit-reversed order, what one device does by two passes, and few points.
    let has_stages = |gpu: &Gpu, log_size: u32, input: Order| {
        let ntt = Ntt::forward(Domain::new(log_size, Convention::Winterfell).unwrap());
        let transform = Transform::from(&ntt.with_orders(input, Order::Natural));
        super::plan::stages(&transform, 1, 1, (0, 0), gpu.choice()).is_some()
    };
    assert!(
        has_stages(gpu, 18, ORDERS[0]) && !has_stages(gpu, 18, ORDERS[1]) && !has_stages(gpu, 17, ORDERS[0])
    );
    gpu.choice = Choice::default();
    assert!(has_stages(gpu, 27, ORDERS[0]) && !has_stages(gpu, 26, ORDERS[0]));
}

/// All of these on a device for which no tile takes long to compile.
#[cfg(feature = "cuda")]
pub(in super::super) fn everything(mut gpu: Gpu) {
    let both: Forms = |_, _| &FORMS;
    plans(&mut gpu);
    tiles_in_one_pass(&mut gpu, both);
    tiles_between_others(&mut gpu, both);
    edges(&mut gpu);
    by_residues(&gpu);
    in_stages(&mut gpu);
}

#[cfg(feature = "opencl")]
mod on_opencl {
    use super::*;

    #[test]
    fn plans_of_one_to_four_passes() {
        if let Some(mut gpu) = first_opencl() {
            plans(&mut gpu);
        }
    }

    #[test]
    fn every_tile_in_one_pass() {
        if let Some(mut gpu) = first_opencl() {
            tiles_in_one_pass(&mut gpu, some);
        }
    }

    #[test]
    fn every_tile_between_others() {
        if let Some(mut gpu) = first_opencl() {
            tiles_between_others(&mut gpu, some);
        }
    }

    #[test]
    fn runs_by_residues() {
        if let Some(gpu) = first_opencl() {
            by_residues(&gpu);
        }
    }

    #[test]
    fn several_devices_in_stages() {
        if let Some(mut gpu) = first_opencl() {
            in_stages(&mut gpu);
        }
    }

    #[test]
    fn edge_words_alone() {
        if let Some(mut gpu) = first_opencl() {
            edges(&mut gpu);
        }
    }
}
