//! Scalars from texts, and points in numbers.

use super::*;
use crate::error::Error;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::Residue;

#[test]
fn texts_of_scalars() {
    let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    assert_eq!(parse_scalar::<Fr>("0").unwrap(), Fr::from(0));
    assert_eq!(parse_scalar::<Fr>("0xff").unwrap(), Fr::from(255));
    let largest = format!("{}6", &r[..r.len() - 1]);
    assert_eq!(parse_scalar::<Fr>(&largest).unwrap(), -Fr::from(1));
    let hexadecimal = format!("0x{}", hex(Residue::of(-Fr::from(1)).to_integer()));
    assert_eq!(parse_scalar::<Fr>(&hexadecimal).unwrap(), -Fr::from(1));
    assert_eq!(parse_scalar::<Fr>(&format!("{:0>80}", 7)).unwrap(), Fr::from(7));
    // 2^256, of which 256 bits are 0.
    let wraps = format!("0x1{}", "0".repeat(64));
    for text in
        ["", "0x", "-1", "+1", "1e5", "0xg", " 1", r, &wraps, &"9".repeat(80), &"0".repeat(81), "0x1_0"]
    {
        assert_eq!(parse_scalar::<Fr>(text), Err(Error::BadScalar { found: text.into() }));
    }
}

#[test]
fn the_generator_is_1_2() {
    assert_eq!(coordinates(&G1::generator()), Some([[1, 0, 0, 0], [2, 0, 0, 0]]));
}
