//! Goldilocks and its extensions.

use proptest::prelude::*;
use winter_math::fields::{CubeExtension, QuadExtension, f64::BaseElement};
use winter_math::{FieldElement, StarkField};
use zkaccel::field::{Cubic, Field, Goldilocks, Quadratic};
use zkaccel::ntt::Convention;

use super::{from_winter, to_winter};
use crate::inputs::element;

#[test]
fn roots_of_unity() {
    for log_size in 1..=32 {
        let root = from_winter(BaseElement::get_root_of_unity(log_size));
        assert_eq!(Convention::Winterfell.root_of_unity(log_size), root, "2^{log_size}");
    }
}

proptest! {
    #[test]
    fn base_field(a in element(), b in element(), exponent in any::<u64>()) {
        prop_assert_eq!(a * b, from_winter(to_winter(a) * to_winter(b)));
        prop_assert_eq!(a.pow(exponent), from_winter(to_winter(a).exp(exponent)));
        prop_assert_eq!(a.inverse().unwrap_or_default(), from_winter(to_winter(a).inv()));
    }
}

/// The same irreducible polynomials, on words far from the edges: there winter-math is no oracle, for `double` of version 0.13.1 can
/// leave a word at or above p, from which `-` then makes a wrong difference.
#[test]
fn extensions() {
    let words = [3, 1 << 20, 12345, 77, (1 << 40) + 1, 999];
    let (ours, w) = (words.map(Goldilocks::new), words.map(BaseElement::new));
    let product = QuadExtension::new(w[0], w[1]) * QuadExtension::new(w[2], w[3]);
    let found = Quadratic([ours[0], ours[1]]) * Quadratic([ours[2], ours[3]]);
    assert_eq!(found, Quadratic(product.to_base_elements().map(from_winter)));
    let product = CubeExtension::new(w[0], w[1], w[2]) * CubeExtension::new(w[3], w[4], w[5]);
    let found = Cubic([ours[0], ours[1], ours[2]]) * Cubic([ours[3], ours[4], ours[5]]);
    assert_eq!(found, Cubic(product.to_base_elements().map(from_winter)));
}
