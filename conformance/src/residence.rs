//! Data that stay on the device: the same results as operations on host data, whatever the device's budget.

use zkaccel::commit::TraceSpec;
use zkaccel::extended::ExtendedDomain;
use zkaccel::field::{Cubic, Field, Goldilocks, MODULUS, Quadratic};
use zkaccel::hash::{Accelerated, Blake3, Rp64_256, Rp64_256V2021};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{Convention, Domain, Lde, Ntt, Order};
use zkaccel::{Engine, Error};

use crate::commits::same;
use crate::data::{NON_CANONICAL, Words};
use crate::hashes::rows_agree;
use crate::transforms::{lde_agrees, ntt_agrees};
use crate::trees::tree_of_rows_agrees;
use crate::{Case, expect_equal, expect_error, from_four_threads, is_one, reference, wrong_engine};

macro_rules! cases {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            Case { name: "on the device, there and back", run: round_trip },
            Case { name: "on the device, transforms", run: transforms },
            $(Case { name: concat!("on the device, extension to tree, ", $name), run: chain::<zkaccel::hash::$hash> },)*
            Case { name: "on the device, openings", run: openings },
            Case { name: "on the device, reshaped", run: reshaped },
            Case { name: "on the device, column-major", run: column_major },
            Case { name: "on the device, refused", run: refused },
            Case { name: "commitments within any device budget", run: budgets },
            Case { name: "operations within any device budget", run: budgets_of_operations },
            Case { name: "in host memory, within any device budget", run: in_host_memory },
            Case { name: "on the device, jobs and threads", run: callers },
        ];
    };
}
zkaccel::for_every_hash!(cases);

const LAYOUTS: [Layout; 2] = [Layout::RowMajor, Layout::ColumnMajor];

/// Shapes with one row, one column, and more of either, in both layouts.
fn shapes() -> impl Iterator<Item = Shape> {
    let shapes = [(1, 1), (1, 7), (64, 1), (256, 5), (32, 33)].into_iter();
    shapes.flat_map(|(rows, columns)| LAYOUTS.map(|layout| Shape { rows, columns, layout }))
}

fn round_trip(engine: &Engine) -> Result<(), String> {
    fn check<F: Field>(engine: &Engine, matrix: Matrix<F>) -> Result<(), String> {
        let what = format!("{:?}, degree {}", matrix.shape(), F::DEGREE);
        let (borrowed, shape) = (engine.upload(&matrix)?, matrix.shape());
        let rows: Vec<usize> = (0..shape.rows).rev().step_by(3).chain([0, 0]).collect();
        let found = borrowed.read_rows(&rows)?;
        let expected: Vec<_> = rows.iter().map(|&row| matrix.row(row)).collect();
        expect_equal(&what, &found, &expected)?;
        expect_equal(&what, &borrowed.read_rows(&[])?, &[])?;
        let found = engine.download(&borrowed)?;
        expect_equal(&what, &[found.shape()], &[shape])?;
        expect_equal(&what, found.as_slice(), matrix.as_slice())?;
        let owned = engine.upload(matrix)?;
        expect_equal(&what, engine.download(&owned)?.as_slice(), found.as_slice())?;
        let mut there = vec![F::ONE; shape.rows * shape.columns];
        engine.download_into(&owned, &mut there)?;
        expect_equal(&what, &there, found.as_slice())?;
        let (expected, less) = (there.len(), there.len() - 1);
        let refused = Error::LengthMismatch { what: "entries of the matrix", expected, found: less };
        expect_error(&what, engine.download_into(&owned, &mut there[1..]), &refused)
    }
    let mut words = Words::new(20);
    let more = [(3, 2), (1000, 3), (1 << 16, 3)].into_iter();
    let more = more.flat_map(|(rows, columns)| LAYOUTS.map(|layout| Shape { rows, columns, layout }));
    for shape in shapes().chain(more) {
        check::<Goldilocks>(engine, words.matrix(shape))?;
        check::<Quadratic>(engine, words.matrix(shape))?;
        check::<Cubic>(engine, words.matrix(shape))?;
    }
    Ok(())
}

fn transforms(engine: &Engine) -> Result<(), String> {
    fn check<F: Field>(engine: &Engine, words: &mut Words, shape: Shape) -> Result<(), String> {
        let what = format!("ntt of {shape:?}, degree {}", F::DEGREE);
        let before = words.matrix::<F>(shape);
        let kept = engine.upload(&before)?;
        let mut found = kept.clone();
        let domain = Domain::new(shape.rows.trailing_zeros(), Convention::Plonky3)?;
        let ntt = Ntt::forward(domain.coset(Goldilocks::GENERATOR)?);
        let ntt = ntt.with_orders(Order::Natural, Order::BitReversed);
        let mut expected = before.clone();
        reference()?.ntt(&ntt, &mut expected)?;
        engine.ntt(&ntt, &mut found)?;
        expect_equal(&what, engine.download(&found)?.as_slice(), expected.as_slice())?;
        engine.ntt(&ntt.undo(), &mut found)?;
        for matrix in [kept, found] {
            expect_equal(&what, engine.download(&matrix)?.as_slice(), before.as_slice())?;
        }
        Ok(())
    }
    let mut words = Words::new(21);
    for shape in shapes() {
        check::<Goldilocks>(engine, &mut words, shape)?;
        check::<Cubic>(engine, &mut words, shape)?;
    }
    Ok(())
}

fn chain<H: Accelerated>(engine: &Engine) -> Result<(), String> {
    fn check<H: Accelerated, F: Field>(
        engine: &Engine,
        words: &mut Words,
        shape: Shape,
    ) -> Result<(), String> {
        let what = format!("extension and {} tree of {shape:?}, degree {}", H::NAME, F::DEGREE);
        let log_rows = shape.rows.trailing_zeros();
        let lde = Lde::onto_coset(log_rows, 4, Convention::Winterfell, Goldilocks::GENERATOR);
        let lde = lde?.with_output_order(Order::BitReversed);
        let (values, oracle) = (words.matrix::<F>(shape), reference()?);
        let expected = oracle.lde(&lde, &values)?;
        let uploaded = engine.upload(&values)?;
        let found = engine.lde(&lde, &uploaded)?;
        let tree = engine.merkle_tree_of_rows::<H, _>(&found)?;
        let digests = engine.hash_rows::<H, _>(&found)?;
        let returned = engine.download(&found)?;
        expect_equal(&what, returned.as_slice(), expected.as_slice())?;
        let kept = engine.download(&uploaded)?;
        expect_equal(&what, kept.as_slice(), values.as_slice())?;
        let expected = oracle.merkle_tree_of_rows::<H, _>(expected.view())?;
        expect_equal(&what, &digests, expected.leaves())?;
        expect_equal(&what, tree.download()?.heap(), expected.heap())?;
        expect_equal(&what, &[tree.root()], &[expected.root()])
    }
    let mut words = Words::new(22);
    for shape in shapes() {
        check::<H, Goldilocks>(engine, &mut words, shape)?;
        check::<H, Quadratic>(engine, &mut words, shape)?;
    }
    // Rows of any number have digests.
    let odd = words.matrix::<Cubic>(Shape { rows: 77, columns: 3, layout: Layout::ColumnMajor });
    let expected = engine.hash_rows::<H, _>(odd.view())?;
    let odd = engine.upload(odd)?;
    let found = engine.hash_rows::<H, _>(&odd)?;
    expect_equal("digests of 77 rows", &found, &expected)
}

fn openings(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(23);
    for layout in LAYOUTS {
        let matrix = words.matrix::<Goldilocks>(Shape { rows: 64, columns: 6, layout });
        let host = engine.merkle_tree_of_rows::<Rp64_256, _>(matrix.view())?;
        let matrix = engine.upload(matrix)?;
        let tree = engine.merkle_tree_of_rows::<Rp64_256, _>(&matrix)?;
        expect_equal("depth and leaves", &[tree.depth() as usize, tree.leaf_count()], &[6, 64])?;
        for height in [0, 1, 4, 6] {
            let cap = tree.cap(height)?;
            expect_equal("caps", &[&cap], &[&host.cap(height)?])?;
            for index in [0, 1, 37, 63] {
                let opening = tree.open_to_cap(index, height)?;
                cap.verify(&host.leaves()[index], &opening)?;
                expect_equal("openings", &[opening], &[host.open_to_cap(index, height)?])?;
            }
            let indices = [40, 3, 41, 63, 0];
            let opening = tree.open_many_to_cap(&indices, height)?;
            let rows = matrix.read_rows(&opening.indices)?;
            let leaves: Vec<_> =
                rows.iter().map(|row| <Rp64_256 as zkaccel::hash::Hasher>::hash_elements(row)).collect();
            cap.verify_many(&leaves, &opening)?;
            let expected = host.open_many_to_cap(&indices, height)?;
            expect_equal("openings of many", &[opening], &[expected])?;
        }
        let past_end = Error::IndexOutOfRange { index: 64, len: 64 };
        expect_error("a leaf past the end", tree.open(64), &past_end)?;
        expect_error("a leaf past the end", tree.open_many(&[1, 64]), &past_end)?;
        expect_error("a row past the end", matrix.read_rows(&[1, 64]), &past_end)?;
        expect_error("no leaf", tree.open_many(&[]), &Error::NoIndices)?;
        expect_error("a high cap", tree.cap(7), &Error::CapTooHigh { height: 7, depth: 6 })?;
    }
    Ok(())
}

/// The same entries as rows of other lengths, for every operation, and a clone in its own shape.
fn reshaped(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(29), reference()?);
    for before in shapes().filter(|shape| shape.rows * shape.columns > 1) {
        let matrix = words.matrix::<Goldilocks>(before);
        let kept = engine.upload(&matrix)?;
        if before.layout == Layout::ColumnMajor && before.columns > 1 {
            let expected = Error::NotRowMajor { columns: before.columns };
            expect_error("columns apart", kept.reshaped(before.columns, before.rows), &expected)?;
            continue;
        }
        let entries = before.rows * before.columns;
        let wrong = Error::BadShape { rows: entries, columns: 2, entries };
        expect_error("twice the entries", kept.reshaped(entries, 2), &wrong)?;
        let none = Error::BadShape { rows: 0, columns: entries, entries };
        expect_error("no rows", kept.reshaped(0, entries), &none)?;
        for rows in [1, 2, 16, entries].into_iter().filter(|rows| entries.is_multiple_of(*rows)) {
            let columns = entries / rows;
            let what = format!("{before:?} as {rows} x {columns}");
            let expected = Matrix::from_rows(matrix.as_slice().to_vec(), rows, columns)?;
            let mut found = kept.reshaped(rows, columns)?;
            expect_equal(&what, &[found.shape()], &[expected.shape()])?;
            expect_equal(&what, engine.download(&found)?.as_slice(), expected.as_slice())?;
            expect_equal(&what, &found.read_rows(&[rows - 1])?, &[expected.row(rows - 1)])?;
            let digests = engine.hash_rows::<Blake3, _>(&found)?;
            expect_equal(&what, &digests, &oracle.hash_rows::<Blake3, _>(&expected)?)?;
            if rows.is_power_of_two() {
                let lde =
                    Lde::onto_coset(rows.trailing_zeros(), 2, Convention::Plonky3, Goldilocks::GENERATOR)?;
                let extended = engine.download(&engine.lde(&lde, &found)?)?;
                expect_equal(&what, extended.as_slice(), oracle.lde(&lde, &expected)?.as_slice())?;
                let domain = ExtendedDomain::new(0, lde.from())?;
                let cut = engine.extended_to_coeff(&domain, &found, 1)?;
                let lowest = oracle.extended_to_coeff(&domain, &expected, 1)?;
                expect_equal(&what, engine.download(&cut)?.as_slice(), lowest.as_slice())?;
                let (ntt, mut values) = (Ntt::forward(lde.from()), expected);
                engine.ntt(&ntt, &mut found)?;
                oracle.ntt(&ntt, &mut values)?;
                expect_equal(&what, engine.download(&found)?.as_slice(), values.as_slice())?;
            }
            expect_equal("a clone", engine.download(&kept)?.as_slice(), matrix.as_slice())?;
        }
        // The only handle is changed where it lies.
        let mut only = kept.reshaped(1, entries)?;
        drop(kept);
        engine.ntt(&Ntt::forward(Domain::new(0, Convention::Plonky3)?), &mut only)?;
        let found = engine.download(&only)?;
        expect_equal("its shape", &[found.shape()], &[only.shape()])?;
        expect_equal("transforms of one point", found.as_slice(), matrix.as_slice())?;
    }
    let other = with_budget(engine, 1 << 20)?;
    let foreign =
        other.upload(words.matrix::<Goldilocks>(Shape { rows: 4, columns: 2, layout: Layout::RowMajor }))?;
    let expected = wrong_engine("matrix", engine, &other);
    expect_error("another engine's", engine.download(&foreign.reshaped(2, 4)?), &expected)
}

/// Shapes around those of the squares that a GPU moves at once.
fn column_major(engine: &Engine) -> Result<(), String> {
    fn check<F: Field>(engine: &Engine, matrix: Matrix<F>) -> Result<(), String> {
        let what = format!("{:?}, degree {}", matrix.shape(), F::DEGREE);
        let Shape { rows, columns, .. } = matrix.shape();
        let entries = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        let expected: Vec<F> = entries.map(|(row, column)| matrix.row(row)[column]).collect();
        let kept = engine.upload(&matrix)?;
        let found = kept.column_major()?;
        let shape = Shape { rows, columns, layout: Layout::ColumnMajor };
        expect_equal(&what, &[found.shape(), kept.shape()], &[shape, matrix.shape()])?;
        expect_equal(&what, engine.download(&found)?.as_slice(), &expected)?;
        expect_equal("what it was made of", engine.download(&kept)?.as_slice(), matrix.as_slice())
    }
    let mut words = Words::new(31);
    for (rows, columns) in
        [(1, 1), (1, 7), (7, 1), (31, 33), (32, 32), (33, 31), (64, 65), (3, 257), (300, 5)]
    {
        for layout in LAYOUTS {
            let shape = Shape { rows, columns, layout };
            check::<Goldilocks>(engine, words.matrix(shape))?;
            check::<Quadratic>(engine, words.matrix(shape))?;
            check::<Cubic>(engine, words.matrix(shape))?;
        }
    }
    let engine = with_budget(engine, 1 << 16)?;
    let shape = Shape { rows: 1 << 10, columns: 5, layout: Layout::RowMajor };
    let kept = engine.upload(words.matrix::<Goldilocks>(shape))?;
    match kept.as_host() {
        Some(_) => Ok(()),
        None => {
            let expected = Error::OverDeviceBudget { required: (2 * 8 * 5) << 10, budget: 1 << 16 };
            expect_error("both beyond a budget", kept.column_major(), &expected)
        }
    }
}

/// Another engine on the same device, with a budget of so many bytes of device memory.
pub(super) fn with_budget(engine: &Engine, bytes: u64) -> Result<Engine, Error> {
    engine.to_builder().threads(2).device_memory(bytes).build()
}

fn refused(engine: &Engine) -> Result<(), String> {
    let shape = Shape { rows: 16, columns: 2, layout: Layout::RowMajor };
    let matrix = Words::new(24).matrix::<Goldilocks>(shape);
    let ours = engine.upload(&matrix)?;
    let foreign_engine = with_budget(engine, 1 << 20)?;
    let mut foreign = foreign_engine.upload(&matrix)?;
    let expected = wrong_engine("matrix", engine, &foreign_engine);
    let lde = Lde::onto_coset(4, 2, Convention::Plonky3, Goldilocks::GENERATOR)?;
    let ntt = Ntt::forward(lde.from());
    expect_error("download", engine.download(&foreign), &expected)?;
    expect_error("ntt", engine.ntt(&ntt, &mut foreign), &expected)?;
    expect_error("lde", engine.lde(&lde, &foreign), &expected)?;
    expect_error("digests", engine.hash_rows::<Blake3, _>(&foreign), &expected)?;
    expect_error("tree", engine.merkle_tree_of_rows::<Blake3, _>(&foreign), &expected)?;
    let spec = TraceSpec::default();
    expect_error("commit", engine.commit::<Blake3>(&spec, &foreign), &expected)?;
    // It is untouched, its own engine takes it, and an engine made of it is the same.
    let same_engine = foreign_engine.with_approach(zkaccel::merkle::Approach::Level);
    let kept = same_engine.download(&foreign)?;
    expect_equal("a foreign matrix", kept.as_slice(), matrix.as_slice())?;

    for value in NON_CANONICAL {
        let mut raw = vec![3u64; 32];
        raw[31] = value;
        let bad: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
        let bad = Matrix::new(bad, shape)?;
        expect_error("word at or above p", engine.upload(bad), &Error::NotCanonical { index: 31, value })?;
    }
    // So many are checked where they come to.
    let mut raw = vec![3u64; 1 << 20];
    (raw[0xabcde], raw[0xffff0]) = (u64::MAX, MODULUS);
    let bad = Matrix::from_column(bytemuck::cast_slice::<_, Goldilocks>(&raw).to_vec())?;
    let expected = Error::NotCanonical { index: 0xabcde, value: u64::MAX };
    expect_error("a commitment to them", engine.commit::<Blake3>(&spec, &bad), &expected)?;
    expect_error("words at or above p, of many", engine.upload(bad), &expected)?;
    // Types of other fields say that words are below the modulus, however many an element has.
    #[cfg(feature = "bn254")]
    {
        let many = Matrix::from_column(vec![<zkaccel::bw6_761::Fr as From<u64>>::from(7); 1 << 16])?;
        let there = engine.upload(&many)?;
        expect_equal("scalars of six words", engine.download(&there)?.as_slice(), many.as_slice())?;
    }
    let short = Error::LengthMismatch { what: "rows of the matrix", expected: 32, found: 16 };
    let larger = Domain::new(5, Convention::Plonky3)?;
    expect_error("half the rows", engine.ntt(&Ntt::forward(larger), &mut ours.clone()), &short)?;
    let odd = engine.upload(Words::new(25).matrix::<Goldilocks>(Shape { rows: 6, ..shape }))?;
    let leaves = Error::NotPowerOfTwo { what: "leaves of a Merkle tree", found: 6 };
    expect_error("6 leaves", engine.merkle_tree_of_rows::<Rp64_256, _>(&odd), &leaves)?;
    // A matrix without rows or columns cannot be made, and so not be uploaded.
    let none = Error::BadShape { rows: 4, columns: 0, entries: 0 };
    expect_error("no columns", Matrix::<Goldilocks>::from_rows(Vec::new(), 4, 0), &none)?;

    if engine.always_keeps_data() {
        let small = with_budget(engine, 300)?;
        let over = |required| Error::OverDeviceBudget { required, budget: 300 };
        let large = Words::new(26).matrix::<Goldilocks>(Shape { rows: 20, ..shape });
        expect_error("20 rows of 2 words in 300 bytes", small.upload(&large), &over(320))?;
        let mut fits = small.upload(&matrix)?;
        let refused = |result: Result<(), Error>| match result {
            Err(Error::OverDeviceBudget { required, budget: 300 }) if required > 300 => Ok(()),
            other => Err(format!("over the budget: {other:?}")),
        };
        refused(small.ntt(&ntt, &mut fits))?;
        refused(small.lde(&lde, &fits).map(|_| ()))?;
        refused(small.merkle_tree_of_rows::<Blake3, _>(&fits).map(|_| ()))?;
        let kept = small.download(&fits)?;
        expect_equal("after refusals", kept.as_slice(), matrix.as_slice())?;
    }
    Ok(())
}

/// From room for everything to room for nothing: data on the device, then separate columns, runs of rows, and subtrees.
pub(super) const BUDGETS: [u64; 7] = [1 << 20, 100_000, 40_000, 20_000, 5_000, 1_000, 0];

fn budgets(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(27), reference()?);
    let spec = TraceSpec::default();
    for (columns, layout) in [(5, Layout::RowMajor), (5, Layout::ColumnMajor), (1, Layout::RowMajor)] {
        // 1024 rows of the extension.
        let trace = words.matrix(Shape { rows: 128, columns, layout });
        let expected = oracle.commit::<Rp64_256>(&spec, &trace)?;
        // 64 bytes a row for the tree, 8 an entry for the extension: more than either takes while it is made.
        let held = 1024 * (64 + 8 * columns as u64);
        for budget in BUDGETS.into_iter().chain([held, held - 1]) {
            let what = format!("commitment to 128 x {columns}, {layout:?}, {budget} bytes of device memory");
            let engine = with_budget(engine, budget)?;
            let found = engine.commit::<Rp64_256>(&spec, &trace)?;
            let is_there = found.resident_extension().as_host().is_none();
            // Of several devices each may have a part of it, and the host all.
            let (has_room, is_one) = (budget >= held, is_one(&engine));
            let may = engine.device_budget().is_some() && (has_room || !is_one && budget > 0);
            let must = may && is_one;
            if is_there && !may || !is_there && must {
                return Err(format!("{what}: it stays on the device: {is_there}"));
            }
            let opening = found.open(&[1023, 5, 512])?;
            opening.verify(&expected.cap(0)?, columns)?;
            expect_equal(&what, &[opening], &[expected.open(&[1023, 5, 512])?])?;
            same(&what, &found, &expected)?;
            if let Ok(trace) = engine.upload(&trace) {
                let again = engine.commit::<Rp64_256>(&spec, &trace)?;
                expect_equal(&what, &[again.root()], &[expected.root()])?;
            }
        }
    }
    Ok(())
}

fn budgets_of_operations(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(28);
    let lde = Lde::onto_coset(5, 8, Convention::Plonky3, Goldilocks::GENERATOR)?;
    for budget in [10_000, 3_000, 800, 0] {
        let engine = with_budget(engine, budget)?;
        for (columns, layout) in [(7, Layout::RowMajor), (7, Layout::ColumnMajor), (1, Layout::ColumnMajor)] {
            let what = format!("32 x {columns}, {layout:?}, {budget} bytes of device memory");
            let matrix = words.matrix::<Cubic>(Shape { rows: 32, columns, layout });
            ntt_agrees(&engine, &Ntt::inverse(lde.from()), &matrix)?;
            lde_agrees(&engine, &lde, &matrix)?;
            rows_agree::<Blake3, _>(&engine, &matrix)?;
            let matrix = words.matrix::<Cubic>(Shape { rows: 256, columns, layout });
            tree_of_rows_agrees::<Rp64_256V2021, _>(&what, &engine, &matrix)?;
        }
    }
    Ok(())
}

/// Matrices that are kept in host memory: so are the results, which are those of any other.
fn in_host_memory(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(29), reference()?);
    let lde = Lde::onto_coset(5, 4, Convention::Plonky3, Goldilocks::GENERATOR)?;
    for budget in [1 << 20, 3_000, 0] {
        let engine = with_budget(engine, budget)?;
        for layout in [Layout::RowMajor, Layout::ColumnMajor] {
            let matrix = words.matrix::<Goldilocks>(Shape { rows: 32, columns: 7, layout });
            let expected = oracle.lde(&lde, &matrix)?;
            let kept = engine.keep_in_host_memory(&matrix)?;
            // Shared, and then not.
            for kept in [kept.clone(), kept] {
                let extended = engine.lde(&lde, kept)?;
                let view = extended.as_host().ok_or("an extension in host memory")?;
                expect_equal("an extension", view.as_slice(), expected.as_slice())?;
                let tree = engine.merkle_tree_of_rows::<Blake3, _>(&extended)?;
                let expected = oracle.merkle_tree_of_rows::<Blake3, _>(&expected)?;
                expect_equal("a root", &[tree.root()], &[expected.root()])?;
            }
            in_memory_of_another(&engine, &lde, &matrix, &expected)?;
        }
    }
    let mut bad = words.matrix::<Goldilocks>(Shape { rows: 4, columns: 2, layout: Layout::RowMajor });
    bad.as_mut_slice()[5] = bytemuck::cast(u64::MAX);
    let expected = Error::NotCanonical { index: 5, value: u64::MAX };
    expect_error("a word at or above p", engine.keep_in_host_memory(bad), &expected)
}

/// Extensions in memory that another had, whatever it holds, and beside memory that is of no use.
fn in_memory_of_another(
    engine: &Engine,
    lde: &Lde,
    matrix: &Matrix<Goldilocks>,
    expected: &Matrix<Goldilocks>,
) -> Result<(), String> {
    let kept = engine.keep_in_host_memory(matrix)?;
    let other = engine.lde(lde, &kept)?;
    expect_equal("memory that a clone shares", &other.clone().into_memory(), &[])?;
    let mut memory = other.into_memory();
    memory.fill(-Goldilocks::ONE);
    let address = memory.as_ptr();
    for (memory, is_used) in [(memory, true), (vec![Goldilocks::ONE; 5], false), (Vec::new(), false)] {
        let found = engine.lde_reusing(lde, kept.clone(), memory)?;
        let view = found.as_host().ok_or("an extension in host memory")?;
        expect_equal("an extension in memory of another", view.as_slice(), expected.as_slice())?;
        if is_used && view.as_slice().as_ptr() != address {
            return Err("an extension elsewhere than in the memory that is there for it".into());
        }
    }
    if engine.device_budget().is_some_and(|budget| budget < 1 << 20) {
        return Ok(());
    }
    // On a device memory of the host is of no use.
    let uploaded = engine.upload(matrix)?;
    let found = engine.download(&engine.lde_reusing(lde, uploaded, vec![Goldilocks::ONE; 5])?)?;
    expect_equal("an extension of a matrix that stays", found.as_slice(), expected.as_slice())
}

fn callers(engine: &Engine) -> Result<(), String> {
    let shape = Shape { rows: 256, columns: 3, layout: Layout::RowMajor };
    let lde = Lde::onto_coset(8, 4, Convention::Winterfell, Goldilocks::GENERATOR)?;
    let trace = |seed| Words::new(seed).matrix::<Goldilocks>(shape);
    let spec = TraceSpec { blowup: 4, ..TraceSpec::default() };
    let root = |seed| engine.commit::<Rp64_256>(&spec, trace(seed)).map(|commitment| commitment.root());
    let roots = (30..34).map(root).collect::<Result<Vec<_>, _>>()?;

    // One matrix read by jobs at once, some of which are never waited for.
    let shared = engine.upload_async(trace(30)).wait()?;
    let jobs: Vec<_> = (0..4).map(|_| engine.lde_async(&lde, shared.clone())).collect();
    for _ in 0..3 {
        drop(engine.commit_async::<Rp64_256>(&spec, &shared));
        drop(engine.lde_async(&lde, shared.clone()));
        drop(engine.upload_async(trace(31)));
    }
    for job in jobs {
        let extension = job.wait()?;
        let tree = engine.merkle_tree_of_rows_async::<Rp64_256, _>(extension).wait();
        expect_equal("tree as a job", &[tree?.root()], &roots[..1])?;
    }
    let ntt = Ntt::forward(lde.from());
    let values = engine.ntt_async(&ntt, shared.clone()).wait()?;
    let values = engine.download_async(&values).wait()?;
    let mut expected = trace(30);
    engine.ntt(&ntt, expected.view_mut())?;
    expect_equal("ntt as a job", values.as_slice(), expected.as_slice())?;

    // Threads with matrices of their own and one in common; memory that one releases another gets.
    let round = |seed: usize| -> Result<(), Error> {
        for _ in 0..4 {
            let own = engine.upload(trace(30 + seed as u64))?;
            for (matrix, root) in [(&own, roots[seed]), (&shared, roots[0])] {
                let commitment = engine.commit::<Rp64_256>(&spec, matrix)?;
                let opening = commitment.open(&[seed, 1000])?;
                opening.verify(&zkaccel::merkle::Cap::from_root(1024, root)?, 3)?;
            }
        }
        Ok(())
    };
    from_four_threads(round)?;
    Ok(())
}
