//! The twiddles of the passes, computed on the device and cached there.

use super::super::device::{Arg, Launch};
use super::super::session::{Region, Session};
use super::super::tables::{Key, Table};
use super::{SCALAR, programs};

use crate::backend::BaseField;
use crate::error::Error;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::{Limbs, Residue};
use crate::field::prime::limbs;
use crate::field::{MontgomeryField, TwoAdic, TwoAdicPrime};

/// The twiddles of a tree: (s w^rev(i))^(n/2m) for the blocks i of every stage m, with w of order n = 2^`log_size`.
///
/// Without a shift they do not depend on m, and the table has index i, n/2 in all; else index m + i. Each is followed by its
/// quotient; see `kernels/fft_twiddle.h`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twiddles<F> {
    pub(super) log_size: u32,
    pub(super) root: F,
    pub(super) shift: F,
}

/// The identity of a tree's twiddles, in any field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct TwiddlesKey {
    modulus: Limbs,
    log_size: u32,
    root: Limbs,
    shift: Limbs,
}

impl<F: MontgomeryField> Twiddles<F> {
    fn is_coset(&self) -> bool {
        self.shift != F::ONE
    }

    /// Binary logarithm of the number of twiddles.
    fn log_count(&self) -> u32 {
        if self.is_coset() { self.log_size } else { self.log_size.saturating_sub(1) }
    }

    /// The factors of which twiddles are products: the powers of the shift at every stage, s^(n/2m) for m = 1, 2, 4 and so on,
    /// and the twiddles at indices 1, 2, 4 and so on.
    fn factors(&self) -> Vec<F> {
        let squares = |x: F| std::iter::successors(Some(x), |x| Some(x.square()));
        // x^(2^e) at index k - 1 - e, and 1 at indices where there is no such e.
        let descending = |x: F, k: u32, len: u32| -> Vec<F> {
            let mut powers: Vec<_> = squares(x).take(k as usize).collect();
            powers.reverse();
            powers.resize(len as usize, F::ONE);
            powers
        };
        let len = self.log_count();
        let mut factors = descending(self.shift, self.log_size, len);
        factors.extend(descending(self.root, self.log_size.saturating_sub(1), len));
        factors
    }
}

impl<F: TwoAdicPrime + BaseField> Table for Twiddles<F> {
    fn key(&self) -> Key {
        let [root, shift] = [self.root, self.shift].map(|x| Residue::of(x).canonical());
        Key::Twiddles(TwiddlesKey { modulus: F::P, log_size: self.log_size, root, shift })
    }

    fn words(&self) -> usize {
        (2 * SCALAR) << self.log_count()
    }

    fn fill(&self, session: &mut Session<'_>, table: Region) -> Result<(), Error> {
        assert!(table.words() >= self.words());
        let mut factors = self.factors();
        // A twiddle that is the empty product has none.
        factors.resize(factors.len().max(1), <F as TwoAdic>::ONE);
        let factors = session.upload_new(bytemuck::cast_slice(limbs(&factors)))?;
        let args = vec![
            Arg::Buffer(table, 0),
            Arg::Buffer(factors, 0),
            Arg::Word(self.log_count().into()),
            Arg::Word(self.is_coset().into()),
        ];
        let grid = session.limits().grid(1 << self.log_count());
        // SAFETY: fft_fill writes 2^log_count pairs once each, as many as the table has, and reads two factors for every bit of
        // their numbers.
        let launch = unsafe { Launch::new(programs::tables::<F>(), "fft_fill", grid, args) };
        session.launch(&[launch])
    }
}
