//! How much stack the calling thread has left.

use std::cell::Cell;

/// The lowest address of a stack, and the first above it; both zero where they are not known.
type Bounds = [usize; 2];

thread_local! {
    /// Those of this thread's stack, once they were asked for.
    static BOUNDS: Cell<Option<Bounds>> = const { Cell::new(None) };
}

/// Whether this thread has so many bytes of its stack left; not if that is not known.
pub(crate) fn has_room(bytes: usize) -> bool {
    let [lowest, end] = BOUNDS.get().unwrap_or_else(|| {
        let bounds = bounds().unwrap_or_default();
        BOUNDS.set(Some(bounds));
        bounds
    });
    // Stacks grow down on every architecture that this crate has been tried on. A coroutine is on another stack than its thread's.
    let here = 0u8;
    let address = (&raw const here).addr();
    (lowest..end).contains(&address) && address - lowest >= bytes
}

/// The bounds of this thread's stack, by its C library.
#[cfg(target_os = "linux")]
fn bounds() -> Option<Bounds> {
    use std::ffi::{c_int, c_ulong, c_void};
    /// `pthread_attr_t`: at most 64 bytes in glibc and musl, on every architecture.
    #[repr(C, align(16))]
    struct Attributes([u8; 128]);
    unsafe extern "C" {
        // Of the C library that `std` links: pthread_self(3), pthread_getattr_np(3), pthread_attr_getstack(3), pthread_attr_destroy(3).
        fn pthread_self() -> c_ulong;
        fn pthread_getattr_np(thread: c_ulong, attributes: *mut Attributes) -> c_int;
        fn pthread_attr_getstack(
            attributes: *const Attributes,
            start: *mut *mut c_void,
            size: *mut usize,
        ) -> c_int;
        fn pthread_attr_destroy(attributes: *mut Attributes) -> c_int;
    }
    let mut attributes = Attributes([0; 128]);
    let (mut start, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are memory for such a structure and more, which the call fills; `pthread_t` is an unsigned long or, in musl, a pointer, which is passed in the same way.
    if unsafe { pthread_getattr_np(pthread_self(), &mut attributes) } != 0 {
        return None;
    }
    // SAFETY: the attributes were filled, and both results are memory for what is written there.
    let found = unsafe { pthread_attr_getstack(&attributes, &mut start, &mut size) };
    // SAFETY: they were filled, and are not used any more.
    unsafe { pthread_attr_destroy(&mut attributes) };
    let end = start.addr().checked_add(size)?;
    (found == 0).then_some([start.addr(), end])
}

/// The same.
#[cfg(target_os = "macos")]
fn bounds() -> Option<Bounds> {
    use std::ffi::c_void;
    unsafe extern "C" {
        // Of the C library that `std` links.
        fn pthread_self() -> *mut c_void;
        fn pthread_get_stackaddr_np(thread: *mut c_void) -> *mut c_void;
        fn pthread_get_stacksize_np(thread: *mut c_void) -> usize;
    }
    // SAFETY: questions about the calling thread, which exists.
    let (highest, size) =
        unsafe { (pthread_get_stackaddr_np(pthread_self()), pthread_get_stacksize_np(pthread_self())) };
    let lowest = highest.addr().checked_sub(size)?;
    Some([lowest, highest.addr()])
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn bounds() -> Option<Bounds> {
    None
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::has_room;

    /// The bytes that are left, to a page.
    fn left() -> usize {
        const PAGE: usize = 4096;
        let pages = (0..1 << 20).collect::<Vec<usize>>();
        pages.partition_point(|pages| has_room(pages * PAGE)) * PAGE
    }

    /// The bytes that are left in a function that has taken so many.
    #[inline(never)]
    fn left_below<const TAKEN: usize>() -> usize {
        let taken = black_box([1u8; TAKEN]);
        let left = left();
        black_box(&taken);
        left
    }

    /// The system may give a thread a larger stack, that of another which has ended.
    #[test]
    fn what_is_in_use_is_not_there() {
        const TAKEN: usize = 1 << 20;
        let check = || {
            if cfg!(any(target_os = "linux", target_os = "macos")) {
                let (all, rest) = (left(), left_below::<TAKEN>());
                assert!(all > 3 << 20, "{all}");
                // Without optimisation there is more than one copy.
                assert!((all - 3 * TAKEN..=all - TAKEN).contains(&rest), "{rest} of {all}");
            }
            assert!(!has_room(usize::MAX));
        };
        std::thread::Builder::new().stack_size(4 << 20).spawn(check).unwrap().join().unwrap();
    }
}
