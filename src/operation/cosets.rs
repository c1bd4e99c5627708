//! Commitments that several devices make together, each its cosets of the extension.
//!
//! # Mathematical description
//!
//! The extended domain is s g^i, of order N = b n. The points s g^k (g^P)^t for a fixed k are a coset of the subgroup of order N / P; so rows
//! k, k + P, k + 2P, ... of the extension are the values of the columns' polynomials on one such coset. Where P divides the blow-up b, each coset is at least as
//! large as the domain of the trace, and a device makes it of all coefficients, from the whole trace: devices exchange nothing for it. It hashes its rows, whose
//! digests are every P-th leaf of the tree.
//!
//! The tree is the tree over the roots of P subtrees of N / P adjacent leaves each. The leaves of a subtree are a P-th of the digests of
//! each coset, in turn. These are all that devices exchange: 32 bytes a row, where an exchange of columns would move the extension itself.

use std::ops::Range;

use super::exchange::{check, modulus};
use crate::backend::{Accelerated, AcceleratedField, Extent, Levels, Piece};
use crate::checks;
use crate::dispatch::{Call, Cost, Dispatcher, Divisible, Member, Operation, Share, Stored};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Digest, Hasher};
use crate::memory;
use crate::merkle::{Approach, MerkleTree};
use crate::ntt::{Domain, Lde, Ntt};
use crate::parallel;
use crate::work::{Activity, Size};

/// Values where a device made them: in its own memory, or in the host's.
pub(crate) enum Held<T> {
    Device(Stored),
    Host(Vec<T>),
}

/// Brings an unchecked trace to devices that are to share the cosets of its extension: [`Error::NotCanonical`], with any index, if some words are no elements. The number of cosets, P,
/// follows from the shares.
pub(crate) struct SpreadTrace<'a, F> {
    pub(crate) lde: Lde<F>,
    pub(crate) trace: &'a [F],
    pub(crate) extent: Extent,
    /// The costs of all that is done with the extension of so many columns.
    pub(crate) costs: fn(&Lde<F>, usize) -> Vec<Cost>,
    /// The nanoseconds that all of that takes longer in parts, besides.
    pub(crate) overhead: f64,
    /// Words that a device keeps for each of its rows beside these.
    pub(crate) beside: usize,
    /// Where the pieces of peers begin, and where the last ends, once the shares are known.
    pub(crate) bounds: Vec<usize>,
}

/// A trace where the devices have it.
pub(crate) struct Spread {
    /// The devices with their cosets, in order.
    pub(crate) shares: Vec<(usize, Range<usize>)>,
    /// The number of all cosets.
    pub(crate) of: usize,
    /// What each has; nothing where a device computes in host memory.
    traces: Vec<Option<Stored>>,
    /// Where the pieces of the trace begin, and where the last ends. Devices that read each other's memory have a piece each, others have all of it.
    bounds: Vec<usize>,
}

/// The part of one device: all or a piece of the trace.
pub(crate) struct Part<'a, F>(&'a [F]);

impl<F: AcceleratedField> Call for Part<'_, F> {
    type Output = Option<Stored>;

    fn size(&self, device: &Member) -> Size {
        let words = if device.has_memory() { F::words(self.0) } else { &[] };
        Activity::UPLOAD.of(words.len(), size_of_val(words), 0)
    }

    fn run(self, device: &Member) -> Result<Self::Output, Error> {
        if !device.has_memory() {
            return checks::elements(self.0).map(|()| None);
        }
        let memory = device.memory().upload(F::words(self.0))?;
        check(device.memory(), &memory, modulus::<F>(true))?;
        Ok(Some(device.store(memory, device.occupy(size_of_val(self.0) as u64))))
    }
}

impl<F: AcceleratedField> SpreadTrace<'_, F> {
    /// Cosets as large as all shares are multiples of: how many of those as large as the trace one is, and the number of all.
    fn unit(&self, shares: &[Share]) -> (usize, usize) {
        let unit = shares.iter().fold(self.lde.blowup(), |unit, share| gcd(unit, share.items.len()));
        (unit, self.lde.blowup() / unit)
    }

    /// [`Error::OverDeviceBudget`] if a device has no room for so many rows of the extension, what is kept beside them, and the trace with its
    /// coefficients.
    fn check_budget(&self, device: &Member, rows: usize) -> Result<(), Error> {
        let Some(memory) = device.backend().resident() else { return Ok(()) };
        let words = rows.saturating_mul(self.extent.width + self.beside);
        let required = (words.saturating_add(2 * self.extent.words()) as u64).saturating_mul(8);
        match required <= memory.budget() {
            true => Ok(()),
            false => Err(Error::OverDeviceBudget { required, budget: memory.budget() }),
        }
    }
}

/// The bounds of pieces of so many elements for devices of which all are peers; of all elements for each otherwise.
fn bounds(shares: &[Share], devices: &[Member], elements: usize) -> Vec<usize> {
    let count = shares.len();
    match shares.iter().all(|share| devices[share.member].reads_peers()) {
        true => (0..=count).map(|i| (elements as u128 * i as u128 / count as u128) as usize).collect(),
        false => vec![0, elements],
    }
}

impl<F: AcceleratedField> Call for SpreadTrace<'_, F> {
    type Output = Spread;

    fn size(&self, device: &Member) -> Size {
        Part(self.trace).size(device)
    }

    /// For one coset: the whole extension.
    fn run(self, device: &Member) -> Result<Spread, Error> {
        let traces = vec![Part(self.trace).run(device)?];
        let shares = vec![(device.index(), 0..1)];
        Ok(Spread { shares, of: 1, traces, bounds: vec![0, self.trace.len()] })
    }
}

impl<F: AcceleratedField> Operation for SpreadTrace<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        (self.costs)(&self.lde, self.extent.width * 8 / size_of::<F>())
    }

    fn stays(&self) -> bool {
        true
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Spread, Error> {
        dispatcher.divided(self)
    }
}

impl<'a, F: AcceleratedField> Divisible for SpreadTrace<'a, F> {
    type Outcome = Option<Stored>;
    type Part<'p>
        = Part<'p, F>
    where
        Self: 'p;

    /// The cosets as large as the trace.
    fn items(&self, _: &[Member]) -> usize {
        self.lde.blowup()
    }

    fn overhead(&self, _: &[Member]) -> f64 {
        self.overhead
    }

    fn divide(&mut self, shares: &[Share], devices: &[Member]) -> Result<Vec<Part<'_, F>>, Error> {
        let rows = self.lde.from().size();
        shares.iter().try_for_each(|share| {
            self.check_budget(&devices[share.member], rows.saturating_mul(share.items.len()))
        })?;
        self.bounds = bounds(shares, devices, self.trace.len());
        let piece = |bounds: &[usize]| Part(&self.trace[bounds[0]..bounds[1]]);
        // All of it for each, or a piece for each.
        Ok(self.bounds.windows(2).map(piece).cycle().take(shares.len()).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<Option<Stored>, Error>>) -> Result<Spread, Error> {
        let (unit, of) = self.unit(shares);
        let cosets = |share: &Share| (share.member, share.items.start / unit..share.items.end / unit);
        let traces = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Spread { shares: shares.iter().map(cosets).collect(), of, traces, bounds: self.bounds })
    }
}

/// Extends every column of a trace onto the cosets of one device.
pub(crate) struct ExtendCosets<'a, F> {
    pub(crate) lde: Lde<F>,
    /// The trace in host memory.
    pub(crate) trace: &'a [F],
    pub(crate) extent: Extent,
    pub(crate) spread: &'a Spread,
    /// The number of the device's share.
    pub(crate) share: usize,
}

impl<F: AcceleratedField> ExtendCosets<'_, F> {
    /// Elements of a coset.
    fn values(&self) -> usize {
        self.trace.len() * self.lde.blowup() / self.spread.of
    }

    /// The points of the coset of a number: in bit-reversed order those of the run of that number.
    fn domain(&self, number: usize) -> Result<Domain<F>, Error> {
        let (of, order) = (self.spread.of, self.lde.output_order());
        self.lde.to().every(of, order.index_of(number, of))
    }

    fn on_host(&self, device: &Member) -> Result<Vec<Held<F>>, Error> {
        let Self { lde, trace, extent, spread, share } = self;
        let (transforms, width) = (F::transforms(device.backend()), extent.block * 8 / size_of::<F>());
        let mut coefficients = F::zeros(trace.len())?;
        memory::copy(trace, &mut coefficients);
        transforms.ntt(&Ntt::inverse(lde.from()), &mut coefficients, width)?;
        let of_coset = |number| {
            let (domain, mut values) = (self.domain(number)?, F::zeros(self.values())?);
            let block = (lde.from().size(), width);
            transforms.evaluate(&domain, lde.output_order(), &coefficients, block, &mut values)?;
            Ok(Held::Host(values))
        };
        spread.shares[*share].1.clone().map(of_coset).collect()
    }
}

impl<F: AcceleratedField> Call for ExtendCosets<'_, F> {
    type Output = Vec<Held<F>>;

    fn size(&self, _: &Member) -> Size {
        F::EXTENSION.of(self.values() * self.spread.shares[self.share].1.len(), 0, 0)
    }

    fn run(self, device: &Member) -> Result<Self::Output, Error> {
        if !device.has_memory() {
            return self.on_host(device);
        }
        let Self { lde, extent, spread, share, .. } = self;
        let (memory, transforms) = (device.memory(), F::resident_transforms(device.memory()));
        let inverse = Ntt::inverse(lde.from());
        let coefficients = match spread.are_peers() {
            true => transforms.ntt(&inverse, &memory.join(&spread.pieces::<F>())?, extent)?,
            false => {
                let own = spread.traces[share].as_ref().expect("a device with memory has the trace there");
                transforms.ntt(&inverse, own.contents(), extent)?
            }
        };
        let bytes = self.values() * size_of::<F>();
        let of_coset = |number| {
            let (domain, order) = (self.domain(number)?, lde.output_order());
            let made = transforms.evaluate(&domain, order, &coefficients, extent)?;
            Ok(Held::Device(device.store(made, device.occupy(bytes as u64))))
        };
        spread.shares[share].1.clone().map(of_coset).collect()
    }
}

impl Spread {
    /// Whether these devices read each other's memory.
    pub(crate) fn are_peers(&self) -> bool {
        self.bounds.len() > 2
    }

    /// Bytes of host memory that a commitment takes: on devices that compute there, the coefficients, then the digests of rows and the subtrees, beside
    /// their cosets; and the digests of all rows where devices exchange them through it.
    pub(crate) fn host_memory<F: Copy>(&self, lde: &Lde<F>, extent: Extent, digest: usize) -> u64 {
        let on_host = self.shares.iter().zip(&self.traces).filter(|(_, stored)| stored.is_none());
        let (cosets, devices) =
            on_host.fold((0, 0), |(cosets, devices), ((_, own), _)| (cosets + own.len(), devices + 1));
        let bytes = |rows: usize, width: usize| (rows as u64).saturating_mul(width as u64);
        let rows = bytes(lde.to().size() / self.of, cosets);
        let digests = if self.are_peers() { 0 } else { bytes(lde.to().size(), digest) };
        let trees = digests.saturating_add(rows.saturating_mul(2 * digest as u64));
        let coefficients = bytes(extent.words(), 8 * devices);
        rows.saturating_mul(8 * extent.width as u64).saturating_add(trees.max(coefficients))
    }

    /// The pieces of the trace, for devices that are peers.
    fn pieces<F>(&self) -> Vec<(Piece<'_>, usize)> {
        let words = |element: usize| element * size_of::<F>() / 8;
        let pieces = self.traces.iter().zip(self.bounds.windows(2));
        pieces
            .map(|(stored, bounds)| {
                let stored = stored.as_ref().expect("a peer has its piece");
                (Piece::Device(stored.contents(), 0), words(bounds[1] - bounds[0]))
            })
            .collect()
    }
}

/// Words of so many digests.
fn words<H: Hasher>(digests: usize) -> usize {
    digests * size_of::<H::Digest>() / 8
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Rows where a device has them: in its own memory, or in the host's.
pub(crate) enum CosetRows<'a> {
    Device(&'a Stored),
    Host(&'a [Goldilocks]),
}

/// Hashes the rows of a coset. On a device the digests are the upper half of a heap, or, for an exchange through the host, in host memory.
pub(crate) struct HashCoset<'a, H> {
    pub(crate) values: CosetRows<'a>,
    pub(crate) extent: Extent,
    pub(crate) through_host: bool,
    pub(crate) hash: std::marker::PhantomData<H>,
}

impl<H: Accelerated> Call for HashCoset<'_, H> {
    type Output = Held<H::Digest>;

    fn size(&self, device: &Member) -> Size {
        let copied = self.through_host && device.has_memory();
        let bytes = if copied { self.extent.rows * size_of::<H::Digest>() } else { 0 };
        Activity::ROWS.of(self.extent.words(), 0, bytes)
    }

    fn run(self, device: &Member) -> Result<Held<H::Digest>, Error> {
        let rows = self.extent.rows;
        let stored = match self.values {
            CosetRows::Device(stored) => stored,
            CosetRows::Host(values) => {
                let mut digests = memory::zeroed::<H::Digest>(rows)?;
                H::hashing(device.backend()).hash_rows(values, self.extent, 0, &mut digests)?;
                return Ok(Held::Host(digests));
            }
        };
        let heap = H::resident_hashing(device.memory()).hash_rows(stored.contents(), self.extent)?;
        if !self.through_host {
            let bytes = 2 * rows * size_of::<H::Digest>();
            return Ok(Held::Device(device.store(heap, device.occupy(bytes as u64))));
        }
        let mut digests = memory::zeroed::<H::Digest>(rows)?;
        device.memory().download(&heap, words::<H>(rows), bytemuck::cast_slice_mut(&mut digests))?;
        Ok(Held::Host(digests))
    }
}

/// A run of digests: in host memory, or from a word on of what a device has.
#[derive(Clone, Copy)]
pub(crate) enum Digests<'a, D> {
    Host(&'a [D]),
    Device(&'a Stored, usize),
}

impl<'a, D: Digest> Digests<'a, D> {
    /// So many digests of the rows of a coset, from a row on.
    pub(crate) fn of_coset(coset: &'a Held<D>, from: usize, count: usize, rows: usize) -> Self {
        match coset {
            Held::Host(digests) => Self::Host(&digests[from..from + count]),
            Held::Device(heap) => Self::Device(heap, (rows + from) * size_of::<D>() / 8),
        }
    }

    fn on_host(&self) -> &'a [D] {
        match *self {
            Self::Host(digests) => digests,
            Self::Device(..) => unreachable!("where the host has a share, digests go through it"),
        }
    }

    fn piece(&self) -> Piece<'a> {
        match *self {
            Self::Host(digests) => Piece::Host(bytemuck::cast_slice(digests)),
            Self::Device(stored, from) => Piece::Device(stored.contents(), from),
        }
    }
}

/// Builds a tree whose leaves are those of runs in turn: leaf P i + k is the i-th of run k of P.
pub(crate) struct Subtree<'a, H: Hasher> {
    /// All in host memory, or all where one device reads them.
    pub(crate) runs: Vec<Digests<'a, H::Digest>>,
    /// The digests of a run.
    pub(crate) count: usize,
    pub(crate) approach: Approach,
}

/// A subtree where its device has made it, with its root.
pub(crate) enum Built<H: Hasher> {
    Device(Stored, H::Digest),
    Host(MerkleTree<H>),
}

/// Puts the digests of runs in turn into the leaves of a tree.
pub(crate) fn in_turn<D: Digest>(runs: &[&[D]], leaves: &mut [D]) {
    parallel::for_each_chunk(leaves, runs.len() << 8, |chunk, leaves| {
        for (i, leaf) in leaves.iter_mut().enumerate() {
            *leaf = runs[i % runs.len()][(chunk << 8) + i / runs.len()];
        }
    });
}

impl<H: Accelerated> Subtree<'_, H> {
    fn leaves(&self) -> usize {
        self.runs.len() * self.count
    }

    fn on_host(&self, device: &Member) -> Result<MerkleTree<H>, Error> {
        let leaves = self.leaves();
        let mut heap = memory::zeroed::<H::Digest>(2 * leaves)?;
        let (inner, leaves) = heap.split_at_mut(leaves);
        in_turn(&self.runs.iter().map(Digests::on_host).collect::<Vec<_>>(), leaves);
        let hashing = H::hashing(device.backend());
        hashing.build_tree(leaves, Levels::Heap(inner), self.approach, &mut || Ok(()))?;
        Ok(MerkleTree::from_filled_heap(heap))
    }
}

impl<H: Accelerated> Call for Subtree<'_, H> {
    type Output = Built<H>;

    fn size(&self, device: &Member) -> Size {
        let copied = device.has_memory() && matches!(self.runs[..], [Digests::Host(_), ..]);
        let bytes = if copied { self.leaves() * size_of::<H::Digest>() } else { 0 };
        Activity::TREE.of(self.leaves(), bytes, size_of::<H::Digest>())
    }

    fn run(self, device: &Member) -> Result<Built<H>, Error> {
        if !device.has_memory() {
            return self.on_host(device).map(Built::Host);
        }
        let (memory, leaves) = (device.memory(), self.leaves());
        let pieces: Vec<_> = self.runs.iter().map(Digests::piece).collect();
        let heap = memory.interleave(&pieces, self.count, words::<H>(1), words::<H>(leaves))?;
        let root = H::resident_hashing(memory).build_tree(&heap, leaves, self.approach)?;
        let bytes = 2 * leaves * size_of::<H::Digest>();
        Ok(Built::Device(device.store(heap, device.occupy(bytes as u64)), root))
    }
}
