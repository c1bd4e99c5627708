//! Signals: temporary files and folders are removed before a signal ends the command.
//!
//! Afterwards the signal takes its default effect, so that a shell sees status 130 for SIGINT, 143 for SIGTERM and 129 for SIGHUP, and ends
//! a loop that runs the command. A signal that was ignored when the command started, as `nohup` does with SIGHUP, stays ignored.

use std::ptr;
use std::sync::mpsc::channel;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::temporary::undisturbed;

/// Installs the clean-up on signals. If there is no thread to wait for them, they take their default effect at once.
pub(crate) fn handle() {
    let (ready, is_ready) = channel();
    let waiter = move || {
        let signals = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
        let signals = Signals::new(signals);
        let _ = ready.send(());
        if let Some(signal) = signals.ok().and_then(|mut signals| signals.forever().next()) {
            // Held to the end, so that no new file appears and no half-made result is published.
            let mut unfinished = undisturbed();
            unfinished.remove_all();
            let _ = emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    };
    if thread::Builder::new().name("zkaccel-signals".into()).spawn(waiter).is_ok() {
        // An error means that the thread has ended.
        let _ = is_ready.recv();
    }
}

fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the call only writes the present one to `action`, which is read if the call succeeds.
    unsafe {
        libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
