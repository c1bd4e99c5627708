//! BN254: a sum by ranges of bases, of which each device keeps its own, so that none must hold all; a batch over bases that
//! are used once by rows; transforms by polynomials.

use std::ops::Range;

use super::plan::Share;
use super::{Member, Several, cut};
use crate::backend::cost::{self, transform_work};
use crate::backend::counted::Counted;
use crate::backend::cpu::Cpu;
use crate::backend::{BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::memory;
use crate::ntt::{Domain, Ntt};

/// A device's range of elements that are kept, and what it keeps of them.
struct KeptRange {
    member: usize,
    range: Range<usize>,
    kept: Option<Kept>,
}

/// What several devices keep of a handle's elements.
type KeptRanges = Vec<KeptRange>;

fn ranges(kept: Option<&Kept>) -> Option<&KeptRanges> {
    kept.map(|kept| kept.downcast_ref().expect("what this backend keeps"))
}

/// Work as it was if nothing else was under way: what is kept stays where it is.
fn idle(_: &Member) -> f64 {
    0.0
}

/// A device's part of a sum.
struct Term<'a> {
    share: Share,
    /// Which of the operation's bases.
    range: Range<usize>,
    bases: BasesView<'a>,
    /// What the device keeps of exactly these scalars.
    scalars: Option<&'a Kept>,
}

impl Several {
    /// Keeps elements by ranges.
    fn keep<T: Sync>(
        &self,
        elements: &[T],
        keep: impl Fn(&Counted, &[T]) -> Result<Option<Kept>, Error> + Sync,
    ) -> Result<Option<Kept>, Error> {
        let work = [elements.len() as f64; 2];
        let shares = self.share_out_beside(&cost::MSM, elements.len(), work, 0.0, idle)?;
        let places: Vec<_> = shares.iter().map(|share| (share.offer, share.items.clone())).collect();
        let shares = shares.into_iter().map(|share| (share, ())).collect();
        let kept = self.together(shares, |member, range, ()| keep(member, &elements[range]));
        let kept = kept.into_iter().collect::<Result<Vec<_>, _>>()?;
        let ranges =
            places.into_iter().zip(kept).map(|((member, range), kept)| KeptRange { member, range, kept });
        let ranges: KeptRanges = ranges.collect();
        Ok(Some(Box::new(ranges)))
    }

    /// The parts of a sum over bases that are kept, one for each device that keeps some of them.
    fn terms_of_kept<'a>(
        &self,
        ranges: &'a KeptRanges,
        bases: BasesView<'a>,
        scalars: ScalarsView<'a>,
        rows: usize,
    ) -> Result<Vec<Term<'a>>, Error> {
        let kept_scalars = self::ranges(scalars.kept);
        let curves = self.curves(&cost::MSM)?;
        let all = bases.first..bases.first + bases.points.len();
        let terms = ranges.iter().enumerate().filter_map(|(i, own)| {
            let (start, end) = (own.range.start.max(all.start), own.range.end.min(all.end));
            let range = (start < end).then(|| start - all.start..end - all.start)?;
            let first = start - own.range.start;
            let bases = BasesView { points: &bases.points[range.clone()], kept: own.kept.as_ref(), first };
            // Scalars that are kept lie as bases do where both are whole and of one length.
            let same = |scalars: &&KeptRange| {
                rows == 1 && scalars.member == own.member && scalars.range == own.range && range == own.range
            };
            let scalars = kept_scalars.and_then(|scalars| scalars.get(i)).filter(same);
            let ns = curves[own.member].as_ref().map_or(0.0, |curve| curve.at((rows * range.len()) as f64));
            let share = Share { offer: own.member, items: range.clone(), ns };
            Some(Term { share, range, bases, scalars: scalars.and_then(|scalars| scalars.kept.as_ref()) })
        });
        Ok(terms.collect())
    }

    /// Adds the sums of all terms, each over its range of every row.
    fn add_terms(
        &self,
        terms: Vec<Term<'_>>,
        scalars: &[Fr],
        width: usize,
        sums: &mut [G1],
    ) -> Result<(), Error> {
        let rows = sums.len();
        let terms =
            terms.into_iter().map(|Term { share, range, bases, scalars }| (share, (range, bases, scalars)));
        let parts = self.together(terms.collect(), |member, _, (range, bases, kept)| {
            let mut part = vec![G1::default(); rows];
            let whole = range.len() == width;
            let mut pieces = Vec::new();
            let scalars = match (rows, whole) {
                (1, _) => &scalars[range],
                (_, true) => scalars,
                // The pieces of the rows, side by side.
                _ => {
                    pieces = memory::filled(rows * range.len(), Fr::zero())?;
                    for (row, piece) in scalars.chunks_exact(width).zip(pieces.chunks_exact_mut(range.len()))
                    {
                        piece.copy_from_slice(&row[range.clone()]);
                    }
                    &pieces[..]
                }
            };
            member.msm(ScalarsView { scalars, kept }, bases, &mut part)?;
            drop(pieces);
            Ok(part)
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        sums.fill(G1::default());
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, term)| *sum += term);
        }
        Ok(())
    }
}

impl Msm for Several {
    /// By ranges, with tables in proportion.
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        let bytes =
            |part: usize| (u128::from(table_bytes) * part as u128 / points.len().max(1) as u128) as u64;
        self.keep(points, |member, points| member.keep_bases(points, bytes(points.len())))
    }

    /// By the ranges that as many bases would have.
    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        self.keep(scalars, |member, scalars| member.keep_scalars(scalars))
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        let (rows, width) = (sums.len(), bases.points.len());
        let terms = match ranges(bases.kept) {
            Some(ranges) if width > 0 => self.terms_of_kept(ranges, bases, scalars, rows)?,
            _ => {
                let by_row = rows >= self.members.len();
                let items = if by_row { rows } else { width };
                let shares = self.share_out(&cost::MSM, items, [scalars.scalars.len() as f64; 2], 0.0)?;
                let bases = BasesView { points: bases.points, kept: None, first: 0 };
                if by_row {
                    let lengths: Vec<_> = shares.iter().map(|share| share.items.len()).collect();
                    let parts = shares.into_iter().zip(cut(sums, lengths.into_iter())).collect();
                    return self.all(parts, |member, rows, sums| {
                        let scalars = &scalars.scalars[rows.start * width..rows.end * width];
                        member.msm(ScalarsView { scalars, kept: None }, bases, sums)
                    });
                }
                let term = |share: Share| {
                    let range = share.items.clone();
                    let bases = BasesView { points: &bases.points[range.clone()], ..bases };
                    Term { share, range, bases, scalars: None }
                };
                shares.into_iter().map(term).collect()
            }
        };
        self.add_terms(terms, scalars.scalars, width, sums)
    }
}

impl Fft for Several {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        let n = fft.domain.size();
        let work = transform_work(values.len(), fft.domain.log_size());
        let shares = self.share_out(&cost::FFT, values.len() / n, work, 0.0)?;
        let undo = |values: &mut [Fr]| Cpu::default().fft(&fft.undo(), values);
        self.in_place(shares, values, n, |member, values| member.fft(fft, values), undo)
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        let n = domain.size();
        let work = transform_work(values.len(), domain.log_size());
        let shares = self.share_out(&cost::FFT, values.len() / n, work, 0.0)?;
        let lengths: Vec<_> = shares.iter().map(|share| share.items.len() * n).collect();
        let parts = shares.into_iter().zip(cut(values, lengths.into_iter())).collect();
        self.all(parts, |member, polynomials, values| {
            let coefficients = &coefficients[polynomials.start * size..polynomials.end * size];
            member.fft_of_padded(domain, coefficients, size, values)
        })
    }
}
