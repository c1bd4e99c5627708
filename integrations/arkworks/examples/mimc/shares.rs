//! What the engine could do of a proof, by itself: seven transforms and four sums over G1. `ark-groth16` has no place for a clock between
//! them and the rest, so they are done once more with the sizes, the points and the scalars of the proof.

use ark_bn254::{Bn254, Fr, G1Affine, G1Projective};
use ark_ec::VariableBaseMSM;
use ark_ff::{FftField, PrimeField};
use ark_groth16::ProvingKey;
use ark_groth16::r1cs_to_qap::{LibsnarkReduction, R1CSToQAP};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystem};
use zkaccel::Engine;
use zkaccel::bn254::arkworks::{points, projective, scalars};
use zkaccel::msm::{Bases, BasesOptions};
use zkaccel_clock::{Clock, Comparison};

/// Both sides' transforms and sums for a proof of a circuit with this key.
pub fn compare(
    engine: &Engine,
    key: &ProvingKey<Bn254>,
    circuit: impl ConstraintSynthesizer<Fr>,
    bases: BasesOptions,
) -> Comparison {
    let system = ConstraintSystem::new_ref();
    circuit.generate_constraints(system.clone()).expect("a circuit");
    system.finalize();
    type D = Radix2EvaluationDomain<Fr>;
    let domain = D::new(system.num_constraints() + system.num_instance_variables()).expect("a domain");
    let h = LibsnarkReduction::witness_map::<Fr, D>(system.clone()).expect("a witness");
    let inputs = system.num_instance_variables();
    let system = system.borrow().expect("a system");
    let assignment =
        [system.instance_assignment(), system.witness_assignment()].map(|part| part.expect("values"));
    let assignment = assignment.concat();
    let sums: [(&[G1Affine], &[Fr]); 4] = [
        (&key.a_query[1..], &assignment[1..]),
        (&key.b_g1_query[1..], &assignment[1..]),
        (&key.l_query, &assignment[inputs..]),
        (&key.h_query, &h[..key.h_query.len()]),
    ];
    let mut values = h.clone();
    values.resize(domain.size(), Fr::from(0));

    let theirs = || {
        let coset = domain.get_coset(Fr::GENERATOR).expect("a coset");
        for _ in 0..3 {
            let mut values = values.clone();
            domain.ifft_in_place(&mut values);
            coset.fft_in_place(&mut values);
        }
        coset.ifft_in_place(&mut values.clone());
        sums.map(|(points, scalars)| {
            let scalars: Vec<_> = scalars.iter().map(|scalar| scalar.into_bigint()).collect();
            G1Projective::msm_bigint(points, &scalars)
        })
    };
    let kept = sums.map(|(query, _)| engine.bases(points(query).to_vec(), bases).expect("bases"));
    let transforms = zkaccel_arkworks::Domain::new(engine, domain.size()).expect("a domain");
    let ours = || {
        let coset = transforms.get_coset(Fr::GENERATOR).expect("a coset");
        for _ in 0..3 {
            let mut values = values.clone();
            transforms.ifft_in_place(&mut values).expect("a transform");
            coset.fft_in_place(&mut values).expect("a transform");
        }
        coset.ifft_in_place(&mut values.clone()).expect("a transform");
        let sum = |bases: &Bases, by: &[Fr]| projective(&engine.msm(scalars(by), bases).expect("a sum"));
        std::array::from_fn::<_, 4, _>(|i| sum(&kept[i], sums[i].1))
    };
    let (theirs, ours, times) = Clock::new().compare(theirs, ours);
    assert_eq!(ours, theirs);
    times
}
