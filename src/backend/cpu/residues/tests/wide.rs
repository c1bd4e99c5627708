//! Eight limbs of 52 bits at their limits, against the arithmetic of six limbs.

use super::*;

/// Of eight limbs: products of factors at their limits, and reduction of any columns, against the arithmetic of six limbs.
pub(super) struct WideLimits<Q, M>(pub(super) PhantomData<(Q, M)>);

impl<Q: Quadwords, M: VectorisedField + CoordinatePrime + Modulus<Limbs = [u64; 6]>> Vectorised<Q>
    for WideLimits<Q, M>
{
    #[inline(always)]
    fn run(self) {
        type Wide<Q, M> = Limbs52<Q, M, 6, 8, 16>;
        let p: [i128; 8] = split::<6, 8>(M::P).map(i128::from);
        let carry = |mut limbs: [i128; 8]| {
            for i in 0..7 {
                limbs[i + 1] += limbs[i] >> 52;
                limbs[i] &= i128::from(MASK);
            }
            limbs
        };
        // A multiple of p, or a little more or less.
        let times = |multiple: i128, near: i128| {
            let mut value = p.map(|limb| limb * multiple);
            value[0] += near;
            carry(value)
        };
        let vector = |word: i128| Q::splat(word as u64);
        let vectors = |limbs: [i128; 8]| limbs.map(vector);
        let lanes = |vectors: [Q; 8]| vectors.map(|vector| i128::from(Q::rows([vector; 4])[0][0] as i64));
        let below = |a: [i128; 8], b: [i128; 8]| carry(a).iter().rev().cmp(carry(b).iter().rev()).is_lt();
        // The residue whose Montgomery form is the integer.
        let shift = Residue::<M>::from_word(1 << 52);
        let residue = |limbs: [i128; 8]| {
            limbs.iter().rev().fold(Residue::<M>::ZERO, |sum, &limb| {
                let magnitude = limb.unsigned_abs();
                let integer = [magnitude as u64, (magnitude >> 64) as u64, 0, 0, 0, 0];
                sum.mul(shift).add(Residue::from_montgomery(integer).negated_if(limb < 0))
            })
        };
        let by_shift = Residue::<M>::from_word(1 << 32).inverse().expect("2 is not zero");
        let limits = [(0, 0), (0, 1), (1, -1), (1, 0), (1, 1), (2, -1), (3, -1), (4, -1), (1 << 18, -1)];
        for (x, y) in limits.into_iter().flat_map(|x| limits.map(|y| (times(x.0, x.1), times(y.0, y.1)))) {
            let [a, b] = [x, y].map(|limbs| Carried(vectors(limbs.map(|limb| limb | 0x5a5 << 52))));
            let product = lanes(Wide::<Q, M>::product(a, b).0);
            assert!(product.iter().all(|column| (0..1 << 57).contains(column)), "{x:x?} {y:x?}");
            // With two shifted differences, which nothing multiplies, below 3p.
            let shifted = !below(x, times(5, 0)) && !below(y, times(5, 0));
            assert!(below(product, times(if shifted { 3 } else { 2 }, 0)), "{x:x?} {y:x?}");
            let expected = residue(x).mul(residue(y)).mul(by_shift);
            assert_eq!(residue(product).canonical(), expected.canonical(), "{x:x?} {y:x?}");
            let square = lanes(Wide::<Q, M>::square(a).0);
            assert_eq!(residue(square).canonical(), residue(x).square().mul(by_shift).canonical(), "{x:x?}");
        }
        // Limbs of ones and zeros, as factors: below R.
        let mut words = Words::new(9);
        for set in 0..1_u32 << 8 {
            let limbs = std::array::from_fn(|i| if set >> i & 1 == 1 { i128::from(MASK) } else { 0 });
            let other = std::array::from_fn(|_| i128::from(words.next() & MASK));
            for other in [limbs, other] {
                let product =
                    lanes(Wide::<Q, M>::product(Carried(vectors(limbs)), Carried(vectors(other))).0);
                let expected = residue(limbs).mul(residue(other)).mul(by_shift);
                assert_eq!(residue(product).canonical(), expected.canonical(), "{limbs:x?} {other:x?}");
            }
        }
        // What is reduced: from p on to 2^10 p, around every multiple, and columns that overlap; what is larger, twice.
        for multiple in (1..40).chain([100, 255, 256, 1000, 1023, 4095, 8191, 1 << 18]) {
            for near in [-1, 0, 1, 1 << 50] {
                let near = if multiple == 1 { near.max(0) } else { near };
                let value = times(multiple, near);
                let mut overlapping = value;
                for i in 0..7 {
                    let moved = (value[i + 1] & 0xf).min(value[i + 1]);
                    (overlapping[i], overlapping[i + 1]) =
                        (overlapping[i] + (moved << 52), overlapping[i + 1] - moved);
                }
                for columns in [value, overlapping] {
                    let mut found = lanes(Wide::<Q, M>::less(vectors(columns)));
                    if multiple > 1 << 10 {
                        found = lanes(Wide::<Q, M>::less(vectors(std::array::from_fn(|i| found[i] + p[i]))));
                    }
                    assert!(found.iter().all(|limb| (0..1 << 52).contains(limb)), "{multiple} {near}");
                    assert!(below(found, times(2, 0)), "{multiple} {near}: {found:x?}");
                    assert_eq!(residue(found).canonical(), residue(value).canonical(), "{multiple} {near}");
                }
            }
        }
    }
}
