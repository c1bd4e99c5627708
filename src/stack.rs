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
    use super::has_room;

    /// On a thread of its own size.
    fn on(size: usize, check: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new().stack_size(size).spawn(check).unwrap().join().unwrap();
    }

    #[test]
    fn of_threads_of_known_sizes() {
        let known = cfg!(any(target_os = "linux", target_os = "macos"));
        on(4 << 20, move || {
            assert!(!has_room(4 << 20), "more than all");
            assert_eq!(has_room(3 << 20), known);
            assert!(!has_room(usize::MAX));
        });
        // What is in use is not there.
        on(4 << 20, move || {
            #[inline(never)]
            fn deeper(known: bool) {
                let used = std::hint::black_box([1u8; 2 << 20]);
                assert!(!has_room((2 << 20) + 1));
                assert_eq!(has_room(1 << 20), known);
                std::hint::black_box(&used);
            }
            deeper(known);
        });
    }
}
