//! Matrices that several devices have in parts, as they have the trace.

use std::sync::{Mutex, PoisonError};

use zkaccel::Error;
use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Domain, Lde, Ntt};
use zkaccel::resident::{Cosets, DeviceMatrix};

use super::domains::{Domains, natural, same_columns};
use crate::extension::Given;

impl Domains<'_> {
    /// Columns on a subgroup, extended onto a coset in natural order, where a matrix of as many rows has its parts; if that is whole, in the place of wide matrices.
    pub(super) fn extend_beside(
        &self,
        other: &Cosets<Element>,
        lde: Lde,
        given: Given,
        columns: Matrix<Element>,
    ) -> Result<Cosets<Element>, Error> {
        let engine = self.memory.engine;
        let values = |mut columns: DeviceMatrix<Element>| {
            if let Given::Coefficients = given {
                engine.ntt(&Ntt::forward(lde.from()), &mut columns)?;
            }
            Ok::<_, Error>(columns)
        };
        match other.whole() {
            Some(_) => engine.lde(&lde, &values(self.memory.wide(columns)?)?).map(Into::into),
            None => {
                self.extend_by_parts(other, lde, |part| values(engine.upload_beside(part, columns.view())?))
            }
        }
    }

    /// The same from values that a device has, for a matrix in parts.
    pub(super) fn extend_copies(
        &self,
        other: &Cosets<Element>,
        lde: Lde,
        values: &DeviceMatrix<Element>,
    ) -> Result<Cosets<Element>, Error> {
        let values = Cosets::from(values.clone());
        self.extend_by_parts(other, lde, |part| values.copy_beside(part))
    }

    /// The same from values that are brought to where a part is. A device that has several parts gets them once.
    fn extend_by_parts(
        &self,
        other: &Cosets<Element>,
        lde: Lde,
        bring: impl Fn(&DeviceMatrix<Element>) -> Result<DeviceMatrix<Element>, Error> + Sync,
    ) -> Result<Cosets<Element>, Error> {
        let (engine, parts) = (self.memory.engine, other.parts());
        let there: Vec<Mutex<Option<DeviceMatrix<Element>>>> =
            parts.iter().map(|_| Mutex::default()).collect();
        other.map_parts(|number, part| {
            let first = parts.iter().position(|first| first.is_beside(part)).expect("the part itself");
            let mut there = there[first].lock().unwrap_or_else(PoisonError::into_inner);
            let mut values = match &*there {
                Some(values) => values.clone(),
                None => there.insert(bring(part)?).clone(),
            };
            drop(there);
            let points = part_of(lde.to(), parts.len(), number)?;
            if points.size() > lde.from().size() {
                return engine.lde(&Lde::new(lde.from(), points)?, values);
            }
            engine.ntt(&Ntt::inverse(lde.from()), &mut values)?;
            engine.ntt(&Ntt::forward(points), &mut values)?;
            Ok(values)
        })
    }

    /// The values on the domain of what is out of domain, from the extension where several devices made that of the trace.
    pub(super) fn opened_values(&self, extension: &Cosets<Element>) -> Result<DeviceMatrix<Element>, Error> {
        let (part, rows) = (&extension.parts()[0], 1 << self.log_trace);
        if part.shape().rows == rows {
            return Ok(part.clone());
        }
        let same = same_columns(0..part.shape().columns)?;
        self.memory.engine.run_program(&same, natural(rows), &[part], &[])
    }
}

/// The points of a domain whose indices are a part's number and further ones at a distance of the number of parts, a power of two: a coset of a smaller subgroup.
fn part_of(domain: Domain, parts: usize, number: usize) -> Result<Domain, Error> {
    let log_parts = parts.ilog2();
    let root = (0..log_parts).fold(domain.root(), |root, _| root.square());
    let shift = (0..number).fold(domain.shift(), |shift, _| shift * domain.root());
    Domain::with_root(domain.log_size() - log_parts, root)?.coset(shift)
}
