//! Integers, scalars and their texts.

use halo2curves::ff::PrimeField;
use zkaccel::matrix::BaseField;

use crate::Error;
use crate::pairing::ScalarField;

/// An integer of 256 bits, the lowest word first: a scalar, of any pairing.
pub(crate) type Limbs = [u64; 4];

/// The bytes of a scalar in files.
pub(crate) const SCALAR_BYTES: usize = size_of::<Limbs>();

/// The integer of 32 little-endian bytes.
pub(crate) fn integer_of_bytes(bytes: &[u8]) -> Limbs {
    bytemuck::pod_read_unaligned(bytes)
}

/// The modulus of a field.
pub(crate) fn modulus<F: BaseField>() -> &'static [u64] {
    F::MODULUS
}

/// A scalar as an integer below the modulus.
pub(crate) fn integer<F: PrimeField>(scalar: &F) -> Limbs {
    integer_of_bytes(scalar.to_repr().as_ref())
}

/// Whether an integer is below another of as many words, the lowest of each first.
pub(crate) fn is_below(integer: &[u64], limit: &[u64]) -> bool {
    integer.iter().rev().lt(limit.iter().rev())
}

/// An integer in decimal.
pub(crate) fn decimal(integer: &[u64]) -> String {
    // Nineteen digits at a time, the lowest first.
    const BASE: u128 = 10_u128.pow(19);
    let mut integer = integer.to_vec();
    let mut groups = Vec::new();
    while integer.iter().any(|word| *word != 0) || groups.is_empty() {
        let mut remainder = 0;
        for word in integer.iter_mut().rev() {
            let dividend = remainder << 64 | u128::from(*word);
            (*word, remainder) = ((dividend / BASE) as u64, dividend % BASE);
        }
        groups.push(remainder);
    }
    let highest = groups.pop().unwrap_or_default().to_string();
    groups.iter().rev().fold(highest, |text, group| text + &format!("{group:019}"))
}

/// The integer that a text has in decimal, if it is below a modulus: as many words as that has.
pub(crate) fn parse_decimal(place: impl ToString, text: &str, modulus: &[u64]) -> Result<Vec<u64>, Error> {
    integer_of_decimal(text, modulus.len()).filter(|integer| is_below(integer, modulus)).ok_or_else(|| {
        let shown: String = text.chars().take(100).collect();
        let expected = format!("a decimal number below {}", decimal(modulus));
        Error::malformed(place, format!("{shown:?}"), expected)
    })
}

/// The integer of decimal digits, if there are no more than 20 for each word and it has so many words.
fn integer_of_decimal(text: &str, words: usize) -> Option<Vec<u64>> {
    if text.is_empty() || text.len() > 20 * words {
        return None;
    }
    let mut integer = vec![0; words];
    for byte in text.bytes() {
        let mut carry = byte.is_ascii_digit().then(|| u128::from(byte - b'0'))?;
        for word in &mut integer {
            let wide = 10 * u128::from(*word) + carry;
            (*word, carry) = (wide as u64, wide >> 64);
        }
        if carry > 0 {
            return None;
        }
    }
    Some(integer)
}

/// Bytes of the system's generator.
pub(crate) fn fill_random(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| Error::NoRandomness { message: error.to_string() })
}

/// A scalar from the system's generator: 512 random bits modulo r, which is within 2^-256 of the uniform distribution.
pub(crate) fn random_scalar<F: ScalarField>() -> Result<F, Error> {
    let mut bytes = [0; 64];
    fill_random(&mut bytes)?;
    Ok(F::from_uniform_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use halo2curves::bls12381;
    use halo2curves::bn256::{Fq, Fr};
    use halo2curves::ff::Field;

    use super::*;

    #[test]
    fn decimals() {
        assert_eq!(decimal(&[0; 4]), "0");
        assert_eq!(decimal(&[10_000_000_000_000_000_000, 0, 0, 0]), "10000000000000000000");
        assert_eq!(
            decimal(&[u64::MAX; 4]),
            "115792089237316195423570985008687907853269984665640564039457584007913129639935"
        );
        let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
        let q = "21888242871839275222246405745257275088696311157297823662689037894645226208583";
        assert_eq!((decimal(modulus::<Fr>()), decimal(modulus::<Fq>())), (r.into(), q.into()));
        for element in [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::ROOT_OF_UNITY] {
            let integer = integer(&element);
            assert_eq!(parse_decimal("here", &decimal(&integer), modulus::<Fr>()), Ok(integer.to_vec()));
        }
        assert!(parse_decimal("here", r, modulus::<Fq>()).is_ok());
        for text in ["", "-1", "+1", "0x10", "1 ", "1_0", r, q, &"9".repeat(80), &"9".repeat(1000)] {
            let error = parse_decimal("here", text, modulus::<Fr>()).unwrap_err().to_string();
            assert!(
                error.starts_with("here: found \"") && error.ends_with(r) && error.len() < 400,
                "{error}"
            );
        }
    }

    /// Integers of six words: coordinates of BLS12-381.
    #[test]
    fn decimals_of_other_widths() {
        let digits = bls12381::Fq::MODULUS.trim_start_matches("0x").as_bytes().rchunks(16);
        let word = |digits| u64::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
        let modulus: Vec<u64> = digits.map(word).collect();
        let largest = [vec![modulus[0] - 1], modulus[1..].to_vec()].concat();
        let text = decimal(&largest);
        assert_eq!(bls12381::Fq::from_str_vartime(&text), Some(-bls12381::Fq::ONE));
        assert_eq!(parse_decimal("here", &text, &modulus), Ok(largest));
        for text in [decimal(&modulus), decimal(&[u64::MAX; 6]), "9".repeat(120)] {
            assert!(parse_decimal("here", &text, &modulus).is_err());
        }
    }

    #[test]
    fn integers_below_others() {
        assert!(is_below(&[u64::MAX, 1], &[0, 2]) && is_below(&[1, 2], &[2, 2]));
        assert!(!is_below(&[0, 2], &[u64::MAX, 1]) && !is_below(&[2, 2], &[2, 2]));
    }

    #[test]
    fn random_scalars_differ() {
        let scalars: Vec<Fr> = (0..100).map(|_| random_scalar().unwrap()).collect();
        assert!((0..100).all(|i| !scalars[..i].contains(&scalars[i])));
        // More than the low 248 bits are drawn.
        assert!(scalars.iter().any(|scalar| integer(scalar)[3] >> 56 != 0));
    }
}
