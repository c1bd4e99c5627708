//! Whether points of a curve are in the subgroup of order r.
//!
//! # Mathematical description
//!
//! A curve has r c points with the cofactor c, and where that is 1 there is nothing to test. The test of a single point is that of the library
//! ([`Subgroup::is_in_subgroup`]), which takes products by 63 or 64 bits.
//!
//! *Many points* are tested together. Let p_0 be the smallest prime that divides c. If some P_i is outside the
//! subgroup, a multiple of it has the order p, a prime divisor of c; then a sum of k_i P_i with k_i drawn from 2^w <= p_0 integers is in the subgroup for at most one
//! choice of k_i, with all others fixed: with probability at most 2^-w. Several sums together miss it with probability below 2^-64. They are sums like any other, on
//! the CPU, whose method (buckets) holds for all points of the curve. w is the group's [`FACTOR_BITS`](SourceGroup::FACTOR_BITS): 13 for BN254's G2, whose p_0 is 10069, so that
//! five sums suffice.
//!
//! *Where p_0 is small*, 13 for BLS12-381's G2 and 3 for its G1, there are 64 sums with factors 0 and 1, eight at a time: each point is added to the bucket of a random byte, and sum i
//! of the eight is that of the buckets whose bytes have bit i. So a point is added eight times, and not 64. Neither
//! curve has points of order 2, so formulas of sums hold for all of its points.
//!
//! [`Subgroup::is_in_subgroup`]: zkaccel::curve::Subgroup::is_in_subgroup

use halo2curves::group::{Curve as _, Group};
use rayon::prelude::*;
use zkaccel::curve::Curve;

use crate::Error;
use crate::host;
use crate::numbers::fill_random;
use crate::pairing::SourceGroup;

/// The binary logarithm of the probability with which a set of points with one outside may pass.
const SOUNDNESS: u32 = 64;

/// The points that are tested together.
const AT_ONCE: usize = 1 << 16;

/// Fewer points are tested one by one.
const FEW: usize = 1 << 8;

/// The index of the first of several points on the curve that is not in the subgroup. Sets of many points with one outside pass with probability below
/// 2^-64, over random numbers of the system.
pub(crate) fn first_outside<C: SourceGroup>(points: &[C]) -> Result<Option<usize>, Error> {
    let Some(bits) = C::FACTOR_BITS else { return Ok(None) };
    for (chunk, points) in points.chunks(AT_ONCE).enumerate() {
        let are_inside = || {
            let sums = if bits < u8::BITS { of_halves(points) } else { of_multiples(points, bits) };
            Ok::<_, Error>(sums?.iter().all(|sum| sum.to_affine().is_in_subgroup()))
        };
        if points.len() < FEW || !are_inside()? {
            let first = points.par_iter().position_first(|point| !point.is_in_subgroup());
            if let Some(index) = first {
                return Ok(Some(chunk * AT_ONCE + index));
            }
        }
    }
    Ok(None)
}

/// Random sums with factors of so many bits.
fn of_multiples<C: SourceGroup>(points: &[C], bits: u32) -> Result<Vec<C::Projective>, Error> {
    let sums = SOUNDNESS.div_ceil(bits) as usize;
    let mut random = vec![0; 2 * sums * points.len()];
    fill_random(&mut random)?;
    let factor = |bytes: &[u8]| {
        let word = u16::from_le_bytes(bytes.try_into().expect("2 bytes"));
        <C as Curve>::Scalar::from(u64::from(word) & ((1 << bits) - 1))
    };
    let factors: Vec<_> = random.par_chunks_exact(2).map(factor).collect();
    Ok(host::engine()?.msm_batch::<C>(&factors, points)?)
}

/// Random sums with factors 0 and 1.
fn of_halves<C: SourceGroup>(points: &[C]) -> Result<Vec<C::Projective>, Error> {
    let mut random = vec![0; SOUNDNESS.div_ceil(u8::BITS) as usize * points.len()];
    fill_random(&mut random)?;
    let eight = |bytes: &[u8]| {
        let mut buckets = vec![C::Projective::identity(); 1 << u8::BITS];
        points.iter().zip(bytes).for_each(|(point, byte)| buckets[usize::from(*byte)] += *point);
        // The highest bit first; then its two halves are one.
        let highest = |_| {
            let high = buckets.split_off(buckets.len() / 2);
            buckets.iter_mut().zip(&high).for_each(|(low, high)| *low += *high);
            high.iter().fold(C::Projective::identity(), |sum, bucket| sum + *bucket)
        };
        (0..u8::BITS).map(highest).collect::<Vec<_>>()
    };
    Ok(random.par_chunks_exact(points.len()).flat_map_iter(eight).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use halo2curves::bls12381;
    use halo2curves::bn256::{Fq2, Fr, G2, G2Affine};
    use halo2curves::ff::Field;
    use halo2curves::{CurveAffine, CurveExt};
    use zkaccel::curve::{Subgroup, affine};

    use super::*;

    /// Points of the twist, most of which are outside the subgroup: the first abscissas i + u that have one.
    pub(crate) fn of_the_twist(count: usize) -> Vec<G2Affine> {
        let points = (1..).filter_map(|i: u64| {
            let x = Fq2::new(i.into(), 1.into());
            let y: Option<Fq2> = (x.square() * x + G2::b()).sqrt().into();
            y.map(|y| G2Affine { x, y })
        });
        points.take(count).collect()
    }

    /// c = 2q - r, and c / 10069.
    const COFACTOR: [u64; 4] =
        [0x345f2299c0f9fa8d, 0x06ceecda572a2489, 0xb85045b68181585e, 0x30644e72e131a029];
    const WITHOUT_10069: [u64; 4] =
        [0x6c3cd334915f1659, 0x207142f7671af448, 0x9e28bcf65b5681da, 0x00013af7a58fce69];

    /// The cofactor of BLS12-381's G2 without its factor 13^2.
    const WITHOUT_13: [u64; 8] = [
        0x3336b3150941cfdd,
        0xedf4046db800a837,
        0x45e0aef29c5e8629,
        0x5a5b213dcb710859,
        0x81be2a9b0c648304,
        0x60a5f9bdc250555d,
        0xd5a3c5663541d68b,
        0x0008d5fc7522f6c4,
    ];

    /// The product of a point with an integer, which may be a multiple of r.
    fn times<G: Group>(point: G, integer: &[u64]) -> G {
        let bits = integer.iter().rev().flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1));
        bits.fold(G::identity(), |sum, bit| if bit == 1 { sum.double() + point } else { sum.double() })
    }

    fn contains(point: G2) -> bool {
        point.to_affine().is_in_subgroup()
    }

    /// By the order of the group, which the test of the library knows nothing of.
    fn has_order_r(point: G2) -> bool {
        bool::from((point * -Fr::ONE + point).is_identity())
    }

    #[test]
    fn as_products_by_the_order_say() {
        let generator = G2::generator();
        for point in [G2::identity(), generator, generator * Fr::from(12345), -generator] {
            assert!(contains(point) && has_order_r(point));
        }
        for point in of_the_twist(20) {
            assert!(bool::from(point.is_on_curve()));
            let point = G2::from(point);
            assert!(!contains(point) && !has_order_r(point));
            // Its part in the subgroup, times an integer that is not a multiple of r.
            let cleared = times(point, &COFACTOR);
            assert!(contains(cleared) && has_order_r(cleared));
            assert!(!contains(point - cleared));
        }
    }

    #[test]
    fn one_outside_of_many_is_found() {
        // Points of the smallest orders that there are outside: those that sums miss most often.
        let point = G2::from(of_the_twist(1)[0]);
        let small = times(point * -Fr::ONE + point, &WITHOUT_10069);
        assert!(bool::from(times(small, &[10069]).is_identity()) && !bool::from(small.is_identity()));
        found_among_many(of_the_twist(1)[0], small.to_affine());

        let of_order_3 = bls12381::G1Affine { x: 0.into(), y: 2.into() };
        assert_eq!(bls12381::G1::from(of_order_3).double(), -bls12381::G1::from(of_order_3));
        found_among_many(of_order_3, of_order_3);

        let mut points = (1..).filter_map(|i: u64| {
            let x = bls12381::Fq2::new(i.into(), 1.into());
            let y: Option<_> = (x.square() * x + bls12381::G2::b()).sqrt().into();
            y.map(|y| bls12381::G2Affine { x, y })
        });
        let outside = points.next().unwrap();
        let small = points.find_map(|point| {
            let point = bls12381::G2::from(point);
            let small = times(point * -bls12381::Fr::ONE + point, &WITHOUT_13);
            // Of order 13, or 13^2, or 1.
            let multiple = times(small, &[13]);
            let small = if bool::from(multiple.is_identity()) { small } else { multiple };
            (!bool::from(small.is_identity())).then_some(small)
        });
        let small = small.unwrap();
        assert!(bool::from(times(small, &[13]).is_identity()));
        found_among_many(outside, small.to_affine());
    }

    /// A point outside, and one of small order, among those of the group.
    fn found_among_many<C: SourceGroup>(outside: C, small: C) {
        let generator = <C as Curve>::Projective::from(<C as Curve>::generator());
        let inside: Vec<_> =
            std::iter::successors(Some(generator), |point| Some(*point + generator)).take(300).collect();
        let mut points: Vec<C> = affine(&inside);
        points[7] = C::default();
        assert_eq!(first_outside(&points), Ok(None));
        assert_eq!(first_outside::<C>(&[]), Ok(None));
        for index in [0, 1, 63, 299] {
            for len in [index + 1, points.len()] {
                let mut points = points[..len].to_vec();
                points[index] = outside;
                assert_eq!(first_outside(&points), Ok(Some(index)));
            }
        }
        let sum = <C as Curve>::Projective::from(small) + points[200];
        points[200] = affine(&[sum])[0];
        for _ in 0..20 {
            assert_eq!(first_outside(&points), Ok(Some(200)));
        }
    }
}
