//! Vector units of the processor, and which of them is used.
//!
//! One binary holds the code for all of them. `ZKACCEL_SIMD` names one for engines that are built without a word on it.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The environment variable that names a level.
const VARIABLE: &str = "ZKACCEL_SIMD";

/// The instructions that the CPU backend may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Simd {
    /// Those of every processor of the architecture.
    Portable,
    /// Two words at once: AArch64.
    Neon,
    /// Four words at once: x86-64 with AVX2 and FMA.
    Avx2,
    /// Eight words at once: x86-64 with AVX-512 F and DQ.
    Avx512,
    /// As AVX-512, and products of eight 52-bit integers at once: x86-64 with AVX-512 F, DQ and IFMA.
    Avx512Ifma,
}

impl Simd {
    /// Every level, from the least on.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512, Self::Avx512Ifma];

    /// The name by which it is asked for.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Ifma => "avx512ifma",
        }
    }

    /// Whether this processor and its system have the instructions.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ifma => Self::Avx512.is_available() && is_x86_feature_detected!("avx512ifma"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 | Self::Avx512Ifma => false,
        }
    }

    /// The levels of this machine, from the least on.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }

    /// The best level of this machine.
    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::Portable)
    }

    /// The level that the environment asks for, else the best.
    ///
    /// [`Error::UnknownName`] for a name that is none; whether the level is available is not looked at.
    pub(crate) fn from_environment() -> Result<Self, Error> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Self::best()),
            Some(name) => name.to_string_lossy().parse(),
        }
    }
}

impl fmt::Display for Simd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Simd {
    type Err = Error;

    /// [`Error::UnknownName`] for anything that is no [`name`](Self::name).
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|level| level.name() == text).ok_or_else(|| Error::UnknownName {
            what: "level of vector instructions (ZKACCEL_SIMD)",
            found: text.into(),
            expected: Self::ALL.map(Self::name).join(", "),
        })
    }
}

#[cfg(all(test, target_arch = "aarch64"))]
mod tests {
    use super::*;
    use crate::backend::cpu::{doubles, words};

    /// What the tests of every level go through here, so that none of them is one of the portable level alone.
    #[test]
    fn neon_is_the_best_level() {
        let levels: Vec<_> = Simd::available().collect();
        println!("levels: {}", levels.iter().map(|level| level.name()).collect::<Vec<_>>().join(", "));
        assert_eq!(levels, [Simd::Portable, Simd::Neon]);
        assert_eq!(Simd::best(), Simd::Neon);
        assert_eq!((doubles::width(Simd::Neon), words::width(Simd::Neon)), (Some(2), Some(4)));
    }
}
