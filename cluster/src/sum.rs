//! Sums over curves: each rank adds up its own pairs, and the points are added.

use zkaccel::curve::{affine, limbs_of_points, points};
use zkaccel::msm::{AcceleratedCurve, BasesInput, ScalarsInput};

use crate::cluster::Cluster;
use crate::error::Error;
use crate::transport::Transport;

impl<T: Transport> Cluster<T> {
    /// The sum of all ranks' scalars times their bases, on every rank; a rank may bring none. Errors as [`Engine::msm`](zkaccel::Engine::msm).
    pub fn msm<'a, C: AcceleratedCurve>(
        &self,
        scalars: impl Into<ScalarsInput<'a, C::Scalar>>,
        bases: impl Into<BasesInput<'a, C>>,
    ) -> Result<C::Projective, Error> {
        let own = self.engine().msm::<C>(scalars, bases).map_err(Error::from);
        let sums = self.add_up::<C>(own.map(|sum| vec![sum]))?;
        Ok(sums[0])
    }

    /// The sums of points: the i-th is that of every rank's i-th point, on every rank. All ranks bring as many.
    pub fn add_up<C: AcceleratedCurve>(
        &self,
        own: Result<Vec<C::Projective>, Error>,
    ) -> Result<Vec<C::Projective>, Error> {
        let count = own.as_ref().map_or(0, Vec::len);
        let name = C::NAME.bytes().map(u64::from);
        let parameters: Vec<u64> = std::iter::once(count as u64).chain(name).collect();
        let own = affine::<C::Projective>(&self.agree("a sum", &parameters, own)?);
        let words = bytemuck::pod_collect_to_vec(limbs_of_points(&own));
        let mut sums = vec![C::Projective::default(); count];
        for words in self.transport().all_gather(words)? {
            let limbs = bytemuck::pod_collect_to_vec(&words);
            for (sum, &point) in sums.iter_mut().zip(points::<C>(&limbs)?) {
                *sum += point;
            }
        }
        Ok(sums)
    }
}
