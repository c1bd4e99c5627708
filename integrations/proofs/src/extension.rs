//! Elements of an extension in row programs, where one is as many nodes as it has coordinates.

use zkaccel::field::{Field, Goldilocks};
use zkaccel::program::Node;

use super::Builder;

/// The multiplication table of an extension whose first basis element is one.
#[derive(Clone, Debug)]
pub struct Extension {
    degree: usize,
    /// The coordinates of the product of basis elements i and j, at i * degree + j.
    products: Vec<Vec<Goldilocks>>,
}

impl Extension {
    /// The extension in which `product` gives the coordinates of the product of two elements of the basis.
    pub fn new(degree: usize, product: impl Fn(usize, usize) -> Vec<Goldilocks>) -> Self {
        let products = (0..degree * degree).map(|i| product(i / degree, i % degree));
        Self { degree, products: products.collect() }
    }

    /// The number of coordinates.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The coordinates of an element of the base field.
    pub fn of_base(&self, element: Goldilocks) -> Vec<Goldilocks> {
        let zeros = std::iter::repeat_n(Goldilocks::ZERO, self.degree - 1);
        std::iter::once(element).chain(zeros).collect()
    }

    /// The product of two elements by their coordinates.
    pub fn product(&self, x: &[Goldilocks], y: &[Goldilocks]) -> Vec<Goldilocks> {
        let mut product = vec![Goldilocks::ZERO; self.degree];
        for (i, &x) in x.iter().enumerate() {
            for (j, &y) in y.iter().enumerate() {
                for (sum, &factor) in product.iter_mut().zip(&self.products[i * self.degree + j]) {
                    *sum += x * y * factor;
                }
            }
        }
        product
    }

    /// The nodes of a value of the run: its coordinates lie one after another.
    pub fn value(&self, builder: &mut Builder, index: usize) -> Vec<Node> {
        (index..index + self.degree).map(|index| builder.value(index)).collect()
    }

    /// The nodes of a column of elements: its coordinates are columns side by side.
    pub fn column(&self, builder: &mut Builder, matrix: usize, column: usize) -> Vec<Node> {
        (column..column + self.degree).map(|column| builder.column(matrix, column, 0)).collect()
    }

    /// The sum.
    pub fn add(&self, builder: &mut Builder, x: &[Node], y: &[Node]) -> Vec<Node> {
        x.iter().zip(y).map(|(&x, &y)| builder.add(x, y)).collect()
    }

    /// The difference.
    pub fn sub(&self, builder: &mut Builder, x: &[Node], y: &[Node]) -> Vec<Node> {
        x.iter().zip(y).map(|(&x, &y)| builder.sub(x, y)).collect()
    }

    /// The product with an element of the base field.
    pub fn scale(&self, builder: &mut Builder, x: &[Node], by: Node) -> Vec<Node> {
        x.iter().map(|&x| builder.mul(x, by)).collect()
    }

    /// The product.
    pub fn mul(&self, builder: &mut Builder, x: &[Node], y: &[Node]) -> Vec<Node> {
        let mut product = vec![builder.constant(Goldilocks::ZERO); self.degree];
        for (i, &x) in x.iter().enumerate() {
            for (j, &y) in y.iter().enumerate() {
                let term = builder.mul(x, y);
                for (sum, &factor) in product.iter_mut().zip(&self.products[i * self.degree + j]) {
                    let factor = builder.constant(factor);
                    let term = builder.mul(term, factor);
                    *sum = builder.add(*sum, term);
                }
            }
        }
        product
    }
}
