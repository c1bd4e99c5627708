//! Multiples of one point, such as those of a generator of which a trusted setup is made.
//!
//! A scalar k = sum of k_i 2^(w i) has digits k_i of w bits. Where the multiples j 2^(w i) P of a point P by every digit j at every place i are known,
//! k P is their sum, one addition for each place instead of a doubling for each bit (Brickell, Gordon, McCurley and Wilson, "Fast exponentiation with
//! precomputation", EUROCRYPT 1992).

use halo2curves::group::Group;

use super::{Curve, affine, integers_of_scalars};
use crate::Error;
use crate::field::Modulus;

/// A point with its multiples by every digit at every place of a scalar.
pub struct FixedBase<C> {
    bits: usize,
    /// For each place the multiples by 0 to 2^bits - 1.
    places: Vec<Vec<C>>,
}

impl<C: Curve> FixedBase<C> {
    /// Prepares a point for so many multiples: digits have 8 bits where these are many, and 4 where they are few. Over BN254's G1 that takes 512 KiB or 64 KiB.
    pub fn new(base: C, count: usize) -> Self {
        let bits = if count < 1 << 9 { 4 } else { 8 };
        let double = |point: C::Projective| (0..bits).fold(point, |point, _| point.double());
        let bases = std::iter::successors(Some(C::Projective::from(base)), |&point| Some(double(point)));
        let multiples = |base: C::Projective| {
            let multiples =
                std::iter::successors(Some(C::Projective::identity()), |&point| Some(point + base));
            affine(&multiples.take(1 << bits).collect::<Vec<_>>())
        };
        let places = size_of::<C::Scalar>() * 8 / bits;
        Self { bits, places: bases.take(places).map(multiples).collect() }
    }

    /// The multiples of the point by scalars, by the integers from 0 to r - 1 that these are.
    ///
    /// [`Error::HostOutOfMemory`] where there is no room for the integers.
    pub fn multiples(&self, scalars: &[C::Scalar]) -> Result<Vec<C>, Error> {
        let multiple = |integer: &<C::Scalar as Modulus>::Limbs| {
            let digits = integer.as_ref().iter().flat_map(|limb| {
                (0..64).step_by(self.bits).map(move |shift| limb >> shift & ((1 << self.bits) - 1))
            });
            let terms = self.places.iter().zip(digits).map(|(multiples, digit)| multiples[digit as usize]);
            terms.fold(C::Projective::identity(), |sum, term| sum + term)
        };
        let multiples: Vec<_> = integers_of_scalars(scalars)?.iter().map(multiple).collect();
        Ok(affine(&multiples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::samples::edges;

    fn products<C: Curve>() {
        let generator = C::Projective::generator();
        let base = affine(&[generator.double()])[0];
        let scalars = edges::<C::Scalar>();
        let products: Vec<_> = scalars.iter().map(|scalar| generator.double() * scalar).collect();
        for count in [1, 1 << 9] {
            let base = FixedBase::new(base, count);
            assert_eq!(base.multiples(&scalars).unwrap(), affine(&products), "{}, {count}", C::NAME);
            assert!(base.multiples(&[]).unwrap().is_empty());
        }
    }

    macro_rules! curves {
        ($($curve:path, $name:literal;)*) => {
            #[test]
            fn multiples_are_products() {
                $(products::<$curve>();)*
            }
        };
    }
    crate::for_every_curve!(curves);
}
