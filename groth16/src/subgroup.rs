//! Whether points of a curve are in the subgroup of order r.
//!
//! # Mathematical description
//!
//! A curve has r c points with the cofactor c, and where that is 1 there is nothing to test. The test of a single point is that of the library
//! ([`Subgroup::is_in_subgroup`]), which over BN254's twist takes a product by 63 bits.
//!
//! *Many points* are tested together. Let p_0 be the smallest prime that divides c. If some P_i is outside the
//! subgroup, a multiple of it has the order p, a prime divisor of c; then a sum of k_i P_i with k_i drawn from 2^w <= p_0 integers is in the subgroup for at most one
//! choice of k_i, with all others fixed: with probability at most 2^-w. Several sums together miss it with probability below 2^-64. They are sums like any other, on
//! the CPU, whose method (buckets) holds for all points of the curve. w is the group's [`FACTOR_BITS`](SourceGroup::FACTOR_BITS).
//!
//! [`Subgroup::is_in_subgroup`]: zkaccel::curve::Subgroup::is_in_subgroup

use halo2curves::group::Curve as _;
use rayon::prelude::*;
use zkaccel::curve::Curve;

use crate::Error;
use crate::host;
use crate::numbers::fill_random;
use crate::pairing::SourceGroup;

/// The binary logarithm of the probability with which a set of points with one outside may pass.
const SOUNDNESS: u32 = 64;

/// The factors of the points that are tested together: of BN254's G2 five for each of 2^16 points.
const FACTORS_AT_ONCE: usize = 5 << 16;

/// Fewer points are tested one by one.
const FEW: usize = 64;

/// The index of the first of several points on the curve that is not in the subgroup. Sets of many points with one outside pass with probability below
/// 2^-64, over random numbers of the system.
pub(crate) fn first_outside<C: SourceGroup>(points: &[C]) -> Result<Option<usize>, Error> {
    let Some(bits) = C::FACTOR_BITS else { return Ok(None) };
    let sums = SOUNDNESS.div_ceil(bits) as usize;
    let at_once = FACTORS_AT_ONCE / sums;
    for (chunk, points) in points.chunks(at_once).enumerate() {
        if points.len() < FEW || !together(points, sums, bits)? {
            let first = points.par_iter().position_first(|point| !point.is_in_subgroup());
            if let Some(index) = first {
                return Ok(Some(chunk * at_once + index));
            }
        }
    }
    Ok(None)
}

/// Whether so many random sums of the points, with factors of so many bits, are all in the subgroup.
fn together<C: SourceGroup>(points: &[C], sums: usize, bits: u32) -> Result<bool, Error> {
    let mut random = vec![0; 2 * sums * points.len()];
    fill_random(&mut random)?;
    let factor = |bytes: &[u8]| {
        let word = u16::from_le_bytes(bytes.try_into().expect("2 bytes"));
        <C as Curve>::Scalar::from(u64::from(word) & ((1 << bits) - 1))
    };
    let factors: Vec<_> = random.par_chunks_exact(2).map(factor).collect();
    let sums = host::engine()?.msm_batch::<C>(&factors, points)?;
    Ok(sums.iter().all(|sum| sum.to_affine().is_in_subgroup()))
}

#[cfg(test)]
pub(crate) mod tests {
    use halo2curves::bn256::{Fq2, Fr, G2, G2Affine};
    use halo2curves::ff::Field;
    use halo2curves::group::Group;
    use halo2curves::{CurveAffine, CurveExt};
    use zkaccel::curve::Subgroup;

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

    fn times(point: G2, integer: [u64; 4]) -> G2 {
        let bits = (0..256).rev().map(|bit| integer[bit / 64] >> (bit % 64) & 1);
        bits.fold(G2::identity(), |sum, bit| if bit == 1 { sum.double() + point } else { sum.double() })
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
            let cleared = times(point, COFACTOR);
            assert!(contains(cleared) && has_order_r(cleared));
            assert!(!contains(point - cleared));
        }
    }

    #[test]
    fn one_outside_of_many_is_found() {
        let generator = G2::generator();
        let inside: Vec<G2> =
            std::iter::successors(Some(generator), |point| Some(point + generator)).take(300).collect();
        let mut points = vec![G2Affine::default(); inside.len()];
        G2::batch_normalize(&inside, &mut points);
        points[7] = G2Affine::default();
        assert_eq!(first_outside(&points), Ok(None));
        assert_eq!(first_outside::<G2Affine>(&[]), Ok(None));
        let outside = of_the_twist(1)[0];
        for index in [0, 1, 63, 299] {
            for len in [index + 1, points.len()] {
                let mut points = points[..len].to_vec();
                points[index] = outside;
                assert_eq!(first_outside(&points), Ok(Some(index)));
            }
        }
        // A point of the smallest order that there is outside: the one that sums miss most often.
        let outside = times(G2::from(outside) * -Fr::ONE + outside, WITHOUT_10069);
        assert!(
            bool::from(times(outside, [10069, 0, 0, 0]).is_identity()) && !bool::from(outside.is_identity())
        );
        points[200] = (outside + points[200]).to_affine();
        assert_eq!(first_outside(&points), Ok(Some(200)));
    }
}
