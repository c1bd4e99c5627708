//! Permutations of lookups: equal inputs become neighbours, in the order of the table, and the first of them stands beside its like.

use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Samples, Words};
use crate::residence::{BUDGETS, with_budget};
use crate::{Case, agree, expect_equal, expect_error, reference, wrong_engine};

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(
                Case { name: concat!("lookups over ", $name, ", sizes and layouts"), run: sizes::<$field> },
                Case { name: concat!("lookups over ", $name, ", repetitions and edge values"), run: repetitions::<$field> },
                Case { name: concat!("lookups over ", $name, ", inputs that are missing"), run: missing::<$field> },
                Case { name: concat!("lookups over ", $name, ", matrices that stay, and jobs"), run: stays::<$field> },
                Case { name: concat!("lookups over ", $name, ", refused"), run: refused::<$field> },
                Case { name: concat!("lookups over ", $name, ", within any budget"), run: budgets::<$field> },
                Case { name: concat!("lookups over ", $name, ", large"), run: large::<$field> },
            )*
            Case { name: "lookups of words that are refused", run: not_canonical },
        ];
    };
}
for_every_field!($ cases);

/// The device's own answer or error for a lookup of one row.
pub(super) fn answer(engine: &Engine) -> Option<Error> {
    let pair = Matrix::from_columns(vec![Goldilocks::new(1); 2], 1, 2);
    pair.and_then(|pair| engine.permute_lookups(&pair, 1)).err()
}

const LAYOUTS: [Layout; 2] = [Layout::RowMajor, Layout::ColumnMajor];

/// A matrix of columns, in a layout.
pub(super) fn of_columns<F: Samples>(columns: &[Vec<F>], layout: Layout) -> Result<Matrix<F>, Error> {
    let (rows, count) = (columns[0].len(), columns.len());
    match layout {
        Layout::ColumnMajor => Matrix::from_columns(columns.concat(), rows, count),
        Layout::RowMajor => {
            let entries = (0..rows).flat_map(|row| columns.iter().map(move |column| column[row]));
            Matrix::from_rows(entries.collect(), rows, count)
        }
    }
}

/// Lookups whose tables have so many distinct values, edge values among them, and whose inputs are some of these. Rows from `used` on have others.
pub(super) fn lookups<F: Samples>(
    words: &mut Words,
    [rows, used, distinct]: [usize; 3],
    count: usize,
) -> Vec<Vec<F>> {
    let columns = (0..count).flat_map(|_| {
        let values: Vec<F> = words.samples(distinct);
        let mut table: Vec<F> = (0..used).map(|_| values[words.next() as usize % distinct]).collect();
        let from = 1 + words.next() as usize % used.max(1);
        let mut input: Vec<F> = (0..used).map(|_| table[words.next() as usize % from.min(used)]).collect();
        for column in [&mut input, &mut table] {
            column.extend(words.samples::<F>(rows - used));
        }
        [input, table]
    });
    columns.collect()
}

/// The result, its shape checked.
fn run<F: Samples>(engine: &Engine, matrix: &Matrix<F>, used: usize) -> Result<Vec<F>, Error> {
    let permuted = engine.permute_lookups(matrix, used)?;
    assert_eq!(permuted.shape(), matrix.shape());
    Ok(permuted.into_vec())
}

/// As the reference has it, and what a verifier would ask.
fn check<F: Samples>(engine: &Engine, what: &str, columns: &[Vec<F>], used: usize) -> Result<(), String> {
    for layout in LAYOUTS {
        let matrix = of_columns(columns, layout)?;
        agree(&format!("{what}, {layout:?}"), engine, |engine| run(engine, &matrix, used))?;
    }
    let permuted = run(engine, &of_columns(columns, Layout::ColumnMajor)?, used)?;
    let rows = columns[0].len();
    for (pair, of_pair) in permuted.chunks_exact(2 * rows).zip(columns.chunks_exact(2)) {
        let (input, table) = pair.split_at(rows);
        let follows = |row: usize| row > 0 && input[row] == input[row - 1];
        let wrong = (0..used).find(|&row| input[row] != table[row] && !follows(row));
        expect_equal(&format!("{what}, rows that follow from none"), &[wrong], &[None])?;
        for (found, expected) in [input, table].into_iter().zip(of_pair) {
            let sorted = |column: &[F]| {
                let mut words: Vec<_> = column.iter().map(|value| F::words(&[*value]).to_vec()).collect();
                words.sort_unstable();
                words
            };
            expect_equal(&format!("{what}, as a set"), &sorted(&found[..used]), &sorted(&expected[..used]))?;
            expect_equal(&format!("{what}, other rows"), &found[used..], &expected[used..])?;
        }
    }
    Ok(())
}

/// Around every power of two, items of a device and its groups, and pieces of threads; one lookup and several.
fn sizes<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(140);
    let around = |log: u32| [(1 << log) - 1, 1 << log, (1 << log) + 1];
    for used in (1..20).chain((5..13).flat_map(around)) {
        let columns = lookups::<F>(&mut words, [used, used, used.div_ceil(2)], 1);
        check(engine, &format!("{used} rows"), &columns, used)?;
    }
    for (rows, used, count) in [(9, 0, 2), (1, 1, 3), (40, 39, 2), (300, 256, 5), (2100, 2050, 3)] {
        for distinct in [1, 3, 1000] {
            let columns = lookups::<F>(&mut words, [rows, used, distinct], count);
            check(engine, &format!("{count} lookups of {used} of {rows} rows"), &columns, used)?;
        }
    }
    // The obvious ones, on the engine and on the reference.
    let integers = |integers: &[u64]| integers.iter().map(|&x| F::of_integer(x)).collect::<Vec<_>>();
    let columns = [integers(&[4, 7, 4, 9, 4, 8]), integers(&[9, 5, 4, 9, 7, 6])];
    let matrix = of_columns(&columns, Layout::ColumnMajor)?;
    for engine in [engine, reference()?] {
        let expected = integers(&[9, 4, 4, 4, 7, 8, 9, 4, 5, 9, 7, 6]);
        expect_equal("4 7 4 9 4 in 9 5 4 9 7", &run(engine, &matrix, 5)?, &expected)?;
    }
    Ok(())
}

fn repetitions<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(141);
    let edges = F::edges();
    for used in [1, 2, 7, 8, 9, 255, 2048, 2049, 5000] {
        for &edge in &edges {
            let columns = [vec![edge; used], vec![edge; used]];
            check(engine, &format!("{edge:?} alone, {used} rows"), &columns, used)?;
        }
        let distinct: Vec<F> = (0..used).map(|i| F::ZERO - F::of_integer((i * i) as u64)).collect();
        let backwards = distinct.iter().rev().copied().collect();
        check(engine, &format!("{used} rows, all distinct"), &[distinct.clone(), backwards], used)?;
        // One input, from the table's first, last and middle row.
        for from in [0, used / 2, used - 1] {
            let columns = [vec![distinct[from]; used], distinct.clone()];
            check(engine, &format!("{used} rows, all inputs from row {from}"), &columns, used)?;
        }
        // Two values in turns, so that no neighbours are equal.
        let turns: Vec<F> = (0..used).map(|i| F::of_integer(i as u64 % 2)).collect();
        check(engine, &format!("{used} rows in turns"), &[turns.clone(), turns], used)?;
        // What a circuit does not use is filled up with one value.
        let filled: Vec<F> = (0..used).map(|i| F::of_integer((i as u64).min(used as u64 / 3))).collect();
        let mut input = filled.clone();
        input[..used / 2].fill(F::ZERO);
        check(engine, &format!("{used} rows, filled up"), &[input, filled], used)?;
    }
    let all: Vec<F> = edges.iter().flat_map(|&x| edges.iter().flat_map(move |&y| [x, y])).collect();
    let mut table = all.clone();
    table.rotate_left(words.next() as usize % all.len());
    check(engine, "every edge value after every other", &[all.clone(), table], all.len())?;
    // Elements that differ in one bit only, of each word.
    let bits = (0..64 * F::MODULUS.len() - 3).step_by(7);
    let near: Vec<F> = bits.map(|bit| power_of_two(bit)).collect();
    let mut backwards = near.clone();
    backwards.reverse();
    check(engine, "powers of two", &[near.clone(), backwards], near.len())
}

fn power_of_two<F: Samples>(exponent: usize) -> F {
    (0..exponent).fold(F::ONE, |power, _| power + power)
}

/// The first row of the first lookup that has one is told, wherever others are.
fn missing<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(142);
    for used in [1, 2, 9, 300, 5000] {
        let (rows, count) = (used + 3, 3);
        let table: Vec<F> = (0..rows).map(|i| F::of_integer(2 * i as u64)).collect();
        let columns: Vec<_> = (0..2 * count).map(|_| table.clone()).collect();
        for first in [0, used / 2, used - 1] {
            for lookup in 0..count {
                let mut wrong = columns.clone();
                wrong[2 * lookup][first..].fill(F::of_integer(1));
                // Values behind the rows that are used are in no table, and not missed.
                wrong[2 * lookup][used - 1] = F::of_integer(2 * used as u64);
                wrong[2 * (count - 1)][used - 1] = F::of_integer(3);
                let expected = Error::NotInTable { lookup, row: first };
                for layout in LAYOUTS {
                    let matrix = of_columns(&wrong, layout)?;
                    let what = format!("row {first} of {used} of lookup {lookup}");
                    for engine in [engine, reference()?] {
                        expect_error(&what, engine.permute_lookups(&matrix, used), &expected)?;
                        let kept = engine.upload(&matrix)?;
                        expect_error(&what, engine.permute_lookups(&kept, used), &expected)?;
                    }
                }
            }
        }
        check(engine, "afterwards", &lookups::<F>(&mut words, [rows, used, 4], 2), used)?;
    }
    Ok(())
}

fn stays<F: Samples>(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(143), reference()?);
    for (rows, used, count) in [(1, 1, 1), (64, 64, 1), (64, 0, 1), (1000, 990, 2), (8192, 8187, 1)] {
        let columns = lookups::<F>(&mut words, [rows, used, used.div_ceil(3).max(1)], count);
        for layout in LAYOUTS {
            let what = format!("{count} lookups of {used} of {rows} rows, {layout:?}");
            let matrix = of_columns(&columns, layout)?;
            let expected = oracle.permute_lookups(&matrix, used)?;
            let kept = engine.upload(&matrix)?;
            let found = engine.permute_lookups(&kept, used)?;
            expect_equal(&what, &[found.shape()], &[kept.shape()])?;
            let apart = engine.download(&found)?;
            let entries = |matrix: &Matrix<F>| -> Vec<F> { (0..rows).flat_map(|i| matrix.row(i)).collect() };
            expect_equal(&what, &entries(&apart), &entries(&expected))?;
            expect_equal("what stays", &entries(&engine.download(&kept)?), &entries(&matrix))?;
            let jobs = (engine.permute_lookups_async(kept, used), engine.permute_lookups_async(matrix, used));
            expect_equal("a job", engine.download(&jobs.0.wait()?)?.as_slice(), apart.as_slice())?;
            expect_equal("a job in host memory", jobs.1.wait()?.as_slice(), expected.as_slice())?;
        }
    }
    Ok(())
}

fn refused<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(144);
    let odd = words.matrix::<F>(Shape { rows: 6, columns: 3, layout: Layout::RowMajor });
    let what = "columns, an input and a table for each lookup";
    let expected = Error::LengthMismatch { what, expected: 4, found: 3 };
    expect_error("three columns", engine.permute_lookups(&odd, 6), &expected)?;
    expect_error("three columns", engine.permute_lookups(engine.upload(&odd)?, 6), &expected)?;
    let matrix = of_columns(&lookups::<F>(&mut words, [6, 6, 2], 1), Layout::RowMajor)?;
    let kept = engine.upload(&matrix)?;
    for found in [7, usize::MAX] {
        let expected = Error::LengthMismatch { what: "rows of lookups, at most", expected: 6, found };
        expect_error("too many rows", engine.permute_lookups(&matrix, found), &expected)?;
        expect_error("too many rows", engine.permute_lookups(&kept, found), &expected)?;
    }
    let other = reference()?;
    let foreign = other.upload(&matrix)?;
    let wrong = wrong_engine("matrix", engine, other);
    expect_error("another engine's", engine.permute_lookups(&foreign, 6), &wrong)?;
    expect_equal("afterwards", &run(engine, &matrix, 6)?, &run(other, &matrix, 6)?)
}

fn not_canonical(engine: &Engine) -> Result<(), String> {
    for value in NON_CANONICAL {
        let mut raw = vec![3_u64; 12];
        raw[7] = value;
        let words: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
        let expected = Error::NotCanonical { index: 7, value };
        let bad = Matrix::from_rows(words, 6, 2)?;
        expect_error("a matrix", engine.permute_lookups(&bad, 6), &expected)?;
    }
    Ok(())
}

/// From everything at once to a lookup at a time; on the device, all or nothing.
fn budgets<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(145);
    let columns = lookups::<F>(&mut words, [70, 65, 30], 4);
    for budget in BUDGETS {
        let engine = with_budget(engine, budget)?;
        check(&engine, &format!("{budget} bytes of device memory"), &columns, 65)?;
        let matrix = of_columns(&columns, Layout::ColumnMajor)?;
        let bytes = size_of_val(matrix.as_slice()) as u64;
        if !engine.always_keeps_data() || budget < bytes {
            continue;
        }
        let found = engine.permute_lookups(engine.upload(&matrix)?, 65);
        match found {
            // 256 slots and 65 rows and more, of half a word each.
            Err(Error::OverDeviceBudget { required, budget: of })
                if of == budget && required > budget && required >= 2 * bytes + 4 * 4 * (256 + 65) => {}
            Err(other) => return Err(format!("{budget} bytes: {other:?}")),
            Ok(found) => {
                let expected = reference()?.permute_lookups(&matrix, 65)?;
                expect_equal("what stays", engine.download(&found)?.as_slice(), expected.as_slice())?;
            }
        }
    }
    Ok(())
}

/// So many rows that a device has several tiles of each item of a group.
fn large<F: Samples>(engine: &Engine) -> Result<(), String> {
    for (rows, count) in [((1 << 16) + 3, 2), ((1 << 18) - 5, 1)] {
        for distinct in [1 << 8, rows] {
            let used = rows - 6;
            let of = |i: usize| F::ZERO - F::of_integer((i % distinct * (i % distinct)) as u64 + 1);
            let table: Vec<F> = (0..rows).map(|i| of(i * 7)).collect();
            let input: Vec<F> = (0..rows).map(|i| table[i * i % used]).collect();
            let columns: Vec<_> = (0..count).flat_map(|_| [input.clone(), table.clone()]).collect();
            check(engine, &format!("{count} lookups of {rows} rows of {distinct} values"), &columns, used)?;
        }
    }
    Ok(())
}
