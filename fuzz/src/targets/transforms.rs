//! Transforms, extensions and extended domains over Goldilocks, its extensions, and prime fields, in every form that a matrix has: each engine
//! gives the answer or the error of the reference, and values are those of the polynomial by Horner's rule.

use zkaccel::bn254::Fr;
use zkaccel::extended::ExtendedDomain;
use zkaccel::field::{Cubic, Goldilocks, Quadratic, TwoAdic};
use zkaccel::matrix::{BaseField, Element, Layout, Matrix, MatrixMut, Shape};
use zkaccel::ntt::{Direction, Lde, Ntt, Order, reverse_bits};
use zkaccel::pasta;
use zkaccel::{Engine, Error, bls12_377, bls12_381};

use crate::domains::{Roots, domain};
use crate::draw::Draw;
use crate::engines;

/// Elements of a matrix at most.
const LARGEST: usize = 1 << 11;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(8) {
        0 => over::<Goldilocks>(&mut draw),
        1 => over::<Fr>(&mut draw),
        2 => over::<Quadratic>(&mut draw),
        3 => over::<Cubic>(&mut draw),
        4 => over::<pasta::Fp>(&mut draw),
        5 => over::<pasta::Fq>(&mut draw),
        6 => over::<bls12_381::Fr>(&mut draw),
        _ => over::<bls12_377::Fr>(&mut draw),
    }
}

/// What is done with a matrix.
#[derive(Clone, Copy, Debug)]
enum Operation<F> {
    Ntt(Ntt<F>),
    Lde(Lde<F>),
    Evaluate(ExtendedDomain<F>),
    Interpolate(ExtendedDomain<F>, usize),
}

/// How it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Owned,
    Borrowed,
    /// A slice of columns, one after another.
    Slice,
    /// Into memory of the caller's, which holds something else.
    Into,
    Stays,
    Job,
}

fn over<E: Element<Base: Roots>>(draw: &mut Draw<'_>) {
    let engine = engines::draw(draw);
    let largest = (LARGEST / E::WIDTH).ilog2() as usize;
    let log_rows = draw.below(largest) as u32;
    let log_more = draw.below(1 + (largest - log_rows as usize).min(4)) as u32;
    let orders = [(); 2].map(|()| draw.pick(&[Order::Natural, Order::BitReversed]));
    let operation = match draw.below(4) {
        0 => {
            let direction = draw.pick(&[Direction::Forward, Direction::Inverse]);
            let ntt = Ntt {
                domain: domain(draw, log_rows),
                direction,
                input_order: orders[0],
                output_order: orders[1],
            };
            Operation::Ntt(ntt)
        }
        1 => {
            let (from, to) = (domain(draw, log_rows), domain(draw, log_rows + log_more));
            match Lde::new(from, to) {
                Ok(lde) => Operation::Lde(lde.with_output_order(orders[1])),
                Err(error) => return assert_eq!((error, log_more), (Error::BadBlowup { found: 1 }, 0)),
            }
        }
        2 => Operation::Evaluate(
            ExtendedDomain::new(log_rows, domain(draw, log_rows + log_more)).expect("no smaller"),
        ),
        _ => {
            let points = domain(draw, log_rows);
            let domain =
                ExtendedDomain::new(draw.below(log_rows as usize + 1) as u32, points).expect("no smaller");
            let coefficients = match draw.below(8) {
                7 => draw.near(1 << log_rows),
                _ => 1 + draw.below(1 << log_rows),
            };
            Operation::Interpolate(domain, coefficients)
        }
    };
    let mut rows = 1 << log_rows;
    if draw.below(24) == 23 {
        rows = draw.near(rows).clamp(1, LARGEST);
    }
    let columns =
        1 + draw.below((LARGEST >> log_more).checked_div(rows * E::WIDTH).unwrap_or(0).clamp(1, 40));
    let shape = Shape { rows, columns, layout: draw.layout() };
    let mut matrix = draw.matrix::<E>(shape);
    if draw.below(24) == 23 {
        spoil(draw, &mut matrix);
    }
    let form = draw.pick(&[Form::Owned, Form::Borrowed, Form::Slice, Form::Into, Form::Stays, Form::Job]);
    let poison = draw.byte();

    let found = apply(&engine, &operation, matrix.clone(), form, poison);
    let expected = apply(engines::reference(), &operation, matrix.clone(), form, 0);
    let what = || format!("{operation:?} of {shape:?}, {form:?}, on {}", engine.device().id);
    match (&found, &expected) {
        (Err(found), Err(expected)) => assert_eq!(found, expected, "{}", what()),
        // What must stay on a device with a small budget.
        (Err(Error::OverDeviceBudget { .. }), Ok(_)) if form == Form::Stays => {}
        (Ok(found), Ok(expected)) => {
            let words = |elements: &[E]| <E::Base as BaseField>::words(E::base(elements)).to_vec();
            assert_eq!(words(found), words(expected), "{}", what());
            if let Operation::Ntt(ntt) = operation
                && ntt.direction == Direction::Forward
            {
                // A slice is as many polynomials as it has room for.
                let polynomials = found.len() >> ntt.domain.log_size();
                let of_slice =
                    Shape { rows: ntt.domain.size(), columns: polynomials, layout: Layout::ColumnMajor };
                check_value(draw, &ntt, &matrix, found, if form == Form::Slice { of_slice } else { shape });
            }
        }
        _ => panic!("{}: {:?} and {:?}", what(), found.as_ref().err(), expected.as_ref().err()),
    }
}

/// Puts a word that is no element somewhere, where the field has such words.
fn spoil<E: Element>(draw: &mut Draw<'_>, matrix: &mut Matrix<E>) {
    let words = <E::Base as BaseField>::words_mut(E::base_mut(matrix.as_mut_slice()));
    if <E::Base as BaseField>::MODULUS.len() == 1 {
        words[draw.below(words.len())] = u64::MAX - u64::from(draw.byte());
    }
}

fn apply<E: Element<Base: Roots>>(
    engine: &Engine,
    operation: &Operation<E::Base>,
    matrix: Matrix<E>,
    form: Form,
    poison: u8,
) -> Result<Vec<E>, Error> {
    let shape = matrix.shape();
    match (operation, form) {
        (Operation::Ntt(ntt), Form::Slice) => {
            let mut values = matrix.clone().into_vec();
            let done = engine.ntt(ntt, &mut values[..]);
            assert!(done.is_ok() || same(&values, matrix.as_slice()), "what is refused is unchanged");
            done.map(|()| values)
        }
        (Operation::Ntt(ntt), Form::Stays) => {
            let before = engine.upload(&matrix)?;
            let mut values = before.clone();
            engine.ntt(ntt, &mut values)?;
            assert_eq!(in_layout(engine.download(&before)?, shape.layout), matrix, "the other clone");
            Ok(in_layout(engine.download(&values)?, shape.layout).into_vec())
        }
        (Operation::Ntt(ntt), Form::Job) => engine.ntt_async(ntt, matrix).wait().map(Matrix::into_vec),
        (Operation::Ntt(ntt), _) => {
            let mut values = matrix.clone();
            let done = engine.ntt(ntt, values.view_mut());
            assert!(
                done.is_ok() || same(values.as_slice(), matrix.as_slice()),
                "what is refused is unchanged"
            );
            done.map(|()| values.into_vec())
        }
        (Operation::Lde(lde), Form::Into) => {
            let mut extended = poisoned::<E>(lde.to().size() * shape.columns, poison);
            match poison & 1 {
                0 => engine.lde_copied_into(lde, matrix.view(), &mut extended)?,
                _ => {
                    let mut values = matrix.into_vec();
                    engine.lde_into(lde, MatrixMut::new(&mut values, shape)?, &mut extended)?;
                }
            }
            Ok(extended)
        }
        (Operation::Lde(lde), Form::Slice) => engine.lde(lde, matrix.as_slice()).map(Matrix::into_vec),
        (Operation::Lde(lde), Form::Borrowed) => engine.lde(lde, &matrix).map(Matrix::into_vec),
        (Operation::Lde(lde), Form::Job) => engine.lde_async(lde, matrix).wait().map(Matrix::into_vec),
        (Operation::Lde(lde), Form::Stays) => {
            let extended = engine.lde(lde, &engine.upload(matrix)?)?;
            Ok(in_layout(engine.download(&extended)?, shape.layout).into_vec())
        }
        (Operation::Lde(lde), Form::Owned) => engine.lde(lde, matrix).map(Matrix::into_vec),
        (Operation::Evaluate(domain), Form::Slice) => {
            engine.coeff_to_extended(domain, matrix.as_slice()).map(Matrix::into_vec)
        }
        (Operation::Evaluate(domain), Form::Stays) => {
            let values = engine.coeff_to_extended(domain, &engine.upload(matrix)?)?;
            Ok(in_layout(engine.download(&values)?, shape.layout).into_vec())
        }
        (Operation::Evaluate(domain), _) => engine.coeff_to_extended(domain, &matrix).map(Matrix::into_vec),
        (&Operation::Interpolate(ref domain, coefficients), Form::Slice) => {
            engine.extended_to_coeff(domain, matrix.as_slice(), coefficients).map(Matrix::into_vec)
        }
        (&Operation::Interpolate(ref domain, coefficients), Form::Stays) => {
            let found = engine.extended_to_coeff(domain, engine.upload(matrix)?, coefficients)?;
            Ok(in_layout(engine.download(&found)?, shape.layout).into_vec())
        }
        (&Operation::Interpolate(ref domain, coefficients), _) => {
            engine.extended_to_coeff(domain, matrix, coefficients).map(Matrix::into_vec)
        }
    }
}

/// Whether both have the same words; elements need not be canonical.
fn same<E: Element>(left: &[E], right: &[E]) -> bool {
    let words = |elements| <E::Base as BaseField>::words(E::base(elements));
    words(left) == words(right)
}

/// Elements of which every byte is the same, as far as these are elements.
fn poisoned<E: Element>(len: usize, byte: u8) -> Vec<E> {
    let mut elements = E::zeros(len).expect("memory for small arrays");
    let words = <E::Base as BaseField>::words_mut(E::base_mut(&mut elements));
    words.fill(u64::from_ne_bytes([byte; 8]) >> (3 * (<E::Base as BaseField>::MODULUS.len() > 1) as u32));
    elements
}

/// A matrix that stays may have its columns one after another, whatever it had before.
fn in_layout<E: Element>(matrix: Matrix<E>, layout: Layout) -> Matrix<E> {
    let shape = matrix.shape();
    if shape.layout == layout {
        return matrix;
    }
    let entries = match layout {
        Layout::RowMajor => (0..shape.rows).flat_map(|row| matrix.row(row)).collect(),
        Layout::ColumnMajor => (0..shape.columns)
            .flat_map(|column| (0..shape.rows).map(move |row| (row, column)))
            .map(|(row, column)| matrix.get(row, column))
            .collect(),
    };
    Matrix::new(entries, Shape { layout, ..shape }).expect("as many entries")
}

/// One value of one polynomial, by Horner's rule, for each element of an entry.
fn check_value<E: Element<Base: Roots>>(
    draw: &mut Draw<'_>,
    ntt: &Ntt<E::Base>,
    coefficients: &Matrix<E>,
    values: &[E],
    shape: Shape,
) {
    let (rows, log_size) = (shape.rows, ntt.domain.log_size());
    let at = |order, i| if order == Order::Natural { i } else { reverse_bits(i, log_size) };
    let (column, i) = (draw.below(shape.columns), draw.below(rows));
    let point = (0..i).fold(ntt.domain.shift(), |point, _| point * ntt.domain.root());
    let entry = |matrix: &[E], row: usize| {
        let index = match shape.layout {
            Layout::RowMajor => row * shape.columns + column,
            Layout::ColumnMajor => column * rows + row,
        };
        E::base(&matrix[index..=index]).to_vec()
    };
    for part in 0..E::WIDTH {
        let value = (0..rows).rev().fold(E::Base::ZERO, |value, j| {
            value * point + entry(coefficients.as_slice(), at(ntt.input_order, j))[part]
        });
        assert_eq!(entry(values, at(ntt.output_order, i))[part], value, "value {i} of column {column}");
    }
}
