//! Transforms of points on all cores.
//!
//! # Mathematical description
//!
//! A transform needs of its elements that they can be added, subtracted and multiplied with powers of w, and points can be. By decimation in time (Cooley and Tukey, 1965) layer after layer takes pairs of points
//! (P, Q) to (P + w^j Q, P - w^j Q), n/2 of these butterflies in each of log2 n layers. A product with a scalar takes a few hundred times as long as a sum, so all that counts is how many there are and how
//! they are made: in all layers but for those by 1, n/2 log2 n - n + 1, each with a scalar in two halves, as many products at once as a vector has lanes ([`jacobian`]). In a layer the butterflies are taken
//! in the order of their twiddles, so that products by 1 are together, and left out.
//!
//! Points are in Jacobian coordinates all the while, and brought to affine ones at the end, with an inversion for many.

mod exceptions;
mod factors;
mod jacobian;
#[cfg(test)]
mod tests;

use std::array::from_fn;
use std::marker::PhantomData;

use self::factors::Factors;
use self::jacobian::{Form, Jacobian};
use super::Cpu;
use super::quadwords::MAX_WIDTH;
use super::residues::{Coordinates, VectorisedField, on_coordinates};
use crate::backend::PointTransforms;
use crate::backend::points::Steps;
use crate::curve::{Affine, Coordinate, Curve, TwoAdicCurve, affine_points};
use crate::error::Error;
use crate::field::coordinates::LazyElement;
use crate::field::{TwoAdic, geometric};
use crate::memory;
use crate::ntt::{Ntt, reverse_bits};
use crate::parallel::for_each_chunk;

/// Points that share an inversion.
const TOGETHER: usize = 256;

impl<C: TwoAdicCurve<Base: VectorisedField>> PointTransforms<C> for Cpu {
    fn transform_points(&self, ntt: &Ntt<C::Scalar>, points: &mut [C]) -> Result<(), Error> {
        on_coordinates!(self.simd, C::Base, coordinates, transform(coordinates, ntt, points))
    }
}

fn transform<C, R>(_: PhantomData<R>, ntt: &Ntt<C::Scalar>, points: &mut [C]) -> Result<(), Error>
where
    C: TwoAdicCurve,
    R: Coordinates<Element = Coordinate<C>>,
{
    let (n, log) = (ntt.domain.size(), ntt.domain.log_size());
    let steps = Steps::of(ntt);
    let form = Form::of::<R>();
    let arithmetic =
        PointArithmetic::<C, R> { beta: C::endomorphism().beta.mul(form.into), form, vectors: PhantomData };
    // In reversed order, as decimation in time begins.
    let mut state = memory::filled(points.len(), Jacobian::IDENTITY)?;
    for (state, points) in state.chunks_exact_mut(n).zip(affine_points(points).chunks_exact(n)) {
        for (i, state) in state.iter_mut().enumerate() {
            let index = reverse_bits(i, log);
            *state = arithmetic.start(&points[ntt.input_order.index_of(index, n)]);
        }
    }
    if let Some(before) = steps.before {
        let factors = Factors::new::<C>(&before);
        arithmetic.scale(&mut state, &factors, |i| reverse_bits(i % n, log));
    }
    let twiddles = Factors::new::<C>(&geometric(TwoAdic::ONE, steps.root).take(n / 2).collect::<Vec<_>>());
    for layer in 0..log {
        arithmetic.layer(&mut state, &twiddles, n, 1 << layer)?;
    }
    if let Some(after) = steps.after {
        // An inverse without a shift has one factor for all.
        let are_equal = after.windows(2).all(|pair| pair[0] == pair[1]);
        let factors = Factors::new::<C>(if are_equal { &after[..1] } else { &after });
        arithmetic.scale(&mut state, &factors, |i| if are_equal { 0 } else { i % n });
    }
    let results = arithmetic.normalized(&state)?;
    for (results, points) in results.chunks_exact(n).zip(points.chunks_exact_mut(n)) {
        for (i, result) in results.iter().enumerate() {
            points[ntt.output_order.index_of(i, n)] = *result;
        }
    }
    Ok(())
}

/// Points and products, in the vectors R.
struct PointArithmetic<C: Curve, R> {
    form: Form<Coordinate<C>>,
    /// The factor of the endomorphism, as vectors have it.
    beta: Coordinate<C>,
    vectors: PhantomData<R>,
}

type Point<C> = Jacobian<Coordinate<C>>;

impl<C: Curve, R: Coordinates<Element = Coordinate<C>>> PointArithmetic<C, R> {
    fn start(&self, point: &Affine<Coordinate<C>>) -> Point<C> {
        if point.is_identity() {
            return Jacobian::IDENTITY;
        }
        let into = self.form.into;
        Jacobian { x: point.x.mul(into), y: point.y.mul(into), z: into }
    }

    /// Products of the points of the lanes, of which the last ones may be repetitions, with the factors of these numbers.
    fn products(
        &self,
        points: [&Point<C>; MAX_WIDTH],
        factors: &Factors,
        numbers: [usize; MAX_WIDTH],
    ) -> [Point<C>; MAX_WIDTH] {
        let lanes = || (0..R::WIDTH).map(|lane| (points[lane], numbers[lane]));
        if lanes().all(|(point, number)| point.is_identity() || factors.is_one(number)) {
            return points.map(|point| *point);
        }
        let digits = numbers.map(|number| factors.digits(number));
        let mut products = jacobian::multiply::<R>(points, digits, self.beta, &self.form);
        for ((point, number), product) in lanes().zip(&mut products) {
            if product.is_identity() {
                *product = exceptions::multiply(point, factors.integer(number), &self.form);
            }
        }
        products
    }

    /// a + b and a - b for the points of the lanes.
    fn butterflies(
        &self,
        a: [&Point<C>; MAX_WIDTH],
        b: [&Point<C>; MAX_WIDTH],
    ) -> [[Point<C>; 2]; MAX_WIDTH] {
        let [sums, differences] = jacobian::butterfly::<R>(a, b);
        from_fn(|lane| match sums[lane].is_identity() && lane < R::WIDTH {
            true => exceptions::butterfly(a[lane], b[lane], &self.form),
            false => [sums[lane], differences[lane]],
        })
    }

    /// Multiplies each point with the factor that a function has for it.
    fn scale(&self, state: &mut [Point<C>], factors: &Factors, factor: impl Fn(usize) -> usize + Sync) {
        for_each_chunk(state, R::WIDTH, |number, state| {
            let last = state.len() - 1;
            let lane = |lane: usize| lane.min(last);
            let points = from_fn(|i| &state[lane(i)]);
            let numbers = from_fn(|i| factor(number * R::WIDTH + lane(i)));
            let products = self.products(points, factors, numbers);
            state.copy_from_slice(&products[..state.len()]);
        });
    }

    /// The butterflies of points that are `half` from each other, in runs of n points.
    fn layer(&self, state: &mut [Point<C>], twiddles: &Factors, n: usize, half: usize) -> Result<(), Error> {
        let blocks = state.len() / (2 * half);
        // The first point of a butterfly, and the index of its twiddle, by twiddles.
        let place = |number: usize| {
            let (twiddle, block) = (number / blocks, number % blocks);
            (2 * half * block + twiddle, twiddle * (n / (2 * half)))
        };
        let mut results = memory::filled(state.len() / 2, [Jacobian::IDENTITY; 2])?;
        let points = &*state;
        for_each_chunk(&mut results, R::WIDTH, |number, results| {
            // Lanes without a butterfly do the last one again.
            let places: [_; MAX_WIDTH] =
                from_fn(|lane| place(number * R::WIDTH + lane.min(results.len() - 1)));
            let a = places.map(|(first, _)| &points[first]);
            let b = places.map(|(first, _)| &points[first + half]);
            let b = self.products(b, twiddles, places.map(|(_, twiddle)| twiddle));
            let pairs = self.butterflies(a, b.each_ref());
            results.copy_from_slice(&pairs[..results.len()]);
        });
        for (number, [sum, difference]) in results.into_iter().enumerate() {
            let (first, _) = place(number);
            (state[first], state[first + half]) = (sum, difference);
        }
        Ok(())
    }

    /// Affine forms.
    fn normalized(&self, state: &[Point<C>]) -> Result<Vec<C>, Error> {
        let mut affine = memory::filled(state.len(), C::default())?;
        let into = self.form.into;
        let into_square = into.square();
        for_each_chunk(&mut affine, TOGETHER, |number, affine| {
            let points = &state[number * TOGETHER..][..affine.len()];
            let mut inverses: Vec<_> = points.iter().map(|point| point.z).collect();
            LazyElement::invert_all(&mut inverses);
            for ((affine, point), inverse) in affine.iter_mut().zip(points).zip(inverses) {
                if point.is_identity() {
                    continue;
                }
                // X c / (Z c)^2 is x / c, and Y c / (Z c)^3 is y / c^2.
                let square = inverse.square();
                let x = point.x.mul(square).mul(into);
                let y = point.y.mul(square.mul(inverse)).mul(into_square);
                *affine = C::from_affine([x.element(), y.element()]);
            }
        });
        Ok(affine)
    }
}
