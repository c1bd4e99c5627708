//! What can be wrong with a proof that is asked for.

use p3_commit::PeriodicColumnShapeError;
use p3_fri::{FriProverError, HidingFriProverError};
use p3_lookup::LookupError;

/// Why there is no proof. All but [`Engine`](Self::Engine) are found before any work on the trace.
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
    /// A number of rows that is not a power of two.
    #[error("a trace of {0} rows, expected a power of two")]
    Height(usize),
    /// A domain larger than the field's largest.
    #[error("a domain of 2^{log_size} points, expected at most 2^{limit}")]
    DomainTooLarge {
        /// The binary logarithm of the number of points.
        log_size: usize,
        /// The two-adicity of the field.
        limit: usize,
    },
    /// A parameter of FRI that would make a proof of nothing.
    #[error("FRI's {0} is 0, expected at least 1")]
    Zero(&'static str),
    /// Columns whose period does not fit the trace.
    #[error(transparent)]
    Periodic(#[from] PeriodicColumnShapeError),
    /// A trace too short for FRI's final polynomial.
    #[error(transparent)]
    Fri(#[from] FriProverError),
    /// A trace too short to hide what is opened of it, or too few random columns.
    #[error(transparent)]
    Hiding(#[from] HidingFriProverError),
    /// A matrix of a batch that its commitment would not bind.
    #[error(
        "a matrix of {rows} rows, expected as many as the cap of its commitment has digests, {digests}, or more"
    )]
    BelowCap {
        /// The rows of its extension.
        rows: usize,
        /// The digests of the cap.
        digests: usize,
    },
    /// More lookups than the field's characteristic lets a batch count.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// A trace of a batch in which several messages of a group are active where one may be.
    #[error("row {row}: flags of a group of messages, expected each to be 0 or 1, and at most one 1")]
    Flags {
        /// The first such row.
        row: usize,
    },
    /// The recorded constraints have other values than the AIR's.
    #[error(
        "row {row}: the recorded constraints and those that the AIR evaluates differ, expected equal quotients"
    )]
    Recorded {
        /// The first row of the random matrix where they differ.
        row: usize,
    },
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
