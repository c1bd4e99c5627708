//! What proofs at once take of a device's budget.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zkaccel::Engine;

/// A device, and what engines may take of it: those that were given different amounts do not count each other's. In host memory there is no limit.
type Budget = (String, Option<u64>);

/// The bytes that are claimed of each.
static CLAIMED: Mutex<BTreeMap<Budget, u64>> = Mutex::new(BTreeMap::new());

fn claimed() -> MutexGuard<'static, BTreeMap<Budget, u64>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A part of a device's budget that a proof takes until this is dropped, so that proofs at once do not take more together.
#[derive(Debug)]
pub struct Claim {
    budget: Budget,
    bytes: u64,
}

impl Claim {
    /// `None` if the budget of the engine's device has no room for so many bytes beside what is claimed.
    pub fn of(engine: &Engine, bytes: u64) -> Option<Self> {
        let budget = (engine.device().id.clone(), engine.device_budget());
        let mut claimed = claimed();
        let all = claimed.entry(budget.clone()).or_default();
        let sum = all.saturating_add(bytes);
        let fits = bytes == 0 || budget.1.is_none_or(|budget| sum <= budget);
        fits.then(|| {
            *all = sum;
            Self { budget, bytes }
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(all) = claimed().get_mut(&self.budget) {
            *all -= self.bytes;
        }
    }
}
