//! Montgomery form from and to plain integers, in place.

use super::{Fq, Fr};
use crate::error::Error;
use crate::field::MontgomeryField;
use crate::field::integer::is_below;
use crate::field::montgomery::{Limbs, Residue};
use crate::field::prime::not_reduced;

/// Converts integers below r, four limbs each, lowest first, to Montgomery form: x becomes x 2^256 modulo r.
///
/// [`Error::NotReduced`] with the index of the first that is r or above; then all are unchanged.
pub fn scalars_to_montgomery(integers: &mut [Limbs]) -> Result<(), Error> {
    convert::<Fr>("scalar", integers, to_montgomery::<Fr>)
}

/// The inverse of [`scalars_to_montgomery`], with the same errors.
pub fn scalars_from_montgomery(limbs: &mut [Limbs]) -> Result<(), Error> {
    convert::<Fr>("scalar", limbs, from_montgomery::<Fr>)
}

/// Converts integers below q to Montgomery form: x becomes x 2^256 modulo q. Errors as [`scalars_to_montgomery`].
pub fn coordinates_to_montgomery(integers: &mut [Limbs]) -> Result<(), Error> {
    convert::<Fq>("coordinate", integers, to_montgomery::<Fq>)
}

/// The inverse of [`coordinates_to_montgomery`], with the same errors.
pub fn coordinates_from_montgomery(limbs: &mut [Limbs]) -> Result<(), Error> {
    convert::<Fq>("coordinate", limbs, from_montgomery::<Fq>)
}

fn to_montgomery<M: MontgomeryField>(integer: Limbs) -> Limbs {
    Residue::<M>::from_integer(integer).canonical()
}

fn from_montgomery<M: MontgomeryField>(limbs: Limbs) -> Limbs {
    Residue::<M>::from_montgomery(limbs).to_integer()
}

fn convert<M: MontgomeryField>(
    what: &'static str,
    values: &mut [Limbs],
    conversion: fn(Limbs) -> Limbs,
) -> Result<(), Error> {
    match values.iter().position(|&value| !is_below(value, M::P)) {
        Some(index) => Err(not_reduced::<M>(what, index, values[index])),
        None => {
            values.iter_mut().for_each(|value| *value = conversion(*value));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use halo2curves::ff::{Field, PrimeField};

    use super::*;
    use crate::bn254::{Fq, Fr, limbs};
    use crate::field::coordinates::LazyElement;
    use crate::field::montgomery::Modulus;

    /// As halo2curves has it, for the ends of the range and numbers in between.
    #[test]
    fn as_halo2curves_has_it() {
        let scalars: Vec<Fr> = [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::ROOT_OF_UNITY, Fr::MULTIPLICATIVE_GENERATOR]
            .into_iter()
            .chain((0..20).map(|i| Fr::from(i).invert().unwrap_or(Fr::from(3))))
            .collect();
        let integers: Vec<Limbs> =
            scalars.iter().map(|scalar| bytemuck::pod_read_unaligned(scalar.to_repr().as_ref())).collect();
        let mut found = integers.clone();
        scalars_to_montgomery(&mut found).unwrap();
        assert_eq!(found, limbs(&scalars));
        scalars_from_montgomery(&mut found).unwrap();
        assert_eq!(found, integers);

        let coordinates = [Fq::ZERO, Fq::ONE, -Fq::ONE, Fq::from(12345).square().invert().unwrap()];
        let integers: Vec<Limbs> =
            coordinates.iter().map(|x| bytemuck::pod_read_unaligned(x.to_repr().as_ref())).collect();
        let mut found = integers.clone();
        coordinates_to_montgomery(&mut found).unwrap();
        let expected = coordinates.map(|x| Residue::of(x).canonical());
        assert_eq!(found, expected);
        coordinates_from_montgomery(&mut found).unwrap();
        assert_eq!(found, integers);
    }

    #[test]
    fn what_is_not_below_the_prime_is_refused() {
        type Conversion = fn(&mut [Limbs]) -> Result<(), Error>;
        let of_scalars: [Conversion; 2] = [scalars_to_montgomery, scalars_from_montgomery];
        let of_coordinates: [Conversion; 2] = [coordinates_to_montgomery, coordinates_from_montgomery];
        for (what, modulus, conversions) in
            [("scalar", <Fr as Modulus>::P, of_scalars), ("coordinate", <Fq as Modulus>::P, of_coordinates)]
        {
            for conversion in conversions {
                let before = [[1, 2, 3, 4], [5, 0, 0, 0], modulus, [u64::MAX; 4]];
                let mut values = before;
                let found = conversion(&mut values);
                assert!(
                    matches!(found, Err(Error::NotReduced { what: reported, index: 2, .. }) if reported == what)
                );
                assert_eq!(values, before);
                assert_eq!(conversion(&mut []), Ok(()));
            }
        }
    }
}
