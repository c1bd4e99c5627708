//! Canonical bytes of openings and trees, and verification. What is decoded is encoded to the same bytes. An opening of a commitment that was
//! changed, in its bytes, its rows, its cap or its shape, verifies only if nothing has changed.

use zkaccel::commit::{RowOpening, TraceSpec};
use zkaccel::field::Goldilocks;
use zkaccel::hash::Accelerated;
use zkaccel::matrix::{Layout, Shape};
use zkaccel::merkle::{Cap, MerkleTree, MultiOpening, Opening};

use crate::draw::Draw;
use crate::engines;
use crate::hashes::{HashVisitor, NAMES, visit};

/// Bytes of each kind, for the first hash.
pub fn seeds() -> Vec<Vec<u8>> {
    let leaves = [Default::default(); 4];
    let tree = engines::cpu().merkle_tree::<zkaccel::hash::Rp64_256>(&leaves).expect("four leaves");
    // The choice of the hash, that of raw bytes, and which.
    let raw = |kind: u8, bytes: Vec<u8>| [vec![0, 0, kind], bytes].concat();
    vec![
        raw(0, tree.open(2).expect("an index").to_bytes()),
        raw(1, tree.open_many(&[0, 3]).expect("indices").to_bytes()),
        raw(2, tree.to_bytes()),
    ]
}

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let name = draw.pick(NAMES);
    visit(name, Hash(draw));
}

struct Hash<'a>(Draw<'a>);

impl HashVisitor for Hash<'_> {
    fn visit<H: Accelerated>(self) {
        let mut draw = self.0;
        match draw.below(4) {
            0 => raw::<H>(&mut draw),
            1 => one::<H>(&mut draw),
            _ => many::<H>(&mut draw),
        }
    }
}

/// Any bytes: each object has one encoding.
fn raw<H: Accelerated>(draw: &mut Draw<'_>) {
    let kind = draw.below(3);
    let bytes = draw.rest();
    let cap = Cap::<H>::from_root(4, H::Digest::default()).expect("zeros are a digest");
    match kind {
        0 => {
            if let Ok(opening) = Opening::<H>::from_bytes(bytes) {
                assert_eq!(opening.to_bytes(), bytes);
                assert!(cap.verify(&H::Digest::default(), &opening).is_err());
            }
        }
        1 => {
            if let Ok(opening) = MultiOpening::<H>::from_bytes(bytes) {
                assert_eq!(opening.to_bytes(), bytes);
                let leaves = vec![H::Digest::default(); opening.indices.len().min(8)];
                assert!(cap.verify_many(&leaves, &opening).is_err());
            }
        }
        _ => {
            if let Ok(tree) = MerkleTree::<H>::from_bytes(bytes) {
                assert_eq!(tree.to_bytes(), bytes);
                // Its inner nodes may be anything, and its openings verify only if they are right.
                let opening = tree.open(0).expect("there is a leaf");
                let verified = tree.cap(0).expect("a root").verify(&tree.leaves()[0], &opening);
                let rebuilt = engines::cpu().merkle_tree::<H>(tree.leaves()).expect("sound leaves");
                assert!(verified.is_ok() || rebuilt.heap() != tree.heap());
            }
        }
    }
}

/// One leaf of a tree.
fn one<H: Accelerated>(draw: &mut Draw<'_>) {
    let depth = draw.below(6) as u32;
    let leaves: Vec<H::Digest> = bytemuck::cast_slice(&draw.elements::<Goldilocks>(4 << depth)).to_vec();
    let tree = engines::cpu().merkle_tree::<H>(&leaves).expect("sound leaves");
    let (index, height) = (draw.below(leaves.len()), draw.below(depth as usize + 1) as u32);
    let (opening, cap) =
        (tree.open_to_cap(index, height).expect("an index"), tree.cap(height).expect("a height"));
    assert_eq!(cap.verify(&leaves[index], &opening), Ok(()));
    let mut bytes = opening.to_bytes();
    draw.mutate(&mut bytes);
    let Ok(changed) = Opening::<H>::from_bytes(&bytes) else { return };
    let leaf = draw.pick(&leaves);
    // Leaves may be equal, and so may paths.
    let is_true = changed.index < leaves.len()
        && leaf == leaves[changed.index]
        && tree
            .open_to_cap(changed.index, height)
            .is_ok_and(|expected| expected.siblings == changed.siblings);
    assert_eq!(cap.verify(&leaf, &changed).is_ok(), is_true, "{changed:?} of {leaf:?}");
}

/// Rows of a commitment.
fn many<H: Accelerated>(draw: &mut Draw<'_>) {
    let (log_rows, log_blowup) = (draw.below(4) as u32, 1 + draw.below(2) as u32);
    let layout = draw.layout();
    let shape = Shape { rows: 1 << log_rows, columns: 1 + draw.below(5), layout };
    let spec = TraceSpec { blowup: 1 << log_blowup, ..TraceSpec::default() };
    let trace = draw.matrix::<Goldilocks>(shape);
    let commitment = engines::cpu().commit::<H>(&spec, trace).expect("a sound trace");
    let rows = shape.rows << log_blowup;
    let height = draw.below((log_rows + log_blowup) as usize + 1) as u32;
    let cap = commitment.cap(height).expect("a height of the tree");
    let indices: Vec<_> = (0..1 + draw.below(6)).map(|_| draw.below(rows)).collect();
    let Ok(opening) = commitment.open_to_cap(&indices, height) else { return };
    assert_eq!(opening.verify(&cap, shape.columns), Ok(()));

    // Another shape is another claim.
    assert!(opening.verify(&cap, shape.columns + 1).is_err());
    for leaves in [rows / 2, rows * 2] {
        if let Ok(other) = Cap::<H>::new(leaves, cap.digests().to_vec()) {
            assert!(opening.verify(&other, shape.columns).is_err(), "{leaves} leaves instead of {rows}");
        }
    }

    let mut bytes = opening.opening.to_bytes();
    if draw.flag() {
        draw.mutate(&mut bytes);
    }
    let Ok(proof) = MultiOpening::<H>::from_bytes(&bytes) else { return };
    assert_eq!(proof.to_bytes(), bytes);
    let mut changed = RowOpening { rows: opening.rows.clone(), opening: proof };
    for _ in 0..draw.below(3) {
        let row = draw.below(changed.rows.len());
        match draw.below(4) {
            0 => changed.rows[row] = draw.pick(&opening.rows.iter().collect::<Vec<_>>()).clone(),
            1 => drop(changed.rows[row].pop()),
            2 if !changed.rows[row].is_empty() => {
                let column = draw.below(changed.rows[row].len());
                // Words that are no elements too.
                changed.rows[row][column] = bytemuck::cast(draw.word());
            }
            _ => changed.rows.swap(row, 0),
        }
    }
    let is_true = commitment.open_to_cap(&changed.opening.indices, height).is_ok_and(|expected| {
        (&expected.rows, &expected.opening.indices, &expected.opening.siblings)
            == (&changed.rows, &changed.opening.indices, &changed.opening.siblings)
    });
    assert_eq!(changed.verify(&cap, shape.columns).is_ok(), is_true, "{changed:?}");
    assert_eq!(layout, commitment.shape().layout, "{:?}", Layout::RowMajor);
}
