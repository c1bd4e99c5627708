//! Ranks that an MPI launcher has started, or that a caller's communicator has.
//!
//! One thread makes all calls of MPI, so that the library need not be made for several at once, and so that a call which never returns can be waited for with an end. Nothing is
//! called that waits for ranks that may have died: sends and receives are started and tested until the deadline. The thread owns the memory of messages, and keeps it for ever if an exchange fails.

mod library;
mod live;
mod world;

use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::cluster::lock;
use crate::error::Error;
use crate::transport::Transport;
pub(crate) use world::Survivors;
use world::{Origin, World};

/// The processes of an MPI communicator.
///
/// Dropped, it frees its communicator and, where MPI was initialised by it, finalises, which is collective; dropped by a panic, or after an exchange that failed, it ends all processes
/// instead (`MPI_Abort`), which would wait for this one for ever otherwise. So does a process that exits before.
#[derive(Debug)]
pub struct Mpi {
    /// This rank's number, and that of ranks: others where some have died.
    rank_and_size: Mutex<[usize; 2]>,
    /// The first failure since ranks were all of one mind.
    trouble: Mutex<Option<Error>>,
    deadline: Duration,
    library: String,
    jobs: Mutex<Sender<Job>>,
    live: live::Key,
}

/// What the thread is asked for.
enum Job {
    Exchange(Vec<Vec<u64>>, Vec<usize>, Sender<Result<Vec<Vec<u64>>, Error>>),
    Shrink(bool, Sender<Result<Survivors, Error>>),
    Abort,
    End(Sender<()>),
}

impl Mpi {
    /// All processes that the launcher has started; one, without a launcher. MPI is initialised if it is not yet. Collective: [`Error::Deadline`] if other processes do not come, after which the
    /// process should end; [`Error::NoMpi`] if there is no library that can be used.
    pub fn world(deadline: Duration) -> Result<Self, Error> {
        Self::of(Origin::World, deadline)
    }

    /// Those of a caller's communicator, by the handle that it has in Fortran (`MPI_Comm_c2f`, `comm.py2f()` of mpi4py), of which a duplicate is made. The caller has initialised MPI with
    /// `MPI_THREAD_SERIALIZED` or more, makes no calls of MPI at the same time as these operations, and finalises it after this is dropped. Collective over the communicator; errors as [`world`](Self::world), and
    /// [`Error::NoMpi`] if the library that is found is not the one that the caller has initialised.
    pub fn of_fortran(communicator: i32, deadline: Duration) -> Result<Self, Error> {
        Self::of(Origin::Fortran(communicator), deadline)
    }

    fn of(origin: Origin, deadline: Duration) -> Result<Self, Error> {
        let (jobs, received) = channel();
        let (answer, answered) = channel();
        let begin = move || match World::new(origin, deadline) {
            Ok(world) => {
                let told = (world.rank, world.size, world.library().to_string());
                if answer.send(Ok(told)).is_ok() {
                    serve(world, received);
                }
            }
            Err(error) => {
                let _ = answer.send(Err(error));
            }
        };
        let started = std::thread::Builder::new().name("zkaccel-mpi".into()).spawn(begin);
        started.map_err(|error| Error::NoMpi { reason: error.to_string(), tried: "a thread".into() })?;
        let (rank, size, library) = answer_of(&answered, "the start of MPI", deadline)?;
        let live = live::enter(rank, jobs.clone());
        let (rank_and_size, trouble) = (Mutex::new([rank, size]), Mutex::default());
        Ok(Self { rank_and_size, trouble, deadline, library, jobs: Mutex::new(jobs), live })
    }

    /// The name under which the library of MPI was found.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// What the ranks that are left agree on, of which each says whether all its exchanges have succeeded; where some have died, these ranks may have new numbers then. Collective. An
    /// exchange that failed though nobody died is an error here at once; [`Error::Deadline`] if ranks that are left do not come.
    pub(crate) fn shrink(&self) -> Result<Survivors, Error> {
        let is_done = match &*lock(&self.trouble) {
            None => true,
            Some(Error::Mpi { .. } | Error::Broken) => false,
            Some(other) => return Err(other.clone()),
        };
        let (answer, answered) = channel();
        lock(&self.jobs).send(Job::Shrink(is_done, answer)).map_err(|_| Error::Broken)?;
        let survivors = answer_of(&answered, "the ranks that are left", self.deadline)?;
        if let Survivors::Shrunk { rank, size } = survivors {
            (*lock(&self.rank_and_size), *lock(&self.trouble)) = ([rank, size], None);
            live::renumber(self.live, rank);
        }
        Ok(survivors)
    }
}

/// What the thread answers, or [`Error::Deadline`] if it does not.
fn answer_of<R>(answered: &Receiver<Result<R, Error>>, what: &str, waited: Duration) -> Result<R, Error> {
    answered.recv_timeout(waited).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Err(Error::Deadline { what: what.into(), waited, missing: Vec::new() }),
        RecvTimeoutError::Disconnected => Err(Error::Broken),
    })
}

/// Does jobs until the last.
fn serve(mut world: World, jobs: Receiver<Job>) {
    for job in jobs {
        match job {
            Job::Exchange(send, counts, answer) => {
                let _ = answer.send(world.exchange(send, &counts));
            }
            Job::Shrink(is_done, answer) => {
                let _ = answer.send(world.shrink(is_done));
            }
            Job::Abort => world.abort(),
            Job::End(done) => {
                match world.is_broken() {
                    true => world.abort(),
                    false => world.end(),
                }
                let _ = done.send(());
                return;
            }
        }
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        lock(&self.rank_and_size)[0]
    }

    fn size(&self) -> usize {
        lock(&self.rank_and_size)[1]
    }

    fn exchange(&self, send: Vec<Vec<u64>>, counts: &[usize]) -> Result<Vec<Vec<u64>>, Error> {
        let (answer, answered) = channel();
        // Held until the answer is there: exchanges of several threads come one after another.
        let jobs = lock(&self.jobs);
        // The thread ends by itself at the deadline, unless a call of MPI does not return.
        let limit = self.deadline.saturating_mul(2).saturating_add(Duration::from_secs(1));
        let sent = jobs.send(Job::Exchange(send, counts.to_vec(), answer)).map_err(|_| Error::Broken);
        let done = sent.and_then(|()| answer_of(&answered, "a call of MPI", limit));
        done.inspect_err(|error| {
            lock(&self.trouble).get_or_insert_with(|| error.clone());
        })
    }

    fn abort(&self, reason: &str) {
        live::abort(self.rank(), reason, &lock(&self.jobs), self.deadline.min(Duration::from_secs(5)));
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        live::leave(self.live);
        if std::thread::panicking() {
            return self.abort("a panic");
        }
        let (done, ended) = channel();
        if lock(&self.jobs).send(Job::End(done)).is_ok() {
            // Others may have died, for whom `MPI_Finalize` would wait.
            let _ = ended.recv_timeout(self.deadline);
        }
    }
}

const _: () = assert!(size_of::<c_int>() == 4);
