//! From the name of a hash to code that is generic over it.

use accel::Error;
use accel::hash::Accelerated;

use crate::fields::unknown;

/// Generic work for a hash of a name.
pub(crate) trait HashVisitor {
    /// Its result.
    type Output;

    /// The work.
    fn visit<H: Accelerated>(self) -> Self::Output;
}

macro_rules! hashes {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// The names of the hashes.
        pub(crate) const HASHES: &[&str] = &[$($name),*];

        /// Does generic work for the hash of a name.
        pub(crate) fn visit<V: HashVisitor>(name: &str, visitor: V) -> Result<V::Output, Error> {
            match name {
                $($name => Ok(visitor.visit::<accel::hash::$hash>()),)*
                _ => Err(unknown("hash", name, HASHES)),
            }
        }
    };
}
accel::for_every_hash!(hashes);
