//! The fuzzer's handlers of signals, by which it keeps the input that has crashed: drivers of OpenCL put their own in place of them.

use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// The signals of crashes.
const SIGNALS: [i32; 5] = [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];

static REMEMBERED: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// Puts the handlers back that were there when this was called first, before the first input.
pub fn restore() {
    let remembered = REMEMBERED.get_or_init(|| {
        SIGNALS.map(|signal| {
            let mut action = MaybeUninit::uninit();
            // SAFETY: a pointer to memory for an action, which is written.
            unsafe {
                assert_eq!(libc::sigaction(signal, null(), action.as_mut_ptr()), 0);
                action.assume_init()
            }
        })
    });
    for (signal, action) in SIGNALS.into_iter().zip(remembered) {
        // SAFETY: an action that was in place before.
        assert_eq!(unsafe { libc::sigaction(signal, action, null_mut()) }, 0);
    }
}
