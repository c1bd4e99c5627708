//! The conformance suite: every operation, on whatever device an engine runs, against the reference.
//!
//! It is a crate, so that the same cases run in the tests and on a user's machine (`zkaccel selftest`), and who uses the library alone does not compile them: they ask for every
//! operation over every field, curve and hash.
//! Data are edge values and pseudo-random words from a fixed seed; two runs check the same things. Outputs are
//! compared element by element with the textbook algorithms of the reference device, or with known answers.

/// Calls a macro with type and name of Goldilocks and of every prime field that has transforms.
macro_rules! for_every_field {
    ($d:tt $then:ident) => {
        #[cfg(feature = "bn254")]
        macro_rules! after_goldilocks {
            ($d($d others:tt)*) => {
                $then! { zkaccel::field::Goldilocks, "goldilocks"; $d($d others)* }
            };
        }
        #[cfg(feature = "bn254")]
        zkaccel::for_every_two_adic_field!(after_goldilocks);
        #[cfg(not(feature = "bn254"))]
        $then! { zkaccel::field::Goldilocks, "goldilocks"; }
    };
}

mod classes;
mod combinations;
mod commits;
mod data;
mod digests;
mod endurance;
mod hashes;
mod in_parts;
mod inverses;
mod jobs;
mod lookups;
mod merged;
#[cfg(feature = "bn254")]
mod points;
mod prefix;
mod programs;
mod refusals;
mod residence;
mod several;
pub mod small;
pub mod soak;
#[cfg(feature = "bn254")]
mod sparse;
#[cfg(feature = "bn254")]
mod sums;
mod transfers;
mod transforms;
mod trees;
pub mod turns;
#[cfg(feature = "bn254")]
mod vectors;
mod widths;

pub use self::classes::{CLASSES, Class};
pub use self::soak::{Soaked, soak};

use std::fmt::Debug;
use std::sync::LazyLock;

use zkaccel::device::DeviceChoice;
use zkaccel::field::Goldilocks;
use zkaccel::{Engine, Error};

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
        /// The name of every hash.
        pub const HASHES: &[&str] = &[$($name),*];
    };
}
zkaccel::for_every_hash!(names);

#[cfg(not(feature = "bn254"))]
const CURVES: [&[&str]; 2] = [&[]; 2];
#[cfg(feature = "bn254")]
macro_rules! curves {
    ($($type:path, $name:literal;)*) => {
        &[$($name),*]
    };
}
/// Every curve, and every prime field.
#[cfg(feature = "bn254")]
const CURVES: [&[&str]; 2] = [zkaccel::for_every_curve!(curves), zkaccel::for_every_prime_field!(curves)];

impl Case {
    /// Whether this is a case of a hash that has the same case with `rp64_256` and with `blake3`: where it does not matter which
    /// sponge and which hash of bytes runs, those stand for all. Not so rows and trees, which say that it is the right hash that runs.
    pub fn repeats_for_another_hash(&self) -> bool {
        self.is_of_another_hash() && !["rows, ", "trees, "].iter().any(|of| self.name.starts_with(of))
    }

    /// Whether this is a case of a hash that is neither `rp64_256` nor `blake3`.
    fn is_of_another_hash(&self) -> bool {
        let hash = self.name.rsplit_once(", ").map_or("", |(_, hash)| hash);
        HASHES.contains(&hash) && !["rp64_256", "blake3"].contains(&hash)
    }

    /// Whether this is a case of sums over a curve, or of anything over a prime field, that the first curve, or prime field, of the list has as well.
    pub fn repeats_for_another_curve(&self) -> bool {
        let own = self.name.split_once(" over ").and_then(|(_, rest)| rest.split(',').next());
        own.is_some_and(|own| CURVES.iter().any(|names| names.iter().skip(1).any(|name| *name == own)))
    }

    /// Why the case cannot run on an engine: the device's own error, [`Error::Unsupported`], for the operation of the case, or
    /// [`Error::HostOutOfMemory`] where the system does not hand out addresses for a large matrix of zeros, which take no memory.
    /// `None` where it can run. The `cpu` and the `reference` support everything.
    pub fn unsupported(&self, engine: &Engine) -> Option<Error> {
        let is_of = |cases: &[Self]| cases.iter().any(|case| case.name == self.name);
        if let Some(refused) = widths::refused(self.name) {
            return Some(refused);
        }
        let answer = match () {
            () if is_of(inverses::CASES) => engine.invert(&mut [Goldilocks::new(1)][..]).err(),
            () if is_of(programs::CASES) || is_of(widths::PROGRAMS) => programs::answer(engine),
            () if is_of(combinations::CASES) || is_of(widths::COMBINATIONS) => combinations::answer(engine),
            () if is_of(in_parts::CASES) => programs::answer(engine).or_else(|| combinations::answer(engine)),
            () if is_of(prefix::CASES) => prefix::answer(engine),
            () if is_of(lookups::CASES) => lookups::answer(engine),
            _ => transforms::answer(self.name, engine),
        };
        #[cfg(feature = "bn254")]
        let answer = answer.or_else(|| match () {
            () if is_of(vectors::CASES) => vectors::answer(engine),
            () if is_of(sparse::CASES) => sparse::answer(engine),
            () if is_of(points::CASES) => points::answer(self.name, engine),
            () => sums::answer(self.name, engine),
        });
        answer.filter(|error| matches!(error, Error::Unsupported { .. }))
    }
}

/// Every case, in the order in which the layers build on each other.
pub fn cases() -> Vec<Case> {
    [
        hashes::CASES,
        trees::CASES,
        transforms::CASES,
        transforms::GOLDILOCKS,
        inverses::CASES,
        programs::CASES,
        combinations::CASES,
        prefix::CASES,
        lookups::CASES,
        commits::CASES,
        residence::CASES,
        refusals::CASES,
        digests::CASES,
        merged::CASES,
        transfers::CASES,
        jobs::CASES,
        endurance::CASES,
        #[cfg(feature = "bn254")]
        sums::CASES,
        #[cfg(feature = "bn254")]
        points::CASES,
        #[cfg(feature = "bn254")]
        transforms::PRIME_FIELDS,
        #[cfg(feature = "bn254")]
        vectors::CASES,
        #[cfg(feature = "bn254")]
        sparse::CASES,
        widths::HASHES,
        widths::COMBINATIONS,
        widths::PROGRAMS,
        several::CASES,
        in_parts::CASES,
    ]
    .concat()
}

/// The oracle.
fn reference() -> Result<&'static Engine, Error> {
    static ORACLE: LazyLock<Result<Engine, Error>> =
        LazyLock::new(|| Engine::builder().device(DeviceChoice::Reference).build());
    ORACLE.as_ref().map_err(Error::clone)
}

/// `Ok` if both are equal, else a message with the first difference.
fn expect_equal<T: PartialEq + Debug>(what: &str, found: &[T], expected: &[T]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{what}: {} entries, expected {}", found.len(), expected.len()));
    }
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        Some(i) => Err(format!("{what}: entry {i} is {:?}, expected {:?}", found[i], expected[i])),
        None => Ok(()),
    }
}

/// `Ok` if an operation has the same result on an engine as on the oracle.
fn agree<T: PartialEq + Debug>(
    what: &str,
    engine: &Engine,
    operation: impl Fn(&Engine) -> Result<Vec<T>, Error>,
) -> Result<(), String> {
    let failed = |error| format!("{what}: {error}");
    let found = operation(engine).map_err(failed)?;
    expect_equal(what, &found, &reference().and_then(&operation).map_err(failed)?)
}

/// `Ok` if an operation was refused with the error expected.
fn expect_error<T>(what: &str, found: Result<T, Error>, expected: &Error) -> Result<(), String> {
    match found {
        Err(error) if error == *expected => Ok(()),
        Err(error) => Err(format!("{what}: refused with {error:?}, expected {expected:?}")),
        Ok(_) => Err(format!("{what}: accepted, expected {expected:?}")),
    }
}

/// Whether an engine has but one device.
fn is_one(engine: &Engine) -> bool {
    engine.work().len() == 1
}

/// The error where something of one engine is passed to another.
fn wrong_engine(what: &'static str, expected: &Engine, found: &Engine) -> Error {
    let [expected, found] = [expected, found].map(|engine| engine.device().id.clone());
    Error::WrongEngine { what, expected, found }
}

/// The results of four threads, each with its number.
fn from_four_threads<T: Send>(run: impl Fn(usize) -> Result<T, Error> + Sync) -> Result<Vec<T>, Error> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|number| {
                scope.spawn({
                    let run = &run;
                    move || run(number)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("the engine does not panic")).collect()
    })
}
