//! One polynomial at one point, from its coefficients or from its values.
//!
//! Two different polynomials of degree below n agree at a random point of a field of p elements with probability below n/p
//! (Schwartz 1980, Zippel 1979), and the probability that a random combination of columns hides a wrong one is as small. The
//! barycentric formula evaluates a polynomial from its values A_i at the points s w^i: with y = z/s, f(z) = (y^n - 1)/n times the
//! sum of A_i w^i / (y - w^i).

use super::powers;
use crate::field::TwoAdic;
use crate::ntt::{Domain, Order};

/// The sum of the columns of a block times the powers of a weight, in natural order.
pub(super) fn combine<F: TwoAdic>(block: &[F], width: usize, weight: F, order: Order) -> Vec<F> {
    let rows = block.len() / width;
    let combined = |i: usize| {
        let row = order.index_of(i, rows);
        block[row * width..][..width].iter().rev().fold(F::ZERO, |sum, &entry| sum * weight + entry)
    };
    (0..rows).map(combined).collect()
}

/// The value at `point` of the polynomial with these coefficients.
pub(super) fn value_of_coefficients<F: TwoAdic>(coefficients: &[F], point: F) -> F {
    coefficients.iter().rev().fold(F::ZERO, |sum, &coefficient| sum * point + coefficient)
}

/// The value at `point` of the polynomial with these values on a domain; `None` if the point is in the domain.
pub(super) fn value_of_values<F: TwoAdic>(domain: &Domain<F>, values: &[F], point: F) -> Option<F> {
    let n = F::of_integer(domain.size() as u64);
    let y = point * domain.shift().inverted()?;
    let powers = powers(domain.root(), domain.size());
    // All inverses from one, of the product of all (Montgomery 1987).
    let differences: Vec<F> = powers.iter().map(|&power| y - power).collect();
    let mut before = Vec::with_capacity(differences.len());
    let mut product = F::ONE;
    for &difference in &differences {
        before.push(product);
        product = product * difference;
    }
    let mut inverse_of_product = product.inverted()?;
    let mut sum = F::ZERO;
    for i in (0..values.len()).rev() {
        sum = sum + values[i] * powers[i] * (inverse_of_product * before[i]);
        inverse_of_product = inverse_of_product * differences[i];
    }
    let vanishing = (0..domain.log_size()).fold(y, |power, _| power * power) - F::ONE;
    Some(vanishing * n.inverted()? * sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Field, Goldilocks};
    use crate::ntt::Convention;

    #[test]
    fn sums_of_columns_and_values_at_a_point() {
        let elements = |integers: &[u64]| integers.iter().map(|&x| Goldilocks::new(x)).collect::<Vec<_>>();
        let ten = Goldilocks::new(10);
        // Rows 1 2, 3 4, 5 6, 7 8, each its first entry plus ten times its second.
        let block = elements(&[1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(combine(&block, 2, ten, Order::Natural), elements(&[21, 43, 65, 87]));
        assert_eq!(combine(&block, 2, ten, Order::BitReversed), elements(&[21, 65, 43, 87]));
        let coefficients = elements(&[1, 2, 3, 4]);
        assert_eq!(value_of_coefficients(&coefficients, ten), Goldilocks::new(4321));
        let domain = Domain::new(2, Convention::Plonky3).unwrap().coset(Goldilocks::new(7)).unwrap();
        let point = |i| domain.shift() * domain.root().pow(i);
        let values: Vec<_> = (0..4).map(|i| value_of_coefficients(&coefficients, point(i))).collect();
        assert_eq!(value_of_values(&domain, &values, ten), Some(Goldilocks::new(4321)));
        assert_eq!(value_of_values(&domain, &values, point(2)), None);
    }
}
