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
        let name: Vec<u64> = C::NAME.bytes().map(u64::from).collect();
        let own = self.agree("a sum", &name, own)?;
        let own = affine::<C::Projective>(&[own]);
        let words = bytemuck::pod_collect_to_vec(limbs_of_points(&own));
        let all = self.transport().all_gather(words)?;
        let mut sum = C::Projective::default();
        for words in all {
            let limbs = bytemuck::pod_collect_to_vec(&words);
            sum += points::<C>(&limbs)?[0];
        }
        Ok(sum)
    }
}
