//! Measures proofs of keys with known secrets, from a witness in host memory to a proof that was verified.
//!
//! ```text
//! cargo run --release -p zkaccel-groth16 --example measure -- cuda:0 16 20 tables 16 20
//! ```
//!
//! The first argument is a device, the others are logarithms of the number of constraints; behind `tables` keys are kept with tables of multiples, and behind
//! `bls12-381` proofs are over that curve instead of BN254. A chain of
//! squarings has a uniform witness; the other circuit has bits, 31 of 32 signals, and a chain of squarings, and so a narrow one as most circuits of circom do.

use std::error::Error;
use std::time::Instant;

use halo2curves::ff::Field;
use zkaccel::Engine;
use zkaccel_groth16::known_tau::{Secrets, proving_key};
use zkaccel_groth16::r1cs::R1cs;
use zkaccel_groth16::{AnyPairing, Pairing, PairingVisitor, Prover, ProverOptions, Reduction, SparseMatrix};

/// Of so many signals one is in the chain of squarings.
type Period = usize;

/// w_i w_i = w_(i + 1) for a signal in the chain and the next one there, and w_i w_i = w_i for the bits between them.
fn circuit<P: Pairing>(constraints: usize, period: Period) -> Result<R1cs<P>, zkaccel::Error> {
    let signals = constraints + period + 1;
    let one = P::Fr::from(1);
    let factor = SparseMatrix::from_rows(signals, (1..=constraints).map(|i| [(i, one)]))?;
    let square = |i: usize| if i.is_multiple_of(period) { i + period } else { i };
    let c = SparseMatrix::from_rows(signals, (1..=constraints).map(|i| [(square(i), one)]))?;
    Ok(R1cs { signals, public_signals: 1, a: factor.clone(), b: factor, c })
}

/// A witness of the circuit; each start gives another.
fn witness<P: Pairing>(constraints: usize, period: Period, start: u64) -> Vec<P::Fr> {
    let (mut state, mut value) = (start, P::Fr::from(start) + P::Fr::from(2));
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 63
    };
    let signals = 1..constraints + period + 1;
    let private = signals.map(|i| match i.is_multiple_of(period) {
        true => {
            let here = value;
            value = value.square();
            here
        }
        false => P::Fr::from(next()),
    });
    std::iter::once(P::Fr::from(1)).chain(private).collect()
}

/// Runs something several times; the median in milliseconds.
fn median<T>(times: usize, mut run: impl FnMut() -> T) -> f64 {
    let mut all: Vec<f64> = (0..times)
        .map(|_| {
            let start = Instant::now();
            run();
            1e3 * start.elapsed().as_secs_f64()
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all[times / 2]
}

/// Makes so many proofs, as many at a time as the queue takes.
fn submit<P: Pairing>(
    prover: &Prover<P>,
    witnesses: &[Vec<P::Fr>],
    total: usize,
) -> Result<(), zkaccel_groth16::Error> {
    let pending: Vec<_> =
        (0..total).map(|number| prover.submit(witnesses[number % witnesses.len()].clone())).collect();
    pending.into_iter().try_for_each(|pending| pending.wait().map(drop))
}

/// What is measured.
struct Measurement<'a> {
    engine: &'a Engine,
    tables: bool,
    log: u32,
}

impl PairingVisitor for Measurement<'_> {
    type Output = Result<(), Box<dyn Error>>;

    fn visit<P: Pairing>(self) -> Self::Output {
        let Self { engine, tables, log } = self;
        // With the constant and the public signal, so that the domain has 2^log points.
        let constraints = (1 << log) - 2;
        for (name, period) in [("uniform", 1), ("narrow", 32)] {
            let circuit = circuit::<P>(constraints, period)?;
            let key = proving_key(engine, &circuit, &Secrets::random()?, Reduction::Circom)?;
            let start = Instant::now();
            let options = ProverOptions { tables, queue: 8, ..ProverOptions::default() };
            let prover = Prover::new(engine, key.clone(), options)?;
            let keeping = 1e3 * start.elapsed().as_secs_f64();
            let unchecked = Prover::new(engine, key, ProverOptions { unchecked: true, ..options })?;
            let witnesses: Vec<_> = (0..4).map(|start| witness::<P>(constraints, period, start)).collect();
            let mut count = 0;
            let mut prove = |prover: &Prover<P>| {
                count += 1;
                prover.prove(&witnesses[count % witnesses.len()]).expect("a proof")
            };
            let first = median(1, || prove(&prover));
            let checked = median(9, || prove(&prover));
            let without = median(9, || prove(&unchecked));
            let device_time = engine.device_time();
            prove(&prover);
            let on_device = match (device_time, engine.device_time()) {
                (Some(before), Some(after)) => format!("{:.2} ms", 1e3 * (after - before).as_secs_f64()),
                _ => "not told".into(),
            };
            let total = if log > 18 { 16 } else { 64 };
            // The first time, memory is allocated for all that are in flight.
            submit(&prover, &witnesses, 2 * options.queue)?;
            let start = Instant::now();
            submit(&prover, &witnesses, total)?;
            let rate = total as f64 / start.elapsed().as_secs_f64();
            println!(
                "{} 2^{log} {name}, tables: {tables}: kept in {keeping:.0} ms; first {first:.1}, then {checked:.2}, unchecked {without:.2} ms; \
                 device {on_device}; {rate:.1} proofs/s with {} in flight; {:?}",
                P::NAME,
                options.queue,
                prover.account()
            );
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let device = arguments.next().ok_or("expected a device, and logarithms of numbers of constraints")?;
    let engine = Engine::builder().device(device.parse()?).build()?;
    let (mut tables, mut pairing) = (false, AnyPairing::Bn254);
    for argument in arguments {
        if argument == "tables" {
            tables = true;
        } else if let Some(&named) = AnyPairing::ALL.iter().find(|p| p.name().to_lowercase() == argument) {
            pairing = named;
        } else {
            pairing.visit(Measurement { engine: &engine, tables, log: argument.parse()? })?;
        }
    }
    Ok(())
}
