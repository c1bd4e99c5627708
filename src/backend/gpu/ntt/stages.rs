//! Transforms of which devices have the coefficients of one residue each, with one exchange.
//!
//! # Mathematical description
//!
//! Device e of D, a power of two, has the coefficients e, D + e, 2 D + e, ... of n. With R = 2^7 and the number of a coefficient written as j1 n / R + j', and that of a value as i1 + R i',
//!
//! ```text
//! X[i1 + R i'] = sum over j' of z[i1][j'] (s w^i1)^j' (w^R)^(i' j'),    z[i1][j'] = sum over j1 of x[j1 n/R + j'] (s^(n/R) w^(n/R i1))^j1.
//! ```
//!
//! j' has the residue of the coefficient and i1 that of the value, so the inner sums are a first pass over what a device has, and what it has of the outer ones for another device is every D-th run of
//! its outputs. Then each device has n / D coefficients of R / D transforms of n / R points, in runs by their residues. The next pass reads them in turn, so they need not be interleaved; the factors are (s w^i1)^j'
//! there as they would be for one device, as are all further passes. So as many passes as one device would do are divided, and there is nothing else but the exchange, of which all but the first chunk takes place
//! beside the passes before the last.

use super::super::Gpu;
use super::super::session::Session;
use super::At;
use super::plan::{self, Storage, Transform};
use crate::backend::{Extent, InStages, Memory};
use crate::error::Error;
use crate::ntt::Ntt;

/// The stages of a transform of one block.
pub(super) struct Stages<'a> {
    gpu: &'a Gpu,
    stages: plan::Stages,
    devices: usize,
    /// Which of the residues of the coefficients this device has. What devices have made of theirs for this one lies at the same place.
    part: usize,
    /// The words of a device.
    words: usize,
}

impl<'a> Stages<'a> {
    /// For the device that has the coefficients of a residue and comes to the values of another, the same in the order of the values. `None` where there are no stages, or no room.
    pub(super) fn new(
        gpu: &'a Gpu,
        ntt: &Ntt,
        of: Extent,
        devices: usize,
        (part, residue): (usize, usize),
    ) -> Option<Self> {
        let transform = Transform::from(ntt);
        let residues = (part as u64, residue as u64);
        let stages = plan::stages(&transform, of.block, devices.trailing_zeros(), residues, gpu.choice())?;
        let stages = Self { gpu, stages, devices, part, words: of.rows * of.block };
        // The coefficients, what is brought together, and what two passes make of that.
        let has_room = gpu.fits(3 * stages.words + stages.joined());
        (ntt.output_order.index_of(residue, devices) == part && has_room).then_some(stages)
    }

    /// The words that one device has for another.
    fn share(&self) -> usize {
        self.words / self.devices
    }

    /// The words from what one device has for this one, where it has been brought together, to what the last one has.
    fn joined(&self) -> usize {
        (self.devices - 1) * self.words + self.share()
    }

    /// Where in that memory a device has what it begins with: of this, what it has for itself is where the others come to copy theirs before and behind it, each as far from the next as a device has words.
    fn begins(&self, part: usize) -> usize {
        part * (self.words - self.share())
    }
}

impl InStages for Stages<'_> {
    fn begun(&self, coefficients: &Memory) -> Result<Memory, Error> {
        let mut session = Session::new(self.gpu)?;
        let (from, joined) = (session.borrow(coefficients), session.allocate(self.joined())?);
        let to = (joined, self.begins(self.part));
        let launches =
            self.gpu.launches(&mut session, std::slice::from_ref(&self.stages.first), [(from, 0), to, to])?;
        session.launch(&launches)?;
        session.lease(joined)
    }

    fn ended(&self, begun: &[&Memory]) -> Result<Memory, Error> {
        let plan::Stages { chunks, last, .. } = &self.stages;
        let of_chunk = self.share() / chunks.len();
        let mut work = Session::new(self.gpu)?;
        let (joined, result) = (work.borrow(begun[self.part]), work.allocate(self.words)?);
        let made = match last.from {
            Storage::Scratch => work.allocate(self.words)?,
            _ => result,
        };
        let regions = |number: usize| -> [At; 3] {
            let at = number * (self.words / chunks.len());
            [(joined, number * of_chunk), (result, at), (made, at)]
        };

        // In turn, so that one chunk is copied while the one before is waited for, and not both at once.
        let mut queues = [Session::new(self.gpu)?, Session::new(self.gpu)?];
        let from: Vec<_> =
            begun.iter().map(|memory| queues.each_mut().map(|queue| queue.borrow(memory))).collect();
        let copy = |queues: &mut [Session<'_>; 2], number: usize| {
            let queue = number % 2;
            (0..self.devices).filter(|&part| part != self.part).try_for_each(|part| {
                let at = self.begins(part) + self.part * self.share() + number * of_chunk;
                let to = (from[self.part][queue], part * self.words + number * of_chunk);
                queues[queue].copy_words((from[part][queue], at), to, of_chunk)
            })
        };
        copy(&mut queues, 0)?;
        for (number, passes) in chunks.iter().enumerate() {
            queues[number % 2].finish()?;
            if number + 1 < chunks.len() {
                copy(&mut queues, number + 1)?;
            }
            let launches = self.gpu.launches(&mut work, passes, regions(number))?;
            work.launch(&launches)?;
        }
        let launches = self.gpu.launches(&mut work, std::slice::from_ref(last), regions(0))?;
        work.launch(&launches)?;
        work.lease(result)
    }
}
