//! Several commitments at once, as jobs: on several devices each has one to work on.
//!
//! `cargo run --release --example many_commits -- cuda:0,cuda:1 18 16 8` commits to 8 traces of 2^18 rows and 16 columns, and tells how long that
//! took and which device did what. Without arguments 4 traces of 2^8 rows, on whatever `auto` chooses.

use std::time::Instant;

use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Rp64_256;
use zkaccel::matrix::Matrix;
use zkaccel::{Engine, Error};

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default| arguments.get(i).and_then(|text| text.parse().ok()).unwrap_or(default);
    let device = arguments.first().map_or("auto", String::as_str).parse()?;
    let (log_rows, columns, count) = (number(1, 8_usize), number(2, 4), number(3, 4));
    let engine = Engine::builder().device(device).build()?;
    let traces = || -> Result<Vec<_>, Error> {
        let words =
            |i: usize| (0..columns << log_rows).map(move |j| Goldilocks::new((i + j) as u64)).collect();
        (0..count).map(|i| Matrix::from_rows(words(i), 1 << log_rows, columns)).collect()
    };
    let spec = TraceSpec::default();
    // The first commitment makes tables and finds memory; it is not measured.
    for (round, traces) in [(0, traces()?), (1, traces()?)] {
        let start = Instant::now();
        let jobs: Vec<_> =
            traces.into_iter().map(|trace| engine.commit_async::<Rp64_256>(&spec, trace)).collect();
        let roots = jobs.into_iter().map(|job| Ok(job.wait()?.root())).collect::<Result<Vec<_>, Error>>()?;
        if round == 1 {
            println!(
                "{count} commitments in {:.2?} on {}; the last root {}",
                start.elapsed(),
                engine.device().id,
                roots[count - 1]
            );
        }
    }
    for device in engine.work() {
        println!("{}:", device.device);
        device.operations.iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}
