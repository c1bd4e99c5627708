//! Random work for a long time: many threads, several engines, all operations, every answer compared.
//!
//! A piece of work follows from a number. Small ones are compared with the reference, larger ones with the first answer to the same number,
//! from whichever engine it came. Threads call the engine, wait for jobs, await two at once, or drop them; one of the engines has so
//! little memory that it does work in parts and refuses some. After each round all is quiet: then no operation may be under way,
//! nothing may be left on a device, and the process may not have grown.

mod columns;
#[cfg(feature = "bn254")]
mod over_curves;
#[cfg(feature = "bn254")]
mod vectors;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Blake3, ByteDigest, Digest, Hasher, Keccak256, Poseidon2_8, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::{Convention, Lde, Ntt, Order};
use zkaccel::program::ProgramRows;
use zkaccel::{Engine, Error};

use crate::data::{Samples, Words};
use crate::reference;

/// Threads that call, so that operations wait for each other on any machine.
const CALLERS: usize = 6;

/// The time of a round.
const ROUND: Duration = Duration::from_secs(5);

/// Different pieces of work: few enough that most come again.
pub const PIECES: u64 = 4096;

/// The binary logarithm of the largest size that the reference computes.
pub const LOG_SMALL: u32 = 8;

/// That of the pieces with which all begins.
const LOG_FIRST: u32 = 4;

/// The binary logarithm of the largest size.
pub const LOG_LARGEST: u32 = 14;

/// Bytes that the process may grow by after the warm-up: allocators keep freed memory, and drivers programs that are first compiled later.
const GROWTH: u64 = 256 << 20;

/// No thread panics while it has a lock.
const UNPOISONED: &str = "no thread panics with it";

/// The budgets of the engine that is short of memory: of the host's and of a device's.
const SHORT: (u64, u64) = (1 << 20, 1 << 18);

/// Bytes of memory that this process has now (Linux: `VmRSS`).
pub fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Soaked {
    /// Seconds since the beginning.
    pub seconds: u64,
    /// Rounds.
    pub rounds: u64,
    /// Answers that were compared with the reference's.
    pub with_reference: u64,
    /// Answers that were compared with the first answer to the same piece of work.
    pub with_first: u64,
    /// Refusals for want of memory, by the engine that is short of it.
    pub refused: u64,
    /// Jobs dropped before they were done.
    pub dropped: u64,
    /// Pieces that the device does not offer.
    pub unsupported: u64,
    /// The largest resident set of the process after a round of the warm-up, which is the first fifth of the time; 0 where the
    /// system does not tell.
    pub warm: u64,
    /// The largest after a round since then.
    pub largest: u64,
}

impl fmt::Display for Soaked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seconds, with_reference, with_first, refused, dropped, unsupported, warm, largest, ..
        } = self;
        write!(
            f,
            "{seconds} s: {with_reference} answers as the reference's, {with_first} as the first ones, {refused} refusals, "
        )?;
        write!(f, "{dropped} jobs dropped")?;
        if *unsupported > 0 {
            write!(f, ", {unsupported} pieces of work not offered")?;
        }
        write!(f, ", {} MiB resident after the warm-up, {} MiB at most since", warm >> 20, largest >> 20)
    }
}

/// Does random work on an engine, and on others with its devices, for so long; `tell` is called after each round. The error
/// says which piece of work had another answer, or what was left over.
pub fn soak(engine: &Engine, time: Duration, mut tell: impl FnMut(&Soaked)) -> Result<Soaked, String> {
    let like = || engine.to_builder();
    let (host, device) = SHORT;
    let short = like().memory_budget(host).device_memory(device).build()?;
    let engines = [engine.clone(), like().threads(1).check_answers(true).build()?, short];
    let soak = Soak::new(engines);
    for number in first_pieces() {
        soak.compare(number, 0, answer(engine, number))?;
    }
    let start = Instant::now();
    loop {
        let round = soak.counts().rounds;
        let end = ROUND.min(time.saturating_sub(start.elapsed())).max(time / 100);
        std::thread::scope(|scope| {
            let callers = (0..CALLERS as u64).map(|caller| {
                let soak = &soak;
                scope.spawn(move || soak.call(Words::new(round << 8 | caller), Instant::now() + end))
            });
            let callers: Vec<_> = callers.collect();
            callers.into_iter().try_for_each(|caller| caller.join().expect("a caller does not panic"))
        })?;
        soak.quiet()?;
        let mut counts = soak.counts.lock().expect(UNPOISONED);
        counts.rounds += 1;
        counts.seconds = start.elapsed().as_secs();
        let resident = resident_memory().unwrap_or(0);
        match start.elapsed() < time / 5 || counts.rounds == 1 {
            true => counts.warm = counts.warm.max(resident),
            false => counts.largest = counts.largest.max(resident),
        }
        tell(&counts);
        if counts.largest > counts.warm + counts.warm / 10 + GROWTH {
            return Err(format!(
                "the process has grown from {} bytes after the warm-up to {}, expected {GROWTH} and a tenth more at most",
                counts.warm, counts.largest
            ));
        }
        if start.elapsed() >= time {
            return Ok(*counts);
        }
    }
}

/// A few small pieces of every kind: what drivers compile for them is there before the memory of the process counts.
fn first_pieces() -> impl Iterator<Item = u64> {
    Kind::ALL.iter().flat_map(|&kind| {
        let is_small = move |&number: &u64| {
            let piece = Piece::of(number);
            piece.kind == kind && piece.log <= LOG_FIRST
        };
        (0..PIECES).filter(is_small).take(4)
    })
}

/// Engines at work, with the answers that are known.
pub struct Soak {
    /// The engine given, one that tests its answers with one thread, and one that is short of memory.
    engines: [Engine; 3],
    /// By the numbers of pieces.
    answers: Mutex<HashMap<u64, ByteDigest>>,
    counts: Mutex<Soaked>,
    /// Held by every job until it is done.
    alive: Arc<()>,
}

impl Soak {
    /// Engines that have done nothing: the one given, one that tests its answers, and one that is short of memory.
    pub fn new(engines: [Engine; 3]) -> Self {
        Self { engines, answers: Mutex::default(), counts: Mutex::default(), alive: Arc::default() }
    }

    /// What was done so far.
    pub fn counts(&self) -> Soaked {
        *self.counts.lock().expect(UNPOISONED)
    }

    /// One caller, until the end of a round.
    fn call(&self, mut words: Words, end: Instant) -> Result<(), String> {
        while Instant::now() < end {
            let (number, form) = (words.next() % PIECES, words.next());
            let which = form as usize % self.engines.len();
            let engine = &self.engines[which];
            let job = |number: u64| {
                let alive = Arc::clone(&self.alive);
                engine.spawn(move |engine| {
                    let _alive = alive;
                    answer(engine, number)
                })
            };
            match form >> 32 & 7 {
                0 => {
                    drop(job(number));
                    self.counts.lock().expect(UNPOISONED).dropped += 1;
                }
                1 => self.compare(number, which, job(number).wait())?,
                2 => {
                    // In the order in which they were not begun.
                    let [first, second] = [number, words.next() % PIECES].map(|number| (number, job(number)));
                    self.compare(second.0, which, second.1.wait())?;
                    self.compare(first.0, which, first.1.wait())?;
                }
                3 => {
                    let found = engine.scope(|scope| scope.spawn(|engine| answer(engine, number)).wait());
                    self.compare(number, which, found)?;
                }
                _ => self.compare(number, which, answer(engine, number))?,
            }
        }
        Ok(())
    }

    /// Compares an answer with the one that is known, or makes it known.
    pub fn compare(
        &self,
        number: u64,
        engine: usize,
        found: Result<ByteDigest, Error>,
    ) -> Result<(), String> {
        let piece = Piece::of(number);
        let what = || format!("piece {number}, {piece:?}, on {}", self.engines[engine].device().id);
        let found = match found {
            Ok(found) => found,
            Err(Error::Unsupported { .. }) => {
                self.counts.lock().expect(UNPOISONED).unsupported += 1;
                return Ok(());
            }
            Err(
                Error::OverBudget { .. } | Error::OverDeviceBudget { .. } | Error::DeviceOutOfMemory { .. },
            ) if engine == 2 => {
                self.counts.lock().expect(UNPOISONED).refused += 1;
                return Ok(());
            }
            Err(error) => return Err(format!("{}: {error}", what())),
        };
        let small = piece.log <= LOG_SMALL;
        let known = self.answers.lock().expect(UNPOISONED).get(&number).copied();
        let expected = match known {
            Some(known) => known,
            None => {
                let first = if small {
                    answer(reference()?, number).map_err(|error| format!("{}: {error}", what()))?
                } else {
                    found
                };
                *self.answers.lock().expect(UNPOISONED).entry(number).or_insert(first)
            }
        };
        let mut counts = self.counts.lock().expect(UNPOISONED);
        match small {
            true => counts.with_reference += 1,
            false => counts.with_first += 1,
        }
        match found == expected {
            true => Ok(()),
            false => Err(format!("{}: the answer has the digest {found}, expected {expected}", what())),
        }
    }

    /// Waits for jobs that were dropped; then nothing is under way, and nothing is left on a device.
    pub fn quiet(&self) -> Result<(), String> {
        let patience = Instant::now() + Duration::from_secs(60);
        while Arc::strong_count(&self.alive) > 1 {
            if Instant::now() > patience {
                return Err(format!(
                    "{} jobs were not done a minute after the rest",
                    Arc::strong_count(&self.alive) - 1
                ));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        for engine in &self.engines {
            let under_way: u64 = engine.work().iter().map(|device| device.under_way).sum();
            let left = engine.resident_bytes();
            if (under_way, left) != (0, 0) {
                return Err(format!(
                    "{under_way} operations are under way and {left} bytes are left on devices, expected none"
                ));
            }
        }
        Ok(())
    }
}

/// A piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// What is done.
    pub kind: Kind,
    /// The binary logarithm of its size.
    pub log: u32,
}

macro_rules! kinds {
    ($($(#[$cfg:meta])* $kind:ident: $function:path;)+) => {
        /// A kind of work.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(
                #[allow(missing_docs)]
                $(#[$cfg])*
                $kind,
            )+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$($(#[$cfg])* Self::$kind,)+];

            /// The bytes of its answer.
            fn run(self, engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
                match self {
                    $($(#[$cfg])* Self::$kind => $function(engine, log, words),)+
                }
            }
        }
    };
}
kinds! {
    Transform: columns::transform;
    Extension: extension;
    Inverses: columns::inverses;
    Combinations: columns::combinations;
    RowProgram: columns::row_program;
    PrefixProducts: columns::prefix_products;
    Lookups: columns::lookups;
    Rows: rows;
    Tree: tree;
    Commitment: commitment;
    Resident: resident;
    #[cfg(feature = "bn254")]
    Products: vectors::products;
    #[cfg(feature = "bn254")]
    SparseProduct: vectors::sparse_product;
    #[cfg(feature = "bn254")]
    Sum: over_curves::sum;
    #[cfg(feature = "bn254")]
    KeptSum: over_curves::kept_sum;
    #[cfg(feature = "bn254")]
    TransformOfPoints: over_curves::transform_of_points;
}

impl Piece {
    /// The piece of a number.
    pub fn of(number: u64) -> Self {
        let mut words = Words::new(number);
        let kind = Kind::ALL[words.next() as usize % Kind::ALL.len()];
        // Small ones are as many as large ones.
        let log = match words.next() {
            choice if choice % 2 == 0 => (choice >> 8) as u32 % (LOG_SMALL + 1),
            choice => LOG_SMALL + 1 + (choice >> 8) as u32 % (LOG_LARGEST - LOG_SMALL),
        };
        Self { kind, log }
    }
}

/// The digest of an engine's answer to a piece of work.
pub fn answer(engine: &Engine, number: u64) -> Result<ByteDigest, Error> {
    let Piece { kind, log } = Piece::of(number);
    let bytes = kind.run(engine, log, &mut Words::new(number ^ 1 << 63))?;
    Ok(Blake3::hash(&bytes))
}

fn bytes<T: bytemuck::NoUninit>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

fn some_layout(words: &mut Words) -> Layout {
    if words.next().is_multiple_of(2) { Layout::RowMajor } else { Layout::ColumnMajor }
}

fn matrix<F: Samples>(log: u32, words: &mut Words) -> Matrix<F> {
    let layout = some_layout(words);
    let columns = 1 + words.next() as usize % 5;
    words.matrix(Shape { rows: 1 << log, columns, layout })
}

fn some_transform<F: Samples>(log: u32, words: &mut Words) -> Result<Ntt<F>, Error> {
    let domain = F::subgroups(log)?[words.next() as usize % 2];
    let domain = if words.next().is_multiple_of(2) { domain } else { domain.coset(F::of_integer(7))? };
    let ntt = if words.next().is_multiple_of(2) { Ntt::forward(domain) } else { Ntt::inverse(domain) };
    let mut order = || if words.next().is_multiple_of(2) { Order::Natural } else { Order::BitReversed };
    Ok(ntt.with_orders(order(), order()))
}

fn some_extension(log: u32, words: &mut Words) -> Result<Lde, Error> {
    Lde::onto_coset(log, 2 << (words.next() % 3), Convention::Winterfell, Goldilocks::GENERATOR)
}

fn extension(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let (matrix, lde) = (matrix::<Goldilocks>(log, words), some_extension(log, words)?);
    Ok(bytes(engine.lde(&lde, matrix.view())?.as_slice()))
}

/// One of four hashes, of as many families.
macro_rules! with_some_hash {
    ($words:expr, $function:ident($($argument:expr),*)) => {
        match $words.next() % 4 {
            0 => $function::<Rp64_256>($($argument),*),
            1 => $function::<Poseidon2_8>($($argument),*),
            2 => $function::<Blake3>($($argument),*),
            _ => $function::<Keccak256>($($argument),*),
        }
    };
}

fn rows(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    fn digests<H: Accelerated>(engine: &Engine, matrix: &Matrix<Goldilocks>) -> Result<Vec<u8>, Error> {
        Ok(bytes(&engine.hash_rows::<H, _>(matrix.view())?))
    }
    let matrix = matrix(log, words);
    with_some_hash!(words, digests(engine, &matrix))
}

/// A tree, of which a leaf is opened and verified.
fn tree(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    fn nodes<H: Accelerated>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error>
    where
        H::Digest: Digest,
    {
        let leaves: Vec<H::Digest> = words.digests(1 << log);
        let tree = engine.merkle_tree::<H>(&leaves)?;
        let index = words.next() as usize % leaves.len();
        tree.cap(0)?.verify(&leaves[index], &tree.open(index)?)?;
        Ok(bytes(&tree.heap()[1..]))
    }
    with_some_hash!(words, nodes(engine, log, words))
}

/// A commitment, of which rows are opened and verified.
fn commitment(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    fn opened<H: Accelerated>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
        let trace = matrix(log.min(LOG_LARGEST - 2), words);
        let columns = trace.shape().columns;
        let commitment = engine.commit::<H>(&TraceSpec::default(), trace)?;
        let (row, all) = (words.next() as usize, commitment.shape().rows);
        let rows = [row % all, (row + 1) % all];
        commitment.open(&rows)?.verify(&commitment.cap(0)?, columns)?;
        Ok(bytes(&[commitment.root()]))
    }
    with_some_hash!(words, opened(engine, log, words))
}

/// Data that stay on the device from the matrix to the tree.
fn resident(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    fn chain<H: Accelerated>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
        let matrix = engine.upload(matrix::<Goldilocks>(log, words))?;
        let mut transformed = matrix.clone();
        engine.ntt(&some_transform(log, words)?, &mut transformed)?;
        let extended = engine.lde(&some_extension(log, words)?, &transformed)?;
        drop(transformed);
        let tree = engine.merkle_tree_of_rows::<H, _>(&extended)?;
        let row = words.next() as usize % extended.shape().rows;
        let mut found = bytes(&[tree.root()]);
        found.extend(bytes(&extended.read_rows(&[row])?[0]));
        found.extend(bytes(engine.download(&matrix)?.as_slice()));
        Ok(found)
    }
    with_some_hash!(words, chain(engine, log, words))
}
