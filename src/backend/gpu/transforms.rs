//! Operations on the columns of matrices, in host memory or on the device: transfers, and division into parts.
//!
//! Columns are transformed independently of each other, so a batch that is too large for the device is cut: into runs of whole
//! blocks, and where a block of many columns is too large by itself, into runs of its columns. The columns of a part are
//! contiguous on the device; the host's rows are longer, and their pieces pass through a small buffer, unless the device copies them directly.
//!
//! A batch that fits but moves much is cut too, so that its parts overlap (`pipeline.rs`): into blocks, or a single block in page-locked memory into runs of its columns. In-place parts are written before others are known to succeed; if one fails, the host undoes those.

use std::ops::Range;

use super::Gpu;
use super::pipeline;
use super::session::{Region, Session};
use crate::backend::{BaseField, Extent, Memory, in_own_memory};
use crate::checks;
use crate::error::Error;
use crate::memory::{self, Strided, StridedMut};

/// An operation on every column of a batch of blocks, from a region of the device's memory to another.
pub(super) trait OnColumns<F>: Copy + Sync {
    /// Elements of a column before and after.
    fn rows(self) -> [usize; 2];

    /// Words of memory that a column takes, the input included, which may be overwritten if it is `spent`.
    fn words(self, gpu: &Gpu, spent: bool) -> usize;

    /// The results for `count` blocks of `width` columns, in a region of their own.
    fn launch(
        self,
        session: &mut Session<'_>,
        shape: (usize, usize),
        input: Region,
        spent: bool,
    ) -> Result<Region, Error>;
}

/// Bytes of elements that the host checks, in less time than a launch and a copy of a word take.
pub(super) const HOST_CHECKS: usize = 256 << 10;

/// Bytes that a part of columns has of a row at least, for the sake of overlap: from 256 on a device copies pieces of rows as fast as whole rows, both ways at once.
const OF_ROW: usize = 256;

/// A part of a batch: columns of blocks; all columns, or one block.
pub(super) struct Part {
    pub(super) blocks: Range<usize>,
    pub(super) columns: Range<usize>,
    /// Elements of a row of a block.
    pub(super) width: usize,
}

impl Part {
    /// Elements of a row, and the number of blocks, on the device.
    fn shape(&self) -> (usize, usize) {
        (self.columns.len(), self.blocks.len())
    }

    /// The range of its blocks in host data with so many rows per block.
    fn range(&self, rows: usize) -> Range<usize> {
        let block = rows * self.width;
        self.blocks.start * block..self.blocks.end * block
    }

    fn is_whole(&self) -> bool {
        self.columns.len() == self.width
    }

    /// The words of a row of the host, and those of its columns among them.
    fn words<F>(&self) -> (usize, Range<usize>) {
        let words = size_of::<F>() / 8;
        (self.width * words, self.columns.start * words..self.columns.end * words)
    }
}

impl Gpu {
    /// Cuts `blocks` blocks of `width` columns into parts, if a column takes so many words of memory, and does them.
    fn parts(
        &self,
        (blocks, width): (usize, usize),
        words: usize,
        mut run: impl FnMut(Part) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let block_words = words.saturating_mul(width);
        if width == 1 || self.fits(block_words) {
            let done =
                self.divide(blocks, block_words, |blocks| run(Part { blocks, columns: 0..width, width }));
            match done {
                Err(Error::DeviceOutOfMemory { .. }) if width > 1 => {}
                done => return done,
            }
        }
        (0..blocks).try_for_each(|block| {
            self.divide(width, words, |columns| run(Part { blocks: block..block + 1, columns, width }))
        })
    }

    /// Uploads a part of blocks of `rows` rows; the data may end with the last of these columns.
    pub(super) fn upload_part<F: BaseField>(
        &self,
        session: &mut Session<'_>,
        part: &Part,
        rows: usize,
        data: &[F],
    ) -> Result<Region, Error> {
        let Range { start, end } = part.range(rows);
        let data = &data[start..end.min(data.len())];
        if part.is_whole() {
            return session.upload_new(bytes(data));
        }
        let (pitch, columns) = part.words::<F>();
        session.upload_new_columns(Strided::new(F::words(data), pitch, columns))
    }

    /// Downloads a part of blocks of `rows` rows.
    pub(super) fn download_part<F: BaseField>(
        &self,
        session: &mut Session<'_>,
        part: &Part,
        rows: usize,
        region: Region,
        data: &mut [F],
    ) -> Result<(), Error> {
        let data = &mut data[part.range(rows)];
        if part.is_whole() {
            return session.download(region, 0, bytes_mut(data));
        }
        let (pitch, columns) = part.words::<F>();
        session.download_columns(region, StridedMut::new(F::words_mut(data), pitch, columns))
    }

    /// How many columns of a block of rows to put into a part, if a column moves so many bytes and takes so many words of memory; `None` where parts in flight at the same time would not
    /// pay. They do where the device copies columns directly: else the host's threads gather and scatter pieces of rows for longer than whole rows take.
    fn overlap_columns<F: BaseField>(
        &self,
        width: usize,
        [moved, words]: [usize; 2],
        columns: &[Strided<'_, u64>],
    ) -> Option<usize> {
        let least = (OF_ROW / size_of::<F>()).max(1);
        let groups = self.overlap(width.div_ceil(least), least * moved, least.saturating_mul(words))?;
        let directly = || columns.iter().all(|&columns| self.device.copies_columns(columns));
        (F::ROW_MAJOR && directly()).then_some(groups * least)
    }

    /// The results for uploaded columns, which are spent: [`Error::NotCanonical`] if they are `unchecked` and are not all elements. Which are not the caller finds out.
    fn launched<F: BaseField>(
        &self,
        session: &mut Session<'_>,
        operation: impl OnColumns<F>,
        shape: (usize, usize),
        input: Region,
        unchecked: bool,
    ) -> Result<Region, Error> {
        // Kernels run for whatever words there are, so nothing waits for the comparison but the results.
        let found = unchecked.then(|| self.compare(session, input, F::MODULUS)).transpose()?;
        let output = operation.launch(session, shape, input, true)?;
        match found.map_or(Ok(true), |found| self.all_below_by(session, found))? {
            true => Ok(output),
            false => Err(Error::NotCanonical { index: 0, value: 0 }),
        }
    }

    /// Whether the device is to compare elements with the modulus; if not, the host has done so.
    fn checks<F: BaseField>(&self, elements: &[F], unchecked: bool) -> Result<bool, Error> {
        let by_device = size_of_val(elements) > self.host_checks() && !F::CANONICAL;
        if !by_device {
            checks::if_unchecked(elements, unchecked)?;
        }
        Ok(unchecked && by_device)
    }

    /// As [`at_once`](Self::at_once), of columns of a block.
    fn columns_at_once<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        columns: &mut StridedMut<'_, u64>,
    ) -> Result<(), Error> {
        let mut session = Session::new(self)?;
        let width = columns.as_columns().width();
        let input = session.upload_new_columns(columns.as_columns())?;
        let shape = (width * 8 / size_of::<F>(), 1);
        let output = self.launched(&mut session, operation, shape, input, !F::CANONICAL)?;
        session.finish()?;
        session.download_columns(output, columns.reborrow()).map_err(|error| self.lost(&error))
    }

    /// An operation whose results are copied over its input: everything that can fail has been waited for before the copy begins,
    /// unless the device is lost during it.
    fn at_once<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        data: &mut [F],
        width: usize,
        unchecked: bool,
    ) -> Result<(), Error> {
        let mut session = Session::new(self)?;
        let input = session.upload_new(bytes(data))?;
        let shape = (width, data.len() / (operation.rows()[0] * width));
        let output = self.launched(&mut session, operation, shape, input, unchecked)?;
        session.finish()?;
        session.download(output, 0, bytes_mut(data)).map_err(|error| self.lost(&error))
    }

    /// The error where a result is lost while it is copied over its input.
    pub(super) fn lost(&self, error: &Error) -> Error {
        Error::ResultLost { device: self.device.info().id.clone(), message: error.to_string() }
    }

    /// An operation in place on blocks of `width` columns in host memory, in as many parts as memory requires; if one fails, `undo`
    /// is applied to those that succeeded.
    pub(super) fn in_place<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        data: &mut [F],
        width: usize,
        unchecked: bool,
        undo: impl Fn(&mut [F], usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (block, words) = (operation.rows()[0] * width, operation.words(self, true).saturating_mul(width));
        let blocks = data.len() / block;
        let unchecked = self.checks(data, unchecked)?;
        let at_once = |part: &mut [F]| self.at_once(operation, part, width, unchecked);
        if let Some(count) = self.overlap(blocks, 2 * size_of::<F>() * block, words) {
            match pipeline::run_in_place(
                data.chunks_mut(count * block),
                |part| at_once(part),
                |part| undo(part, width),
            ) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return of_all(done, data),
            }
        }
        if blocks == 1 {
            let pitch = width * size_of::<F>() / 8;
            let all = StridedMut::new(F::words_mut(data), pitch, 0..pitch);
            match self.overlapping_in_place(operation, all, &undo) {
                None | Some(Err(Error::DeviceOutOfMemory { .. })) => {}
                Some(done) => return of_all(done, data),
            }
        }
        if width == 1 || self.fits(words) {
            let mut done = 0;
            let result = self.divide(blocks, words, |part| {
                done = part.start * block;
                at_once(&mut data[done..part.end * block])
            });
            if result.is_err() && done > 0 {
                undo(&mut data[..done], width)?;
            }
            match result {
                Err(Error::DeviceOutOfMemory { .. }) if width > 1 => {}
                result => return of_all(result, data),
            }
        }
        // The first columns of a block must not be written before its last are known to succeed.
        let mut results = F::zeros(data.len())?;
        of_all(self.one_by_one(operation, data, width, &mut results, unchecked), data)?;
        memory::copy(F::words(&results), F::words_mut(data));
        Ok(())
    }

    /// An operation in place on columns of a block in runs of them, where it pays that they overlap; if one fails, `undo` is applied to those that succeeded.
    fn overlapping_in_place<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        columns: StridedMut<'_, u64>,
        undo: impl Fn(&mut [F], usize) -> Result<(), Error>,
    ) -> Option<Result<(), Error>> {
        let of_row = size_of::<F>() / 8;
        let width = columns.as_columns().width() / of_row;
        let sizes = [2 * size_of::<F>() * operation.rows()[0], operation.words(self, true)];
        let run = self.overlap_columns::<F>(width, sizes, &[columns.as_columns()])?;
        let undo = |columns: &mut StridedMut<'_, u64>| in_own_memory::<F>(columns.reborrow(), &undo);
        let each = |columns: &mut StridedMut<'_, u64>| self.columns_at_once::<F>(operation, columns);
        Some(pipeline::run_in_place(columns.split(run * of_row), each, undo))
    }

    /// An operation in place on columns of a block that the device copies by itself: in runs of them, or else at once where they fit.
    pub(super) fn columns_in_place<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        mut columns: StridedMut<'_, u64>,
        undo: impl Fn(&mut [F], usize) -> Result<(), Error>,
    ) -> Option<Result<(), Error>> {
        if !self.device.copies_columns(columns.as_columns()) {
            return None;
        }
        match self.overlapping_in_place(operation, columns.reborrow(), undo) {
            None | Some(Err(Error::DeviceOutOfMemory { .. })) => {}
            done => return done,
        }
        let width = columns.as_columns().width() * 8 / size_of::<F>();
        let fits = self.fits(operation.words(self, true).saturating_mul(width));
        match fits.then(|| self.columns_at_once(operation, &mut columns)) {
            Some(Err(Error::DeviceOutOfMemory { .. })) => None,
            done => done,
        }
    }

    /// An operation on blocks of `width` columns in host memory, to other memory, in as many parts as memory requires.
    pub(super) fn out_of_place<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        input: &[F],
        width: usize,
        output: &mut [F],
        unchecked: bool,
    ) -> Result<(), Error> {
        let [from, to] = operation.rows().map(|rows| rows * width);
        let words = operation.words(self, true).saturating_mul(width);
        let unchecked = self.checks(input, unchecked)?;
        let run =
            |(input, output): (&[F], &mut [F])| self.one_by_one(operation, input, width, output, unchecked);
        let blocks = input.len() / from;
        let done = match self.overlap(blocks, size_of::<F>() * (from + to), words) {
            Some(count) => pipeline::run(input.chunks(count * from).zip(output.chunks_mut(count * to)), run),
            None => match self.overlapping_columns(operation, input, width, output, unchecked) {
                None | Some(Err(Error::DeviceOutOfMemory { .. })) => run((input, output)),
                Some(done) => done,
            },
        };
        of_all(done, input)
    }

    /// The same for a single block in runs of its columns, where it pays that they overlap.
    fn overlapping_columns<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        input: &[F],
        width: usize,
        output: &mut [F],
        unchecked: bool,
    ) -> Option<Result<(), Error>> {
        let ([from, to], of_row) = (operation.rows(), size_of::<F>() / 8);
        if input.len() != from * width {
            return None;
        }
        let all = 0..width * of_row;
        let inputs = Strided::new(F::words(input), width * of_row, all.clone());
        let outputs = StridedMut::new(F::words_mut(output), width * of_row, all);
        let sizes = [size_of::<F>() * (from + to), operation.words(self, true)];
        let columns = self.overlap_columns::<F>(width, sizes, &[inputs, outputs.as_columns()])? * of_row;
        let run = |(input, output): (Strided<'_, u64>, StridedMut<'_, u64>)| {
            let mut session = Session::new(self)?;
            let before = session.upload_new_columns(input)?;
            let shape = (input.width() / of_row, 1);
            let after = self.launched(&mut session, operation, shape, before, unchecked)?;
            session.download_columns(after, output)
        };
        Some(pipeline::run(inputs.split(columns).zip(outputs.split(columns)), run))
    }

    /// The same in parts one after another.
    fn one_by_one<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        input: &[F],
        width: usize,
        output: &mut [F],
        unchecked: bool,
    ) -> Result<(), Error> {
        let [from, to] = operation.rows();
        self.parts((input.len() / (from * width), width), operation.words(self, true), |part| {
            let mut session = Session::new(self)?;
            let before = self.upload_part(&mut session, &part, from, input)?;
            let after = self.launched(&mut session, operation, part.shape(), before, unchecked)?;
            self.download_part(&mut session, &part, to, after, output)
        })
    }

    /// An operation on a matrix in the device's memory, with its result there.
    pub(super) fn on_device<F: BaseField>(
        &self,
        operation: impl OnColumns<F>,
        matrix: &Memory,
        extent: Extent,
    ) -> Result<Memory, Error> {
        let (width, rows) = (extent.block * 8 / size_of::<F>(), operation.rows()[0]);
        let blocks = extent.words() / (rows * extent.block);
        self.grant(operation.words(self, false).saturating_mul(width * blocks))?;
        let mut session = Session::new(self)?;
        let input = self.borrow(&mut session, matrix, extent);
        let output = operation.launch(&mut session, (width, blocks), input, false)?;
        session.lease(output)
    }
}

/// The result of an operation in parts: a refused word is named by its index among all elements, not among a part's.
fn of_all<F: BaseField>(result: Result<(), Error>, elements: &[F]) -> Result<(), Error> {
    match result {
        Err(error @ Error::NotCanonical { .. }) => checks::elements(elements).and(Err(error)),
        result => result,
    }
}

pub(super) fn bytes<F: BaseField>(elements: &[F]) -> &[u8] {
    bytemuck::cast_slice(F::words(elements))
}

/// As [`bytes`], for a device to write elements.
pub(super) fn bytes_mut<F: BaseField>(elements: &mut [F]) -> &mut [u8] {
    bytemuck::cast_slice_mut(F::words_mut(elements))
}

/// The results of an operation on columns in memory full of poison. The input stays as it is unless it is spent.
#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
pub(super) fn on_poison<F: BaseField>(
    gpu: &Gpu,
    operation: impl OnColumns<F>,
    width: usize,
    data: &[F],
    spent: bool,
) -> Vec<F> {
    let [from, to] = operation.rows().map(|rows| rows * width);
    let count = data.len() / from;
    let mut found = F::zeros(count * to).unwrap();
    // The pool hands out first what it got last.
    Session::new(gpu).unwrap().upload_new(&vec![0xff; size_of_val(&found[..])]).unwrap();
    let mut session = Session::new(gpu).unwrap();
    let input = session.upload_new(bytes(data)).unwrap();
    let output = operation.launch(&mut session, (width, count), input, spent).unwrap();
    session.download(output, 0, bytes_mut(&mut found)).unwrap();
    if !spent {
        let mut kept = data.to_vec();
        session.download(input, 0, bytes_mut(&mut kept)).unwrap();
        assert!(F::words(&kept) == F::words(data), "the input was changed");
    }
    found
}
