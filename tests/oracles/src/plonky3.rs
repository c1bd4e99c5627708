//! Plonky3's roots of unity, transforms and Poseidon2.

use p3_dft::TwoAdicSubgroupDft;
use p3_field::{PrimeField64, TwoAdicField};
use p3_goldilocks::{
    Goldilocks as P3, Poseidon2Goldilocks, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12,
};
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, Permutation, PseudoCompressionFunction, TruncatedPermutation,
};
use proptest::prelude::*;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{ElementDigest, Hasher, Poseidon2_8, Poseidon2_12, Sponge};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt};

use crate::inputs::{assert_same, cpu, digest, element, random};

fn to_p3(x: Goldilocks) -> P3 {
    P3::new(x.as_u64())
}

fn from_p3(x: P3) -> Goldilocks {
    Goldilocks::new(x.as_canonical_u64())
}

#[test]
fn roots_of_unity() {
    for log_size in 0..=32 {
        let root = from_p3(P3::two_adic_generator(log_size as usize));
        assert_eq!(Convention::Plonky3.root_of_unity(log_size), root, "2^{log_size}");
    }
}

#[test]
fn transforms() {
    let engine = cpu();
    for (log_size, width) in [(3, 1), (8, 5), (12, 8), (16, 1), (14, 17)] {
        let data = random(4, width << log_size);
        let matrix = RowMajorMatrix::new(data.iter().copied().map(to_p3).collect(), width);
        let dft = p3_dft::Radix2DitParallel::<P3>::default();
        let theirs =
            |matrix: RowMajorMatrix<P3>| -> Vec<_> { matrix.values.into_iter().map(from_p3).collect() };
        let data = Matrix::from_rows(data, 1 << log_size, width).unwrap();
        let mut ours = data.clone();
        engine
            .ntt(&Ntt::forward(Domain::new(log_size, Convention::Plonky3).unwrap()), ours.view_mut())
            .unwrap();
        let expected = theirs(dft.dft_batch(matrix.clone()).to_row_major_matrix());
        assert_same(ours.as_slice(), &expected, "forward");
        let lde = Lde::onto_coset(log_size, 4, Convention::Plonky3, Goldilocks::new(7)).unwrap();
        let expected = theirs(dft.coset_lde_batch(matrix, 2, P3::new(7)).to_row_major_matrix());
        assert_same(engine.lde(&lde, data).unwrap().as_slice(), &expected, "extension");
    }
}

type Sponge8 = PaddingFreeSponge<Poseidon2Goldilocks<8>, 8, 4, 4>;
type Sponge12 = PaddingFreeSponge<Poseidon2Goldilocks<12>, 12, 8, 4>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn permutations(state in prop::array::uniform12(element())) {
        let mut found: [Goldilocks; 8] = state[..8].try_into().unwrap();
        let theirs = default_goldilocks_poseidon2_8().permute(found.map(to_p3)).map(from_p3);
        Poseidon2_8::permute(&mut found);
        prop_assert_eq!(found, theirs);
        let mut found = state;
        let theirs = default_goldilocks_poseidon2_12().permute(found.map(to_p3)).map(from_p3);
        Poseidon2_12::permute(&mut found);
        prop_assert_eq!(found, theirs);
    }

    #[test]
    fn hashes(elements in prop::collection::vec(element(), 0..40), children in prop::array::uniform2(digest())) {
        let theirs = elements.iter().copied().map(to_p3);
        let (eight, twelve) = (default_goldilocks_poseidon2_8(), default_goldilocks_poseidon2_12());
        let expected = Sponge8::new(eight.clone()).hash_iter(theirs.clone()).map(from_p3);
        prop_assert_eq!(Poseidon2_8::hash_elements(&elements), ElementDigest(expected));
        let expected = Sponge12::new(twelve.clone()).hash_iter(theirs).map(from_p3);
        prop_assert_eq!(Poseidon2_12::hash_elements(&elements), ElementDigest(expected));
        let pair = children.map(|digest| digest.0.map(to_p3));
        let expected = TruncatedPermutation::<_, 2, 4, 8>::new(eight).compress(pair).map(from_p3);
        prop_assert_eq!(Poseidon2_8::merge(&children), ElementDigest(expected));
        let expected = TruncatedPermutation::<_, 2, 4, 12>::new(twelve).compress(pair).map(from_p3);
        prop_assert_eq!(Poseidon2_12::merge(&children), ElementDigest(expected));
    }
}
