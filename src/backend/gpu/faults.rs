//! Fault injection: a wrapper around any device that fails at a chosen moment.

mod inversion;
mod resident;
mod side_by_side;
#[cfg(feature = "bn254")]
mod sums;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::device::{Arg, Device, Launch, Limits};
use super::{DeviceHash, Gpu};
use crate::backend::reference::Reference;
use crate::backend::testing::{build_heap, hash_columns};
use crate::backend::{Hashing, Levels, Transforms};
#[cfg(feature = "bn254")]
use crate::bn254::{Fr, scalars_mut};
use crate::device::DeviceInfo;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Blake3, ElementDigest, Rp64_256};
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt};
use crate::pinned::Locked;

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Allocations find no memory.
    Memory,
    /// Any call fails.
    Anything,
}

/// A device that fails `times` times after `left` successful calls.
struct Faulty<D> {
    device: Arc<D>,
    fault: Fault,
    left: Arc<AtomicI64>,
    times: i64,
}

impl<D: Device> Faulty<D> {
    fn new(device: &Arc<D>, (fault, times): (Fault, i64), calls: i64) -> Self {
        Self { device: Arc::clone(device), fault, left: Arc::new(AtomicI64::new(calls)), times }
    }

    /// Counts a call, and fails it when its turn has come.
    fn count(&self, requested: Option<usize>) -> Result<(), Error> {
        if self.fault == Fault::Memory && requested.is_none() {
            return Ok(());
        }
        let left = self.left.fetch_sub(1, Ordering::Relaxed);
        if left > 0 || left <= -self.times {
            return Ok(());
        }
        let device = self.device.info().id.clone();
        Err(match requested {
            Some(bytes) => Error::DeviceOutOfMemory { device, requested: bytes as u64 },
            None => Error::DeviceFailed { device, operation: "a test", message: "injected".into() },
        })
    }
}

impl<D: Device> Device for Faulty<D> {
    type Buffer = D::Buffer;
    type Queue = D::Queue;

    fn info(&self) -> &DeviceInfo {
        self.device.info()
    }
    fn limits(&self) -> Limits {
        self.device.limits()
    }
    fn queue(&self) -> Result<D::Queue, Error> {
        self.count(None)?;
        self.device.queue()
    }
    fn allocate(&self, bytes: usize) -> Result<D::Buffer, Error> {
        self.count(Some(bytes))?;
        self.device.allocate(bytes)
    }
    fn upload(&self, queue: &mut D::Queue, data: &[u8], to: &D::Buffer, at: usize) -> Result<(), Error> {
        self.count(None)?;
        self.device.upload(queue, data, to, at)
    }
    fn download(
        &self,
        queue: &mut D::Queue,
        from: &D::Buffer,
        at: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        if let Err(error) = self.count(None) {
            // A copy that breaks off in the middle.
            let half = data.len() / 2;
            data[..half].fill(0xa5);
            return Err(error);
        }
        self.device.download(queue, from, at, data)
    }
    fn launch(&self, queue: &mut D::Queue, launches: &[Launch<&D::Buffer>]) -> Result<(), Error> {
        self.count(None)?;
        self.device.launch(queue, launches)
    }
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.count(None)?;
        self.device.lock(bytes)
    }
    fn copy(
        &self,
        queue: &mut D::Queue,
        from: &D::Buffer,
        to: &D::Buffer,
        bytes: usize,
    ) -> Result<(), Error> {
        self.count(None)?;
        self.device.copy(queue, from, to, bytes)
    }
    fn copies_directly(&self, data: &[u8]) -> bool {
        // Plans that check data while a device copies them must be tested where no memory is locked.
        self.fault == Fault::Anything || self.device.copies_directly(data)
    }
    fn replays(&self) -> Option<u64> {
        self.device.replays()
    }
    fn finish(&self, queue: &mut D::Queue) -> Result<Vec<Range<u64>>, Error> {
        self.count(None)?;
        self.device.finish(queue)
    }
}

/// Runs `operation` on data of its own until it succeeds, each time with one more successful call before the fault, and checks
/// that each failure is clean: the right error, unchanged data, and a right result of the same backend the next time.
fn survive<D: Device>(
    device: &Arc<D>,
    fault: Fault,
    times: i64,
    data: &[Goldilocks],
    operation: impl Fn(&Gpu<Faulty<D>>, &mut [Goldilocks]) -> Result<(), Error>,
) -> usize {
    let mut expected = data.to_vec();
    operation(&Gpu::new(Faulty::new(device, (fault, times), i64::MAX), None), &mut expected).unwrap();
    for calls in 0.. {
        let gpu = Gpu::new(Faulty::new(device, (fault, times), calls), None);
        let mut found = data.to_vec();
        match operation(&gpu, &mut found) {
            Ok(()) => {
                assert!(found == expected, "{fault:?} after {calls} calls: a wrong answer");
                if gpu.device.left.load(Ordering::Relaxed) >= 0 {
                    return calls as usize;
                }
            }
            Err(Error::DeviceOutOfMemory { requested, .. }) => assert!(requested > 0),
            Err(Error::DeviceFailed { .. }) => assert_eq!(fault, Fault::Anything),
            // The one error after which an input may be changed; its message says so.
            Err(Error::ResultLost { .. }) => {
                assert_eq!(fault, Fault::Anything);
                found.copy_from_slice(data);
            }
            Err(error) => panic!("{error}"),
        }
        if found != expected {
            assert!(found == data, "{fault:?} after {calls} calls: the input was changed");
            gpu.device.left.store(i64::MAX, Ordering::Relaxed);
            operation(&gpu, &mut found).unwrap();
            assert!(found == expected, "{fault:?} after {calls} calls: a wrong answer afterwards");
        }
    }
    unreachable!("there are fewer calls than numbers")
}

fn tree<H: DeviceHash<Digest = ElementDigest>, D: Device>(
    gpu: &Gpu<D>,
    heap: &mut [Goldilocks],
) -> Result<(), Error> {
    let mut copy = heap.to_vec();
    build_heap::<H>(gpu, bytemuck::cast_slice_mut(&mut copy), Approach::Auto)?;
    heap.copy_from_slice(&copy);
    Ok(())
}

/// Values on a coset of 2^`log_size` points to coefficients, both in natural order.
#[cfg(feature = "bn254")]
fn fft(log_size: u32) -> Ntt<Fr> {
    Ntt::inverse(Domain::halo2(log_size).unwrap().coset(Fr::from(7)).unwrap())
}

/// A transform of words as the limbs of scalars.
#[cfg(feature = "bn254")]
fn transform(backend: &dyn Transforms<Fr>, fft: &Ntt<Fr>, words: &mut [Goldilocks]) -> Result<(), Error> {
    let limbs: &mut [[u64; 4]] = bytemuck::cast_slice_mut(words);
    backend.ntt(fft, scalars_mut(limbs).expect("limbs of scalars"), 1)
}

/// Operations done in parts, where memory is short, have the same results as in one, and fail as cleanly.
fn parts<D: Device>(device: Result<D, Error>) {
    let Ok(device) = device else { return };
    let device = &Arc::new(device);
    let limited = |calls| {
        // A block of 16 rows by 2 at a time; or fewer rows than there are.
        Gpu::new(Faulty::new(device, (Fault::Anything, 1), calls), Some(8 * 150))
    };
    let data: Vec<_> = (1..=5 * 32).map(Goldilocks::new).collect();
    let ntt = Ntt::inverse(Domain::new(4, Convention::Plonky3).unwrap().coset(Goldilocks::new(7)).unwrap());
    let mut expected = data.clone();
    Reference.ntt(&ntt, &mut expected, 2).unwrap();
    for calls in 0.. {
        let mut found = data.clone();
        match limited(calls).ntt(&ntt, &mut found, 2) {
            Ok(()) => {
                assert!(found == expected);
                break;
            }
            Err(_) => assert!(found == data, "the input was changed after {calls} calls"),
        }
    }
    #[cfg(feature = "bn254")]
    {
        // Five polynomials, two at a time; and one that alone exceeds the budget, which is tried.
        let (five, one) = (fft(3), fft(5));
        for (fft, data) in [(five, &data[..]), (one, &data[..128])] {
            let mut expected = data.to_vec();
            transform(&Reference, &fft, &mut expected).unwrap();
            for calls in 0.. {
                let mut found = data.to_vec();
                match transform(&limited(calls), &fft, &mut found) {
                    Ok(()) => {
                        assert!(found == expected);
                        break;
                    }
                    // The one error after which an input may be changed; its message says so.
                    Err(Error::ResultLost { .. }) => {}
                    Err(_) => assert!(found == data, "the input was changed after {calls} calls"),
                }
            }
        }
    }
    let gpu = limited(i64::MAX);
    let lde = Lde::onto_coset(3, 4, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    let (mut found, mut expected) = (vec![Goldilocks::default(); 640], vec![Goldilocks::default(); 640]);
    gpu.lde(&lde, &mut data.clone(), 1, &mut found).unwrap();
    Reference.lde(&lde, &mut data.clone(), 1, &mut expected).unwrap();
    assert!(found == expected);
    // A tree of 32 leaves of which 16 are within the budget.
    let mut found: Vec<ElementDigest> = bytemuck::cast_slice(&data).to_vec();
    found.resize(64, ElementDigest::default());
    let mut expected = found.clone();
    for calls in 0.. {
        let built = build_heap::<Rp64_256>(&limited(calls), &mut found, Approach::Auto);
        assert!(found[32..] == expected[32..], "the leaves were changed after {calls} calls");
        if built.is_ok() {
            break;
        }
    }
    build_heap::<Rp64_256>(&Reference, &mut expected, Approach::Auto).unwrap();
    assert!(found[1..] == expected[1..]);
    for (rows, degree) in [(32, 1), (32, 5), (80, 2), (40, 1)] {
        let (mut found, mut expected) = (vec![Default::default(); rows], vec![Default::default(); rows]);
        hash_columns::<Rp64_256>(&gpu, &data, degree, &mut found).unwrap();
        hash_columns::<Rp64_256>(&Reference, &data, degree, &mut expected).unwrap();
        assert!(found == expected, "{rows} rows, degree {degree}");
    }
}

#[cfg(feature = "opencl")]
#[test]
fn opencl_in_parts() {
    parts(super::opencl::OpenCl::required());
}

#[cfg(feature = "cuda")]
#[test]
fn cuda_in_parts() {
    parts(super::cuda::Cuda::open(0));
}

/// Every operation, with every fault at every moment.
fn faults<D: Device>(device: Result<D, Error>) {
    // Where the device must be present, the conformance tests say that it is not.
    let Ok(device) = device else { return };
    let device = &Arc::new(device);
    let data: Vec<_> = (1..=256).map(Goldilocks::new).collect();
    let ntt = Ntt::forward(Domain::new(6, Convention::Plonky3).unwrap().coset(Goldilocks::new(7)).unwrap());
    let lde = Lde::onto_coset(5, 4, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    // A first refusal of memory is met by releasing the pool; a second one is returned to the caller.
    for (fault, times) in [(Fault::Memory, 1), (Fault::Memory, 2), (Fault::Anything, 1), (Fault::Anything, 2)]
    {
        let moments = survive(device, fault, times, &data, tree::<Rp64_256, _>);
        assert!(moments >= 1);
        survive(device, fault, times, &data, |gpu, data| gpu.ntt(&ntt, data, 2));
        #[cfg(feature = "bn254")]
        survive(device, fault, times, &data, |gpu, data| transform(gpu, &fft(5), data));
        survive(device, fault, times, &data, |gpu, data| {
            // Leaves elsewhere, and a heap that matters only when it is whole.
            let leaves: Vec<ElementDigest> = bytemuck::cast_slice(&data[128..]).to_vec();
            let mut heap = vec![ElementDigest::default(); 2 * leaves.len()];
            let (inner, copies) = heap.split_at_mut(leaves.len());
            let mut beside = || {
                copies.copy_from_slice(&leaves);
                Ok(())
            };
            let levels = Levels::Heap(inner);
            Hashing::<Rp64_256>::build_tree(gpu, &leaves, levels, Approach::Auto, &mut beside)?;
            data.copy_from_slice(bytemuck::cast_slice(&heap));
            Ok(())
        });
        survive(device, fault, times, &data, |gpu, data| {
            // The last words are the output, the first are its input.
            let mut input = data[..64].to_vec();
            let mut output = vec![Goldilocks::default(); 256];
            gpu.lde(&lde, &mut input, 2, &mut output)?;
            data.copy_from_slice(&output);
            Ok(())
        });
        survive(device, fault, times, &data, |gpu, data| {
            let mut digests = vec![Default::default(); 32];
            hash_columns::<Blake3>(gpu, data, 2, &mut digests)?;
            data[..128].copy_from_slice(
                &bytemuck::cast_slice::<_, [u64; 4]>(&digests)
                    .concat()
                    .iter()
                    .map(|&word| Goldilocks::new(word))
                    .collect::<Vec<_>>(),
            );
            Ok(())
        });
    }
}

/// Repeated launches over different data build the right tree each time; a device that replays lists does so from the second time
/// on; and the device reports a time.
fn repeats<D: Device>(device: Result<D, Error>) {
    let Ok(device) = device else { return };
    let leaves = 32;
    let mut queue = device.queue().unwrap();
    let memory = device.allocate(2 * 8 * 4 * leaves).unwrap();
    let levels = [16usize, 8, 4, 2, 1].map(|parents| {
        let args = vec![Arg::Buffer(&memory, 0), Arg::Word(parents as u64)];
        // SAFETY: merge_level(heap, parents), and the heap is that of 32 leaves.
        unsafe { Launch::new(Blake3::PROGRAM, "merge_level", device.limits().grid(parents), args) }
    });
    for time in 0..4 {
        let mut found: Vec<_> = (0..8 * leaves as u64).map(|i| Goldilocks::new(i * i + time)).collect();
        let mut expected = found.clone();
        let before = device.replays();
        device.upload(&mut queue, bytemuck::cast_slice(&found), &memory, 0).unwrap();
        device.launch(&mut queue, &levels).unwrap();
        assert!(device.finish(&mut queue).unwrap().iter().any(|interval| !interval.is_empty()));
        device.download(&mut queue, &memory, 0, bytemuck::cast_slice_mut(&mut found)).unwrap();
        let heap = bytemuck::cast_slice_mut(&mut expected);
        build_heap::<Blake3>(&Reference, heap, Approach::Level).unwrap();
        assert!(found[4..] == expected[4..]);
        let replayed = device.replays().zip(before).map(|(after, before)| after - before);
        assert!(replayed.is_none_or(|replayed| replayed == u64::from(time > 0)), "{time}: {replayed:?}");
    }
}

#[cfg(feature = "opencl")]
#[test]
fn opencl_repeats() {
    repeats(super::opencl::OpenCl::required());
}

#[cfg(feature = "cuda")]
#[test]
fn cuda_repeats() {
    repeats(super::cuda::Cuda::open(0));
}

#[cfg(feature = "opencl")]
#[test]
fn faults_of_opencl() {
    faults(super::opencl::OpenCl::required());
}

#[cfg(feature = "cuda")]
#[test]
fn faults_of_cuda() {
    faults(super::cuda::Cuda::open(0));
}
