//! Pointers and lengths of a call, as slices that were checked.
//!
//! All memory of a call is collected in one [`Arguments`]: that it is not null, aligned, and of a length that memory can
//! have is checked when it is added; that nothing to be written overlaps anything else, when all is there.

use std::ffi::{CStr, c_char};
use std::ops::Range;

use accel::Error;

use crate::status::{Failure, ZKA_ALIASED, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, ZKA_NULL_POINTER};

/// The memory of one call.
pub(crate) struct Arguments {
    ranges: Vec<Memory>,
}

struct Memory {
    name: &'static str,
    addresses: Range<usize>,
    written: bool,
}

/// Memory of the caller to read.
pub(crate) struct Input<T> {
    start: *const T,
    len: usize,
}

/// Memory of the caller to write, of which nothing is read.
pub(crate) struct Output<T> {
    start: *mut T,
    len: usize,
}

/// Memory of the caller to read and to write.
pub(crate) struct InOut<T> {
    start: *mut T,
    len: usize,
}

// SAFETY: they stand for borrowed slices, exclusive ones where they write: the caller's promise holds for any thread.
unsafe impl<T: Sync> Send for Input<T> {}
// SAFETY: as above, and no value passes from one thread to the other through it.
unsafe impl<T> Send for Output<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for InOut<T> {}

impl Arguments {
    /// # Safety
    /// Every pointer that is added must be null or valid for the length that is added with it, until what was made of it
    /// is dropped.
    pub(crate) unsafe fn new() -> Self {
        Self { ranges: Vec::new() }
    }

    /// Memory to read.
    pub(crate) fn input<T>(
        &mut self,
        name: &'static str,
        start: *const T,
        len: usize,
    ) -> Result<Input<T>, Failure> {
        self.add::<T>(name, start, len, false)?;
        Ok(Input { start, len })
    }

    /// Memory to write.
    pub(crate) fn output<T>(
        &mut self,
        name: &'static str,
        start: *mut T,
        len: usize,
    ) -> Result<Output<T>, Failure> {
        self.add::<T>(name, start, len, true)?;
        Ok(Output { start, len })
    }

    /// Memory to read and to write.
    pub(crate) fn in_out<T>(
        &mut self,
        name: &'static str,
        start: *mut T,
        len: usize,
    ) -> Result<InOut<T>, Failure> {
        self.add::<T>(name, start, len, true)?;
        Ok(InOut { start, len })
    }

    fn add<T>(
        &mut self,
        name: &'static str,
        start: *const T,
        len: usize,
        written: bool,
    ) -> Result<(), Failure> {
        let bytes = bytes_of::<T>(name, len)?;
        if start.is_null() && bytes > 0 {
            return Err(Failure::new(ZKA_NULL_POINTER, format!("{name} is NULL, expected {bytes} bytes")));
        }
        if !start.is_aligned() {
            let text = format!("{name} is not aligned to {} bytes", align_of::<T>());
            return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
        }
        let Some(end) = start.addr().checked_add(bytes) else {
            let text = format!("{name} is longer than memory: {len} entries");
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        };
        self.ranges.push(Memory { name, addresses: start.addr()..end, written });
        Ok(())
    }

    /// `ZKA_ALIASED` if memory to be written overlaps any other.
    pub(crate) fn check_aliases(&self) -> Result<(), Failure> {
        for (i, a) in self.ranges.iter().enumerate() {
            for b in &self.ranges[i + 1..] {
                let overlap = a.addresses.start.max(b.addresses.start) < a.addresses.end.min(b.addresses.end);
                if overlap && (a.written || b.written) {
                    let text = format!("{} and {} overlap, expected memory of their own", a.name, b.name);
                    return Err(Failure::new(ZKA_ALIASED, text));
                }
            }
        }
        Ok(())
    }
}

impl<T> Input<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        match self.len {
            0 => &[],
            // SAFETY: not null, aligned and of a possible length, as was checked; valid by `Arguments::new`.
            len => unsafe { std::slice::from_raw_parts(self.start, len) },
        }
    }
}

impl<T> InOut<T> {
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        match self.len {
            0 => &mut [],
            // SAFETY: as for `Input`, and nothing else of the call overlaps it.
            len => unsafe { std::slice::from_raw_parts_mut(self.start, len) },
        }
    }
}

impl<T: Copy> InOut<T> {
    /// Writes as many of the values as there is room for.
    pub(crate) fn write_first(&mut self, values: &[T]) {
        let count = values.len().min(self.len);
        if count > 0 {
            // SAFETY: valid for `len` entries by `Arguments::new`; values of the library are not memory of the caller.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.start, count) }
        }
    }
}

impl<T: Copy> Output<T> {
    /// Writes all entries.
    pub(crate) fn write(&self, values: &[T]) {
        assert_eq!(values.len(), self.len, "an output is filled or left alone");
        // SAFETY: valid for `len` entries by `Arguments::new`; values of the library are not memory of the caller.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.start, self.len) }
    }
}

/// The bytes of `len` entries; `ZKA_BAD_LENGTH` beyond what memory can hold.
fn bytes_of<T>(name: &str, len: usize) -> Result<usize, Failure> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
    bytes.ok_or_else(|| Failure::new(ZKA_BAD_LENGTH, format!("{name} is longer than memory: {len} entries")))
}

/// A text of the caller.
///
/// # Safety
/// `start` must be null or a text with an ending zero that is valid for as long as the result is used.
pub(crate) unsafe fn text<'a>(name: &str, start: *const c_char) -> Result<&'a CStr, Failure> {
    match start.is_null() {
        true => Err(Failure::new(ZKA_NULL_POINTER, format!("{name} is NULL, expected a text"))),
        // SAFETY: the caller's.
        false => Ok(unsafe { CStr::from_ptr(start) }),
    }
}

/// A copy of the caller's memory, for what takes it over.
pub(crate) fn copied<T: Copy>(items: &[T]) -> Result<Vec<T>, Error> {
    let (mut copy, bytes) = (Vec::new(), size_of_val(items) as u64);
    copy.try_reserve_exact(items.len()).map_err(|_| Error::HostOutOfMemory { bytes })?;
    copy.extend_from_slice(items);
    Ok(copy)
}

/// The product of two sizes; `ZKA_BAD_LENGTH` if it overflows.
pub(crate) fn product(name: &str, a: usize, b: usize) -> Result<usize, Failure> {
    a.checked_mul(b).ok_or_else(|| {
        Failure::new(ZKA_BAD_LENGTH, format!("{name} is longer than memory: {a} x {b} entries"))
    })
}

/// `ZKA_BAD_ARGUMENT` for flags that the function does not know.
pub(crate) fn check_flags(flags: u32, known: u32) -> Result<(), Failure> {
    match flags & !known {
        0 => Ok(()),
        unknown => Err(Failure::new(
            ZKA_BAD_ARGUMENT,
            format!("flags {unknown:#x}, expected only flags of {known:#x}"),
        )),
    }
}
