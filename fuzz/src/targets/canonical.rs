//! Texts and limbs as digests, scalars, points and names: what is accepted has one form, or is what other arithmetic makes of it, and what is
//! refused is refused for the first thing that is wrong.

use halo2curves::ff::Field;
use zkaccel::Error;
use zkaccel::bn254::{self, Fq, Fr};
use zkaccel::curve::{self, Curve};
use zkaccel::device::{DeviceChoice, Simd};
use zkaccel::field::{Goldilocks, MODULUS, from_montgomery, to_montgomery};
use zkaccel::hash::{ByteDigest, Digest, ElementDigest};
use zkaccel::matrix::BaseField;
use zkaccel::merkle::Approach;
use zkaccel::ntt::Convention;
use zkaccel::policy::Policy;

use crate::draw::Draw;

pub fn seeds() -> Vec<Vec<u8>> {
    let hex = "75a460328732efc33ef1c9d38822b8ca595efc819f23b97e0362be429e531604";
    let largest = "21888242871839275222246405745257275088548364400416034343698204186575808495616";
    let text = |kind: u8, text: &str| [&[kind], text.as_bytes()].concat();
    vec![
        text(0, hex),
        text(1, largest),
        text(1, "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000"),
        text(2, "cpu,opencl:0"),
        text(2, "avx512ifma"),
        text(3, &"\0".repeat(128)),
        text(4, &"\x01\0\0\0\0\0\0\0".repeat(16)),
    ]
}

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(5) {
        0 => digests(draw.rest()),
        1 => scalars(&String::from_utf8_lossy(draw.rest())),
        2 => names(&String::from_utf8_lossy(draw.rest())),
        3 => points::<bn254::G1Affine>(draw.rest()),
        _ => limbs(&mut draw),
    }
}

fn digests(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parsed: Result<ByteDigest, _> = text.parse();
    let is_hex = text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    assert_eq!(parsed.is_ok(), is_hex);
    let Ok(digest) = parsed else { return };
    assert_eq!(digest.to_string(), text.to_ascii_lowercase());
    let words: [u64; 4] = bytemuck::cast(digest);
    let found: Result<ElementDigest, _> = text.parse();
    match words.iter().position(|&word| word >= MODULUS) {
        Some(index) => assert_eq!(found, Err(Error::NotCanonical { index, value: words[index] })),
        None => assert_eq!(found.map(Digest::to_bytes), Ok(digest.to_bytes())),
    }
    assert_eq!(Goldilocks::try_from(words[0]).is_ok(), words[0] < MODULUS);
}

/// Digits one by one, and back.
fn scalars(text: &str) {
    let Ok(found) = bn254::parse_scalar::<Fr>(text) else { return };
    let (digits, base) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let digit = |digit: char| Fr::from(u64::from(digit.to_digit(base).expect("only digits are accepted")));
    let expected = digits.chars().fold(Fr::ZERO, |sum, next| sum * Fr::from(u64::from(base)) + digit(next));
    assert_eq!(found, expected);
    let integer = bn254::integers_of_scalars(&[found]).expect("memory for one")[0];
    let hex = bn254::hex(integer);
    assert_eq!(bn254::parse_scalar::<Fr>(&format!("0x{hex}")), Ok(found));
    // The number itself, not one that is congruent to it.
    if base == 16 {
        assert_eq!(digits.trim_start_matches('0').to_ascii_lowercase(), hex.trim_start_matches('0'));
    } else {
        assert!(digits.trim_start_matches('0').len() <= 77);
    }
}

fn names(text: &str) {
    let named = |found: Option<&'static str>| assert!(found.is_none_or(|name| name == text), "{found:?}");
    named(text.parse::<Simd>().ok().map(Simd::name));
    named(text.parse::<Policy>().ok().map(Policy::name));
    named(text.parse::<Approach>().ok().map(Approach::name));
    named(text.parse::<Convention>().ok().map(Convention::name));
    // Paths of providers are kept for ever.
    if !text.contains("provider")
        && text.len() < 64
        && let Ok(choice) = text.parse::<DeviceChoice>()
    {
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }
}

/// The first element of limbs, so many each, that is not below a modulus.
fn first_above(limbs: &[[u64; 4]], modulus: &[u64]) -> Option<usize> {
    limbs.iter().position(|limbs| !limbs.iter().rev().lt(modulus.iter().rev()))
}

fn points<C: Curve<Base: BaseField>>(bytes: &[u8]) {
    let words: Vec<u64> =
        bytes.as_chunks::<64>().0.iter().flat_map(|point| bytemuck::cast::<_, [u64; 8]>(*point)).collect();
    let coordinates: &[[u64; 4]] = bytemuck::cast_slice(&words);
    let above = first_above(coordinates, <C::Base as BaseField>::MODULUS);
    let is_index =
        |error: &Error, wrong| matches!(error, Error::NotReduced { index, .. } if *index == wrong / 2);
    match (curve::points::<C>(bytemuck::cast_slice(&words)), above) {
        (Ok(points), None) => {
            let found: &[[u64; 4]] = bytemuck::cast_slice(curve::limbs_of_points(points));
            assert_eq!(found, coordinates);
        }
        (Err(error), Some(wrong)) => assert!(is_index(&error, wrong), "{error:?}"),
        (found, above) => panic!("{found:?}, {above:?}"),
    }
    match (curve::points_of_integers::<C>(bytemuck::cast_slice(&words)), above) {
        (Ok(points), None) => {
            let found: Vec<_> = points
                .iter()
                .flat_map(|point| {
                    let [x, y] = [0, 1].map(|i| curve::limbs_of_points(&[*point])[0][i]);
                    let mut both: [[u64; 4]; 2] = bytemuck::cast([x, y]);
                    from_montgomery::<Fq>(&mut both).expect("reduced");
                    both
                })
                .collect();
            assert_eq!(found, coordinates);
        }
        (Err(error), Some(wrong)) => assert!(is_index(&error, wrong), "{error:?}"),
        (found, above) => panic!("{found:?}, {above:?}"),
    }
}

fn limbs(draw: &mut Draw<'_>) {
    type Conversion = fn(&mut [[u64; 4]]) -> Result<(), Error>;
    let of_scalars: [Conversion; 2] = [to_montgomery::<Fr>, from_montgomery::<Fr>];
    let of_coordinates: [Conversion; 2] = [to_montgomery::<Fq>, from_montgomery::<Fq>];
    let (conversions, modulus) = match draw.flag() {
        true => (of_scalars, <Fr as BaseField>::MODULUS),
        false => (of_coordinates, <Fq as BaseField>::MODULUS),
    };
    let conversions = if draw.flag() { conversions } else { [conversions[1], conversions[0]] };
    let bytes = draw.rest();
    let mut before = vec![[0u64; 4]; bytes.len() / 32];
    bytemuck::cast_slice_mut(&mut before).copy_from_slice(&bytes[..bytes.len() / 32 * 32]);
    let mut values = before.clone();
    match (conversions[0](&mut values), first_above(&before, modulus)) {
        (Ok(()), None) => {
            assert_eq!(first_above(&values, modulus), None);
            assert_eq!(conversions[1](&mut values), Ok(()));
            assert_eq!(values, before, "there and back");
        }
        (Err(Error::NotReduced { index, .. }), Some(wrong)) => {
            assert_eq!((index, &values), (wrong, &before), "what is refused is unchanged");
        }
        (found, above) => panic!("{found:?}, {above:?}"),
    }
    assert_eq!(bn254::scalars(&before).is_ok(), first_above(&before, <Fr as BaseField>::MODULUS).is_none());
}
