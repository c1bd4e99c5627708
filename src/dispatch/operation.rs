//! The interface between operations and the dispatcher.

use std::ops::Range;

use super::{Dispatcher, Kind, Member, Share};
use crate::error::Error;
use crate::meter::Meter;
use crate::work::Size;

/// A call on one device, with a line in its account.
pub(crate) trait Call: Send {
    /// The result.
    type Output: Send;

    /// Its size, and the bytes that it moves to the device and back.
    fn size(&self, device: &Member) -> Size;

    /// Runs it on a device.
    fn run(self, device: &Member) -> Result<Self::Output, Error>;

    /// Runs it and counts how much of it is done, if the device knows that.
    fn run_metered(self, device: &Member, _: &Meter<'_>) -> Result<Self::Output, Error>
    where
        Self: Sized,
    {
        self.run(device)
    }
}

/// Work of a kind, in the unit of the CPU's curve and in that of other devices' curves.
pub(crate) struct Cost {
    pub(crate) kind: Kind,
    pub(crate) work: [f64; 2],
}

/// Where the data of an operation are.
pub(crate) enum Home {
    /// In host memory: any device may do it.
    Anywhere,
    /// On this device, which must do it.
    At(usize),
    /// Ranges of its items on these devices; the operation is divided accordingly, unless the engine chooses one device for each operation (`auto`), for which it is a preference. An empty list is like host memory.
    Parts(Vec<(usize, Range<usize>)>),
    /// Ranges of its items on these devices alone, each of which must do its own, however an engine chooses otherwise. There is at least one.
    Bound(Vec<(usize, Range<usize>)>),
}

/// An operation of an engine.
pub(crate) trait Operation: Call + Sized {
    /// Its cost: the sum of these. Used only where there are several devices to choose from.
    fn costs(&self) -> Vec<Cost> {
        Vec::new()
    }

    /// Where its data are.
    fn home(&self) -> Home {
        Home::Anywhere
    }

    /// Whether devices do it in their own memory, and the host only starts them.
    fn is_elsewhere(&self) -> bool {
        false
    }

    /// Whether its result stays with the devices, so that their present backlogs should not determine the choice.
    fn stays(&self) -> bool {
        false
    }

    /// Runs it on a dispatcher, whole or divided.
    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Self::Output, Error> {
        dispatcher.whole(self)
    }

    /// Runs it and tests the answer at random: [`Error::CheckFailed`]. Operations whose answers cannot be tested are only run.
    fn tested(self, untested: &Untested<'_>) -> Result<Self::Output, Error> {
        untested.run(self)
    }
}

/// Devices that have shares of an operation.
pub(crate) struct Peers<'a> {
    pub(crate) dispatcher: &'a Dispatcher,
    /// All devices.
    pub(crate) devices: &'a [Member],
    pub(crate) shares: &'a [Share],
}

/// An operation with independent parts.
pub(crate) trait Divisible: Operation {
    /// The result of a part.
    type Outcome: Send;

    /// The part of one device.
    type Part<'p>: Call<Output = Self::Outcome>
    where
        Self: 'p;

    /// The number of items of equal work that any of these devices may get.
    fn items(&self, devices: &[Member]) -> usize;

    /// The nanoseconds that dividing it among devices costs, such as for copies of columns.
    fn overhead(&self, _: &[Member]) -> f64 {
        0.0
    }

    /// The pieces in which the host may do it, one after another, for nothing.
    fn pieces(&self) -> usize {
        1
    }

    /// Does it by an exchange between these devices, of which there are two or more, where they have a way for that; else `None`, and nothing has changed.
    fn exchanged(&mut self, _: &Peers<'_>) -> Option<Result<Self::Output, Error>> {
        None
    }

    /// A part for each share, of which there are two or more, or a part for the first if there is only one after all.
    fn divide(&mut self, shares: &[Share], devices: &[Member]) -> Result<Vec<Self::Part<'_>>, Error>;

    /// The result, when all parts have ended; if one failed, the first error, with inputs restored.
    fn join(
        self,
        shares: &[Share],
        outcomes: Vec<Result<Self::Outcome, Error>>,
    ) -> Result<Self::Output, Error>;
}

/// A dispatcher whose answers are not tested, for use by the tests of answers.
pub(crate) struct Untested<'a>(pub(super) &'a Dispatcher);

impl Untested<'_> {
    /// Runs an operation.
    pub(crate) fn run<O: Operation>(&self, operation: O) -> Result<O::Output, Error> {
        operation.dispatch(self.0)
    }

    /// `Ok` if an answer passes, else [`Error::CheckFailed`] with the devices and the name of the test.
    pub(crate) fn expect(&self, passes: bool, test: &'static str) -> Result<(), Error> {
        match passes {
            true => Ok(()),
            false => Err(Error::CheckFailed { device: self.0.name().to_owned(), operation: test }),
        }
    }
}
