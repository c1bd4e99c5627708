//! Programs on the device: embedded PTX, compiled by the driver when one of their kernels is first needed.

use std::collections::HashMap;
use std::ffi::{CString, c_void};

use cudarc::driver::result::{DriverError, module};
use cudarc::driver::sys::{self, CUfunction, CUjit_option_enum as JitOption, CUmodule, CUresult};

use super::handles::failure;
use super::{Cuda, NEEDED};
use crate::backend::gpu::program::Program;
use crate::backend::gpu::ptx;
use crate::error::Error;
use crate::lock::lock;

/// Bytes of the log of the driver's compiler.
const LOG: usize = 8 << 10;

/// A loaded program and those of its kernels that have been used.
pub(super) struct Module {
    pub(super) module: CUmodule,
    functions: HashMap<&'static str, CUfunction>,
}

// SAFETY: as for Context.
unsafe impl Send for Module {}

impl Cuda {
    /// A kernel, its program loaded on first use.
    pub(super) fn function(
        &self,
        program: &'static Program,
        kernel: &'static str,
    ) -> Result<CUfunction, Error> {
        // Loading runs under the lock, so that it happens once. A panic within leaves a map without the program.
        let mut modules = lock(&self.modules);
        if !modules.contains_key(program.name) {
            let module = self.load(ptx::text(program))?;
            modules.insert(program.name, Module { module, functions: HashMap::new() });
        }
        let module = modules.get_mut(program.name).expect("the program was just loaded");
        if let Some(&function) = module.functions.get(kernel) {
            return Ok(function);
        }
        let name = CString::new(kernel).expect("names of kernels hold no zero");
        // SAFETY: the module is loaded and stays so while the device lives.
        let function = unsafe { module::get_function(module.module, name) };
        let function = function.map_err(|error| failure(&self.info.id, kernel, error))?;
        module.functions.insert(kernel, function);
        Ok(function)
    }

    /// Loads PTX; the error contains the log of the driver's compiler.
    pub(super) fn load(&self, mut text: Vec<u8>) -> Result<CUmodule, Error> {
        text.push(0);
        let mut log = vec![0_u8; LOG];
        let mut options = [JitOption::CU_JIT_ERROR_LOG_BUFFER, JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The size is passed instead of a pointer.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(LOG)];
        let mut module = std::ptr::null_mut();
        // SAFETY: the image is PTX text that ends with a zero; there are as many values as options, and the log has as many
        // bytes as it says.
        let loaded = unsafe {
            sys::cuModuleLoadDataEx(
                &mut module,
                text.as_ptr().cast::<c_void>(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match loaded {
            CUresult::CUDA_SUCCESS => Ok(module),
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => Err(Error::DriverTooOld {
                device: self.info.id.clone(),
                found: self.info.driver.clone().unwrap_or_default(),
                needed: NEEDED.1,
            }),
            code => Err(with_log(failure(&self.info.id, "loading kernels", DriverError(code)), &log)),
        }
    }
}

/// A failure with the text of a log behind its message.
fn with_log(error: Error, log: &[u8]) -> Error {
    let text = String::from_utf8_lossy(log.split(|&byte| byte == 0).next().unwrap_or_default());
    match error {
        Error::DeviceFailed { device, operation, message } if !text.trim().is_empty() => {
            Error::DeviceFailed { device, operation, message: format!("{message}: {}", text.trim()) }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_carries_what_the_compiler_says() {
        let error = || Error::DeviceFailed { device: "cuda:0".into(), operation: "a", message: "b".into() };
        assert_eq!(with_log(error(), &[0; 4]), error());
        assert_eq!(with_log(error(), b"line 3: no\n\0\0").to_string(), "cuda:0 failed at a: b: line 3: no");
    }

    #[test]
    fn broken_ptx_is_explained() {
        // Where the device must be present, the conformance tests say that it is not.
        let Ok(device) = Cuda::open(0) else { return };
        device.context.bind().unwrap();
        let text = b".version 8.2\n.target sm_80\n.address_size 64\n.visible .entry f() { nonsense; }\n";
        let error = device.load(text.to_vec()).unwrap_err().to_string();
        assert!(error.contains("INVALID_PTX") && error.contains("line 4"), "{error}");
    }
}
