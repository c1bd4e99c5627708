//! Tables of twiddles, which are roots of unity, and those that an engine keeps.

use crate::backend::cpu::residues::{Residues, TwiddleForm};
use crate::field::MontgomeryField;
use crate::field::montgomery::{Limbs, Residue};
use crate::lock::lock;
use crate::parallel::for_each_chunk;
use crate::sync::{Arc, Mutex, MutexGuard};

/// Twiddles that a thread makes at a time.
const PIECE: usize = 1 << 10;

/// The most rows that are kept in all: 512 MiB. The table in use may be larger.
const KEPT: usize = 1 << 24;

/// Entry k is w^(k reversed), w of order 2^log_size, for the n/2 numbers k of log_size - 1 bits, in the form that an implementation
/// asks for.
///
/// The entries up to n/4 are those of w^2 and n/2, and so on.
#[derive(Debug)]
pub(super) struct Twiddles {
    modulus: Limbs,
    root: Limbs,
    log_size: u32,
    form: TwiddleForm,
    table: Vec<Limbs>,
}

impl Twiddles {
    fn new<M: MontgomeryField>(root: Residue<M>, log_size: u32, form: TwiddleForm) -> Self {
        let reduced = |x: Residue<M>| Residue::from_montgomery(x.canonical());
        let shift = match form {
            TwiddleForm::Shifted(shift) => shift,
            TwiddleForm::WithQuotients => 0,
        };
        let one = reduced(Residue::from_word(1 << shift));
        let mut table = vec![one; 1 << log_size.saturating_sub(1)];
        // The powers w^(n/4), w^(n/8), ..., w belong to the bits of k from the lowest on.
        let mut squares = vec![reduced(root)];
        for _ in 2..log_size {
            squares.push(reduced(squares[squares.len() - 1].square()));
        }
        let mut filled = 1;
        while filled < table.len() {
            let (lower, upper) = table[..2 * filled].split_at_mut(filled);
            let square = squares.pop().expect("a power for each bit");
            for_each_chunk(upper, PIECE, |number, upper| {
                let pairs = upper.iter_mut().zip(&lower[number * PIECE..]);
                pairs.for_each(|(upper, lower)| *upper = reduced(lower.mul(square)));
            });
            filled *= 2;
        }
        let table = match form {
            // In place, where the compiler sees that both are the same memory.
            TwiddleForm::Shifted(_) => table.into_iter().map(Residue::lazy_limbs).collect(),
            TwiddleForm::WithQuotients => {
                let mut rows = vec![[0; 4]; 2 * table.len()];
                for_each_chunk(&mut rows, 2 * PIECE, |number, rows| {
                    let pairs = rows.chunks_exact_mut(2).zip(&table[number * PIECE..]);
                    pairs.for_each(|(rows, &root)| rows.copy_from_slice(&form.limbs(root)));
                });
                rows
            }
        };
        Self { modulus: M::P, root: root.canonical(), log_size, form, table }
    }

    /// The rows of the twiddle of block k.
    #[inline(always)]
    pub(super) fn rows<R: Residues>(&self, k: usize) -> &[Limbs] {
        debug_assert_eq!(self.form, R::TWIDDLES);
        &self.table[k * R::TWIDDLES.rows()..(k + 1) * R::TWIDDLES.rows()]
    }

    /// The twiddle of block k.
    #[inline(always)]
    pub(super) fn at<R: Residues>(&self, k: usize) -> R::Twiddle {
        R::twiddle(self.rows::<R>(k))
    }
}

/// Tables by field, root and size, the last used first.
#[derive(Debug, Default)]
pub(crate) struct TwiddleCache(Mutex<Vec<Arc<Twiddles>>>);

impl TwiddleCache {
    /// The table of a root of order 2^`log_size` in a form.
    pub(super) fn get<M: MontgomeryField>(
        &self,
        root: Residue<M>,
        log_size: u32,
        form: TwiddleForm,
    ) -> Arc<Twiddles> {
        let key = (M::P, root.canonical(), log_size, form);
        let matches = |table: &Arc<Twiddles>| (table.modulus, table.root, table.log_size, table.form) == key;
        let take =
            |tables: &mut Vec<Arc<Twiddles>>| tables.iter().position(matches).map(|i| tables.remove(i));
        let known = take(&mut self.lock());
        // Made outside the lock: two callers may make the same table, neither waits for another's.
        let table = known.unwrap_or_else(|| Arc::new(Twiddles::new(root, log_size, form)));
        let mut tables = self.lock();
        take(&mut tables);
        tables.insert(0, Arc::clone(&table));
        let mut rows = 0;
        tables.retain(|table| {
            rows += table.table.len();
            rows <= KEPT
        });
        table
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Twiddles>>> {
        // Every state of the list is sound.
        lock(&self.0)
    }
}
