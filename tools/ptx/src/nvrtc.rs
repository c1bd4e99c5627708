//! NVRTC, NVIDIA's run-time compiler, through the five functions that are needed.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::{Library, Symbol};

type Status = c_int;
type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> Status;

/// The compiler, loaded.
pub(crate) struct Compiler(Library);

impl Compiler {
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: the caller names NVRTC, whose initialisers do nothing but initialise it.
        let library = unsafe { Library::new(path) };
        library.map(Self).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The PTX of a source text; the error holds the compiler's log.
    pub(crate) fn compile(&self, name: &str, source: &str, options: &[&str]) -> Result<String, String> {
        let text = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (name, source) = (text(name)?, text(source)?);
        let options = options.iter().map(|option| text(option)).collect::<Result<Vec<_>, _>>()?;
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = ptr::null_mut();
        // SAFETY: the types are those of nvrtc.h, strings end with a zero and live through the calls.
        unsafe {
            let create: Symbol<'_, Create> = self.symbol(b"nvrtcCreateProgram\0")?;
            let compile: Symbol<'_, Compile> = self.symbol(b"nvrtcCompileProgram\0")?;
            let created = create(&mut program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null());
            if created != 0 {
                return Err(format!("nvrtcCreateProgram fails with {created}"));
            }
            let compiled = compile(program, options.len() as c_int, options.as_ptr());
            let log = self.text(program, b"nvrtcGetProgramLogSize\0", b"nvrtcGetProgramLog\0")?;
            match compiled {
                0 if log.trim().is_empty() => {}
                // Warnings are for whoever changes a kernel.
                0 => eprintln!("{log}"),
                status => return Err(format!("nvrtcCompileProgram fails with {status}:\n{log}")),
            }
            self.text(program, b"nvrtcGetPTXSize\0", b"nvrtcGetPTX\0")
        }
    }

    /// A text that the compiler keeps for a program.
    ///
    /// # Safety
    /// The names are those of a function that tells a size and of one that fills so many bytes; the program lives.
    unsafe fn text(&self, program: Program, size: &[u8], fill: &[u8]) -> Result<String, String> {
        let mut len = 0;
        // SAFETY: as the caller promises; the buffer has the size that was asked for.
        unsafe {
            let size: Symbol<'_, Size> = self.symbol(size)?;
            let fill: Symbol<'_, Text> = self.symbol(fill)?;
            if size(program, &mut len) != 0 {
                return Err("NVRTC tells no size".into());
            }
            let mut bytes = vec![0u8; len + 1];
            if fill(program, bytes.as_mut_ptr().cast::<c_char>()) != 0 {
                return Err("NVRTC gives no text".into());
            }
            let text = CStr::from_bytes_until_nul(&bytes).map_err(|error| error.to_string())?;
            Ok(text.to_string_lossy().into_owned())
        }
    }

    /// A function of the library.
    ///
    /// # Safety
    /// T is the function's type.
    unsafe fn symbol<T>(&self, name: &[u8]) -> Result<Symbol<'_, T>, String> {
        // SAFETY: as the caller promises.
        unsafe { self.0.get(name) }.map_err(|error| error.to_string())
    }
}
