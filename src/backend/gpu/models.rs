//! Models of what operations of one device share: queues, the pool of memory, memory that was handed out, and tables. Run by
//! `tools/models.sh`; see `crate::sync`.
//!
//! Their device does the work of a queue when it is waited for, or when the scheduler has it do so before, and it finds out
//! at once whether memory is used by two queues of which one writes to it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::device::{Buffer, Device, Launch, Limits, Queue};
use super::session::{Region, Session};
use super::tables::{Key, Table};
use super::{Gpu, ntt};
use crate::backend::Memory;
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Error;
use crate::lock::lock;
use crate::models::explore;
use crate::pinned::Locked;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, thread};

/// A device with a word in each buffer.
struct Model {
    info: DeviceInfo,
    memory: Arc<Mutex<ModelMemory>>,
    /// The number of calls of `finish` before the one that fails.
    healthy: AtomicUsize,
}

#[derive(Default)]
struct ModelMemory {
    made: usize,
    words: BTreeMap<usize, u64>,
    /// Uses that queues were given and have not done: buffer, queue, and whether it writes.
    uses: Vec<(usize, usize, bool)>,
}

impl ModelMemory {
    /// A number for a buffer or a queue.
    fn number(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    fn uses(&mut self, buffer: usize, queue: usize, writes: bool) {
        let other =
            self.uses.iter().find(|other| other.0 == buffer && other.1 != queue && (writes || other.2));
        assert!(other.is_none(), "queue {queue} uses memory with work of another: {other:?}");
        self.uses.push((buffer, queue, writes));
    }
}

struct Word {
    number: usize,
    memory: Arc<Mutex<ModelMemory>>,
}

/// Memory is released when the work that uses it has ended.
impl Drop for Word {
    fn drop(&mut self) {
        let mut memory = lock(&self.memory);
        memory.uses.retain(|other| other.0 != self.number);
        memory.words.remove(&self.number);
    }
}

struct Given {
    number: usize,
    work: Vec<Queued>,
    /// A queue that has failed once fails for good.
    failed: bool,
}

enum Queued {
    Write(usize, u64),
    Copy(usize, usize),
}

impl Model {
    /// The backend of a device, and the memory of that.
    fn gpu(healthy: usize) -> (Arc<Gpu>, Arc<Mutex<ModelMemory>>) {
        let info = DeviceInfo {
            id: "model:0".into(),
            kind: DeviceKind::Accelerator,
            description: String::new(),
            units: 1,
            memory: None,
            driver: None,
            reason: String::new(),
        };
        let memory = Arc::default();
        let model = Self { info, memory: Arc::clone(&memory), healthy: AtomicUsize::new(healthy) };
        // Room for one table of a word.
        (Arc::new(Gpu::new(std::sync::Arc::new(model), Some(4 * 8))), memory)
    }
}

impl Device for Model {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }
    fn limits(&self) -> Limits {
        Limits { items: 1, group: 1, largest_group: 1, buffer: 1 << 20, fast_double: false }
    }
    fn queue(&self) -> Result<Queue, Error> {
        Ok(Queue::new(Given { number: lock(&self.memory).number(), work: Vec::new(), failed: false }))
    }
    fn allocate(&self, _: usize) -> Result<Buffer, Error> {
        Ok(Buffer::new(Word { number: lock(&self.memory).number(), memory: Arc::clone(&self.memory) }))
    }
    fn lock(&self, _: usize) -> Result<Option<Locked>, Error> {
        Ok(None)
    }
    fn copies_directly(&self, _: &[u8]) -> bool {
        false
    }
    fn upload(&self, queue: &mut Queue, data: &[u8], to: &Buffer, _: usize) -> Result<(), Error> {
        let (queue, to) = (queue.of::<Given>(), to.of::<Word>());
        lock(&self.memory).uses(to.number, queue.number, true);
        queue.work.push(Queued::Write(to.number, bytemuck::pod_read_unaligned(data)));
        Ok(())
    }
    fn download(&self, queue: &mut Queue, from: &Buffer, _: usize, data: &mut [u8]) -> Result<(), Error> {
        self.finish(queue)?;
        let (queue, from) = (queue.of::<Given>(), from.of::<Word>());
        let mut memory = lock(&self.memory);
        memory.uses(from.number, queue.number, false);
        data.copy_from_slice(&memory.words[&from.number].to_le_bytes());
        memory.uses.retain(|other| other.1 != queue.number);
        Ok(())
    }
    fn copy(
        &self,
        queue: &mut Queue,
        (from, _): (&Buffer, usize),
        (to, _): (&Buffer, usize),
        _: usize,
    ) -> Result<(), Error> {
        let (queue, from, to) = (queue.of::<Given>(), from.of::<Word>(), to.of::<Word>());
        let mut memory = lock(&self.memory);
        memory.uses(from.number, queue.number, false);
        memory.uses(to.number, queue.number, true);
        queue.work.push(Queued::Copy(from.number, to.number));
        Ok(())
    }
    fn launch(&self, _: &mut Queue, _: &[Launch<&Buffer>]) -> Result<(), Error> {
        unreachable!("copies are the only work of a model")
    }
    fn replays(&self) -> Option<u64> {
        None
    }
    fn finish(&self, queue: &mut Queue) -> Result<Vec<Range<u64>>, Error> {
        let queue = queue.of::<Given>();
        queue.failed |= self.healthy.fetch_sub(1, Ordering::SeqCst) == 0;
        if queue.failed {
            let device = self.info.id.clone();
            return Err(Error::DeviceFailed { device, operation: "a model", message: "on purpose".into() });
        }
        for work in queue.work.drain(..) {
            let mut memory = lock(&self.memory);
            match work {
                Queued::Write(to, word) => memory.words.insert(to, word),
                Queued::Copy(from, to) => {
                    let word = memory.words[&from];
                    memory.words.insert(to, word)
                }
            };
        }
        lock(&self.memory).uses.retain(|other| other.1 != queue.number);
        Ok(Vec::new())
    }
}

/// A word that goes to the device, to another buffer there, and back.
fn there_and_back(gpu: &Gpu, word: u64) -> Result<(), Error> {
    let mut session = Session::new(gpu)?;
    let from = session.upload_new(&word.to_le_bytes())?;
    let to = session.allocate(1)?;
    session.copy(from, to)?;
    assert_eq!(download(&mut session, to)?, word);
    Ok(())
}

fn download(session: &mut Session<'_>, from: Region) -> Result<u64, Error> {
    let mut found = [0; 8];
    session.download(from, 0, &mut found)?;
    Ok(u64::from_le_bytes(found))
}

/// An operation that ends by an error of its own while its queue has work.
fn given_up(gpu: &Gpu, word: u64) -> Result<(), Error> {
    let mut session = Session::new(gpu)?;
    let from = session.upload_new(&word.to_le_bytes())?;
    let to = session.allocate(1)?;
    session.copy(from, to)
}

/// Runs operations on threads of their own.
fn at_once(gpu: &Arc<Gpu>, operations: &[fn(&Gpu, u64) -> Result<(), Error>]) -> Vec<Result<(), Error>> {
    let start = |(operation, word): (&fn(&Gpu, u64) -> Result<(), Error>, u64)| {
        let (gpu, operation) = (Arc::clone(gpu), *operation);
        thread::spawn(move || operation(&gpu, word))
    };
    let threads: Vec<_> = operations.iter().zip(100..).map(start).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn no_memory_is_given_to_two_operations() {
    explore(|| {
        let (gpu, model) = Model::gpu(usize::MAX);
        let results = at_once(&gpu, &[there_and_back, given_up, there_and_back]);
        assert!(results.into_iter().all(|result| result.is_ok()));
        there_and_back(&gpu, 1).unwrap();
        // Each operation takes two buffers and a queue, and no two share any at the same time.
        let model = lock(&model);
        assert!((3..=9).contains(&model.made), "{} buffers and queues", model.made);
        assert!(model.uses.is_empty());
    });
}

/// After a failure the memory of the queue that failed is not used again, whichever of the operations meets it.
#[test]
fn no_memory_returns_from_a_queue_that_failed() {
    explore(|| {
        for healthy in 0..3 {
            let (gpu, _) = Model::gpu(healthy);
            let results = at_once(&gpu, &[there_and_back, given_up]);
            assert!(results.iter().filter(|result| result.is_err()).count() <= 1);
            there_and_back(&gpu, 1).or_else(|_| there_and_back(&gpu, 2)).unwrap();
        }
    });
}

fn stored(gpu: &Gpu, word: u64) -> Result<Memory, Error> {
    let mut session = Session::new(gpu)?;
    let region = session.upload_new(&word.to_le_bytes())?;
    session.lease(region)
}

fn read(gpu: &Gpu, memory: &Memory) -> Result<u64, Error> {
    let mut session = Session::new(gpu)?;
    let (from, to) = (session.borrow(memory), session.allocate(1)?);
    session.copy(from, to)?;
    download(&mut session, to)
}

/// Memory that was handed out returns to the pool when nobody reads it, and not before.
#[test]
fn memory_that_was_handed_out_stays_as_it_is() {
    explore(|| {
        let (gpu, model) = Model::gpu(usize::MAX);
        let memory = stored(&gpu, 7).unwrap();
        let readers = [0, 1].map(|_| {
            let (gpu, memory) = (Arc::clone(&gpu), memory.clone());
            thread::spawn(move || {
                assert_eq!(read(&gpu, &memory), Ok(7));
                drop(memory);
                there_and_back(&gpu, 8).unwrap();
            })
        });
        drop(memory);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        assert!(lock(&model).uses.is_empty());
    });
}

/// A reader whose queue failed may still read: that memory is released to the device, never to the pool.
#[test]
fn memory_that_a_failed_queue_reads_is_not_used_again() {
    explore(|| {
        // The first call of `finish` is that of `stored`.
        for healthy in 1..4 {
            let (gpu, _) = Model::gpu(healthy);
            let memory = stored(&gpu, 7).unwrap();
            let other = {
                let (gpu, memory) = (Arc::clone(&gpu), memory.clone());
                thread::spawn(move || read(&gpu, &memory))
            };
            let results = [read(&gpu, &memory), other.join().unwrap()];
            assert!(results.iter().flatten().all(|&word| word == 7));
            assert!(results.iter().filter(|result| result.is_err()).count() <= 1);
            drop(memory);
            there_and_back(&gpu, 1).or_else(|_| there_and_back(&gpu, 2)).unwrap();
        }
    });
}

/// A table of one word.
struct OneWord(u64);

impl Table for OneWord {
    fn key(&self) -> Key {
        Key::Words(ntt::Contents::model(self.0))
    }
    fn words(&self) -> usize {
        1
    }
    fn fill(&self, session: &mut Session<'_>, table: Region) -> Result<(), Error> {
        session.upload(&self.0.to_le_bytes(), table, 0)
    }
}

/// A table that leaves the cache while it is used lives on.
#[test]
fn tables_are_right_while_others_push_them_out() {
    explore(|| {
        let (gpu, _) = Model::gpu(usize::MAX);
        let uses = |gpu: &Gpu, number: u64| {
            let table = OneWord(number % 2);
            let mut session = Session::new(gpu)?;
            let (from, to) = (gpu.table(&mut session, &table)?, session.allocate(1)?);
            session.copy(from, to)?;
            assert_eq!(download(&mut session, to)?, number % 2);
            Ok(())
        };
        let results = at_once(&gpu, &[uses, uses, uses]);
        assert!(results.into_iter().all(|result| result.is_ok()));
    });
}
