//! Elements change sides: winterfell keeps a residue in Montgomery form and an element of an extension in one piece, zkaccel has canonical words, and one for each coordinate.

use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks as Element;
use zkaccel_proofs::Extension;

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

/// The extension as row programs have it.
pub(super) fn extension<E: FieldElement<BaseField = BaseElement>>() -> Extension {
    let basis: Vec<E> = basis().collect();
    Extension::new(E::EXTENSION_DEGREE, |i, j| coordinates(basis[i] * basis[j]))
}
