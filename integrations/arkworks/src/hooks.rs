//! Hooks of the curve: whatever calls `msm` on its points gets the engine's.

use ark_bn254_ext::CurveHooks;
use ark_models_ext::CurveConfig;
use ark_models_ext::transmute::{TransmuteInto, TransmuteRef};
use zkaccel::{Engine, bn254::arkworks};

/// Multi-scalar multiplication over G1 by the engine of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hooks;

/// BN254 with these hooks.
pub type Bn254 = ark_bn254_ext::Bn254<Hooks>;

impl CurveHooks for Hooks {
    fn msm_g1(
        bases: &[ark_bn254_ext::G1Affine<Self>],
        scalars: &[<ark_bn254_ext::g1::Config<Self> as CurveConfig>::ScalarField],
    ) -> ark_bn254_ext::G1Projective<Self> {
        let bases: &[ark_bn254::G1Affine] = bases.transmute_ref();
        let sum = Engine::global()
            .and_then(|engine| engine.msm(arkworks::scalars(scalars), arkworks::points(bases)))
            .unwrap_or_else(|error| panic!("zkaccel: {error}"));
        arkworks::projective(&sum).transmute_into()
    }
}
