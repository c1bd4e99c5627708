//! Other hashes, and another extension, than the quadratic one with BLAKE3.

use p3_blake3::Blake3;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::{default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12};
use p3_keccak::Keccak256Hash;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use p3_uni_stark::StarkConfig;
use zkaccel_plonky3::{FriPcs, Mmcs};

use super::airs::{Fibonacci, Wide, poseidon2};
use super::config::{
    Challenge, Config, StockPoseidon2, Val, accelerated_of_elements, byte_challenger, element_challenger,
    parameters, stock_mmcs, stock_of_elements, stock_poseidon2,
};
use super::{FRI, bytes};

#[test]
fn poseidon2_air() {
    let (air, trace) = poseidon2(4);
    same!(air, trace.clone(), [], FRI.stock(), FRI.resident(), "BLAKE3");
    same!(air, trace, [], stock_of_elements(), accelerated_of_elements(), "Poseidon2");
}

/// A stock configuration, and ours, with a hash of inputs and one of FRI's layers.
macro_rules! with_hashes {
    ($inputs:expr, $layers:expr, $our_inputs:expr, $our_layers:expr, $challenger:expr) => {{
        let pcs = TwoAdicFriPcs::new(Radix2DitParallel::<Val>::default(), $inputs, parameters($layers));
        let stock: Config<_, _> = Config::new(pcs, $challenger);
        let ours: Config<_, _> = Config::new(FriPcs::new($our_inputs, parameters($our_layers)), $challenger);
        let air = Wide { columns: 30, degree: 3 };
        same!(air, air.trace(4), [], stock, ours, "hashes");
    }};
}

#[test]
fn keccak256() {
    let (stock, ours) = (stock_mmcs(Keccak256Hash, 2), Mmcs::new(Keccak256Hash, 2));
    with_hashes!(stock.clone(), stock, ours.clone(), ours, byte_challenger());
}

#[test]
fn poseidon2_of_both_widths() {
    let (narrow, wide) = (default_goldilocks_poseidon2_8(), default_goldilocks_poseidon2_12());
    let (sponge, compression) =
        (PaddingFreeSponge::new(wide.clone()), TruncatedPermutation::new(wide.clone()));
    let inputs: StockPoseidon2<12, 8> = MerkleTreeMmcs::new(sponge, compression, 1);
    let layers = stock_poseidon2(narrow.clone(), 4);
    with_hashes!(inputs, layers, Mmcs::new(wide, 1), Mmcs::new(narrow, 4), element_challenger());
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
    let (trace, public_values) = Fibonacci::trace(6);
    same!(Fibonacci, trace, public_values, stock, ours, "degree 5");
    let air = Wide { columns: 9, degree: 4 };
    same!(air, air.trace(4), [], stock, ours, "degree 5, several chunks");
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
    let ours =
        Config::new(FriPcs::new(ours.clone(), fri(ours)), byte_challenger()).with_ood_proof_of_work_bits(3);
    let stock = stock_mmcs(Blake3, 1);
    let pcs = TwoAdicFriPcs::new(Radix2DitParallel::<Val>::default(), stock.clone(), fri(stock));
    let stock: Config<_, _> = Config::new(pcs, byte_challenger()).with_ood_proof_of_work_bits(3);
    let (trace, public_values) = Fibonacci::trace(6);
    let proof = zkaccel_plonky3::prove(&ours, &Fibonacci, trace, &public_values).unwrap();
    let read = postcard::from_bytes(&bytes(&proof)).unwrap();
    p3_uni_stark::verify(&stock, &Fibonacci, &read, &public_values).unwrap();
}
