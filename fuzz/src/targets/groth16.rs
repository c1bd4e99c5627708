//! Files of circom and snarkjs: the first byte says which, of either curve, the rest is the file or changes of a true one. What is refused is refused with one line; what is accepted
//! is written and read again alike; a proof of a changed key or witness is true by the key that is right.

use std::sync::OnceLock;

use zkaccel::Engine;
use zkaccel_groth16::zkey::{self, Zkey};
use zkaccel_groth16::{
    Bls12_381, Bn254, Error, Pairing, Proof, Prover, ProverOptions, ProvingKey, Verifier, json, r1cs, wtns,
};

use crate::draw::Draw;

/// A pairing with true files.
trait Files: Pairing {
    const FILES: [&'static [u8]; 6];

    /// A prover with the key that is right, and a verifier with its verification key.
    fn prover() -> &'static (Prover<Self>, Verifier<Self>);
}

macro_rules! file {
    ($circuit:literal, $name:literal) => {
        include_bytes!(concat!("../../../groth16/tests/data/", $circuit, "/", $name))
    };
}

macro_rules! files {
    ($pairing:ident, $circuit:literal) => {
        impl Files for $pairing {
            const FILES: [&'static [u8]; 6] = [
                file!($circuit, "circuit.zkey"),
                file!($circuit, "witness.wtns"),
                file!($circuit, "circuit.r1cs"),
                file!($circuit, "proof.json"),
                file!($circuit, "public.json"),
                file!($circuit, "verification_key.json"),
            ];

            fn prover() -> &'static (Prover<Self>, Verifier<Self>) {
                static KEPT: OnceLock<(Prover<$pairing>, Verifier<$pairing>)> = OnceLock::new();
                KEPT.get_or_init(|| {
                    let prover = Prover::new(engine(), key(), ProverOptions::default());
                    let verifier = Verifier::new(key().verifying);
                    (prover.expect("the key is right"), verifier.expect("the key is right"))
                })
            }
        }
    };
}

files!(Bn254, "multiplier");
files!(Bls12_381, "multiplier-bls12-381");

pub fn seeds() -> Vec<Vec<u8>> {
    let files = Bn254::FILES.into_iter().chain(Bls12_381::FILES);
    let whole = files.zip(0..).map(|(file, i)| [&[i, 0][..], file].concat());
    // Changes of each.
    let changed = (0..24).map(|i: u8| vec![i % 12, 1, 3, 50, i, 7, 200, 11]);
    whole.chain(changed).collect()
}

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(Bn254::FILES.len() + Bls12_381::FILES.len()) {
        which @ ..6 => run_over::<Bn254>(which, draw),
        which => run_over::<Bls12_381>(which - 6, draw),
    }
}

fn run_over<P: Files>(which: usize, mut draw: Draw<'_>) {
    let bytes = match draw.flag() {
        false => draw.rest().to_vec(),
        true => {
            let mut bytes = P::FILES[which].to_vec();
            draw.mutate(&mut bytes);
            bytes
        }
    };
    let outcome = match which {
        0 => with_key::<P>(&bytes),
        1 => with_witness::<P>(&bytes),
        2 => r1cs::parse::<P>(&bytes).map(drop),
        3 => with_proof::<P>(&bytes),
        4 => json::parse_public::<P::Fr>(&bytes).map(|signals| {
            assert_eq!(json::parse_public(json::write_public(&signals).as_bytes()), Ok(signals))
        }),
        _ => json::parse_verifying_key::<P>(&bytes).map(|key| {
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
        assert!(bytes != P::FILES[which], "{text}");
    }
}

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let builder = Engine::builder().device("cpu".parse().expect("a device")).threads(1);
        builder.build().expect("an engine")
    })
}

fn key<P: Files>() -> ProvingKey<P> {
    Zkey::parse(P::FILES[0]).and_then(|key| key.proving_key()).expect("the key is right")
}

fn assert_true<P: Files>(proof: &Proof<P>, public: &[P::Fr]) {
    assert_eq!(P::prover().1.verify(proof, public), Ok(()));
}

fn with_key<P: Files>(bytes: &[u8]) -> Result<(), Error> {
    let key = Zkey::<P>::parse(bytes)?.proving_key()?;
    assert_eq!(zkey::pairing_of(bytes), Ok(P::VALUE));
    let mut written = Vec::new();
    zkey::write(&key, &mut written)?;
    assert!(Zkey::parse(&written)?.proving_key()? == key);
    // Another verification key would judge other proofs.
    if key.verifying != self::key::<P>().verifying {
        return Ok(());
    }
    let prover = Prover::new(engine(), key, ProverOptions::default())?;
    let witness = wtns::parse(P::FILES[1]).expect("the witness is right");
    assert_true(&prover.prove(&witness)?, prover.public(&witness)?);
    Ok(())
}

fn with_witness<P: Files>(bytes: &[u8]) -> Result<(), Error> {
    let witness = wtns::parse::<P::Fr>(bytes)?;
    let mut written = Vec::new();
    wtns::write(&witness, &mut written)?;
    assert!(wtns::parse::<P::Fr>(&written)? == witness);
    let (prover, _) = P::prover();
    assert_true(&prover.prove(&witness)?, prover.public(&witness)?);
    Ok(())
}

fn with_proof<P: Files>(bytes: &[u8]) -> Result<(), Error> {
    let proof = json::parse_proof(bytes)?;
    assert_eq!(json::parse_proof(json::write_proof(&proof).as_bytes()), Ok(proof));
    let public = json::parse_public::<P::Fr>(P::FILES[4]).expect("the signals are right");
    match P::prover().1.verify(&proof, &public) {
        // The one proof that is known to be true, unless the fuzzer finds another.
        Ok(()) => assert_eq!(json::parse_proof(P::FILES[3]), Ok(proof)),
        Err(error) => assert_eq!(error, Error::NotVerified),
    }
    Ok(())
}
