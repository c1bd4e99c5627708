//! Zero knowledge: with generators of equal seeds proofs are those of the stock prover over `HidingFriPcs`.

use p3_blake3::Blake3;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_field::{ExtensionField, Field, PrimeCharacteristicRing};
use p3_fri::FriParameters;
use p3_goldilocks::{Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_keccak::Keccak256Hash;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeHidingMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation,
};
use p3_uni_stark::{
    QuotientAir, StarkConfig, StarkGenericConfig, prove, prove_with_preprocessed, setup_preprocessed, verify,
    verify_with_preprocessed,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use zkaccel::Engine;
use zkaccel::work::items;
use zkaccel_plonky3::{Accelerated, HidingFriPcs, ProveError, Prover, Salted};

use super::airs::{Fibonacci, Periodic, Preprocessed, Wide, poseidon2};
use super::config::{ByteChallenger, Challenge, Config, Val, byte_challenger, element_challenger};
use super::{Fri, bytes, elements};

const SALTS: usize = 4;
const CODEWORDS: usize = 3;

/// Few queries, which a short trace hides, too.
pub const FRI: Fri =
    Fri { log_blowup: 1, log_final_poly_len: 0, max_log_arity: 1, num_queries: 4, cap_heights: (3, 2) };

fn parameters<M>(fri: Fri, mmcs: M) -> FriParameters<M> {
    FriParameters {
        log_blowup: fri.log_blowup,
        log_final_poly_len: fri.log_final_poly_len,
        max_log_arity: fri.max_log_arity,
        num_queries: fri.num_queries,
        batch_proof_of_work_bits: 0,
        commit_proof_of_work_bits: 0,
        query_proof_of_work_bits: 0,
        mmcs,
    }
}

/// A generator of those of a scheme.
fn rng(number: u64) -> StdRng {
    StdRng::seed_from_u64(number)
}

pub type OfBytes<H> = MerkleTreeHidingMmcs<
    Val,
    u8,
    SerializingHasher<H>,
    CompressionFunctionFromHasher<H, 2, 32>,
    StdRng,
    2,
    32,
    SALTS,
>;
type OfElements = MerkleTreeHidingMmcs<
    <Val as Field>::Packing,
    <Val as Field>::Packing,
    PaddingFreeSponge<Poseidon2Goldilocks<8>, 8, 4, 4>,
    TruncatedPermutation<Poseidon2Goldilocks<8>, 2, 4, 8>,
    StdRng,
    2,
    4,
    SALTS,
>;
pub type StockPcs<EF, M> =
    p3_fri::HidingFriPcs<Val, Radix2DitParallel<Val>, M, ExtensionMmcs<Val, EF, M>, StdRng>;
pub type Pcs<H, EF> = HidingFriPcs<H, H, EF, StdRng, SALTS>;

fn of_bytes<H: Clone>(hash: H, cap_height: usize, number: u64) -> OfBytes<H> {
    let compression = CompressionFunctionFromHasher::new(hash.clone());
    OfBytes::new(SerializingHasher::new(hash), compression, cap_height, rng(number))
}

fn of_elements(cap_height: usize, number: u64) -> OfElements {
    let hash = default_goldilocks_poseidon2_8();
    let compression = TruncatedPermutation::new(hash.clone());
    OfElements::new(PaddingFreeSponge::new(hash), compression, cap_height, rng(number))
}

fn stock_pcs<EF, M>(fri: Fri, [inputs, layers]: [M; 2]) -> StockPcs<EF, M> {
    let fri = parameters(fri, ExtensionMmcs::new(layers));
    StockPcs::new(Radix2DitParallel::default(), inputs, fri, CODEWORDS, rng(3))
}

fn pcs<H: Accelerated, EF: ExtensionField<Val>>(fri: Fri, hash: H) -> Pcs<H, EF> {
    let (inputs, layers) = fri.cap_heights;
    let layers = Salted::new(hash.clone(), layers, rng(2));
    HidingFriPcs::new(Salted::new(hash, inputs, rng(1)), parameters(fri, layers), CODEWORDS, rng(3))
}

pub fn stock(fri: Fri) -> Config<StockPcs<Challenge, OfBytes<Blake3>>, ByteChallenger> {
    let (inputs, layers) = fri.cap_heights;
    let mmcs = [of_bytes(Blake3, inputs, 1), of_bytes(Blake3, layers, 2)];
    Config::new(stock_pcs(fri, mmcs), byte_challenger())
}

pub type Ours = Config<Pcs<Blake3, Challenge>, ByteChallenger>;

pub fn ours(fri: Fri) -> Ours {
    Config::new(pcs(fri, Blake3), byte_challenger())
}

#[test]
fn fibonacci_with_any_parameters() {
    for log_rows in [4, 5, 8] {
        let (trace, public_values) = Fibonacci::trace(log_rows);
        for fri in [
            FRI,
            Fri { log_blowup: 3, cap_heights: (0, 2), ..FRI },
            Fri { max_log_arity: 2, cap_heights: (5, 0), ..FRI },
            Fri { max_log_arity: 3, log_blowup: 2, log_final_poly_len: 2, ..FRI },
        ] {
            same!(Fibonacci, trace.clone(), public_values, stock(fri), ours(fri), (log_rows, fri));
        }
    }
}

/// Two and more, whose coset is smaller than that of extensions, as large, or larger.
#[test]
fn chunks_of_any_number() {
    for (columns, degree) in [(3, 1), (5, 2), (40, 3), (7, 5), (4, 9), (5, 33)] {
        let air = Wide { columns, degree };
        for log_blowup in [1, 2] {
            let fri = Fri { log_blowup, ..FRI };
            same!(air, air.trace(5), [], stock(fri), ours(fri), (columns, degree, log_blowup));
        }
    }
}

#[test]
fn hashes() {
    let (air, trace) = poseidon2(4);
    let (stock_keccak, ours_keccak) = (
        stock_pcs(FRI, [of_bytes(Keccak256Hash, 3, 1), of_bytes(Keccak256Hash, 2, 2)]),
        pcs(FRI, Keccak256Hash),
    );
    let stock: Config<_, _> = Config::new(stock_keccak, byte_challenger());
    let ours: Config<_, _> = Config::new(ours_keccak, byte_challenger());
    same!(air, trace.clone(), [], stock, ours, "Keccak-256");
    let stock: Config<_, _> =
        Config::new(stock_pcs(FRI, [of_elements(3, 1), of_elements(2, 2)]), element_challenger());
    let ours: Config<_, _> = Config::new(pcs(FRI, default_goldilocks_poseidon2_8()), element_challenger());
    same!(air, trace, [], stock, ours, "Poseidon2");
}

#[test]
fn quintic_extension() {
    type Quintic = BinomialExtensionField<Val, 5>;
    // So many codewords as the extension has coordinates, at least.
    let fri = |mmcs| parameters(FRI, mmcs);
    let stock = p3_fri::HidingFriPcs::new(
        Radix2DitParallel::<Val>::default(),
        of_bytes(Blake3, 1, 1),
        parameters(FRI, ExtensionMmcs::<Val, Quintic, _>::new(of_bytes(Blake3, 1, 2))),
        6,
        rng(3),
    );
    let (inputs, layers) = (Salted::new(Blake3, 1, rng(1)), Salted::new(Blake3, 1, rng(2)));
    let ours: HidingFriPcs<_, _, Quintic, _, SALTS> = HidingFriPcs::new(inputs, fri(layers), 6, rng(3));
    let stock = StarkConfig::<_, Quintic, _>::new(stock, byte_challenger());
    let ours = StarkConfig::<_, Quintic, _>::new(ours, byte_challenger());
    let (trace, public_values) = Fibonacci::trace(5);
    same!(Fibonacci, trace, public_values, stock, ours, "degree 5");
}

#[test]
fn periodic_columns() {
    for log_rows in [4, 7] {
        same!(Periodic, Periodic::trace(log_rows), [], stock(FRI), ours(FRI), log_rows);
    }
}

/// Two proofs in turn, which draw one after another.
#[test]
fn preprocessed_columns() {
    for (log_rows, next, log_blowup) in [(4, false, 1), (6, true, 1), (5, true, 3)] {
        let air = Preprocessed { log_rows, next };
        let fri = Fri { log_blowup, ..FRI };
        let (stock, ours) = (stock(fri), ours(fri));
        let (data, key) = setup_preprocessed(&stock, &air, log_rows as usize).unwrap().unwrap();
        let prover = Prover::new(&ours, &air).unwrap();
        let (columns, our_key) = prover.preprocess(log_rows as usize).unwrap().unwrap();
        assert_eq!(our_key.commitment, key.commitment);
        assert_eq!(our_key.degree_bits, key.degree_bits);
        let mut proofs = Vec::new();
        for _ in 0..2 {
            let expected = prove_with_preprocessed(&stock, &air, air.trace(), &[], Some(&data)).unwrap();
            let found = bytes(&prover.prove_with_preprocessed(air.trace(), &[], &columns).unwrap());
            assert!(found == bytes(&expected), "the proofs differ");
            let read = postcard::from_bytes(&found).unwrap();
            verify_with_preprocessed(&stock, &air, &read, &[], Some(&key)).unwrap();
            proofs.push(found);
        }
        assert!(proofs[0] != proofs[1], "two proofs with the same random numbers");
    }
}

/// The stock prover with our scheme, and a scheme for layers that is a clone of that for inputs.
#[test]
fn stock_prover_and_clones() {
    let (trace, public_values) = Fibonacci::trace(5);
    let inputs = of_bytes(Blake3, 2, 1);
    let layers = inputs.clone();
    let stock: Config<_, _> = Config::new(stock_pcs(FRI, [inputs, layers]), byte_challenger());
    let scheme = || -> Ours {
        let inputs = Salted::new(Blake3, 2, rng(1));
        let fri = parameters(FRI, inputs.clone());
        Config::new(HidingFriPcs::new(inputs, fri, CODEWORDS, rng(3)), byte_challenger())
    };
    let expected = bytes(&prove(&stock, &Fibonacci, trace.clone(), &public_values).unwrap());
    let config = scheme();
    let proof = prove(&config, &Fibonacci, trace.clone(), &public_values).unwrap();
    assert!(bytes(&proof) == expected, "the stock prover's proofs differ");
    verify(&config, &Fibonacci, &proof, &public_values).unwrap();
    let found = bytes(&zkaccel_plonky3::prove(&scheme(), &Fibonacci, trace.clone(), &public_values).unwrap());
    assert!(found == expected, "the proofs differ");

    // Clones draw others, and the same ones each.
    let [stock, ours] = [
        bytes(&prove(&stock.clone(), &Fibonacci, trace.clone(), &public_values).unwrap()),
        bytes(&zkaccel_plonky3::prove(&config.clone(), &Fibonacci, trace, &public_values).unwrap()),
    ];
    assert!(stock == ours && stock != expected, "proofs of clones");
}

#[test]
fn wrong_traces_do_not_verify() {
    let (ours, stock) = (ours(FRI), stock(FRI));
    let (right, public_values) = Fibonacci::trace(5);
    for wrong in [0, 9, right.values.len() - 1] {
        let mut trace = right.clone();
        trace.values[wrong] += Val::ONE;
        let proof = bytes(&zkaccel_plonky3::prove(&ours, &Fibonacci, trace, &public_values).unwrap());
        let read = postcard::from_bytes(&proof).unwrap();
        verify(&stock, &Fibonacci, &read, &public_values).expect_err("a wrong entry");
    }
    let proof = bytes(&zkaccel_plonky3::prove(&ours, &Fibonacci, right, &public_values).unwrap());
    let read = postcard::from_bytes(&proof).unwrap();
    verify(&stock, &Fibonacci, &read, &public_values).unwrap();
    verify(&stock, &Fibonacci, &read, &[Val::ONE; 3]).expect_err("other public values");
}

#[test]
fn traces_elsewhere() {
    let air = Wide { columns: 12, degree: 3 };
    let trace = air.trace(6);
    let expected = bytes(&prove(&stock(FRI), &air, trace.clone(), &[]).unwrap());
    for resident in [false, true] {
        // Of the same random numbers.
        let config = ours(FRI);
        let prover = Prover::new(&config, &air).unwrap();
        let trace = elements(&trace);
        let found = match resident {
            true => prover.prove_resident(Engine::global().unwrap().upload(trace).unwrap(), &[], None),
            false => prover.prove_borrowed(trace.view(), &[], None),
        };
        assert!(bytes(&found.unwrap()) == expected, "resident: {resident}: the proofs differ");
    }
}

/// Proofs with less and less of the device's memory.
fn within<A: QuotientAir<Ours>>(air: &A, trace: &RowMajorMatrix<Val>, fri: Fri, expected: &[u8]) {
    let (rows, columns) = (trace.values.len() / trace.width, trace.width);
    let ample = (16 * rows * (12 * columns + 3000) + 3000 * columns) as u64;
    for part in [1, 4, 12, 60] {
        let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
        let engine = Engine::builder().device(device.parse().unwrap());
        let engine = engine.device_memory((ample / part).max(1000 * columns as u64)).build().unwrap();
        let config = ours(fri);
        let prover = Prover::with_engine(&engine, &config, air).unwrap();
        let before = items(&engine.work(), "upload");
        let found = prover.prove(trace.clone(), &[]).unwrap();
        assert!(bytes(&found) == *expected, "1/{part}: the proofs differ");
        let is_there = items(&engine.work(), "upload") - before >= 2 * trace.values.len() as u64;
        let has_own = engine.device().driver.is_some();
        assert!(part > 1 || is_there == has_own, "1/{part}: the trace is on the device: {is_there}");
    }
}

#[test]
fn budgets() {
    for (air, log_blowup) in [(Wide { columns: 150, degree: 3 }, 1), (Wide { columns: 50, degree: 5 }, 2)] {
        let fri = Fri { log_blowup, ..FRI };
        let trace = air.trace(6);
        let expected = bytes(&prove(&stock(fri), &air, trace.clone(), &[]).unwrap());
        within(&air, &trace, fri, &expected);
    }
}

/// A configuration that says that it does not hide.
#[derive(Clone)]
struct NotHiding(Ours);

impl StarkGenericConfig for NotHiding {
    type Pcs = Pcs<Blake3, Challenge>;
    type Challenge = Challenge;
    type Challenger = ByteChallenger;

    fn pcs(&self) -> &Self::Pcs {
        self.0.pcs()
    }

    fn initialise_challenger(&self) -> ByteChallenger {
        self.0.initialise_challenger()
    }

    fn is_zk(&self) -> usize {
        0
    }
}

#[test]
fn errors() {
    fn text<T>(result: Result<T, ProveError>) -> String {
        result.err().expect("an error").to_string()
    }
    let (trace, public_values) = Fibonacci::trace(3);
    let found = text(zkaccel_plonky3::prove(&ours(FRI), &Fibonacci, trace, &public_values));
    assert_eq!(
        found,
        "insufficient hiding budget: 8 mask values, 4 queries, 2 opening points, extension degree 2"
    );
    let layers = Salted::new(Blake3, 1, rng(2));
    let few = HidingFriPcs::new(Salted::new(Blake3, 1, rng(1)), parameters(FRI, layers), 1, rng(3));
    let config: Ours = Config::new(few, byte_challenger());
    assert_eq!(text(Prover::new(&config, &Fibonacci)), "hiding FRI requires 2 random codewords, got 1");
    let found = text(Prover::new(&NotHiding(ours(FRI)), &Fibonacci));
    assert_eq!(found, "is_zk of a configuration, that of its scheme: expected 1, found 0");
    let fri = Fri { log_blowup: 28, ..FRI };
    let (trace, public_values) = Fibonacci::trace(4);
    let found = text(zkaccel_plonky3::prove(&ours(fri), &Fibonacci, trace, &public_values));
    assert_eq!(found, "a domain of 2^33 points, expected at most 2^32");
}
