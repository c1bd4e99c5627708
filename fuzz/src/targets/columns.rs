//! Combinations of the columns and of the rows of a matrix, and prefix products of its columns: each engine gives what the definition says, or the error
//! of the reference, in every form of a matrix.

use zkaccel::bn254::Fr;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{BaseField, Layout, Matrix, Shape};
use zkaccel::ntt::AcceleratedField;
use zkaccel::{Engine, Error};

use crate::draw::Draw;
use crate::engines;

/// Elements of a matrix at most.
const LARGEST: usize = 4000;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.flag() {
        true => over::<Goldilocks>(&mut draw),
        false => over::<Fr>(&mut draw),
    }
}

/// How the matrix is given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Owned,
    Borrowed,
    View,
    Stays,
    Job,
    JobThatStays,
}

const FORMS: [Form; 6] =
    [Form::Owned, Form::Borrowed, Form::View, Form::Stays, Form::Job, Form::JobThatStays];

impl Form {
    fn stays(self) -> bool {
        matches!(self, Self::Stays | Self::JobThatStays)
    }
}

/// What is computed of a matrix.
#[derive(Debug)]
enum Operation<F> {
    /// By coefficients.
    Columns(Matrix<F>),
    /// By weights.
    Rows(Matrix<F>),
    /// From first values.
    Prefix(Vec<F>),
}

fn over<F: AcceleratedField>(draw: &mut Draw<'_>) {
    let (engine, form) = (engines::draw(draw), draw.pick(&FORMS));
    let most = draw.pick(&[4, 40, LARGEST]);
    let rows = 1 + draw.below(most);
    let columns = 1 + draw.below((LARGEST / rows).clamp(1, 150));
    let shape = Shape { rows, columns, layout: draw.layout() };
    let mut matrix = draw.matrix::<F>(shape);
    let (kind, is_wrong) = (draw.below(5), draw.below(24) == 23);
    let mut factors = |rows: usize| {
        let rows = if is_wrong { draw.near(rows).clamp(1, LARGEST) } else { rows };
        let count = 1 + draw.below((LARGEST / rows).clamp(1, 6));
        let shape = Shape { rows, columns: count, layout: draw.layout() };
        draw.matrix::<F>(shape)
    };
    let mut operation = match kind {
        0 => Operation::Columns(factors(columns)),
        1 => Operation::Rows(factors(rows)),
        2 => Operation::Rows(factors(rows - rows / 3)),
        3 => Operation::Prefix(Vec::new()),
        _ => Operation::Prefix(factors(columns).into_vec()),
    };
    if let Operation::Prefix(first) = &mut operation
        && !is_wrong
    {
        first.truncate(columns);
    }
    if <F as BaseField>::MODULUS.len() == 1 && draw.below(16) == 15 {
        let spoil = |draw: &mut Draw<'_>, elements: &mut [F]| {
            let words = F::words_mut(elements);
            if !words.is_empty() {
                words[draw.below(words.len())] = u64::MAX - u64::from(draw.byte());
            }
        };
        match &mut operation {
            _ if draw.flag() => spoil(draw, matrix.as_mut_slice()),
            Operation::Columns(factors) | Operation::Rows(factors) => spoil(draw, factors.as_mut_slice()),
            Operation::Prefix(first) => spoil(draw, first),
        }
    }

    let found = apply(&engine, &operation, &matrix, form);
    let what = || {
        let operation = match &operation {
            Operation::Columns(factors) => format!("columns by {:?}", factors.shape()),
            Operation::Rows(factors) => format!("rows by {:?}", factors.shape()),
            Operation::Prefix(first) => format!("prefix products from {} values", first.len()),
        };
        format!("{operation} of {:?}, {form:?}, on {}", matrix.shape(), engine.device().id)
    };
    match (&found, defined(&operation, &matrix)) {
        // What must stay on a device with a small budget.
        (Err(Error::OverDeviceBudget { .. }), _) if form.stays() => {}
        (Ok(found), Some(expected)) => {
            assert!(F::words(found) == F::words(&expected), "{}: {found:?}", what())
        }
        (Err(error), None) => {
            let expected = apply(engines::reference(), &operation, &matrix, form);
            assert_eq!(Some(error), expected.err().as_ref(), "{}", what());
        }
        (found, expected) => {
            panic!("{}: {:?}, expected an answer: {}", what(), found.as_ref().err(), expected.is_some())
        }
    }
}

/// The entries column by column, and the products of whole columns behind them, by the definition; `None` for what is refused.
fn defined<F: AcceleratedField>(operation: &Operation<F>, matrix: &Matrix<F>) -> Option<Vec<F>> {
    let Shape { rows, columns, .. } = matrix.shape();
    F::check_all(matrix.as_slice()).ok()?;
    let sum = |terms: &mut dyn Iterator<Item = F>| terms.fold(F::ZERO, |sum, term| sum + term);
    match operation {
        Operation::Columns(factors) => {
            F::check_all(factors.as_slice()).ok()?;
            let count = factors.shape().columns;
            let entry = |row, of| sum(&mut (0..columns).map(|j| matrix.get(row, j) * factors.get(j, of)));
            (factors.shape().rows == columns)
                .then(|| (0..count).flat_map(|of| (0..rows).map(move |row| (row, of))))
                .map(|entries| entries.map(|(row, of)| entry(row, of)).collect())
        }
        Operation::Rows(factors) => {
            F::check_all(factors.as_slice()).ok()?;
            let Shape { rows: weights, columns: count, .. } = factors.shape();
            let entry =
                |of, column| sum(&mut (0..weights).map(|i| factors.get(i, of) * matrix.get(i, column)));
            (weights <= rows)
                .then(|| (0..columns).flat_map(|column| (0..count).map(move |of| (of, column))))
                .map(|entries| entries.map(|(of, column)| entry(of, column)).collect())
        }
        Operation::Prefix(first) => {
            F::check_all(first).ok()?;
            if !first.is_empty() && first.len() != columns {
                return None;
            }
            let (mut products, mut all) = (Vec::new(), Vec::new());
            for column in 0..columns {
                let mut product = first.get(column).copied().unwrap_or(F::ONE);
                for row in 0..rows {
                    products.push(product);
                    product = product * matrix.get(row, column);
                }
                all.push(product);
            }
            Some([products, all].concat())
        }
    }
}

/// The entries column by column.
fn by_columns<F: AcceleratedField>(matrix: &Matrix<F>) -> Vec<F> {
    let Shape { rows, columns, layout } = matrix.shape();
    match layout {
        Layout::ColumnMajor => matrix.as_slice().to_vec(),
        Layout::RowMajor => {
            let places = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
            places.map(|(row, column)| matrix.get(row, column)).collect()
        }
    }
}

fn apply<F: AcceleratedField>(
    engine: &Engine,
    operation: &Operation<F>,
    matrix: &Matrix<F>,
    form: Form,
) -> Result<Vec<F>, Error> {
    match operation {
        Operation::Columns(factors) => {
            let combined = match form {
                Form::Owned => engine.combine_columns(matrix.clone(), factors)?,
                Form::Borrowed => engine.combine_columns(matrix, factors)?,
                Form::View => engine.combine_columns(matrix.view(), factors)?,
                Form::Job => engine.combine_columns_async(matrix.clone(), factors.clone()).wait()?,
                Form::Stays => engine.download(&engine.combine_columns(&engine.upload(matrix)?, factors)?)?,
                Form::JobThatStays => {
                    let job = engine.combine_columns_async(engine.upload(matrix)?, factors.clone());
                    engine.download(&job.wait()?)?
                }
            };
            let shape =
                Shape { columns: factors.shape().columns, layout: Layout::ColumnMajor, ..matrix.shape() };
            assert_eq!(combined.shape(), shape);
            Ok(combined.into_vec())
        }
        Operation::Rows(factors) => {
            let combined = match form {
                Form::Owned => engine.combine_rows(factors.clone(), matrix.clone())?,
                Form::Borrowed => engine.combine_rows(factors, matrix)?,
                Form::View => engine.combine_rows(factors.view(), matrix.view())?,
                Form::Job => engine.combine_rows_async(factors.clone(), matrix.clone()).wait()?,
                Form::Stays => engine.combine_rows(&engine.upload(factors)?, &engine.upload(matrix)?)?,
                Form::JobThatStays => {
                    engine.combine_rows_async(engine.upload(factors)?, engine.upload(matrix)?).wait()?
                }
            };
            let rows = factors.shape().columns;
            assert_eq!(combined.shape(), Shape { rows, layout: Layout::ColumnMajor, ..matrix.shape() });
            Ok(combined.into_vec())
        }
        Operation::Prefix(first) => {
            let (products, all) = match form {
                Form::Owned => engine.prefix_products(matrix.clone(), first)?,
                Form::Borrowed => engine.prefix_products(matrix, first)?,
                Form::View => engine.prefix_products(matrix.view(), first)?,
                Form::Job => engine.prefix_products_async(matrix.clone(), first.clone()).wait()?,
                Form::Stays | Form::JobThatStays => {
                    let kept = engine.upload(matrix)?;
                    let (products, all) = match form {
                        Form::Stays => engine.prefix_products(&kept, first)?,
                        _ => engine.prefix_products_async(kept, first.clone()).wait()?,
                    };
                    (engine.download(&products)?, all)
                }
            };
            Ok([by_columns(&products), all].concat())
        }
    }
}
