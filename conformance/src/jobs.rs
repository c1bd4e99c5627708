//! Asynchronous operations and several callers at once.

use zkaccel::Engine;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Rp64_256;
use zkaccel::matrix::{Layout, Shape};
use zkaccel::ntt::{Convention, Domain, Ntt};

use crate::data::Words;
use crate::{Case, expect_equal, from_four_threads};

pub(super) const CASES: &[Case] = &[
    Case { name: "jobs give the results of direct calls", run: jobs },
    Case { name: "four threads share an engine", run: callers },
];

fn jobs(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(14);
    let ntt = Ntt::forward(Domain::new(10, Convention::Plonky3)?);
    let matrix = words.matrix::<Goldilocks>(Shape { rows: 1024, columns: 3, layout: Layout::RowMajor });
    let mut expected = matrix.clone();
    engine.ntt(&ntt, expected.view_mut())?;
    let started: Vec<_> = (0..8).map(|_| engine.ntt_async(&ntt, matrix.clone())).collect();
    drop(engine.ntt_async(&ntt, matrix.clone()));
    for job in started {
        let found = job.wait()?;
        expect_equal("ntt as a job", found.as_slice(), expected.as_slice())?;
    }
    let (whole, half) = matrix.as_slice().split_at(1536);
    let found = engine.scope(|scope| {
        let sum = |part: &[Goldilocks]| Ok(part.iter().copied().sum::<Goldilocks>());
        let jobs = [scope.spawn(move |_| sum(whole)), scope.spawn(move |_| sum(half))];
        jobs.into_iter().map(|job| job.wait()).collect::<Result<Vec<_>, _>>()
    });
    let total = found?.into_iter().sum::<Goldilocks>();
    expect_equal("sum over borrowed halves", &[total], &[matrix.as_slice().iter().copied().sum()])
}

fn callers(engine: &Engine) -> Result<(), String> {
    let root = |seed: usize| {
        let leaves = Words::new(seed as u64).digests(512);
        engine.merkle_tree::<Rp64_256>(&leaves).map(|tree| tree.root())
    };
    let expected: Vec<_> = (0..4).map(root).collect::<Result<_, _>>()?;
    expect_equal("roots from four threads", &from_four_threads(root)?, &expected)
}
