//! Engines: made, asked about, and shut down when nothing runs on them any more.

use std::cell::RefCell;
use std::ffi::c_char;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use accel::device::{DeviceInfo, DeviceKind, devices, free_memory};
use accel::provider as loader;
use accel::{Engine, Error};

use crate::arguments::Arguments;
use crate::future::Futures;
use crate::handles::{Handles, Kind};
use crate::options::{Options, options_of, zka_options};
use crate::status::{
    Failure, ZKA_ABI_MISMATCH, ZKA_BAD_ARGUMENT, ZKA_INTERNAL, ZKA_SHUTTING_DOWN, ZKA_WRONG_ENGINE, cut,
    guard, zka_status,
};

/// The version of this interface, for `zka_engine_new`: the upper 16 bits change when something is taken away or changed, the
/// lower ones when something is added.
pub const ZKA_ABI_VERSION: u32 = 0x0001_0000;

/// An engine: a device, its threads and its limits. It may be used by any threads at once.
pub struct zka_engine {
    _opaque: (),
}

/// A processor.
pub const ZKA_KIND_CPU: i32 = 0;
/// A graphics processor.
pub const ZKA_KIND_GPU: i32 = 1;
/// Anything else.
pub const ZKA_KIND_OTHER: i32 = 2;

/// What is known of a device. Texts end with a zero and are cut where they are longer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct zka_device {
    /// The name by which it is asked for, such as "cpu" or "cuda:0".
    pub id: [c_char; 32],
    /// What it is.
    pub description: [c_char; 160],
    /// Its driver and the driver's version; empty where it has none.
    pub driver: [c_char; 64],
    /// Why an engine uses it.
    pub reason: [c_char; 240],
    /// Its memory in bytes; 0 where the system does not tell.
    pub memory: u64,
    /// Threads or compute units.
    pub units: u64,
    /// One of `ZKA_KIND_...`.
    pub kind: i32,
    /// Zero.
    pub reserved: i32,
}

/// The version of the interface that this library has; compare with `ZKA_ABI_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn zka_abi_version() -> u32 {
    ZKA_ABI_VERSION
}

/// The functions on Goldilocks: `zka_goldilocks_ntt` and `zka_goldilocks_lde`.
pub const ZKA_CAN_GOLDILOCKS: u64 = 1;
/// Digests of rows and Merkle trees over `ZKA_HASH_RP64_256`.
pub const ZKA_CAN_RP64_256: u64 = 2;
/// Digests of rows and Merkle trees over `ZKA_HASH_RP64_256_V2021`.
pub const ZKA_CAN_RP64_256_V2021: u64 = 4;
/// Digests of rows and Merkle trees over `ZKA_HASH_BLAKE3`.
pub const ZKA_CAN_BLAKE3: u64 = 8;
/// Digests of rows and Merkle trees over `ZKA_HASH_RP_JIVE64_256`.
pub const ZKA_CAN_RP_JIVE64_256: u64 = 256;
/// Digests of rows and Merkle trees over `ZKA_HASH_RPO256`.
pub const ZKA_CAN_RPO256: u64 = 512;
/// Digests of rows and Merkle trees over `ZKA_HASH_RPX256`.
pub const ZKA_CAN_RPX256: u64 = 1024;
/// Digests of rows and Merkle trees over `ZKA_HASH_POSEIDON2_8`.
pub const ZKA_CAN_POSEIDON2_8: u64 = 2048;
/// Digests of rows and Merkle trees over `ZKA_HASH_POSEIDON2_12`.
pub const ZKA_CAN_POSEIDON2_12: u64 = 4096;
/// Digests of rows and Merkle trees over `ZKA_HASH_KECCAK256`.
pub const ZKA_CAN_KECCAK256: u64 = 8192;
/// Digests of rows and Merkle trees over `ZKA_HASH_SHA256`.
pub const ZKA_CAN_SHA256: u64 = 16384;
/// Digests of rows and Merkle trees over `ZKA_HASH_SHA3_256`.
pub const ZKA_CAN_SHA3_256: u64 = 32768;
/// `zka_bn254_g1_msm`.
pub const ZKA_CAN_BN254_MSM: u64 = 32;
/// `zka_bn254_g1_bases_new`, `zka_bn254_g1_msm_bases` and `zka_bn254_g1_msm_batch`.
pub const ZKA_CAN_BN254_BASES: u64 = 64;
/// `zka_bn254_fr_fft`.
pub const ZKA_CAN_BN254_FFT: u64 = 128;
/// The `..._async` form of everything else that it can do, with `zka_wait`, `zka_poll` and `zka_detach`.
pub const ZKA_CAN_ASYNC: u64 = 16;

/// Tells which functions a library has, as the sum of `ZKA_CAN_...`. Whoever loads a library of this interface asks this before it
/// uses the functions; one that lacks some need not export them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_capabilities(bits: *mut u64) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let bits = unsafe { Arguments::new() }.output("bits", bits, 1)?;
        let trees = loader::HASHES.iter().fold(0, |bits, hash| bits | hash.bit);
        let bn254 = ZKA_CAN_BN254_MSM | ZKA_CAN_BN254_BASES | ZKA_CAN_BN254_FFT;
        bits.write(&[ZKA_CAN_GOLDILOCKS | trees | bn254 | ZKA_CAN_ASYNC]);
        Ok(())
    })
}

/// Counts the devices of this machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_device_count(out: *mut usize) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[devices().len()]);
        Ok(())
    })
}

/// Describes one of the devices of this machine, by its number from 0 on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_device_info(out: *mut zka_device, index: usize) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        let devices = devices();
        let device = devices.get(index);
        let device = device.ok_or(Error::IndexOutOfRange { index, len: devices.len() })?;
        out.write(&[describe(device)]);
        Ok(())
    })
}

/// The bytes of the memory of one of the devices of this machine, by its number from 0 on, that nobody uses now; 0 where its driver does
/// not tell. CUDA starts the device for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_device_free_memory(out: *mut u64, index: usize) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        let devices = devices();
        let device = devices.get(index).ok_or(Error::IndexOutOfRange { index, len: devices.len() })?;
        out.write(&[device.id.parse().ok().and_then(free_memory).unwrap_or(0)]);
        Ok(())
    })
}

/// Makes an engine. `abi` is `ZKA_ABI_VERSION` of the header; `options` may be NULL for the defaults, and may be freed after.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_engine_new(
    out: *mut *mut zka_engine,
    abi: u32,
    options: *const zka_options,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        if abi >> 16 != ZKA_ABI_VERSION >> 16 || abi > ZKA_ABI_VERSION {
            let text = format!("the header is of version {abi:#x}, the library of {ZKA_ABI_VERSION:#x}");
            return Err(Failure::new(ZKA_ABI_MISMATCH, text));
        }
        let shared = SharedEngine::new(options_of(options)?)?;
        out.write(&[ENGINES.insert(Arc::new(shared))]);
        Ok(())
    })
}

/// Describes the device of an engine and why it is the one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_engine_device(engine: *const zka_engine, out: *mut zka_device) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[describe(find(engine)?.engine.device())]);
        Ok(())
    })
}

/// Shuts an engine down: takes no new work, waits until all its work is done and all callbacks have returned, and frees it.
///
/// Futures that nobody waited for are void then; their operations are complete and what they have made is their caller's.
/// Trees, matrices and bases may be used and freed after it. Of several threads that shut down one engine one succeeds; the others get
/// `ZKA_SHUTTING_DOWN`, as does every other call from now on. A callback cannot shut down its own engine: `ZKA_BAD_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_engine_shutdown(engine: *mut zka_engine) -> zka_status {
    guard(|| {
        let shared = find(engine)?;
        if CALLING_BACK.with_borrow(|engines| engines.contains(&shared.number)) {
            return Err(Failure::new(ZKA_BAD_ARGUMENT, "a callback cannot shut down the engine it runs on"));
        }
        let mut gate = shared.lock_gate();
        if gate.closing {
            return Err(shutting_down());
        }
        gate.closing = true;
        while gate.running > 0 {
            gate = shared.idle.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
        drop(gate);
        ENGINES.remove(engine)?;
        shared.futures.clear();
        Ok(())
    })
}

static ENGINES: Handles<SharedEngine> = Handles::new(Kind::Engine);

thread_local! {
    /// The engines whose callbacks this thread is in.
    static CALLING_BACK: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// An engine and what is under way on it.
pub(crate) struct SharedEngine {
    pub(crate) engine: Engine,
    /// The number that its futures carry; never given twice.
    pub(crate) number: u64,
    pub(crate) futures: Futures,
    gate: Mutex<Gate>,
    idle: Condvar,
}

#[derive(Default)]
struct Gate {
    closing: bool,
    running: usize,
}

/// Work under way: a shutdown waits until it is dropped.
pub(crate) struct Running {
    shared: Arc<SharedEngine>,
}

/// Engines have numbers from 1 to this.
const LAST_ENGINE: u64 = (1 << 24) - 1;
static NEXT_ENGINE: AtomicU64 = AtomicU64::new(1);

/// Whether an engine with this number was made at some time.
pub(crate) fn was_made(number: u64) -> bool {
    (1..NEXT_ENGINE.load(Ordering::Relaxed)).contains(&number)
}

impl SharedEngine {
    fn new(options: Options) -> Result<Self, Failure> {
        let builder =
            Engine::builder().device(options.device).policy(options.policy).check_answers(options.check);
        let builder = options.threads.into_iter().fold(builder, |builder, n| builder.threads(n));
        let builder = options.memory_budget.into_iter().fold(builder, |builder, n| builder.memory_budget(n));
        let builder = options.device_memory.into_iter().fold(builder, |builder, n| builder.device_memory(n));
        let engine = builder.build()?;
        let number = NEXT_ENGINE.fetch_add(1, Ordering::Relaxed);
        if number > LAST_ENGINE {
            return Err(Failure::new(ZKA_INTERNAL, "more engines were made than can be numbered"));
        }
        let (futures, gate, idle) = Default::default();
        Ok(Self { engine, number, futures, gate, idle })
    }

    /// `ZKA_WRONG_ENGINE` unless the engine with this number is this one. `what` is the beginning of the message, such as "the bases belong".
    pub(crate) fn check_owner(&self, number: u64, what: &str) -> Result<(), Failure> {
        match number == self.number {
            true => Ok(()),
            false => Err(Failure::new(ZKA_WRONG_ENGINE, format!("{what} to another engine"))),
        }
    }

    fn lock_gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// Work on an engine; `ZKA_SHUTTING_DOWN` once a shutdown has begun.
    pub(crate) fn on(shared: &Arc<SharedEngine>) -> Result<Self, Failure> {
        let mut gate = shared.lock_gate();
        if gate.closing {
            return Err(shutting_down());
        }
        gate.running += 1;
        Ok(Self { shared: Arc::clone(shared) })
    }

    /// Runs a callback; the shutdown that it asks for is refused.
    pub(crate) fn call_back(self, callback: impl FnOnce()) {
        CALLING_BACK.with_borrow_mut(|engines| engines.push(self.shared.number));
        callback();
        CALLING_BACK.with_borrow_mut(|engines| engines.pop());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut gate = self.shared.lock_gate();
        gate.running -= 1;
        if gate.running == 0 {
            self.shared.idle.notify_all();
        }
    }
}

/// The engine behind a handle; `ZKA_SHUTTING_DOWN` if it was shut down.
pub(crate) fn find(engine: *const zka_engine) -> Result<Arc<SharedEngine>, Failure> {
    match ENGINES.is_gone(engine) {
        true => Err(shutting_down()),
        false => ENGINES.get(engine),
    }
}

fn shutting_down() -> Failure {
    Failure::new(ZKA_SHUTTING_DOWN, "the engine was shut down or is being shut down")
}

fn describe(device: &DeviceInfo) -> zka_device {
    let DeviceInfo { id, kind, description, units, memory, driver, reason } = device;
    zka_device {
        id: text(id),
        description: text(description),
        driver: text(driver.as_deref().unwrap_or_default()),
        reason: text(reason),
        memory: memory.unwrap_or(0),
        units: *units as u64,
        kind: match kind {
            DeviceKind::Cpu => ZKA_KIND_CPU,
            DeviceKind::Gpu => ZKA_KIND_GPU,
            _ => ZKA_KIND_OTHER,
        },
        reserved: 0,
    }
}

/// A text with an ending zero, cut to what fits.
pub(crate) fn text<const N: usize>(text: &str) -> [c_char; N] {
    let mut field = [0; N];
    for (to, from) in field.iter_mut().zip(cut(text, N - 1).as_bytes()) {
        *to = *from as c_char;
    }
    field
}

/// The interface that providers are loaded by is this one.
const _: () = {
    assert!(loader::ABI_VERSION == ZKA_ABI_VERSION && loader::CAN_GOLDILOCKS == ZKA_CAN_GOLDILOCKS);
    assert!(loader::CAN_BN254_MSM == ZKA_CAN_BN254_MSM && loader::CAN_BN254_BASES == ZKA_CAN_BN254_BASES);
    assert!(loader::CAN_BN254_FFT == ZKA_CAN_BN254_FFT);
};

const _: () = assert!(size_of::<zka_device>() == 32 + 160 + 64 + 240 + 8 + 8 + 4 + 4);
