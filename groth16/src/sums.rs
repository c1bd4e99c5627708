//! Short sums, over points that no engine keeps.

use halo2curves::CurveAffine;
use halo2curves::group::Group;
use halo2curves::msm::msm_serial;
use rayon::prelude::*;

/// The least number of points that are worth a thread.
const PIECE: usize = 1 << 6;

/// The sum of every scalar times its point, on the host's threads.
pub(crate) fn on_host<C: CurveAffine>(scalars: &[C::Scalar], points: &[C]) -> C::Curve {
    assert_eq!(scalars.len(), points.len(), "a scalar for each point");
    let piece = points.len().div_ceil(rayon::current_num_threads()).max(PIECE);
    let of_piece = |(scalars, points): (&[C::Scalar], &[C])| {
        let mut sum = C::Curve::identity();
        msm_serial(scalars, points, &mut sum);
        sum
    };
    scalars
        .par_chunks(piece)
        .zip(points.par_chunks(piece))
        .map(of_piece)
        .reduce(C::Curve::identity, |a, b| a + b)
}
