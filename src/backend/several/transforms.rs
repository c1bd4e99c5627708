//! Transforms: a batch by its blocks, which lie one after another; a single block by its columns, which pass through memory of
//! their own on the way to a device and back.

use std::ops::Range;

use rayon::prelude::*;

use super::plan::Share;
use super::{Several, cut};
use crate::backend::cost::{self, transform_work};
use crate::backend::counted::Counted;
use crate::backend::cpu::Cpu;
use crate::backend::{Check, Transforms};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::memory;
use crate::ntt::{Lde, Ntt};

/// Nanoseconds that it takes to put a word of a column aside and back: both ways through memory at a few GB/s.
const ASIDE: f64 = 1.0;

/// Rows that a thread copies at least.
const ROWS: usize = 1 << 10;

/// Words that were looked at before.
const SOUND: Check<'static, Goldilocks> = &|_| Ok(());

/// The outcome of shares, told of a word of all data where it is of one of a share.
fn told_of_all(done: Result<(), Error>, check: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    match done {
        Err(Error::NotCanonical { .. }) => check(),
        done => done,
    }
}

/// Some columns of a block, side by side.
fn take_columns(block: &[Goldilocks], width: usize, columns: Range<usize>) -> Result<Vec<Goldilocks>, Error> {
    let mut few = memory::zeroed(block.len() / width * columns.len())?;
    let rows = few.par_chunks_exact_mut(columns.len()).zip(block.par_chunks_exact(width));
    rows.with_min_len(ROWS).for_each(|(few, row)| few.copy_from_slice(&row[columns.clone()]));
    Ok(few)
}

/// Puts columns back where they belong.
fn put_columns(block: &mut [Goldilocks], width: usize, columns: Range<usize>, few: &[Goldilocks]) {
    let rows = block.par_chunks_exact_mut(width).zip(few.par_chunks_exact(columns.len()));
    rows.with_min_len(ROWS).for_each(|(row, few)| row[columns.clone()].copy_from_slice(few));
}

impl Several {
    /// Transforms columns of a single block, each share in memory of its own; the block is written when all have ended well.
    fn by_columns(
        &self,
        shares: Vec<Share>,
        block: &mut [Goldilocks],
        width: usize,
        each: impl Fn(&Counted, Vec<Goldilocks>, usize) -> Result<Vec<Goldilocks>, Error> + Sync,
        output: Option<&mut [Goldilocks]>,
    ) -> Result<(), Error> {
        let columns: Vec<_> = shares.iter().map(|share| share.items.clone()).collect();
        let input = &*block;
        let shares = shares.into_iter().map(|share| (share, ())).collect();
        let results = self.together(shares, |member, columns, ()| {
            each(member, take_columns(input, width, columns.clone())?, columns.len())
        });
        let results = results.into_iter().collect::<Result<Vec<_>, _>>()?;
        let to = output.unwrap_or(block);
        columns.into_iter().zip(&results).for_each(|(columns, few)| put_columns(to, width, columns, few));
        Ok(())
    }
}

impl Transforms for Several {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.ntt_checked(ntt, data, width, SOUND)
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        let block = ntt.domain.size() * width;
        let blocks = data.len() / block;
        let work = transform_work(data.len(), ntt.domain.log_size());
        let (items, extra) =
            if blocks > 1 { (blocks, 0.0) } else { (width, 2.0 * ASIDE * data.len() as f64) };
        let shares = self.share_out(&cost::NTT, items, work, extra)?;
        if blocks > 1 || shares.len() == 1 {
            let size = if blocks > 1 { block } else { data.len() / items };
            let undo = |part: &mut [_]| Cpu::default().ntt(&ntt.undo(), part, width);
            let done = self.in_place(
                shares,
                data,
                size,
                |member, part| member.ntt_checked(ntt, part, width, check),
                undo,
            );
            return told_of_all(done, || check(data));
        }
        // Each looks at its copy; the data are as they were.
        let each = |member: &Counted, mut few: Vec<_>, columns| {
            member.ntt_checked(ntt, &mut few, columns, check).map(|()| few)
        };
        told_of_all(self.by_columns(shares, data, width, each, None), || check(data))
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.lde_checked(lde, input, width, output, SOUND)
    }

    fn lde_checked(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        let (block, extended) = (lde.from().size() * width, lde.to().size() * width);
        let blocks = input.len() / block;
        let work = transform_work(output.len(), lde.from().log_size());
        let aside = ASIDE * (input.len() + output.len()) as f64;
        let (items, extra) = if blocks > 1 { (blocks, 0.0) } else { (width, aside) };
        let mut shares = self.share_out(&cost::LDE, items, work, extra)?;
        if let [_] = shares[..] {
            shares[0].items = 0..1;
            return self.all(vec![(shares.remove(0), (input, output))], |member, _, (input, output)| {
                member.lde_checked(lde, input, width, output, check)
            });
        }
        if blocks > 1 {
            let check_share = match self.leaves_input_alone(&shares) {
                true => check,
                false => check(input).map(|()| SOUND)?,
            };
            let lengths: Vec<_> = shares.iter().map(|share| share.items.len()).collect();
            let inputs = cut(input, lengths.iter().map(|len| len * block));
            let parts = inputs.zip(cut(output, lengths.iter().map(|len| len * extended)));
            let parts = shares.into_iter().zip(parts).collect();
            let done = self.all(parts, |member, _, (input, output): (&mut [_], &mut [_])| {
                member.lde_checked(lde, input, width, output, check_share)
            });
            return told_of_all(done, || check(input));
        }
        let blowup = lde.blowup();
        let each = |member: &Counted, mut few: Vec<_>, columns| {
            let mut extended = memory::zeroed(few.len() * blowup)?;
            member.lde_checked(lde, &mut few, columns, &mut extended, check).map(|()| extended)
        };
        told_of_all(self.by_columns(shares, input, width, each, Some(output)), || check(input))
    }
}
