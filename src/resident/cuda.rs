//! Matrices in the memory of NVIDIA GPUs that other libraries of the process use without a copy through the host, such as those of Python
//! that know each other by DLPack or the CUDA array interface.
//!
//! All of them use a device's primary context, and so does zkaccel. Memory is then a number, the address; whoever uses it has to know that it
//! stays, that its contents are ready, and that nobody writes to it:
//!
//! - [`DeviceMatrix::cuda`] lends a matrix. Operations end when the device has finished, so its contents are ready for every stream. What is
//!   lent stays until the [`CudaView`] is dropped, which waits for the device, so that work of others that still reads it ends first.
//! - [`Engine::upload_from_cuda`] copies words of another library within the device. It waits for the stream that makes them.

use std::fmt;

use super::{DeviceMatrix, Location};
use crate::dispatch::{Call, Member};
use crate::engine::Engine;
use crate::error::Error;
use crate::field::MODULUS;
use crate::matrix::{BaseField, Element, Layout, Shape};
use crate::memory;
use crate::operation::download;
use crate::work::{Activity, Size};

/// A matrix that other libraries of the process may read in a GPU's memory. Dropping it waits for all work of the device.
pub struct CudaView<E: Element> {
    matrix: DeviceMatrix<E>,
    address: u64,
    ordinal: u32,
}

/// Words of another library in the memory of an NVIDIA GPU: elements in the layout of a matrix.
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

impl<E: Element> CudaView<E> {
    /// The address of the first word: entries in the layout of the matrix, which nobody may write to.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The number of the GPU, as in `cuda:N`.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// The matrix.
    pub fn matrix(&self) -> &DeviceMatrix<E> {
        &self.matrix
    }
}

impl<E: Element> Drop for CudaView<E> {
    fn drop(&mut self) {
        if let Location::Device(stored) = &self.matrix.location {
            let holder = self.matrix.engine.dispatcher().holder(stored);
            // A device that fails now reads nothing any more.
            let _ = holder.memory().foreign().map(|foreign| foreign.synchronise());
        }
    }
}

impl<E: Element> fmt::Debug for CudaView<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaView")
            .field("matrix", &self.matrix)
            .field("address", &self.address)
            .field("ordinal", &self.ordinal)
            .finish()
    }
}

impl<E: Element> DeviceMatrix<E> {
    /// The matrix for other libraries of the process; `None` unless it is in the memory of an NVIDIA GPU (`cuda:N`).
    pub fn cuda(&self) -> Option<CudaView<E>> {
        let Location::Device(stored) = &self.location else { return None };
        let foreign = self.engine.dispatcher().holder(stored).memory().foreign()?;
        let (address, ordinal) = (foreign.address(stored.contents()), foreign.ordinal());
        Some(CudaView { matrix: self.clone(), address, ordinal })
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
        let on = |member: &&Member| {
            member.memory().foreign().is_some_and(|foreign| foreign.ordinal() == source.ordinal)
        };
        let holder = self.dispatcher().holders().find(on).ok_or_else(|| Error::DeviceMissing {
            device: format!("cuda:{}", source.ordinal),
            reason: "the engine does not keep data on it, where the array is".into(),
            available: self.dispatcher().name().to_owned(),
        })?;
        let occupied = holder.occupy(8 * words as u64);
        let adopt = Adopt { source, words, modulus: E::Base::MODULUS };
        let (memory, below) = self.run(|| holder.count(adopt))?;
        let stored = holder.store(memory, occupied);
        if !below {
            let mut found = memory::zeroed::<u64>(words)?;
            self.perform(download(&stored, 0, bytemuck::cast_slice_mut(&mut found)))?;
            return Err(not_below(&found, E::Base::MODULUS));
        }
        Ok(DeviceMatrix::on_device(self, shape, stored))
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
    use crate::field::Goldilocks;

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
