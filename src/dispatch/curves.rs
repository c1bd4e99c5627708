//! The curves of an engine's devices: measured when a kind of operation is first used, and again when they prove wrong.
//!
//! A curve that was measured while other programs used the processors overestimates every time. So curves measured under
//! contention ([`contention`](super::contention)) are not kept on disk, serve all engines of the process, and are measured again after a while; and when an
//! operation takes less than half of its expected time, the curves of its kind are measured again.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::curve::{Curve, Kind};
use super::member::Member;
use crate::error::Error;
use crate::lock::lock;
use crate::sync::{Arc, Mutex};

/// The curves of a kind of operations, one for each device; none for a device that does not offer it.
pub(super) type Curves = Arc<Vec<Option<Curve>>>;

/// How often the curves of a kind are measured again because an operation took less time. Operations of a kind differ (scalars
/// may be narrow, for example), and not every such difference is worth a measurement.
const CORRECTIONS: u32 = 2;

/// Expected times below this are not corrected: they are mostly noise.
const WORTH_CORRECTING_NS: f64 = 1e6;

/// The curves of all kinds of operations used so far.
#[derive(Default)]
pub(super) struct Known(Mutex<HashMap<(&'static str, &'static str), Entry>>);

struct Entry {
    curves: Curves,
    /// When they are to be measured again, if ever.
    expires: Option<Instant>,
    corrections: u32,
}

impl Known {
    /// The cost of a kind of operation on each device. An error of a device is not cached: the next operation measures again.
    pub(super) fn of(&self, kind: &Kind, members: &[Member]) -> Result<Curves, Error> {
        let key = (kind.name, kind.variant);
        let corrections = match lock(&self.0).get(&key) {
            Some(entry) if entry.expires.is_none_or(|expires| Instant::now() < expires) => {
                return Ok(Arc::clone(&entry.curves));
            }
            entry => entry.map(|entry| entry.corrections),
        };
        // Not under the lock: a thread that waits for others of its pool may start another operation meanwhile.
        let (mut curves, mut expires): (Vec<Option<Curve>>, Option<Instant>) = (Vec::new(), None);
        for (i, member) in members.iter().enumerate() {
            let twin = members[..i].iter().position(|other| other.machine == member.machine);
            let unit = usize::from(!member.on_host);
            curves.push(match twin {
                Some(twin) => curves[twin].clone(),
                None => match kind.curve(&member.machine, member.backend(), unit, corrections.is_none()) {
                    Ok(measured) => {
                        expires = [expires, measured.expires].into_iter().flatten().min();
                        Some(measured.curve)
                    }
                    Err(Error::Unsupported { .. }) => None,
                    // Nothing of the caller's.
                    Err(Error::ResultLost { device, message }) => {
                        return Err(Error::DeviceFailed { device, operation: "measuring", message });
                    }
                    Err(error) => return Err(error),
                },
            });
        }
        let curves = Arc::new(curves);
        let entry = Entry { curves: Arc::clone(&curves), expires, corrections: corrections.unwrap_or(0) };
        lock(&self.0).insert(key, entry);
        Ok(curves)
    }

    /// Compares the expected time of operations of a kind, in nanoseconds, with the measured one.
    pub(super) fn observe(&self, kind: &Kind, expected: f64, took: Duration) {
        if expected < WORTH_CORRECTING_NS || 2.0 * took.as_nanos() as f64 >= expected {
            return;
        }
        if let Some(entry) = lock(&self.0).get_mut(&(kind.name, kind.variant))
            && entry.corrections < CORRECTIONS
        {
            entry.corrections += 1;
            entry.expires = Some(Instant::now());
        }
    }

    /// Curves as if they were measured, one after another for the devices.
    #[cfg(test)]
    pub(super) fn pretend(&self, kind: &Kind, curves: Vec<Option<Curve>>) {
        let entry = Entry { curves: Arc::new(curves), expires: None, corrections: 0 };
        lock(&self.0).insert((kind.name, kind.variant), entry);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::super::Opened;
    use super::super::contention::Turns;
    use super::super::curve::BUSY;
    use super::{Curve, Kind, Known, Member};
    use crate::backend::reference::Reference;
    use crate::error::Error;
    use crate::lock::lock;

    fn member(index: usize, machine: &str) -> Member {
        let (backend, machine) = (Box::new(Reference), vec![machine.into()]);
        Member::new(index, Opened { backend, name: "a test's".into(), machine, on_host: true, threads: None })
    }

    /// Operations that took less than half of a millisecond or more correct a curve, two times.
    #[test]
    fn curves_that_prove_wrong_expire() {
        let kind = Kind { name: "a test", variant: "", sample: |_, _| panic!("nothing is measured") };
        let key = (kind.name, kind.variant);
        let known = Known::default();
        known.pretend(&kind, vec![Some(Curve::through(vec![[1.0, 1.0]]))]);
        let expires_after = |expected, ns| {
            known.observe(&kind, expected, Duration::from_nanos(ns));
            lock(&known.0).get_mut(&key).unwrap().expires.take().is_some()
        };
        for (expected, ns, expires) in [
            (0.9e6, 0, false),
            (2e6, 3_000_000, false),
            (2e6, 1_000_000, false),
            (2e6, 999_999, true),
            (1e6, 1, true),
            (1e9, 1, false),
        ] {
            assert_eq!(expires_after(expected, ns), expires, "{expected} and {ns} ns");
        }
    }

    /// Devices of the same description are measured once; that they lack an operation is known then, and that one failed is not.
    #[test]
    fn equal_devices_are_measured_once() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let lacking = Kind {
            name: "a test of what devices lack",
            variant: "",
            sample: |_, _| {
                RUNS.fetch_add(1, Ordering::Relaxed);
                Err(Error::Unsupported { operation: "a test", device: "any".into() })
            },
        };
        let members = [member(0, "one"), member(1, "another"), member(2, "one")];
        let known = Known::default();
        for _ in 0..2 {
            assert_eq!(*known.of(&lacking, &members).unwrap(), [None, None, None]);
            assert_eq!(RUNS.load(Ordering::Relaxed), 2);
        }
        let failing = Kind {
            name: "a test of devices that fail",
            variant: "",
            sample: |_, _| {
                RUNS.fetch_add(1, Ordering::Relaxed);
                Err(Error::BadShift)
            },
        };
        for runs in [3, 4] {
            assert_eq!(known.of(&failing, &members).err(), Some(Error::BadShift));
            assert_eq!(RUNS.load(Ordering::Relaxed), runs);
        }
        // What a measurement has lost is nobody's.
        let losing = Kind {
            name: "a test of devices that lose results",
            variant: "",
            sample: |_, _| Err(Error::ResultLost { device: "one".into(), message: "a failure".into() }),
        };
        let (device, message) = ("one".into(), "a failure".into());
        let expected = Error::DeviceFailed { device, operation: "measuring", message };
        assert_eq!(known.of(&losing, &members).err(), Some(expected));
    }

    /// Curves are used until they expire. Then each device is measured again, in the unit of its own.
    #[test]
    fn curves_are_used_until_they_expire() {
        let kind = Kind {
            name: "a test of what expires",
            variant: "",
            sample: |_, _| Ok((Duration::from_millis(4), [2.0, 3.0])),
        };
        let known = Known::default();
        let kept = Some(Curve::through(vec![[1.0, 1.0]]));
        known.pretend(&kind, vec![kept.clone(); 2]);
        let expires = |at| lock(&known.0).get_mut(&(kind.name, kind.variant)).unwrap().expires = at;
        let mut members = [member(0, "one"), member(1, "another")];
        members[1].on_host = false;
        for at in [None, Some(Instant::now() + Duration::from_secs(60))] {
            expires(at);
            assert_eq!(*known.of(&kind, &members).unwrap(), vec![kept.clone(); 2]);
        }
        expires(Some(Instant::now()));
        let measured = [2.0, 3.0].map(|work| Some(Curve::through(vec![[work, 4e6]])));
        assert_eq!(*known.of(&kind, &members).unwrap(), measured);
    }

    /// What was measured while twice as many threads wanted to run as there are processors is used for a while, by other engines as well.
    #[test]
    fn curves_of_a_busy_machine_expire() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let kind = Kind {
            name: "a test of a busy machine",
            variant: "",
            sample: |_, _| {
                RUNS.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(10));
                Ok((Duration::from_millis(4), [1.0; 2]))
            },
        };
        let (known, key) = (Known::default(), (kind.name, kind.variant));
        // So that none is read that was kept.
        known.pretend(&kind, vec![None]);
        lock(&known.0).get_mut(&key).unwrap().expires = Some(Instant::now());
        let (is_measured, start) = (AtomicBool::new(false), Instant::now());
        let measured = std::thread::scope(|scope| {
            for _ in 0..2 + 2 * std::thread::available_parallelism().map_or(1, |n| n.get()) {
                scope.spawn(|| {
                    while !is_measured.load(Ordering::Relaxed) && start.elapsed() < Duration::from_secs(5) {
                        std::hint::spin_loop();
                    }
                });
            }
            let measured = known.of(&kind, &[member(0, "one")]);
            is_measured.store(true, Ordering::Relaxed);
            measured
        });
        assert_eq!(*measured.unwrap(), [Some(Curve::through(vec![[1.0, 4e6]]))]);
        // Unless the kernel does not tell, or everything is kept.
        if Turns::now().is_some() && std::env::var_os("ZKACCEL_KEEP_CURVES").is_none() {
            let expires = lock(&known.0)[&key].expires.expect("threads had to wait");
            assert!(expires > Instant::now() + BUSY / 2 && expires <= Instant::now() + BUSY);
            let (another, runs) = (Known::default(), RUNS.load(Ordering::Relaxed));
            another.of(&kind, &[member(0, "one")]).unwrap();
            assert_eq!(RUNS.load(Ordering::Relaxed), runs, "measured once for all engines");
            assert_eq!(lock(&another.0)[&key].expires, Some(expires));
            lock(&known.0).get_mut(&key).unwrap().expires = Some(Instant::now());
            known.of(&kind, &[member(0, "one")]).unwrap();
            assert!(RUNS.load(Ordering::Relaxed) > runs, "measured again");
        }
    }
}
