//! The files of `tests/data`, and an engine.

use std::path::PathBuf;
use std::sync::OnceLock;

use zkaccel::Engine;
use zkaccel_groth16::zkey::Zkey;
use zkaccel_groth16::{Error, Fr, Proof, Prover, ProverOptions, ProvingKey, Verifier, json, wtns};

/// The circuits of `tests/data`.
pub(crate) const CIRCUITS: [&str; 2] = ["multiplier", "membership"];

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

pub(crate) fn parse_key(bytes: &[u8]) -> Result<ProvingKey, Error> {
    Zkey::parse(bytes)?.proving_key()
}

pub(crate) fn key(circuit: &str) -> ProvingKey {
    parse_key(&read(circuit, "circuit.zkey")).unwrap()
}

pub(crate) fn prover(circuit: &str, options: ProverOptions) -> Prover {
    Prover::new(engine(), key(circuit), options).unwrap()
}

pub(crate) fn witness(circuit: &str) -> Vec<Fr> {
    wtns::parse(&read(circuit, "witness.wtns")).unwrap()
}

/// The verifier of snarkjs's verification key.
pub(crate) fn verifier(circuit: &str) -> Verifier {
    Verifier::new(json::parse_verifying_key(&read(circuit, "verification_key.json")).unwrap()).unwrap()
}

/// snarkjs's proof and public signals.
pub(crate) fn theirs(circuit: &str) -> (Proof, Vec<Fr>) {
    let proof = json::parse_proof(&read(circuit, "proof.json")).unwrap();
    (proof, json::parse_public(&read(circuit, "public.json")).unwrap())
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
