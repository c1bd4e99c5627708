//! The files of `tests/data`, and an engine.

use std::path::PathBuf;
use std::sync::OnceLock;

use halo2curves::bls12381;
use halo2curves::bn256::{Fq2, G1Affine, G2Affine};
use halo2curves::ff::Field;
use zkaccel::Engine;
use zkaccel::curve::Curve;
use zkaccel_groth16::zkey::Zkey;
use zkaccel_groth16::{
    Bls12_381, Bn254, Error, Pairing, Proof, Prover, ProverOptions, ProvingKey, Verifier, json, wtns,
};

/// A pairing with circuits in `tests/data`.
pub(crate) trait Circuits: Pairing {
    /// The smaller and the larger one.
    const CIRCUITS: [&'static str; 2];

    /// The modulus of the coefficients of coordinates, in decimal.
    const Q: &'static str;

    /// The modulus of the scalars.
    const R: &'static str;

    /// The point of the curve of G2 with the first abscissa i + u that has one, which is outside the subgroup; that of G1's curve with the first abscissa i that
    /// has one and is outside, if there are such points.
    fn outside() -> (Option<Self::G1>, Self::G2);

    /// A point that is not on the curve of G1: (77, 77).
    fn off_curve() -> Self::G1;
}

impl Circuits for Bn254 {
    const CIRCUITS: [&'static str; 2] = ["multiplier", "membership"];
    const Q: &'static str = "21888242871839275222246405745257275088696311157297823662689037894645226208583";
    const R: &'static str = "21888242871839275222246405745257275088548364400416034343698204186575808495617";

    fn outside() -> (Option<G1Affine>, G2Affine) {
        (None, first_outside(|i| Fq2::new(i.into(), 1.into())))
    }

    fn off_curve() -> G1Affine {
        G1Affine { x: 77.into(), y: 77.into() }
    }
}

impl Circuits for Bls12_381 {
    const CIRCUITS: [&'static str; 2] = ["multiplier-bls12-381", "powers-bls12-381"];
    const Q: &'static str = "4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894272559787";
    const R: &'static str = "52435875175126190479447740508185965837690552500527637822603658699938581184513";

    fn outside() -> (Option<bls12381::G1Affine>, bls12381::G2Affine) {
        (Some(first_outside(bls12381::Fq::from)), first_outside(|i| bls12381::Fq2::new(i.into(), 1.into())))
    }

    fn off_curve() -> bls12381::G1Affine {
        bls12381::G1Affine { x: 77.into(), y: 77.into() }
    }
}

/// The point outside the subgroup with the first abscissa x(1), x(2) and so on that has one.
fn first_outside<C: Curve>(x: impl Fn(u64) -> C::Base) -> C {
    let points = (1..).filter_map(|i| {
        let x = x(i);
        let y: Option<C::Base> = (x.square() * x + C::b()).sqrt().into();
        y.map(|y| C::from_affine([x, y]))
    });
    points.into_iter().find(|point| !point.is_in_subgroup()).unwrap()
}

/// Tests that are functions over a pairing, for each of those with circuits.
macro_rules! over_every_pairing {
    ($($test:ident),* $(,)?) => {
        over_every_pairing!(@ bn254, zkaccel_groth16::Bn254, $($test),*);
        over_every_pairing!(@ bls12_381, zkaccel_groth16::Bls12_381, $($test),*);
    };
    (@ $module:ident, $pairing:ty, $($test:ident),*) => {
        mod $module {
            $(
                #[test]
                fn $test() {
                    super::$test::<$pairing>();
                }
            )*
        }
    };
}
pub(crate) use over_every_pairing;

pub(crate) fn path(circuit: &str, name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(circuit).join(name)
}

pub(crate) fn read(circuit: &str, name: &str) -> Vec<u8> {
    std::fs::read(path(circuit, name)).unwrap()
}

/// The engine of these tests: on the CPU, or on what the environment says.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into()).parse().unwrap();
        Engine::builder().device(device).build().unwrap()
    })
}

pub(crate) fn parse_key<P: Pairing>(bytes: &[u8]) -> Result<ProvingKey<P>, Error> {
    Zkey::parse(bytes)?.proving_key()
}

pub(crate) fn key<P: Pairing>(circuit: &str) -> ProvingKey<P> {
    parse_key(&read(circuit, "circuit.zkey")).unwrap()
}

pub(crate) fn prover<P: Pairing>(circuit: &str, options: ProverOptions) -> Prover<P> {
    Prover::new(engine(), key(circuit), options).unwrap()
}

pub(crate) fn witness<P: Pairing>(circuit: &str) -> Vec<P::Fr> {
    wtns::parse(&read(circuit, "witness.wtns")).unwrap()
}

/// The verifier of snarkjs's verification key.
pub(crate) fn verifier<P: Pairing>(circuit: &str) -> Verifier<P> {
    Verifier::new(json::parse_verifying_key(&read(circuit, "verification_key.json")).unwrap()).unwrap()
}

/// snarkjs's proof and public signals.
pub(crate) fn theirs<P: Pairing>(circuit: &str) -> (Proof<P>, Vec<P::Fr>) {
    let proof = json::parse_proof(&read(circuit, "proof.json")).unwrap();
    (proof, json::parse_public::<P::Fr>(&read(circuit, "public.json")).unwrap())
}

/// A file of sections, to change it.
pub(crate) struct File {
    pub(crate) head: Vec<u8>,
    pub(crate) sections: Vec<(u32, Vec<u8>)>,
}

impl File {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut sections = Vec::new();
        let mut rest = &bytes[12..];
        while !rest.is_empty() {
            let number = u32::from_le_bytes(rest[..4].try_into().unwrap());
            let length = u64::from_le_bytes(rest[4..12].try_into().unwrap()) as usize;
            sections.push((number, rest[12..12 + length].to_vec()));
            rest = &rest[12 + length..];
        }
        Self { head: bytes[..8].to_vec(), sections }
    }

    pub(crate) fn section(&mut self, number: u32) -> &mut Vec<u8> {
        &mut self.sections.iter_mut().find(|section| section.0 == number).unwrap().1
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        bytes.extend((self.sections.len() as u32).to_le_bytes());
        for (number, contents) in &self.sections {
            bytes.extend(number.to_le_bytes());
            bytes.extend((contents.len() as u64).to_le_bytes());
            bytes.extend(contents);
        }
        bytes
    }
}
