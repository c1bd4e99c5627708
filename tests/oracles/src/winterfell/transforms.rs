//! Transforms, with winterfell's root.

use winter_math::{StarkField, fft, fields::f64::BaseElement};
use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt};

use super::{from_winter, to_winter};
use crate::inputs::{assert_same, cpu, random};

#[test]
fn agree() {
    let engine = cpu();
    for log_size in [4, 9, 12, 16] {
        let n = 1usize << log_size;
        let coefficients = random(3, n);
        let mut theirs: Vec<_> = coefficients.iter().copied().map(to_winter).collect();
        let twiddles = fft::get_twiddles::<BaseElement>(n);
        let extended = fft::evaluate_poly_with_offset(&theirs, &twiddles, BaseElement::GENERATOR, 4);
        fft::evaluate_poly(&mut theirs, &twiddles);
        let words = |x: &[BaseElement]| x.iter().copied().map(from_winter).collect::<Vec<_>>();

        let ntt = Ntt::forward(Domain::new(log_size, Convention::Winterfell).unwrap());
        let mut ours = Matrix::from_rows(coefficients.clone(), n, 1).unwrap();
        engine.ntt(&ntt, ours.view_mut()).unwrap();
        assert_same(ours.as_slice(), &words(&theirs), "forward");
        let lde = Lde::onto_coset(log_size, 4, Convention::Winterfell, Goldilocks::GENERATOR).unwrap();
        assert_same(engine.lde(&lde, &ours).unwrap().as_slice(), &words(&extended), "extension");

        fft::interpolate_poly(&mut theirs, &fft::get_inv_twiddles::<BaseElement>(n));
        engine.ntt(&Ntt::inverse(ntt.domain), ours.view_mut()).unwrap();
        assert_same(ours.as_slice(), &words(&theirs), "inverse");
        assert_same(ours.as_slice(), &coefficients, "there and back");
    }
}
