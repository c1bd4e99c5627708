//! Transforms of points of a curve: runs of points are independent, and one run is not divided.

use halo2curves::group::Group;

use super::{Bases, Scalars, Sum, random_word};
use crate::backend::points::{Steps, TransformedCurve};
use crate::backend::reference::Reference;
use crate::backend::{Backend, BaseField, Transforms};
use crate::curve::affine;
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::field::TwoAdic;
use crate::memory;
use crate::ntt::{Domain, Ntt};
use crate::work::{Activity, Size};

/// Transforms runs of as many points as the domain has, in place.
pub(crate) struct TransformPoints<'a, C: TransformedCurve> {
    pub(crate) ntt: Ntt<C::Scalar>,
    pub(crate) points: &'a mut [C],
}

/// The kind of transforms of points.
pub(crate) const fn kind<C: TransformedCurve>() -> Kind {
    Kind { name: Activity::POINTS.name, variant: C::NAME, sample: sample::<C> }
}

/// The products of a transform in layers, and the pairs of one by sums.
fn work(points: usize, log_size: u32) -> [f64; 2] {
    let points = points as f64;
    [points * f64::from(log_size.max(1)), points * f64::from(log_size).exp2()]
}

fn sample<C: TransformedCurve>(backend: &dyn Backend, log: u32) -> Measured {
    let generator = C::Projective::generator();
    let multiples = std::iter::successors(Some(generator), |point| Some(*point + generator));
    let mut points: Vec<C> = affine(&multiples.take(1 << log).collect::<Vec<_>>());
    let ntt = Ntt::forward(C::some_domain(log)?);
    timed(|| C::point_transforms(backend).transform_points(&ntt, &mut points), work(1 << log, log))
}

fn size<C>(points: usize) -> Size {
    let bytes = points * size_of::<C>();
    Activity::POINTS.of(points, bytes, bytes)
}

impl<C: TransformedCurve> Call for TransformPoints<'_, C> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        size::<C>(self.points.len())
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        C::point_transforms(device.backend()).transform_points(&self.ntt, self.points)
    }
}

impl<C: TransformedCurve> Operation for TransformPoints<'_, C> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<C>(), work: work(self.points.len(), self.ntt.domain.log_size()) }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    /// For random c_i the sum of c_i A_i over the answers is that of d_j P_j, with the d that the transposed transform makes of c: of scalars, by the reference. Both are one sum, which is the identity.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { ntt, points } = self;
        let n = ntt.domain.size();
        let mut answer = copy(points)?;
        untested.run(TransformPoints { ntt, points: &mut answer })?;
        let mut scalars = Vec::new();
        for _ in 0..points.len() / n {
            let factors: Vec<_> = (0..n).map(|_| C::Scalar::from(random_word())).collect();
            let transposed = transposed(&ntt, &factors)?;
            scalars.push((factors, transposed));
        }
        let (factors, transposed): (Vec<_>, Vec<_>) = scalars.into_iter().unzip();
        let negative = transposed.iter().flatten().map(|&factor| -factor);
        let scalars: Vec<_> = factors.iter().flatten().copied().chain(negative).collect();
        let both = [&answer[..], points].concat();
        let bases = Bases { points: &both, kept: &[], first: 0 };
        let sums = untested.run(Sum { scalars: Scalars::Host(&scalars, &[]), bases, rows: 1 })?;
        let passes = sums.iter().all(|sum| bool::from(sum.is_identity()));
        untested.expect(passes, "the check of a transform of points")?;
        points.copy_from_slice(&answer);
        Ok(())
    }
}

/// The product of the transposed matrix of a transform with factors of its outputs: a factor of each input, both as they stand.
fn transposed<F: TwoAdic + BaseField>(ntt: &Ntt<F>, factors: &[F]) -> Result<Vec<F>, Error> {
    let n = ntt.domain.size();
    let ones = || vec![F::ONE; n];
    let Steps { root, before, after } = Steps::of(ntt);
    let (before, after) = (before.unwrap_or_else(ones), after.unwrap_or_else(ones));
    let mut sums: Vec<F> = (0..n).map(|i| factors[ntt.output_order.index_of(i, n)] * after[i]).collect();
    Transforms::ntt(
        &Reference,
        &Ntt::forward(Domain::with_root(ntt.domain.log_size(), root)?),
        &mut sums,
        1,
    )?;
    let mut result = vec![F::ZERO; n];
    for (j, (sum, before)) in sums.into_iter().zip(before).enumerate() {
        result[ntt.input_order.index_of(j, n)] = sum * before;
    }
    Ok(result)
}

/// A copy of points, or [`Error::HostOutOfMemory`].
fn copy<C: TransformedCurve>(points: &[C]) -> Result<Vec<C>, Error> {
    let mut copy = memory::filled(points.len(), C::default())?;
    memory::copy(points, &mut copy);
    Ok(copy)
}

/// Some of the runs, in memory of their own, so that the points stay until all parts have succeeded.
pub(crate) struct Part<'a, C: TransformedCurve> {
    ntt: Ntt<C::Scalar>,
    points: &'a [C],
}

impl<C: TransformedCurve> Call for Part<'_, C> {
    type Output = Vec<C>;

    fn size(&self, _: &Member) -> Size {
        size::<C>(self.points.len())
    }

    fn run(self, device: &Member) -> Result<Vec<C>, Error> {
        let mut points = copy(self.points)?;
        TransformPoints { ntt: self.ntt, points: &mut points }.run(device)?;
        Ok(points)
    }
}

impl<'a, C: TransformedCurve> Divisible for TransformPoints<'a, C> {
    type Outcome = Vec<C>;
    type Part<'p>
        = Part<'p, C>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.points.len() / self.ntt.domain.size()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Part<'_, C>>, Error> {
        let (ntt, n) = (self.ntt, self.ntt.domain.size());
        let part =
            |share: &Share| Part { ntt, points: &self.points[share.items.start * n..share.items.end * n] };
        Ok(shares.iter().map(part).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<Vec<C>, Error>>) -> Result<(), Error> {
        let n = self.ntt.domain.size();
        let parts = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
        for (share, part) in shares.iter().zip(parts) {
            memory::copy(&part, &mut self.points[share.items.start * n..share.items.end * n]);
        }
        Ok(())
    }
}
