//! Transforms whose coefficients devices have by their residues.
//!
//! # Mathematical description
//!
//! Of D runs of n / D coefficients, D a power of two, run e has y[e], y[D + e], y[2 D + e], ... Let E_e[i] be its values at the points (s w^i)^D, which is a transform of n / D points on the coset
//! of s^D. Then
//!
//! ```text
//! X[i + (n / D) k] = sum over e of w^(n/D e k) (s w^i)^e E_e[i],
//! ```
//!
//! transforms of D points across the runs, with a factor for each of them: one pass. For bit-reversed values those of column i are side by side, and columns in the order in which bit-reversed transforms
//! of the runs have them. From values to coefficients the same is done backwards.
//!
//! So what a device has already can be transformed while it copies what others have, instead of afterwards.

use super::super::Gpu;
use super::super::session::Session;
use super::At;
use super::plan::{self, Pass, Transform};
use crate::backend::{ByResidues, Extent, Memory, Piece};
use crate::error::Error;
use crate::ntt::{Direction, Ntt, Order};

/// The passes of a transform of one block.
pub(super) struct Residues<'a> {
    gpu: &'a Gpu,
    across: Pass,
    /// Of a run's transform.
    passes: Vec<Pass>,
    /// How many runs there are, and the words of each.
    runs: usize,
    run: usize,
    /// Whether values are in natural order, so that the pass across is in place.
    in_place: bool,
}

impl<'a> Residues<'a> {
    /// `None` where there are no such passes.
    pub(super) fn new(gpu: &'a Gpu, ntt: &Ntt, of: Extent, runs: usize) -> Option<Self> {
        let domain = ntt.domain.powers(runs).ok()?;
        let transform = Transform::from(&Ntt { domain, ..*ntt });
        let order = match ntt.direction {
            Direction::Forward => ntt.output_order,
            Direction::Inverse => ntt.input_order,
        };
        Some(Self {
            gpu,
            across: plan::across(&Transform::from(ntt), runs.trailing_zeros(), of.block)?,
            passes: plan::plan(&transform, of.block, 1, gpu.choice())?,
            runs,
            run: of.rows / runs * of.block,
            in_place: order == Order::Natural,
        })
    }

    /// An error if there is no room for all runs, what is made of them, and scratch memory of a run.
    fn grant(&self) -> Result<(), Error> {
        self.gpu.grant((2 * self.runs + 1) * self.run)
    }

    /// Transforms runs that begin in such places, each to another or in place.
    fn transform(
        &self,
        session: &mut Session<'_>,
        runs: impl IntoIterator<Item = (At, At)>,
    ) -> Result<(), Error> {
        let scratch = match plan::needs_scratch(&self.passes) {
            true => Some((session.allocate(self.run)?, 0)),
            false => None,
        };
        for (from, to) in runs {
            let regions = [from, to, scratch.unwrap_or(to)];
            let launches = self.gpu.launches(session, &self.passes, regions)?;
            session.launch(&launches)?;
        }
        Ok(())
    }

    /// Transforms all runs of some memory in place, but one.
    fn transform_others(&self, session: &mut Session<'_>, runs: At, own: usize) -> Result<(), Error> {
        let (region, at) = runs;
        let others = (0..self.runs).filter(|&run| run != own).map(|run| (region, at + run * self.run));
        self.transform(session, others.map(|run| (run, run)))
    }

    fn pass_across(&self, session: &mut Session<'_>, from: At, to: At) -> Result<(), Error> {
        let launches = self.gpu.launches(session, std::slice::from_ref(&self.across), [from, to, to])?;
        session.launch(&launches)
    }

    /// The number of the run that lies in this device's memory.
    fn own(&self, session: &Session<'_>, runs: &[Piece<'_>]) -> usize {
        let is_own = |piece: &Piece<'_>| matches!(piece, Piece::Device(memory, _) if session.is_own(memory));
        runs.iter().position(is_own).expect("a run of this device")
    }
}

impl ByResidues for Residues<'_> {
    fn values(&self, runs: &[Piece<'_>]) -> Result<Memory, Error> {
        let joined = self.joined(runs)?;
        let mut session = Session::new(self.gpu)?;
        let (own, all) = (self.own(&session, runs), (session.borrow(&joined), 0));
        self.transform_others(&mut session, all, own)?;
        if self.in_place {
            self.pass_across(&mut session, all, all)?;
            session.finish()?;
            return Ok(joined);
        }
        let values = session.allocate(self.runs * self.run)?;
        self.pass_across(&mut session, all, (values, 0))?;
        session.lease(values)
    }

    fn runs(&self, values: &Memory, own: usize) -> Result<Memory, Error> {
        self.grant()?;
        let mut session = Session::new(self.gpu)?;
        let values = session.borrow(values);
        let runs = session.allocate(self.runs * self.run)?;
        self.pass_across(&mut session, (values, 0), (runs, 0))?;
        self.transform_others(&mut session, (runs, 0), own)?;
        session.lease(runs)
    }

    fn joined(&self, runs: &[Piece<'_>]) -> Result<Memory, Error> {
        self.grant()?;
        let mut session = Session::new(self.gpu)?;
        let joined = session.allocate(self.runs * self.run)?;
        let joined = session.lease(joined)?;
        // A queue for copies and one for the transform, which write to different runs of the same memory.
        let (mut copies, mut work) = (Session::new(self.gpu)?, Session::new(self.gpu)?);
        let (to, own) = (copies.borrow(&joined), self.own(&work, runs));
        for (number, piece) in runs.iter().enumerate() {
            match *piece {
                Piece::Device(memory, from) if number != own => {
                    let run = copies.borrow(memory);
                    copies.copy_words((run, from), (to, number * self.run), self.run)?;
                }
                Piece::Device(memory, from) => {
                    let (run, to) = (work.borrow(memory), work.borrow(&joined));
                    self.transform(&mut work, [((run, from), (to, number * self.run))])?;
                }
                Piece::Host(_) => unreachable!("runs of devices"),
            }
        }
        copies.finish()?;
        work.finish()?;
        Ok(joined)
    }
}
