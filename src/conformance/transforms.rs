//! Transforms and low-degree extensions.

use super::data::{EDGES, NON_CANONICAL, Words};
use super::{Case, expect_equal, expect_error, failure, reference};
use crate::engine::Engine;
use crate::error::Error;
use crate::field::{Cubic, Field, Goldilocks, MODULUS, Quadratic};
use crate::matrix::{Layout, Matrix, Shape};
use crate::ntt::{Convention, Direction, Domain, Lde, Ntt, Order};

pub(super) const CASES: &[Case] = &[
    Case { name: "ntt of 1 to 8", run: known_answer },
    Case { name: "ntt, every order, one column", run: one_column },
    Case { name: "ntt, batches of columns", run: batches },
    Case { name: "ntt, extension fields", run: extensions },
    Case { name: "ntt, large", run: large },
    Case { name: "ntt, edge values", run: edges },
    Case { name: "ntt, forward and back", run: round_trip },
    Case { name: "low-degree extension", run: ldes },
    Case { name: "transforms that are refused", run: refused },
];

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];
const SHIFTS: [u64; 3] = [1, 7, MODULUS - 1];

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
        let mut matrix =
            Matrix::from_rows((1..=8).map(Goldilocks::new).collect(), 8, 1).map_err(failure("shape"))?;
        let domain = Domain::new(3, convention).map_err(failure("domain"))?;
        engine.ntt(&Ntt::forward(domain), matrix.view_mut()).map_err(failure("ntt"))?;
        expect_equal(convention.name(), matrix.as_slice(), &expected.map(Goldilocks::new))?;
    }
    Ok(())
}

/// Every transform of a size: directions, orders, conventions and shifts.
fn every_ntt(log_size: u32) -> Result<Vec<Ntt>, String> {
    let mut all = Vec::new();
    for convention in Convention::ALL {
        for shift in SHIFTS {
            let domain = Domain::new(log_size, convention).and_then(|d| d.coset(Goldilocks::new(shift)));
            let domain = domain.map_err(failure("domain"))?;
            for (input, output) in ORDERS.into_iter().flat_map(|i| ORDERS.map(|o| (i, o))) {
                all.push(Ntt::forward(domain).with_orders(input, output));
                all.push(Ntt::inverse(domain).with_orders(input, output));
            }
        }
    }
    Ok(all)
}

fn check<F: Field>(engine: &Engine, oracle: &Engine, ntt: &Ntt, matrix: &Matrix<F>) -> Result<(), String> {
    let what = format!("{ntt:?} of {:?}, degree {}", matrix.shape(), F::DEGREE);
    let (mut found, mut expected) = (matrix.clone(), matrix.clone());
    engine.ntt(ntt, found.view_mut()).map_err(failure(&what))?;
    oracle.ntt(ntt, expected.view_mut()).map_err(failure(&what))?;
    expect_equal(&what, found.as_slice(), expected.as_slice())
}

fn one_column(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(6), reference().map_err(failure("reference"))?);
    for log_size in 0..=11 {
        let shape = Shape { rows: 1 << log_size, columns: 1, layout: Layout::RowMajor };
        let matrix = words.matrix::<Goldilocks>(shape);
        for ntt in every_ntt(log_size)? {
            check(engine, &oracle, &ntt, &matrix)?;
        }
    }
    Ok(())
}

fn batches(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(7), reference().map_err(failure("reference"))?);
    for log_size in [0, 1, 3, 5, 8] {
        for columns in [2, 3, 7, 8, 9, 16, 19] {
            for layout in [Layout::RowMajor, Layout::ColumnMajor] {
                let matrix = words.matrix::<Goldilocks>(Shape { rows: 1 << log_size, columns, layout });
                // A prime stride goes through all combinations over the sizes.
                for ntt in every_ntt(log_size)?.iter().skip(columns % 5).step_by(5) {
                    check(engine, &oracle, ntt, &matrix)?;
                }
            }
        }
    }
    Ok(())
}

fn extensions(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(8), reference().map_err(failure("reference"))?);
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        for (log_size, columns) in [(0, 1), (4, 1), (6, 3), (9, 5)] {
            let shape = Shape { rows: 1 << log_size, columns, layout };
            let (quadratic, cubic) = (words.matrix::<Quadratic>(shape), words.matrix::<Cubic>(shape));
            for ntt in every_ntt(log_size)?.iter().step_by(7) {
                check(engine, &oracle, ntt, &quadratic)?;
                check(engine, &oracle, ntt, &cubic)?;
            }
        }
    }
    Ok(())
}

fn large(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(9), reference().map_err(failure("reference"))?);
    for (log_size, columns) in [(12, 1), (13, 1), (14, 3), (15, 1), (16, 1), (17, 1), (18, 1), (13, 17)] {
        let matrix =
            words.matrix::<Goldilocks>(Shape { rows: 1 << log_size, columns, layout: Layout::RowMajor });
        for ntt in every_ntt(log_size)?.iter().skip(log_size as usize % 4).step_by(13) {
            check(engine, &oracle, ntt, &matrix)?;
        }
    }
    Ok(())
}

fn edges(engine: &Engine) -> Result<(), String> {
    let oracle = reference().map_err(failure("reference"))?;
    for edge in EDGES {
        for log_size in [1, 4, 8, 11] {
            let shape = Shape { rows: 1 << log_size, columns: 1, layout: Layout::RowMajor };
            let matrix =
                Matrix::new(vec![Goldilocks::new(edge); 1 << log_size], shape).map_err(failure("shape"))?;
            for ntt in every_ntt(log_size)?.iter().step_by(11) {
                check(engine, &oracle, ntt, &matrix)?;
            }
        }
    }
    Ok(())
}

fn round_trip(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(10);
    for log_size in [0, 1, 6, 10, 16, 19] {
        let matrix = words.matrix::<Goldilocks>(Shape {
            rows: 1 << log_size,
            columns: 2,
            layout: Layout::ColumnMajor,
        });
        for forward in
            every_ntt(log_size)?.into_iter().filter(|ntt| ntt.direction == Direction::Forward).step_by(5)
        {
            let back = Ntt::inverse(forward.domain).with_orders(forward.output_order, forward.input_order);
            let mut twice = matrix.clone();
            engine.ntt(&forward, twice.view_mut()).map_err(failure("forward"))?;
            engine.ntt(&back, twice.view_mut()).map_err(failure("inverse"))?;
            expect_equal(&format!("there and back, {forward:?}"), twice.as_slice(), matrix.as_slice())?;
        }
    }
    Ok(())
}

fn ldes(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(11), reference().map_err(failure("reference"))?);
    for log_size in [0, 1, 2, 5, 8, 11] {
        for log_blowup in [1, 2, 3, 6, 8].into_iter().filter(|b| log_size + b <= 13) {
            for convention in Convention::ALL {
                for shift in SHIFTS {
                    let widest = (1 << 15 >> (log_size + log_blowup)).clamp(1, 17);
                    let columns = [1, 2, 5, 8, 17][words.next() as usize % 5].min(widest);
                    let layout = [Layout::RowMajor, Layout::ColumnMajor][words.next() as usize % 2];
                    let matrix = words.matrix::<Goldilocks>(Shape { rows: 1 << log_size, columns, layout });
                    let shift = Goldilocks::new(shift);
                    let onto = Lde::onto_coset(log_size, 1 << log_blowup, convention, shift);
                    let onto = onto.map_err(failure("lde"))?;
                    let from =
                        onto.from().coset(Goldilocks::new(words.next() | 1)).map_err(failure("coset"))?;
                    let between = Lde::new(from, onto.to()).map_err(failure("lde"))?;
                    for lde in
                        [onto, between].into_iter().flat_map(|lde| ORDERS.map(|o| lde.with_output_order(o)))
                    {
                        let what = format!("{lde:?} of {:?}", matrix.shape());
                        let found = engine.lde(&lde, matrix.clone()).map_err(failure(&what))?;
                        let expected = oracle.lde(&lde, &matrix).map_err(failure(&what))?;
                        expect_equal(&what, found.as_slice(), expected.as_slice())?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn refused(engine: &Engine) -> Result<(), String> {
    let domain = Domain::new(10, Convention::Winterfell).map_err(failure("domain"))?;
    let shape = Shape { rows: 1024, columns: 2, layout: Layout::ColumnMajor };
    for value in NON_CANONICAL {
        let mut raw = vec![3u64; 2048];
        raw[2047] = value;
        let before: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
        let mut matrix = Matrix::new(before.clone(), shape).map_err(failure("shape"))?;
        let expected = Error::NotCanonical { index: 2047, value };
        expect_error("word at or above p", engine.ntt(&Ntt::forward(domain), matrix.view_mut()), &expected)?;
        expect_equal("a refused matrix", matrix.as_slice(), &before)?;
        let lde =
            Lde::onto_coset(10, 2, Convention::Plonky3, Goldilocks::GENERATOR).map_err(failure("lde"))?;
        expect_error("word at or above p", engine.lde(&lde, &matrix), &expected)?;
    }
    let mut matrix = Words::new(12).matrix::<Goldilocks>(Shape { rows: 512, ..shape });
    let expected = Error::LengthMismatch { what: "rows of the matrix", expected: 1024, found: 512 };
    expect_error("half the rows", engine.ntt(&Ntt::forward(domain), matrix.view_mut()), &expected)
}
