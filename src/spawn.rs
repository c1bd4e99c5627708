//! Asynchronous forms of the engine's operations.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::backend::Accelerated;
use crate::backend::AcceleratedField;
use crate::columns::{Base, Columns, ColumnsMut, Rows};
use crate::commit::{Commitment, TraceInput, TraceSpec};
use crate::engine::Engine;
use crate::error::Error;
use crate::extended::ExtendedDomain;
use crate::job::{Job, Start};
use crate::lend::{Lender, lending};
use crate::lock::lock;
use crate::matrix::{Element, Matrix};
use crate::merkle::MerkleTree;
use crate::ntt::{Lde, Ntt};
use crate::program::{Program, ProgramInput, ProgramRows};
use crate::resident::DeviceMatrix;
use crate::sync::{Arc, Mutex, PoisonError};

/// Where jobs over borrowed inputs are started; see [`Engine::scope`].
#[derive(Debug)]
pub struct Scope<'a, 'scope> {
    engine: &'a Engine,
    lender: &'a Lender<'scope>,
    /// The started jobs.
    started: Mutex<Vec<Arc<Start>>>,
}

impl Engine {
    /// Runs any operation, or several, as a job ([`Job`] says on which thread). The engine's operations inside it run on
    /// the engine's threads; parallel iterators of the caller's own run in rayon's global pool.
    ///
    /// ```
    /// # use zkaccel::{Engine, hash::{ElementDigest, Rp64_256}};
    /// let engine = Engine::new()?;
    /// let leaves = vec![ElementDigest::default(); 8];
    /// let job = engine.spawn(move |engine| Ok(engine.merkle_tree::<Rp64_256>(&leaves)?.root()));
    /// let root = job.wait()?;
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn spawn<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Job<T> {
        let engine = self.clone();
        let (job, start) = Job::new(move || operation(&engine), |task| task);
        self.jobs().push(start);
        job
    }

    /// Starts jobs over borrowed inputs; returns when `body` and every job started in it are done. Jobs that no thread has begun by the end
    /// of `body` are run on this one.
    ///
    /// ```
    /// # use zkaccel::{Engine, hash::{ElementDigest, Rp64_256}};
    /// let engine = Engine::new()?;
    /// let leaves = vec![ElementDigest::default(); 8];
    /// let (left, right) = engine.scope(|scope| {
    ///     let left = scope.spawn(|engine| engine.merkle_tree::<Rp64_256>(&leaves[..4]));
    ///     let right = scope.spawn(|engine| engine.merkle_tree::<Rp64_256>(&leaves[4..]));
    ///     (left.wait(), right.wait())
    /// });
    /// assert_eq!(left?.root(), right?.root());
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn scope<'scope, R>(&self, body: impl FnOnce(&Scope<'_, 'scope>) -> R) -> R {
        lending(|lender| {
            let scope = Scope { engine: self, lender, started: Mutex::default() };
            let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
            // A scope inside a job thus needs no further thread.
            for start in scope.started.into_inner().unwrap_or_else(PoisonError::into_inner) {
                start.run();
            }
            result.unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// [`ntt`](Self::ntt) as a job, which returns the transformed matrix.
    pub fn ntt_async<E: Element, M: Send + 'static>(&self, ntt: &Ntt<E::Base>, mut matrix: M) -> Job<M>
    where
        E::Base: AcceleratedField,
        for<'a> &'a mut M: ColumnsMut<Element = E>,
    {
        let ntt = *ntt;
        self.spawn(move |engine| engine.ntt(&ntt, &mut matrix).map(|()| matrix))
    }

    /// [`invert`](Self::invert) as a job, which returns the inverses.
    pub fn invert_async<E: AcceleratedField, M: Send + 'static>(&self, mut matrix: M) -> Job<M>
    where
        for<'a> &'a mut M: ColumnsMut<Element = E>,
    {
        self.spawn(move |engine| engine.invert(&mut matrix).map(|()| matrix))
    }

    /// [`run_program`](Self::run_program) as a job, with inputs that it owns; a [`DeviceMatrix`] that is cloned shares its entries.
    pub fn run_program_async<M: ProgramInput + Send + Sync + 'static>(
        &self,
        program: Arc<Program<M::Element>>,
        rows: ProgramRows,
        inputs: Vec<M>,
        values: Vec<M::Element>,
    ) -> Job<M> {
        self.spawn(move |engine| {
            engine.run_program(&program, rows, &inputs.iter().collect::<Vec<_>>(), &values)
        })
    }

    /// [`lde`](Self::lde) as a job.
    pub fn lde_async<M: Columns + Send + 'static>(&self, lde: &Lde<Base<M>>, matrix: M) -> Job<M::Matrix> {
        let lde = *lde;
        self.spawn(move |engine| engine.lde(&lde, matrix))
    }

    /// [`coeff_to_extended`](Self::coeff_to_extended) as a job.
    pub fn coeff_to_extended_async<M: Columns + Send + 'static>(
        &self,
        domain: &ExtendedDomain<Base<M>>,
        coefficients: M,
    ) -> Job<M::Matrix> {
        let domain = *domain;
        self.spawn(move |engine| engine.coeff_to_extended(&domain, coefficients))
    }

    /// [`extended_to_coeff`](Self::extended_to_coeff) as a job.
    pub fn extended_to_coeff_async<M: Columns + Send + 'static>(
        &self,
        domain: &ExtendedDomain<Base<M>>,
        values: M,
        coefficients: usize,
    ) -> Job<M::Matrix> {
        let domain = *domain;
        self.spawn(move |engine| engine.extended_to_coeff(&domain, values, coefficients))
    }

    /// [`merkle_tree`](Self::merkle_tree) as a job.
    pub fn merkle_tree_async<H: Accelerated>(&self, leaves: Vec<H::Digest>) -> Job<MerkleTree<H>> {
        self.spawn(move |engine| engine.merkle_tree(&leaves))
    }

    /// [`merkle_tree_of_rows`](Self::merkle_tree_of_rows) as a job.
    pub fn merkle_tree_of_rows_async<H: Accelerated, M>(&self, matrix: M) -> Job<M::Tree<H>>
    where
        M: Rows + Send + 'static,
    {
        self.spawn(move |engine| engine.merkle_tree_of_rows(matrix))
    }

    /// [`commit`](Self::commit) as a job.
    pub fn commit_async<H: Accelerated>(
        &self,
        spec: &TraceSpec,
        trace: impl Into<TraceInput<'static>>,
    ) -> Job<Commitment<H>> {
        let (spec, trace) = (*spec, trace.into());
        self.spawn(move |engine| engine.commit(&spec, trace))
    }

    /// [`upload`](Self::upload) as a job.
    pub fn upload_async<E: Element>(&self, matrix: Matrix<E>) -> Job<DeviceMatrix<E>> {
        self.spawn(move |engine| engine.upload(matrix))
    }

    /// [`download`](Self::download) as a job.
    pub fn download_async<E: Element>(&self, matrix: &DeviceMatrix<E>) -> Job<Matrix<E>> {
        let matrix = matrix.clone();
        self.spawn(move |engine| engine.download(&matrix))
    }
}

impl<'scope> Scope<'_, 'scope> {
    /// Runs an operation as a job; it may borrow whatever outlives the scope.
    pub fn spawn<T: Send + 'scope>(
        &self,
        operation: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'scope,
    ) -> Job<T> {
        let engine = self.engine.clone();
        let (job, start) = Job::new(move || operation(&engine), |task| self.lender.lend(task));
        lock(&self.started).push(Arc::clone(&start));
        self.engine.jobs().push(start);
        job
    }
}
