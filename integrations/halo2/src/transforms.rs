//! Transforms over the scalars in place of halo2's.
//!
//! With w the root of order n = 2^k, halo2's prover asks for values of coefficients on the powers of w (`best_fft`), for
//! coefficients of such values (`ifft`, which multiplies by 1/n behind a transform with the inverse of w), and for values on a coset
//! (`coeff_to_extended_part`, which multiplies coefficient i by s^i before the transform). The engine takes factors and shifts along in its
//! transforms, so each of the three is one call.

use ff::Field;
use zkaccel::field::TwoAdicPrime;
use zkaccel::ntt::{AcceleratedField, Domain, Ntt};

use crate::types::{self, CurveTypes, Own};
use crate::{done, engine};

/// Shorter vectors are left to the stock code: it takes less time for them than asking an engine does.
const SMALLEST: usize = 1 << 6;

/// Coefficients to values on the powers of `omega`, in place and natural order, by the engine of the process.
///
/// `false`, and nothing done, for other types than the fork's scalars, lengths that are no power of two or small, and an `omega` whose order is
/// not the length. An error of the engine is a panic with its words.
pub fn fft<C: CurveTypes, S: 'static, G: 'static>(values: &mut [G], omega: &S) -> bool {
    let (Some(values), Some(omega)) = (types::scalars_mut::<C, G>(values), types::scalar::<C, S>(omega))
    else {
        return false;
    };
    let subgroup = subgroup(values.len(), omega);
    transform(values, subgroup.map(Ntt::forward))
}

/// Coefficients to values on the coset by `shift`. Otherwise as [`fft`]; `false` for a shift of zero, too.
pub fn coset_fft<C: CurveTypes, S: 'static>(coefficients: &mut [S], omega: &S, shift: &S) -> bool {
    let (Some(omega), Some(shift)) = (types::scalar::<C, S>(omega), types::scalar::<C, S>(shift)) else {
        return false;
    };
    let Some(values) = types::scalars_mut::<C, S>(coefficients) else { return false };
    let coset = subgroup(values.len(), omega).and_then(|subgroup| subgroup.coset(shift).ok());
    transform(values, coset.map(Ntt::forward))
}

/// Values on the powers of a root to coefficients, given the inverse of the root and that of the length. Otherwise as [`fft`]; `false` for
/// another divisor, too.
pub fn inverse_fft<C: CurveTypes, S: 'static>(values: &mut [S], omega_inv: &S, divisor: &S) -> bool {
    let (Some(omega_inv), Some(divisor)) = (types::scalar::<C, S>(omega_inv), types::scalar::<C, S>(divisor))
    else {
        return false;
    };
    let Some(values) = types::scalars_mut::<C, S>(values) else { return false };
    if divisor * Own::<C>::from(values.len() as u64) != Own::<C>::ONE {
        return false;
    }
    let root = Option::<Own<C>>::from(omega_inv.invert());
    let domain = root.and_then(|root| subgroup(values.len(), root));
    transform(values, domain.map(Ntt::inverse))
}

/// The powers of a root, if they are so many and not few.
pub(crate) fn subgroup<F: TwoAdicPrime>(size: usize, root: F) -> Option<Domain<F>> {
    let suits = size >= SMALLEST && size.is_power_of_two();
    suits.then(|| Domain::with_root(size.ilog2(), root).ok()).flatten()
}

fn transform<F: AcceleratedField>(values: &mut [F], ntt: Option<Ntt<F>>) -> bool {
    let Some(ntt) = ntt else { return false };
    done(engine().ntt(&ntt, values));
    true
}
