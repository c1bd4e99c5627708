//! Blobs as polynomials, and their extensions.

use halo2curves::ff::Field;
use zkaccel::bls12_381::Fr;
use zkaccel::ntt::{Domain, Ntt, Order};
use zkaccel::{Engine, Error as EngineError};

use crate::{CELLS_PER_EXT_BLOB, Error, FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, serialised};

/// The subgroup of so many elements.
pub(crate) fn subgroup(size: usize) -> Result<Domain<Fr>, EngineError> {
    Domain::halo2(size.ilog2())
}

/// The coefficients of the polynomials of blobs, lowest first, one blob after another.
///
/// [`Error::BlobLength`], [`Error::NotCanonical`] with the first blob that is none.
pub(crate) fn coefficients(engine: &Engine, blobs: &[&[u8]]) -> Result<Vec<Fr>, Error> {
    let mut elements = Vec::with_capacity(blobs.len() * FIELD_ELEMENTS_PER_BLOB);
    for (blob, bytes) in blobs.iter().enumerate() {
        if bytes.len() != crate::BYTES_PER_BLOB {
            return Err(Error::BlobLength { blob, found: bytes.len() });
        }
        let values = serialised::field_elements(bytes).map_err(|error| match error {
            zkaccel::Error::NotReduced { index, .. } => Error::NotCanonical { blob, index },
            other => other.into(),
        });
        elements.extend(values?);
    }
    let to_coefficients = Ntt::inverse(subgroup(FIELD_ELEMENTS_PER_BLOB)?);
    let to_coefficients = to_coefficients.with_orders(Order::BitReversed, Order::Natural);
    for polynomial in elements.chunks_exact_mut(FIELD_ELEMENTS_PER_BLOB) {
        engine.ntt(&to_coefficients, polynomial)?;
    }
    Ok(elements)
}

/// The cells of polynomials: the values on the larger subgroup in bit-reversed order, one polynomial after another.
pub(crate) fn extended(engine: &Engine, coefficients: &[Fr]) -> Result<Vec<Fr>, Error> {
    let size = CELLS_PER_EXT_BLOB * FIELD_ELEMENTS_PER_CELL;
    let to_values = Ntt::forward(subgroup(size)?).with_orders(Order::Natural, Order::BitReversed);
    let mut values = vec![Fr::ZERO; 2 * coefficients.len()];
    let polynomials = coefficients.chunks_exact(FIELD_ELEMENTS_PER_BLOB);
    for (values, polynomial) in values.chunks_exact_mut(size).zip(polynomials) {
        values[..FIELD_ELEMENTS_PER_BLOB].copy_from_slice(polynomial);
        engine.ntt(&to_values, values)?;
    }
    Ok(values)
}
