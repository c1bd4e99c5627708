//! The costs of operations: a curve for each device, through measurements on this machine.
//!
//! A curve is times at a few amounts of work, three orders of magnitude apart, and straight lines between them: threads, copies
//! and launches all have start-up costs, and a single line would be wrong exactly where the devices are close. The CPU and other
//! devices have separate units of work, because their bottlenecks differ.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::contention::Turns;
use crate::backend::Backend;
use crate::cache;
use crate::error::Error;
use crate::lock::lock;
use crate::sync::Mutex;

/// Times in nanoseconds at amounts of work, both rising.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve(Vec<[f64; 2]>);

/// A curve, and until when it will do, if it was measured while other programs had the processors.
#[derive(Clone)]
pub(super) struct Measurement {
    pub(super) curve: Curve,
    pub(super) expires: Option<Instant>,
}

/// How long curves that were measured under contention are used.
pub(super) const BUSY: Duration = Duration::from_secs(60);

/// What was measured under contention, by machine and kind: not kept on disk, but for other engines of the process it will do as long, or each would measure again.
static OF_THIS_PROCESS: Mutex<BTreeMap<Vec<String>, Measurement>> = Mutex::new(BTreeMap::new());

/// A kind of operations whose cost can be measured.
pub(crate) struct Kind {
    /// Its name, unique among kinds together with the variant.
    pub(crate) name: &'static str,
    /// The hash, the field or the curve, where there are several.
    pub(crate) variant: &'static str,
    /// Does an operation of this kind once, of size 2^log, and returns its time, and its work in the units of the CPU and of other
    /// devices.
    pub(crate) sample: fn(&dyn Backend, u32) -> Measured,
}

pub(crate) type Measured = Result<(Duration, [f64; 2]), Error>;

/// The time of an operation whose data are in place.
pub(crate) fn timed(operation: impl FnOnce() -> Result<(), Error>, work: [f64; 2]) -> Measured {
    let start = Instant::now();
    operation()?;
    Ok((start.elapsed(), work))
}

/// The sizes that are measured, as logarithms.
const SIZES: [u32; 6] = [5, 8, 11, 14, 17, 20];

/// A size that takes this long is the last: beyond it start-up costs are negligible, and time grows with the work.
const ENOUGH_NS: f64 = 3e6;

/// Whether the environment asks for all measurements to be kept, for machines that are never idle.
fn keeps_all() -> bool {
    std::env::var_os("ZKACCEL_KEEP_CURVES").is_some_and(|value| !value.is_empty())
}

impl Kind {
    /// The shortest of three runs: nanoseconds and units of work.
    fn time(&self, backend: &dyn Backend, log: u32) -> Result<(f64, [f64; 2]), Error> {
        let mut shortest = f64::INFINITY;
        let mut work = [0.0; 2];
        for _ in 0..3 {
            let (time, done) = (self.sample)(backend, log)?;
            (shortest, work) = (shortest.min(time.as_nanos() as f64), done);
        }
        // At least the resolution of any clock.
        Ok((shortest.max(1.0), work))
    }

    /// Measures the operation on a device, whose units of work are the CPU's (0) or another's (1).
    fn measure(&self, backend: &dyn Backend, unit: usize) -> Result<Curve, Error> {
        let mut points = Vec::new();
        for log in SIZES {
            let (ns, work) = self.time(backend, log)?;
            points.push([work[unit], ns]);
            if ns >= ENOUGH_NS {
                break;
            }
        }
        Ok(Curve::through(points))
    }

    /// The curve of a device, whose units of work are the CPU's (0) or another's (1), on a machine of this description: read from
    /// the cache if it is valid there, otherwise measured, and cached unless other work was in progress meanwhile. Then the process remembers it for a while.
    pub(super) fn curve(
        &self,
        machine: &[String],
        backend: &dyn Backend,
        unit: usize,
        kept_will_do: bool,
    ) -> Result<Measurement, Error> {
        let machine: Vec<_> = machine.iter().map(String::as_str).collect();
        let parts = [&machine[..], &["curve", env!("CARGO_PKG_VERSION"), self.name, self.variant]].concat();
        let path = cache::path(&parts);
        let kept = path.as_deref().filter(|_| kept_will_do).and_then(cache::load);
        if let Some(curve) = kept.and_then(|bytes| Curve::decode(&bytes)) {
            return Ok(Measurement { curve, expires: None });
        }
        let key: Vec<_> = parts.iter().map(ToString::to_string).collect();
        let will_do = |kept: &&Measurement| kept.expires.is_some_and(|expires| Instant::now() < expires);
        if let Some(kept) = lock(&OF_THIS_PROCESS).get(&key).filter(|_| kept_will_do).filter(will_do) {
            return Ok(kept.clone());
        }
        let before = Turns::now();
        let curve = self.measure(backend, unit)?;
        let contended = |before| Turns::now().is_some_and(|now| now.contended_since(&before));
        let beside_other_work = before.is_some_and(contended) && !keeps_all();
        let measured = Measurement { curve, expires: beside_other_work.then(|| Instant::now() + BUSY) };
        if beside_other_work {
            lock(&OF_THIS_PROCESS).insert(key, measured.clone());
        } else if let Some(path) = path {
            cache::store(&path, &measured.curve.encode());
        }
        Ok(measured)
    }
}

impl Curve {
    /// In a noisy measurement more work may take less time, but not in a curve.
    pub(super) fn through(mut points: Vec<[f64; 2]>) -> Self {
        for i in 1..points.len() {
            points[i][1] = points[i][1].max(points[i - 1][1]);
        }
        Self(points)
    }

    /// The time of an amount of work: the first point's below it, and in proportion to the last beyond that.
    pub(crate) fn at(&self, work: f64) -> f64 {
        let above = self.0.iter().position(|&[amount, _]| amount >= work);
        match (above, self.0.last()) {
            (Some(0), _) => self.0[0][1],
            (Some(i), _) => {
                let ([w0, t0], [w1, t1]) = (self.0[i - 1], self.0[i]);
                t0 + (t1 - t0) * (work - w0) / (w1 - w0)
            }
            (None, Some([amount, ns])) => ns * work / amount,
            (None, None) => 0.0,
        }
    }

    /// The amount of work that is done in a time: the inverse of [`at`](Self::at), and none in less than the first point's time.
    pub(super) fn within(&self, ns: f64) -> f64 {
        let above = self.0.iter().position(|&[_, time]| time > ns);
        match (above, self.0.last()) {
            (Some(0), _) => 0.0,
            (Some(i), _) => {
                let ([w0, t0], [w1, t1]) = (self.0[i - 1], self.0[i]);
                w0 + (w1 - w0) * (ns - t0) / (t1 - t0)
            }
            (None, Some([amount, time])) => amount * ns / time,
            (None, None) => f64::INFINITY,
        }
    }

    /// Points as a measurement makes them: amounts of work rise, times do not fall, and both are plausible.
    ///
    /// No operation that is measured has less than one unit of work or more than 2^40, and none takes less than a nanosecond, the
    /// finest step of a clock, or more than 1000 seconds. Within these bounds no time that is expected of an operation exceeds what
    /// a `Duration` can hold.
    fn is_sound(&self) -> bool {
        let rises = |pair: &[[f64; 2]]| pair[0][0] < pair[1][0] && pair[0][1] <= pair[1][1];
        // Neither range contains NaN.
        let is_plausible = |&[work, ns]: &[f64; 2]| {
            (1.0..=(1_u64 << 40) as f64).contains(&work) && (1.0..=1e12).contains(&ns)
        };
        (1..=64).contains(&self.0.len()) && self.0.iter().all(is_plausible) && self.0.windows(2).all(rises)
    }

    /// The number of points, and their numbers.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let numbers = self.0.iter().flatten().flat_map(|x| x.to_le_bytes());
        (self.0.len() as u64).to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// The curve of such bytes, if a measurement could have made it.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        let (points, []) = rest.as_chunks::<16>() else { return None };
        if u64::from_le_bytes(*count) != points.len() as u64 {
            return None;
        }
        let number = |bytes: &[u8]| bytes.try_into().map(f64::from_le_bytes).ok();
        let points = points.iter().map(|point| Some([number(&point[..8])?, number(&point[8..])?]));
        let curve = Some(Self(points.collect::<Option<_>>()?)).filter(Self::is_sound);
        if curve.is_none() {
            cache::warn(
                "a cost curve that was kept holds implausible times; the operation is measured again".into(),
            );
        }
        curve
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::{Curve, Kind, Measured};
    use crate::backend::Backend;
    use crate::backend::cpu::Cpu;
    use crate::backend::reference::Reference;
    use crate::field::Goldilocks;
    use crate::hash::Blake3;
    use crate::operation;

    fn curve(points: &[[f64; 2]]) -> Curve {
        Curve::through(points.to_vec())
    }

    #[test]
    fn curves_are_lines_between_their_points() {
        let curve = curve(&[[10.0, 100.0], [20.0, 90.0], [30.0, 200.0]]);
        for (work, ns) in
            [(1.0, 100.0), (10.0, 100.0), (15.0, 100.0), (25.0, 150.0), (30.0, 200.0), (60.0, 400.0)]
        {
            assert_eq!(curve.at(work), ns, "{work}");
        }
        // And the inverse.
        for (ns, work) in
            [(0.0, 0.0), (99.0, 0.0), (100.0, 20.0), (150.0, 25.0), (200.0, 30.0), (400.0, 60.0)]
        {
            assert_eq!(curve.within(ns), work, "{ns}");
        }
    }

    #[test]
    fn curves_survive_the_disk_and_damage_does_not() {
        let rising = curve(&[[1.0, 2.0], [3.0, 4.0]]);
        let bytes = rising.encode();
        assert_eq!(Curve::decode(&bytes), Some(rising));
        for len in 0..bytes.len() {
            assert_eq!(Curve::decode(&bytes[..len]), None, "{len} bytes");
        }
        assert_eq!(Curve::decode(&[&bytes[..], &[0]].concat()), None);
        for count in [0u64, 1, 3, u64::MAX] {
            assert_eq!(Curve::decode(&[&count.to_le_bytes(), &bytes[8..]].concat()), None, "{count} points");
        }
        let huge = [1.1e12, 1e19, 1.8e28, 1e300, f64::MAX];
        let tiny = [0.0, -0.0, f64::MIN_POSITIVE, 1e-300, 0.5, -1.0];
        for wrong in
            [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().chain(huge).chain(tiny)
        {
            assert_eq!(Curve::decode(&Curve(vec![[5.0, wrong]]).encode()), None, "{wrong}");
            let points = vec![[5.0, 5.0], [6.0, wrong]];
            assert_eq!(Curve::decode(&Curve(points).encode()), None, "{wrong}");
            let points = vec![[wrong, 5.0], [6.0 + wrong, 6.0]];
            assert_eq!(Curve::decode(&Curve(points).encode()), None, "{wrong}");
        }
        for wrong in [vec![], vec![[3.0, 4.0], [1.0, 5.0]], vec![[3.0, 4.0], [4.0, 3.0]], vec![[1.0; 2]; 2]] {
            assert_eq!(Curve::decode(&Curve(wrong.clone()).encode()), None, "{wrong:?}");
        }
        let many = (1..=65).map(|i| [f64::from(i); 2]).collect();
        assert_eq!(Curve::decode(&Curve(many).encode()), None);
    }

    /// Every curve that is still accepted after a change can be used: no time that follows from it exceeds a `Duration`.
    #[test]
    fn no_curve_that_is_believed_overflows() {
        let curve = curve(&[[160.0, 300.0], [2048.0, 1500.0], [22528.0, 9000.0]]);
        let bytes = curve.encode();
        let use_it = |curve: Curve| {
            for work in [0.0, 1.0, 1e3, 1e6, 1e15] {
                let ns = curve.at(work);
                assert!(
                    std::time::Duration::try_from_secs_f64(ns / 1e9).is_ok(),
                    "{curve:?} at {work}: {ns}"
                );
                assert!(!curve.within(ns).is_nan(), "{curve:?} within {ns}");
            }
        };
        use_it(curve);
        let mut believed = 0;
        for at in 0..bytes.len() {
            for value in 0..=u8::MAX {
                let mut changed = bytes.clone();
                changed[at] = value;
                if let Some(curve) = Curve::decode(&changed) {
                    use_it(curve);
                    believed += 1;
                }
            }
        }
        assert!(believed > bytes.len(), "changes of the last bits of a number remain: {believed}");
        use_it(Curve(vec![[1.0, 1e12]]));
    }

    /// The shortest of three runs of each size counts, and the first size that takes 3 ms is the last.
    #[test]
    fn sizes_are_measured_until_one_takes_long() {
        fn sample(_: &dyn Backend, log: u32) -> Measured {
            static RUNS: AtomicUsize = AtomicUsize::new(0);
            let factor = [3, 1, 2][RUNS.fetch_add(1, Ordering::Relaxed) % 3];
            Ok((Duration::from_nanos(factor * (200 << log)), [f64::from(log), 10.0 * f64::from(log)]))
        }
        let kind = Kind { name: "a test", variant: "", sample };
        for (unit, amount) in [1.0, 10.0].into_iter().enumerate() {
            let found = kind.measure(&Reference, unit).unwrap();
            // 200 2^14 ns are 3.3 ms.
            let expected = [5, 8, 11, 14].map(|log| [amount * f64::from(log), f64::from(200 << log)]);
            assert_eq!(found, curve(&expected));
        }
        let instant =
            Kind { name: "a test", variant: "", sample: |_, log| Ok((Duration::ZERO, [f64::from(log); 2])) };
        let expected = [5, 8, 11, 14, 17, 20].map(|log| [f64::from(log), 1.0]);
        assert_eq!(instant.measure(&Reference, 0).unwrap(), curve(&expected));
    }

    /// Whatever a device and the noise of a machine are like.
    #[test]
    fn measurements_are_sound() {
        let kinds = [
            operation::tree_kind::<Blake3>(),
            operation::transform_kind::<Goldilocks>(),
            #[cfg(feature = "bn254")]
            operation::transform_kind::<crate::bn254::Fr>(),
            #[cfg(feature = "bn254")]
            operation::sum_kind::<crate::bn254::G1Affine>(),
        ];
        for kind in kinds {
            for backend in [&Cpu::default() as &dyn Backend, &Reference] {
                let curve = kind.measure(backend, 0).unwrap();
                assert!(curve.is_sound(), "{curve:?}");
            }
        }
    }
}
