//! Keys: what a prover and a verifier know of a circuit.

use zkaccel::sparse::{DeviceSparseMatrix, SparseMatrix};
use zkaccel::{Engine, Error as EngineError};

use crate::Error;
use crate::pairing::{Bn254, Pairing, ScalarField};
use crate::points;

/// How the quotient polynomial H is computed, and on which basis the key has its points; keys of one kind are useless to a prover of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// That of snarkjs, rapidsnark and ark-circom: C = A B point by point, no matrix C, and the values of A B - C on a coset are
    /// scalars of the points of H.
    Circom,
    /// That of libsnark, and arkworks' own: coefficients of (A B - C) / (x^n - 1) are scalars of the points of H.
    Libsnark,
}

/// The matrices of a circuit's constraints, (A w) (B w) = C w: a row for each point of the key's domain, and a column for each signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrices<P: Pairing = Bn254> {
    /// A, with a row for each public signal and the constant 1 behind the constraints.
    pub a: SparseMatrix<P::Fr>,
    /// B.
    pub b: SparseMatrix<P::Fr>,
    /// C; keys of [`Reduction::Circom`] have none.
    pub c: Option<SparseMatrix<P::Fr>>,
}

/// The matrices of a circuit's constraints, kept by an engine.
#[derive(Clone, Debug)]
pub struct KeptMatrices<P: Pairing = Bn254> {
    pub(crate) a: DeviceSparseMatrix<P::Fr>,
    pub(crate) b: DeviceSparseMatrix<P::Fr>,
    pub(crate) c: Option<DeviceSparseMatrix<P::Fr>>,
}

/// What a verifier knows of a circuit. [`Verifier`](crate::Verifier) checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey<P: Pairing = Bn254> {
    /// alpha over G1.
    pub alpha_g1: P::G1,
    /// beta over G2.
    pub beta_g2: P::G2,
    /// gamma over G2.
    pub gamma_g2: P::G2,
    /// delta over G2.
    pub delta_g2: P::G2,
    /// IC: a point for the constant 1 and one for each public signal.
    pub ic: Vec<P::G1>,
}

/// What a prover knows of a circuit with n points in its domain and m signals, of which the first is the constant 1 and the next are public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvingKey<P: Pairing = Bn254> {
    /// What the verifier knows, by which proofs are checked before they are handed out.
    pub verifying: VerifyingKey<P>,
    /// beta over G1.
    pub beta_g1: P::G1,
    /// delta over G1.
    pub delta_g1: P::G1,
    /// A: a point for each signal.
    pub a: Vec<P::G1>,
    /// B over G1: a point for each signal.
    pub b_g1: Vec<P::G1>,
    /// B over G2: a point for each signal.
    pub b_g2: Vec<P::G2>,
    /// C, also called L: a point for each private signal.
    pub c: Vec<P::G1>,
    /// H: n points, or n - 1 for [`Reduction::Libsnark`].
    pub h: Vec<P::G1>,
    /// The constraints.
    pub matrices: Matrices<P>,
    /// The kind of key.
    pub reduction: Reduction,
}

impl<P: Pairing> Matrices<P> {
    /// Matrices without entries, for a domain of so many points and so many signals: a key has them whose constraints come with each proof.
    pub fn empty(domain_size: usize, signals: usize, reduction: Reduction) -> Result<Self, Error> {
        let empty = || SparseMatrix::from_entries(domain_size, signals, []);
        let c = if reduction == Reduction::Libsnark { Some(empty()?) } else { None };
        Ok(Self { a: empty()?, b: empty()?, c })
    }

    /// [`Error::BadKey`] unless these are matrices of a circuit with so many signals, on a domain of so many points.
    pub(crate) fn check(&self, domain: usize, signals: usize, reduction: Reduction) -> Result<(), Error> {
        check_matrices([Some(&self.a), Some(&self.b), self.c.as_ref()], domain, signals, reduction)
    }

    /// Hands the matrices to an engine; errors of [`Engine::sparse_matrix`].
    pub(crate) fn keep(self, engine: &Engine) -> Result<KeptMatrices<P>, EngineError> {
        let Self { a, b, c } = self;
        Ok(KeptMatrices {
            a: engine.sparse_matrix(a)?,
            b: engine.sparse_matrix(b)?,
            c: c.map(|matrix| engine.sparse_matrix(matrix)).transpose()?,
        })
    }
}

impl<P: Pairing> KeptMatrices<P> {
    /// A, as the host has it.
    pub fn a(&self) -> &SparseMatrix<P::Fr> {
        self.a.as_host()
    }

    /// B, as the host has it.
    pub fn b(&self) -> &SparseMatrix<P::Fr> {
        self.b.as_host()
    }

    /// C, as the host has it; keys of [`Reduction::Circom`] have none.
    pub fn c(&self) -> Option<&SparseMatrix<P::Fr>> {
        self.c.as_ref().map(DeviceSparseMatrix::as_host)
    }

    /// The logarithm of the number of points of the domain.
    pub(crate) fn log_size(&self) -> u32 {
        self.a().rows().ilog2()
    }

    /// [`Error::BadKey`] as for [`Matrices`].
    pub(crate) fn check(&self, domain: usize, signals: usize, reduction: Reduction) -> Result<(), Error> {
        check_matrices([Some(self.a()), Some(self.b()), self.c()], domain, signals, reduction)
    }

    /// A copy, for another engine.
    pub(crate) fn to_host(&self) -> Matrices<P> {
        Matrices { a: self.a().clone(), b: self.b().clone(), c: self.c().cloned() }
    }
}

fn check_matrices<F: ScalarField>(
    matrices: [Option<&SparseMatrix<F>>; 3],
    domain: usize,
    signals: usize,
    reduction: Reduction,
) -> Result<(), Error> {
    let [a, b, c] = matrices.map(|matrix| matrix.map_or((0, 0), |matrix| (matrix.rows(), matrix.columns())));
    let of_c = if reduction == Reduction::Libsnark { (domain, signals) } else { (0, 0) };
    expect_equal(&[
        ("rows of the matrix A, as many as the domain has points", a.0, domain),
        ("rows of the matrix B, as many as the domain has points", b.0, domain),
        ("rows of the matrix C", c.0, of_c.0),
        ("columns of the matrix A, as many as signals", a.1, signals),
        ("columns of the matrix B, as many as signals", b.1, signals),
        ("columns of the matrix C", c.1, of_c.1),
    ])
}

/// [`Error::BadKey`] for the first count that is not what is expected: what was counted, what was found, what is expected.
fn expect_equal(counts: &[(&'static str, usize, usize)]) -> Result<(), Error> {
    match counts.iter().find(|(_, found, expected)| found != expected) {
        Some(&(what, found, expected)) => Err(Error::BadKey { what, found, expected }),
        None => Ok(()),
    }
}

impl<P: Pairing> VerifyingKey<P> {
    /// The number of public signals.
    pub fn public_signals(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }

    /// [`Error::Malformed`] for a point that is not on its curve or not in its group; [`Error::BadKey`] without points in IC.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.ic.is_empty() {
            return Err(Error::BadKey { what: "points of IC", found: 0, expected: 1 });
        }
        let place = "the verification key";
        points::check(place, "alpha", &self.alpha_g1)?;
        let of_second = [("beta", &self.beta_g2), ("gamma", &self.gamma_g2), ("delta", &self.delta_g2)];
        of_second.into_iter().try_for_each(|(name, point)| points::check(place, name, point))?;
        let mut ic = self.ic.iter().enumerate();
        ic.try_for_each(|(i, point)| points::check(place, &format!("point {i} of IC"), point))
    }
}

impl<P: Pairing> ProvingKey<P> {
    /// The number of signals, the constant 1 included.
    pub fn signals(&self) -> usize {
        self.a.len()
    }

    /// The number of public signals.
    pub fn public_signals(&self) -> usize {
        self.verifying.public_signals()
    }

    /// The number of points besides those of the verification key.
    pub fn points(&self) -> usize {
        let Self { a, b_g1, b_g2, c, h, .. } = self;
        a.len() + b_g1.len() + b_g2.len() + c.len() + h.len()
    }

    /// The number of points of the domain.
    pub fn domain_size(&self) -> usize {
        self.matrices.a.rows()
    }

    /// [`Error::BadKey`] unless the parts of the key belong together. Whether points are on their curves is not looked at.
    pub fn check(&self) -> Result<(), Error> {
        let Self { verifying, a, b_g1, b_g2, c, h, matrices, reduction, .. } = self;
        let (signals, domain) = (a.len(), self.domain_size());
        let points_of_h = match reduction {
            Reduction::Circom => domain,
            Reduction::Libsnark => domain.saturating_sub(1),
        };
        expect_equal(&[
            ("points of IC, at least one", verifying.ic.len(), verifying.ic.len().max(1)),
            ("points of the domain, a power of two of at least 2", domain, domain.next_power_of_two().max(2)),
            ("points of A, as many as IC and C have", signals, verifying.ic.len() + c.len()),
            ("points of B over G1, as many as A has", b_g1.len(), signals),
            ("points of B over G2, as many as A has", b_g2.len(), signals),
            ("points of H", h.len(), points_of_h),
        ])?;
        matrices.check(domain, signals, *reduction)
    }
}
