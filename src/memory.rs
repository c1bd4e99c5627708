//! Host memory: fallible allocation, huge pages, copies by all threads, and the size of the machine's memory.
//!
//! Everything that grows with the data is allocated here, so that a refusal is an error; [`Error::HostOutOfMemory`] lists the
//! exceptions.

mod strided;

use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};

pub(crate) use strided::{Strided, StridedMut};

use crate::error::Error;
use crate::parallel::for_each_chunk;

/// Bytes that one thread copies at a time; few where an interpreter copies them.
const GRAIN: usize = if cfg!(miri) { 4 << 10 } else { 512 << 10 };

/// From so many bytes on, large pages are requested: there are fewer faults, and strided passes do not miss in the TLB on every
/// row.
pub(crate) const LARGE: usize = 4 << 20;

/// From so many bytes on, small pages are better where a hypervisor reclaims memory that a guest has not used for two seconds:
/// the guest makes large pages of such memory first, and it returns 4 KiB at a time. 700 MB were allocated in 0.035 s as large
/// pages that had just been freed, in 1.4 s as reclaimed ones, and in 0.25 s as small pages. Programs that work on less allocate
/// again before their memory is reclaimed.
const LARGEST: usize = 256 << 20;

/// A vector of zeros, or [`Error::HostOutOfMemory`]. The system hands out zero pages, so nothing is written.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, Error> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    if bytes > isize::MAX as u64 {
        return Err(Error::HostOutOfMemory { bytes });
    }
    let vector: Vec<T> =
        bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::HostOutOfMemory { bytes })?;
    if bytes >= LARGE as u64 && (bytes < LARGEST as u64 || !takes_memory_back()) {
        large_pages(vector.as_ptr().cast(), bytes as usize);
    }
    Ok(vector)
}

/// Whether the hypervisor reclaims free memory: free page reporting, bit 5 of the features of virtio's balloon (Virtual I/O
/// Device 1.2, section 5.5.3).
fn takes_memory_back() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    let reports = |features: String| features.as_bytes().get(5) == Some(&b'1');
    *ANSWER.get_or_init(|| {
        let devices =
            std::fs::read_dir("/sys/bus/virtio/drivers/virtio_balloon").into_iter().flatten().flatten();
        devices.filter_map(|device| std::fs::read_to_string(device.path().join("features")).ok()).any(reports)
    })
}

/// Asks for large pages (2 MiB instead of 4 KiB, one fault for 512), where the system grants them on request.
#[cfg(target_os = "linux")]
fn large_pages(start: *const u8, bytes: usize) {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        /// madvise(2), of the C library that `std` links.
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }
    /// MADV_HUGEPAGE of linux/mman.h, the same on every architecture.
    const HUGE_PAGE: c_int = 14;
    /// A multiple of every page size, to which the range of the call must be aligned.
    const PAGE: usize = 64 << 10;
    let skipped = start.align_offset(PAGE);
    if let Some(len) = bytes.checked_sub(skipped) {
        // SAFETY: whole pages inside memory that is ours; the advice changes how pages are backed and never what they
        // hold. A refusal changes nothing at all.
        let _ =
            unsafe { madvise(start.wrapping_add(skipped).cast_mut().cast(), len / PAGE * PAGE, HUGE_PAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn large_pages(_: *const u8, _: usize) {}

/// Copies with as many threads as pay; the lengths are equal. One thread reaches a fifth of the memory's bandwidth, and touching
/// memory for the first time costs more than the copy.
pub(crate) fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    let grain = GRAIN / size_of::<T>().max(1);
    match from.len() <= grain {
        true => to.copy_from_slice(from),
        false => {
            assert_eq!(from.len(), to.len(), "a copy to something as long");
            for_each_chunk(to, grain, |number, to| to.copy_from_slice(&from[number * grain..][..to.len()]));
        }
    }
}

/// Touches memory that is about to be written, with as many threads as pay, so that the system allocates its pages now; the
/// contents stay.
pub(crate) fn touch<T: Pod + Send>(memory: &mut [T]) {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(memory);
    // A page is this large or larger; a write that changes nothing must not be optimised away.
    for_each_chunk(bytes, GRAIN, |_, piece| {
        for byte in piece.iter_mut().step_by(4096) {
            *byte = std::hint::black_box(*byte);
        }
    });
}

/// Writes zeros with as many threads as pay.
pub(crate) fn clear(bytes: &mut [u8]) {
    for_each_chunk(bytes, GRAIN, |_, piece| piece.fill(0));
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

/// Prefetches the cache lines of a value. The address need not be valid.
#[cfg(feature = "bn254")]
#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = address.cast::<i8>();
        // SAFETY: hints, which no address makes fail.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(size_of::<T>() - 1)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The machine's memory in bytes, where the system reports it (Linux: `MemTotal`).
pub(crate) fn installed() -> Option<u64> {
    line("/proc/meminfo", "MemTotal:")
}

/// Bytes of it that programs could have now (Linux: `MemAvailable`).
pub(crate) fn available() -> Option<u64> {
    line("/proc/meminfo", "MemAvailable:")
}

/// The number of a line, in kibibytes, as bytes.
fn line(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::{GRAIN, LARGE, available, clear, copy, installed, touch, zeroed};
    use crate::error::Error;

    #[test]
    fn copies_of_any_length() {
        for len in [0, 1, GRAIN / 8, GRAIN / 8 + 1, 3 * GRAIN / 8 + 5] {
            let from: Vec<u64> = (1..=len as u64).collect();
            let mut to = vec![0; len];
            copy(&from, &mut to);
            assert_eq!(to, from);
            touch(&mut to);
            assert_eq!(to, from);
            clear(bytemuck::cast_slice_mut(&mut to));
            assert!(to.iter().all(|&word| word == 0));
        }
    }

    #[cfg(feature = "bn254")]
    #[test]
    fn copies_of_a_value() {
        assert_eq!(super::filled(3, 7_u16), Ok(vec![7; 3]));
        assert_eq!(super::filled(usize::MAX, 7_u16), Err(Error::HostOutOfMemory { bytes: u64::MAX }));
    }

    #[test]
    #[should_panic(expected = "a copy to something as long")]
    fn copies_of_unequal_lengths() {
        copy(&[0; GRAIN + 1], &mut [0_u8; GRAIN]);
    }

    #[test]
    fn memory_large_enough_for_large_pages_is_zero_and_ours() {
        let mut words = zeroed::<u64>(LARGE / 8 + 3).unwrap();
        assert!(words.iter().all(|&word| word == 0));
        words.iter_mut().zip(1..).for_each(|(word, i)| *word = i);
        assert!(words.iter().zip(1..).all(|(&word, i)| word == i));
        assert_eq!(zeroed::<u64>(usize::MAX).unwrap_err(), Error::HostOutOfMemory { bytes: u64::MAX });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_of_its_memory() {
        let (installed, available) = (installed().unwrap(), available().unwrap());
        assert!(installed > 256 << 20 && installed < 1 << 50, "{installed} bytes");
        assert!(available > 32 << 20 && available <= installed, "{available} of {installed} bytes");
    }
}
