//! Integers, field elements and their texts.

use halo2curves::ff::{FromUniformBytes, PrimeField};
use zkaccel::bn254::Fr;
use zkaccel::curve::parse_scalar;
use zkaccel::field::MontgomeryField;

use crate::Error;

/// An integer of 256 bits, the lowest limb first.
pub(crate) type Limbs = [u64; 4];

/// The integer of 32 little-endian bytes.
pub(crate) fn integer_of_bytes(bytes: &[u8]) -> Limbs {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        *limb = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    }
    limbs
}

/// The modulus of a field.
pub(crate) fn modulus<F: MontgomeryField>() -> Limbs {
    // One less than the modulus, and 1.
    let mut limbs = integer(&-F::ONE);
    limbs[0] += 1;
    limbs
}

/// An element as an integer below the modulus.
pub(crate) fn integer<F: PrimeField>(element: &F) -> Limbs {
    integer_of_bytes(element.to_repr().as_ref())
}

/// An integer in decimal.
pub(crate) fn decimal(mut integer: Limbs) -> String {
    // Nineteen digits at a time, the lowest first.
    const BASE: u128 = 10_u128.pow(19);
    let mut groups = Vec::new();
    while integer != [0; 4] || groups.is_empty() {
        let mut remainder = 0;
        for limb in integer.iter_mut().rev() {
            let dividend = remainder << 64 | u128::from(*limb);
            (*limb, remainder) = ((dividend / BASE) as u64, dividend % BASE);
        }
        groups.push(remainder);
    }
    let highest = groups.pop().unwrap_or_default().to_string();
    groups.iter().rev().fold(highest, |text, group| text + &format!("{group:019}"))
}

/// An integer in decimal, below the modulus, as an element.
pub(crate) fn parse_decimal<F: MontgomeryField>(place: impl ToString, text: &str) -> Result<F, Error> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match digits.then(|| parse_scalar::<F>(text)) {
        Some(Ok(element)) => Ok(element),
        _ => {
            let shown: String = text.chars().take(100).collect();
            let expected = format!("a decimal number below {}", decimal(modulus::<F>()));
            Err(Error::malformed(place, format!("{shown:?}"), expected))
        }
    }
}

/// Bytes of the system's generator.
pub(crate) fn fill_random(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| Error::NoRandomness { message: error.to_string() })
}

/// A scalar from the system's generator: 512 random bits modulo r, which is within 2^-256 of the uniform distribution.
pub(crate) fn random_scalar() -> Result<Fr, Error> {
    let mut bytes = [0; 64];
    fill_random(&mut bytes)?;
    Ok(Fr::from_uniform_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use halo2curves::ff::Field;
    use zkaccel::bn254::Fq;

    use super::*;

    #[test]
    fn decimals() {
        assert_eq!(decimal([0; 4]), "0");
        assert_eq!(decimal([10_000_000_000_000_000_000, 0, 0, 0]), "10000000000000000000");
        assert_eq!(
            decimal([u64::MAX; 4]),
            "115792089237316195423570985008687907853269984665640564039457584007913129639935"
        );
        let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
        let q = "21888242871839275222246405745257275088696311157297823662689037894645226208583";
        assert_eq!((decimal(modulus::<Fr>()), decimal(modulus::<Fq>())), (r.into(), q.into()));
        for element in [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::ROOT_OF_UNITY] {
            assert_eq!(parse_decimal::<Fr>("here", &decimal(integer(&element))), Ok(element));
        }
        assert!(parse_decimal::<Fq>("here", r).is_ok());
        for text in ["", "-1", "+1", "0x10", "1 ", "1_0", r, q, &"9".repeat(1000)] {
            let error = parse_decimal::<Fr>("here", text).unwrap_err().to_string();
            assert!(
                error.starts_with("here: found \"") && error.ends_with(r) && error.len() < 400,
                "{error}"
            );
        }
    }

    #[test]
    fn random_scalars_differ() {
        let scalars: Vec<_> = (0..100).map(|_| random_scalar().unwrap()).collect();
        assert!((0..100).all(|i| !scalars[..i].contains(&scalars[i])));
        // More than the low 248 bits are drawn.
        assert!(scalars.iter().any(|scalar| integer(scalar)[3] >> 56 != 0));
    }
}
