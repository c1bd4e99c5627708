//! The error type of the crate.

/// Why there are no proofs, or no setup. Every message says what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A blob of another length.
    #[error("blob {blob}: found {found} bytes, expected {}", crate::BYTES_PER_BLOB)]
    BlobLength {
        /// The index of the blob.
        blob: usize,
        /// Its bytes.
        found: usize,
    },

    /// Bytes that are no field element.
    #[error(
        "blob {blob}, field element {index}: found an integer that is not below the modulus of the scalars of BLS12-381"
    )]
    NotCanonical {
        /// The index of the blob.
        blob: usize,
        /// The index of the field element in it.
        index: usize,
    },

    /// A setup, or a text in it, that is not what it should be.
    #[error("the setup, {place}: found {found}, expected {expected}")]
    BadSetup {
        /// Where.
        place: String,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },

    /// The engine failed, or refused points that are not of the group.
    #[error(transparent)]
    Engine(#[from] zkaccel::Error),
}

/// Characters of what was found that a message has.
const SHOWN: usize = 120;

impl Error {
    /// [`Error::BadSetup`]. What was found is the file's: its beginning, in one line.
    pub(crate) fn bad_setup(place: impl ToString, found: impl ToString, expected: impl ToString) -> Self {
        let printable = |c: char| match c.is_control() {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        };
        let found = found.to_string().chars().take(SHOWN).map(printable).collect();
        Self::BadSetup { place: place.to_string(), found, expected: expected.to_string() }
    }
}
