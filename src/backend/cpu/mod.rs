//! The CPU backend: all cores through rayon, vector units chosen at run time.

mod blake3;
mod combinations;
#[cfg(test)]
mod counted;
mod doubles;
#[cfg(feature = "bn254")]
mod fft;
mod inversion;
// Here and below: where an architecture has no vectors of a kind, the code over that kind is unused.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports))]
mod keccak;
mod lookups;
mod merkle;
#[cfg(feature = "bn254")]
mod msm;
mod ntt;
#[cfg(feature = "bn254")]
mod points;
#[cfg(feature = "bn254")]
mod pointwise;
mod prefix;
mod products;
mod programs;
#[cfg(feature = "bn254")]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports))]
mod quadwords;
#[cfg(feature = "bn254")]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports))]
mod residues;
mod rows;
mod sha256;
mod simd;
#[cfg(feature = "bn254")]
mod sparse;
mod sponge;
mod words;

// For `simd::dispatch`, which names the modules of all kinds of vectors alike.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports))]
use ntt::lanes;

pub use simd::Simd;

#[cfg(feature = "bn254")]
use std::sync::Arc;

use super::{Backend, Hardware, Transforms};
use crate::checks;
use crate::device::ProductRates;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::meter::Meter;
use crate::ntt::{Lde, Ntt};

/// The CPU backend. Its operations run on the thread pool from which they are called.
///
/// A value exists only where its instructions do, which is what the transforms' use of them rests on.
///
/// Tables of roots of unity of prime fields stay with the value and its clones: those used last, 512 MiB or one.
#[derive(Clone, Debug)]
pub struct Cpu {
    simd: Simd,
    #[cfg(feature = "bn254")]
    twiddles: Arc<fft::TwiddleCache>,
}

impl Cpu {
    /// The backend with these instructions, or [`Error::DeviceMissing`].
    pub fn new(simd: Simd) -> Result<Self, Error> {
        if simd.is_available() {
            return Ok(Self::with(simd));
        }
        Err(Error::DeviceMissing {
            device: format!("cpu with {simd}"),
            reason: "the processor or its system has no such instructions".into(),
            available: Simd::available()
                .map(|level| format!("cpu with {level}"))
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    /// The backend with instructions that the machine has.
    fn with(simd: Simd) -> Self {
        Self {
            simd,
            #[cfg(feature = "bn254")]
            twiddles: Arc::default(),
        }
    }

    /// The instructions that this value uses.
    pub fn simd(&self) -> Simd {
        self.simd
    }
}

/// The CPU backend with the best instructions of this machine, for generic code elsewhere in the library.
///
/// Where a crate that uses the library instantiates such code, what it names of this backend is compiled there once more; with a value of [`Cpu`] as a
/// [`Backend`] that is every method over every field, curve and hash, on every level of vectors. This function is compiled here alone.
#[inline(never)]
pub(crate) fn on_host() -> Box<dyn Backend> {
    Box::new(Cpu::default())
}

impl Default for Cpu {
    /// The backend with the best instructions of this machine.
    fn default() -> Self {
        Self::with(Simd::best())
    }
}

impl Hardware for Cpu {
    fn product_rates(&self) -> Result<Option<ProductRates>, Error> {
        Ok(Some(self.measure_products()))
    }
}

impl Transforms<Goldilocks> for Cpu {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.ntt_checked(ntt, data, width, false, &Meter::silent())
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        unchecked: bool,
        meter: &Meter<'_>,
    ) -> Result<(), Error> {
        checks::if_unchecked(data, unchecked)?;
        ntt::ntt(self.simd, ntt, data, width, meter)
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.lde_checked(lde, input, width, output, false, &Meter::silent())
    }

    fn lde_checked(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
        unchecked: bool,
        meter: &Meter<'_>,
    ) -> Result<(), Error> {
        checks::if_unchecked(input, unchecked)?;
        ntt::lde(self.simd, lde, input, width, output, meter);
        Ok(())
    }
}
