//! What fails now and then: the same work many times on a busy device, results that nobody waits for, data at any address; and whether the
//! account tells who did the work.

use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Blake3, ByteDigest, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, MatrixMut, MatrixRef, Shape};
use zkaccel::ntt::{Convention, Domain, Lde, Ntt};
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::{Case, expect_equal, from_four_threads, reference};

pub(super) const CASES: &[Case] = &[
    Case { name: "the same input again and again, on a busy device", run: again },
    Case { name: "commitments opened and verified, on a busy device", run: verified },
    Case { name: "jobs and matrices dropped before they are done", run: dropped },
    Case { name: "host data at every offset", run: offsets },
    Case { name: "the account tells who did the work", run: account },
];

/// Times that each of four threads does the same.
const TIMES: usize = 30;

/// How often a thread makes a commitment, which takes far longer where the device is a processor.
const COMMITMENTS: usize = 5;

fn transform(log_size: u32) -> Result<Ntt, Error> {
    Ok(Ntt::forward(Domain::new(log_size, Convention::Winterfell)?))
}

fn columns(log_size: u32, columns: usize) -> Shape {
    Shape { rows: 1 << log_size, columns, layout: Layout::ColumnMajor }
}

/// A transform, hashes of rows and a tree, of sizes at which launches differ.
fn again(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(31);
    for (log_size, width) in [(6, 3), (10, 1), (12, 2), (13, 1)] {
        let ntt = transform(log_size)?;
        let matrix = words.matrix::<Goldilocks>(columns(log_size, width));
        let once = || {
            let mut values = matrix.clone();
            engine.ntt(&ntt, values.view_mut())?;
            let digests = engine.hash_rows::<Blake3, _>(values.view())?;
            let root = engine.merkle_tree::<Blake3>(&digests)?.root();
            Ok::<_, Error>((values, root))
        };
        let (expected, root) = once()?;
        let found = from_four_threads(|_| (0..TIMES).map(|_| once()).collect::<Result<Vec<_>, _>>())?;
        for (values, found) in found.into_iter().flatten() {
            expect_equal("a transform again", values.as_slice(), expected.as_slice())?;
            expect_equal("its root again", &[found], &[root])?;
        }
    }
    Ok(())
}

/// Each thread makes commitments, and between them transforms of other data, so that the engine is busy with the work of three others. Every root, every
/// opened row and every transform is compared, and every opening verified with the root of the reference.
fn verified(engine: &Engine) -> Result<(), String> {
    commitments::<Blake3>(engine, &[(6, 3), (8, 2)])?;
    commitments::<Rp64_256>(engine, &[(5, 4)])
}

fn commitments<H: Accelerated>(engine: &Engine, sizes: &[(u32, usize)]) -> Result<(), String> {
    let (mut words, oracle, spec) = (Words::new(35), reference()?, TraceSpec::default());
    for &(log_size, width) in sizes {
        let trace = words.matrix::<Goldilocks>(columns(log_size, width));
        let expected = oracle.commit::<H>(&spec, &trace)?;
        let (cap, rows) = (expected.cap(0)?, expected.shape().rows);
        let (ntt, other) =
            (transform(log_size + 2)?, words.matrix::<Goldilocks>(columns(log_size + 2, width)));
        let mut transformed = other.clone();
        oracle.ntt(&ntt, transformed.view_mut())?;
        let once = |turn: usize| {
            let commitment = engine.commit::<H>(&spec, &trace)?;
            let indices = [turn * 7919 % rows, rows - 1 - turn % 3];
            let opening = commitment.open(&indices)?;
            opening.verify(&cap, width)?;
            expect_equal("a root", &[commitment.root()], &[expected.root()])?;
            expect_equal("opened rows", &opening.rows, &expected.open(&indices)?.rows)?;
            let mut values = other.clone();
            engine.ntt(&ntt, values.view_mut())?;
            expect_equal("a transform between them", values.as_slice(), transformed.as_slice())
        };
        let turns = |thread: usize| (0..COMMITMENTS).try_for_each(|i| once(4 * i + thread));
        from_four_threads(|thread| Ok(turns(thread)))?.into_iter().collect::<Result<(), String>>()?;
    }
    Ok(())
}

/// Work that nobody waits for, whose memory what comes next takes over.
fn dropped(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(32);
    let (ntt, lde) = (transform(11)?, Lde::onto_coset(11, 4, Convention::Winterfell, Goldilocks::GENERATOR)?);
    let matrix = words.matrix::<Goldilocks>(columns(11, 4));
    let mut expected = matrix.clone();
    engine.ntt(&ntt, expected.view_mut())?;
    let extended = engine.lde(&lde, matrix.view())?;
    for _ in 0..10 {
        drop(engine.ntt_async(&ntt, words.matrix::<Goldilocks>(columns(11, 4))));
        let other = engine.upload(words.matrix::<Goldilocks>(columns(11, 4)))?;
        let kept = engine.upload(&matrix)?;
        // Its memory is free as soon as the extension is under way, or before.
        drop(engine.lde_async(&lde, other));
        let job = engine.lde_async(&lde, kept.clone());
        drop(kept);
        let found = engine.ntt_async(&ntt, matrix.clone()).wait()?;
        expect_equal("a transform beside dropped ones", found.as_slice(), expected.as_slice())?;
        let found = engine.download(&job.wait()?)?;
        expect_equal("an extension of a dropped matrix", found.as_slice(), extended.as_slice())?;
    }
    Ok(())
}

/// Slices that begin at every word of a cache line, for a transform in place, rows and leaves.
fn offsets(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(33);
    let (ntt, shape) = (transform(8)?, columns(8, 3));
    let matrix = words.matrix::<Goldilocks>(shape);
    let mut expected = matrix.clone();
    engine.ntt(&ntt, expected.view_mut())?;
    let digests = engine.hash_rows::<Rp64_256, _>(expected.view())?;
    let leaves: Vec<ByteDigest> = words.digests(64);
    let root = engine.merkle_tree::<Blake3>(&leaves)?.root();
    let poison = Goldilocks::new(0x5555_5555);
    for offset in 0..8 {
        let len = matrix.as_slice().len();
        let mut memory = vec![poison; len + 16];
        memory[offset..offset + len].copy_from_slice(matrix.as_slice());
        engine.ntt(&ntt, MatrixMut::new(&mut memory[offset..offset + len], shape)?)?;
        expect_equal("a transform at an offset", &memory[offset..offset + len], expected.as_slice())?;
        let around = [&memory[..offset], &memory[offset + len..]].concat();
        expect_equal("what lies around it", &around, &[poison; 16])?;
        let rows = MatrixRef::new(&memory[offset..offset + len], shape)?;
        expect_equal("rows at an offset", &engine.hash_rows::<Rp64_256, _>(rows)?, &digests)?;
        let mut all = vec![ByteDigest([0; 32]); offset];
        all.extend_from_slice(&leaves);
        let found = engine.merkle_tree::<Blake3>(&all[offset..])?.root();
        expect_equal("a tree over leaves at an offset", &[found], &[root])?;
    }
    Ok(())
}

/// Each operation is in the account of the engine's devices, with all of its items and without failures; a single device that has a clock has
/// worked by it.
fn account(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(34);
    let lde = Lde::onto_coset(9, 2, Convention::Winterfell, Goldilocks::GENERATOR)?;
    let matrix: Matrix<Goldilocks> = words.matrix(columns(9, 3));
    let leaves: Vec<ByteDigest> = words.digests(1 << 9);
    let totals = |operation: &str| {
        let work = engine.work();
        let lines = work.iter().filter_map(|device| device.of(operation));
        lines.fold([0; 3], |sum, line| [sum[0] + line.calls, sum[1] + line.items, sum[2] + line.failures])
    };
    let clock = engine.device_time();
    for (operation, items) in
        [("ntt", 3 << 9), ("lde", 6 << 9), ("row hashing", 3 << 9), ("merkle tree", 1 << 9)]
    {
        let before = totals(operation);
        match operation {
            "ntt" => engine.ntt(&transform(9)?, matrix.clone().view_mut())?,
            "lde" => drop(engine.lde(&lde, matrix.view())?),
            "row hashing" => drop(engine.hash_rows::<Rp64_256, _>(matrix.view())?),
            _ => drop(engine.merkle_tree::<Blake3>(&leaves)?),
        }
        let after = totals(operation);
        let [calls, found, failures] = [0, 1, 2].map(|i| after[i] - before[i]);
        // Other threads may use the engine too, so there may be more.
        if calls == 0 || found < items || failures > 0 {
            return Err(format!(
                "{operation}: the account has {calls} more calls, {found} items and {failures} failures, expected one call at least, \
                 {items} items and no failure"
            ));
        }
    }
    match clock.zip(engine.device_time()) {
        // Of several devices, the CPU may have done the work.
        Some((before, after)) if after <= before && engine.work().len() == 1 => {
            Err("the device has a clock, and has not worked by it".into())
        }
        _ => Ok(()),
    }
}
