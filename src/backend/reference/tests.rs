//! The oracle against definitions that share nothing with it but the field's operators, and against sums done by hand.

use super::Reference;
use crate::backend::{Accelerated, AcceleratedField, PrefixProducts};
use crate::device::DeviceChoice;
use crate::engine::Engine;
use crate::field::{Goldilocks, TwoAdic};
use crate::hash::{Blake3, Rp64_256};
use crate::matrix::{Layout, Matrix, Shape};
use crate::ntt::{Ntt, Order, reverse_bits};
use crate::program::{Builder, ProgramRows};

fn engine() -> Engine {
    Engine::builder().device(DeviceChoice::Reference).build().unwrap()
}

fn elements<F: TwoAdic>(integers: &[u64]) -> Vec<F> {
    integers.iter().map(|&integer| F::of_integer(integer)).collect()
}

fn power<F: TwoAdic>(x: F, exponent: usize) -> F {
    (0..exponent).fold(F::ONE, |power, _| power * x)
}

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];
const LAYOUTS: [Layout; 2] = [Layout::RowMajor, Layout::ColumnMajor];

/// Every size, order and layout; forward by the definition of a value, and back.
fn transforms_are_values<F: AcceleratedField>() {
    for (log_size, layout) in (0..5).flat_map(|log_size| LAYOUTS.map(|layout| (log_size, layout))) {
        let domain = F::some_domain(log_size).unwrap().coset(F::of_integer(5)).unwrap();
        let shape = Shape { rows: domain.size(), columns: 3, layout };
        let entries = (0..3 * shape.rows as u64).map(|i| F::of_integer(i * i + 1)).collect();
        let given = Matrix::new(entries, shape).unwrap();
        for (from, to) in ORDERS.into_iter().flat_map(|from| ORDERS.map(|to| (from, to))) {
            let at = |order, i| if order == Order::Natural { i } else { reverse_bits(i, log_size) };
            let mut found = given.clone();
            engine().ntt(&Ntt::forward(domain).with_orders(from, to), &mut found).unwrap();
            for (i, column) in (0..shape.rows).flat_map(|i| (0..3).map(move |column| (i, column))) {
                let point = domain.shift() * power(domain.root(), i);
                let term = |j| given.get(at(from, j), column) * power(point, j);
                let value = (0..shape.rows).map(term).fold(F::ZERO, |sum, term| sum + term);
                assert_eq!(found.get(at(to, i), column), value, "{from:?}, {to:?}, {shape:?}, value {i}");
            }
            engine().ntt(&Ntt::inverse(domain).with_orders(to, from), &mut found).unwrap();
            assert_eq!(found, given, "{from:?}, {to:?}");
        }
    }
}

fn elementwise_and_sums<F: AcceleratedField>() {
    let engine = engine();
    let mut values = elements::<F>(&[0, 1, 2, 77]);
    engine.invert(&mut values[..]).unwrap();
    assert_eq!(values[..2], [F::ZERO, F::ONE]);
    assert_eq!([values[2] + values[2], values[3] * F::of_integer(77)], [F::ONE; 2]);

    // (1 2 3; 4 5 6), and its transpose as the columns of memory.
    let matrix = Matrix::from_rows(elements::<F>(&[1, 2, 3, 4, 5, 6]), 2, 3).unwrap();
    let by_columns = Matrix::from_columns(elements::<F>(&[1, 4, 2, 5, 3, 6]), 2, 3).unwrap();
    let coefficients = Matrix::from_rows(elements::<F>(&[1, 2, 10, 20, 100, 200]), 3, 2).unwrap();
    let weights = Matrix::from_rows(elements::<F>(&[1, 2, 10, 20]), 2, 2).unwrap();
    for matrix in [&matrix, &by_columns] {
        let found = engine.combine_columns(matrix, &coefficients).unwrap();
        assert_eq!(found.as_slice(), elements::<F>(&[321, 654, 642, 1308]));
        let found = engine.combine_rows(&weights, matrix).unwrap();
        assert_eq!(found.as_slice(), elements::<F>(&[41, 82, 52, 104, 63, 126]));
        let first = elements::<F>(&[7, 8, 9]);
        let (found, all) = engine.prefix_products(matrix, &first).unwrap();
        assert_eq!(
            [found.row(0), found.row(1), all],
            [[7, 8, 9], [7, 16, 27], [28, 80, 162]].map(|of| elements(&of))
        );
    }
}

/// Two blocks of two columns, of three rows each.
#[test]
fn prefix_products_of_blocks() {
    let input = elements::<Goldilocks>(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let (mut products, mut carry) = (vec![Goldilocks::new(0); 12], elements(&[1, 1, 1, 2]));
    Reference.prefix_products(&input, 2, &mut products, &mut carry).unwrap();
    assert_eq!(products, elements(&[1, 1, 1, 2, 3, 8, 1, 2, 7, 16, 63, 160]));
    assert_eq!(carry, elements(&[15, 48, 693, 1920]));
}

/// Every kind of node, entries of rows further on and further back, and inputs with fewer and with more rows.
fn programs<F: AcceleratedField>() {
    let mut builder = Builder::<F>::new();
    let (x, next, before) = (builder.column(0, 0, 0), builder.column(0, 1, 1), builder.column(1, 0, -1));
    let (few, value, seven) = (builder.column(2, 0, 0), builder.value(1), builder.constant(F::of_integer(7)));
    let product = builder.mul(next, before);
    let sum = builder.add(x, product);
    let difference = builder.sub(sum, value);
    let scaled = builder.mul(difference, seven);
    [scaled, few].into_iter().for_each(|node| builder.output(node));
    builder.weighted_sum(vec![(x, 0), (sum, 1)], 2);
    let program = builder.finish().unwrap();

    // Rows 0 to 3 of the run; the second input has twice as many, of which every other one is read, and the third has two.
    let main = Matrix::from_rows(elements::<F>(&[1, 10, 2, 20, 3, 30, 4, 40]), 4, 2).unwrap();
    let many = Matrix::from_column(elements::<F>(&[5, 99, 6, 99, 7, 99, 8, 99])).unwrap();
    let two = Matrix::from_column(elements::<F>(&[100, 200])).unwrap();
    let values = elements::<F>(&[2, 3, 1000]);
    let rows = ProgramRows { count: 4, stride: 1, order: Order::Natural };
    let found = engine().run_program(&program, rows, &[&main, &many, &two], &values).unwrap();
    // x + next before: 1 + 20 8, 2 + 30 5, 3 + 40 6, 4 + 10 7.
    let sums = [161, 152, 243, 74];
    let columns: [Vec<u64>; 4] = [
        sums.iter().map(|sum| (sum - 3) * 7).collect(),
        vec![100, 200, 100, 200],
        sums.iter().zip(1..).map(|(sum, x)| 2 * x + 3 * sum).collect(),
        sums.iter().zip(1..).map(|(sum, x)| 3 * x + 1000 * sum).collect(),
    ];
    assert_eq!(found.as_slice(), elements::<F>(&columns.concat()));
}

/// Rows of both layouts from any row on, and trees, by the hash of one row or of two nodes.
fn rows_and_trees<H: Accelerated>() {
    let entries: Vec<_> = (0..8 * 3).map(Goldilocks::new).collect();
    for layout in LAYOUTS {
        let matrix = Matrix::new(entries.clone(), Shape { rows: 8, columns: 3, layout }).unwrap();
        let digests: Vec<_> = (0..8).map(|row| H::hash_elements(&matrix.row(row))).collect();
        assert_eq!(engine().hash_rows::<H, _>(&matrix).unwrap(), digests);
        let tree = engine().merkle_tree::<H>(&digests).unwrap();
        let mut level = digests;
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| H::merge(&[pair[0], pair[1]])).collect();
        }
        assert_eq!(tree.root(), level[0]);
    }
}

/// Over one field of each kind: the reference is one text for all, and a whole engine is compiled for each that is asked here. The arithmetic of every field has tests of its own.
#[test]
fn operations_over_goldilocks_and_a_prime_field() {
    operations::<Goldilocks>();
    #[cfg(feature = "bn254")]
    operations::<crate::bn254::Fr>();
}

fn operations<F: AcceleratedField>() {
    transforms_are_values::<F>();
    elementwise_and_sums::<F>();
    programs::<F>();
}

#[test]
fn rows_and_trees_of_both_kinds_of_hashes() {
    rows_and_trees::<Blake3>();
    rows_and_trees::<Rp64_256>();
}

#[cfg(feature = "bn254")]
#[test]
fn vectors_sparse_products_and_sums_over_curves() {
    use crate::bn254::{Fr, G1, G1Affine};
    use crate::sparse::SparseMatrix;

    let (engine, integers) = (engine(), |of: &[u64]| of.iter().map(|&x| Fr::from(x)).collect::<Vec<_>>());
    let mut found = integers(&[2, 3]);
    engine.multiply(&mut found, &integers(&[5, 7])).unwrap();
    assert_eq!(found, integers(&[10, 21]));
    engine.multiply_subtract(&mut found, &integers(&[2, 3]), &integers(&[1, 60])).unwrap();
    assert_eq!(found, integers(&[19, 3]));

    let matrix = SparseMatrix::new(3, &[0, 2, 2, 3], &[0, 2, 1], &integers(&[1, 1, 5])).unwrap();
    let product =
        engine.sparse_product(&engine.sparse_matrix(matrix).unwrap(), integers(&[2, 3, 4])).unwrap();
    assert_eq!(product, integers(&[6, 0, 15]));

    let generator = G1::from(G1Affine::generator());
    let bases = [G1Affine::generator(), (generator + generator).into(), G1Affine::default()];
    let scalars = [Fr::from(3), -Fr::from(1 << 40), Fr::from(5), Fr::from(0), Fr::from(9), Fr::from(1)];
    let multiples: Vec<G1> =
        [Fr::from(3) - Fr::from(1 << 41), Fr::from(18)].map(|factor| generator * factor).into();
    assert_eq!(engine.msm_batch::<G1Affine>(&scalars, &bases[..]).unwrap(), multiples);
}
