//! Keeps data on the device between operations, and times each: upload, extension, row hashes and tree, opening; and then
//! the commitment that is made of them.
//!
//! ```text
//! cargo run --release --example on_device -- cuda:0 20 16 8
//! ```
//!
//! The arguments are a device, the binary logarithm of the number of rows, the number of columns, and the blow-up. Times are
//! medians of ten, in milliseconds: at the host interface, and on the device by its own clock.

use std::time::{Duration, Instant};

use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Rp64_256;
use zkaccel::matrix::Matrix;
use zkaccel::{Engine, Error};

const RUNS: usize = 10;

/// Runs an operation once to warm up and then ten times, and prints the medians of its time and of the device's.
fn timed<T>(engine: &Engine, name: &str, mut run: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let mut last = run()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        drop(last);
        let (start, before) = (Instant::now(), engine.device_time());
        last = run()?;
        let worked = before.zip(engine.device_time()).map_or(Duration::ZERO, |(from, to)| to - from);
        times.push((start.elapsed(), worked));
    }
    times.sort_unstable();
    let [total, worked] = [times[RUNS / 2].0, times[RUNS / 2].1].map(|time| time.as_secs_f64() * 1e3);
    println!("{name:<24} {total:>10.3} {worked:>10.3}");
    Ok(last)
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let device = arguments.next().unwrap_or_else(|| "auto".into()).parse()?;
    let mut number = |default: u32| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (log_rows, columns, blowup) = (number(12), number(16), number(8));
    let engine = Engine::builder().device(device).build()?;
    println!("2^{log_rows} x {columns}, blow-up {blowup}, on {}", engine.device().description);
    println!("{:<24} {:>10} {:>10}", "milliseconds", "host", "device");

    let (rows, columns) = (1 << log_rows, columns as usize);
    let entries = (0..(rows * columns) as u64).map(|i| Goldilocks::new(i * i + 1));
    let trace = Matrix::from_rows(entries.collect(), rows, columns)?;
    let spec = TraceSpec { blowup: u64::from(blowup), ..TraceSpec::default() };

    // Each result stays where it is made and is the next operation's input.
    let uploaded = timed(&engine, "upload", || engine.upload(&trace))?;
    let lde = spec.lde(rows)?;
    let extension = timed(&engine, "extension", || engine.lde(&lde, &uploaded))?;
    let tree =
        timed(&engine, "row hashes and tree", || engine.merkle_tree_of_rows::<Rp64_256, _>(&extension))?;
    let opened = [3, 77, rows / 2];
    timed(&engine, "opening of 3 rows", || Ok((extension.read_rows(&opened)?, tree.open_many(&opened)?)))?;

    // The same in one: from host memory to the root.
    let commitment = timed(&engine, "commit", || engine.commit::<Rp64_256>(&spec, &trace))?;
    assert_eq!(commitment.root(), tree.root());
    let opening = timed(&engine, "its opening of 3 rows", || commitment.open(&opened))?;
    opening.verify(&commitment.cap(0)?, columns)
}
