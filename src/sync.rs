//! Locks, condition variables, atomics and threads: those of `std`.
//!
//! In tests that are compiled with `--cfg shuttle` they are those of [shuttle](https://docs.rs/shuttle), whose scheduler
//! chooses which thread goes on at every use of one of them. So the models in `models.rs` and `backend/gpu/models.rs` run the
//! crate's own code in thousands of orders of its threads; `tools/models.sh` runs them.

#[cfg(all(test, shuttle))]
pub(crate) use shuttle::{sync::*, thread, thread_local};

#[cfg(not(all(test, shuttle)))]
pub(crate) use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic},
    thread, thread_local,
};
