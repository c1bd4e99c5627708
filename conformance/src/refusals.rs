//! Allocations that are refused: operations on data that stay, with less and less memory of the device for each.

use zkaccel::field::Goldilocks;
use zkaccel::hash::Blake3;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{Convention, Lde, Ntt};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::residence::with_budget;
use crate::{Case, expect_equal, reference};

pub(super) const CASES: &[Case] = &[Case { name: "allocations refused, on data that stay", run: refused }];

/// Bytes of the matrix that stays.
const BYTES: u64 = 8 << 10;

/// The matrix: 256 rows of 4 words.
fn matrix() -> Matrix<Goldilocks> {
    Words::new(36).matrix(Shape { rows: 256, columns: 4, layout: Layout::ColumnMajor })
}

/// An operation on a matrix that stays, with the bytes of its answer.
type Operation = (&'static str, fn(&Engine, &DeviceMatrix<Goldilocks>) -> Result<Vec<u8>, Error>);

const OPERATIONS: &[Operation] = &[
    ("a transform", |engine, matrix| {
        let mut values = matrix.clone();
        engine.ntt(&Ntt::forward(extension()?.from()), &mut values)?;
        Ok(bytes_of(&engine.download(&values)?))
    }),
    ("an extension", |engine, matrix| Ok(bytes_of(&engine.download(&engine.lde(&extension()?, matrix)?)?))),
    ("a tree of rows", |engine, matrix| {
        Ok(engine.merkle_tree_of_rows::<Blake3, _>(matrix)?.root().0.to_vec())
    }),
    ("combinations of rows", |engine, matrix| Ok(bytes_of(&engine.combine_rows(matrix, matrix)?))),
    ("prefix products", |engine, matrix| {
        let (products, _) = engine.prefix_products(matrix, &[])?;
        Ok(bytes_of(&engine.download(&products)?))
    }),
    ("inverses", |engine, matrix| {
        let mut inverses = matrix.clone();
        engine.invert(&mut inverses)?;
        Ok(bytes_of(&engine.download(&inverses)?))
    }),
];

fn extension() -> Result<Lde, Error> {
    Lde::onto_coset(8, 4, Convention::Winterfell, Goldilocks::GENERATOR)
}

fn bytes_of(matrix: &Matrix<Goldilocks>) -> Vec<u8> {
    bytemuck::cast_slice(matrix.as_slice()).to_vec()
}

/// Budgets from far more than anything takes to nothing, each about an eighth below the one before.
fn budgets() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(32 * BYTES), |&budget| (budget > 0).then(|| budget - budget.div_ceil(8)))
}

/// Every operation with every budget ends in the right answer, or in the error that names this budget and what is asked of it. What stays is as it
/// was after either; where there is most memory nothing is refused, and what was refused once is not done with less.
fn refused(engine: &Engine) -> Result<(), String> {
    let (matrix, oracle) = (matrix(), reference()?);
    for (what, operation) in OPERATIONS {
        // What a device does not offer is left to the cases of that operation.
        if let Err(Error::Unsupported { .. }) = operation(engine, &engine.upload(&matrix)?) {
            continue;
        }
        let expected = operation(oracle, &oracle.upload(&matrix)?)?;
        let (mut done, mut refusals) = (true, 0);
        for budget in budgets() {
            let what = format!("{what} with {budget} bytes");
            let engine = with_budget(engine, budget)?;
            let kept = match engine.upload(&matrix) {
                Err(error) => {
                    is_refusal(&what, &error, budget)?;
                    if budget >= BYTES {
                        return Err(format!("{what}: {BYTES} bytes were not taken: {error}"));
                    }
                    continue;
                }
                Ok(kept) => kept,
            };
            let before = done;
            match operation(&engine, &kept) {
                Ok(found) => expect_equal(&what, &found, &expected)?,
                Err(error) => {
                    is_refusal(&what, &error, budget)?;
                    (done, refusals) = (false, refusals + 1);
                }
            }
            if !before && done {
                return Err(format!("{what}: done, and refused with more"));
            }
            expect_equal("what stays", engine.download(&kept)?.as_slice(), matrix.as_slice())?;
        }
        if engine.always_keeps_data() && refusals == 0 {
            return Err(format!("{what}: never refused"));
        }
    }
    Ok(())
}

/// That it is the error of this budget, which is less than what was asked.
fn is_refusal(what: &str, error: &Error, budget: u64) -> Result<(), String> {
    match *error {
        Error::OverDeviceBudget { required, budget: found } if found == budget && required > budget => Ok(()),
        _ => Err(format!("{what}: {error:?}, expected a refusal with this budget")),
    }
}
