//! Operations on data that stay on the device: the launches of the operations on host data, without the copies.
//!
//! Opened rows and digests are gathered by one launch: indices are uploaded, and the words that they name are downloaded.

use std::ops::Range;

use super::Gpu;
use super::device::{Arg, Launch, Limits};
use super::hash::DeviceHash;
use super::merkle::{DIGEST, hash_rows};
use super::program;
use super::session::{Region, Session};
use super::tree;
#[cfg(feature = "cuda")]
use crate::backend::Foreign;
use crate::backend::{Extent, Memory, Piece, Resident, ResidentHashing};
use crate::error::Error;
use crate::memory;
use crate::merkle::Approach;

/// `count` rows of a matrix, by their indices.
fn gather_rows(
    limits: Limits,
    matrix: Region,
    extent: Extent,
    indices: Region,
    count: usize,
    gathered: Region,
) -> Launch<Region> {
    let Extent { rows, width, block } = extent;
    assert!(matrix.words() >= extent.words() && width % block == 0);
    assert!(indices.words() >= count && gathered.words() >= count * width);
    let mut args = vec![Arg::Buffer(matrix, 0)];
    args.extend([rows, width, block].map(|number| Arg::Word(number as u64)));
    args.extend([Arg::Buffer(indices, 0), Arg::Word(count as u64), Arg::Buffer(gathered, 0)]);
    // SAFETY: gather_rows reads `count` indices and the rows that they name, which the caller has checked, and writes
    // `count` rows.
    unsafe { Launch::new(&program::GATHER, "gather_rows", limits.grid(count * width), args) }
}

/// Pieces of so many words in a region of their own, one after another.
fn stack(session: &mut Session<'_>, pieces: &[(Piece<'_>, usize)]) -> Result<Region, Error> {
    let stacked = session.allocate(pieces.iter().map(|(_, words)| words).sum())?;
    let mut at = 0;
    for &(piece, words) in pieces {
        match piece {
            Piece::Host(data) => {
                assert!(data.len() == words, "as many words as the piece has");
                session.upload(bytemuck::cast_slice(data), stacked, 8 * at)?;
            }
            Piece::Device(memory, from) => {
                let region = session.borrow(memory);
                session.copy_words((region, from), (stacked, at), words)?;
            }
        }
        at += words;
    }
    Ok(stacked)
}

/// The same but for one piece of the device's own memory, if there is one beside others, which is not copied.
fn stack_others(session: &mut Session<'_>, pieces: &[(Piece<'_>, usize)]) -> Result<Stacked, Error> {
    let own = pieces.iter().enumerate().find_map(|(number, (piece, _))| match *piece {
        Piece::Device(memory, from) if session.is_own(memory) => Some((number, (memory, from))),
        _ => None,
    });
    let Some((number, (memory, from))) = own.filter(|_| pieces.len() > 1) else {
        return Ok(Stacked { stacked: stack(session, pieces)?, apart: None });
    };
    let others = [&pieces[..number], &pieces[number + 1..]].concat();
    let apart = session.borrow(memory);
    Ok(Stacked { stacked: stack(session, &others)?, apart: Some((number, apart, from)) })
}

/// Pieces one after another in a region, but for one that is where it was: its number, a region, and the word where it begins there.
struct Stacked {
    stacked: Region,
    apart: Option<(usize, Region, usize)>,
}

/// The rows of pieces in turn, to a region from some word on.
fn interleave_rows(
    limits: Limits,
    Stacked { stacked, apart }: Stacked,
    [pieces, rows, width]: [usize; 3],
    (interleaved, at): (Region, usize),
) -> Launch<Region> {
    let (words, of_piece) = (pieces * rows * width, rows * width);
    let (number, apart, from) = apart.unwrap_or((pieces, stacked, 0));
    assert!(stacked.words() >= words - if number < pieces { of_piece } else { 0 });
    assert!(apart.words() >= from + of_piece && interleaved.words() >= at + words);
    let mut args = vec![Arg::Buffer(stacked, 0), Arg::Buffer(apart, from as u64)];
    args.extend([number, pieces, rows, width].map(|number| Arg::Word(number as u64)));
    args.push(Arg::Buffer(interleaved, at as u64));
    // SAFETY: interleave_rows writes as many words as the product of these numbers, and reads those of one piece apart and of the others, by the assertions inside all three.
    unsafe { Launch::new(&program::GATHER, "interleave_rows", limits.grid(words), args) }
}

/// Columns of a row-major matrix of `rows` rows of `width` words, and memory where they lie side by side, from a word of it on.
struct Columns {
    matrix: Region,
    rows: usize,
    width: usize,
    columns: Range<usize>,
    apart: (Region, usize),
}

impl Columns {
    /// Copies them out of the matrix.
    fn take(&self, limits: Limits) -> Launch<Region> {
        self.launch(limits, "take_columns", (self.matrix, 0), self.apart)
    }

    /// Copies them into the matrix.
    fn put(&self, limits: Limits) -> Launch<Region> {
        self.launch(limits, "put_columns", self.apart, (self.matrix, 0))
    }

    fn launch(
        &self,
        limits: Limits,
        kernel: &'static str,
        from: (Region, usize),
        to: (Region, usize),
    ) -> Launch<Region> {
        let Self { matrix, rows, width, columns: Range { start, end }, apart } = self;
        let words = rows * (end - start);
        assert!(start < end && end <= width && matrix.words() >= rows * width);
        assert!(apart.0.words() >= apart.1 + words);
        let mut args = vec![Arg::Buffer(from.0, from.1 as u64)];
        args.extend([*width, *start, end - start, words].map(|number| Arg::Word(number as u64)));
        args.push(Arg::Buffer(to.0, to.1 as u64));
        // SAFETY: the kernels move these words of the rows, which the assertions keep inside both regions.
        unsafe { Launch::new(&program::GATHER, kernel, limits.grid(words), args) }
    }
}

/// Items of a group that takes squares of a matrix, and the words of a side, as in the kernel.
const ITEMS: usize = 128;
const SIDE: usize = 32;

/// A row-major matrix with columns of so many words, and a region where they lie one after another.
fn columns_apart(
    limits: Limits,
    matrix: Region,
    extent: Extent,
    degree: usize,
    apart: Region,
) -> Launch<Region> {
    let Extent { rows, width, block } = extent;
    assert!(block == width && width % degree == 0);
    assert!(matrix.words() >= extent.words() && apart.words() >= extent.words());
    let groups =
        (rows.div_ceil(SIDE) * width.div_ceil(SIDE)).min(limits.items.div_ceil(ITEMS)).clamp(1, 1 << 30);
    let mut args = vec![Arg::Buffer(matrix, 0)];
    args.extend([rows, width, degree].map(|number| Arg::Word(number as u64)));
    args.push(Arg::Buffer(apart, 0));
    // SAFETY: columns_apart reads and writes as many words as the matrix has, which both regions have by the assertion.
    unsafe { Launch::new(&program::GATHER, "columns_apart", (groups, ITEMS), args) }
}

impl Gpu {
    /// [`Error::OverDeviceBudget`] for an operation that would take too many words.
    pub(super) fn grant(&self, words: usize) -> Result<(), Error> {
        match self.fits(words) {
            true => Ok(()),
            false => Err(Error::OverDeviceBudget {
                required: (words as u64).saturating_mul(8),
                budget: self.limit,
            }),
        }
    }

    /// The memory of a matrix, in an operation's session.
    pub(super) fn borrow(&self, session: &mut Session<'_>, memory: &Memory, extent: Extent) -> Region {
        let region = session.borrow(memory);
        assert!(region.words() >= extent.words(), "a matrix as large as its shape");
        region
    }
}

impl Resident for Gpu {
    #[cfg(feature = "cuda")]
    fn foreign(&self) -> Option<&dyn Foreign> {
        self.device.ordinal().map(|_| self as &dyn Foreign)
    }

    fn budget(&self) -> u64 {
        self.limit
    }

    fn upload(&self, words: &[u64]) -> Result<Memory, Error> {
        self.grant(words.len())?;
        let mut session = Session::new(self)?;
        let region = session.upload_new(bytemuck::cast_slice(words))?;
        session.lease(region)
    }

    fn download(&self, memory: &Memory, from: usize, data: &mut [u8]) -> Result<(), Error> {
        let mut session = Session::new(self)?;
        let region = session.borrow(memory);
        session.download(region, 8 * from, data)
    }

    fn gather(&self, memory: &Memory, extent: Extent, rows: &[usize], data: &mut [u8]) -> Result<(), Error> {
        assert!(rows.iter().all(|&row| row < extent.rows), "rows of the matrix");
        self.divide(rows.len(), extent.width + 1, |part| {
            let data = &mut data[8 * extent.width * part.start..8 * extent.width * part.end];
            let (count, indices) = (part.len(), &rows[part]);
            let mut session = Session::new(self)?;
            let matrix = self.borrow(&mut session, memory, extent);
            let wanted = session.upload_new(bytemuck::cast_slice(indices))?;
            let gathered = session.allocate(count * extent.width)?;
            session.launch(&[gather_rows(session.limits(), matrix, extent, wanted, count, gathered)])?;
            session.download(gathered, 0, data)
        })
    }

    fn reads_peers(&self) -> bool {
        self.device.reads_peers()
    }

    fn join(&self, pieces: &[(Piece<'_>, usize)]) -> Result<Memory, Error> {
        self.grant(pieces.iter().map(|(_, words)| words).sum())?;
        let mut session = Session::new(self)?;
        let joined = stack(&mut session, pieces)?;
        session.lease(joined)
    }

    fn interleave(
        &self,
        pieces: &[Piece<'_>],
        rows: usize,
        width: usize,
        skip: usize,
    ) -> Result<Memory, Error> {
        let (all, count) = (pieces.len() * rows * width, pieces.len());
        self.grant((2 * all).saturating_add(skip))?;
        let mut session = Session::new(self)?;
        let pieces: Vec<_> = pieces.iter().map(|&piece| (piece, rows * width)).collect();
        let stacked = stack_others(&mut session, &pieces)?;
        let interleaved = session.allocate(skip + all)?;
        let shape = [count, rows, width];
        session.launch(&[interleave_rows(session.limits(), stacked, shape, (interleaved, skip))])?;
        session.lease(interleaved)
    }

    fn columns(&self, matrix: &Memory, width: usize, columns: Range<usize>) -> Result<Memory, Error> {
        let mut session = Session::new(self)?;
        let matrix = session.borrow(matrix);
        let rows = matrix.words() / width;
        self.grant(matrix.words() + rows * columns.len())?;
        let taken = session.allocate(rows * columns.len())?;
        let part = Columns { matrix, rows, width, columns, apart: (taken, 0) };
        session.launch(&[part.take(session.limits())])?;
        session.lease(taken)
    }

    fn side_by_side(&self, pieces: &[(Piece<'_>, usize)], rows: usize) -> Result<Memory, Error> {
        let width: usize = pieces.iter().map(|(_, columns)| columns).sum();
        self.grant((2 * rows).saturating_mul(width))?;
        let mut session = Session::new(self)?;
        let of_words: Vec<_> = pieces.iter().map(|&(piece, columns)| (piece, rows * columns)).collect();
        let stacked = stack(&mut session, &of_words)?;
        let matrix = session.allocate(rows * width)?;
        let mut before = 0;
        let launches = pieces.iter().map(|&(_, columns)| {
            let own = before..before + columns;
            before = own.end;
            let apart = (stacked, rows * own.start);
            Columns { matrix, rows, width, columns: own, apart }.put(session.limits())
        });
        let launches: Vec<_> = launches.collect();
        session.launch(&launches)?;
        session.lease(matrix)
    }

    fn columns_apart(&self, matrix: &Memory, extent: Extent, degree: usize) -> Result<Memory, Error> {
        self.grant(2 * extent.words())?;
        let mut session = Session::new(self)?;
        let matrix = self.borrow(&mut session, matrix, extent);
        let apart = session.allocate(extent.words())?;
        session.launch(&[columns_apart(session.limits(), matrix, extent, degree, apart)])?;
        session.lease(apart)
    }

    fn all_below(&self, elements: &Memory, modulus: &[u64]) -> Result<bool, Error> {
        let mut session = Session::new(self)?;
        let elements = session.borrow(elements);
        self.are_below(&mut session, elements, modulus)
    }

    /// A row of a block is a row of a matrix that is as high as all blocks together.
    fn first_rows(&self, memory: &Memory, extent: Extent, rows: usize) -> Result<Memory, Error> {
        let Extent { rows: all, width, block } = extent;
        let count = rows * extent.blocks();
        self.grant(extent.words().saturating_add(rows * width).saturating_add(count))?;
        let blocks = (0..extent.blocks()).flat_map(|number| number * all..number * all + rows);
        let indices: Vec<usize> = blocks.collect();
        let mut session = Session::new(self)?;
        let matrix = self.borrow(&mut session, memory, extent);
        let wanted = session.upload_new(bytemuck::cast_slice(&indices))?;
        let gathered = session.allocate(rows * width)?;
        let stacked = Extent { rows: all * extent.blocks(), width: block, block };
        session.launch(&[gather_rows(session.limits(), matrix, stacked, wanted, count, gathered)])?;
        session.lease(gathered)
    }
}

impl<H: DeviceHash> ResidentHashing<H> for Gpu {
    fn hash_rows(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let leaves = DIGEST * extent.rows;
        self.grant((2 * leaves).saturating_add(extent.words()))?;
        let mut session = Session::new(self)?;
        let matrix = self.borrow(&mut session, matrix, extent);
        let heap = session.allocate(2 * leaves)?;
        session.launch(&[hash_rows::<H>(session.limits(), matrix, extent, (heap, leaves))])?;
        session.lease(heap)
    }

    fn build_tree(&self, heap: &Memory, leaves: usize, approach: Approach) -> Result<H::Digest, Error> {
        let mut session = Session::new(self)?;
        let region = session.borrow(heap);
        session.launch(&tree::plan::<H>(approach, session.limits(), region, leaves))?;
        let mut root = memory::zeroed::<H::Digest>(1)?;
        session.download(region, 8 * DIGEST, bytemuck::cast_slice_mut(&mut root))?;
        Ok(root[0])
    }
}
