//! Witnesses in circom's format, `.wtns`.
//!
//! # Layout
//!
//! Sections of the container: 1, n8 (u32), r, and the number of signals (u32); 2, the signals, plain integers of 32 bytes: the constant
//! 1, public outputs, public inputs, and those that are private.

use std::io::Write;

use rayon::prelude::*;
use zkaccel::curve::scalars_of_integers;

use crate::Error;
use crate::numbers::{SCALAR_BYTES, decimal, integer, integer_of_bytes, modulus};
use crate::pairing::ScalarField;
use crate::points::write_words;
use crate::sections::{self, Container, Format, Written};

const FORMAT: Format = Format { magic: "wtns", version: 2, sections: &[(1, "header"), (2, "signals")] };

/// Signals that one thread reads at once.
const AT_ONCE: usize = 1 << 12;

/// The signals of a witness; [`Error::Malformed`] unless the bytes are one over this field, with every signal below r.
pub fn parse<F: ScalarField>(bytes: &[u8]) -> Result<Vec<F>, Error> {
    let container = Container::parse(&FORMAT, bytes)?;
    let mut header = container.section(1).fields();
    header.expect_field::<F::Pairing>("r", modulus::<F>())?;
    let count = header.u32("the number of signals")?;
    header.end()?;
    let section = container.section(2);
    section.check_length(0, count.into(), SCALAR_BYTES as u64)?;
    let mut signals = vec![F::from(0); count as usize];
    let chunks =
        signals.par_chunks_mut(AT_ONCE).zip(section.bytes.par_chunks(SCALAR_BYTES * AT_ONCE)).enumerate();
    let refused = chunks.find_map_first(|(chunk, (signals, bytes))| {
        let mut pairs = signals.iter_mut().zip(bytes.chunks_exact(SCALAR_BYTES)).enumerate();
        pairs.find_map(|(i, (signal, bytes))| {
            let integer = integer_of_bytes(bytes);
            match scalars_of_integers(&[integer]) {
                Ok(scalars) => {
                    *signal = scalars[0];
                    None
                }
                Err(_) => Some((chunk * AT_ONCE + i, integer)),
            }
        })
    });
    match refused {
        None => Ok(signals),
        Some((index, found)) => {
            let expected = format!("less than r = {}", decimal(modulus::<F>()));
            Err(section.malformed(format_args!("signal {index}"), decimal(&found), expected))
        }
    }
}

/// Writes a witness.
pub fn write<F: ScalarField>(signals: &[F], out: &mut dyn Write) -> Result<(), Error> {
    let sections: Vec<Written<'_>> = vec![
        (
            1,
            8 + SCALAR_BYTES as u64,
            Box::new(|out| {
                out.write_all(&(SCALAR_BYTES as u32).to_le_bytes())?;
                write_words(modulus::<F>(), out)?;
                out.write_all(&(signals.len() as u32).to_le_bytes())
            }),
        ),
        (
            2,
            (SCALAR_BYTES * signals.len()) as u64,
            Box::new(|out| signals.iter().try_for_each(|signal| write_words(&integer(signal), out))),
        ),
    ];
    sections::write(&FORMAT, sections, out)
        .map_err(|error| Error::Io { message: format!("cannot write the witness: {error}") })
}
