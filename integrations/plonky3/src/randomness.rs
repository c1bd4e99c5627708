//! Generators of random numbers that a stock scheme and the prover in the engine's memory draw from, one at a time.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::{CryptoRng, Rng, SeedableRng, TryCryptoRng, TryRng};

/// A generator of any type.
pub(crate) type Random = Arc<Mutex<dyn Rng + Send + Sync>>;

/// A generator that several draw from.
pub struct Shared<R>(Arc<Mutex<R>>);

impl<R> Shared<R> {
    pub(crate) fn new(rng: R) -> Self {
        Self(Arc::new(Mutex::new(rng)))
    }

    /// The same generator.
    pub(crate) fn share(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Rng + Send + Sync + 'static> Shared<R> {
    /// The same generator, whatever its type.
    pub(crate) fn random(&self) -> Random {
        self.0.clone()
    }
}

impl<R: Rng + SeedableRng> Shared<R> {
    /// Another generator, with a seed that is drawn from this one.
    pub(crate) fn fork(&self) -> Self {
        Self::new(R::from_rng(&mut *lock(&self.0)))
    }
}

/// The generator for a while, in which nobody else draws from it.
pub(crate) fn lock<R: ?Sized>(rng: &Mutex<R>) -> MutexGuard<'_, R> {
    rng.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Rng> TryRng for Shared<R> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(lock(&self.0).next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(lock(&self.0).next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        lock(&self.0).fill_bytes(bytes);
        Ok(())
    }
}

impl<R: CryptoRng> TryCryptoRng for Shared<R> {}

impl<R: SeedableRng> SeedableRng for Shared<R> {
    type Seed = R::Seed;

    fn from_seed(seed: R::Seed) -> Self {
        Self::new(R::from_seed(seed))
    }

    fn from_rng<T: Rng + ?Sized>(rng: &mut T) -> Self {
        Self::new(R::from_rng(rng))
    }
}
