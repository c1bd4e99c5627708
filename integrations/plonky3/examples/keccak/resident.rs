//! Proofs in the engine's memory beside those of the stock prover, from ordinary and from page-locked memory, with the times of their phases.

use std::time::{Duration, Instant};

use p3_blake3::Blake3;
use p3_field::PrimeField64;
use p3_goldilocks::default_goldilocks_poseidon2_8;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_uni_stark::{prove, verify};
use zkaccel::Engine;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::{Layout, MatrixRef, Shape};
use zkaccel_clock::{Phases, processor_time};
use zkaccel_plonky3::{FriPcs, Mmcs, Prover};

use super::airs::{Fibonacci, poseidon2};
use super::config::{self, CAP_HEIGHT, Config, byte_challenger, element_challenger, parameters};
use super::trace;

/// The names of AIRs.
pub const AIRS: [&str; 3] = ["keccak", "fibonacci", "permutation"];

/// The shortest time of proofs by one of the provers, with those of its phases; and the least time of processors, which other programs disturb less.
pub struct Shortest(pub Duration, Vec<(&'static str, Duration)>, Duration);

impl Shortest {
    pub const NONE: Self = Self(Duration::MAX, Vec::new(), Duration::MAX);

    /// What makes a proof, which is measured.
    pub fn of<P>(&mut self, prove: impl FnOnce() -> P) -> P {
        Phases::take();
        let (before, start) = (processor_time(), Instant::now());
        let proof = prove();
        let (time, phases) = (start.elapsed(), Phases::take());
        if let (Some(before), Some(after)) = (before, processor_time()) {
            self.2 = self.2.min(after.saturating_sub(before));
        }
        if time < self.0 {
            (self.0, self.1) = (time, phases);
        }
        proof
    }

    /// How many times as much time of processors another's proofs take, where the system tells.
    pub fn print_processors(&self, other: &Self) {
        if self.2 < Duration::MAX && other.2 < Duration::MAX {
            let ratio = other.2.as_secs_f64() / self.2.as_secs_f64();
            println!(
                "  time of processors: stock {}, ours {}, {ratio:.2}",
                milliseconds(other.2),
                milliseconds(self.2)
            );
        }
    }

    /// With what passes in no phase.
    pub fn print_all(mut self) {
        let rest = self.0.saturating_sub(self.1.iter().map(|phase| phase.1).sum());
        self.1.push(("the rest", rest));
        self.print();
    }

    pub fn print(&self) {
        for (name, time) in &self.1 {
            println!("    {name:<32} {:>12}", milliseconds(*time));
        }
    }
}

/// So many proofs by either prover in turn, of which the shortest times are printed.
macro_rules! compare {
    ($air:expr, $trace:expr, $public_values:expr, $runs:expr, $stock:expr, $mmcs:expr, $challenger:expr) => {{
        let (stock, mmcs) = ($stock, $mmcs);
        let ours = Config::new(FriPcs::new(mmcs.clone(), parameters(mmcs)), $challenger);
        let (air, trace, public_values) = ($air, $trace, $public_values);
        let start = Instant::now();
        let prover = Prover::new(&ours, air).expect("constraints that can be recorded");
        println!("  recorded and compared in {}", milliseconds(start.elapsed()));
        let [mut theirs, mut best, mut locked] = [Shortest::NONE; 3];
        let engine = Engine::global().expect("an engine");
        let (rows, columns) = (trace.height(), trace.width());
        let mut elements = engine.pinned::<Element>(rows * columns).expect("page-locked memory");
        for (element, value) in elements.iter_mut().zip(&trace.values) {
            *element = Element::new(value.as_canonical_u64());
        }
        let shape = Shape { rows, columns, layout: Layout::RowMajor };
        for _ in 0..$runs {
            let copy = trace.clone();
            let proof = theirs.of(|| prove(&stock, air, copy, public_values).expect("a proof"));
            let expected = postcard::to_allocvec(&proof).expect("bytes");
            let copy = trace.clone();
            let proof = best.of(|| prover.prove(copy, public_values).expect("a proof"));
            let bytes = postcard::to_allocvec(&proof).expect("bytes");
            assert!(bytes == expected, "the proofs are the same, byte by byte");
            let read = postcard::from_bytes(&bytes).expect("a proof");
            verify(&stock, air, &read, public_values).expect("the stock verifier accepts it");
            let proof = locked.of(|| {
                let trace = MatrixRef::new(&elements, shape).expect("as many elements");
                prover.prove_borrowed(trace, public_values, None).expect("a proof")
            });
            assert!(postcard::to_allocvec(&proof).expect("bytes") == expected, "the same proof again");
        }
        println!("  stock {}", milliseconds(theirs.0));
        theirs.print();
        let ratio = theirs.0.as_secs_f64() / best.0.as_secs_f64();
        best.print_processors(&theirs);
        println!("  ours {}, {ratio:.2} times as fast:", milliseconds(best.0));
        best.print_all();
        println!("  ours from page-locked memory {}:", milliseconds(locked.0));
        locked.print_all();
    }};
}

/// The same with a hash by its name.
macro_rules! compare_with {
    ($hash:expr, $runs:expr, $air:expr, $trace:expr, $public_values:expr) => {
        match $hash {
            "blake3" => {
                let (stock, mmcs) = (config::stock(Blake3), Mmcs::new(Blake3, CAP_HEIGHT));
                compare!($air, $trace, $public_values, $runs, stock, mmcs, byte_challenger())
            }
            "poseidon2" => {
                let mmcs = Mmcs::new(default_goldilocks_poseidon2_8(), CAP_HEIGHT);
                let stock = config::stock_of_elements();
                compare!($air, $trace, $public_values, $runs, stock, mmcs, element_challenger())
            }
            hash => panic!("hash {hash:?}, expected blake3 or poseidon2"),
        }
    };
}

pub fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// Compares for an AIR, a hash and a number of rows.
pub fn run(air: &str, hash: &str, log_rows: u32, runs: usize) {
    println!("{air}, {hash}, 2^{log_rows} rows, the shortest of {runs} runs");
    match air {
        "fibonacci" => {
            let (trace, public_values) = Fibonacci::trace(log_rows);
            compare_with!(hash, runs, &Fibonacci, trace, &public_values[..]);
        }
        "permutation" => {
            let (air, trace) = poseidon2(log_rows);
            compare_with!(hash, runs, &air, trace, &[]);
        }
        _ => compare_with!(hash, runs, &KeccakAir {}, trace(log_rows), &[]),
    }
}
