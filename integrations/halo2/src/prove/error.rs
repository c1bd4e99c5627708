//! What can go wrong in a proof.

use halo2_axiom::plonk;

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The engine's.
    #[error(transparent)]
    Engine(#[from] zkaccel::Error),
    /// halo2's: of the instances, of synthesis, of the transcript.
    #[error("{0}")]
    Halo2(plonk::Error),
    /// The parameters are not those of the key.
    #[error("parameters for 2^{found} rows, expected those of the key, for 2^{expected}")]
    Parameters {
        /// The key's binary logarithm of the number of rows.
        expected: u32,
        /// That of the parameters.
        found: u32,
    },
    /// A circuit that this prover cannot do; nothing was written to the transcript.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A row of a lookup has a value that its table has not.
    #[error("row {row} of the lookup `{lookup}` is not in its table")]
    NotInTable {
        /// The name of the lookup.
        lookup: String,
        /// The row.
        row: usize,
    },
    /// The constraints do not hold: a gate, a copy or a lookup. What the transcript has so far is no proof.
    #[error("the constraints are not satisfied by the witness")]
    NotSatisfied,
    /// An opening whose quotient is not a polynomial. What the transcript has so far is no proof.
    #[error("a quotient of the openings is not a polynomial: the engine has computed something wrong")]
    NotPolynomial,
}

impl From<plonk::Error> for ProveError {
    fn from(error: plonk::Error) -> Self {
        Self::Halo2(error)
    }
}

impl From<std::io::Error> for ProveError {
    fn from(error: std::io::Error) -> Self {
        Self::Halo2(error.into())
    }
}
