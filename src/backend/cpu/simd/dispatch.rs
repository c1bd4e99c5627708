//! Which vectors a level has, and how work is compiled for them.
//!
//! An algorithm is written once over a *kind* of vectors, a trait that lists the operations that it needs, and compiled for
//! each type that implements the trait. The types are named like the levels whose instructions they use. `kinds!` lists all
//! kinds with their types; [`on_vectors`] is the only place that chooses among these for a level: it takes the type of that
//! level or, where the kind has none, of the best level below. A level for which there is none at all has to do with code
//! for one element at a time.
//!
//! A function is compiled for the instructions that its own attribute names, whoever calls it. So all code between
//! [`Vectors::enter`], which leads to a function with that attribute, and the operations must become one function: it is
//! `#[inline(always)]`, and has no closures that hold vectors, because nothing forces closures to be inlined.

use std::mem::MaybeUninit;

#[cfg(test)]
use super::Simd;

/// A level as a type.
pub(in crate::backend::cpu) trait Level {
    /// The level.
    #[cfg(test)]
    const SIMD: Simd;

    /// The number of its vector registers.
    const REGISTERS: usize;

    /// Does some work with the instructions of the level.
    ///
    /// # Safety
    /// The processor has them.
    unsafe fn run<V>(work: impl Vectorised<V>);

    /// The same in a function of its own, for parts of such work.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn run_apart<V>(work: impl Vectorised<V>);
}

/// Work as functions with the instructions of the level L. A trait of the work and not of the level, because the compiler makes units of code by the
/// modules of the types whose methods they are: so vector code is in as many as there are modules with such work, which are compiled side by side, and not all in one.
pub(in crate::backend::cpu) trait OnLevel<L, V> {
    /// Does it.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn run_on(self);

    /// Does it in a function that is not inlined.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn run_apart_on(self);
}

/// Lets the frame of the function that this is inlined into begin at a cache line.
///
/// The compiler keeps the vectors for which there are no registers in the frame, and by itself aligns the frame only as callers leave it: by
/// 16 bytes. Then it is a matter of luck, which changes from build to build, whether each of these vectors lies in two cache lines.
#[inline(always)]
pub(super) fn align_frame() {
    #[repr(align(64))]
    struct Line(#[allow(dead_code, reason = "it is there to take its place")] [u8; 64]);
    std::hint::black_box(&mut MaybeUninit::<Line>::uninit());
}

/// Whether parts that stand in many places, such as products and permutations, are functions of their own: with debug assertions, as in tests. Copies of such long straight code are half of what the compiler
/// has to do for the crate, and a call costs little beside them; a build without debug assertions has them inlined.
pub(in crate::backend::cpu) const APART: bool = cfg!(debug_assertions);

/// Vectors: elements side by side, with the operations of some kind.
pub(in crate::backend::cpu) trait Vectors: Sized {
    /// The level whose instructions the operations use.
    type Level: Level;

    /// The number of elements.
    const WIDTH: usize;

    /// Does some work with the instructions of the level. Only where the processor has them.
    #[inline(always)]
    fn enter(work: impl Vectorised<Self>) {
        // SAFETY: vectors are chosen by the level of a `Cpu`, whose constructor has found the instructions in this processor,
        // and by tests that look first.
        unsafe { Self::Level::run(work) }
    }

    /// Does a part of some work that has been entered, which stands in many places: inlined as all else, or where [parts are apart](APART) in a function of its own.
    #[inline(always)]
    fn part(work: impl Vectorised<Self>) {
        if APART {
            // SAFETY: as above.
            unsafe { Self::Level::run_apart(work) }
        } else {
            work.run();
        }
    }
}

/// Vectors that are elements side by side in memory.
///
/// # Safety
/// `WIDTH` elements are as many bytes as a vector, of which any values make a vector, and any values elements.
pub(in crate::backend::cpu) unsafe trait Elements: Vectors + Copy {
    /// An element.
    type Element;

    /// The elements at the head of `elements`.
    #[inline(always)]
    fn load(elements: &[Self::Element]) -> Self {
        let elements = &elements[..Self::WIDTH];
        // SAFETY: as many bytes as a vector, by the promise of the trait.
        unsafe { elements.as_ptr().cast::<Self>().read_unaligned() }
    }

    /// Writes the elements to the head of `elements`.
    #[inline(always)]
    fn store(self, elements: &mut [Self::Element]) {
        let elements = &mut elements[..Self::WIDTH];
        // SAFETY: as above.
        unsafe { elements.as_mut_ptr().cast::<Self>().write_unaligned(self) }
    }
}

/// Work that can be done on the vectors `V`, once it has been compiled for their level by [`Vectors::enter`].
pub(in crate::backend::cpu) trait Vectorised<V> {
    /// Does it.
    fn run(self);
}

/// Makes [`on_vectors`] and the tests' list from the kinds of vectors. Each kind has its name, its module, and for an architecture the
/// levels of which the module has a type, the best first.
macro_rules! kinds {
    ($d:tt $($(#[$cfg:meta])* $kind:ident, $module:ident, $($architecture:tt: $($level:ident)+),+;)+) => {
        /// Evaluates an expression with a name standing for the vectors of a kind that a level has, which must be available;
        /// another expression where it has none.
        macro_rules! on_vectors {
            $(($d simd:expr, $kind as $d vectors:ident => $d body:expr, else $d other:expr) => {
                match $d simd {
                    $($(
                        #[cfg(target_arch = $architecture)]
                        level if level >= $d crate::backend::cpu::Simd::$level => {
                            type $d vectors = $d crate::backend::cpu::$module::$level;
                            $d body
                        }
                    )+)+
                    _ => $d other,
                }
            };)+
        }
        pub(in crate::backend::cpu) use on_vectors;

        /// Every kind: its name, the levels of which it has vectors, and which of them a level takes, with their width.
        #[cfg(test)]
        const KINDS: &[(&str, &[Simd], fn(Simd) -> (Simd, usize))] = &[$(
            $(#[$cfg])*
            (
                stringify!($kind),
                &[$($(#[cfg(target_arch = $architecture)] Simd::$level,)+)+],
                |simd| on_vectors!(
                    simd,
                    $kind as V => (<V as Vectors>::Level::SIMD, V::WIDTH),
                    else (Simd::Portable, 1)
                ),
            ),
        )+];
    };
}

kinds! { $
    Lanes, lanes, "x86_64": Avx512 Avx2;
    Doubles, doubles, "x86_64": Avx512 Avx2, "aarch64": Neon;
    Words32, words, "x86_64": Avx512 Avx2, "aarch64": Neon;
    Words64, keccak, "x86_64": Avx512 Avx2;
    #[cfg(feature = "bn254")]
    Quadwords, quadwords, "x86_64": Avx512Ifma;
}

/// The level whose vectors of a kind some level takes, and their width.
#[cfg(test)]
pub(in crate::backend::cpu) fn vectors_of(kind: &str, simd: Simd) -> (Simd, usize) {
    let (_, _, choose) = KINDS.iter().find(|(name, ..)| *name == kind).expect("a kind of vectors");
    choose(simd)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of the machine that tests run on, all that it has: what the tests of every level go through, so that none of
    /// them is one of the portable level alone.
    #[test]
    fn levels_of_this_machine() {
        let levels: Vec<_> = Simd::available().collect();
        println!("levels: {}", levels.iter().map(|level| level.name()).collect::<Vec<_>>().join(", "));
        assert!(levels.is_sorted() && levels[0] == Simd::Portable);
        assert_eq!(levels.last(), Some(&Simd::best()));
        #[cfg(target_arch = "aarch64")]
        assert_eq!(levels, [Simd::Portable, Simd::Neon]);
    }

    /// Of all levels of the architecture, whether this machine has them or not, since nothing is entered.
    #[test]
    fn a_better_level_is_at_least_as_wide() {
        for &(kind, levels, choose) in KINDS {
            let mut below = 1;
            for simd in Simd::ALL {
                let (chosen, width) = choose(simd);
                assert!(
                    width >= below,
                    "{kind}: {width} elements side by side with {simd}, {below} below it"
                );
                assert!(chosen <= simd, "{kind}: {simd} takes the vectors of {chosen}");
                assert!(chosen == simd || !levels.contains(&simd), "{kind}: {simd} takes those of {chosen}");
                below = width;
            }
        }
    }
}
