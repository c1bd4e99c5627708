//! What can be wrong with a proof that is asked for.

use winter_crypto::RandomCoinError;

/// Why there is no proof. All but [`Engine`](Self::Engine) and [`Coin`](Self::Coin) are found before any work on the trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// Something that this prover does not do.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// Two numbers that must agree.
    #[error("{what}: expected {expected}, found {found}")]
    Mismatch {
        /// What was counted.
        what: &'static str,
        /// The number expected.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// Constraints that cannot be recorded as a row program.
    #[error("the AIR's constraints cannot be recorded: {0}")]
    Recording(String),
    /// The recorded constraints have other values than the AIR's.
    #[error(
        "row {row}: the recorded constraints and those that the AIR evaluates differ, expected equal sums"
    )]
    Recorded {
        /// The first row of the random matrix where they differ.
        row: usize,
    },
    /// The public coin gave no element.
    #[error(transparent)]
    Coin(#[from] RandomCoinError),
    /// An error of the engine.
    #[error(transparent)]
    Engine(#[from] zkaccel::Error),
}

impl ProveError {
    /// The error of the engine.
    pub(super) fn of_engine(&self) -> Option<&zkaccel::Error> {
        match self {
            Self::Engine(error) => Some(error),
            _ => None,
        }
    }
}
