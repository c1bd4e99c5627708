//! Where the matrices of a proof are: in the device's memory, or in the host's where the device has no room for them.
//!
//! Matrices are wide, those of traces and of preprocessed columns and their extensions, or narrow: all others, whose numbers of columns do not depend on the AIR. An operation on a matrix in host
//! memory copies to the device what it needs, in parts, and its result is in host memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use zkaccel::device::DeviceChoice;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::MatrixInput;
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use super::extended::Sizes;

/// Where matrices are. Where the host is the device they are all in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// In the device's memory.
    Device,
    /// The wide ones in host memory, the narrow ones in the device's.
    Divided,
    /// In host memory.
    Host,
}

/// The engine, and where it has the matrices of a proof.
#[derive(Clone, Copy)]
pub(super) struct Memory<'a> {
    pub(super) engine: &'a Engine,
    pub(super) placement: Placement,
}

impl Memory<'_> {
    pub(super) fn wide<'a>(
        self,
        matrix: impl Into<MatrixInput<'a, Element>>,
    ) -> Result<DeviceMatrix<Element>, Error> {
        match self.placement {
            Placement::Device => self.engine.upload(matrix),
            Placement::Divided | Placement::Host => self.engine.keep_in_host_memory(matrix),
        }
    }

    pub(super) fn narrow<'a>(
        self,
        matrix: impl Into<MatrixInput<'a, Element>>,
    ) -> Result<DeviceMatrix<Element>, Error> {
        match self.placement {
            Placement::Device | Placement::Divided => self.engine.upload(matrix),
            Placement::Host => self.engine.keep_in_host_memory(matrix),
        }
    }

    /// An engine for what takes the host less time than the launches for it: a processor, or the proof's own where its memory is the host's.
    pub(super) fn host(&self) -> Result<&Engine, Error> {
        static HOST: OnceLock<Engine> = OnceLock::new();
        if self.engine.device_budget().is_none() {
            return Ok(self.engine);
        }
        if HOST.get().is_none() {
            let engine = Engine::builder().device(DeviceChoice::Cpu).build()?;
            // Another thread's is as good.
            let _ = HOST.set(engine);
        }
        Ok(HOST.get().expect("the engine that was set"))
    }

    /// Whether there is no further place.
    pub(super) fn is_last(self) -> bool {
        self.placement == Placement::Host || self.engine.device_budget().is_none()
    }

    /// A narrow matrix that was made of a wide one, and so is where that is, among the narrow ones.
    pub(super) fn among_narrow(self, matrix: DeviceMatrix<Element>) -> Result<DeviceMatrix<Element>, Error> {
        let belongs_there = self.placement != Placement::Host && self.engine.device_budget().is_some();
        match matrix.as_host().filter(|_| belongs_there) {
            Some(view) => self.engine.upload(view),
            None => Ok(matrix),
        }
    }
}

/// Bytes that a proof has in the device's memory at most, with wide matrices of so many columns in all, for an extension of a degree.
pub(super) fn required(placement: Placement, sizes: Sizes, columns: usize, degree: usize) -> u64 {
    let Sizes { log_rows, log_chunks, log_blowup } = sizes;
    let [rows, extended, quotient] = [0, log_blowup, log_chunks].map(|added| 1u64 << (log_rows + added));
    let (columns, degree, chunks) = (columns as u64, degree as u64, 1 << log_chunks);
    let on_quotient = if log_chunks > log_blowup { quotient } else { 0 };
    // What is extended, its coefficients, extensions, and a tree.
    let wide = columns.saturating_mul(2 * rows + extended + on_quotient) + 8 * extended;
    // Points, selectors with what they are made of, the quotient and its coefficients; chunks and their tree, combinations, layers and their trees, and inverses.
    let narrow = quotient * (8 + 3 * degree) + extended * (30 + (6 + chunks) * degree) + 2 * degree * rows;
    let elements = match placement {
        Placement::Device => wide.saturating_add(narrow),
        Placement::Divided => narrow,
        Placement::Host => 0,
    };
    elements.saturating_mul(size_of::<Element>() as u64)
}

/// A device, and what engines may take of it: those that were given different amounts do not count each other's.
type Budget = (String, Option<u64>);

/// The bytes that are claimed of each.
static CLAIMED: Mutex<BTreeMap<Budget, u64>> = Mutex::new(BTreeMap::new());

fn claimed() -> MutexGuard<'static, BTreeMap<Budget, u64>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A part of a device's budget that a proof takes until this is dropped, so that proofs at once do not take more together.
pub(super) struct Claim {
    budget: Budget,
    bytes: u64,
}

impl Claim {
    /// `None` if the budget of the engine's device has no room for so many bytes beside what is claimed.
    pub(super) fn of(engine: &Engine, bytes: u64) -> Option<Self> {
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

/// Where matrices can be: those places in turn for which the device's budget has room, each with its claim. The last takes nothing.
pub(super) fn places(
    engine: &Engine,
    required: impl Fn(Placement) -> u64,
) -> impl Iterator<Item = (Memory<'_>, Claim)> {
    let all = [Placement::Device, Placement::Divided, Placement::Host];
    let count = if engine.device_budget().is_some() { all.len() } else { 1 };
    all.into_iter().take(count).filter_map(move |placement| {
        Some((Memory { engine, placement }, Claim::of(engine, required(placement))?))
    })
}
