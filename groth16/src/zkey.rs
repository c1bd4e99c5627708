//! Proving keys in snarkjs' format, `.zkey`.
//!
//! # Layout
//!
//! Sections of the container, with points as in `points`, for the moduli q of coordinates and r of scalars:
//!
//! | section | contents |
//! |---|---|
//! | 1 | the protocol: 1 (u32), Groth16 |
//! | 2 | n8q (u32), q, n8r (u32), r, signals, public signals, points of the domain (u32 each); alpha over G1, beta over G1, beta over G2, gamma over G2, delta over G1, delta over G2 |
//! | 3 | IC: a point over G1 for the constant 1 and one for each public signal |
//! | 4 | the number of coefficients (u32), then for each its matrix (u32; 0 is A, 1 is B), constraint (u32), signal (u32) and value times 2^512 modulo r |
//! | 5, 6, 7 | A over G1, B over G1, B over G2: a point for each signal |
//! | 8 | C over G1: a point for each private signal |
//! | 9 | H over G1: a point for each point of the domain |
//! | 10 | contributions to the ceremony, which a prover ignores |

use std::io::{self, Write};

use halo2curves::ff::{Field, PrimeField};
use zkaccel::field::{elements, limbs};
use zkaccel::sparse::SparseMatrix;

use crate::Error;
use crate::key::{Matrices, ProvingKey, Reduction, VerifyingKey};
use crate::numbers::{Limbs, SCALAR_BYTES, decimal, integer_of_bytes, modulus};
use crate::pairing::{AnyPairing, Bn254, Pairing, ScalarField, SourceGroup};
use crate::points::{self, write_words};
use crate::sections::{self, Container, Format, Section, Written};

const FORMAT: Format = Format {
    magic: "zkey",
    version: 1,
    sections: &[
        (1, "protocol"),
        (2, "header"),
        (3, "IC"),
        (4, "coefficients"),
        (5, "A over G1"),
        (6, "B over G1"),
        (7, "B over G2"),
        (8, "C over G1"),
        (9, "H over G1"),
    ],
};

/// Bytes of a coefficient: three numbers and a scalar.
const COEFFICIENT: usize = 12 + SCALAR_BYTES;

/// Coefficients between two reports of progress.
const AT_ONCE: usize = 1 << 14;

/// The numbers in a key's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The number of signals, the constant 1 included.
    pub signals: u32,
    /// The number of public signals.
    pub public_signals: u32,
    /// The number of points of the domain: a power of two.
    pub domain_size: u32,
    /// The number of coefficients of the matrices A and B.
    pub coefficients: u32,
}

/// The points in a key's header.
#[derive(Clone, Copy)]
struct Points<P: Pairing> {
    alpha_g1: P::G1,
    beta_g1: P::G1,
    beta_g2: P::G2,
    gamma_g2: P::G2,
    delta_g1: P::G1,
    delta_g2: P::G2,
}

/// A key in memory or in a mapped file, looked at in place. Its header, and the number and lengths of its sections are checked.
pub struct Zkey<'a, P: Pairing = Bn254> {
    container: Container<'a>,
    header: Header,
    points: Points<P>,
}

/// The pairing of the key in a file's bytes, by the field of its coordinates; [`Error::Malformed`] unless they are a key of Groth16 over one of the list.
/// Of the rest of the file only the list of sections is looked at.
pub fn pairing_of(bytes: &[u8]) -> Result<AnyPairing, Error> {
    container(bytes)?.section(2).fields().pairing("q", AnyPairing::q)
}

/// The sections of a key of Groth16.
fn container(bytes: &[u8]) -> Result<Container<'_>, Error> {
    let container = Container::parse(&FORMAT, bytes)?;
    let mut protocol = container.section(1).fields();
    match protocol.u32("the protocol")? {
        1 => protocol.end()?,
        found => return Err(protocol.malformed("the protocol", found, "1, Groth16")),
    }
    Ok(container)
}

impl<'a, P: Pairing> Zkey<'a, P> {
    /// The key in a file's bytes; [`Error::Malformed`] unless they are one, of Groth16 over the pairing.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let container = container(bytes)?;
        let mut fields = container.section(2).fields();
        fields.expect_field::<P>("q", P::G1::Q)?;
        fields.expect_field::<P>("r", modulus::<P::Fr>())?;
        let signals = fields.u32("nVars, the number of signals")?;
        let name = "nPublic, the number of public signals";
        let public_signals = fields.u32(name)?;
        if public_signals >= signals {
            let expected = format!("less than {signals}, the number of signals");
            return Err(fields.malformed(name, public_signals, expected));
        }
        let name = "domainSize, the number of points of the domain";
        let domain_size = fields.u32(name)?;
        // There are no roots of unity for a larger one.
        let largest = <P::Fr as PrimeField>::S;
        if !domain_size.is_power_of_two() || !(1..=largest).contains(&domain_size.ilog2()) {
            return Err(fields.malformed(name, domain_size, format!("a power of two from 2 to 2^{largest}")));
        }
        let points = Points {
            alpha_g1: points::read_one(&mut fields, "alpha over G1")?,
            beta_g1: points::read_one(&mut fields, "beta over G1")?,
            beta_g2: points::read_one(&mut fields, "beta over G2")?,
            gamma_g2: points::read_one(&mut fields, "gamma over G2")?,
            delta_g1: points::read_one(&mut fields, "delta over G1")?,
            delta_g2: points::read_one(&mut fields, "delta over G2")?,
        };
        fields.end()?;
        let coefficients = container.section(4).fields().u32("the number of coefficients")?;
        let header = Header { signals, public_signals, domain_size, coefficients };
        let (signals, public) = (u64::from(signals), u64::from(public_signals));
        let (first, second) = (points::bytes::<P::G1>(), points::bytes::<P::G2>());
        for (number, before, count, size) in [
            (3, 0, public + 1, first),
            (4, 4, coefficients.into(), COEFFICIENT),
            (5, 0, signals, first),
            (6, 0, signals, first),
            (7, 0, signals, second),
            (8, 0, signals - public - 1, first),
            (9, 0, domain_size.into(), first),
        ] {
            container.section(number).check_length(before, count, size as u64)?;
        }
        Ok(Self { container, header, points })
    }

    /// The numbers of the header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// What a verifier needs of the key; errors as [`proving_key`](Self::proving_key).
    pub fn verifying_key(&self) -> Result<VerifyingKey<P>, Error> {
        let Points { alpha_g1, beta_g2, gamma_g2, delta_g2, .. } = self.points;
        let ic = points::read(&self.container.section(3), &|_| ())?;
        Ok(VerifyingKey { alpha_g1, beta_g2, gamma_g2, delta_g2, ic })
    }

    /// The whole key, copied out of the file.
    ///
    /// [`Error::Malformed`] for the first point of a section that is not on its curve or not in the subgroup of order r, and for the first coefficient of
    /// a matrix, a constraint or a signal that there is not, or of r or above. Points of a curve with others than the group's, as over BN254 only G2's is,
    /// are tested for the subgroup together where there are many; one outside passes with probability below 2^-64.
    pub fn proving_key(&self) -> Result<ProvingKey<P>, Error> {
        self.proving_key_with(&|_| ())
    }

    /// The same, with a function that is called, from any thread, with the bytes of each piece that was read; together they are not more than the file
    /// has.
    pub fn proving_key_with(&self, tell: &(dyn Fn(u64) + Sync)) -> Result<ProvingKey<P>, Error> {
        let matrices = self.matrices(tell)?;
        let of_first_group = |number| points::read::<P::G1>(&self.container.section(number), tell);
        let Points { beta_g1, delta_g1, .. } = self.points;
        Ok(ProvingKey {
            verifying: self.verifying_key()?,
            beta_g1,
            delta_g1,
            a: of_first_group(5)?,
            b_g1: of_first_group(6)?,
            b_g2: points::read(&self.container.section(7), tell)?,
            c: of_first_group(8)?,
            h: of_first_group(9)?,
            matrices,
            reduction: Reduction::Circom,
        })
    }

    fn matrices(&self, tell: &dyn Fn(u64)) -> Result<Matrices<P>, Error> {
        let section = self.container.section(4);
        let coefficients = || section.bytes[4..].chunks_exact(COEFFICIENT).map(Coefficient);
        for (index, coefficient) in coefficients().enumerate() {
            coefficient.check::<P::Fr>(&section, index, &self.header)?;
            if index % AT_ONCE == AT_ONCE - 1 {
                tell((AT_ONCE * COEFFICIENT) as u64);
            }
        }
        let Header { domain_size, signals, .. } = self.header;
        let matrix = |number: u32| {
            let of_matrix = coefficients().filter(|coefficient| coefficient.matrix() == number);
            let entries = of_matrix.map(|coefficient| {
                let value = coefficient.value().expect("a coefficient that was checked");
                (coefficient.constraint() as usize, coefficient.signal() as usize, value)
            });
            SparseMatrix::from_entries(domain_size as usize, signals as usize, entries)
        };
        Ok(Matrices { a: matrix(0)?, b: matrix(1)?, c: None })
    }
}

/// The bytes of a coefficient.
#[derive(Clone, Copy)]
struct Coefficient<'a>(&'a [u8]);

impl Coefficient<'_> {
    fn number(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[4 * at..][..4].try_into().expect("4 bytes"))
    }

    fn matrix(&self) -> u32 {
        self.number(0)
    }

    fn constraint(&self) -> u32 {
        self.number(1)
    }

    fn signal(&self) -> u32 {
        self.number(2)
    }

    /// The value as the file has it, times 2^512: in Montgomery form the element value 2^256.
    fn stored(&self) -> Limbs {
        integer_of_bytes(&self.0[12..])
    }

    /// The value, if it is below r.
    fn value<F: ScalarField>(&self) -> Option<F> {
        let element = |limbs| elements::<F>(&[limbs], "scalar").ok().map(|elements| elements[0]);
        // The element 2^-256, whose Montgomery form is 1.
        Some(element(self.stored())? * element([1, 0, 0, 0])?)
    }

    fn check<F: ScalarField>(
        &self,
        section: &Section<'_>,
        index: usize,
        header: &Header,
    ) -> Result<(), Error> {
        for (name, found, limit) in [
            ("matrix", self.matrix(), 2),
            ("constraint", self.constraint(), header.domain_size),
            ("signal", self.signal(), header.signals),
        ] {
            if found >= limit {
                return Err(section.malformed(
                    format_args!("{name} of coefficient {index}"),
                    found,
                    format!("less than {limit}"),
                ));
            }
        }
        match self.value::<F>() {
            Some(_) => Ok(()),
            None => Err(section.malformed(
                format_args!("value of coefficient {index}"),
                decimal(&self.stored()),
                format!("less than r = {}", decimal(modulus::<F>())),
            )),
        }
    }
}

/// Writes a key of [`Reduction::Circom`], without contributions; [`Error::BadKey`] of another kind, or of parts that do not belong together.
pub fn write<P: Pairing>(key: &ProvingKey<P>, out: &mut dyn Write) -> Result<(), Error> {
    key.check()?;
    if key.reduction != Reduction::Circom {
        let what = "matrices of the key, which in this format are A and B alone";
        return Err(Error::BadKey { what, found: 3, expected: 2 });
    }
    write_checked(key, out).map_err(|error| Error::Io { message: format!("cannot write the key: {error}") })
}

fn write_checked<P: Pairing>(key: &ProvingKey<P>, out: &mut dyn Write) -> io::Result<()> {
    let ProvingKey { verifying, beta_g1, delta_g1, a, b_g1, b_g2, c, h, matrices, .. } = key;
    let VerifyingKey { alpha_g1, beta_g2, gamma_g2, delta_g2, ic } = verifying;
    let (q, r) = (P::G1::Q, modulus::<P::Fr>());
    let header = |out: &mut dyn Write| {
        for modulus in [q, r] {
            out.write_all(&(size_of_val(modulus) as u32).to_le_bytes())?;
            write_words(modulus, out)?;
        }
        for number in [key.signals(), key.public_signals(), key.domain_size()] {
            out.write_all(&(number as u32).to_le_bytes())?;
        }
        points::write(&[*alpha_g1, *beta_g1], out)?;
        points::write(&[*beta_g2, *gamma_g2], out)?;
        points::write(&[*delta_g1], out)?;
        points::write(&[*delta_g2], out)
    };
    let count = matrices.a.entries() + matrices.b.entries();
    let coefficients = |out: &mut dyn Write| {
        out.write_all(&(count as u32).to_le_bytes())?;
        // Twice into Montgomery form: the limbs of the element value 2^256.
        let by = P::Fr::from(2).pow_vartime([256]);
        for row in 0..key.domain_size() {
            for (number, matrix) in [&matrices.a, &matrices.b].into_iter().enumerate() {
                let entries = matrix.row(row).expect("a row for each point of the domain");
                for (signal, value) in entries {
                    for number in [number as u32, row as u32, signal as u32] {
                        out.write_all(&number.to_le_bytes())?;
                    }
                    write_words(&limbs(&[value * by])[0], out)?;
                }
            }
        }
        Ok(())
    };
    let of_fields = 8 + size_of_val(q) + size_of_val(r);
    let header_bytes = of_fields + 12 + 3 * points::bytes::<P::G1>() + 3 * points::bytes::<P::G2>();
    let sections: Vec<Written<'_>> = vec![
        (1, 4, Box::new(|out| out.write_all(&1_u32.to_le_bytes()))),
        (2, header_bytes as u64, Box::new(header)),
        of_points(3, ic),
        (4, 4 + (COEFFICIENT * count) as u64, Box::new(coefficients)),
        of_points(5, a),
        of_points(6, b_g1),
        of_points(7, b_g2),
        of_points(8, c),
        of_points(9, h),
    ];
    sections::write(&FORMAT, sections, out)
}

/// A section of points.
fn of_points<C: SourceGroup>(number: u32, points: &[C]) -> Written<'_> {
    let bytes = points::bytes::<C>() * points.len();
    (number, bytes as u64, Box::new(move |out| points::write(points, out)))
}
