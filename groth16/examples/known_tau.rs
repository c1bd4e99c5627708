//! Makes a key for a circuit of circom without a ceremony, for tests and measurements. The program draws the secrets of the key and discards them; whoever
//! runs a changed copy of it can keep them and prove anything, so such a key must not be used for anything else.
//!
//! ```text
//! cargo run --release -p zkaccel-groth16 --example known_tau -- CIRCUIT.r1cs CIRCUIT.zkey VERIFICATION_KEY.json
//! ```
//!
//! With a number instead of the circuit, the circuit is a chain of so many squarings, and the witness goes to CIRCUIT.wtns:
//! `known_tau 1000000 CIRCUIT.zkey VERIFICATION_KEY.json CIRCUIT.wtns`.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use zkaccel::Engine;
use zkaccel_groth16::known_tau::{Secrets, proving_key};
use zkaccel_groth16::r1cs::{self, R1cs};
use zkaccel_groth16::{Bytes, Fr, SparseMatrix, json, wtns, zkey};

/// The constraints w_i w_i = w_(i + 1) of a chain of squarings, of which the end is public: signals 1, end, start, and what is between.
fn squarings(constraints: usize) -> Result<(R1cs, Vec<Fr>), Box<dyn Error>> {
    // The signal of step i.
    let signal = move |i: usize| if i == constraints { 1 } else { i + 2 };
    let one = Fr::from(1);
    let signals = constraints + 2;
    let chain =
        |first: usize| SparseMatrix::from_rows(signals, (0..constraints).map(|i| [(signal(i + first), one)]));
    let factor = chain(0)?;
    let circuit = R1cs { signals, public_signals: 1, a: factor.clone(), b: factor, c: chain(1)? };
    let mut witness = vec![one; signals];
    let mut value = Fr::from(3);
    for i in 0..=constraints {
        witness[signal(i)] = value;
        value *= value;
    }
    Ok((circuit, witness))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [circuit, to_key, to_verification_key, to_witness @ ..] = &arguments[..] else {
        return Err("expected a circuit, a file for the key, and one for the verification key".into());
    };
    let circuit = match (circuit.parse(), to_witness) {
        (Ok(constraints), [to_witness]) => {
            let (circuit, witness) = squarings(constraints)?;
            wtns::write(&witness, &mut BufWriter::new(File::create(to_witness)?))?;
            circuit
        }
        _ => r1cs::parse(&Bytes::open(circuit)?)?,
    };
    let key = proving_key(&Engine::new()?, &circuit, &Secrets::random()?)?;
    let mut file = BufWriter::new(File::create(to_key)?);
    zkey::write(&key, &mut file)?;
    file.flush()?;
    std::fs::write(to_verification_key, json::write_verifying_key(&key.verifying))?;
    Ok(())
}
