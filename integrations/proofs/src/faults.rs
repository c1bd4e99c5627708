//! Proofs on a device that fails at every moment, for the tests of provers.

use zkaccel::faults::{Fault, Faults};
use zkaccel::{Engine, Error};

/// Successful proofs after failed ones are made after so many of these: they take longer, and what a failure leaves behind stays.
const CHECKED: u32 = 8;

/// What fails, and how often in a row: once, as often as an operation is tried again, and from then on.
const FAULTS: [(Fault, u32); 4] =
    [(Fault::Anything, 1), (Fault::Anything, 2), (Fault::Memory, 3), (Fault::Memory, u32::MAX)];

/// Makes a proof with a fault after more and more calls of the device that the tests are for, until none of them meets it. The proof is the expected one or there is an
/// error of the device, and proofs by the same engine afterwards are the expected ones.
///
/// # Panics
///
/// Otherwise.
pub fn survive(expected: &[u8], prove: impl Fn(&Engine) -> Result<Vec<u8>, Error>) {
    for (fault, times) in FAULTS {
        let faults = Faults::new(fault, times);
        let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
        let engine = Engine::builder().device(device.parse().unwrap()).faults(&faults).build().unwrap();
        for calls in 0.. {
            // Memory that an engine has already is not asked for again.
            if fault == Fault::Memory {
                engine.release_memory();
            }
            faults.at(calls);
            let result = prove(&engine);
            let met = faults.stop();
            let what = format!("{fault:?} x {times} after {calls} calls");
            match result {
                Ok(found) => assert!(found == expected, "{what}: another proof"),
                Err(_) if !met => panic!("{what}: an error without a fault"),
                // A result that was lost on its way over an input of the prover's own.
                Err(Error::DeviceFailed { .. } | Error::ResultLost { .. }) if fault == Fault::Anything => {}
                Err(Error::DeviceOutOfMemory { requested, .. }) => assert!(requested > 0),
                Err(error) => panic!("{what}: {error}"),
            }
            let has_calls = engine.device().driver.is_some();
            assert!(met || calls > 0 || !has_calls, "{what}: a fault that no call meets");
            if !met || calls % CHECKED == 0 {
                assert!(prove(&engine).unwrap() == expected, "{what}: another proof afterwards");
            }
            if !met {
                break;
            }
        }
    }
}
