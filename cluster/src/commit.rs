//! Commitments to a trace by cosets of its extension.
//!
//! # Mathematical description
//!
//! With g the generator of the extended domain of N points and C a power of two that divides the blow-up, rows k, k + C, k + 2 C, ... of the extension are the values of the columns'
//! polynomials on the coset s g^k of the subgroup of order N / C. A rank makes some of these C cosets of all coefficients, from the whole trace, which is as many times smaller than the extension as the
//! blow-up says. The digests of rows, 32 bytes each, are all that is exchanged of the extension: leaf t C + k of the tree is the digest of row t of coset k.
//!
//! With more ranks than the blow-up C is larger than that, and ranks make the same cosets by [columns](crate::columns); all that follows is as before.

use std::collections::BTreeMap;
use std::ops::Range;

use zkaccel::commit::{RowOpening, TraceSpec};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Hasher};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Domain, Lde, Ntt};
use zkaccel::resident::{DeviceDigests, DeviceMatrix};

use crate::cluster::Cluster;
use crate::error::Error;
use crate::exchange::{self, ResidentWords, Sent, with_room};
use crate::parts::{owner, parts};
use crate::transport::Transport;
use crate::tree::{Tree, name, subtrees};

/// A commitment of which this rank has some cosets of the extension and some subtrees.
#[derive(Clone, Debug)]
pub struct Commitment<H: Hasher> {
    cosets: Vec<DeviceMatrix<Goldilocks>>,
    /// Which cosets each rank has.
    parts: Vec<Range<usize>>,
    count: usize,
    columns: usize,
    tree: Tree<H>,
}

/// A coset of the extension with the digests of its rows.
type Coset<H> = (DeviceMatrix<Goldilocks>, DeviceDigests<H>);

impl<H: Hasher> Commitment<H> {
    /// The root.
    pub fn root(&self) -> H::Digest {
        self.tree.root()
    }

    /// The tree over the rows.
    pub fn tree(&self) -> &Tree<H> {
        &self.tree
    }

    /// Rows and columns of the extension.
    pub fn shape(&self) -> (usize, usize) {
        (self.tree.leaf_count(), self.columns)
    }

    /// The number of all cosets, and this rank's, from its first on: of coset k row t is row t times that number plus k of the extension.
    pub fn cosets(&self) -> (usize, Range<usize>, &[DeviceMatrix<Goldilocks>]) {
        (self.count, self.parts[self.tree.rank()].clone(), &self.cosets)
    }
}

impl<T: Transport> Cluster<T> {
    /// The rows of a trace of so many rows that this rank has to bring; also coefficients of a transform, and a fair share of pairs of a sum.
    pub fn rows(&self, rows: usize) -> Range<usize> {
        parts(rows, self.transport().size())[self.transport().rank()].clone()
    }

    /// Commits to a trace of so many rows and columns, of which this rank brings [its own rows](Self::rows), one after another.
    ///
    /// Up to the blow-up ranks exchange the trace, and beyond it the extension as well.
    ///
    /// [`Error::TooManyRanks`] if the extension has fewer rows than the square of the number of cosets, which is that of ranks where this is a power of two; errors of [`Engine::commit`](zkaccel::Engine::commit) otherwise.
    pub fn commit<H: Accelerated>(
        &self,
        spec: &TraceSpec,
        [rows, columns]: [usize; 2],
        own: Vec<Goldilocks>,
    ) -> Result<Commitment<H>, Error> {
        let (size, rank) = (self.transport().size(), self.transport().rank());
        let parameters = [
            spec.blowup,
            spec.shift.as_u64(),
            spec.convention as u64,
            rows as u64,
            columns as u64,
            name::<H>(),
        ];
        let lde = self.check_trace(spec, [rows, columns], &own);
        let (lde, count) = self.agree("a commitment", &parameters, lde)?;

        let shares = parts(count, size);
        let made = match count > lde.blowup() {
            true => {
                let cosets = self.cosets_by_columns(&lde, &own, columns, count, &shares)?;
                cosets.into_iter().map(|values| self.hashed::<H>(values)).collect()
            }
            false => {
                let trace = self.whole_trace(own, [rows, columns])?;
                self.make_cosets(&lde, trace, count, &shares[rank])
            }
        };
        let made = self.agree("cosets of the extension and digests of rows", &[], made)?;
        let (cosets, hashed): (Vec<_>, Vec<_>) = made.into_iter().unzip();

        // Of each of my cosets the digests of its run of rows go to each subtree, which has as many of each coset.
        let (all, run) = (lde.to().size(), lde.to().size() / count / count);
        let words = |digests: usize| digests * size_of::<H::Digest>() / 8;
        let run_of = |subtree: usize, coset: usize| (coset, words(subtree * run)..words((subtree + 1) * run));
        let of_subtree = |subtree: usize| (0..cosets.len()).map(move |coset| run_of(subtree, coset));
        let send: Vec<Sent> =
            shares.iter().map(|share| share.clone().flat_map(of_subtree).collect()).collect();
        let mine = shares[rank].len();
        let receive: Vec<_> = shares.iter().map(|share| vec![words(run); share.len() * mine]).collect();
        let own: Vec<&dyn ResidentWords> = hashed.iter().map(|digests| digests as _).collect();
        let leaves = match &hashed[..] {
            // Nobody else has any, and there is one coset.
            [all] if size == 1 => all.clone(),
            _ => self.exchange_kept(&own, &send, &receive, exchange::digests::<H>(all / count * mine))?,
        };
        drop(hashed);
        // By senders, subtrees, and the senders' cosets.
        let start = |subtree: usize, coset: usize| {
            let share = &shares[owner(&shares, coset)];
            (share.start * mine + subtree * share.len() + coset - share.start) * run
        };
        let starts = |subtree| (0..count).map(|coset| start(subtree, coset)).collect();
        let tree = self.tree_of_subtrees(all, count, run, &leaves, (0..mine).map(starts).collect())?;
        Ok(Commitment { cosets, parts: shares, count, columns, tree })
    }

    /// The whole trace, of which each rank brings its rows.
    fn whole_trace(
        &self,
        own: Vec<Goldilocks>,
        [rows, columns]: [usize; 2],
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        let size = self.transport().size();
        let (words, count) = (own.len(), own.len() / columns);
        let kept = match count {
            0 => Ok(None),
            _ => Matrix::from_rows(own, count, columns)
                .and_then(|own| self.engine().upload_if_it_fits(own))
                .map(Some),
        };
        let kept = self.agree("rows of the trace", &[], kept.map_err(Error::from))?;
        if let (1, Some(all)) = (size, &kept) {
            return Ok(all.clone());
        }
        let own: Vec<&dyn ResidentWords> = kept.iter().map(|own| own as _).collect();
        let to_each = own.iter().map(|_| (0, 0..words)).collect::<Sent>();
        let receive: Vec<_> = parts(rows, size).iter().map(|part| runs(part.len() * columns)).collect();
        self.exchange_kept(&own, &vec![to_each; size], &receive, exchange::matrix(rows, columns))
    }

    /// A coset with the digests of its rows.
    fn hashed<H: Accelerated>(&self, values: Matrix<Goldilocks>) -> Result<Coset<H>, Error> {
        let values = self.engine().upload_if_it_fits(values)?;
        let hash = |values: &DeviceMatrix<_>| self.engine().digests_of_rows::<H, _>(values);
        let digests = with_room(self.engine(), &values, hash)?;
        Ok((values, digests))
    }

    /// The extension, and the number of cosets, which is above the blow-up if that of ranks is.
    fn check_trace(
        &self,
        spec: &TraceSpec,
        [rows, columns]: [usize; 2],
        own: &[Goldilocks],
    ) -> Result<(Lde, usize), Error> {
        let (size, rank) = (self.transport().size(), self.transport().rank());
        let lde = spec.lde(rows)?;
        if columns == 0 {
            return Err(zkaccel::Error::BadShape { rows, columns, entries: own.len() }.into());
        }
        let count = match size > lde.blowup() {
            true => subtrees(size),
            false => subtrees(size).min(lde.blowup()),
        };
        if lde.to().size() / count < count {
            let expected =
                format!("at least {} rows of the extension, found {}", count * count, lde.to().size());
            return Err(Error::TooManyRanks { what: "a commitment", ranks: size, expected });
        }
        let expected = self.rows(rows).len() * columns;
        match own.len() == expected {
            true => Ok((lde, count)),
            false => Err(Error::BadPart { what: "entries of the trace", rank, expected, found: own.len() }),
        }
    }

    /// The cosets of a share, of the whole trace, with the digests of their rows.
    fn make_cosets<H: Accelerated>(
        &self,
        lde: &Lde,
        trace: DeviceMatrix<Goldilocks>,
        count: usize,
        share: &Range<usize>,
    ) -> Result<Vec<Coset<H>>, Error> {
        let (engine, from, to) = (self.engine(), lde.from(), lde.to());
        let domains = share.clone().map(|coset| every(&to, count, coset)).collect::<Result<Vec<_>, _>>()?;
        let make = |trace: &DeviceMatrix<Goldilocks>| {
            // As large as the trace, cosets are transforms of coefficients.
            let is_square = to.size() / count == from.size();
            let mut trace = trace.clone();
            if is_square {
                engine.ntt(&Ntt::inverse(from), &mut trace)?;
            }
            let coset = |&domain: &Domain| {
                let values = match is_square {
                    true => {
                        let mut values = trace.clone();
                        engine.ntt(&Ntt::forward(domain), &mut values)?;
                        values
                    }
                    false => engine.lde(&Lde::new(from, domain)?, &trace)?,
                };
                let digests = engine.digests_of_rows::<H, _>(&values)?;
                Ok((values, digests))
            };
            domains.iter().map(coset).collect()
        };
        Ok(with_room(engine, &trace, make)?)
    }

    /// Opens rows of the extension against the root, on every rank; errors as [`open`](Self::open).
    pub fn open_rows<H: Accelerated>(
        &self,
        commitment: &Commitment<H>,
        rows: &[usize],
    ) -> Result<RowOpening<H>, Error> {
        let opening = self.open(&commitment.tree, rows)?;
        let (rank, count) = (self.transport().rank(), commitment.count);
        let own = commitment.parts[rank].clone().zip(&commitment.cosets).map(|(coset, values)| {
            let rows = opening.indices.iter().copied().filter(|row| row % count == coset);
            let rows: Vec<usize> = rows.collect();
            let within: Vec<usize> = rows.iter().map(|row| row / count).collect();
            Ok(rows.into_iter().zip(values.read_rows(&within)?))
        });
        let own = own.collect::<Result<Vec<_>, zkaccel::Error>>();
        let own = self.agree("rows of an opening", &[], own.map_err(Error::from))?;
        let own: BTreeMap<usize, Vec<Goldilocks>> = own.into_iter().flatten().collect();
        let own = opening.indices.iter().filter_map(|row| own.get(row)).flatten();
        let gathered = self.transport().all_gather(own.map(|entry| entry.as_u64()).collect())?;
        let mut gathered: Vec<_> =
            gathered.iter().map(|words| words.chunks_exact(commitment.columns)).collect();
        let row = |row: &usize| {
            let words =
                gathered[owner(&commitment.parts, row % count)].next().expect("a row that its rank has");
            words.iter().map(|&word| Goldilocks::new(word)).collect()
        };
        Ok(RowOpening { rows: opening.indices.iter().map(row).collect(), opening })
    }
}

/// A run of so many words, if there is one.
fn runs(words: usize) -> Vec<usize> {
    if words == 0 { Vec::new() } else { vec![words] }
}

/// Points k, k + c, k + 2 c, ... of a domain.
pub(crate) fn every(domain: &Domain, c: usize, k: usize) -> Result<Domain, Error> {
    let (root, log_size) = (domain.root(), domain.log_size() - c.ilog2());
    Ok(Domain::with_root(log_size, power(root, c as u64))?.coset(domain.shift() * power(root, k as u64))?)
}

pub(crate) fn power(x: Goldilocks, exponent: u64) -> Goldilocks {
    zkaccel::field::Field::pow(x, exponent)
}
