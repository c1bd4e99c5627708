//! Transforms of host data: transfers, and division into parts.
//!
//! Columns are transformed independently of each other, so a batch that is too large for the device is cut: into runs of whole
//! blocks, and where a block of many columns is too large by itself, into runs of its columns. The columns of a part are
//! contiguous on the device; the host's rows are longer, and their pieces pass through a small buffer.
//!
//! A batch that fits but moves much is cut too, so that its parts overlap (`pipeline.rs`). In-place parts are then written before
//! others are known to succeed; if one fails, the host inverts those.

use std::ops::Range;

use rayon::prelude::*;

use super::Gpu;
use super::device::Device;
use super::ntt::{lde_words, ntt_words};
use super::pipeline;
use super::session::{Region, Session};
use crate::backend::cpu::Cpu;
use crate::backend::{Check, Transforms, sound};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::memory;
use crate::ntt::{Lde, Ntt};

/// Words of the buffer through which pieces of rows pass.
const PIECE: usize = 1 << 19;

/// The fewest rows of a piece that a thread copies.
const ROWS: usize = 1 << 10;

/// A part of a batch: columns of blocks; all columns, or one block.
struct Part {
    blocks: Range<usize>,
    columns: Range<usize>,
    /// Words of a row of a block.
    width: usize,
}

impl Part {
    /// Words of a row, and the number of blocks, on the device.
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

    /// Words of a piece of the host's rows, and of the same piece on the device.
    fn piece(&self) -> (usize, usize) {
        let rows = (PIECE / self.columns.len()).max(1);
        (rows * self.width, rows * self.columns.len())
    }
}

impl<D: Device> Gpu<D> {
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

    /// Uploads a part of blocks of `rows` rows.
    fn upload_part(
        &self,
        session: &mut Session<'_, D>,
        part: &Part,
        rows: usize,
        data: &[Goldilocks],
    ) -> Result<Region, Error> {
        let data = &data[part.range(rows)];
        if part.is_whole() {
            return session.upload_new(bytemuck::cast_slice(data));
        }
        let columns = part.columns.len();
        let region = session.allocate(rows * columns)?;
        let (host, device) = part.piece();
        let mut buffer = memory::zeroed::<Goldilocks>(device.min(rows * columns))?;
        for (number, piece) in data.chunks(host).enumerate() {
            let buffer = &mut buffer[..piece.len() / part.width * columns];
            let pairs = buffer.par_chunks_exact_mut(columns).zip(piece.par_chunks_exact(part.width));
            pairs.with_min_len(ROWS).for_each(|(few, row)| few.copy_from_slice(&row[part.columns.clone()]));
            session.upload(bytemuck::cast_slice(buffer), region, 8 * number * device)?;
        }
        Ok(region)
    }

    /// Downloads a part of blocks of `rows` rows.
    fn download_part(
        &self,
        session: &mut Session<'_, D>,
        part: &Part,
        rows: usize,
        region: Region,
        data: &mut [Goldilocks],
    ) -> Result<(), Error> {
        let data = &mut data[part.range(rows)];
        if part.is_whole() {
            return session.download(region, 0, bytemuck::cast_slice_mut(data));
        }
        let columns = part.columns.len();
        let (host, device) = part.piece();
        let mut buffer = memory::zeroed::<Goldilocks>(device.min(rows * columns))?;
        for (number, piece) in data.chunks_mut(host).enumerate() {
            let buffer = &mut buffer[..piece.len() / part.width * columns];
            session.download(region, 8 * number * device, bytemuck::cast_slice_mut(buffer))?;
            let pairs = piece.par_chunks_exact_mut(part.width).zip(buffer.par_chunks_exact(columns));
            pairs.with_min_len(ROWS).for_each(|(row, few)| row[part.columns.clone()].copy_from_slice(few));
        }
        Ok(())
    }

    /// A transform whose result is copied over its input: everything that can fail has been waited for before the copy begins,
    /// unless the device is lost during it.
    fn ntt_at_once(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        let start = || {
            let mut session = Session::new(self)?;
            let input = session.upload_new(bytemuck::cast_slice(data))?;
            let blocks = data.len() / (ntt.domain.size() * width);
            let output = self.ntt_region(&mut session, ntt, (width, blocks), input)?;
            Ok((session, output))
        };
        let (mut session, output) = self.check_and_start(data, check, start)?;
        session.finish()?;
        session.download(output, 0, bytemuck::cast_slice_mut(data)).map_err(|error| Error::ResultLost {
            device: self.device.info().id.clone(),
            message: error.to_string(),
        })
    }
}

impl<D: Device> Transforms<Goldilocks> for Gpu<D> {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.ntt_checked(ntt, data, width, &sound)
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        let rows = ntt.domain.size();
        let block = rows * width;
        let blocks = data.len() / block;
        if let Some(at_once) = self.overlap(blocks, 16 * block, ntt_words(block)) {
            let done = pipeline::run_in_place(
                data.chunks_mut(at_once * block),
                |part| self.ntt_at_once(ntt, part, width, check),
                |part| Cpu::default().ntt(&ntt.undo(), part, width),
            );
            match done {
                // The index counts words of all data, not of a part.
                Err(Error::NotCanonical { .. }) => return check(data),
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return done,
            }
        }
        if self.fits(ntt_words(data.len())) {
            match self.ntt_at_once(ntt, data, width, check) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                result => return result,
            }
        }
        check(data)?;
        // The first part must not be written before the last is known to succeed.
        let mut results = memory::zeroed::<Goldilocks>(data.len())?;
        self.parts((blocks, width), ntt_words(rows), |part| {
            let mut session = Session::new(self)?;
            let input = self.upload_part(&mut session, &part, rows, data)?;
            let output = self.ntt_region(&mut session, ntt, part.shape(), input)?;
            self.download_part(&mut session, &part, rows, output, &mut results)
        })?;
        memory::copy(&results, data);
        Ok(())
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.lde_checked(lde, input, width, output, &sound)
    }

    fn lde_checked(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        // The device works on a copy.
        let input = &*input;
        let (from, to) = (lde.from().size(), lde.to().size());
        let (block, extended) = (from * width, to * width);
        let words = lde_words(block, extended);
        let done = match self.overlap(input.len() / block, 8 * (block + extended), words) {
            Some(at_once) => {
                let parts = input.chunks(at_once * block).zip(output.chunks_mut(at_once * extended));
                pipeline::run(parts, |(input, output)| {
                    self.check_and_start(input, check, || self.lde_in_parts(lde, input, width, output))
                })
            }
            None => self.check_and_start(input, check, || self.lde_in_parts(lde, input, width, output)),
        };
        match done {
            // The index counts words of all data, not of a part.
            Err(Error::NotCanonical { .. }) => check(input),
            done => done,
        }
    }
}

impl<D: Device> Gpu<D> {
    /// Extensions in as many parts as memory requires, one after another.
    fn lde_in_parts(
        &self,
        lde: &Lde,
        input: &[Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        let (from, to) = (lde.from().size(), lde.to().size());
        self.parts((input.len() / (from * width), width), lde_words(from, to), |part| {
            let mut session = Session::new(self)?;
            let values = self.upload_part(&mut session, &part, from, input)?;
            let extended = self.lde_region(&mut session, lde, part.shape(), values)?;
            self.download_part(&mut session, &part, to, extended, output)
        })
    }
}
