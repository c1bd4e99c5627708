//! Engines for the traits of ZAL, which no published crate has: the traits here have the items of those of halo2's forks.

use halo2curves_axiom::bn256::{Fr, G1, G1Affine};
use zkaccel::Engine;
use zkaccel::device::DeviceChoice;
use zkaccel::msm::BasesOptions;
use zkaccel::work::items;

use crate::common::{points, scalars, sum_of_multiples};

/// As it was first: a marker above it, descriptors that can be copied.
mod copied {
    use halo2curves_axiom::CurveAffine;

    pub trait ZalEngine {}

    #[allow(dead_code, reason = "the trait is the fork's, whichever of it is used")]
    pub trait MsmAccel<C: CurveAffine>: ZalEngine {
        type CoeffsDescriptor<'c>: Copy;
        type BaseDescriptor<'b>: Copy;
        fn msm(&self, coeffs: &[C::Scalar], base: &[C]) -> C::Curve;
        fn get_coeffs_descriptor<'c>(&self, coeffs: &'c [C::Scalar]) -> Self::CoeffsDescriptor<'c>;
        fn get_base_descriptor<'b>(&self, base: &'b [C]) -> Self::BaseDescriptor<'b>;
        fn msm_with_cached_scalars(&self, coeffs: &Self::CoeffsDescriptor<'_>, base: &[C]) -> C::Curve;
        fn msm_with_cached_base(&self, coeffs: &[C::Scalar], base: &Self::BaseDescriptor<'_>) -> C::Curve;
        fn msm_with_cached_inputs(
            &self,
            coeffs: &Self::CoeffsDescriptor<'_>,
            base: &Self::BaseDescriptor<'_>,
        ) -> C::Curve;
    }
}

/// As it was later: no marker, any descriptors.
mod later {
    pub mod traits {
        use halo2curves_axiom::CurveAffine;

        pub trait MsmAccel<C: CurveAffine>: std::fmt::Debug {
            type CoeffsDescriptor<'c>;
            type BaseDescriptor<'b>;
            fn msm(&self, coeffs: &[C::Scalar], base: &[C]) -> C::Curve;
            fn get_coeffs_descriptor<'c>(&self, coeffs: &'c [C::Scalar]) -> Self::CoeffsDescriptor<'c>;
            fn get_base_descriptor<'b>(&self, base: &'b [C]) -> Self::BaseDescriptor<'b>;
            fn msm_with_cached_scalars(&self, coeffs: &Self::CoeffsDescriptor<'_>, base: &[C]) -> C::Curve;
            fn msm_with_cached_base(&self, coeffs: &[C::Scalar], base: &Self::BaseDescriptor<'_>)
            -> C::Curve;
            fn msm_with_cached_inputs(
                &self,
                coeffs: &Self::CoeffsDescriptor<'_>,
                base: &Self::BaseDescriptor<'_>,
            ) -> C::Curve;
        }
    }
}

zkaccel_halo2::zal!(pub Copied: copied::MsmAccel for halo2curves_axiom::bn256);
impl copied::ZalEngine for Copied {}
zkaccel_halo2::zal!(pub Later: later::traits::MsmAccel for halo2curves_axiom::bn256);

/// An engine on the device that the environment names, and an account of its own.
fn engine() -> Engine {
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("auto".into());
    Engine::builder().device(device.parse::<DeviceChoice>().unwrap()).build().unwrap()
}

/// A prover that knows the trait alone: two columns over the same bases, one of them twice.
fn commitments<A: later::traits::MsmAccel<G1Affine>>(
    accel: &A,
    columns: [&[Fr]; 2],
    bases: &[G1Affine],
) -> [G1; 5] {
    let described_bases = accel.get_base_descriptor(bases);
    let described = accel.get_coeffs_descriptor(columns[0]);
    [
        accel.msm(columns[0], bases),
        accel.msm_with_cached_scalars(&described, bases),
        accel.msm_with_cached_base(columns[1], &described_bases),
        accel.msm_with_cached_inputs(&described, &described_bases),
        accel.msm_with_cached_inputs(
            &accel.get_coeffs_descriptor(columns[1]),
            &accel.get_base_descriptor(bases),
        ),
    ]
}

#[test]
fn a_provers_sums() {
    for tables in [false, true] {
        let engine = engine();
        let done = |operation| items(&engine.work(), operation);
        // On one device with memory of its own scalars are there alone, as words.
        let done = || [done("msm"), done("bases kept"), done("scalars kept") + done("upload") / 4];
        let accel = Later::new(&engine, BasesOptions { tables, ..BasesOptions::default() });
        for n in [1, 3, 33, 600] {
            let before = done();
            let (all, bases) = (scalars(2 * n), points(9, n));
            let columns = [&all[..n], &all[n..]];
            let [first, second] = columns.map(|column| sum_of_multiples(column, 9));
            let found = commitments(&accel, columns, &bases);
            assert_eq!(found, [first, first, second, first, second], "{n} pairs, tables: {tables}");
            let after = done();
            // Bases are found when they are described again. Coefficients are not looked for.
            assert_eq!([0, 1, 2].map(|i| after[i] - before[i]), [5, 1, 2].map(|count| count * n as u64));
        }
    }
}

#[test]
fn descriptors_that_are_copied() {
    use copied::MsmAccel;
    let accel = Copied::new(&engine(), BasesOptions::default());
    let (all, bases) = (scalars(50), points(2, 50));
    let descriptors = (accel.get_coeffs_descriptor(&all), accel.get_base_descriptor(&bases));
    let copies = descriptors;
    assert_eq!(accel.msm_with_cached_inputs(&copies.0, &descriptors.1), sum_of_multiples(&all, 2));
    // A shorter list is found in the longer one, and ends where it should.
    let few = accel.get_base_descriptor(&bases[..20]);
    assert_eq!(accel.msm_with_cached_base(&all[..20], &few), sum_of_multiples(&all[..20], 2));
    assert_eq!(accel.msm(&[], &[]), sum_of_multiples(&[], 2));
}

#[test]
#[should_panic(expected = "scalars: expected 5, found 4")]
fn lengths_that_differ() {
    use copied::MsmAccel;
    let bases = points(1, 5);
    Copied::new(&engine(), BasesOptions::default()).msm(&scalars(4), &bases);
}

#[test]
fn provers_at_the_same_time() {
    let accel = Later::new(&engine(), BasesOptions::default());
    let bases = points(4, 300);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (accel, bases) = (&accel, &bases);
            scope.spawn(move || {
                let all = scalars(600 + thread);
                let columns = [&all[thread..][..300], &all[thread..][300..600]];
                let [first, second] = columns.map(|column| sum_of_multiples(column, 4));
                assert_eq!(commitments(accel, columns, bases), [first, first, second, first, second]);
            });
        }
    });
}

/// A fork as the adaptor's page, `docs/integrations/halo2.md`, names it. `tools/book/blocks.py` finds the page's lines here.
mod halo2curves {
    pub use super::later::traits as zal;
    pub use halo2curves_axiom::bn256;
}

zkaccel_halo2::zal!(pub Accelerated: halo2curves::zal::MsmAccel for halo2curves::bn256);

#[test]
fn as_the_page_has_it() -> Result<(), zkaccel::Error> {
    use later::traits::MsmAccel;
    let accelerated = Accelerated::new(&zkaccel::Engine::new()?, BasesOptions::default());
    let (all, bases) = (scalars(9), points(1, 9));
    assert_eq!(accelerated.msm(&all, &bases), sum_of_multiples(&all, 1));
    Ok(())
}
