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
use zkaccel::bn254::arkworks::{points, scalars};
use zkaccel::field::{elements, limbs};
use zkaccel_groth16 as groth16;
use zkaccel_groth16::{Matrices, Reduction, SparseMatrix, VerifyingKey};

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

/// A key whose constraints come with each proof.
pub(crate) fn proving_key(key: &ProvingKey<Bn254>) -> groth16::ProvingKey {
    let reduction = Reduction::Libsnark;
    groth16::ProvingKey {
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
        matrices: Matrices::empty(key.h_query.len() + 1, reduction),
        reduction,
    }
}

/// The matrices of rank-1 constraints on a domain of `size` points, with the inputs behind the rows of A.
pub(crate) fn matrices(matrices: &[Matrix<Fr>], size: usize, inputs: usize) -> Matrices {
    let sparse = |matrix: &Matrix<Fr>, behind: usize| {
        let own = || {
            let rows = (0_u32..).zip(matrix);
            rows.flat_map(|(row, entries)| {
                entries.iter().map(move |(value, column)| (row, *column as u32, scalars(&[*value])[0]))
            })
        };
        let constraints = matrix.len() as u32;
        let more = move || (0..behind as u32).map(move |i| (constraints + i, i, groth16::Fr::one()));
        SparseMatrix::new(size, || own().chain(more()))
    };
    Matrices { a: sparse(&matrices[0], inputs), b: sparse(&matrices[1], 0), c: Some(sparse(&matrices[2], 0)) }
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
