//! Bases that the engine keeps, found again by what they are.
//!
//! A slice that was seen before may come again with the same address and length and other contents, because memory is freed and used
//! again. So bases are compared with the copy that the engine keeps of them, point by point: what is found is equal, whatever its
//! address, and no digest stands between. That reads both once, by all threads: 2^20 points are 128 MiB, a few milliseconds where a
//! processor feeds a GPU, and the first chunk that differs ends it.

use std::sync::{Mutex, MutexGuard};

use rayon::prelude::*;
use zkaccel::bn254::G1Affine;
use zkaccel::curve::{Curve, limbs_of_points};
use zkaccel::msm::{AcceleratedCurve, Bases, BasesOptions};
use zkaccel::{Engine, Error};

use crate::lock;
use crate::store::{Store, Ticket};

/// Points that a thread compares at a time.
const CHUNK: usize = 1 << 12;

/// Kept bases.
#[derive(Debug)]
pub(crate) struct KeptBases<C: Curve = G1Affine>(Mutex<Store<Bases<C>>>);

impl<C: AcceleratedCurve> KeptBases<C> {
    /// Room for so many bytes of points.
    pub(crate) fn new(limit: u64) -> Self {
        Self(Mutex::new(Store::new(limit)))
    }

    fn store(&self) -> MutexGuard<'_, Store<Bases<C>>> {
        lock(&self.0)
    }

    /// Kept bases that begin with these.
    pub(crate) fn find(&self, points: &[C]) -> Option<(Ticket, Bases<C>)> {
        let long_enough = |bases: &Bases<C>| bases.as_slice().len() >= points.len();
        let candidates = self.store().all(long_enough);
        let (ticket, bases) =
            candidates.into_iter().find(|(_, bases)| begins_with(bases.as_slice(), points))?;
        self.store().get(ticket);
        Some((ticket, bases))
    }

    /// Kept bases by their number, unless they were thrown out.
    pub(crate) fn get(&self, ticket: Ticket) -> Option<Bases<C>> {
        self.store().get(ticket)
    }

    /// Keeps bases; `None` if they are too many, or the device has no memory for them: sums can still be brought them in parts.
    pub(crate) fn keep(
        &self,
        engine: &Engine,
        points: &[C],
        options: BasesOptions,
    ) -> Result<Option<(Ticket, Bases<C>)>, Error> {
        let bytes = size_of_val(points) as u64;
        if !self.have_room_for(points) {
            return Ok(None);
        }
        match engine.bases(points.to_vec(), options) {
            Ok(bases) => Ok(Some((self.store().put(bases.clone(), bytes), bases))),
            Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether these could be kept.
    pub(crate) fn have_room_for(&self, points: &[C]) -> bool {
        self.store().has_room_for(size_of_val(points) as u64)
    }
}

/// Whether the first of some points are these.
fn begins_with<C: Curve>(kept: &[C], points: &[C]) -> bool {
    let kept = limbs_of_points(&kept[..points.len()]);
    let pieces = kept.par_chunks(CHUNK).zip(limbs_of_points(points).par_chunks(CHUNK));
    pieces.all(|(kept, points)| kept == points)
}

/// The bytes of inputs that an adaptor lets an engine keep: a quarter of its device's memory, a gibibyte where that is not known.
pub(crate) fn room(engine: &Engine) -> u64 {
    engine.device().memory.map_or(1 << 30, |memory| memory / 4)
}
