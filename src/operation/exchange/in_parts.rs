//! Transforms of the columns of a matrix in parts, each on a device.
//!
//! # Mathematical description
//!
//! As in [`column`](super::column), with C = n / D, but device e has the coefficients e, e + D, e + 2D, ... of a column to begin with. Since D divides C, these are x[r C + c] for all r and for c = e + D t,
//! which is all that the inner sums for such c need:
//!
//! ```text
//! X[k' + D k''] = sum over c of y[k'][c] (s w^k')^c (w^D)^(c k''),    y[k'][c] = sum over r of x[r C + c] (s^C)^r (w^C)^(r k').
//! ```
//!
//! 1. Device e computes y[k'][c] for its c and all k': transforms of D points on what it has as D runs of C / D coefficients.
//! 2. Device d brings y[d][c] together from all devices, for c in turn, and transforms them to X[d + D k''].
//!
//! The values are in parts like the coefficients, so there is one exchange, of all but a D-th of a part. In bit-reversed order those of a device are one run of all values. From values to coefficients the same is done backwards.
//!
//! Where coefficients or values are to be in natural order to begin with, a backend may do both steps otherwise, [in stages](crate::backend::InStages): the first is a pass over what each device has, of which these are a part, and the
//! second all other passes.
//!
//! A backend may do the second step [by residues](crate::backend::ByResidues) of c: each run is transformed by itself, and a pass across all of them follows. Then a device transforms what it has already while it copies
//! what others have, and nothing has to be brought in turn.

use super::column::{Points, Run, across, is_possible, long, short};
use crate::backend::{AcceleratedField, Extent, InStages, Memory, Piece, ResidentBackend};
use crate::dispatch::{Call, Dispatcher, Member, Stored};
use crate::error::Error;
use crate::ntt::{Direction, Ntt, Order};
use crate::operation::each::Each;
use crate::work::{Activity, Size};

/// A transform of a matrix in parts of one shape.
#[derive(Clone, Copy)]
struct InParts<F> {
    ntt: Ntt<F>,
    of: Extent,
    devices: usize,
}

/// For each block of a part's columns so many words, from a word of some memory on.
type Runs = Vec<Run>;

/// The transform of all columns of a matrix whose rows parts of this extent have in turn, in the order of their first rows, as its result's parts are again. `None` unless their devices read each other's
/// memory, they are a power of two whose square divides the number of points, and coefficients are in natural order.
pub(crate) fn transform_in_parts<F: AcceleratedField>(
    dispatcher: &Dispatcher,
    ntt: Ntt<F>,
    parts: &[&Stored],
    of: Extent,
) -> Option<Result<Vec<Stored>, Error>> {
    let homes: Vec<usize> = parts.iter().map(|part| part.member()).collect();
    let possible = is_possible(&ntt, parts.len()) && dispatcher.are_peers(&homes);
    let transform = InParts { ntt, of, devices: parts.len() };
    possible.then(|| match ntt.direction {
        _ if transform.has_stages(dispatcher, &homes) => transform.in_stages(dispatcher, parts, &homes),
        Direction::Forward => transform.values(dispatcher, parts, &homes),
        Direction::Inverse => transform.coefficients(dispatcher, parts, &homes),
    })
}

impl<F: AcceleratedField> InParts<F> {
    /// The words of a run: what one device has of a block of columns for another.
    fn run(&self) -> usize {
        self.of.rows / self.devices * self.of.block
    }

    /// A block of a part's columns.
    fn block(&self) -> Extent {
        let Extent { rows, block, .. } = self.of;
        Extent { rows, width: block, block }
    }

    fn stage(self, at: usize) -> Stage<F> {
        Stage { transform: self, residues: (at, self.ntt.output_order.index_of(at, self.devices)) }
    }

    /// Whether all devices can do it in stages, of what is in natural order.
    fn has_stages(self, on: &Dispatcher, homes: &[usize]) -> bool {
        let has_stages = |(at, &home): (usize, &usize)| self.stage(at).of(on.member(home).memory()).is_some();
        self.ntt.input_order == Order::Natural && homes.iter().enumerate().all(has_stages)
    }

    fn in_stages(self, on: &Dispatcher, parts: &[&Stored], homes: &[usize]) -> Result<Vec<Stored>, Error> {
        let begin = |(at, &home): (usize, &usize)| (home, Begin { stage: self.stage(at), part: parts[at] });
        let begun: Vec<_> = on.divided(Each { calls: homes.iter().enumerate().map(begin).collect() })?;
        let end = |(at, &home): (usize, &usize)| (home, End { stage: self.stage(at), begun: &begun });
        on.divided(Each { calls: homes.iter().enumerate().map(end).collect() })
    }

    fn values(self, on: &Dispatcher, parts: &[&Stored], homes: &[usize]) -> Result<Vec<Stored>, Error> {
        let (short, own) = (short(&self.ntt, self.devices)?, parts.iter().zip(homes));
        let calls = own.map(|(part, &home)| (home, Spread { transform: self, ntt: short, part })).collect();
        let spread: Vec<Vec<Runs>> = on.divided(Each { calls })?;
        // The result's parts are in the order of their first rows on the same devices as before.
        let gather = |(at, &home): (usize, &usize)| {
            let residue = self.ntt.output_order.index_of(at, self.devices);
            let runs = spread.iter().map(|from| &from[residue]).collect();
            let long = long(&self.ntt, self.devices, residue)?;
            Ok((home, Gather { transform: self, long, runs, short: None }))
        };
        let calls = homes.iter().enumerate().map(gather).collect::<Result<_, Error>>()?;
        on.divided(Each { calls })
    }

    fn coefficients(self, on: &Dispatcher, parts: &[&Stored], homes: &[usize]) -> Result<Vec<Stored>, Error> {
        let deal = |(at, &home): (usize, &usize)| {
            let ntt = long(&self.ntt, self.devices, self.ntt.input_order.index_of(at, self.devices))?;
            Ok((home, Deal { transform: self, ntt, part: parts[at], own: at }))
        };
        let calls = homes.iter().enumerate().map(deal).collect::<Result<_, Error>>()?;
        let dealt: Vec<Vec<Runs>> = on.divided(Each { calls })?;
        let short = short(&self.ntt, self.devices)?;
        let gather = |(to, &home): (usize, &usize)| {
            let from = (0..self.devices).map(|residue| self.ntt.input_order.index_of(residue, self.devices));
            let runs = from.map(|at| &dealt[at][to]).collect();
            let long = long(&self.ntt, self.devices, self.ntt.input_order.index_of(to, self.devices))?;
            Ok((home, Gather { transform: self, long, runs, short: Some(short) }))
        };
        let calls = homes.iter().enumerate().map(gather).collect::<Result<_, Error>>()?;
        on.divided(Each { calls })
    }

    /// The block of a number, in memory of its own.
    fn block_of(
        &self,
        memory: &dyn ResidentBackend,
        of_all: &Memory,
        number: usize,
    ) -> Result<Memory, Error> {
        let words = self.of.rows * self.of.block;
        match self.of.blocks() {
            1 => Ok(of_all.clone()),
            _ => memory.join(&[(Piece::Device(of_all, number * words), words)]),
        }
    }

    /// As what stays, of a matrix that is made of these blocks, each of some runs.
    fn store(&self, device: &Member, mut blocks: Vec<Vec<Run>>, words: usize) -> Result<Stored, Error> {
        let occupied = device.occupy(8 * self.of.words() as u64);
        // All of it is one memory already.
        let whole = match &blocks[..] {
            [block] if F::ROW_MAJOR || block.len() == 1 => Some(blocks.swap_remove(0).swap_remove(0).0),
            _ => None,
        };
        let memory = match whole {
            Some(memory) => memory,
            None => {
                let runs =
                    blocks.iter().flatten().map(|(memory, from)| (Piece::Device(memory, *from), words));
                device.memory().join(&runs.collect::<Vec<_>>())?
            }
        };
        Ok(device.store(memory, occupied))
    }
}

const HAS_STAGES: &str = "stages, as was asked for";

/// What a device does of a transform in stages.
struct Stage<F> {
    transform: InParts<F>,
    /// Of the coefficients that it has, and of the values that it comes to.
    residues: (usize, usize),
}

impl<F: AcceleratedField> Stage<F> {
    fn of<'b>(&self, memory: &'b dyn ResidentBackend) -> Option<Box<dyn InStages + 'b>> {
        let Self { transform, residues } = *self;
        let transforms = F::resident_transforms(memory);
        transforms.in_stages(&transform.ntt, transform.block(), transform.devices, residues)
    }
}

/// The first one.
struct Begin<'a, F> {
    stage: Stage<F>,
    part: &'a Stored,
}

impl<F: AcceleratedField> Call for Begin<'_, F> {
    /// For each block.
    type Output = Vec<Memory>;

    fn size(&self, _: &Member) -> Size {
        Activity::EXCHANGE.of(self.stage.transform.of.words(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Vec<Memory>, Error> {
        let (memory, transform) = (device.memory(), self.stage.transform);
        let (stages, part) = (self.stage.of(memory).expect(HAS_STAGES), self.part.contents());
        let begin = |number| stages.begun(&transform.block_of(memory, part, number)?);
        (0..transform.of.blocks()).map(begin).collect()
    }
}

/// The second one.
struct End<'a, F> {
    stage: Stage<F>,
    /// What all devices have begun.
    begun: &'a [Vec<Memory>],
}

impl<F: AcceleratedField> Call for End<'_, F> {
    type Output = Stored;

    fn size(&self, _: &Member) -> Size {
        F::TRANSFORM.of(self.stage.transform.of.words() * 8 / size_of::<F>(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored, Error> {
        let (transform, stages) = (self.stage.transform, self.stage.of(device.memory()).expect(HAS_STAGES));
        let end = |number: usize| {
            let begun: Vec<_> = self.begun.iter().map(|blocks| &blocks[number]).collect();
            Ok(vec![(stages.ended(&begun)?, 0)])
        };
        let made = (0..transform.of.blocks()).map(end).collect::<Result<Vec<_>, Error>>()?;
        transform.store(device, made, transform.block().words())
    }
}

/// The short transforms of what a device has.
struct Spread<'a, F> {
    transform: InParts<F>,
    ntt: Ntt<F>,
    part: &'a Stored,
}

impl<F: AcceleratedField> Call for Spread<'_, F> {
    /// For each residue the runs of all blocks.
    type Output = Vec<Runs>;

    fn size(&self, _: &Member) -> Size {
        Activity::EXCHANGE.of(self.transform.of.words(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Vec<Runs>, Error> {
        let (Self { transform, ntt, part }, memory) = (self, device.memory());
        let (Extent { rows, block, .. }, blocks) = (transform.of, transform.of.blocks());
        let mut spread = vec![Runs::new(); transform.devices];
        for number in 0..blocks {
            let part = part.contents();
            let from = |run: usize| Piece::Device(part, number * rows * block + run * transform.run());
            let points = match blocks {
                1 => Points::Whole(part),
                _ => Points::Runs((0..transform.devices).map(from).collect()),
            };
            let made = across(memory, &ntt, points, transform.run())?;
            spread.iter_mut().zip(made).for_each(|(runs, run)| runs.push(run));
        }
        Ok(spread)
    }
}

/// The long transform of what a device has, whose coefficients are dealt out.
struct Deal<'a, F> {
    transform: InParts<F>,
    ntt: Ntt<F>,
    part: &'a Stored,
    /// The residue of the coefficients that the device will have.
    own: usize,
}

impl<F: AcceleratedField> Call for Deal<'_, F> {
    /// For each residue of coefficients the runs of all blocks.
    type Output = Vec<Runs>;

    fn size(&self, _: &Member) -> Size {
        F::TRANSFORM.of(self.transform.of.words() * 8 / size_of::<F>(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Vec<Runs>, Error> {
        let (Self { transform, ntt, part, own }, memory) = (self, device.memory());
        let (of, devices) = (transform.of, transform.devices);
        let transforms = F::resident_transforms(memory);
        let block = |of_all: &Memory, number: usize| transform.block_of(memory, of_all, number);
        let mut dealt = vec![Runs::new(); devices];
        if let Some(by_residues) = transforms.by_residues(&ntt, transform.block(), devices) {
            for number in 0..of.blocks() {
                let made = by_residues.runs(&block(part.contents(), number)?, own)?;
                let runs = dealt.iter_mut().enumerate();
                runs.for_each(|(residue, runs)| runs.push((made.clone(), residue * transform.run())));
            }
            return Ok(dealt);
        }
        let made = transforms.ntt(&ntt, part.contents(), of)?;
        for number in 0..of.blocks() {
            let block = block(&made, number)?;
            for (residue, runs) in dealt.iter_mut().enumerate() {
                let columns = residue * of.block..(residue + 1) * of.block;
                runs.push((memory.columns(&block, devices * of.block, columns)?, 0));
            }
        }
        Ok(dealt)
    }
}

/// Brings runs of all devices together, and transforms them.
struct Gather<'a, F> {
    transform: InParts<F>,
    /// The device's long transform.
    long: Ntt<F>,
    /// Of each device the runs of all blocks.
    runs: Vec<&'a Runs>,
    /// The short transforms of which the runs have points. Without them rows of the runs are taken in turn, for the long one.
    short: Option<Ntt<F>>,
}

impl<F: AcceleratedField> Call for Gather<'_, F> {
    type Output = Stored;

    fn size(&self, _: &Member) -> Size {
        F::TRANSFORM.of(self.transform.of.words() * 8 / size_of::<F>(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored, Error> {
        let (Self { transform, long, runs, short }, memory) = (self, device.memory());
        let (extent, run, transforms) = (transform.block(), transform.run(), F::resident_transforms(memory));
        let by_residues = transforms.by_residues(&long, extent, transform.devices);
        let made = (0..transform.of.blocks()).map(|number| {
            let pieces: Vec<_> =
                runs.iter().map(|runs| Piece::Device(&runs[number].0, runs[number].1)).collect();
            let values = match (&by_residues, &short) {
                (Some(by_residues), Some(short)) => {
                    return across(memory, short, Points::Whole(&by_residues.joined(&pieces)?), run);
                }
                (None, Some(short)) => return across(memory, short, Points::Runs(pieces), run),
                (Some(by_residues), None) => by_residues.values(&pieces)?,
                (None, None) => {
                    let points = memory.interleave(&pieces, run / extent.block, extent.block, 0)?;
                    transforms.ntt(&long, &points, extent)?
                }
            };
            Ok(vec![(values, 0)])
        });
        let made = made.collect::<Result<Vec<_>, Error>>()?;
        let words = if short.is_none() { extent.words() } else { run };
        transform.store(device, made, words)
    }
}
