//! Hashes side by side against the textbook, one by one.

use super::*;
use crate::backend::cpu::doubles::Portable;
use crate::field::MODULUS;
use crate::hash::{Hasher, Textbook};

/// Values at which carries, borrows and splits change, and random ones.
fn words(count: usize) -> Vec<Goldilocks> {
    let edges =
        [0, 1, 7, (1 << 32) - 1, 1 << 32, 1 << 31, 1 << 63, MODULUS - (1 << 32), MODULUS - 2, MODULUS - 1];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        state >> 17
    };
    (0..count)
        .map(|_| match next() % 3 {
            0 => Goldilocks::new(next() << 17 ^ next()),
            _ => Goldilocks::new(edges[next() as usize % edges.len()]),
        })
        .collect()
}

/// The most hashes side by side here: two vectors and one over.
const COUNT: usize = 17;

/// The textbook digests of the rows of a row-major matrix.
fn textbook<S: Sponge>(matrix: &[Goldilocks], width: usize) -> Vec<ElementDigest> {
    matrix.chunks_exact(width).map(Textbook::<S>::hash_elements).collect()
}

/// The same words by columns with `degree` words an entry.
fn by_columns(matrix: &[Goldilocks], width: usize, degree: usize) -> Vec<Goldilocks> {
    let columns = (0..width).step_by(degree);
    columns
        .flat_map(|j| matrix.chunks_exact(width).flat_map(move |row| row[j..j + degree].to_vec()))
        .collect()
}

/// A function that hashes rows.
type HashRowsFn<'a> = &'a dyn Fn(Rows<'_>, &mut [ElementDigest]);

/// Every level of this machine, and the vector code with one double.
fn every_implementation<S: OnDoubles<N> + SideBySide<Digest = ElementDigest>, const N: usize>(
    mut check: impl FnMut(String, HashRowsFn<'_>),
) {
    for simd in Simd::available() {
        check(format!("{} with {simd}", S::NAME), &|rows, digests| S::hash_rows(simd, rows, digests));
    }
    check(format!("{} with one double", S::NAME), &|rows, digests| {
        Portable::enter(HashRows::<S, N> { rows, digests, sponge: PhantomData });
    });
}

fn check_rows<S: OnDoubles<N> + SideBySide<Digest = ElementDigest>, const N: usize>() {
    for width in 1..=33 {
        let matrix = words(COUNT * width);
        let expected = textbook::<S>(&matrix, width);
        every_implementation::<S, N>(|what, hash| {
            // How many rows there are does not matter to how their words are taken in: every number, for widths around a block.
            let counts = if (7..=9).contains(&width) { 0..=COUNT } else { COUNT..=COUNT };
            for count in counts {
                let mut found = vec![ElementDigest::default(); count];
                hash(Rows::row_major(&matrix[..count * width], width), &mut found);
                assert_eq!(found, expected[..count], "{what}: {count} rows of {width}");
            }
            let mut found = vec![ElementDigest::default(); 3];
            hash(Rows::row_major(&matrix, width).from(COUNT - 3), &mut found);
            assert_eq!(found, expected[COUNT - 3..], "{what}: the last three of {COUNT} rows of {width}");
            for degree in [1, 2, 3].into_iter().filter(|degree| width % degree == 0) {
                let columns = by_columns(&matrix, width, degree);
                let mut found = vec![ElementDigest::default(); COUNT];
                hash(Rows::column_major(&columns, degree, COUNT), &mut found);
                assert_eq!(found, expected, "{what}: columns, rows of {width}, degree {degree}");
            }
        });
    }
}

#[test]
fn rows() {
    check_rows::<Rp64_256, 12>();
    check_rows::<Rp64_256V2021, 12>();
    check_rows::<RpJive64_256, 8>();
    check_rows::<Rpo256, 12>();
    check_rows::<Rpx256, 12>();
    check_rows::<Poseidon2_8, 8>();
    check_rows::<Poseidon2_12, 12>();
}

/// Merges, and the first word of merge([0, ..., 7]) where implementations have published it.
fn check_merges<S: OnDoubles<N> + SideBySide<Digest = ElementDigest>, const N: usize>(known: Option<u64>) {
    let children: [Goldilocks; 8] = std::array::from_fn(|i| Goldilocks::new(i as u64));
    let first = S::merge(&bytemuck::cast(children)).0[0].as_u64();
    assert!(known.is_none_or(|known| known == first), "{}: {first}", S::NAME);
    let digests: Vec<_> =
        words(8 * COUNT).chunks_exact(4).map(|words| ElementDigest(words.try_into().unwrap())).collect();
    let expected: Vec<_> = digests.as_chunks().0.iter().map(Textbook::<S>::merge).collect();
    for simd in Simd::available() {
        for count in 0..=COUNT {
            let mut found = vec![ElementDigest::default(); count];
            S::merge_pairs(simd, &digests[..2 * count], &mut found);
            assert_eq!(found, expected[..count], "{} with {simd}, {count} pairs", S::NAME);
        }
    }
    let pairs: Vec<_> = bytemuck::cast::<_, [ElementDigest; 2]>(children).repeat(8);
    for simd in Simd::available() {
        let mut found = vec![ElementDigest::default(); 8];
        S::merge_pairs(simd, &pairs, &mut found);
        assert!(found.iter().all(|digest| digest.0[0].as_u64() == first), "{} with {simd}", S::NAME);
    }
}

#[test]
fn merges() {
    check_merges::<Rp64_256, 12>(Some(2688511591005434316));
    check_merges::<Rp64_256V2021, 12>(Some(17817756578466965241));
    check_merges::<RpJive64_256, 8>(None);
    check_merges::<Rpo256, 12>(Some(5421234586123900205));
    check_merges::<Rpx256, 12>(None);
    check_merges::<Poseidon2_8, 8>(None);
    check_merges::<Poseidon2_12, 12>(None);
}

/// Long orbits: thousands of random permutations, all lanes on their own.
#[test]
fn orbits() {
    fn check<S: Sponge + SideBySide<Digest = ElementDigest>>() {
        for simd in Simd::available() {
            let mut found: Vec<_> =
                words(64).chunks_exact(4).map(|w| ElementDigest(w.try_into().unwrap())).collect();
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
