//! Transforms of points on a device: each result is a sum over all points of a run ([`msm`](super::msm)), with the powers of the root as scalars.
//!
//! These are n^2 products where layers of butterflies would take n/2 log2 n, but sums of many rows over the same points take few additions a product, and all of them at once: the device is at work on n rows
//! where a layer has n/2 butterflies. That is for short transforms, such as those of 128 points that proofs of cells take.

use halo2curves::ff::Field;
use halo2curves::group::Group;

use super::Gpu;
use super::msm::DeviceCurve;
use crate::backend::points::{PointTransforms, Steps};
use crate::backend::{BasesView, ScalarsView};
use crate::curve::affine;
use crate::error::Error;
use crate::field::TwoAdic;
use crate::memory;
use crate::ntt::Ntt;
use crate::parallel::for_each_chunk;

/// The scalars of so many pairs at a time: 32 MiB.
const PAIRS: usize = 1 << 20;

impl<C: DeviceCurve<Scalar: TwoAdic>> PointTransforms<C> for Gpu {
    fn transform_points(&self, ntt: &Ntt<C::Scalar>, points: &mut [C]) -> Result<(), Error> {
        let n = ntt.domain.size();
        let steps = Steps::of(ntt);
        let mut results = memory::filled(points.len(), C::Projective::identity())?;
        for (points, results) in points.chunks_exact(n).zip(results.chunks_exact_mut(n)) {
            let bases = BasesView { points, kept: None, first: 0 };
            let at_once = (PAIRS / n).max(1);
            for (number, sums) in results.chunks_mut(at_once).enumerate() {
                let mut scalars = memory::filled(sums.len() * n, <C::Scalar as Field>::ZERO)?;
                for_each_chunk(&mut scalars, n, |row, scalars| {
                    write_row(ntt, &steps, number * at_once + row, scalars);
                });
                self.sums(ScalarsView { scalars: &scalars, kept: None }, bases, sums)?;
            }
        }
        points.copy_from_slice(&affine(&results));
        Ok(())
    }
}

/// The factors of the inputs in an output, both as they stand.
fn write_row<F: TwoAdic + Field>(ntt: &Ntt<F>, steps: &Steps<F>, row: usize, scalars: &mut [F]) {
    let n = ntt.domain.size();
    let i = ntt.output_order.index_of(row, n);
    let ratio = steps.root.pow_vartime([i as u64]);
    let mut power = steps.after.as_ref().map_or(TwoAdic::ONE, |after| after[i]);
    for j in 0..n {
        scalars[ntt.input_order.index_of(j, n)] =
            steps.before.as_ref().map_or(power, |before| power * before[j]);
        power *= ratio;
    }
}
