//! Operations over ranks of MPI, each a process of Python with an engine of its own (`zkaccel_cluster`).
//!
//! An argument that only this rank finds wrong is told to the others as well, or they would wait for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use accel::commit::TraceSpec;
use accel::field::Goldilocks;
use accel::hash::Accelerated;
use accel::ntt::Direction;
use pyo3::prelude::*;
use zkaccel_cluster::{Cluster, Error, Mpi, Transport};

use crate::arrays::{Input, array_of};
use crate::commitment::Opening;
use crate::engine::{DIGEST, Engine, Live};
use crate::failure::{Failure, Outcome};
use crate::fields::text_of;
use crate::hashes::{self, HashVisitor};
use crate::integers::{Unsigned, copied, indices, unsigned};
use crate::sums::{self, Msm};
use crate::transforms::Options;

/// The ranks of an MPI communicator, each with an engine. `zkaccel.cluster.Cluster` is made of it.
#[pyclass(frozen, module = "zkaccel")]
pub(crate) struct Ranks {
    membership: Mutex<Membership>,
    library: String,
    live: Live,
}

struct Membership {
    /// None once it is closed.
    cluster: Option<Arc<Cluster<Mpi>>>,
    /// This rank's number, and that of ranks.
    rank_and_size: [usize; 2],
    /// The words of the last error of which all ranks know.
    agreed: Option<String>,
}

impl Ranks {
    fn membership(&self) -> MutexGuard<'_, Membership> {
        self.membership.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cluster(&self) -> Outcome<Arc<Cluster<Mpi>>> {
        let closed = || Failure::Value("the cluster is closed, expected one that is open".into());
        self.membership().cluster.clone().ok_or_else(closed)
    }

    /// Does something that all ranks do, while other threads of Python run, with what this rank has prepared: a failure to prepare it is an error of all ranks.
    pub(crate) fn collective<P: Send, T: Send>(
        &self,
        py: Python<'_>,
        prepared: Outcome<P>,
        operation: impl FnOnce(&Cluster<Mpi>, P) -> Result<T, Error> + Send,
    ) -> Outcome<T> {
        let prepared = prepared.map_err(|failure| self.refused(py, failure))?;
        let cluster = self.cluster()?;
        py.detach(|| operation(&cluster, prepared)).map_err(|error| self.known(error))
    }

    /// Tells the other ranks of a failure of this one; that of telling them, if it fails.
    fn refused(&self, py: Python<'_>, failure: Failure) -> Failure {
        let cluster = match self.cluster() {
            Ok(cluster) => cluster,
            Err(closed) => return closed,
        };
        let failure = PyErr::from(failure);
        let message = failure.value(py).to_string();
        let own = Err(Error::Caller { message });
        match py.detach(|| cluster.agree::<()>("an argument", &[], own)) {
            Ok(()) => failure.into(),
            Err(error) => match self.known(error) {
                Failure::Cluster(Error::Caller { .. }) => failure.into(),
                other => other,
            },
        }
    }

    /// An error of an operation, which is kept where all ranks know of it.
    fn known(&self, error: Error) -> Failure {
        if error.is_agreed() {
            self.membership().agreed = Some(error.to_string());
        }
        error.into()
    }

    /// Something over the hash of a name.
    fn of_hash<T>(
        &self,
        py: Python<'_>,
        hash: &str,
        operation: impl HashVisitor<Output = Outcome<T>>,
    ) -> Outcome<T> {
        match hashes::visit(hash, operation) {
            Ok(result) => result,
            Err(unknown) => Err(self.refused(py, unknown.into())),
        }
    }
}

/// A deadline in seconds.
fn seconds(deadline: f64) -> Outcome<Duration> {
    let seconds = Duration::try_from_secs_f64(deadline).ok().filter(|seconds| !seconds.is_zero());
    seconds.ok_or_else(|| Failure::Value(format!("deadline: expected seconds above 0, found {deadline}")))
}

#[pymethods]
impl Ranks {
    /// All processes of the launcher, or those of a communicator, by its Fortran handle; waits for so many seconds at most, now and in every operation.
    #[new]
    fn new(py: Python<'_>, engine: &Engine, communicator: Option<i32>, deadline: f64) -> Outcome<Self> {
        let deadline = seconds(deadline)?;
        let transport = py.detach(|| match communicator {
            None => Mpi::world(deadline),
            Some(handle) => Mpi::of_fortran(handle, deadline),
        })?;
        let (numbers, library) = (rank_and_size(&transport), transport.library().to_string());
        let made = engine.live.attempt(py, |engine| Ok(engine.clone())).map_err(|failure| {
            let failure = PyErr::from(failure);
            Error::Caller { message: failure.value(py).to_string() }
        });
        let cluster = py.detach(|| Cluster::started(transport, made))?;
        let membership =
            Membership { cluster: Some(Arc::new(cluster)), rank_and_size: numbers, agreed: None };
        Ok(Self { membership: Mutex::new(membership), library, live: engine.live.clone() })
    }

    /// This rank's number, from 0 on.
    #[getter]
    fn rank(&self) -> usize {
        self.membership().rank_and_size[0]
    }

    /// The number of ranks.
    #[getter]
    fn size(&self) -> usize {
        self.membership().rank_and_size[1]
    }

    /// The name under which the library of MPI was found.
    #[getter]
    fn library(&self) -> &str {
        &self.library
    }

    /// Has ranks exchange what their GPUs keep by NCCL, for so many seconds at most each time; the library's version.
    fn use_nccl(&self, py: Python<'_>, deadline: f64) -> Outcome<String> {
        self.collective(py, seconds(deadline), |cluster, deadline| cluster.use_nccl(deadline))
    }

    /// Whether all ranks know of the error with this text.
    fn is_agreed(&self, text: &str) -> bool {
        self.membership().agreed.as_deref() == Some(text)
    }

    /// Leaves out the ranks that have died; whether what all ranks did since the last time is to be done again, by those that are left.
    fn shrink(&self, py: Python<'_>) -> Outcome<bool> {
        let cluster = self.cluster()?;
        let again = py.detach(|| cluster.shrink()).map_err(|error| self.known(error))?;
        self.membership().rank_and_size = rank_and_size(cluster.transport());
        Ok(again)
    }

    /// Leaves the other ranks, which do the same.
    fn close(&self, py: Python<'_>) {
        let cluster = self.membership().cluster.take();
        py.detach(|| drop(cluster));
    }

    /// Ends all ranks, since this one cannot go on.
    fn abort(&self, py: Python<'_>, reason: &str) {
        let cluster = self.membership().cluster.clone();
        py.detach(|| cluster.inspect(|cluster| cluster.transport().abort(reason)));
    }

    /// The first row that this rank brings of so many, and the one behind its last.
    fn rows(&self, count: Unsigned) -> Outcome<(usize, usize)> {
        let rows = self.cluster()?.rows(count.size());
        Ok((rows.start, rows.end))
    }

    /// The same of leaves.
    fn leaves(&self, count: Unsigned) -> Outcome<(usize, usize)> {
        let leaves = self.cluster()?.leaves(count.size())?;
        Ok((leaves.start, leaves.end))
    }

    /// Commits to a trace of so many rows, of which this rank brings its own.
    fn commit(
        slf: Bound<'_, Self>,
        own: &Bound<'_, PyAny>,
        rows: Unsigned,
        #[pyo3(from_py_with = unsigned)] blowup: u64,
        hash: &str,
        convention: &str,
        #[pyo3(from_py_with = unsigned)] shift: u64,
    ) -> Outcome<RanksCommitment> {
        let shift = bytemuck::cast(shift);
        let spec = convention.parse().map(|convention| TraceSpec { blowup, convention, shift });
        let commit = Commit { ranks: &slf, own, rows: rows.size(), spec: spec.map_err(Failure::from) };
        slf.get().of_hash(slf.py(), hash, commit)
    }

    /// The root of the Merkle tree over so many leaves, of which this rank brings its own.
    fn merkle_root(&self, own: &Bound<'_, PyAny>, count: Unsigned, hash: &str) -> Outcome<String> {
        self.of_hash(own.py(), hash, Root { ranks: self, own, count: count.size() })
    }

    /// The values of a polynomial, of whose coefficients this rank brings its block.
    fn ntt<'py>(
        &self,
        own: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = unsigned)] shift: u64,
        convention: &str,
    ) -> Outcome<Bound<'py, PyAny>> {
        let py = own.py();
        let prepare = || {
            let input = Input::new(own, "own")?;
            let &[length] = input.dims() else {
                let found = text_of(input.dims());
                return Err(Failure::Value(format!("own: expected the shape (rows,), found {found}")));
            };
            let options = Options { convention, shift, input_order: "natural", output_order: "natural" };
            let transform = options.ntt(Direction::Forward, length.saturating_mul(self.size()))?;
            Ok((transform.domain, elements(&input)?))
        };
        let values = self.collective(py, prepare(), |cluster, (domain, own)| cluster.ntt(&domain, own))?;
        let length = values.len();
        Ok(array_of(py, bytemuck::cast_vec(values), &[length], false))
    }

    /// The sum of all ranks' scalars times their bases, or a list of sums.
    fn msm<'py>(
        &self,
        scalars: &Bound<'py, PyAny>,
        bases: &Bound<'py, PyAny>,
        curve: Option<&str>,
        canonical: bool,
        validate: bool,
    ) -> Outcome<Bound<'py, PyAny>> {
        let own = Msm { live: &self.live, scalars, canonical, validate }.run(bases, curve);
        match own {
            Ok(own) => sums::add_up(self, &own, sums::curve_of(bases, curve)),
            Err(failure) => Err(self.refused(scalars.py(), failure)),
        }
    }
}

/// A rank's number, and that of ranks.
fn rank_and_size(transport: &Mpi) -> [usize; 2] {
    [transport.rank(), transport.size()]
}

/// A copy of an array's words as elements, which the engine looks at.
fn elements(input: &Input<'_>) -> Outcome<Vec<Goldilocks>> {
    Ok(bytemuck::cast_vec(copied(input.words())?))
}

struct Commit<'a, 'py> {
    ranks: &'a Bound<'py, Ranks>,
    own: &'a Bound<'py, PyAny>,
    rows: usize,
    spec: Outcome<TraceSpec>,
}

impl HashVisitor for Commit<'_, '_> {
    type Output = Outcome<RanksCommitment>;

    fn visit<H: Accelerated>(self) -> Self::Output {
        let Self { ranks, own, rows, spec } = self;
        let (this, py) = (ranks.get(), ranks.py());
        let prepare = || {
            let input = Input::new(own, "own")?;
            match *input.dims() {
                [_, columns] if !input.is_fortran() => Ok((spec?, columns, elements(&input)?)),
                ref dims => {
                    let order = if input.is_fortran() { " in Fortran order" } else { "" };
                    let expected = "C order and the shape (rows of this rank, columns)";
                    Err(Failure::Value(format!("own: expected {expected}, found {}{order}", text_of(dims))))
                }
            }
        };
        let commitment = this.collective(py, prepare(), |cluster, (spec, columns, own)| {
            cluster.commit::<H>(&spec, [rows, columns], own)
        })?;
        Ok(RanksCommitment { ranks: ranks.clone().unbind(), commitment: Box::new(commitment) })
    }
}

struct Root<'a, 'py> {
    ranks: &'a Ranks,
    own: &'a Bound<'py, PyAny>,
    count: usize,
}

impl HashVisitor for Root<'_, '_> {
    type Output = Outcome<String>;

    fn visit<H: Accelerated>(self) -> Self::Output {
        let Self { ranks, own, count } = self;
        let prepare = || Ok(copied(Input::of_width(own, "own", DIGEST)?.words())?);
        let tree = ranks.collective(own.py(), prepare(), |cluster, own| {
            cluster.merkle_tree::<H>(count, bytemuck::cast_slice(&own))
        })?;
        Ok(tree.root().to_string())
    }
}

/// A commitment of which every rank has a share. `Ranks.commit` makes one.
#[pyclass(frozen, module = "zkaccel")]
pub(crate) struct RanksCommitment {
    ranks: Py<Ranks>,
    commitment: Box<dyn AnyCommitment>,
}

/// A commitment over any hash.
trait AnyCommitment: Send + Sync {
    fn hash(&self) -> &'static str;
    fn root(&self) -> String;
    fn shape(&self) -> (usize, usize);
    fn open(&self, cluster: &Cluster<Mpi>, rows: &[usize]) -> Result<Opening, Error>;
    /// Copies of this rank's cosets, with their numbers.
    fn cosets(&self) -> Result<Vec<(usize, Vec<u64>)>, Error>;
    /// The number of all cosets.
    fn coset_count(&self) -> usize;
}

impl<H: Accelerated> AnyCommitment for zkaccel_cluster::Commitment<H> {
    fn hash(&self) -> &'static str {
        H::NAME
    }

    fn root(&self) -> String {
        self.root().to_string()
    }

    fn shape(&self) -> (usize, usize) {
        self.shape()
    }

    fn open(&self, cluster: &Cluster<Mpi>, rows: &[usize]) -> Result<Opening, Error> {
        Ok(Opening::of(self.shape(), cluster.open_rows(self, rows)?))
    }

    fn cosets(&self) -> Result<Vec<(usize, Vec<u64>)>, Error> {
        let (_, own, values) = self.cosets();
        own.zip(values)
            .map(|(k, values)| Ok((k, bytemuck::cast_vec(values.download()?.into_vec()))))
            .collect()
    }

    fn coset_count(&self) -> usize {
        self.cosets().0
    }
}

#[pymethods]
impl RanksCommitment {
    /// The root of the Merkle tree: 64 hexadecimal digits, the same on every rank.
    #[getter]
    fn root(&self) -> String {
        self.commitment.root()
    }

    /// The name of the hash: one of `zkaccel.HASHES`.
    #[getter]
    fn hash(&self) -> &'static str {
        self.commitment.hash()
    }

    /// Rows of the extended trace, which are the leaves of the tree.
    #[getter]
    fn rows(&self) -> usize {
        self.commitment.shape().0
    }

    /// Columns of the trace.
    #[getter]
    fn columns(&self) -> usize {
        self.commitment.shape().1
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = self.commitment.shape();
        let (root, hash) = (self.root(), self.hash());
        format!("<zkaccel.RanksCommitment {root} over {rows} rows and {columns} columns, {hash}>")
    }

    /// Opens rows of the extended trace, by their indices, each once, on every rank: collective, with the same indices on all.
    ///
    /// `InputError` for no index, an index past the last row or twice the same; `ClusterError` for what other ranks have.
    fn open(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> Outcome<Opening> {
        let rows = indices(rows, "rows");
        self.ranks.get().collective(py, rows, |cluster, rows| self.commitment.open(cluster, &rows))
    }

    /// The number of cosets, C, into which the extended trace is divided among the ranks.
    #[getter]
    fn coset_count(&self) -> usize {
        self.commitment.coset_count()
    }

    /// The cosets of the extended trace that this rank has: pairs of a number k and an array of uint64, a copy, that has rows k, k + C, k + 2C, ....
    fn cosets<'py>(&self, py: Python<'py>) -> Outcome<Vec<(usize, Bound<'py, PyAny>)>> {
        let columns = self.columns();
        let array = |(k, words): (usize, Vec<u64>)| {
            let rows = words.len() / columns;
            (k, array_of(py, words, &[rows, columns], false))
        };
        let cosets = py.detach(|| self.commitment.cosets())?;
        Ok(cosets.into_iter().map(array).collect())
    }
}
