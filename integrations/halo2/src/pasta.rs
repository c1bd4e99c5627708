//! The curves of zcash's `halo2_proofs`: Pallas and Vesta of the crate `pasta_curves`.
//!
//! That crate lays its types out as this one's feature asks it to (`repr-c`): a point is its coordinates x and y, or x, y and z in Jacobian form, one after another. So the functions
//! here know the types themselves, and nothing has to be said in the fork: its lines are those of other forks, without the type that names a curve.

use pasta_curves::{Ep, EpAffine, Eq, EqAffine, Fp, Fq};
use zkaccel::pasta::{PallasAffine, VestaAffine};

use crate::types::{CurveTypes, limbs_are, one};

/// Pallas, whose scalars are `Fq`.
#[derive(Clone, Copy, Debug)]
pub struct Pallas;

/// Vesta, whose scalars are `Fp`.
#[derive(Clone, Copy, Debug)]
pub struct Vesta;

const _: () = {
    assert!(size_of::<Fp>() == 32 && align_of::<Fp>() == 8 && size_of::<Fq>() == 32 && align_of::<Fq>() == 8);
    assert!(size_of::<EpAffine>() == 64 && size_of::<EqAffine>() == 64);
    assert!(size_of::<Ep>() == 96 && size_of::<Eq>() == 96);
    // SAFETY: 32 bytes each at the alignment of limbs, by the assertions above.
    unsafe {
        assert!(limbs_are(&<Fp as ff::Field>::ONE, one::<zkaccel::pasta::Fp>()));
        assert!(limbs_are(&<Fq as ff::Field>::ONE, one::<zkaccel::pasta::Fq>()));
    }
};

// SAFETY: the assertions above, and the layout that the feature `repr-c` promises.
unsafe impl CurveTypes for Pallas {
    type Own = PallasAffine;
    type Scalar = Fq;
    type Affine = EpAffine;
    type Projective = Ep;
}

// SAFETY: as above.
unsafe impl CurveTypes for Vesta {
    type Own = VestaAffine;
    type Scalar = Fp;
    type Affine = EqAffine;
    type Projective = Eq;
}

/// [`msm`](crate::msm()) over either curve.
pub fn msm<S: 'static, A: 'static, P: 'static>(scalars: &[S], bases: &[A]) -> Option<P> {
    crate::msm::<Vesta, S, A, P>(scalars, bases).or_else(|| crate::msm::<Pallas, S, A, P>(scalars, bases))
}

/// [`fft`](crate::fft()) over the scalars of either curve.
pub fn fft<S: 'static, G: 'static>(values: &mut [G], omega: &S) -> bool {
    crate::fft::<Vesta, S, G>(values, omega) || crate::fft::<Pallas, S, G>(values, omega)
}

/// [`coset_fft`](crate::coset_fft()) over the scalars of either curve, onto a domain of `size` points, of more coefficients that are zero. Where it is `false` the coefficients are as they were.
pub fn coset_fft<S: Copy + Default + 'static>(
    coefficients: &mut Vec<S>,
    size: usize,
    omega: &S,
    shift: &S,
) -> bool {
    let given = coefficients.len();
    coefficients.resize(size, S::default());
    let done = crate::coset_fft::<Vesta, S>(coefficients, omega, shift)
        || crate::coset_fft::<Pallas, S>(coefficients, omega, shift);
    if !done {
        coefficients.truncate(given);
    }
    done
}

/// [`inverse_fft`](crate::inverse_fft()) over the scalars of either curve.
pub fn inverse_fft<S: 'static>(values: &mut [S], omega_inv: &S, divisor: &S) -> bool {
    crate::inverse_fft::<Vesta, S>(values, omega_inv, divisor)
        || crate::inverse_fft::<Pallas, S>(values, omega_inv, divisor)
}
