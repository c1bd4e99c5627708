//! Transforms of arrays, in place or to another array, and of matrices that stay on a device.

use accel::bn254::Fr;
use accel::extended::ExtendedDomain;
use accel::field::{Goldilocks, TwoAdic, from_montgomery, to_montgomery};
use accel::matrix::MatrixMut;
use accel::matrix::MatrixRef;
use accel::ntt::{AcceleratedField, Convention, Direction, Domain, Lde, Ntt, Order};
use accel::{Engine, Error};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrays::{Output, array};
use crate::engine::Live;
use crate::failure::{Failure, Outcome};
use crate::fields::{Form, Words, unknown};
use crate::integers::{copied, limbs, zeros};
use crate::matrix::{DeviceMatrix, Operand};

/// The order of rows, by its name.
pub(crate) fn order(name: &str) -> Result<Order, Error> {
    match name {
        "natural" => Ok(Order::Natural),
        "bit-reversed" => Ok(Order::BitReversed),
        _ => Err(unknown("order", name, &["natural", "bit-reversed"])),
    }
}

/// The binary logarithm of a number of rows.
fn log_rows(rows: usize) -> Result<u32, Error> {
    match rows.is_power_of_two() {
        true => Ok(rows.trailing_zeros()),
        false => Err(Error::NotPowerOfTwo { what: "rows of the matrix", found: rows }),
    }
}

/// What is the same for every transform over Goldilocks.
pub(crate) struct Options<'a> {
    pub(crate) convention: &'a str,
    pub(crate) shift: u64,
    pub(crate) input_order: &'a str,
    pub(crate) output_order: &'a str,
}

impl Options<'_> {
    /// The transform of columns of so many rows.
    pub(crate) fn ntt(&self, direction: Direction, rows: usize) -> Result<Ntt, Error> {
        let (input, output) = (order(self.input_order)?, order(self.output_order)?);
        let convention: Convention = self.convention.parse()?;
        let domain =
            Domain::new(log_rows(rows)?, convention)?.coset(bytemuck::cast::<_, Goldilocks>(self.shift))?;
        Ok(Ntt { direction, ..Ntt::forward(domain) }.with_orders(input, output))
    }

    /// The extension of columns of so many rows.
    pub(crate) fn lde(&self, blowup: u64, rows: usize) -> Result<Lde, Error> {
        let output = order(self.output_order)?;
        let (convention, shift) = (self.convention.parse()?, bytemuck::cast::<_, Goldilocks>(self.shift));
        Ok(Lde::onto_coset(log_rows(rows)?, blowup, convention, shift)?.with_output_order(output))
    }
}

/// A transform over BN254's scalars: the root of unity and the shift as Python gives them.
pub(crate) fn fft<'py>(
    direction: Direction,
    rows: usize,
    root: &Bound<'py, PyAny>,
    shift: &Bound<'py, PyAny>,
) -> Outcome<Ntt<Fr>> {
    let log_size = log_rows(rows)?;
    let domain = match root.cast::<PyString>() {
        Ok(name) => match &*name.to_string_lossy() {
            "halo2" => Domain::halo2(log_size)?,
            "arkworks" => Domain::arkworks(log_size)?,
            name => return Err(unknown("root of unity", name, &["halo2", "arkworks", "an integer"]).into()),
        },
        Err(_) => Domain::with_root(log_size, scalar(root)?)?,
    };
    let shift = match shift.cast::<PyString>() {
        Ok(name) if name.to_string_lossy() == "zeta" => ExtendedDomain::halo2(0, 0)?.points().shift(),
        Ok(name) => return Err(unknown("shift", &name.to_string_lossy(), &["zeta", "an integer"]).into()),
        Err(_) => scalar(shift)?,
    };
    Ok(Ntt { direction, ..Ntt::forward(domain.coset(shift)?) })
}

/// A scalar of BN254 from a Python integer.
fn scalar(object: &Bound<'_, PyAny>) -> Outcome<Fr> {
    Ok(accel::bn254::scalars_of_integers(&[limbs(object)?])?[0])
}

/// Transforms the columns of an operand. The result is a new array, `out`, or for a matrix that stays another that does. With
/// `canonical` elements of arrays are integers instead of residues in Montgomery form.
pub(crate) fn transform<'py, F: Words + AcceleratedField + TwoAdic>(
    live: &Live,
    matrix: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    canonical: bool,
    make: impl FnOnce(usize) -> Outcome<Ntt<F>>,
) -> Outcome<Bound<'py, PyAny>> {
    let py = matrix.py();
    // In place.
    if let Some(out) = out.filter(|out| out.is(matrix)) {
        let mut output = Output::new(out, "matrix")?;
        let form = Form::of::<F>("matrix", output.dims(), output.is_fortran())?;
        let ntt = make(form.shape.rows)?;
        let words = output.words_mut();
        live.run(py, |engine| transform_words::<F>(engine, &ntt, words, &form, canonical))?;
        return Ok(output.into_object());
    }
    match Operand::new::<F>(live, matrix)? {
        Operand::Kept(kept) => {
            no_out(out)?;
            if canonical {
                let text = "canonical: a matrix that stays on a device is in Montgomery form, expected False; \
                            upload and download convert";
                return Err(Failure::Value(text.into()));
            }
            let mut matrix = kept.get().entries::<F>()?.clone();
            let (flat, ntt) = (kept.get().is_flat(), make(matrix.shape().rows)?);
            let matrix = live.run(py, move |engine| {
                engine.ntt(&ntt, &mut matrix)?;
                Ok(matrix)
            })?;
            Ok(DeviceMatrix::new(live, matrix, flat).into_pyobject(py)?.into_any())
        }
        Operand::Host(input) => {
            let form = Form::of::<F>("matrix", input.dims(), input.is_fortran())?;
            let ntt = make(form.shape.rows)?;
            let words = input.words();
            match out {
                Some(out) => {
                    let mut output = Output::new(out, "out")?;
                    output.check(&form)?;
                    let into = output.words_mut();
                    live.run(py, |engine| {
                        into.copy_from_slice(words);
                        transform_words::<F>(engine, &ntt, into, &form, canonical)
                    })?;
                    Ok(output.into_object())
                }
                None => {
                    let words = live.run(py, |engine| {
                        let mut words = copied(words)?;
                        transform_words::<F>(engine, &ntt, &mut words, &form, canonical)?;
                        Ok(words)
                    })?;
                    Ok(array(py, words, &form))
                }
            }
        }
    }
}

fn transform_words<F: Words + AcceleratedField>(
    engine: &Engine,
    ntt: &Ntt<F>,
    words: &mut [u64],
    form: &Form,
    canonical: bool,
) -> Result<(), Error> {
    if canonical {
        to_montgomery::<Fr>(words.as_chunks_mut().0)?;
    }
    let mut transform = || engine.ntt(ntt, MatrixMut::new(F::elements_mut(words)?, form.shape)?);
    let transformed = transform();
    if canonical {
        // After an error, too, so that what is transformed in place stays as it was.
        from_montgomery::<Fr>(words.as_chunks_mut().0)?;
    }
    transformed
}

/// Extends the columns of an operand over Goldilocks.
pub(crate) fn extend<'py>(
    live: &Live,
    matrix: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    make: impl FnOnce(usize) -> Result<Lde, Error>,
) -> Outcome<Bound<'py, PyAny>> {
    let py = matrix.py();
    match Operand::new::<Goldilocks>(live, matrix)? {
        Operand::Kept(kept) => {
            no_out(out)?;
            let matrix = kept.get().entries::<Goldilocks>()?;
            let lde = make(matrix.shape().rows)?;
            let extended = live.run(py, |engine| engine.lde(&lde, matrix))?;
            Ok(DeviceMatrix::new(live, extended, kept.get().is_flat()).into_pyobject(py)?.into_any())
        }
        Operand::Host(input) => {
            let form = Form::of::<Goldilocks>("matrix", input.dims(), input.is_fortran())?;
            let lde = make(form.shape.rows)?;
            let (extended, words) = (form.of_rows(lde.to().size()), input.words());
            let extend = |engine: &Engine, into: &mut [u64]| {
                let matrix = MatrixRef::new(Goldilocks::elements(words)?, form.shape)?;
                engine.lde_copied_into(&lde, matrix, Goldilocks::elements_mut(into)?)
            };
            match out {
                Some(out) => {
                    let mut output = Output::new(out, "out")?;
                    output.check(&extended)?;
                    let into = output.words_mut();
                    live.run(py, |engine| extend(engine, into))?;
                    Ok(output.into_object())
                }
                None => {
                    let words = live.run(py, |engine| {
                        let mut words = zeros(extended.words())?;
                        extend(engine, &mut words)?;
                        Ok(words)
                    })?;
                    Ok(array(py, words, &extended))
                }
            }
        }
    }
}

/// A failure if there is an array for a result that stays on the device.
fn no_out(out: Option<&Bound<'_, PyAny>>) -> Outcome<()> {
    match out {
        None => Ok(()),
        Some(_) => Err(Failure::Value(
            "out: the result for a DeviceMatrix is another DeviceMatrix, expected no array for it".into(),
        )),
    }
}
