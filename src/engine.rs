//! The engine, through which every operation is called.
//!
//! An [`Engine`] owns its devices and a thread pool. Every operation is validated here, once (sizes, orders of roots, canonical
//! words, memory), and then handed to the dispatcher, which runs it on a device. Backends may assume that arguments are sound.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rayon::ThreadPool;

use crate::backend::{Accelerated, AcceleratedField};
use crate::builder::{EngineBuilder, Listener};
use crate::device::{DeviceChoice, DeviceInfo};
use crate::dispatch::{Dispatcher, Divisible, Operation};
use crate::error::Error;
use crate::field::Field;
use crate::gate::Gate;
use crate::job_threads::JobThreads;
use crate::lend::lending;
use crate::matrix::{BaseField, Element, Matrix, MatrixInput, MatrixMut, MatrixRef, Shape};
use crate::memory;
use crate::merkle::{Approach, MerkleTree, check_leaf_count};
#[cfg(feature = "bn254")]
use crate::meter::Meter;
use crate::meter::PIECES;
use crate::ntt::{Domain, Lde, Ntt};
use crate::operation::{Extend, HashRows, Transform, Tree};
use crate::parallel::{FEW, alone, is_at_work, lead};
use crate::progress::{Progress, Stage};
use crate::stack::has_room;

/// A device, its threads and its limits. Cloning shares them; an engine may be used by any threads at once.
///
/// ```
/// use zkaccel::{Engine, hash::{Hasher, Rp64_256, ElementDigest}};
/// let engine = Engine::new()?;
/// let tree = engine.merkle_tree::<Rp64_256>(&[ElementDigest::default(); 8])?;
/// let opening = tree.open(5)?;
/// tree.cap(0)?.verify(&ElementDigest::default(), &opening)?;
/// # Ok::<(), zkaccel::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    approach: Approach,
}

/// Bytes of stack that a thread needs to do an operation itself. With optimisation no operation takes more than a fraction of it; without, vector code takes megabytes
/// ([`STACK`](crate::backend::open::STACK)).
const LEADERS_STACK: usize = if cfg!(debug_assertions) { 12 << 20 } else { 1 << 20 };

/// The state that clones of an engine share.
pub(crate) struct Shared {
    pub(crate) dispatcher: Dispatcher,
    /// The threads that compute.
    pub(crate) pool: ThreadPool,
    /// Limits the operations in the pool.
    pub(crate) gate: Arc<Gate>,
    pub(crate) jobs: JobThreads,
    pub(crate) device: DeviceInfo,
    /// The options, for engines that are to be like this one.
    pub(crate) asked: EngineBuilder,
    pub(crate) memory_budget: Option<u64>,
    pub(crate) progress: Option<Listener>,
}

impl Engine {
    /// An engine from its parts.
    pub(crate) fn of(shared: Shared, approach: Approach) -> Self {
        Self { shared: Arc::new(shared), approach }
    }

    /// An engine on the best device present, with all threads.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// Options for another engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The same engine, with device, threads and memory shared, building trees by another approach.
    pub fn with_approach(&self, approach: Approach) -> Self {
        Self { shared: Arc::clone(&self.shared), approach }
    }

    /// How a GPU builds this engine's trees.
    pub fn approach(&self) -> Approach {
        self.approach
    }

    /// A builder for another engine like this one: with the device that was asked for, policy, level of vectors, weights and test of answers. Threads, budgets and
    /// progress are the defaults.
    pub fn to_builder(&self) -> EngineBuilder {
        self.shared.asked.clone()
    }

    /// The device that was asked for; [`device`](Self::device) tells which one it is.
    pub fn choice(&self) -> DeviceChoice {
        self.shared.asked.device
    }

    /// The device in use, with the reason for its choice.
    pub fn device(&self) -> &DeviceInfo {
        &self.shared.device
    }

    /// [`ntt`](Self::ntt) of a matrix of the right shape, whose words may be unchecked.
    pub(crate) fn transform<E: Element<Base: AcceleratedField>>(
        &self,
        ntt: &Ntt<E::Base>,
        mut matrix: MatrixMut<'_, E>,
        unchecked: bool,
    ) -> Result<(), Error> {
        let shape = matrix.shape();
        if !E::Base::ROW_MAJOR || ntt.input_order == ntt.output_order {
            self.check_budget(self.scratch::<E>(ntt.domain, shape))?;
        }
        let (ntt, width) = (*ntt, shape.block_width::<E>());
        self.perform_telling(Stage::Transform, Transform { ntt, data: matrix.base(), width, unchecked })
    }

    /// [`lde`](Self::lde) of a checked matrix, into memory that is not needed any more if that is as large.
    pub(crate) fn extend<E: Element<Base: AcceleratedField>>(
        &self,
        lde: &Lde<E::Base>,
        matrix: MatrixInput<'_, E>,
        memory: Vec<E>,
    ) -> Result<Matrix<E>, Error> {
        let shape = matrix.shape();
        let len = lde.to().size().saturating_mul(shape.columns);
        let mut extended = if memory.len() == len { memory } else { self.memory_to_fill(len)? };
        let mut values = self.run(|| matrix.into_vec())?;
        let (input, output) = (E::base_mut(&mut values), E::base_mut(&mut extended));
        let (lde, width) = (*lde, shape.block_width::<E>());
        self.perform_telling(Stage::Extension, Extend { lde, input, width, output, unchecked: false })?;
        Matrix::new(extended, Shape { rows: lde.to().size(), ..shape })
    }

    /// [`lde`](Self::lde) into memory of the caller's, such as a [`PinnedVec`](crate::pinned::PinnedVec): entries in the layout
    /// of the matrix, which is consumed as scratch.
    ///
    /// [`Error::LengthMismatch`] unless `extended` has as many entries as the extension. After an error of the device the
    /// contents of both are unspecified.
    pub fn lde_into<E: Element<Base: AcceleratedField>>(
        &self,
        lde: &Lde<E::Base>,
        mut matrix: MatrixMut<'_, E>,
        extended: &mut [E],
    ) -> Result<(), Error> {
        let shape = matrix.shape();
        self.check_rows(lde.from().size(), shape.rows)?;
        let (expected, found) = (lde.to().size().saturating_mul(shape.columns), extended.len());
        if expected != found {
            return Err(Error::LengthMismatch { what: "entries of the extension", expected, found });
        }
        let (input, output) = (matrix.base(), E::base_mut(extended));
        let (lde, width) = (*lde, shape.block_width::<E>());
        self.perform_telling(Stage::Extension, Extend { lde, input, width, output, unchecked: true })
    }

    /// [`lde_into`](Self::lde_into) of a matrix that is not changed: a copy serves as scratch. Errors as `lde_into`, and
    /// [`Error::OverBudget`] or [`Error::HostOutOfMemory`] for the copy.
    pub fn lde_copied_into<E: Element<Base: AcceleratedField>>(
        &self,
        lde: &Lde<E::Base>,
        matrix: MatrixRef<'_, E>,
        extended: &mut [E],
    ) -> Result<(), Error> {
        let shape = matrix.shape();
        self.check_budget(memory_of::<E>(shape.rows, shape.columns))?;
        let mut copy = self.run(|| MatrixInput::Borrowed(matrix).into_vec())?;
        self.lde_into(lde, MatrixMut::new(&mut copy, shape)?, extended)
    }

    /// Memory for results, of zeros. If a device may copy to it, its pages are there: few threads take what comes from a device, so all of them find pages sooner before.
    pub(crate) fn memory_to_fill<E: Element>(&self, len: usize) -> Result<Vec<E>, Error> {
        let mut memory = E::zeros(len)?;
        if size_of_val(&memory[..]) >= memory::LARGE && self.dispatcher().has_memory() {
            self.run(|| memory::touch(E::Base::words_mut(E::base_mut(&mut memory))));
        }
        Ok(memory)
    }

    /// The Merkle tree over digests as leaves.
    ///
    /// [`Error::NotPowerOfTwo`] unless their number is one, [`Error::NotCanonical`] for words at or above p.
    pub fn merkle_tree<H: Accelerated>(&self, leaves: &[H::Digest]) -> Result<MerkleTree<H>, Error> {
        check_leaf_count(leaves.len())?;
        self.check_budget(memory_of::<H::Digest>(leaves.len(), 2))?;
        let mut heap = memory::zeroed::<H::Digest>(2 * leaves.len())?;
        let (inner, copies) = heap.split_at_mut(leaves.len());
        let tree = Tree::<H> { leaves, inner, copies: Some(copies), approach: self.approach };
        self.perform_telling(Stage::Tree, tree)?;
        Ok(MerkleTree::from_filled_heap(heap))
    }

    /// A tree whose leaves a function writes.
    pub(crate) fn build_tree<H: Accelerated>(
        &self,
        leaf_count: usize,
        fill_leaves: impl FnOnce(&mut [H::Digest]) -> Result<(), Error>,
    ) -> Result<MerkleTree<H>, Error> {
        self.check_budget(memory_of::<H::Digest>(leaf_count, 2))?;
        let mut heap = memory::zeroed::<H::Digest>(2 * leaf_count)?;
        let (inner, leaves) = heap.split_at_mut(leaf_count);
        fill_leaves(leaves)?;
        let tree = Tree::<H> { leaves, inner, copies: None, approach: self.approach };
        self.perform_telling(Stage::Tree, tree)?;
        Ok(MerkleTree::from_filled_heap(heap))
    }

    /// Hashes the rows of a checked matrix, on the host in pieces so that progress can be reported.
    pub(crate) fn hash_rows_into<H: Accelerated, F: Field>(
        &self,
        matrix: MatrixRef<'_, F>,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let (shape, matrix) = (matrix.shape(), matrix.base());
        let (extent, total) = (shape.extent::<F>(), shape.rows as u64);
        // A device divides its work by its memory, so it gets all rows at once.
        let pieces = if self.device_budget().is_none() { PIECES } else { 1 };
        let piece = shape.rows.div_ceil(pieces).max(4096);
        for (number, digests) in digests.chunks_mut(piece).enumerate() {
            let from = number * piece;
            self.report(Stage::Rows, from as u64, total);
            self.perform(HashRows::<H> { matrix, extent, from, digests })?;
        }
        self.report(Stage::Rows, total, total);
        Ok(())
    }

    /// Gives back the host memory of a matrix that a device has now, on a thread of the engine: for small pages that takes the system as long as to copy it, and nothing waits for it.
    /// Where two of the process wait for a thread already, the calling one does it, so that memory does not pile up.
    pub(crate) fn let_go<E: Element>(&self, matrix: MatrixInput<'_, E>) {
        static WAITING: AtomicUsize = AtomicUsize::new(0);
        let MatrixInput::Owned(matrix) = matrix else { return };
        if size_of_val(matrix.as_slice()) < memory::LARGE {
            return;
        }
        let free = move || {
            drop(matrix);
            WAITING.fetch_sub(1, Relaxed);
        };
        match WAITING.fetch_add(1, Relaxed) < 2 {
            true => self.shared.pool.spawn(free),
            false => free(),
        }
    }

    /// Runs an operation on the engine's threads: directly when called on one of them. Any other thread begins it at once, and threads of the engine help; where others are
    /// at work already, or where its stack is short, it hands the operation over. It runs nothing else until that is done.
    pub(crate) fn run<R: Send>(&self, operation: impl FnOnce() -> R + Send) -> R {
        by_call(operation, |call| self.enter(call))
    }

    /// The same for what takes the host less time than to hand it over: the calling thread does it alone.
    pub(crate) fn run_here<R: Send>(&self, operation: impl FnOnce() -> R + Send) -> R {
        by_call(operation, |call| self.enter_alone(call))
    }

    fn enter(&self, call: &mut (dyn FnMut() + Send)) {
        if self.is_inside() {
            return call();
        }
        let entered = self.shared.gate.enter();
        if entered.is_alone() && has_room(LEADERS_STACK) {
            return lead(&self.shared.pool, call);
        }
        let mut done = None;
        let run = || done = Some(catch_unwind(AssertUnwindSafe(call)));
        lending(|lender| self.shared.pool.spawn(lender.lend(Box::new(run))));
        done.expect("the pool has run it").unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn enter_alone(&self, call: &mut (dyn FnMut() + Send)) {
        if self.is_inside() {
            return call();
        }
        let _entered = self.shared.gate.enter();
        alone(call)
    }

    /// The same for work on so many bytes of host memory, whether they are many or few.
    pub(crate) fn run_on<R: Send>(&self, bytes: usize, operation: impl FnOnce() -> R + Send) -> R {
        match bytes <= FEW {
            true => self.run_here(operation),
            false => self.run(operation),
        }
    }

    /// Whether this thread runs an operation already.
    fn is_inside(&self) -> bool {
        is_at_work() || self.shared.pool.current_thread_index().is_some()
    }

    /// Runs an operation on the engine's devices.
    pub(crate) fn perform<O: Operation>(&self, operation: O) -> Result<O::Output, Error> {
        let is_elsewhere = operation.is_elsewhere();
        by_call(
            || self.dispatcher().run(operation),
            |call| match is_elsewhere {
                true => self.enter_alone(call),
                false => self.enter(call),
            },
        )
    }

    /// The same, and reports the progress of a stage to the listener.
    pub(crate) fn perform_telling<O: Divisible>(
        &self,
        stage: Stage,
        operation: O,
    ) -> Result<O::Output, Error> {
        match self.shared.progress {
            None => self.perform(operation),
            Some(_) => {
                let tell = |done, total| self.report(stage, done as u64, total as u64);
                self.run(|| self.dispatcher().telling(operation, &tell))
            }
        }
    }

    /// Work of the host, which counts how much of it is done, with its progress reported likewise.
    #[cfg(feature = "bn254")]
    pub(crate) fn metered<R>(
        &self,
        stage: Stage,
        work: impl FnOnce(&Meter<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let tell = |done, total| self.report(stage, done as u64, total as u64);
        let meter = match self.shared.progress {
            None => Meter::silent(),
            Some(_) => Meter::telling(&tell),
        };
        let done = work(&meter)?;
        meter.end();
        Ok(done)
    }

    /// The devices.
    pub(crate) fn dispatcher(&self) -> &Dispatcher {
        &self.shared.dispatcher
    }

    /// The most bytes of a device's own memory that one operation may take ([`device_memory`](crate::EngineBuilder::device_memory)), for several devices the smallest; `None` where data stay in
    /// host memory.
    pub fn device_budget(&self) -> Option<u64> {
        self.dispatcher().device_budget()
    }

    /// Whether matrices may stay in parts ([`Cosets`](crate::resident::Cosets)): among several devices work is divided, and some have memory of their own.
    pub fn keeps_parts(&self) -> bool {
        self.dispatcher().divides_what_stays()
    }

    /// Whether data that are to stay always do so in devices' own memory. Otherwise they may stay in the host's: it is one of the devices, or the only one.
    pub fn always_keeps_data(&self) -> bool {
        self.dispatcher().always_keeps_data()
    }

    /// The bytes of data that stay in devices' own memory.
    pub fn resident_bytes(&self) -> u64 {
        self.dispatcher().resident_bytes()
    }

    /// Whether both are the same engine, whatever their approach.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// [`Error::WrongEngine`] unless this is the engine to which something belongs.
    pub(crate) fn check_owner(&self, what: &'static str, owner: &Self) -> Result<(), Error> {
        let [expected, found] = [self, owner].map(|engine| &engine.device().id);
        match self.is(owner) {
            true => Ok(()),
            false => Err(Error::WrongEngine { what, expected: expected.clone(), found: found.clone() }),
        }
    }

    /// The most bytes that one operation may allocate, where that is known.
    #[cfg(feature = "bn254")]
    pub(crate) fn memory_budget(&self) -> Option<u64> {
        self.shared.memory_budget
    }

    /// The threads of its jobs.
    pub(crate) fn jobs(&self) -> &JobThreads {
        &self.shared.jobs
    }

    /// Reports the progress of a stage to the listener.
    pub(crate) fn report(&self, stage: Stage, done: u64, total: u64) {
        if let Some(listener) = &self.shared.progress {
            listener(Progress { stage, done, total });
        }
    }

    /// Bytes that a transform takes on the host beside its data: columns of scratch; or, where columns have to lie one after
    /// another, a table of roots and the columns of a row-major matrix.
    pub(crate) fn scratch<E: Element<Base: AcceleratedField>>(
        &self,
        domain: Domain<E::Base>,
        shape: Shape,
    ) -> u64 {
        match E::Base::ROW_MAJOR {
            true => memory_of::<E>(shape.rows, shape.columns.min(8)),
            false => {
                let copied = u64::from(shape.block_width::<E>() > E::WIDTH);
                memory_of::<E>(domain.size() / 2, 1) + copied * memory_of::<E>(shape.rows, shape.columns)
            }
        }
    }

    /// [`Error::LengthMismatch`] unless a matrix has as many rows as its domain has points.
    pub(crate) fn check_rows(&self, expected: usize, found: usize) -> Result<(), Error> {
        match expected == found {
            true => Ok(()),
            false => Err(Error::LengthMismatch { what: "rows of the matrix", expected, found }),
        }
    }

    /// [`Error::OverBudget`] if an operation would allocate more than the engine may.
    pub(crate) fn check_budget(&self, required: u64) -> Result<(), Error> {
        match self.shared.memory_budget {
            Some(budget) if required > budget => Err(Error::OverBudget { required, budget }),
            _ => Ok(()),
        }
    }
}

/// Bytes of `rows * columns` values of a type, saturating.
pub(crate) fn memory_of<T>(rows: usize, columns: usize) -> u64 {
    (rows as u64).saturating_mul(columns as u64).saturating_mul(size_of::<T>() as u64)
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("device", &self.shared.device).finish_non_exhaustive()
    }
}

/// The result of an operation that is run by what takes any call. That is not generic, so it is compiled once and not for each of the operations, of which there are hundreds.
fn by_call<R: Send>(operation: impl FnOnce() -> R + Send, run: impl FnOnce(&mut (dyn FnMut() + Send))) -> R {
    let (mut operation, mut result) = (Some(operation), None);
    run(&mut || result = operation.take().map(|operation| operation()));
    result.expect("the operation was run")
}

#[cfg(test)]
mod tests {
    use std::thread::{Builder, current, scope};

    use super::{Engine, LEADERS_STACK, has_room};
    use crate::device::DeviceChoice;

    /// On a thread with a stack of so many bytes or more, whether an operation is begun by the caller, and whether there is room for it.
    fn leads(engine: &Engine, stack: usize) -> [bool; 2] {
        let run = || [engine.run(|| current().id()) == current().id(), has_room(LEADERS_STACK)];
        scope(|scope| Builder::new().stack_size(stack).spawn_scoped(scope, run).unwrap().join().unwrap())
    }

    #[test]
    fn who_runs_an_operation() {
        let engine = Engine::builder().device(DeviceChoice::Cpu).threads(2).build().unwrap();
        let (enough, known) = (2 * LEADERS_STACK, cfg!(any(target_os = "linux", target_os = "macos")));
        assert_eq!(leads(&engine, enough), [known; 2]);
        // The system may give a thread the stack of another that has ended.
        let [leads_on_less, has_room] = leads(&engine, LEADERS_STACK / 2);
        assert_eq!(leads_on_less, has_room);
        // One that comes while another is under way is handed over, wherever that is.
        assert_eq!(engine.run(|| leads(&engine, enough)), [false, known]);
        assert_eq!(engine.run_here(|| leads(&engine, enough)), [false, known]);
        // One within another is part of it.
        let [outer, inner] = engine.run(|| [current().id(), engine.run(|| current().id())]);
        assert_eq!(outer, inner);
        // Nothing is left behind.
        assert_eq!(leads(&engine, enough), [known; 2]);
    }
}
