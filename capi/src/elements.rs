//! Roots of unity by name, and elements from and to plain integers, over any field.

use accel::field::TwoAdicPrime;
use accel::ntt::{Convention, Domain};

use crate::arguments::{Arguments, product};
use crate::bn254::{zka_bn254_fp, zka_bn254_fr};
use crate::fields::{Field, ZKA_BN254_FQ, ZKA_BN254_FR, ZKA_GOLDILOCKS};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, guard, zka_status};

/// Goldilocks: the powers of 7277203076849721926, the root of unity of order 2^32 of winterfell and plonky2.
pub const ZKA_ROOT_WINTERFELL: u32 = 1;
/// Goldilocks: the powers of 1753635133440165772, that of Plonky3.
pub const ZKA_ROOT_PLONKY3: u32 = 2;
/// A field of curves: the powers of the root of unity of halo2curves; among BN254's scalars 7^((r - 1) / 2^28), of order 2^28.
pub const ZKA_ROOT_HALO2: u32 = 3;
/// A field of curves: those of arkworks' root; among BN254's scalars 5^((r - 1) / 2^28).
pub const ZKA_ROOT_ARKWORKS: u32 = 4;

/// The root of unity of order 2^log_n in a field with transforms, in the words of an element. `convention` is `ZKA_ROOT_WINTERFELL` or `ZKA_ROOT_PLONKY3` over Goldilocks, else `ZKA_ROOT_HALO2` or
/// `ZKA_ROOT_ARKWORKS`. The order is at most 2^32, among the scalars of BN254 2^28 and of BLS12-377 2^47. `ZKA_UNSUPPORTED` for `ZKA_BN254_FQ`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_root_of_unity(
    field: u32,
    out: *mut u64,
    log_n: u32,
    convention: u32,
) -> zka_status {
    guard(|| {
        let field = Field::of(field)?;
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, field.words)?;
        out.write(&(field.root)(log_n, convention)?);
        Ok(())
    })
}

/// `zka_root_of_unity` in Goldilocks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_goldilocks_root_of_unity(
    out: *mut u64,
    log_n: u32,
    convention: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_root_of_unity(ZKA_GOLDILOCKS, out, log_n, convention) }
}

/// `zka_root_of_unity` among BN254's scalars.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_root_of_unity(
    out: *mut zka_bn254_fr,
    log_n: u32,
    convention: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_root_of_unity(ZKA_BN254_FR, out.cast(), log_n, convention) }
}

/// The convention of a root of Goldilocks by its number.
pub(crate) fn convention_of(number: u32) -> Result<Convention, Failure> {
    match number {
        ZKA_ROOT_WINTERFELL => Ok(Convention::Winterfell),
        ZKA_ROOT_PLONKY3 => Ok(Convention::Plonky3),
        other => Err(unknown(other, "ZKA_ROOT_WINTERFELL or ZKA_ROOT_PLONKY3")),
    }
}

/// The subgroup of a field of curves, with the root of a convention.
pub(crate) fn subgroup<F: TwoAdicPrime>(log_n: u32, convention: u32) -> Result<Domain<F>, Failure> {
    match convention {
        ZKA_ROOT_HALO2 => Ok(Domain::<F>::halo2(log_n)?),
        ZKA_ROOT_ARKWORKS => Ok(Domain::<F>::arkworks(log_n)?),
        other => Err(unknown(other, "ZKA_ROOT_HALO2 or ZKA_ROOT_ARKWORKS")),
    }
}

/// Brings `len` integers below the modulus, in the words of elements, the lowest first, to elements in place: over Goldilocks they are the elements, over the fields of curves x becomes x 2^256. One
/// that is not below it is `ZKA_NOT_CANONICAL`, and the text has its index; then all are as they were. On the calling thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_from_integers(field: u32, data: *mut u64, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(field, data, len, 0) }
}

/// Brings `len` elements to integers in place: the inverse of `zka_from_integers`, with the same errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_to_integers(field: u32, data: *mut u64, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(field, data, len, 1) }
}

/// `zka_from_integers` for BN254's scalars.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_to_montgomery(data: *mut zka_bn254_fr, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_from_integers(ZKA_BN254_FR, data.cast(), len) }
}

/// `zka_to_integers` for BN254's scalars.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_from_montgomery(data: *mut zka_bn254_fr, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_to_integers(ZKA_BN254_FR, data.cast(), len) }
}

/// `zka_from_integers` for BN254's coordinates. A point is two coordinates: `&points[0].x` and twice the number of points are those of an array of `zka_bn254_g1_aff`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fp_to_montgomery(data: *mut zka_bn254_fp, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_from_integers(ZKA_BN254_FQ, data.cast(), len) }
}

/// `zka_to_integers` for BN254's coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fp_from_montgomery(data: *mut zka_bn254_fp, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_to_integers(ZKA_BN254_FQ, data.cast(), len) }
}

/// # Safety
/// The pointer is null or valid for `len` elements.
unsafe fn convert(field: u32, data: *mut u64, len: usize, direction: usize) -> zka_status {
    guard(|| {
        let field = Field::of(field)?;
        // SAFETY: the caller's.
        let mut data =
            unsafe { Arguments::new() }.in_out("data", data, product("data", len, field.words)?)?;
        Ok(field.conversions[direction](data.as_mut_slice())?)
    })
}

fn unknown(convention: u32, expected: &str) -> Failure {
    Failure::new(ZKA_BAD_ARGUMENT, format!("convention {convention}, expected {expected}"))
}
