//! A third party's shared library as a device: `provider:PATH`.
//!
//! A library that exports the functions of `capi/include/zkaccel.h` computes here like any other backend. It need not have all of
//! them: it reports what it can do, and the rest is [`Error::Unsupported`]. Its answers are copied back only when they are
//! canonical and it has reported success; further checks are those of
//! [`EngineBuilder::check_answers`](crate::EngineBuilder::check_answers).

#[cfg(feature = "bn254")]
mod bn254;
mod library;

use std::path::Path;
use std::ptr::null_mut;
use std::sync::Arc;

pub use library::{
    ABI_VERSION, CAN_BN254_BASES, CAN_BN254_FFT, CAN_BN254_MSM, CAN_GOLDILOCKS, HASHES, HashCapability,
};

use super::{
    Accelerated, Beside, Combinations, Extent, Hardware, Hashing, Inversion, Levels, Lookups, MatrixView,
    PrefixProducts, Programs, Transforms,
};
use crate::backend::open::missing;
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Digest, Hasher};
use crate::matrix::MatrixRef;
use crate::merkle::Approach;
use crate::ntt::{Direction, Ntt, Order};
use crate::program::{Program, ProgramRows};
use library::{Provider, Trees};

const INVERSE: u32 = 1;
const IN_BITREV: u32 = 2;
const OUT_BITREV: u32 = 4;
const ROWS_ARE_DIGESTS: u32 = 16;

/// Flags of a transform as zkaccel.h has them.
fn flags<F>(ntt: &Ntt<F>) -> u32 {
    let flag = |set, flag| if set { flag } else { 0 };
    flag(ntt.direction == Direction::Inverse, INVERSE)
        | flag(ntt.input_order == Order::BitReversed, IN_BITREV)
        | flag(ntt.output_order == Order::BitReversed, OUT_BITREV)
}

/// The backend of a provider.
pub struct External {
    provider: Arc<Provider>,
    info: DeviceInfo,
}

impl External {
    /// Loads a provider; [`Error::DeviceMissing`] says why it cannot be used.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = format!("provider:{}", path.display());
        let provider = Provider::open(&name, path).map_err(|reason| missing(&name, reason))?;
        let info = DeviceInfo {
            id: name,
            kind: DeviceKind::Accelerator,
            description: format!("a provider with capabilities {:#x}", provider.capabilities),
            units: 1,
            memory: None,
            driver: None,
            reason: "asked for".into(),
        };
        Ok(Self { provider: Arc::new(provider), info })
    }

    /// Its description.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Digests and trees over a hash, and the number that zkaccel.h has for it.
    fn trees<H: Hasher>(&self) -> Result<(&Trees, u32), Error> {
        let offered = |hash: &&HashCapability| self.provider.capabilities & hash.bit != 0;
        let found = HASHES.iter().filter(offered).find(|hash| hash.name == H::NAME);
        match (&self.provider.trees, found) {
            (Some(trees), Some(hash)) => Ok((trees, hash.number)),
            _ => Err(self.provider.unsupported("hashing rows and trees with this hash")),
        }
    }

    /// Checks digests that a provider has written, and copies them to `target`.
    fn accept<H: Hasher>(&self, answer: &[H::Digest], target: &mut [H::Digest]) -> Result<(), Error> {
        if H::Digest::check(answer).is_err() {
            return Err(self.not_canonical("digests below the modulus"));
        }
        target.copy_from_slice(answer);
        Ok(())
    }

    fn not_canonical(&self, operation: &'static str) -> Error {
        Error::CheckFailed { device: self.info.id.clone(), operation }
    }
}

impl Hardware for External {}

impl Transforms<Goldilocks> for External {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        const WHAT: &str = "a transform";
        let goldilocks = self.provider.goldilocks.as_ref().ok_or_else(|| self.provider.unsupported(WHAT))?;
        let mut answer = data.to_vec();
        let (domain, flags) = (ntt.domain, flags(ntt));
        for block in answer.chunks_exact_mut(domain.size() * width) {
            let (words, root) = (block.as_mut_ptr().cast(), domain.root().as_u64());
            // SAFETY: a block of this many rows and columns of words, by the interface.
            let status = unsafe {
                let (engine, log_n, shift) =
                    (self.provider.engine, domain.log_size(), domain.shift().as_u64());
                (goldilocks.ntt)(engine, words, log_n, width, root, shift, flags)
            };
            self.provider.check(status, WHAT)?;
        }
        if Goldilocks::check_canonical(&answer).is_err() {
            return Err(self.not_canonical("words below the modulus"));
        }
        data.copy_from_slice(&answer);
        Ok(())
    }
}

/// The interface has none.
impl<F> Inversion<F> for External {
    fn invert(&self, _: &mut [F], _: bool) -> Result<(), Error> {
        Err(self.provider.unsupported("inverses of many elements"))
    }
}

/// Nor these.
impl<F> Programs<F> for External {
    fn run_program(
        &self,
        _: &Program<F>,
        _: ProgramRows,
        _: &[MatrixRef<'_, F>],
        _: &[F],
        _: &mut [F],
    ) -> Result<(), Error> {
        Err(self.provider.unsupported("row programs"))
    }
}

/// The interface has none.
impl<F> Combinations<F> for External {
    fn combine_columns(&self, _: MatrixView<'_, F>, _: MatrixView<'_, F>, _: &mut [F]) -> Result<(), Error> {
        Err(self.provider.unsupported("combinations of columns"))
    }

    fn combine_rows(&self, _: MatrixView<'_, F>, _: MatrixView<'_, F>, _: &mut [F]) -> Result<(), Error> {
        Err(self.provider.unsupported("combinations of rows"))
    }
}

/// The interface has none.
impl<F> PrefixProducts<F> for External {
    fn prefix_products(&self, _: &[F], _: usize, _: &mut [F], _: &mut [F]) -> Result<(), Error> {
        Err(self.provider.unsupported("prefix products"))
    }
}

/// The interface has none.
impl<F> Lookups<F> for External {
    fn permute_lookups(&self, _: MatrixView<'_, F>, _: usize, _: &mut [F]) -> Result<(), Error> {
        Err(self.provider.unsupported("permutations of lookups"))
    }
}

impl<H: Accelerated> Hashing<H> for External {
    /// The interface takes rows one after another, so others are copied first.
    fn hash_rows(
        &self,
        matrix: &[Goldilocks],
        extent: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let (trees, hash) = self.trees::<H>()?;
        let Extent { rows, width, block } = extent;
        let entries = |row: usize| matrix.chunks_exact(block).skip(row).step_by(rows).flatten().copied();
        let copied: Vec<_>;
        let words = match extent.blocks() {
            1 => &matrix[from * width..][..digests.len() * width],
            _ => {
                copied = (from..from + digests.len()).flat_map(entries).collect();
                &copied[..]
            }
        };
        let mut answer = digests.to_vec();
        let (out, words, rows) = (answer.as_mut_ptr().cast(), words.as_ptr().cast(), digests.len());
        // SAFETY: as many digests of 32 bytes as there are rows of `width` words, by the interface.
        let status = unsafe { (trees.hash_rows)(self.provider.engine, out, hash, words, rows, width, 0) };
        self.provider.check(status, "hashing rows")?;
        self.accept::<H>(&answer, digests)
    }

    fn build_tree(
        &self,
        leaves: &[H::Digest],
        levels: Levels<'_, H::Digest>,
        _: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        const WHAT: &str = "building a tree";
        beside()?;
        let (trees, hash) = self.trees::<H>()?;
        let (count, mut tree) = (leaves.len(), null_mut());
        let words = leaves.as_ptr().cast();
        // SAFETY: this many digests of four words, and a pointer to a variable, by the interface.
        let status = unsafe {
            (trees.commit)(self.provider.engine, &mut tree, hash, words, count, 4, ROWS_ARE_DIGESTS)
        };
        self.provider.check(status, WHAT)?;
        self.provider.check_handle(tree, WHAT)?;
        let mut answer = vec![H::Digest::default(); count - 1];
        // SAFETY: room for the inner nodes; the tree was made above and is not used again.
        let (read, freed) = unsafe {
            let read = (trees.nodes)(tree, answer.as_mut_ptr().cast(), 1, answer.len());
            (read, (trees.free)(tree))
        };
        self.provider.check(read, WHAT)?;
        self.provider.check(freed, WHAT)?;
        let mut answer = &answer[..];
        levels.apart().into_iter().try_for_each(|level| {
            let (nodes, after) = answer.split_at(level.len());
            answer = after;
            self.accept::<H>(nodes, level)
        })
    }
}
