//! Digests that stay on the device: the same as those in host memory, and trees over runs of them.

use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Blake3, Digest, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::resident::cuda::CudaWords;
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Words};
use crate::residence::with_budget;
use crate::{Case, expect_equal, expect_error, reference, wrong_engine};

macro_rules! cases {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(Case { name: concat!("on the device, digests, ", $name), run: kept::<zkaccel::hash::$hash> },)*
            Case { name: "on the device, digests refused", run: refused },
            Case { name: "on the device, digests within any device budget", run: budgets },
        ];
    };
}
zkaccel::for_every_hash!(cases);

/// So many digests.
fn digests<H: Accelerated>(words: &mut Words, count: usize) -> Result<Vec<H::Digest>, Error> {
    let rows: Matrix<Goldilocks> = words.matrix(Shape { rows: count, columns: 3, layout: Layout::RowMajor });
    reference()?.hash_rows::<H, _>(&rows)
}

fn kept<H: Accelerated>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(60);
    // Those of rows, of any number.
    for (rows, columns) in [(1, 1), (77, 5), (256, 8)] {
        let shape = Shape { rows, columns, layout: Layout::ColumnMajor };
        let matrix = words.matrix::<Goldilocks>(shape);
        let expected = reference()?.hash_rows::<H, _>(&matrix)?;
        let found = engine.digests_of_rows::<H, _>(&engine.upload(&matrix)?)?;
        expect_equal("digests of rows", &[found.len()], &[rows])?;
        expect_equal("digests of rows", &found.read(0..rows)?, &expected)?;
        expect_equal("some digests of rows", &found.read(rows / 2..rows)?, &expected[rows / 2..])?;
        let mut there = vec![H::Digest::default(); rows - rows / 2];
        found.read_into(rows / 2, &mut there)?;
        expect_equal("some digests of rows, in memory that there is", &there, &expected[rows / 2..])?;
        expect_equal("no digests of rows", &found.read(rows..rows)?, &[])?;
        if let Some(there) = found.as_host() {
            expect_equal("digests in host memory", there, &expected)?;
        }
    }
    // Trees over runs in turn, which may overlap, in any order.
    let all = digests::<H>(&mut words, 300)?;
    let there = engine.upload_digests::<H>(&all)?;
    expect_equal("digests, there and back", &there.read(0..300)?, &all)?;
    for (starts, count) in
        [(vec![0], 1), (vec![7], 256), (vec![3, 0], 1), (vec![44, 300 - 64], 64), (vec![9, 200, 9, 100], 16)]
    {
        let leaf = |i: usize| all[starts[i % starts.len()] + i / starts.len()];
        let leaves: Vec<_> = (0..starts.len() * count).map(leaf).collect();
        let expected = reference()?.merkle_tree::<H>(&leaves)?;
        let what = format!("a tree over runs of {count} from {starts:?}");
        let tree = engine.merkle_tree_in_turn(&there, &starts, count)?;
        expect_equal(&what, &[tree.root()], &[expected.root()])?;
        expect_equal(&what, tree.download()?.heap(), expected.heap())?;
        let numbers = [1, 2 * leaves.len() - 1, leaves.len(), 1];
        let nodes = numbers.map(|number| expected.heap()[number]);
        expect_equal(&what, &tree.nodes_at(&numbers)?, &nodes)?;
        let past = Error::IndexOutOfRange { index: 2 * leaves.len(), len: 2 * leaves.len() };
        expect_error(&what, tree.nodes_at(&[1, 2 * leaves.len()]), &past)?;
    }
    by_address::<H>(engine, &all)
}

/// A GPU's memory by its address, as other libraries use it: digests behind others, and a matrix.
fn by_address<H: Accelerated>(engine: &Engine, all: &[H::Digest]) -> Result<(), String> {
    let shape = Shape { rows: 40, columns: 2, layout: Layout::RowMajor };
    let matrix = Words::new(61).matrix::<Goldilocks>(shape);
    let rows = engine.upload(&matrix)?;
    let (of_rows, there) = (engine.digests_of_rows::<H, _>(&rows)?, engine.upload_digests::<H>(all)?);
    let (Some(rows), Some(of_rows), Some(there)) = (rows.cuda(), of_rows.cuda(), there.cuda()) else {
        return Ok(());
    };
    let words = |address, ordinal| CudaWords { address, ordinal, stream: None };
    // SAFETY: the views keep what is read there.
    let (copied, of_copied, behind) = unsafe {
        let behind = there.address() + 8 * 4 * 100;
        (
            engine.upload_from_cuda(words(rows.address(), rows.ordinal()), shape)?,
            engine.upload_digests_from_cuda::<H>(words(of_rows.address(), of_rows.ordinal()), 40)?,
            engine.upload_digests_from_cuda::<H>(words(behind, there.ordinal()), 200)?,
        )
    };
    expect_equal("a matrix by its address", engine.download(&copied)?.as_slice(), matrix.as_slice())?;
    let expected = reference()?.hash_rows::<H, _>(&matrix)?;
    expect_equal("digests of rows by their address", &of_copied.read(0..40)?, &expected)?;
    expect_equal("digests by their address", &behind.read(0..200)?, &all[100..])?;
    // Words that are no elements are digests of some hashes, and found otherwise.
    let foreign = engine.upload_digests::<Blake3>(vec![bytemuck::cast([u64::MAX; 4]); 3])?;
    let foreign = foreign.cuda().expect("digests beside others");
    // SAFETY: as above.
    let adopted =
        unsafe { engine.upload_digests_from_cuda::<H>(words(foreign.address(), foreign.ordinal()), 3) };
    match H::Digest::OF_ELEMENTS {
        true => {
            let expected = Error::NotCanonical { index: 0, value: u64::MAX };
            expect_error("words at or above p by their address", adopted, &expected)
        }
        false => expect_equal("any words", &adopted?.read(0..1)?, &[bytemuck::cast([u64::MAX; 4])]),
    }
}

fn refused(engine: &Engine) -> Result<(), String> {
    let all = digests::<Rp64_256>(&mut Words::new(62), 16)?;
    let there = engine.upload_digests::<Rp64_256>(&all)?;
    let past = Error::IndexOutOfRange { index: 17, len: 16 };
    expect_error("past the last", there.read(3..17), &past)?;
    expect_error("a run past the last", engine.merkle_tree_in_turn(&there, &[0, 9], 8), &past)?;
    let far = Error::IndexOutOfRange { index: usize::MAX, len: 16 };
    expect_error("a run far past the last", engine.merkle_tree_in_turn(&there, &[usize::MAX], 8), &far)?;
    for (starts, count) in [(vec![0, 3, 6], 1), (vec![], 4), (vec![0, 1], 0), (vec![2], 6)] {
        let found = starts.len() * count;
        let what = format!("{found} leaves");
        let expected = Error::NotPowerOfTwo { what: "leaves of a Merkle tree", found };
        expect_error(&what, engine.merkle_tree_in_turn(&there, &starts, count), &expected)?;
    }
    let none = Error::BadShape { rows: 0, columns: 4, entries: 0 };
    expect_error("no digests", engine.upload_digests::<Blake3>(Vec::new()), &none)?;
    expect_error("no digests", engine.keep_digests_in_host_memory::<Blake3>(Vec::new()), &none)?;
    for value in NON_CANONICAL {
        let mut bad = all.clone();
        bad[15] = bytemuck::cast([1, 2, value, 3]);
        let expected = Error::NotCanonical { index: 62, value };
        expect_error("a word at or above p", engine.upload_digests::<Rp64_256>(&bad), &expected)?;
        expect_error("the same", engine.keep_digests_in_host_memory::<Rp64_256>(bad), &expected)?;
    }
    let foreign_engine = with_budget(engine, 1 << 20)?;
    let foreign = foreign_engine.upload_digests::<Rp64_256>(&all)?;
    let expected = wrong_engine("digests", engine, &foreign_engine);
    expect_error("digests of another engine", engine.merkle_tree_in_turn(&foreign, &[0], 16), &expected)
}

/// What does not fit stays in host memory where that is asked for, with the same results.
fn budgets(engine: &Engine) -> Result<(), String> {
    let all = digests::<Rp64_256>(&mut Words::new(63), 64)?;
    let root = reference()?.merkle_tree::<Rp64_256>(&all)?.root();
    let matrix =
        Words::new(64).matrix::<Goldilocks>(Shape { rows: 64, columns: 4, layout: Layout::RowMajor });
    for bytes in [1 << 10, 1 << 12, 1 << 20] {
        let small = with_budget(engine, bytes)?;
        let what = format!("with {bytes} bytes");
        let (there, rows) =
            (small.upload_digests_if_they_fit::<Rp64_256>(&all)?, small.upload_if_it_fits(&matrix)?);
        expect_equal(&what, &there.read(0..64)?, &all)?;
        expect_equal(&what, small.download(&rows)?.as_slice(), matrix.as_slice())?;
        if small.always_keeps_data() {
            let fits = bytes >= 64 * 32;
            expect_equal(&what, &[there.as_host().is_none(), rows.as_host().is_none()], &[fits; 2])?;
            if !fits {
                let over = Error::OverDeviceBudget { required: 2048, budget: bytes };
                expect_error(&what, small.upload_digests::<Rp64_256>(&all), &over)?;
            }
        }
        let tree = match small.merkle_tree_in_turn(&there, &[0], 64) {
            Err(error) if error.is_of_device_memory() => {
                let there = small.keep_digests_in_host_memory::<Rp64_256>(all.clone())?;
                small.merkle_tree_in_turn(&there, &[0], 64)?
            }
            tree => tree?,
        };
        expect_equal(&what, &[tree.root()], &[root])?;
    }
    Ok(())
}
