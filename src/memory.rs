//! Host memory: fallible allocation, and how much the machine has.

use bytemuck::Zeroable;

use crate::error::Error;

/// A vector of zeros, or [`Error::HostOutOfMemory`]. The system hands out zero pages, so nothing is written.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, Error> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    if bytes > isize::MAX as u64 {
        return Err(Error::HostOutOfMemory { bytes });
    }
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::HostOutOfMemory { bytes })
}

/// A vector of copies of a value, or [`Error::HostOutOfMemory`].
#[cfg(feature = "bn254")]
pub(crate) fn filled<T: Clone>(len: usize, value: T) -> Result<Vec<T>, Error> {
    let mut vector = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    vector.try_reserve_exact(len).map_err(|_| Error::HostOutOfMemory { bytes })?;
    vector.resize(len, value);
    Ok(vector)
}

/// Asks for the cache lines of a value before it is needed. The address need not be that of any value.
#[cfg(feature = "bn254")]
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let place = place.cast::<i8>();
        // SAFETY: hints, which no address makes fail.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.wrapping_add(size_of::<T>() - 1)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// The machine's memory in bytes, where the system tells (Linux: `MemTotal`).
pub(crate) fn installed() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
