//! Matrices whose rows several devices hold in turn: extensions by cosets, and operations on their rows.

use zkaccel::field::Goldilocks;
use zkaccel::hash::{Blake3, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{AcceleratedField, Lde, Ntt, Order};
use zkaccel::program::{Builder, Program, ProgramRows};
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Samples, Words};
use crate::merged::check as check_merged;
use crate::several::several;
use crate::{Case, expect_equal, expect_error, reference, wrong_engine};

pub(super) const CASES: &[Case] = &[
    Case { name: "several devices, a matrix in parts, rows over goldilocks", run: over::<Goldilocks> },
    #[cfg(feature = "bn254")]
    Case {
        name: "several devices, a matrix in parts, rows over bn254-scalar",
        run: over::<zkaccel::bn254::Fr>,
    },
    Case {
        name: "several devices, a matrix in parts, transforms over goldilocks",
        run: transforms::<Goldilocks>,
    },
    #[cfg(feature = "bn254")]
    Case {
        name: "several devices, a matrix in parts, transforms over bn254-scalar",
        run: transforms::<zkaccel::bn254::Fr>,
    },
    Case { name: "several devices, a matrix in parts, digests and trees", run: trees },
    Case { name: "several devices, a matrix in parts, refused", run: refused },
];

/// The extension by b of a matrix with so many rows and columns, in both layouts and both orders, by the devices together and by the engine itself, with the matrix in one piece.
fn extensions<F: Samples>(
    engine: &Engine,
    words: &mut Words,
    mut check: impl FnMut(&str, &Engine, &Cosets<F>, &Matrix<F>, &mut Words) -> Result<(), String>,
) -> Result<(), String> {
    let several = several(engine)?;
    for (log, columns, blowup) in [(3, 3, 8), (6, 5, 16), (4, 1, 4), (8, 2, 2)] {
        let orders = [Order::Natural, Order::BitReversed];
        for (layout, order) in [Layout::RowMajor, Layout::ColumnMajor]
            .into_iter()
            .flat_map(|layout| orders.map(|order| (layout, order)))
        {
            let from = F::some_domain(log)?;
            let to = F::some_domain(log + u32::ilog2(blowup))?.coset(F::of_integer(7))?;
            let lde = Lde::new(from, to)?.with_output_order(order);
            let matrix = words.matrix(Shape { rows: 1 << log, columns, layout });
            let expected = reference()?.lde(&lde, &matrix)?;
            for engine in [&several, engine] {
                let what = format!(
                    "2^{log} x {columns} by {blowup}, {layout:?}, in {order} order, {} devices",
                    engine.work().len()
                );
                let extension = engine.lde_in_cosets(&lde, &matrix)?;
                let expected = in_layout(&expected, extension.shape().layout)?;
                check(&what, engine, &extension, &expected, words)?;
            }
        }
    }
    Ok(())
}

/// The same entries in a layout: columns of some fields come to lie one after another.
fn in_layout<F: Samples>(matrix: &Matrix<F>, layout: Layout) -> Result<Matrix<F>, Error> {
    let Shape { rows, columns, .. } = matrix.shape();
    let entry = |i: usize| match layout {
        Layout::RowMajor => matrix.get(i / columns, i % columns),
        Layout::ColumnMajor => matrix.get(i % rows, i / rows),
    };
    Matrix::new((0..rows * columns).map(entry).collect(), Shape { layout, ..matrix.shape() })
}

/// A program on two inputs of some columns each with rows at several distances.
fn program<F: Samples>(columns: usize) -> Result<Program<F>, Error> {
    let mut builder = Builder::<F>::new();
    let mut sum = builder.value(0);
    for (number, offset) in [0, 1, -1, 5, 0].into_iter().enumerate() {
        let own = builder.column(number % 2, number % columns, offset);
        let product = builder.mul(own, sum);
        sum = builder.add(product, own);
        builder.output(sum);
    }
    builder.finish()
}

/// The sum of squares of a row.
fn by_rows<F: Samples>(columns: usize) -> Result<Program<F>, Error> {
    let mut builder = Builder::<F>::new();
    let mut sum = builder.constant(F::of_integer(3));
    for column in 0..columns {
        let own = builder.column(0, column, 0);
        let square = builder.mul(own, own);
        sum = builder.add(sum, square);
    }
    builder.output(sum);
    builder.finish()
}

/// The extension itself, combinations, and row programs.
fn over<F: Samples>(engine: &Engine) -> Result<(), String> {
    extensions::<F>(engine, &mut Words::new(94), |what, engine, extension, expected, words| {
        let Shape { rows, columns, layout } = expected.shape();
        let parts = extension.parts().len();
        let own = extension.download()?;
        expect_equal(what, &[own.shape(), extension.shape()], &[expected.shape(); 2])?;
        expect_equal(what, own.as_slice(), expected.as_slice())?;
        let reference = reference()?;

        let other = words.matrix::<F>(Shape { rows: 3, columns: 1, layout });
        for part in extension.parts() {
            let beside = engine.upload_beside(part, &other)?;
            if !beside.is_beside(part) {
                return Err(format!("{what}: a matrix is not beside the part that it was brought to"));
            }
            expect_equal("a matrix beside a part", engine.download(&beside)?.as_slice(), other.as_slice())?;
            let together = extension.copy_beside(part)?;
            if !together.is_beside(part) {
                return Err(format!("{what}: a copy is not beside the part that it was brought to"));
            }
            expect_equal("all parts in one memory", together.download()?.as_slice(), expected.as_slice())?;
        }

        let coefficients = words.matrix::<F>(Shape { rows: columns, columns: 2, layout });
        let combined = engine.combine_columns(extension, &coefficients)?.download()?;
        let oracle = reference.combine_columns(expected, &coefficients)?;
        expect_equal(&format!("columns of {what}"), combined.as_slice(), oracle.as_slice())?;
        let first = engine.combine_columns_of(extension, rows / 2, &coefficients)?.download()?;
        let oracle = reference.combine_columns_of(expected, rows / 2, &coefficients)?;
        expect_equal(&format!("columns of half of {what}"), first.as_slice(), oracle.as_slice())?;

        let order = extension.order();
        for weights in [rows, rows / 2] {
            let weights = words.matrix::<F>(Shape { rows: weights, columns: 3, layout });
            // In bit-reversed order the first rows are those of the first parts.
            let with_as_many = match order {
                Order::Natural => extension.clone(),
                Order::BitReversed => extension.first_rows(weights.shape().rows)?,
            };
            let beside = with_as_many.upload_beside(&weights)?;
            expect_equal("a copy beside", beside.download()?.as_slice(), weights.as_slice())?;
            let sums = engine.combine_rows(&beside, extension)?;
            let oracle = reference.combine_rows(&weights, expected)?;
            expect_equal(&format!("rows of {what}"), sums.as_slice(), oracle.as_slice())?;
        }

        let values = words.samples::<F>(1);
        let program = program::<F>(columns)?;
        // As many rows as the other input has, and fewer, which are repeated; offsets of as many rows as there are parts, and more.
        for (beside, stride) in [(rows, parts), (parts, rows / 2), (rows / 2, 4 * parts)] {
            let other = words.matrix::<F>(Shape { rows: beside, columns, layout });
            let run = ProgramRows { count: rows, stride, order };
            let oracle = reference.run_program(&program, run, &[expected, &other], &values)?;
            let other = extension.upload_beside(&other)?;
            let found = engine.run_program(&program, run, &[extension, &other], &values)?;
            expect_equal(&format!("{run:?} of {what}"), &[found.shape()], &[oracle.shape()])?;
            expect_equal(&format!("{run:?} of {what}"), found.download()?.as_slice(), oracle.as_slice())?;
        }
        if order == Order::BitReversed || parts == 1 {
            // Every other row in natural order is the first half in bit-reversed order.
            let run = ProgramRows { count: rows / 2, stride: 2 * parts, order };
            let oracle = reference.run_program(&program, run, &[expected, expected], &values)?;
            let found = engine.run_program(&program, run, &[extension, extension], &values)?.download()?;
            expect_equal(&format!("{run:?} of {what}"), found.as_slice(), oracle.as_slice())?;
        }
        // The rows on smaller cosets.
        let squares = by_rows::<F>(columns)?;
        for count in [rows / 2, rows / 4].into_iter().filter(|&count| count >= parts) {
            let run = ProgramRows { count, stride: 1, order };
            let oracle = reference.run_program(&squares, run, &[expected], &[])?;
            let smaller = extension.smaller_coset(count)?;
            let found = engine.run_program(&squares, run, &[&smaller], &[])?.download()?;
            expect_equal(&format!("{run:?} of {what}"), found.as_slice(), oracle.as_slice())?;
        }
        // What each device makes of its part.
        let inverse = |_: usize, part: &DeviceMatrix<F>| {
            let mut inverse = part.clone();
            engine.invert(&mut inverse).map(|()| inverse)
        };
        let inverses = extension.map_parts(inverse)?.download()?;
        let mut oracle = expected.clone();
        reference.invert(oracle.view_mut())?;
        expect_equal(&format!("inverses of {what}"), inverses.as_slice(), oracle.as_slice())?;
        // Each row by itself, in whatever order.
        for order in [Order::Natural, Order::BitReversed] {
            let run = ProgramRows { count: rows, stride: 1, order };
            let found = engine.run_program(&squares, run, &[extension], &[])?.download()?;
            let oracle = reference.run_program(&squares, run, &[expected], &[])?;
            expect_equal(&format!("{run:?} of {what}"), found.as_slice(), oracle.as_slice())?;
        }
        Ok(())
    })
}

/// Transforms of all columns in both directions and every order, and the inverses of all entries; what is in parts stays so.
fn transforms<F: Samples>(engine: &Engine) -> Result<(), String> {
    extensions::<F>(engine, &mut Words::new(97), |what, engine, extension, expected, _| {
        let (domain, from) = (F::some_domain(expected.shape().rows.ilog2())?, extension.order());
        let (domain, parts) = (domain.coset(F::of_integer(3))?, extension.parts().len());
        let mut inverses = extension.clone();
        engine.invert(&mut inverses)?;
        let mut oracle = expected.clone();
        reference()?.invert(&mut oracle)?;
        expect_equal(&format!("inverses of {what}"), inverses.download()?.as_slice(), oracle.as_slice())?;
        for (ntt, to) in [Ntt::forward(domain), Ntt::inverse(domain)]
            .into_iter()
            .flat_map(|ntt| [Order::Natural, Order::BitReversed].map(|to| (ntt, to)))
        {
            let ntt = ntt.with_orders(from, to);
            let what = format!("{ntt:?} of {what}");
            let (mut found, mut oracle) = (extension.clone(), expected.clone());
            engine.ntt(&ntt, &mut found)?;
            reference()?.ntt(&ntt, &mut oracle)?;
            expect_equal(&what, &[found.parts().len()], &[parts])?;
            expect_equal(&what, found.download()?.as_slice(), oracle.as_slice())?;
            expect_equal("what it was made of", extension.download()?.as_slice(), expected.as_slice())?;
        }
        let uploaded = engine.upload_in_parts(expected, from)?;
        expect_equal(what, uploaded.download()?.as_slice(), expected.as_slice())
    })
}

/// Digests of rows, and the tree over them with every cap and some openings.
fn trees(engine: &Engine) -> Result<(), String> {
    extensions::<Goldilocks>(engine, &mut Words::new(95), |what, engine, extension, expected, words| {
        let oracle = reference()?;
        let digests = engine.hash_rows::<Blake3, _>(extension)?;
        expect_equal(what, &digests, &oracle.hash_rows::<Blake3, _>(expected)?)?;
        let tree = engine.merkle_tree_of_rows::<Rp64_256, _>(extension)?;
        let oracle = oracle.merkle_tree_of_rows::<Rp64_256, _>(expected)?;
        expect_equal(what, &[tree.root()], &[oracle.root()])?;
        let leaves = oracle.leaf_count();
        expect_equal(what, &tree.nodes(1..2 * leaves)?, &oracle.heap()[1..])?;
        let indices = [0, leaves / 2, leaves - 1];
        expect_equal(what, &[tree.open_many(&indices)?], &[oracle.open_many(&indices)?])?;
        merged(what, engine, (extension, expected), words)
    })
}

/// Nodes in parts and not, merged with rows in parts and not.
fn merged(
    what: &str,
    engine: &Engine,
    (extension, expected): (&Cosets<Goldilocks>, &Matrix<Goldilocks>),
    words: &mut Words,
) -> Result<(), String> {
    let (rows, parts) = (expected.shape().rows, extension.parts().len());
    let mut matrix = |rows| words.matrix(Shape { rows, columns: 2, layout: Layout::RowMajor });
    let tree = engine.merkle_tree_of_rows::<Blake3, _>(extension)?;
    let oracle = reference()?.merkle_tree_of_rows::<Blake3, _>(expected)?;
    for rows in [rows / 2, 1] {
        let shorter = matrix(rows);
        let mut there = vec![engine.upload(&shorter)?.into()];
        if rows >= parts {
            there.push(extension.upload_beside(&shorter)?);
        }
        for there in &there {
            check_merged(what, engine, (&tree, oracle.heap()), (there, &shorter))?;
        }
    }
    let taller = matrix(2 * rows);
    let tree = engine.merkle_tree_of_rows::<Blake3, _>(&engine.upload(&taller)?)?;
    let oracle = reference()?.merkle_tree_of_rows::<Blake3, _>(&taller)?;
    check_merged(what, engine, (&tree, oracle.heap()), (extension, expected)).map(drop)
}

/// Numbers of rows that parts have no equal shares of, words that are no elements, and what programs cannot read in parts.
fn refused(engine: &Engine) -> Result<(), String> {
    extensions::<Goldilocks>(engine, &mut Words::new(96), |what, engine, extension, expected, words| {
        let (Shape { rows, columns, .. }, parts) = (expected.shape(), extension.parts().len());
        let column = |rows| Shape { rows, columns: 1, layout: Layout::ColumnMajor };
        let mut wrong: Matrix<Goldilocks> = words.matrix(column(parts));
        wrong.as_mut_slice()[parts - 1] = bytemuck::cast(NON_CANONICAL[0]);
        let refusal = Error::NotCanonical { index: parts - 1, value: NON_CANONICAL[0] };
        expect_error(what, extension.upload_beside(&wrong).map(drop), &refusal)?;
        let elsewhere = reference()?;
        let refused = elsewhere.upload_beside(&extension.parts()[0], expected);
        expect_error(what, refused.map(drop), &wrong_engine("matrix", elsewhere, engine))?;
        let mismatch = |what, expected, found| Error::LengthMismatch { what, expected, found };
        let domain = <Goldilocks as AcceleratedField>::some_domain(rows.ilog2() + 1)?;
        let refusal = mismatch("rows of the matrix", 2 * rows, rows);
        expect_error(what, engine.ntt(&Ntt::forward(domain), &mut extension.clone()), &refusal)?;
        if parts == 1 {
            return Ok(());
        }
        let uneven: Matrix<Goldilocks> = words.matrix(column(parts + 1));
        let refusal = mismatch("rows of a matrix in parts, a multiple of their number", 2 * parts, parts + 1);
        expect_error(what, extension.upload_beside(&uneven).map(drop), &refusal)?;
        let whole: Cosets<_> = engine.upload(expected)?.into();
        let refusal = mismatch("parts of a matrix, as many as another has", 1, parts);
        expect_error(what, engine.combine_rows(extension, &whole).map(drop), &refusal)?;
        let program = program::<Goldilocks>(columns)?;
        let run = |run: ProgramRows, input: &Cosets<_>| {
            engine.run_program(&program, run, &[extension, input], &[Goldilocks::new(1)]).map(drop)
        };
        let order = extension.order();
        let fitting = ProgramRows { count: rows, stride: parts, order };
        let refusal = mismatch("parts of a matrix, as many as another has", parts, 1);
        expect_error(what, run(fitting, &whole), &refusal)?;
        let refusal =
            mismatch("rows that an offset of one stands for, a multiple of the number of parts", parts, 1);
        expect_error(what, run(ProgramRows { stride: 1, ..fitting }, extension), &refusal)?;
        // Also where the first rows are in the first part, which are others than every second one.
        let refusal = mismatch("rows of an input in parts, at most those of the run", rows / 2, rows);
        let every_second = ProgramRows { count: rows / 2, order: Order::Natural, ..fitting };
        expect_error(what, run(every_second, extension), &refusal)?;
        if order == Order::Natural {
            let refusal =
                mismatch("first rows of a matrix in parts, all of one or of several", rows, rows - 1);
            expect_error(what, extension.first_rows(rows - 1).map(drop), &refusal)?;
        }
        let what_of = "rows of a matrix in parts on a smaller coset, fewer by a power of two";
        for (wrong, expected) in [(0, 1), (rows - 1, rows), (2 * rows, rows)] {
            let refusal = mismatch(what_of, expected, wrong);
            expect_error(what, extension.smaller_coset(wrong).map(drop), &refusal)?;
        }
        let uneven = extension.map_parts(|part, matrix| {
            engine.upload_beside(matrix, Matrix::from_column(vec![Goldilocks::new(1); 1 + part.min(1)])?)
        });
        let refusal = mismatch("rows of a part, those of the first", 1, 2);
        expect_error(what, uneven.map(drop), &refusal)?;
        let uneven = extension.map_parts(|part, matrix| {
            let columns = 1 + part.min(1);
            engine.upload_beside(matrix, Matrix::from_rows(vec![Goldilocks::new(1); columns], 1, columns)?)
        });
        let refusal = mismatch("columns of a part, those of the first", 1, 2);
        expect_error(what, uneven.map(drop), &refusal)?;
        let found = if order == Order::Natural { Order::BitReversed } else { Order::Natural };
        let refusal = Error::OtherOrder { expected: order, found };
        let domain = <Goldilocks as AcceleratedField>::some_domain(rows.ilog2())?;
        let transformed = engine.ntt(&Ntt::forward(domain).with_orders(found, order), &mut extension.clone());
        expect_error(what, transformed, &refusal)?;
        expect_error(what, run(ProgramRows { order: found, ..fitting }, extension), &refusal)
    })
}
