//! Roots of unity by name, and BN254's elements from and to plain integers.

use accel::Error;
use accel::bn254::{
    Fr, coordinates_from_montgomery, coordinates_to_montgomery, limbs, scalars_from_montgomery,
    scalars_to_montgomery,
};
use accel::ntt::{Convention, Domain};

use crate::arguments::Arguments;
use crate::bn254::{zka_bn254_fp, zka_bn254_fr};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, guard, zka_status};

/// Goldilocks: the powers of 7277203076849721926, the root of unity of order 2^32 of winterfell and plonky2.
pub const ZKA_ROOT_WINTERFELL: u32 = 1;
/// Goldilocks: the powers of 1753635133440165772, that of Plonky3.
pub const ZKA_ROOT_PLONKY3: u32 = 2;
/// BN254's scalars: the powers of 7^((r - 1) / 2^28), the root of unity of order 2^28 of halo2curves.
pub const ZKA_ROOT_HALO2: u32 = 3;
/// BN254's scalars: the powers of 5^((r - 1) / 2^28), that of arkworks.
pub const ZKA_ROOT_ARKWORKS: u32 = 4;

/// The root of unity of order 2^log_n, at most 2^32, in Goldilocks. `convention` is `ZKA_ROOT_WINTERFELL` or `ZKA_ROOT_PLONKY3`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_goldilocks_root_of_unity(
    out: *mut u64,
    log_n: u32,
    convention: u32,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[Domain::new(log_n, convention_of(convention)?)?.root().as_u64()]);
        Ok(())
    })
}

/// The convention of a root of Goldilocks by its number.
pub(crate) fn convention_of(number: u32) -> Result<Convention, Failure> {
    match number {
        ZKA_ROOT_WINTERFELL => Ok(Convention::Winterfell),
        ZKA_ROOT_PLONKY3 => Ok(Convention::Plonky3),
        other => Err(unknown(other, "ZKA_ROOT_WINTERFELL or ZKA_ROOT_PLONKY3")),
    }
}

/// The root of unity of order 2^log_n, at most 2^28, among BN254's scalars. `convention` is `ZKA_ROOT_HALO2` or `ZKA_ROOT_ARKWORKS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_root_of_unity(
    out: *mut zka_bn254_fr,
    log_n: u32,
    convention: u32,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        let domain: Domain<Fr> = match convention {
            ZKA_ROOT_HALO2 => Domain::<Fr>::halo2(log_n)?,
            ZKA_ROOT_ARKWORKS => Domain::<Fr>::arkworks(log_n)?,
            other => return Err(unknown(other, "ZKA_ROOT_HALO2 or ZKA_ROOT_ARKWORKS")),
        };
        out.write(&[zka_bn254_fr { limbs: limbs(&[domain.root()])[0] }]);
        Ok(())
    })
}

/// Brings `len` integers below r, four words each, the lowest first, to Montgomery form in place: x becomes x 2^256 modulo r. One that
/// is r or above is `ZKA_NOT_CANONICAL`, and the text has its index; then all are as they were. On the calling thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_to_montgomery(data: *mut zka_bn254_fr, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(data.cast(), len, scalars_to_montgomery) }
}

/// Brings `len` scalars from Montgomery form to integers in place: the inverse of `zka_bn254_fr_to_montgomery`, with the same errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_from_montgomery(data: *mut zka_bn254_fr, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(data.cast(), len, scalars_from_montgomery) }
}

/// Brings `len` integers below q to Montgomery form in place: x becomes x 2^256 modulo q. Errors as `zka_bn254_fr_to_montgomery`. A
/// point is two coordinates: `&points[0].x` and twice the number of points are those of an array of `zka_bn254_g1_aff`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fp_to_montgomery(data: *mut zka_bn254_fp, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(data.cast(), len, coordinates_to_montgomery) }
}

/// Brings `len` coordinates from Montgomery form to integers in place: the inverse of `zka_bn254_fp_to_montgomery`, with the same errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fp_from_montgomery(data: *mut zka_bn254_fp, len: usize) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(data.cast(), len, coordinates_from_montgomery) }
}

/// # Safety
/// The pointer is null or valid for `len` elements.
unsafe fn convert(
    data: *mut [u64; 4],
    len: usize,
    conversion: fn(&mut [[u64; 4]]) -> Result<(), Error>,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's.
        let mut data = unsafe { Arguments::new() }.in_out("data", data, len)?;
        Ok(conversion(data.as_mut_slice())?)
    })
}

fn unknown(convention: u32, expected: &str) -> Failure {
    Failure::new(ZKA_BAD_ARGUMENT, format!("convention {convention}, expected {expected}"))
}
