//! Sequences of calls of the C interface: engines, matrices and trees are made, used, freed and used again, and futures are polled, waited for and
//! detached in any order. Beside it goes a model of what each handle stands for; every status and every output is the model's.

mod operations;

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use zkaccel::field::Goldilocks;
use zkaccel::hash::Blake3;
use zkaccel::matrix::{Matrix, Shape};
use zkaccel::merkle::MerkleTree;
use zkaccel_capi::engine::*;
use zkaccel_capi::future::*;
use zkaccel_capi::matrix::*;
use zkaccel_capi::merkle::*;
use zkaccel_capi::options::*;
use zkaccel_capi::status::*;

use crate::draw::Draw;

/// Calls of a sequence at most.
const CALLS: usize = 30;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let mut model = Model::new(draw.below(4) == 3);
    for _ in 0..CALLS {
        match draw.below(16) {
            0..3 => model.upload(&mut draw),
            3 => model.download(&mut draw),
            4 | 5 => model.transform_matrix(&mut draw),
            6 | 7 => model.transform_words(&mut draw),
            8 => model.tree(&mut draw),
            9 => model.ask_tree(&mut draw),
            10 => model.free(&mut draw),
            11 => model.ask_matrix(&mut draw),
            12..15 => model.future(&mut draw),
            _ => model.shut_down(&mut draw),
        }
    }
    model.end();
}

/// What a handle stands for.
#[derive(Clone)]
struct Thing<T> {
    handle: usize,
    /// The index of its engine.
    engine: usize,
    freed: bool,
    value: T,
}

/// An operation under way, and what it makes or writes.
struct Pending {
    engine: usize,
    future: zka_future,
    makes: Makes,
    consumed: bool,
    /// The status that a callback was given, -1 before.
    told: Option<&'static AtomicI32>,
}

enum Makes {
    Matrix(Box<*mut zka_matrix>, Matrix<Goldilocks>),
    Tree(Box<*mut zka_tree>, MerkleTree<Blake3>),
    /// Words in place; the error is what the words are refused with.
    Words(Box<[u64]>, Result<Vec<u64>, zka_status>),
}

struct Engine {
    handle: usize,
    gone: bool,
}

struct Model {
    /// Two that stay, and perhaps one of this sequence.
    engines: Vec<Engine>,
    matrices: Vec<Thing<Matrix<Goldilocks>>>,
    trees: Vec<Thing<MerkleTree<Blake3>>>,
    pending: Vec<Pending>,
}

fn new_engine(threads: u32) -> usize {
    let (mut options, mut engine) = (null_mut(), null_mut());
    // SAFETY: pointers to variables, and a text.
    unsafe {
        assert_eq!(zka_options_new(&mut options), ZKA_OK);
        assert_eq!(zka_options_set_device(options, c"cpu".as_ptr()), ZKA_OK);
        assert_eq!(zka_options_set_threads(options, threads), ZKA_OK);
        assert_eq!(zka_engine_new(&mut engine, ZKA_ABI_VERSION, options), ZKA_OK);
        assert_eq!(zka_options_free(options), ZKA_OK);
        assert_eq!(zka_options_free(options), ZKA_BAD_ARGUMENT);
    }
    engine.addr()
}

/// The words of a matrix.
fn words(matrix: &Matrix<Goldilocks>) -> &[u64] {
    bytemuck::cast_slice(matrix.as_slice())
}

unsafe extern "C" fn tell(context: *mut c_void, status: i32) {
    // SAFETY: the context is such a number, which lives for ever.
    unsafe { &*context.cast::<AtomicI32>() }.store(status, Ordering::Release);
}

impl Model {
    fn new(with_another: bool) -> Self {
        static KEPT: LazyLock<[usize; 2]> = LazyLock::new(|| [new_engine(2), new_engine(1)]);
        let mut engines = KEPT.to_vec();
        engines.extend(with_another.then(|| new_engine(1)));
        let engines = engines.into_iter().map(|handle| Engine { handle, gone: false }).collect();
        Self { engines, matrices: Vec::new(), trees: Vec::new(), pending: Vec::new() }
    }

    /// The handle of an engine.
    fn at(&self, engine: usize) -> *mut zka_engine {
        without_provenance_mut(self.engines[engine].handle)
    }

    /// What a call with a thing of some engine gives on an engine, if nothing else is wrong.
    fn expected<T>(&self, engine: usize, thing: Option<&Thing<T>>) -> zka_status {
        match thing {
            _ if self.engines[engine].gone => ZKA_SHUTTING_DOWN,
            Some(thing) if thing.freed => ZKA_BAD_ARGUMENT,
            Some(thing) if thing.engine != engine => ZKA_WRONG_ENGINE,
            _ => ZKA_OK,
        }
    }

    /// Some engine, mostly the one of a thing.
    fn engine(&self, draw: &mut Draw<'_>, of: Option<usize>) -> usize {
        match of {
            Some(engine) if draw.below(8) < 7 => engine,
            _ => draw.below(self.engines.len()),
        }
    }

    fn matrix(draw: &mut Draw<'_>) -> Matrix<Goldilocks> {
        let (rows, columns) = (1 << draw.below(6), 1 + draw.below(4));
        let layout = draw.layout();
        draw.matrix(Shape { rows, columns, layout })
    }

    fn add_matrix(&mut self, engine: usize, handle: *mut zka_matrix, value: Matrix<Goldilocks>) {
        self.matrices.push(Thing { handle: handle.addr(), engine, freed: false, value });
    }

    fn add_tree(&mut self, engine: usize, handle: *mut zka_tree, value: MerkleTree<Blake3>) {
        self.trees.push(Thing { handle: handle.addr(), engine, freed: false, value });
    }

    fn wait_later(&mut self, engine: usize, status: zka_status, future: zka_future, makes: Makes) {
        if status == ZKA_OK {
            assert_ne!(future.id, 0);
            self.pending.push(Pending { engine, future, makes, consumed: false, told: None });
        }
    }

    /// Frees something, perhaps once more.
    fn free(&mut self, draw: &mut Draw<'_>) {
        let expected = |freed: bool| if freed { ZKA_BAD_ARGUMENT } else { ZKA_OK };
        // SAFETY: handles are looked up.
        unsafe {
            if draw.flag() && !self.matrices.is_empty() {
                let i = draw.below(self.matrices.len());
                let thing = &mut self.matrices[i];
                assert_eq!(zka_matrix_free(without_provenance_mut(thing.handle)), expected(thing.freed));
                thing.freed = true;
                // A handle of another kind.
                assert_eq!(zka_tree_free(without_provenance_mut(thing.handle)), ZKA_BAD_ARGUMENT);
            } else if !self.trees.is_empty() {
                let i = draw.below(self.trees.len());
                let thing = &mut self.trees[i];
                assert_eq!(zka_tree_free(without_provenance_mut(thing.handle)), expected(thing.freed));
                thing.freed = true;
            }
        }
    }

    fn future(&mut self, draw: &mut Draw<'_>) {
        if self.pending.is_empty() {
            return;
        }
        let i = draw.below(self.pending.len());
        let engine = self.engine(draw, Some(self.pending[i].engine));
        let Pending { engine: own, future, consumed, .. } = self.pending[i];
        let expected = match () {
            () if self.engines[engine].gone => ZKA_SHUTTING_DOWN,
            () if engine != own => ZKA_WRONG_ENGINE,
            () if consumed => ZKA_FUTURE_CONSUMED,
            () => ZKA_OK,
        };
        match draw.below(4) {
            0 => {
                let mut ready = 7;
                // SAFETY: a pointer to a variable.
                assert_eq!(unsafe { zka_poll(self.at(engine), future, &mut ready) }, expected);
                assert_eq!((0..2).contains(&ready), expected == ZKA_OK);
            }
            1 => {
                let told: &'static AtomicI32 = Box::leak(Box::new(AtomicI32::new(-1)));
                let context = (&raw const *told).cast_mut().cast();
                // SAFETY: the function takes such a context.
                assert_eq!(unsafe { zka_detach(self.at(engine), future, Some(tell), context) }, expected);
                if expected == ZKA_OK {
                    (self.pending[i].consumed, self.pending[i].told) = (true, Some(told));
                }
            }
            2 => {
                let unknown = zka_future { id: draw.word() };
                if self.pending.iter().all(|pending| pending.future != unknown) {
                    // SAFETY: a number.
                    assert_ne!(unsafe { zka_wait(self.at(engine), unknown) }, ZKA_OK, "{unknown:?}");
                }
            }
            _ => {
                // SAFETY: a number.
                let status = unsafe { zka_wait(self.at(engine), future) };
                match expected {
                    ZKA_OK => self.done(i, status),
                    expected => assert_eq!(status, expected),
                }
            }
        }
    }

    /// An operation has ended: what it has made is there.
    fn done(&mut self, i: usize, status: zka_status) {
        self.pending[i].consumed = true;
        let engine = self.pending[i].engine;
        let nothing = Makes::Words(Box::default(), Ok(Vec::new()));
        match std::mem::replace(&mut self.pending[i].makes, nothing) {
            Makes::Matrix(out, value) => {
                assert_eq!(status, ZKA_OK);
                self.add_matrix(engine, *out, value);
            }
            Makes::Tree(out, value) => {
                assert_eq!(status, ZKA_OK);
                self.add_tree(engine, *out, value);
            }
            Makes::Words(data, Ok(after)) => assert_eq!((status, &data[..]), (ZKA_OK, &after[..])),
            Makes::Words(data, Err(error)) => {
                assert_eq!(status, error);
                assert!(data.contains(&u64::MAX), "what is refused is unchanged");
            }
        }
    }

    /// Shuts the engine of this sequence down, perhaps once more. What was under way is complete then.
    fn shut_down(&mut self, draw: &mut Draw<'_>) {
        if self.engines.len() < 3 || draw.flag() {
            return;
        }
        let expected = if self.engines[2].gone { ZKA_SHUTTING_DOWN } else { ZKA_OK };
        // SAFETY: a handle is looked up.
        assert_eq!(unsafe { zka_engine_shutdown(self.at(2)) }, expected);
        if expected == ZKA_OK {
            self.engines[2].gone = true;
            for i in 0..self.pending.len() {
                let pending = &self.pending[i];
                if pending.engine == 2 && pending.told.is_none() && !pending.consumed {
                    let status = match &pending.makes {
                        Makes::Words(_, Err(error)) => *error,
                        _ => ZKA_OK,
                    };
                    self.done(i, status);
                }
            }
        }
    }

    /// Waits for everything and frees it.
    fn end(mut self) {
        if self.engines.len() > 2 && !self.engines[2].gone {
            let mut all = Draw::new(&[]);
            self.shut_down(&mut all);
        }
        for i in 0..self.pending.len() {
            match (self.pending[i].told, self.pending[i].consumed) {
                (Some(told), _) => {
                    let start = Instant::now();
                    let status = loop {
                        match told.load(Ordering::Acquire) {
                            -1 if start.elapsed() > Duration::from_secs(60) => panic!("no callback"),
                            -1 => std::thread::yield_now(),
                            status => break status,
                        }
                    };
                    self.done(i, status);
                }
                (None, true) => {}
                (None, false) => {
                    // SAFETY: a number.
                    let status = unsafe { zka_wait(self.at(self.pending[i].engine), self.pending[i].future) };
                    self.done(i, status);
                }
            }
        }
        // SAFETY: handles are looked up.
        unsafe {
            for thing in self.matrices.iter().filter(|thing| !thing.freed) {
                assert_eq!(zka_matrix_free(without_provenance_mut(thing.handle)), ZKA_OK);
            }
            for thing in self.trees.iter().filter(|thing| !thing.freed) {
                assert_eq!(zka_tree_free(without_provenance_mut(thing.handle)), ZKA_OK);
            }
        }
    }
}
