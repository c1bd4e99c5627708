//! Elements of an extension in row programs, where one is as many nodes as it has coordinates.

use p3_field::ExtensionField;
use p3_goldilocks::Goldilocks;
use zkaccel::field::Goldilocks as Element;
use zkaccel::program::Node;

use super::Builder;
use crate::elements::{from_engine, to_engine};

/// The coordinates of an element, as the engine has them.
pub(super) fn coordinates<EF: ExtensionField<Goldilocks>>(element: EF) -> Vec<Element> {
    element.as_basis_coefficients_slice().iter().map(|&coordinate| to_engine(coordinate)).collect()
}

/// An element by its coordinates.
pub(super) fn element<EF: ExtensionField<Goldilocks>>(coordinates: impl Iterator<Item = Element>) -> EF {
    let coordinates: Vec<Goldilocks> = coordinates.map(from_engine).collect();
    EF::from_basis_coefficients_slice(&coordinates).expect("as many coordinates as the extension has")
}

/// The multiplication table of an extension.
pub(super) struct Extension {
    degree: usize,
    /// The coordinates of the product of basis elements i and j, at i * degree + j.
    products: Vec<Vec<Element>>,
}

impl Extension {
    pub(super) fn of<EF: ExtensionField<Goldilocks>>() -> Self {
        let degree = EF::DIMENSION;
        let basis = |i| EF::ith_basis_element(i).expect("one of the basis");
        let product = |i: usize| coordinates(basis(i / degree) * basis(i % degree));
        Self { degree, products: (0..degree * degree).map(product).collect() }
    }

    /// The nodes of a value of the run: its coordinates lie one after another.
    pub(super) fn value(&self, builder: &mut Builder, index: usize) -> Vec<Node> {
        (index..index + self.degree).map(|index| builder.value(index)).collect()
    }

    /// The nodes of a column of elements: its coordinates are columns side by side.
    pub(super) fn column(&self, builder: &mut Builder, matrix: usize, column: usize) -> Vec<Node> {
        (column..column + self.degree).map(|column| builder.column(matrix, column, 0)).collect()
    }

    pub(super) fn add(&self, builder: &mut Builder, x: &[Node], y: &[Node]) -> Vec<Node> {
        x.iter().zip(y).map(|(&x, &y)| builder.add(x, y)).collect()
    }

    pub(super) fn sub(&self, builder: &mut Builder, x: &[Node], y: &[Node]) -> Vec<Node> {
        x.iter().zip(y).map(|(&x, &y)| builder.sub(x, y)).collect()
    }

    /// The product with an element of the base field.
    pub(super) fn scale(&self, builder: &mut Builder, x: &[Node], by: Node) -> Vec<Node> {
        x.iter().map(|&x| builder.mul(x, by)).collect()
    }

    pub(super) fn mul(&self, builder: &mut Builder, x: &[Node], y: &[Node]) -> Vec<Node> {
        let mut product = vec![builder.constant(Element::new(0)); self.degree];
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
