//! Several devices: those of the engine, with the reference and the CPU, in unequal shares however small an operation is.

#[cfg(feature = "bn254")]
use zkaccel::bn254::Fr;
use zkaccel::commit::{Commitment, TraceSpec};
use zkaccel::device::DeviceChoice;
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::{Blake3, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{AcceleratedField, Convention, Domain, Lde, Ntt, Order};
use zkaccel::policy::Policy;
use zkaccel::{Engine, EngineBuilder, Error};

use crate::commits::same;
use crate::data::Words;
use crate::hashes::rows_agree;
use crate::transforms::{lde_agrees, ntt_agrees};
use crate::trees::tree_agrees;
use crate::{Case, combinations, commits, hashes, inverses, lookups, prefix, transforms, trees};
use crate::{expect_equal, expect_error, reference};

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
    Case { name: "several devices, cosets of a commitment", run: cosets },
    Case { name: "several devices, jobs that copy much at once", run: jobs },
    Case { name: "several devices, those of the engine alone", run: alone },
];

/// The engine's devices and two more, and shares that are no multiples of each other.
pub(super) fn several(engine: &Engine) -> Result<Engine, Error> {
    let mut devices = match engine.choice() {
        DeviceChoice::Auto => Vec::new(),
        asked => asked.each()?,
    };
    for other in [DeviceChoice::Reference, DeviceChoice::Cpu] {
        if !devices.contains(&other) {
            devices.push(other);
        }
    }
    let weights = (0..devices.len()).map(|i| [3, 1, 5][i % 3]).collect();
    with_threads(engine.to_builder().policy(Policy::Any).devices(&devices).weights(weights))
}

fn with_threads(builder: EngineBuilder) -> Result<Engine, Error> {
    builder.threads(2).build()
}

fn run_all(engine: &Engine, cases: &[Case]) -> Result<(), String> {
    let several = several(engine)?;
    // Large operations take long on the reference and are divided like small ones; all hashes are divided alike, and all curves.
    let is_large = |case: &Case| ["large", "forward and back"].iter().any(|end| case.name.ends_with(end));
    let repeats = |case: &Case| case.is_of_another_hash() || case.repeats_for_another_curve();
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
    run_all(engine, &[crate::sums::CASES, crate::points::CASES, transforms::PRIME_FIELDS].concat())
}

#[cfg(feature = "bn254")]
fn shared_vectors(engine: &Engine) -> Result<(), String> {
    run_all(engine, &[crate::vectors::CASES, crate::sparse::CASES].concat())
}

/// The same operations where the engine has several devices and no other takes part, as some can do more among themselves: transforms of one column, and of rows, in every direction.
fn alone(engine: &Engine) -> Result<(), String> {
    let devices = engine.work().len();
    if devices < 2 {
        return Ok(());
    }
    let weights = (0..devices).map(|i| [3, 1, 5][i % 3]).collect();
    let several = with_threads(engine.to_builder().policy(Policy::Any).weights(weights))?;
    let equal = with_threads(engine.to_builder().policy(Policy::Any).weights(vec![1]))?;
    let mut words = Words::new(93);
    for log in [1, 2, 5, 13] {
        let lde = Lde::onto_coset(log, 4, Convention::Plonky3, Goldilocks::GENERATOR)?;
        for (columns, layout) in
            [(1, Layout::RowMajor), (9, Layout::RowMajor), (24, Layout::RowMajor), (9, Layout::ColumnMajor)]
        {
            let matrix: Matrix<Goldilocks> = words.matrix(Shape { rows: 1 << log, columns, layout });
            for engine in [&several, &equal] {
                lde_agrees(engine, &lde, &matrix)?;
                every_transform(engine, lde.from(), &matrix)?;
                every_transform(engine, lde.from().coset(Goldilocks::GENERATOR)?, &matrix)?;
            }
        }
        #[cfg(feature = "bn254")]
        {
            let domain = Domain::<Fr>::halo2(log)?.coset(Fr::from(7))?;
            let scalars = words.matrix(Shape { rows: 1 << log, columns: 1, layout: Layout::ColumnMajor });
            every_transform(&equal, domain, &scalars)?;
        }
    }
    Ok(())
}

/// In both directions, with either side in either order.
fn every_transform<F: AcceleratedField>(
    engine: &Engine,
    domain: Domain<F>,
    matrix: &Matrix<F>,
) -> Result<(), String> {
    for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
        for output in [Order::Natural, Order::BitReversed] {
            ntt_agrees(engine, &ntt.with_orders(Order::Natural, output), matrix)?;
            ntt_agrees(engine, &ntt.with_orders(output, Order::Natural), matrix)?;
        }
    }
    Ok(())
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

/// Commitments whose extension stays in cosets where they were made, and their trees in subtrees; within any budget of the devices.
fn cosets(engine: &Engine) -> Result<(), String> {
    let (several, oracle, mut words) = (several(engine)?, reference()?, Words::new(92));
    for (rows, columns, blowup) in [(8, 3, 8), (64, 5, 16), (16, 1, 4), (256, 2, 2)] {
        for layout in [Layout::RowMajor, Layout::ColumnMajor] {
            let what = format!("commitment to {rows} x {columns}, {layout:?}, blow-up {blowup}");
            let spec = TraceSpec { blowup, ..TraceSpec::default() };
            let trace = words.matrix(Shape { rows, columns, layout });
            let expected = oracle.commit::<Rp64_256>(&spec, &trace)?;
            // None, and what is too little for the share of a device.
            for budget in [u64::MAX, 0] {
                let engine = match budget {
                    0 => with_threads(several.to_builder().device_memory(0))?,
                    _ => several.clone(),
                };
                let found = engine.commit::<Rp64_256>(&spec, &trace)?;
                let parts = found.resident_extension().parts();
                // Where no device keeps data all of it is in host memory, in one piece; where none has room for its share too, in pieces if the host's devices have all shares.
                let as_expected = match budget {
                    0 => parts.iter().all(|part| part.as_host().is_some()),
                    _ => (parts.len() > 1) == engine.device_budget().is_some(),
                };
                if !as_expected {
                    let parts = parts.len();
                    return Err(format!("{what}: {parts} cosets with {budget} bytes of device memory"));
                }
                opens_alike(&what, &found, &expected)?;
                same(&what, &found, &expected)?;
            }
            let (index, value) = (rows * columns - 1, MODULUS);
            let mut wrong = trace.as_slice().to_vec();
            wrong[index] = bytemuck::cast(value);
            let refused = several.commit::<Rp64_256>(&spec, Matrix::new(wrong, trace.shape())?);
            expect_error(&what, refused, &Error::NotCanonical { index, value })?;
            // Without host memory nothing is kept there.
            match with_threads(several.to_builder().memory_budget(0))?.commit::<Rp64_256>(&spec, &trace) {
                Err(Error::OverBudget { budget: 0, .. }) => {}
                Ok(found) => {
                    let parts = found.resident_extension().parts();
                    if parts.iter().any(|part| part.as_host().is_some()) {
                        return Err(format!("{what}: cosets in host memory, of which there is none"));
                    }
                    same(&what, &found, &expected)?;
                }
                Err(other) => return Err(format!("{what}: without host memory: {other}")),
            }
        }
    }
    Ok(())
}

/// Rows, caps of every height, nodes and openings are the same, of a commitment that has not been copied to host memory.
fn opens_alike(
    what: &str,
    found: &Commitment<Rp64_256>,
    expected: &Commitment<Rp64_256>,
) -> Result<(), String> {
    let rows = expected.shape().rows;
    expect_equal(what, &[found.shape()], &[expected.shape()])?;
    let indices: Vec<_> = (0..rows).rev().step_by(7).collect();
    let read = |commitment: &Commitment<_>| commitment.resident_extension().read_rows(&indices);
    expect_equal(what, &read(found)?, &read(expected)?)?;
    let past_the_end = found.resident_extension().read_rows(&[0, rows]);
    expect_error(what, past_the_end, &Error::IndexOutOfRange { index: rows, len: rows })?;
    let (tree, oracle) = (found.resident_tree(), expected.resident_tree());
    for height in 0..=oracle.depth() {
        let opening = found.open_to_cap(&indices, height)?;
        expect_equal(what, std::slice::from_ref(&opening), &[expected.open_to_cap(&indices, height)?])?;
        opening.verify(&found.cap(height)?, expected.shape().columns)?;
    }
    for start in [1, 2, 3, rows / 2 + 1, rows - 1, rows + 3] {
        let end = (start + rows / 2 + 2).min(2 * rows);
        expect_equal(what, &tree.nodes(start..end)?, &oracle.nodes(start..end)?)?;
    }
    expect_equal(what, &[tree.open(rows - 1)?], &[oracle.open(rows - 1)?])
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
        let alone = engine.to_builder().policy(Policy::Any).device(choice).build()?;
        let mut matrix: Matrix<Goldilocks> = Words::new(91).matrix(shape);
        if !matches!(alone.ntt(&ntt, matrix.view_mut()), Err(Error::Unsupported { .. })) {
            return Err(format!("{idle} had no part: {done:?}"));
        }
    }
    expect_equal("all parts", &[done.iter().sum::<u64>()], &[(16 * columns) as u64])?;
    let bytes = |of: fn(&zkaccel::work::OperationWork) -> u64| -> u64 {
        several.work().iter().filter_map(|work| work.of("ntt").map(of)).sum()
    };
    let expected = 8 * 16 * columns as u64;
    expect_equal("bytes", &[bytes(|line| line.bytes_in), bytes(|line| line.bytes_out)], &[expected; 2])
}

/// Jobs on all devices at once, whose data the engine's threads copy together: a thread that waits for others goes on with another job, perhaps on another device.
fn jobs(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(65);
    let ntt = Ntt::forward(Domain::new(17, Convention::Plonky3)?);
    let mut expected: Matrix<Goldilocks> = Matrix::from_column(words.samples(1 << 17))?;
    let before = expected.clone();
    engine.ntt(&ntt, expected.view_mut())?;
    let started: Vec<_> = (0..64).map(|_| engine.ntt_async(&ntt, before.clone())).collect();
    let kept: Vec<_> = (0..8).map(|_| engine.upload(&before)).collect::<Result<_, _>>()?;
    let stay: Vec<_> = kept.into_iter().map(|kept| engine.ntt_async(&ntt, kept)).collect();
    for job in started {
        expect_equal("a job among many", job.wait()?.as_slice(), expected.as_slice())?;
    }
    for job in stay {
        expect_equal("a job on what stays", engine.download(&job.wait()?)?.as_slice(), expected.as_slice())?;
    }
    Ok(())
}
