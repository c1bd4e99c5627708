//! The conformance suite: every operation, on whatever device an engine runs, against the reference.
//!
//! It ships with the crate, so that the same cases run in the tests and on a user's machine (`zkaccel selftest`).
//! Data are edge values and pseudo-random words from a fixed seed; two runs check the same things. Outputs are
//! compared element by element with the textbook algorithms of the reference device, or with known answers.

mod commits;
mod data;
mod hashes;
mod inverses;
mod jobs;
mod residence;
#[cfg(feature = "bn254")]
mod scalar_transforms;
mod several;
#[cfg(feature = "bn254")]
mod sums;
mod transfers;
mod transforms;
mod trees;

use crate::device::DeviceChoice;
use crate::engine::Engine;
use crate::error::Error;
use crate::field::Goldilocks;

/// One family of checks.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What is checked.
    pub name: &'static str,
    /// Runs the checks on an engine; the error says what differed.
    pub run: fn(&Engine) -> Result<(), String>,
}

macro_rules! names {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// Every hash.
        const HASHES: &[&str] = &[$($name),*];
    };
}
crate::for_every_hash!(names);

impl Case {
    /// Whether this is a case of a hash that has the same case with `rp64_256` and with `blake3`: where it does not matter which
    /// sponge and which hash of bytes runs, those stand for all. Not so rows and trees, which say that it is the right hash that runs.
    pub fn repeats_for_another_hash(&self) -> bool {
        let (case, hash) = self.name.rsplit_once(", ").unwrap_or((self.name, ""));
        let is_of_another = HASHES.contains(&hash) && !["rp64_256", "blake3"].contains(&hash);
        is_of_another && !["rows", "trees"].contains(&case)
    }

    /// Why the case cannot run on an engine: the device's own error, [`Error::Unsupported`], for the operation of the case.
    /// `None` where it can run. The `cpu` and the `reference` support everything.
    pub fn unsupported(&self, engine: &Engine) -> Option<Error> {
        let is_of = |cases: &[Case]| cases.iter().any(|case| case.name == self.name);
        let answer = if is_of(inverses::CASES) {
            engine.invert(&mut [Goldilocks::new(1)][..]).err()
        } else {
            self.answer_over_prime_fields(engine)
        };
        answer.filter(|error| matches!(error, Error::Unsupported { .. }))
    }

    /// The error of the operation of the case, if it is one over prime fields.
    #[cfg(feature = "bn254")]
    fn answer_over_prime_fields(&self, engine: &Engine) -> Option<Error> {
        if scalar_transforms::CASES.iter().any(|case| case.name == self.name) {
            let domain = crate::ntt::Domain::halo2(0).expect("one point is no more than 2^28");
            let one = &mut [crate::bn254::Fr::from(1)][..];
            return engine.ntt(&crate::ntt::Ntt::forward(domain), one).err();
        }
        sums::answer(self.name, engine)
    }

    #[cfg(not(feature = "bn254"))]
    fn answer_over_prime_fields(&self, _: &Engine) -> Option<Error> {
        None
    }
}

/// Every case, in the order in which the layers build on each other.
pub fn cases() -> Vec<Case> {
    [
        hashes::CASES,
        trees::CASES,
        transforms::CASES,
        inverses::CASES,
        commits::CASES,
        residence::CASES,
        transfers::CASES,
        jobs::CASES,
        #[cfg(feature = "bn254")]
        sums::CASES,
        #[cfg(feature = "bn254")]
        scalar_transforms::CASES,
        several::CASES,
    ]
    .concat()
}

/// The oracle.
fn reference() -> Result<Engine, Error> {
    Engine::builder().device(DeviceChoice::Reference).build()
}

/// `Ok` if both are equal, else a message with the first difference.
fn expect_equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &[T],
    expected: &[T],
) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{what}: {} entries, expected {}", found.len(), expected.len()));
    }
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        Some(i) => Err(format!("{what}: entry {i} is {:?}, expected {:?}", found[i], expected[i])),
        None => Ok(()),
    }
}

/// An error of the library as a failure of a case.
fn failure(what: &str) -> impl Fn(Error) -> String + '_ {
    move |error| format!("{what}: {error}")
}

/// `Ok` if an operation was refused with the error expected.
fn expect_error<T>(what: &str, found: Result<T, Error>, expected: &Error) -> Result<(), String> {
    match found {
        Err(error) if error == *expected => Ok(()),
        Err(error) => Err(format!("{what}: refused with {error:?}, expected {expected:?}")),
        Ok(_) => Err(format!("{what}: accepted, expected {expected:?}")),
    }
}
