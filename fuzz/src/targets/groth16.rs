//! Files of circom and snarkjs: the first byte says which, the rest is the file or changes of a true one. What is refused is refused with one line; what is accepted
//! is written and read again alike; a proof of a changed key or witness is true by the key that is right.

use std::sync::OnceLock;

use zkaccel::Engine;
use zkaccel_groth16::zkey::{self, Zkey};
use zkaccel_groth16::{
    Bn254, Error, Fr, Proof, Prover, ProverOptions, ProvingKey, Verifier, json, r1cs, wtns,
};

use crate::draw::Draw;

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../groth16/tests/data/multiplier/", $name))
    };
}

const FILES: [&[u8]; 6] = [
    file!("circuit.zkey"),
    file!("witness.wtns"),
    file!("circuit.r1cs"),
    file!("proof.json"),
    file!("public.json"),
    file!("verification_key.json"),
];

pub fn seeds() -> Vec<Vec<u8>> {
    let whole = FILES.iter().zip(0..).map(|(file, i)| [&[i, 0][..], file].concat());
    // Changes of each.
    let changed = (0..12).map(|i: u8| vec![i % 6, 1, 3, 50, i, 7, 200, 11]);
    whole.chain(changed).collect()
}

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let which = draw.below(FILES.len());
    let bytes = match draw.flag() {
        false => draw.rest().to_vec(),
        true => {
            let mut bytes = FILES[which].to_vec();
            draw.mutate(&mut bytes);
            bytes
        }
    };
    let outcome = match which {
        0 => with_key(&bytes),
        1 => with_witness(&bytes),
        2 => r1cs::parse::<Bn254>(&bytes).map(drop),
        3 => with_proof(&bytes),
        4 => json::parse_public::<Fr>(&bytes).map(|signals| {
            assert_eq!(json::parse_public(json::write_public(&signals).as_bytes()), Ok(signals))
        }),
        _ => json::parse_verifying_key::<Bn254>(&bytes).map(|key| {
            assert_eq!(
                json::parse_verifying_key(json::write_verifying_key(&key).as_bytes()).as_ref(),
                Ok(&key)
            );
            Verifier::new(key).map(drop).expect("its points were checked");
        }),
    };
    if let Err(error) = outcome {
        let text = error.to_string();
        assert!(!text.is_empty() && text.len() < 1000, "{text}");
        assert!(bytes != FILES[which], "{text}");
    }
}

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let builder = Engine::builder().device("cpu".parse().expect("a device")).threads(1);
        builder.build().expect("an engine")
    })
}

fn key() -> ProvingKey {
    Zkey::parse(FILES[0]).and_then(|key| key.proving_key()).expect("the key is right")
}

/// The verifier of the key that is right.
fn assert_true(proof: &Proof, public: &[Fr]) {
    static VERIFIER: OnceLock<Verifier> = OnceLock::new();
    let verifier = VERIFIER.get_or_init(|| Verifier::new(key().verifying).expect("the key is right"));
    assert_eq!(verifier.verify(proof, public), Ok(()));
}

fn with_key(bytes: &[u8]) -> Result<(), Error> {
    let key = Zkey::parse(bytes)?.proving_key()?;
    let mut written = Vec::new();
    zkey::write(&key, &mut written)?;
    assert!(Zkey::parse(&written)?.proving_key()? == key);
    // Another verification key would judge other proofs.
    if key.verifying != self::key().verifying {
        return Ok(());
    }
    let prover = Prover::new(engine(), key, ProverOptions::default())?;
    let witness = wtns::parse(FILES[1]).expect("the witness is right");
    assert_true(&prover.prove(&witness)?, prover.public(&witness)?);
    Ok(())
}

fn with_witness(bytes: &[u8]) -> Result<(), Error> {
    static PROVER: OnceLock<Prover> = OnceLock::new();
    let witness = wtns::parse::<Fr>(bytes)?;
    let mut written = Vec::new();
    wtns::write(&witness, &mut written)?;
    assert!(wtns::parse::<Fr>(&written)? == witness);
    let prover = PROVER
        .get_or_init(|| Prover::new(engine(), key(), ProverOptions::default()).expect("the key is right"));
    assert_true(&prover.prove(&witness)?, prover.public(&witness)?);
    Ok(())
}

fn with_proof(bytes: &[u8]) -> Result<(), Error> {
    let proof = json::parse_proof(bytes)?;
    assert_eq!(json::parse_proof(json::write_proof(&proof).as_bytes()), Ok(proof));
    let public = json::parse_public(FILES[4]).expect("the signals are right");
    let verifier = Verifier::new(key().verifying)?;
    match verifier.verify(&proof, &public) {
        // The one proof that is known to be true, unless the fuzzer finds another.
        Ok(()) => assert_eq!(json::parse_proof(FILES[3]), Ok(proof)),
        Err(error) => assert_eq!(error, Error::NotVerified),
    }
    Ok(())
}
