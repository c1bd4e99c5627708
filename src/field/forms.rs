//! Montgomery form from and to plain integers, in place.

use super::MontgomeryField;
use super::integer::is_below;
use super::montgomery::{Limbs, Residue};
use super::prime::not_reduced;
use crate::error::Error;

/// Converts integers below the prime, four limbs each, lowest first, to Montgomery form: x becomes x 2^256 modulo p.
///
/// [`Error::NotReduced`] with the index of the first that is p or above; then all are unchanged.
pub fn to_montgomery<F: MontgomeryField>(integers: &mut [Limbs]) -> Result<(), Error> {
    convert::<F>(integers, |integer| Residue::<F>::from_integer(integer).canonical())
}

/// The inverse of [`to_montgomery`], with the same errors.
pub fn from_montgomery<F: MontgomeryField>(elements: &mut [Limbs]) -> Result<(), Error> {
    convert::<F>(elements, |element| Residue::<F>::from_montgomery(element).to_integer())
}

fn convert<F: MontgomeryField>(values: &mut [Limbs], conversion: fn(Limbs) -> Limbs) -> Result<(), Error> {
    match values.iter().position(|&value| !is_below(value, F::P)) {
        Some(index) => Err(not_reduced::<F>("element", index, values[index])),
        None => {
            values.iter_mut().for_each(|value| *value = conversion(*value));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::limbs;

    /// As the crate of the field has it, for the ends of the range and numbers in between.
    fn as_its_crate_has_it<F: MontgomeryField>() {
        let elements: Vec<F> = [F::ZERO, F::ONE, -F::ONE, F::ROOT_OF_UNITY, F::MULTIPLICATIVE_GENERATOR]
            .into_iter()
            .chain((0..20).map(|i| F::from(i).invert().unwrap_or(F::from(3))))
            .collect();
        let integers: Vec<Limbs> =
            elements.iter().map(|element| bytemuck::pod_read_unaligned(element.to_repr().as_ref())).collect();
        let mut found = integers.clone();
        to_montgomery::<F>(&mut found).unwrap();
        assert_eq!(found, limbs(&elements));
        from_montgomery::<F>(&mut found).unwrap();
        assert_eq!(found, integers);
    }

    fn what_is_not_below_the_prime_is_refused<F: MontgomeryField>() {
        for conversion in [to_montgomery::<F>, from_montgomery::<F>] {
            let before = [[1, 2, 3, 4], [5, 0, 0, 0], F::P, [u64::MAX; 4]];
            let mut values = before;
            let found = conversion(&mut values);
            assert!(matches!(found, Err(Error::NotReduced { what: "element", index: 2, .. })), "{found:?}");
            assert_eq!(values, before);
            assert_eq!(conversion(&mut []), Ok(()));
        }
    }

    macro_rules! fields {
        ($($field:path, $name:literal;)*) => {
            #[test]
            fn every_field() {
                $(
                    as_its_crate_has_it::<$field>();
                    what_is_not_below_the_prime_is_refused::<$field>();
                )*
            }
        };
    }
    crate::for_every_prime_field!(fields);
}
