//! Transforms, commitments and whole proofs made by the engine are those of the stock prover, and its verifier accepts them.

/// The proofs of both provers are equal, and the stock verifier accepts ours.
macro_rules! same {
    ($air:expr, $trace:expr, $public_values:expr, $stock:expr, $ours:expr, $what:expr) => {
        let (air, trace, public_values) = (&$air, $trace, &$public_values[..]);
        let (stock, ours) = (&$stock, &$ours);
        let found = $crate::bytes(&zkaccel_plonky3::prove(ours, air, trace.clone(), public_values).unwrap());
        let expected = $crate::bytes(&p3_uni_stark::prove(stock, air, trace, public_values).unwrap());
        assert!(found == expected, "the proofs differ: {:?}", $what);
        p3_uni_stark::verify(stock, air, &postcard::from_bytes(&found).unwrap(), public_values).unwrap();
    };
}

mod account;
mod airs;
#[macro_use]
mod batch;
mod budgets;
#[path = "../../../../tests/it/child.rs"]
mod child;
#[path = "../../examples/keccak/config.rs"]
mod config;
mod configurations;
mod errors;
mod faults;
mod hiding;
mod page;
mod parts;
mod proofs;
mod room;

use airs::{Fibonacci, Periodic, Preprocessed, Wide};
use config::{ByteChallenger, Challenge, Config, Stock, Val, byte_challenger, parameters, stock_mmcs};
use p3_blake3::Blake3;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::PrimeField64;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{prove, prove_with_preprocessed, setup_preprocessed, verify, verify_with_preprocessed};
use zkaccel::Engine;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;
use zkaccel_plonky3::{FriPcs, LayerMmcs, Mmcs, Prover};

fn bytes(value: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap()
}

/// A trace as engines take it.
fn elements(trace: &RowMajorMatrix<Val>) -> Matrix<Goldilocks> {
    let element = |value: &Val| Goldilocks::new(value.as_canonical_u64());
    let elements = trace.values.iter().map(element).collect();
    Matrix::from_rows(elements, trace.height(), trace.width()).unwrap()
}

/// The same trace by other words, where there are some: those of small elements and of the modulus more.
fn by_other_words(trace: &RowMajorMatrix<Val>) -> RowMajorMatrix<Val> {
    let other = |value: &Val| match value.as_canonical_u64().checked_add(Val::ORDER_U64) {
        Some(word) => Val::new(word),
        None => *value,
    };
    RowMajorMatrix::new(trace.values.iter().map(other).collect(), trace.width())
}

/// With all of the scheme from zkaccel.
type Resident<H> = Config<FriPcs<H, LayerMmcs<Challenge, H>>, ByteChallenger>;

/// FRI's parameters but for the commitments.
#[derive(Clone, Copy, Debug)]
struct Fri {
    log_blowup: usize,
    log_final_poly_len: usize,
    max_log_arity: usize,
    num_queries: usize,
    cap_heights: (usize, usize),
}

const FRI: Fri =
    Fri { log_blowup: 1, log_final_poly_len: 0, max_log_arity: 1, num_queries: 20, cap_heights: (3, 3) };

impl Fri {
    fn parameters<M>(self, mmcs: M) -> FriParameters<ExtensionMmcs<Val, Challenge, M>> {
        let Self { log_blowup, log_final_poly_len, max_log_arity, num_queries, .. } = self;
        FriParameters { log_blowup, log_final_poly_len, max_log_arity, num_queries, ..parameters(mmcs) }
    }

    /// With another height of the caps of commitments.
    fn cap(self, height: usize) -> Self {
        Self { cap_heights: (height, self.cap_heights.1), ..self }
    }

    fn stock(self) -> Stock<Blake3> {
        let (inputs, layers) = self.cap_heights;
        let fri = self.parameters(stock_mmcs(Blake3, layers));
        let pcs = TwoAdicFriPcs::new(Radix2DitParallel::default(), stock_mmcs(Blake3, inputs), fri);
        Config::new(pcs, byte_challenger())
    }

    fn resident(self) -> Resident<Blake3> {
        let (inputs, layers) = self.cap_heights;
        let fri = self.parameters(Mmcs::new(Blake3, layers));
        Config::new(FriPcs::new(Mmcs::new(Blake3, inputs), fri), byte_challenger())
    }
}

#[test]
fn fibonacci_with_any_parameters() {
    for log_rows in [0, 1, 2, 5, 8] {
        let (trace, public_values) = Fibonacci::trace(log_rows);
        for fri in [
            FRI,
            Fri { log_blowup: 3, cap_heights: (0, 2), ..FRI },
            Fri { max_log_arity: 2, cap_heights: (5, 0), ..FRI },
            Fri { max_log_arity: 3, log_blowup: 2, ..FRI },
            Fri { max_log_arity: 4, num_queries: 1, ..FRI },
        ] {
            same!(Fibonacci, trace.clone(), public_values, fri.stock(), fri.resident(), (log_rows, fri));
        }
    }
    let (trace, public_values) = Fibonacci::trace(7);
    let fri = Fri { log_final_poly_len: 3, ..FRI };
    same!(Fibonacci, trace, public_values, fri.stock(), fri.resident(), fri);
}

#[test]
fn chunks_of_any_number() {
    for (columns, degree) in [(3, 1), (5, 2), (40, 3), (7, 5), (4, 9), (5, 33)] {
        let air = Wide { columns, degree };
        for log_blowup in [1, 2] {
            let fri = Fri { log_blowup, ..FRI };
            same!(air, air.trace(5), [], fri.stock(), fri.resident(), (columns, degree, log_blowup));
        }
    }
}

#[test]
fn words_that_are_not_canonical() {
    let air = Wide { columns: 12, degree: 3 };
    let trace = air.trace(5);
    let expected = bytes(&prove(&FRI.stock(), &air, trace.clone(), &[]).unwrap());
    let other = by_other_words(&trace);
    let found = zkaccel_plonky3::prove(&FRI.resident(), &air, other, &[]).unwrap();
    assert!(bytes(&found) == expected, "the proofs differ");
}

#[test]
fn keccak() {
    let trace = generate_trace_rows::<Val>(vec![[3; 25]; 2], 1);
    same!(KeccakAir {}, trace, [], FRI.stock(), FRI.resident(), "Keccak");
}

#[test]
fn preprocessed_columns() {
    for (log_rows, next, log_blowup) in [(3, false, 1), (6, true, 1), (5, true, 3)] {
        let air = Preprocessed { log_rows, next };
        let fri = Fri { log_blowup, ..FRI };
        let (stock, ours) = (fri.stock(), fri.resident());
        let (data, key) = setup_preprocessed(&stock, &air, log_rows as usize).unwrap().unwrap();
        let expected = prove_with_preprocessed(&stock, &air, air.trace(), &[], Some(&data)).unwrap();
        let prover = Prover::new(&ours, &air).unwrap();
        let (columns, our_key) = prover.preprocess(log_rows as usize).unwrap().unwrap();
        assert_eq!(our_key.commitment, key.commitment);
        let found = bytes(&prover.prove_with_preprocessed(air.trace(), &[], &columns).unwrap());
        assert!(found == bytes(&expected), "the proofs differ");
        let read = postcard::from_bytes(&found).unwrap();
        verify_with_preprocessed(&stock, &air, &read, &[], Some(&key)).unwrap();
    }
}

#[test]
fn periodic_columns() {
    for log_rows in [3, 4, 7] {
        same!(Periodic, Periodic::trace(log_rows), [], FRI.stock(), FRI.resident(), log_rows);
    }
}

#[test]
fn many_traces() {
    let (stock, ours) = (FRI.stock(), FRI.resident());
    let prover = Prover::new(&ours, &Fibonacci).unwrap();
    std::thread::scope(|scope| {
        for log_rows in [4, 7, 4] {
            let (prover, stock) = (&prover, &stock);
            scope.spawn(move || {
                for _ in 0..3 {
                    let (trace, public_values) = Fibonacci::trace(log_rows);
                    let proof = bytes(&prover.prove(trace, &public_values).unwrap());
                    verify(stock, &Fibonacci, &postcard::from_bytes(&proof).unwrap(), &public_values)
                        .unwrap();
                }
            });
        }
    });
}

/// Traces that are in the engine's memory, or in the caller's, in either layout.
#[test]
fn traces_elsewhere() {
    let air = Wide { columns: 12, degree: 3 };
    let ours = FRI.resident();
    let prover = Prover::new(&ours, &air).unwrap();
    let trace = air.trace(6);
    let expected = bytes(&prove(&FRI.stock(), &air, trace.clone(), &[]).unwrap());
    let engine = Engine::global().unwrap();
    let columns = elements(&trace.transpose()).into_vec();
    let matrices = [elements(&trace), Matrix::from_columns(columns, 64, 12).unwrap()];
    for matrix in matrices {
        let found = prover.prove_borrowed(matrix.view(), &[], None).unwrap();
        assert!(bytes(&found) == expected, "the proofs differ");
        let found = prover.prove_resident(engine.upload(matrix).unwrap(), &[], None).unwrap();
        assert!(bytes(&found) == expected, "the proofs differ");
    }
}
