//! The one error type of the crate: a variant for each thing that can be wrong, with what was found.

use crate::field::MODULUS;

/// What went wrong. Every message says what was expected and what was found; after any error the engine is
/// usable and the caller's inputs are untouched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A word of p or above where a canonical field element is expected; `index` counts words from the start.
    #[error("word {index} is {value}, expected a canonical Goldilocks element below {MODULUS}")]
    NotCanonical {
        /// Position of the word in the slice, counted in words.
        index: usize,
        /// The word found.
        value: u64,
    },

    /// A text that should be a digest.
    #[error("{found:?} is no digest, expected 64 hexadecimal digits")]
    BadHex {
        /// The text found.
        found: String,
    },

    /// A name that stands for nothing known.
    #[error("unknown {what} {found:?}, expected one of {expected}")]
    UnknownName {
        /// What was to be named.
        what: &'static str,
        /// The text found.
        found: String,
        /// The known names.
        expected: String,
    },

    /// A domain of more points than the field has roots of unity for.
    #[error("a domain of 2^{log_size} points was asked for, expected at most 2^32")]
    DomainTooLarge {
        /// The binary logarithm of the number of points asked for.
        log_size: u32,
    },

    /// A generator of the wrong order.
    #[error("{root} is no root of unity of order exactly 2^{log_size}")]
    BadRoot {
        /// The element given.
        root: u64,
        /// The binary logarithm of the order expected.
        log_size: u32,
    },

    /// A coset shift of zero.
    #[error("the coset shift is 0, expected a non-zero field element")]
    BadShift,

    /// A blow-up factor that is no power of two of at least 2.
    #[error("the blow-up factor is {found}, expected a power of two of at least 2")]
    BadBlowup {
        /// The factor found.
        found: u64,
    },
}
