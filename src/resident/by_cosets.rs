//! How several devices make a matrix in parts, and the tree over its rows: cosets of an extension.

use std::marker::PhantomData;

use super::{Cosets, DeviceMatrix, DeviceTree, Location};
use crate::backend::{Accelerated, AcceleratedField};
use crate::dispatch::Cost;
use crate::engine::Engine;
use crate::error::Error;
use crate::field::Field;
use crate::matrix::{Element, Matrix, MatrixInput, MatrixRef, Shape};
use crate::ntt::Lde;
use crate::operation::{
    Built, CosetRows, Digests, Each, ExtendCosets, HashCoset, Held, Purpose, SpreadTrace, Subtree,
};
use crate::progress::Stage;

/// Nanoseconds that a proof takes longer for an extension in parts: each of its steps waits for several devices. As measured with traces of five columns, of two milliseconds in all.
const STEPS_OF_A_PROOF: f64 = 2e6;

impl Engine {
    /// [`lde`](Self::lde) of a matrix in host memory, made and kept by several devices, each its cosets, where all of them together are expected to end earlier with what a
    /// proof does with an extension than one; by one device it is whole. A commitment has [its extension](crate::commit::Commitment::resident_extension) like this.
    ///
    /// Errors as [`upload`](Self::upload) and [`lde`](Self::lde).
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, matrix::Matrix, ntt::{Convention, Lde}};
    /// let engine = Engine::new()?;
    /// let matrix = Matrix::from_rows((0..64).map(Goldilocks::new).collect(), 16, 4)?;
    /// let lde = Lde::onto_coset(4, 8, Convention::Winterfell, Goldilocks::GENERATOR)?;
    /// let extension = engine.lde_in_cosets(&lde, &matrix)?;
    /// assert_eq!(extension.download()?, engine.lde(&lde, &matrix)?);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn lde_in_cosets<'a, F: AcceleratedField>(
        &self,
        lde: &Lde<F>,
        matrix: impl Into<MatrixInput<'a, F>>,
    ) -> Result<Cosets<F>, Error> {
        let matrix = self.with_columns_apart(matrix.into())?;
        let made = self.lde_divided(lde, matrix.view())?;
        let Some(extension) = made else { return Ok(self.lde(lde, self.upload(matrix)?)?.into()) };
        self.let_go(matrix);
        Ok(extension)
    }

    /// The same if several devices make it, and `None` if one of them is to make all of it: for a caller that keeps the matrix there then.
    pub fn lde_divided<F: AcceleratedField>(
        &self,
        lde: &Lde<F>,
        matrix: MatrixRef<'_, F>,
    ) -> Result<Option<Cosets<F>>, Error> {
        let matrix = self.with_columns_apart(matrix.into())?;
        self.check_rows(lde.from().size(), matrix.shape().rows)?;
        self.extended_by_cosets(lde, matrix.view(), Purpose::extension_of_a_proof::<F>, STEPS_OF_A_PROOF, 0)
    }

    /// Checks a matrix and extends it on several devices, which make cosets of the extension; `None` where one of them would do all of it, and where no data stay on
    /// a device. There is to be room for the digests of rows and for subtrees over them as well, if a digest has so many bytes.
    pub(crate) fn extended_by_cosets<F: AcceleratedField>(
        &self,
        lde: &Lde<F>,
        matrix: MatrixRef<'_, F>,
        costs: fn(&Lde<F>, usize) -> Vec<Cost>,
        overhead: f64,
        digest: usize,
    ) -> Result<Option<Cosets<F>>, Error> {
        if !self.dispatcher().divides_what_stays() {
            return Ok(None);
        }
        self.run(|| {
            self.report(Stage::Extension, 0, 1);
            let (lde, trace, shape) = (*lde, matrix.as_slice(), matrix.shape());
            let (extent, beside) = (shape.extent::<F>(), 4 * digest / 8);
            let spread = SpreadTrace { lde, trace, extent, costs, overhead, beside, bounds: Vec::new() };
            let spread = self.with_place(self.dispatcher().divided_only(spread), trace)?;
            let Some(spread) = spread else { return Ok(None) };
            self.check_budget(spread.host_memory(&lde, extent, digest))?;
            let extend = |(share, (member, _)): (usize, &(usize, _))| {
                (*member, ExtendCosets { lde, trace, extent, spread: &spread, share })
            };
            let calls = spread.shares.iter().enumerate().map(extend).collect();
            let cosets = self.dispatcher().divided(Each { calls })?;
            let shape = Shape { rows: lde.to().size() / spread.of, ..shape };
            self.report(Stage::Extension, 1, 1);
            let parts = cosets.into_iter().flatten().map(|held| match held {
                Held::Device(stored) => Ok(DeviceMatrix::on_device(self, shape, stored)),
                Held::Host(values) => Ok(DeviceMatrix::on_host(self, Matrix::new(values, shape)?)),
            });
            Ok(Some(Cosets::of(parts.collect::<Result<_, Error>>()?, lde.output_order())))
        })
    }

    /// The tree over the rows of cosets in natural order, a subtree for each on the same device; `None` where these are not several on devices, or have fewer rows than there are cosets.
    pub(super) fn tree_of_cosets<H: Accelerated, E: Field>(
        &self,
        cosets: &Cosets<E>,
    ) -> Result<Option<DeviceTree<H>>, Error> {
        let (parts, dispatcher, rows) = (cosets.parts(), self.dispatcher(), cosets.parts()[0].shape.rows);
        let homes: Option<Vec<usize>> = parts.iter().map(|part| part.home()).collect();
        let Some(homes) = homes.filter(|_| parts.len() > 1 && rows >= parts.len()) else { return Ok(None) };
        let through_host = !dispatcher.are_peers(&homes);
        let (extent, total) = (parts[0].extent(), (rows * parts.len()) as u64);
        let hash =
            |(member, values)| (member, HashCoset::<H> { values, extent, through_host, hash: PhantomData });
        self.run(|| {
            self.report(Stage::Rows, 0, total);
            let values = parts.iter().map(DeviceMatrix::coset_rows);
            let calls = homes.iter().copied().zip(values).map(hash).collect();
            let digests = dispatcher.divided(Each { calls })?;
            self.report(Stage::Rows, total, total);
            let count = rows / parts.len();
            let subtree = |(number, &member): (usize, &usize)| {
                let runs = digests.iter().map(|coset| Digests::of_coset(coset, number * count, count, rows));
                (member, Subtree::<H> { runs: runs.collect(), count, approach: self.approach() })
            };
            self.report(Stage::Tree, 0, 1);
            let built =
                dispatcher.divided(Each { calls: homes.iter().enumerate().map(subtree).collect() })?;
            let subtrees = built.into_iter().map(|built| match built {
                Built::Device(heap, root) => DeviceTree::on_device(self, rows, heap, root),
                Built::Host(tree) => DeviceTree::on_host(self, tree),
            });
            let tree = DeviceTree::of_subtrees(self, subtrees.collect());
            self.report(Stage::Tree, 1, 1);
            Ok(Some(tree))
        })
    }
}

impl<E: Element> DeviceMatrix<E> {
    /// The index of the device that has it, or that computes where it is; `None` if it is in host memory and all devices have memory of their own.
    fn home(&self) -> Option<usize> {
        match &self.location {
            Location::Device(stored) => Some(stored.member()),
            Location::Host(_) => self.engine.dispatcher().on_host(),
        }
    }
}

impl<E: Field> DeviceMatrix<E> {
    fn coset_rows(&self) -> CosetRows<'_> {
        match &self.location {
            Location::Device(stored) => CosetRows::Device(stored),
            Location::Host(host) => CosetRows::Host(host.matrix.view().base()),
        }
    }
}
