//! What an operation tells of itself, so that the dispatcher need not know it.

use std::ops::Range;

use super::{Dispatcher, Kind, Member, Share};
use crate::error::Error;
use crate::work::Size;

/// Something that one device does and that its account has a line for.
pub(crate) trait Call: Send {
    /// What comes of it.
    type Output: Send;

    /// Its size, and the bytes that it moves to the device and back.
    fn size(&self, device: &Member) -> Size;

    /// Does it on a device.
    fn run(self, device: &Member) -> Result<Self::Output, Error>;
}

/// Work of a kind, in the unit of the CPU's curve and in that of other devices' curves.
pub(crate) struct Cost {
    pub(crate) kind: Kind,
    pub(crate) work: [f64; 2],
}

/// Where the data of an operation are.
pub(crate) enum Home {
    /// On the host: any device may do it.
    Anywhere,
    /// On this device, which has to do it.
    At(usize),
    /// Ranges of its items on these devices, for which an operation is divided as they are. None at all is as good as anywhere.
    Parts(Vec<(usize, Range<usize>)>),
}

/// Something that is asked of an engine's devices.
pub(crate) trait Operation: Call + Sized {
    /// What it costs: the sum of these. Asked for only where there are several devices to choose from.
    fn costs(&self) -> Vec<Cost> {
        Vec::new()
    }

    /// Where its data are.
    fn home(&self) -> Home {
        Home::Anywhere
    }

    /// Whether what it makes stays with the devices, so that what they have to do now should not decide which of them does it.
    fn stays(&self) -> bool {
        false
    }

    /// Has a dispatcher do it: as a whole, or divided.
    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Self::Output, Error> {
        dispatcher.whole(self)
    }

    /// Does it and tests the answer at random: [`Error::CheckFailed`]. Operations whose answers cannot be tested are just done.
    fn tested(self, untested: &Untested<'_>) -> Result<Self::Output, Error> {
        untested.run(self)
    }
}

/// An operation that falls into independent parts.
pub(crate) trait Divisible: Operation {
    /// What comes of a part.
    type Outcome: Send;

    /// What one device does of it.
    type Part<'p>: Call<Output = Self::Outcome>
    where
        Self: 'p;

    /// The number of items of equal work that any of so many devices may get.
    fn items(&self, devices: usize) -> usize;

    /// Nanoseconds that it costs to divide it, such as for copies of columns.
    fn overhead(&self) -> f64 {
        0.0
    }

    /// A part for each share, of which there are two or more.
    fn divide(&mut self, shares: &[Share], devices: &[Member]) -> Result<Vec<Self::Part<'_>>, Error>;

    /// The result, when all parts have ended; where one failed, the first error, with inputs as they were.
    fn join(
        self,
        shares: &[Share],
        outcomes: Vec<Result<Self::Outcome, Error>>,
    ) -> Result<Self::Output, Error>;
}

/// A dispatcher whose answers are not tested, for those who test them.
pub(crate) struct Untested<'a>(pub(super) &'a Dispatcher);

impl Untested<'_> {
    /// Does an operation.
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
