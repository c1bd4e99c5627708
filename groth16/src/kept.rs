//! The points of a key as an engine keeps them, and the five sums over them that a proof is made of.
//!
//! The witness is brought to the device once, and everything between it and the sums stays there. Points that are the identity add nothing and are dropped,
//! so a set of points has scalars for the others alone: they are the product of the witness with a matrix that has a single 1 in each row. A device
//! without room for all this makes the sums of vectors in host memory, which its operations take in parts.

use zkaccel::msm::{AcceleratedCurve, Bases, BasesInput, BasesOptions};
use zkaccel::resident::DeviceMatrix;
use zkaccel::sparse::{DeviceSparseMatrix, SparseMatrix};
use zkaccel::{Engine, Error as EngineError};

use crate::Error;
use crate::key::{KeptMatrices, ProvingKey, Reduction};
use crate::pairing::{First, Pairing, ScalarField, Second};
use crate::quotient;
use crate::submit::Wanted;
use crate::vectors::Vector;

/// Points that are not the identity.
struct Set<C: AcceleratedCurve> {
    bases: Bases<C>,
    /// Whether the engine keeps the points, or takes them from host memory.
    is_kept: bool,
    /// What takes the witness to the scalars of these points; without it there is a point for each.
    selection: Option<DeviceSparseMatrix<C::Scalar>>,
}

impl<C: AcceleratedCurve<Scalar: ScalarField>> Set<C> {
    /// Hands points to an engine, of which the first belongs to signal `first` of so many, and tells how many they were.
    fn keep(
        mut points: Vec<C>,
        first: usize,
        signals: usize,
        engine: &Engine,
        options: BasesOptions,
        tell: &dyn Fn(u64),
    ) -> Result<Self, Error> {
        let count = points.len() as u64;
        let identity = C::default();
        let signal_of = |(i, _): (usize, &C)| first + i;
        let remaining: Vec<usize> =
            points.iter().enumerate().filter(|(_, point)| **point != identity).map(signal_of).collect();
        let selection = match remaining.len() == signals {
            true => None,
            false => {
                let one = C::Scalar::from(1);
                let rows = remaining.iter().map(|&signal| [(signal, one)]);
                Some(engine.sparse_matrix(SparseMatrix::from_rows(signals, rows)?)?)
            }
        };
        points.retain(|point| *point != identity);
        let bases = engine.bases(points, options)?;
        tell(count);
        Ok(Self { bases, is_kept: true, selection })
    }

    /// The same points for another engine, from host memory.
    fn on(&self, engine: &Engine) -> Result<Self, EngineError> {
        let selection = self.selection.as_ref().map(|matrix| engine.sparse_matrix(matrix.as_host().clone()));
        Ok(Self { bases: self.bases.clone(), is_kept: false, selection: selection.transpose()? })
    }

    fn sum<V: Vector<C::Scalar>>(&self, engine: &Engine, witness: &V) -> Result<C::Projective, EngineError> {
        match &self.selection {
            // Vectors on a device cannot be empty.
            Some(_) if self.bases.as_slice().is_empty() => Ok(C::Projective::default()),
            Some(selection) => self.sum_of_own(engine, &witness.product(engine, selection)?),
            None => self.sum_of_own(engine, witness),
        }
    }

    /// The sum of a scalar for each point.
    fn sum_of_own<V: Vector<C::Scalar>>(
        &self,
        engine: &Engine,
        scalars: &V,
    ) -> Result<C::Projective, EngineError> {
        let bases = match self.is_kept {
            true => BasesInput::from(&self.bases),
            false => self.bases.as_slice().into(),
        };
        engine.msm::<C>(scalars.scalars(), bases)
    }
}

/// The points of a key, for an engine.
pub(crate) struct KeptPoints<P: Pairing> {
    a: Set<P::G1>,
    b_g1: Set<P::G1>,
    b_g2: Set<P::G2>,
    c: Set<P::G1>,
    h: Set<P::G1>,
    pub(crate) reduction: Reduction,
}

/// The sums of a proof.
pub(crate) struct Sums<P: Pairing> {
    pub(crate) a: First<P>,
    pub(crate) b_g1: First<P>,
    pub(crate) b_g2: Second<P>,
    pub(crate) c: First<P>,
    pub(crate) h: First<P>,
}

/// What sums are made of, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a, P: Pairing> {
    pub(crate) matrices: &'a KeptMatrices<P>,
    pub(crate) witness: &'a [P::Fr],
    pub(crate) wanted: &'a Wanted,
}

impl<P: Pairing> KeptPoints<P> {
    /// Hands the points and the matrices of a key to an engine. The points of the verification key are not among them.
    pub(crate) fn keep(
        engine: &Engine,
        key: ProvingKey<P>,
        options: BasesOptions,
        tell: &dyn Fn(u64),
    ) -> Result<(Self, KeptMatrices<P>), Error> {
        let (signals, public) = (key.signals(), key.public_signals());
        let ProvingKey { a, b_g1, b_g2, c, mut h, matrices, reduction, .. } = key;
        let of_h = h.len() as u64;
        if reduction == Reduction::Libsnark {
            // For the last coefficient of the quotient, which is 0.
            h.push(P::G1::default());
        }
        let h = Set { bases: engine.bases(h, options)?, is_kept: true, selection: None };
        tell(of_h);
        let points = Self {
            a: Set::keep(a, 0, signals, engine, options, tell)?,
            b_g1: Set::keep(b_g1, 0, signals, engine, options, tell)?,
            b_g2: Set::keep(b_g2, 0, signals, engine, options, tell)?,
            c: Set::keep(c, 1 + public, signals, engine, options, tell)?,
            h,
            reduction,
        };
        Ok((points, matrices.keep(engine)?))
    }

    /// The same points for another engine, from host memory.
    pub(crate) fn on(&self, engine: &Engine) -> Result<Self, Error> {
        let Self { a, b_g1, b_g2, c, h, reduction } = self;
        Ok(Self {
            a: a.on(engine)?,
            b_g1: b_g1.on(engine)?,
            b_g2: b_g2.on(engine)?,
            c: c.on(engine)?,
            h: h.on(engine)?,
            reduction: *reduction,
        })
    }

    /// The sums of a witness, which is copied to the device if there is room, and what this thread does `beside` them.
    pub(crate) fn sums<T>(
        &self,
        engine: &Engine,
        task: Task<'_, P>,
        beside: impl Fn() -> T,
    ) -> Result<(Sums<P>, T), Error> {
        match self.sums_of::<DeviceMatrix<P::Fr>, T>(engine, task, &beside) {
            Err(Error::Engine(
                EngineError::OverDeviceBudget { .. } | EngineError::DeviceOutOfMemory { .. },
            )) => self.sums_of::<Vec<P::Fr>, T>(engine, task, &beside),
            done => done,
        }
    }

    /// The sums by vectors of one kind. The quotient comes first: it is short, and beside the sums it would wait for them.
    fn sums_of<V: Vector<P::Fr>, T>(
        &self,
        engine: &Engine,
        task: Task<'_, P>,
        beside: impl Fn() -> T,
    ) -> Result<(Sums<P>, T), Error> {
        let Task { matrices, witness, wanted } = task;
        wanted.check()?;
        let witness = &V::bring(engine, witness)?;
        let quotient = &quotient::scalars_of_h(engine, self.reduction, matrices, witness)?;
        wanted.check()?;
        let sums = engine.scope(|scope| {
            let b_g2 = scope.spawn(|engine| self.b_g2.sum(engine, witness));
            let h = scope.spawn(|engine| self.h.sum_of_own(engine, quotient));
            let a = scope.spawn(|engine| self.a.sum(engine, witness));
            let b_g1 = scope.spawn(|engine| self.b_g1.sum(engine, witness));
            let c = scope.spawn(|engine| self.c.sum(engine, witness));
            let beside = beside();
            let h = h.wait()? * quotient::factor::<P::Fr>(self.reduction, matrices.log_size());
            let sums = Sums { a: a.wait()?, b_g1: b_g1.wait()?, b_g2: b_g2.wait()?, c: c.wait()?, h };
            Ok::<_, Error>((sums, beside))
        })?;
        wanted.check()?;
        Ok(sums)
    }
}
