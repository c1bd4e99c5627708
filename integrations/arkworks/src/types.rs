//! arkworks' keys, matrices and proofs as those of `zkaccel-groth16`, and the other way.
//!
//! Points over G1 and scalars lie in memory alike (`zkaccel::bn254::arkworks`). Points over G2 are converted coordinate by coordinate, since there is no such
//! promise for them; both have Montgomery form with the same R, so no product is needed.

use ark_bn254::{Bn254, Fq, Fq2, Fr};
use ark_ec::AffineRepr;
use ark_ff::{BigInt, Fp};
use ark_groth16::{Proof, ProvingKey};
use ark_relations::utils::matrix::Matrix;
use halo2curves::bn256;
use zkaccel::Error;
use zkaccel::bn254::arkworks::{points, scalars};
use zkaccel::field::{elements, limbs};
use zkaccel_groth16 as groth16;
use zkaccel_groth16::{KeptMatrices, Matrices, Reduction, SparseMatrix, VerifyingKey};

fn coordinate(x: Fq) -> bn256::Fq {
    let Fp(BigInt(limbs), _) = x;
    elements(&[limbs], "coordinate").expect("arkworks' coordinates are reduced")[0]
}

fn their_coordinate(x: &bn256::Fq) -> Fq {
    Fq::new_unchecked(BigInt(limbs(&[*x])[0]))
}

/// A point over G2.
fn second(point: &ark_bn254::G2Affine) -> groth16::G2Affine {
    // The identity is all zero in both.
    let of = |x: Fq2| bn256::Fq2::new(coordinate(x.c0), coordinate(x.c1));
    point.xy().map_or_else(groth16::G2Affine::default, |(x, y)| groth16::G2Affine { x: of(x), y: of(y) })
}

fn first(point: &ark_bn254::G1Affine) -> groth16::G1Affine {
    points(std::slice::from_ref(point))[0]
}

/// The reduction of a key with so many points of H, and the points that its domain should have. `LibsnarkReduction` has one point less than the domain, and
/// `CircomReduction` of `ark-circom` as many, at least 2.
pub(crate) fn kind(points_of_h: usize) -> (Reduction, usize) {
    match points_of_h > 1 && points_of_h.is_power_of_two() {
        true => (Reduction::Circom, points_of_h),
        false => (Reduction::Libsnark, points_of_h + 1),
    }
}

/// A key whose constraints come with each proof.
pub(crate) fn proving_key(key: &ProvingKey<Bn254>) -> Result<groth16::ProvingKey, groth16::Error> {
    let (reduction, domain) = kind(key.h_query.len());
    Ok(groth16::ProvingKey {
        verifying: VerifyingKey {
            alpha_g1: first(&key.vk.alpha_g1),
            beta_g2: second(&key.vk.beta_g2),
            gamma_g2: second(&key.vk.gamma_g2),
            delta_g2: second(&key.vk.delta_g2),
            ic: points(&key.vk.gamma_abc_g1).to_vec(),
        },
        beta_g1: first(&key.beta_g1),
        delta_g1: first(&key.delta_g1),
        a: points(&key.a_query).to_vec(),
        b_g1: points(&key.b_g1_query).to_vec(),
        b_g2: key.b_g2_query.iter().map(second).collect(),
        c: points(&key.l_query).to_vec(),
        h: points(&key.h_query).to_vec(),
        matrices: Matrices::empty(domain, key.a_query.len(), reduction)?,
        reduction,
    })
}

/// The rows of a matrix of rank-1 constraints, and behind them a 1 for each of so many inputs.
fn rows(
    matrix: &Matrix<Fr>,
    inputs: usize,
) -> impl Iterator<Item = impl Iterator<Item = (usize, groth16::Fr)>> {
    // A row has either entries of the matrix, or the place of an input.
    let own = matrix.iter().map(|row| (&row[..], None));
    let behind = (0..inputs).map(|input| (&[][..], Some(input)));
    own.chain(behind).map(|(entries, input)| {
        let entries = entries.iter().map(|(value, column)| (*column, scalars(&[*value])[0]));
        entries.chain(input.map(|input| (input, groth16::Fr::one())))
    })
}

/// The matrices of rank-1 constraints on a domain of `size` points, with the inputs behind the rows of A; C only for the reduction that has it.
pub(crate) fn matrices(
    matrices: &[Matrix<Fr>],
    (reduction, size): (Reduction, usize),
    inputs: usize,
    variables: usize,
) -> Result<Matrices, Error> {
    let sparse = |matrix: &Matrix<Fr>, inputs: usize| {
        let entries = rows(matrix, inputs).enumerate();
        let entries =
            entries.flat_map(|(row, entries)| entries.map(move |(column, value)| (row, column, value)));
        SparseMatrix::from_entries(size, variables, entries)
    };
    let c = match reduction {
        Reduction::Circom => None,
        Reduction::Libsnark => Some(sparse(&matrices[2], 0)?),
    };
    Ok(Matrices { a: sparse(&matrices[0], inputs)?, b: sparse(&matrices[1], 0)?, c })
}

/// Whether matrices that an engine keeps are those of these constraints.
pub(crate) fn are_matrices(kept: &KeptMatrices, matrices: &[Matrix<Fr>], inputs: usize) -> bool {
    let same = |kept: Option<&SparseMatrix<groth16::Fr>>, matrix: &Matrix<Fr>, inputs: usize| {
        let entries = matrix.iter().map(Vec::len).sum::<usize>() + inputs;
        kept.is_some_and(|kept| {
            let equal = |(row, entries)| kept.row(row).is_ok_and(|kept| kept.eq(entries));
            kept.entries() == entries && rows(matrix, inputs).enumerate().all(equal)
        })
    };
    same(Some(kept.a()), &matrices[0], inputs)
        && same(Some(kept.b()), &matrices[1], 0)
        && (kept.c().is_none() || same(kept.c(), &matrices[2], 0))
}

/// A proof as arkworks has it.
pub(crate) fn proof(proof: &groth16::Proof) -> Proof<Bn254> {
    let first = |point: &groth16::G1Affine| match *point == groth16::G1Affine::default() {
        true => ark_bn254::G1Affine::zero(),
        false => ark_bn254::G1Affine::new_unchecked(their_coordinate(&point.x), their_coordinate(&point.y)),
    };
    let of = |x: &bn256::Fq2| Fq2::new(their_coordinate(x.c0()), their_coordinate(x.c1()));
    let b = match proof.b == groth16::G2Affine::default() {
        true => ark_bn254::G2Affine::zero(),
        false => ark_bn254::G2Affine::new_unchecked(of(&proof.b.x), of(&proof.b.y)),
    };
    Proof { a: first(&proof.a), b, c: first(&proof.c) }
}
