//! The execution of a launch: one group after another, of each group one warp after another up to a barrier of the group, and of each warp one item after
//! another up to any barrier.
//!
//! From one stretch between barriers to the next the order is reversed, and from one group to the next that of the first stretch, so that a barrier that
//! is missing is seen on whichever side of an item those are that it does not wait for.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::instruction::*;
use super::memory::{Memory, Moment, POISON, Reach, Space, WARP};
use super::parse::{Kernel, Program, SPECIAL};

/// The deepest calls.
const DEPTH: usize = 16;

/// The most branches that an item takes between two barriers.
const BRANCHES: u32 = 1 << 25;

/// All slots of an item.
type Frame = [u64; 1 << Slot::BITS];

/// What is kept from one launch to the next, because it is large.
#[derive(Default)]
pub struct Machine {
    frames: Vec<Box<Frame>>,
}

/// What a launch is made of.
pub struct KernelLaunch<'a> {
    /// The program.
    pub program: &'a Program,
    /// One of its kernels.
    pub kernel: &'a Kernel,
    /// The number of groups.
    pub groups: usize,
    /// The number of items of a group.
    pub group: usize,
    /// A word for each parameter; of a buffer, an address in [`Space::Global`].
    pub parameters: &'a [u64],
    /// Buffers, by the numbers that their addresses have.
    pub buffers: &'a [&'a Memory],
    /// What counts moments, for all launches on the same buffers; [`FIRST`](crate::FIRST) before the first one.
    pub clock: &'a AtomicU64,
    /// Whether races are let pass.
    pub lenient: bool,
}

/// What an item did wrong.
#[derive(Debug)]
pub struct Failure {
    /// The group.
    pub group: usize,
    /// The item of the group.
    pub item: usize,
    /// The place of the instruction in the code, for [`Program::statement`].
    pub at: usize,
    /// What it did.
    pub fault: Fault,
}

/// Where an item is, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// It has not begun.
    New,
    /// It can go on.
    Ready,
    Barrier,
    WarpBarrier,
    /// It waits for a vote: whether it is for it, the mask of those who vote, and the slot of the result.
    Vote(bool, u32, Slot),
    Ended,
}

/// An item of a group.
struct Item {
    at: usize,
    carry: u64,
    calls: Vec<usize>,
    stop: Stop,
}

impl Machine {
    /// Executes a launch.
    pub fn launch(&mut self, work: &KernelLaunch<'_>) -> Result<(), Failure> {
        let kernel = work.kernel;
        // Items that do not wait for each other have one frame, one after another.
        let count = if kernel.waits { work.group } else { 1 };
        while self.frames.len() < count {
            let frame = vec![0; 1 << Slot::BITS].into_boxed_slice();
            self.frames
                .push(frame.try_into().expect("a frame has as many slots as there are numbers of slots"));
        }
        for frame in &mut self.frames[..count] {
            for &(slot, value) in &kernel.immediates {
                frame[usize::from(slot)] = value;
            }
            for (&[low, high], &word) in kernel.parameters.iter().zip(work.parameters) {
                frame[usize::from(low)] = word & LOW;
                frame[usize::from(high)] = word >> 32;
            }
        }
        let memories =
            |lengths: &[usize]| lengths.iter().map(|&bytes| Memory::new(bytes)).collect::<Vec<_>>();
        let shared = memories(&kernel.shared);
        let local: Vec<_> = (0..count).map(|_| memories(&work.program.local)).collect();
        let shared: Vec<_> = shared.iter().collect();
        let local: Vec<Vec<_>> = local.iter().map(|memories| memories.iter().collect()).collect();
        let constants: Vec<_> = work.program.constants.iter().collect();
        let reach = |frame: usize| Reach { pieces: [work.buffers, &shared, &local[frame], &constants] };
        let reaches: Vec<_> = (0..count).map(reach).collect();
        let launch = work.clock.fetch_add(1, Relaxed);
        (0..work.groups).try_for_each(|group| self.group(work, (launch, group), &reaches))
    }

    /// Executes a group.
    fn group(
        &mut self,
        work: &KernelLaunch<'_>,
        (launch, group): (u64, usize),
        reaches: &[Reach<'_>],
    ) -> Result<(), Failure> {
        let tick = || work.clock.fetch_add(1, Relaxed);
        let began = tick();
        reaches[0].poison(Space::Shared);
        let new =
            || Item { at: usize::from(work.kernel.entry), carry: 0, calls: Vec::new(), stop: Stop::New };
        let mut items: Vec<_> = (0..work.group).map(|_| new()).collect();
        let mut reversed = group % 2 == 1;
        while items.iter().any(|item| item.stop != Stop::Ended) {
            let stretch = tick();
            for warp in in_order(work.group.div_ceil(WARP), reversed) {
                let first = warp * WARP;
                let items = &mut items[first..work.group.min(first + WARP)];
                loop {
                    let (now, lenient) = (tick(), work.lenient);
                    let mut moment = Moment { launch, group: began, stretch, now, item: 0, lenient };
                    for lane in in_order(items.len(), reversed) {
                        let (number, item) = (first + lane, &mut items[lane]);
                        moment.item = number;
                        let frame = if work.kernel.waits { number } else { 0 };
                        if item.stop == Stop::New {
                            self.begin(work, (group, number), frame);
                            reaches[frame].poison(Space::Local);
                        }
                        if matches!(item.stop, Stop::New | Stop::Ready) {
                            run(work.program, item, &mut self.frames[frame], (&reaches[frame], &moment))
                                .map_err(|fault| Failure { group, item: number, at: item.at, fault })?;
                        }
                    }
                    if !self.release(items, first) {
                        break;
                    }
                    reversed = !reversed;
                }
            }
            // Those who have ended count as if they had come to the barrier.
            let stuck = items.iter().position(|item| !matches!(item.stop, Stop::Barrier | Stop::Ended));
            if let Some(number) = stuck {
                let at = items[number].at - 1;
                return Err(Failure { group, item: number, at, fault: Fault::Deadlock });
            }
            items
                .iter_mut()
                .filter(|item| item.stop == Stop::Barrier)
                .for_each(|item| item.stop = Stop::Ready);
            reversed = !reversed;
        }
        Ok(())
    }

    /// Makes a frame ready for an item.
    fn begin(&mut self, work: &KernelLaunch<'_>, (group, item): (usize, usize), frame: usize) {
        let frame = &mut self.frames[frame];
        let registers = &work.kernel.registers;
        frame[usize::from(registers.start)..usize::from(registers.end)].fill(u64::from_ne_bytes([POISON; 8]));
        let special = [item, work.group, group, work.groups, 0];
        for ((_, slot), value) in SPECIAL.into_iter().zip(special) {
            frame[usize::from(slot)] = value as u64;
        }
    }

    /// Lets the items of a warp go on for which all others of it have come; whether there are any.
    fn release(&mut self, items: &mut [Item], first: usize) -> bool {
        let mut goes_on = false;
        let waiting = |stop: Stop| matches!(stop, Stop::WarpBarrier | Stop::Ended);
        if items.iter().all(|item| waiting(item.stop)) {
            for item in items.iter_mut().filter(|item| item.stop == Stop::WarpBarrier) {
                item.stop = Stop::Ready;
                goes_on = true;
            }
        }
        let mut votes = items.iter().enumerate().filter_map(|(lane, item)| match item.stop {
            Stop::Vote(holds, mask, slot) => Some((lane, holds, mask, slot, item.at)),
            _ => None,
        });
        let Some((_, _, mask, slot, at)) = votes.next() else { return goes_on };
        let come = |(lane, item): (usize, &Item)| {
            let same = matches!(item.stop, Stop::Vote(_, found, _) if found == mask) && item.at == at;
            same || item.stop == Stop::Ended || mask >> lane & 1 == 0
        };
        if !items.iter().enumerate().all(come) {
            return goes_on;
        }
        let any = items.iter().any(|item| matches!(item.stop, Stop::Vote(true, ..)));
        for (lane, item) in
            items.iter_mut().enumerate().filter(|(_, item)| matches!(item.stop, Stop::Vote(..)))
        {
            self.frames[first + lane][usize::from(slot)] = u64::from(any);
            item.stop = Stop::Ready;
        }
        true
    }
}

/// The numbers below `count`, or the same from the last to the first.
fn in_order(count: usize, reversed: bool) -> impl Iterator<Item = usize> {
    (0..count).map(move |number| if reversed { count - 1 - number } else { number })
}

/// Executes instructions of an item until it stops. After a fault `item.at` is the place of the instruction.
fn run(
    program: &Program,
    item: &mut Item,
    frame: &mut Frame,
    memory: (&Reach<'_>, &Moment),
) -> Result<(), Fault> {
    let (result, (at, carry)) = execute(program, (item.at, item.carry), &mut item.calls, frame, memory);
    // It has been passed when the instruction is executed.
    (item.at, item.carry) = (if result.is_err() { at - 1 } else { at }, carry);
    item.stop = result?;
    Ok(())
}

/// The loop over instructions, from a place with a carry flag to those where it ends. They are variables of its own, which need not be in memory.
macro_rules! executor {
    ($($op:ident $($name:literal),+ ($($slot:ident),+) $($carry:ident)? => $value:expr;)*) => {
        fn execute(
            program: &Program,
            (mut at, mut flag): (usize, u64),
            calls: &mut Vec<usize>,
            frame: &mut Frame,
            (reach, moment): (&Reach<'_>, &Moment),
        ) -> (Result<Stop, Fault>, (usize, u64)) {
            let code = &program.code[..];
            let mut branches = BRANCHES;
            let result = loop {
                let instruction = code[at];
                at += 1;
                macro_rules! done {
                    ($result:expr) => {
                        match $result {
                            Ok(value) => value,
                            Err(fault) => break Err(fault),
                        }
                    };
                }
                macro_rules! get { ($which:ident) => { frame[usize::from(instruction.$which)] }; }
                macro_rules! branch {
                    () => {{
                        branches -= 1;
                        if branches == 0 {
                            break Err(Fault::Endless);
                        }
                        at = usize::from(instruction.d);
                    }};
                }
                macro_rules! words {
                    ($bytes:expr) => {
                        done!(reach.words(
                            moment,
                            (Space::from_slot(instruction.e), get!(a).wrapping_add(get!(b))),
                            $bytes,
                        ))
                    };
                }
                match instruction.op {
                    $(Op::$op => {
                        $(let $slot = get!($slot);)+
                        $(let $carry = &mut flag;)?
                        get!(d) = $value;
                    })*
                    Op::Unpack => {
                        let a = get!(a);
                        get!(d) = low(a);
                        get!(e) = a >> 32;
                    }
                    Op::Load32 => get!(d) = done!(words!(4).load(0)),
                    Op::Load64 => {
                        let words = words!(8);
                        get!(d) = done!(words.load(0)) | done!(words.load(1)) << 32;
                    }
                    Op::Store32 => done!(words!(4).store(0, get!(d) as u32)),
                    Op::Store64 => {
                        let (words, value) = (words!(8), get!(d));
                        done!(words.store(0, value as u32));
                        done!(words.store(1, (value >> 32) as u32));
                    }
                    Op::LoadVector | Op::StoreVector => {
                        let (lanes, each) = (usize::from(instruction.c >> 2), usize::from(instruction.c & 3));
                        let words = words!(4 * lanes * each);
                        let list = &program.lists[usize::from(instruction.d)][..lanes];
                        let mut move_all = || {
                            for (lane, &slot) in list.iter().enumerate() {
                                let value = &mut frame[usize::from(slot)];
                                if instruction.op == Op::LoadVector {
                                    *value = 0;
                                }
                                for half in 0..each {
                                    let word = lane * each + half;
                                    match instruction.op {
                                        Op::LoadVector => *value |= words.load(word)? << (32 * half),
                                        _ => words.store(word, (*value >> (32 * half)) as u32)?,
                                    }
                                }
                            }
                            Ok(())
                        };
                        done!(move_all());
                    }
                    Op::AtomicAdd => get!(d) = u64::from(done!(words!(4).atomic()).fetch_add(get!(c) as u32, Relaxed)),
                    Op::AtomicExchange => {
                        let [expected, new, ..] = program.lists[usize::from(instruction.c)];
                        let [expected, new] = [expected, new].map(|slot| frame[usize::from(slot)] as u32);
                        let found = done!(words!(4).atomic()).compare_exchange(expected, new, Relaxed, Relaxed);
                        get!(d) = u64::from(found.unwrap_or_else(|found| found));
                    }
                    Op::ReduceAdd => _ = done!(words!(4).atomic()).fetch_add(get!(c) as u32, Relaxed),
                    Op::ReduceMinimum => _ = done!(words!(4).atomic()).fetch_min(get!(c) as u32, Relaxed),
                    Op::ReduceMaximum => _ = done!(words!(4).atomic()).fetch_max(get!(c) as u32, Relaxed),
                    Op::Branch => branch!(),
                    Op::BranchIf => if get!(a) != 0 { branch!() },
                    Op::BranchUnless => if get!(a) == 0 { branch!() },
                    Op::Call => {
                        if calls.len() == DEPTH {
                            break Err(Fault::Endless);
                        }
                        calls.push(at);
                        at = usize::from(instruction.d);
                    }
                    Op::Return => match calls.pop() {
                        Some(back) => at = back,
                        None => break Ok(Stop::Ended),
                    },
                    Op::Barrier => break Ok(Stop::Barrier),
                    Op::WarpBarrier => break Ok(Stop::WarpBarrier),
                    Op::Vote => break Ok(Stop::Vote(get!(a) != 0, get!(b) as u32, instruction.d)),
                }
            };
            (result, (at, flag))
        }
    };
}
for_every_operation!(executor);
