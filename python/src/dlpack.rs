//! DLPack: matrices that stay as tensors of other libraries, and tensors of others in the memory of NVIDIA GPUs.
//!
//! A tensor travels in a capsule, which its consumer renames when it takes the tensor over; whoever has it calls its deleter once. The
//! structures are those of `dlpack.h` 1.0, and those before it, which cannot say that memory is read-only.

use std::any::Any;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::failure::{Failure, Outcome};

/// `kDLCPU`.
pub(crate) const CPU: i32 = 1;
/// `kDLCUDA`.
pub(crate) const CUDA: i32 = 2;
/// `kDLUInt`.
const UINT: u8 = 1;
/// `DLPACK_FLAG_BITMASK_READ_ONLY`.
const READ_ONLY: u64 = 1;

const LEGACY: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const USED_LEGACY: &CStr = c"used_dltensor";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";

/// `DLTensor`.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    /// In elements; null stands for C order.
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct ManagedVersioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

/// Words to be lent, and what keeps them in place until it is dropped.
pub(crate) struct Lent {
    pub(crate) address: u64,
    /// The type and the number of the device.
    pub(crate) device: (i32, i32),
    pub(crate) owner: Box<dyn Any + Send + Sync>,
}

/// What a tensor that was lent refers to.
struct Context {
    _owner: Box<dyn Any + Send + Sync>,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
}

/// A capsule of words that were lent, of dimensions in C or Fortran order.
pub(crate) fn export<'py>(
    py: Python<'py>,
    lent: Lent,
    dims: &[usize],
    fortran: bool,
    versioned: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Lent { address, device: (device_type, device_id), owner } = lent;
    let mut context = Box::new(Context {
        _owner: owner,
        shape: dims.iter().map(|&dim| dim as i64).collect(),
        strides: strides(dims, fortran).into_iter().map(|stride| stride as i64).collect(),
    });
    let tensor = Tensor {
        data: address as *mut c_void,
        device_type,
        device_id,
        ndim: dims.len() as i32,
        code: UINT,
        bits: 64,
        lanes: 1,
        shape: context.shape.as_mut_ptr(),
        strides: context.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let context = Box::into_raw(context).cast();
    let (pointer, name): (*mut c_void, _) = match versioned {
        true => {
            let deleter = Some(delete_versioned as unsafe extern "C" fn(_));
            let managed = ManagedVersioned { major: 1, minor: 0, context, deleter, flags: READ_ONLY, tensor };
            (Box::into_raw(Box::new(managed)).cast(), VERSIONED)
        }
        false => {
            let deleter = Some(delete as unsafe extern "C" fn(_));
            (Box::into_raw(Box::new(Managed { tensor, context, deleter })).cast(), LEGACY)
        }
    };
    // SAFETY: the pointer is not null, the name is static, and the destructor is for this kind of capsule. A capsule that cannot be made
    // leaves the memory where it is, which is safe.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(forget_capsule));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// Strides in words.
pub(crate) fn strides(dims: &[usize], fortran: bool) -> Vec<usize> {
    let mut strides = vec![1; dims.len()];
    let mut stride = 1;
    for i in 0..dims.len() {
        let axis = if fortran { i } else { dims.len() - 1 - i };
        strides[axis] = stride;
        stride *= dims[axis];
    }
    strides
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: made by `export` with these types, and deleted once, by the consumer or by the capsule.
    unsafe { drop(Box::from_raw(Box::from_raw(managed).context.cast::<Context>())) }
}

unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: as above.
    unsafe { drop(Box::from_raw(Box::from_raw(managed).context.cast::<Context>())) }
}

/// Deletes a tensor that nobody has taken over.
unsafe extern "C" fn forget_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: the capsule is alive; of these names only those are valid that it was made with.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, LEGACY.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, LEGACY.as_ptr()).cast());
        }
    }
}

/// A tensor of another library, taken over. Dropping it gives it back.
pub(crate) struct Taken {
    managed: NonNull<c_void>,
    versioned: bool,
}

// SAFETY: a deleter may be called by any thread, and what the tensor refers to is only read.
unsafe impl Send for Taken {}
// SAFETY: as above.
unsafe impl Sync for Taken {}

/// What a foreign array says of itself, by DLPack or by the CUDA array interface.
pub(crate) struct Foreign {
    pub(crate) address: u64,
    pub(crate) dims: Vec<usize>,
    pub(crate) fortran: bool,
}

impl Taken {
    /// Takes over the tensor of a capsule.
    pub(crate) fn new(capsule: &Bound<'_, PyAny>) -> Outcome<Self> {
        let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
            Failure::Type("expected __dlpack__ to return a capsule, found another object".into())
        })?;
        let versioned = capsule.is_valid_checked(Some(VERSIONED));
        let (name, used) = if versioned { (VERSIONED, USED_VERSIONED) } else { (LEGACY, USED_LEGACY) };
        let managed = capsule.pointer_checked(Some(name))?;
        // SAFETY: the capsule is alive and the name static. From now on the tensor is ours.
        if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
            return Err(PyErr::fetch(capsule.py()).into());
        }
        let taken = Self { managed, versioned };
        match taken.major() {
            1 => Ok(taken),
            major => Err(Failure::Unsupported(format!("DLPack of version {major}, expected 1 or older"))),
        }
    }

    fn major(&self) -> u32 {
        match self.versioned {
            // SAFETY: the name of the capsule says that this is the structure, and the version comes first in all versions.
            true => unsafe { (*self.managed.cast::<ManagedVersioned>().as_ptr()).major },
            false => 1,
        }
    }

    fn tensor(&self) -> &Tensor {
        // SAFETY: the name of the capsule says which structure this is; it stays until the deleter is called.
        unsafe {
            match self.versioned {
                true => &(*self.managed.cast::<ManagedVersioned>().as_ptr()).tensor,
                false => &(*self.managed.cast::<Managed>().as_ptr()).tensor,
            }
        }
    }

    /// The array, and the number of its GPU.
    pub(crate) fn array(&self) -> Outcome<(Foreign, u32)> {
        let tensor = self.tensor();
        if (tensor.code, tensor.bits, tensor.lanes) != (UINT, 64, 1) {
            let kinds = ["int", "uint", "float"];
            let kind = kinds.get(usize::from(tensor.code)).copied().unwrap_or("another type of ");
            let bits = tensor.bits;
            return Err(Failure::Type(format!("matrix: expected the dtype uint64, found {kind}{bits}")));
        }
        if tensor.device_type != CUDA {
            let text =
                format!("a tensor on a device of DLPack's type {}, expected CUDA (2)", tensor.device_type);
            return Err(Failure::Unsupported(text));
        }
        // SAFETY: arrays of `ndim` numbers, by the definition of DLPack.
        let numbers = |from: *mut i64| unsafe { std::slice::from_raw_parts(from, tensor.ndim as usize) };
        let dims: Vec<usize> = match tensor.ndim {
            0 => Vec::new(),
            _ => numbers(tensor.shape).iter().map(|&dim| dim as usize).collect(),
        };
        let given = (!tensor.strides.is_null() && tensor.ndim > 0).then(|| numbers(tensor.strides).to_vec());
        let fortran = order(&dims, given.as_deref())?;
        let address = (tensor.data as u64).wrapping_add(tensor.byte_offset);
        Ok((Foreign { address, dims, fortran }, tensor.device_id as u32))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: the structure is the one of the capsule's name, and this is its one deletion. A deleter may be null.
        unsafe {
            match self.versioned {
                true => {
                    let managed = self.managed.cast::<ManagedVersioned>().as_ptr();
                    (*managed).deleter.iter().for_each(|deleter| deleter(managed));
                }
                false => {
                    let managed = self.managed.cast::<Managed>().as_ptr();
                    (*managed).deleter.iter().for_each(|deleter| deleter(managed));
                }
            }
        }
    }
}

/// Whether strides, in words, are those of Fortran order and not of C order; a failure for any others.
pub(crate) fn order(dims: &[usize], found: Option<&[i64]>) -> Outcome<bool> {
    let Some(found) = found else { return Ok(false) };
    // The stride of an axis of one entry says nothing.
    let is = |fortran: bool| {
        let expected = strides(dims, fortran);
        let mut axes = dims.iter().zip(expected).zip(found);
        found.len() == dims.len()
            && axes.all(|((&dim, expected), &found)| dim == 1 || found == expected as i64)
    };
    match (is(false), is(true)) {
        (true, _) => Ok(false),
        (false, true) => Ok(true),
        (false, false) => Err(Failure::Value(format!(
            "matrix: expected a contiguous array, in C or in Fortran order, found the strides {found:?} in words for the shape {}",
            crate::fields::text_of(dims)
        ))),
    }
}

/// An exception that DLPack asks for.
pub(crate) fn buffer_error(text: String) -> Failure {
    PyBufferError::new_err(text).into()
}
