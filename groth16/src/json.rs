//! Verification keys, proofs and public signals as snarkjs has them in JSON.
//!
//! Field elements are decimal strings, below their modulus. A point over G1 is `[x, y, "1"]`, one over G2 `[[x0, x1], [y0, y1], ["1", "0"]]` for
//! x = x0 + x1 u; the identity is `["0", "1", "0"]`, and over G2 the same with a second element "0" in each. Fields of an object that are not
//! named here are ignored, such as `vk_alphabeta_12`, which follows from the others.

use bytemuck::Zeroable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::ser::{PrettyFormatter, Serializer};
use zkaccel::curve::{CoordinateLimbs, Curve, coordinates, points_of_integers, scalars_of_integers};
use zkaccel::field::CoordinateField;

use crate::Error;
use crate::key::VerifyingKey;
use crate::numbers::{decimal, integer, modulus, parse_decimal};
use crate::pairing::{AnyPairing, Pairing, ScalarField, SourceGroup};
use crate::points;
use crate::prover::Proof;

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
pub fn parse_proof<P: Pairing>(text: &[u8]) -> Result<Proof<P>, Error> {
    let file: ProofFile = parse("proof", text)?;
    check_names::<P>("proof", &file.protocol, file.curve.as_deref())?;
    Ok(Proof {
        a: first_group("proof: pi_a", &file.pi_a)?,
        b: second_group("proof: pi_b", &file.pi_b)?,
        c: first_group("proof: pi_c", &file.pi_c)?,
    })
}

/// A proof as snarkjs writes it.
pub fn write_proof<P: Pairing>(proof: &Proof<P>) -> String {
    write(&ProofFile {
        pi_a: text_of_first(&proof.a),
        pi_b: text_of_second(&proof.b),
        pi_c: text_of_first(&proof.c),
        protocol: PROTOCOL.into(),
        curve: Some(P::SNARKJS_NAME.into()),
    })
}

/// Public signals out of `public.json`, below r.
pub fn parse_public<F: ScalarField>(text: &[u8]) -> Result<Vec<F>, Error> {
    let texts: Vec<String> = parse("public signals", text)?;
    let signals = texts.iter().enumerate();
    let signal = |(i, text): (usize, &String)| {
        let integer = parse_decimal(format!("public signals: signal {i}"), text, modulus::<F>())?;
        Ok(scalars_of_integers(&[integer.try_into().expect("as many words as the modulus")])?[0])
    };
    signals.map(signal).collect()
}

/// The bytes of the longest text of so many public signals: a bracket; for each signal a new line with a space, two quotes, the digits of r and a comma, which the
/// last does not have; a new line with a bracket.
pub(crate) fn longest_public<F: ScalarField>(signals: usize) -> usize {
    signals * (1 + 1 + 2 + decimal(modulus::<F>()).len() + 1) + 2
}

/// Public signals as snarkjs writes them.
pub fn write_public<F: ScalarField>(signals: &[F]) -> String {
    write(&signals.iter().map(|signal| decimal(&integer(signal))).collect::<Vec<_>>())
}

/// A key out of `verification_key.json`, with points on their curves and in their groups.
pub fn parse_verifying_key<P: Pairing>(text: &[u8]) -> Result<VerifyingKey<P>, Error> {
    let file: KeyFile = parse("verification key", text)?;
    check_names::<P>("verification key", &file.protocol, file.curve.as_deref())?;
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

/// The pairing that a `verification_key.json` names, or BN254 where it names none, as that is all that rapidsnark has. Points are not looked at.
pub fn pairing_of_verifying_key(text: &[u8]) -> Result<AnyPairing, Error> {
    let what = "verification key";
    let file: KeyFile = parse(what, text)?;
    let Some(curve) = file.curve else { return Ok(AnyPairing::Bn254) };
    let named = AnyPairing::ALL.iter().find(|pairing| is_named(**pairing, &curve));
    named.copied().ok_or_else(|| other_curve(what, &curve, AnyPairing::ALL))
}

/// A key as snarkjs writes it, without `vk_alphabeta_12`.
pub fn write_verifying_key<P: Pairing>(key: &VerifyingKey<P>) -> String {
    write(&KeyFile {
        protocol: PROTOCOL.into(),
        curve: Some(P::SNARKJS_NAME.into()),
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

fn check_names<P: Pairing>(what: &str, protocol: &str, curve: Option<&str>) -> Result<(), Error> {
    if protocol != PROTOCOL {
        return Err(Error::malformed(
            format!("{what}: protocol"),
            format!("{protocol:?}"),
            format!("{PROTOCOL:?}"),
        ));
    }
    match curve {
        Some(curve) if !is_named(P::VALUE, curve) => Err(other_curve(what, curve, &[P::VALUE])),
        _ => Ok(()),
    }
}

/// Whether a pairing has this name: that of snarkjs, or its own in small letters.
fn is_named(pairing: AnyPairing, name: &str) -> bool {
    name == pairing.snarkjs_name() || name == pairing.name().to_lowercase()
}

/// The error for a text of another curve than those of some pairings.
fn other_curve(what: &str, found: &str, expected: &[AnyPairing]) -> Error {
    let each =
        expected.iter().map(|pairing| format!("{:?}, which is {}", pairing.snarkjs_name(), pairing.name()));
    let expected = each.collect::<Vec<_>>().join(", or ");
    Error::malformed(format!("{what}: curve"), format!("{found:?}"), expected)
}

fn first_group<C: SourceGroup>(place: &str, texts: &FirstGroup) -> Result<C, Error> {
    point(place, texts.each_ref().map(std::slice::from_ref))
}

fn second_group<C: SourceGroup>(place: &str, texts: &SecondGroup) -> Result<C, Error> {
    point(place, texts.each_ref().map(<[String; 2]>::as_slice))
}

/// The coordinate 1: an integer for each coefficient.
fn one<C: SourceGroup>() -> CoordinateLimbs<C> {
    let mut one = CoordinateLimbs::<C>::zeroed();
    bytemuck::cast_slice_mut::<_, u64>(std::slice::from_mut(&mut one))[0] = 1;
    one
}

/// The point with z = 1, or the identity with z = 0, of x, y and z, each a text for each coefficient.
fn point<C: SourceGroup>(place: &str, coordinates: [&[String]; 3]) -> Result<C, Error> {
    let q = C::Q;
    let coefficients: &[&str] = match <C as Curve>::Base::DEGREE {
        1 => &[""],
        _ => &["0", "1"],
    };
    let mut integers = [CoordinateLimbs::<C>::zeroed(); 3];
    for ((name, texts), integers) in ["x", "y", "z"].into_iter().zip(coordinates).zip(&mut integers) {
        let words = bytemuck::cast_slice_mut::<_, u64>(std::slice::from_mut(integers));
        for ((words, text), coefficient) in words.chunks_exact_mut(q.len()).zip(texts).zip(coefficients) {
            words.copy_from_slice(&parse_decimal(format!("{place}: {name}{coefficient}"), text, q)?);
        }
    }
    let [x, y, z] = integers;
    let (zero, one) = (CoordinateLimbs::<C>::zeroed(), one::<C>());
    let point: C = match (z == one, [x, y, z] == [zero, one, zero]) {
        (true, _) => points_of_integers(&[[x, y]])?[0],
        (_, true) => return Ok(C::default()),
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
        None if point == C::default() => Err(points::Flaw::OffCurve.of(place, "the point")),
        None => Ok(point),
        Some(flaw) => Err(flaw.of(place, "the point")),
    }
}

/// x, y and z of a point, each a text for each of so many coefficients.
fn texts<C: SourceGroup, const N: usize>(point: &C) -> [[String; N]; 3] {
    let (zero, one) = (CoordinateLimbs::<C>::zeroed(), one::<C>());
    let q = C::Q;
    let integers = match coordinates(&C::Projective::from(*point)) {
        Some([x, y]) => [x, y, one],
        None => [zero, one, zero],
    };
    integers.map(|coordinate| {
        let words = bytemuck::cast_slice::<_, u64>(std::slice::from_ref(&coordinate));
        std::array::from_fn(|i| decimal(&words[i * q.len()..][..q.len()]))
    })
}

fn text_of_first<C: SourceGroup>(point: &C) -> FirstGroup {
    texts(point).map(|[text]| text)
}

fn text_of_second<C: SourceGroup>(point: &C) -> SecondGroup {
    texts(point)
}
