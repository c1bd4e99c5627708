//! Operations that devices do together which read each other's memory.
//!
//! ```text
//!  columns.rs   operations on the columns of one row-major block
//!  column.rs    a transform of one column
//!  in_parts.rs  transforms of columns whose rows devices hold in turn
//!  together.rs  such a matrix, brought to one of them
//! ```
//!
//! In the first two, each device copies a run of host memory, since that is what the host's links are best at; the devices exchange what they need of it over the links between
//! them, which are several times as fast; and each copies a run of the result back. So each word crosses a link to the host once each way, however the work is divided. Steps begin when all
//! devices have ended the one before. Host memory is written in the last one alone; where that is the memory of the input, a failure in that step loses it.

mod column;
mod columns;
mod in_parts;
mod together;

use super::cut;
use super::each::Each;
use crate::backend::{AcceleratedField, BaseField, Memory, ResidentBackend};
use crate::checks;
use crate::dispatch::{Call, Member, Peers};
use crate::error::Error;
use crate::work::{Activity, Size};

pub(super) use column::divides;
pub(super) use columns::OnPeers;
pub(crate) use in_parts::transform_in_parts;
pub(crate) use together::bring_together;

/// Nanoseconds for what is not divided: steps that begin together, 0.5 ms, and copies of ordinary memory for several devices, which share the host's threads.
const STEPS: f64 = 1e6;

/// Nanoseconds that a device takes to cut, exchange and put together a word.
const WORD: f64 = 0.02;

/// Nanoseconds that the exchange of an input and its result of so many words costs.
pub(super) fn overhead(words: usize, devices: usize) -> f64 {
    STEPS + WORD * words as f64 / devices as f64
}

/// A result on devices: in the order of the host's memory, a device and so many words that it has.
pub(super) struct Results(Vec<(usize, Memory, usize)>);

impl Peers<'_> {
    /// Whether all of these devices read each other's memory, and their budgets have room for so many words each.
    fn have_room(&self, words: impl Fn(usize) -> usize) -> bool {
        self.shares.iter().enumerate().all(|(number, share)| {
            let (device, bytes) = (&self.devices[share.member], (words(number) as u64).saturating_mul(8));
            device.reads_peers() && bytes <= device.memory().budget()
        })
    }

    /// Runs a call on the device of each share.
    fn each<C: Call>(&self, calls: impl Iterator<Item = C>) -> Result<Vec<C::Output>, Error> {
        let calls = self.shares.iter().map(|share| share.member).zip(calls).collect();
        self.dispatcher.divided(Each { calls })
    }

    /// A result of which the share of each number has a part. Runs of it are in these shares' parts, and have so many words.
    fn results(&self, parts: Vec<Memory>, runs: Vec<(usize, usize)>) -> Results {
        let run =
            |(number, words): (usize, usize)| (self.shares[number].member, parts[number].clone(), words);
        Results(runs.into_iter().map(run).collect())
    }

    /// Copies a result to the host. Where that is `in_place`, a failure is [`Error::ResultLost`].
    pub(super) fn fetch<F: AcceleratedField>(
        &self,
        Results(parts): &Results,
        result: &mut [F],
        in_place: bool,
    ) -> Result<(), Error> {
        let pieces = cut(F::words_mut(result), parts.iter().map(|(_, _, words)| *words));
        let parts = parts.iter().zip(pieces);
        let calls =
            parts.map(|((member, from, _), data)| (*member, Fetch { from, data, in_place })).collect();
        self.dispatcher.divided(Each { calls }).map(drop)
    }
}

/// The outcome of the steps before the last: `None` if there was no room for them. A refused word is named by its index among all elements.
fn outcome<F: AcceleratedField, T>(done: Result<T, Error>, elements: &[F]) -> Option<Result<T, Error>> {
    match done {
        Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => None,
        Err(error @ Error::NotCanonical { .. }) => Some(checks::elements(elements).and(Err(error))),
        done => Some(done),
    }
}

/// What elements are to be compared with, if they are unchecked and their type does not say that they are below it.
pub(super) fn modulus<F: BaseField>(unchecked: bool) -> Option<&'static [u64]> {
    (unchecked && !F::CANONICAL).then_some(F::MODULUS)
}

/// Refuses words in a device's memory unless all elements are below a modulus. Which one is not is known to the caller, who has all of them.
pub(super) fn check(
    memory: &dyn ResidentBackend,
    words: &Memory,
    modulus: Option<&[u64]>,
) -> Result<(), Error> {
    match modulus.map_or(Ok(true), |modulus| memory.all_below(words, modulus))? {
        true => Ok(()),
        false => Err(Error::NotCanonical { index: 0, value: 0 }),
    }
}

/// Copies what a device has to the host.
struct Fetch<'a> {
    from: &'a Memory,
    data: &'a mut [u64],
    in_place: bool,
}

impl Call for Fetch<'_> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        Activity::DOWNLOAD.of(self.data.len(), 0, size_of_val(self.data))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        let copied = device.memory().download(self.from, 0, bytemuck::cast_slice_mut(self.data));
        copied.map_err(|error| match self.in_place {
            true => Error::ResultLost { device: device.name().to_owned(), message: error.to_string() },
            false => error,
        })
    }
}
