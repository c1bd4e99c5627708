//! Scalars that an engine keeps, for sums over bases that it keeps.

use std::sync::Arc;

use accel::bn254::{G1, scalars};
use accel::msm::Scalars;
use accel::{Engine, Error};

use crate::arguments::{Arguments, Output, product};
use crate::bn254::{BasesKept, Limbs, bases_of, projective, zka_bases, zka_bn254_fr, zka_bn254_g1_prj};
use crate::engine::{State, zka_engine};
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::status::{Failure, ZKA_BAD_LENGTH, ZKA_WRONG_ENGINE, guard, zka_status};

/// Scalars that an engine keeps in the form that its device wants. They may be used by any threads at once.
pub struct zka_scalars {
    _opaque: (),
}

/// Keeps a copy of `len` scalars for several sums. Free it with `zka_scalars_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_scalars_new(
    engine: *mut zka_engine,
    out: *mut *mut zka_scalars,
    scalars: *const zka_bn254_fr,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, state| Keep::new(arguments, state, out, scalars, len)) }
}

/// `zka_bn254_fr_scalars_new`, started: `out` and `scalars` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_scalars_new_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_scalars,
    scalars: *const zka_bn254_fr,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, state| Keep::new(arguments, state, out, scalars, len)) }
}

/// The number of scalars that are kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_scalars_len(scalars: *const zka_scalars, out: *mut usize) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[SCALARS.get(scalars)?.len]);
        Ok(())
    })
}

/// Frees scalars; NULL is nothing to free. Operations under way keep them until they are done; the engine may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_scalars_free(scalars: *mut zka_scalars) -> zka_status {
    guard(|| match scalars.is_null() {
        true => Ok(()),
        false => SCALARS.remove(scalars).map(drop),
    })
}

/// `batch` sums of kept scalars times the `len` bases from number `offset` on: sum i is of the scalars from number i * `len` on. There
/// are `len` * `batch` scalars.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_scalars(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_scalars,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
    batch: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, state| {
            MsmScalars::new(arguments, state, out, scalars, bases, [offset, len, batch])
        })
    }
}

/// `zka_bn254_g1_msm_scalars`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_scalars_async(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_scalars,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
    batch: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, state| {
            MsmScalars::new(arguments, state, out, scalars, bases, [offset, len, batch])
        })
    }
}

static SCALARS: Handles<Kept> = Handles::new(Kind::Scalars);

/// Scalars, how many, and the number of the engine that keeps them.
struct Kept {
    scalars: Scalars,
    len: usize,
    engine: u64,
}

struct Keep {
    out: Output<*mut zka_scalars>,
    scalars: Limbs<4>,
    len: usize,
    engine: u64,
}

impl Keep {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut *mut zka_scalars,
        scalars: *const zka_bn254_fr,
        len: usize,
    ) -> Result<Self, Failure> {
        let out = arguments.output("out", out, 1)?;
        let scalars = arguments.input("scalars", scalars.cast(), len)?;
        Ok(Self { out, scalars, len, engine: state.number })
    }
}

impl Call for Keep {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        let scalars = scalars(self.scalars.as_slice())?;
        let mut owned = Vec::new();
        let bytes = size_of_val(scalars) as u64;
        owned.try_reserve_exact(scalars.len()).map_err(|_| Error::HostOutOfMemory { bytes })?;
        owned.extend_from_slice(scalars);
        let kept = Kept { scalars: engine.scalars(owned)?, len: self.len, engine: self.engine };
        self.out.write(&[SCALARS.insert(Arc::new(kept))]);
        Ok(())
    }
}

struct MsmScalars {
    out: Output<zka_bn254_g1_prj>,
    scalars: Arc<Kept>,
    bases: Arc<BasesKept>,
    offset: usize,
    len: usize,
    batch: usize,
}

impl MsmScalars {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut zka_bn254_g1_prj,
        scalars: *const zka_scalars,
        bases: *const zka_bases,
        [offset, len, batch]: [usize; 3],
    ) -> Result<Self, Failure> {
        let scalars = SCALARS.get(scalars)?;
        if scalars.engine != state.number {
            return Err(Failure::new(ZKA_WRONG_ENGINE, "the scalars belong to another engine"));
        }
        let bases = bases_of(state, bases, offset, len)?;
        let expected = product("scalars", len, batch)?;
        if scalars.len != expected {
            let text = format!("{} scalars are kept, expected {len} x {batch}", scalars.len);
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        }
        let out = arguments.output("out", out, batch)?;
        Ok(Self { out, scalars, bases, offset, len, batch })
    }
}

impl Call for MsmScalars {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        let Self { out, scalars, bases, offset, len, batch } = self;
        let sums = match len {
            // Rows of no scalars cannot be counted.
            0 => vec![G1::default(); batch],
            _ => engine.msm_batch(&scalars.scalars, bases.bases.range(offset..offset + len)?)?,
        };
        out.write(&sums.into_iter().map(projective).collect::<Vec<_>>());
        Ok(())
    }
}
