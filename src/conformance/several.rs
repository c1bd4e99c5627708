//! Several devices: those of the engine, with the reference and the CPU, in unequal shares however small an operation is.

use super::data::Words;
use super::{Case, commits, expect_equal, failure, hashes, inverses, reference, transforms, trees};
use crate::device::DeviceChoice;
use crate::engine::Engine;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Blake3, Hasher};
use crate::matrix::{Layout, Matrix, Shape};
use crate::ntt::{Convention, Domain, Lde, Ntt};
use crate::policy::Policy;

pub(super) const CASES: &[Case] = &[
    Case { name: "several devices, transforms, inverses, rows, trees and commitments", run: shared },
    #[cfg(feature = "bn254")]
    Case { name: "several devices, sums and transforms over BN254", run: shared_bn254 },
    Case { name: "several devices, fewer items than devices", run: few_items },
    Case { name: "several devices, each its part", run: parts },
];

/// The engine's devices and two more, and shares that are no multiples of each other.
fn several(engine: &Engine) -> Result<Engine, String> {
    let mut devices = match engine.asked().device {
        DeviceChoice::Auto => Vec::new(),
        asked => asked.each().map_err(failure("devices"))?,
    };
    for other in [DeviceChoice::Reference, DeviceChoice::Cpu] {
        if !devices.contains(&other) {
            devices.push(other);
        }
    }
    let weights = (0..devices.len()).map(|i| [3, 1, 5][i % 3]).collect();
    let builder = engine.asked().builder().policy(Policy::Any).devices(&devices).weights(weights).threads(2);
    builder.build().map_err(failure("several devices"))
}

fn run_all(engine: &Engine, cases: &[Case]) -> Result<(), String> {
    let several = several(engine)?;
    // Large operations take long on the reference and are divided like small ones; all hashes are divided alike.
    let mut cases =
        cases.iter().filter(|case| !case.name.ends_with("large") && !case.repeats_for_another_hash());
    cases.try_for_each(|case| (case.run)(&several).map_err(|error| format!("{}: {error}", case.name)))
}

fn shared(engine: &Engine) -> Result<(), String> {
    run_all(
        engine,
        &[hashes::CASES, trees::CASES, transforms::CASES, inverses::CASES, commits::CASES].concat(),
    )
}

#[cfg(feature = "bn254")]
fn shared_bn254(engine: &Engine) -> Result<(), String> {
    run_all(engine, &[super::sums::CASES, super::scalar_transforms::CASES].concat())
}

/// One to five columns, rows and polynomials; trees from one leaf on; sums of no bases.
fn few_items(engine: &Engine) -> Result<(), String> {
    let (several, oracle) = (several(engine)?, reference().map_err(failure("reference"))?);
    let mut words = Words::new(90);
    let failed = failure("few items");
    let lde = Lde::onto_coset(3, 4, Convention::Plonky3, Goldilocks::GENERATOR).map_err(&failed)?;
    let ntt = Ntt::inverse(Domain::new(3, Convention::Plonky3).map_err(&failed)?);
    for columns in 1..=5 {
        for layout in [Layout::RowMajor, Layout::ColumnMajor] {
            let what = format!("{columns} columns, {layout:?}");
            let failed = failure(&what);
            let mut matrix: Matrix<Goldilocks> = words.matrix(Shape { rows: 8, columns, layout });
            let [found, expected] = [&several, &oracle].map(|engine| engine.lde(&lde, &matrix));
            expect_equal(&what, found.map_err(&failed)?.as_slice(), expected.map_err(&failed)?.as_slice())?;
            let mut expected = matrix.clone();
            several.ntt(&ntt, matrix.view_mut()).map_err(&failed)?;
            oracle.ntt(&ntt, expected.view_mut()).map_err(&failed)?;
            expect_equal(&what, matrix.as_slice(), expected.as_slice())?;
            let rows: Matrix<Goldilocks> = words.matrix(Shape { rows: columns, columns: 3, layout });
            let [found, expected] =
                [&several, &oracle].map(|engine| engine.hash_rows::<Blake3, _>(rows.view()));
            expect_equal(&what, &found.map_err(&failed)?, &expected.map_err(&failed)?)?;
        }
    }
    for log in 0..=9 {
        let leaves: Vec<_> = (0..1_u32 << log).map(|i| Blake3::hash(&i.to_le_bytes())).collect();
        let [found, expected] = [&several, &oracle].map(|engine| engine.merkle_tree::<Blake3>(&leaves));
        let (found, expected) = (found.map_err(&failed)?, expected.map_err(&failed)?);
        expect_equal(&format!("tree over 2^{log} leaves"), found.nodes(), expected.nodes())?;
    }
    #[cfg(feature = "bn254")]
    {
        use crate::bn254::{Fr, G1, G1Affine};
        use crate::msm::BasesOptions;
        let none = several.bases(Vec::<G1Affine>::new(), BasesOptions::default()).map_err(&failed)?;
        let sum = several.msm(&[] as &[Fr], &none).map_err(&failed)?;
        expect_equal("the sum of nothing", &[sum], &[G1::default()])?;
        for n in 1..=5 {
            let bases =
                several.bases(vec![G1Affine::generator(); n], BasesOptions::default()).map_err(&failed)?;
            let rows = 3;
            let scalars: Vec<_> = (1..=(rows * n) as u64).map(Fr::from).collect();
            let sums = several.msm_batch(&scalars, &bases).map_err(&failed)?;
            let expected: Vec<_> =
                scalars.chunks(n).map(|row| G1::generator() * row.iter().sum::<Fr>()).collect();
            expect_equal(&format!("{rows} sums of {n}"), &sums, &expected)?;
        }
    }
    Ok(())
}

/// Every device has done some of the work, and all together each item once.
fn parts(engine: &Engine) -> Result<(), String> {
    let several = several(engine)?;
    let failed = failure("parts");
    let columns = 9 * several.work().len();
    let shape = Shape { rows: 16, columns, layout: Layout::ColumnMajor };
    let ntt = Ntt::forward(Domain::new(4, Convention::Plonky3).map_err(&failed)?);
    let mut matrix: Matrix<Goldilocks> = Words::new(91).matrix(shape);
    several.ntt(&ntt, matrix.view_mut()).map_err(&failed)?;
    let done: Vec<_> =
        several.work().iter().map(|work| work.of("ntt").map_or(0, |line| line.items)).collect();
    for idle in
        several.work().into_iter().zip(&done).filter(|(_, items)| **items == 0).map(|(work, _)| work.device)
    {
        // Only devices without the operation have no part.
        let choice = idle.parse().map_err(&failed)?;
        let alone = engine.asked().builder().policy(Policy::Any).device(choice).build().map_err(&failed)?;
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
