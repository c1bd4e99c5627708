//! Scalars of BN254 that stay with an engine between operations.
//!
//! Where the device has memory of its own, a copy is kept there, and what operations on [`Scalars`] make of them stays there: a
//! polynomial is brought to the device once, transformed, extended and multiplied with bases, and only what is asked for comes back.
//! Where the host is the device, all of it is host memory, so the same program serves both.
//!
//! ```
//! use zkaccel::{Engine, bn254::Fr, ntt::{Domain, Ntt}};
//! let engine = Engine::new()?;
//! let coefficients = engine.scalars((1..=8).map(Fr::from).collect())?;
//! let values = engine.fft_of(&Ntt::forward(Domain::halo2(3)?), &coefficients)?;
//! assert_eq!(values.to_vec()?[0], Fr::from(36));
//! # Ok::<(), zkaccel::Error>(())
//! ```

use std::fmt;
use std::sync::Arc;

use halo2curves::ff::Field;

use crate::backend::{Kept, ScalarsView};
use crate::bn254::Fr;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::fft::{ExtendedDomain, check_polynomials};
use crate::memory;
use crate::ntt::Ntt;

/// Scalars kept by an engine. Cloning shares them.
#[derive(Clone)]
pub struct Scalars(Arc<Handle>);

struct Handle {
    len: usize,
    place: Place,
    engine: Engine,
}

/// Where scalars are.
enum Place {
    /// In host memory, and what the backend keeps beside them.
    Host(Vec<Fr>, Option<Kept>),
    /// In the device's memory alone.
    Device(Kept),
}

impl Scalars {
    fn new(engine: &Engine, len: usize, place: Place) -> Self {
        Self(Arc::new(Handle { len, place, engine: engine.clone() }))
    }

    /// The number of scalars.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scalars, where they are in host memory: where the host is the device, and where they came from there.
    pub fn as_host(&self) -> Option<&[Fr]> {
        match &self.0.place {
            Place::Host(scalars, _) => Some(scalars),
            Place::Device(_) => None,
        }
    }

    /// A copy in host memory.
    ///
    /// [`Error::OverBudget`], [`Error::HostOutOfMemory`], and what the device may answer.
    pub fn to_vec(&self) -> Result<Vec<Fr>, Error> {
        let engine = &self.0.engine;
        engine.check_budget(memory_of::<Fr>(self.len(), 1))?;
        let mut values = memory::filled(self.len(), Fr::ZERO)?;
        match &self.0.place {
            Place::Host(scalars, _) => memory::copy(scalars, &mut values),
            Place::Device(kept) => {
                let device = engine.backend().resident_fft().expect("scalars on a device came from one");
                engine.run(|| device.read_kept(kept, &mut values))?;
            }
        }
        Ok(values)
    }

    /// The scalars as a backend takes them; [`Error::WrongEngine`] if another engine keeps them.
    pub(crate) fn view(&self, engine: &Engine) -> Result<ScalarsView<'_>, Error> {
        if !self.0.engine.is(engine) {
            return Err(Error::WrongEngine { what: "scalars" });
        }
        Ok(match &self.0.place {
            Place::Host(scalars, kept) => ScalarsView { scalars, kept: kept.as_ref() },
            Place::Device(kept) => ScalarsView { scalars: &[], kept: Some(kept) },
        })
    }
}

impl Engine {
    /// Keeps scalars on this engine, for sums and transforms.
    pub fn scalars(&self, scalars: Vec<Fr>) -> Result<Scalars, Error> {
        self.check_budget(memory_of::<Fr>(scalars.len(), 1))?;
        let kept = self.run(|| self.backend().keep_scalars(&scalars))?;
        Ok(Scalars::new(self, scalars.len(), Place::Host(scalars, kept)))
    }

    /// [`fft`](Self::fft) of kept scalars, into others that stay where these are.
    ///
    /// [`Error::LengthMismatch`] as there; [`Error::WrongEngine`] for scalars of another engine;
    /// [`Error::OverDeviceBudget`] for more than the device may hold, which nothing divides.
    pub fn fft_of(&self, fft: &Ntt<Fr>, scalars: &Scalars) -> Result<Scalars, Error> {
        let view = scalars.view(self)?;
        check_polynomials("scalars of whole polynomials", fft.domain.size(), scalars.len())?;
        if let (Some(device), Some(kept)) = (self.backend().resident_fft(), view.kept) {
            let kept = self.run(|| device.fft_kept(fft, kept))?;
            return Ok(Scalars::new(self, scalars.len(), Place::Device(kept)));
        }
        let mut values = scalars.to_vec()?;
        self.fft(fft, &mut values)?;
        Ok(Scalars::new(self, values.len(), Place::Host(values, None)))
    }

    /// [`coeff_to_extended`](Self::coeff_to_extended) of kept coefficients, into values that stay where these are. Errors as
    /// those of [`fft_of`](Self::fft_of).
    pub fn coeff_to_extended_of(
        &self,
        domain: &ExtendedDomain,
        coefficients: &Scalars,
    ) -> Result<Scalars, Error> {
        let (view, size, points) = (coefficients.view(self)?, domain.coefficients(), domain.points());
        check_polynomials("coefficients of whole polynomials", size, coefficients.len())?;
        if let (Some(device), Some(kept)) = (self.backend().resident_fft(), view.kept) {
            let kept = self.run(|| device.fft_of_padded_kept(&points, kept, size))?;
            return Ok(Scalars::new(self, coefficients.len() / size * points.size(), Place::Device(kept)));
        }
        let values = self.coeff_to_extended(domain, view.scalars)?;
        Ok(Scalars::new(self, values.len(), Place::Host(values, None)))
    }
}

impl fmt::Debug for Scalars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scalars").field("len", &self.len()).finish_non_exhaustive()
    }
}
