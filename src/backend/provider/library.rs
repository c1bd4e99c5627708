//! A shared library with the C interface of `capi/include/zkaccel.h`: opened, asked for its version and for what it can do,
//! and its functions, each found once.

#![cfg_attr(not(feature = "bn254"), expect(dead_code, reason = "the functions over BN254 have no callers"))]

use std::error::Error as _;
use std::ffi::{CStr, c_char, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr::null_mut;

use libloading::Library;

use crate::error::Error;

/// The version of the C interface: the upper 16 bits change when something is taken away or changed, the lower ones when
/// something is added.
pub const ABI_VERSION: u32 = 0x0001_0000;
/// Transforms over Goldilocks.
pub const CAN_GOLDILOCKS: u64 = 1;
/// Sums over BN254.
pub const CAN_BN254_MSM: u64 = 32;
/// Sums over bases that the library keeps.
pub const CAN_BN254_BASES: u64 = 64;
/// Transforms over BN254.
pub const CAN_BN254_FFT: u64 = 128;

/// A hash as zkaccel.h has it.
#[derive(Clone, Copy, Debug)]
pub struct HashCapability {
    /// Its name.
    pub name: &'static str,
    /// `ZKA_HASH_...`.
    pub number: u32,
    /// `ZKA_CAN_...`: rows and trees over it.
    pub bit: u64,
}

macro_rules! hashes {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// Every hash.
        pub const HASHES: &[HashCapability] =
            &[$(HashCapability { name: $name, number: $number, bit: $capability }),*];
    };
}
crate::for_every_hash!(hashes);

const NULL_POINTER: i32 = 1;
const UNSUPPORTED: i32 = 9;
const DEVICE_OUT_OF_MEMORY: i32 = 11;

/// Handles are opaque: only the library knows what they point to.
pub(super) type Handle = *mut c_void;

/// Functions that a library has together, each found by its name in zkaccel.h.
macro_rules! functions {
    ($($(#[$doc:meta])* $group:ident { $($function:ident = $name:literal: ($($argument:ty),*);)* })*) => {$(
        $(#[$doc])*
        pub(super) struct $group {
            $(pub(super) $function: unsafe extern "C" fn($($argument),*) -> i32,)*
        }

        impl $group {
            /// The error says which function is missing and why it is expected.
            fn find(library: &Library, why: &str) -> Result<Self, String> {
                // SAFETY: the types are those of zkaccel.h.
                Ok(unsafe { Self { $($function: function(library, $name, why)?,)* } })
            }
        }
    )*};
}
functions! {
    /// The functions that every provider has.
    Core {
        capabilities = c"zka_capabilities": (*mut u64);
        engine_new = c"zka_engine_new": (*mut Handle, u32, *const c_void);
        engine_shutdown = c"zka_engine_shutdown": (Handle);
        last_error = c"zka_last_error": (*mut c_char, usize);
    }
    /// Those of transforms over Goldilocks.
    Goldilocks {
        ntt = c"zka_goldilocks_ntt": (Handle, *mut u64, u32, usize, u64, u64, u32);
    }
    /// Those of rows and trees, for any hash.
    Trees {
        hash_rows = c"zka_hash_rows": (Handle, *mut u8, u32, *const u64, usize, usize, u32);
        commit = c"zka_merkle_commit": (Handle, *mut Handle, u32, *const u64, usize, usize, u32);
        nodes = c"zka_tree_nodes": (Handle, *mut u8, usize, usize);
        free = c"zka_tree_free": (Handle);
    }
    /// Those of sums, in memory that is `[u64; 4]` a scalar, `[u64; 8]` a point and `[u64; 12]` a sum.
    Msm {
        msm = c"zka_bn254_g1_msm": (Handle, *mut u64, *const u64, *const u64, usize);
    }
    /// Those of sums over bases that are kept.
    Bases {
        new = c"zka_bn254_g1_bases_new": (Handle, *mut Handle, *const u64, usize, u32);
        msm = c"zka_bn254_g1_msm_bases": (Handle, *mut u64, *const u64, Handle, usize, usize);
        free = c"zka_bases_free": (Handle);
    }
    /// Those of transforms over BN254.
    Fft {
        fft = c"zka_bn254_fr_fft": (Handle, *mut u64, u32, usize, *const u64, *const u64, u32);
    }
}

/// A provider with an engine of its own.
pub(super) struct Provider {
    /// The name by which it was chosen.
    pub(super) name: String,
    pub(super) engine: Handle,
    pub(super) capabilities: u64,
    core: Core,
    pub(super) goldilocks: Option<Goldilocks>,
    pub(super) trees: Option<Trees>,
    pub(super) msm: Option<Msm>,
    pub(super) bases: Option<Bases>,
    pub(super) fft: Option<Fft>,
    /// Never closed: a library may leave threads and thread-local values behind that need its code.
    _library: ManuallyDrop<Library>,
}

// SAFETY: the interface says that an engine may be used by any threads at once; a provider promises that.
unsafe impl Send for Provider {}
// SAFETY: as above.
unsafe impl Sync for Provider {}

/// A function of a library; the error says that it is missing and why it is expected.
///
/// # Safety
/// `F` is the type of the function with this name in zkaccel.h.
unsafe fn function<F: Copy>(library: &Library, name: &CStr, why: &str) -> Result<F, String> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<F>(name) };
    found
        .map(|function| *function)
        .map_err(|_| format!("it {why} and does not export {}", name.to_string_lossy()))
}

impl Provider {
    /// Opens a library and makes an engine of it; the error says why it is not a provider.
    pub(super) fn open(name: &str, path: &Path) -> Result<Self, String> {
        // SAFETY: opening a library runs its initialisers: the user who names it trusts it to be a provider.
        let library =
            ManuallyDrop::new(unsafe { Library::new(path) }.map_err(|error| match error.source() {
                Some(cause) => format!("{error}: {cause}"),
                None => error.to_string(),
            })?);
        let must = "is to be a provider";
        // SAFETY: the type is that of zkaccel.h.
        let version = unsafe { function::<extern "C" fn() -> u32>(&library, c"zka_abi_version", must)?() };
        let core = Core::find(&library, must)?;
        // It may be newer in what it adds, not in what it changes.
        if version >> 16 != ABI_VERSION >> 16 || version < ABI_VERSION {
            return Err(format!(
                "it has version {version:#x} of the C interface, expected {ABI_VERSION:#x} or a later one with the \
                 same upper 16 bits"
            ));
        }
        let mut bits = 0;
        // SAFETY: a pointer to a variable.
        let status = unsafe { (core.capabilities)(&mut bits) };
        if status != 0 {
            return Err(format!("it does not report its capabilities: status {status}"));
        }
        let hashes = HASHES.iter().fold(0, |bits, hash| bits | hash.bit);
        let found = |mask: u64| (bits & mask != 0).then_some(&*library);
        let goldilocks = found(CAN_GOLDILOCKS)
            .map(|library| Goldilocks::find(library, "says that it has transforms over Goldilocks"));
        let trees = found(hashes).map(|library| Trees::find(library, "says that it has Merkle trees"));
        let msm = found(CAN_BN254_MSM).map(|library| Msm::find(library, "says that it has sums over BN254"));
        let bases = found(CAN_BN254_BASES).map(|library| Bases::find(library, "says that it keeps bases"));
        let fft =
            found(CAN_BN254_FFT).map(|library| Fft::find(library, "says that it has transforms over BN254"));
        let mut provider = Self {
            name: name.to_owned(),
            engine: null_mut(),
            capabilities: bits,
            core,
            goldilocks: goldilocks.transpose()?,
            trees: trees.transpose()?,
            msm: msm.transpose()?,
            bases: bases.transpose()?,
            fft: fft.transpose()?,
            _library: library,
        };
        let mut engine = null_mut();
        // SAFETY: a pointer to a variable; no options are the defaults.
        let status = unsafe { (provider.core.engine_new)(&mut engine, ABI_VERSION, null_mut()) };
        match status == 0 && !engine.is_null() {
            true => provider.engine = engine,
            false => return Err(format!("it makes no engine: status {status} ({})", provider.last_error())),
        }
        Ok(provider)
    }

    /// The text of the provider's last error on this thread.
    fn last_error(&self) -> String {
        let mut text = [0u8; 256];
        // SAFETY: an array and its length.
        let status = unsafe { (self.core.last_error)(text.as_mut_ptr().cast(), text.len()) };
        let text = CStr::from_bytes_until_nul(&text).map(CStr::to_string_lossy).unwrap_or_default();
        if status == 0 && !text.is_empty() { text.into_owned() } else { "it does not say why".into() }
    }

    /// The error of a call that returned a status.
    pub(super) fn check(&self, status: i32, operation: &'static str) -> Result<(), Error> {
        let device = self.name.clone();
        match status {
            0 => Ok(()),
            UNSUPPORTED => Err(self.unsupported(operation)),
            DEVICE_OUT_OF_MEMORY => Err(Error::DeviceOutOfMemory { device, requested: 0 }),
            status => {
                let message = format!("status {status}: {}", self.last_error());
                Err(Error::DeviceFailed { device, operation, message })
            }
        }
    }

    /// The error of a call that reported success without making a handle.
    pub(super) fn check_handle(&self, handle: Handle, operation: &'static str) -> Result<(), Error> {
        if handle.is_null() { self.check(NULL_POINTER, operation) } else { Ok(()) }
    }

    pub(super) fn unsupported(&self, operation: &'static str) -> Error {
        Error::Unsupported { operation, device: self.name.clone() }
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        if !self.engine.is_null() {
            // SAFETY: the engine that the provider has made; nothing uses it any more. Its status changes nothing.
            unsafe { (self.core.engine_shutdown)(self.engine) };
        }
    }
}
