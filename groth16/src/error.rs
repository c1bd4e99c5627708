//! The error type of the crate.

/// Why there is no proof, no key, or no witness. Every message says what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file, or a text in one, that is not what it should be.
    #[error("{place}: found {found}, expected {expected}")]
    Malformed {
        /// Where: the kind of file, its section, and the index of a point, a signal or a coefficient.
        place: String,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },

    /// A file that cannot be read or written.
    #[error("{message}")]
    Io {
        /// What the system says.
        message: String,
    },

    /// A key whose parts do not belong together.
    #[error("the key: {what}: found {found}, expected {expected}")]
    BadKey {
        /// What was counted.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number that the other parts of the key call for.
        expected: usize,
    },

    /// A witness for another circuit than the key's.
    #[error("the witness is not one of the key's circuit: {what}: found {found}, expected {expected}")]
    OtherCircuit {
        /// What was compared.
        what: &'static str,
        /// What the witness has.
        found: String,
        /// What the key calls for.
        expected: String,
    },

    /// A number of public signals that the verification key is not for.
    #[error("public signals: found {found}, expected {expected}, the number in the verification key")]
    PublicSignals {
        /// The number found.
        found: usize,
        /// The number that the key is for.
        expected: usize,
    },

    /// A well-formed proof that is false.
    #[error("the proof does not verify: the pairing equation does not hold")]
    NotVerified,

    /// A proof that was made here and does not verify. It is not handed out.
    #[error(
        "the proof made on {devices} does not verify: expected a witness that satisfies the circuit of the key, and a sound key"
    )]
    Unsatisfied {
        /// The devices that made it: more than one where it was made again.
        devices: String,
    },

    /// A proof that nobody waits for any more.
    #[error("the proof was given up, because nobody waits for it")]
    Cancelled,

    /// The system gives no random numbers.
    #[error("the system's generator of random numbers failed: {message}")]
    NoRandomness {
        /// What the system says.
        message: String,
    },

    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] zkaccel::Error),
}

impl Error {
    /// [`Error::Malformed`].
    pub(crate) fn malformed(place: impl ToString, found: impl ToString, expected: impl ToString) -> Self {
        Self::Malformed { place: place.to_string(), found: found.to_string(), expected: expected.to_string() }
    }
}
