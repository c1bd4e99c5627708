//! What a STARK prover does with the rows of an extended trace, and transforms of its columns, on each of some engines in turn: where an engine has several devices, each holds and does its part.
//!
//! ```text
//! cargo run --release --example in_parts -- 20 64 2 cuda:0 cuda:0,cuda:1
//! ```
//!
//! The arguments are the binary logarithm of the number of rows, the number of columns, the blow-up, and engines, each the names of its devices. Times are medians of ten, in milliseconds.
//! All engines must come to the same.

use std::time::Instant;

use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::Poseidon2_8;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Lde, Ntt, Order};
use zkaccel::program::{Builder, Program, ProgramRows};
use zkaccel::resident::Cosets;
use zkaccel::{Engine, Error};

const RUNS: usize = 10;

/// Elements that depend on a number.
fn elements(count: usize, number: u64) -> Vec<Goldilocks> {
    let element = |i: u64| Goldilocks::new(i.wrapping_mul(i).wrapping_mul(number) % MODULUS);
    (1..=count as u64).map(element).collect()
}

/// A constraint of degree 2 for each column, on a row and the next, folded by powers of a challenge of a quadratic extension.
fn constraints(columns: usize) -> Result<Program<Goldilocks>, Error> {
    let mut builder = Builder::new();
    let mut terms = Vec::new();
    for column in 0..columns {
        let (own, next) = (builder.column(0, column, 0), builder.column(0, column, 1));
        let other = builder.column(0, (column + 1) % columns, 0);
        let product = builder.mul(own, other);
        terms.push((builder.sub(next, product), 2 * column));
    }
    builder.weighted_sum(terms, 2);
    builder.finish()
}

/// Runs a step once to warm up and then ten times; the last result, and the median of its time.
fn timed<T>(mut run: impl FnMut() -> Result<T, Error>) -> Result<(T, f64), Error> {
    let mut last = run()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        drop(last);
        let start = Instant::now();
        last = run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok((last, times[RUNS / 2]))
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u32| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (log, columns, blowup) = (number(10), number(8) as usize, number(4) as usize);
    let mut engines: Vec<String> = arguments.collect();
    if engines.is_empty() {
        engines.push("auto".into());
    }
    let rows = 1 << log;
    let trace = Matrix::from_rows(elements(rows * columns, 3), rows, columns)?;
    let lde = Lde::onto_coset(log, blowup as u64, Convention::Plonky3, Goldilocks::GENERATOR)?;
    let program = constraints(columns)?;
    let challenges = elements(2 * columns, 5);
    let factors = Matrix::from_rows(elements(2 * columns, 7), columns, 2)?;
    let weights = Matrix::from_columns(elements(2 * rows * blowup, 11), rows * blowup, 2)?;
    let run = ProgramRows { count: rows * blowup, stride: blowup, order: Order::Natural };

    println!("2^{log} x {columns}, blow-up {blowup}; milliseconds");
    println!(
        "{:<32} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "engine", "parts", "extension", "tree", "quotient", "columns", "values", "inverse", "forward"
    );
    let mut first = None;
    for name in engines {
        let engine = Engine::builder().device(name.parse()?).build()?;
        let (extension, extended) = timed(|| engine.lde_in_cosets(&lde, &trace))?;
        let (tree, hashed) = timed(|| engine.merkle_tree_of_rows::<Poseidon2_8, _>(&extension))?;
        let (quotient, evaluated) = timed(|| engine.run_program(&program, run, &[&extension], &challenges))?;
        let (combined, folded) = timed(|| engine.combine_columns(&extension, &factors))?;
        let beside = extension.upload_beside(&weights)?;
        let (values, summed) = timed(|| engine.combine_rows(&beside, &extension))?;
        let transform = |ntt: Ntt, of: &Cosets<Goldilocks>| {
            let mut matrix = of.clone();
            engine.ntt(&ntt, &mut matrix)?;
            Ok(matrix)
        };
        let (coefficients, interpolated) = timed(|| transform(Ntt::inverse(lde.to()), &extension))?;
        let (again, transformed) = timed(|| transform(Ntt::forward(lde.to()), &coefficients))?;
        assert!(again.download()? == extension.download()?, "{name}: a transform and its inverse");
        println!(
            "{name:<32} {:>5} {extended:>9.3} {hashed:>9.3} {evaluated:>9.3} {folded:>9.3} {summed:>9.3} {interpolated:>9.3} {transformed:>9.3}",
            extension.parts().len()
        );
        let found =
            (tree.root(), quotient.download()?, combined.download()?, values, coefficients.download()?);
        assert!(*first.get_or_insert_with(|| found.clone()) == found, "{name} comes to something else");
    }
    Ok(())
}
