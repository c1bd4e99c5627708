//! Several devices as one: work is spread over them, and each does its share at the same time as the others.
//!
//! ```text
//!  plan.rs        how much each gets
//!  transforms.rs  batches by polynomials: whole blocks, or columns of one block
//!  hashing.rs     rows by runs of rows; trees by subtrees, whose roots are joined on the host
//!  bn254.rs       one sum by ranges of bases, of which each device keeps its own; batches by rows; transforms by polynomials
//!  residence.rs   data that stay are on one of the devices, and so is what is done with them
//! ```
//!
//! The host's share is computed by the threads of the caller. Every other device has threads of its own that prepare its copies and wait
//! for it, so that waiting takes no thread from the host. What a device does not offer the others do; what none offers is
//! [`Error::Unsupported`].
//!
//! An operation fails where a share does, with that device's error, when all shares have ended. Data that were transformed in
//! place elsewhere are then transformed back, so that inputs are as they were.
//!
//! A commitment of a device with memory of its own is made on one of them, the least busy, because its extension would
//! otherwise have to cross the bus twice to be hashed; several commitments at once are on several devices. What exceeds a device's
//! budget is made in host memory, each step of it spread.

#[cfg(feature = "bn254")]
mod bn254;
mod hashing;
mod plan;
mod residence;
#[cfg(test)]
mod tests;
mod transforms;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::ThreadPool;

use super::cost::{Curve, Kind};
use super::counted::Counted;
use super::{Backend, Clock, HostMemory, Residence};
use crate::device::Bandwidths;
use crate::error::Error;
use crate::lock::lock;
use crate::pinned::Locked;
use crate::work::DeviceWork;
use plan::{Offer, Share, apportion, divide};

/// One of several devices, as it was opened.
pub(crate) struct Part {
    pub(crate) backend: Box<dyn Backend>,
    /// Its name.
    pub(crate) device: String,
    /// What measurements of it depend on: processor, device, driver. Devices that are described alike are measured once.
    pub(crate) machine: Vec<String>,
    /// Whether it computes as the host does, so that a transform costs it n log n and not the transport of n words.
    pub(crate) on_host: bool,
    /// Its own threads, which wait for it; those of the caller compute for the CPU.
    pub(crate) threads: Option<ThreadPool>,
}

/// The backend of several devices.
pub struct Several {
    members: Vec<Member>,
    /// All names.
    name: String,
    curves: Mutex<Curves>,
    /// Set by tests and the conformance suite: shares in these proportions, however little there is to do.
    weights: Option<Vec<usize>>,
    /// Held while a device is chosen for data that are to stay.
    choosing: Mutex<()>,
}

/// The curves of kinds of operations, one a device; none of a device that does not offer the operation.
type Curves = HashMap<(&'static str, &'static str), Arc<Vec<Option<Curve>>>>;

struct Member {
    counted: Counted,
    machine: Vec<String>,
    on_host: bool,
    threads: Option<ThreadPool>,
    /// Nanoseconds of work that it was given and has not done.
    backlog: AtomicU64,
    /// Bytes that stay on it.
    resident: Arc<AtomicU64>,
}

/// A share that a device does now; its backlog is longer until this is dropped.
struct Given<'a> {
    backlog: &'a AtomicU64,
    ns: u64,
}

impl Drop for Given<'_> {
    fn drop(&mut self) {
        self.backlog.fetch_sub(self.ns, Ordering::Relaxed);
    }
}

impl Member {
    fn give(&self, ns: f64) -> Given<'_> {
        // Rounded to a whole number, so that what is added is what is taken away.
        let ns = ns as u64;
        self.backlog.fetch_add(ns, Ordering::Relaxed);
        Given { backlog: &self.backlog, ns }
    }
}

impl Several {
    /// The backend of two or more devices; operations are shared out as measured, or in proportion to weights.
    pub(crate) fn new(parts: Vec<Part>, weights: Option<Vec<usize>>) -> Self {
        let name = parts.iter().map(|part| part.device.as_str()).collect::<Vec<_>>().join(",");
        let member = |Part { backend, device, machine, on_host, threads }| Member {
            counted: Counted::new(backend, device),
            machine,
            on_host,
            threads,
            backlog: AtomicU64::new(0),
            resident: Arc::default(),
        };
        let members = parts.into_iter().map(member).collect();
        Self { members, name, curves: Mutex::default(), weights, choosing: Mutex::default() }
    }

    /// What a kind of operation costs on each device, measured at its first use. [`Error::Unsupported`] if none offers it. An error of a
    /// device is not kept: the next operation asks again.
    fn curves(&self, kind: &Kind) -> Result<Arc<Vec<Option<Curve>>>, Error> {
        let key = (kind.name, kind.hash);
        if let Some(known) = lock(&self.curves).get(&key) {
            return Ok(Arc::clone(known));
        }
        // Not under the lock: a thread that waits for others of its pool may begin another operation meanwhile.
        let threads = rayon::current_num_threads().to_string();
        let mut curves: Vec<Option<Curve>> = Vec::new();
        let mut unsupported = None;
        for (i, member) in self.members.iter().enumerate() {
            let twin = self.members[..i].iter().position(|other| other.machine == member.machine);
            if let Some(twin) = twin {
                curves.push(curves[twin].clone());
                continue;
            }
            let machine: Vec<_> =
                [threads.as_str()].into_iter().chain(member.machine.iter().map(String::as_str)).collect();
            curves.push(
                match kind.curve(&machine, member.counted.uncounted(), usize::from(!member.on_host)) {
                    Ok(curve) => Some(curve),
                    Err(Error::Unsupported { operation, .. }) => {
                        unsupported = Some(Error::Unsupported { operation, device: self.name.clone() });
                        None
                    }
                    Err(error) => return Err(error),
                },
            );
        }
        match unsupported {
            Some(error) if curves.iter().all(Option::is_none) => return Err(error),
            _ => {}
        }
        let curves = Arc::new(curves);
        lock(&self.curves).insert(key, Arc::clone(&curves));
        Ok(curves)
    }

    /// Shares of `items` like items, whose work altogether is given in the host's unit and in that of other devices.
    /// Dividing itself takes `extra` nanoseconds.
    fn share_out(&self, kind: &Kind, items: usize, work: [f64; 2], extra: f64) -> Result<Vec<Share>, Error> {
        self.share_out_beside(kind, items, work, extra, |member| {
            member.backlog.load(Ordering::Relaxed) as f64
        })
    }

    /// The same beside other work than there is now.
    fn share_out_beside(
        &self,
        kind: &Kind,
        items: usize,
        work: [f64; 2],
        extra: f64,
        backlog: impl Fn(&Member) -> f64,
    ) -> Result<Vec<Share>, Error> {
        let curves = self.curves(kind)?;
        let (able, offers): (Vec<usize>, Vec<_>) = curves
            .iter()
            .zip(&self.members)
            .enumerate()
            .filter_map(|(i, (curve, member))| {
                let work = work[usize::from(!member.on_host)];
                Some((i, Offer { curve: curve.as_ref()?, work, backlog: backlog(member) }))
            })
            .unzip();
        if let Some(weights) = &self.weights {
            let weights: Vec<_> = able.iter().map(|&i| weights[i % weights.len()] as f64).collect();
            let shares = match items {
                0 => vec![(0, 0..0)],
                _ => apportion(items, &weights),
            };
            return Ok(shares
                .into_iter()
                .map(|(i, items)| Share { offer: able[i], items, ns: 0.0 })
                .collect());
        }
        let shares = divide(items, &offers, extra);
        Ok(shares.into_iter().map(|share| Share { offer: able[share.offer], ..share }).collect())
    }

    /// Whether all shares are done by devices with memory of their own. Such a device looks at words while it copies them and leaves
    /// its input as it is; for others words are looked at before.
    fn leaves_input_alone(&self, shares: &[Share]) -> bool {
        shares.iter().all(|share| self.members[share.offer].counted.resident().is_some())
    }

    /// Does shares, each on its device and all at once; a single one on the threads of the caller. Returns when all have ended, with
    /// the outcome of each.
    fn together<T: Send, R: Send>(
        &self,
        shares: Vec<(Share, T)>,
        each: impl Fn(&Counted, Range<usize>, T) -> Result<R, Error> + Sync,
    ) -> Vec<Result<R, Error>> {
        let mut outcomes: Vec<Option<Result<R, Error>>> = shares.iter().map(|_| None).collect();
        // The caller's threads do the host's share; where it has none, the first one.
        let own =
            shares.iter().position(|(share, _)| self.members[share.offer].threads.is_none()).unwrap_or(0);
        let mut here: Option<Box<dyn FnOnce() + Send + '_>> = None;
        let mut elsewhere: Vec<Task<'_>> = Vec::new();
        for (i, ((share, input), outcome)) in shares.into_iter().zip(&mut outcomes).enumerate() {
            let (member, each) = (&self.members[share.offer], &each);
            let given = member.give(share.ns);
            let run: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
                let _given = given;
                *outcome = Some(each(&member.counted, share.items, input));
            });
            match &member.threads {
                Some(threads) if i != own => elsewhere.push((threads, run)),
                // One device at most, the CPU, has no threads of its own, and then it is the one whose share is done here.
                _ => here = Some(run),
            }
        }
        start(elsewhere, || here.into_iter().for_each(|run| run()));
        outcomes.into_iter().map(|outcome| outcome.expect("every share was done")).collect()
    }

    /// [`together`](Self::together) where a share has no result of its own: the first error.
    fn all<T: Send>(
        &self,
        shares: Vec<(Share, T)>,
        each: impl Fn(&Counted, Range<usize>, T) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        self.together(shares, each).into_iter().collect()
    }

    /// Transforms items of `size` entries each in place, by shares. Where one fails, those that were done are undone.
    fn in_place<T: Send>(
        &self,
        shares: Vec<Share>,
        data: &mut [T],
        size: usize,
        each: impl Fn(&Counted, &mut [T]) -> Result<(), Error> + Sync,
        undo: impl Fn(&mut [T]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut parts: Vec<&mut [T]> =
            cut(data, shares.iter().map(|share| share.items.len() * size)).collect();
        let pairs = shares.into_iter().zip(parts.iter_mut()).collect();
        let outcomes = self.together(pairs, |member, _, part: &mut &mut [T]| each(member, part));
        if outcomes.iter().any(Result::is_err) {
            let done = parts.iter_mut().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok());
            done.map(|(part, _)| part).try_for_each(|part| undo(part))?;
        }
        outcomes.into_iter().collect()
    }
}

/// Work for other threads.
type Task<'a> = (&'a ThreadPool, Box<dyn FnOnce() + Send + 'a>);

/// Starts every task on its threads, does something here, and waits for all of them.
fn start<'a>(mut tasks: Vec<Task<'a>>, here: impl FnOnce() + Send + 'a) {
    match tasks.pop() {
        None => here(),
        Some((threads, run)) => threads.in_place_scope(|scope| {
            scope.spawn(move |_| run());
            start(tasks, here);
        }),
    }
}

/// Cuts a slice into pieces of these lengths, one after another.
fn cut<T>(data: &mut [T], lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = &mut [T]> {
    let mut rest = data;
    lengths.map(move |len| {
        let (piece, after) = std::mem::take(&mut rest).split_at_mut(len);
        rest = after;
        piece
    })
}

impl Clock for Several {
    /// Of all devices together.
    fn device_time(&self) -> Option<Duration> {
        self.members.iter().filter_map(|member| member.counted.device_time()).reduce(|a, b| a + b)
    }

    fn replays(&self) -> Option<u64> {
        self.members.iter().filter_map(|member| member.counted.replays()).reduce(|a, b| a + b)
    }

    /// The mean of the devices that tell, measured one after the other.
    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        let mut all = Vec::new();
        for member in &self.members {
            all.extend(member.counted.bandwidths()?);
        }
        let mean = |of: fn(&Bandwidths) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        Ok((!all.is_empty()).then(|| Bandwidths {
            copy: mean(|rates| rates.copy),
            upload: mean(|rates| rates.upload),
            download: mean(|rates| rates.download),
        }))
    }

    fn work(&self) -> Vec<DeviceWork> {
        self.members.iter().map(|member| member.counted.account()).collect()
    }
}

impl HostMemory for Several {
    /// Locked by the first device that locks memory. CUDA locks for every GPU; the driver of another kind copies such memory as
    /// any other.
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        for member in &self.members {
            if let Some(locked) = member.counted.lock(bytes)? {
                return Ok(Some(locked));
            }
        }
        Ok(None)
    }
}
