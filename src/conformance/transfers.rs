//! Transfers to and from a device, and repeated work.

use super::data::Words;
use super::{Case, expect_equal, failure, reference};
use crate::engine::Engine;
use crate::field::Goldilocks;
use crate::hash::{Blake3, ByteDigest, ElementDigest, Hasher, Rp64_256};
use crate::matrix::{Layout, MatrixMut, MatrixRef, Shape};
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt};

pub(super) const CASES: &[Case] = &[
    Case { name: "work that comes again, over other data", run: repeats },
    Case { name: "page-locked memory, whole and in part", run: pinned },
    Case { name: "more data than staging memory holds", run: large },
];

/// The same operation several times: its launches are the same, the data and the results are not.
fn repeats(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(21), reference().map_err(failure("reference"))?);
    let ntt = Ntt::forward(Domain::new(11, Convention::Winterfell).map_err(failure("domain"))?);
    let engine = engine.with_approach(Approach::Level);
    let before = engine.replays();
    for _ in 0..4 {
        let leaves = words.elements(4 << 7);
        let leaves: &[ElementDigest] = bytemuck::cast_slice(&leaves);
        let found = engine.merkle_tree::<Rp64_256>(leaves).map_err(failure("tree"))?;
        let expected = oracle.merkle_tree::<Rp64_256>(leaves).map_err(failure("tree"))?;
        expect_equal("a tree that comes again", found.heap(), expected.heap())?;
        let shape = Shape { rows: 1 << 11, columns: 2, layout: Layout::ColumnMajor };
        let mut found = words.matrix::<Goldilocks>(shape);
        let mut expected = found.clone();
        engine.ntt(&ntt, found.view_mut()).map_err(failure("ntt"))?;
        oracle.ntt(&ntt, expected.view_mut()).map_err(failure("ntt"))?;
        expect_equal("a transform that comes again", found.as_slice(), expected.as_slice())?;
    }
    match before.zip(engine.replays()) {
        // The trees' launches are seen, captured and then replayed, at least twice.
        // Where there is a choice, the CPU may have done them.
        Some((before, after)) if after < before + 3 && engine.choices().is_none() => {
            Err(format!("{} lists of launches were replayed, expected at least 3", after - before))
        }
        _ => Ok(()),
    }
}

/// Operations on memory that the device copies from and to directly.
fn pinned(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(22), reference().map_err(failure("reference"))?);
    const ROWS: usize = 1 << 14;
    let data = words.elements(3 * ROWS + 5);
    let mut found = engine.pinned::<Goldilocks>(data.len()).map_err(failure("memory"))?;
    expect_equal("fresh memory", &found, &vec![Goldilocks::default(); data.len()])?;
    found.copy_from_slice(&data);
    let mut expected = data;
    let ntt = Ntt::forward(Domain::new(14, Convention::Plonky3).map_err(failure("domain"))?);
    let shape = Shape { rows: ROWS, columns: 2, layout: Layout::ColumnMajor };
    for (device, data) in [(engine, &mut found[..]), (&oracle, &mut expected[..])] {
        // Neither the first nor the last of it.
        let matrix = MatrixMut::new(&mut data[3..3 + 2 * ROWS], shape).map_err(failure("matrix"))?;
        device.ntt(&ntt, matrix).map_err(failure("ntt"))?;
    }
    expect_equal("ntt in page-locked memory", &found, &expected)?;
    let lde =
        Lde::onto_coset(14, 2, Convention::Winterfell, Goldilocks::GENERATOR).map_err(failure("lde"))?;
    let mut extended = engine.pinned::<Goldilocks>(4 * ROWS).map_err(failure("memory"))?;
    // The matrix is used up.
    let mut scratch = engine.pinned::<Goldilocks>(2 * ROWS).map_err(failure("memory"))?;
    scratch.copy_from_slice(&expected[..2 * ROWS]);
    let matrix = MatrixMut::new(&mut scratch, shape).map_err(failure("matrix"))?;
    engine.lde_into(&lde, matrix, &mut extended).map_err(failure("lde"))?;
    let matrix = MatrixRef::new(&expected[..2 * ROWS], shape).map_err(failure("matrix"))?;
    let oracle_extended = oracle.lde(&lde, matrix).map_err(failure("lde"))?;
    expect_equal("extension in page-locked memory", &extended, oracle_extended.as_slice())?;
    let matrix = |data| MatrixRef::new(data, Shape { columns: 3, ..shape }).map_err(failure("matrix"));
    let digests =
        engine.hash_rows::<Blake3, _>(matrix(&found[..3 * ROWS])?).map_err(failure("hashes of rows"))?;
    let expected =
        oracle.hash_rows::<Blake3, _>(matrix(&expected[..3 * ROWS])?).map_err(failure("hashes of rows"))?;
    expect_equal("hashes of rows in page-locked memory", &digests, &expected)
}

/// A tree whose leaves and nodes go through staging memory in several pieces.
fn large(engine: &Engine) -> Result<(), String> {
    let leaves: Vec<ByteDigest> =
        (0..1_u64 << 20).map(|i| ByteDigest(bytemuck::cast([i, i ^ 1, i.wrapping_mul(i), !i]))).collect();
    let found = engine.merkle_tree::<Blake3>(&leaves).map_err(failure("tree"))?;
    expect_equal("leaves", found.leaves(), &leaves)?;
    let nodes = found.heap();
    let expected: Vec<_> =
        nodes[2..].chunks_exact(2).map(|pair| Blake3::merge(&[pair[0], pair[1]])).collect();
    expect_equal("nodes, each of its children", &nodes[1..leaves.len()], &expected)
}
