//! Devices that fail, and words that are refused: the error names the device or the word, inputs are as they were, and later operations succeed.

use super::*;

/// Whichever of two devices fails, the error names it, the input is unchanged, and later operations succeed.
#[test]
fn a_device_that_fails() {
    for broken in [0, 1] {
        let fakes = [Fake::default(), Fake::default()];
        let several = several(fakes.clone(), Some(vec![1, 2]));
        let fails = Fake::failure(["left", "right"][broken]);
        let set = |value| fakes[broken].broken.store(value, Ordering::Relaxed);
        for width in [1, 5] {
            for blocks in [1, 7] {
                let transform = Ntt::forward(domain(4));
                let before = words(16 * width * blocks);
                let mut data = before.clone();
                set(true);
                if width * blocks > 1 {
                    assert_eq!(ntt(&several, transform, &mut data, width), Err(fails.clone()));
                    assert!(data == before, "{width} {blocks}");
                }
                set(false);
                ntt(&several, transform, &mut data, width).unwrap();
                let mut expected = before.clone();
                Cpu::default().ntt(&transform, &mut expected, width).unwrap();
                assert!(data == expected, "{width} {blocks}");
            }
        }
        let extension = Lde::new(Domain::new(4, Convention::Plonky3).unwrap(), domain(6)).unwrap();
        let (mut extended, mut expected) = (words(64 * 3), words(64 * 3));
        set(true);
        for width in [1, 3] {
            let found = lde(&several, extension, &mut words(16 * 3), width, &mut extended);
            assert_eq!(found, Err(fails.clone()));
        }
        set(false);
        for width in [1, 3] {
            lde(&several, extension, &mut words(16 * 3), width, &mut extended).unwrap();
            Cpu::default().lde(&extension, &mut words(16 * 3), width, &mut expected).unwrap();
            assert!(extended == expected, "{width}");
        }
        let (before, mut elements) = (words(99), words(99));
        let mut invert = || several.run(Invert { elements: &mut elements, unchecked: true });
        set(true);
        assert_eq!(invert(), Err(fails.clone()));
        set(false);
        invert().and_then(|()| invert()).unwrap();
        assert!(elements == before);
        combinations_that_fail(&several, &fails, &set);
        prefix_products_that_fail(&several, &fails, &set);
        lookups_that_fail(&several, &fails, &set);
        #[cfg(feature = "bn254")]
        products_that_fail(&several, &fails, &set);
        trees_that_fail(&several, &fails, &set);
    }
}

/// Rows are divided: their combinations are put together, and those of columns side by side.
fn combinations_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let (elements, factors) = (words(40 * 3), words(40 * 2));
    for (row_step, column_step) in [(3, 1), (1, 40)] {
        let matrix = MatrixView { elements: &elements, rows: 40, columns: 3, row_step, column_step };
        for (combined, rows, results) in [(Combined::Columns, 3, 80), (Combined::Rows, 40, 6)] {
            let factors = MatrixView { elements: &factors, rows, columns: 2, row_step: 2, column_step: 1 };
            let (mut found, mut expected) = (words(results), words(results));
            let mut run = || several.run(Combine { combined, matrix, factors, result: &mut found });
            set(true);
            assert_eq!(run(), Err(fails.clone()));
            set(false);
            run().unwrap();
            match combined {
                Combined::Columns => Cpu::default().combine_columns(matrix, factors, &mut expected),
                Combined::Rows => Cpu::default().combine_rows(factors, matrix, &mut expected),
            }
            .unwrap();
            assert!(found == expected);
        }
    }
}

/// Columns one after another are divided; those of a row-major matrix go to one device.
fn prefix_products_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let (input, first) = (words(40 * 6), words(6));
    for width in [1, 6] {
        let (mut found, mut expected) = (words(40 * 6), words(40 * 6));
        let mut run =
            |carry: &mut [_]| several.run(Prefix { input: &input, width, products: &mut found, carry });
        let (mut carry, mut ends) = (first.clone(), first.clone());
        if width == 1 {
            set(true);
            assert_eq!(run(&mut carry.clone()), Err(fails.clone()));
            set(false);
        }
        run(&mut carry).unwrap();
        Cpu::default().prefix_products(&input, width, &mut expected, &mut ends).unwrap();
        assert!(found == expected && carry == ends, "{width}");
    }
}

/// Columns one after another are divided; those of a row-major matrix go to one device. What is missing is named by its number among all lookups.
fn lookups_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let mut elements = words(40).repeat(8);
    let run = |elements: &[Goldilocks], columns: bool, permuted: &mut [Goldilocks]| {
        let (row_step, column_step) = if columns { (1, 40) } else { (8, 1) };
        let matrix = MatrixView { elements, rows: 40, columns: 8, row_step, column_step };
        several.run(PermuteLookups { matrix, used: 39, permuted })
    };
    let mut permuted = elements.clone();
    set(true);
    assert_eq!(run(&elements, true, &mut permuted), Err(fails.clone()));
    set(false);
    run(&elements, true, &mut permuted).unwrap();
    assert!(permuted == elements, "in the order of the tables, which the inputs have");
    elements[6 * 40 + 5] = Goldilocks::new(0);
    assert_eq!(run(&elements, true, &mut permuted), Err(Error::NotInTable { lookup: 3, row: 5 }));
    let by_rows = vec![Goldilocks::new(1); 8 * 40];
    run(&by_rows, false, &mut permuted).unwrap();
    assert!(permuted == by_rows);
}

/// The part that succeeded leaves its elements as they were, too.
#[cfg(feature = "bn254")]
fn products_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    use crate::bn254::Fr;
    use crate::operation::{Factors, Multiply};

    let [a, b] = [3, 5].map(|x| (1..100).map(|i| Fr::from(i * x)).collect::<Vec<_>>());
    let mut products = a.clone();
    let multiply = |a: &mut [Fr]| several.run(Multiply { a, factors: Factors { b: &b, c: None } });
    multiply(&mut products).unwrap();
    let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| *a * *b).collect();
    assert_eq!(products, expected);
    set(true);
    let mut found = a.clone();
    assert_eq!(multiply(&mut found), Err(fails.clone()));
    assert_eq!(found, a);
    set(false);
}

/// Rows are divided by their entries: the first has as many as all others together, so a device with a third of the
/// work does that row, and one with two thirds the others.
#[cfg(feature = "bn254")]
#[test]
fn rows_of_a_sparse_matrix() {
    use crate::bn254::Fr;
    use crate::operation::{KeepSparse, SparseProduct};
    use crate::sparse::SparseMatrix;

    let fakes = [Fake::default(), Fake::default()];
    let several = several(fakes.clone(), Some(vec![1, 2]));
    let rows = std::iter::once(300).chain([2; 150]);
    let rows = rows.map(|len| (0..len).map(|column| (column, Fr::from(column as u64 + 2))));
    let matrix = SparseMatrix::from_rows(300, rows).unwrap();
    let vector = vec![Fr::one(); 300];
    let run = |kept: &[_]| {
        let mut product = vec![Fr::zero(); 151];
        let operation = SparseProduct { matrix: matrix.view(), kept, vector: &vector, product: &mut product };
        several.run(operation).map(|()| product)
    };
    let expected: Vec<_> = std::iter::once(Fr::from(45_450)).chain(vec![Fr::from(5); 150]).collect();
    let kept = several.run(KeepSparse::new(matrix.view())).unwrap();
    assert_eq!(items(&several, "sparse matrix kept"), [300, 300]);
    for kept in [&[][..], &kept] {
        assert_eq!(run(kept).unwrap(), expected);
        fakes[1].broken.store(true, Ordering::Relaxed);
        assert_eq!(run(kept), Err(Fake::failure("right")));
        fakes[1].broken.store(false, Ordering::Relaxed);
    }
    // Each did 300 entries four times, and the second failed twice.
    assert_eq!(items(&several, "sparse product"), [1200, 600]);
}

fn trees_that_fail(several: &Dispatcher, fails: &Error, set: &dyn Fn(bool)) {
    let leaves: Vec<_> = (0..64u8).map(|i| Blake3::hash(&[i])).collect();
    let empty = vec![<Blake3 as Hasher>::Digest::default(); 128];
    let mut heap = empty.clone();
    set(true);
    assert_eq!(tree::<Blake3>(several, &leaves, &mut heap), Err(fails.clone()));
    let (matrix, mut digests) = (words(64 * 3), empty[..64].to_vec());
    for block in [1, 3] {
        let (matrix, extent) = (&matrix[..], Extent { rows: 64, width: 3, block });
        let hash = HashRows::<Blake3> { matrix, extent, from: 0, digests: &mut digests };
        assert_eq!(several.run(hash), Err(fails.clone()));
    }
    set(false);
    tree::<Blake3>(several, &leaves, &mut heap).unwrap();
    let mut expected = [&empty[64..], &leaves].concat();
    build_heap::<Blake3>(&Cpu::default(), &mut expected, Approach::Auto).unwrap();
    assert!(heap[1..] == expected[1..]);
}

/// A word that is not canonical is named by its index in all data, and the shares that succeeded are undone.
#[test]
fn words_that_are_refused() {
    let several = several([Fake::default(), Fake::default()], Some(vec![1, 1]));
    let mut data = words(16 * 6);
    data[70] = bytemuck::cast(u64::MAX);
    let before: Vec<u64> = bytemuck::cast_slice(&data).to_vec();
    let refused = Err(Error::NotCanonical { index: 70, value: u64::MAX });
    for width in [1, 6] {
        assert_eq!(ntt(&several, Ntt::forward(domain(4)), &mut data, width), refused);
        assert_eq!(bytemuck::cast_slice::<_, u64>(&data), before);
    }
    assert_eq!(several.run(Invert { elements: &mut data, unchecked: true }), refused);
    assert_eq!(bytemuck::cast_slice::<_, u64>(&data), before);
}
