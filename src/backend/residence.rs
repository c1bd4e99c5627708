//! Data that stay in a device's memory between operations.
//!
//! Only a backend whose memory is not the host's implements the traits here; where the host is the device, data that stay are
//! ordinary vectors, and the operations on slices serve them. [`Memory`] that has been handed out is never written again, so any
//! number of operations may read it at once. Data are words of 64 bits here, whatever the field.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{EveryResidentField, EveryResidentHash, ResidentCurves};
use crate::error::Error;
use crate::field::TwoAdic;
use crate::hash::Hasher;
use crate::merkle::Approach;
use crate::ntt::{Domain, Lde, Ntt, Order};

/// Data that a backend keeps, in its own form: memory of a device, or what the host prepares for later operations. Clones share
/// them; the last one frees them. Only the backend that made them knows what they are.
#[derive(Clone)]
pub struct Memory(Arc<dyn Any + Send + Sync>);

impl Memory {
    pub(crate) fn new(contents: impl Any + Send + Sync) -> Self {
        Self(Arc::new(contents))
    }

    /// The value that the backend stored, if it is of this type.
    pub(crate) fn downcast<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.0).downcast().ok()
    }

    /// The same, borrowed.
    #[cfg(feature = "bn254")]
    pub(crate) fn downcast_ref<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

/// How the words of a matrix lie in memory: blocks of `rows` rows of `block` words, one after another; a row has `width`
/// words in all. A row-major matrix is one block, a column-major one has a block a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Rows.
    pub rows: usize,
    /// Words of a row.
    pub width: usize,
    /// Words of a row that lie side by side.
    pub block: usize,
}

impl Extent {
    /// Words in all.
    pub fn words(self) -> usize {
        self.rows * self.width
    }

    /// The number of blocks.
    pub fn blocks(self) -> usize {
        self.width / self.block
    }
}

/// Words that are brought together on a device.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// Words of the host.
    Host(&'a [u64]),
    /// Words from some word on that this device handed out, or a peer that it [reads](Resident::reads_peers).
    Device(&'a Memory, usize),
}

/// Operations on matrices in a device's memory. Inputs are never changed.
///
/// Every operation that makes memory can be refused with [`Error::DeviceOutOfMemory`], and with
/// [`Error::OverDeviceBudget`] if it would take more than the [`budget`](Self::budget).
pub trait Resident: Send + Sync {
    /// The most bytes of device memory that one operation takes, its inputs and its result included.
    fn budget(&self) -> u64;

    /// How other libraries of the process share the memory, if they can.
    #[cfg(feature = "cuda")]
    fn foreign(&self) -> Option<&dyn Foreign> {
        None
    }

    /// A copy of words on the device.
    fn upload(&self, words: &[u64]) -> Result<Memory, Error>;

    /// Copies words, from word `from` on, back to the host.
    fn download(&self, memory: &Memory, from: usize, data: &mut [u8]) -> Result<(), Error>;

    /// Copies rows, by their indices, back to the host, one after another.
    fn gather(&self, memory: &Memory, extent: Extent, rows: &[usize], data: &mut [u8]) -> Result<(), Error>;

    /// Whether it reads what other backends of its kind in this process have handed out, as [pieces](Piece).
    fn reads_peers(&self) -> bool {
        false
    }

    /// New memory with pieces of so many words, one after another.
    fn join(&self, pieces: &[(Piece<'_>, usize)]) -> Result<Memory, Error>;

    /// New memory of `skip` words with unspecified contents and then the rows that pieces hold in turn: row r of piece k, of as many as there are
    /// pieces, is row r pieces + k. Each piece has `rows` rows of `width` words.
    fn interleave(
        &self,
        pieces: &[Piece<'_>],
        rows: usize,
        width: usize,
        skip: usize,
    ) -> Result<Memory, Error>;

    /// Some words of each row of a row-major matrix, whose rows have `width` words, side by side in new memory.
    fn columns(&self, matrix: &Memory, width: usize, columns: Range<usize>) -> Result<Memory, Error>;

    /// The inverse: new memory with the row-major matrix of which pieces hold so many words of each row, in turn.
    fn side_by_side(&self, pieces: &[(Piece<'_>, usize)], rows: usize) -> Result<Memory, Error>;

    /// The columns of a row-major matrix one after another in new memory, columns of so many words.
    fn columns_apart(&self, matrix: &Memory, extent: Extent, degree: usize) -> Result<Memory, Error>;

    /// Whether all elements are below a modulus, which has as many words as an element, the lowest first.
    fn all_below(&self, elements: &Memory, modulus: &[u64]) -> Result<bool, Error>;

    /// The first `rows` rows of a matrix, in new memory and in its layout.
    fn first_rows(&self, memory: &Memory, extent: Extent, rows: usize) -> Result<Memory, Error>;
}

/// Memory of a device that other libraries of the process use, too. They name it by the device's ordinal and an address.
#[cfg(feature = "cuda")]
pub trait Foreign: Send + Sync {
    /// The number of the device.
    fn ordinal(&self) -> u32;

    /// The address of the first word of memory that this backend handed out.
    fn address(&self, memory: &Memory) -> u64;

    /// Waits for all work of the device, that of other libraries included.
    fn synchronise(&self) -> Result<(), Error>;

    /// A copy of so many words of another library when a stream, if there is one, has ended, and whether all its elements are below a
    /// modulus, which has as many words as an element; without words of one they are not compared.
    ///
    /// # Safety
    /// There are so many words at the address, in the memory of this device, nobody writes to them meanwhile but work of the stream, and
    /// the stream is one of this device.
    unsafe fn adopt(
        &self,
        from: u64,
        words: usize,
        stream: Option<u64>,
        modulus: &[u64],
    ) -> Result<(Memory, bool), Error>;
}

/// Transforms of matrices over a field in a device's memory. Results are in new memory and in the layout of the input.
pub trait ResidentTransforms<F: TwoAdic>: Send + Sync {
    /// The transforms of all columns.
    fn ntt(&self, ntt: &Ntt<F>, matrix: &Memory, extent: Extent) -> Result<Memory, Error>;

    /// The values on a domain of polynomials with a coefficient a row, in an order.
    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &Memory,
        extent: Extent,
    ) -> Result<Memory, Error>;

    /// The extensions of all columns: the result has the blow-up times the rows.
    fn lde(&self, lde: &Lde<F>, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let coefficients = self.ntt(&Ntt::inverse(lde.from()), matrix, extent)?;
        self.evaluate(&lde.to(), lde.output_order(), &coefficients, extent)
    }

    /// The transform of one block by residues of its coefficients' numbers modulo a power of two. `None` where nothing is gained by it beside [`interleave`](Resident::interleave) and
    /// [`ntt`](Self::ntt), which is the same for all of its devices.
    fn by_residues(&self, _: &Ntt<F>, _: Extent, _runs: usize) -> Option<Box<dyn ByResidues + '_>> {
        None
    }

    /// The transform of one block, of which so many devices have this extent each, in stages: for the device that has the coefficients of a residue and comes to the values of another. `None` where that is not
    /// possible, or not worth while.
    fn in_stages(
        &self,
        _: &Ntt<F>,
        _: Extent,
        _devices: usize,
        _residues: (usize, usize),
    ) -> Option<Box<dyn InStages + '_>> {
        None
    }
}

/// A transform of which each device has the coefficients of one residue of their numbers and comes to the values of one, in two stages: what all devices have begun, each of them ends.
pub trait InStages {
    /// What is made of the coefficients that the device has, with room for what it is to bring together with that.
    fn begun(&self, coefficients: &Memory) -> Result<Memory, Error>;

    /// The values, of what has been begun with the coefficients of each residue in turn, by this device or peers. Once: it writes to the room in what this device has begun.
    fn ended(&self, begun: &[&Memory]) -> Result<Memory, Error>;
}

/// A transform of which each run has the coefficients of one residue: run e of D those of numbers e, D + e, 2 D + e, ... One run lies in this device's memory, the others in that of peers.
pub trait ByResidues {
    /// The values of all coefficients, in the order of the transform's output.
    fn values(&self, runs: &[Piece<'_>]) -> Result<Memory, Error>;

    /// The coefficients of values, run after run, for which of one run nothing but the last step is left.
    fn runs(&self, values: &Memory, own: usize) -> Result<Memory, Error>;

    /// Runs that [`runs`](Self::runs) has made for this device, one after another, of which it has left the last step of this device's.
    fn joined(&self, runs: &[Piece<'_>]) -> Result<Memory, Error>;
}

/// Inverses over a field in a device's memory.
pub trait ResidentInversion<F>: Send + Sync {
    /// The inverses of all elements of a matrix, in new memory; zeros stay zero.
    fn invert(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error>;
}

/// Row hashing and trees in a device's memory.
pub trait ResidentHashing<H: Hasher>: Send + Sync {
    /// A heap of two digests for each row of a matrix; the upper half holds the digests of the rows.
    fn hash_rows(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error>;

    /// Fills the inner nodes of such a heap, which no other operation may read meanwhile, and returns its root. The number of
    /// leaves is a power of two.
    fn build_tree(&self, heap: &Memory, leaves: usize, approach: Approach) -> Result<H::Digest, Error>;
}

/// All operations of a device on data that stay.
pub trait ResidentBackend: Resident + EveryResidentField + EveryResidentHash + ResidentCurves {}

impl<T> ResidentBackend for T where T: Resident + EveryResidentField + EveryResidentHash + ResidentCurves {}
