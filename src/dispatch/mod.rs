//! The dispatcher: everything that is the same for all operations.
//!
//! ```text
//! operation.rs    the description of an operation: its size, its cost, where its data are, how it is divided
//! member.rs       a device: its backend, its account, its backlog, and the data in its memory
//! curve.rs        the cost of a kind of operation on a device, measured on this machine
//! contention.rs   whether other work disturbs that
//! curves.rs       the curves of all devices, and when they are measured again
//! plan.rs         how much of an operation each of several devices gets
//! site.rs         the device on which data stay
//! statistics.rs   what the devices tell of themselves and of their work
//! ```
//!
//! An operation goes through these steps, whatever it is:
//!
//! 1. **Choose.** If its data are on a device, that device does it, and of data that devices hold in parts each does its own. Otherwise one device does it alone, or several devices get
//!    shares of it, so that it finishes as early as possible by the measured curves and the devices' backlogs.
//! 2. **Divide.** The operation makes a part for each share, and combines the results of the parts when all have ended. Devices that read each other's memory may do it in steps instead,
//!    between which they exchange data.
//! 3. **Count.** Each device has an account of its work ([`work`](crate::work)).
//! 4. **Test.** On an engine that requires it, the answer is tested at random before it is used.
//!
//! The host's part runs on the caller's threads. Of several devices, every other one has threads of its own that prepare its
//! copies and wait for it, so that waiting does not occupy the host's threads. An operation fails where a part fails, with that
//! device's error, when all parts have ended; in-place operations then restore the parts that succeeded.
//!
//! Nothing here depends on a particular operation, field, curve or hash: [`operation`](crate::operation) defines those.

mod contention;
mod curve;
mod curves;
#[cfg(test)]
pub(crate) mod fake;
mod member;
mod operation;
mod plan;
mod site;
mod statistics;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::time::{Duration, Instant};

use rayon::ThreadPool;

#[cfg(fuzzing)]
pub(crate) use curve::Curve;
pub(crate) use curve::{Kind, Measured, timed};
use member::Given;
pub(crate) use member::{Member, Opened, Stored};
pub(crate) use operation::{Call, Cost, Divisible, Home, Operation, Peers, Untested};
pub(crate) use plan::Share;

use crate::backend::Backend;
use crate::choice::{Choice, Choices};
use crate::error::Error;
use crate::lock::lock;
use crate::meter::{Meter, PIECES, Tell};
use crate::sync::{Arc, Mutex};
use crate::work::Size;
use curves::Known;
use plan::{Offer, apportion, divide};

/// The least size of an operation whose progress is worth telling.
const LARGE: u64 = 1 << 18;

/// How an engine's devices share its work.
pub(crate) enum Strategy {
    /// There is one device.
    Alone,
    /// Each operation goes to the device that is expected to finish first, or always to the second device.
    Choose {
        /// Whether the second device does everything.
        prefer_second: bool,
    },
    /// Operations are divided among the devices, as measured or in fixed proportions.
    Divide {
        /// The proportions, set by tests and by the conformance suite: operations are divided however small they are.
        weights: Option<Vec<usize>>,
    },
}

/// The devices of an engine, with their backlogs.
pub(crate) struct Dispatcher {
    members: Vec<Member>,
    strategy: Strategy,
    /// The name of all devices together.
    name: String,
    /// Whether answers are tested before they are used.
    tests_answers: bool,
    curves: Known,
    choices: Mutex<Choices>,
    /// Held while a device is chosen for data that are to stay.
    choosing: Mutex<()>,
}

/// What a plan asks of an operation, whatever its type: where its data are, what it costs and how large it is.
struct Asked<'a> {
    home: Home,
    stays: bool,
    costs: &'a dyn Fn() -> Vec<Cost>,
    size: &'a dyn Fn(&Member) -> Size,
    items: usize,
    overhead: f64,
}

/// An operation as a plan sees it: so many independent items, whose division takes `overhead` nanoseconds.
struct Demand {
    costs: Vec<Cost>,
    stays: bool,
    items: usize,
    overhead: f64,
}

impl Dispatcher {
    /// A dispatcher over opened devices, of which there is at least one.
    pub(crate) fn new(opened: Vec<Opened>, strategy: Strategy) -> Self {
        let name = opened.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(",");
        let members = opened.into_iter().enumerate().map(|(i, one)| Member::new(i, one)).collect();
        Self {
            members,
            strategy,
            name,
            tests_answers: false,
            curves: Known::default(),
            choices: Mutex::default(),
            choosing: Mutex::default(),
        }
    }

    /// A dispatcher over one device, as tests want it.
    pub(crate) fn alone(backend: impl Backend + 'static) -> Self {
        let (name, machine) = ("a test's device".into(), Vec::new());
        let opened = Opened { backend: Box::new(backend), name, machine, on_host: true, threads: None };
        Self::new(vec![opened], Strategy::Alone)
    }

    /// The same devices, with answers tested before they are used.
    pub(crate) fn testing_answers(self) -> Self {
        Self { tests_answers: true, ..self }
    }

    /// Does an operation.
    pub(crate) fn run<O: Operation>(&self, operation: O) -> Result<O::Output, Error> {
        match self.tests_answers {
            true => operation.tested(&Untested(self)),
            false => operation.dispatch(self),
        }
    }

    /// Does an operation on one device.
    pub(crate) fn whole<O: Operation>(&self, operation: O) -> Result<O::Output, Error> {
        let shares = self.plan(&operation, 1, 0.0)?;
        self.on(&shares[0], operation)
    }

    /// Does an operation, divided among devices where that is expected to finish earlier.
    pub(crate) fn divided<O: Divisible>(&self, operation: O) -> Result<O::Output, Error> {
        let shares = self.divided_plan(&operation)?;
        match &shares[..] {
            [share] => self.on(share, operation),
            _ => self.in_shares(&shares, operation),
        }
    }

    /// The same, but `None` where one device would do all of it.
    pub(crate) fn divided_only<O: Divisible>(&self, operation: O) -> Result<Option<O::Output>, Error> {
        let shares = self.divided_plan(&operation)?;
        match &shares[..] {
            [_] => Ok(None),
            _ => self.in_shares(&shares, operation).map(Some),
        }
    }

    fn divided_plan<O: Divisible>(&self, operation: &O) -> Result<Vec<Share>, Error> {
        self.plan(operation, operation.items(&self.members), operation.overhead(&self.members))
    }

    /// Does the parts of an operation, each on its device.
    fn in_shares<O: Divisible>(&self, shares: &[Share], mut operation: O) -> Result<O::Output, Error> {
        let given = self.give(shares);
        let peers = Peers { dispatcher: self, devices: &self.members, shares };
        if let Some(done) = operation.exchanged(&peers) {
            return done;
        }
        drop(given);
        let outcomes = {
            let parts = operation.divide(shares, &self.members)?;
            self.together(shares, parts)
        };
        operation.join(shares, outcomes)
    }

    /// Does an operation and tells how much of it is done: of so many pieces, so many. The only device counts what it has done of a large one
    /// or, where it computes in host memory and that costs nothing, does it in pieces; any other operation is one piece.
    pub(crate) fn telling<O: Divisible>(&self, mut operation: O, tell: Tell<'_>) -> Result<O::Output, Error> {
        let member = match &self.members[..] {
            [member]
                if member.on_host
                    && !self.tests_answers
                    && operation.size(member).description().1 >= LARGE =>
            {
                member
            }
            _ => {
                tell(0, 1);
                let done = self.run(operation)?;
                tell(1, 1);
                return Ok(done);
            }
        };
        let (items, pieces) = (operation.items(&self.members), operation.pieces().min(PIECES));
        let meter = Meter::telling(tell);
        if pieces < 2 {
            let done = member.count_metered(operation, &meter)?;
            meter.end();
            return Ok(done);
        }
        let piece = |i: usize| i * items / pieces..(i + 1) * items / pieces;
        let shares: Vec<_> = (0..pieces).map(|i| Share { member: 0, items: piece(i), ns: 0.0 }).collect();
        let meter = meter.parts(pieces);
        let outcomes = operation.divide(&shares, &self.members)?.into_iter().map(|part| {
            let own = meter.part();
            let done = member.count_metered(part, &own);
            own.end();
            done
        });
        let outcomes = outcomes.collect();
        operation.join(&shares, outcomes)
    }

    /// Does an operation on the device of a share, on the threads of the caller.
    fn on<O: Operation>(&self, share: &Share, operation: O) -> Result<O::Output, Error> {
        let member = &self.members[share.member];
        let _given = member.give(share.ns);
        let costs = if share.ns == 0.0 { Vec::new() } else { operation.costs() };
        let start = Instant::now();
        let done = member.count(operation)?;
        self.observe(&costs, share.ns, start);
        Ok(done)
    }

    /// Adds shares to the backlogs of their devices, until what is returned is dropped. Like [`observe`](Self::observe) not generic, so that it is compiled once and not for each operation.
    fn give(&self, shares: &[Share]) -> Vec<Given<'_>> {
        shares.iter().map(|share| self.members[share.member].give(share.ns)).collect()
    }

    /// Corrects the curves of costs by the time that was expected and the one that has passed.
    fn observe(&self, costs: &[Cost], expected: f64, start: Instant) {
        costs.iter().for_each(|cost| self.curves.observe(&cost.kind, expected, start.elapsed()));
    }

    /// Divides an operation of so many independent items among devices; the division itself takes `overhead` nanoseconds. There
    /// is at least one share, and no share is empty unless there are no items.
    fn plan<O: Operation>(&self, operation: &O, items: usize, overhead: f64) -> Result<Vec<Share>, Error> {
        self.plan_of(&Asked {
            home: operation.home(),
            stays: operation.stays(),
            costs: &|| operation.costs(),
            size: &|member| operation.size(member),
            items,
            overhead,
        })
    }

    fn plan_of(&self, asked: &Asked<'_>) -> Result<Vec<Share>, Error> {
        let Asked { items, overhead, stays, .. } = *asked;
        let alone = |member| Share { member, items: 0..items, ns: 0.0 };
        let home = match &asked.home {
            Home::At(member) => return Ok(vec![alone(*member)]),
            Home::Bound(parts) => {
                let share =
                    |(member, items): &(usize, _)| Share { items: Range::clone(items), ..alone(*member) };
                return Ok(parts.iter().map(share).collect());
            }
            Home::Parts(parts) => Some(parts.as_slice()),
            Home::Anywhere => None,
        };
        let weights = match &self.strategy {
            Strategy::Alone => return Ok(vec![alone(0)]),
            Strategy::Choose { prefer_second: true } => {
                lock(&self.choices).on_device += 1;
                return Ok(vec![alone(1)]);
            }
            Strategy::Choose { .. } => {
                let size = (!stays).then(|| (asked.size)(&self.members[0]));
                let (member, ns) = self.choose(&(asked.costs)(), size)?;
                return Ok(vec![Share { ns, ..alone(member) }]);
            }
            Strategy::Divide { weights } => weights,
        };
        let demand = Demand { costs: (asked.costs)(), stays, items, overhead };
        self.shares(&demand, home, weights.as_deref())
    }

    /// The same of work among all devices, of which some hold parts, in fixed proportions or as they are expected to finish.
    fn shares(
        &self,
        demand: &Demand,
        home: Option<&[(usize, Range<usize>)]>,
        weights: Option<&[usize]>,
    ) -> Result<Vec<Share>, Error> {
        let items = demand.items;
        let mut offers = self.offers(&demand.costs)?;
        if demand.stays {
            offers.iter_mut().for_each(|offer| offer.backlog = 0.0);
        }
        match home {
            Some(parts) if !parts.is_empty() => {
                let ns = |member: usize, part: usize| {
                    let offer = offers.iter().find(|offer| offer.member == member);
                    offer.map_or(0.0, |offer| offer.time(part as f64 / items as f64))
                };
                let share = |(member, items): &(usize, Range<usize>)| Share {
                    member: *member,
                    ns: ns(*member, items.len()),
                    items: items.clone(),
                };
                Ok(parts.iter().map(share).collect())
            }
            _ => Ok(match weights {
                Some(_) if items == 0 => vec![Share { member: offers[0].member, items: 0..0, ns: 0.0 }],
                Some(weights) => {
                    let weight = |offer: &Offer| weights[offer.member % weights.len()] as f64;
                    let weights: Vec<_> = offers.iter().map(weight).collect();
                    let share = |(i, items): (usize, _)| Share { member: offers[i].member, items, ns: 0.0 };
                    apportion(items, &weights).into_iter().map(share).collect()
                }
                None => divide(items, &offers, demand.overhead),
            }),
        }
    }

    /// The offer of each device that has operations of these costs; [`Error::Unsupported`] if none has.
    fn offers(&self, costs: &[Cost]) -> Result<Vec<Offer>, Error> {
        let curves = costs.iter().map(|cost| self.curves.of(&cost.kind, &self.members));
        let curves = curves.collect::<Result<Vec<_>, _>>()?;
        let offer = |member: &Member| {
            let work = |cost: &Cost| cost.work[usize::from(!member.on_host)];
            let terms = costs.iter().zip(&curves).map(|(cost, curves)| (Arc::clone(curves), work(cost)));
            Offer::of(member, terms.collect())
        };
        let offers: Vec<_> = self.members.iter().filter_map(offer).collect();
        match (offers.is_empty(), costs) {
            (true, [cost, ..]) => {
                Err(Error::Unsupported { operation: cost.kind.name, device: self.name.clone() })
            }
            _ => Ok(offers),
        }
    }

    /// The device of two that is expected to finish first, with its expected time; the choice is recorded for an operation of this
    /// size, if one is given.
    fn choose(&self, costs: &[Cost], record: Option<Size>) -> Result<(usize, f64), Error> {
        let offers = self.offers(costs)?;
        let chosen = offers.iter().min_by(|a, b| a.end().total_cmp(&b.end())).expect("an offer");
        if let Some(size) = record {
            self.record(&offers, chosen, size);
        }
        Ok((chosen.member, chosen.time(1.0)))
    }

    /// Records which of two devices was chosen, and when each is expected to have finished.
    fn record(&self, offers: &[Offer], chosen: &Offer, size: Size) {
        let mut choices = lock(&self.choices);
        match chosen.member {
            0 => choices.on_cpu += 1,
            _ => choices.on_device += 1,
        }
        if let Some(other) = offers.iter().find(|offer| offer.member != chosen.member) {
            let expected = |offer: &Offer| {
                let name = self.members[offer.member].name().to_owned();
                (name, Duration::from_nanos(offer.end() as u64))
            };
            let (operation, amount, unit) = size.description();
            let choice = Choice { operation, amount, unit, chosen: expected(chosen), other: expected(other) };
            match choices.last.iter_mut().find(|last| last.operation == operation) {
                Some(last) => *last = choice,
                None => choices.last.push(choice),
            }
        }
    }

    /// Whether there is but one device.
    pub(crate) fn is_one(&self) -> bool {
        self.members.len() == 1
    }

    /// Runs the parts of an operation, each on its device and all at once. Returns when all have ended, with the result of each.
    fn together<C: Call>(&self, shares: &[Share], parts: Vec<C>) -> Vec<Result<C::Output, Error>> {
        // Loops, which are compiled for each operation in less time than iterators.
        let mut outcomes: Vec<Option<Result<C::Output, Error>>> = Vec::new();
        outcomes.resize_with(parts.len(), || None);
        let (mut runs, mut room): (Vec<Run<'_>>, _) = (Vec::with_capacity(parts.len()), &mut outcomes[..]);
        for (i, part) in parts.into_iter().enumerate() {
            let member = &self.members[shares[i].member];
            let (outcome, rest) = room.split_first_mut().expect("an outcome for each part");
            room = rest;
            runs.push(Box::new(move || *outcome = Some(member.count(part))));
        }
        self.at_once(shares, runs);
        let mut done = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            done.push(outcome.expect("every part was done"));
        }
        done
    }

    /// Runs what is to run on the device of each share, all at once.
    fn at_once(&self, shares: &[Share], runs: Vec<Run<'_>>) {
        // The caller's threads do the host's part; where it has none, the first one.
        let own = shares.iter().position(|share| self.members[share.member].threads.is_none()).unwrap_or(0);
        let mut here: Vec<Run<'_>> = Vec::new();
        let mut elsewhere: Vec<Task<'_>> = Vec::new();
        for (i, (share, run)) in shares.iter().zip(runs).enumerate() {
            let member = &self.members[share.member];
            let given = member.give(share.ns);
            let run: Run<'_> = Box::new(move || {
                let _given = given;
                run();
            });
            match &member.threads {
                Some(threads) if i != own => elsewhere.push((threads, run)),
                // At most one device, the CPU, has no threads of its own, and then its parts are done here, one after another.
                _ => here.push(run),
            }
        }
        start(elsewhere, Box::new(|| here.into_iter().for_each(|run| run())));
    }
}

/// Something to run once.
type Run<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Work for other threads.
type Task<'a> = (&'a ThreadPool, Run<'a>);

/// Starts every task on its threads, runs something here, and waits for all of them.
fn start<'a>(mut tasks: Vec<Task<'a>>, here: Run<'a>) {
    match tasks.pop() {
        None => here(),
        Some((threads, run)) => threads.in_place_scope(|scope| {
            scope.spawn(move |_| run());
            start(tasks, here);
        }),
    }
}
