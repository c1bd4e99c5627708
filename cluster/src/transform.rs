//! One transform over all ranks.
//!
//! # Mathematical description
//!
//! Let n = P m, w a root of order n, and x_0, ..., x_(n-1) coefficients, of which rank u has the block x_(m u), ..., x_(m u + m - 1). With j = t + m u and index k = q + P l
//!
//! X_k = sum_j x_j w^(jk) = sum_(t < m) (w^P)^(t l) (w^q)^t z_q(t),  z_q(t) = sum_(u < P) (w^m)^(u q) x_(t + m u).
//!
//! So the ranks exchange runs of t, transform the P values of each t, exchange them back, and rank q transforms z_q: on the coset w^q of the subgroup of order m, so that no product with
//! a power of w is left over. Values on a coset s take x_j s^j for x_j: the first transform is on the coset s^m, and the second on s w^q. Rank q has every P-th value then, from the q-th on.

use std::ops::Range;

use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Domain, Ntt};

use crate::cluster::Cluster;
use crate::commit::{every, power};
use crate::error::Error;
use crate::parts::parts;
use crate::transport::Transport;

impl<T: Transport> Cluster<T> {
    /// The values of a polynomial on a domain of n points: this rank q of P brings its block of n / P coefficients, the q-th in order, and gets values q, q + P, q + 2 P, ....
    ///
    /// [`Error::TooManyRanks`] unless P is a power of two with P^2 at most n; [`Error::BadPart`] for another number of coefficients.
    pub fn ntt(&self, domain: &Domain, block: Vec<Goldilocks>) -> Result<Vec<Goldilocks>, Error> {
        let (size, rank, n) = (self.transport().size(), self.transport().rank(), domain.size());
        let parameters = [n as u64, domain.root().as_u64(), domain.shift().as_u64()];
        let checked = match (size.is_power_of_two() && size * size <= n, block.len() == n / size.max(1)) {
            (false, _) => {
                let expected = format!("a power of two of ranks, whose square is at most the {n} points");
                Err(Error::TooManyRanks { what: "a transform", ranks: size, expected })
            }
            (_, false) => {
                Err(Error::BadPart { what: "coefficients", rank, expected: n / size, found: block.len() })
            }
            _ => Ok(()),
        };
        self.agree("a transform", &parameters, checked)?;
        let m = n / size;
        let runs = parts(m, size);
        let run = runs[rank].len();

        // Runs of t of every block: a row for each rank.
        let received = self.transport().exchange(cut(block, &runs), &vec![run; size])?;
        let across = self.agree("the transform across ranks", &[], self.across(domain, received, run))?;

        // Row q of that goes to rank q.
        let counts: Vec<_> = runs.iter().map(Range::len).collect();
        let send = across.chunks_exact(run).map(|row| bytemuck::cast_slice(row).to_vec()).collect();
        let own = self.transport().exchange(send, &counts)?.concat();
        self.agree("the transform within ranks", &[], self.within(domain, own))
    }

    /// The transforms of P values each, which are the columns.
    fn across(&self, domain: &Domain, rows: Vec<Vec<u64>>, run: usize) -> Result<Vec<Goldilocks>, Error> {
        let (size, m) = (rows.len(), (domain.size() / rows.len()) as u64);
        let outer =
            Domain::with_root(size.ilog2(), power(domain.root(), m))?.coset(power(domain.shift(), m))?;
        let mut values = Matrix::from_rows(bytemuck::cast_vec(rows.concat()), size, run)?;
        self.engine().ntt(&Ntt::forward(outer), &mut values)?;
        Ok(values.into_vec())
    }

    /// The transform of what this rank has of all others.
    fn within(&self, domain: &Domain, own: Vec<u64>) -> Result<Vec<Goldilocks>, Error> {
        let inner = every(domain, self.transport().size(), self.transport().rank())?;
        let mut values: Vec<Goldilocks> = bytemuck::cast_vec(own);
        self.engine().ntt(&Ntt::forward(inner), &mut values)?;
        Ok(values)
    }
}

/// Runs of a block, as words.
fn cut(block: Vec<Goldilocks>, runs: &[Range<usize>]) -> Vec<Vec<u64>> {
    runs.iter().map(|run| bytemuck::cast_slice(&block[run.clone()]).to_vec()).collect()
}
