//! Makes a key for a circuit of circom without a ceremony, for tests and measurements. The program draws the secrets of the key and discards them; whoever
//! runs a changed copy of it can keep them and prove anything, so such a key must not be used for anything else.
//!
//! ```text
//! cargo run --release -p zkaccel-groth16 --example known_tau -- CIRCUIT.r1cs CIRCUIT.zkey VERIFICATION_KEY.json
//! ```
//!
//! With a number instead of the circuit, the circuit is a chain of so many squarings, and the witness goes to CIRCUIT.wtns:
//! `known_tau 1000000 CIRCUIT.zkey VERIFICATION_KEY.json CIRCUIT.wtns`. It is over BN254; `bls12-381` behind the files is another curve.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use zkaccel::Engine;
use zkaccel_groth16::known_tau::{Secrets, proving_key};
use zkaccel_groth16::r1cs::{self, R1cs};
use zkaccel_groth16::{
    AnyPairing, Bytes, Pairing, PairingVisitor, Reduction, SparseMatrix, json, wtns, zkey,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The constraints w_i w_i = w_(i + 1) of a chain of squarings, of which the end is public: signals 1, end, start, and what is between.
fn squarings<P: Pairing>(constraints: usize) -> Outcome<(R1cs<P>, Vec<P::Fr>)> {
    // The signal of step i.
    let signal = move |i: usize| if i == constraints { 1 } else { i + 2 };
    let one = P::Fr::from(1);
    let signals = constraints + 2;
    let chain =
        |first: usize| SparseMatrix::from_rows(signals, (0..constraints).map(|i| [(signal(i + first), one)]));
    let factor = chain(0)?;
    let circuit = R1cs { signals, public_signals: 1, a: factor.clone(), b: factor, c: chain(1)? };
    let mut witness = vec![one; signals];
    let mut value = P::Fr::from(3);
    for i in 0..=constraints {
        witness[signal(i)] = value;
        value *= value;
    }
    Ok((circuit, witness))
}

/// What a key is made of, and where it goes.
struct Making<'a> {
    circuit: &'a str,
    to_key: &'a str,
    to_verification_key: &'a str,
    /// Of a chain of squarings.
    to_witness: Option<&'a str>,
}

impl PairingVisitor for Making<'_> {
    type Output = Outcome<()>;

    fn visit<P: Pairing>(self) -> Self::Output {
        let circuit = match self.to_witness {
            Some(to_witness) => {
                let (circuit, witness) = squarings::<P>(self.circuit.parse()?)?;
                wtns::write(&witness, &mut BufWriter::new(File::create(to_witness)?))?;
                circuit
            }
            None => r1cs::parse(&Bytes::open(self.circuit)?)?,
        };
        let key = proving_key(&Engine::new()?, &circuit, &Secrets::random()?, Reduction::Circom)?;
        let mut file = BufWriter::new(File::create(self.to_key)?);
        zkey::write(&key, &mut file)?;
        file.flush()?;
        std::fs::write(self.to_verification_key, json::write_verifying_key(&key.verifying))?;
        Ok(())
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [circuit, to_key, to_verification_key, rest @ ..] = &arguments[..] else {
        return Err("expected a circuit, a file for the key, and one for the verification key".into());
    };
    let (pairing, to_witness) = match rest {
        [] => (r1cs::pairing_of(&Bytes::open(circuit)?)?, None),
        [to_witness] => (AnyPairing::Bn254, Some(&**to_witness)),
        [to_witness, curve] => {
            let named = AnyPairing::ALL.iter().find(|pairing| pairing.name().to_lowercase() == *curve);
            (*named.ok_or("expected bn254 or bls12-381 behind the files")?, Some(&**to_witness))
        }
        _ => return Err("expected at most four files and a curve".into()),
    };
    pairing.visit(Making { circuit, to_key, to_verification_key, to_witness })
}
