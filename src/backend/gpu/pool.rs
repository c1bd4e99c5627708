//! A pool of device memory.
//!
//! Allocation is slow (hundreds of microseconds on CUDA) and operations come in series, so freed buffers are kept by size class
//! and handed out again. Classes are a quarter of a power of two apart: at most a quarter is wasted. When the device refuses,
//! everything in the pool is released and the allocation is tried once more, with the exact size.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::lock::lock;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex};

/// Free buffers, by size class.
#[derive(Debug)]
pub(super) struct Pool<B> {
    free: Mutex<BTreeMap<usize, Vec<B>>>,
}

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self { free: Mutex::default() }
    }
}

impl<B> Pool<B> {
    /// A buffer of at least `bytes`, and its class, for [`put`](Self::put), from the pool or from the device.
    pub(super) fn take(
        &self,
        bytes: usize,
        allocate: impl Fn(usize) -> Result<B, Error>,
    ) -> Result<(usize, B), Error> {
        let class = class_of(bytes);
        if let Some(buffer) = lock(&self.free).get_mut(&class).and_then(Vec::pop) {
            return Ok((class, buffer));
        }
        match allocate(class) {
            Err(Error::DeviceOutOfMemory { .. }) => {
                self.trim();
                allocate(bytes).map(|buffer| (bytes, buffer))
            }
            result => result.map(|buffer| (class, buffer)),
        }
    }

    /// Returns a buffer to the pool. No work may use it any more.
    pub(super) fn put(&self, class: usize, buffer: B) {
        // A buffer of an exact size has no class and would never be found.
        if class == class_of(class) {
            lock(&self.free).entry(class).or_default().push(buffer);
        }
    }

    /// Releases all buffers in the pool to the device.
    pub(super) fn trim(&self) {
        let free = std::mem::take(&mut *lock(&self.free));
        drop(free);
    }
}

/// A buffer that outlives the operation that made it, and returns to its pool when the last reference is dropped.
pub(super) struct Lease<B> {
    pool: Arc<Pool<B>>,
    class: usize,
    bytes: usize,
    buffer: Option<B>,
    tainted: AtomicBool,
}

impl<B> Lease<B> {
    /// A buffer of a class, of which `bytes` are in use.
    pub(super) fn new(pool: &Arc<Pool<B>>, class: usize, bytes: usize, buffer: B) -> Self {
        Self { pool: Arc::clone(pool), class, bytes, buffer: Some(buffer), tainted: AtomicBool::new(false) }
    }

    /// The bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The buffer.
    pub(super) fn buffer(&self) -> &B {
        self.buffer.as_ref().expect("a buffer until dropped")
    }

    /// Whether the buffer goes back to this pool, and so is in the memory of its device.
    pub(super) fn is_of(&self, pool: &Arc<Pool<B>>) -> bool {
        Arc::ptr_eq(&self.pool, pool)
    }

    /// Marks a buffer that work may still use when it is dropped: it must be released to the device, which waits for work.
    pub(super) fn taint(&self) {
        self.tainted.store(true, Ordering::Relaxed);
    }
}

impl<B> Drop for Lease<B> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take().filter(|_| !*self.tainted.get_mut()) {
            self.pool.put(self.class, buffer);
        }
    }
}

/// The smallest 2^k, 1.25, 1.5 or 1.75 times 2^k that is not below `bytes`, and at least 256.
fn class_of(bytes: usize) -> usize {
    let bytes = bytes.max(256);
    let quarter = (1 << bytes.ilog2()) / 4;
    bytes.next_multiple_of(quarter)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Pool, class_of};
    use crate::error::Error;

    #[test]
    fn classes_hold_and_waste_a_quarter_at_most() {
        for bytes in (0..5000).chain([1 << 30, (1 << 30) + 1, (7 << 28) + 1, (1 << 40) - 1]) {
            let class = class_of(bytes);
            assert!(class >= bytes && class_of(class) == class, "{bytes}");
            assert!(bytes < 256 || class <= bytes + bytes / 4, "{bytes} in {class}");
        }
    }
    /// On a device of 1000 bytes: buffers are handed out again, and released when the device refuses; then exactly what is needed is
    /// allocated, and does not return to the pool.
    #[test]
    fn a_refusal_empties_the_pool() {
        let memory = Arc::new(());
        let free = |bytes: usize| bytes + 256 * (Arc::strong_count(&memory) - 1) <= 1000;
        let allocate = |bytes: usize| match free(bytes) {
            true => Ok(Arc::clone(&memory)),
            false => Err(Error::DeviceOutOfMemory { device: "a test's".into(), requested: bytes as u64 }),
        };
        let pool = Pool::default();
        let taken: Vec<_> = (0..3).map(|_| pool.take(200, allocate).unwrap()).collect();
        taken.into_iter().for_each(|(class, buffer)| {
            assert_eq!(class, 256);
            pool.put(class, buffer);
        });
        let (class, buffer) = pool.take(256, |_| panic!("there are buffers")).unwrap();
        pool.put(class, buffer);
        assert_eq!(Arc::strong_count(&memory), 4);
        // 1000 bytes have the class 1024, which the device has not at all.
        let (class, buffer) = pool.take(1000, allocate).unwrap();
        assert_eq!((class, Arc::strong_count(&memory)), (1000, 2));
        let refused = pool.take(900, allocate).map(|(class, _)| class);
        assert_eq!(refused, Err(Error::DeviceOutOfMemory { device: "a test's".into(), requested: 900 }));
        pool.put(class, buffer);
        assert_eq!(Arc::strong_count(&memory), 1);
    }
}
