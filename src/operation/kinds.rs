//! What is measured of every kind of operation, on every backend: that it runs there, and that operations that have their curves in common are measured alike.

use std::collections::BTreeMap;

use super::*;
use crate::backend::cpu::Cpu;
use crate::backend::reference::Reference;
use crate::backend::{Accelerated, AcceleratedField, Backend};
use crate::dispatch::Kind;
use crate::field::Goldilocks;
use crate::hash::{Blake3, Rp64_256};

fn of_field<F: AcceleratedField>() -> Vec<Kind> {
    vec![
        transform::kind::<F>(),
        extend::kind::<F>(),
        invert::kind::<F>(),
        prefix::kind::<F>(),
        lookups::kind::<F>(),
        run::kind::<F>(),
        Combined::Columns.kind::<F>(),
        Combined::Rows.kind::<F>(),
    ]
}

fn of_hash<H: Accelerated>() -> Vec<Kind> {
    vec![rows::kind::<H>(), tree::kind::<H>()]
}

/// Those of the first curve and its scalars, and of all other fields those of transforms: the kernels of the rest are compiled anew for each.
#[cfg(feature = "bn254")]
fn of_curves() -> Vec<Kind> {
    use crate::bn254::{Fr, G1Affine};
    let mut kinds = of_field::<Fr>();
    kinds.extend([multiply::kind::<Fr>(), sparse::kind::<Fr>()]);
    kinds.extend([sum::kind::<G1Affine>(), points::kind::<G1Affine>()]);
    macro_rules! of_transforms {
        ($($field:path, $name:literal;)*) => {
            $(kinds.extend([transform::kind::<$field>(), extend::kind::<$field>()]);)*
        };
    }
    crate::for_every_two_adic_field!(of_transforms);
    kinds
}

fn kinds() -> Vec<Kind> {
    let mut kinds = of_field::<Goldilocks>();
    kinds.extend(of_hash::<Rp64_256>().into_iter().chain(of_hash::<Blake3>()));
    #[cfg(feature = "bn254")]
    kinds.extend(of_curves());
    kinds
}

fn all_are_measured(backend: &dyn Backend) {
    let mut works = BTreeMap::new();
    for kind in kinds() {
        for log in [5, 8] {
            let name = (kind.name, kind.variant, log);
            let (_, work) = (kind.sample)(backend, log).unwrap_or_else(|error| panic!("{name:?}: {error}"));
            assert_eq!(*works.entry(name).or_insert(work), work, "{name:?}: two samples for one curve");
        }
    }
}

#[test]
fn on_the_processor() {
    all_are_measured(&Cpu::default());
}

#[test]
fn on_the_reference() {
    all_are_measured(&Reference);
}

#[cfg(feature = "opencl")]
#[test]
fn on_opencl() {
    if let Some(device) = crate::backend::gpu::first_opencl() {
        all_are_measured(&*device);
    }
}
