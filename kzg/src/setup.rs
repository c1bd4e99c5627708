//! The trusted setup: powers of τ in G1, in the files of Ethereum's ceremony.
//!
//! There are two forms. That of the consensus specifications is JSON with the points as hexadecimal texts, of which `g1_monomial` is what proofs take. That of c-kzg-4844 is text: the numbers of points of G1 and of G2, 4096
//! and 65, and then one point a line, without a prefix: those of G1 in the basis of Lagrange polynomials, those of G2, and those of G1 in monomials.

use serde::Deserialize;
use zkaccel::bls12_381::G1Affine;

use crate::serialised::decompress;
use crate::{BYTES_PER_PROOF, Error, FIELD_ELEMENTS_PER_BLOB};

/// G, τ G, ..., τ^4095 G.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    powers: Vec<G1Affine>,
}

/// The part of the JSON form that is used.
#[derive(Deserialize)]
struct Json {
    g1_monomial: Vec<String>,
}

impl Setup {
    /// Reads either form: JSON begins with a brace.
    ///
    /// [`Error::BadSetup`] for a text in neither form, for another number of points, and for a text that is not the compressed form of a point of the curve. That they are in the group is tested where an engine is to
    /// keep them; that they are powers of one τ is not tested: whoever has made the file is trusted with that.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text.trim_start().starts_with('{') {
            true => Self::from_json(text),
            false => Self::from_lines(text),
        }
    }

    /// Points that are known to be powers; [`Error::BadSetup`] unless there are 4096.
    pub fn from_points(powers: Vec<G1Affine>) -> Result<Self, Error> {
        match powers.len() {
            FIELD_ELEMENTS_PER_BLOB => Ok(Self { powers }),
            found => Err(Error::bad_setup("points of G1", found, FIELD_ELEMENTS_PER_BLOB)),
        }
    }

    /// The points.
    pub fn powers(&self) -> &[G1Affine] {
        &self.powers
    }

    fn from_json(text: &str) -> Result<Self, Error> {
        let Json { g1_monomial } = serde_json::from_str(text)
            .map_err(|error| Error::bad_setup("as JSON", error, "a list of texts, g1_monomial"))?;
        Self::from_texts(g1_monomial.iter().map(String::as_str))
    }

    fn from_lines(text: &str) -> Result<Self, Error> {
        let mut words = text.split_ascii_whitespace();
        let mut count = |place: &str| {
            let word = words.next().unwrap_or("");
            word.parse::<usize>().map_err(|_| Error::bad_setup(place, word, "a number of points"))
        };
        let (of_g1, of_g2) = (count("first line")?, count("second line")?);
        if of_g1 != FIELD_ELEMENTS_PER_BLOB {
            return Err(Error::bad_setup("first line", of_g1, FIELD_ELEMENTS_PER_BLOB));
        }
        let points: Vec<_> = words.collect();
        let expected = of_g1.saturating_mul(2).saturating_add(of_g2);
        if points.len() != expected {
            return Err(Error::bad_setup("lines of points", points.len(), expected));
        }
        Self::from_texts(points[of_g1 + of_g2..].iter().copied())
    }

    fn from_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, Error> {
        let points = texts.enumerate().map(|(index, text)| {
            let refused = || {
                let place = format!("point {index} of G1 in monomials");
                Error::bad_setup(place, text, "96 hexadecimal digits of a compressed point of BLS12-381")
            };
            point(text).ok_or_else(refused)
        });
        Self::from_points(points.collect::<Result<_, _>>()?)
    }
}

/// A point in hexadecimal digits, perhaps with `0x` before them.
fn point(text: &str) -> Option<G1Affine> {
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    if digits.len() != 2 * BYTES_PER_PROOF {
        return None;
    }
    let mut bytes = [0; BYTES_PER_PROOF];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        for &digit in pair {
            *byte = *byte << 4 | u8::try_from(char::from(digit).to_digit(16)?).ok()?;
        }
    }
    decompress(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serialised::compress;

    const N: usize = FIELD_ELEMENTS_PER_BLOB;

    fn hexadecimal(point: &G1Affine) -> String {
        compress(point).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The points of both forms are the same; their texts stand where each form has them.
    #[test]
    fn both_forms() {
        let (generator, none) = (G1Affine::generator(), G1Affine::default());
        let points: Vec<_> = (0..N).map(|i| [generator, -generator, none][i % 3]).collect();
        let texts: Vec<_> = points.iter().map(hexadecimal).collect();
        let expected = Setup::from_points(points).unwrap();
        let json = |texts: &[String]| {
            let texts: Vec<_> = texts.iter().map(|text| format!("\"0x{text}\"")).collect();
            format!("{{\"g1_lagrange\": [], \"g1_monomial\": [{}]}}", texts.join(", "))
        };
        assert_eq!(Setup::parse(&json(&texts)), Ok(expected.clone()));
        let others = vec!["other"; N + 2].join("\n");
        let lines = |numbers: &str, texts: &[String]| format!("{numbers}\n{others}\n{}\n", texts.join("\n"));
        assert_eq!(Setup::parse(&lines("4096\n2", &texts)), Ok(expected));

        let refused = |text: &str| matches!(Setup::parse(text), Err(Error::BadSetup { .. }));
        assert!(refused("") && refused("{}") && refused("4096") && refused("{\"g1_monomial\": [1]}"));
        assert!(refused(&lines("4095\n2", &texts)) && refused(&lines("4096\n3", &texts)));
        assert!(refused(&lines("4096\nx", &texts)) && refused(&lines("4096\n2", &texts[1..])));
        assert!(refused(&json(&texts[1..])));
        for bad in ["", "0x", "zz", &texts[0][1..], &texts[0].replace('9', "g")] {
            let mut texts = texts.clone();
            texts[7] = bad.to_owned();
            assert!(refused(&json(&texts)), "{bad}");
        }
        assert!(Setup::from_points(Vec::new()).is_err());
        // Whatever the text has, the message is a short line.
        for text in [json(&["\\n".repeat(999)]), lines(&"\u{7}".repeat(999), &texts), "a".repeat(9999)] {
            let message = Setup::parse(&text).unwrap_err().to_string();
            assert!(message.len() < 999 && !message.contains(char::is_control), "{message}");
        }
    }
}
