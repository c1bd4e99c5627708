//! Host memory: fallible allocation, huge pages, and how much the machine has.

use bytemuck::Zeroable;

use crate::error::Error;

/// The size of a huge page: 2 MiB, of x86-64 and of AArch64 with pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;

/// A vector of zeros, or [`Error::HostOutOfMemory`]. The system hands out zero pages, so nothing is written.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, Error> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    if bytes > isize::MAX as u64 {
        return Err(Error::HostOutOfMemory { bytes });
    }
    let mut zeros =
        bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::HostOutOfMemory { bytes })?;
    advise_huge_pages(&mut zeros);
    Ok(zeros)
}

/// Asks the system to back what is not yet touched of a large slice with huge pages: fewer faults, and strided passes do
/// not miss the translation of an address for every row. It may decline, and nothing but speed depends on it.
fn advise_huge_pages<T>(memory: &mut [T]) {
    if size_of_val(memory) < 2 * HUGE_PAGE {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        unsafe extern "C" {
            fn madvise(
                address: *mut std::ffi::c_void,
                length: usize,
                advice: std::ffi::c_int,
            ) -> std::ffi::c_int;
        }
        const MADV_HUGEPAGE: std::ffi::c_int = 14;
        let range = memory.as_mut_ptr_range();
        let start = (range.start as usize).next_multiple_of(HUGE_PAGE);
        let end = range.end as usize / HUGE_PAGE * HUGE_PAGE;
        if start < end {
            // SAFETY: the pages from start to end belong to the slice alone, and this advice changes nothing that a program sees
            // of them; an error, as of a system without huge pages, changes nothing at all.
            unsafe { madvise(start as *mut _, end - start, MADV_HUGEPAGE) };
        }
    }
}

/// The machine's memory in bytes, where the system tells (Linux: `MemTotal`).
pub(crate) fn installed() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
