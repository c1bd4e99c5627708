//! A communicator and the calls on it, all of one thread.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use super::library::{Handle, Library, Status, Survival};
use super::live;
use crate::error::Error;

/// The time that a word takes by a slow way: 0.5 GB/s.
const NANOSECONDS: u64 = 16;

/// Words of a message at most: counts are C's `int`, and so many bytes are its, too.
const LONGEST: usize = 1 << 27;

unsafe extern "C" {
    /// _exit(2), of the C library that `std` links: without what the library of MPI does at the end of a process.
    safe fn _exit(status: c_int) -> !;
    /// raise(3). Open MPI has handlers for signals that can be handled, which print the stack.
    safe fn raise(signal: c_int) -> c_int;
}

/// The number of the signal that ends a process at once, on all systems.
const SIGKILL: c_int = 9;

/// Whose communicator it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// That of all processes of the launcher.
    World,
    /// A caller's, by its Fortran handle.
    Fortran(c_int),
}

/// A duplicate of a communicator, so that no message is taken for one of the caller's.
pub(super) struct World {
    library: Library,
    communicator: Handle,
    /// Whether MPI was initialised here, and is finalised here.
    is_ours: bool,
    pub(super) rank: usize,
    pub(super) size: usize,
    deadline: Duration,
    broken: bool,
}

/// What the ranks that are left have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Survivors {
    /// All of them are done.
    Done,
    /// Some are not, and others have died: this rank's new number, and how many are left.
    Shrunk { rank: usize, size: usize },
    /// Some are not, though all are there, or there is no way to go on without those that died.
    Failed,
}

/// A send or a receive that was started.
struct Request {
    handle: Handle,
    peer: usize,
}

impl World {
    /// Opens the library, initialises it unless the caller has, and duplicates the communicator, which is collective.
    pub(super) fn new(origin: Origin, deadline: Duration) -> Result<Self, Error> {
        let library = Library::open()?;
        let refused = |reason: &str| Error::NoMpi { reason: reason.into(), tried: library.name.clone() };
        let [mut initialized, mut finalized, mut level] = [0; 3];
        // SAFETY: these may be called at any time, and write an integer each.
        unsafe {
            library.check("MPI_Initialized", (library.initialized)(&mut initialized))?;
            library.check("MPI_Finalized", (library.finalized)(&mut finalized))?;
        }
        if finalized != 0 {
            return Err(refused("it was finalised, and begins only once in a process"));
        }
        let is_ours = initialized == 0;
        if let (true, Origin::Fortran(_)) = (is_ours, origin) {
            return Err(refused(
                "nobody has initialised it, so the communicator is of another library, expected one of this library",
            ));
        }
        // SAFETY: as above; arguments may be left out since MPI 2.
        unsafe {
            match is_ours {
                true => {
                    let begun = (library.init)(null_mut(), null_mut(), library.serialized, &mut level);
                    library.check("MPI_Init_thread", begun)?;
                }
                false => library.check("MPI_Query_thread", (library.query_thread)(&mut level))?,
            }
        }
        if level < library.serialized {
            return Err(refused("it was initialised for one thread, expected MPI_THREAD_SERIALIZED or more"));
        }
        let given = match origin {
            Origin::World => library.world,
            Origin::Fortran(handle) => library.communicator(handle),
        };
        let (mut communicator, mut rank, mut size) = (null_mut(), 0, 0);
        // SAFETY: the library is initialised; each call writes what it is given a place for.
        unsafe {
            library.check("MPI_Comm_dup", (library.duplicate)(given, &mut communicator))?;
            library.check("MPI_Comm_rank", (library.rank)(communicator, &mut rank))?;
            library.check("MPI_Comm_size", (library.size)(communicator, &mut size))?;
        }
        library.return_errors(communicator)?;
        let [rank, size] = [rank, size].map(|number| number as usize);
        Ok(Self { library, communicator, is_ours, rank, size, deadline, broken: false })
    }

    /// The library's name.
    pub(super) fn library(&self) -> &str {
        &self.library.name
    }

    /// Whether a call has failed, after which no other is made.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Sends and receives words. Memory of what is under way when it fails is never freed: the library may still write there.
    pub(super) fn exchange(
        &mut self,
        mut send: Vec<Vec<u64>>,
        counts: &[usize],
    ) -> Result<Vec<Vec<u64>>, Error> {
        if self.broken {
            return Err(Error::Broken);
        }
        let own = std::mem::take(&mut send[self.rank]);
        if own.len() != counts[self.rank] {
            return Err(Error::Length { rank: self.rank, expected: counts[self.rank], found: own.len() });
        }
        let mut received: Vec<Vec<u64>> = Vec::with_capacity(counts.len());
        for (rank, &count) in counts.iter().enumerate() {
            received.push(vec![0; if rank == self.rank { 0 } else { count }]);
        }
        let words: usize = send.iter().chain(&received).map(Vec::len).sum();
        let done = self.start(&send, &mut received).and_then(|requests| self.wait(requests, words));
        if let Err(error) = done {
            self.broken = true;
            std::mem::forget((send, received));
            return Err(error);
        }
        received[self.rank] = own;
        Ok(received)
    }

    fn start(&self, send: &[Vec<u64>], receive: &mut [Vec<u64>]) -> Result<VecDeque<Request>, Error> {
        let Library { word, .. } = self.library;
        let mut requests = VecDeque::new();
        for (peer, words) in receive.iter_mut().enumerate() {
            for (tag, words) in words.chunks_mut(LONGEST).enumerate() {
                let (count, mut handle) = (words.len() as c_int, null_mut());
                let (to, tag) = (words.as_mut_ptr().cast(), tag as c_int);
                // SAFETY: so many words, which are neither read nor freed before the request is done, or never.
                let started = unsafe {
                    (self.library.receive)(
                        to,
                        count,
                        word,
                        peer as c_int,
                        tag,
                        self.communicator,
                        &mut handle,
                    )
                };
                self.library.check("MPI_Irecv", started)?;
                requests.push_back(Request { handle, peer });
            }
        }
        for (peer, words) in send.iter().enumerate() {
            for (tag, words) in words.chunks(LONGEST).enumerate() {
                let (count, mut handle) = (words.len() as c_int, null_mut());
                let (from, tag) = (words.as_ptr().cast(), tag as c_int);
                // SAFETY: so many words, which are neither changed nor freed before the request is done, or never.
                let started = unsafe {
                    (self.library.send)(from, count, word, peer as c_int, tag, self.communicator, &mut handle)
                };
                self.library.check("MPI_Isend", started)?;
                requests.push_back(Request { handle, peer });
            }
        }
        Ok(requests)
    }

    /// Waits for requests of so many words, up to the deadline. Between tests there is no pause for as long as a slow way may take for the words: some libraries move a piece of a message with each.
    fn wait(&self, mut requests: VecDeque<Request>, words: usize) -> Result<(), Error> {
        let start = Instant::now();
        let transfer = Duration::from_nanos(NANOSECONDS * words as u64);
        let mut status: Status = [0; 16];
        let mut rounds = 0_u32;
        while !requests.is_empty() {
            let before = requests.len();
            for _ in 0..before {
                let mut request = requests.pop_front().expect("as many as there were");
                let mut done = 0;
                // SAFETY: a request that was started and is not done; the status is large enough for either interface.
                let tested = unsafe { (self.library.test)(&mut request.handle, &mut done, &mut status) };
                self.library.check("MPI_Test", tested)?;
                if done == 0 {
                    requests.push_back(request);
                }
            }
            if requests.len() < before {
                rounds = 0;
                continue;
            }
            if start.elapsed() > self.deadline {
                let mut missing: Vec<_> = requests.iter().map(|request| request.peer).collect();
                missing.sort_unstable();
                missing.dedup();
                return Err(Error::Deadline { what: "an exchange".into(), waited: start.elapsed(), missing });
            }
            rounds += 1;
            // Other ranks of the host may need this core to come.
            match rounds {
                0..64 => std::hint::spin_loop(),
                64..4096 => std::thread::yield_now(),
                _ if start.elapsed() < transfer => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(100)),
            }
        }
        Ok(())
    }

    /// Whether all ranks that are left are done, of which this one says whether it is. Otherwise a communicator of those takes the place of this one. Collective over them, and waits
    /// for them, though not for ranks that died.
    pub(super) fn shrink(&mut self, is_done: bool) -> Result<Survivors, Error> {
        let Some(Survival { revoke, agree, shrink }) = self.library.survival else {
            return Ok(if is_done { Survivors::Done } else { Survivors::Failed });
        };
        let (mut all_done, mut left, mut rank, mut size) = (c_int::from(is_done), null_mut(), 0, 0);
        // SAFETY: the library is initialised, and has the communicator; each call writes what it is given a place for.
        unsafe {
            if !is_done {
                // Others may wait for a message that does not come any more.
                self.library.check("MPIX_Comm_revoke", revoke(self.communicator))?;
            }
            // A rank that died is an error here, and the number is that of the others all the same.
            let _ = agree(self.communicator, &mut all_done);
            if all_done != 0 {
                return Ok(Survivors::Done);
            }
            self.library.check("MPIX_Comm_shrink", shrink(self.communicator, &mut left))?;
            self.library.return_errors(left)?;
            self.library.check("MPI_Comm_rank", (self.library.rank)(left, &mut rank))?;
            self.library.check("MPI_Comm_size", (self.library.size)(left, &mut size))?;
        }
        let (rank, size) = (rank as usize, size as usize);
        if size == self.size {
            return Ok(Survivors::Failed);
        }
        (self.communicator, self.rank, self.size, self.broken) = (left, rank, size, false);
        Ok(Survivors::Shrunk { rank, size })
    }

    /// Ends all processes of the communicator, unless the caller has ended MPI already. Where ranks may go on without those that died it ends this one alone.
    pub(super) fn abort(&self) {
        let mut finalized = 0;
        // SAFETY: whether the library is finalised may be asked at any time.
        unsafe { (self.library.finalized)(&mut finalized) };
        if finalized != 0 {
            return;
        }
        live::leave_all();
        match (self.library.survival, self.broken) {
            // SAFETY: the library is initialised, and has the communicator.
            (None, _) => unsafe { (self.library.abort)(self.communicator, 2) },
            // `MPI_Abort` ends nobody else there. The others have the failure that this one has; where all are ended by signals, the launcher's status is 0.
            (Some(_), true) => _exit(2),
            // They learn of a rank that is ended by a signal, and not of one that exits.
            (Some(_), false) => raise(SIGKILL),
        };
    }

    /// Frees the communicator and ends what was begun here. Collective.
    pub(super) fn end(mut self) {
        // SAFETY: no request is under way; nothing is called afterwards.
        unsafe {
            (self.library.free)(&mut self.communicator);
            if self.is_ours {
                (self.library.finalize)();
            }
        }
    }
}
