//! The engine of the process, for code that cannot carry one: adaptors of provers whose interfaces take types and
//! free functions, not values.

use crate::engine::Engine;
use crate::error::Error;
use crate::lock::lock;
use crate::sync::Mutex;

static GLOBAL: Mutex<Option<Engine>> = Mutex::new(None);

impl Engine {
    /// The engine of the process: the one of [`make_global`](Self::make_global), or else one made at the first call, on the
    /// device that the environment variable `ZKACCEL_DEVICE` names (`auto` where it is unset or empty).
    ///
    /// Errors are those of [`device_from_environment`](crate::EngineBuilder::device_from_environment) and of
    /// [`build`](crate::EngineBuilder::build); the next call tries again.
    pub fn global() -> Result<Engine, Error> {
        let mut global = lock(&GLOBAL);
        if global.is_none() {
            *global = Some(Engine::builder().device_from_environment()?.build()?);
        }
        Ok(global.clone().expect("an engine, just made"))
    }

    /// Makes this the engine of the process for good; [`Error::GlobalTaken`] if there is one already.
    pub fn make_global(self) -> Result<(), Error> {
        let mut global = lock(&GLOBAL);
        match &*global {
            Some(engine) => Err(Error::GlobalTaken { device: engine.device().id.clone() }),
            None => {
                *global = Some(self);
                Ok(())
            }
        }
    }
}
