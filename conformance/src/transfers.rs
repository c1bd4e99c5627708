//! Transfers to and from a device, and repeated work.

use zkaccel::device::DeviceChoice;
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::{Blake3, ByteDigest, Hasher, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, MatrixMut, MatrixRef, Shape};
use zkaccel::merkle::Approach;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt, Order};
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::transforms::ntt_agrees;
use crate::trees::tree_agrees;
use crate::{Case, expect_equal, expect_error, reference};

pub(super) const CASES: &[Case] = &[
    Case { name: "work that comes again, over other data", run: repeats },
    Case { name: "page-locked memory, whole and in part", run: pinned },
    Case { name: "more data than staging memory holds", run: large },
    Case { name: "a block of rows that is copied and computed at once, large", run: wide },
];

/// The same operation several times: its launches are the same, the data and the results are not.
fn repeats(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(21);
    let ntt = Ntt::forward(Domain::new(11, Convention::Winterfell)?);
    let engine = engine.with_approach(Approach::Level);
    let before = engine.replays();
    for _ in 0..4 {
        tree_agrees::<Rp64_256>("a tree that comes again", &engine, &words.digests(1 << 7))?;
        let shape = Shape { rows: 1 << 11, columns: 2, layout: Layout::ColumnMajor };
        ntt_agrees(&engine, &ntt, &words.matrix::<Goldilocks>(shape))?;
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
    let (mut words, oracle) = (Words::new(22), reference()?);
    const ROWS: usize = 1 << 14;
    let data = words.samples(3 * ROWS + 5);
    let mut found = engine.pinned::<Goldilocks>(data.len())?;
    expect_equal("fresh memory", &found, &vec![Goldilocks::default(); data.len()])?;
    found.copy_from_slice(&data);
    let mut expected = data;
    let ntt = Ntt::forward(Domain::new(14, Convention::Plonky3)?);
    let shape = Shape { rows: ROWS, columns: 2, layout: Layout::ColumnMajor };
    for (device, data) in [(engine, &mut found[..]), (oracle, &mut expected[..])] {
        // Neither the first nor the last of it.
        let matrix = MatrixMut::new(&mut data[3..3 + 2 * ROWS], shape)?;
        device.ntt(&ntt, matrix)?;
    }
    expect_equal("ntt in page-locked memory", &found, &expected)?;
    let lde = Lde::onto_coset(14, 2, Convention::Winterfell, Goldilocks::GENERATOR)?;
    let mut extended = engine.pinned::<Goldilocks>(4 * ROWS)?;
    // The matrix is used up.
    let mut scratch = engine.pinned::<Goldilocks>(2 * ROWS)?;
    scratch.copy_from_slice(&expected[..2 * ROWS]);
    let matrix = MatrixMut::new(&mut scratch, shape)?;
    engine.lde_into(&lde, matrix, &mut extended)?;
    let matrix = MatrixRef::new(&expected[..2 * ROWS], shape)?;
    let oracle_extended = oracle.lde(&lde, matrix)?;
    expect_equal("extension in page-locked memory", &extended, oracle_extended.as_slice())?;
    let matrix = |data| MatrixRef::new(data, Shape { columns: 3, ..shape });
    let digests = engine.hash_rows::<Blake3, _>(matrix(&found[..3 * ROWS])?)?;
    let expected = oracle.hash_rows::<Blake3, _>(matrix(&expected[..3 * ROWS])?)?;
    expect_equal("hashes of rows in page-locked memory", &digests, &expected)
}

/// A tree whose leaves and nodes, 64 MiB each, go through staging memory in many pieces.
fn large(engine: &Engine) -> Result<(), String> {
    let leaves: Vec<ByteDigest> =
        (0..1_u64 << 21).map(|i| ByteDigest(bytemuck::cast([i, i ^ 1, i.wrapping_mul(i), !i]))).collect();
    let found = engine.merkle_tree::<Blake3>(&leaves)?;
    expect_equal("leaves", found.leaves(), &leaves)?;
    let nodes = found.heap();
    let expected: Vec<_> =
        nodes[2..].chunks_exact(2).map(|pair| Blake3::merge(&[pair[0], pair[1]])).collect();
    expect_equal("nodes, each of its children", &nodes[1..leaves.len()], &expected)
}

/// Rows of a block in page-locked memory that is large enough to be divided into runs of its columns, so that some are copied while others are computed: transformed and extended as each
/// column alone.
fn wide(engine: &Engine) -> Result<(), String> {
    const COLUMNS: usize = 69;
    if engine.choice() == DeviceChoice::Reference {
        // It copies nothing, and takes half a minute.
        return Ok(());
    }
    let (rows, mut words) = (1 << 16, Words::new(23));
    let shape = Shape { rows, columns: COLUMNS, layout: Layout::RowMajor };
    let data = words.samples::<Goldilocks>(rows * COLUMNS);
    let ntt =
        Ntt::forward(Domain::new(16, Convention::Plonky3)?).with_orders(Order::Natural, Order::BitReversed);
    let lde = Lde::onto_coset(16, 2, Convention::Plonky3, Goldilocks::GENERATOR)?;
    let mut transformed = engine.pinned::<Goldilocks>(data.len())?;
    let mut extended = engine.pinned::<Goldilocks>(2 * data.len())?;
    transformed.copy_from_slice(&data);
    // The matrix is used up.
    engine.lde_into(&lde, MatrixMut::new(&mut transformed, shape)?, &mut extended)?;
    transformed.copy_from_slice(&data);
    engine.ntt(&ntt, MatrixMut::new(&mut transformed, shape)?)?;
    for column in [0, 7, 31, 32, 63, 64, COLUMNS - 1] {
        let entries =
            |data: &[Goldilocks]| data.iter().copied().skip(column).step_by(COLUMNS).collect::<Vec<_>>();
        let mut alone = Matrix::from_column(entries(&data))?;
        let extension = engine.lde(&lde, &alone)?;
        engine.ntt(&ntt, alone.view_mut())?;
        expect_equal(&format!("transformed column {column}"), &entries(&transformed), alone.as_slice())?;
        expect_equal(&format!("extended column {column}"), &entries(&extended), extension.as_slice())?;
    }
    let bad = 12 * COLUMNS + 40;
    transformed[bad] = bytemuck::cast(MODULUS);
    let before = transformed.to_vec();
    let refused = engine.ntt(&ntt, MatrixMut::new(&mut transformed, shape)?);
    expect_error("a word at or above p", refused, &Error::NotCanonical { index: bad, value: MODULUS })?;
    let words = |data: &[Goldilocks]| bytemuck::cast_slice::<_, u64>(data).to_vec();
    expect_equal("what was refused", &words(&transformed), &words(&before))
}
