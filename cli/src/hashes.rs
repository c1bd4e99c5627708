//! From the name of a hash to code that is generic over it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use zkaccel::Error;
use zkaccel::hash::Accelerated;
use zkaccel::hash::Hasher;
use zkaccel::kernels::DeviceHash;

use crate::output;

/// Work that is generic over the hash; [`HashName::visit`] runs it for the hash of a name.
pub(crate) trait HashVisitor {
    /// The type of the work's result, the same for every hash.
    type Output;

    /// The work.
    fn visit<H: Accelerated>(self) -> Self::Output;
}

/// Every hash of the library.
macro_rules! hashes {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// A hash, by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub(crate) enum HashName { $($hash),* }

        impl HashName {
            /// Every hash, in the order in which they are listed to users.
            pub(crate) const ALL: &[Self] = &[$(Self::$hash),*];

            /// The name on the command line and in files.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$hash => zkaccel::hash::$hash::NAME),* }
            }

            /// Runs generic work for this hash.
            pub(crate) fn visit<V: HashVisitor>(self, visitor: V) -> V::Output {
                match self { $(Self::$hash => visitor.visit::<zkaccel::hash::$hash>()),* }
            }

            /// Whether devices have more than one approach to trees over it.
            pub(crate) fn has_approaches(self) -> bool {
                match self { $(Self::$hash => zkaccel::hash::$hash::APPROACHES),* }
            }
        }
    };
}
zkaccel::for_every_hash!(hashes);

/// The help of `--approach`, after its first sentence.
pub(crate) fn approach_help(begin: &str) -> String {
    let hashes = HashName::ALL.iter().filter(|hash| hash.has_approaches());
    let hashes: Vec<_> = hashes.map(|hash| hash.name()).collect();
    format!(
        "{begin}; auto is the one that was fastest when it was measured. Only trees over {} on a GPU have more than one approach",
        output::enumeration(&hashes)
    )
}

impl fmt::Display for HashName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HashName {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|hash| hash.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|hash| hash.name()).collect();
            Error::UnknownName { what: "hash", found: text.into(), expected: names.join(", ") }
        })
    }
}

impl TryFrom<String> for HashName {
    type Error = Error;
    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<HashName> for &'static str {
    fn from(hash: HashName) -> Self {
        hash.name()
    }
}
