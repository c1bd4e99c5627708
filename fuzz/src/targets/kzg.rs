//! Trusted setups as texts, and points and field elements as bytes: what is accepted is written again alike, and what is refused is refused with an
//! error and never a panic.

use std::sync::LazyLock;

use zkaccel::bls12_381::{Fr, G1, G1Affine};
use zkaccel::curve::affine;
use zkaccel_kzg::serialised::{bytes_of_field_elements, compress, decompress, field_elements};
use zkaccel_kzg::{BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF, Error, FIELD_ELEMENTS_PER_BLOB, Setup};

use crate::draw::Draw;

/// The points of a setup that is sound: identities, which take no square root, and a few others.
static POINTS: LazyLock<Vec<G1Affine>> = LazyLock::new(|| {
    let few: Vec<G1Affine> = affine(&[1, 2, 3, 5].map(|factor: u64| G1::generator() * Fr::from(factor)));
    let mut points = vec![G1Affine::default(); FIELD_ELEMENTS_PER_BLOB];
    let places = points.iter_mut().step_by(FIELD_ELEMENTS_PER_BLOB / few.len());
    places.zip(few).for_each(|(place, point)| *place = point);
    points
});

/// The same as texts, in both forms of a setup.
static TEXTS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let points: Vec<_> = POINTS.iter().map(|point| hexadecimal(&compress(point))).collect();
    let json = format!("{{\"g1_monomial\": [\"0x{}\"]}}", points.join("\", \"0x"));
    let others = vec!["other"; FIELD_ELEMENTS_PER_BLOB + 1].join("\n");
    [json, format!("{FIELD_ELEMENTS_PER_BLOB}\n1\n{others}\n{}\n", points.join("\n"))]
});

pub fn seeds() -> Vec<Vec<u8>> {
    let point = compress(&G1Affine::generator());
    let text = |text: &str| [&[0], text.as_bytes()].concat();
    vec![
        text("{\"g1_monomial\": [\"0x97f1d3\"]}"),
        text("4096\n65\n"),
        vec![1, 0, 3, 50],
        vec![1, 1, 7, 200, 11],
        [&[2], &point[..]].concat(),
        [&[2, 0xc0], &[0; 47][..]].concat(),
        [&[3], &[0; 64][..]].concat(),
    ]
}

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(4) {
        0 => setup(&String::from_utf8_lossy(draw.rest())),
        1 => changed_setup(&mut draw),
        2 => draw.rest().chunks_exact(BYTES_PER_PROOF).for_each(point),
        _ => elements(draw.rest()),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text: the fuzzer's are shorter than any setup.
fn setup(text: &str) {
    match Setup::parse(text) {
        Ok(setup) => assert_eq!(setup.powers().len(), FIELD_ELEMENTS_PER_BLOB),
        Err(error) => {
            assert!(matches!(error, Error::BadSetup { .. }), "{error:?}");
            let text = error.to_string();
            assert!(!text.is_empty() && text.len() < 1000 && !text.contains('\n'), "{text}");
        }
    }
}

/// A sound setup, of which a few bytes are changed: as long as none is, its points are those.
fn changed_setup(draw: &mut Draw<'_>) {
    let sound = &TEXTS[draw.below(2)];
    let mut bytes = sound.as_bytes().to_vec();
    if draw.below(8) != 7 {
        draw.mutate(&mut bytes);
    }
    match String::from_utf8_lossy(&bytes) {
        text if text == *sound => {
            assert_eq!(Setup::parse(&text).expect("a sound setup").powers(), POINTS.as_slice());
        }
        text => setup(&text),
    }
}

/// Bytes are those of one point at most, which has no others.
fn point(bytes: &[u8]) {
    let bytes = bytes.try_into().expect("as many as a point has");
    let Some(point) = decompress(bytes) else { return };
    assert_eq!(compress(&point), *bytes);
    assert!(bool::from(halo2curves::CurveAffine::is_on_curve(&point)));
    let negative = -point;
    assert_eq!(decompress(&compress(&negative)), Some(negative));
}

/// Bytes are those of elements if and only if each is below the modulus.
fn elements(bytes: &[u8]) {
    let whole = &bytes[..bytes.len() / BYTES_PER_FIELD_ELEMENT * BYTES_PER_FIELD_ELEMENT];
    let largest = bytes_of_field_elements(&[-Fr::from(1)]).expect("an element");
    let is_reduced = |bytes: &[u8]| bytes <= largest.as_slice();
    match field_elements(bytes) {
        Ok(elements) => {
            assert_eq!(bytes_of_field_elements(&elements).expect("elements"), whole);
            assert!(whole.chunks(BYTES_PER_FIELD_ELEMENT).all(is_reduced));
        }
        Err(zkaccel::Error::NotReduced { index, .. }) => {
            let first = whole.chunks(BYTES_PER_FIELD_ELEMENT).position(|bytes| !is_reduced(bytes));
            assert_eq!(first, Some(index));
        }
        Err(error) => panic!("{error}"),
    }
}
