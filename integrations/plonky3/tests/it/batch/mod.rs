//! Proofs of several traces at once are those of the stock prover of batches, and its verifier accepts them.

/// The batch that instances are, for stock functions.
macro_rules! batch {
    ($instances:expr) => {
        $instances
            .iter()
            .map(|instance| p3_batch_stark::StarkInstance {
                air: &instance.air,
                trace: &instance.trace,
                public_values: instance.public_values.clone(),
            })
            .collect::<Vec<_>>()
    };
}

/// The proof of the stock prover.
macro_rules! stock_proof {
    ($stock:expr, $instances:expr) => {{
        let (stock, instances) = ($stock, batch!($instances));
        let data = p3_batch_stark::ProverData::from_instances(stock, &instances).unwrap();
        $crate::bytes(&p3_batch_stark::prove_batch(stock, &instances, &data).unwrap())
    }};
}

/// Whether the stock verifier accepts a proof.
macro_rules! verified {
    ($stock:expr, $instances:expr, $proof:expr) => {{
        let (stock, instances) = ($stock, batch!($instances));
        let data = p3_batch_stark::ProverData::from_instances(stock, &instances).unwrap();
        let airs: Vec<_> = $instances.iter().map(|instance| instance.air.clone()).collect();
        let public_values: Vec<_> =
            $instances.iter().map(|instance| instance.public_values.clone()).collect();
        let proof = postcard::from_bytes($proof).unwrap();
        p3_batch_stark::verify_batch(stock, &airs, &proof, &public_values, &data.common)
    }};
}

/// Our proof.
macro_rules! our_proof {
    ($ours:expr, $instances:expr) => {{
        let (ours, instances) = ($ours, batch!($instances));
        let data = p3_batch_stark::ProverData::from_instances(ours, &instances).unwrap();
        zkaccel_plonky3::prove_batch(ours, &instances, &data).map(|proof| $crate::bytes(&proof))
    }};
}

/// The proofs of both provers are equal, and the stock verifier accepts ours.
macro_rules! same_batch {
    ($instances:expr, $stock:expr, $ours:expr, $what:expr) => {
        let (instances, stock, ours) = (&$instances, &$stock, &$ours);
        let found = our_proof!(ours, instances).unwrap();
        assert!(found == stock_proof!(stock, instances), "the proofs differ: {:?}", $what);
        verified!(stock, instances, &found).unwrap();
    };
}

pub(crate) mod airs;
mod budgets;
mod errors;

use airs::Instance;
use p3_batch_stark::ProverData;
use p3_blake3::Blake3;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_keccak::Keccak256Hash;
use p3_uni_stark::StarkConfig;
use zkaccel_plonky3::{BatchProver, FriPcs, Mmcs};

use crate::config::{
    Challenge, Config, Val, accelerated_of_elements, byte_challenger, parameters, stock_mmcs,
    stock_of_elements,
};
use crate::{FRI, Fri, by_other_words, bytes};

#[test]
fn one_instance() {
    for instance in [
        Instance::fibonacci(5),
        Instance::wide(40, 3, 4),
        Instance::preprocessed(4, true),
        Instance::periodic(5),
        Instance::keccak(2),
    ] {
        same_batch!([instance], FRI.stock(), FRI.resident(), "one instance");
    }
}

#[test]
fn words_that_are_not_canonical() {
    let mut instances = different_heights();
    let expected = stock_proof!(&FRI.stock(), &instances);
    instances.iter_mut().for_each(|instance| instance.trace = by_other_words(&instance.trace));
    assert!(our_proof!(&FRI.resident(), &instances).unwrap() == expected, "the proofs differ");
}

/// Fibonacci, Keccak, preprocessed columns and others.
fn different_heights() -> Vec<Instance> {
    vec![
        Instance::fibonacci(7),
        Instance::preprocessed(4, true),
        Instance::keccak(2),
        Instance::periodic(3),
        Instance::wide(7, 5, 9),
        Instance::preprocessed(6, false),
    ]
}

#[test]
fn instances_of_different_heights() {
    for fri in [
        FRI,
        Fri { log_blowup: 3, cap_heights: (0, 2), ..FRI },
        Fri { max_log_arity: 3, cap_heights: (4, 0), ..FRI },
        Fri { max_log_arity: 2, log_blowup: 2, log_final_poly_len: 2, ..FRI },
    ] {
        same_batch!(different_heights(), fri.stock(), fri.resident(), fri);
    }
}

/// From one row on, to such as are not folded on the host alone.
#[test]
fn heights_far_apart() {
    let fri = Fri { cap_heights: (1, 1), ..FRI };
    let instances = [0, 12, 1, 10, 3].map(Instance::fibonacci);
    for max_log_arity in [1, 4] {
        let fri = Fri { max_log_arity, ..fri };
        same_batch!(instances, fri.stock(), fri.resident(), fri);
    }
}

/// More than one row program has inputs for, with quotients of different numbers of chunks.
#[test]
fn instances_of_one_height() {
    let wide = (0..9).map(|i| Instance::wide(3 + i, 1 + i % 5, 5));
    let instances: Vec<_> = wide.chain([Instance::preprocessed(5, true), Instance::fibonacci(6)]).collect();
    same_batch!(instances, FRI.stock(), FRI.resident(), "eleven instances");
}

#[test]
fn hashes() {
    let instances = [
        Instance::permutation(4),
        Instance::fibonacci(6),
        Instance::preprocessed(3, true),
        Instance::permutation(4),
    ];
    same_batch!(instances, stock_of_elements(), accelerated_of_elements(), "Poseidon2");
    let stock = stock_mmcs(Keccak256Hash, 2);
    let pcs = TwoAdicFriPcs::new(Radix2DitParallel::<Val>::default(), stock.clone(), parameters(stock));
    let stock: Config<_, _> = Config::new(pcs, byte_challenger());
    let ours = Mmcs::new(Keccak256Hash, 2);
    let ours: Config<_, _> = Config::new(FriPcs::new(ours.clone(), parameters(ours)), byte_challenger());
    same_batch!(instances, stock, ours, "Keccak-256");
}

#[test]
fn lookups() {
    for (log_rows, log_table, columns) in
        [(&[4, 5, 4][..], 3, false), (&[3], 6, true), (&[6, 3, 6], 5, true), (&[5, 5], 5, false)]
    {
        let instances = Instance::squares(log_rows, log_table, columns);
        same_batch!(instances, FRI.stock(), FRI.resident(), (log_rows, log_table, columns));
        let others = [Instance::fibonacci(6), Instance::periodic(4), Instance::preprocessed(4, true)];
        let instances = [&others[..2], &instances[..], &others[2..]].concat();
        let fri = Fri { log_blowup: 2, max_log_arity: 2, ..FRI };
        same_batch!(instances, fri.stock(), fri.resident(), (log_rows, log_table, columns));
    }
}

/// Batches of other heights by one prover, at once.
#[test]
fn many_batches() {
    let (stock, ours) = (FRI.stock(), FRI.resident());
    let batches = [[4, 6], [7, 3], [5, 5]].map(|[first, second]| {
        let air = Instance::fibonacci(first);
        let instances = [air, Instance::preprocessed(4, true), Instance::periodic(second)];
        let expected = stock_proof!(&stock, &instances);
        (instances, expected)
    });
    let data = ProverData::from_instances(&ours, &batch!(&batches[0].0)).unwrap();
    let airs = batches[0].0.each_ref().map(|instance| &instance.air);
    let prover = BatchProver::new(&ours, &airs, &data.common).unwrap();
    std::thread::scope(|scope| {
        for (instances, expected) in &batches {
            let prover = &prover;
            scope.spawn(move || {
                let traces = instances.each_ref().map(|instance| &instance.trace);
                let publics = instances.each_ref().map(|instance| &instance.public_values[..]);
                for _ in 0..3 {
                    let found = bytes(&prover.prove(&traces, &publics).unwrap());
                    assert!(found == *expected, "the proofs differ");
                }
            });
        }
    });
}

/// The extension of degree five.
#[test]
fn quintic_extension() {
    type Quintic = BinomialExtensionField<Val, 5>;
    fn fri<M>(mmcs: M) -> FriParameters<ExtensionMmcs<Val, Quintic, M>> {
        FriParameters {
            max_log_arity: 2,
            query_proof_of_work_bits: 0,
            ..FriParameters::new_benchmark(ExtensionMmcs::new(mmcs))
        }
    }
    let stock = stock_mmcs(Blake3, 1);
    let pcs = TwoAdicFriPcs::new(Radix2DitParallel::<Val>::default(), stock.clone(), fri(stock));
    let stock = StarkConfig::<_, Quintic, _>::new(pcs, byte_challenger());
    let ours = Mmcs::new(Blake3, 1);
    let ours = StarkConfig::<_, Quintic, _>::new(FriPcs::new(ours.clone(), fri(ours)), byte_challenger());
    let instances = [different_heights(), Instance::squares(&[4, 5], 3, true)].concat();
    same_batch!(instances, stock, ours, "degree 5");
}

/// With grinding no two proofs are equal, but they verify.
#[test]
fn grinding() {
    fn fri<M>(mmcs: M) -> FriParameters<ExtensionMmcs<Val, Challenge, M>> {
        FriParameters {
            batch_proof_of_work_bits: 3,
            commit_proof_of_work_bits: 2,
            query_proof_of_work_bits: 4,
            ..parameters(mmcs)
        }
    }
    let ours = Mmcs::new(Blake3, 1);
    let ours: Config<_, _> = Config::new(FriPcs::new(ours.clone(), fri(ours)), byte_challenger());
    let ours = ours.with_ood_proof_of_work_bits(3).with_lookup_proof_of_work_bits(4);
    let stock = stock_mmcs(Blake3, 1);
    let pcs = TwoAdicFriPcs::new(Radix2DitParallel::<Val>::default(), stock.clone(), fri(stock));
    let stock: Config<_, _> = Config::new(pcs, byte_challenger());
    let stock = stock.with_ood_proof_of_work_bits(3).with_lookup_proof_of_work_bits(4);
    let instances = Instance::squares(&[4, 5], 3, true);
    let proof = our_proof!(&ours, &instances).unwrap();
    verified!(&stock, &instances, &proof).unwrap();
}
