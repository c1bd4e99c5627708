//! Cells of blobs and their proofs, as those of rust-eth-kzg, with the setup of Ethereum's ceremony.

use std::sync::LazyLock;

use halo2curves::ff::Field;
use proptest::prelude::*;
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};
use zkaccel::bls12_381::Fr;
use zkaccel_kzg::serialised::bytes_of_field_elements;
use zkaccel_kzg::{BYTES_PER_BLOB, CellProver, FIELD_ELEMENTS_PER_BLOB, Setup};

use crate::inputs::{cpu, words};

const N: usize = FIELD_ELEMENTS_PER_BLOB;

/// Theirs and ours, of one setup.
static CONTEXTS: LazyLock<(DASContext, CellProver)> = LazyLock::new(|| {
    let setup = TrustedSetup::default();
    let texts = setup.g1_monomial.iter().map(|point| {
        let digits: String = point.to_compressed().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("\"0x{digits}\"")
    });
    let json = format!("{{\"g1_monomial\": [{}]}}", texts.collect::<Vec<_>>().join(","));
    let ours = CellProver::new(&cpu(), &Setup::parse(&json).unwrap()).unwrap();
    (DASContext::new(&setup, UsePrecomp::No), ours)
});

/// A blob of random field elements.
fn random(seed: u64) -> Vec<u8> {
    let mut word = words(seed);
    let base = Fr::from(1 << 32).square();
    let element = |_| (0..4).fold(Fr::ZERO, |sum, _| sum * base + Fr::from(word()));
    bytes_of_field_elements(&(0..N).map(element).collect::<Vec<_>>()).unwrap()
}

/// All blobs at once against one after another.
fn check(blobs: &[Vec<u8>]) {
    let (theirs, ours) = &*CONTEXTS;
    let blobs: Vec<_> = blobs.iter().map(Vec::as_slice).collect();
    let made = ours.cells_and_proofs(&blobs).unwrap();
    let commitments = ours.commitments(&blobs).unwrap();
    assert_eq!((made.len(), commitments.len()), (blobs.len(), blobs.len()));
    for (number, blob) in blobs.iter().enumerate() {
        let blob: &[u8; BYTES_PER_BLOB] = (*blob).try_into().unwrap();
        let (cells, proofs) = theirs.compute_cells_and_kzg_proofs(blob).unwrap();
        for k in 0..cells.len() {
            assert_eq!(made[number].cells[k][..], cells[k][..], "blob {number}, cell {k}");
            assert_eq!(made[number].proofs[k][..], proofs[k][..], "blob {number}, proof {k}");
        }
        assert_eq!(commitments[number][..], theirs.blob_to_kzg_commitment(blob).unwrap()[..]);
    }
}

#[test]
fn blobs_at_the_edges() {
    let elements = |element: &dyn Fn(usize) -> Fr| {
        bytes_of_field_elements(&(0..N).map(element).collect::<Vec<_>>()).unwrap()
    };
    let only = |at: usize| elements(&move |i| if i == at { -Fr::ONE } else { Fr::ZERO });
    check(&[
        vec![0; BYTES_PER_BLOB],
        elements(&|_| Fr::from(7)),
        elements(&|_| -Fr::ONE),
        elements(&|i| if i % 2 == 0 { -Fr::ONE } else { Fr::ONE }),
        only(0),
        only(N - 1),
        elements(&|i| Fr::from(i as u64)),
    ]);
}

/// What they refuse is refused: the modulus, and all bits.
#[test]
fn field_elements_that_are_none() {
    let (theirs, ours) = &*CONTEXTS;
    let mut modulus = bytes_of_field_elements(&[-Fr::ONE]).unwrap();
    modulus[31] += 1;
    for element in [modulus, vec![0xff; 32]] {
        let mut blob = random(5);
        blob[32 * 77..][..32].copy_from_slice(&element);
        let blob: &[u8; BYTES_PER_BLOB] = blob.as_slice().try_into().unwrap();
        assert!(theirs.compute_cells_and_kzg_proofs(blob).is_err());
        let refused = zkaccel_kzg::Error::NotCanonical { blob: 0, index: 77 };
        assert_eq!(ours.cells_and_proofs(&[blob]), Err(refused));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn random_blobs(seed: u64) {
        check(&[random(seed), random(!seed)]);
    }
}
