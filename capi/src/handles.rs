//! Handles: numbers that stand for what C callers own.
//!
//! A handle looks like a pointer and is a number that was given out once and never again. It is looked up, never
//! followed, so that a handle that was freed, or never was one, is an error like any other, and freeing a thing while
//! another thread uses it is sound: who has looked it up shares it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_NULL_POINTER};

/// Handles are a running number and, in the lowest bits, the kind of thing, so that none is 0 and no two are equal.
const KIND_BITS: u32 = 4;

/// The live things of one kind.
pub(crate) struct Handles<T> {
    kind: Kind,
    next: AtomicUsize,
    live: LazyLock<Mutex<HashMap<usize, Arc<T>>>>,
}

/// What a handle stands for.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum Kind {
    Options = 1,
    Engine = 2,
    Tree = 3,
    Bases = 4,
    Matrix = 5,
    Sparse = 6,
    Prover = 7,
    Program = 8,
    Cluster = 9,
    ClusterCommitment = 10,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Options => "zka_options",
            Self::Engine => "zka_engine",
            Self::Tree => "zka_tree",
            Self::Bases => "zka_bases",
            Self::Matrix => "zka_matrix",
            Self::Sparse => "zka_sparse",
            Self::Prover => "zka_groth16_prover",
            Self::Program => "zka_program",
            Self::Cluster => "zka_cluster",
            Self::ClusterCommitment => "zka_cluster_commitment",
        }
    }
}

impl<T> Handles<T> {
    /// No things yet.
    pub(crate) const fn new(kind: Kind) -> Self {
        Self { kind, next: AtomicUsize::new(1), live: LazyLock::new(Mutex::default) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Arc<T>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handle of a new thing.
    pub(crate) fn insert<Opaque>(&self, thing: Arc<T>) -> *mut Opaque {
        let number = self.next.fetch_add(1, Ordering::Relaxed) << KIND_BITS | self.kind as usize;
        self.lock().insert(number, thing);
        std::ptr::without_provenance_mut(number)
    }

    /// The thing behind a handle.
    pub(crate) fn get<Opaque>(&self, handle: *const Opaque) -> Result<Arc<T>, Failure> {
        self.check(handle)?;
        self.lock().get(&handle.addr()).cloned().ok_or_else(|| self.unknown(handle))
    }

    /// Takes a handle out of use; the thing lives on while someone shares it.
    pub(crate) fn remove<Opaque>(&self, handle: *const Opaque) -> Result<Arc<T>, Failure> {
        self.check(handle)?;
        self.lock().remove(&handle.addr()).ok_or_else(|| self.unknown(handle))
    }

    /// [`remove`](Self::remove), where NULL is nothing to free.
    pub(crate) fn free<Opaque>(&self, handle: *const Opaque) -> Result<(), Failure> {
        match handle.is_null() {
            true => Ok(()),
            false => self.remove(handle).map(drop),
        }
    }

    /// Whether the handle stood for a thing of this kind that is gone.
    pub(crate) fn is_gone<Opaque>(&self, handle: *const Opaque) -> bool {
        let (number, kind) = (handle.addr() >> KIND_BITS, handle.addr() & ((1 << KIND_BITS) - 1));
        let issued = (1..self.next.load(Ordering::Relaxed)).contains(&number) && kind == self.kind as usize;
        issued && !self.lock().contains_key(&handle.addr())
    }

    fn check<Opaque>(&self, handle: *const Opaque) -> Result<(), Failure> {
        match handle.is_null() {
            true => Err(Failure::new(ZKA_NULL_POINTER, format!("the {} is NULL", self.kind.name()))),
            false => Ok(()),
        }
    }

    fn unknown<Opaque>(&self, handle: *const Opaque) -> Failure {
        let (handle, what) = (handle.addr(), self.kind.name());
        Failure::new(ZKA_BAD_ARGUMENT, format!("{handle:#x} is no handle in use, expected a live {what}"))
    }
}
