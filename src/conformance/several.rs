//! Several devices: those of the engine, with the reference and the CPU, in unequal shares however small an operation is.

use super::data::Words;
use super::hashes::rows_agree;
use super::transforms::{lde_agrees, ntt_agrees};
use super::trees::tree_agrees;
use super::{
    Case, combinations, commits, expect_equal, hashes, inverses, lookups, prefix, transforms, trees,
};
use crate::device::DeviceChoice;
use crate::engine::Engine;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Blake3;
use crate::matrix::{Layout, Matrix, Shape};
use crate::ntt::{Convention, Domain, Lde, Ntt};
use crate::policy::Policy;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "several devices, transforms, inverses, combinations, prefix products, lookups, rows, trees and commitments",
        run: shared,
    },
    #[cfg(feature = "bn254")]
    Case { name: "several devices, sums and transforms over BN254", run: shared_bn254 },
    #[cfg(feature = "bn254")]
    Case { name: "several devices, vectors over prime fields", run: shared_vectors },
    Case { name: "several devices, fewer items than devices", run: few_items },
    Case { name: "several devices, each its part", run: parts },
];

/// The engine's devices and two more, and shares that are no multiples of each other.
fn several(engine: &Engine) -> Result<Engine, Error> {
    let mut devices = match engine.asked().device {
        DeviceChoice::Auto => Vec::new(),
        asked => asked.each()?,
    };
    for other in [DeviceChoice::Reference, DeviceChoice::Cpu] {
        if !devices.contains(&other) {
            devices.push(other);
        }
    }
    let weights = (0..devices.len()).map(|i| [3, 1, 5][i % 3]).collect();
    let builder = engine.asked().clone().policy(Policy::Any).devices(&devices).weights(weights).threads(2);
    builder.build()
}

fn run_all(engine: &Engine, cases: &[Case]) -> Result<(), String> {
    let several = several(engine)?;
    // Large operations take long on the reference and are divided like small ones; all hashes are divided alike, and all curves.
    let is_large = |case: &Case| ["large", "forward and back"].iter().any(|end| case.name.ends_with(end));
    let repeats = |case: &Case| case.repeats_for_another_hash() || case.repeats_for_another_curve();
    let mut cases = cases.iter().filter(|case| !is_large(case) && !repeats(case));
    cases.try_for_each(|case| (case.run)(&several).map_err(|error| format!("{}: {error}", case.name)))
}

fn shared(engine: &Engine) -> Result<(), String> {
    let transforms = [transforms::CASES, transforms::GOLDILOCKS].concat();
    let sums_and_products = [inverses::CASES, combinations::CASES, prefix::CASES, lookups::CASES].concat();
    let operations = [hashes::CASES, trees::CASES, &transforms, &sums_and_products, commits::CASES];
    run_all(engine, &operations.concat())
}

#[cfg(feature = "bn254")]
fn shared_bn254(engine: &Engine) -> Result<(), String> {
    run_all(engine, &[super::sums::CASES, transforms::PRIME_FIELDS].concat())
}

#[cfg(feature = "bn254")]
fn shared_vectors(engine: &Engine) -> Result<(), String> {
    run_all(engine, &[super::vectors::CASES, super::sparse::CASES].concat())
}

/// One to five columns, rows and polynomials; trees from one leaf on.
fn few_items(engine: &Engine) -> Result<(), String> {
    let (several, mut words) = (several(engine)?, Words::new(90));
    let lde = Lde::onto_coset(3, 4, Convention::Plonky3, Goldilocks::GENERATOR)?;
    let ntt = Ntt::inverse(Domain::new(3, Convention::Plonky3)?);
    for columns in 1..=5 {
        for layout in [Layout::RowMajor, Layout::ColumnMajor] {
            let matrix: Matrix<Goldilocks> = words.matrix(Shape { rows: 8, columns, layout });
            lde_agrees(&several, &lde, &matrix)?;
            ntt_agrees(&several, &ntt, &matrix)?;
            let rows: Matrix<Goldilocks> = words.matrix(Shape { rows: columns, columns: 3, layout });
            rows_agree::<Blake3, _>(&several, &rows)?;
        }
    }
    for log in 0..=9 {
        tree_agrees::<Blake3>(&format!("tree over 2^{log} leaves"), &several, &words.digests(1 << log))?;
    }
    Ok(())
}

/// Every device has done some of the work, and all together each item once.
fn parts(engine: &Engine) -> Result<(), String> {
    let several = several(engine)?;
    let columns = 9 * several.work().len();
    let shape = Shape { rows: 16, columns, layout: Layout::ColumnMajor };
    let ntt = Ntt::forward(Domain::new(4, Convention::Plonky3)?);
    let mut matrix: Matrix<Goldilocks> = Words::new(91).matrix(shape);
    several.ntt(&ntt, matrix.view_mut())?;
    let done: Vec<_> =
        several.work().iter().map(|work| work.of("ntt").map_or(0, |line| line.items)).collect();
    for idle in
        several.work().into_iter().zip(&done).filter(|(_, items)| **items == 0).map(|(work, _)| work.device)
    {
        // Only devices without the operation have no part.
        let choice = idle.parse()?;
        let alone = engine.asked().clone().policy(Policy::Any).device(choice).build()?;
        let mut matrix: Matrix<Goldilocks> = Words::new(91).matrix(shape);
        if !matches!(alone.ntt(&ntt, matrix.view_mut()), Err(Error::Unsupported { .. })) {
            return Err(format!("{idle} had no part: {done:?}"));
        }
    }
    expect_equal("all parts", &[done.iter().sum::<u64>()], &[(16 * columns) as u64])?;
    let bytes = |of: fn(&crate::work::OperationWork) -> u64| -> u64 {
        several.work().iter().filter_map(|work| work.of("ntt").map(of)).sum()
    };
    let expected = 8 * 16 * columns as u64;
    expect_equal("bytes", &[bytes(|line| line.bytes_in), bytes(|line| line.bytes_out)], &[expected; 2])
}
