//! Operations on matrices and trees that stay in a device's own memory: each is done where its data are.

use super::{extend, rows, transform, tree};
use crate::backend::{Accelerated, Extent, Memory};
use crate::dispatch::{Call, Cost, Dispatcher, Home, Member, Operation, Stored, transform_work};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Hasher;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};
use crate::work::{Activity, Size};

/// What words are brought to a device for: it decides which device that is.
pub(crate) struct Purpose {
    costs: Vec<Cost>,
    size: Size,
    /// Whether the operations can be divided among devices, where the data are in host memory.
    divisible: bool,
}

impl Purpose {
    /// To be transformed, or something like it.
    pub(crate) fn transform(words: usize) -> Self {
        let work = transform_work(words, words.max(1).ilog2());
        let costs = vec![Cost { kind: transform::kind::<Goldilocks>(), work }];
        Self { costs, size: Activity::UPLOAD.of(words, 0, 0), divisible: false }
    }

    /// To be extended, hashed row by row, and made a tree of. The cost is that of the steps done apart: it holds the copies between
    /// them, which a commitment on one device spares.
    pub(crate) fn commitment<H: Accelerated>(lde: &Lde, columns: usize) -> Self {
        let (leaves, words) = (lde.to().size(), lde.to().size() * columns);
        let costs = vec![
            Cost { kind: extend::kind::<Goldilocks>(), work: transform_work(words, lde.from().log_size()) },
            Cost { kind: rows::kind::<H>(), work: [words as f64; 2] },
            Cost { kind: tree::kind::<H>(), work: [leaves as f64; 2] },
        ];
        Self { costs, size: Activity::COMMITMENT.of(leaves, 0, 0), divisible: true }
    }
}

/// Brings canonical words to the device that suits their purpose, to stay there; `None` where they had better stay in host memory.
pub(crate) fn upload(
    dispatcher: &Dispatcher,
    words: &[Goldilocks],
    purpose: &Purpose,
) -> Result<Option<Stored>, Error> {
    let Purpose { costs, size, divisible } = purpose;
    let Some(site) = dispatcher.site(costs, size, size_of_val(words) as u64, *divisible)? else {
        return Ok(None);
    };
    let memory = site.member.count(Upload { words })?;
    Ok(Some(site.member.store(memory, site.occupied)))
}

/// A copy of words on a device.
struct Upload<'a> {
    words: &'a [Goldilocks],
}

impl Call for Upload<'_> {
    type Output = Memory;

    fn size(&self, _: &Member) -> Size {
        Activity::UPLOAD.of(self.words.len(), size_of_val(self.words), 0)
    }

    fn run(self, device: &Member) -> Result<Memory, Error> {
        device.memory().upload(self.words)
    }
}

/// Copies words, from word `from` on, to the host.
pub(crate) struct Download<'a> {
    pub(crate) stored: &'a Stored,
    pub(crate) from: usize,
    pub(crate) data: &'a mut [u8],
}

impl Call for Download<'_> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        Activity::DOWNLOAD.of(self.data.len() / 8, 0, self.data.len())
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        device.memory().download(self.stored.contents(), self.from, self.data)
    }
}

impl Operation for Download<'_> {
    fn home(&self) -> Home {
        Home::At(self.stored.member())
    }
}

/// Copies rows, by their indices, to the host, one after another.
pub(crate) struct Gather<'a> {
    pub(crate) stored: &'a Stored,
    pub(crate) extent: Extent,
    pub(crate) rows: &'a [usize],
    pub(crate) data: &'a mut [u8],
}

impl Call for Gather<'_> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        Activity::GATHER.of(self.rows.len(), size_of_val(self.rows), self.data.len())
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        device.memory().gather(self.stored.contents(), self.extent, self.rows, self.data)
    }
}

impl Operation for Gather<'_> {
    fn home(&self) -> Home {
        Home::At(self.stored.member())
    }
}

/// Hands out what an operation on a device has made.
fn store(device: &Member, memory: Memory, words: usize) -> Stored {
    device.store(memory, device.occupy(8 * words as u64))
}

/// The transforms of all columns, in new memory.
pub(crate) struct TransformResident<'a> {
    pub(crate) ntt: Ntt,
    pub(crate) matrix: &'a Stored,
    pub(crate) extent: Extent,
}

impl Call for TransformResident<'_> {
    type Output = Stored;

    fn size(&self, _: &Member) -> Size {
        Activity::NTT.of(self.extent.words(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored, Error> {
        let memory = device.memory().ntt(&self.ntt, self.matrix.contents(), self.extent)?;
        Ok(store(device, memory, self.extent.words()))
    }
}

impl Operation for TransformResident<'_> {
    fn home(&self) -> Home {
        Home::At(self.matrix.member())
    }
}

/// The extensions of all columns, in new memory.
pub(crate) struct ExtendResident<'a> {
    pub(crate) lde: Lde,
    pub(crate) matrix: &'a Stored,
    pub(crate) extent: Extent,
}

impl ExtendResident<'_> {
    fn words(&self) -> usize {
        self.extent.words().saturating_mul(self.lde.blowup())
    }
}

impl Call for ExtendResident<'_> {
    type Output = Stored;

    fn size(&self, _: &Member) -> Size {
        Activity::LDE.of(self.words(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored, Error> {
        let memory = device.memory().lde(&self.lde, self.matrix.contents(), self.extent)?;
        Ok(store(device, memory, self.words()))
    }
}

impl Operation for ExtendResident<'_> {
    fn home(&self) -> Home {
        Home::At(self.matrix.member())
    }
}

/// A heap of two digests for each row of a matrix; the upper half holds the digests of the rows.
pub(crate) struct HashResident<'a, H> {
    pub(crate) matrix: &'a Stored,
    pub(crate) extent: Extent,
    pub(crate) hash: std::marker::PhantomData<H>,
}

impl<H: Accelerated> Call for HashResident<'_, H> {
    type Output = Stored;

    fn size(&self, _: &Member) -> Size {
        Activity::ROWS.of(self.extent.words(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Stored, Error> {
        let hashing = H::resident_hashing(device.memory());
        let heap = hashing.hash_rows(self.matrix.contents(), self.extent)?;
        Ok(store(device, heap, 2 * self.extent.rows * size_of::<H::Digest>() / 8))
    }
}

impl<H: Accelerated> Operation for HashResident<'_, H> {
    fn home(&self) -> Home {
        Home::At(self.matrix.member())
    }
}

/// Fills the inner nodes of such a heap, which nobody else holds, and tells the root.
pub(crate) struct TreeResident<'a, H> {
    pub(crate) heap: &'a Stored,
    pub(crate) leaves: usize,
    pub(crate) approach: Approach,
    pub(crate) hash: std::marker::PhantomData<H>,
}

impl<H: Accelerated> Call for TreeResident<'_, H> {
    type Output = <H as Hasher>::Digest;

    fn size(&self, _: &Member) -> Size {
        Activity::TREE.of(self.leaves, 0, size_of::<H::Digest>())
    }

    fn run(self, device: &Member) -> Result<H::Digest, Error> {
        H::resident_hashing(device.memory()).build_tree(self.heap.contents(), self.leaves, self.approach)
    }
}

impl<H: Accelerated> Operation for TreeResident<'_, H> {
    fn home(&self) -> Home {
        Home::At(self.heap.member())
    }
}
