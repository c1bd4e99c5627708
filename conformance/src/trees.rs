//! Merkle trees, node by node.

use zkaccel::field::{Field, Goldilocks, Quadratic};
use zkaccel::hash::{Accelerated, Digest, ElementDigest, Rp64_256, Rp64_256V2021};
use zkaccel::kernels::DeviceHash;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::merkle::{Approach, MerkleTree};
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Words};
use crate::{Case, agree, expect_equal, expect_error, reference};

macro_rules! cases {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(Case { name: concat!("trees, ", $name), run: |engine| trees::<zkaccel::hash::$hash>(engine, LARGEST, &[Approach::Auto]) },)*
            $(Case { name: concat!("every approach to trees, ", $name), run: approaches::<zkaccel::hash::$hash> },)*
            Case { name: "trees of rows", run: trees_of_rows },
            $(Case { name: concat!("every leaf changes the root, ", $name), run: every_leaf::<zkaccel::hash::$hash> },)*
            Case { name: "openings verify and nothing else does", run: openings },
            Case { name: "known roots", run: known_roots },
            Case { name: "leaves that are refused", run: refused },
        ];
    };
}
zkaccel::for_every_hash!(cases);

/// The binary logarithm of the leaves of the largest trees.
const LARGEST: u32 = 13;

/// Trees of every size by some approaches. The oracle builds the largest tree only: the others are over its first leaves, so they
/// are contained in it.
pub(super) fn trees<H: Accelerated>(
    engine: &Engine,
    largest: u32,
    approaches: &[Approach],
) -> Result<(), String> {
    let leaves = Words::new(6).digests::<H::Digest>(1 << largest);
    let whole = reference()?.merkle_tree::<H>(&leaves)?;
    for log_leaves in 0..=largest {
        let expected = first_subtree(&whole, log_leaves);
        for &approach in approaches {
            let what = format!("{} tree of 2^{log_leaves} leaves, approach {approach}", H::NAME);
            let found = engine.with_approach(approach).merkle_tree::<H>(&leaves[..1 << log_leaves])?;
            expect_equal(&what, found.heap(), &expected)?;
            expect_equal(&what, found.leaves(), &leaves[..1 << log_leaves])?;
        }
    }
    Ok(())
}

fn approaches<H: Accelerated + DeviceHash>(engine: &Engine) -> Result<(), String> {
    trees_by_approaches::<H>(engine, LARGEST)
}

/// Trees of up to 2^`largest` leaves by every approach.
pub(super) fn trees_by_approaches<H: Accelerated + DeviceHash>(
    engine: &Engine,
    largest: u32,
) -> Result<(), String> {
    // Where all are the same, one of them shows that choosing another is not an error.
    trees::<H>(engine, largest, if H::APPROACHES { &Approach::ALL } else { &[Approach::Group] })
}

/// A bit of each leaf flipped.
fn every_leaf<H: Accelerated>(engine: &Engine) -> Result<(), String> {
    for len in [1, 2, 4, 64] {
        let leaves = Words::new(4).digests::<H::Digest>(len);
        let root = engine.merkle_tree::<H>(&leaves)?.root();
        for flipped in 0..len {
            let mut leaves = leaves.clone();
            // Bit 62 of the last word: it leaves every word of these leaves canonical.
            let mut bytes = leaves[flipped].to_bytes();
            bytes[31] ^= 0x40;
            leaves[flipped] = H::Digest::from_bytes(bytes)?;
            if engine.merkle_tree::<H>(&leaves)?.root() == root {
                return Err(format!("{}: leaf {flipped} of {len} does not change the root", H::NAME));
            }
        }
    }
    Ok(())
}

/// The heap of the tree over the first 2^`depth` leaves of a tree.
fn first_subtree<H: Accelerated>(tree: &MerkleTree<H>, depth: u32) -> Vec<H::Digest> {
    let mut heap = vec![H::Digest::default()];
    for level in 0..=depth {
        let first = 1 << (tree.depth() - depth + level);
        heap.extend(&tree.heap()[first..first + (1 << level)]);
    }
    heap
}

/// `Ok` if the tree over some leaves is that of the oracle.
pub(super) fn tree_agrees<H: Accelerated>(
    what: &str,
    engine: &Engine,
    leaves: &[H::Digest],
) -> Result<(), String> {
    agree(what, engine, |engine| Ok(engine.merkle_tree::<H>(leaves)?.heap().to_vec()))
}

/// `Ok` if the tree over the rows of a matrix is that of the oracle.
pub(super) fn tree_of_rows_agrees<H: Accelerated, F: Field>(
    what: &str,
    engine: &Engine,
    matrix: &Matrix<F>,
) -> Result<(), String> {
    agree(what, engine, |engine| Ok(engine.merkle_tree_of_rows::<H, _>(matrix)?.heap().to_vec()))
}

fn trees_of_rows(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(3);
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        for (rows, columns) in [(1, 1), (2, 3), (64, 8), (128, 9), (256, 4)] {
            let what = format!("tree of {rows} x {columns}, {layout:?}");
            let matrix = words.matrix::<Quadratic>(Shape { rows, columns, layout });
            tree_of_rows_agrees::<Rp64_256, _>(&what, engine, &matrix)?;
        }
    }
    Ok(())
}

fn openings(engine: &Engine) -> Result<(), String> {
    let leaves = Words::new(5).digests::<ElementDigest>(16);
    let tree = engine.merkle_tree::<Rp64_256>(&leaves)?;
    for height in 0..=4 {
        let cap = tree.cap(height)?;
        for index in 0..16 {
            let opening = tree.open_to_cap(index, height)?;
            cap.verify(&leaves[index], &opening)?;
            expect_error("another leaf", cap.verify(&leaves[index ^ 3], &opening), &Error::NotVerified)?;
        }
        for indices in [&[0][..], &[15], &[3, 4], &[0, 1, 2, 3], &[1, 5, 6, 11, 12], &[7, 8]] {
            let opening = tree.open_many_to_cap(indices, height)?;
            let mut opened: Vec<_> = indices.iter().map(|&i| leaves[i]).collect();
            cap.verify_many(&opened, &opening)?;
            *opened.last_mut().expect("one leaf at least") = ElementDigest::default();
            expect_error("another leaf", cap.verify_many(&opened, &opening), &Error::NotVerified)?;
        }
    }
    Ok(())
}

/// Leaf i of four words 4i, 4i + 1, 4i + 2, 4i + 3, from `vectors/`: winterfell's root, and that of the published OpenCL,
/// SYCL and SIMD hash.
fn known_roots(engine: &Engine) -> Result<(), String> {
    let leaves: Vec<_> = (0..1024u64)
        .map(|i| ElementDigest(std::array::from_fn(|j| Goldilocks::new(4 * i + j as u64))))
        .collect();
    let first_word = |root: ElementDigest| root.0[0].as_u64();
    let root = engine.merkle_tree::<Rp64_256>(&leaves)?.root();
    expect_equal("rp64_256 root", &[first_word(root)], &[14633402227346832589])?;
    let root = engine.merkle_tree::<Rp64_256V2021>(&leaves)?.root();
    expect_equal("rp64_256_v2021 root", &[first_word(root)], &[1981757921635598757])
}

fn refused(engine: &Engine) -> Result<(), String> {
    for found in [0, 3, 6, 1023] {
        let expected = Error::NotPowerOfTwo { what: "leaves of a Merkle tree", found };
        let leaves = vec![ElementDigest::default(); found];
        expect_error("number of leaves", engine.merkle_tree::<Rp64_256>(&leaves), &expected)?;
    }
    for value in NON_CANONICAL {
        let mut leaves = [[1u64; 4]; 8];
        leaves[5][2] = value;
        let leaves: &[ElementDigest] = bytemuck::cast_slice(&leaves);
        let expected = Error::NotCanonical { index: 22, value };
        expect_error("leaf at or above p", engine.merkle_tree::<Rp64_256>(leaves), &expected)?;
    }
    // The engine goes on after an error.
    engine.merkle_tree::<Rp64_256>(&[ElementDigest::default()])?;
    Ok(())
}
