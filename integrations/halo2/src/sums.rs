//! Sums over curves in place of halo2curves' `msm_best`.
//!
//! A prover multiplies over the same structured reference string (SRS) again and again, and hands it over as a slice every time. On a
//! device with memory of its own the bases should be brought there once. A list that comes for the second time is kept
//! ([`KeptBases`] finds it again), so that what is used once, such as the points of a proof in a verifier, throws nothing out. Where the
//! host is the device, keeping would save nothing, and slices are used as they are.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, OnceLock};

use zkaccel::bn254::G1Affine;
use zkaccel::curve::Curve;
use zkaccel::field::TwoAdicPrime;
use zkaccel::msm::{AcceleratedCurve, BasesOptions};
use zkaccel::ntt::AcceleratedField;
use zkaccel::pasta::{PallasAffine, VestaAffine};
use zkaccel::{Engine, Error};

use crate::bases::{KeptBases, room};
use crate::types::{self, CurveTypes};
use crate::{done, engine, lock};

/// Fewer pairs are left to the stock code: it takes less time for them than asking an engine does.
const SMALLEST: usize = 8;

/// Fewer bases are brought along with every sum: that takes less time than finding them.
const SMALLEST_KEPT: usize = 1 << 10;

/// Lists that are remembered, waiting for their second time.
const REMEMBERED: usize = 16;

/// The sum of every scalar times its base by the engine of the process; `None` for other types than the fork's of this curve and for few pairs.
///
/// Different lengths are `None` too: the stock code says what it says of them. An error of the engine is a panic with its words.
pub fn msm<C: CurveTypes, S: 'static, A: 'static, P: 'static>(scalars: &[S], bases: &[A]) -> Option<P> {
    let (scalars, bases) = (types::scalars::<C, S>(scalars)?, types::points::<C, A>(bases)?);
    if !types::takes_sums::<C, P>() || scalars.len() != bases.len() || bases.len() < SMALLEST {
        return None;
    }
    let engine = engine();
    let known = C::Own::known().get_or_init(|| Known::new(room(&engine)));
    Some(types::sum::<C, P>(&done(known.sum(&engine, scalars, bases))))
}

/// A curve of the library that forks of halo2 are over, and the lists of its points that were used before in this process.
pub trait Summed: AcceleratedCurve<Scalar: AcceleratedField + TwoAdicPrime> {
    #[doc(hidden)]
    fn known() -> &'static OnceLock<Known<Self>>;
}

macro_rules! summed {
    ($($curve:ty),*) => {$(
        impl Summed for $curve {
            fn known() -> &'static OnceLock<Known<Self>> {
                static KNOWN: OnceLock<Known<$curve>> = OnceLock::new();
                &KNOWN
            }
        }
    )*};
}
summed!(G1Affine, PallasAffine, VestaAffine);

/// Lists of bases that were used before.
#[derive(Debug)]
pub struct Known<C: Curve> {
    kept: KeptBases<C>,
    seen: Mutex<VecDeque<Seen<C>>>,
}

/// A list that was used once, or that somebody is keeping now.
#[derive(Debug)]
struct Seen<C> {
    mark: Mark<C>,
    /// Its second time has come. It stays so if there was no memory for it: then it is not tried again until it is forgotten.
    taken: bool,
}

/// What a list is remembered by: its length and some of its points. Lists with equal marks may differ: one is kept a use
/// too early then, and no more follows from it.
type Mark<C> = (usize, [C; 3]);

impl<C: AcceleratedCurve> Known<C> {
    fn new(limit: u64) -> Self {
        Self { kept: KeptBases::new(limit), seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, VecDeque<Seen<C>>> {
        lock(&self.seen)
    }

    fn sum(&self, engine: &Engine, scalars: &[C::Scalar], bases: &[C]) -> Result<C::Projective, Error> {
        let host_is_device = engine.device_time().is_none();
        if host_is_device || bases.len() < SMALLEST_KEPT || !self.kept.have_room_for(bases) {
            return engine.msm(scalars, bases);
        }
        if let Some((_, kept)) = self.kept.find(bases) {
            return engine.msm(scalars, kept.range(0..bases.len())?);
        }
        let mark = (bases.len(), [bases[0], bases[bases.len() / 2], bases[bases.len() - 1]]);
        if !self.is_second_time(&mark) {
            return engine.msm(scalars, bases);
        }
        match self.kept.keep(engine, bases, BasesOptions::default())? {
            Some((_, kept)) => {
                self.seen().retain(|seen| seen.mark != mark);
                engine.msm(scalars, &kept)
            }
            None => engine.msm(scalars, bases),
        }
    }

    /// Remembers a list; whether it is there already, and nobody is keeping it.
    fn is_second_time(&self, mark: &Mark<C>) -> bool {
        let mut seen = self.seen();
        match seen.iter_mut().find(|seen| seen.mark == *mark) {
            Some(seen) => !std::mem::replace(&mut seen.taken, true),
            None => {
                seen.push_back(Seen { mark: *mark, taken: false });
                if seen.len() > REMEMBERED {
                    seen.pop_front();
                }
                false
            }
        }
    }
}
