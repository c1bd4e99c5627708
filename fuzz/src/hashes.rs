//! From a number to code that is generic over a hash.

use zkaccel::hash::Accelerated;

/// Work over any hash.
pub trait HashVisitor {
    fn visit<H: Accelerated>(self);
}

macro_rules! hashes {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// The names of all hashes.
        pub const NAMES: &[&str] = &[$($name),*];

        /// Runs work for the hash of a name.
        pub fn visit(name: &str, visitor: impl HashVisitor) {
            match name {
                $($name => visitor.visit::<zkaccel::hash::$hash>(),)*
                _ => unreachable!("a name of the list"),
            }
        }
    };
}
zkaccel::for_every_hash!(hashes);
