//! Placeholder of the first slice: the reference's transforms.
use crate::backend::{Transforms, reference::Reference};
use crate::field::Goldilocks;
use crate::ntt::{Lde, Ntt};

pub(super) fn ntt(ntt: &Ntt, data: &mut [Goldilocks], width: usize) {
    Reference.ntt(ntt, data, width).expect("the reference does not fail");
}

pub(super) fn lde(lde: &Lde, input: &mut [Goldilocks], width: usize, output: &mut [Goldilocks]) {
    Reference.lde(lde, input, width, output).expect("the reference does not fail");
}
