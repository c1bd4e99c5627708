//! The stock configuration and the accelerated one. They differ in two types.

use p3_blake3::Blake3;
use p3_challenger::{HashChallenger, SerializingChallenger64};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};
use p3_uni_stark::StarkConfig;

pub type Val = Goldilocks;
type Challenge = BinomialExtensionField<Val, 2>;
type Challenger = SerializingChallenger64<Val, HashChallenger<u8, Blake3, 32>>;
pub type Config<Dft, ValMmcs> = StarkConfig<
    TwoAdicFriPcs<Val, Dft, ValMmcs, ExtensionMmcs<Val, Challenge, ValMmcs>>,
    Challenge,
    Challenger,
>;

pub type StockMmcs<H> =
    MerkleTreeMmcs<Val, u8, SerializingHasher<H>, CompressionFunctionFromHasher<H, 2, 32>, 2, 32>;
pub type Stock = Config<Radix2DitParallel<Val>, StockMmcs<Blake3>>;
pub type AcceleratedMmcs = zkaccel_plonky3::Mmcs<Blake3>;
pub type Accelerated = Config<zkaccel_plonky3::Dft, AcceleratedMmcs>;

/// Commitments of 2^3 digests.
pub const CAP_HEIGHT: usize = 3;

pub fn stock_mmcs<H: Clone>(hash: H, cap_height: usize) -> StockMmcs<H> {
    let compression = CompressionFunctionFromHasher::new(hash.clone());
    StockMmcs::new(SerializingHasher::new(hash), compression, cap_height)
}

/// Without grinding, in which Plonky3 takes the first nonce that any thread finds: no two proofs would be equal.
fn parameters<M>(mmcs: M) -> FriParameters<M> {
    FriParameters { query_proof_of_work_bits: 0, ..FriParameters::new_benchmark(mmcs) }
}

/// A configuration over these transforms and commitments.
pub fn config<Dft: Clone + Default, M: Clone>(mmcs: M) -> Config<Dft, M> {
    let parameters = parameters(ExtensionMmcs::new(mmcs.clone()));
    Config::new(TwoAdicFriPcs::new(Dft::default(), mmcs, parameters), Challenger::from_hasher(vec![], Blake3))
}

pub fn stock() -> Stock {
    config(stock_mmcs(Blake3, CAP_HEIGHT))
}

pub fn accelerated() -> Accelerated {
    config(AcceleratedMmcs::new(Blake3, CAP_HEIGHT))
}
