//! Witnesses in circom's format, `.wtns`.
//!
//! # Layout
//!
//! Sections of the container: 1, n8 (u32), r, and the number of signals (u32); 2, the signals, plain integers of 32 bytes: the constant
//! 1, public outputs, public inputs, and those that are private.

use std::io::Write;

use rayon::prelude::*;
use zkaccel::bn254::{Fr, scalars_of_integers};

use crate::Error;
use crate::numbers::{decimal, integer, integer_of_bytes, modulus};
use crate::points::write_limbs;
use crate::sections::{self, Container, Format, Written};

const FORMAT: Format = Format { magic: "wtns", version: 2, sections: &[(1, "header"), (2, "signals")] };

/// Signals that one thread reads at once.
const AT_ONCE: usize = 1 << 12;

/// The signals of a witness; [`Error::Malformed`] unless the bytes are one over BN254's scalars, with every signal below r.
pub fn parse(bytes: &[u8]) -> Result<Vec<Fr>, Error> {
    let container = Container::parse(&FORMAT, bytes)?;
    let mut header = container.section(1).fields();
    header.expect_field("", modulus::<Fr>())?;
    let count = header.u32("the number of signals")?;
    header.end()?;
    let section = container.section(2);
    section.check_length(0, count.into(), 32)?;
    let mut signals = vec![Fr::from(0); count as usize];
    let chunks = signals.par_chunks_mut(AT_ONCE).zip(section.bytes.par_chunks(32 * AT_ONCE)).enumerate();
    let refused = chunks.find_map_first(|(chunk, (signals, bytes))| {
        let mut pairs = signals.iter_mut().zip(bytes.chunks_exact(32)).enumerate();
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
            let expected = format!("less than r = {}", decimal(modulus::<Fr>()));
            Err(section.malformed(format_args!("signal {index}"), decimal(found), expected))
        }
    }
}

/// Writes a witness.
pub fn write(signals: &[Fr], out: &mut dyn Write) -> Result<(), Error> {
    let sections: Vec<Written<'_>> = vec![
        (
            1,
            40,
            Box::new(|out| {
                out.write_all(&32_u32.to_le_bytes())?;
                write_limbs(modulus::<Fr>(), out)?;
                out.write_all(&(signals.len() as u32).to_le_bytes())
            }),
        ),
        (
            2,
            32 * signals.len() as u64,
            Box::new(|out| signals.iter().try_for_each(|signal| write_limbs(integer(signal), out))),
        ),
    ];
    sections::write(&FORMAT, sections, out)
        .map_err(|error| Error::Io { message: format!("cannot write the witness: {error}") })
}
