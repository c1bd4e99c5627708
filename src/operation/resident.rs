//! Operations on matrices and trees that stay in a device's own memory: each runs on the device that holds its data.

use super::{Points, extend, rows, transform, tree};
#[cfg(feature = "bn254")]
use super::{keep::are_scalars, sum};
use crate::backend::{Accelerated, AcceleratedField, BaseField, Extent, Memory};
use crate::dispatch::{Call, Cost, Dispatcher, Home, Member, Operation, Stored};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt, Order};
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
}

/// Copies checked elements to the device that suits their purpose, to stay there; `None` where they should stay in host memory.
pub(crate) fn upload<F: BaseField>(
    dispatcher: &Dispatcher,
    elements: &[F],
    purpose: &Purpose,
) -> Result<Option<Stored>, Error> {
    let Purpose { costs, record, divisible } = purpose;
    let Some(site) = dispatcher.site(costs, *record, size_of_val(elements) as u64, *divisible)? else {
        return Ok(None);
    };
    let words = F::words(elements);
    let size = Activity::UPLOAD.of(words.len(), size_of_val(words), 0);
    let upload =
        At { member: site.member.index(), size, run: |device: &Member| device.memory().upload(words) };
    let memory = site.member.count(upload)?;
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
}

/// An operation on the device of stored data.
fn at<'a, T: Send>(
    stored: &Stored,
    size: Size,
    run: impl FnOnce(&Member) -> Result<T, Error> + Send + 'a,
) -> impl Operation<Output = T> + 'a {
    At { member: stored.member(), size, run }
}

/// Wraps memory that an operation on a device has allocated.
fn store(device: &Member, memory: Memory, words: usize) -> Stored {
    device.store(memory, device.occupy(8 * words as u64))
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

/// The first `rows` rows, in new memory.
pub(crate) fn first_rows(matrix: &Stored, extent: Extent, rows: usize) -> impl Operation<Output = Stored> {
    at(matrix, Activity::GATHER.of(rows, 0, 0), move |device| {
        let first = device.memory().first_rows(matrix.contents(), extent, rows)?;
        Ok(store(device, first, rows * extent.width))
    })
}

/// The transforms of all columns, in new memory.
pub(crate) fn transform_resident<F: AcceleratedField>(
    ntt: Ntt<F>,
    matrix: &Stored,
    extent: Extent,
) -> impl Operation<Output = Stored> {
    at(matrix, resident_size::<F>(F::TRANSFORM, extent.words()), move |device| {
        let transforms = F::resident_transforms(device.memory());
        Ok(store(device, transforms.ntt(&ntt, matrix.contents(), extent)?, extent.words()))
    })
}

/// The inverses of all elements, in new memory.
pub(crate) fn invert_resident<F: AcceleratedField>(
    matrix: &Stored,
    extent: Extent,
) -> impl Operation<Output = Stored> {
    at(matrix, resident_size::<F>(Activity::INVERSION, extent.words()), move |device| {
        let inversion = F::resident_inversion(device.memory());
        Ok(store(device, inversion.invert(matrix.contents(), extent)?, extent.words()))
    })
}

/// The extensions of all columns, in new memory.
pub(crate) fn extend_resident<F: AcceleratedField>(
    lde: Lde<F>,
    matrix: &Stored,
    extent: Extent,
) -> impl Operation<Output = Stored> {
    let words = extent.words().saturating_mul(lde.blowup());
    at(matrix, resident_size::<F>(F::EXTENSION, words), move |device| {
        let transforms = F::resident_transforms(device.memory());
        Ok(store(device, transforms.lde(&lde, matrix.contents(), extent)?, words))
    })
}

/// The values of polynomials with a coefficient a row, in new memory.
pub(crate) fn evaluate_resident<F: AcceleratedField>(
    Points { domain, size }: Points<F>,
    coefficients: &Stored,
    extent: Extent,
) -> impl Operation<Output = Stored> {
    let words = (extent.words() / size).saturating_mul(domain.size());
    at(coefficients, resident_size::<F>(F::TRANSFORM, words), move |device| {
        let transforms = F::resident_transforms(device.memory());
        let values = transforms.evaluate(&domain, Order::Natural, coefficients.contents(), extent)?;
        Ok(store(device, values, words))
    })
}

/// The size of an operation that makes so many words, and copies none.
fn resident_size<F>(activity: Activity, words: usize) -> Size {
    activity.of(words / (size_of::<F>() / 8), 0, 0)
}

/// A heap of two digests for each row of a matrix; the upper half holds the digests of the rows.
pub(crate) fn hash_resident<H: Accelerated>(
    matrix: &Stored,
    extent: Extent,
) -> impl Operation<Output = Stored> {
    at(matrix, Activity::ROWS.of(extent.words(), 0, 0), move |device| {
        let heap = H::resident_hashing(device.memory()).hash_rows(matrix.contents(), extent)?;
        Ok(store(device, heap, 2 * extent.rows * size_of::<H::Digest>() / 8))
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
