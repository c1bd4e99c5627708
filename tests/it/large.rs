//! Transforms and sums larger than the other tests can afford: up to 2^28 points, matrices of more than 2^32 words, 2^26 bases.
//!
//! Columns hold one coefficient each, c x^j, so that every value is known: c (s w^i)^j at point i. Bases are known multiples of the
//! generator, so that a sum is one multiplication. To be run where there is a device with the memory for it:
//!
//! ```text
//! ZKACCEL_LARGE_DEVICE=cuda:0 cargo test --release --test it large:: -- --ignored --nocapture
//! ```

use std::time::Instant;

use zkaccel::Engine;
use zkaccel::field::{Field, Goldilocks};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{Convention, Domain, Lde, Ntt, Order, reverse_bits};

fn engine() -> Engine {
    let device = std::env::var("ZKACCEL_LARGE_DEVICE").expect("ZKACCEL_LARGE_DEVICE names the device");
    let builder = Engine::builder().device(device.parse().unwrap()).device_memory(130 << 30);
    builder.memory_budget(200 << 30).build().unwrap()
}

/// The coefficient of a column: where it stands, and what it is.
fn coefficient(column: usize, rows: usize) -> (usize, Goldilocks) {
    let place = (column.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7) % rows;
    // The first column has the last place, for the largest exponents.
    (if column == 0 { rows - 1 } else { place }, Goldilocks::new(column as u64 * column as u64 + 2))
}

fn matrix(rows: usize, columns: usize, layout: Layout) -> Matrix<Goldilocks> {
    let mut words: Vec<Goldilocks> = bytemuck::cast_vec(bytemuck::zeroed_vec::<u64>(rows * columns));
    for column in 0..columns {
        let (place, value) = coefficient(column, rows);
        words[match layout {
            Layout::RowMajor => place * columns + column,
            Layout::ColumnMajor => column * rows + place,
        }] = value;
    }
    Matrix::new(words, Shape { rows, columns, layout }).unwrap()
}

/// Row numbers from all over, the ends among them.
fn sample(rows: usize) -> Vec<usize> {
    let ends = [0, 1, rows / 2 - 1, rows / 2, rows - 2, rows - 1];
    ends.into_iter()
        .chain((0..200).map(|i: usize| i.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 9).map(|i| i % rows))
        .collect()
}

/// Checks rows of the values on `domain`, stored in `order`, of columns of `degree` coefficients.
fn check(found: &[Vec<Goldilocks>], at: &[usize], domain: &Domain, order: Order, degree: usize) {
    for (row, &stored) in found.iter().zip(at) {
        let index = if order == Order::Natural { stored } else { reverse_bits(stored, domain.log_size()) };
        let point = domain.shift() * domain.root().pow(index as u64);
        for (column, &value) in row.iter().enumerate() {
            let (place, coefficient) = coefficient(column, degree);
            assert_eq!(value, coefficient * point.pow(place as u64), "row {stored}, column {column}");
        }
    }
}

fn there_and_back(engine: &Engine, log_size: u32, columns: usize, layout: Layout) {
    let start = Instant::now();
    let rows = 1 << log_size;
    let original = matrix(rows, columns, layout);
    let mut data = engine.upload(&original).unwrap();
    let domain = Domain::new(log_size, Convention::Winterfell).unwrap().coset(Goldilocks::GENERATOR).unwrap();
    for order in [Order::Natural, Order::BitReversed] {
        engine.ntt(&Ntt::forward(domain).with_orders(Order::Natural, order), &mut data).unwrap();
        let at = sample(rows);
        check(&data.read_rows(&at).unwrap(), &at, &domain, order, rows);
        engine.ntt(&Ntt::inverse(domain).with_orders(order, Order::Natural), &mut data).unwrap();
    }
    let back = engine.download(&data).unwrap();
    assert!(back.as_slice() == original.as_slice(), "2^{log_size} x {columns}: there and back");
    println!("2^{log_size} x {columns}, {layout:?}: {:.1?}", start.elapsed());
}

#[test]
#[ignore = "takes a device with tens of gigabytes"]
fn one_column_of_every_large_size() {
    let engine = engine();
    for log_size in 24..=28 {
        there_and_back(&engine, log_size, 1, Layout::RowMajor);
    }
}

#[test]
#[ignore = "takes a device with 110 GB, and a host with 70 GB"]
fn more_than_2_to_the_32_words() {
    let engine = engine();
    there_and_back(&engine, 22, 1025, Layout::RowMajor);
    there_and_back(&engine, 24, 257, Layout::ColumnMajor);
}

#[test]
#[ignore = "takes a device with tens of gigabytes"]
fn a_large_extension() {
    let engine = engine();
    let (log_size, columns) = (22, 33);
    let from = Domain::new(log_size, Convention::Plonky3).unwrap();
    let mut values = engine.upload(matrix(1 << log_size, columns, Layout::ColumnMajor)).unwrap();
    engine.ntt(&Ntt::forward(from), &mut values).unwrap();
    let to = Domain::new(log_size + 3, Convention::Plonky3).unwrap().coset(Goldilocks::GENERATOR).unwrap();
    for order in [Order::Natural, Order::BitReversed] {
        let lde = Lde::new(from, to).unwrap().with_output_order(order);
        let extended = engine.lde(&lde, &values).unwrap();
        let at = sample(1 << (log_size + 3));
        check(&extended.read_rows(&at).unwrap(), &at, &to, order, 1 << log_size);
    }
}

#[cfg(feature = "bn254")]
mod sums {
    use std::time::Instant;

    use zkaccel::bn254::{Fr, G1, G1Affine, affine};
    use zkaccel::matrix::Matrix;
    use zkaccel::msm::BasesOptions;

    /// The multiples 1, 2, 3, ... of the generator.
    fn multiples(count: usize) -> Vec<G1Affine> {
        let generator = G1Affine::generator();
        let mut bases = Vec::with_capacity(count);
        let mut next = G1::from(generator);
        while bases.len() < count {
            let points: Vec<_> =
                std::iter::successors(Some(next), |point| Some(point + generator)).take(1 << 12).collect();
            next = points[points.len() - 1] + generator;
            bases.extend(affine(&points));
        }
        bases
    }

    /// The sum of as many scalars times the multiples of the generator from one on.
    fn known_sum(scalars: &[Fr], first: usize) -> G1 {
        let factors = (first as u64..).map(Fr::from);
        G1::generator() * scalars.iter().zip(factors).map(|(scalar, factor)| scalar * factor).sum::<Fr>()
    }

    fn uniform(count: usize) -> Vec<Fr> {
        let mut state = 88_172_645_463_325_252_u64;
        let mut word = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..count).map(|_| Fr::from_raw(std::array::from_fn(|_| word()))).collect()
    }

    /// Columns of scalars of every width and skew.
    fn columns() -> Vec<(&'static str, Vec<Fr>)> {
        let uniform = uniform(COUNT);
        let equal = vec![uniform[0]; COUNT];
        let few = |i: usize| if i.is_multiple_of(10) { uniform[i] } else { Fr::from(i as u64 & 1) };
        vec![
            ("bits", (0..COUNT as u64).map(|i| Fr::from((i * i) >> 7 & 1)).collect()),
            ("bytes", (0..COUNT as u64).map(|i| Fr::from((i * i) >> 5 & 255)).collect()),
            ("negative bytes", (0..COUNT as u64).map(|i| -Fr::from((i * i) >> 5 & 255)).collect()),
            ("nine of ten bits", (0..COUNT).map(few).collect()),
            ("all equal", equal),
            ("uniform", uniform),
        ]
    }

    const COUNT: usize = 1 << 22;

    #[test]
    #[ignore = "takes a device, and a minute of the host"]
    fn of_2_to_the_22_known_multiples() {
        let engine = super::engine();
        let (points, columns) = (multiples(COUNT), columns());
        for tables in [false, true] {
            let options = BasesOptions { tables, ..BasesOptions::default() };
            let bases = engine.bases(points.clone(), options).unwrap();
            for (name, scalars) in &columns {
                let start = Instant::now();
                let sum = engine.msm(scalars, &bases).unwrap();
                println!("{name}, tables {tables}: {:.1?}", start.elapsed());
                assert_eq!(sum, known_sum(scalars, 1), "{name}, tables: {tables}");
                // A part of the bases, from the middle.
                let range = COUNT / 3..COUNT / 2 + 5;
                let (part, first) = (&scalars[range.clone()], range.start + 1);
                let found = engine.msm(part, bases.range(range).unwrap()).unwrap();
                assert_eq!(found, known_sum(part, first), "{name}, a part, tables: {tables}");
            }
        }
        let (name, scalars) = &columns[columns.len() - 1];
        let kept = engine.upload(Matrix::from_column(scalars.clone()).unwrap()).unwrap();
        assert_eq!(engine.msm(&kept, &points).unwrap(), engine.msm(scalars, &points).unwrap(), "{name}");
    }

    #[test]
    #[ignore = "takes a host with 16 GB, and minutes of it"]
    fn of_2_to_the_26_known_multiples() {
        let engine = super::engine();
        let (scalars, bases) = (uniform(1 << 26), multiples(1 << 26));
        let bases = engine.bases(bases, BasesOptions::default()).unwrap();
        let start = Instant::now();
        let sum = engine.msm(&scalars, &bases).unwrap();
        println!("2^26: {:.1?}", start.elapsed());
        assert_eq!(sum, known_sum(&scalars, 1));
    }
}
