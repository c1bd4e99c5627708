//! NVIDIA's library of collective communication, opened at run time.

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};

use libloading::os::unix::{Library as Opened, RTLD_LOCAL, RTLD_NOW};

use crate::error::Error;
use crate::open;

/// A communicator, or a stream.
pub(super) type Handle = *mut c_void;

/// What names a communicator to all of its ranks: 128 bytes.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct Id(pub(super) [u64; 16]);

/// The words of such a name.
pub(super) const ID: usize = 16;

/// The type of words of 64 bits.
pub(super) const WORD: c_int = 5;

const SUCCESS: c_int = 0;

/// What a call returns that goes on after it.
const IN_PROGRESS: c_int = 7;

/// How a communicator is made, with the fields that version 2.14 has; the library knows them by the size.
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
}

/// Calls that need time return before they are done: so no rank waits without an end for one that has gone.
pub(super) const NON_BLOCKING: Config =
    Config { size: size_of::<Config>(), magic: 0xcafe_beef, version: 21400, blocking: 0 };

macro_rules! functions {
    ($($name:ident: $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions that are used.
        pub(super) struct Library {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
            error_string: unsafe extern "C" fn(c_int) -> *const c_char,
            // Declared last: the functions above are its memory.
            _opened: Opened,
        }

        impl Library {
            fn new(opened: Opened) -> Result<Self, libloading::Error> {
                // SAFETY: the types are those of `nccl.h`.
                unsafe {
                    $(let $name = *opened.get(concat!($symbol, "\0").as_bytes())?;)*
                    let error_string = *opened.get(b"ncclGetErrorString\0")?;
                    Ok(Self { $($name,)* error_string, _opened: opened })
                }
            }
        }
    };
}
functions! {
    version: "ncclGetVersion"(*mut c_int);
    unique_id: "ncclGetUniqueId"(*mut Id);
    init: "ncclCommInitRankConfig"(*mut Handle, c_int, Id, c_int, *const Config);
    state: "ncclCommGetAsyncError"(Handle, *mut c_int);
    abort: "ncclCommAbort"(Handle);
    group_start: "ncclGroupStart"();
    group_end: "ncclGroupEnd"();
    send: "ncclSend"(*const c_void, usize, c_int, c_int, Handle, Handle);
    receive: "ncclRecv"(*mut c_void, usize, c_int, c_int, Handle, Handle);
}

impl Library {
    /// The library that `ZKACCEL_NCCL` names, or the first of the known names; [`Error::NoNccl`] if there is none.
    pub(super) fn open() -> Result<Self, Error> {
        let open = |name: &OsStr, _: &str| {
            // SAFETY: loading the library runs its initialisers, which is what libraries are for.
            let opened = unsafe { Opened::open(Some(name), RTLD_NOW | RTLD_LOCAL) }?;
            Self::new(opened)
        };
        // The first is the only one that NVIDIA's packages without headers have.
        let names = open::names("ZKACCEL_NCCL", &["libnccl.so.2", "libnccl.so"]);
        open::first(&names, open).map_err(|(reason, tried)| Error::NoNccl { reason, tried })
    }

    /// Its version, as in `2.28.3`.
    pub(super) fn version(&self) -> Result<String, Error> {
        let mut version = 0;
        // SAFETY: an integer is written.
        self.check("ncclGetVersion", unsafe { (self.version)(&mut version) })?;
        Ok(format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100))
    }

    /// Whether a call is done, or goes on; [`Error::Nccl`] with the library's text otherwise.
    pub(super) fn is_done(&self, call: &'static str, code: c_int) -> Result<bool, Error> {
        match code {
            SUCCESS => Ok(true),
            IN_PROGRESS => Ok(false),
            code => {
                // SAFETY: the library has a text without an end of its life for any code.
                let text = unsafe { CStr::from_ptr((self.error_string)(code)) };
                Err(Error::Nccl { call, code, message: text.to_string_lossy().into() })
            }
        }
    }

    /// [`Error::Nccl`] unless a call has not failed.
    pub(super) fn check(&self, call: &'static str, code: c_int) -> Result<(), Error> {
        self.is_done(call, code).map(drop)
    }
}
