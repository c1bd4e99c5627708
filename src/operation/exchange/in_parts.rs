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
//! A backend may do the second step [by residues](crate::backend::ByResidues) of c: each run is transformed by itself, and a pass across all of them follows. Then a device transforms what it has already while it copies
//! what others have, and nothing has to be brought in turn.

use super::column::{Points, Run, across, is_possible, long, short};
use crate::backend::{AcceleratedField, Extent, Memory, Piece};
use crate::dispatch::{Call, Dispatcher, Member, Stored};
use crate::error::Error;
use crate::ntt::{Direction, Ntt};
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
        let (block_words, transforms) = (of.rows * of.block, F::resident_transforms(memory));
        let block = |of_all: &Memory, number: usize| match of.blocks() {
            1 => Ok(of_all.clone()),
            _ => memory.join(&[(Piece::Device(of_all, number * block_words), block_words)]),
        };
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
