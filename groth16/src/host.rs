//! The engine on the CPU: for points of files, and for proofs that a device has made wrong.

use std::sync::OnceLock;

use zkaccel::device::DeviceChoice;
use zkaccel::{Engine, Error};

/// The engine, built when it is first needed.
pub(crate) fn engine() -> Result<&'static Engine, Error> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    match ENGINE.get() {
        Some(engine) => Ok(engine),
        None => {
            let engine = Engine::builder().device(DeviceChoice::Cpu).build()?;
            Ok(ENGINE.get_or_init(|| engine))
        }
    }
}
