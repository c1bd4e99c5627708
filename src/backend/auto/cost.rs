//! What operations cost: a curve for each device, through measurements on this machine.
//!
//! A curve is times at a few amounts of work, three orders of magnitude apart, and straight lines between them: processors with many
//! threads, copies and launches all cost something to begin with, and a single line would be wrong just where the devices are
//! close. Units of work differ: a transform of n points costs the CPU n log n, but another device the transport of n words.

use std::time::Instant;

use crate::backend::{Accelerated, Backend};
#[cfg(feature = "bn254")]
use crate::backend::{BasesView, ScalarsView};
#[cfg(feature = "bn254")]
use crate::bn254::{Fr, G1, affine};
use crate::cache;
use crate::error::Error;
use crate::field::{Field, Goldilocks, powers};
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt};

/// Times in nanoseconds at amounts of work, both rising.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve(Vec<[f64; 2]>);

/// What an operation costs on the CPU and on the device.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cost {
    pub(crate) host: Curve,
    pub(crate) device: Curve,
}

/// An operation whose cost can be measured.
pub(super) struct Kind {
    /// Its name, unique among kinds together with the hash.
    pub(super) name: &'static str,
    /// The hash that it uses, or nothing.
    pub(super) hash: &'static str,
    /// What its amount counts.
    pub(super) unit: &'static str,
    /// Does the operation once, of size 2^log, and returns the work in units of the CPU's and of the device's.
    run: fn(&dyn Backend, u32) -> Result<[f64; 2], Error>,
}

pub(super) const NTT: Kind = Kind { name: "ntt", hash: "", unit: "words", run: run_ntt };
pub(super) const LDE: Kind = Kind { name: "lde", hash: "", unit: "words of output", run: run_lde };

#[cfg(feature = "bn254")]
pub(super) const FFT: Kind = Kind { name: "fft", hash: "", unit: "scalars", run: run_fft };

#[cfg(feature = "bn254")]
pub(super) const MSM: Kind = Kind { name: "msm", hash: "", unit: "scalars", run: run_msm };

/// Hashing rows with H.
pub(super) const fn rows<H: Accelerated>() -> Kind {
    Kind { name: "row hashing", hash: H::NAME, unit: "words", run: run_rows::<H> }
}

/// Merkle trees with H.
pub(super) const fn tree<H: Accelerated>() -> Kind {
    Kind { name: "merkle tree", hash: H::NAME, unit: "leaves", run: run_tree::<H> }
}

/// Work of a transform of so many words, or scalars, in columns of 2^`layers` points: the CPU's and the device's.
pub(super) fn transform_work(words: usize, layers: u32) -> [f64; 2] {
    [words as f64 * f64::from(layers.max(1)), words as f64]
}

fn data(len: usize) -> Vec<Goldilocks> {
    powers(Goldilocks::GENERATOR).take(len).collect()
}

fn run_ntt(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    let mut words = data(1 << log);
    backend.ntt(&Ntt::forward(Domain::new(log, Convention::Winterfell)?), &mut words, 1)?;
    Ok(transform_work(words.len(), log))
}

fn run_lde(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    // Four columns, extended eightfold.
    let log_rows = log.saturating_sub(5).max(1);
    let mut words = data(4 << log_rows);
    let mut output = vec![Goldilocks::ZERO; 32 << log_rows];
    let lde = Lde::onto_coset(log_rows, 8, Convention::Winterfell, Goldilocks::GENERATOR)?;
    backend.lde(&lde, &mut words, 4, &mut output)?;
    Ok(transform_work(output.len(), log_rows))
}

#[cfg(feature = "bn254")]
fn run_fft(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    let mut values: Vec<_> = (0..1u64 << log).map(|i| Fr::from_raw([i, i << 7, i << 3, i << 1])).collect();
    backend.fft(&Ntt::forward(Domain::halo2(log)?), &mut values)?;
    Ok(transform_work(values.len(), log))
}

#[cfg(feature = "bn254")]
fn run_msm(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    // Few different points and scalars, so that making them is not what is measured; their numbers have no common factor.
    let count = 1_usize << log;
    let generator = G1::generator();
    let few: Vec<_> =
        std::iter::successors(Some(generator), |point| Some(point + generator)).take(64).collect();
    let points: Vec<_> = affine(&few).into_iter().cycle().take(count).collect();
    let few: Vec<_> = (1..=1023_u64).map(|i| Fr::from_raw([i << 48, i << 32, i, i << 51])).collect();
    let scalars: Vec<_> = few.into_iter().cycle().take(count).collect();
    let bases = BasesView { points: &points, kept: None, first: 0 };
    backend.msm(ScalarsView { scalars: &scalars, kept: None }, bases, &mut [G1::default()])?;
    Ok([count as f64; 2])
}

fn run_rows<H: Accelerated>(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    let width = 16;
    let rows = (1 << log) / width;
    let mut digests = vec![H::Digest::default(); rows];
    H::hashing(backend).hash_rows(&data(width * rows), width, &mut digests)?;
    Ok([(width * rows) as f64; 2])
}

fn run_tree<H: Accelerated>(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    let mut heap = vec![H::Digest::default(); 2 << log];
    H::hashing(backend).build_tree(&mut heap, Approach::Auto)?;
    Ok([f64::from(1u32 << log); 2])
}

/// Sizes that are tried, as logarithms.
const SIZES: [u32; 6] = [5, 8, 11, 14, 17, 20];

/// A size that takes this long is the last: from there on work binds, and time grows with it.
const ENOUGH_NS: f64 = 3e6;

impl Kind {
    /// The shortest of three runs: nanoseconds and units of work.
    fn time(&self, backend: &dyn Backend, log: u32) -> Result<(f64, [f64; 2]), Error> {
        let mut shortest = f64::INFINITY;
        let mut work = [0.0; 2];
        for _ in 0..3 {
            let start = Instant::now();
            work = (self.run)(backend, log)?;
            shortest = shortest.min(start.elapsed().as_nanos() as f64);
        }
        Ok((shortest, work))
    }

    /// Measures the operation on a device, whose units of work are the CPU's (0) or another's (1).
    fn curve(&self, backend: &dyn Backend, unit: usize) -> Result<Curve, Error> {
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

    /// Measures the operation on both devices.
    pub(super) fn measure(&self, host: &dyn Backend, device: &dyn Backend) -> Result<Cost, Error> {
        Ok(Cost { host: self.curve(host, 0)?, device: self.curve(device, 1)? })
    }

    /// The cost as measured on a machine: read where it was written before, else measured and written.
    pub(super) fn cost(
        &self,
        machine: &[&str],
        host: &dyn Backend,
        device: &dyn Backend,
    ) -> Result<Cost, Error> {
        let parts = [machine, &["cost", env!("CARGO_PKG_VERSION"), self.name, self.hash]].concat();
        let path = cache::path(&parts);
        if let Some(cost) = path.as_deref().and_then(cache::load).and_then(|bytes| Cost::decode(&bytes)) {
            return Ok(cost);
        }
        let cost = self.measure(host, device)?;
        if let Some(path) = path {
            cache::store(&path, &cost.encode());
        }
        Ok(cost)
    }
}

impl Curve {
    /// Noise may say that more work takes less time; a curve does not.
    pub(crate) fn through(mut points: Vec<[f64; 2]>) -> Self {
        for i in 1..points.len() {
            points[i][1] = points[i][1].max(points[i - 1][1]);
        }
        Self(points)
    }

    /// The time of an amount of work: the first point's below it, and in proportion to the last beyond that.
    fn at(&self, work: f64) -> f64 {
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

    /// Points of which both numbers rise from zero on.
    fn is_sound(&self) -> bool {
        let rises = |pair: &[[f64; 2]]| pair[0][0] < pair[1][0] && pair[0][1] <= pair[1][1];
        let in_range = |number: &f64| number.is_finite() && *number > 0.0;
        !self.0.is_empty() && self.0.iter().flatten().all(in_range) && self.0.windows(2).all(rises)
    }
}

impl Cost {
    /// The number of points of the CPU's curve, and the numbers of both.
    fn encode(&self) -> Vec<u8> {
        let numbers = self.host.0.iter().chain(&self.device.0).flatten().flat_map(|x| x.to_le_bytes());
        (self.host.0.len() as u64).to_le_bytes().into_iter().chain(numbers).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk()?;
        let (points, []) = rest.as_chunks::<16>() else { return None };
        let number = |bytes: &[u8]| bytes.try_into().map(f64::from_le_bytes).ok();
        let points: Option<Vec<_>> =
            points.iter().map(|point| Some([number(&point[..8])?, number(&point[8..])?])).collect();
        let points = points?;
        let (host, device) = points.split_at_checked(usize::try_from(u64::from_le_bytes(*count)).ok()?)?;
        let cost = Self { host: Curve(host.to_vec()), device: Curve(device.to_vec()) };
        (cost.host.is_sound() && cost.device.is_sound()).then_some(cost)
    }

    /// Nanoseconds expected of the CPU and of the device.
    pub(super) fn expect(&self, [host, device]: [f64; 2]) -> [f64; 2] {
        [self.host.at(host), self.device.at(device)]
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, Curve, NTT, tree};
    use crate::backend::cpu::Cpu;
    use crate::backend::reference::Reference;
    use crate::hash::Blake3;

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
    }

    #[test]
    fn costs_survive_the_disk_and_damage_does_not() {
        let cost = Cost { host: curve(&[[1.0, 2.0], [3.0, 4.0]]), device: curve(&[[5.0, 6.0]]) };
        let bytes = cost.encode();
        assert_eq!(Cost::decode(&bytes), Some(cost.clone()));
        for len in 0..bytes.len() {
            assert_eq!(Cost::decode(&bytes[..len]), None, "{len} bytes");
        }
        assert_eq!(Cost::decode(&[&bytes[..], &[0]].concat()), None);
        for count in [0u64, 3, 4, u64::MAX] {
            assert_eq!(Cost::decode(&[&count.to_le_bytes(), &bytes[8..]].concat()), None, "{count} points");
        }
        for wrong in [f64::NAN, -1.0, 0.0, f64::INFINITY] {
            let cost = Cost { device: Curve(vec![[5.0, wrong]]), ..cost.clone() };
            assert_eq!(Cost::decode(&cost.encode()), None, "{wrong}");
        }
    }

    /// The reference in the device's place is slower at every size, and so the measurement says.
    #[test]
    fn a_slow_device_is_seen_to_be_slow() {
        let cost = tree::<Blake3>().measure(&Cpu::default(), &Reference).unwrap();
        assert!(cost.host.is_sound() && cost.device.is_sound(), "{cost:?}");
        let cost = NTT.measure(&Cpu::default(), &Reference).unwrap();
        let [host, device] = cost.expect(super::transform_work(1 << 18, 18));
        assert!(device > 2.0 * host, "{cost:?}");
    }
}
