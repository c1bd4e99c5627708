//! Where data stay: the device that is expected to finish first what is done with them, or host memory.

use super::member::{Given, Occupied};
use super::plan::{Offer, divide};
use super::{Cost, Dispatcher, Member, Strategy};
use crate::error::Error;
use crate::lock::lock;
use crate::sync::atomic::Ordering;
use crate::work::Size;

/// Items of an operation that may be divided finely.
const FINE: usize = 64;

/// A device with memory of its own, chosen for data that are to stay there. They count towards its backlog until this is dropped.
pub(crate) struct Site<'a> {
    pub(crate) member: &'a Member,
    pub(crate) occupied: Occupied,
    _given: Given<'a>,
}

impl Dispatcher {
    /// The device on which data of so many bytes are to stay: the one where operations of these costs are expected to finish
    /// first, and among equal ones that with the fewest resident bytes. The choice counts from now on, so that concurrent callers
    /// see each other's choices.
    ///
    /// `None` where data stay in host memory: where that device is the host, and where `divisible` operations are expected to
    /// finish earlier when they are divided, which needs their data in host memory.
    pub(crate) fn site(
        &self,
        costs: &[Cost],
        record: Option<Size>,
        bytes: u64,
        divisible: bool,
    ) -> Result<Option<Site<'_>>, Error> {
        let site = |member: usize, ns| {
            let member = &self.members[member];
            let site = || Site { member, occupied: member.occupy(bytes), _given: member.give(ns) };
            self.keeps_data(member).then(site)
        };
        Ok(match &self.strategy {
            _ if !self.members.iter().any(|member| self.keeps_data(member)) => None,
            Strategy::Alone => site(0, 0.0),
            Strategy::Choose { prefer_second: true } => {
                lock(&self.choices).on_device += 1;
                site(1, 0.0)
            }
            Strategy::Choose { .. } => {
                let (member, ns) = self.choose(costs, record)?;
                site(member, ns)
            }
            Strategy::Divide { weights: Some(_) } if divisible => None,
            Strategy::Divide { .. } => {
                // Not under the lock: this may measure, and a thread that waits for others of its pool may begin another operation.
                let mut offers = self.offers(costs)?;
                if divisible && divide(FINE, &offers, 0.0).len() > 1 {
                    return Ok(None);
                }
                let _one_at_a_time = lock(&self.choosing);
                offers.iter_mut().for_each(|offer| offer.refresh(&self.members[offer.member]));
                let resident = |offer: &Offer| self.members[offer.member].resident.load(Ordering::Relaxed);
                let first = offers.iter().min_by(|a, b| {
                    let by_time = a.end().total_cmp(&b.end());
                    by_time.then_with(|| resident(a).cmp(&resident(b)))
                });
                first.and_then(|offer| site(offer.member, offer.time(1.0)))
            }
        })
    }

    /// Whether data can stay in a device's own memory. Where answers are tested they cannot, because data on a device cannot be
    /// checked.
    pub(super) fn keeps_data(&self, member: &Member) -> bool {
        !self.tests_answers && member.backend().resident().is_some()
    }

    /// Whether operations on data that stay may be divided among the devices that hold them: these are several, of which some have memory of their own.
    pub(crate) fn divides_what_stays(&self) -> bool {
        matches!(self.strategy, Strategy::Divide { .. })
            && self.members.iter().any(|member| self.keeps_data(member))
    }

    /// The indices of the devices in whose memory data can stay.
    pub(crate) fn that_keep_data(&self) -> Vec<usize> {
        let keep = self.members.iter().filter(|member| self.keeps_data(member));
        keep.map(Member::index).collect()
    }

    /// The index of a device that computes in host memory, if there is one.
    pub(crate) fn on_host(&self) -> Option<usize> {
        self.members.iter().position(|member| !member.has_memory())
    }

    /// Whether all of some devices read each other's memory.
    pub(crate) fn are_peers(&self, members: &[usize]) -> bool {
        members.iter().all(|&member| self.members[member].reads_peers())
    }

    /// Whether any device has memory of its own.
    pub(crate) fn has_memory(&self) -> bool {
        self.members.iter().any(Member::has_memory)
    }

    /// The device of an index.
    pub(crate) fn member(&self, index: usize) -> &Member {
        &self.members[index]
    }

    /// Whether data that are to stay always do so in a device's own memory: there is no other choice.
    pub(crate) fn always_keeps_data(&self) -> bool {
        self.members.iter().all(|member| self.keeps_data(member))
    }

    /// The most bytes of a device's own memory that one operation may take, for several devices the smallest; `None` where the
    /// host is the only device, and where data stay in host memory.
    pub(crate) fn device_budget(&self) -> Option<u64> {
        let budgets = self.members.iter().filter(|member| self.keeps_data(member));
        budgets.filter_map(|member| Some(member.backend().resident()?.budget())).min()
    }
}
