//! Transforms and inverses over a field, as backends have them.

use super::BaseField;
use crate::checks;
use crate::error::Error;
use crate::field::TwoAdic;
use crate::memory::StridedMut;
use crate::meter::Meter;
use crate::ntt::{Domain, Lde, Ntt, Order};

/// Transforms over a field.
///
/// Data come as blocks, each a row-major matrix of `width` columns with a row per point: a row-major matrix is one
/// block, a column-major one is a block of width 1 (or of an extension's degree) per column. Over fields that are not
/// [`ROW_MAJOR`](BaseField::ROW_MAJOR) the width is always 1.
pub trait Transforms<F: TwoAdic + BaseField>: Send + Sync {
    /// Transforms every column of every block in place.
    fn ntt(&self, ntt: &Ntt<F>, data: &mut [F], width: usize) -> Result<(), Error>;

    /// [`ntt`](Self::ntt) of words that may be `unchecked`. [`Error::NotCanonical`] with the first that is no element, and then the data are unchanged. A device can check
    /// them while it computes: its control flow does not depend on the words. A backend that knows how much is done counts it.
    fn ntt_checked(
        &self,
        ntt: &Ntt<F>,
        data: &mut [F],
        width: usize,
        unchecked: bool,
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        checks::if_unchecked(data, unchecked)?;
        self.ntt(ntt, data, width)
    }

    /// Transforms columns of a block in place, given by the words of their elements. [`Error::NotCanonical`], with any index, if some are not; then they are unchanged. `None` where the
    /// device does not copy such columns [by itself](super::Hardware::copies_columns), and where there are too many for its memory.
    fn ntt_columns(&self, _: &Ntt<F>, _columns: StridedMut<'_, u64>) -> Option<Result<(), Error>> {
        None
    }

    /// Evaluates polynomials of `size` coefficients each, a power of two and at most as many as the domain has points: columns of
    /// blocks of `size` rows go to columns of blocks with a row per point. The contents of `values` are unspecified before.
    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &[F],
        (size, width): (usize, usize),
        values: &mut [F],
    ) -> Result<(), Error> {
        evaluate_padded(self, domain, order, coefficients, (size, width), values)
    }

    /// Extends every column of every block of `input` into `output`, which is the blow-up times as long.
    ///
    /// The contents of `output` are unspecified before, those of `input` afterwards.
    fn lde(&self, lde: &Lde<F>, input: &mut [F], width: usize, output: &mut [F]) -> Result<(), Error> {
        self.ntt(&Ntt::inverse(lde.from()), input, width)?;
        self.evaluate(&lde.to(), lde.output_order(), input, (lde.from().size(), width), output)
    }

    /// [`lde`](Self::lde) of unchecked words, as [`ntt_checked`](Self::ntt_checked).
    fn lde_checked(
        &self,
        lde: &Lde<F>,
        input: &mut [F],
        width: usize,
        output: &mut [F],
        unchecked: bool,
        _: &Meter<'_>,
    ) -> Result<(), Error> {
        checks::if_unchecked(input, unchecked)?;
        self.lde(lde, input, width, output)
    }
}

/// [`Transforms::evaluate`] by a transform of polynomials that are padded with zeros.
fn evaluate_padded<F: TwoAdic + BaseField>(
    transforms: &(impl Transforms<F> + ?Sized),
    domain: &Domain<F>,
    order: Order,
    coefficients: &[F],
    (size, width): (usize, usize),
    values: &mut [F],
) -> Result<(), Error> {
    values.fill(F::ZERO);
    let padded = values.chunks_exact_mut(domain.size() * width);
    for (coefficients, padded) in coefficients.chunks_exact(size * width).zip(padded) {
        padded[..coefficients.len()].copy_from_slice(coefficients);
    }
    let ntt = Ntt::forward(*domain).with_orders(Order::Natural, order);
    transforms.ntt(&ntt, values, width)
}

/// Inverses over a field.
pub trait Inversion<F>: Send + Sync {
    /// Replaces every element by its inverse, and leaves zeros as they are; there may be no elements. They may be `unchecked`: [`Error::NotCanonical`] with the first that is no
    /// element, and then the data are unchanged. It is its own inverse, by which plans undo it.
    fn invert(&self, elements: &mut [F], unchecked: bool) -> Result<(), Error>;
}
