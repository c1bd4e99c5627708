//! An answer with a single error is rejected, and a right one is accepted.

use super::{Combine, Combined, Extend, HashRows, Invert, PermuteLookups, Prefix, Run, Transform, Tree};
use crate::backend::{Extent, MatrixView};
use crate::dispatch::Dispatcher;
use crate::dispatch::fake::Fake;
use crate::error::Error;
use crate::field::{Field, Goldilocks, powers};
use crate::hash::*;
use crate::matrix::{Layout, MatrixRef, Shape};
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};
use crate::program::{Builder, ProgramRows};

/// A device whose answers are tested, and which corrupts them if it is not honest.
fn checked(honest: bool) -> Dispatcher {
    Dispatcher::alone(Fake { lies: !honest, ..Fake::default() }).testing_answers()
}

fn fails<T>(operation: &'static str) -> Result<T, Error> {
    Err(Error::CheckFailed { device: "a test's device".into(), operation })
}

/// The answer is accepted if and only if it is right; if it is rejected, the input is unchanged.
#[test]
fn transforms() {
    let domain = |log| Domain::new(log, Convention::Plonky3).unwrap().coset(Goldilocks::GENERATOR).unwrap();
    for log in [0, 1, 5] {
        for (width, blocks) in [(1, 1), (3, 1), (2, 3)] {
            let words: Vec<_> = powers(Goldilocks::GENERATOR).take((width * blocks) << log).collect();
            for ntt in [
                Ntt::forward(domain(log)),
                Ntt::inverse(domain(log)).with_orders(Order::BitReversed, Order::Natural),
                Ntt::forward(domain(log)).with_orders(Order::Natural, Order::BitReversed),
            ] {
                let run =
                    |on: &Dispatcher, data: &mut [_]| on.run(Transform { ntt, data, width, unchecked: true });
                let (mut right, mut data) = (words.clone(), words.clone());
                run(&Dispatcher::alone(Fake::default()), &mut right).unwrap();
                assert_eq!(run(&checked(false), &mut data), fails("the check of a transform"));
                assert_eq!(data, words);
                run(&checked(true), &mut data).unwrap();
                assert_eq!(data, right);
            }
            for order in [Order::Natural, Order::BitReversed] {
                let lde = Lde::new(Domain::new(log, Convention::Plonky3).unwrap(), domain(log + 2)).unwrap();
                let lde = lde.with_output_order(order);
                let run = |on: &Dispatcher| {
                    let (mut input, mut output) = (words.clone(), vec![Goldilocks::ZERO; words.len() << 2]);
                    let (input, output) = (&mut input[..], &mut output[..]);
                    on.run(Extend { lde, input, width, output, unchecked: true })
                };
                run(&checked(true)).unwrap();
                assert_eq!(run(&checked(false)), fails("the check of an extension"));
            }
        }
    }
}

/// The wrong answers are one more than right ones, of a zero and of others.
#[test]
fn inverses() {
    for words in [&[5, 0, 7][..], &[1, 0], &[0, 0, 3]] {
        let words: Vec<_> = words.iter().map(|&word| Goldilocks::new(word)).collect();
        let run = |honest, elements: &mut [_]| checked(honest).run(Invert { elements, unchecked: true });
        let mut data = words.clone();
        assert_eq!(run(false, &mut data), fails("the check of inverses"));
        assert_eq!(data, words);
        run(true, &mut data).unwrap();
        assert!(data.iter().zip(&words).all(|(&y, &x)| y == x.inverse().unwrap_or_default()));
    }
}

/// With as few rows as are drawn the wrong one, which is the last, is often among them.
#[test]
fn row_programs() {
    let mut builder = Builder::new();
    let (x, y) = (builder.column(0, 0, 0), builder.column(0, 0, 1));
    let (product, sum) = (builder.mul(x, y), builder.add(x, y));
    builder.output(product);
    builder.output(sum);
    let program = builder.finish().unwrap();
    let elements = [3, 5].map(Goldilocks::new);
    let shape = Shape { rows: 2, columns: 1, layout: Layout::ColumnMajor };
    let (inputs, rows) = (
        [MatrixRef::new(&elements, shape).unwrap()],
        ProgramRows { count: 2, stride: 1, order: Order::Natural },
    );
    let run = |honest| {
        let mut outputs = [Goldilocks::ZERO; 4];
        let run = Run { program: &program, rows, inputs: &inputs, constants: &[], outputs: &mut outputs };
        checked(honest).run(run).map(|()| outputs)
    };
    assert_eq!(run(true), Ok([15, 15, 8, 8].map(Goldilocks::new)));
    assert!((0..20).any(|_| run(false).map(|_| ()) == fails("the check of a row program")));
}

/// The last combination of the last item is wrong.
#[test]
fn combinations() {
    let words = |len| -> Vec<_> { powers(Goldilocks::GENERATOR).take(len).collect() };
    for (rows, columns, count) in [(1, 1, 1), (5, 3, 2), (3, 40, 4)] {
        for combined in [Combined::Columns, Combined::Rows] {
            let (elements, [items, terms]) = match combined {
                Combined::Columns => (words(rows * columns), [rows, columns]),
                Combined::Rows => (words(rows * columns), [columns, rows]),
            };
            let matrix = MatrixView { elements: &elements, rows, columns, row_step: columns, column_step: 1 };
            let factors = words(terms * count);
            let factors = MatrixView {
                elements: &factors,
                rows: terms,
                columns: count,
                row_step: 1,
                column_step: terms,
            };
            let mut result = vec![Goldilocks::ZERO; items * count];
            let mut run =
                |honest| checked(honest).run(Combine { combined, matrix, factors, result: &mut result });
            assert_eq!(run(false), fails("the check of combinations"));
            run(true).unwrap();
            let last = (0..terms).map(|term| match combined {
                Combined::Columns => matrix.get(rows - 1, term) * factors.get(term, count - 1),
                Combined::Rows => matrix.get(term, columns - 1) * factors.get(term, count - 1),
            });
            assert_eq!(result.last().copied(), Some(last.sum()));
        }
    }
}

/// The last product of the last column is wrong.
#[test]
fn prefix_products() {
    for (rows, columns, width) in [(1, 1, 1), (5, 1, 1), (4, 3, 3), (4, 3, 1)] {
        let input: Vec<_> = powers(Goldilocks::GENERATOR).skip(1).take(rows * columns).collect();
        let run = |honest| {
            let (mut products, mut carry) = (input.clone(), vec![Goldilocks::new(5); columns]);
            let (products, carry) = (&mut products[..], &mut carry[..]);
            let operation = Prefix { input: &input, width, products: &mut *products, carry: &mut *carry };
            checked(honest).run(operation).map(|()| (products[products.len() - 1], carry[columns - 1]))
        };
        assert_eq!(run(false), fails("the check of prefix products"));
        let column = (0..rows).map(|row| match width {
            1 => input[(columns - 1) * rows + row],
            _ => input[row * columns + columns - 1],
        });
        let (last, before) = (column.clone().next_back().unwrap(), column.take(rows - 1));
        let product = before.fold(Goldilocks::new(5), |product, x| product * x);
        assert_eq!(run(true), Ok((product, product * last)));
    }
}

/// A column that begins with another value than what is carried into it; each further product is right, and nothing is carried out.
#[test]
fn prefix_products_from_another_beginning() {
    let input = [2, 3, 0].map(Goldilocks::new);
    for (instead, expected) in [(&[5, 10, 30], Ok(())), (&[7, 14, 42], fails("the check of prefix products"))]
    {
        let device = Dispatcher::alone(Fake { instead, ..Fake::default() }).testing_answers();
        let (mut products, mut carry) = (input, [Goldilocks::new(5)]);
        let operation = Prefix { input: &input, width: 1, products: &mut products, carry: &mut carry };
        assert_eq!(device.run(operation), expected);
    }
}

/// Inputs that are not those which were asked for, though they stand beside a permuted table as they should, and their sum or their product is the same.
#[test]
fn permutations_of_other_inputs() {
    let wrong = fails("the check of permutations of lookups");
    for (elements, instead, expected) in [
        ([1, 3, 2, 1, 2, 3], &[1, 2, 3, 1, 2, 3], Ok(())),
        ([1, 3, 2, 1, 2, 3], &[2, 2, 2, 2, 1, 3], wrong.clone()),
        ([1, 4, 2, 1, 2, 4], &[2, 2, 2, 2, 1, 4], wrong),
    ] {
        let device = Dispatcher::alone(Fake { instead, ..Fake::default() }).testing_answers();
        let elements = elements.map(Goldilocks::new);
        let mut permuted = elements;
        let matrix = MatrixView { elements: &elements, rows: 3, columns: 2, row_step: 1, column_step: 3 };
        assert_eq!(device.run(PermuteLookups { matrix, used: 3, permuted: &mut permuted }), expected);
    }
}

/// Of one row, of equal ones, of a table in another order, of some values several times, and of a row that is copied; the last value of the last table is wrong. So are other orders of right columns.
#[test]
fn permutations_of_lookups() {
    let table: Vec<_> = powers(Goldilocks::GENERATOR).take(6).collect();
    let backwards = table.iter().rev().copied().collect::<Vec<_>>();
    let mixed = [1, 3, 0, 5, 2, 4].map(|i| table[i]).to_vec();
    let several = [2, 4, 0, 4, 2, 4].map(|i| table[i]).to_vec();
    let same = vec![table[2]; 6];
    for (input, table, used) in [
        (&same, &same, 1),
        (&same, &same, 6),
        (&table, &backwards, 6),
        (&table, &mixed, 6),
        (&several, &mixed, 6),
        (&same, &table, 6),
        (&same, &table, 5),
    ] {
        let elements = [&input[..], &table[..]].concat();
        let run = |honest| {
            let mut permuted = elements.clone();
            let matrix = MatrixView { elements: &elements, rows: 6, columns: 2, row_step: 1, column_step: 6 };
            checked(honest).run(PermuteLookups { matrix, used, permuted: &mut permuted })
        };
        assert_eq!(run(false), fails("the check of permutations of lookups"));
        assert_eq!(run(true), Ok(()));
    }
}

/// Words that are not canonical are refused before they are tested.
#[test]
fn unchecked_words() {
    let (ntt, mut data) =
        (Ntt::forward(Domain::new(1, Convention::Plonky3).unwrap()), [Goldilocks::new(0); 2]);
    data[1] = bytemuck::cast(u64::MAX);
    let found = checked(true).run(Transform { ntt, data: &mut data, width: 1, unchecked: true });
    assert_eq!(found, Err(Error::NotCanonical { index: 1, value: u64::MAX }));
}

/// With as few rows as are drawn the wrong one is often among them; the root is above every leaf.
#[test]
fn rows_and_trees() {
    let matrix: Vec<_> = powers(Goldilocks::GENERATOR).take(6).collect();
    for block in [1, 3] {
        let extent = Extent { rows: 2, width: 3, block };
        let mut digests = [Default::default(); 2];
        let mut run = |honest| {
            let (matrix, digests) = (&matrix[..], &mut digests[..]);
            checked(honest).run(HashRows::<Rp64_256> { matrix, extent, from: 0, digests })
        };
        run(true).unwrap();
        // Each try misses the second of two rows with probability 2^-8; that all 20 do is negligible.
        assert!((0..20).any(|_| run(false) == fails("the check of digests of rows")));
    }
    for count in [2, 16] {
        let leaf = |i: u64| Rp64_256::hash_elements(&[Goldilocks::new(i)]);
        let leaves: Vec<_> = (0..count).map(leaf).collect();
        let run = |honest| {
            let mut heap = vec![Default::default(); 2 * leaves.len()];
            let (inner, copies) = heap.split_at_mut(leaves.len());
            let (leaves, copies) = (&leaves[..], Some(copies));
            checked(honest).run(Tree::<Rp64_256> { leaves, inner, copies, approach: Approach::Auto })
        };
        run(true).unwrap();
        assert_eq!(run(false), fails("the check of a tree"));
    }
}

#[cfg(feature = "bn254")]
mod bn254 {
    use super::*;
    use crate::backend::PointTransforms;
    use crate::backend::reference::Reference;
    use crate::bn254::{Fr, G1Affine};
    use crate::curve::samples::multiples;
    use crate::operation::{
        Bases, Evaluate, Factors, Multiply, Points, Scalars, SparseProduct, Sum, TransformPoints,
    };
    use crate::sparse::SparseMatrix;

    #[test]
    fn sums() {
        for (len, rows) in [(0, 1), (1, 1), (5, 3), (100, 1), (40, 3)] {
            let points = vec![G1Affine::generator(); len];
            let scalars: Vec<_> = (0..(len * rows) as u64).map(Fr::from).collect();
            let run = |honest| {
                let bases = Bases { points: &points, kept: &[], first: 0 };
                checked(honest).run(Sum { scalars: Scalars::Host(&scalars, &[]), bases, rows })
            };
            run(true).unwrap();
            // An added constant is detected in the sample, which is summed again.
            assert_eq!(run(false), fails("the check of a sum"));
        }
    }

    /// The last answer is wrong; sums of the same device, by which answers are tested, are wrong as well.
    #[test]
    fn transforms_of_points() {
        for (log, runs) in [(0, 1), (1, 3), (3, 2)] {
            let domain = Domain::<Fr>::halo2(log).unwrap().coset(Fr::from(3)).unwrap();
            let factors: Vec<_> = (1..=(runs << log) as u64).map(|i| Fr::from(i * i)).collect();
            let before = multiples::<G1Affine>(&factors);
            for ntt in [
                Ntt::forward(domain).with_orders(Order::Natural, Order::BitReversed),
                Ntt::inverse(domain).with_orders(Order::BitReversed, Order::Natural),
            ] {
                let run = |honest, points: &mut [_]| checked(honest).run(TransformPoints { ntt, points });
                let mut points = before.clone();
                assert_eq!(run(false, &mut points), fails("the check of a transform of points"));
                assert_eq!(points, before);
                run(true, &mut points).unwrap();
                let mut expected = before.clone();
                Reference.transform_points(&ntt, &mut expected).unwrap();
                assert_eq!(points, expected);
            }
        }
    }

    #[test]
    fn products() {
        for len in [1_u64, 2, 100] {
            let [before, b, c] = [3, 5, 7].map(|x| (0..len).map(|i| Fr::from(i * x)).collect::<Vec<_>>());
            for c in [None, Some(&c[..])] {
                let run =
                    |honest, a: &mut [_]| checked(honest).run(Multiply { a, factors: Factors { b: &b, c } });
                let mut a = before.clone();
                assert_eq!(run(false, &mut a), fails("the check of products"));
                assert_eq!(a, before);
                run(true, &mut a).unwrap();
                let i = len as usize - 1;
                assert_eq!(a[i], before[i] * b[i] - c.map_or(Fr::zero(), |c| c[i]));
            }
        }
    }

    #[test]
    fn sparse_products() {
        for rows in [1_u64, 3, 200] {
            let entry = |row: u64| [(0, Fr::from(row)), (row as usize % 4, -Fr::one())];
            let matrix = SparseMatrix::from_rows(4, (0..rows).map(entry)).unwrap();
            let vector = [2, 3, 5, 7].map(Fr::from);
            let mut product = vec![Fr::zero(); rows as usize];
            let mut run = |honest| {
                let (matrix, product) = (matrix.view(), &mut product[..]);
                checked(honest).run(SparseProduct { matrix, kept: &[], vector: &vector, product })
            };
            assert_eq!(run(false), fails("the check of a sparse product"));
            run(true).unwrap();
            for (row, found) in (0..rows).zip(product) {
                assert_eq!(found, Fr::from(2 * row) - vector[row as usize % 4]);
            }
        }
    }

    #[test]
    fn transforms() {
        let domain = Domain::halo2(4).unwrap();
        let values: Vec<_> = (0..32).map(Fr::from).collect();
        for ntt in [
            Ntt::forward(domain.coset(Fr::from(5)).unwrap()),
            Ntt::inverse(domain).with_orders(Order::BitReversed, Order::Natural),
        ] {
            let run = |honest, data: &mut [_]| {
                checked(honest).run(Transform { ntt, data, width: 1, unchecked: false })
            };
            let mut data = values.clone();
            assert_eq!(run(false, &mut data), fails("the check of a transform"));
            assert_eq!(data, values);
            run(true, &mut data).unwrap();
        }
        let mut out = vec![Fr::zero(); 32];
        let mut run = |honest| {
            let (coefficients, values) = (&values[..8], &mut out[..]);
            let points = Points { domain, size: 4 };
            checked(honest).run(Evaluate { points, coefficients, width: 1, values })
        };
        run(true).unwrap();
        assert_eq!(run(false), fails("the check of a transform"));
    }
}
