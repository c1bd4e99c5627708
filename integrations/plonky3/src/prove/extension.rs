//! Elements of an extension by their coordinates.

use p3_field::ExtensionField;
use p3_goldilocks::Goldilocks;
use zkaccel::field::Goldilocks as Element;
use zkaccel_proofs::Extension;

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

/// The extension as row programs have it.
pub(super) fn extension<EF: ExtensionField<Goldilocks>>() -> Extension {
    let basis = |i| EF::ith_basis_element(i).expect("one of the basis");
    Extension::new(EF::DIMENSION, |i, j| coordinates(basis(i) * basis(j)))
}
