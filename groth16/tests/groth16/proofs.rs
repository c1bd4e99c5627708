//! Proofs are true, and what is false is refused.

use zkaccel::Engine;
use zkaccel_groth16::known_tau::{self, Secrets};
use zkaccel_groth16::{
    Account, AnyProver, Blinding, Claim, Error, Proof, Prover, ProverOptions, Reduction, Verifier, Witness,
    json, r1cs,
};

use crate::support::{Circuits, engine, key, over_every_pairing, prover, read, theirs, verifier, witness};

over_every_pairing!(
    proofs_of_snarkjs,
    proofs_of_ours,
    proofs_of_all_devices,
    proofs_with_matrices,
    proofs_of_keys_with_known_tau,
    witnesses_that_do_not_satisfy_the_circuit,
    proofs_at_the_same_time,
    proofs_of_a_pairing_that_the_key_says,
);

fn proofs_of_snarkjs<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let (verifier, (proof, public)) = (verifier::<P>(circuit), theirs::<P>(circuit));
        verifier.verify(&proof, &public).unwrap();
        verifier.verify_batch(&[(&proof, &public[..]); 3]).unwrap();
        let mut wrong = public.clone();
        wrong[0] += P::Fr::from(1);
        assert_eq!(verifier.verify(&proof, &wrong), Err(Error::NotVerified));
        let claims: [Claim<'_, P>; 3] = [(&proof, &public), (&proof, &wrong), (&proof, &public)];
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
        wrong.push(P::Fr::from(0));
        assert_eq!(verifier.verify(&proof, &wrong), Err(Error::PublicSignals { found, expected }));
        verifier.verify_batch(&[]).unwrap();
    }
}

fn proofs_of_ours<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let (verifier, witness) = (verifier::<P>(circuit), witness::<P>(circuit));
        for options in [ProverOptions::default(), ProverOptions { tables: true, unchecked: true, queue: 1 }] {
            let prover = prover::<P>(circuit, options);
            let public = prover.public(&witness).unwrap();
            assert_eq!(public, theirs::<P>(circuit).1);
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
fn proofs_of_all_devices<P: Circuits>() {
    let blinding = Blinding::<P> { r: -P::Fr::from(3), s: P::Fr::from(1 << 60) };
    let required = std::env::var("ZKACCEL_REQUIRE").unwrap_or_default();
    for circuit in P::CIRCUITS {
        let witness = witness::<P>(circuit);
        let expected =
            prover::<P>(circuit, ProverOptions::default()).prove_with(&witness, &blinding).unwrap();
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
            let prover = Prover::new(&engine, key::<P>(circuit), ProverOptions::default()).unwrap();
            let proof = prover.prove_with(&witness, &blinding).unwrap();
            assert_eq!(proof, expected, "{circuit} on {device}, {budget:?} bytes");
            assert_eq!(prover.account().remade, 0, "{device}");
        }
    }
}

/// Constraints that come with a proof, and those of another engine.
fn proofs_with_matrices<P: Circuits>() {
    let (prover, witness) =
        (prover::<P>(P::CIRCUITS[0], ProverOptions::default()), witness::<P>(P::CIRCUITS[0]));
    let blinding = Blinding::<P> { r: P::Fr::from(3), s: P::Fr::from(4) };
    let kept = prover.keep(key::<P>(P::CIRCUITS[0]).matrices).unwrap();
    let proof = prover.prove_with_matrices(&kept, &witness, &blinding).unwrap();
    assert_eq!(proof, prover.prove_with(&witness, &blinding).unwrap());
    let error = prover.keep(key::<P>(P::CIRCUITS[1]).matrices).unwrap_err();
    assert!(error.to_string().contains("rows of the matrix A"), "{error}");
    let other = Engine::builder().device("reference".parse().unwrap()).build().unwrap();
    let other = Prover::new(&other, key::<P>(P::CIRCUITS[0]), ProverOptions::default()).unwrap();
    let error = other.prove_with_matrices(&kept, &witness, &blinding).unwrap_err();
    assert!(matches!(error, Error::Engine(zkaccel::Error::WrongEngine { .. })), "{error}");
}

fn proofs_of_keys_with_known_tau<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let r1cs = r1cs::parse(&read(circuit, "circuit.r1cs")).unwrap();
        let theirs = key::<P>(circuit);
        for reduction in [Reduction::Circom, Reduction::Libsnark] {
            let secrets = Secrets { gamma: P::Fr::from(99), ..Secrets::random().unwrap() };
            let key = known_tau::proving_key(engine(), &r1cs, &secrets, reduction).unwrap();
            // Of the same shape as snarkjs's, with the same matrices.
            assert_eq!((&key.matrices.a, &key.matrices.b), (&theirs.matrices.a, &theirs.matrices.b));
            assert_eq!([key.signals(), key.domain_size()], [theirs.signals(), theirs.domain_size()]);
            let zeros =
                |points: &[_]| points.iter().map(|point| *point == Default::default()).collect::<Vec<bool>>();
            assert_eq!(zeros(&key.b_g1), zeros(&theirs.b_g1));
            let verifier = Verifier::new(key.verifying.clone()).unwrap();
            let prover = Prover::new(engine(), key, ProverOptions::default()).unwrap();
            let mut witness = witness::<P>(circuit);
            let proof = prover.prove(&witness).unwrap();
            let public = prover.public(&witness).unwrap();
            verifier.verify(&proof, public).unwrap();
            // Of another setup.
            let other = self::verifier::<P>(circuit).verify(&proof, public);
            assert_eq!(other, Err(Error::NotVerified));
            *witness.last_mut().unwrap() += P::Fr::from(1);
            assert!(
                matches!(prover.prove(&witness), Err(Error::Unsatisfied { .. })),
                "{circuit}, {reduction:?}"
            );
        }
    }
}

/// Without a type for the pairing: the same proofs, as texts and as words.
fn proofs_of_a_pairing_that_the_key_says<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let prover =
            AnyProver::new(engine(), &read(circuit, "circuit.zkey"), ProverOptions::default()).unwrap();
        let (file, witness) = (read(circuit, "witness.wtns"), witness::<P>(circuit));
        let key = read(circuit, "verification_key.json");
        assert_eq!((prover.pairing(), prover.signals()), (P::VALUE, witness.len()));
        let verifying = json::parse_verifying_key::<P>(prover.verifying_key().as_bytes());
        assert_eq!(verifying.as_ref(), Ok(verifier::<P>(circuit).key()));
        let limbs = zkaccel::field::limbs(&witness);
        let integers = zkaccel::curve::integers_of_scalars(&witness).unwrap();
        let forms = [Witness::File(&file), Witness::Montgomery(limbs), Witness::Integers(&integers)];
        let mut made = prover.prove_batch(&forms).unwrap();
        made.extend(forms.map(|form| prover.prove(form).unwrap()));
        for texts in &made {
            assert_eq!(texts.public.as_bytes(), read(circuit, "public.json"));
            assert!(texts.public.len() <= prover.public_bytes());
            let (public, proof) = (texts.public.as_bytes(), texts.proof.as_bytes());
            prover.verify(public, proof).unwrap();
            zkaccel_groth16::verify(&key, public, proof).unwrap();
            let swapped = json::parse_proof::<P>(proof).map(|proof| Proof { c: proof.a, ..proof }).unwrap();
            let swapped = json::write_proof(&swapped);
            assert_eq!(prover.verify(public, swapped.as_bytes()), Err(Error::NotVerified));
            let found = zkaccel_groth16::verify(&key, public, swapped.as_bytes());
            assert_eq!(found, Err(Error::NotVerified));
        }
        assert_eq!(prover.account(), Account { proofs: 6, remade: 0, refused: 0 });
        // The text of signals that are as long as there are.
        let longest = vec![-P::Fr::from(1); prover.public_signals()];
        assert_eq!(json::write_public(&longest).len(), prover.public_bytes());

        let words = prover.prove_words(&forms[..2]).unwrap();
        let [first, second] = [size_of::<P::G1>() / 8, size_of::<P::G2>() / 8];
        for words in words.chunks_exact(2 * first + second) {
            let (a, rest) = words.split_at(first);
            let (b, c) = rest.split_at(second);
            let proof = Proof::<P> {
                a: zkaccel::curve::points(bytemuck::cast_slice(a)).unwrap()[0],
                b: zkaccel::curve::points(bytemuck::cast_slice(b)).unwrap()[0],
                c: zkaccel::curve::points(bytemuck::cast_slice(c)).unwrap()[0],
            };
            verifier::<P>(circuit).verify(&proof, &theirs::<P>(circuit).1).unwrap();
        }
    }
}

fn witnesses_that_do_not_satisfy_the_circuit<P: Circuits>() {
    for circuit in P::CIRCUITS {
        let prover = prover::<P>(circuit, ProverOptions::default());
        let satisfied = witness::<P>(circuit);
        let mut refused = 0;
        for signal in [1, satisfied.len() / 2, satisfied.len() - 1] {
            let mut witness = satisfied.clone();
            witness[signal] += P::Fr::from(1);
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
        let error = |witness: &[P::Fr]| prover.prove(witness).unwrap_err().to_string();
        let (count, expected) = (satisfied.len(), "the witness is not one of the key's circuit");
        assert_eq!(
            error(&satisfied[1..]),
            format!("{expected}: signals: found {}, expected {count}", count - 1)
        );
        assert_eq!(error(&[]), format!("{expected}: signals: found 0, expected {count}"));
        let mut witness = satisfied.clone();
        witness[0] = P::Fr::from(12);
        assert_eq!(error(&witness), format!("{expected}: signal 0: found 12, expected 1"));
        prover.prove(&satisfied).unwrap();
    }
}

fn proofs_at_the_same_time<P: Circuits>() {
    let (prover, witness) =
        (prover::<P>(P::CIRCUITS[1], ProverOptions::default()), witness::<P>(P::CIRCUITS[1]));
    let verifier = verifier::<P>(P::CIRCUITS[1]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let proof = prover.prove(&witness).unwrap();
                verifier.verify(&proof, prover.public(&witness).unwrap()).unwrap();
            });
        }
    });
}
