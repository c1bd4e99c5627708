//! Devices that fail, that must work at the same time, and that are busy.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Part, Several, lock};
use crate::backend::cost::{Curve, Kind, LDE, NTT, rows, tree};
use crate::backend::cpu::Cpu;
use crate::backend::{Clock, Hashing, HostMemory, Residence, Transforms};
use crate::error::Error;
use crate::field::{Goldilocks, powers};
use crate::hash::*;
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt};

/// What a device of these tests does before it computes.
#[derive(Clone, Default)]
struct Mood {
    broken: Arc<AtomicBool>,
    meeting: Option<Arc<Meeting>>,
}

/// Where so many operations must be at the same time.
struct Meeting {
    expected: usize,
    here: Mutex<usize>,
    changed: Condvar,
}

impl Meeting {
    fn of(expected: usize) -> Arc<Self> {
        Arc::new(Self { expected, here: Mutex::new(0), changed: Condvar::new() })
    }

    fn join(&self) -> bool {
        let mut here = lock(&self.here);
        *here += 1;
        self.changed.notify_all();
        let waited =
            self.changed.wait_timeout_while(here, Duration::from_secs(20), |here| *here < self.expected);
        !waited.unwrap().1.timed_out()
    }
}

/// The CPU under another name, in a mood.
struct Moody {
    name: &'static str,
    cpu: Cpu,
    mood: Mood,
}

impl Moody {
    fn begin(&self) -> Result<(), Error> {
        let failed = |message: &str| Error::DeviceFailed {
            device: self.name.into(),
            operation: "a test",
            message: message.into(),
        };
        if self.mood.broken.load(Ordering::Relaxed) {
            return Err(failed("injected"));
        }
        match self.mood.meeting.as_ref().is_none_or(|meeting| meeting.join()) {
            true => Ok(()),
            false => Err(failed("alone after 20 seconds")),
        }
    }
}

impl Clock for Moody {}
impl HostMemory for Moody {}
impl Residence for Moody {}

impl Transforms for Moody {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.begin()?;
        self.cpu.ntt(ntt, data, width)
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.begin()?;
        self.cpu.lde(lde, input, width, output)
    }
}

macro_rules! moody_digests {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        $(impl Hashing<$hash> for Moody {
            fn hash_rows(
                &self,
                matrix: &[Goldilocks],
                width: usize,
                digests: &mut [<$hash as Hasher>::Digest],
            ) -> Result<(), Error> {
                self.begin()?;
                Hashing::<$hash>::hash_rows(&self.cpu, matrix, width, digests)
            }

            fn hash_columns(
                &self,
                matrix: &[Goldilocks],
                degree: usize,
                digests: &mut [<$hash as Hasher>::Digest],
            ) -> Result<(), Error> {
                self.begin()?;
                Hashing::<$hash>::hash_columns(&self.cpu, matrix, degree, digests)
            }

            fn build_tree(
                &self,
                heap: &mut [<$hash as Hasher>::Digest],
                approach: Approach,
            ) -> Result<(), Error> {
                self.begin()?;
                Hashing::<$hash>::build_tree(&self.cpu, heap, approach)
            }
        })*
    };
}
crate::for_every_hash!(moody_digests);

/// A unit of work a nanosecond on each, as if it were measured.
fn prepared(several: Several, kinds: &[Kind]) -> Several {
    let curve = || Some(Curve::through(vec![[1.0, 1.0], [1e12, 1e12]]));
    for kind in kinds {
        let curves = several.members.iter().map(|_| curve()).collect();
        lock(&several.curves).insert((kind.name, kind.hash), Arc::new(curves));
    }
    several
}

fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(1).build().unwrap()
}

fn several(moods: [Mood; 2], weights: Option<Vec<usize>>) -> Several {
    let part = |(name, mood): (&'static str, Mood)| Part {
        backend: Box::new(Moody { name, cpu: Cpu::default(), mood }),
        device: name.into(),
        machine: vec![name.into()],
        on_host: true,
        threads: Some(pool()),
    };
    let several = Several::new(["left", "right"].into_iter().zip(moods).map(part).collect(), weights);
    let kinds = [NTT, LDE, rows::<Blake3>(), tree::<Blake3>()];
    let several = prepared(several, &kinds);
    #[cfg(feature = "bn254")]
    let several = prepared(several, &[crate::backend::cost::MSM, crate::backend::cost::FFT]);
    several
}

fn words(len: usize) -> Vec<Goldilocks> {
    powers(Goldilocks::GENERATOR).take(len).collect()
}

fn domain(log: u32) -> Domain {
    Domain::new(log, Convention::Plonky3).unwrap().coset(Goldilocks::GENERATOR).unwrap()
}

/// Whichever of two devices fails, the error names it, what was given is as it was, and afterwards all is well.
#[test]
fn a_device_that_fails() {
    for broken in [0, 1] {
        let moods = [Mood::default(), Mood::default()];
        let several = several(moods.clone(), Some(vec![1, 2]));
        let name = ["left", "right"][broken];
        let fails =
            Error::DeviceFailed { device: name.into(), operation: "a test", message: "injected".into() };
        let set = |value| moods[broken].broken.store(value, Ordering::Relaxed);
        for width in [1, 5] {
            for blocks in [1, 7] {
                let ntt = Ntt::forward(domain(4));
                let before = words(16 * width * blocks);
                let mut data = before.clone();
                set(true);
                if width * blocks > 1 {
                    assert_eq!(several.ntt(&ntt, &mut data, width), Err(fails.clone()));
                    assert!(data == before, "{width} {blocks}");
                }
                set(false);
                several.ntt(&ntt, &mut data, width).unwrap();
                let mut expected = before.clone();
                Cpu::default().ntt(&ntt, &mut expected, width).unwrap();
                assert!(data == expected, "{width} {blocks}");
            }
        }
        let lde = Lde::new(Domain::new(4, Convention::Plonky3).unwrap(), domain(6)).unwrap();
        let (mut extended, mut expected) = (words(64 * 3), words(64 * 3));
        set(true);
        assert_eq!(several.lde(&lde, &mut words(16 * 3), 1, &mut extended), Err(fails.clone()));
        assert_eq!(several.lde(&lde, &mut words(16 * 3), 3, &mut extended), Err(fails.clone()));
        set(false);
        for width in [1, 3] {
            several.lde(&lde, &mut words(16 * 3), width, &mut extended).unwrap();
            Cpu::default().lde(&lde, &mut words(16 * 3), width, &mut expected).unwrap();
            assert!(extended == expected, "{width}");
        }
        trees_that_fail(&several, &fails, &set);
    }
}

fn trees_that_fail(several: &Several, fails: &Error, set: &dyn Fn(bool)) {
    let leaves: Vec<_> = (0..64u8).map(|i| Blake3::hash(&[i])).collect();
    let empty = vec![<Blake3 as Hasher>::Digest::default(); 128];
    let mut heap = empty.clone();
    let hashing: &dyn Hashing<Blake3> = several;
    set(true);
    let refused = hashing.build_tree_over(&leaves, &mut heap, Approach::Auto, &|_| Ok(()));
    assert_eq!(refused, Err(fails.clone()));
    let matrix = words(64 * 3);
    let mut digests = empty[..64].to_vec();
    assert_eq!(hashing.hash_rows(&matrix, 3, &mut digests), Err(fails.clone()));
    assert_eq!(hashing.hash_columns(&matrix, 1, &mut digests), Err(fails.clone()));
    set(false);
    hashing.build_tree_over(&leaves, &mut heap, Approach::Auto, &|_| Ok(())).unwrap();
    let mut expected = [&empty[64..], &leaves].concat();
    Hashing::<Blake3>::build_tree(&Cpu::default(), &mut expected, Approach::Auto).unwrap();
    assert!(heap[1..] == expected[1..]);
}

/// A word that is not canonical is told of by its place in all data, and the shares that were done are undone.
#[test]
fn words_that_are_refused() {
    let several = several([Mood::default(), Mood::default()], Some(vec![1, 1]));
    let mut data = words(16 * 6);
    data[70] = bytemuck::cast(u64::MAX);
    let before: Vec<u64> = bytemuck::cast_slice(&data).to_vec();
    let refused = Err(Error::NotCanonical { index: 70, value: u64::MAX });
    for width in [1, 6] {
        let ntt = Ntt::forward(domain(4));
        assert_eq!(several.ntt_checked(&ntt, &mut data, width, &Goldilocks::check_canonical), refused);
        assert_eq!(bytemuck::cast_slice::<_, u64>(&data), before);
    }
}

/// Both devices are at work at the same time, although the caller's pool has but one thread.
#[test]
fn devices_work_at_the_same_time() {
    let meeting = Meeting::of(2);
    let mood = Mood { meeting: Some(meeting), ..Mood::default() };
    let several = several([mood.clone(), mood], Some(vec![1, 1]));
    let mut data = words(64);
    pool().install(|| several.ntt(&Ntt::forward(domain(5)), &mut data, 1)).unwrap();
    let account: Vec<_> = several.work().iter().map(|work| work.of("ntt").unwrap().items).collect();
    assert_eq!(account, [32, 32]);
}

/// Small operations go to the device with less to do: of three at a time that all wait for each other, two are on one device.
#[test]
fn a_busy_device_is_passed_by() {
    let meeting = Meeting::of(3);
    let mood = Mood { meeting: Some(meeting), ..Mood::default() };
    let several = several([mood.clone(), mood], None);
    let run = |log: u32| {
        let mut data = words(1 << log);
        several.ntt(&Ntt::forward(domain(log)), &mut data, 1)
    };
    std::thread::scope(|scope| {
        // The largest first: when it has begun, the others find the device busy.
        let first = scope.spawn(|| run(10));
        let begun = |count: u64| {
            while several.work().iter().map(|work| work.under_way).sum::<u64>() < count {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        begun(1);
        let second = scope.spawn(|| run(4));
        begun(2);
        let account: Vec<_> = several.work().iter().map(|work| work.under_way).collect();
        assert_eq!(account, [1, 1]);
        run(5).unwrap();
        first.join().unwrap().unwrap();
        second.join().unwrap().unwrap();
    });
    let account: Vec<_> = several.work().iter().map(|work| work.of("ntt").unwrap().items).collect();
    assert_eq!(account, [1 << 10, 16 + 32]);
    assert!(several.members.iter().all(|member| member.backlog.load(Ordering::Relaxed) == 0));
}

/// The first OpenCL device twice; none where there is none, which the conformance tests tell where it must be there.
#[cfg(feature = "opencl")]
fn two_of_opencl(weights: Option<Vec<usize>>) -> Option<Several> {
    use crate::backend::gpu::{Gpu, opencl::OpenCl};
    let part = |(name, device): (&str, OpenCl)| Part {
        backend: Box::new(Gpu::new(device, None)),
        device: name.into(),
        machine: vec![name.into()],
        on_host: false,
        threads: Some(pool()),
    };
    let devices = [("left", OpenCl::open(0).ok()?), ("right", OpenCl::open(0).ok()?)];
    let several = Several::new(devices.into_iter().map(part).collect(), weights);
    Some(prepared(several, &[NTT, LDE, rows::<Rp64_256>(), tree::<Rp64_256>()]))
}

/// Devices with memory of their own look at words while they copy them: what is refused is told of by its place in all data, and
/// inputs are as they were.
#[cfg(feature = "opencl")]
#[test]
fn words_that_are_refused_on_their_way() {
    let Some(several) = two_of_opencl(Some(vec![1, 2])) else { return };
    let lde = Lde::new(Domain::new(4, Convention::Plonky3).unwrap(), domain(6)).unwrap();
    for width in [1, 6] {
        let (mut input, mut output, mut expected) = (words(96), words(384), words(384));
        let sound = std::mem::replace(&mut input[70], bytemuck::cast(u64::MAX));
        let before: Vec<u64> = bytemuck::cast_slice(&input).to_vec();
        let refused = Err(Error::NotCanonical { index: 70, value: u64::MAX });
        let check: crate::backend::Check<'_, _> = &Goldilocks::check_canonical;
        assert_eq!(several.lde_checked(&lde, &mut input, width, &mut output, check), refused);
        assert_eq!(bytemuck::cast_slice::<_, u64>(&input), before);
        input[70] = sound;
        several.lde_checked(&lde, &mut input, width, &mut output, check).unwrap();
        Cpu::default().lde(&lde, &mut words(96), width, &mut expected).unwrap();
        assert!(output == expected, "{width}");
    }
    let mut leaves: Vec<u64> = (0..256).collect();
    let mut heap = vec![<Rp64_256 as Hasher>::Digest::default(); 128];
    let mut expected = [&heap[64..], bytemuck::cast_slice(&leaves)].concat();
    let hashing: &dyn Hashing<Rp64_256> = &several;
    let check: crate::backend::Check<'_, _> = &|leaves: &[_]| crate::hash::Digest::check(leaves);
    leaves[201] = u64::MAX;
    let refused = hashing.build_tree_over(bytemuck::cast_slice(&leaves), &mut heap, Approach::Auto, check);
    assert_eq!(refused, Err(Error::NotCanonical { index: 201, value: u64::MAX }));
    leaves[201] = 201;
    hashing.build_tree_over(bytemuck::cast_slice(&leaves), &mut heap, Approach::Auto, check).unwrap();
    Hashing::<Rp64_256>::build_tree(&Cpu::default(), &mut expected, Approach::Auto).unwrap();
    assert!(heap[1..] == expected[1..]);
    assert!(several.work().iter().all(|work| work.of("merkle tree").is_some_and(|line| line.items > 0)));
}

/// Data of equal size that stay go to one device and the other in turn, whoever asks at the same time; what is made of them is where they
/// are; and what is dropped counts no more.
#[cfg(feature = "opencl")]
#[test]
fn data_that_stay_are_spread() {
    use crate::backend::{Extent, Resident};
    let Some(several) = two_of_opencl(None) else { return };
    let words = words(64);
    let count =
        || several.members.iter().map(|member| member.resident.load(Ordering::Relaxed)).collect::<Vec<_>>();
    let memories: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| several.upload(&words).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let uploads =
        several.work().iter().map(|work| work.of("upload").map_or(0, |line| line.calls)).collect::<Vec<_>>();
    assert!(uploads.iter().sum::<u64>() == 8 && uploads.iter().all(|&calls| calls > 0), "{uploads:?}");
    assert_eq!(count(), [512 * uploads[0], 512 * uploads[1]]);
    let extent = Extent { rows: 16, width: 4, block: 4 };
    for memory in &memories {
        let transformed = Resident::ntt(&several, &Ntt::forward(domain(4)), memory, extent).unwrap();
        let (mut found, mut expected) = (vec![0; 512], words.clone());
        several.download(&transformed, 0, &mut found).unwrap();
        Cpu::default().ntt(&Ntt::forward(domain(4)), &mut expected, 4).unwrap();
        assert!(found == bytemuck::cast_slice::<_, u8>(&expected));
    }
    let transforms =
        several.work().iter().map(|work| work.of("ntt").map_or(0, |line| line.calls)).collect::<Vec<_>>();
    assert_eq!(transforms, uploads);
    drop(memories);
    assert_eq!(count(), [0, 0]);
}

#[cfg(feature = "bn254")]
mod bn254 {
    use super::{Mood, Moody, several};
    use crate::backend::{BasesView, Clock, Fft, Kept, Msm, ScalarsView};
    use crate::bn254::{Fr, G1, G1Affine};
    use crate::error::Error;
    use crate::ntt::{Domain, Ntt};
    use std::sync::atomic::Ordering;

    impl Msm for Moody {
        fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
            self.begin()?;
            self.cpu.keep_bases(points, table_bytes)
        }

        fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
            self.begin()?;
            self.cpu.keep_scalars(scalars)
        }

        fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
            self.begin()?;
            self.cpu.msm(scalars, bases, sums)
        }
    }

    impl Fft for Moody {
        fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
            self.begin()?;
            self.cpu.fft(fft, values)
        }

        fn fft_of_padded(
            &self,
            domain: &Domain<Fr>,
            coefficients: &[Fr],
            size: usize,
            values: &mut [Fr],
        ) -> Result<(), Error> {
            self.begin()?;
            self.cpu.fft_of_padded(domain, coefficients, size, values)
        }
    }

    /// The sum of a_i (i + 1) G.
    fn expected(scalars: &[Fr], first: usize) -> G1 {
        let sum = scalars.iter().zip(first..).map(|(scalar, i)| scalar * Fr::from(i as u64 + 1)).sum::<Fr>();
        G1::generator() * sum
    }

    /// Ranges of kept bases that lie within a device's, across both and on either side, with scalars kept and not; each
    /// device keeps its own range and no more.
    #[test]
    fn sums_over_ranges_of_kept_bases() {
        let n = 30;
        let several = several([Mood::default(), Mood::default()], Some(vec![1, 2]));
        let points: Vec<_> = (1..=n as u64).map(|i| G1Affine::from(G1::generator() * Fr::from(i))).collect();
        let kept = several.keep_bases(&points, 1 << 20).unwrap();
        let account: Vec<_> =
            several.work().iter().map(|work| work.of("bases kept").unwrap().items).collect();
        assert_eq!(account, [10, 20]);
        let scalars: Vec<_> = (0..3 * n as u64).map(|i| Fr::from(i * i + 7)).collect();
        let kept_scalars = several.keep_scalars(&scalars[..n]).unwrap();
        for (first, end) in [(0, n), (0, 10), (3, 9), (10, 30), (12, 13), (9, 11), (5, 29), (4, 4)] {
            let bases = BasesView { points: &points[first..end], kept: kept.as_ref(), first };
            for rows in [1, 3] {
                let scalars = &scalars[..rows * (end - first)];
                let mut sums = vec![G1::generator(); rows];
                several.msm(ScalarsView { scalars, kept: None }, bases, &mut sums).unwrap();
                for (i, sum) in sums.iter().enumerate() {
                    assert_eq!(*sum, expected(&scalars[i * (end - first)..][..end - first], first));
                }
            }
        }
        let bases = BasesView { points: &points, kept: kept.as_ref(), first: 0 };
        let mut sum = [G1::generator()];
        several
            .msm(ScalarsView { scalars: &scalars[..n], kept: kept_scalars.as_ref() }, bases, &mut sum)
            .unwrap();
        assert_eq!(sum[0], expected(&scalars[..n], 0));
        // Nothing moved for that: bases and scalars were where they were needed.
        let moved = |work: &crate::work::DeviceWork| work.of("msm").unwrap().bytes_in;
        let before: Vec<_> = several.work().iter().map(moved).collect();
        several
            .msm(ScalarsView { scalars: &scalars[..n], kept: kept_scalars.as_ref() }, bases, &mut sum)
            .unwrap();
        assert_eq!(several.work().iter().map(moved).collect::<Vec<_>>(), before);
    }

    #[test]
    fn sums_and_transforms_on_a_device_that_fails() {
        for (broken, name) in [(0, "left"), (1, "right")] {
            let moods = [Mood::default(), Mood::default()];
            let several = several(moods.clone(), Some(vec![1, 1]));
            let fails =
                Error::DeviceFailed { device: name.into(), operation: "a test", message: "injected".into() };
            let points = [G1Affine::generator(); 4];
            let scalars: Vec<_> = (1..=16u64).map(Fr::from).collect();
            let kept = several.keep_bases(&points, 0).unwrap();
            let set = |value| moods[broken].broken.store(value, Ordering::Relaxed);
            let once = BasesView { points: &points, kept: None, first: 0 };
            let bases = BasesView { points: &points, kept: kept.as_ref(), first: 0 };
            for bases in [once, bases] {
                for rows in [1, 4] {
                    let scalars = ScalarsView { scalars: &scalars[..4 * rows], kept: None };
                    let mut sums = vec![G1::default(); rows];
                    set(true);
                    assert_eq!(several.msm(scalars, bases, &mut sums), Err(fails.clone()));
                    set(false);
                    several.msm(scalars, bases, &mut sums).unwrap();
                    assert_eq!(sums[0], G1::generator() * Fr::from(10));
                }
            }
            let fft = Ntt::forward(Domain::halo2(2).unwrap());
            let mut values = scalars.clone();
            set(true);
            assert_eq!(several.fft(&fft, &mut values), Err(fails.clone()));
            assert_eq!(values, scalars);
            assert_eq!(several.keep_bases(&points, 0).err(), Some(fails));
            set(false);
            several.fft(&fft, &mut values).unwrap();
            assert_eq!(values[4], Fr::from(5 + 6 + 7 + 8));
        }
    }
}
