//! Quotients by differences from points out of domain.
//!
//! # Mathematical description
//!
//! For a point z of an extension of degree D let f be the polynomial over the base field whose roots are the conjugates of z, and f = (X - z) h. Then
//! 1 / (x - z) = h(x) / f(x) for a point x of the base field, where only elements of the base field are inverted.

use zkaccel::Error;
use zkaccel::field::{Field, Goldilocks};
use zkaccel::program::Node;

use super::{Builder, Extension, Program};

/// Points of an extension. In programs on their quotients the first column of the first input is the points x, and the second input is the inverses of all f, a column for each.
#[derive(Clone, Debug)]
pub struct Points {
    extension: Extension,
    /// For each point the coefficients of f and h below their highest, which is one, from the constant one on.
    polynomials: Vec<(Vec<Goldilocks>, Vec<Vec<Goldilocks>>)>,
}

impl Points {
    /// Points by their coordinates.
    pub fn new(extension: Extension, points: impl IntoIterator<Item = Vec<Goldilocks>>) -> Self {
        let polynomials = points.into_iter().map(|point| polynomials(&extension, &point)).collect();
        Self { extension, polynomials }
    }

    /// The extension.
    pub fn extension(&self) -> &Extension {
        &self.extension
    }

    /// The program of all f, which are to be inverted, and its values.
    pub fn denominators(&self) -> Result<(Program, Vec<Goldilocks>), Error> {
        let (mut builder, mut values) = (Builder::new(), Vec::new());
        let x = builder.column(0, 0, 0);
        for (polynomial, _) in &self.polynomials {
            let one = builder.constant(Goldilocks::ONE);
            let sum = polynomial.iter().rev().fold(one, |sum, &coefficient| {
                let product = builder.mul(sum, x);
                let value = builder.value(values.len());
                values.push(coefficient);
                builder.add(product, value)
            });
            builder.output(sum);
        }
        Ok((builder.finish()?, values))
    }

    /// The nodes of 1 / (x - z) for a point by its index, which take further values of the run.
    pub fn inverse(&self, builder: &mut Builder, values: &mut Vec<Goldilocks>, index: usize) -> Vec<Node> {
        let extension = &self.extension;
        let x = builder.column(0, 0, 0);
        let one = extension.of_base(Goldilocks::ONE).into_iter();
        let mut quotient: Vec<Node> = one.map(|coordinate| builder.constant(coordinate)).collect();
        for coefficient in self.polynomials[index].1.iter().rev() {
            let coefficient = self.value(builder, values, coefficient);
            let product = extension.scale(builder, &quotient, x);
            quotient = extension.add(builder, &product, &coefficient);
        }
        let inverse = builder.column(1, index, 0);
        extension.scale(builder, &quotient, inverse)
    }

    /// The nodes of an element that is the same in all rows, a further value of the run.
    pub fn value(
        &self,
        builder: &mut Builder,
        values: &mut Vec<Goldilocks>,
        value: &[Goldilocks],
    ) -> Vec<Node> {
        let nodes = self.extension.value(builder, values.len());
        values.extend(value);
        nodes
    }
}

/// The coefficients of f and h, as above.
fn polynomials(extension: &Extension, point: &[Goldilocks]) -> (Vec<Goldilocks>, Vec<Vec<Goldilocks>>) {
    let degree = extension.degree();
    let zero = extension.of_base(Goldilocks::ZERO);
    let difference = |x: &[Goldilocks], y: &[Goldilocks]| -> Vec<Goldilocks> {
        x.iter().zip(y).map(|(&x, &y)| x - y).collect()
    };
    let mut polynomial = vec![extension.of_base(Goldilocks::ONE)];
    let mut conjugate = point.to_vec();
    for _ in 0..degree {
        // Times X - conjugate.
        let scaled: Vec<_> =
            polynomial.iter().map(|coefficient| extension.product(coefficient, &conjugate)).collect();
        let shifted = std::iter::once(&zero).chain(&polynomial);
        let scaled = scaled.iter().chain([&zero]);
        polynomial = shifted.zip(scaled).map(|(shifted, scaled)| difference(shifted, scaled)).collect();
        conjugate = power(extension, &conjugate, Goldilocks::MODULUS);
    }
    polynomial.pop();
    let f: Vec<Goldilocks> = polynomial.into_iter().map(|coefficient| coefficient[0]).collect();

    // Division by X - z, from the highest coefficient on.
    let mut h = vec![extension.of_base(Goldilocks::ONE)];
    for &coefficient in f[1..].iter().rev() {
        let mut next = extension.product(h.last().expect("the highest"), point);
        next[0] += coefficient;
        h.push(next);
    }
    h.reverse();
    h.pop();
    (f, h)
}

fn power(extension: &Extension, element: &[Goldilocks], exponent: u64) -> Vec<Goldilocks> {
    (0..u64::BITS).rev().fold(extension.of_base(Goldilocks::ONE), |power, bit| {
        let square = extension.product(&power, &power);
        if exponent >> bit & 1 == 1 { extension.product(&square, element) } else { square }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zkaccel::Engine;
    use zkaccel::matrix::Matrix;
    use zkaccel::ntt::Order;
    use zkaccel::program::ProgramRows;

    /// Products of powers of a root of X^D - c X - d.
    fn extension(degree: usize, c: u64, d: u64) -> Extension {
        Extension::new(degree, |i, j| {
            let mut product = vec![Goldilocks::ZERO; 2 * degree];
            product[i + j] = Goldilocks::ONE;
            for power in (degree..2 * degree).rev() {
                let coefficient = std::mem::take(&mut product[power]);
                product[power - degree + 1] += coefficient * Goldilocks::new(c);
                product[power - degree] += coefficient * Goldilocks::new(d);
            }
            product.truncate(degree);
            product
        })
    }

    /// Of the base field, the square root of seven, and a root of X^3 - X - 1.
    #[test]
    fn quotients_times_differences_are_one() {
        for extension in [extension(1, 0, 1), extension(2, 0, 7), extension(3, 1, 1)] {
            let degree = extension.degree();
            let element =
                |seed: u64| (0..degree as u64).map(|i| Goldilocks::new(seed * (i + 1) + 77)).collect();
            let zs: Vec<Vec<Goldilocks>> = vec![element(5), element(u64::MAX / 4)];
            let points = Points::new(extension.clone(), zs.clone());
            let engine = Engine::new().unwrap();
            let xs = Matrix::from_column((1..9).map(Goldilocks::new).collect()).unwrap();
            let rows = ProgramRows { count: 8, stride: 1, order: Order::Natural };
            let (program, values) = points.denominators().unwrap();
            let mut inverses = engine.run_program(&program, rows, &[&xs], &values).unwrap();
            engine.invert(&mut inverses).unwrap();
            let (mut builder, mut values) = (Builder::new(), Vec::new());
            for index in 0..2 {
                for node in points.inverse(&mut builder, &mut values, index) {
                    builder.output(node);
                }
            }
            let program = builder.finish().unwrap();
            let found = engine.run_program(&program, rows, &[&xs, &inverses], &values).unwrap();
            for row in 0..8 {
                for (index, z) in zs.iter().enumerate() {
                    let mut difference: Vec<_> = z.iter().map(|&z| -z).collect();
                    difference[0] += xs.get(row, 0);
                    let quotient = &found.row(row)[index * degree..][..degree];
                    assert_eq!(extension.product(quotient, &difference), extension.of_base(Goldilocks::ONE));
                }
            }
        }
    }
}
