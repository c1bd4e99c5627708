//! Trees over matrices of several heights: nodes merged with the digests of rows.

use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Blake3, Keccak256, Poseidon2_8, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::merkle::MerkleTree;
use zkaccel::resident::{Cosets, DeviceTree};
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::residence::with_budget;
use crate::{Case, expect_equal, expect_error, reference, wrong_engine};

pub(super) const CASES: &[Case] = &[
    Case { name: "on the device, rows merged with nodes, rp64_256", run: heights::<Rp64_256> },
    Case { name: "on the device, rows merged with nodes, poseidon2_8", run: heights::<Poseidon2_8> },
    Case { name: "on the device, rows merged with nodes, blake3", run: heights::<Blake3> },
    Case { name: "on the device, rows merged with nodes, keccak256", run: heights::<Keccak256> },
    Case { name: "on the device, rows merged with nodes, refused", run: refused },
];

/// A tree and a matrix that are merged are as node by node, and so is the opening of a leaf.
pub(crate) fn check<H: Accelerated>(
    what: &str,
    engine: &Engine,
    (tree, nodes): (&DeviceTree<H>, &[H::Digest]),
    (matrix, expected): (&Cosets<Goldilocks>, &Matrix<Goldilocks>),
) -> Result<(DeviceTree<H>, MerkleTree<H>), String> {
    let rows = reference()?.hash_rows::<H, _>(expected)?;
    let level = &nodes[rows.len()..2 * rows.len()];
    let leaves: Vec<_> = level.iter().zip(&rows).map(|(node, row)| H::merge(&[*node, *row])).collect();
    let oracle = reference()?.merkle_tree::<H>(&leaves)?;
    let merged = engine.merge_rows(tree, matrix)?;
    expect_equal(what, &[merged.leaf_count()], &[leaves.len()])?;
    expect_equal(what, &[merged.root()], &[oracle.root()])?;
    expect_equal(what, &merged.nodes(1..2 * leaves.len())?, &oracle.heap()[1..])?;
    expect_equal(what, merged.download()?.heap(), oracle.heap())?;
    let mut indices = vec![0, leaves.len() / 2, leaves.len() - 1];
    indices.dedup();
    expect_equal(what, &merged.open_many(&indices)?.siblings, &oracle.open_many(&indices)?.siblings)?;
    Ok((merged, oracle))
}

fn matrix(words: &mut Words, rows: usize, columns: usize, layout: Layout) -> Matrix<Goldilocks> {
    words.matrix(Shape { rows, columns, layout })
}

fn heights<H: Accelerated>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(130);
    for heights in [&[1, 1][..], &[2, 1], &[16, 16, 4, 4, 1], &[64, 32, 16, 8, 2], &[2048, 512, 1]] {
        let tallest = matrix(&mut words, heights[0], 3, Layout::ColumnMajor);
        let mut tree = engine.merkle_tree_of_rows::<H, _>(&engine.upload(&tallest)?)?;
        let mut nodes = reference()?.merkle_tree_of_rows::<H, _>(&tallest)?.heap().to_vec();
        for (&rows, layout) in heights[1..].iter().zip([Layout::RowMajor, Layout::ColumnMajor].iter().cycle())
        {
            let what = format!("{rows} rows merged with a level, of heights {heights:?}");
            let shorter = matrix(&mut words, rows, 5, *layout);
            // The last one is in host memory, whatever the device.
            let there = match rows {
                1 => engine.keep_in_host_memory(shorter.clone())?,
                _ => engine.upload(&shorter)?,
            };
            let (merged, oracle) = check(&what, engine, (&tree, &nodes), (&there.into(), &shorter))?;
            (tree, nodes) = (merged, oracle.heap().to_vec());
        }
    }
    Ok(())
}

fn refused(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(131);
    let tallest = matrix(&mut words, 8, 2, Layout::RowMajor);
    let tree = engine.merkle_tree_of_rows::<Blake3, _>(&engine.upload(&tallest)?)?;
    let upload = |engine: &Engine, rows| {
        let uploaded = engine.upload(matrix(&mut Words::new(132), rows, 1, Layout::RowMajor))?;
        Ok::<Cosets<_>, Error>(uploaded.into())
    };
    for rows in [3, 7, 9] {
        let expected = Error::NotPowerOfTwo { what: "leaves of a Merkle tree", found: rows };
        expect_error(
            "no power of two",
            engine.merge_rows(&tree, &upload(engine, rows)?).map(drop),
            &expected,
        )?;
    }
    let what = "rows that are merged with a level of a tree, as many as its leaves or fewer";
    let expected = Error::LengthMismatch { what, expected: 8, found: 16 };
    expect_error(
        "more rows than leaves",
        engine.merge_rows(&tree, &upload(engine, 16)?).map(drop),
        &expected,
    )?;
    let other = with_budget(engine, 1 << 20)?;
    let foreign = upload(&other, 4)?;
    let expected = wrong_engine("matrix", engine, &other);
    expect_error("a matrix of another engine", engine.merge_rows(&tree, &foreign).map(drop), &expected)?;
    let expected = wrong_engine("tree", &other, engine);
    expect_error("a tree of another engine", other.merge_rows(&tree, &foreign).map(drop), &expected)
}
