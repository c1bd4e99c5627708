//! Verification keys, proofs and public signals as snarkjs has them in JSON.
//!
//! Field elements are decimal strings, below their modulus. A point over G1 is `[x, y, "1"]`, one over G2 `[[x0, x1], [y0, y1], ["1", "0"]]` for
//! x = x0 + x1 u; the identity is `["0", "1", "0"]`, and over G2 the same with a second element "0" in each. Fields of an object that are not
//! named here are ignored, such as `vk_alphabeta_12`, which follows from the others.

use halo2curves::bn256::{Fq, Fq2, Fr, G1Affine, G2Affine};
use halo2curves::ff::Field;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::Error;
use crate::key::VerifyingKey;
use crate::numbers::{decimal, integer, parse_decimal};
use crate::points::{self, FilePoint};
use crate::prover::Proof;

/// The name of BN254 in these files.
const CURVE: &str = "bn128";
const PROTOCOL: &str = "groth16";

type FirstGroup = [String; 3];
type SecondGroup = [[String; 2]; 3];

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with pi_a, pi_b and pi_c")]
struct ProofFile {
    pi_a: FirstGroup,
    pi_b: SecondGroup,
    pi_c: FirstGroup,
    protocol: String,
    /// rapidsnark omits it.
    curve: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with vk_alpha_1 and so on")]
struct KeyFile {
    protocol: String,
    curve: Option<String>,
    #[serde(rename = "nPublic")]
    public: usize,
    vk_alpha_1: FirstGroup,
    vk_beta_2: SecondGroup,
    vk_gamma_2: SecondGroup,
    vk_delta_2: SecondGroup,
    #[serde(rename = "IC")]
    ic: Vec<FirstGroup>,
}

/// A proof out of `proof.json`, with points on their curves and in their groups.
pub fn parse_proof(text: &[u8]) -> Result<Proof, Error> {
    let file: ProofFile = parse("proof", text)?;
    check_names("proof", &file.protocol, file.curve.as_deref())?;
    Ok(Proof {
        a: first_group("proof: pi_a", &file.pi_a)?,
        b: second_group("proof: pi_b", &file.pi_b)?,
        c: first_group("proof: pi_c", &file.pi_c)?,
    })
}

/// A proof as snarkjs writes it.
pub fn write_proof(proof: &Proof) -> String {
    write(&ProofFile {
        pi_a: text_of_first(&proof.a),
        pi_b: text_of_second(&proof.b),
        pi_c: text_of_first(&proof.c),
        protocol: PROTOCOL.into(),
        curve: Some(CURVE.into()),
    })
}

/// Public signals out of `public.json`, below r.
pub fn parse_public(text: &[u8]) -> Result<Vec<Fr>, Error> {
    let texts: Vec<String> = parse("public signals", text)?;
    let signals = texts.iter().enumerate();
    signals.map(|(i, text)| parse_decimal(format!("public signals: signal {i}"), text)).collect()
}

/// Public signals as snarkjs writes them.
pub fn write_public(signals: &[Fr]) -> String {
    write(&signals.iter().map(|signal| decimal(integer(signal))).collect::<Vec<_>>())
}

/// A key out of `verification_key.json`, with points on their curves and in their groups.
pub fn parse_verifying_key(text: &[u8]) -> Result<VerifyingKey, Error> {
    let file: KeyFile = parse("verification key", text)?;
    check_names("verification key", &file.protocol, file.curve.as_deref())?;
    if file.ic.len().checked_sub(1) != Some(file.public) {
        let expected = format!("{} points, one more than nPublic", file.public.saturating_add(1));
        return Err(Error::malformed("verification key: IC", format!("{} points", file.ic.len()), expected));
    }
    let second = |name: &str, text| second_group(&format!("verification key: {name}"), text);
    let ic = file.ic.iter().enumerate();
    Ok(VerifyingKey {
        alpha_g1: first_group("verification key: vk_alpha_1", &file.vk_alpha_1)?,
        beta_g2: second("vk_beta_2", &file.vk_beta_2)?,
        gamma_g2: second("vk_gamma_2", &file.vk_gamma_2)?,
        delta_g2: second("vk_delta_2", &file.vk_delta_2)?,
        ic: ic
            .map(|(i, text)| first_group(&format!("verification key: point {i} of IC"), text))
            .collect::<Result<_, _>>()?,
    })
}

/// A key as snarkjs writes it, without `vk_alphabeta_12`.
pub fn write_verifying_key(key: &VerifyingKey) -> String {
    write(&KeyFile {
        protocol: PROTOCOL.into(),
        curve: Some(CURVE.into()),
        public: key.public_signals(),
        vk_alpha_1: text_of_first(&key.alpha_g1),
        vk_beta_2: text_of_second(&key.beta_g2),
        vk_gamma_2: text_of_second(&key.gamma_g2),
        vk_delta_2: text_of_second(&key.delta_g2),
        ic: key.ic.iter().map(text_of_first).collect(),
    })
}

/// A value out of JSON.
fn parse<T: DeserializeOwned>(what: &str, text: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(text)
        .map_err(|error| Error::malformed(what, error, format!("{what}, in JSON as snarkjs writes it")))
}

/// JSON with an indentation of one, as snarkjs has it.
fn write(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b" "));
    value.serialize(&mut serializer).expect("texts and numbers are JSON");
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn check_names(what: &str, protocol: &str, curve: Option<&str>) -> Result<(), Error> {
    if protocol != PROTOCOL {
        return Err(Error::malformed(
            format!("{what}: protocol"),
            format!("{protocol:?}"),
            format!("{PROTOCOL:?}"),
        ));
    }
    match curve {
        None | Some(CURVE | "bn254") => Ok(()),
        Some(curve) => Err(Error::malformed(
            format!("{what}: curve"),
            format!("{curve:?}"),
            format!("{CURVE:?}, which is BN254"),
        )),
    }
}

fn first_group(place: &str, [x, y, z]: &FirstGroup) -> Result<G1Affine, Error> {
    let parse = |name: &str, text: &str| parse_decimal::<Fq>(format!("{place}: {name}"), text);
    let (x, y, z) = (parse("x", x)?, parse("y", y)?, parse("z", z)?);
    of_coordinates(place, G1Affine { x, y }, [x == Fq::ZERO && y == Fq::ONE, z == Fq::ZERO, z == Fq::ONE])
}

fn second_group(place: &str, [x, y, z]: &SecondGroup) -> Result<G2Affine, Error> {
    let parse = |name: &str, [c0, c1]: &[String; 2]| -> Result<Fq2, Error> {
        let c0 = parse_decimal(format!("{place}: {name}0"), c0)?;
        Ok(Fq2::new(c0, parse_decimal(format!("{place}: {name}1"), c1)?))
    };
    let (x, y, z) = (parse("x", x)?, parse("y", y)?, parse("z", z)?);
    of_coordinates(place, G2Affine { x, y }, [x == Fq2::ZERO && y == Fq2::ONE, z == Fq2::ZERO, z == Fq2::ONE])
}

/// The point with z = 1, or the identity with z = 0.
fn of_coordinates<P: FilePoint>(
    place: &str,
    point: P,
    [is_zero_one, z_is_zero, z_is_one]: [bool; 3],
) -> Result<P, Error> {
    let point = match (z_is_one, z_is_zero && is_zero_one) {
        (true, _) => point,
        (_, true) => return Ok(P::default()),
        _ => {
            return Err(Error::malformed(
                format!("{place}: z"),
                "another number",
                "1, or x = 0, y = 1 and z = 0",
            ));
        }
    };
    match points::flaw_of(&point)? {
        // All zero is the identity elsewhere, and no point here.
        None if bool::from(point.is_identity()) => Err(points::Flaw::OffCurve.of(place, "the point")),
        None => Ok(point),
        Some(flaw) => Err(flaw.of(place, "the point")),
    }
}

fn text(x: &Fq) -> String {
    decimal(integer(x))
}

fn text_of_first(point: &G1Affine) -> FirstGroup {
    match *point == G1Affine::default() {
        true => ["0", "1", "0"].map(String::from),
        false => [text(&point.x), text(&point.y), "1".into()],
    }
}

fn text_of_second(point: &G2Affine) -> SecondGroup {
    let of = |x: &Fq2| [text(x.c0()), text(x.c1())];
    let [zero, one] = [Fq2::ZERO, Fq2::ONE].map(|x| of(&x));
    match *point == G2Affine::default() {
        true => [zero.clone(), one, zero],
        false => [of(&point.x), of(&point.y), one],
    }
}
