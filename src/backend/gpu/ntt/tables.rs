//! Tables of powers, made on the device.

use super::super::device::{Arg, Launch};
use super::super::program;
use super::super::session::{Region, Session};
use super::super::tables::{Key, Table};
use crate::error::Error;
use crate::field::{Goldilocks, powers};

/// The contents of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) enum Contents {
    Inner(Inner),
    Powers(Powers),
}

/// The twiddles between the layers of a tile, in the order in which `ntt_pass` reads them: layer 2 of three at (k1, rest, r), and
/// the last of three behind them at (k2, r); or the last of two at (k1, r).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct Inner {
    /// Binary logarithms of the radices.
    pub(super) layers: [u32; 3],
    /// Of the order of the tile.
    pub(super) root: Goldilocks,
    /// Row s of layer 1 holds output `power_inverse` s, index r of a later layer digit `power_inverse` r.
    pub(super) power_inverse: u64,
}

/// Powers by position; the parameters of `ntt_fill` in `kernels/ntt_tables.cl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in super::super) struct Powers {
    pub(super) base: Goldilocks,
    /// The factor from one replica's base to the next; unspecified where there is one replica.
    pub(super) step: Goldilocks,
    pub(super) scale: Goldilocks,
    pub(super) log_i: u32,
    pub(super) log_j: u32,
    pub(super) i_low: bool,
    pub(super) i_reversed: bool,
    pub(super) j_reversed: bool,
    pub(super) log_replicas: u32,
    pub(super) replicas_low: bool,
    pub(super) replicas_reversed: bool,
    pub(super) log_tile: u32,
    pub(super) log_radix: u32,
    pub(super) i_first: u64,
    pub(super) log_i_step: u32,
    pub(super) log_j_step: u32,
}

#[cfg(all(test, shuttle))]
impl Contents {
    /// The key of a table of a model.
    pub(in super::super) fn model(number: u64) -> Self {
        Self::Powers(Powers { base: Goldilocks::new(number), ..Powers::default() })
    }
}

impl Powers {
    /// Binary logarithm of the words of one replica.
    pub(super) fn log_period(&self) -> u32 {
        self.log_i + self.log_j
    }
}

impl Inner {
    /// The table; empty for a single layer.
    fn words(&self) -> Vec<Goldilocks> {
        let [log1, log2, log3] = self.layers;
        if log2 == 0 {
            return Vec::new();
        }
        let size = 1u64 << (log1 + log2 + log3);
        let powers: Vec<_> = powers(self.root).take(size as usize).collect();
        let power = |e: u64| powers[(e % size) as usize];
        let digit = |index: u64, log: u32| index * self.power_inverse % (1 << log);
        let mut words = Vec::new();
        for q in 0..1u64 << (log1 + log3) {
            let (k1, rest) = (digit(q >> log3, log1), digit(q % (1 << log3), log3));
            words.extend((0..1 << log2).map(|r| power(k1 * ((digit(r, log2) << log3) + rest))));
        }
        if log3 > 0 {
            for k2 in 0..1u64 << log2 {
                words.extend((0..1 << log3).map(|r| power((k2 * digit(r, log3)) << log1)));
            }
        }
        words
    }
}

/// Fills a table of powers.
fn fill(session: &Session<'_>, table: Region, powers: &Powers) -> Launch<Region> {
    let words = Contents::Powers(*powers).words();
    assert!(table.words() >= words);
    let reversed = if powers.replicas_reversed { powers.log_replicas } else { 0 };
    let number = |number: u64| Arg::Word(number);
    let args = vec![
        Arg::Buffer(table, 0),
        number(words as u64),
        number(powers.base.as_u64()),
        number(powers.step.as_u64()),
        number(powers.scale.as_u64()),
        number(powers.log_period().into()),
        number(powers.log_i.into()),
        number(powers.log_j.into()),
        number(powers.i_low.into()),
        number(powers.i_reversed.into()),
        number(powers.j_reversed.into()),
        number(reversed.into()),
        number(if powers.replicas_low { powers.log_replicas } else { 0 }.into()),
        number(powers.log_tile.into()),
        number(powers.log_radix.into()),
        number(powers.i_first),
        number(powers.log_i_step.into()),
        number(powers.log_j_step.into()),
    ];
    // SAFETY: ntt_fill writes each of `words` words once, and the region has as many.
    unsafe { Launch::new(&program::NTT_TABLES, "ntt_fill", session.limits().grid(words), args) }
}

impl Table for Contents {
    fn key(&self) -> Key {
        Key::Words(*self)
    }

    fn words(&self) -> usize {
        match self {
            Self::Inner(inner) => inner.words().len().max(2),
            Self::Powers(powers) => 1 << (powers.log_period() + powers.log_replicas),
        }
    }

    fn fill(&self, session: &mut Session<'_>, table: Region) -> Result<(), Error> {
        match self {
            Self::Inner(inner) => session.upload(bytemuck::cast_slice(&inner.words()), table, 0),
            Self::Powers(powers) => {
                let launch = fill(session, table, powers);
                session.launch(&[launch])
            }
        }
    }
}
