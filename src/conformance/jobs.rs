//! Asynchronous operations and several callers at once.

use super::data::Words;
use super::{Case, expect_equal, failure};
use crate::engine::Engine;
use crate::hash::{ElementDigest, Rp64_256};
use crate::matrix::{Layout, Shape};
use crate::ntt::{Convention, Domain, Ntt};

pub(super) const CASES: &[Case] = &[
    Case { name: "jobs give the results of direct calls", run: jobs },
    Case { name: "four threads share an engine", run: callers },
];

fn jobs(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(14);
    let ntt = Ntt::forward(Domain::new(10, Convention::Plonky3).map_err(failure("domain"))?);
    let matrix =
        words.matrix::<crate::field::Goldilocks>(Shape { rows: 1024, columns: 3, layout: Layout::RowMajor });
    let mut expected = matrix.clone();
    engine.ntt(&ntt, expected.view_mut()).map_err(failure("ntt"))?;
    let started: Vec<_> = (0..8).map(|_| engine.ntt_async(&ntt, matrix.clone())).collect();
    drop(engine.ntt_async(&ntt, matrix.clone()));
    for job in started {
        let found = job.wait().map_err(failure("job"))?;
        expect_equal("ntt as a job", found.as_slice(), expected.as_slice())?;
    }
    let (whole, half) = matrix.as_slice().split_at(1536);
    let found = engine.scope(|scope| {
        let sum =
            |part: &[crate::field::Goldilocks]| Ok(part.iter().copied().sum::<crate::field::Goldilocks>());
        let jobs = [scope.spawn(move |_| sum(whole)), scope.spawn(move |_| sum(half))];
        jobs.into_iter().map(|job| job.wait()).collect::<Result<Vec<_>, _>>()
    });
    let total = found.map_err(failure("scope"))?.into_iter().sum::<crate::field::Goldilocks>();
    expect_equal("sum over borrowed halves", &[total], &[matrix.as_slice().iter().copied().sum()])
}

fn callers(engine: &Engine) -> Result<(), String> {
    let leaves = |seed: u64| -> Vec<ElementDigest> {
        let words = Words::new(seed).elements(4 * 512);
        words.chunks_exact(4).map(|four| ElementDigest(std::array::from_fn(|i| four[i]))).collect()
    };
    let expected: Vec<_> = (0..4)
        .map(|seed| engine.merkle_tree::<Rp64_256>(&leaves(seed)).map(|tree| tree.root()))
        .collect::<Result<_, _>>()
        .map_err(failure("tree"))?;
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|seed| {
                scope.spawn(move || engine.merkle_tree::<Rp64_256>(&leaves(seed)).map(|tree| tree.root()))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("the engine does not panic")).collect()
    });
    let found = found.into_iter().collect::<Result<Vec<_>, _>>().map_err(failure("tree from a thread"))?;
    expect_equal("roots from four threads", &found, &expected)
}
