//! Commitments to traces.

use zkaccel::commit::{Commitment, TraceSpec};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Digest, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::Convention;
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::{Case, expect_equal, expect_error, reference};

macro_rules! cases {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            Case { name: "commit, known answers", run: known_answers },
            $(Case { name: concat!("commit, ", $name), run: commits::<zkaccel::hash::$hash> },)*
            Case { name: "commit, rows open", run: openings },
        ];
    };
}
zkaccel::for_every_hash!(cases);

/// 16 rows of 5 columns, entry (i, j) = 5 i + j.
fn counting() -> Result<Matrix<Goldilocks>, Error> {
    Matrix::from_rows((0..80).map(Goldilocks::new).collect(), 16, 5)
}

fn known_answers(engine: &Engine) -> Result<(), String> {
    for (convention, root) in [
        (Convention::Winterfell, "762feef5db869ab155942e70f42b974e32a629a7fef821f058bd66523c6cb727"),
        (Convention::Plonky3, "d3ebb55201cb5799c48aa494c164e6102ecded56ad292545bc568c0c2a17b67e"),
    ] {
        let spec = TraceSpec { convention, ..TraceSpec::default() };
        let found = engine.commit::<Rp64_256>(&spec, counting()?)?.root();
        let expected = root.parse()?;
        expect_equal(convention.name(), &[found], &[expected])?;
    }
    Ok(())
}

fn commits<H: Accelerated>(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(13), reference()?);
    for (rows, columns, blowup) in [(1, 1, 2), (2, 3, 64), (64, 8, 8), (128, 17, 4), (512, 5, 2)] {
        for layout in [Layout::RowMajor, Layout::ColumnMajor] {
            let what = format!("{} commitment to {rows} x {columns}, {layout:?}, blow-up {blowup}", H::NAME);
            let trace = words.matrix(Shape { rows, columns, layout });
            let spec = TraceSpec { blowup, ..TraceSpec::default() };
            let found = engine.commit::<H>(&spec, trace.clone())?;
            let expected = oracle.commit::<H>(&spec, &trace)?;
            same(&what, &found, &expected)?;
        }
    }
    Ok(())
}

/// The same extension and the same tree, node by node, and the root beside it.
pub(super) fn same<H: Accelerated>(
    what: &str,
    found: &Commitment<H>,
    expected: &Commitment<H>,
) -> Result<(), String> {
    let extensions = (found.extension()?, expected.extension()?);
    expect_equal(what, extensions.0.as_slice(), extensions.1.as_slice())?;
    let trees = (found.tree()?, expected.tree()?);
    expect_equal(what, trees.0.heap(), trees.1.heap())?;
    expect_equal(what, &[found.root()], &[expected.root()])
}

fn openings(engine: &Engine) -> Result<(), String> {
    let commitment = engine.commit::<Rp64_256>(&TraceSpec::default(), counting()?)?;
    for height in [0, 3, 7] {
        let cap = commitment.cap(height)?;
        let opening = commitment.open_to_cap(&[77, 3, 127], height)?;
        expect_equal("opened rows", &opening.opening.indices, &[3, 77, 127])?;
        opening.verify(&cap, 5)?;
        let mut false_row = opening.clone();
        false_row.rows[1][4] += Goldilocks::new(1);
        expect_error("another entry", false_row.verify(&cap, 5), &Error::NotVerified)?;
    }
    let expected = Error::IndexOutOfRange { index: 128, len: 128 };
    expect_error("a row past the end", commitment.open(&[5, 128]), &expected)?;
    // The digest of a row is the leaf.
    let row = commitment.open(&[9])?.rows.remove(0);
    let tree = commitment.tree()?;
    let leaf = <Rp64_256 as zkaccel::hash::Hasher>::hash_elements(&row);
    expect_equal("leaf 9", &[leaf.to_bytes()], &[tree.leaves()[9].to_bytes()])
}
