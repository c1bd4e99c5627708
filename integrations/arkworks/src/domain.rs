//! Transforms over the scalars, with the names of arkworks' `EvaluationDomain`.

use ark_bn254::Fr;
use ark_ff::AdditiveGroup;
use zkaccel::bn254::arkworks::{scalars, scalars_mut};
use zkaccel::ntt::Ntt;
use zkaccel::{Engine, Error, ntt};

/// A subgroup of 2^k scalars with arkworks' root, or a coset of it, and the engine that transforms.
#[derive(Clone)]
pub struct Domain {
    engine: Engine,
    points: ntt::Domain<zkaccel::bn254::Fr>,
}

impl Domain {
    /// The smallest subgroup for so many coefficients; [`Error::DomainTooLarge`] above 2^28.
    pub fn new(engine: &Engine, coefficients: usize) -> Result<Self, Error> {
        let log_size = coefficients.max(1).checked_next_power_of_two().map_or(u32::MAX, usize::ilog2);
        Ok(Self { engine: engine.clone(), points: ntt::Domain::arkworks(log_size)? })
    }

    /// The coset of the subgroup by `offset`; [`Error::BadShift`] for zero.
    pub fn get_coset(&self, offset: Fr) -> Result<Self, Error> {
        Ok(Self { points: self.points.coset(scalars(&[offset])[0])?, ..self.clone() })
    }

    /// The number of points.
    pub fn size(&self) -> usize {
        self.points.size()
    }

    /// Coefficients, at most as many as there are points, to values; shorter vectors are filled up with zeros.
    pub fn fft_in_place(&self, coefficients: &mut Vec<Fr>) -> Result<(), Error> {
        self.transform(Ntt::forward(self.points), coefficients)
    }

    /// Values to coefficients.
    pub fn ifft_in_place(&self, values: &mut Vec<Fr>) -> Result<(), Error> {
        self.transform(Ntt::inverse(self.points), values)
    }

    fn transform(&self, ntt: Ntt<zkaccel::bn254::Fr>, vector: &mut Vec<Fr>) -> Result<(), Error> {
        let (expected, found) = (self.size(), vector.len());
        if found > expected {
            let what = "scalars, at most the number of points";
            return Err(Error::LengthMismatch { what, expected, found });
        }
        vector.resize(expected, Fr::ZERO);
        self.engine.ntt(&ntt, scalars_mut(vector))
    }
}
