//! A matrix that several threads read and write at once, each at different words.
//!
//! The tiles of a strided pass interleave: each owns a few neighbouring words of very many rows. Slices cannot express
//! that division without a list of a slice per tile and row, an eighth as many slices as there are words; hence
//! pointers.

use std::marker::PhantomData;

use super::tile::LANES;
use crate::field::Goldilocks;

/// Words to read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    words: *const u64,
    len: usize,
    borrow: PhantomData<&'a [u64]>,
}

/// Words to write.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    words: *mut u64,
    len: usize,
    borrow: PhantomData<&'a mut [u64]>,
}

// SAFETY: words are plain data, and callers of the unsafe functions that read or write them promise that no other thread writes
// the same words meanwhile.
unsafe impl Send for Source<'_> {}
// SAFETY: as above.
unsafe impl Sync for Source<'_> {}
// SAFETY: as above.
unsafe impl Send for Target<'_> {}
// SAFETY: as above.
unsafe impl Sync for Target<'_> {}

/// Words between a cache line's beginning and the first element.
pub(super) fn misalignment(elements: &[Goldilocks]) -> usize {
    Source::new(elements).misalignment()
}

impl<'a> Source<'a> {
    pub(super) fn new(elements: &'a [Goldilocks]) -> Self {
        let words: &[u64] = bytemuck::cast_slice(elements);
        Self { words: words.as_ptr(), len: words.len(), borrow: PhantomData }
    }

    /// Words between the cache line's beginning and the first word.
    pub(super) fn misalignment(self) -> usize {
        self.words as usize / size_of::<u64>() % LANES
    }

    /// Prefetches the cache line of the word at `offset`, which may lie beyond the slice.
    #[inline(always)]
    pub(super) fn prefetch(self, offset: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a hint, which no address makes fail.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.words.wrapping_add(offset).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = offset;
    }

    /// Eight words from `offset` on.
    ///
    /// # Safety
    /// They lie within the slice, and nothing writes them while the reference lives.
    #[inline(always)]
    pub(super) unsafe fn row(self, offset: usize) -> &'a [u64; LANES] {
        debug_assert!(offset + LANES <= self.len);
        // SAFETY: within the slice and not written meanwhile, by the caller's promise.
        unsafe { &*self.words.add(offset).cast() }
    }

    /// The word at `offset`.
    ///
    /// # Safety
    /// It lies within the slice, and no other thread writes it meanwhile.
    #[inline(always)]
    pub(super) unsafe fn read(self, offset: usize) -> u64 {
        debug_assert!(offset < self.len);
        // SAFETY: within the slice and unshared, by the caller's promise.
        unsafe { self.words.add(offset).read() }
    }
}

impl<'a> Target<'a> {
    pub(super) fn new(elements: &'a mut [Goldilocks]) -> Self {
        let words: &mut [u64] = bytemuck::cast_slice_mut(elements);
        Self { words: words.as_mut_ptr(), len: words.len(), borrow: PhantomData }
    }

    /// Words between the cache line's beginning and the first word.
    pub(super) fn misalignment(self) -> usize {
        self.source().misalignment()
    }

    /// The number of words.
    pub(super) fn len(self) -> usize {
        self.len
    }

    /// The words from `first` on, at most as many as there are.
    pub(super) fn from(self, first: usize) -> Self {
        assert!(first <= self.len, "words {first} and on of {}", self.len);
        // SAFETY: within the slice or at its end.
        Self { words: unsafe { self.words.add(first) }, len: self.len - first, borrow: PhantomData }
    }

    /// The same words, to read.
    pub(super) fn source(self) -> Source<'a> {
        Source { words: self.words, len: self.len, borrow: PhantomData }
    }

    /// Eight words from `offset` on.
    ///
    /// # Safety
    /// They lie within the slice, and nothing else reads or writes them while the reference lives.
    #[inline(always)]
    pub(super) unsafe fn row(self, offset: usize) -> &'a mut [u64; LANES] {
        debug_assert!(offset + LANES <= self.len);
        // SAFETY: within the slice and not shared, by the caller's promise.
        unsafe { &mut *self.words.add(offset).cast() }
    }

    /// Writes the word at `offset`.
    ///
    /// # Safety
    /// It lies within the slice, and no other thread reads or writes it meanwhile.
    #[inline(always)]
    pub(super) unsafe fn write(self, offset: usize, word: u64) {
        debug_assert!(offset < self.len);
        // SAFETY: within the slice and unshared, by the caller's promise.
        unsafe { self.words.add(offset).write(word) }
    }
}
