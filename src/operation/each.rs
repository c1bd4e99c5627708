//! Calls on data that several devices hold: each on its device, all devices at once.

use std::ops::Range;

use crate::dispatch::{Call, Dispatcher, Divisible, Home, Member, Operation, Share};
use crate::error::Error;
use crate::work::Size;

/// Calls of one kind with the indices of their devices; neighbours on one device are done one after another. There is at least one.
pub(crate) struct Each<C> {
    pub(crate) calls: Vec<(usize, C)>,
}

/// Calls on one device, one after another.
pub(crate) struct Batch<C>(Vec<C>);

impl<C: Call> Call for Batch<C> {
    type Output = Vec<C::Output>;

    fn size(&self, device: &Member) -> Size {
        let sizes = self.0.iter().map(|call| call.size(device));
        sizes.reduce(Size::and).expect("a device has a call")
    }

    fn run(self, device: &Member) -> Result<Self::Output, Error> {
        self.0.into_iter().map(|call| call.run(device)).collect()
    }
}

impl<C: Call> Each<C> {
    /// Runs of calls on the same device.
    fn runs(&self) -> Vec<(usize, Range<usize>)> {
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
        for (i, (member, _)) in self.calls.iter().enumerate() {
            match runs.last_mut() {
                Some((last, run)) if last == member => run.end = i + 1,
                _ => runs.push((*member, i..i + 1)),
            }
        }
        runs
    }

    fn take(&mut self, count: usize) -> Batch<C> {
        Batch(self.calls.drain(..count).map(|(_, call)| call).collect())
    }
}

impl<C: Call> Call for Each<C> {
    type Output = Vec<C::Output>;

    fn size(&self, device: &Member) -> Size {
        let sizes = self.calls.iter().map(|(_, call)| call.size(device));
        sizes.reduce(Size::and).expect("there is a call")
    }

    fn run(mut self, device: &Member) -> Result<Self::Output, Error> {
        self.take(self.calls.len()).run(device)
    }
}

impl<C: Call> Operation for Each<C> {
    fn home(&self) -> Home {
        Home::Bound(self.runs())
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Self::Output, Error> {
        dispatcher.divided(self)
    }
}

impl<C: Call> Divisible for Each<C> {
    type Outcome = Vec<C::Output>;
    type Part<'p>
        = Batch<C>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.calls.len()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Batch<C>>, Error> {
        Ok(shares.iter().map(|share| self.take(share.items.len())).collect())
    }

    fn join(self, _: &[Share], outcomes: Vec<Result<Self::Outcome, Error>>) -> Result<Self::Output, Error> {
        let done: Result<Vec<_>, Error> = outcomes.into_iter().collect();
        Ok(done?.into_iter().flatten().collect())
    }
}
