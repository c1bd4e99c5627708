//! Matrices in the memory of NVIDIA GPUs that other libraries of the process use without a copy through the host, such as those of Python
//! that know each other by DLPack or the CUDA array interface.
//!
//! All of them use a device's primary context, and so does zkaccel. Memory is then a number, the address; whoever uses it has to know that it
//! stays, that its contents are ready, and that nobody writes to it:
//!
//! - [`DeviceMatrix::cuda`] and [`DeviceDigests::cuda`] lend what is there. Operations end when the device has finished, so its contents are ready for every stream. What is
//!   lent stays until the [`CudaView`] is dropped, which waits for the device, so that work of others that still reads it ends first.
//! - [`Engine::upload_from_cuda`] and [`Engine::upload_digests_from_cuda`] copy words of another library within the device. They wait for the stream that makes them.

use std::fmt;

use super::digests::Location as OfDigests;
use super::{DeviceDigests, DeviceMatrix, Location};
use crate::backend::Foreign;
use crate::dispatch::{Call, Member, Stored};
use crate::engine::Engine;
use crate::error::Error;
use crate::field::{Goldilocks, MODULUS};
use crate::hash::{Digest, Hasher};
use crate::matrix::{BaseField, Element, Layout, Shape};
use crate::memory;
use crate::operation::download;
use crate::work::{Activity, Size};

/// A matrix or digests that other libraries of the process may read in a GPU's memory. Dropping it waits for all work of the device.
pub struct CudaView<T: Lendable> {
    owner: T,
    address: u64,
    ordinal: u32,
}

/// Words of another library in the memory of an NVIDIA GPU: elements in the layout of a matrix, or digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaWords {
    /// The address of the first, as the driver has it (`CUdeviceptr`).
    pub address: u64,
    /// The number of the GPU among those of the process, as in `cuda:N`.
    pub ordinal: u32,
    /// The stream whose work makes the words, a `CUstream` of the device as a number; 1 and 2 are the default streams, of the process and of the
    /// thread, as the driver has it. `None` if the words are ready.
    pub stream: Option<u64>,
}

/// What lies in the memory of a device: a [`DeviceMatrix`] or [`DeviceDigests`].
pub trait Lendable: sealed::Lendable + Clone {}

impl<T: sealed::Lendable + Clone> Lendable for T {}

mod sealed {
    pub trait Lendable {
        /// The address of the first word and the number of the GPU.
        fn address(&self) -> Option<(u64, u32)>;

        /// Waits for all work of the device.
        fn synchronise(&self);
    }
}

/// How a device shares what it has, if others can use that.
fn foreign<'a>(engine: &'a Engine, stored: &Stored) -> Option<&'a dyn Foreign> {
    engine.dispatcher().holder(stored).memory().foreign()
}

impl<T: DeviceResident> sealed::Lendable for T {
    fn address(&self) -> Option<(u64, u32)> {
        let (engine, stored, from) = self.stored()?;
        let foreign = foreign(engine, stored)?;
        Some((foreign.address(stored.contents()) + 8 * from as u64, foreign.ordinal()))
    }

    fn synchronise(&self) {
        let foreign = self.stored().and_then(|(engine, stored, _)| foreign(engine, stored));
        // A device that fails now reads nothing any more.
        let _ = foreign.map(Foreign::synchronise);
    }
}

/// What an engine keeps.
trait DeviceResident {
    /// The engine, and what a device has of this, from a word on.
    fn stored(&self) -> Option<(&Engine, &Stored, usize)>;
}

impl<E: Element> DeviceResident for DeviceMatrix<E> {
    fn stored(&self) -> Option<(&Engine, &Stored, usize)> {
        match &self.location {
            Location::Device(stored) => Some((&self.engine, stored, 0)),
            Location::Host(_) => None,
        }
    }
}

impl<H: Hasher> DeviceResident for DeviceDigests<H> {
    fn stored(&self) -> Option<(&Engine, &Stored, usize)> {
        match &self.location {
            OfDigests::Device(stored, from) => Some((&self.engine, stored, *from)),
            OfDigests::Host(_) => None,
        }
    }
}

impl<T: Lendable> CudaView<T> {
    fn of(owner: &T) -> Option<Self> {
        let (address, ordinal) = sealed::Lendable::address(owner)?;
        Some(Self { owner: owner.clone(), address, ordinal })
    }

    /// The address of the first word, to which nobody may write: entries in the layout of the matrix, or digests.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The number of the GPU, as in `cuda:N`.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// What is lent.
    pub fn owner(&self) -> &T {
        &self.owner
    }
}

impl<T: Lendable> Drop for CudaView<T> {
    fn drop(&mut self) {
        self.owner.synchronise();
    }
}

impl<T: Lendable + fmt::Debug> fmt::Debug for CudaView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaView")
            .field("owner", &self.owner)
            .field("address", &self.address)
            .field("ordinal", &self.ordinal)
            .finish()
    }
}

impl<E: Element> DeviceMatrix<E> {
    /// The matrix for other libraries of the process; `None` unless it is in the memory of an NVIDIA GPU (`cuda:N`).
    pub fn cuda(&self) -> Option<CudaView<Self>> {
        CudaView::of(self)
    }
}

impl<H: Hasher> DeviceDigests<H> {
    /// The digests for other libraries of the process, as [`DeviceMatrix::cuda`].
    pub fn cuda(&self) -> Option<CudaView<Self>> {
        CudaView::of(self)
    }
}

/// A copy of words of another library.
struct Adopt<'a> {
    source: CudaWords,
    words: usize,
    modulus: &'a [u64],
}

impl Call for Adopt<'_> {
    type Output = (crate::backend::Memory, bool);

    fn size(&self, _: &Member) -> Size {
        Activity::UPLOAD.of(self.words, 0, 0)
    }

    fn run(self, device: &Member) -> Result<Self::Output, Error> {
        let CudaWords { address, stream, .. } = self.source;
        let foreign = device.memory().foreign().expect("a device whose memory others share");
        // SAFETY: the promise of the caller of `upload_from_cuda`.
        unsafe { foreign.adopt(address, self.words, stream, self.modulus) }
    }
}

impl Engine {
    /// Copies a matrix of another library of the process from the memory of an NVIDIA GPU to a matrix that stays there. The words do not pass
    /// through the host; they are checked on the device.
    ///
    /// [`Error::DeviceMissing`] unless the GPU is a device of the engine on which data stay, [`Error::BadShape`] for no rows or columns and for a
    /// row-major matrix of several columns over a field of a curve, [`Error::NotCanonical`] and [`Error::NotReduced`] for elements that are not
    /// below the modulus, [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    ///
    /// # Safety
    /// The words of the matrix, `rows * columns` entries, are at the address in the memory of that GPU until this returns, and so is the stream.
    /// Nobody but work that was given to the stream before the call writes to them.
    pub unsafe fn upload_from_cuda<E: Element>(
        &self,
        source: CudaWords,
        shape: Shape,
    ) -> Result<DeviceMatrix<E>, Error> {
        let Shape { rows, columns, layout } = shape;
        let words = rows.checked_mul(columns).and_then(|entries| entries.checked_mul(size_of::<E>() / 8));
        let transposed = !E::Base::ROW_MAJOR && layout == Layout::RowMajor && columns > 1;
        let words = words.filter(|&words| words > 0 && !transposed);
        let words = words.ok_or(Error::BadShape { rows, columns, entries: rows.saturating_mul(columns) })?;
        let shape = if E::Base::ROW_MAJOR { shape } else { Shape { layout: Layout::ColumnMajor, ..shape } };
        // SAFETY: the promise of the caller.
        let stored = unsafe { self.adopted(source, words, E::Base::MODULUS) }?;
        Ok(DeviceMatrix::on_device(self, shape, stored))
    }

    /// Copies so many digests, one or more, as [`upload_from_cuda`](Self::upload_from_cuda) copies a matrix.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn upload_digests_from_cuda<H: Hasher>(
        &self,
        source: CudaWords,
        count: usize,
    ) -> Result<DeviceDigests<H>, Error> {
        let columns = size_of::<H::Digest>() / 8;
        let words = count.checked_mul(columns).filter(|&words| words > 0);
        let words = words.ok_or(Error::BadShape { rows: count, columns, entries: 0 })?;
        let modulus: &[u64] = if H::Digest::OF_ELEMENTS { <Goldilocks as BaseField>::MODULUS } else { &[] };
        // SAFETY: the promise of the caller.
        let stored = unsafe { self.adopted(source, words, modulus) }?;
        Ok(DeviceDigests::on_device(self, count, stored, 0))
    }

    /// A copy of words of which all elements are below a modulus; without one, of any words.
    ///
    /// # Safety
    /// As [`upload_from_cuda`](Self::upload_from_cuda).
    unsafe fn adopted(&self, source: CudaWords, words: usize, modulus: &[u64]) -> Result<Stored, Error> {
        let on = |member: &&Member| {
            member.memory().foreign().is_some_and(|foreign| foreign.ordinal() == source.ordinal)
        };
        let holder = self.dispatcher().holders().find(on).ok_or_else(|| Error::DeviceMissing {
            device: format!("cuda:{}", source.ordinal),
            reason: "the engine does not keep data on it, where the array is".into(),
            available: self.dispatcher().name().to_owned(),
        })?;
        let occupied = holder.occupy(8 * words as u64);
        let adopt = Adopt { source, words, modulus };
        let (memory, below) = self.run(|| holder.count(adopt))?;
        let stored = holder.store(memory, occupied);
        if !below {
            let mut found = memory::zeroed::<u64>(words)?;
            self.perform(download(&stored, 0, bytemuck::cast_slice_mut(&mut found)))?;
            return Err(not_below(&found, modulus));
        }
        Ok(stored)
    }
}

/// The error for the first element that is not below a modulus, of which the device has found one.
fn not_below(words: &[u64], modulus: &[u64]) -> Error {
    let above = |element: &&[u64]| element.iter().rev().ge(modulus.iter().rev());
    let mut elements = words.chunks_exact(modulus.len()).enumerate();
    match (elements.find(|(_, element)| above(element)), modulus) {
        (Some((index, &[value])), [MODULUS]) => Error::NotCanonical { index, value },
        (Some((index, element)), _) => {
            let text = |limbs: &[u64]| {
                let digits: String = limbs.iter().rev().map(|limb| format!("{limb:016x}")).collect();
                format!("0x{digits}")
            };
            let (value, modulus) = (text(element), text(modulus));
            Error::NotReduced { what: "element", index, value, modulus }
        }
        (None, _) => Error::DeviceFailed {
            device: "the GPU".into(),
            operation: "checking an array",
            message: "it found an element that is not below the modulus, and the host finds none".into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_above_the_modulus_is_named() {
        let found = not_below(&[1, MODULUS - 1, MODULUS, u64::MAX], &[MODULUS]);
        assert_eq!(found, Error::NotCanonical { index: 2, value: MODULUS });
        let modulus = [5, 0, 0, 7];
        for (element, above) in
            [([4, 9, 0, 7], true), ([4, 0, 0, 7], false), (modulus, true), ([9, 9, 9, 6], false)]
        {
            let found = not_below(&element, &modulus);
            assert_eq!(matches!(found, Error::NotReduced { index: 0, .. }), above, "{found}");
        }
    }

    /// Words in memory that the engine does not keep data in are refused before anything is read.
    #[test]
    fn an_engine_without_the_gpu_refuses() {
        let engine = Engine::builder().device("cpu".parse().unwrap()).build().unwrap();
        let source = CudaWords { address: 0, ordinal: 0, stream: None };
        let shape = Shape { rows: 4, columns: 2, layout: Layout::RowMajor };
        // SAFETY: the call is refused.
        let refused = unsafe { engine.upload_from_cuda::<Goldilocks>(source, shape) }.unwrap_err();
        assert!(matches!(&refused, Error::DeviceMissing { device, .. } if device == "cuda:0"), "{refused}");
        let shape = Shape { rows: 0, ..shape };
        // SAFETY: as above.
        let refused = unsafe { engine.upload_from_cuda::<Goldilocks>(source, shape) }.unwrap_err();
        assert!(matches!(refused, Error::BadShape { .. }), "{refused}");
        let kept =
            engine.upload(crate::matrix::Matrix::from_column(vec![Goldilocks::new(1)]).unwrap()).unwrap();
        assert!(kept.cuda().is_none());
    }
}
