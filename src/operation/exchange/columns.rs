//! Operations on the columns of one row-major block. Host memory holds its rows one after another, so some rows are one run of it, while some columns are a piece of every row.
//!
//! Let the block have n rows, the result N, and let there be D devices, of which device d has w_d of the w columns:
//!
//! 1. Device d copies rows floor(d n / D) to floor((d + 1) n / D) from the host and cuts them into the columns of every device.
//! 2. It joins its columns, of which each device has some rows, and does the operation: N rows of w_d words.
//! 3. It puts what each device has of rows floor(d N / D) to floor((d + 1) N / D) side by side.
//! 4. It copies these rows to the host.
//!
//! (D - 1) / D of the words of block and result cross the links between devices.

use std::marker::PhantomData;
use std::ops::Range;

use super::{Results, check, modulus, outcome};
use crate::backend::{AcceleratedField, Extent, Memory, Piece, ResidentBackend};
use crate::dispatch::{Call, Member, Peers, Share};
use crate::error::Error;
use crate::work::{Activity, Size};

/// An operation on columns that stay on a device.
pub(in crate::operation) trait OnPeers<F>: Copy + Send + Sync {
    /// Rows before and after.
    fn rows(self) -> [usize; 2];

    /// Its size on columns of the result with so many elements.
    fn size(self, elements: usize) -> Size;

    /// The results for the columns of a row-major matrix, in new memory.
    fn run(self, memory: &dyn ResidentBackend, matrix: &Memory, extent: Extent) -> Result<Memory, Error>;
}

/// The rows of each of so many devices.
fn runs(rows: usize, devices: usize) -> impl Iterator<Item = Range<usize>> {
    (0..devices).map(move |d| rows * d / devices..rows * (d + 1) / devices)
}

impl Peers<'_> {
    /// The results of an operation on the columns of a block, each device with some of the rows. `None` where the devices do not read each other's memory or have no room
    /// for it, or where there are fewer rows than devices.
    pub(in crate::operation) fn columns<F: AcceleratedField, O: OnPeers<F>>(
        &self,
        operation: O,
        block: &[F],
        unchecked: bool,
    ) -> Option<Result<Results, Error>> {
        let ([before, after], devices) = (operation.rows(), self.shares.len());
        let width = F::words(block).len() / before;
        // Rows in pieces, columns with their results, and rows of the result before and after they are put together.
        let words = |number: usize| {
            let own = self.shares[number].items.len() * size_of::<F>() / 8;
            let of_rows = 2 * width.saturating_mul(before.div_ceil(devices) + after.div_ceil(devices));
            of_rows.saturating_add(2 * own.saturating_mul(before + after))
        };
        let possible = F::ROW_MAJOR && before.min(after) >= devices && self.have_room(words);
        possible.then(|| outcome(self.steps(operation, block, unchecked), block))?
    }

    fn steps<F: AcceleratedField, O: OnPeers<F>>(
        &self,
        operation: O,
        block: &[F],
        unchecked: bool,
    ) -> Result<Results, Error> {
        let (of_element, devices) = (size_of::<F>() / 8, self.shares.len());
        let ([before, after], words) = (operation.rows(), F::words(block));
        let width = words.len() / before;
        let of_share = |share: &Share| share.items.start * of_element..share.items.end * of_element;
        let columns: Vec<_> = self.shares.iter().map(of_share).collect();
        let modulus = modulus::<F>(unchecked);
        let brought = self.each(runs(before, devices).map(|rows| {
            let rows = &words[rows.start * width..rows.end * width];
            Bring { rows, width, columns: &columns, modulus }
        }))?;
        let made = self.each(columns.iter().enumerate().map(|(number, columns)| {
            let pieces = brought.iter().zip(runs(before, devices));
            let pieces =
                pieces.map(|(cut, rows)| (Piece::Device(&cut[number], 0), rows.len() * columns.len()));
            let (pieces, width) = (pieces.collect(), columns.len());
            Make { operation, pieces, rows: before, width, field: PhantomData }
        }))?;
        drop(brought);
        let put = self.each(runs(after, devices).map(|rows| {
            let piece = |(made, columns): (_, &Range<usize>)| {
                (Piece::Device(made, rows.start * columns.len()), columns.len())
            };
            Put { pieces: made.iter().zip(&columns).map(piece).collect(), rows: rows.len() }
        }))?;
        let runs = runs(after, devices).map(|rows| rows.len() * width).enumerate().collect();
        Ok(self.results(put, runs))
    }
}

/// Copies rows of words to a device and cuts them into columns. Of a field's elements all must be below its modulus.
pub(super) struct Bring<'a> {
    pub(super) rows: &'a [u64],
    pub(super) width: usize,
    pub(super) columns: &'a [Range<usize>],
    pub(super) modulus: Option<&'static [u64]>,
}

impl Call for Bring<'_> {
    type Output = Vec<Memory>;

    fn size(&self, _: &Member) -> Size {
        Activity::UPLOAD.of(self.rows.len(), size_of_val(self.rows), 0)
    }

    fn run(self, device: &Member) -> Result<Vec<Memory>, Error> {
        let memory = device.memory();
        let rows = memory.upload(self.rows)?;
        check(memory, &rows, self.modulus)?;
        self.columns.iter().map(|columns| memory.columns(&rows, self.width, columns.clone())).collect()
    }
}

/// Does an operation on columns of which pieces hold some rows each, of so many words.
struct Make<'a, F, O> {
    operation: O,
    pieces: Vec<(Piece<'a>, usize)>,
    rows: usize,
    width: usize,
    field: PhantomData<fn() -> F>,
}

impl<F: AcceleratedField, O: OnPeers<F>> Call for Make<'_, F, O> {
    type Output = Memory;

    fn size(&self, _: &Member) -> Size {
        self.operation.size(self.operation.rows()[1] * self.width * 8 / size_of::<F>())
    }

    fn run(self, device: &Member) -> Result<Memory, Error> {
        let columns = device.memory().join(&self.pieces)?;
        let extent = Extent { rows: self.rows, width: self.width, block: self.width };
        self.operation.run(device.memory(), &columns, extent)
    }
}

/// Puts columns side by side.
struct Put<'a> {
    pieces: Vec<(Piece<'a>, usize)>,
    rows: usize,
}

impl Call for Put<'_> {
    type Output = Memory;

    fn size(&self, _: &Member) -> Size {
        let columns: usize = self.pieces.iter().map(|(_, columns)| columns).sum();
        Activity::EXCHANGE.of(self.rows * columns, 0, 0)
    }

    fn run(self, device: &Member) -> Result<Memory, Error> {
        device.memory().side_by_side(&self.pieces, self.rows)
    }
}
