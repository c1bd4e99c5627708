//! Cells and proofs of polynomials that are known, with a setup whose τ is known: by evaluation and division as in a textbook.

use std::sync::LazyLock;

use halo2curves::ff::Field;
use zkaccel::Engine;
use zkaccel::bls12_381::{Fr, G1, G1Affine};
use zkaccel::curve::affine;
use zkaccel::device::DeviceChoice;
use zkaccel::ntt::{Domain, reverse_bits};
use zkaccel_kzg::serialised::{bytes_of_field_elements, compress, field_elements};
use zkaccel_kzg::{
    BYTES_PER_BLOB, CELLS_PER_EXT_BLOB, CellProver, CellsAndProofs, Error, FIELD_ELEMENTS_PER_BLOB,
    FIELD_ELEMENTS_PER_CELL, Setup,
};

const N: usize = FIELD_ELEMENTS_PER_BLOB;
const CELL: usize = FIELD_ELEMENTS_PER_CELL;

fn tau() -> Fr {
    Fr::from(0x1234_5678_9abc_def1).square() + Fr::from(5)
}

fn powers(x: Fr, count: usize) -> impl Iterator<Item = Fr> {
    std::iter::successors(Some(Fr::ONE), move |&power| Some(power * x)).take(count)
}

static PROVER: LazyLock<CellProver> = LazyLock::new(|| {
    let engine = Engine::builder().device(DeviceChoice::Cpu).threads(2).build().unwrap();
    let points: Vec<_> = powers(tau(), N).map(|power| G1::generator() * power).collect();
    CellProver::new(&engine, &Setup::from_points(affine(&points)).unwrap()).unwrap()
});

fn value(coefficients: &[Fr], x: Fr) -> Fr {
    coefficients.iter().rev().fold(Fr::ZERO, |value, &coefficient| value * x + coefficient)
}

/// The element of the subgroup of so many elements at this index of the bit-reversed order.
fn point(size: usize, index: usize) -> Fr {
    let domain = Domain::<Fr>::halo2(size.ilog2()).unwrap();
    domain.root().pow_vartime([reverse_bits(index, size.ilog2()) as u64])
}

/// The blob of a polynomial.
fn blob(coefficients: &[Fr]) -> Vec<u8> {
    let degree = coefficients.iter().rposition(|&coefficient| coefficient != Fr::ZERO).unwrap_or(0);
    let values: Vec<_> = (0..N).map(|i| value(&coefficients[..=degree], point(N, i))).collect();
    bytes_of_field_elements(&values).unwrap()
}

/// Cells and proofs, of cells the values of some.
fn check(coefficients: &[Fr], made: &CellsAndProofs) {
    let cells = CELLS_PER_EXT_BLOB;
    assert_eq!((made.cells.len(), made.proofs.len()), (cells, cells));
    for k in [0, 1, 2, 63, 64, 65, 126, 127] {
        let expected: Vec<_> = (0..CELL).map(|i| value(coefficients, point(2 * N, k * CELL + i))).collect();
        assert_eq!(field_elements(&made.cells[k]).unwrap(), expected, "cell {k}");
    }
    let (x, at_tau) = (tau(), value(coefficients, tau()));
    let quotients = (0..cells).map(|k| {
        let z = point(2 * N, k * CELL).pow_vartime([CELL as u64]);
        // p modulo X^64 - z.
        let rest: Vec<_> = (0..CELL)
            .map(|a| value(&coefficients.iter().skip(a).step_by(CELL).copied().collect::<Vec<_>>(), z))
            .collect();
        (at_tau - value(&rest, x)) * (x.pow_vartime([CELL as u64]) - z).invert().unwrap()
    });
    let expected: Vec<_> = quotients.map(|quotient| G1::generator() * quotient).collect();
    for (k, (found, expected)) in made.proofs.iter().zip(affine::<G1>(&expected)).enumerate() {
        assert_eq!(*found, compress(&expected), "proof {k}");
    }
}

/// A polynomial whose coefficients are random enough.
fn polynomial(seed: u64) -> Vec<Fr> {
    powers(Fr::from(seed).square() + Fr::from(seed << 40 | 7), N)
        .map(|power| power.square() + power)
        .collect()
}

#[test]
fn polynomials_that_are_known() {
    let mut top = vec![Fr::ZERO; N];
    top[N - 1] = -Fr::ONE;
    let mut short = vec![Fr::ZERO; N];
    short[..CELL].copy_from_slice(&polynomial(3)[..CELL]);
    let mut constant = vec![Fr::ZERO; N];
    constant[0] = -Fr::ONE;
    let polynomials = [polynomial(1), vec![Fr::ZERO; N], constant, top, short];
    let blobs: Vec<_> = polynomials.iter().map(|coefficients| blob(coefficients)).collect();
    let blobs: Vec<_> = blobs.iter().map(Vec::as_slice).collect();
    let together = PROVER.cells_and_proofs(&blobs).unwrap();
    for (coefficients, made) in polynomials.iter().zip(&together) {
        check(coefficients, made);
    }
    // One alone, and what else there is of a blob.
    for (i, blob) in blobs.iter().enumerate().take(2) {
        assert_eq!(PROVER.cells_and_proofs(&[blob]).unwrap(), [together[i].clone()]);
    }
    let cells: Vec<_> = together.iter().map(|made| made.cells.clone()).collect();
    assert_eq!(PROVER.cells(&blobs).unwrap(), cells);
    let commitments = polynomials.iter().map(|coefficients| G1::generator() * value(coefficients, tau()));
    let commitments: Vec<_> = commitments.collect();
    let expected: Vec<_> = affine::<G1>(&commitments).iter().map(compress).collect();
    assert_eq!(PROVER.commitments(&blobs).unwrap(), expected);
    // Proofs of what has no more coefficients than a cell values are the identity.
    assert!(together[4].proofs.iter().all(|proof| *proof == compress(&G1Affine::default())));
}

#[test]
fn blobs_that_are_refused() {
    let good = vec![0; BYTES_PER_BLOB];
    for found in [0, BYTES_PER_BLOB - 1, BYTES_PER_BLOB + 32] {
        let refused = Error::BlobLength { blob: 1, found };
        assert_eq!(PROVER.cells_and_proofs(&[&good, &vec![0; found]]).unwrap_err(), refused);
    }
    for index in [0, 17, N - 1] {
        let mut blob = good.clone();
        blob[32 * index..][..32].fill(0xff);
        let refused = Error::NotCanonical { blob: 0, index };
        assert_eq!(PROVER.cells_and_proofs(&[&blob, &good]).unwrap_err(), refused);
        assert_eq!(PROVER.cells(&[&blob]).unwrap_err(), refused);
        assert_eq!(PROVER.commitments(&[&blob]).unwrap_err(), refused);
    }
    assert_eq!(PROVER.cells_and_proofs(&[]).unwrap(), []);
    assert!(PROVER.cells(&[]).unwrap().is_empty() && PROVER.commitments(&[]).unwrap().is_empty());
}

/// A setup with a point of the curve that is not of the group.
#[test]
fn a_point_outside_the_group() {
    let outside = (0..=u8::MAX).find_map(|byte| {
        let mut bytes = [0; 48];
        (bytes[0], bytes[47]) = (0x80, byte);
        let point = zkaccel_kzg::serialised::decompress(&bytes)?;
        let engine = Engine::builder().device(DeviceChoice::Cpu).threads(2).build().unwrap();
        let mut points = vec![G1Affine::generator(); N];
        points[99] = point;
        CellProver::new(&engine, &Setup::from_points(points).unwrap()).err()
    });
    assert_eq!(outside, Some(Error::Engine(zkaccel::Error::NotInSubgroup { index: 99 })));
}
