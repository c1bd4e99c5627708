//! Page-locked host memory, from and to which a device copies directly.
//!
//! The system may move or swap ordinary pages, so a driver first copies their contents to pages that cannot move, before a device
//! accesses them. Locking pages is slow (366 ms a gibibyte on the machine of an H200), so it pays for memory that is used
//! repeatedly: keeping inputs and results in a [`PinnedVec`] saves every copy after the first a pass through memory.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use bytemuck::Pod;

use crate::error::Error;
use crate::memory;

/// Page-locked bytes, which their owner releases when this is dropped.
pub struct Locked {
    start: NonNull<u8>,
    bytes: usize,
    _owner: Box<dyn Send + Sync>,
}

// SAFETY: the memory belongs to this value alone and is plain bytes; the owner, which is Send and Sync, only frees it.
unsafe impl Send for Locked {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for Locked {}

impl Locked {
    /// `bytes` bytes from `start`, which `owner` frees when it is dropped.
    ///
    /// # Safety
    /// The bytes are initialised, readable and writable, and nothing else uses them while the owner lives.
    pub unsafe fn new(start: NonNull<u8>, bytes: usize, owner: impl Send + Sync + 'static) -> Self {
        Self { start, bytes, _owner: Box::new(owner) }
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `new` was promised so many bytes that are initialised and live as long as self.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    /// The bytes, mutably.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nothing else uses them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl std::fmt::Debug for Locked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Locked").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// A vector of fixed length in memory from which and to which an engine's device copies fastest: page-locked where the device
/// benefits from it, otherwise ordinary. [`Engine::pinned`](crate::Engine::pinned) makes it; any operation of any engine accepts
/// its slice.
#[derive(Debug)]
pub struct PinnedVec<T> {
    memory: Memory,
    len: usize,
    of: PhantomData<T>,
}

#[derive(Debug)]
enum Memory {
    Locked(Locked),
    /// Words of the strictest alignment that elements here have.
    Ordinary(Vec<u64>),
}

impl<T: Pod> PinnedVec<T> {
    /// Zeros in memory that `lock` returns for a number of bytes, or in ordinary memory where it returns none.
    pub(crate) fn zeroed(
        len: usize,
        lock: impl FnOnce(usize) -> Result<Option<Locked>, Error>,
    ) -> Result<Self, Error> {
        const { assert!(align_of::<T>() <= align_of::<u64>(), "elements aligned to a word at most") };
        let refused = Error::HostOutOfMemory { bytes: (len as u64).saturating_mul(size_of::<T>() as u64) };
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or(refused)?;
        // An empty vector has no memory to lock.
        let locked = if bytes == 0 { None } else { lock(bytes)? };
        let memory = match locked {
            Some(mut locked) => {
                assert!(locked.bytes >= bytes && locked.start.as_ptr().cast::<T>().is_aligned());
                memory::clear(locked.as_mut_slice());
                Memory::Locked(locked)
            }
            None => Memory::Ordinary(memory::zeroed(bytes.div_ceil(8))?),
        };
        Ok(Self { memory, len, of: PhantomData })
    }

    /// Whether the memory is page-locked.
    pub fn is_locked(&self) -> bool {
        matches!(self.memory, Memory::Locked(_))
    }
}

impl<T: Pod> Deref for PinnedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let bytes = match &self.memory {
            Memory::Locked(locked) => locked.as_slice(),
            Memory::Ordinary(words) => bytemuck::cast_slice(words),
        };
        bytemuck::cast_slice(&bytes[..self.len * size_of::<T>()])
    }
}

impl<T: Pod> DerefMut for PinnedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes = match &mut self.memory {
            Memory::Locked(locked) => locked.as_mut_slice(),
            Memory::Ordinary(words) => bytemuck::cast_slice_mut(words),
        };
        bytemuck::cast_slice_mut(&mut bytes[..self.len * size_of::<T>()])
    }
}

#[cfg(test)]
mod tests {
    use super::{Locked, PinnedVec};
    use crate::error::Error;
    use std::ptr::NonNull;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Memory that counts how often it is freed.
    struct Owner(#[allow(dead_code)] Box<[u64]>, Arc<AtomicUsize>);

    impl Drop for Owner {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn locked_memory_is_cleared_and_given_back_once() {
        let freed = Arc::new(AtomicUsize::new(0));
        let lock = |bytes: usize| {
            let mut memory = vec![u64::MAX; bytes.div_ceil(8)].into_boxed_slice();
            let start = NonNull::new(memory.as_mut_ptr().cast::<u8>()).unwrap();
            // SAFETY: the owner keeps the memory and does not touch it.
            Ok(Some(unsafe { Locked::new(start, bytes, Owner(memory, Arc::clone(&freed))) }))
        };
        let mut vector = PinnedVec::<u64>::zeroed(5, lock).unwrap();
        assert!(vector.is_locked() && *vector == [0; 5]);
        vector[3] = 7;
        assert_eq!(*vector, [0, 0, 0, 7, 0]);
        assert_eq!(freed.load(Ordering::Relaxed), 0);
        drop(vector);
        assert_eq!(freed.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn memory_that_is_not_locked_or_not_to_be_had() {
        let mut vector = PinnedVec::<[u8; 3]>::zeroed(7, |_| Ok(None)).unwrap();
        assert!(!vector.is_locked() && *vector == [[0; 3]; 7]);
        vector[6] = [1, 2, 3];
        assert_eq!(vector.concat()[18..], [1, 2, 3]);
        assert!(PinnedVec::<u64>::zeroed(0, |_| unreachable!("nothing to lock")).unwrap().is_empty());
        let refused = PinnedVec::<u64>::zeroed(usize::MAX, |_| Ok(None)).unwrap_err();
        assert_eq!(refused, Error::HostOutOfMemory { bytes: u64::MAX });
        let refused =
            PinnedVec::<u64>::zeroed(2, |bytes| Err(Error::HostOutOfMemory { bytes: bytes as u64 }));
        assert_eq!(refused.unwrap_err(), Error::HostOutOfMemory { bytes: 16 });
    }
}
