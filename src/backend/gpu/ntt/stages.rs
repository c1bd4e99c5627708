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
use crate::ntt::{Ntt, Order};

/// The stages of a transform of one block.
pub(super) struct Stages<'a> {
    gpu: &'a Gpu,
    stages: plan::Stages,
    /// Of the values, and of the outputs of the first pass.
    order: Order,
    devices: usize,
    /// Which of the residues of the values this device comes to.
    residue: usize,
    /// The words of a device.
    words: usize,
}

impl<'a> Stages<'a> {
    /// For the device that has the coefficients of a residue and comes to the values of another. `None` where there are none, or no room.
    pub(super) fn new(
        gpu: &'a Gpu,
        ntt: &Ntt,
        of: Extent,
        devices: usize,
        (residue_in, residue): (usize, usize),
    ) -> Option<Self> {
        let transform = Transform::from(ntt);
        let residues = (residue_in as u64, residue as u64);
        let stages = plan::stages(&transform, of.block, devices.trailing_zeros(), residues, gpu.choice())?;
        let words = of.rows * of.block;
        // The coefficients, what the first pass makes of them, what is brought together, and what is made of that.
        let has_room = gpu.fits(4 * words);
        has_room.then_some(Self { gpu, stages, order: ntt.output_order, devices, residue, words })
    }
}

impl InStages for Stages<'_> {
    fn begun(&self, coefficients: &Memory) -> Result<Memory, Error> {
        let mut session = Session::new(self.gpu)?;
        let (from, to) = ((session.borrow(coefficients), 0), (session.allocate(self.words)?, 0));
        let launches =
            self.gpu.launches(&mut session, std::slice::from_ref(&self.stages.first), [from, to, to])?;
        session.launch(&launches)?;
        session.lease(to.0)
    }

    fn ended(&self, begun: &[&Memory]) -> Result<Memory, Error> {
        let plan::Stages { chunks, last, .. } = &self.stages;
        let mut session = Session::new(self.gpu)?;
        let joined = session.allocate(self.words)?;
        let joined_memory = session.lease(joined)?;
        let mut work = Session::new(self.gpu)?;
        let (joined, made) = (work.borrow(&joined_memory), work.allocate(self.words)?);
        let result = if last.from == Storage::Scratch { joined } else { made };
        let regions = |at: usize| -> [At; 3] { [(joined, at), (result, at), (made, at)] };

        // One queue copies what others have, and one what this device has.
        let mut queues = [Session::new(self.gpu)?, Session::new(self.gpu)?];
        let to = queues.each_mut().map(|queue| queue.borrow(&joined_memory));
        let borrow = |memory: &&Memory| {
            let own = work.is_own(memory) as usize;
            (own, queues[own].borrow(memory))
        };
        let from: Vec<_> = begun.iter().map(borrow).collect();
        let outputs = (1 << plan::LOG_FIRST) / self.devices;
        let (of_chunk, run) = (outputs / chunks.len(), self.words >> plan::LOG_FIRST);
        for (number, passes) in chunks.iter().enumerate() {
            // The runs of the chunk's outputs, of one device after another.
            let first = number * of_chunk;
            for (&(queue, part), number) in from.iter().zip(0..) {
                let to = (to[queue], (first * self.devices + number * of_chunk) * run);
                match self.order {
                    Order::Natural => {
                        let from = (part, (self.residue + first * self.devices) * run);
                        queues[queue].copy_rows(from, to, run, (of_chunk, self.devices * run))?;
                    }
                    Order::BitReversed => {
                        let residue = self.order.index_of(self.residue, self.devices);
                        let from = (part, (residue * outputs + first) * run);
                        queues[queue].copy_words(from, to, of_chunk * run)?;
                    }
                }
            }
            queues.iter_mut().try_for_each(|queue| queue.finish().map(drop))?;
            let launches =
                self.gpu.launches(&mut work, passes, regions(number * self.words / chunks.len()))?;
            work.launch(&launches)?;
        }
        let launches = self.gpu.launches(&mut work, std::slice::from_ref(last), regions(0))?;
        work.launch(&launches)?;
        match last.from {
            Storage::Scratch => {
                work.finish()?;
                drop(work);
                Ok(joined_memory)
            }
            _ => work.lease(made),
        }
    }
}
