//! Commits to three traces at once and opens a row of each.
//!
//! ```text
//! cargo run --release --example async_commit
//! ```

use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Rp64_256;
use zkaccel::matrix::Matrix;
use zkaccel::{Engine, Error};

/// A trace of 2^`log_rows` rows: x in the first column, its square in the second.
fn squares(log_rows: u32, first: u64) -> Result<Matrix<Goldilocks>, Error> {
    let rows = 1 << log_rows;
    let entries =
        (first..first + rows).flat_map(|x| [Goldilocks::new(x), Goldilocks::new(x) * Goldilocks::new(x)]);
    Matrix::from_rows(entries.collect(), rows as usize, 2)
}

fn main() -> Result<(), Error> {
    let engine = Engine::new()?;
    println!("device: {} ({})", engine.device().id, engine.device().reason);
    // Each job owns its trace; all three are under way before the first is waited for.
    let mut jobs = Vec::new();
    for (log_rows, first) in [(8, 0), (9, 1000), (10, 2000)] {
        jobs.push(engine.commit_async::<Rp64_256>(&TraceSpec::default(), squares(log_rows, first)?));
    }
    for job in jobs {
        let commitment = job.wait()?;
        let rows = commitment.shape().rows;
        let opening = commitment.open(&[rows / 3])?;
        opening.verify(&commitment.cap(0)?, 2)?;
        println!("root {} over {rows} rows, row {} verified", commitment.root(), rows / 3);
    }
    Ok(())
}
