//! Proofs are true, and what is false is refused.

use zkaccel::Engine;
use zkaccel_groth16::known_tau::{self, Secrets};
use zkaccel_groth16::{Account, Blinding, Claim, Error, Fr, Prover, ProverOptions, Verifier, json, r1cs};

use crate::support::{CIRCUITS, engine, key, prover, read, theirs, verifier, witness};

#[test]
fn proofs_of_snarkjs() {
    for circuit in CIRCUITS {
        let (verifier, (proof, public)) = (verifier(circuit), theirs(circuit));
        verifier.verify(&proof, &public).unwrap();
        verifier.verify_batch(&[(&proof, &public[..]); 3]).unwrap();
        let mut wrong = public.clone();
        wrong[0] += Fr::from(1);
        assert_eq!(verifier.verify(&proof, &wrong), Err(Error::NotVerified));
        let claims: [Claim<'_>; 3] = [(&proof, &public), (&proof, &wrong), (&proof, &public)];
        assert_eq!(verifier.verify_batch(&claims), Err(Error::NotVerified));
        for part in 0..3 {
            let mut changed = proof;
            match part {
                0 => changed.a = -changed.a,
                1 => changed.b = -changed.b,
                _ => changed.c = -changed.c,
            }
            assert_eq!(verifier.verify(&changed, &public), Err(Error::NotVerified));
        }
        let (found, expected) = (public.len() + 1, public.len());
        wrong.push(Fr::from(0));
        assert_eq!(verifier.verify(&proof, &wrong), Err(Error::PublicSignals { found, expected }));
        verifier.verify_batch(&[]).unwrap();
    }
}

#[test]
fn proofs_of_ours() {
    for circuit in CIRCUITS {
        let (verifier, witness) = (verifier(circuit), witness(circuit));
        for options in [ProverOptions::default(), ProverOptions { tables: true, unchecked: true, queue: 1 }] {
            let prover = prover(circuit, options);
            let public = prover.public(&witness).unwrap();
            assert_eq!(public, theirs(circuit).1);
            let proofs = [prover.prove(&witness).unwrap(), prover.prove(&witness).unwrap()];
            assert_ne!(proofs[0], proofs[1], "each has randomness of its own");
            for proof in &proofs {
                verifier.verify(proof, public).unwrap();
                assert_eq!(json::parse_proof(json::write_proof(proof).as_bytes()).as_ref(), Ok(proof));
            }
            let batch = prover.prove_batch(&[&witness, &witness, &witness]).unwrap();
            assert_eq!(batch.len(), 3);
            batch.iter().for_each(|proof| verifier.verify(proof, public).unwrap());
            assert_eq!(prover.account(), Account { proofs: 5, remade: 0, refused: 0 });
        }
    }
}

/// The same proof on every device, for the same randomness; on one without room for the vectors of a proof too.
#[test]
fn proofs_of_all_devices() {
    let blinding = Blinding { r: -Fr::from(3), s: Fr::from(1 << 60) };
    let required = std::env::var("ZKACCEL_REQUIRE").unwrap_or_default();
    for circuit in CIRCUITS {
        let witness = witness(circuit);
        let expected = prover(circuit, ProverOptions::default()).prove_with(&witness, &blinding).unwrap();
        for (device, budget) in [
            ("cpu", None),
            ("reference", None),
            ("opencl:0", None),
            ("opencl:0", Some(1 << 12)),
            ("opencl:0", Some(1 << 16)),
        ] {
            let builder = Engine::builder().device(device.parse().unwrap());
            let built = match budget {
                Some(bytes) => builder.device_memory(bytes).build(),
                None => builder.build(),
            };
            let engine = match built {
                Ok(engine) => engine,
                Err(error) if required.split(',').any(|name| name == device) => panic!("{device}: {error}"),
                Err(_) => continue,
            };
            let prover = Prover::new(&engine, key(circuit), ProverOptions::default()).unwrap();
            let proof = prover.prove_with(&witness, &blinding).unwrap();
            assert_eq!(proof, expected, "{circuit} on {device}, {budget:?} bytes");
            assert_eq!(prover.account().remade, 0, "{device}");
        }
    }
}

/// Constraints that come with a proof, and those of another engine.
#[test]
fn proofs_with_matrices() {
    let (prover, witness) = (prover("multiplier", ProverOptions::default()), witness("multiplier"));
    let blinding = Blinding { r: Fr::from(3), s: Fr::from(4) };
    let kept = prover.keep(key("multiplier").matrices).unwrap();
    let proof = prover.prove_with_matrices(&kept, &witness, &blinding).unwrap();
    assert_eq!(proof, prover.prove_with(&witness, &blinding).unwrap());
    let error = prover.keep(key("membership").matrices).unwrap_err();
    assert!(error.to_string().contains("rows of the matrix A"), "{error}");
    let other = Engine::builder().device("reference".parse().unwrap()).build().unwrap();
    let other = Prover::new(&other, key("multiplier"), ProverOptions::default()).unwrap();
    let error = other.prove_with_matrices(&kept, &witness, &blinding).unwrap_err();
    assert!(matches!(error, Error::Engine(zkaccel::Error::WrongEngine { .. })), "{error}");
}

#[test]
fn proofs_of_keys_with_known_tau() {
    for circuit in CIRCUITS {
        let r1cs = r1cs::parse(&read(circuit, "circuit.r1cs")).unwrap();
        let secrets = Secrets { gamma: Fr::from(99), ..Secrets::random().unwrap() };
        let key = known_tau::proving_key(engine(), &r1cs, &secrets).unwrap();
        // Of the same shape as snarkjs's, with the same matrices.
        let theirs = self::key(circuit);
        assert_eq!(key.matrices, theirs.matrices);
        assert_eq!([key.signals(), key.domain_size()], [theirs.signals(), theirs.domain_size()]);
        let zeros =
            |points: &[_]| points.iter().map(|point| *point == Default::default()).collect::<Vec<bool>>();
        assert_eq!(zeros(&key.b_g1), zeros(&theirs.b_g1));
        let verifier = Verifier::new(key.verifying.clone()).unwrap();
        let prover = Prover::new(engine(), key, ProverOptions::default()).unwrap();
        let witness = witness(circuit);
        let proof = prover.prove(&witness).unwrap();
        verifier.verify(&proof, prover.public(&witness).unwrap()).unwrap();
        // Of another setup.
        let other = self::verifier(circuit).verify(&proof, prover.public(&witness).unwrap());
        assert_eq!(other, Err(Error::NotVerified));
    }
}

#[test]
fn witnesses_that_do_not_satisfy_the_circuit() {
    for circuit in CIRCUITS {
        let prover = prover(circuit, ProverOptions::default());
        let satisfied = witness(circuit);
        let mut refused = 0;
        for signal in [1, satisfied.len() / 2, satisfied.len() - 1] {
            let mut witness = satisfied.clone();
            witness[signal] += Fr::from(1);
            match prover.prove(&witness) {
                Err(Error::Unsatisfied { devices }) => assert!(devices.starts_with(&engine().device().id)),
                other => panic!("{circuit}, signal {signal}: {other:?}"),
            }
            refused += 1;
            // In a batch the others are right, and still none is handed out.
            assert!(matches!(prover.prove_batch(&[&satisfied, &witness]), Err(Error::Unsatisfied { .. })));
            refused += 1;
        }
        let account = prover.account();
        assert_eq!((account.proofs, account.refused), (0, refused), "none was handed out");
        let error = |witness: &[Fr]| prover.prove(witness).unwrap_err().to_string();
        let (count, expected) = (satisfied.len(), "the witness is not one of the key's circuit");
        assert_eq!(
            error(&satisfied[1..]),
            format!("{expected}: signals: found {}, expected {count}", count - 1)
        );
        assert_eq!(error(&[]), format!("{expected}: signals: found 0, expected {count}"));
        let mut witness = satisfied.clone();
        witness[0] = Fr::from(12);
        assert_eq!(error(&witness), format!("{expected}: signal 0: found 12, expected 1"));
        prover.prove(&satisfied).unwrap();
    }
}

#[test]
fn proofs_at_the_same_time() {
    let (prover, witness) = (prover("membership", ProverOptions::default()), witness("membership"));
    let verifier = verifier("membership");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let proof = prover.prove(&witness).unwrap();
                verifier.verify(&proof, prover.public(&witness).unwrap()).unwrap();
            });
        }
    });
}
