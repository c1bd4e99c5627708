//! winterfell's field, transforms, hashes, trees and commitments.

mod commitments;
mod fields;
mod hashes;
mod transforms;
mod trees;

use winter_crypto::hashers::Blake3_256;
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks;
use zkaccel::hash::ElementDigest;

type Blake3 = Blake3_256<BaseElement>;

fn to_winter(x: Goldilocks) -> BaseElement {
    BaseElement::new(x.as_u64())
}

/// Refuses a word at or above p.
fn from_winter(x: BaseElement) -> Goldilocks {
    Goldilocks::try_from(x.as_int()).unwrap()
}

/// A digest of any of winterfell's sponges, which have types of their own.
fn to_digest<D: From<[BaseElement; 4]>>(digest: ElementDigest) -> D {
    digest.0.map(to_winter).into()
}

fn from_digest<D: Into<[BaseElement; 4]>>(digest: D) -> ElementDigest {
    ElementDigest(digest.into().map(from_winter))
}
