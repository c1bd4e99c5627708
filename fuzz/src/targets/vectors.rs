//! Products of vectors over prime fields, element by element and with sparse matrices: each engine gives what the definition says by halo2curves'
//! arithmetic, or the error of the reference, in every form of a vector.

use zkaccel::bn254::{Fq, Fr};
use zkaccel::matrix::Matrix;
use zkaccel::sparse::{DeviceSparseMatrix, SparseMatrix};
use zkaccel::vectors::AcceleratedPrime;
use zkaccel::{Engine, Error};

use crate::draw::{Draw, Words};
use crate::engines;

/// Elements of a vector at most.
const LONGEST: usize = 3000;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(4) {
        0 => by_elements::<Fr>(&mut draw),
        1 => by_elements::<Fq>(&mut draw),
        2 => by_matrix::<Fr>(&mut draw),
        _ => by_matrix::<Fq>(&mut draw),
    }
}

/// How a vector is given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Slice,
    Vec,
    Stays,
    Job,
    JobThatStays,
}

const FORMS: [Form; 5] = [Form::Slice, Form::Vec, Form::Stays, Form::Job, Form::JobThatStays];

impl Form {
    fn stays(self) -> bool {
        matches!(self, Self::Stays | Self::JobThatStays)
    }
}

/// What an engine gave beside what it should.
fn check<F: AcceleratedPrime>(
    found: Result<Vec<F>, Error>,
    expected: Result<Vec<F>, Error>,
    form: Form,
    what: &dyn Fn() -> String,
) {
    match (found, expected) {
        // What must stay on a device with a small budget.
        (Err(Error::OverDeviceBudget { .. }), _) if form.stays() => {}
        (found, expected) => assert!(found == expected, "{}: {found:?}, expected {expected:?}", what()),
    }
}

fn column<F: AcceleratedPrime>(vector: &[F]) -> Result<Matrix<F>, Error> {
    Matrix::from_column(vector.to_vec())
}

fn by_elements<F: AcceleratedPrime>(draw: &mut Draw<'_>) {
    let (engine, form) = (engines::draw(draw), draw.pick(&FORMS));
    let most = draw.pick(&[9, 100, LONGEST]);
    let len = draw.below(most + 1);
    let mut lens = [len; 3];
    if draw.below(16) == 15 {
        let which = draw.below(3);
        lens[which] = draw.near(len).min(LONGEST);
    }
    let [a, b, c] = lens.map(|len| draw.elements::<F>(len));
    let c = draw.flag().then_some(&c[..]);

    let found = product(&engine, &a, &b, c, form);
    let expected =
        match b.len() == a.len() && c.is_none_or(|c| c.len() == a.len()) && (len > 0 || !form.stays()) {
            true => Ok((0..a.len()).map(|i| a[i] * b[i] - c.map_or(F::ZERO, |c| c[i])).collect()),
            // Too few or too many, or a matrix without rows.
            false => product(engines::reference(), &a, &b, c, form),
        };
    let what = || {
        let and = if c.is_some() { ", less a third" } else { "" };
        format!("{} and {}{and}, {form:?}, on {}", lens[0], lens[1], engine.device().id)
    };
    check(found, expected, form, &what);
}

fn product<F: AcceleratedPrime>(
    engine: &Engine,
    a: &[F],
    b: &[F],
    c: Option<&[F]>,
    form: Form,
) -> Result<Vec<F>, Error> {
    let mut values = a.to_vec();
    let done = match form {
        Form::Slice => match c {
            None => engine.multiply(&mut values[..], b),
            Some(c) => engine.multiply_subtract(&mut values[..], b, c),
        },
        Form::Vec => match c {
            None => engine.multiply(&mut values, &b.to_vec()),
            Some(c) => engine.multiply_subtract(&mut values, &b.to_vec(), &c.to_vec()),
        },
        Form::Job => {
            let job = match c {
                None => engine.multiply_async(values, b.to_vec()),
                Some(c) => engine.multiply_subtract_async(values, b.to_vec(), c.to_vec()),
            };
            return job.wait();
        }
        Form::Stays | Form::JobThatStays => {
            let (kept, b) = (engine.upload(column(a)?)?, engine.upload(column(b)?)?);
            let c = c.map(|c| engine.upload(column(c)?)).transpose()?;
            let mut values = kept.clone();
            let product = match (form, &c) {
                (Form::Stays, None) => engine.multiply(&mut values, &b).map(|()| values)?,
                (Form::Stays, Some(c)) => engine.multiply_subtract(&mut values, &b, c).map(|()| values)?,
                (_, None) => engine.multiply_async(values, b).wait()?,
                (_, Some(c)) => engine.multiply_subtract_async(values, b, c.clone()).wait()?,
            };
            assert_eq!(engine.download(&kept)?.as_slice(), a, "the other clone");
            return engine.download(&product).map(Matrix::into_vec);
        }
    };
    assert!(done.is_ok() || values == a, "what is refused is unchanged");
    done.map(|()| values)
}

/// The value of an entry: 1 or -1 most of the time, or one of the few.
fn entry<F: AcceleratedPrime>(words: &mut Words, few: &[F]) -> F {
    let word = words.next();
    match word % 8 {
        0..4 => F::ONE,
        4 | 5 => -F::ONE,
        _ => few[(word >> 8) as usize % few.len()],
    }
}

fn by_matrix<F: AcceleratedPrime>(draw: &mut Draw<'_>) {
    let (engine, form) = (engines::draw(draw), draw.pick(&FORMS));
    let most = draw.pick(&[4, 60, 900]);
    let (rows, columns) = (draw.below(most + 1), draw.below(most + 1));
    let longest = draw.pick(&[1, 5, 5, 40]);
    // One row in many may be far longer, as devices cut those.
    let long = draw.pick(&[0, 0, 300, 2000]);
    let few: Vec<F> = draw.elements(16);
    let mut words = draw.words();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        let len = if columns == 0 {
            0
        } else if row == rows / 2 {
            long
        } else {
            words.next() as usize % (longest + 1)
        };
        for _ in 0..len {
            indices.push((words.next() % columns as u64) as u32);
            values.push(entry(&mut words, &few));
        }
        starts.push(indices.len());
    }
    if draw.below(24) == 23 {
        spoil(draw, columns, &mut starts, &mut indices, &mut values);
    }
    let Some(matrix) = made(columns, &starts, &indices, &values) else { return };

    let len = if draw.below(24) == 23 { draw.near(columns).min(LONGEST) } else { columns };
    let vectors = [(); 2].map(|()| draw.elements::<F>(len));
    let what =
        || format!("{rows} x {columns}, {} entries, {form:?}, on {}", indices.len(), engine.device().id);
    let kept = match engine.sparse_matrix(matrix.clone()) {
        Ok(kept) => kept,
        Err(error) => panic!("{}: {error}", what()),
    };
    assert!(*kept.as_host() == matrix);
    // The second is one of the matrix that is kept.
    for vector in &vectors {
        let product =
            |engine: &Engine, kept: &DeviceSparseMatrix<F>| sparse_product(engine, kept, vector, form);
        let expected = match len == columns && (!form.stays() || rows > 0 && columns > 0) {
            true => Ok((0..rows)
                .map(|row| {
                    let range = starts[row]..starts[row + 1];
                    range.map(|i| values[i] * vector[indices[i] as usize]).fold(F::ZERO, |sum, x| sum + x)
                })
                .collect()),
            false => engines::reference()
                .sparse_matrix(matrix.clone())
                .and_then(|kept| product(engines::reference(), &kept)),
        };
        check(product(&engine, &kept), expected, form, &what);
    }
}

/// Starts, indices or a number of values that make no matrix, or another one.
fn spoil<F: AcceleratedPrime>(
    draw: &mut Draw<'_>,
    columns: usize,
    starts: &mut Vec<usize>,
    indices: &mut Vec<u32>,
    values: &mut Vec<F>,
) {
    match draw.below(5) {
        0 => {
            let which = draw.below(starts.len());
            starts[which] = draw.near(starts[which]);
        }
        1 if !indices.is_empty() => {
            let which = draw.below(indices.len());
            indices[which] = draw.near(columns) as u32;
        }
        2 => values.push(F::ONE),
        3 => indices.clear(),
        _ => starts.clear(),
    }
}

/// The matrix, which is the same however it is made; `None` if it is refused, as it must be.
fn made<F: AcceleratedPrime>(
    columns: usize,
    starts: &[usize],
    indices: &[u32],
    values: &[F],
) -> Option<SparseMatrix<F>> {
    let sound = indices.len() == values.len()
        && starts.first() == Some(&0)
        && starts.last() == Some(&indices.len())
        && starts.is_sorted()
        && indices.iter().all(|&index| (index as usize) < columns);
    let matrix = SparseMatrix::new(columns, starts, indices, values);
    assert_eq!(matrix.is_ok(), sound, "{:?}", matrix.err());
    let matrix = matrix.ok()?;
    let rows = starts.len() - 1;
    let row = |row: usize| {
        (starts[row]..starts[row + 1]).map(|i| (indices[i] as usize, values[i])).collect::<Vec<_>>()
    };
    assert_eq!((matrix.rows(), matrix.columns(), matrix.entries()), (rows, columns, indices.len()));
    assert!(matrix.row(rows).is_err());
    assert!((0..rows).all(|i| matrix.row(i).is_ok_and(|found| found.eq(row(i)))));
    let by_rows = SparseMatrix::from_rows(columns, (0..rows).map(row));
    assert!(by_rows.as_ref() == Ok(&matrix));
    // Rows in another order; values may be listed in another one.
    let entries =
        (0..rows).rev().flat_map(|i| row(i).into_iter().map(move |(column, value)| (i, column, value)));
    let by_entries = SparseMatrix::from_entries(rows, columns, entries).expect("the same entries");
    assert!((0..rows).all(|i| by_entries.row(i).is_ok_and(|found| found.eq(row(i)))));
    Some(matrix)
}

fn sparse_product<F: AcceleratedPrime>(
    engine: &Engine,
    kept: &DeviceSparseMatrix<F>,
    vector: &[F],
    form: Form,
) -> Result<Vec<F>, Error> {
    match form {
        Form::Slice => engine.sparse_product(kept, vector),
        Form::Vec => engine.sparse_product(kept, &vector.to_vec()),
        Form::Job => engine.sparse_product_async(kept, vector.to_vec()).wait(),
        Form::Stays | Form::JobThatStays => {
            let stays = engine.upload(column(vector)?)?;
            let product = match form {
                Form::Stays => engine.sparse_product(kept, &stays)?,
                _ => engine.sparse_product_async(kept, stays.clone()).wait()?,
            };
            assert_eq!(engine.download(&stays)?.as_slice(), vector, "the vector");
            engine.download(&product).map(Matrix::into_vec)
        }
    }
}
