//! Elements of an extension in row programs, where one is as many nodes as it has coordinates.

use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks as Element;
use zkaccel::program::Node;

use super::Builder;

/// A residue as the engine has it.
pub(super) fn to_engine(element: BaseElement) -> Element {
    Element::new(element.as_int())
}

/// A residue as winterfell has it.
pub(super) fn from_engine(element: Element) -> BaseElement {
    BaseElement::new(element.as_u64())
}

/// The coordinates of an element, as the engine has them.
pub(super) fn coordinates<E: FieldElement<BaseField = BaseElement>>(element: E) -> Vec<Element> {
    E::slice_as_base_elements(&[element]).iter().map(|&coordinate| to_engine(coordinate)).collect()
}

/// An element by its coordinates.
pub(super) fn element<E: FieldElement<BaseField = BaseElement>>(
    coordinates: impl IntoIterator<Item = Element>,
) -> E {
    let coordinates: Vec<BaseElement> = coordinates.into_iter().map(from_engine).collect();
    E::slice_from_base_elements(&coordinates)[0]
}

/// The elements of the basis.
pub(super) fn basis<E: FieldElement<BaseField = BaseElement>>() -> impl Iterator<Item = E> {
    let degree = E::EXTENSION_DEGREE;
    (0..degree).map(move |i| element((0..degree).map(|j| Element::new((i == j) as u64))))
}

/// The multiplication table of an extension.
pub(super) struct Extension {
    degree: usize,
    /// The coordinates of the product of basis elements i and j, at i * degree + j.
    products: Vec<Vec<Element>>,
}

impl Extension {
    pub(super) fn of<E: FieldElement<BaseField = BaseElement>>() -> Self {
        let products = basis::<E>().flat_map(|x| basis::<E>().map(move |y| coordinates(x * y)));
        Self { degree: E::EXTENSION_DEGREE, products: products.collect() }
    }

    /// The nodes of a value of the run: its coordinates lie one after another.
    pub(super) fn value(&self, builder: &mut Builder, index: usize) -> Vec<Node> {
        (index..index + self.degree).map(|index| builder.value(index)).collect()
    }

    /// The nodes of a column of elements: its coordinates are columns side by side.
    pub(super) fn column(
        &self,
        builder: &mut Builder,
        matrix: usize,
        column: usize,
        offset: i32,
    ) -> Vec<Node> {
        (column..column + self.degree).map(|column| builder.column(matrix, column, offset)).collect()
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
