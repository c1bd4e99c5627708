//! The names of the proposal "Blackboxing MSM and FFT" for halo2: thin forms of the functions of zkaccel.h.

use std::ffi::{CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use crate::bn254::{
    zka_bn254_fr, zka_bn254_g1_aff, zka_bn254_g1_msm, zka_bn254_g1_msm_async, zka_bn254_g1_prj,
};
use crate::engine::{ZKA_ABI_VERSION, zka_engine, zka_engine_new, zka_engine_shutdown};
use crate::future::{zka_future, zka_wait};
use crate::options::{zka_options_free, zka_options_new, zka_options_set_device, zka_options_set_threads};
use crate::status::{ZKA_OK, last_text, zka_status};

/// An engine, as the proposal calls it.
pub type engine_t = zka_engine;

/// An operation under way; waited for exactly once.
pub type engine_future_t = zka_future;

/// What is told of an error: the context it was set with, a status of zkaccel.h, and a text.
pub type h2k_error_handler = Option<unsafe extern "C" fn(*mut c_void, i32, *const c_char)>;

/// Sets what is called on errors of the functions of this header, on the thread that called them; NULL is the default again, which
/// prints the error and aborts. When a handler returns, so does the function: with NULL, with a future that is none, or with
/// unspecified output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn h2k_set_error_handler(handler: h2k_error_handler, context: *mut c_void) {
    *HANDLER.lock().unwrap_or_else(PoisonError::into_inner) = Handler { handler, context };
}

/// Makes an engine on the best device present, with all threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_init() -> *mut engine_t {
    // SAFETY: a text that is constant.
    unsafe { engine_init_with(c"auto".as_ptr(), 0) }
}

/// Makes an engine on a device, "auto", "cpu", "cuda:0" and so on, with a number of threads, 0 for all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_init_with(device: *const c_char, threads: usize) -> *mut engine_t {
    let (mut engine, mut options) = (null_mut(), null_mut());
    // SAFETY: pointers to variables, and the caller's promise for the text.
    let status = unsafe {
        let mut status = zka_options_new(&mut options);
        if status == ZKA_OK {
            status = zka_options_set_device(options, device);
        }
        if status == ZKA_OK {
            status = zka_options_set_threads(options, u32::try_from(threads).unwrap_or(u32::MAX));
        }
        if status == ZKA_OK {
            status = zka_engine_new(&mut engine, ZKA_ABI_VERSION, options);
        }
        zka_options_free(options);
        status
    };
    report(status);
    engine
}

/// Waits for all work and frees the engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_shutdown(engine: *mut engine_t) {
    // SAFETY: handles need no promise.
    report(unsafe { zka_engine_shutdown(engine) });
}

/// Waits for an operation, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_wait(engine: *mut engine_t, future: engine_future_t) {
    // SAFETY: numbers need no promise.
    report(unsafe { zka_wait(engine, future) });
}

/// The sum of `len` coefficients times points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn h2k_bn254_multi_scalar_mul(
    engine: *mut engine_t,
    r: *mut zka_bn254_g1_prj,
    coefs: *const zka_bn254_fr,
    points: *const zka_bn254_g1_aff,
    len: usize,
) {
    // SAFETY: the caller's promise.
    report(unsafe { zka_bn254_g1_msm(engine, r, coefs, points, len) });
}

/// `h2k_bn254_multi_scalar_mul`, started: `r`, `coefs` and `points` are the operation's until `engine_wait` has returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn h2k_bn254_multi_scalar_mul_async(
    engine: *mut engine_t,
    r: *mut zka_bn254_g1_prj,
    coefs: *const zka_bn254_fr,
    points: *const zka_bn254_g1_aff,
    len: usize,
) -> engine_future_t {
    let mut future = zka_future { id: 0 };
    // SAFETY: the caller's promise, and a pointer to a variable.
    report(unsafe { zka_bn254_g1_msm_async(engine, r, coefs, points, len, &mut future) });
    future
}

struct Handler {
    handler: h2k_error_handler,
    context: *mut c_void,
}

// SAFETY: the caller's promise: whichever thread calls a function of this header may call the handler.
unsafe impl Send for Handler {}

static HANDLER: Mutex<Handler> = Mutex::new(Handler { handler: None, context: null_mut() });

fn report(status: zka_status) {
    if status == ZKA_OK {
        return;
    }
    let text = last_text();
    let Handler { handler, context } = *HANDLER.lock().unwrap_or_else(PoisonError::into_inner);
    match handler {
        Some(handler) => {
            let text = CString::new(text).unwrap_or_default();
            // SAFETY: the caller's promise: the function takes its context, and returns or ends the program.
            unsafe { handler(context, status, text.as_ptr()) }
        }
        None => {
            eprintln!("zkaccel: {text}");
            std::process::abort();
        }
    }
}
