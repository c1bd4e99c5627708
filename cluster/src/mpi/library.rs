//! Libraries of MPI, opened at run time.
//!
//! Two binary interfaces are known: the standard one of MPI 5.0 (`libmpi_abi.so`, MPICH from 5.0 on), whose handles are constants, and that of Open MPI 4 and 5 (`libmpi.so.40`), whose
//! handles are addresses of objects in the library. In both a handle is as large as a pointer and counts are C's `int`. Older MPICH and Intel MPI without the standard interface have handles of
//! another size, and are refused: they lack the symbols.

use std::ffi::{OsStr, OsString, c_char, c_int, c_void};

use libloading::os::unix::{Library as Opened, RTLD_GLOBAL, RTLD_NOW};

use crate::error::Error;
use crate::open;

/// Any handle: a communicator, a datatype, a request.
pub(super) type Handle = *mut c_void;

/// Memory for a status, larger than that of either interface; nothing in it is read.
pub(super) type Status = [u64; 16];

/// The longest text of an error in either interface.
const LONGEST_TEXT: usize = 1024;

macro_rules! functions {
    ($($name:ident: $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions that are used, the handles they take, and the library that has them.
        pub(super) struct Library {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
            pub(super) world: Handle,
            pub(super) word: Handle,
            errors_return: Handle,
            /// The level of threads at which another thread than that of `main` may call, if no two do at once.
            pub(super) serialized: c_int,
            /// How it was found.
            pub(super) name: String,
            /// How ranks go on where others have died, if the library can and the launcher lets them.
            pub(super) survival: Option<Survival>,
            of_fortran: unsafe extern "C" fn(c_int) -> Handle,
            // Declared last, and never closed in effect: the handles above are its memory.
            _opened: Opened,
        }

        impl Library {
            /// The functions of an opened library.
            fn new(name: &str, opened: Opened, constants: Constants) -> Result<Self, libloading::Error> {
                let Constants { world, word, errors_return, serialized, of_fortran } = constants;
                // SAFETY: the types are those of the MPI standard in both interfaces.
                unsafe {
                    $(let $name = *opened.get(concat!($symbol, "\0").as_bytes())?;)*
                    let of_fortran = *opened.get(of_fortran)?;
                    let survival = Survival::of(&opened).ok().filter(|_| Survival::is_enabled());
                    Ok(Self { $($name,)* world, word, errors_return, serialized, name: name.into(), survival, of_fortran, _opened: opened })
                }
            }
        }
    };
}
functions! {
    initialized: "MPI_Initialized"(*mut c_int);
    finalized: "MPI_Finalized"(*mut c_int);
    init: "MPI_Init_thread"(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    query_thread: "MPI_Query_thread"(*mut c_int);
    finalize: "MPI_Finalize"();
    duplicate: "MPI_Comm_dup"(Handle, *mut Handle);
    free: "MPI_Comm_free"(*mut Handle);
    set_errhandler: "MPI_Comm_set_errhandler"(Handle, Handle);
    rank: "MPI_Comm_rank"(Handle, *mut c_int);
    size: "MPI_Comm_size"(Handle, *mut c_int);
    send: "MPI_Isend"(*const c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    receive: "MPI_Irecv"(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    test: "MPI_Test"(*mut Handle, *mut c_int, *mut Status);
    abort: "MPI_Abort"(Handle, c_int);
    error_string: "MPI_Error_string"(c_int, *mut c_char, *mut c_int);
}

/// Calls that do not wait for ranks that died: User Level Failure Mitigation, which Open MPI has from 5.0 on (Bland et al., "Post-failure recovery of MPI communication capability",
/// International Journal of High Performance Computing Applications 27(3), 2013).
#[derive(Clone, Copy)]
pub(super) struct Survival {
    /// Has all calls on a communicator fail, on every rank.
    pub(super) revoke: unsafe extern "C" fn(Handle) -> c_int,
    /// The bitwise and of a number of each rank that is left.
    pub(super) agree: unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
    /// A communicator of the ranks that are left.
    pub(super) shrink: unsafe extern "C" fn(Handle, *mut Handle) -> c_int,
}

impl Survival {
    fn of(opened: &Opened) -> Result<Self, libloading::Error> {
        // SAFETY: the types are those of Open MPI's `mpi-ext.h`.
        unsafe {
            Ok(Self {
                revoke: *opened.get(b"MPIX_Comm_revoke\0")?,
                agree: *opened.get(b"MPIX_Comm_agree\0")?,
                shrink: *opened.get(b"MPIX_Comm_shrink\0")?,
            })
        }
    }

    /// Whether the launcher lets ranks go on, and does not end them where one has died: `mpirun --with-ft ulfm`.
    pub(super) fn is_enabled() -> bool {
        std::env::var_os("OMPI_MCA_mpi_ft_enable").is_some_and(|value| value == "1" || value == "true")
    }
}

/// What differs between the interfaces.
struct Constants {
    world: Handle,
    word: Handle,
    errors_return: Handle,
    serialized: c_int,
    of_fortran: &'static [u8],
}

/// Constants of the standard's `mpi_abi.h`.
fn standard() -> Constants {
    let handle = |number: usize| std::ptr::without_provenance_mut(number);
    Constants {
        world: handle(0x101),
        word: handle(0x259),
        errors_return: handle(0x143),
        serialized: 2048,
        of_fortran: b"MPI_Comm_fromint\0",
    }
}

/// The objects of Open MPI, where it has them itself: the linker moves those that a program names into the program, and the library uses them there.
fn open_mpi(opened: &Opened) -> Result<Constants, libloading::Error> {
    let process = Opened::this();
    // SAFETY: only the addresses of these objects are used.
    let own = |symbol: &[u8]| unsafe { opened.get::<Handle>(symbol) }.map(|object| *object);
    // SAFETY: as above.
    let address =
        |symbol: &[u8]| own(symbol).map(|own| unsafe { process.get(symbol) }.map_or(own, |object| *object));
    Ok(Constants {
        world: address(b"ompi_mpi_comm_world\0")?,
        word: address(b"ompi_mpi_uint64_t\0")?,
        errors_return: address(b"ompi_mpi_errors_return\0")?,
        serialized: 2,
        of_fortran: b"MPI_Comm_f2c\0",
    })
}

/// The libraries to try, the likeliest first: a launcher works with its own library alone.
fn names() -> Vec<OsString> {
    let [standard, open] = [["libmpi_abi.so.1", "libmpi_abi.so"], ["libmpi.so.40", "libmpi.so"]];
    let is_open = std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some();
    let known = if is_open { [open, standard] } else { [standard, open] };
    open::names("ZKACCEL_MPI", known.as_flattened())
}

impl Library {
    /// The library that `ZKACCEL_MPI` names, or the first of the known names; [`Error::NoMpi`] if there is none.
    pub(super) fn open() -> Result<Self, Error> {
        let open = |name: &OsStr, shown: &str| {
            // Its plugins look for its symbols among those of the process.
            // SAFETY: loading MPI's library runs its initialisers, which is what libraries are for.
            let opened = unsafe { Opened::open(Some(name), RTLD_NOW | RTLD_GLOBAL) }?;
            // SAFETY: only whether the symbol is there is asked.
            let is_standard = unsafe { opened.get::<Handle>(b"MPI_Comm_fromint\0") }.is_ok()
                && unsafe { opened.get::<Handle>(b"ompi_mpi_comm_world\0") }.is_err();
            let constants = if is_standard { standard() } else { open_mpi(&opened)? };
            Self::new(shown, opened, constants)
        };
        open::first(&names(), open).map_err(|(reason, tried)| Error::NoMpi { reason, tried })
    }

    /// The communicator that a Fortran handle stands for.
    pub(super) fn communicator(&self, fortran: c_int) -> Handle {
        // SAFETY: any integer may be asked for; what is none gives a handle that MPI refuses.
        unsafe { (self.of_fortran)(fortran) }
    }

    /// Errors of calls on a communicator are returned, not fatal.
    pub(super) fn return_errors(&self, communicator: Handle) -> Result<(), Error> {
        // SAFETY: the handles are the library's.
        self.check("MPI_Comm_set_errhandler", unsafe {
            (self.set_errhandler)(communicator, self.errors_return)
        })
    }

    /// [`Error::Mpi`] with the library's text, unless a call returned success.
    pub(super) fn check(&self, call: &'static str, code: c_int) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        let (mut text, mut length) = ([0_u8; LONGEST_TEXT], 0);
        // SAFETY: the text is longer than the longest of either interface.
        let told = unsafe { (self.error_string)(code, text.as_mut_ptr().cast(), &mut length) };
        let length = if told == 0 { usize::try_from(length).unwrap_or(0).min(LONGEST_TEXT) } else { 0 };
        Err(Error::Mpi { call, code, message: String::from_utf8_lossy(&text[..length]).into() })
    }
}
