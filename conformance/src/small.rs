//! Smaller forms of cases that would take minutes on a device that is interpreted.

use zkaccel::Engine;
use zkaccel::field::Goldilocks;
use zkaccel::hash::Accelerated;
use zkaccel::kernels::DeviceHash;
use zkaccel::merkle::Approach;
#[cfg(feature = "bn254")]
use zkaccel::msm::AcceleratedCurve;

use crate::Case;
use crate::data::Words;

macro_rules! hashes {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        const HASHES: &[Case] = &[
            $(Case { name: concat!("a few rows, ", $name), run: rows::<zkaccel::hash::$hash> },)*
            $(Case { name: concat!("small trees, ", $name), run: trees::<zkaccel::hash::$hash> },)*
        ];
    };
}
zkaccel::for_every_hash!(hashes);

#[cfg(not(feature = "bn254"))]
const CURVES: &[Case] = &[];
#[cfg(feature = "bn254")]
macro_rules! curves {
    ($($affine:path, $name:literal;)*) => {
        const CURVES: &[Case] = &[
            $(Case { name: concat!("a few sums over ", $name), run: sums::<$affine> },)*
            $(Case { name: concat!("a few kept sums over ", $name), run: kept::<$affine> },)*
        ];
    };
}
#[cfg(feature = "bn254")]
zkaccel::for_every_curve!(curves);

#[cfg(not(feature = "bn254"))]
const FIELDS: &[Case] = &[];
#[cfg(feature = "bn254")]
macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        const FIELDS: &[Case] = &[
            $(Case { name: concat!("a few inverses over ", $name), run: inverses::<$field> },)*
            $(Case { name: concat!("one combination over ", $name), run: crate::combinations::one_sum::<$field> },)*
        ];
    };
}
#[cfg(feature = "bn254")]
zkaccel::for_every_two_adic_field!(fields);

const GOLDILOCKS: Case =
    Case { name: "one combination over goldilocks", run: crate::combinations::one_sum::<Goldilocks> };

/// All of them.
pub fn cases() -> Vec<Case> {
    [HASHES, CURVES, FIELDS, &[GOLDILOCKS]].concat()
}

/// Of edge values and of others.
#[cfg(feature = "bn254")]
fn inverses<F: crate::data::Samples>(engine: &Engine) -> Result<(), String> {
    let mut elements = F::edges();
    elements.extend(Words::new(43).samples::<F>(60));
    crate::inverses::check(engine, "inverses", &elements)
}

/// Around one, two and four blocks of a sponge, and around one and two chunks of a tree hash; where teams hash a few rows, so many that they do not.
fn rows<H: Accelerated + DeviceHash>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(41);
    if H::TEAM > 1 {
        crate::hashes::grid::<H>(engine, &mut words, &[1 << 14], &[1])?;
    }
    crate::hashes::grid::<H>(engine, &mut words, &[1, 3, 33], &[1, 4, 7, 8, 9, 16, 17, 33])?;
    crate::hashes::grid::<H>(engine, &mut words, &[2], &[129, 257])
}

fn trees<H: Accelerated + DeviceHash>(engine: &Engine) -> Result<(), String> {
    crate::trees::trees::<H>(engine, 9, &[Approach::Auto])?;
    crate::trees::trees_by_approaches::<H>(engine, 9)
}

#[cfg(feature = "bn254")]
fn sums<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    crate::sums::sums::<C>(engine, &[0, 1, 2, 33], &[300])
}

#[cfg(feature = "bn254")]
fn kept<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    crate::sums::with_tables::<C>(engine, 33)
}
