//! Transforms of points in the oracle, in halo2curves' own arithmetic.

use halo2curves::ff::Field;

use super::points::{PointTransforms, Steps};
use super::reference::Reference;
use crate::curve::{Curve, affine};
use crate::error::Error;
use crate::field::TwoAdic;
use crate::ntt::Ntt;

impl<C: Curve<Scalar: TwoAdic>> PointTransforms<C> for Reference {
    fn transform_points(&self, ntt: &Ntt<C::Scalar>, points: &mut [C]) -> Result<(), Error> {
        let n = ntt.domain.size();
        let Steps { root, before, after } = Steps::of(ntt);
        for run in points.chunks_exact_mut(n) {
            let mut values: Vec<C::Projective> =
                (0..n).map(|i| run[ntt.input_order.index_of(i, n)].into()).collect();
            scale::<C>(&mut values, before.as_deref());
            let mut values = transform::<C>(&values, root);
            scale::<C>(&mut values, after.as_deref());
            for (i, value) in affine(&values).into_iter().enumerate() {
                run[ntt.output_order.index_of(i, n)] = value;
            }
        }
        Ok(())
    }
}

fn scale<C: Curve>(points: &mut [C::Projective], factors: Option<&[C::Scalar]>) {
    for (point, factor) in points.iter_mut().zip(factors.into_iter().flatten()) {
        *point *= *factor;
    }
}

/// A_i = sum w^(i j) P_j: even and odd halves, recursively (Cooley and Tukey, 1965).
fn transform<C: Curve>(points: &[C::Projective], root: C::Scalar) -> Vec<C::Projective> {
    if points.len() == 1 {
        return points.to_vec();
    }
    let half = |first: usize| {
        let points: Vec<_> = points.iter().copied().skip(first).step_by(2).collect();
        transform::<C>(&points, root.square())
    };
    let (even, odd) = (half(0), half(1));
    let powers = std::iter::successors(Some(C::Scalar::ONE), |&power| Some(power * root));
    let odd: Vec<_> = odd.into_iter().zip(powers).map(|(point, power)| point * power).collect();
    let low = even.iter().zip(&odd).map(|(&even, &odd)| even + odd);
    low.chain(even.iter().zip(&odd).map(|(&even, &odd)| even - odd)).collect()
}
