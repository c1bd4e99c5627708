//! The levels of vector instructions: which there are, what each enables, and which of them is used.
//!
//! One binary holds the code for all levels. `ZKACCEL_SIMD` names one for engines whose builder names none. How work is
//! compiled for a level, and which vectors a level has, is said in [`dispatch`]; types of vectors are made in [`mod@vector`].

#[cfg(test)]
pub(super) mod at_work;
mod dispatch;
mod vector;

use std::fmt;
use std::str::FromStr;

#[cfg(all(test, feature = "bn254"))]
pub(super) use self::dispatch::vectors_of;
pub(super) use self::dispatch::{APART, Elements, Level, Vectorised, Vectors, on_vectors};
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports))]
pub(super) use self::vector::{operation, vector};
use crate::error::Error;

/// The environment variable that names a level.
const VARIABLE: &str = "ZKACCEL_SIMD";

/// Whether the processor and its system have some instruction-set features; `None` for those of another architecture.
macro_rules! has_features {
    () => {
        Some(true)
    };
    ("x86_64" $($feature:tt)+) => {{
        #[cfg(target_arch = "x86_64")]
        let has_features = Some($(is_x86_feature_detected!($feature))&&+);
        #[cfg(not(target_arch = "x86_64"))]
        let has_features = None;
        has_features
    }};
    ("aarch64" $($feature:tt)+) => {{
        #[cfg(target_arch = "aarch64")]
        let has_features = Some($(std::arch::is_aarch64_feature_detected!($feature))&&+);
        #[cfg(not(target_arch = "aarch64"))]
        let has_features = None;
        has_features
    }};
}

/// Makes the type of a level, and implements [`dispatch::Level`] for it.
macro_rules! level {
    ($(#[$doc:meta])* $level:ident, $registers:literal, $($architecture:tt $($feature:tt)+)?) => {
        $(#[$doc])*
        $(#[cfg(target_arch = $architecture)])?
        #[allow(dead_code, reason = "a level need not have vectors of its own")]
        pub(in crate::backend::cpu) struct $level;

        $(#[cfg(target_arch = $architecture)])?
        impl Level for $level {
            #[cfg(test)]
            const SIMD: Simd = Simd::$level;
            const REGISTERS: usize = $registers;

            #[inline(always)]
            unsafe fn run<V>(work: impl Vectorised<V>) {
                // SAFETY: the caller's promise.
                unsafe { OnLevel::<Self, V>::run_on(work) }
            }

            #[inline(always)]
            unsafe fn run_apart<V>(work: impl Vectorised<V>) {
                // SAFETY: the caller's promise.
                unsafe { OnLevel::<Self, V>::run_apart_on(work) }
            }
        }

        $(#[cfg(target_arch = $architecture)])?
        impl<V, W: Vectorised<V>> OnLevel<$level, V> for W {
            $(#[target_feature($(enable = $feature),+)])?
            unsafe fn run_on(self) {
                #[cfg(test)]
                super::at_work::enter($level::SIMD);
                align_frame();
                self.run();
            }

            #[inline(never)]
            $(#[target_feature($(enable = $feature),+)])?
            unsafe fn run_apart_on(self) {
                self.run();
            }
        }
    };
}

/// Makes the levels of a list that is ordered from the least to the best: the values of [`Simd`], and a type for each in
/// [`mod@level`].
macro_rules! levels {
    ($($(#[$doc:meta])* $level:ident: $name:literal, $registers:literal registers, [$($feature:tt)*];)+) => {
        /// The instructions that the CPU backend may use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Simd {
            $($(#[$doc])* $level,)+
        }

        impl Simd {
            /// Every level, from the least to the best.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$level),+];

            /// The name by which a level is asked for.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$level => $name,)+
                }
            }

            /// Whether this processor and its system have the features of the level; `None` for a level of another architecture.
            fn has_features(self) -> Option<bool> {
                match self {
                    $(Self::$level => has_features!($($feature)*),)+
                }
            }
        }

        /// The levels as types: what vectors are compiled for.
        pub(super) mod level {
            #[cfg(test)]
            use super::Simd;
            use super::dispatch::{Level, OnLevel, Vectorised, align_frame};

            $(level!($(#[$doc])* $level, $registers, $($feature)*);)+
        }
    };
}

levels! {
    /// Those of every processor of the architecture.
    Portable: "portable", 16 registers, [];
    /// Two 64-bit words at once: AArch64.
    Neon: "neon", 32 registers, ["aarch64" "neon"];
    /// Four 64-bit words at once: x86-64 with AVX2 and FMA.
    Avx2: "avx2", 16 registers, ["x86_64" "avx2" "fma"];
    /// Eight 64-bit words at once: x86-64 with AVX-512 F and DQ.
    Avx512: "avx512", 32 registers, ["x86_64" "avx512f" "avx512dq"];
    /// As AVX-512, and products of eight 52-bit integers at once: x86-64 with AVX-512 F, DQ and IFMA.
    Avx512Ifma: "avx512ifma", 32 registers, ["x86_64" "avx512f" "avx512dq" "avx512ifma"];
}

impl Simd {
    /// Whether this processor and its system have the instructions, and those of the levels below.
    pub fn is_available(self) -> bool {
        // Work for which a level has no vectors uses those of a level below.
        self.has_features() == Some(true)
            && Self::ALL.into_iter().all(|below| below >= self || below.has_features() != Some(false))
    }

    /// The levels of this machine, from the least to the best.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }

    /// The best level of this machine.
    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::Portable)
    }

    /// The level that the environment asks for, else the best.
    ///
    /// [`Error::UnknownName`] for a name that no level has; whether the level is available is not checked.
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
