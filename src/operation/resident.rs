//! Operations on matrices and trees that stay in a device's own memory: each runs on the device that holds its data.

use super::exchange::{check, modulus};
use super::{Combined, Each, extend, rows, transform, tree};
#[cfg(feature = "bn254")]
use super::{keep::are_scalars, sum};
use crate::backend::{Accelerated, AcceleratedField, BaseField, Extent, Memory, ResidentBackend};
use crate::dispatch::{Call, Cost, Dispatcher, Home, Member, Operation, Stored};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Blake3;
use crate::merkle::Approach;
use crate::ntt::Lde;
use crate::parallel::FEW;
use crate::work::{Activity, Size};

/// The purpose for which words are copied to a device, which determines the choice of device.
pub(crate) struct Purpose {
    costs: Vec<Cost>,
    /// Its size, if the choice of a device is to be recorded.
    record: Option<Size>,
    /// Whether the operations can be divided among devices, where the data are in host memory.
    divisible: bool,
}

impl Purpose {
    /// Whatever matrices over a field are for: sums over the curve that has such scalars, which can be divided, or else transforms.
    pub(crate) fn of<F: BaseField>(elements: usize) -> Self {
        #[cfg(feature = "bn254")]
        if are_scalars::<F>() {
            return Self { costs: sum::costs_of_scalars::<F>(elements), record: None, divisible: true };
        }
        let work = transform::transform_work(elements, elements.max(1).ilog2());
        let costs = vec![Cost { kind: transform::kind::<Goldilocks>(), work }];
        Self { costs, record: None, divisible: false }
    }

    /// A tree over so many leaves.
    pub(crate) fn tree<H: Accelerated>(leaves: usize) -> Self {
        let costs = vec![Cost { kind: tree::kind::<H>(), work: [leaves as f64; 2] }];
        Self { costs, record: None, divisible: false }
    }

    /// Extension, hashing of rows, and a tree. The cost is that of the separate steps: it includes the copies between them, which
    /// a commitment on one device avoids.
    pub(crate) fn commitment<H: Accelerated>(lde: &Lde, columns: usize) -> Self {
        let (leaves, words) = (lde.to().size(), lde.to().size() * columns);
        let costs = vec![
            Cost {
                kind: extend::kind::<Goldilocks>(),
                work: transform::transform_work(words, lde.from().log_size()),
            },
            Cost { kind: rows::kind::<H>(), work: [words as f64; 2] },
            Cost { kind: tree::kind::<H>(), work: [leaves as f64; 2] },
        ];
        Self { costs, record: Some(Activity::COMMITMENT.of(leaves, 0, 0)), divisible: true }
    }

    /// The costs of the operations.
    pub(crate) fn costs(self) -> Vec<Cost> {
        self.costs
    }

    /// The costs of what a proof does with an extension of so many columns: at least that, and the hashing of rows by the fastest hash.
    pub(crate) fn extension_of_a_proof<F: AcceleratedField>(lde: &Lde<F>, columns: usize) -> Vec<Cost> {
        let elements = lde.to().size() * columns;
        let work = transform::transform_work(elements, lde.from().log_size());
        let words = elements as f64 * size_of::<F>() as f64 / 8.0;
        vec![
            Cost { kind: extend::kind::<F>(), work },
            Cost { kind: rows::kind::<Blake3>(), work: [words; 2] },
        ]
    }

    /// A whole proof with so many elements in its matrices: at least their extension, and their hashing by the fastest hash.
    pub(crate) fn proof(elements: usize) -> Self {
        let extension = transform::transform_work(elements, elements.max(1).ilog2());
        let costs = vec![
            Cost { kind: extend::kind::<Goldilocks>(), work: extension },
            Cost { kind: rows::kind::<Blake3>(), work: [elements as f64; 2] },
        ];
        Self { costs, record: None, divisible: false }
    }
}

/// Copies elements to the device that suits their purpose, to stay there; `None` where they should stay in host memory. There unchecked ones are checked: [`Error::NotCanonical`],
/// with any index, if some words are no elements.
pub(crate) fn upload<F: BaseField>(
    dispatcher: &Dispatcher,
    elements: &[F],
    unchecked: bool,
    purpose: &Purpose,
) -> Result<Option<Stored>, Error> {
    upload_words(dispatcher, F::words(elements), modulus::<F>(unchecked), purpose)
}

/// Copies the words of digests, which are checked, in the same way.
pub(crate) fn upload_digests(
    dispatcher: &Dispatcher,
    words: &[u64],
    purpose: &Purpose,
) -> Result<Option<Stored>, Error> {
    upload_words(dispatcher, words, None, purpose)
}

fn upload_words(
    dispatcher: &Dispatcher,
    words: &[u64],
    modulus: Option<&[u64]>,
    purpose: &Purpose,
) -> Result<Option<Stored>, Error> {
    let Purpose { costs, record, divisible } = purpose;
    let Some(site) = dispatcher.site(costs, *record, size_of_val(words) as u64, *divisible)? else {
        return Ok(None);
    };
    let size = Activity::UPLOAD.of(words.len(), size_of_val(words), 0);
    let run = |device: &Member| {
        let memory = device.memory().upload(words)?;
        check(device.memory(), &memory, modulus)?;
        Ok(memory)
    };
    let memory = site.member.count(At { member: site.member.index(), size, run })?;
    Ok(Some(site.member.store(memory, site.occupied)))
}

/// An operation on the one device that holds its data.
struct At<R> {
    member: usize,
    size: Size,
    run: R,
}

impl<T: Send, R: FnOnce(&Member) -> Result<T, Error> + Send> Call for At<R> {
    type Output = T;

    fn size(&self, _: &Member) -> Size {
        self.size
    }

    fn run(self, device: &Member) -> Result<T, Error> {
        (self.run)(device)
    }
}

impl<T: Send, R: FnOnce(&Member) -> Result<T, Error> + Send> Operation for At<R> {
    fn home(&self) -> Home {
        Home::At(self.member)
    }

    fn is_elsewhere(&self) -> bool {
        self.size.bytes() <= FEW
    }
}

/// An operation on the device of stored data.
fn at<'a, T: Send>(
    stored: &Stored,
    size: Size,
    run: impl FnOnce(&Member) -> Result<T, Error> + Send + 'a,
) -> impl Operation<Output = T> + 'a {
    At { member: stored.member(), size, run }
}

/// An operation that makes so many words out of a matrix, in new memory of its device.
pub(crate) fn make<'a>(
    matrix: &'a Stored,
    size: Size,
    words: usize,
    run: impl FnOnce(&dyn ResidentBackend, &Memory) -> Result<Memory, Error> + Send + 'a,
) -> impl Operation<Output = Stored> + 'a {
    make_of(matrix, size, words, move |device| run(device, matrix.contents()))
}

/// The same out of several matrices of one device, of which this is one.
pub(crate) fn make_of<'a>(
    matrix: &'a Stored,
    size: Size,
    words: usize,
    run: impl FnOnce(&dyn ResidentBackend) -> Result<Memory, Error> + Send + 'a,
) -> impl Operation<Output = Stored> + 'a {
    at(matrix, size, move |device| {
        let made = run(device.memory())?;
        Ok(device.store(made, device.occupy(8 * words as u64)))
    })
}

/// Copies words to the device that holds other data, to stay there.
pub(crate) fn upload_beside<'a>(other: &Stored, words: &'a [u64]) -> impl Operation<Output = Stored> + 'a {
    let size = Activity::UPLOAD.of(words.len(), size_of_val(words), 0);
    at(other, size, move |device| {
        let memory = device.memory().upload(words)?;
        Ok(device.store(memory, device.occupy(size_of_val(words) as u64)))
    })
}

/// Copies the same words to each of some devices, to stay there.
pub(crate) fn upload_to(
    dispatcher: &Dispatcher,
    members: &[usize],
    words: &[u64],
) -> Result<Vec<Stored>, Error> {
    let size = Activity::UPLOAD.of(words.len(), size_of_val(words), 0);
    let upload = |&member: &usize| {
        let run = |device: &Member| {
            let memory = device.memory().upload(words)?;
            Ok(device.store(memory, device.occupy(size_of_val(words) as u64)))
        };
        (member, At { member, size, run })
    };
    dispatcher.divided(Each { calls: members.iter().map(upload).collect() })
}

/// Sums of rows by weights on the same device, to the host.
pub(crate) fn sums_of_rows<'a, F: AcceleratedField>(
    weights: (&'a Stored, Extent),
    matrix: (&'a Stored, Extent),
    sums: &'a mut [F],
) -> impl Operation<Output = ()> + 'a {
    let elements = weights.1.rows * matrix.1.words() / matrix.1.rows * 8 / size_of::<F>();
    let size = Combined::Rows.activity().of(elements, 0, size_of_val(sums));
    at(matrix.0, size, move |device| {
        let [weights, matrix] = [weights, matrix].map(|(stored, extent)| (stored.contents(), extent));
        F::resident_combinations(device.memory()).combine_rows(weights, matrix, sums)
    })
}

/// Copies words, from word `from` on, to the host.
pub(crate) fn download<'a>(
    stored: &'a Stored,
    from: usize,
    data: &'a mut [u8],
) -> impl Operation<Output = ()> + 'a {
    let size = Activity::DOWNLOAD.of(data.len() / 8, 0, data.len());
    at(stored, size, move |device| device.memory().download(stored.contents(), from, data))
}

/// Copies rows, by their indices, to the host, one after another.
pub(crate) fn gather<'a>(
    stored: &'a Stored,
    extent: Extent,
    rows: &'a [usize],
    data: &'a mut [u8],
) -> impl Operation<Output = ()> + 'a {
    let size = Activity::GATHER.of(rows.len(), size_of_val(rows), data.len());
    at(stored, size, move |device| device.memory().gather(stored.contents(), extent, rows, data))
}

/// A heap of two digests for each row of a matrix; the upper half holds the digests of the rows.
pub(crate) fn hash_resident<H: Accelerated>(
    matrix: &Stored,
    extent: Extent,
) -> impl Operation<Output = Stored> {
    let words = 2 * extent.rows * size_of::<H::Digest>() / 8;
    make(matrix, Activity::ROWS.of(extent.words(), 0, 0), words, move |device, matrix| {
        H::resident_hashing(device).hash_rows(matrix, extent)
    })
}

/// Fills the inner nodes of such a heap, which no other operation may read meanwhile, and returns the root.
pub(crate) fn tree_resident<H: Accelerated>(
    heap: &Stored,
    leaves: usize,
    approach: Approach,
) -> impl Operation<Output = H::Digest> {
    at(heap, Activity::TREE.of(leaves, 0, size_of::<H::Digest>()), move |device| {
        H::resident_hashing(device.memory()).build_tree(heap.contents(), leaves, approach)
    })
}
