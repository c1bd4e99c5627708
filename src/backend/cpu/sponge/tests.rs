//! Hashes side by side against the textbook, one by one.

use super::*;
use crate::backend::cpu::doubles::Portable;
use crate::backend::cpu::rows::testing::{check_merges, check_rows, elements};
use crate::hash::Hasher;

/// The most hashes here: two vectors and one over, and of those that are permuted together four vectors, one more and one over.
const COUNT: usize = 41;

/// Rows with every level of this machine, and with the vector code on one double.
fn check_sponge_rows<S: SideBySide<Digest = ElementDigest>>()
where
    for<'a> HashRows<'a, S>: Vectorised<Portable>,
{
    // How many rows there are does not matter to how their words are taken in: every number, for rows of a block.
    let around_blocks = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 25, 33];
    for (widths, counts) in [(&[8][..], 0..=COUNT), (&around_blocks, COUNT..=COUNT)] {
        let one_double = |rows: Rows<'_>, digests: &mut [ElementDigest]| {
            Portable::enter(HashRows::<S> { rows, digests });
        };
        check_rows::<S>(widths.iter().copied(), counts, &[("one double", &one_double)]);
    }
}

#[test]
fn rows() {
    check_sponge_rows::<Rp64_256>();
    check_sponge_rows::<Rp64_256V2021>();
    check_sponge_rows::<RpJive64_256>();
    check_sponge_rows::<Rpo256>();
    check_sponge_rows::<Rpx256>();
    check_sponge_rows::<Poseidon2_8>();
    check_sponge_rows::<Poseidon2_12>();
}

#[test]
fn merges() {
    check_merges::<Rp64_256>(COUNT);
    check_merges::<Rp64_256V2021>(COUNT);
    check_merges::<RpJive64_256>(COUNT);
    check_merges::<Rpo256>(COUNT);
    check_merges::<Rpx256>(COUNT);
    check_merges::<Poseidon2_8>(COUNT);
    check_merges::<Poseidon2_12>(COUNT);
}

/// The first word of merge([0, ..., 7]) where implementations have published it.
#[test]
fn known_merges() {
    fn first<S: Hasher<Digest = ElementDigest>>() -> u64 {
        let children: [Goldilocks; 8] = std::array::from_fn(|i| Goldilocks::new(i as u64));
        S::merge(&bytemuck::cast(children)).0[0].as_u64()
    }
    assert_eq!(first::<Rp64_256>(), 2688511591005434316);
    assert_eq!(first::<Rp64_256V2021>(), 17817756578466965241);
    assert_eq!(first::<Rpo256>(), 5421234586123900205);
}

/// Long orbits: thousands of random permutations, all lanes on their own.
#[test]
fn orbits() {
    fn check<S: Sponge + SideBySide<Digest = ElementDigest>>() {
        for simd in Simd::available() {
            let mut found: Vec<_> =
                elements(64).chunks_exact(4).map(|w| ElementDigest(w.try_into().unwrap())).collect();
            let mut expected = found.clone();
            for _ in 0..100 {
                let mut next = found.clone();
                // Each digest beside itself, so that no lane depends on another.
                let pairs: Vec<_> = found.iter().flat_map(|&digest| [digest, digest]).collect();
                S::merge_pairs(simd, &pairs, &mut next);
                found = next;
                for digest in &mut expected {
                    *digest = S::merge(&[*digest, *digest]);
                }
            }
            assert_eq!(found, expected, "{} with {simd}", S::NAME);
        }
    }
    check::<Rp64_256>();
    check::<Rp64_256V2021>();
    check::<RpJive64_256>();
    check::<Rpo256>();
    check::<Rpx256>();
    check::<Poseidon2_8>();
    check::<Poseidon2_12>();
}
