//! Field elements and points as bytes.
//!
//! A field element is a big-endian integer of 32 bytes below the modulus. A point of G1 is 48 bytes: x as a big-endian integer below the modulus of the coordinates, in whose highest byte three bits are free. The highest
//! says that the point is compressed, and is set always; the next that it is the identity, all other bits then being 0; the third that y is the larger of both roots, above (q - 1) / 2.

use halo2curves::ff::Field;
use zkaccel::bls12_381::{Fq, Fr, G1Affine};
use zkaccel::curve::{Curve, coordinates, integers_of_scalars, points_of_integers, scalars_of_integers};

use crate::{BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF};

const COMPRESSED: u8 = 0x80;
const IDENTITY: u8 = 0x40;
const LARGER: u8 = 0x20;

/// Limbs, lowest first, of a big-endian integer.
fn limbs<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut limbs = [0; N];
    for (limb, word) in limbs.iter_mut().zip(bytes.rchunks_exact(8)) {
        *limb = u64::from_be_bytes(word.try_into().expect("eight bytes"));
    }
    limbs
}

/// The reverse.
fn write(limbs: &[u64], bytes: &mut [u8]) {
    for (limb, word) in limbs.iter().zip(bytes.rchunks_exact_mut(8)) {
        word.copy_from_slice(&limb.to_be_bytes());
    }
}

/// Field elements of their bytes. Bytes after the last whole element are no part of any.
///
/// [`NotReduced`](zkaccel::Error::NotReduced) with the first that is not below the modulus.
pub fn field_elements(bytes: &[u8]) -> Result<Vec<Fr>, zkaccel::Error> {
    let integers: Vec<_> = bytes.chunks_exact(BYTES_PER_FIELD_ELEMENT).map(limbs).collect();
    scalars_of_integers(&integers)
}

/// The bytes of field elements.
pub fn bytes_of_field_elements(elements: &[Fr]) -> Result<Vec<u8>, zkaccel::Error> {
    let mut bytes = vec![0; elements.len() * BYTES_PER_FIELD_ELEMENT];
    let integers = integers_of_scalars(elements)?;
    for (integer, bytes) in integers.iter().zip(bytes.chunks_exact_mut(BYTES_PER_FIELD_ELEMENT)) {
        write(integer, bytes);
    }
    Ok(bytes)
}

/// Whether the y of a point, of which these are the coordinates as integers, is the larger of both roots.
fn is_larger([_, y]: [[u64; 6]; 2], point: &G1Affine) -> bool {
    let negative = coordinates(&<G1Affine as Curve>::Projective::from(-*point));
    negative.is_some_and(|[_, negative]| y.iter().rev().gt(negative.iter().rev()))
}

/// The bytes of a point.
pub fn compress(point: &G1Affine) -> [u8; BYTES_PER_PROOF] {
    let mut bytes = [0; BYTES_PER_PROOF];
    match coordinates(&<G1Affine as Curve>::Projective::from(*point)) {
        None => bytes[0] = COMPRESSED | IDENTITY,
        Some(of_point @ [x, _]) => {
            write(&x, &mut bytes);
            bytes[0] |= COMPRESSED | if is_larger(of_point, point) { LARGER } else { 0 };
        }
    }
    bytes
}

/// The point of its bytes, on the curve; whether it is in the group is not tested. `None` for bytes that are of no point.
pub fn decompress(bytes: &[u8; BYTES_PER_PROOF]) -> Option<G1Affine> {
    let flags = bytes[0] & (COMPRESSED | IDENTITY | LARGER);
    let mut rest = *bytes;
    rest[0] &= !flags;
    if flags == COMPRESSED | IDENTITY && rest == [0; BYTES_PER_PROOF] {
        return Some(G1Affine::default());
    }
    if flags & (COMPRESSED | IDENTITY) != COMPRESSED {
        return None;
    }
    let on_axis: G1Affine = *points_of_integers::<G1Affine>(&[[limbs(&rest), [0; 6]]]).ok()?.first()?;
    let x: Fq = on_axis.x;
    let y: Fq = Option::from((x.square() * x + <G1Affine as Curve>::b()).sqrt())?;
    let point = G1Affine::from_affine([x, y]);
    let larger = coordinates(&<G1Affine as Curve>::Projective::from(point))
        .is_some_and(|of_point| is_larger(of_point, &point));
    Some(if larger == (flags & LARGER != 0) { point } else { -point })
}

#[cfg(test)]
mod tests {
    use zkaccel::bls12_381::G1;
    use zkaccel::curve::affine;

    use super::*;

    #[test]
    fn points_there_and_back() {
        let multiples: Vec<_> = (0..20).map(|k| G1::generator() * Fr::from(k)).collect();
        for point in affine(&multiples) {
            for point in [point, -point] {
                assert_eq!(decompress(&compress(&point)), Some(point));
            }
        }
        // The generator, as everyone writes it.
        let text = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
        let bytes = compress(&G1Affine::generator());
        assert_eq!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), text);
        let mut identity = [0; 48];
        identity[0] = 0xc0;
        assert_eq!(compress(&G1Affine::default()), identity);
    }

    #[test]
    fn bytes_of_no_point() {
        let good = compress(&G1Affine::generator());
        let changed = |at: usize, byte: u8| {
            let mut bytes = good;
            bytes[at] = byte;
            decompress(&bytes)
        };
        // Not compressed; the identity with other bits; the sign of the identity; x above the modulus.
        assert_eq!(changed(0, good[0] & !0x80), None);
        assert_eq!(changed(0, good[0] | 0x40), None);
        let mut identity = [0; 48];
        identity[0] = 0xe0;
        assert_eq!(decompress(&identity), None);
        let mut large = [0xff; 48];
        large[0] = 0x9f;
        assert_eq!(decompress(&large), None);
        // About half of all x are of no point.
        let points = (0..64).filter(|&byte| changed(47, byte).is_some()).count();
        assert!((10..54).contains(&points), "{points} of 64");
    }

    #[test]
    fn field_elements_there_and_back() {
        let elements = [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(u64::MAX)];
        let bytes = bytes_of_field_elements(&elements).unwrap();
        assert_eq!((bytes[63], bytes[32..63].iter().any(|&byte| byte != 0)), (1, false));
        assert_eq!(field_elements(&bytes), Ok(elements.to_vec()));
        // The modulus itself: -1, and 1 more.
        let mut modulus = bytes[64..96].to_vec();
        modulus[31] += 1;
        for (bytes, first) in [([&bytes[..64], &modulus].concat(), 2), (vec![0xff; 32], 0)] {
            let found = field_elements(&bytes);
            assert!(
                matches!(found, Err(zkaccel::Error::NotReduced { index, .. }) if index == first),
                "{found:?}"
            );
        }
    }
}
