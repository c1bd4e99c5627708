//! Inverses of many elements: each engine gives those of the reference, their products with the elements are 1, and zeros stay zero.

use zkaccel::bn254::Fr;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{BaseField, Matrix, Shape};
use zkaccel::ntt::AcceleratedField;
use zkaccel::pasta::Fq;
use zkaccel::{Engine, Error};

use crate::draw::Draw;
use crate::engines;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(3) {
        0 => over::<Goldilocks>(&mut draw),
        1 => over::<Fr>(&mut draw),
        _ => over::<Fq>(&mut draw),
    }
}

fn over<F: AcceleratedField>(draw: &mut Draw<'_>) {
    let engine = engines::draw(draw);
    let most = draw.pick(&[60, 700]);
    let (rows, columns) = (1 + draw.below(most), 1 + draw.below(3));
    let shape = Shape { rows, columns, layout: draw.layout() };
    let mut matrix = draw.matrix::<F>(shape);
    // Runs of zeros.
    for _ in 0..draw.below(4) {
        let (from, len) = (draw.below(rows * columns), draw.below(300));
        matrix.as_mut_slice()[from..].iter_mut().take(len).for_each(|element| *element = F::ZERO);
    }
    let mut wrong = None;
    if <F as BaseField>::MODULUS.len() == 1 && draw.below(16) == 15 {
        let index = draw.below(rows * columns);
        let value = u64::MAX - u64::from(draw.byte());
        F::words_mut(matrix.as_mut_slice())[index] = value;
        wrong = Some(Error::NotCanonical { index, value });
    }
    let form = draw.below(4);
    let found = inverses(&engine, &matrix, form);
    match (&found, &wrong) {
        // What must stay on a device with a small budget.
        (Err(Error::OverDeviceBudget { .. }), _) if form == 3 => return,
        (Ok(found), None) => {
            for (&x, &inverse) in matrix.as_slice().iter().zip(found) {
                assert_eq!(x * inverse, if x == F::ZERO { F::ZERO } else { F::ONE });
            }
            // Products with words that are no elements would be right as well.
            assert_eq!(F::check_all(found), Ok(()));
        }
        (found, wrong) => assert_eq!(found.as_ref().err(), wrong.as_ref(), "on {}", engine.device().id),
    }
    // The reference inverts one by one, which takes its time.
    if rows * columns <= 64 {
        assert_eq!(
            found,
            inverses(engines::reference(), &matrix, form),
            "{shape:?}, on {}",
            engine.device().id
        );
    }
}

fn inverses<F: AcceleratedField>(engine: &Engine, matrix: &Matrix<F>, form: usize) -> Result<Vec<F>, Error> {
    let mut values = matrix.clone();
    let done = match form {
        0 => engine.invert(&mut values),
        1 => engine.invert(values.as_mut_slice()),
        2 => return engine.invert_async(values).wait().map(Matrix::into_vec),
        _ => {
            let mut stays = engine.upload(values)?;
            engine.invert(&mut stays)?;
            let found = engine.download(&stays)?;
            // Its columns may have come to lie one after another.
            let shape = matrix.shape();
            return Ok(match found.shape().layout == shape.layout {
                true => found.into_vec(),
                false => (0..shape.rows).flat_map(|row| found.row(row)).collect(),
            });
        }
    };
    assert!(
        done.is_ok() || F::words(values.as_slice()) == F::words(matrix.as_slice()),
        "what is refused is unchanged"
    );
    done.map(|()| values.into_vec())
}
