//! Transforms and low-degree extensions over every field that has them.

use zkaccel::extended::ExtendedDomain;
use zkaccel::field::{Cubic, Goldilocks, Quadratic};
use zkaccel::matrix::{Element, Layout, Matrix, Shape};
use zkaccel::ntt::{AcceleratedField, Convention, Direction, Domain, Lde, Ntt, Order};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Samples, Words};
use crate::{Case, agree, expect_equal, expect_error, reference, wrong_engine};

pub(super) const CASES: &[Case] = &[
    Case { name: "transforms of 1 to 8", run: known_answer },
    Case { name: "transforms over extension fields", run: extension_fields },
    Case { name: "transforms of words that are refused", run: words_refused },
];

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        &[$(
            Case { name: concat!("transforms over ", $name, ", every order and coset"), run: one_column::<$field> },
            Case { name: concat!("transforms over ", $name, ", batches"), run: batches::<$field> },
            Case { name: concat!("transforms over ", $name, ", row-major matrices"), run: row_major::<$field> },
            Case { name: concat!("transforms over ", $name, ", edge values"), run: edges::<$field> },
            Case { name: concat!("transforms over ", $name, ", forward and back"), run: round_trip::<$field> },
            Case { name: concat!("transforms over ", $name, ", low-degree extensions"), run: ldes::<$field> },
            Case { name: concat!("transforms over ", $name, ", extended domains"), run: extended::<$field> },
            Case { name: concat!("transforms over ", $name, ", matrices that stay"), run: stays::<$field> },
            Case { name: concat!("transforms over ", $name, ", what is refused"), run: refused::<$field> },
            Case { name: concat!("transforms over ", $name, ", large"), run: large::<$field> },
        )*]
    };
}
pub(super) const GOLDILOCKS: &[Case] = cases!(Goldilocks, "goldilocks";);
#[cfg(feature = "bn254")]
pub(super) const PRIME_FIELDS: &[Case] = zkaccel::for_every_two_adic_field!(cases);

/// The device's own error for a transform over the field of a case, if it is a case of transforms.
pub(super) fn answer(case: &str, engine: &Engine) -> Option<Error> {
    fn transform<F: AcceleratedField>(engine: &Engine) -> Option<Error> {
        let one_point = F::some_domain(0).expect("every field has a subgroup of one element");
        engine.ntt(&Ntt::forward(one_point), &mut [F::ONE][..]).err()
    }
    let is_of = |cases: &[Case]| cases.iter().any(|of| of.name == case);
    #[cfg(feature = "bn254")]
    {
        macro_rules! prime_fields {
            ($($field:path, $name:literal;)*) => {
                $(if case.starts_with(concat!("transforms over ", $name, ",")) {
                    return transform::<$field>(engine);
                })*
            };
        }
        zkaccel::for_every_two_adic_field!(prime_fields);
    }
    if is_of(CASES) || is_of(GOLDILOCKS) { transform::<Goldilocks>(engine) } else { None }
}

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];
const LAYOUTS: [Layout; 2] = [Layout::RowMajor, Layout::ColumnMajor];

fn known_answer(engine: &Engine) -> Result<(), String> {
    let winterfell = [
        36,
        18445613771394122749,
        18445618169507741693,
        1121501793223676,
        18446744069414584317,
        18445622567621360637,
        1125899906842620,
        1130298020461564,
    ];
    let mut plonky3 = winterfell;
    plonky3.swap(1, 5);
    plonky3.swap(3, 7);
    for (convention, expected) in [(Convention::Winterfell, winterfell), (Convention::Plonky3, plonky3)] {
        let mut values: Vec<_> = (1..=8).map(Goldilocks::new).collect();
        engine.ntt(&Ntt::forward(Domain::new(3, convention)?), &mut values)?;
        expect_equal(convention.name(), &values, &expected.map(Goldilocks::new))?;
    }
    #[cfg(feature = "bn254")]
    {
        let mut values = [1, 2].map(zkaccel::bn254::Fr::from);
        let ntt = Ntt::forward(Domain::halo2(1)?);
        let job = engine.ntt_async(&ntt, values.to_vec());
        engine.ntt(&ntt, &mut values[..])?;
        expect_equal("over BN254", &values, &[3.into(), -zkaccel::bn254::Fr::from(1)])?;
        expect_equal("as a job", &job.wait()?, &values)?;
        // What halo2 does, step by step: scale by zeta^(i mod 3), pad, transform.
        let coefficients = [2, 3, 5, 7].map(zkaccel::bn254::Fr::from);
        let zeta = <zkaccel::bn254::Fr as halo2curves::ff::WithSmallOrderMulGroup<3>>::ZETA;
        let [a, b, c, d] = coefficients;
        let mut expected = vec![a, b * zeta, c * zeta * zeta, d];
        expected.resize(8, 0.into());
        engine.ntt(&Ntt::forward(Domain::halo2(3)?), &mut expected)?;
        let found = engine.coeff_to_extended(&ExtendedDomain::halo2(2, 3)?, &coefficients[..])?;
        expect_equal("halo2's extended domain", found.as_slice(), &expected)?;
    }
    Ok(())
}

/// Every pair of orders.
fn orders() -> impl Iterator<Item = (Order, Order)> {
    ORDERS.into_iter().flat_map(|input| ORDERS.map(|output| (input, output)))
}

/// Every transform of a size: directions, orders, generators and shifts.
fn every_ntt<F: Samples>(log_size: u32) -> Result<Vec<Ntt<F>>, Error> {
    let mut all = Vec::new();
    for subgroup in F::subgroups(log_size)? {
        for shift in F::shifts() {
            let domain = subgroup.coset(shift)?;
            for (input, output) in orders() {
                all.push(Ntt::forward(domain).with_orders(input, output));
                all.push(Ntt::inverse(domain).with_orders(input, output));
            }
        }
    }
    Ok(all)
}

/// `Ok` if a transform of a matrix is that of the oracle.
pub(super) fn ntt_agrees<E>(engine: &Engine, ntt: &Ntt<E::Base>, matrix: &Matrix<E>) -> Result<(), String>
where
    E: Element<Base: AcceleratedField>,
{
    let what = format!("{ntt:?} of {:?}, {} elements an entry", matrix.shape(), E::WIDTH);
    agree(&what, engine, |engine| {
        let mut matrix = matrix.clone();
        engine.ntt(ntt, &mut matrix)?;
        Ok(matrix.into_vec())
    })
}

/// `Ok` if an extension of a matrix is that of the oracle.
pub(super) fn lde_agrees<E>(engine: &Engine, lde: &Lde<E::Base>, matrix: &Matrix<E>) -> Result<(), String>
where
    E: Element<Base: AcceleratedField>,
{
    let what = format!("{lde:?} of {:?}, {} elements an entry", matrix.shape(), E::WIDTH);
    agree(&what, engine, |engine| Ok(engine.lde(lde, matrix.clone())?.into_vec()))
}

fn one_column<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(6);
    for log_size in 0..=F::LOG_SMALL {
        let matrix = Matrix::from_column(words.samples::<F>(1 << log_size))?;
        every_ntt(log_size)?.iter().try_for_each(|ntt| ntt_agrees(engine, ntt, &matrix))?;
    }
    Ok(())
}

fn batches<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(7);
    for log_size in [0, 1, 3, 5, 8] {
        for columns in [2, 3, 7, 8, 9, 16, 19, 33] {
            for layout in LAYOUTS {
                let matrix = words.matrix::<F>(Shape { rows: 1 << log_size, columns, layout });
                // A prime stride goes through all combinations over the sizes.
                let some = every_ntt(log_size)?.into_iter().skip(columns % 5).step_by(5);
                some.into_iter().try_for_each(|ntt| ntt_agrees(engine, &ntt, &matrix))?;
            }
        }
    }
    Ok(())
}

fn extension_fields(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(8);
    for layout in LAYOUTS {
        for (log_size, columns) in [(0, 1), (4, 1), (6, 3), (9, 5)] {
            let shape = Shape { rows: 1 << log_size, columns, layout };
            let (quadratic, cubic) = (words.matrix::<Quadratic>(shape), words.matrix::<Cubic>(shape));
            for ntt in every_ntt(log_size)?.iter().step_by(7) {
                ntt_agrees(engine, ntt, &quadratic)?;
                ntt_agrees(engine, ntt, &cubic)?;
            }
        }
    }
    Ok(())
}

fn large<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(9);
    for &(log_size, columns) in F::LARGE {
        let matrix = words.matrix::<F>(Shape { rows: 1 << log_size, columns, layout: Layout::RowMajor });
        let some = every_ntt(log_size)?.into_iter().skip(log_size as usize % 4).step_by(13);
        some.into_iter().try_for_each(|ntt| ntt_agrees(engine, &ntt, &matrix))?;
    }
    Ok(())
}

fn edges<F: Samples>(engine: &Engine) -> Result<(), String> {
    for edge in F::edges() {
        for log_size in [1, 4, 8, 11] {
            let matrix = Matrix::from_column(vec![edge; 1 << log_size])?;
            every_ntt(log_size)?.iter().step_by(11).try_for_each(|ntt| ntt_agrees(engine, ntt, &matrix))?;
        }
    }
    Ok(())
}

fn round_trip<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(10);
    for log_size in [0, 1, 6, 10, 16, F::LOG_LARGEST] {
        let shape = Shape { rows: 1 << log_size, columns: 2, layout: Layout::ColumnMajor };
        let matrix = words.matrix::<F>(shape);
        let all = every_ntt(log_size)?.into_iter();
        for forward in all.filter(|ntt| ntt.direction == Direction::Forward).step_by(5) {
            let mut twice = matrix.clone();
            engine.ntt(&forward, twice.view_mut())?;
            engine.ntt(&forward.undo(), twice.view_mut())?;
            expect_equal(&format!("there and back, {forward:?}"), twice.as_slice(), matrix.as_slice())?;
        }
    }
    Ok(())
}

fn ldes<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(11);
    for log_size in [0, 1, 2, 5, 8, 11] {
        for log_blowup in [1, 2, 3, 6, 8].into_iter().filter(|b| log_size + b <= F::LOG_SMALL + 2) {
            for (small, large) in
                F::subgroups(log_size)?.into_iter().zip(F::subgroups(log_size + log_blowup)?)
            {
                for shift in F::shifts() {
                    let widest = (16 << F::LOG_SMALL >> (log_size + log_blowup)).clamp(1, 17);
                    let columns = [1, 2, 5, 8, 17][words.next() as usize % 5].min(widest);
                    let layout = LAYOUTS[words.next() as usize % 2];
                    let matrix = words.matrix::<F>(Shape { rows: 1 << log_size, columns, layout });
                    // From the subgroup or from another coset of it.
                    let other = small.coset(F::of_integer(words.next() | 1))?;
                    let from = [small, other][words.next() as usize % 2];
                    for order in ORDERS {
                        let lde = Lde::new(from, large.coset(shift)?)?.with_output_order(order);
                        lde_agrees(engine, &lde, &matrix)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Polynomials on a larger domain, and back, against transforms of polynomials that are padded with zeros.
fn extended<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(33);
    for (k, extended_k) in [(0, 0), (0, 2), (1, 1), (3, 5), (6, 6), (7, 9), (10, 12), (11, 14)] {
        let polynomials = 1 + k as usize % 3;
        let coefficients = words.samples::<F>(polynomials << k);
        for (subgroup, shift) in F::subgroups(extended_k)?.into_iter().zip(F::shifts().into_iter().skip(1)) {
            let points = subgroup.coset(shift)?;
            let domain = ExtendedDomain::new(k, points)?;
            let what = format!("{polynomials} polynomials from 2^{k} coefficients to {points:?}");
            let mut expected = vec![F::ZERO; polynomials << extended_k];
            for (padded, polynomial) in expected.chunks_mut(1 << extended_k).zip(coefficients.chunks(1 << k))
            {
                padded[..1 << k].copy_from_slice(polynomial);
            }
            reference()?.ntt(&Ntt::forward(points), &mut expected)?;
            let found = engine.coeff_to_extended(&domain, &coefficients)?;
            expect_equal(&what, found.as_slice(), &expected)?;
            let back = engine.extended_to_coeff(&domain, found, 1 << k)?;
            expect_equal(&format!("{what}, and back"), back.as_slice(), &coefficients)?;
            let values = engine.coeff_to_extended_async(&domain, coefficients.clone()).wait()?;
            expect_equal(&format!("{what}, as a job"), values.as_slice(), &expected)?;
            // Only as many coefficients as requested, of each polynomial.
            let found = engine.extended_to_coeff_async(&domain, values, 1).wait()?;
            let constants: Vec<_> = coefficients.iter().copied().step_by(1 << k).collect();
            expect_equal(&format!("{what}, constants"), found.as_slice(), &constants)?;
        }
    }
    Ok(())
}

/// Transforms of a matrix that stays, one after another, without copies to the host in between.
fn stays<F: Samples>(engine: &Engine) -> Result<(), String> {
    let shape = Shape { rows: 1 << 8, columns: 3, layout: Layout::ColumnMajor };
    let matrix = Words::new(34).matrix::<F>(shape);
    let (kept, subgroup) = (engine.upload(&matrix)?, F::some_domain(8)?);
    let domain = ExtendedDomain::new(8, F::some_domain(10)?.coset(F::of_integer(7))?)?;
    let lde = Lde::new(subgroup, domain.points())?;
    let same = |what: &str, found: &DeviceMatrix<F>, expected: &Matrix<F>| -> Result<(), String> {
        expect_equal(what, engine.download(found)?.as_slice(), expected.as_slice())
    };
    for orders in orders() {
        let ntt = Ntt::forward(subgroup).with_orders(orders.0, orders.1);
        let (mut expected, mut values) = (matrix.clone(), kept.clone());
        engine.ntt(&ntt, &mut expected)?;
        engine.ntt(&ntt, &mut values)?;
        same("a transform of a matrix that stays", &values, &expected)?;
        engine.ntt(&ntt.undo(), &mut values)?;
        let extended = engine.coeff_to_extended(&domain, &values)?;
        let expected = engine.coeff_to_extended(&domain, &matrix)?;
        same("polynomials on an extended domain", &extended, &expected)?;
        for count in [1, 1 << 8, 1 << 10] {
            let found = engine.extended_to_coeff(&domain, &extended, count)?;
            let expected = engine.extended_to_coeff(&domain, &expected, count)?;
            same("their first coefficients", &found, &expected)?;
        }
        let lde = lde.with_output_order(orders.1);
        let (found, expected) = (engine.lde(&lde, &kept)?, engine.lde(&lde, &matrix)?);
        same("the extension of a matrix that stays", &found, &expected)?;
    }
    same("what stays, afterwards", &kept, &matrix)?;
    expect_equal("rows of it", &kept.read_rows(&[255, 0])?, &[matrix.row(255), matrix.row(0)])?;
    let too_large = Ntt::forward(F::some_domain(9)?);
    let expected = Error::LengthMismatch { what: "rows of the matrix", expected: 512, found: 256 };
    expect_error("too few rows", engine.ntt(&too_large, &mut kept.clone()), &expected)?;
    let (other, ntt) = (reference()?, Ntt::forward(subgroup));
    expect_error(
        "another engine's",
        other.ntt(&ntt, &mut kept.clone()),
        &wrong_engine("matrix", other, engine),
    )
}

/// A row-major matrix has the transforms of its columns, in host memory and on the device.
fn row_major<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(35);
    for (log_rows, width) in [(0, 9), (3, 1), (2, 7), (1, 8), (4, 2), (6, 9), (3, 17)] {
        let (rows, what) = (1 << log_rows, format!("a row-major matrix of 2^{log_rows} by {width}"));
        let matrix = words.matrix::<F>(Shape { rows, columns: width, layout: Layout::RowMajor });
        let columns = (0..width * rows).map(|i| matrix.get(i % rows, i / rows)).collect();
        let columns = Matrix::from_columns(columns, rows, width)?;
        let same = |found: &Matrix<F>, expected: &Matrix<F>| -> Result<(), String> {
            let by_rows =
                |matrix: &Matrix<F>| -> Vec<_> { (0..matrix.shape().rows).map(|i| matrix.row(i)).collect() };
            expect_equal(&what, &by_rows(found), &by_rows(expected))
        };
        let subgroup = F::some_domain(log_rows)?;
        let domain = ExtendedDomain::new(log_rows, F::some_domain(log_rows + 2)?.coset(F::of_integer(7))?)?;
        let lde = Lde::new(subgroup, domain.points())?;
        let ntt = Ntt::forward(subgroup).with_orders(Order::Natural, Order::BitReversed);
        let (mut found, mut expected) = (matrix.clone(), columns.clone());
        engine.ntt(&ntt, &mut found)?;
        engine.ntt(&ntt, &mut expected)?;
        same(&found, &expected)?;
        let mut kept = engine.upload(&matrix)?;
        engine.ntt(&ntt, &mut kept)?;
        same(&engine.download(&kept)?, &expected)?;
        same(&engine.lde(&lde, &matrix)?, &engine.lde(&lde, &columns)?)?;
        let found = engine.coeff_to_extended(&domain, &matrix)?;
        same(&found, &engine.coeff_to_extended(&domain, &columns)?)?;
        same(&engine.extended_to_coeff(&domain, found, rows)?, &matrix)?;
    }
    Ok(())
}

fn refused<F: Samples>(engine: &Engine) -> Result<(), String> {
    let (ntt, what) = (Ntt::forward(F::some_domain(3)?), "elements of whole polynomials");
    for (found, expected) in [(0, 8), (7, 8), (12, 16)] {
        let before = vec![F::of_integer(5); found];
        let mut values = before.clone();
        let expected = Error::LengthMismatch { what, expected, found };
        expect_error("a part of a polynomial", engine.ntt(&ntt, &mut values), &expected)?;
        expect_equal("what was refused", &values, &before)?;
    }
    let mut matrix = Matrix::from_rows(vec![F::ONE; 8], 4, 2)?;
    let expected = Error::LengthMismatch { what: "rows of the matrix", expected: 8, found: 4 };
    expect_error("half the rows", engine.ntt(&ntt, matrix.view_mut()), &expected)?;
    let extended = ExtendedDomain::new(3, F::some_domain(4)?)?;
    for found in [0, 17] {
        let what = "coefficients, at least one and at most the number of points";
        let expected = Error::LengthMismatch { what, expected: 16, found };
        let refused = engine.extended_to_coeff(&extended, vec![F::ONE; 16], found);
        expect_error("too few and too many of 16", refused, &expected)?;
    }
    let expected = Error::LengthMismatch { what, expected: 8, found: 5 };
    expect_error("five of eight", engine.coeff_to_extended(&extended, &[F::ONE; 5][..]), &expected)
}

fn words_refused(engine: &Engine) -> Result<(), String> {
    let ntt = Ntt::forward(Domain::new(10, Convention::Winterfell)?);
    let lde = Lde::onto_coset(10, 2, Convention::Plonky3, Goldilocks::GENERATOR)?;
    for value in NON_CANONICAL {
        let mut raw = vec![3u64; 2048];
        raw[2047] = value;
        let before: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
        let mut matrix = Matrix::from_columns(before.clone(), 1024, 2)?;
        let expected = Error::NotCanonical { index: 2047, value };
        expect_error("word at or above p", engine.ntt(&ntt, matrix.view_mut()), &expected)?;
        expect_equal("a refused matrix", matrix.as_slice(), &before)?;
        expect_error("word at or above p", engine.lde(&lde, &matrix), &expected)?;
    }
    Ok(())
}
