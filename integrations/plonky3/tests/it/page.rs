//! The configurations of the adaptor's page, `docs/integrations/plonky3.md`, as its readers write them. `tools/book/blocks.py` finds the page's lines here.

use p3_blake3::Blake3;
use p3_commit::ExtensionMmcs;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::{Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_uni_stark::{prove, verify, verify_with_preprocessed};

use crate::airs::{Fibonacci, Preprocessed};
use crate::batch::airs as batch_airs;
use crate::config::{Challenge, Config, Val, byte_challenger, element_challenger, parameters};

/// A proof with a configuration verifies with it.
macro_rules! proves {
    ($config:expr) => {
        let config = $config;
        let trace = generate_trace_rows::<Val>(vec![[3; 25]; 10], 1);
        let proof = prove(&config, &KeccakAir {}, trace, &[]).unwrap();
        verify(&config, &KeccakAir {}, &proof, &[]).unwrap();
    };
}

#[test]
fn transforms_and_commitments() {
    let cap_height = 3;
    type ValMmcs = zkaccel_plonky3::Mmcs<Blake3>;
    type Dft = zkaccel_plonky3::Dft;

    let val_mmcs = ValMmcs::new(Blake3, cap_height);

    let fri = parameters(val_mmcs.clone());
    proves!(Config::new(TwoAdicFriPcs::new(Dft::default(), val_mmcs, fri), byte_challenger()));
}

#[test]
fn with_poseidon2() {
    let cap_height = 3;
    type ValMmcs = zkaccel_plonky3::Mmcs<Poseidon2Goldilocks<8>>;

    let val_mmcs = ValMmcs::new(default_goldilocks_poseidon2_8(), cap_height);

    let fri = parameters(val_mmcs.clone());
    let dft = zkaccel_plonky3::Dft;
    proves!(Config::new(TwoAdicFriPcs::new(dft, val_mmcs, fri), element_challenger()));
}

#[test]
fn the_whole_scheme() {
    type ValMmcs = zkaccel_plonky3::Mmcs<Blake3>;
    type ChallengeMmcs = ExtensionMmcs<Val, Challenge, ValMmcs>;
    type Pcs = zkaccel_plonky3::FriPcs<Blake3, ChallengeMmcs>;

    let val_mmcs = ValMmcs::new(Blake3, 3);
    let fri_parameters = parameters(val_mmcs.clone());
    let pcs = Pcs::new(val_mmcs, fri_parameters);
    proves!(Config::new(pcs, byte_challenger()));
}

#[test]
fn zero_knowledge() -> Result<(), zkaccel_plonky3::ProveError> {
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use zkaccel_plonky3::{HidingFriPcs, Salted};

    const SALTS: usize = 4;
    let (cap_height, num_random_codewords) = (2, 4);
    let (salts_rng, rng) = (StdRng::seed_from_u64(1), StdRng::seed_from_u64(2));
    // was MerkleTreeHidingMmcs<Val, u8, SerializingHasher<Blake3>, MyCompress, StdRng, 2, 32, SALTS>
    type ValMmcs = Salted<Blake3, StdRng, SALTS>;
    // was HidingFriPcs<Val, Dft, ValMmcs, ExtensionMmcs<Val, Challenge, ValMmcs>, StdRng>
    type Pcs = HidingFriPcs<Blake3, Blake3, Challenge, StdRng, SALTS>;
    let parameters = |mmcs| FriParameters { num_queries: 20, ..FriParameters::new_benchmark(mmcs) };

    let val_mmcs = ValMmcs::new(Blake3, cap_height, salts_rng);
    let fri_parameters = parameters(val_mmcs.clone());
    let pcs = Pcs::new(val_mmcs, fri_parameters, num_random_codewords, rng);
    let config = Config::new(pcs, byte_challenger());
    let (trace, public_values) = Fibonacci::trace(6);
    let proof = zkaccel_plonky3::prove(&config, &Fibonacci, trace, &public_values)?;
    verify(&config, &Fibonacci, &proof, &public_values).unwrap();
    Ok(())
}

#[test]
fn the_whole_proof() -> Result<(), zkaccel_plonky3::ProveError> {
    let config = crate::config::accelerated_of_elements();
    let air = Fibonacci;
    let (trace, public_values) = Fibonacci::trace(5);
    let stock = prove(&config, &air, trace.clone(), &public_values).unwrap();
    let same = |proof| assert!(postcard::to_allocvec(&proof) == postcard::to_allocvec(&stock));
    {
        let trace = trace.clone();
        let proof = zkaccel_plonky3::prove(&config, &air, trace, &public_values)?;
        same(proof);
    }
    let prover = zkaccel_plonky3::Prover::new(&config, &air)?;
    let proof = prover.prove(trace, &public_values)?;
    same(proof);

    let log_rows = 4;
    let air = Preprocessed { log_rows: 4, next: true };
    let (trace, public_values) = (air.trace(), []);
    let prover = zkaccel_plonky3::Prover::new(&config, &air)?;
    // The key is that of p3_uni_stark::setup_preprocessed.
    let (preprocessed, key) = prover.preprocess(log_rows)?.expect("an AIR with preprocessed columns");
    let proof = prover.prove_with_preprocessed(trace, &public_values, &preprocessed)?;
    verify_with_preprocessed(&config, &air, &proof, &public_values, Some(&key)).unwrap();
    Ok(())
}

#[test]
fn a_batch() -> Result<(), zkaccel_plonky3::ProveError> {
    use batch_airs::{Any, Instance};
    use p3_batch_stark::{ProverData, StarkInstance, verify_batch};
    use zkaccel_plonky3::{BatchProver, prove_batch};

    let config = crate::config::accelerated_of_elements();
    let all = [Instance::fibonacci(5), Instance::keccak(2)];
    let instances = all.each_ref().map(|instance| StarkInstance {
        air: &instance.air,
        trace: &instance.trace,
        public_values: instance.public_values.clone(),
    });
    let prover_data = ProverData::from_instances(&config, &instances).unwrap();
    let proof = prove_batch(&config, &instances, &prover_data)?;
    let expected = postcard::to_allocvec(&proof).unwrap();

    let airs: [&Any; 2] = all.each_ref().map(|instance| &instance.air);
    let traces = all.each_ref().map(|instance| &instance.trace);
    let public_values = all.each_ref().map(|instance| &instance.public_values[..]);
    let prover = BatchProver::new(&config, &airs, &prover_data.common)?;
    let proof = prover.prove(&traces, &public_values)?;
    assert!(postcard::to_allocvec(&proof).unwrap() == expected);
    let (airs, public_values) = (airs.map(Clone::clone), public_values.map(<[Val]>::to_vec));
    verify_batch(&config, &airs, &proof, &public_values, &prover_data.common).unwrap();
    Ok(())
}
