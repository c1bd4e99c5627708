//! The stock configurations and the accelerated ones.

use p3_blake3::Blake3;
use p3_challenger::{DuplexChallenger, HashChallenger, SerializingChallenger64};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::Field;
use p3_field::extension::BinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::{Goldilocks, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation,
};
use p3_uni_stark::StarkConfig;

pub type Val = Goldilocks;
pub type Challenge = BinomialExtensionField<Val, 2>;
type OfChallenges<M> = ExtensionMmcs<Val, Challenge, M>;
pub type Config<Pcs, Challenger> = StarkConfig<Pcs, Challenge, Challenger>;
type FriPcs<Dft, M> = TwoAdicFriPcs<Val, Dft, M, OfChallenges<M>>;

/// With a hash of bytes; the accelerated one differs in two types.
pub type StockMmcs<H> =
    MerkleTreeMmcs<Val, u8, SerializingHasher<H>, CompressionFunctionFromHasher<H, 2, 32>, 2, 32>;
pub type ByteChallenger = SerializingChallenger64<Val, HashChallenger<u8, Blake3, 32>>;
pub type Stock<H> = Config<FriPcs<Radix2DitParallel<Val>, StockMmcs<H>>, ByteChallenger>;
pub type Accelerated<H> = Config<FriPcs<zkaccel_plonky3::Dft, zkaccel_plonky3::Mmcs<H>>, ByteChallenger>;

/// With a hash of elements; the accelerated one has the whole scheme from zkaccel.
pub type StockPoseidon2<const WIDTH: usize, const RATE: usize> = MerkleTreeMmcs<
    <Val as Field>::Packing,
    <Val as Field>::Packing,
    PaddingFreeSponge<Poseidon2Goldilocks<WIDTH>, WIDTH, RATE, 4>,
    TruncatedPermutation<Poseidon2Goldilocks<WIDTH>, 2, 4, WIDTH>,
    2,
    4,
>;
type AcceleratedPoseidon2 = zkaccel_plonky3::Mmcs<Poseidon2Goldilocks<8>>;
pub type ElementChallenger = DuplexChallenger<Val, Poseidon2Goldilocks<8>, 8, 4>;
pub type StockOfElements = Config<FriPcs<Radix2DitParallel<Val>, StockPoseidon2<8, 4>>, ElementChallenger>;
pub type AcceleratedOfElements = Config<
    zkaccel_plonky3::FriPcs<Poseidon2Goldilocks<8>, OfChallenges<AcceleratedPoseidon2>>,
    ElementChallenger,
>;

/// Commitments of 2^3 digests.
pub const CAP_HEIGHT: usize = 3;

pub fn stock_mmcs<H: Clone>(hash: H, cap_height: usize) -> StockMmcs<H> {
    let compression = CompressionFunctionFromHasher::new(hash.clone());
    StockMmcs::new(SerializingHasher::new(hash), compression, cap_height)
}

pub fn stock_poseidon2(hash: Poseidon2Goldilocks<8>, cap_height: usize) -> StockPoseidon2<8, 4> {
    let compression = TruncatedPermutation::new(hash.clone());
    StockPoseidon2::new(PaddingFreeSponge::new(hash), compression, cap_height)
}

pub fn byte_challenger() -> ByteChallenger {
    ByteChallenger::from_hasher(vec![], Blake3)
}

pub fn element_challenger() -> ElementChallenger {
    ElementChallenger::new(default_goldilocks_poseidon2_8())
}

/// Without grinding, in which Plonky3 takes the first nonce that any thread finds: no two proofs would be equal.
pub fn parameters<M>(mmcs: M) -> FriParameters<OfChallenges<M>> {
    FriParameters { query_proof_of_work_bits: 0, ..FriParameters::new_benchmark(OfChallenges::new(mmcs)) }
}

/// The stock scheme over these transforms and commitments.
fn pcs<Dft: Default, M: Clone>(mmcs: M) -> FriPcs<Dft, M> {
    TwoAdicFriPcs::new(Dft::default(), mmcs.clone(), parameters(mmcs))
}

pub fn stock<H: Clone>(hash: H) -> Stock<H> {
    Config::new(pcs(stock_mmcs(hash, CAP_HEIGHT)), byte_challenger())
}

pub fn accelerated<H: zkaccel_plonky3::Accelerated>(hash: H) -> Accelerated<H> {
    Config::new(pcs(zkaccel_plonky3::Mmcs::new(hash, CAP_HEIGHT)), byte_challenger())
}

pub fn stock_of_elements() -> StockOfElements {
    Config::new(pcs(stock_poseidon2(default_goldilocks_poseidon2_8(), CAP_HEIGHT)), element_challenger())
}

pub fn accelerated_of_elements() -> AcceleratedOfElements {
    let mmcs = zkaccel_plonky3::Mmcs::new(default_goldilocks_poseidon2_8(), CAP_HEIGHT);
    Config::new(zkaccel_plonky3::FriPcs::new(mmcs.clone(), parameters(mmcs)), element_challenger())
}
