//! Transforms over prime fields: BN254's scalars.

use halo2curves::ff::{Field, WithSmallOrderMulGroup};

use super::data::Words;
use super::sums::{edges, scalar};
use super::{Case, expect_equal, expect_error, failure, reference};
use crate::bn254::Fr;
use crate::engine::Engine;
use crate::error::Error;
use crate::extended::ExtendedDomain;
use crate::matrix::Matrix;
use crate::ntt::{Direction, Domain, Lde, Ntt, Order};

pub(super) const CASES: &[Case] = &[
    Case { name: "fft of 1 and 2", run: known_answer },
    Case { name: "fft, every order and coset", run: every_order },
    Case { name: "fft, batches of polynomials", run: batches },
    Case { name: "fft, large", run: large },
    Case { name: "fft, edge values", run: edge_values },
    Case { name: "fft, halo2's extended domain", run: extended },
    Case { name: "fft, matrices that stay", run: stays },
    Case { name: "fft, row-major matrices", run: row_major },
    Case { name: "fft, transforms that are refused", run: refused },
];

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];

fn known_answer(engine: &Engine) -> Result<(), String> {
    let mut values = [1, 2].map(Fr::from);
    let domain = Domain::halo2(1).map_err(failure("domain"))?;
    let job = engine.ntt_async(&Ntt::forward(domain), values.to_vec());
    engine.ntt(&Ntt::forward(domain), &mut values[..]).map_err(failure("fft"))?;
    expect_equal("fft of 1 and 2", &values, &[Fr::from(3), -Fr::ONE])?;
    expect_equal("the same as a job", &job.wait().map_err(failure("job"))?, &values)
}

/// Every transform of a size: directions, orders, both roots in use, cosets.
fn every_fft(log_size: u32) -> Result<Vec<Ntt<Fr>>, String> {
    let mut all = Vec::new();
    for subgroup in [Domain::halo2(log_size), Domain::arkworks(log_size)] {
        for shift in [Fr::ONE, Fr::from(7), Fr::ZETA, -Fr::ONE] {
            let domain =
                subgroup.clone().and_then(|subgroup| subgroup.coset(shift)).map_err(failure("domain"))?;
            for (input, output) in ORDERS.into_iter().flat_map(|i| ORDERS.map(|o| (i, o))) {
                all.push(Ntt::forward(domain).with_orders(input, output));
                all.push(Ntt::inverse(domain).with_orders(input, output));
            }
        }
    }
    Ok(all)
}

fn check(engine: &Engine, oracle: &Engine, fft: &Ntt<Fr>, values: &[Fr]) -> Result<(), String> {
    let what = format!("{fft:?} of {} scalars", values.len());
    let (mut found, mut expected) = (values.to_vec(), values.to_vec());
    engine.ntt(fft, &mut found).map_err(failure(&what))?;
    oracle.ntt(fft, &mut expected).map_err(failure(&what))?;
    expect_equal(&what, &found, &expected)
}

fn random(words: &mut Words, len: usize) -> Vec<Fr> {
    (0..len).map(|_| scalar(words)).collect()
}

fn every_order(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(30), reference().map_err(failure("reference"))?);
    for log_size in 0..=9 {
        let values = random(&mut words, 1 << log_size);
        for fft in every_fft(log_size)? {
            check(engine, &oracle, &fft, &values)?;
        }
    }
    Ok(())
}

fn batches(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(31), reference().map_err(failure("reference"))?);
    for (log_size, count) in [(0, 5), (1, 3), (4, 7), (6, 33), (10, 3)] {
        let values = random(&mut words, count << log_size);
        for fft in every_fft(log_size)?.iter().skip(count % 5).step_by(5) {
            check(engine, &oracle, fft, &values)?;
        }
    }
    Ok(())
}

fn large(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(32), reference().map_err(failure("reference"))?);
    for log_size in [10, 11, 12, 13, 14, 15] {
        let values = random(&mut words, 1 << log_size);
        for fft in every_fft(log_size)?.iter().skip(log_size as usize % 3).step_by(11) {
            check(engine, &oracle, fft, &values)?;
        }
    }
    for log_size in [16, 17] {
        let values = random(&mut words, 1 << log_size);
        for forward in
            every_fft(log_size)?.iter().filter(|fft| fft.direction == Direction::Forward).step_by(5)
        {
            let back = Ntt::inverse(forward.domain).with_orders(forward.output_order, forward.input_order);
            let mut twice = values.clone();
            engine.ntt(forward, &mut twice).map_err(failure("forward"))?;
            engine.ntt(&back, &mut twice).map_err(failure("inverse"))?;
            expect_equal(&format!("there and back, {forward:?}"), &twice, &values)?;
        }
    }
    Ok(())
}

fn edge_values(engine: &Engine) -> Result<(), String> {
    let oracle = reference().map_err(failure("reference"))?;
    for edge in edges().into_iter().step_by(5) {
        for log_size in [1, 2, 5, 7] {
            for fft in every_fft(log_size)?.iter().step_by(9) {
                check(engine, &oracle, fft, &vec![edge; 1 << log_size])?;
            }
        }
    }
    Ok(())
}

/// What halo2 does, step by step: scale by zeta^(i mod 3), pad, transform.
fn extended(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(33), reference().map_err(failure("reference"))?);
    let zetas = [Fr::ONE, Fr::ZETA, Fr::ZETA.square()];
    for (k, extended_k) in [(0, 0), (0, 2), (1, 1), (3, 5), (6, 6), (7, 9), (10, 12), (11, 14)] {
        let domain = ExtendedDomain::halo2(k, extended_k).map_err(failure("extended domain"))?;
        let polynomials = 1 + k as usize % 3;
        let coefficients = random(&mut words, polynomials << k);
        let what = format!("{polynomials} polynomials from 2^{k} coefficients to 2^{extended_k} values");
        let mut expected = Vec::new();
        for polynomial in coefficients.chunks(1 << k) {
            let mut values: Vec<_> =
                polynomial.iter().zip(zetas.iter().cycle()).map(|(a, zeta)| a * zeta).collect();
            values.resize(1 << extended_k, Fr::ZERO);
            let subgroup = Domain::halo2(extended_k).map_err(failure("domain"))?;
            oracle.ntt(&Ntt::forward(subgroup), &mut values).map_err(failure("reference"))?;
            expected.extend(values);
        }
        let found = engine.coeff_to_extended(&domain, &coefficients).map_err(failure(&what))?;
        expect_equal(&what, found.as_slice(), &expected)?;
        let back = engine.extended_to_coeff(&domain, found, 1 << k).map_err(failure(&what))?;
        expect_equal(&format!("{what}, and back"), back.as_slice(), &coefficients)?;
        let job = engine.coeff_to_extended_async(&domain, coefficients.clone());
        let values = job.wait().map_err(failure(&what))?;
        expect_equal(&format!("{what}, as a job"), values.as_slice(), &expected)?;
        // Only as many coefficients as requested, of each polynomial.
        let job = engine.extended_to_coeff_async(&domain, values, 1);
        let constants: Vec<_> = coefficients.iter().copied().step_by(1 << k).collect();
        let found = job.wait().map_err(failure(&what))?;
        expect_equal(&format!("{what}, constants"), found.as_slice(), &constants)?;
        // Any coset will do, and so will the root of arkworks.
        let other = Domain::arkworks(extended_k).and_then(|domain| domain.coset(Fr::from(5)));
        let other =
            other.and_then(|points| ExtendedDomain::new(k, points)).map_err(failure("another domain"))?;
        let found = engine.coeff_to_extended(&other, &coefficients).map_err(failure(&what))?;
        let expected = oracle.coeff_to_extended(&other, &coefficients).map_err(failure(&what))?;
        expect_equal(&format!("{what}, another coset"), found.as_slice(), expected.as_slice())?;
    }
    Ok(())
}

/// Transforms of a matrix that stays, one after another, without copies to the host in between.
fn stays(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(34);
    let coefficients = random(&mut words, 3 << 8);
    let matrix = Matrix::from_columns(coefficients.clone(), 1 << 8, 3).map_err(failure("a matrix"))?;
    let kept = engine.upload(&matrix).map_err(failure("upload"))?;
    let domain = ExtendedDomain::halo2(8, 10).map_err(failure("extended domain"))?;
    let subgroup = Domain::halo2(8).map_err(failure("domain"))?;
    let lde = Lde::new(subgroup, domain.points()).map_err(failure("extension"))?;
    for orders in ORDERS.into_iter().flat_map(|i| ORDERS.map(|o| (i, o))) {
        let fft = Ntt::forward(subgroup).with_orders(orders.0, orders.1);
        let mut expected = coefficients.clone();
        engine.ntt(&fft, &mut expected).map_err(failure("fft"))?;
        let mut values = kept.clone();
        engine.ntt(&fft, &mut values).map_err(failure("fft of a matrix that stays"))?;
        let found = engine.download(&values).map_err(failure("download"))?;
        expect_equal("fft of a matrix that stays", found.as_slice(), &expected)?;
        engine.ntt(&fft.undo(), &mut values).map_err(failure("inverse"))?;
        let extended = engine.coeff_to_extended(&domain, &values).map_err(failure("extension"))?;
        let expected = engine.coeff_to_extended(&domain, &coefficients).map_err(failure("extension"))?;
        let found = engine.download(&extended).map_err(failure("download"))?;
        expect_equal("polynomials on an extended domain", found.as_slice(), expected.as_slice())?;
        for count in [1, 1 << 8, 1 << 10] {
            let found = engine.extended_to_coeff(&domain, &extended, count).map_err(failure("back"))?;
            let found = engine.download(&found).map_err(failure("download"))?;
            let expected = engine.extended_to_coeff(&domain, &expected, count).map_err(failure("back"))?;
            expect_equal("their first coefficients", found.as_slice(), expected.as_slice())?;
        }
        let lde = lde.with_output_order(orders.1);
        let found = engine.lde(&lde, &kept).and_then(|found| engine.download(&found));
        let expected = engine.lde(&lde, &matrix).map_err(failure("extension"))?;
        let found = found.map_err(failure("extension of a matrix that stays"))?;
        expect_equal("extension of a matrix that stays", found.as_slice(), expected.as_slice())?;
    }
    let found = engine.download(&kept).map_err(failure("download"))?;
    expect_equal("what stays, afterwards", found.as_slice(), &coefficients)?;
    let rows = kept.read_rows(&[255, 0]).map_err(failure("rows"))?;
    expect_equal("rows of what stays", &rows, &[matrix.row(255), matrix.row(0)])?;
    let fft = Ntt::forward(Domain::halo2(9).map_err(failure("domain"))?);
    let expected = Error::LengthMismatch { what: "rows of the matrix", expected: 512, found: 256 };
    expect_error("too few rows", engine.ntt(&fft, &mut kept.clone()), &expected)?;
    let other = reference().map_err(failure("reference"))?;
    let [expected, found] = [&other, engine].map(|engine| engine.device().id.clone());
    let expected = Error::WrongEngine { what: "matrix", expected, found };
    expect_error("another engine's", other.ntt(&Ntt::forward(subgroup), &mut kept.clone()), &expected)
}

/// A row-major matrix has the transforms of its columns, in host memory and on the device.
fn row_major(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(35);
    for (log_rows, width) in [(0, 3), (3, 1), (4, 2), (6, 9)] {
        let (rows, entries) = (1 << log_rows, random(&mut words, width << log_rows));
        let what = format!("a row-major matrix of {rows} by {width}");
        let matrix = Matrix::from_rows(entries, rows, width).map_err(failure(&what))?;
        let columns: Vec<_> = (0..width * rows).map(|i| matrix.get(i % rows, i / rows)).collect();
        let columns = Matrix::from_columns(columns, rows, width).map_err(failure(&what))?;
        let by_rows = |matrix: &Matrix<Fr>| (0..matrix.shape().rows).flat_map(|i| matrix.row(i)).collect();
        let same = |what: &str, found: &Matrix<Fr>, expected: &Matrix<Fr>| -> Result<(), String> {
            let [found, expected]: [Vec<Fr>; 2] = [by_rows(found), by_rows(expected)];
            expect_equal(what, &found, &expected)
        };
        let domain = ExtendedDomain::halo2(log_rows, log_rows + 2).map_err(failure(&what))?;
        let subgroup = Domain::halo2(log_rows).map_err(failure(&what))?;
        let lde = Lde::new(subgroup, domain.points()).map_err(failure(&what))?;
        let ntt = Ntt::forward(subgroup).with_orders(Order::Natural, Order::BitReversed);
        let (mut found, mut expected) = (matrix.clone(), columns.clone());
        engine.ntt(&ntt, &mut found).map_err(failure(&what))?;
        engine.ntt(&ntt, &mut expected).map_err(failure(&what))?;
        same(&what, &found, &expected)?;
        let mut kept = engine.upload(&matrix).map_err(failure(&what))?;
        engine.ntt(&ntt, &mut kept).map_err(failure(&what))?;
        same(&what, &engine.download(&kept).map_err(failure(&what))?, &expected)?;
        let found = engine.lde(&lde, &matrix).map_err(failure(&what))?;
        same(&what, &found, &engine.lde(&lde, &columns).map_err(failure(&what))?)?;
        let found = engine.coeff_to_extended(&domain, &matrix).map_err(failure(&what))?;
        let expected = engine.coeff_to_extended(&domain, &columns).map_err(failure(&what))?;
        same(&what, &found, &expected)?;
        let found = engine.extended_to_coeff(&domain, found, rows).map_err(failure(&what))?;
        same(&what, &found, &matrix)?;
    }
    Ok(())
}

fn refused(engine: &Engine) -> Result<(), String> {
    let domain = Domain::halo2(3).map_err(failure("domain"))?;
    let what = "elements of whole polynomials";
    for (found, expected) in [(0, 8), (7, 8), (12, 16)] {
        let before = vec![Fr::from(5); found];
        let mut values = before.clone();
        let expected = Error::LengthMismatch { what, expected, found };
        expect_error("a part of a polynomial", engine.ntt(&Ntt::forward(domain), &mut values), &expected)?;
        expect_equal("what was refused", &values, &before)?;
    }
    let extended = ExtendedDomain::halo2(3, 4).map_err(failure("extended domain"))?;
    for found in [0, 17] {
        let what = "coefficients, at least one and at most the number of points";
        let expected = Error::LengthMismatch { what, expected: 16, found };
        let refused = engine.extended_to_coeff(&extended, vec![Fr::ONE; 16], found);
        expect_error("too few and too many of 16", refused, &expected)?;
    }
    let expected = Error::LengthMismatch { what, expected: 8, found: 5 };
    expect_error("five of eight", engine.coeff_to_extended(&extended, &[Fr::ONE; 5][..]), &expected)
}
