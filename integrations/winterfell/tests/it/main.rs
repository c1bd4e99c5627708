//! Commitments and whole proofs made by the engine are those of the stock prover, and its verifier accepts them.

mod account;
#[path = "../../examples/rescue_chain/air.rs"]
mod air;
mod airs;
mod budgets;
#[path = "../../../../tests/it/child.rs"]
mod child;
mod errors;
mod faults;
mod page;
mod parts;
mod proofs;
#[path = "../../examples/rescue_chain/prover.rs"]
mod prover;
mod room;
mod table;

use air::{CYCLE, ChainAir, Ends};
use airs::{Mixed, Permutation, Work};
use table::{OPTIONS, Options, Provable, Stock, Table, check, same};
use winter_air::{BatchingMethod, FieldExtension};
use winter_crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256, Sha3_256};
use winter_math::fields::f64::BaseElement;
use zkaccel_winterfell::prove;

type Blake3 = Blake3_256<BaseElement>;

impl Provable for ChainAir {
    fn public_inputs(trace: &Table) -> Ends {
        let digest = |row: usize| [4, 5, 6, 7].map(|register| trace.columns[register][row]);
        Ends { seed: digest(0), result: digest(trace.columns[0].len() - 1) }
    }
}

fn chain(hashes: usize) -> Table {
    let trace = air::trace([1, 2, 3, 4].map(BaseElement::new), hashes * CYCLE);
    let columns = (0..12).map(|column| trace.get_column(column).to_vec());
    Table::new(columns.collect(), 0, 0)
}

#[test]
fn a_chain_of_hashes() {
    for hashes in [1, 2, 16] {
        same::<ChainAir, Rp64_256>(&chain(hashes), OPTIONS);
    }
    same::<ChainAir, Rp64_256>(&chain(8), Options { partitions: 4, ..OPTIONS });
}

#[test]
fn work_with_any_options() {
    use FieldExtension::{Cubic, None};
    let [linear, algebraic, horner] =
        [BatchingMethod::Linear, BatchingMethod::Algebraic, BatchingMethod::Horner];
    for (rows, options) in [
        (8, Options { extension: None, batching: [linear, algebraic], ..OPTIONS }),
        (64, Options { extension: None, folding: 2, remainder: 0, blowup: 4, ..OPTIONS }),
        (64, Options { extension: Cubic, folding: 8, remainder: 7, batching: [horner, horner], ..OPTIONS }),
        (256, Options { folding: 16, remainder: 0, blowup: 4, ..OPTIONS }),
        (128, Options { extension: Cubic, queries: 1, blowup: 16, folding: 2, remainder: 63, ..OPTIONS }),
        // There are no layers.
        (16, Options { remainder: 15, blowup: 4, batching: [linear, horner], ..OPTIONS }),
    ] {
        same::<Work, Blake3>(&Work::trace(rows), options);
    }
}

#[test]
fn hashes() {
    let trace = Work::trace(32);
    same::<Work, RpJive64_256>(&trace, OPTIONS);
    same::<Work, Sha3_256<BaseElement>>(&trace, OPTIONS);
    same::<Work, Rp64_256>(&trace, Options { blowup: 4, folding: 2, ..OPTIONS });
}

#[test]
fn periods_assertions_and_exemptions() {
    for (rows, extension) in [(256, FieldExtension::Quadratic), (512, FieldExtension::None)] {
        same::<Mixed, Blake3>(&Mixed::trace(rows), Options { extension, ..OPTIONS });
    }
}

#[test]
fn auxiliary_segments() {
    let trace = Permutation::trace(64);
    for extension in [FieldExtension::None, FieldExtension::Quadratic, FieldExtension::Cubic] {
        same::<Permutation, Blake3>(&trace, Options { extension, ..OPTIONS });
    }
    same::<Permutation, Blake3>(&trace, Options { partitions: 3, ..OPTIONS });
}

/// The least nonce that fits.
#[test]
fn grinding() {
    let (trace, options) = (Work::trace(16), Options { grinding: 6, ..OPTIONS });
    let prover = Stock::<Work, Blake3>::new(options.into());
    let proof = prove(&prover, trace.clone()).unwrap();
    assert_eq!(prove(&prover, trace.clone()).unwrap().to_bytes(), proof.to_bytes());
    check::<Work, Blake3>(proof, &trace, options).unwrap();
}
