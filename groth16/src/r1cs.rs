//! Circuits in circom's format, `.r1cs`.
//!
//! # Layout
//!
//! Sections of the container: 1, n8 (u32), r, the numbers of signals, public outputs, public inputs and private inputs (u32 each), of labels
//! (u64) and of constraints (u32); 2, for each constraint three linear combinations A, B and C, each the number of its terms (u32) and for each its
//! signal (u32) and its factor, a plain integer of 32 bytes. Signals are in the order of the witness.

use zkaccel::curve::scalars_of_integers;
use zkaccel::sparse::SparseMatrix;

use crate::Error;
use crate::numbers::{Limbs, decimal, modulus};
use crate::pairing::{AnyPairing, Bn254, Pairing, ScalarField};
use crate::sections::{Container, Fields, Format};

const FORMAT: Format = Format { magic: "r1cs", version: 1, sections: &[(1, "header"), (2, "constraints")] };

/// A circuit: the constraints (A w) (B w) = C w of a witness w.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R1cs<P: Pairing = Bn254> {
    /// The number of signals, the constant 1 included.
    pub signals: usize,
    /// The number of public signals, which follow the constant.
    pub public_signals: usize,
    /// A, with a row for each constraint and a column for each signal.
    pub a: SparseMatrix<P::Fr>,
    /// B.
    pub b: SparseMatrix<P::Fr>,
    /// C.
    pub c: SparseMatrix<P::Fr>,
}

/// Entries of a matrix: row, column, value.
type Entries<F> = Vec<(usize, usize, F)>;

/// The pairing of the circuit in a file's bytes, by the field of its scalars; [`Error::Malformed`] unless they are a circuit over one of the list. Of the rest
/// of the file only the list of sections is looked at.
pub fn pairing_of(bytes: &[u8]) -> Result<AnyPairing, Error> {
    Container::parse(&FORMAT, bytes)?.section(1).fields().pairing("r", AnyPairing::r)
}

/// The circuit in a file's bytes; [`Error::Malformed`] unless they are one over the scalars of the pairing.
pub fn parse<P: Pairing>(bytes: &[u8]) -> Result<R1cs<P>, Error> {
    let container = Container::parse(&FORMAT, bytes)?;
    let mut header = container.section(1).fields();
    header.expect_field::<P>("r", modulus::<P::Fr>())?;
    let signals = header.u32("the number of signals")?;
    let outputs = header.u32("the number of public outputs")?;
    let inputs = header.u32("the number of public inputs")?;
    header.u32("the number of private inputs")?;
    header.u64("the number of labels")?;
    let constraints = header.u32("the number of constraints")?;
    header.end()?;
    let public = u64::from(outputs) + u64::from(inputs);
    if public >= u64::from(signals) {
        let expected = format!("less than {signals}, the number of signals");
        return Err(header.malformed("the number of public signals", public, expected));
    }
    let section = container.section(2);
    // Each has three numbers at least.
    if u64::from(constraints) * 12 > section.bytes.len() as u64 {
        let found = format!("{} bytes", section.bytes.len());
        return Err(Error::malformed(
            section,
            found,
            format!("{constraints} constraints, of 12 bytes or more"),
        ));
    }
    let mut fields = section.fields();
    let mut entries: [Entries<P::Fr>; 3] = Default::default();
    for constraint in 0..constraints {
        for (name, entries) in ["A", "B", "C"].into_iter().zip(&mut entries) {
            fields.place = format!("{section}: constraint {constraint}");
            combination(&mut fields, name, constraint, signals, entries)?;
        }
    }
    fields.place = format!("{section}: after the last of {constraints} constraints");
    fields.end()?;
    let (signals, public_signals) = (signals as usize, public as usize);
    let [a, b, c] = entries.map(|entries| SparseMatrix::from_entries(constraints as usize, signals, entries));
    Ok(R1cs { signals, public_signals, a: a?, b: b?, c: c? })
}

/// Reads a linear combination.
fn combination<F: ScalarField>(
    fields: &mut Fields<'_>,
    name: &str,
    constraint: u32,
    signals: u32,
    entries: &mut Entries<F>,
) -> Result<(), Error> {
    for _ in 0..fields.u32(name)? {
        let signal = fields.u32("a signal")?;
        if signal >= signals {
            return Err(fields.malformed(
                &format!("a signal of {name}"),
                signal,
                format!("less than {signals}"),
            ));
        }
        let mut factor = Limbs::default();
        fields.integer("a factor", &mut factor)?;
        match scalars_of_integers(&[factor]) {
            Ok(scalars) => entries.push((constraint as usize, signal as usize, scalars[0])),
            Err(_) => {
                let expected = format!("less than r = {}", decimal(modulus::<F>()));
                return Err(fields.malformed(&format!("a factor of {name}"), decimal(&factor), expected));
            }
        }
    }
    Ok(())
}
