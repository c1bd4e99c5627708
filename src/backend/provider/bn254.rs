//! BN254 by a provider: the interface's memory is that of the types here.

use std::ptr::null_mut;
use std::sync::Arc;

use halo2curves::ff::Field;

use super::library::{Handle, Provider};
use super::{External, flags};
use crate::backend::{BasesView, Fft, Kept, Msm, ScalarsView};
use crate::bn254::{Fq, Fr, G1, G1Affine, limbs, limbs_of_points, points, scalars};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};

const SUM: &str = "multi-scalar multiplication";
const TRANSFORM: &str = "a transform over BN254";

/// Bases that the provider keeps.
struct KeptBases {
    provider: Arc<Provider>,
    handle: Handle,
}

// SAFETY: the interface says that bases may be used by any threads at once.
unsafe impl Send for KeptBases {}
// SAFETY: as above.
unsafe impl Sync for KeptBases {}

impl Drop for KeptBases {
    fn drop(&mut self) {
        if let Some(bases) = &self.provider.bases {
            // SAFETY: a handle that the provider has made, used no more.
            unsafe { (bases.free)(self.handle) };
        }
    }
}

impl External {
    /// A sum that the provider has written; coordinates are below the modulus and the point is on the curve.
    fn sum(&self, [x, y, z]: [[u64; 4]; 3]) -> Result<G1, Error> {
        let join = |a: [u64; 4], b: [u64; 4]| -> [u64; 8] {
            std::array::from_fn(|i| if i < 4 { a[i] } else { b[i - 4] })
        };
        let pairs = [join(x, y), join(z, z)];
        let wrong = |_| self.not_canonical("coordinates below the modulus");
        let pairs = points(&pairs).map_err(wrong)?;
        let (x, y, z) = (pairs[0].x, pairs[0].y, pairs[1].x);
        // Y^2 Z = X^3 + 3 Z^3, and not all zero.
        let on_curve =
            y * y * z == x * x * x + Fq::from(3) * z * z * z && !(y.is_zero_vartime() && z.is_zero_vartime());
        match on_curve {
            true => Ok(G1 { x, y, z }),
            false => Err(self.not_canonical("that a sum is on the curve")),
        }
    }
}

impl Msm for External {
    fn keep_bases(&self, points: &[G1Affine], _: u64) -> Result<Option<Kept>, Error> {
        let Some(bases) = &self.provider.bases else {
            // Then they are given with each sum.
            return if self.provider.msm.is_some() { Ok(None) } else { Err(self.provider.unsupported(SUM)) };
        };
        let mut handle = null_mut();
        let start = limbs_of_points(points).as_ptr().cast();
        // SAFETY: this many points, and a pointer to a variable, by the interface.
        let status = unsafe { (bases.new)(self.provider.engine, &mut handle, start, points.len(), 0) };
        self.provider.check(status, "keeping bases")?;
        self.provider.check_handle(handle, "keeping bases")?;
        Ok(Some(Box::new(KeptBases { provider: Arc::clone(&self.provider), handle })))
    }

    fn keep_scalars(&self, _: &[Fr]) -> Result<Option<Kept>, Error> {
        Ok(None)
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        let (engine, len) = (self.provider.engine, bases.points.len());
        let kept = bases.kept.and_then(|kept| kept.downcast_ref::<KeptBases>());
        let points = limbs_of_points(bases.points).as_ptr().cast();
        let mut answers = Vec::new();
        for row in 0..sums.len() {
            let mut answer = [[0u64; 4]; 3];
            let out = answer.as_mut_ptr().cast();
            let row = limbs(&scalars.scalars[row * len..][..len]).as_ptr().cast();
            let status = match (kept, &self.provider.bases, &self.provider.msm) {
                // SAFETY: as many scalars as bases, room for one sum, bases that this provider has made.
                (Some(kept), Some(functions), _) => unsafe {
                    (functions.msm)(engine, out, row, kept.handle, bases.first, len)
                },
                // SAFETY: as many scalars as points, and room for one sum.
                (_, _, Some(functions)) => unsafe { (functions.msm)(engine, out, row, points, len) },
                _ => return Err(self.provider.unsupported(SUM)),
            };
            self.provider.check(status, SUM)?;
            answers.push(self.sum(answer)?);
        }
        sums.copy_from_slice(&answers);
        Ok(())
    }
}

impl Fft for External {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        let functions = self.provider.fft.as_ref().ok_or_else(|| self.provider.unsupported(TRANSFORM))?;
        let mut answer = limbs(values).to_vec();
        let (domain, flags) = (fft.domain, flags(fft));
        let (batch, parameters) = (values.len() / domain.size(), [domain.root(), domain.shift()]);
        let [root, shift] = limbs(&parameters) else { unreachable!("two of two") };
        // SAFETY: this many polynomials of this many scalars, and two scalars, by the interface.
        let status = unsafe {
            let (data, log_n) = (answer.as_mut_ptr().cast(), domain.log_size());
            (functions.fft)(self.provider.engine, data, log_n, batch, root.as_ptr(), shift.as_ptr(), flags)
        };
        self.provider.check(status, TRANSFORM)?;
        let answer = scalars(&answer).map_err(|_| self.not_canonical("scalars below the modulus"))?;
        values.copy_from_slice(answer);
        Ok(())
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        values.fill(Fr::ZERO);
        for (coefficients, padded) in
            coefficients.chunks_exact(size).zip(values.chunks_exact_mut(domain.size()))
        {
            padded[..size].copy_from_slice(coefficients);
        }
        self.fft(&Ntt::forward(*domain), values)
    }
}
