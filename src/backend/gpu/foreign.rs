//! The memory of a device as other libraries of the process use it: our words by their address there, and theirs as ours.
//!
//! Only CUDA has addresses that libraries share, because all use the device's primary context. Words of another library were seen by
//! nobody: a kernel compares them with the modulus before anything else is done with them. So it does with the host's words where they are many.

use super::Gpu;
#[cfg(feature = "cuda")]
use super::device::Buffer;
use super::device::{Arg, Launch};
#[cfg(feature = "cuda")]
use super::pool::Lease;
use super::program::Program;
use super::session::{Region, Session};
#[cfg(feature = "cuda")]
use crate::backend::{Foreign, Memory};
use crate::error::Error;

/// The comparison of elements with a modulus.
pub static CHECK: Program =
    Program { name: "check", kernels: &[include_str!("../../../kernels/check.cl")], ..Program::EMPTY };

/// The most limbs of an element.
const LIMBS: usize = 4;

impl Gpu {
    /// Whether all elements of a region are below a modulus, which has as many words as an element, the lowest first.
    pub(super) fn are_below(
        &self,
        session: &mut Session<'_>,
        region: Region,
        modulus: &[u64],
    ) -> Result<bool, Error> {
        let found = self.compare(session, region, modulus)?;
        self.all_below_by(session, found)
    }

    /// Begins the comparison, and returns where its result will be.
    pub(super) fn compare(
        &self,
        session: &mut Session<'_>,
        region: Region,
        modulus: &[u64],
    ) -> Result<Region, Error> {
        let (limbs, count) = (modulus.len(), region.words() / modulus.len());
        assert!(limbs <= LIMBS && count * limbs == region.words(), "whole elements");
        let found = session.upload_new(bytemuck::cast_slice(&[0_u64]))?;
        let mut args = vec![Arg::Buffer(region, 0), Arg::Word(count as u64), Arg::Word(limbs as u64)];
        args.extend((0..LIMBS).map(|i| Arg::Word(modulus.get(i).copied().unwrap_or(0))));
        args.push(Arg::Buffer(found, 0));
        // Items compare four elements of one word each.
        let items = if limbs == 1 { count.div_ceil(4) } else { count };
        // SAFETY: check_below reads `count` elements of `limbs` words, all of the region, and writes one word.
        let launch = unsafe { Launch::new(&CHECK, "check_below", session.limits().grid(items), args) };
        session.launch(&[launch])?;
        Ok(found)
    }

    /// Waits for a comparison, and tells its result.
    pub(super) fn all_below_by(&self, session: &mut Session<'_>, found: Region) -> Result<bool, Error> {
        let mut above = [0_u64];
        session.download(found, 0, bytemuck::cast_slice_mut(&mut above))?;
        Ok(above == [0])
    }
}

#[cfg(feature = "cuda")]
impl Foreign for Gpu {
    fn ordinal(&self) -> u32 {
        self.device.ordinal().expect("a device whose memory others share")
    }

    fn address(&self, memory: &Memory) -> u64 {
        let lease = memory.downcast::<Lease<Buffer>>().expect("memory that this backend handed out");
        self.device.address(lease.buffer())
    }

    fn synchronise(&self) -> Result<(), Error> {
        self.device.synchronise()
    }

    unsafe fn adopt(
        &self,
        from: u64,
        words: usize,
        stream: Option<u64>,
        modulus: &[u64],
    ) -> Result<(Memory, bool), Error> {
        self.grant(words)?;
        let mut session = Session::new(self)?;
        let region = session.allocate(words)?;
        session.with_queue(region, |device, queue, to| {
            // SAFETY: the caller's promise, and the session waits for the queue before it returns; the region has so many words.
            unsafe { device.adopt(queue, from, words, stream, to) }
        })?;
        let below = modulus.is_empty() || self.are_below(&mut session, region, modulus)?;
        Ok((session.lease(region)?, below))
    }
}

#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
pub(super) mod tests {
    use super::*;
    use crate::field::MODULUS;

    #[cfg(feature = "opencl")]
    #[test]
    fn elements_at_or_above_the_modulus_are_found() {
        let Ok(device) = super::super::opencl::OpenCl::required() else { return };
        elements_above(Gpu::new(std::sync::Arc::new(device), None));
    }

    /// A single element at or above the modulus is found wherever it is, and none where there is none.
    pub(in crate::backend::gpu) fn elements_above(gpu: Gpu) {
        let all_below = |words: &[u64], modulus: &[u64]| {
            let mut session = Session::new(&gpu).unwrap();
            let region = session.upload_new(bytemuck::cast_slice(words)).unwrap();
            gpu.are_below(&mut session, region, modulus).unwrap()
        };
        let mut words = vec![MODULUS - 1; 1000];
        assert!(all_below(&words, &[MODULUS]));
        for (index, word) in [(0, MODULUS), (500, u64::MAX), (999, MODULUS + 1)] {
            words[index] = word;
            assert!(!all_below(&words, &[MODULUS]));
            words[index] = 0;
        }
        // Every remainder by the four words that an item compares at a time, and every place.
        for count in 1..=9 {
            for above in 0..count {
                let words: Vec<u64> =
                    (0..count).map(|i| if i == above { MODULUS } else { MODULUS - 1 }).collect();
                assert!(!all_below(&words, &[MODULUS]), "{above} of {count}");
                assert!(all_below(&words, &[MODULUS + 1]), "{count}");
            }
        }
        for limbs in 2..=3 {
            let modulus: Vec<u64> = (7..).take(limbs).collect();
            let mut below = modulus.repeat(5);
            assert!(!all_below(&below, &modulus), "{limbs}");
            below.iter_mut().step_by(limbs).for_each(|lowest| *lowest -= 1);
            assert!(all_below(&below, &modulus), "{limbs}");
            for highest in (limbs - 1..below.len()).step_by(limbs) {
                let mut words = below.clone();
                words[highest] += 1;
                assert!(!all_below(&words, &modulus), "{limbs}, {highest}");
            }
        }
        let modulus = [5, 0, u64::MAX, 7];
        let below = [[4, 0, u64::MAX, 7], [9, 9, 9, 6], [u64::MAX, u64::MAX, u64::MAX - 1, 7], [0; 4]];
        assert!(all_below(below.as_flattened(), &modulus));
        for above in [modulus, [6, 0, u64::MAX, 7], [0, 1, u64::MAX, 7], [0, 0, 0, 8], [u64::MAX; 4]] {
            for index in 0..below.len() {
                let mut elements = below;
                elements[index] = above;
                assert!(!all_below(elements.as_flattened(), &modulus), "{above:?}");
            }
        }
    }
}
