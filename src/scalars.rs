//! Scalars of a curve that stay with an engine between operations.
//!
//! Where the device has memory of its own, a copy is kept there, and results of operations on [`Scalars`] stay there: a
//! polynomial is copied to the device once, transformed, extended and multiplied with bases, and only requested data are copied
//! to the host. Where the host is the device, all of it is host memory, so the same program serves both.
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

use crate::backend::{AcceleratedField, AcceleratedScalar, Kept};
use crate::bn254::Fr;
use crate::dispatch::Stored;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::fft::{ExtendedDomain, check_polynomials};
use crate::memory;
use crate::ntt::Ntt;
use crate::operation::{self, KeptRange, evaluate_kept, keep_scalars, read_kept, transform_kept};

/// Scalars kept by an engine. Cloning shares them.
#[derive(Clone)]
pub struct Scalars<F = Fr>(Arc<Handle<F>>);

struct Handle<F> {
    len: usize,
    location: Location<F>,
    engine: Engine,
}

/// The location of scalars.
enum Location<F> {
    /// In host memory, with the copies that devices keep.
    Host(Vec<F>, Vec<KeptRange>),
    /// In a device's memory alone.
    Device(Stored<Kept>),
}

impl<F> Scalars<F> {
    fn new(engine: &Engine, len: usize, location: Location<F>) -> Self {
        Self(Arc::new(Handle { len, location, engine: engine.clone() }))
    }

    /// The number of scalars.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scalars, if they are in host memory: where the host is the device, and where they were supplied from there.
    pub fn as_host(&self) -> Option<&[F]> {
        match &self.0.location {
            Location::Host(scalars, _) => Some(scalars),
            Location::Device(_) => None,
        }
    }

    /// A copy in host memory.
    ///
    /// [`Error::OverBudget`], [`Error::HostOutOfMemory`], and errors of the device.
    pub fn to_vec(&self) -> Result<Vec<F>, Error>
    where
        F: AcceleratedScalar,
    {
        let engine = &self.0.engine;
        engine.check_budget(memory_of::<F>(self.len(), 1))?;
        let mut values = memory::filled(self.len(), F::ZERO)?;
        match &self.0.location {
            Location::Host(scalars, _) => memory::copy(scalars, &mut values),
            Location::Device(scalars) => engine.perform(read_kept(scalars, &mut values))?,
        }
        Ok(values)
    }

    /// The scalars of sums; [`Error::WrongEngine`] if another engine keeps them.
    pub(crate) fn view(&self, engine: &Engine) -> Result<operation::Scalars<'_, F>, Error> {
        if !self.0.engine.is(engine) {
            return Err(Error::WrongEngine { what: "scalars" });
        }
        Ok(match &self.0.location {
            Location::Host(scalars, kept) => operation::Scalars::Host(scalars, kept),
            Location::Device(kept) => operation::Scalars::Device(kept, self.len()),
        })
    }

    /// The scalars where a device can transform them.
    fn on_device(&self) -> Option<&Stored<Kept>> {
        match &self.0.location {
            Location::Host(_, kept) => KeptRange::whole(kept, self.0.engine.dispatcher()),
            Location::Device(kept) => Some(kept),
        }
    }
}

impl Engine {
    /// Keeps scalars on this engine, for sums and transforms.
    pub fn scalars<F: AcceleratedScalar>(&self, scalars: Vec<F>) -> Result<Scalars<F>, Error> {
        self.check_budget(memory_of::<F>(scalars.len(), 1))?;
        let kept = self.perform(keep_scalars(&scalars))?;
        Ok(Scalars::new(self, scalars.len(), Location::Host(scalars, kept)))
    }

    /// [`fft`](Self::fft) of kept scalars, into new ones at the same location.
    ///
    /// [`Error::LengthMismatch`] as there; [`Error::WrongEngine`] for scalars of another engine;
    /// [`Error::OverDeviceBudget`] for more than the device may hold, which nothing divides.
    pub fn fft_of<F: AcceleratedField + AcceleratedScalar>(
        &self,
        fft: &Ntt<F>,
        scalars: &Scalars<F>,
    ) -> Result<Scalars<F>, Error> {
        scalars.view(self)?;
        check_polynomials("scalars of whole polynomials", fft.domain.size(), scalars.len())?;
        if let Some(kept) = scalars.on_device() {
            let kept = self.perform(transform_kept(*fft, kept, scalars.len()))?;
            return Ok(Scalars::new(self, scalars.len(), Location::Device(kept)));
        }
        let mut values = scalars.to_vec()?;
        self.fft(fft, &mut values)?;
        Ok(Scalars::new(self, values.len(), Location::Host(values, Vec::new())))
    }

    /// [`coeff_to_extended`](Self::coeff_to_extended) of kept coefficients, into values at the same location. Errors as
    /// those of [`fft_of`](Self::fft_of).
    pub fn coeff_to_extended_of<F: AcceleratedField + AcceleratedScalar>(
        &self,
        domain: &ExtendedDomain<F>,
        coefficients: &Scalars<F>,
    ) -> Result<Scalars<F>, Error> {
        coefficients.view(self)?;
        let (size, points) = (domain.coefficients(), domain.points());
        check_polynomials("coefficients of whole polynomials", size, coefficients.len())?;
        if let Some(kept) = coefficients.on_device() {
            let len = coefficients.len() / size * points.size();
            let kept = self.perform(evaluate_kept(points, kept, size, len))?;
            return Ok(Scalars::new(self, len, Location::Device(kept)));
        }
        let values = self.coeff_to_extended(domain, coefficients.as_host().unwrap_or_default())?;
        Ok(Scalars::new(self, values.len(), Location::Host(values, Vec::new())))
    }
}

impl<F> fmt::Debug for Scalars<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scalars").field("len", &self.len()).finish_non_exhaustive()
    }
}
