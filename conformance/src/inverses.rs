//! Inverses of many elements: each is that of the element alone, and zeros stay zero.

use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Samples, Words};
use crate::residence::{BUDGETS, with_budget};
use crate::{Case, agree, expect_equal, expect_error, is_one, reference, wrong_engine};

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(
                Case { name: concat!("inverses over ", $name, ", sizes"), run: sizes::<$field> },
                Case { name: concat!("inverses over ", $name, ", zeros and edge values"), run: zeros::<$field> },
                Case { name: concat!("inverses over ", $name, ", matrices and jobs"), run: matrices::<$field> },
                Case { name: concat!("inverses over ", $name, ", matrices that stay"), run: stays::<$field> },
                Case { name: concat!("inverses over ", $name, ", within any budget"), run: budgets::<$field> },
                Case { name: concat!("inverses over ", $name, ", large"), run: large::<$field> },
            )*
            Case { name: "inverses of words that are refused", run: refused },
        ];
    };
}
for_every_field!($ cases);

/// The inverses by the reference, one by one.
fn inverses<F: Samples>(elements: &[F]) -> Result<Vec<F>, Error> {
    let mut inverses = elements.to_vec();
    reference()?.invert(&mut inverses)?;
    Ok(inverses)
}

/// `Ok` if the inverses of elements are those of the oracle.
pub(super) fn check<F: Samples>(engine: &Engine, what: &str, elements: &[F]) -> Result<(), String> {
    agree(what, engine, |engine| {
        let mut elements = elements.to_vec();
        engine.invert(&mut elements)?;
        Ok(elements)
    })
}

/// Around every row of vectors, piece of a thread and group of work items; nothing is left as it is.
fn sizes<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(100);
    let around = |log: u32| [(1 << log) - 1, 1 << log, (1 << log) + 1];
    for len in (0..40).chain((6..14).flat_map(around)).chain([2 * (1 << 13) + 7]) {
        check(engine, &format!("inverses of {len}"), &words.samples::<F>(len))?;
    }
    Ok(())
}

fn zeros<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(101);
    for len in [1, 2, 3, 65, 300, 5000] {
        check(engine, &format!("{len} zeros"), &vec![F::ZERO; len])?;
        for place in [0, len / 2, len - 1] {
            let (mut one, mut others) = (vec![F::ZERO; len], vec![F::of_integer(3); len]);
            one[place] = F::of_integer(5);
            others[place] = F::ZERO;
            check(engine, &format!("an element at {place} of {len} zeros"), &one)?;
            check(engine, &format!("a zero at {place} of {len} elements"), &others)?;
        }
        let some: Vec<_> =
            (0..len).map(|_| if words.next() & 1 == 0 { F::ZERO } else { F::sample(&mut words) }).collect();
        check(engine, &format!("zeros among {len}"), &some)?;
    }
    for edge in F::edges() {
        check(engine, &format!("{edge:?} alone"), &[edge; 33])?;
    }
    check(engine, "edge values", &F::edges())
}

fn matrices<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(102);
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        let shape = Shape { rows: 77, columns: 5, layout };
        let elements = words.samples::<F>(77 * 5);
        let expected = inverses(&elements)?;
        let matrix = Matrix::new(elements, shape)?;
        let (mut whole, mut view) = (matrix.clone(), matrix.clone());
        engine.invert(&mut whole)?;
        expect_equal("a matrix", whole.as_slice(), &expected)?;
        engine.invert(view.view_mut())?;
        expect_equal("a view", view.as_slice(), &expected)?;
        engine.invert(&mut view.as_mut_slice()[1..])?;
        expect_equal("a slice", &view.as_slice()[1..], &matrix.as_slice()[1..])?;
        let found = engine.invert_async(matrix).wait()?;
        expect_equal("a job", found.as_slice(), &expected)?;
    }
    let none = engine.invert_async(Vec::<F>::new()).wait()?;
    expect_equal("nothing", &none, &[])
}

fn stays<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(103);
    for (rows, columns) in [(1, 1), (64, 1), (7, 3), (1000, 4)] {
        let elements = words.samples::<F>(rows * columns);
        let expected = inverses(&elements)?;
        let matrix = Matrix::from_columns(elements, rows, columns)?;
        let before = engine.upload(&matrix)?;
        let mut after = before.clone();
        engine.invert(&mut after)?;
        let found = engine.download(&after)?;
        expect_equal("inverses of what stays", found.as_slice(), &expected)?;
        let kept = engine.download(&before)?;
        expect_equal("a clone", kept.as_slice(), matrix.as_slice())?;
        drop(before);
        let again = engine.invert_async(after).wait()?;
        let found = engine.download(&again)?;
        expect_equal("their inverses", found.as_slice(), matrix.as_slice())?;
        let other = reference()?;
        let expected = wrong_engine("matrix", other, engine);
        expect_error("another engine's", other.invert(&mut again.clone()), &expected)?;
    }
    Ok(())
}

fn budgets<F: Samples>(engine: &Engine) -> Result<(), String> {
    let elements = Words::new(104).samples::<F>(300);
    let matrix = Matrix::from_column(elements.clone())?;
    let words = 300 * size_of::<F>() as u64;
    for budget in BUDGETS.into_iter().chain([words, 2 * words - 1]) {
        let engine = with_budget(engine, budget)?;
        check(&engine, &format!("{budget} bytes of device memory"), &elements)?;
        if engine.always_keeps_data() && (words..2 * words).contains(&budget) {
            let mut kept = engine.upload(&matrix)?;
            if !is_one(&engine) && kept.as_host().is_some() {
                // Scalars of sums, of which each of several devices would take a share: they are inverted in parts.
                engine.invert(&mut kept)?;
                let found = engine.download(&kept)?;
                expect_equal("inverses in parts", found.as_slice(), &inverses(&elements)?)?;
                continue;
            }
            let expected = Error::OverDeviceBudget { required: 2 * words, budget };
            expect_error("no room for a result", engine.invert(&mut kept), &expected)?;
            let found = engine.download(&kept)?;
            expect_equal("what was refused", found.as_slice(), &elements)?;
        }
    }
    Ok(())
}

/// Items of a device have as many elements as they ever get. There and back, since the reference takes its time.
fn large<F: Samples>(engine: &Engine) -> Result<(), String> {
    for len in [(1 << 17) + 1, (1 << 20) - 3] {
        let elements: Vec<_> = (0..len).map(|i| F::of_integer(i * i)).collect();
        let mut found = elements.clone();
        engine.invert(&mut found)?;
        let ones = elements.iter().zip(&found).map(|(&x, &y)| x * y);
        let wrong = ones.skip(1).position(|one| one != F::ONE);
        expect_equal(&format!("{len} products"), &[(wrong, found[0])], &[(None, F::ZERO)])?;
        engine.invert(&mut found)?;
        expect_equal("inverses of inverses", &found, &elements)?;
    }
    Ok(())
}

fn refused(engine: &Engine) -> Result<(), String> {
    for value in NON_CANONICAL {
        for index in [0, 700, 4999] {
            let mut raw = vec![3_u64; 5000];
            raw[index] = value;
            let before: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
            let mut found = before.clone();
            let expected = Error::NotCanonical { index, value };
            expect_error("word at or above p", engine.invert(&mut found), &expected)?;
            expect_equal("what was refused", &found, &before)?;
        }
    }
    Ok(())
}
