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

use zkaccel::Engine;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, MatrixRef, Shape};
use zkaccel::ntt::{Domain, Ntt};
use zkaccel::resident::DeviceMatrix;

use crate::cluster::Cluster;
use crate::commit::{every, power};
use crate::error::Error;
use crate::exchange::{self, Sent};
use crate::parts::parts;
use crate::transport::Transport;

impl<T: Transport> Cluster<T> {
    /// The values of a polynomial on a domain of n points: this rank q of P brings its block of n / P coefficients, the q-th in order, and gets values q, q + P, q + 2 P, .... A block that stays on a device
    /// ([`DeviceMatrix`] of one column) has values that stay; a vector has a vector.
    ///
    /// [`Error::TooManyRanks`] unless P is a power of two with P^2 at most n; [`Error::BadPart`] for another number of coefficients.
    pub fn ntt<B: Block>(&self, domain: &Domain, block: B) -> Result<B, Error> {
        let (size, rank, n) = (self.transport().size(), self.transport().rank(), domain.size());
        let parameters = [n as u64, domain.root().as_u64(), domain.shift().as_u64()];
        let kept = match (size.is_power_of_two() && size * size <= n, block.entries() == n / size.max(1)) {
            (false, _) => {
                let expected = format!("a power of two of ranks, whose square is at most the {n} points");
                Err(Error::TooManyRanks { what: "a transform", ranks: size, expected })
            }
            (_, false) => {
                Err(Error::BadPart { what: "coefficients", rank, expected: n / size, found: block.entries() })
            }
            _ => block.keep(self.engine()).map_err(Error::from),
        };
        let (mut block, rest) = self.agree("a transform", &parameters, kept)?;
        if size == 1 {
            self.engine().ntt(&Ntt::forward(*domain), &mut block)?;
            return Ok(B::back(self.engine(), block, rest)?);
        }
        let m = n / size;
        let runs = parts(m, size);
        let run = runs[rank].len();

        // Runs of t of every block: a row for each rank.
        let send: Vec<Sent> = runs.iter().map(|run| vec![(0, run.clone())]).collect();
        let received =
            self.exchange_kept(&[&block], &send, &vec![vec![run]; size], exchange::matrix(size, run))?;
        drop(block);
        let across = self.agree("the transform across ranks", &[], self.across(domain, received))?;

        // Row q of that goes to rank q.
        let send: Vec<Sent> = (0..size).map(|q| vec![(0, q * run..(q + 1) * run)]).collect();
        let counts: Vec<_> = runs.iter().map(|run| vec![run.len()]).collect();
        let own = self.exchange_kept(&[&across], &send, &counts, exchange::matrix(m, 1))?;
        drop(across);
        let values = self.within(domain, own).and_then(|values| Ok(B::back(self.engine(), values, rest)?));
        self.agree("the transform within ranks", &[], values)
    }

    /// The transforms of P values each, which are the columns.
    fn across(
        &self,
        domain: &Domain,
        mut values: DeviceMatrix<Goldilocks>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        let size = self.transport().size();
        let m = (domain.size() / size) as u64;
        let outer =
            Domain::with_root(size.ilog2(), power(domain.root(), m))?.coset(power(domain.shift(), m))?;
        self.engine().ntt(&Ntt::forward(outer), &mut values)?;
        Ok(values)
    }

    /// The transform of what this rank has of all others.
    fn within(
        &self,
        domain: &Domain,
        mut values: DeviceMatrix<Goldilocks>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        let inner = every(domain, self.transport().size(), self.transport().rank())?;
        self.engine().ntt(&Ntt::forward(inner), &mut values)?;
        Ok(values)
    }
}

/// Coefficients or values of a polynomial that a rank has: a vector, or a [`DeviceMatrix`].
pub trait Block: Sized {
    /// What is left of it when it is kept.
    #[doc(hidden)]
    type Rest;

    /// How many they are.
    #[doc(hidden)]
    fn entries(&self) -> usize;

    /// The same as a matrix that stays.
    #[doc(hidden)]
    fn keep(self, engine: &Engine) -> Result<(DeviceMatrix<Goldilocks>, Self::Rest), zkaccel::Error>;

    /// A matrix that stays as this.
    #[doc(hidden)]
    fn back(
        engine: &Engine,
        values: DeviceMatrix<Goldilocks>,
        rest: Self::Rest,
    ) -> Result<Self, zkaccel::Error>;
}

impl Block for Vec<Goldilocks> {
    /// The memory of the vector, where the engine copies it.
    type Rest = Self;

    fn entries(&self) -> usize {
        self.len()
    }

    fn keep(self, engine: &Engine) -> Result<(DeviceMatrix<Goldilocks>, Self), zkaccel::Error> {
        if engine.device_budget().is_none() {
            return Ok((engine.upload(Matrix::from_column(self)?)?, Self::new()));
        }
        let column = Shape { rows: self.len(), columns: 1, layout: Layout::ColumnMajor };
        Ok((engine.upload_if_it_fits(MatrixRef::new(&self, column)?)?, self))
    }

    fn back(
        engine: &Engine,
        values: DeviceMatrix<Goldilocks>,
        mut rest: Self,
    ) -> Result<Self, zkaccel::Error> {
        if values.as_host().is_some() {
            return Ok(values.into_memory());
        }
        engine.download_into(&values, &mut rest)?;
        Ok(rest)
    }
}

impl Block for DeviceMatrix<Goldilocks> {
    type Rest = ();

    fn entries(&self) -> usize {
        self.shape().rows * self.shape().columns
    }

    /// [`zkaccel::Error::BadShape`] for several columns, whose entries may be in either order.
    fn keep(self, _: &Engine) -> Result<(DeviceMatrix<Goldilocks>, ()), zkaccel::Error> {
        let Shape { rows, columns, .. } = self.shape();
        match columns {
            1 => Ok((self, ())),
            _ => Err(zkaccel::Error::BadShape { rows, columns, entries: self.entries() }),
        }
    }

    fn back(_: &Engine, values: DeviceMatrix<Goldilocks>, (): ()) -> Result<Self, zkaccel::Error> {
        Ok(values)
    }
}
