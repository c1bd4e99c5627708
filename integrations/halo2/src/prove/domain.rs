//! The points of a circuit's rows, and cosets of them for the quotient.
//!
//! # Mathematical description
//!
//! Rows are the powers of w, which has order n = 2^k. The quotient h of the constraints by X^n - 1 has degree below d n, with d one less than the degree of the
//! constraints. Its values are computed on d cosets, s_i w^j, i = 0, ..., d - 1, of which the shifts s_i are those of halo2's extended domain. With h = sum_m X^(mn) h_m, each h_m of degree
//! below n, and t_i = s_i^n, the polynomial of degree below n with the values of h on a coset is
//!
//! c_i = sum_m t_i^m h_m,
//!
//! so the pieces h_m are combinations of the c_i, by the inverse of a Vandermonde matrix. On coset i the divisor X^n - 1 is t_i - 1, a constant, which goes into the
//! same coefficients. halo2 computes all 2^e cosets of its extended domain, the next power of two from d on, and one transform of 2^e n points.

use ff::Field;
use halo2_axiom::halo2curves::bn256;
use halo2_axiom::poly::EvaluationDomain;
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{self, Order};
use zkaccel::program::ProgramRows;

use super::convert::ours;

/// The rows of a circuit, and the cosets of its quotient.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    /// All rows.
    pub(super) rows: ProgramRows,
    /// The points of the rows.
    pub(super) subgroup: ntt::Domain<Fr>,
    /// The cosets of the quotient.
    pub(super) cosets: Vec<ntt::Domain<Fr>>,
    /// Coefficients of the pieces of the quotient: a row for each coset, a column for each piece.
    pub(super) pieces: Matrix<Fr>,
}

impl Domain {
    pub(super) fn new(domain: &EvaluationDomain<bn256::Fr>) -> Result<Self, Error> {
        let n = 1 << domain.k;
        let subgroup = ntt::Domain::with_root(domain.k, ours(&domain.omega))?;
        let step = ours(&domain.extended_omega);
        let shifts = powers(step).map(|power| ours(&domain.g_coset) * power);
        let shifts: Vec<Fr> = shifts.take(domain.quotient_poly_degree as usize).collect();
        let cosets = shifts.iter().map(|&shift| subgroup.coset(shift)).collect::<Result<Vec<_>, _>>()?;
        let powers: Vec<Fr> = shifts.iter().map(|shift| shift.pow_vartime([n as u64])).collect();
        let mut pieces = Vec::with_capacity(powers.len() * powers.len());
        for (index, &power) in powers.iter().enumerate() {
            let (polynomial, denominator) = lagrange(&powers, index);
            let factor = invert(denominator * (power - Fr::ONE));
            pieces.extend(polynomial.into_iter().map(|coefficient| coefficient * factor));
        }
        Ok(Self {
            rows: ProgramRows { count: n, stride: 1, order: Order::Natural },
            subgroup,
            pieces: Matrix::from_rows(pieces, powers.len(), powers.len())?,
            cosets,
        })
    }

    /// The number of rows.
    pub(super) fn size(&self) -> usize {
        self.rows.count
    }

    /// `point` times w to the `rotation`.
    pub(super) fn rotate(&self, point: Fr, rotation: i32) -> Fr {
        let n = self.size() as i64;
        point * self.subgroup.root().pow_vartime([i64::from(rotation).rem_euclid(n) as u64])
    }

    /// The value at `x` of the polynomial that is 1 in one row and 0 in all others: (x^n - 1) w^i / (n (x - w^i)). `x` is no point of a row.
    pub(super) fn lagrange(&self, row: usize, x: Fr) -> Fr {
        let n = self.size() as u64;
        let point = self.subgroup.root().pow_vartime([row as u64]);
        (x.pow_vartime([n]) - Fr::ONE) * point * invert((x - point) * Fr::from(n))
    }
}

/// Without a constant factor, the polynomial that is zero at all points but one; and its value there.
fn lagrange(points: &[Fr], index: usize) -> (Vec<Fr>, Fr) {
    let (mut polynomial, mut value) = (vec![Fr::ONE], Fr::ONE);
    for (_, &other) in points.iter().enumerate().filter(|&(other, _)| other != index) {
        polynomial = times_difference(&polynomial, other);
        value *= points[index] - other;
    }
    (polynomial, value)
}

/// A polynomial, its lowest coefficient first, times X - `root`.
fn times_difference(polynomial: &[Fr], root: Fr) -> Vec<Fr> {
    let shifted = std::iter::once(Fr::ZERO).chain(polynomial.iter().copied());
    let scaled = polynomial.iter().map(|coefficient| coefficient * root).chain([Fr::ZERO]);
    shifted.zip(scaled).map(|(shifted, scaled)| shifted - scaled).collect()
}

/// The polynomial with these values at these different points, its lowest coefficient first.
pub(super) fn interpolate(points: &[Fr], values: &[Fr]) -> Vec<Fr> {
    let mut sum = vec![Fr::ZERO; points.len()];
    for (index, value) in values.iter().enumerate() {
        let (polynomial, at_point) = lagrange(points, index);
        let factor = value * invert(at_point);
        sum.iter_mut().zip(polynomial).for_each(|(sum, coefficient)| *sum += coefficient * factor);
    }
    sum
}

/// One, the base, its square, and so on.
pub(super) fn powers(base: Fr) -> impl Iterator<Item = Fr> {
    std::iter::successors(Some(Fr::ONE), move |power| Some(power * base))
}

/// The inverse of what is zero for no honest challenge but with a probability of about 2^-250; zero of zero, with which the tests of a proof fail.
pub(super) fn invert(element: Fr) -> Fr {
    Option::from(element.invert()).unwrap_or(Fr::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(polynomial: &[Fr], x: Fr) -> Fr {
        polynomial.iter().rev().fold(Fr::ZERO, |sum, coefficient| sum * x + coefficient)
    }

    #[test]
    fn interpolation_goes_through_its_points() {
        let points = [3, 5, 8, 900].map(Fr::from);
        let values = [7, 0, 1, 12].map(Fr::from);
        let polynomial = interpolate(&points, &values);
        assert_eq!(points.map(|x| value(&polynomial, x)), values);
    }

    /// The pieces of a quotient from its values times the divisor on the cosets.
    #[test]
    fn pieces_are_those_of_the_polynomial() {
        for degree in [3, 4, 5, 6] {
            let halo2 = EvaluationDomain::<bn256::Fr>::new(degree, 3);
            let domain = Domain::new(&halo2).unwrap();
            let (n, count) = (domain.size(), degree as usize - 1);
            let quotient: Vec<Fr> = (0..count * n).map(|i| Fr::from(i as u64).square() + Fr::ONE).collect();
            let parts: Vec<Vec<Fr>> = domain
                .cosets
                .iter()
                .map(|coset| {
                    let points: Vec<Fr> =
                        (0..n as u64).map(|i| coset.shift() * coset.root().pow_vartime([i])).collect();
                    let divided = |&x: &Fr| value(&quotient, x) * (x.pow_vartime([n as u64]) - Fr::ONE);
                    let values: Vec<Fr> = points.iter().map(divided).collect();
                    interpolate(&points, &values)
                })
                .collect();
            for piece in 0..count {
                for row in 0..n {
                    let sum: Fr =
                        (0..count).map(|coset| domain.pieces.get(coset, piece) * parts[coset][row]).sum();
                    assert_eq!(sum, quotient[piece * n + row], "degree {degree}, piece {piece}");
                }
            }
        }
    }

    #[test]
    fn lagrange_polynomials_are_those_of_halo2() {
        let halo2 = EvaluationDomain::<bn256::Fr>::new(4, 4);
        let domain = Domain::new(&halo2).unwrap();
        let x = bn256::Fr::from(12345);
        let expected = halo2.l_i_range(x, x.pow_vartime([16]), 0..16);
        for (row, expected) in expected.iter().enumerate() {
            assert_eq!(domain.lagrange(row, ours(&x)), ours(expected));
        }
        assert_eq!(domain.rotate(ours(&x), -1) * domain.subgroup.root(), ours(&x));
    }
}
