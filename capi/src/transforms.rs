//! Transforms by numbers and flags, over any field that has them.

use accel::extended::ExtendedDomain;
use accel::matrix::{Layout, MatrixMut, Shape};
use accel::ntt::{AcceleratedField, Direction, Domain, Lde, Ntt, Order};
use accel::resident::DeviceMatrix;
use accel::{Engine, Error};

use crate::any_matrix::AnyMatrix;
use crate::arguments::{Arguments, Input, check_flags, product};
use crate::fields::Words;
use crate::future::Call;
use crate::status::{Failure, ZKA_BAD_LENGTH, ZKA_BAD_LOG_SIZE};

/// From values to coefficients, the factor 1/n included; else from coefficients to values.
pub const ZKA_INVERSE: u32 = 1;
/// The input is in bit-reversed order.
pub const ZKA_IN_BITREV: u32 = 2;
/// The output is in bit-reversed order.
pub const ZKA_OUT_BITREV: u32 = 4;
/// Entries of a column lie side by side; else entries of a row do.
pub const ZKA_COLUMN_MAJOR: u32 = 8;

/// The generator and the shift of a domain, as words; no words of a shift stand for 1.
#[derive(Clone, Copy)]
pub(crate) struct Roots<'a> {
    pub(crate) omega: &'a [u64],
    pub(crate) coset: &'a [u64],
}

/// The same in memory of the caller, read before an operation begins.
pub(crate) struct RootsInput {
    omega: Input<u64>,
    coset: Input<u64>,
}

impl RootsInput {
    /// Elements of so many words; `coset` may be NULL.
    pub(crate) fn new(
        arguments: &mut Arguments,
        omega: *const u64,
        coset: *const u64,
        words: usize,
    ) -> Result<Self, Failure> {
        let shift = if coset.is_null() { 0 } else { words };
        let omega = arguments.input("omega", omega, words)?;
        Ok(Self { omega, coset: arguments.input("coset", coset, shift)? })
    }

    pub(crate) fn as_roots(&self) -> Roots<'_> {
        Roots { omega: self.omega.as_slice(), coset: self.coset.as_slice() }
    }
}

impl Roots<'_> {
    /// The coset of order 2^`log_size`.
    fn domain<F: AcceleratedField + Words>(self, log_size: u32) -> Result<Domain<F>, Failure> {
        let domain = Domain::with_root(log_size, F::elements(self.omega)?[0])?;
        Ok(match F::elements(self.coset)? {
            [shift] => domain.coset(*shift)?,
            _ => domain,
        })
    }

    /// The transform that numbers and flags describe.
    fn ntt<F: AcceleratedField + Words>(self, log_n: u32, flags: u32) -> Result<Ntt<F>, Failure> {
        let direction = if flags & ZKA_INVERSE == 0 { Direction::Forward } else { Direction::Inverse };
        let (input_order, output_order) = (order(flags, ZKA_IN_BITREV), order(flags, ZKA_OUT_BITREV));
        Ok(Ntt { domain: self.domain(log_n)?, direction, input_order, output_order })
    }

    /// The extension that numbers and flags describe.
    pub(crate) fn lde<F: AcceleratedField + Words>(
        self,
        log_n: u32,
        log_blowup: u32,
        flags: u32,
    ) -> Result<Lde<F>, Failure> {
        let log_size = log_n.checked_add(log_blowup).filter(|_| log_blowup > 0).ok_or_else(|| {
            let text = format!("a blow-up of 2^{log_blowup} was asked for, expected at least 2^1");
            Failure::new(ZKA_BAD_LOG_SIZE, text)
        })?;
        let to = self.domain::<F>(log_size)?;
        let subgroup_root = (0..log_blowup).fold(to.root(), |root, _| root * root);
        let lde = Lde::new(Domain::with_root(log_n, subgroup_root)?, to)?;
        Ok(lde.with_output_order(order(flags, ZKA_OUT_BITREV)))
    }
}

/// What is made of the columns of a matrix that stays.
#[derive(Clone, Copy)]
pub(crate) enum Transform {
    Ntt {
        flags: u32,
    },
    Lde {
        log_blowup: u32,
        flags: u32,
    },
    Evaluate {
        log_points: u32,
        flags: u32,
    },
    Interpolate {
        coefficients: usize,
    },
    /// The inverses of all elements, for which there are no roots.
    Invert,
}

/// A matrix that is still to be made.
pub(crate) type Making = Box<dyn FnOnce(&Engine) -> Result<Box<dyn AnyMatrix>, Error> + Send>;

/// [`transform`] over a field.
pub(crate) type TransformOf<F> = fn(&DeviceMatrix<F>, Transform, Roots<'_>) -> Result<Making, Failure>;

/// Checks a transform of a matrix that stays.
pub(crate) fn transform<F: AcceleratedField + Words>(
    matrix: &DeviceMatrix<F>,
    transform: Transform,
    roots: Roots<'_>,
) -> Result<Making, Failure> {
    fn making<F: Words>(
        make: impl FnOnce(&Engine) -> Result<DeviceMatrix<F>, Error> + Send + 'static,
    ) -> Making {
        Box::new(|engine| Ok(Box::new(make(engine)?)))
    }
    let mut matrix = matrix.clone();
    if matches!(transform, Transform::Invert) {
        return Ok(making(move |engine| engine.invert(&mut matrix).map(|()| matrix)));
    }
    let log_rows = log_rows(matrix.shape())?;
    Ok(match transform {
        Transform::Invert => unreachable!("inverses are made for any number of rows"),
        Transform::Ntt { flags } => {
            check_flags(flags, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_OUT_BITREV)?;
            let ntt = roots.ntt::<F>(log_rows, flags)?;
            making(move |engine| engine.ntt(&ntt, &mut matrix).map(|()| matrix))
        }
        Transform::Lde { log_blowup, flags } => {
            check_flags(flags, ZKA_OUT_BITREV)?;
            let lde = roots.lde::<F>(log_rows, log_blowup, flags)?;
            making(move |engine| engine.lde(&lde, &matrix))
        }
        Transform::Evaluate { log_points, flags } => {
            check_flags(flags, 0)?;
            let domain = ExtendedDomain::new(log_rows, roots.domain::<F>(log_points)?)?;
            making(move |engine| engine.coeff_to_extended(&domain, &matrix))
        }
        Transform::Interpolate { coefficients } => {
            let domain = ExtendedDomain::new(log_rows, roots.domain::<F>(log_rows)?)?;
            let rows = matrix.shape().rows;
            if !(1..=rows).contains(&coefficients) {
                let text = format!("{coefficients} coefficients, expected 1 to {rows}, the number of points");
                return Err(Failure::new(ZKA_BAD_LENGTH, text));
            }
            making(move |engine| engine.extended_to_coeff(&domain, &matrix, coefficients))
        }
    })
}

/// A transform of the columns of a matrix in host memory, in place.
pub(crate) fn in_place<F: AcceleratedField + Words>(
    arguments: &mut Arguments,
    data: *mut u64,
    log_n: u32,
    cols: usize,
    roots: Roots<'_>,
    flags: u32,
) -> Result<impl Call + use<F>, Failure> {
    check_flags(flags, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_OUT_BITREV | ZKA_COLUMN_MAJOR)?;
    let ntt = roots.ntt::<F>(log_n, flags)?;
    let shape = shape(ntt.domain.size(), cols, flags)?;
    let mut data = arguments.in_out("data", data, words("data", shape, F::WORDS)?)?;
    Ok(move |engine: &Engine| {
        Ok(engine.ntt(&ntt, MatrixMut::new(F::elements_mut(data.as_mut_slice())?, shape)?)?)
    })
}

/// The order of a side, by its flag.
fn order(flags: u32, bit_reversed: u32) -> Order {
    if flags & bit_reversed == 0 { Order::Natural } else { Order::BitReversed }
}

/// The shape of a matrix; `ZKA_BAD_LENGTH` if it has no columns.
pub(crate) fn shape(rows: usize, columns: usize, flags: u32) -> Result<Shape, Failure> {
    if columns == 0 {
        return Err(Failure::new(ZKA_BAD_LENGTH, "the matrix has no columns, expected at least one"));
    }
    let layout = if flags & ZKA_COLUMN_MAJOR == 0 { Layout::RowMajor } else { Layout::ColumnMajor };
    Ok(Shape { rows, columns, layout })
}

/// The number of words of a matrix, each of its entries of so many; `ZKA_BAD_LENGTH` if it overflows.
pub(crate) fn words(name: &str, shape: Shape, words: usize) -> Result<usize, Failure> {
    product(name, product(name, shape.rows, shape.columns)?, words)
}

/// The binary logarithm of the number of rows; `ZKA_BAD_LENGTH` where it is no power of two.
pub(crate) fn log_rows(shape: Shape) -> Result<u32, Failure> {
    match shape.rows.is_power_of_two() {
        true => Ok(shape.rows.trailing_zeros()),
        false => Err(Error::NotPowerOfTwo { what: "rows of the matrix", found: shape.rows }.into()),
    }
}
