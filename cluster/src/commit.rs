//! Commitments to a trace by cosets of its extension.
//!
//! # Mathematical description
//!
//! With g the generator of the extended domain of N points and C a power of two that divides the blow-up, rows k, k + C, k + 2 C, ... of the extension are the values of the columns'
//! polynomials on the coset s g^k of the subgroup of order N / C. A rank makes some of these C cosets of all coefficients, from the whole trace, which is as many times smaller than the extension as the
//! blow-up says. The digests of rows, 32 bytes each, are all that is exchanged of the extension: leaf t C + k of the tree is the digest of row t of coset k.
//!
//! With more ranks than the blow-up C is larger than that, and ranks make the same cosets by [columns](crate::columns); all that follows is as before.

use std::ops::Range;

use zkaccel::commit::{RowOpening, TraceSpec};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Accelerated, Hasher};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Domain, Lde, Ntt};

use crate::cluster::Cluster;
use crate::error::Error;
use crate::parts::{owner, parts};
use crate::transport::Transport;
use crate::tree::{Tree, digests, name, subtrees, words};

/// A commitment of which this rank has some cosets of the extension and some subtrees.
#[derive(Clone, Debug)]
pub struct Commitment<H: Hasher> {
    cosets: Vec<Matrix<Goldilocks>>,
    /// Which cosets each rank has.
    parts: Vec<Range<usize>>,
    count: usize,
    columns: usize,
    tree: Tree<H>,
}

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
    pub fn cosets(&self) -> (usize, Range<usize>, &[Matrix<Goldilocks>]) {
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
        let cosets = match count > lde.blowup() {
            true => self.cosets_by_columns(&lde, &own, columns, count, &shares)?,
            false => {
                let trace = self.transport().all_gather(bytemuck::cast_vec(own))?.concat();
                let made = self.make_cosets(&lde, bytemuck::cast_vec(trace), columns, count, &shares[rank]);
                self.agree("cosets of the extension", &[], made)?
            }
        };
        let hashed = cosets
            .iter()
            .map(|values| self.engine().hash_rows::<H, _>(values))
            .collect::<Result<Vec<_>, _>>();
        let hashed = self.agree("digests of rows", &[], hashed.map_err(Error::from))?;

        // Of each of my cosets the digests of its run of rows go to each subtree, which has as many of each coset.
        let (all, run) = (lde.to().size(), lde.to().size() / count / count);
        let of_subtree = |subtree: usize| {
            let runs = hashed.iter().map(move |digests| &digests[subtree * run..(subtree + 1) * run]);
            runs.flat_map(words::<H>)
        };
        let send = shares.iter().map(|share| share.clone().flat_map(of_subtree).collect()).collect();
        let counts: Vec<_> =
            shares.iter().map(|share| share.len() * shares[rank].len() * run * words_of::<H>()).collect();
        drop(hashed);
        let received = self.transport().exchange(send, &counts)?;
        let received: Vec<_> = received.iter().map(|words| digests::<H>(words)).collect();
        let leaves = |number: usize| {
            let mut leaves = vec![H::Digest::default(); all / count];
            for (share, digests) in shares.iter().zip(&received) {
                let own = &digests[number * share.len() * run..(number + 1) * share.len() * run];
                for (coset, digests) in share.clone().zip(own.chunks_exact(run)) {
                    leaves[coset..]
                        .iter_mut()
                        .step_by(count)
                        .zip(digests)
                        .for_each(|(leaf, &digest)| *leaf = digest);
                }
            }
            leaves
        };
        let tree = self.tree_of_subtrees(all, count, (0..shares[rank].len()).map(leaves).collect())?;
        Ok(Commitment { cosets, parts: shares, count, columns, tree })
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

    /// The cosets of a share, of the whole trace.
    fn make_cosets(
        &self,
        lde: &Lde,
        trace: Vec<Goldilocks>,
        columns: usize,
        count: usize,
        share: &Range<usize>,
    ) -> Result<Vec<Matrix<Goldilocks>>, Error> {
        let (engine, from, to) = (self.engine(), lde.from(), lde.to());
        let mut trace = Matrix::from_rows(trace, from.size(), columns)?;
        // As large as the trace, cosets are transforms of coefficients.
        let is_square = to.size() / count == from.size();
        if is_square {
            engine.ntt(&Ntt::inverse(from), &mut trace)?;
        }
        let coset = |coset: usize| {
            let domain = every(&to, count, coset)?;
            Ok(match is_square {
                true => {
                    let mut values = trace.clone();
                    engine.ntt(&Ntt::forward(domain), &mut values)?;
                    values
                }
                false => engine.lde(&Lde::new(from, domain)?, &trace)?,
            })
        };
        share.clone().map(coset).collect()
    }

    /// Opens rows of the extension against the root, on every rank; errors as [`open`](Self::open).
    pub fn open_rows<H: Accelerated>(
        &self,
        commitment: &Commitment<H>,
        rows: &[usize],
    ) -> Result<RowOpening<H>, Error> {
        let opening = self.open(&commitment.tree, rows)?;
        let (rank, count) = (self.transport().rank(), commitment.count);
        let first = commitment.parts[rank].start;
        let is_own = |row: &&usize| commitment.parts[rank].contains(&(**row % count));
        let own = opening.indices.iter().filter(is_own);
        let own = own.flat_map(|row| commitment.cosets[row % count - first].row(row / count));
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

/// Words of a digest.
fn words_of<H: Hasher>() -> usize {
    size_of::<H::Digest>() / 8
}

/// Points k, k + c, k + 2 c, ... of a domain.
pub(crate) fn every(domain: &Domain, c: usize, k: usize) -> Result<Domain, Error> {
    let (root, log_size) = (domain.root(), domain.log_size() - c.ilog2());
    Ok(Domain::with_root(log_size, power(root, c as u64))?.coset(domain.shift() * power(root, k as u64))?)
}

pub(crate) fn power(x: Goldilocks, exponent: u64) -> Goldilocks {
    zkaccel::field::Field::pow(x, exponent)
}
